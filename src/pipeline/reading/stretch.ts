import type { Observation } from '../../detectors/kind.ts';
import type { Picture } from '../../media/picture.ts';
import type { Observations } from './chunk-readings.ts';
import { agree, type ProbeRule } from './probe.ts';
import type { SampleReader, Sight } from './sample-reader.ts';
import type { Shown } from './shown.ts';

/** What has been read at a time. */
export interface Look extends Sight {
  readonly t: number;
}

/** A sample that waits until those about it tell whether it has to be read; `seen` and `read` grow. */
export interface Waiting extends Look {
  readonly picture: Picture;
  readonly due: Uint8Array;
  seen: Observations;
}

/** What a stretch is read with. */
export interface StretchReader {
  readonly reader: Pick<SampleReader, 'look' | 'recall' | 'withDependencies'>;
  readonly rules: readonly ProbeRule[];
  readonly shown: Pick<Shown, 'add' | 'isNews' | 'bringsNews'>;
}

/**
 * Where something changed more may have changed, and back: in such a stretch two samples tell what lies between only if they are no
 * further apart than this share of the shortest time for which any detector persists.
 */
const SHARE = 0.3;

/** Bytes of luma that may wait. */
export const HELD_BYTES = 48 << 20;

/**
 * Reads a stretch in which something changed, detector by detector: some of its samples first, and what lies between two that show
 * another thing to a detector (or to what it depends on), by halves. Samples come in order of time; their pictures are disposed of here.
 */
export class Stretch implements Disposable {
  readonly #with: StretchReader;
  /** By detector: the detectors that its reading rests on, itself among them. */
  readonly #rests: readonly (readonly number[])[];
  /** Seconds between two samples that may tell what lies between. */
  readonly window: number;
  /** What all its samples show, so that it need not be read in any of them. */
  readonly #known: Sight | undefined;
  #waiting: Waiting[] = [];
  /** The sample before those that wait, or the keyframe. */
  #last: Look | undefined;

  /** `before`: what is known of a picture just before the stretch; `known`: of all its samples. */
  constructor(tools: StretchReader, before?: Look, known?: Sight) {
    const { reader, rules } = tools;
    this.#with = tools;
    this.#last = before;
    this.#known = known;
    this.window = SHARE * Math.min(...rules.map(({ persists }) => persists));
    this.#rests = restsOf(reader, rules.length);
  }

  get waiting(): readonly Waiting[] {
    return this.#waiting;
  }

  /** Takes the next sample. */
  add(picture: Picture, due: Uint8Array): Waiting {
    const read = Uint8Array.from(this.#known?.read ?? due.map(() => 0));
    const seen = this.#known?.seen ?? [...read].map(() => undefined);
    const one: Waiting = { picture, t: picture.t, due, read, seen };
    this.#waiting.push(one);
    return one;
  }

  /** Reads what `wanted` marks of a sample that waits. */
  async look(one: Waiting, wanted: ArrayLike<number>): Promise<Observations> {
    const { reader } = this.#with;
    one.seen = (await reader.look(one.picture, wanted, one)).map((seen, d) => seen ?? one.seen[d]);
    for (const [d, needed] of reader.withDependencies(wanted).entries()) if (needed) one.read[d] = 1;
    return one.seen;
  }

  /** Settles as many samples as it takes for the next one, at `t`, not to be too far from those that are known, and for pictures not to be too many. */
  async advance(t: number): Promise<void> {
    for (let [first] = this.#waiting; first; [first] = this.#waiting) {
      const { width, height } = first.picture;
      const isFull = this.#waiting.length >= Math.max(2, Math.floor(HELD_BYTES / (width * height)));
      if (!isFull && t - (this.#last ?? first).t <= this.window) return;
      await this.#step();
    }
  }

  /** Settles all samples that wait; `after`: what is known of a picture behind them, or of the last of them. */
  async finish(after?: Look): Promise<void> {
    if (after) await this.advance(after.t);
    else while (this.#waiting.length > 0) await this.#step();
    await this.#settle(this.#waiting.length, after);
  }

  /** Whether the samples that wait would bring news if they showed what the last of them, which is read, does. */
  bringsNews({ seen }: Look): boolean {
    const due = this.#waiting.slice(0, -1).map((one) => one.due);
    return this.#with.shown.bringsNews(seen, { frames: [], due }, 0);
  }

  /** Gives all samples that wait what a picture shows that proves them; the last of them is known. */
  recall({ seen }: { readonly seen: Observations }): void {
    const { reader, shown } = this.#with;
    const waiting = this.#waiting.splice(0);
    for (const { picture, t, due } of waiting) {
      shown.add(t, reader.recall(seen, due));
      picture[Symbol.dispose]();
    }
    this.#last = waiting.at(-1) ?? this.#last;
  }

  /** What comes next has nothing to do with what came before. */
  forget(): void {
    this.#last = undefined;
  }

  /** Gives up the samples that wait. */
  [Symbol.dispose](): void {
    for (const { picture } of this.#waiting.splice(0)) picture[Symbol.dispose]();
  }

  /** Reads a sample that most detectors want, late in what one look can be compared with, and settles those before. */
  async #step(): Promise<void> {
    const from = this.#last?.t ?? Number.NEGATIVE_INFINITY;
    const near = this.#waiting.findLastIndex(({ t }) => t - from <= this.window);
    let at = Math.max(0, near);
    for (let i = at; i >= 0 && this.#waiting[i]!.t - from > this.window / 2; i--)
      if (sum(this.#waiting[i]!.due) > sum(this.#waiting[at]!.due)) at = i;
    const one = this.#waiting[at]!;
    await this.look(one, one.due);
    await this.#settle(at + 1, one);
  }

  /** Settles the first `count` samples, of which the last may be `after` itself. */
  async #settle(count: number, after: Look | undefined): Promise<void> {
    const samples = this.#waiting.slice(0, count);
    const looks: (Look | undefined)[] = [this.#last, ...samples, ...(samples.at(-1) === after ? [] : [after])];
    const { reader, rules, shown } = this.#with;
    const needed = samples.map(({ due }) => reader.withDependencies(due));
    const told = samples.map(({ seen }) => [...seen]);
    for (let wanted = new Map<number, Uint8Array>(); ; wanted = new Map()) {
      for (const d of rules.keys()) this.#ask(d, looks, needed, told, wanted);
      if (wanted.size === 0) break;
      for (const [i, marks] of [...wanted].toSorted(([a], [b]) => a - b)) await this.look(samples[i]!, marks);
    }
    for (const [i, one] of samples.entries()) {
      const news = Uint8Array.from(told[i]!, (other, d) =>
        needed[i]![d] && !one.read[d] && shown.isNews(d, other) ? 1 : 0,
      );
      if (news.includes(1)) await this.look(one, news);
      const seen = told[i]!.map((other, d) => (one.read[d] ? one.seen[d] : other));
      shown.add(one.t, reader.recall(seen, one.due));
      one.picture[Symbol.dispose]();
    }
    this.#last = after ?? samples.at(-1) ?? this.#last;
    this.#waiting = this.#waiting.slice(count);
  }

  /** Of one detector: what the samples are told by those about them, and which of them have to be read next. */
  #ask(
    d: number,
    looks: readonly (Look | undefined)[],
    needed: readonly Uint8Array[],
    told: (Observation | undefined)[][],
    wanted: Map<number, Uint8Array>,
  ): void {
    for (let from = 0; from < looks.length - 1; ) {
      let to = from + 1;
      const open: number[] = [];
      for (; to < looks.length && looks[to]?.read[d] !== 1; to++) if (needed[to - 1]?.[d]) open.push(to - 1);
      const [before, after] = [looks[from], looks[to]];
      from = to;
      if (open.length === 0) continue;
      if (before?.read[d] === 1 && after && this.#agree(d, before, after)) {
        const middle = (before.t + after.t) / 2;
        for (const i of open) told[i]![d] = (looks[i + 1]!.t <= middle ? before : after).seen[d];
      } else {
        const i = open[open.length >> 1]!;
        const marks = wanted.get(i) ?? new Uint8Array(this.#rests.length);
        marks[d] = 1;
        wanted.set(i, marks);
      }
    }
  }

  /** Whether what lies between two looks is what both show to a detector and to all that its reading rests on. */
  #agree(d: number, before: Look, after: Look): boolean {
    if (after.t - before.t > this.window) return false;
    return this.#rests[d]!.every((other) =>
      agree(before.seen[other], after.seen[other], this.#with.rules[other]!.confidence),
    );
  }
}

/** Of each of `count` detectors: those that its reading rests on, itself among them. */
export function restsOf(reader: Pick<SampleReader, 'withDependencies'>, count: number): readonly (readonly number[])[] {
  return Array.from({ length: count }, (_, d) => {
    const own = new Uint8Array(count);
    own[d] = 1;
    return [...reader.withDependencies(own).entries()].flatMap(([other, needed]) => (needed ? [other] : []));
  });
}

function sum(marks: Uint8Array): number {
  return marks.reduce((total, one) => total + one, 0);
}
