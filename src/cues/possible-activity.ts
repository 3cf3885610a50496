import type { CueCondition, CueSequence, DetectorSpec, Profile } from '../profile/profile.ts';
import { roundTime } from '../time.ts';
import type { Clauses, ModeSwitch, Switch, TriggerSwitch } from './activation.ts';
import { compileCondition, compileValue } from './condition.ts';
import type { Cue } from './cue.ts';
import { type plausibility, plausibilityOf } from './plausible.ts';
import type { Observation } from './reading.ts';
import {
  type Content,
  countMissingSamples,
  isSameContent,
  minConfidenceOf,
  readContent,
  STABILITY_DEFAULTS,
} from './tracker.ts';

/** What bounding the activity of a profile's detectors requires. Detectors are numbered in the order of the profile. */
export interface ActivityRules {
  readonly profile: Pick<Profile, 'detectors' | 'sequences'>;
  readonly activations: ReadonlyMap<string, Clauses>;
  /**
   * How a detector's readings lead to cues: by the `default` tracker; by one of its kind (`own`), whose cues may differ from the
   * readings; or `unread`: this reader does not make its readings.
   */
  readonly tracking: (detector: string) => 'default' | 'own' | 'own-pairs' | 'unread';
  /** Seconds between samples; 0 where frames are counted. */
  readonly interval: (detector: string) => number;
}

/**
 * Decides which detectors may be active in a sample, from the readings of a stretch of samples alone.
 *
 * Whether a detector is active follows from all cues before, which a reader that begins in the middle of a recording does not
 * know. This gives an upper bound: a reading that may lead to an activating cue activates at once, and only a cue that is
 * certain, whatever came before the stretch, deactivates. So a detector that is active is always read, and what is read
 * needlessly is dropped by `CueStream`, which decides.
 *
 * Why every active detector is possible in every sample:
 * 1. At the start of a stretch every switch may be on; at the start of the recording it has its initial state.
 * 2. A cue's time is that of the first reading of its run. A reading that may begin an activating cue turns the bound on at its
 *    own sample.
 * 3. Only evidence that holds after any history turns it off: a run so long that the tracker must have accepted it, a cue between
 *    two such runs, or the end of a `for`. Sequences, sound, records and kinds with their own tracker never turn it off.
 * 4. The sources of a bound are read whenever they are active, so by induction over the samples no activating cue is missed.
 *
 * Readings are pure functions of their sample. Hence every reading that `CueStream` uses is there, and the same, for any chunking
 * and any number of workers.
 */
export class PossibleActivity {
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #bounds = new Map<Switch, SwitchBound>();
  /** By number of the detector; undefined: always active. */
  readonly #clauses: readonly (readonly (readonly SwitchBound[])[] | undefined)[];
  readonly #sources = new Map<number, Source>();
  readonly #rules: ActivityRules;

  constructor(rules: ActivityRules) {
    this.#rules = rules;
    const names = Object.keys(rules.profile.detectors);
    this.#numbers = new Map(names.map((name, number) => [name, number]));
    this.#clauses = names.map((name) =>
      rules.activations.get(name)?.map((switches) => switches.map((one) => this.#boundOf(one))),
    );
  }

  /** The detectors whose readings of the same sample decide whether one is read. */
  sourcesOf(detector: number): readonly number[] {
    const bounds = this.#clauses[detector]?.flat() ?? [];
    return [...new Set(bounds.flatMap(({ inputs }) => inputs))];
  }

  /** A stretch of samples begins at `t` seconds; `isStart`: nothing of the recording was read before. */
  begin(t: number, isStart: boolean): void {
    for (const source of this.#sources.values()) source.begin(isStart);
    for (const bound of this.#bounds.values()) bound.begin(t, isStart);
  }

  /** Takes a reading of the sample at `t`; `inactive`: the detector is due but certainly inactive. Samples ascend in time. */
  observe(detector: number, t: number, observation: Observation | 'inactive'): void {
    this.#sources.get(detector)?.observe(t, observation);
  }

  /** Whether a detector may be active in the sample at `t`, of which its sources have been observed. */
  isPossible(detector: number, t: number): boolean {
    return this.#clauses[detector]?.every((bounds) => bounds.some((bound) => bound.isPossible(t))) ?? true;
  }

  #boundOf(spec: Switch): SwitchBound {
    let bound = this.#bounds.get(spec);
    if (bound) return bound;
    bound = 'mode' in spec ? new ModeBound(spec) : new TriggerBound(spec);
    this.#bounds.set(spec, bound);
    const activator = 'mode' in spec ? { detector: spec.mode.detector } : spec.trigger;
    const last = lastStep(activator, this.#rules.profile.sequences ?? {});
    const isDirect = last === activator;
    this.#connect(bound, last.detector, isDirect, true);
    for (const source of spec.sources)
      if (source !== activator.detector) this.#connect(bound, source, this.#numbers.has(source), false);
    return bound;
  }

  #connect(bound: SwitchBound, name: string, isDirect: boolean, activates: boolean): void {
    const number = this.#numbers.get(name);
    const tracking = number === undefined ? 'unread' : this.#rules.tracking(name);
    if (number === undefined || tracking === 'unread') {
      if (activates) bound.isAlwaysPossible = true;
      return;
    }
    // A deactivating sequence is never certain.
    if (!activates && !isDirect) return;
    let source = this.#sources.get(number);
    if (!source) {
      const isSwitched = this.#rules.activations.has(name);
      source = new Source(name, this.#rules.profile.detectors[name]!, this.#rules.interval(name), tracking, isSwitched);
      this.#sources.set(number, source);
    }
    source.listeners.push({ bound, isDirect, activates });
    if (!bound.inputs.includes(number)) bound.inputs.push(number);
  }
}

/** The condition that a cue of a sequence fulfils at its own time: that of its last step. */
function lastStep(condition: CueCondition, sequences: Readonly<Record<string, CueSequence>>): CueCondition {
  const last = sequences[condition.detector]?.steps.at(-1);
  return last ? lastStep(last, sequences) : condition;
}

/** What a source's reading says, whatever was read before the stretch. */
interface Evidence {
  readonly t: number;
  /** A value or absence that the reading may lead to a cue about. */
  readonly candidate: Content | undefined;
  /** Any `found` or `changed` cue, or any `lost` cue, may begin here. */
  readonly anyFound: boolean;
  readonly anyLost: boolean;
  /** A cue that is certain. */
  readonly cue: Cue | undefined;
  /** What the source's tracker has certainly accepted, and since when. */
  readonly accepted: { readonly content: Content; readonly since: number } | undefined;
}

interface Listener {
  readonly bound: SwitchBound;
  /** Otherwise the source is the last step of a sequence. */
  readonly isDirect: boolean;
  readonly activates: boolean;
}

interface Run {
  readonly content: Content;
  readonly since: number;
  count: number;
  gap: number;
}

/** Derives evidence from the readings of one detector that activates or deactivates others. */
class Source {
  readonly listeners: Listener[] = [];
  readonly #name: string;
  readonly #interval: number;
  readonly #tracking: 'default' | 'own' | 'own-pairs';
  readonly #isSwitched: boolean;
  readonly #threshold: number;
  /** The confidence from which a reading may count, as `plausible.expected` lowers the threshold. */
  readonly #lowest: number;
  readonly #gaps: number;
  readonly #needed: { readonly seen: number; readonly lost: number };
  /** Whether a run that is accepted here is accepted at the same sample after any history. */
  readonly #isExact: boolean;
  readonly #judge: ReturnType<typeof plausibility>;
  #run: Run | undefined;
  #accepted: { readonly content: Content; readonly since: number } | undefined;
  #last: number | undefined;
  #wasInactive = false;

  constructor(
    name: string,
    { stability, plausible, ...spec }: DetectorSpec,
    interval: number,
    tracking: 'default' | 'own' | 'own-pairs',
    isSwitched: boolean,
  ) {
    this.#name = name;
    this.#interval = interval;
    this.#tracking = tracking;
    this.#isSwitched = isSwitched;
    this.#threshold = minConfidenceOf({ ...spec, ...(stability ? { stability } : {}) });
    this.#lowest = Math.min(this.#threshold, plausible?.expected?.confidence ?? this.#threshold);
    this.#gaps = stability?.gaps ?? STABILITY_DEFAULTS.gaps;
    this.#judge = plausibilityOf({ ...spec, ...(plausible ? { plausible } : {}) });
    const samples = stability?.samples ?? STABILITY_DEFAULTS.samples;
    const hasSteps = plausible?.rise !== undefined || plausible?.fall !== undefined;
    // An implausible step is accepted after more samples.
    const seen = hasSteps ? Math.max(samples, plausible.unless ?? STABILITY_DEFAULTS.unless) : samples;
    this.#needed = { seen, lost: stability?.lost ?? samples };
    this.#isExact = !hasSteps && plausible?.expected === undefined;
  }

  begin(isStart: boolean): void {
    this.#run = undefined;
    this.#last = undefined;
    this.#wasInactive = false;
    this.#accepted = isStart ? { content: { seen: false }, since: Number.NEGATIVE_INFINITY } : undefined;
  }

  observe(t: number, observation: Observation | 'inactive'): void {
    const evidence = this.#evidence(t, observation);
    if (!evidence) return;
    const { candidate, anyFound, anyLost } = evidence;
    // Any cue of its last step may complete a sequence.
    const mayCue = candidate !== undefined || anyFound || anyLost;
    const indirect = {
      t,
      candidate: undefined,
      anyFound: mayCue,
      anyLost: mayCue,
      cue: undefined,
      accepted: undefined,
    };
    for (const { bound, isDirect, activates } of this.listeners) bound.take(isDirect ? evidence : indirect, activates);
  }

  #evidence(t: number, observation: Observation | 'inactive'): Evidence | undefined {
    const nothing = { t, candidate: undefined, cue: undefined, accepted: undefined };
    if (observation === 'inactive') {
      // Deactivation may just have made a `lost` cue; after that nothing is accepted.
      const first = !this.#wasInactive;
      this.#wasInactive = true;
      if (first) return { ...nothing, anyFound: true, anyLost: true };
      const isReset = this.#tracking === 'default';
      const accepted = isReset ? { content: { seen: false } as const, since: t } : undefined;
      return { ...nothing, anyFound: false, anyLost: !isReset, accepted };
    }
    this.#wasInactive = false;
    // Which of the readings count, and from where, is not certain.
    if (this.#isSwitched || this.#tracking === 'own-pairs') return { ...nothing, anyFound: true, anyLost: true };
    if (this.#tracking === 'own') return { ...nothing, anyFound: observation.state !== 'absent', anyLost: true };
    return this.#track(t, observation);
  }

  /** Follows the default tracker (see `createTracker`) from an unknown state. */
  #track(t: number, observation: Observation): Evidence | undefined {
    if (this.#last !== undefined) this.#age(countMissingSamples(t - this.#last, this.#interval));
    this.#last = t;
    const content = readContent(observation, this.#lowest);
    if (!content || this.#judge(content.seen ? content.value : undefined, undefined) === 'impossible') {
      this.#age(1);
      return undefined;
    }
    const isKnown = this.#accepted !== undefined && isSameContent(content, this.#accepted.content);
    // After another history this reading may already be accepted.
    if (!isKnown && !this.#isExact) this.#accepted = undefined;
    const run = this.#run && isSameContent(content, this.#run.content) ? this.#run : undefined;
    this.#run = run ?? { content, since: t, count: 0, gap: 0 };
    if (observation.confidence < this.#threshold) this.#age(1);
    else {
      this.#run.count++;
      this.#run.gap = 0;
    }
    const before = this.#accepted;
    let cue: Cue | undefined;
    if (this.#run && this.#run.count >= (content.seen ? this.#needed.seen : this.#needed.lost) && !isKnown) {
      this.#accepted = { content, since: this.#run.since };
      cue = before && this.#isExact ? cueBetween(this.#name, this.#run.since, before.content, content) : undefined;
    }
    const candidate = isKnown ? undefined : content;
    const accepted = this.#accepted && isSameContent(content, this.#accepted.content) ? this.#accepted : undefined;
    return { t, candidate, anyFound: false, anyLost: false, cue, accepted };
  }

  #age(count: number): void {
    if (!this.#run) return;
    this.#run.gap += count;
    if (this.#run.gap > this.#gaps) this.#run = undefined;
  }
}

function cueBetween(detector: string, t: number, before: Content, after: Content): Cue {
  return {
    t,
    detector,
    trigger: after.seen ? (before.seen ? 'changed' : 'found') : 'lost',
    confidence: 1,
    ...(after.seen ? { value: after.value } : {}),
    ...(before.seen ? { previous: before.value } : {}),
  };
}

/** Whether a switch may be on. */
interface SwitchBound {
  /** Numbers of the detectors whose readings it depends on. */
  readonly inputs: number[];
  isAlwaysPossible: boolean;
  begin(t: number, isStart: boolean): void;
  take(evidence: Evidence, activates: boolean): void;
  isPossible(t: number): boolean;
}

class ModeBound implements SwitchBound {
  readonly inputs: number[] = [];
  isAlwaysPossible = false;
  readonly #spec: ModeSwitch;
  readonly #fits: (content: Content) => boolean;
  #isOn = true;

  constructor(spec: ModeSwitch) {
    this.#spec = spec;
    const fits = compileValue(spec.mode.value);
    this.#fits = (content) => content.seen && fits(content.value);
  }

  begin(_: number, isStart: boolean): void {
    this.#isOn = isStart ? this.#spec.initially : true;
  }

  take({ candidate, anyFound, anyLost, accepted }: Evidence): void {
    const { seen = true, keeps } = this.#spec.mode;
    if (anyFound || anyLost || (candidate && this.#fits(candidate) === seen)) this.#isOn = true;
    else if (accepted && this.#fits(accepted.content) !== seen && (accepted.content.seen || !keeps)) this.#isOn = false;
  }

  isPossible(): boolean {
    return this.isAlwaysPossible || this.#isOn;
  }
}

class TriggerBound implements SwitchBound {
  readonly inputs: number[] = [];
  isAlwaysPossible = false;
  readonly #spec: TriggerSwitch;
  readonly #mayTrigger: (content: Content) => boolean;
  #expires = Number.POSITIVE_INFINITY;
  /** The last time at which an activating cue may lie. */
  #since = Number.NEGATIVE_INFINITY;

  constructor(spec: TriggerSwitch) {
    this.#spec = spec;
    const { detector, trigger, match } = spec.trigger;
    const test = compileCondition({ detector, ...(match === undefined ? {} : { match }) });
    this.#mayTrigger = (content) =>
      trigger === 'lost'
        ? !content.seen
        : content.seen && test({ t: 0, detector, trigger: 'found', value: content.value, confidence: 1 }) !== undefined;
  }

  begin(t: number, isStart: boolean): void {
    this.#expires = isStart ? Number.NEGATIVE_INFINITY : roundTime(t + this.#spec.seconds);
    this.#since = Number.NEGATIVE_INFINITY;
  }

  take({ t, candidate, anyFound, anyLost, cue, accepted }: Evidence, activates: boolean): void {
    const { trigger, lapses, seconds } = this.#spec;
    if (activates) {
      const isAny = trigger.trigger === 'lost' ? anyLost : anyFound;
      if (isAny || (candidate && this.#mayTrigger(candidate))) {
        this.#since = t;
        this.#expires = Math.max(this.#expires, roundTime(t + seconds));
      } else if (lapses && accepted && !this.#mayTrigger(accepted.content) && this.#since < accepted.since)
        this.#expires = Math.min(this.#expires, t);
    }
    if (cue && this.#spec.off(cue) && this.#since < cue.t) this.#expires = Math.min(this.#expires, cue.t);
  }

  isPossible(t: number): boolean {
    return this.isAlwaysPossible || t < this.#expires;
  }
}
