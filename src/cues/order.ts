import type { Reading } from './reading.ts';
import type { Cue } from './cue.ts';
import type { Tracker } from './tracker.ts';

/** The cues of one moment, in the order of their detectors in the profile. */
export interface Moment {
  readonly t: number;
  readonly cues: readonly Cue[];
}

/** What one step of the stream settled. */
export interface Settled {
  readonly moments: readonly Moment[];
  /** Seconds: every cue up to and including this time has been given out; those to come are later. */
  readonly until: number;
}

/**
 * Merges the cues of all detectors into one sequence ordered by time, then by the detectors' order. A cue becomes known
 * only some samples after its own time, so cues are held until no tracker can produce an earlier one.
 */
export interface CueStream {
  /** Gives the readings of the sample at `t` seconds (later than the one before) to their trackers. */
  sample(t: number, readings: Iterable<Reading>): Settled;
  /** The media is over at `t` seconds: gives out what is left. */
  end(t: number): Settled;
}

/** `trackers` by detector name, in the order of the profile. Readings of other detectors are a RangeError. */
export function orderCues(trackers: ReadonlyMap<string, Tracker>): CueStream {
  const rank = new Map([...trackers.keys()].map((name, index) => [name, index]));
  let held: Cue[] = [];
  let released = Number.NEGATIVE_INFINITY;

  function release(until: number): Settled {
    const ready = held.filter((cue) => cue.t <= until);
    held = held.filter((cue) => cue.t > until);
    released = Math.max(released, until);
    ready.sort((a, b) => a.t - b.t || (rank.get(a.detector) ?? 0) - (rank.get(b.detector) ?? 0));
    const moments: { t: number; cues: Cue[] }[] = [];
    for (const cue of ready) {
      const open = moments.at(-1);
      if (open !== undefined && open.t === cue.t) open.cues.push(cue);
      else moments.push({ t: cue.t, cues: [cue] });
    }
    return { moments, until: released };
  }

  function hold(cues: readonly Cue[]): void {
    for (const cue of cues) {
      if (!(cue.t > released))
        throw new RangeError(`${cue.detector} made a cue at ${cue.t} after ${released} was settled`);
      held.push(cue);
    }
  }

  return {
    sample(t, readings) {
      for (const reading of readings) {
        const tracker = trackers.get(reading.detector);
        if (tracker === undefined) throw new RangeError(`no tracker for detector ${reading.detector}`);
        hold(tracker.push(reading));
      }
      let until = t;
      for (const tracker of trackers.values()) {
        const pending = tracker.pendingSince(t);
        if (pending !== undefined && pending <= until) until = before(pending);
      }
      return release(Math.max(until, released));
    },
    end(t) {
      for (const tracker of trackers.values()) hold(tracker.end(t));
      return release(Number.POSITIVE_INFINITY);
    },
  };
}

/** The last microsecond before a time; times are whole microseconds. */
function before(t: number): number {
  return Math.round(t * 1e6 - 1) / 1e6;
}
