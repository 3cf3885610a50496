import type { Reading } from './reading.ts';
import type { CueValue } from '../events/log.ts';
import type { DetectorSpec } from '../profile/profile.ts';
import { plausibilityOf } from './plausible.ts';
import type { Cue } from './cue.ts';

/** Turns one detector's readings into cues. Detector kinds that read lines rather than values supply their own. */
export interface Tracker {
  /** Takes the next reading, in order of time (the same sample again says nothing new); returns the cues that it settles, in order of their own times. */
  push(reading: Reading): Cue[];
  /** The media is over at `t` seconds; returns what can still be settled. */
  end(t: number): Cue[];
  /**
   * The earliest time, in seconds, of a cue that readings still to come may settle; undefined: any further cue is not
   * earlier than the next reading. `now` is the time of the last sample of the stream, which may lie after this
   * detector's last reading (a menu hides it).
   */
  pendingSince(now?: number): number | undefined;
}

/** What a reading or a run of readings says: a value, or that nothing is there. */
export type Content = { readonly seen: true; readonly value: CueValue } | { readonly seen: false };

/** Consecutive samples that read the same. */
interface Run {
  /** Of the most confident sample. */
  content: Content;
  readonly t: number;
  count: number;
  /** Samples in a row, up to now, in which it could not be read. */
  gap: number;
  confidenceSum: number;
  bestConfidence: number;
  detail: unknown;
  /** Began with the first reading that counts. */
  readonly first: boolean;
}

/** Defaults of `stability`. */
export const STABILITY_DEFAULTS = { samples: 2, confidence: 0.8, gaps: 2, unless: 10 } as const;

/** The confidence from which a detector's readings count, unless they are `expected`. */
export function minConfidenceOf(spec: DetectorSpec): number {
  return spec.stability?.confidence ?? STABILITY_DEFAULTS.confidence;
}

/**
 * The found/changed/lost state machine with its stability rule: a content (a value, or absence) is accepted once
 * `samples` consecutive readings at `confidence` or more agree on it. Readings that cannot be used — unreadable,
 * not confident enough, implausible, or missing from the grid of `interval` seconds — neither confirm nor break the
 * run, up to `gaps` in a row. The cue's time is that of the run's first reading, its confidence the mean of the readings
 * that made the run, its detail that of the most confident of them. Before the first reading nothing is there.
 */
export function createTracker(detector: string, spec: DetectorSpec, interval?: number): Tracker {
  const samples = spec.stability?.samples ?? STABILITY_DEFAULTS.samples;
  const lostSamples = spec.stability?.lost ?? samples;
  const threshold = minConfidenceOf(spec);
  const gaps = spec.stability?.gaps ?? STABILITY_DEFAULTS.gaps;
  const unless = Math.max(spec.plausible?.unless ?? STABILITY_DEFAULTS.unless, samples);
  const judge = plausibilityOf(spec);
  const isSame = readsAnyText(spec) ? isSameText : isSameContent;

  let accepted: Content = { seen: false };
  /** The run that may replace what is accepted, and one that would if it were plausible. */
  let run: Run | undefined;
  let doubt: Run | undefined;
  let last: number | undefined;
  let isBlank = true;

  function settle(winner: Run): Cue {
    const before = accepted;
    accepted = winner.content;
    run = undefined;
    doubt = undefined;
    return {
      t: winner.t,
      detector,
      ...(spec.region === undefined ? {} : { region: spec.region }),
      trigger: !winner.content.seen ? 'lost' : before.seen ? 'changed' : 'found',
      ...(winner.content.seen ? { value: winner.content.value } : {}),
      ...(before.seen ? { previous: before.value } : {}),
      confidence: winner.confidenceSum / winner.count,
      ...(winner.first && winner.content.seen ? { first: true } : {}),
      ...(winner.detail === undefined ? {} : { detail: winner.detail }),
    };
  }

  /** The confidence that a reading needs: less for a step that is likely beforehand. */
  function needed(observation: Reading['observation']): number {
    const { expected } = spec.plausible ?? {};
    if (!expected || observation.state !== 'seen' || !accepted.seen) return threshold;
    const step = Number(observation.value) - Number(accepted.value);
    const { steps = [], within } = expected;
    const isLikely = steps.includes(step) || (within !== undefined && step >= within[0] && step <= within[1]);
    return isLikely ? Math.min(threshold, expected.confidence) : threshold;
  }

  function skip(count: number): void {
    run = aged(run, count, gaps);
    doubt = aged(doubt, count, gaps);
  }

  return {
    push({ t, observation }) {
      if (t === last) return [];
      if (last !== undefined && !(t > last))
        throw new RangeError(`readings of ${detector} out of order: ${last}, ${t}`);
      if (last !== undefined) skip(countMissingSamples(t - last, interval));
      last = t;
      const content = readContent(observation, needed(observation));
      const verdict = content && judge(content.seen ? content.value : undefined, valueOf(accepted));
      if (content === undefined || verdict === 'impossible') {
        skip(1);
        return [];
      }
      if (verdict === 'doubtful') {
        run = aged(run, 1, gaps);
        doubt = continued(doubt, content, t, observation, false, isSame);
        return doubt.count >= unless ? [settle(doubt)] : [];
      }
      doubt = undefined;
      const isFirst = isBlank;
      isBlank = false;
      if (isSame(content, accepted)) {
        run = undefined;
        return [];
      }
      run = continued(run, content, t, observation, isFirst, isSame);
      return run.count >= (content.seen ? samples : lostSamples) ? [settle(run)] : [];
    },
    end() {
      run = undefined;
      doubt = undefined;
      return [];
    },
    pendingSince(now) {
      const unseen = now === undefined || last === undefined ? 0 : countMissingSamples(now - last, interval);
      const alive = [run, doubt].filter((some) => some !== undefined && some.gap + unseen <= gaps);
      return alive.length === 0 ? undefined : Math.min(...alive.map((some) => some!.t));
    },
  };
}

/**
 * How many samples are surely missing from a stretch of `seconds` between two readings. Frames lie within half an
 * interval of their ticks, so two readings of neighbouring ticks can be nearly two intervals apart.
 */
export function countMissingSamples(seconds: number, interval: number | undefined): number {
  if (interval === undefined || !(interval > 0)) return 0;
  return Math.max(0, Math.ceil(seconds / interval - 2 - 1e-6));
}

/** Returns what a reading shows, or undefined if it is unreadable or below the confidence threshold. */
export function readContent(observation: Reading['observation'], threshold: number): Content | undefined {
  if (observation.state === 'unreadable' || !(observation.confidence >= threshold)) return undefined;
  if (observation.state === 'absent') return { seen: false };
  if (typeof observation.value === 'number' && !Number.isFinite(observation.value)) return undefined;
  return { seen: true, value: observation.value };
}

function valueOf(content: Content): CueValue | undefined {
  return content.seen ? content.value : undefined;
}

/** Returns whether two readings show the same. */
export function isSameContent(a: Content, b: Content): boolean {
  return a.seen === b.seen && valueOf(a) === valueOf(b);
}

/** Whether a detector reads texts of which nothing is known: their spaces, signs and case are read least surely. */
function readsAnyText({ kind, reader, pattern, lexicon, charset, value = 'text' }: DetectorSpec): boolean {
  const isFree = [pattern, lexicon, charset].every((one) => one === undefined);
  return kind === 'text' && reader === 'general' && value === 'text' && isFree;
}

/** Whether two texts have the same letters and digits. */
function isSameText(a: Content, b: Content): boolean {
  return a.seen && b.seen ? plainText(a.value) === plainText(b.value) : a.seen === b.seen;
}

function plainText(value: CueValue): string {
  const text = String(value).toLowerCase();
  const plain = text.replaceAll(/[^\p{L}\p{N}]/gu, '');
  return plain === '' ? text : plain;
}

function aged(run: Run | undefined, count: number, gaps: number): Run | undefined {
  if (run === undefined) return undefined;
  run.gap += count;
  return run.gap > gaps ? undefined : run;
}

function continued(
  run: Run | undefined,
  content: Content,
  t: number,
  observation: Reading['observation'],
  first: boolean,
  isSame: typeof isSameContent,
): Run {
  const { confidence } = observation;
  const detail = 'detail' in observation ? observation.detail : undefined;
  if (run === undefined || !isSame(run.content, content)) {
    return { content, t, count: 1, gap: 0, confidenceSum: confidence, bestConfidence: confidence, detail, first };
  }
  run.count += 1;
  run.gap = 0;
  run.confidenceSum += confidence;
  if (confidence > run.bestConfidence) {
    run.bestConfidence = confidence;
    run.content = content;
    run.detail = detail;
  }
  return run;
}
