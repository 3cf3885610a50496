import type { Observation } from '../../detectors/kind.ts';
import type { Picture } from '../../media/picture.ts';
import type { Observations } from './chunk-readings.ts';
import { agree, type PersistenceRule } from './interpolation.ts';
import type { SampleReader } from './sample-reader.ts';

/** What was read of a picture; `read`: 1 for the detectors that were read, whatever they saw. */
export interface PictureReading {
  readonly t: number;
  readonly seen: Observations;
  readonly read: Uint8Array;
}

/** A sample whose picture is held until all that it shows is read or proven. */
interface HeldSample extends PictureReading {
  readonly picture: Picture;
  readonly sample: number;
  /** The detectors that are due, and those that they depend on. */
  readonly needed: Uint8Array;
  seen: Observations;
}

/** What a `SampleWindow` works with. */
export interface SampleWindowOptions {
  readonly reader: Pick<SampleReader, 'read' | 'withDependencies'>;
  /** By detector. */
  readonly rules: readonly PersistenceRule[];
  /** Takes a sample once it is known what it shows. */
  readonly add: (sample: number, t: number, seen: Observations) => void;
  /** Whether a reading differs from what its detector was last surely seen to show. */
  readonly isNew: (detector: number, seen: Observation | undefined) => boolean;
}

/** Seconds of samples that are held at most, and bytes of their luma. */
const MAX_HELD_SECONDS = 0.8;
const MAX_HELD_LUMA_BYTES = 24 << 20;

/**
 * Holds some samples at a time and reads, detector by detector, as few of them as prove the others: two readings of a detector
 * that agree and are no further apart than it persists prove those between them. Where two differ, the middle is read. What a
 * detector depends on must agree as well. A value that was not shown before is always read in the sample that dates it.
 */
export class SampleWindow implements Disposable {
  readonly #options: SampleWindowOptions;
  /** By detector: those that its reading depends on, itself among them; and the seconds for which all of them persist. */
  readonly #dependencies: readonly (readonly number[])[];
  readonly #persists: readonly number[];
  /** By detector: its last reading before the samples held. */
  readonly #previous: (PictureReading | undefined)[];
  /** A picture behind the samples of which everything is known: the next keyframe. */
  #next: PictureReading | undefined;
  #held: HeldSample[] = [];

  constructor(options: SampleWindowOptions) {
    const { reader, rules } = options;
    this.#options = options;
    this.#dependencies = rules.map((_, d) => {
      const own = new Uint8Array(rules.length);
      own[d] = 1;
      return [...reader.withDependencies(own).entries()].flatMap(([other, needed]) => (needed ? [other] : []));
    });
    this.#persists = this.#dependencies.map((all) => Math.min(...all.map((d) => rules[d]!.persists)));
    this.#previous = rules.map(() => undefined);
  }

  /** A group of pictures begins. `before`, `after`: what its keyframe and the next show, where they were read. */
  beginGroup(before: PictureReading | undefined, after: PictureReading | undefined): void {
    if (before) this.#previous.fill(before);
    this.#next = after;
  }

  /** Forgets what was read: what follows is not connected with it. */
  reset(): void {
    this.#previous.fill(undefined);
  }

  /** Takes the next sample; it disposes of the picture. Resolves to whether all samples taken so far are known. */
  async take(picture: Picture, sample: number, due: Uint8Array): Promise<boolean> {
    const count = due.length;
    const needed = this.#options.reader.withDependencies(due);
    const unread = { seen: Array.from({ length: count }, () => undefined), read: new Uint8Array(count) };
    this.#held.push({ picture, sample, t: picture.t, needed, ...unread });
    const luma = this.#held.length * picture.width * picture.height;
    if (picture.t - this.#held[0]!.t < MAX_HELD_SECONDS && luma < MAX_HELD_LUMA_BYTES) return false;
    await this.resolve();
    return true;
  }

  /** Reads what it takes for all samples held to be known, and gives them out. */
  async resolve(): Promise<void> {
    const held = this.#held;
    const proven = held.map((): (Observation | undefined)[] => []);
    for (;;) {
      const wanted = new Map<number, Uint8Array>();
      for (const d of this.#previous.keys()) this.#prove(d, proven, wanted);
      if (wanted.size === 0) break;
      for (const [i, due] of wanted) await this.#read(held[i]!, due);
    }
    for (const [i, one] of held.entries()) {
      const merge = (): Observations => one.seen.map((seen, d) => (one.read[d] ? seen : proven[i]![d]));
      const isNew = (seen: Observation | undefined, d: number): boolean =>
        one.needed[d] === 1 && one.read[d] === 0 && this.#options.isNew(d, seen);
      const news = Uint8Array.from(merge(), (seen, d) => (isNew(seen, d) ? 1 : 0));
      if (news.includes(1)) await this.#read(one, news);
      this.#options.add(one.sample, one.t, merge());
      for (const [d, read] of one.read.entries()) if (read) this.#previous[d] = one;
    }
    this[Symbol.dispose]();
  }

  /** Whether the next keyframe proves what a detector shows until then; what that is, if so. */
  provenUntilNext(d: number): { readonly seen: Observation | undefined } | undefined {
    const [before, after] = [this.#previous[d], this.#next];
    return before && after && this.#isProof(d, before, after) ? { seen: before.seen[d] } : undefined;
  }

  /** Gives up the samples held. */
  [Symbol.dispose](): void {
    for (const { picture } of this.#held.splice(0)) picture[Symbol.dispose]();
  }

  /** Notes what the readings of a detector prove of the samples held, and which sample is to be read where they do not. */
  #prove(d: number, proven: (Observation | undefined)[][], wanted: Map<number, Uint8Array>): void {
    const held = this.#held;
    let before = this.#previous[d];
    let unknown: number[] = [];
    const close = (after: PictureReading | undefined, isHeld: boolean): void => {
      if (unknown.length > 0) {
        if (before && after && this.#isProof(d, before, after)) for (const i of unknown) proven[i]![d] = before.seen[d];
        else {
          const i = isHeld ? unknown[unknown.length >> 1]! : this.#farthest(d, before, unknown);
          const due = wanted.get(i) ?? new Uint8Array(this.#previous.length);
          due[d] = 1;
          wanted.set(i, due);
        }
      }
      before = after;
      unknown = [];
    };
    for (const [i, one] of held.entries())
      if (one.read[d]) close(one, true);
      else if (one.needed[d]) unknown.push(i);
    close(this.#next, false);
  }

  /** The last of some samples that a reading before them can be compared with. */
  #farthest(d: number, before: PictureReading | undefined, samples: readonly number[]): number {
    const reach = (before?.t ?? this.#held[samples[0]!]!.t) + this.#persists[d]!;
    return samples.findLast((i) => this.#held[i]!.t <= reach) ?? samples[0]!;
  }

  #isProof(d: number, before: PictureReading, after: PictureReading): boolean {
    if (after.t - before.t > this.#persists[d]!) return false;
    const { rules } = this.#options;
    return this.#dependencies[d]!.every((one) => agree(before.seen[one], after.seen[one], rules[one]!.confidence));
  }

  async #read(one: HeldSample, due: Uint8Array): Promise<void> {
    const { reader } = this.#options;
    const seen = await reader.read(one.picture, due, { known: one });
    const read = reader.withDependencies(due);
    one.seen = one.seen.map((before, d) => (read[d] && !one.read[d] ? seen[d] : before));
    for (const [d, isRead] of read.entries()) if (isRead) one.read[d] = 1;
  }
}
