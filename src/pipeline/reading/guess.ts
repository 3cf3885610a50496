import { compileCondition, compileValue } from '../../cues/condition.ts';
import type { Activation, CueCondition, ModeSpec, Profile } from '../../profile/profile.ts';
import { sameSample } from '../../cues/activation.ts';
import type { Observation } from '../../cues/reading.ts';
import type { Cue } from '../../cues/cue.ts';

/** What raw readings of a detector say about a condition: like such a cue, unlike it, or nothing. */
type Likeness = (observation: Observation) => boolean | undefined;

interface RawSwitch {
  readonly source: number;
  readonly like: Likeness;
  readonly seconds: number;
  /** Off as soon as the source reads something else. */
  readonly lapses: boolean;
  readonly until: { readonly source: number; readonly like: Likeness } | undefined;
  before: Observation | undefined;
  expires: number;
}

/**
 * Guesses, while a chunk is read, which detectors are switched on: from raw readings, so before anyone knows which cues they
 * make. It only saves work. Behind the workers what was read needlessly is dropped, and what is missing is read after all.
 */
export class Guess {
  readonly #clauses: readonly (readonly (readonly RawSwitch[])[])[];

  /** `loose`: detectors whose cues' values differ from their readings', as those of feeds: any reading may be such a cue. */
  constructor(profile: Profile, loose: ReadonlySet<string>) {
    const names = Object.keys(profile.detectors);
    const context = { profile, names, loose };
    const own = names.map((name) => clausesOf(context, name));
    this.#clauses = names.map((name) => sameSample(profile, name).flatMap((one) => own[names.indexOf(one)]!));
  }

  /** The detectors on whose readings the guess about one rests. */
  sources(detector: number): readonly number[] {
    return this.#clauses[detector]!.flat().map(({ source }) => source);
  }

  /** A stretch begins: nothing is known of what came before. */
  begin(): void {
    for (const one of this.#clauses.flat(2)) {
      one.before = undefined;
      one.expires = Number.NEGATIVE_INFINITY;
    }
  }

  /** Whether a detector seems to be on in the sample at `t`, of which its sources have been read. Samples in order of time. */
  isOn(detector: number, t: number, seen: readonly (Observation | undefined)[]): boolean {
    let on = true;
    for (const switches of this.#clauses[detector]!) {
      let any = false;
      for (const one of switches) any = look(one, t, seen) || any;
      on &&= any;
    }
    return on;
  }
}

function look(one: RawSwitch, t: number, seen: readonly (Observation | undefined)[]): boolean {
  const { until } = one;
  const ended = until && seen[until.source];
  if (ended && until.like(ended) === true) one.expires = Math.min(one.expires, t);
  const now = seen[one.source];
  const { before } = one;
  // The same reading again says nothing new.
  const like = now && now !== before ? one.like(now) : undefined;
  if (now && like !== undefined) {
    const known = before ? one.like(before) === true && valueOf(before) === valueOf(now) : !one.lapses;
    if (like && !known) one.expires = t + one.seconds;
    if (!like && one.lapses) one.expires = t;
    one.before = now;
  }
  return t < one.expires;
}

function valueOf(observation: Observation): unknown {
  return observation.state === 'seen' ? observation.value : undefined;
}

interface Context {
  readonly profile: Profile;
  readonly names: readonly string[];
  readonly loose: ReadonlySet<string>;
}

function clausesOf(context: Context, name: string): readonly (readonly RawSwitch[])[] {
  const { profile, names } = context;
  const { after, modes, region } = profile.detectors[name]!;
  const clauses: RawSwitch[][] = [];
  if (after) clauses.push([after].flat().map((one) => activation(context, one)));
  for (const list of [modes, region === undefined ? undefined : profile.regions[region]?.modes])
    if (list) clauses.push(list.map((mode) => modeOf(names, profile.modes![mode]!)));
  return clauses;
}

const UNKNOWN = { before: undefined, expires: Number.NEGATIVE_INFINITY };

function activation(context: Context, { until, for: seconds, ...on }: Activation): RawSwitch {
  return {
    ...conditionOf(context, on),
    seconds: seconds ?? Number.POSITIVE_INFINITY,
    lapses: until === undefined && seconds === undefined,
    until: until && conditionOf(context, until),
    ...UNKNOWN,
  };
}

/** What a sequence's cue needs at its own time is its last step. */
function conditionOf(context: Context, condition: CueCondition): Pick<RawSwitch, 'source' | 'like'> {
  const { profile, names, loose } = context;
  const last = profile.sequences?.[condition.detector]?.steps.at(-1);
  if (last) return conditionOf(context, last);
  const { detector, trigger, match } = condition;
  const matched = match === undefined || loose.has(detector) ? {} : { match };
  const test = compileCondition({ detector, ...matched });
  const like: Likeness = (observation) => {
    if (observation.state === 'unreadable') return undefined;
    if (trigger === 'lost') return observation.state === 'absent';
    if (observation.state === 'absent') return false;
    const { value, confidence } = observation;
    const cue: Cue = { t: 0, detector, trigger: 'found', value, confidence };
    return test(cue) !== undefined;
  };
  return { source: names.indexOf(detector), like };
}

function modeOf(names: readonly string[], { detector, value, seen = true, keeps }: ModeSpec): RawSwitch {
  const fits = compileValue(value);
  const like: Likeness = (observation) => {
    if (observation.state === 'unreadable' || (keeps && observation.state === 'absent')) return undefined;
    return (observation.state === 'seen' && fits(observation.value)) === seen;
  };
  return {
    source: names.indexOf(detector),
    like,
    seconds: Number.POSITIVE_INFINITY,
    lapses: true,
    until: undefined,
    ...UNKNOWN,
  };
}
