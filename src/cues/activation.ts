import type { Activation, ModeSpec, Profile } from '../profile/profile.ts';
import { roundTime } from '../time.ts';
import { compileCondition, compileValue } from './condition.ts';
import type { Cue } from './cue.ts';

/** Something that cues switch on and off. */
export interface Switch {
  /** The detectors and sequences whose cues it listens to. */
  readonly sources: readonly string[];
  /** Whether it is on before any cue. */
  readonly initially: boolean;
  on(cue: Cue): boolean;
  off(cue: Cue): boolean;
  /** For how long a cue switches it on. */
  readonly seconds: number;
}

/** A detector is active while of every clause at least one switch is on. */
export type Clauses = readonly (readonly Switch[])[];

/**
 * The detectors that others switch on, with what switches them: their own `after` and `modes`, the modes of their region, and
 * all of those that a detector depends on for which they wait (`when`) or whose find they follow.
 */
export function activationsOf(profile: Profile): ReadonlyMap<string, Clauses> {
  const own = new Map<string, Clauses>();
  for (const [name, { after, modes, region }] of Object.entries(profile.detectors)) {
    const clauses: Switch[][] = [];
    if (after !== undefined) clauses.push([after].flat().map(activationSwitch));
    for (const names of [modes, region === undefined ? undefined : profile.regions[region]?.modes])
      if (names !== undefined) clauses.push(names.map((mode) => modeSwitch(profile.modes![mode]!)));
    own.set(name, clauses);
  }
  const all = new Map<string, Clauses>();
  for (const name of own.keys()) {
    const needed = sameSample(profile, name);
    const clauses = needed.flatMap((one) => own.get(one)!);
    // A region that stays where something was found may have to wait for what came before, too.
    if (clauses.length > 0 || needed.some((one) => holdOf(profile, one) !== undefined)) all.set(name, clauses);
  }
  return all;
}

/** The seconds for which a detector's region stays where something was found last; undefined: not at all. */
export function holdOf({ detectors, regions }: Profile, name: string): number | undefined {
  const { region } = detectors[name]!;
  return region === undefined ? undefined : regions[region]?.relative?.hold;
}

/** A detector and all whose readings it needs in the same sample. */
export function sameSample({ detectors, regions }: Profile, name: string): readonly string[] {
  const found = new Set([name]);
  for (const one of found) {
    const { when, region } = detectors[one]!;
    if (when) found.add(when.detector);
    const followed = region === undefined ? undefined : regions[region]?.relative?.detector;
    if (followed !== undefined) found.add(followed);
  }
  return [...found];
}

function activationSwitch(activation: Activation): Switch {
  const { until, for: seconds } = activation;
  const on = compileCondition(activation);
  const end = until === undefined ? undefined : compileCondition(until);
  const lapses = until === undefined && seconds === undefined;
  return {
    sources: [...new Set([activation.detector, ...(until ? [until.detector] : [])])],
    initially: false,
    seconds: seconds ?? Number.POSITIVE_INFINITY,
    on: (cue) => on(cue) !== undefined,
    off: (cue) => (lapses ? cue.detector === activation.detector && on(cue) === undefined : end?.(cue) !== undefined),
  };
}

function modeSwitch({ detector, value, seen = true, keeps }: ModeSpec): Switch {
  const fits = compileValue(value);
  const holds = (cue: Cue): boolean => cue.trigger !== 'lost' && cue.value !== undefined && fits(cue.value);
  const is = (cue: Cue, wanted: boolean): boolean => cue.detector === detector && holds(cue) === wanted;
  return {
    sources: [detector],
    initially: !seen,
    seconds: Number.POSITIVE_INFINITY,
    on: (cue) => is(cue, seen),
    off: (cue) => is(cue, !seen) && !(keeps && cue.trigger === 'lost'),
  };
}

interface Switched {
  readonly spec: Switch;
  expires: number;
  since: number;
}

function initial(spec: Switch): Switched {
  return {
    spec,
    since: Number.NEGATIVE_INFINITY,
    expires: spec.initially ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY,
  };
}

/** Whether a detector is active, followed through time. */
export class ActivationState {
  readonly #clauses: readonly (readonly Switched[])[];
  active: boolean;

  private constructor(clauses: readonly (readonly Switched[])[]) {
    this.#clauses = clauses;
    this.active = this.activeAt(Number.NEGATIVE_INFINITY);
  }

  static of(clauses: Clauses): ActivationState {
    return new ActivationState(clauses.map((switches) => switches.map(initial)));
  }

  /** A copy that goes its own way. */
  copy(): ActivationState {
    return new ActivationState(this.#clauses.map((switches) => switches.map((one) => ({ ...one }))));
  }

  /** The earliest time after `t` at which a switch goes off by itself. */
  nextExpiry(t: number): number {
    const times = this.#clauses.flat().map(({ expires }) => expires);
    return Math.min(...times.filter((time) => time > t));
  }

  /** Takes all cues of the time `t` (perhaps none) and brings `active` up to it. What switches off comes before what switches on. */
  advance(t: number, cues: readonly Cue[]): void {
    for (const one of this.#clauses.flat()) {
      if (cues.some((cue) => one.spec.off(cue)) && one.since < t) one.expires = Math.min(one.expires, t);
      if (!cues.some((cue) => one.spec.on(cue))) continue;
      one.since = t;
      one.expires = roundTime(t + one.spec.seconds);
    }
    this.active = this.activeAt(t);
  }

  /** Whether it is on at `t`, if no cue comes before. */
  activeAt(t: number): boolean {
    return this.#clauses.every((switches) => switches.some(({ expires }) => t < expires));
  }
}
