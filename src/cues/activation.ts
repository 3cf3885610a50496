import type { Activation, CueCondition, ModeSpec, Profile } from '../profile/profile.ts';
import { roundTime } from '../time.ts';
import { compileCondition, compileValue } from './condition.ts';
import type { Cue } from './cue.ts';

/** Something that cues switch on and off. Before any cue it is off, unless `initially` says otherwise. */
export type Switch = ModeSwitch | TriggerSwitch;

interface SwitchBase {
  /** The detectors and sequences whose cues it depends on. */
  readonly sources: readonly string[];
  readonly initially: boolean;
  on(cue: Cue): boolean;
  off(cue: Cue): boolean;
  /** For how long a cue switches it on. */
  readonly seconds: number;
}

/** On while what a detector reads last is (or is not) a certain value. */
export interface ModeSwitch extends SwitchBase {
  readonly mode: ModeSpec;
}

/** Switched on by cues (`after`). */
export interface TriggerSwitch extends SwitchBase {
  readonly trigger: CueCondition;
  /** Off as soon as its source makes another cue. */
  readonly lapses: boolean;
}

/** A detector is active while at least one switch of every clause is on. */
export type Clauses = readonly (readonly Switch[])[];

/**
 * Compiles what activates detectors: their own `after` and `modes`, the modes of their region, and those of every detector
 * whose reading of the same sample they need. Detectors that are always active have no entry.
 */
export function compileActivations(profile: Profile): ReadonlyMap<string, Clauses> {
  const own = new Map<string, Clauses>();
  for (const [name, { after, modes, region }] of Object.entries(profile.detectors)) {
    const clauses: Switch[][] = [];
    if (after !== undefined) clauses.push([after].flat().map(compileTrigger));
    for (const names of [modes, region === undefined ? undefined : profile.regions[region]?.modes])
      if (names !== undefined) clauses.push(names.map((mode) => compileMode(profile.modes![mode]!)));
    own.set(name, clauses);
  }
  const all = new Map<string, Clauses>();
  for (const name of own.keys()) {
    const clauses = findSameSampleDetectors(profile, name).flatMap((one) => own.get(one)!);
    if (clauses.length > 0) all.set(name, clauses);
  }
  return all;
}

/** The seconds for which a detector's region stays where something was last found; undefined: not at all. */
export function holdSecondsOf({ detectors, regions }: Profile, name: string): number | undefined {
  const { region } = detectors[name]!;
  return region === undefined ? undefined : regions[region]?.relative?.hold;
}

/** A detector and all detectors whose readings of the same sample it needs (`when`, or its region follows them). */
export function findSameSampleDetectors({ detectors, regions }: Profile, name: string): readonly string[] {
  const found = new Set([name]);
  for (const one of found) {
    const { when, region } = detectors[one]!;
    if (when) found.add(when.detector);
    const followed = region === undefined ? undefined : regions[region]?.relative?.detector;
    if (followed !== undefined) found.add(followed);
  }
  return [...found];
}

function compileTrigger(activation: Activation): TriggerSwitch {
  const { until, for: seconds, ...trigger } = activation;
  const on = compileCondition(activation);
  const end = until === undefined ? undefined : compileCondition(until);
  const lapses = until === undefined && seconds === undefined;
  return {
    trigger,
    lapses,
    sources: [...new Set([activation.detector, ...(until ? [until.detector] : [])])],
    initially: false,
    seconds: seconds ?? Number.POSITIVE_INFINITY,
    on: (cue) => on(cue) !== undefined,
    off: (cue) => (lapses ? cue.detector === activation.detector && on(cue) === undefined : end?.(cue) !== undefined),
  };
}

function compileMode(mode: ModeSpec): ModeSwitch {
  const { detector, value, seen = true, keeps } = mode;
  const fits = compileValue(value);
  const holds = (cue: Cue): boolean => cue.trigger !== 'lost' && cue.value !== undefined && fits(cue.value);
  const is = (cue: Cue, wanted: boolean): boolean => cue.detector === detector && holds(cue) === wanted;
  return {
    mode,
    sources: [detector],
    initially: !seen,
    seconds: Number.POSITIVE_INFINITY,
    on: (cue) => is(cue, seen),
    off: (cue) => is(cue, !seen) && !(keeps && cue.trigger === 'lost'),
  };
}

interface SwitchState {
  readonly spec: Switch;
  expires: number;
  since: number;
}

/** Follows whether a detector is active through time. */
export class ActivationState {
  readonly #clauses: readonly (readonly SwitchState[])[];
  active: boolean;

  constructor(clauses: Clauses) {
    this.#clauses = clauses.map((switches) =>
      switches.map((spec) => ({
        spec,
        since: Number.NEGATIVE_INFINITY,
        expires: spec.initially ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY,
      })),
    );
    this.active = this.#activeAt(Number.NEGATIVE_INFINITY);
  }

  /** The earliest time after `t` at which a switch expires. */
  nextExpiry(t: number): number {
    const times = this.#clauses.flat().map(({ expires }) => expires);
    return Math.min(...times.filter((time) => time > t));
  }

  /** Takes all cues of the time `t` (perhaps none) and updates `active`. Switching off precedes switching on. */
  advance(t: number, cues: readonly Cue[]): void {
    for (const one of this.#clauses.flat()) {
      if (cues.some((cue) => one.spec.off(cue)) && one.since < t) one.expires = Math.min(one.expires, t);
      if (!cues.some((cue) => one.spec.on(cue))) continue;
      one.since = t;
      one.expires = roundTime(t + one.spec.seconds);
    }
    this.active = this.#activeAt(t);
  }

  #activeAt(t: number): boolean {
    return this.#clauses.every((switches) => switches.some(({ expires }) => t < expires));
  }
}
