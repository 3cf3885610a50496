import { minConfidenceOf } from '../../cues/tracker.ts';
import type { Observation } from '../../detectors/kind.ts';
import { findGroup, type PacketIndex } from '../../media/packets/packet-index.ts';
import type { Picture } from '../../media/picture.ts';
import { DEFAULT_INTERVAL_SECONDS } from '../../profile/defaults.ts';
import { type CompiledProfile, readsFramesOf } from '../compile-profile.ts';
import type { Observations, ReadingsBuilder } from './chunk-readings.ts';
import type { ChunkSamples } from './plan.ts';
import type { SampleReader } from './sample-reader.ts';

/** When two readings of a detector that agree prove what lies between them. */
export interface PersistenceRule {
  /** Seconds for which a changed reading does not come back: readings further apart prove nothing. */
  readonly persists: number;
  /** The confidence that a reading needs to count. */
  readonly confidence: number;
}

/** Compiles the rule of every detector. Detectors that do not read frames of the recording have nothing to prove. */
export function persistenceRules({ detectors }: CompiledProfile, media?: string): PersistenceRule[] {
  return detectors.map((one) => ({
    persists: readsFramesOf(one, media) ? (one.spec.persists ?? one.interval) : Number.POSITIVE_INFINITY,
    // Kinds with a tracker of their own judge confidence by other rules.
    confidence: one.kind.track ? 0 : minConfidenceOf(one.spec),
  }));
}

/** Whether two readings of a detector say the same for certain. Unreadable ones prove nothing. */
export function agree(a: Observation | undefined, b: Observation | undefined, confidence: number): boolean {
  // Not read, as another screen was shown.
  if (!a || !b) return a === b;
  if (a.state === 'unreadable' || a.state !== b.state) return false;
  if (Math.min(a.confidence, b.confidence) < confidence) return false;
  return a.state !== 'seen' || b.state !== 'seen' || a.value === b.value;
}

/** Which samples need not be read where those around them agree. */
export interface InterpolationRules {
  readonly persistence: readonly PersistenceRule[];
  /** By detector: 1 where it is sampled more often than the profile as a whole. */
  readonly isFrequent: Uint8Array;
}

/**
 * Compiles when the full plan need not read a sample: of detectors that are sampled more often than the profile as a whole and
 * whose readings persist, those between two samples that agree. Undefined where there are none, or where detectors are
 * activated or placed by others, which needs every sample.
 */
export function interpolationRules(game: CompiledProfile, media?: string): InterpolationRules | undefined {
  const { profile, activations, detectors } = game;
  if (activations.size > 0 || Object.values(profile.regions).some((region) => region.relative)) return undefined;
  const usual = profile.sampling?.interval ?? DEFAULT_INTERVAL_SECONDS;
  const isFrequent = Uint8Array.from(detectors, ({ kind, spec, interval }) => {
    const isPlain = kind.input === 'frame' && !kind.track;
    return isPlain && spec.persists !== undefined && interval < usual ? 1 : 0;
  });
  return isFrequent.includes(1) ? { persistence: persistenceRules(game, media), isFrequent } : undefined;
}

/** Which detectors read a sample, by number, and its group of pictures. */
interface DueSample {
  readonly due: Uint8Array;
  readonly group: number;
}

/** A sample that was read. */
export interface SampleReading extends DueSample {
  /** Seconds. */
  readonly t: number;
  readonly seen: Observations;
}

/** Whether what a sample shows may be proven by those around it: only frequent detectors are due, all of them before as well. */
export function isProvable(sample: DueSample, before: SampleReading, { isFrequent }: InterpolationRules): boolean {
  return isWithin(sample.due, isFrequent) && isWithin(sample.due, before.due) && sample.group === before.group;
}

/**
 * What a provable sample shows: if the samples before and after it agree on all detectors that are due and are no further apart
 * than they persist, it shows the same. All three lie in one group of pictures, so it does not matter where the recording is cut
 * into chunks. Undefined where it is not proven.
 *
 * @param select What is read of a sample for which only some detectors are due.
 */
export function interpolate(
  { due, group }: DueSample,
  before: SampleReading,
  after: SampleReading,
  { persistence }: InterpolationRules,
  select: SampleReader['select'],
): Observations | undefined {
  if (!isWithin(due, after.due) || group !== after.group) return undefined;
  const [one, other] = [select(before.seen, due), select(after.seen, due)];
  const agrees = one.every((seen, d) => {
    const { persists, confidence } = persistence[d]!;
    return (!seen && !other[d]) || (after.t - before.t <= persists && agree(seen, other[d], confidence));
  });
  return agrees ? one : undefined;
}

/** Holds back a sample that those around it may prove: where they do not, it is read. */
export class SampleInterpolator implements Disposable {
  readonly #rules: InterpolationRules;
  readonly #reader: Pick<SampleReader, 'read' | 'select'>;
  readonly #index: PacketIndex;
  readonly #samples: ChunkSamples;
  readonly #builder: ReadingsBuilder;
  #last: SampleReading | undefined;
  #held: (DueSample & { readonly picture: Picture }) | undefined;

  constructor(
    rules: InterpolationRules,
    reader: Pick<SampleReader, 'read' | 'select'>,
    { index, samples }: { readonly index: PacketIndex; readonly samples: ChunkSamples },
    builder: ReadingsBuilder,
  ) {
    this.#rules = rules;
    this.#reader = reader;
    this.#index = index;
    this.#samples = samples;
    this.#builder = builder;
  }

  /** Holds a picture back if the next may show what it holds; it is then disposed of here. */
  hold(picture: Picture, sample: number): boolean {
    const held = this.#describe(sample);
    if (this.#held || !this.#last || !isProvable(held, this.#last, this.#rules)) return false;
    this.#held = { picture, ...held };
    return true;
  }

  /** Adds the sample that was held back; `after` is the next one, as it was read. */
  async release(after?: { readonly t: number; readonly sample: number; readonly seen: Observations }): Promise<void> {
    const held = this.#held;
    const before = this.#last;
    this.#last = after && { t: after.t, seen: after.seen, ...this.#describe(after.sample) };
    if (!held) return;
    this.#held = undefined;
    using picture = held.picture;
    const select: SampleReader['select'] = (seen, due) => this.#reader.select(seen, due);
    const proven = this.#last && before && interpolate(held, before, this.#last, this.#rules, select);
    this.#builder.add(picture.t, proven ?? (await this.#reader.read(picture, held.due)));
  }

  #describe(sample: number): DueSample {
    const { due, frames } = this.#samples;
    return { due: due[sample]!, group: findGroup(this.#index, frames[sample]!) };
  }

  [Symbol.dispose](): void {
    this.#held?.picture[Symbol.dispose]();
    this.#held = undefined;
  }
}

/** Whether all that `due` marks is marked by `others`. */
function isWithin(due: Uint8Array, others: Uint8Array): boolean {
  return due.every((one, d) => one === 0 || others[d] === 1);
}
