import type { CueSequence } from '../profile/profile.ts';
import { ActivationState, type Clauses } from './activation.ts';
import type { Cue } from './cue.ts';
import type { Reading } from './reading.ts';
import { SequenceMatcher } from './sequence.ts';
import type { Tracker } from './tracker.ts';

/** The cues of one moment, in the order of their detectors in the profile, those of sequences last. */
export interface Moment {
  /** Seconds. */
  readonly t: number;
  readonly cues: readonly Cue[];
}

/** What one step of the stream settled. */
export interface Settled {
  readonly moments: readonly Moment[];
  /** Seconds: every cue up to and including this time has been given out; later ones follow. */
  readonly until: number;
}

/** How the detectors of a profile depend on one another's cues. */
export interface CueRules {
  /** What activates a detector; detectors without an entry are always active. */
  readonly activations: ReadonlyMap<string, Clauses>;
  /** By name. */
  readonly sequences: Readonly<Record<string, CueSequence>>;
  /** Creates a new tracker for a detector that is activated again; undefined: it keeps the one it has. */
  renew(detector: string): Tracker | undefined;
  /** Called with every reading that counts: its detector is active in that sample. In order of time for each detector. */
  onReading?(reading: Reading): void;
}

const NO_RULES: CueRules = { activations: new Map(), sequences: {}, renew: () => undefined };

/**
 * Merges the cues of all detectors into one sequence, ordered by time and then by the order of the detectors in the profile.
 *
 * A cue becomes known only some samples after its own time, so cues are held back until no tracker can produce an earlier
 * one. The readings of a detector that others activate wait until it is known whether it was active; while it was not, its
 * readings do not count.
 */
export class CueStream {
  readonly #trackers: ReadonlyMap<string, Tracker>;
  readonly #nodes = new Map<string, CueNode>();
  /** The nodes that depend on others, each after its sources. */
  readonly #dependents: readonly CueNode[];
  readonly #listeners = new Map<string, CueNode[]>();
  readonly #rank: ReadonlyMap<string, number>;
  #held: Cue[] = [];
  #released = Number.NEGATIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  /** @param trackers By detector name, in the order of the profile. */
  constructor(trackers: ReadonlyMap<string, Tracker>, rules: CueRules = NO_RULES) {
    this.#trackers = trackers;
    for (const [name, tracker] of trackers) {
      const clauses = rules.activations.get(name);
      this.#nodes.set(
        name,
        clauses ? new ActivatedNode(name, tracker, clauses, rules) : new DetectorNode(tracker, rules),
      );
    }
    for (const [name, sequence] of Object.entries(rules.sequences))
      this.#nodes.set(name, new SequenceNode(name, sequence));
    this.#dependents = sortBySources(this.#nodes).filter((node) => !(node instanceof DetectorNode));
    for (const node of this.#dependents)
      for (const source of node.sources) this.#listeners.set(source, [...(this.#listeners.get(source) ?? []), node]);
    this.#rank = new Map([...this.#nodes.keys()].map((name, index) => [name, index]));
  }

  /**
   * Takes the readings of the sample at `t` seconds, which is later than the one before.
   * @throws RangeError for a detector without a tracker.
   */
  sample(t: number, readings: Iterable<Reading>): Settled {
    this.#last = t;
    for (const reading of readings) {
      if (!this.#trackers.has(reading.detector)) throw new RangeError(`no tracker for detector ${reading.detector}`);
      this.#hold(this.#nodes.get(reading.detector)!.take(reading));
    }
    return this.#advance(t, false);
  }

  /** Gives out what is left. The media is over at `t` seconds. */
  end(t: number): Settled {
    this.#last = Math.max(t, this.#last);
    for (const node of this.#nodes.values()) this.#hold(node.end(t));
    return this.#advance(this.#last, true);
  }

  /** Lets dependent nodes catch up, up to `now`; returns what is settled then. */
  #advance(now: number, over: boolean): Settled {
    for (const node of this.#dependents) {
      let known = now;
      for (const source of node.sources) known = Math.min(known, this.#nodes.get(source)!.known(now, over));
      this.#hold(node.advance(known, over && known >= now));
    }
    let until = over ? Number.POSITIVE_INFINITY : now;
    for (const node of this.#nodes.values()) until = Math.min(until, node.known(now, over));
    return this.#release(Math.max(until, this.#released));
  }

  #hold(cues: readonly Cue[]): void {
    for (const cue of cues) {
      if (!(cue.t > this.#released))
        throw new RangeError(`${cue.detector} made a cue at ${cue.t} after ${this.#released} was settled`);
      this.#held.push(cue);
      for (const node of this.#listeners.get(cue.detector) ?? []) node.hear(cue);
    }
  }

  #release(until: number): Settled {
    const ready = this.#held.filter((cue) => cue.t <= until);
    this.#held = this.#held.filter((cue) => cue.t > until);
    this.#released = Math.max(this.#released, until);
    ready.sort((a, b) => a.t - b.t || (this.#rank.get(a.detector) ?? 0) - (this.#rank.get(b.detector) ?? 0));
    const moments: { t: number; cues: Cue[] }[] = [];
    for (const cue of ready) {
      const open = moments.at(-1);
      if (open !== undefined && open.t === cue.t) open.cues.push(cue);
      else moments.push({ t: cue.t, cues: [cue] });
    }
    return { moments, until: this.#released };
  }
}

/** A source of cues: a detector, or a sequence of cues. Times in seconds. */
interface CueNode {
  /** The nodes whose cues it needs. */
  readonly sources: readonly string[];
  /** Takes a cue of a source. Those of one source come in order of time. */
  hear(cue: Cue): void;
  take(reading: Reading): Cue[];
  /** Continues after all cues of its sources up to and including `known` have been heard. */
  advance(known: number, over: boolean): Cue[];
  /** The time up to which, inclusive, all its cues have been given out; `now`: that of the last sample. */
  known(now: number, over: boolean): number;
  end(t: number): Cue[];
}

/** The last microsecond before a time; times are whole microseconds. */
function before(t: number): number {
  return Math.round(t * 1e6 - 1) / 1e6;
}

function knownBy(tracker: Tracker, now: number): number {
  const pending = tracker.pendingSince(now);
  return pending !== undefined && pending <= now ? before(pending) : now;
}

/** A detector that is always active. */
class DetectorNode implements CueNode {
  readonly sources: readonly string[] = [];
  readonly #tracker: Tracker;
  readonly #rules: CueRules;

  constructor(tracker: Tracker, rules: CueRules) {
    this.#tracker = tracker;
    this.#rules = rules;
  }

  hear(): void {}

  take(reading: Reading): Cue[] {
    this.#rules.onReading?.(reading);
    return this.#tracker.push(reading);
  }

  advance(): Cue[] {
    return [];
  }

  known(now: number, over: boolean): number {
    return over ? Number.POSITIVE_INFINITY : knownBy(this.#tracker, now);
  }

  end(t: number): Cue[] {
    return this.#tracker.end(t);
  }
}

/**
 * A detector that others activate. Its readings wait until it is known whether it is active in their samples. When it is
 * deactivated it forgets: a value that stood is lost.
 */
class ActivatedNode implements CueNode {
  readonly sources: readonly string[];
  readonly #name: string;
  readonly #state: ActivationState;
  readonly #rules: CueRules;
  #tracker: Tracker;
  #readings: Reading[] = [];
  #heard: Cue[] = [];
  /** The time up to which activation is settled, and all cues given out. */
  #at = Number.NEGATIVE_INFINITY;
  #known = Number.NEGATIVE_INFINITY;
  /** The last cue, while its value stands. */
  #standing: Cue | undefined;
  #end: number | undefined;

  constructor(name: string, tracker: Tracker, clauses: Clauses, rules: CueRules) {
    this.#name = name;
    this.#tracker = tracker;
    this.#state = new ActivationState(clauses);
    this.#rules = rules;
    this.sources = [...new Set(clauses.flat().flatMap(({ sources }) => sources))];
  }

  hear(cue: Cue): void {
    this.#heard.push(cue);
  }

  take(reading: Reading): Cue[] {
    this.#readings.push(reading);
    return [];
  }

  advance(known: number, over: boolean): Cue[] {
    this.#heard.sort((a, b) => a.t - b.t);
    const cues: Cue[] = [];
    let count = 0;
    for (; count < this.#readings.length && this.#readings[count]!.t <= known; count++) {
      const reading = this.#readings[count]!;
      if (reading.t > this.#at) cues.push(...this.#advanceTo(reading.t));
      if (!this.#state.active) continue;
      this.#rules.onReading?.(reading);
      cues.push(...this.#note(this.#tracker.push(reading)));
    }
    this.#readings.splice(0, count);
    if (known > this.#at) cues.push(...this.#advanceTo(known));
    if (over && this.#end !== undefined) {
      cues.push(...this.#note(this.#tracker.end(this.#end)));
      this.#end = undefined;
    }
    this.#known = over ? Number.POSITIVE_INFINITY : Math.max(this.#known, knownBy(this.#tracker, known));
    return cues;
  }

  known(): number {
    return this.#known;
  }

  end(t: number): Cue[] {
    this.#end = t;
    return [];
  }

  /** Brings the activation up to `t`, one change after the other. */
  #advanceTo(t: number): Cue[] {
    const cues: Cue[] = [];
    // Only a cue activates.
    if (!this.#state.active && !(this.#heard[0] && this.#heard[0].t <= t)) this.#at = t;
    while (this.#at < t) {
      const next = Math.min(t, this.#heard[0]?.t ?? t, this.#state.nextExpiry(this.#at));
      const now = this.#heard[0]?.t === next ? takeMoment(this.#heard) : [];
      const wasActive = this.#state.active;
      this.#state.advance(next, now);
      this.#at = next;
      if (wasActive && !this.#state.active) cues.push(...this.#deactivate(next));
    }
    return cues;
  }

  #deactivate(t: number): Cue[] {
    const cues = this.#note(this.#tracker.end(t));
    const renewed = this.#rules.renew(this.#name);
    if (!renewed) return cues;
    this.#tracker = renewed;
    if (!this.#standing) return cues;
    const { detector, region, value, confidence } = this.#standing;
    this.#standing = undefined;
    const lost = { t, detector, ...(region === undefined ? {} : { region }), trigger: 'lost' as const, confidence };
    return [...cues, { ...lost, ...(value === undefined ? {} : { previous: value }) }];
  }

  #note(cues: Cue[]): Cue[] {
    const last = cues.at(-1);
    if (last) this.#standing = last.trigger === 'lost' ? undefined : last;
    return cues;
  }
}

/** Takes the cues of the earliest time from a list in order of time. */
function takeMoment(cues: Cue[]): Cue[] {
  const count = cues.findIndex((cue) => cue.t > cues[0]!.t);
  return cues.splice(0, count < 0 ? cues.length : count);
}

/** A sequence of cues: makes a cue of its own when one is complete. */
class SequenceNode implements CueNode {
  readonly sources: readonly string[];
  readonly #matcher: SequenceMatcher;
  #heard: Cue[] = [];
  #known = Number.NEGATIVE_INFINITY;

  constructor(name: string, sequence: CueSequence) {
    const { steps, unless } = sequence;
    this.sources = [...new Set([...steps, ...(unless ? [unless] : [])].map(({ detector }) => detector))];
    this.#matcher = new SequenceMatcher(name, sequence);
  }

  hear(cue: Cue): void {
    this.#heard.push(cue);
  }

  take(): Cue[] {
    throw new RangeError('a sequence has no readings');
  }

  advance(known: number, over: boolean): Cue[] {
    const cues: Cue[] = [];
    const rank = (cue: Cue): number => this.sources.indexOf(cue.detector);
    this.#heard.sort((a, b) => a.t - b.t || rank(a) - rank(b));
    while (this.#heard.length > 0 && this.#heard[0]!.t <= known)
      cues.push(...this.#matcher.take(this.#heard[0]!.t, takeMoment(this.#heard)));
    this.#known = over ? Number.POSITIVE_INFINITY : Math.max(this.#known, known);
    return cues;
  }

  known(): number {
    return this.#known;
  }

  end(): Cue[] {
    return [];
  }
}

/** Sorts nodes such that each comes after its sources. */
function sortBySources(nodes: ReadonlyMap<string, CueNode>): readonly CueNode[] {
  const sorted = new Set<CueNode>();
  const visit = (name: string, path: readonly string[]): void => {
    const node = nodes.get(name);
    if (node === undefined) throw new RangeError(`no detector or sequence ${name}`);
    if (path.includes(name)) throw new RangeError(`${name} depends on itself`);
    if (sorted.has(node)) return;
    for (const source of node.sources) visit(source, [...path, name]);
    sorted.add(node);
  };
  for (const name of nodes.keys()) visit(name, []);
  return [...sorted];
}
