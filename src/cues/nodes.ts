import type { CueSequence } from '../profile/profile.ts';
import type { ActivationState } from './activation.ts';
import { ChainMatcher } from './chain.ts';
import type { Cue } from './cue.ts';
import type { Reading } from './reading.ts';
import type { Tracker } from './tracker.ts';

/** A reading that turns out to be needed: the detector was thought to be switched off in this sample. */
export interface Want {
  readonly detector: string;
  readonly t: number;
}

/** A source of cues: a detector's tracker, one that waits for others' cues, or a sequence of cues. Times in seconds. */
export interface CueNode {
  /** The nodes whose cues it needs. */
  readonly sources: readonly string[];
  /** Takes a cue of a source. Those of one source come in order of time. */
  hear(cue: Cue): void;
  /** Takes a sample; without a reading, one that is made only if it is wanted. */
  take(t: number, reading: Reading | undefined): Cue[];
  /** Goes on, where all cues of its sources up to and including `known` have been heard. */
  advance(known: number, over: boolean): Cue[];
  /** The time up to which, inclusive, all its cues have been given out; `now`: that of the last sample. */
  known(now: number, over: boolean): number;
  wants(): readonly Want[];
  fill(found: readonly { readonly t: number; readonly observation: Reading['observation'] | undefined }[]): void;
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

/** A detector that is always on. */
export class DetectorNode implements CueNode {
  readonly sources: readonly string[] = [];
  readonly #tracker: Tracker;

  constructor(tracker: Tracker) {
    this.#tracker = tracker;
  }

  hear(): void {}

  take(_: number, reading: Reading | undefined): Cue[] {
    return reading === undefined ? [] : this.#tracker.push(reading);
  }

  advance(): Cue[] {
    return [];
  }

  known(now: number, over: boolean): number {
    return over ? Number.POSITIVE_INFINITY : knownBy(this.#tracker, now);
  }

  wants(): readonly Want[] {
    return [];
  }

  fill(): void {}

  end(t: number): Cue[] {
    return this.#tracker.end(t);
  }
}

interface Sample {
  readonly t: number;
  /** Undefined: not read yet; `nothing`: it was looked for and there is nothing to read. */
  reading: Reading | 'nothing' | undefined;
}

/**
 * A detector that others switch on. Its samples wait until it is known whether it is on in them: those while it is off
 * are dropped, those while it is on must have a reading. When it is switched off it forgets: what stood is lost.
 */
export class SwitchedNode implements CueNode {
  readonly sources: readonly string[];
  readonly #name: string;
  readonly #state: ActivationState;
  readonly #renew: () => Tracker | undefined;
  #tracker: Tracker;
  #samples: Sample[] = [];
  #heard: Cue[] = [];
  /** The time up to which activation is settled, and all cues given out. */
  #at = Number.NEGATIVE_INFINITY;
  #known = Number.NEGATIVE_INFINITY;
  /** The time up to which all cues of its sources have been heard. */
  #sure = Number.NEGATIVE_INFINITY;
  /** The last cue, where its value stands. */
  #stands: Cue | undefined;
  #end: number | undefined;

  constructor(
    name: string,
    tracker: Tracker,
    state: ActivationState,
    sources: readonly string[],
    renew: () => Tracker | undefined,
  ) {
    this.#name = name;
    this.#tracker = tracker;
    this.#state = state;
    this.sources = sources;
    this.#renew = renew;
  }

  hear(cue: Cue): void {
    this.#heard.push(cue);
  }

  take(t: number, reading: Reading | undefined): Cue[] {
    const last = this.#samples.at(-1);
    if (last?.t === t && last.reading === undefined) last.reading = reading;
    else this.#samples.push({ t, reading });
    return [];
  }

  advance(known: number, over: boolean): Cue[] {
    this.#heard.sort((a, b) => a.t - b.t);
    this.#sure = known;
    const cues: Cue[] = [];
    while (this.#samples.length > 0 && this.#samples[0]!.t <= known) {
      const { t, reading } = this.#samples[0]!;
      if (t > this.#at) cues.push(...this.#switchTo(t));
      if (this.#state.active && reading === undefined) break;
      this.#samples.shift();
      if (this.#state.active && reading !== undefined && reading !== 'nothing')
        cues.push(...this.#note(this.#tracker.push(reading)));
    }
    const waiting = this.#samples[0]?.t ?? Number.POSITIVE_INFINITY;
    if (waiting > known && known > this.#at) cues.push(...this.#switchTo(known));
    if (over && waiting > known && this.#end !== undefined) {
      cues.push(...this.#note(this.#tracker.end(this.#end)));
      this.#end = undefined;
    }
    const until = waiting > known ? known : before(waiting);
    this.#known = Math.max(this.#known, knownBy(this.#tracker, until));
    if (over && this.#samples.length === 0) this.#known = Number.POSITIVE_INFINITY;
    return cues;
  }

  known(): number {
    return this.#known;
  }

  wants(): readonly Want[] {
    // All at once of which it is known that the detector is on: reading them one by one would decode again and again.
    const state = this.#state.copy();
    const heard = [...this.#heard];
    const wanted: Want[] = [];
    for (const { t, reading } of this.#samples) {
      if (t > this.#sure) break;
      while (heard.length > 0 && heard[0]!.t <= t) state.advance(heard[0]!.t, takeMoment(heard));
      if (state.activeAt(t) && reading === undefined) wanted.push({ detector: this.#name, t });
    }
    return wanted;
  }

  fill(found: readonly { readonly t: number; readonly observation: Reading['observation'] | undefined }[]): void {
    const byTime = new Map(found.map(({ t, observation }) => [t, observation]));
    for (const sample of this.#samples) {
      if (!byTime.has(sample.t)) continue;
      const observation = byTime.get(sample.t);
      sample.reading = observation ? { detector: this.#name, t: sample.t, observation } : 'nothing';
    }
  }

  end(t: number): Cue[] {
    this.#end = t;
    return [];
  }

  /** Brings the activation up to `t`, one change after the other. */
  #switchTo(t: number): Cue[] {
    const cues: Cue[] = [];
    // Only a cue switches on.
    if (!this.#state.active && !(this.#heard[0] && this.#heard[0].t <= t)) this.#at = t;
    while (this.#at < t) {
      const next = Math.min(t, this.#heard[0]?.t ?? t, this.#state.nextExpiry(this.#at));
      const now = this.#heard[0]?.t === next ? takeMoment(this.#heard) : [];
      const was = this.#state.active;
      this.#state.advance(next, now);
      this.#at = next;
      if (was && !this.#state.active) cues.push(...this.#switchOff(next));
    }
    return cues;
  }

  #switchOff(t: number): Cue[] {
    const cues = this.#note(this.#tracker.end(t));
    const renewed = this.#renew();
    if (!renewed) return cues;
    this.#tracker = renewed;
    if (!this.#stands) return cues;
    const { detector, region, value, confidence } = this.#stands;
    this.#stands = undefined;
    const lost = { t, detector, ...(region === undefined ? {} : { region }), trigger: 'lost' as const, confidence };
    return [...cues, { ...lost, ...(value === undefined ? {} : { previous: value }) }];
  }

  #note(cues: Cue[]): Cue[] {
    const last = cues.at(-1);
    if (last) this.#stands = last.trigger === 'lost' ? undefined : last;
    return cues;
  }
}

/** Takes the cues of the earliest time from a list in order of time. */
function takeMoment(cues: Cue[]): Cue[] {
  const count = cues.findIndex((cue) => cue.t > cues[0]!.t);
  return cues.splice(0, count < 0 ? cues.length : count);
}

/** A sequence of cues: makes a cue of its own where one is complete. */
export class ChainNode implements CueNode {
  readonly sources: readonly string[];
  readonly #matcher: ChainMatcher;
  #heard: Cue[] = [];
  #known = Number.NEGATIVE_INFINITY;

  constructor(name: string, sequence: CueSequence) {
    const { steps, unless } = sequence;
    this.sources = [...new Set([...steps, ...(unless ? [unless] : [])].map(({ detector }) => detector))];
    this.#matcher = new ChainMatcher(name, sequence);
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

  wants(): readonly Want[] {
    return [];
  }

  fill(): void {}

  end(): Cue[] {
    return [];
  }
}
