import { findGroup, type PacketIndex } from '../../media/packets/packet-index.ts';
import type { Picture } from '../../media/picture.ts';
import type { Observations, ReadingsBuilder } from './chunk-readings.ts';
import { agree, type ProbeRule } from './probe.ts';
import type { SampleReader } from './sample-reader.ts';

/** Which samples need not be read where those around them agree. */
export interface BetweenRules {
  /** One a detector. */
  readonly probes: readonly ProbeRule[];
  /** One a detector: 1 where it is sampled more often than the profile as a whole. */
  readonly often: Uint8Array;
}

/** What is read with, and the samples: frame numbers, and which detectors are due. */
interface Context {
  readonly index: PacketIndex;
  readonly reader: Pick<SampleReader, 'read' | 'recall'>;
  readonly between?: BetweenRules | undefined;
}

interface Samples {
  readonly frames: readonly number[];
  readonly due: readonly Uint8Array[];
}

/** A sample that was read. */
interface ReadSample {
  readonly t: number;
  readonly sample: number;
  readonly seen: Observations;
}

/**
 * Lets a sample wait that only those detectors want that are sampled more often than the others: if the samples before and after
 * it show the same to all of them, and are no further apart than that persists, it shows that too, as between two probes of the
 * adaptive plan; else it is read. Both lie in its own group of pictures, so that the cutting into chunks cannot matter.
 */
export class Between implements Disposable {
  readonly #context: Context;
  readonly #plan: Samples;
  readonly #builder: ReadingsBuilder;
  #last: ReadSample | undefined;
  #held: { readonly picture: Picture; readonly sample: number } | undefined;

  constructor(context: Context, plan: Samples, builder: ReadingsBuilder) {
    this.#context = context;
    this.#plan = plan;
    this.#builder = builder;
  }

  /** Keeps a picture back if the next may tell what it shows; it is then disposed of here. */
  hold(picture: Picture, sample: number): boolean {
    const { between } = this.#context;
    const due = this.#plan.due[sample]!;
    if (!between || this.#held || !this.#last || !within(due, between.often)) return false;
    if (!within(due, this.#plan.due[this.#last.sample]!) || !this.#together(this.#last.sample, sample)) return false;
    this.#held = { picture, sample };
    return true;
  }

  /** Adds the sample that was kept back; `after` is the next one, as it was read. */
  async release(after?: ReadSample): Promise<void> {
    const held = this.#held;
    const before = this.#last;
    this.#last = after;
    if (!held) return;
    this.#held = undefined;
    using picture = held.picture;
    const due = this.#plan.due[held.sample]!;
    const told = after && before && this.#told(before, held.sample, after);
    this.#builder.add(picture.t, told ?? (await this.#context.reader.read(picture, due)));
  }

  /** What a sample between two others shows; undefined where these do not tell. */
  #told(before: ReadSample, sample: number, after: ReadSample): Observations | undefined {
    const due = this.#plan.due[sample]!;
    if (!within(due, this.#plan.due[after.sample]!) || !this.#together(sample, after.sample)) return undefined;
    const { reader, between } = this.#context;
    const [one, other] = [reader.recall(before.seen, due), reader.recall(after.seen, due)];
    const agrees = one.every((seen, d) => {
      const { persists, confidence } = between!.probes[d]!;
      return (!seen && !other[d]) || (after.t - before.t <= persists && agree(seen, other[d], confidence));
    });
    return agrees ? one : undefined;
  }

  /** Whether two samples lie in one group of pictures. */
  #together(a: number, b: number): boolean {
    const { index } = this.#context;
    return findGroup(index, this.#plan.frames[a]!) === findGroup(index, this.#plan.frames[b]!);
  }

  [Symbol.dispose](): void {
    this.#held?.picture[Symbol.dispose]();
    this.#held = undefined;
  }
}

/** Whether all that `due` marks is marked by `others`. */
function within(due: Uint8Array, others: Uint8Array): boolean {
  return due.every((one, d) => one === 0 || others[d] === 1);
}
