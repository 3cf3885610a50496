import type { PossibleActivity } from '../../cues/possible-activity.ts';
import type { Observation } from '../../detectors/kind.ts';
import { isGap } from '../../media/decode/decode-frames.ts';
import { groupFirstFrame } from '../../media/packets/packet-index.ts';
import { type CompiledProfile, readsFramesOf } from '../compile-profile.ts';
import type { ChunkDecoding } from './chunk-decoding.ts';
import { type ChunkReadings, type Observations, ReadingsBuilder } from './chunk-readings.ts';
import { agree, type PersistenceRule, persistenceRules } from './interpolation.ts';
import type { ChunkSamples, PlannedChunk } from './plan.ts';
import { SampleReader } from './sample-reader.ts';
import { type PictureReading, SampleWindow } from './sample-window.ts';

/** A sample of the chunk; `seen` is completed by later passes. */
interface Row {
  readonly t: number;
  readonly sample: number;
  readonly seen: (Observation | undefined)[];
}

/**
 * Reads a chunk by the adaptive plan. Two readings of a detector that agree, no further apart than it persists, prove what lies
 * between; whatever else is asserted was read. Keyframes are read first where they are near enough to prove a whole group of
 * pictures, which then is not decoded. In other groups the detectors are read of which neither keyframes nor a `SampleWindow`
 * prove the reading, and nothing is decoded from where a sample and the next keyframe prove the rest.
 *
 * Detectors that others activate are read afterwards, in the samples in which they may be active.
 */
export class AdaptiveReader {
  readonly #reader: SampleReader;
  readonly #rules: readonly PersistenceRule[];
  /** By pass: 1 for the detectors that it reads. The first reads those that are always active. */
  readonly #passes: readonly Uint8Array[];
  /** By pass, from the second on. */
  readonly #activities: readonly PossibleActivity[];

  private constructor(reader: SampleReader, rules: readonly PersistenceRule[], passes: readonly Uint8Array[]) {
    this.#reader = reader;
    this.#rules = rules.map((rule, d) => (passes[0]![d] ? rule : { ...rule, persists: Number.POSITIVE_INFINITY }));
    this.#passes = passes;
    this.#activities = passes.slice(1).map(() => reader.createActivity());
  }

  /**
   * Returns undefined for a profile for which the adaptive plan cannot prove anything: detectors compare samples, or stay where
   * something was found before.
   */
  static create(game: CompiledProfile, reader: SampleReader, media: string | undefined): AdaptiveReader | undefined {
    if (reader.comparesSamples || SampleReader.warmUpOf(game, media)) return undefined;
    return new AdaptiveReader(reader, persistenceRules(game, media), readingPasses(game, reader, media));
  }

  /** Reads a chunk. */
  async read(request: PlannedChunk, decoding: ChunkDecoding, continues: boolean): Promise<ChunkReadings> {
    this.#reader.begin(continues);
    const builder = new ReadingsBuilder();
    const rows = await this.#readAlwaysActive(request, decoding, builder);
    for (const [i, activity] of this.#activities.entries()) {
      if (!continues) activity.begin(request.chunk.t, request.number === 0);
      await this.#readActivated(i + 1, activity, rows, request, decoding);
    }
    for (const { t, seen } of rows) builder.add(t, seen);
    return builder.finish();
  }

  async #readAlwaysActive(
    { chunk, index, samples }: PlannedChunk,
    decoding: ChunkDecoding,
    builder: ReadingsBuilder,
  ): Promise<readonly Row[]> {
    const count = chunk.lastGroup - chunk.firstGroup + 1;
    const bounds = Array.from({ length: count }, (_, i) => groupFirstFrame(index, chunk.firstGroup + i));
    const known = index.firstFrame + index.t.length;
    const probed = this.#provableBounds(bounds, known, decoding);
    const probes = await this.#probe({ ...chunk, lastFrame: known }, probed, decoding);
    const rows = new SampleRows(this.#reader, this.#rules, this.#passes[0]!, samples, probes.get(bounds[0]!));
    using window = new SampleWindow({
      reader: this.#reader,
      rules: this.#rules,
      add: (sample, t, seen) => rows.add(sample, t, seen),
      isNew: (d, seen) => rows.isNew(d, seen),
    });
    const tools = { chunk, decoding, builder, rows, window };
    let sample = 0;
    for (let g = 0; g < bounds.length - 1; g++) {
      const [before, after] = [probes.get(bounds[g]!), probes.get(bounds[g + 1]!)];
      // Groups that no keyframe can prove are decoded in one go.
      if (!after) while (g + 2 < bounds.length && !probes.has(bounds[g + 2]!)) g++;
      let end = sample;
      while (end < samples.frames.length && samples.frames[end]! < bounds[g + 1]!) end++;
      // A keyframe that is a sample has been read.
      if (before && sample < end && decoding.timeOf(samples.frames[sample]!) === before.t)
        rows.add(sample++, before.t, before.seen);
      window.beginGroup(before, after);
      await this.#readGroup(tools, sample, end, after !== undefined);
      sample = end;
    }
    return rows.rows;
  }

  /** The keyframes that bound a group that is short enough for them to prove it. */
  #provableBounds(bounds: readonly number[], known: number, decoding: ChunkDecoding): readonly number[] {
    const persists = Math.min(...this.#rules.map((rule) => rule.persists));
    const isProvable = (g: number): boolean =>
      g >= 0 &&
      g + 1 < bounds.length &&
      bounds[g + 1]! < known &&
      decoding.timeOf(bounds[g + 1]!) - decoding.timeOf(bounds[g]!) <= persists;
    return bounds.filter((_, g) => isProvable(g - 1) || isProvable(g));
  }

  /** Reads keyframes; those that cannot be decoded are missing. */
  async #probe(
    chunk: PlannedChunk['chunk'],
    frames: readonly number[],
    decoding: ChunkDecoding,
  ): Promise<ReadonlyMap<number, PictureReading>> {
    const probes = new Map<number, PictureReading>();
    const read = new Uint8Array(this.#rules.length).fill(1);
    let i = 0;
    for await (const item of decoding.pictures(chunk, frames)) {
      if (isGap(item)) {
        // The keyframe is missing: its neighbors cannot be compared.
        while (i < frames.length && decoding.timeOf(frames[i]!) < item.end) i++;
        continue;
      }
      using picture = item;
      while (i < frames.length && decoding.timeOf(frames[i]!) < picture.t) i++;
      probes.set(frames[i++]!, { t: picture.t, seen: await this.#reader.read(picture, this.#passes[0]!), read });
      await decoding.pictureRead();
    }
    return probes;
  }

  /** Reads samples `[from, end)`, until a sample and the next keyframe prove the rest. */
  async #readGroup(
    { chunk, decoding, builder, rows, window }: GroupTools,
    from: number,
    end: number,
    mayStop: boolean,
  ): Promise<void> {
    const { frames, due } = rows.samples;
    let sample = from;
    if (mayStop && this.#addProven(window, rows, decoding, sample, end)) return;
    // The decoder's thread has too few pictures for a window to hold.
    for await (const item of decoding.pictures(chunk, frames.slice(from, end))) {
      if (isGap(item)) {
        await window.resolve();
        window.reset();
        builder.gap(item);
        continue;
      }
      while (decoding.timeOf(frames[sample]!) < item.t) sample++;
      const own = due[sample]!.map((one, d) => one & this.#passes[0]![d]!);
      const isResolved = await window.take(item, sample++, own);
      await decoding.pictureRead();
      if (mayStop && isResolved && this.#addProven(window, rows, decoding, sample, end)) return;
    }
    await window.resolve();
  }

  /** Adds samples `[from, end)` if all that they show is proven and no news. */
  #addProven(window: SampleWindow, rows: SampleRows, decoding: ChunkDecoding, from: number, end: number): boolean {
    const { frames, due } = rows.samples;
    const dueAnywhere = this.#passes[0]!.map((one, d) =>
      one && due.slice(from, end).some((marks) => marks[d]) ? 1 : 0,
    );
    const seen: (Observation | undefined)[] = [];
    for (const [d, needed] of this.#reader.withDependencies(dueAnywhere).entries()) {
      if (!needed) continue;
      const proven = window.provenUntilNext(d);
      if (!proven || rows.isNew(d, proven.seen)) return false;
      seen[d] = proven.seen;
    }
    const all = Array.from(this.#rules, (_, d) => seen[d]);
    for (let sample = from; sample < end; sample++) rows.add(sample, decoding.timeOf(frames[sample]!), all);
    return true;
  }

  /** Reads the detectors of a later pass in the samples in which they may be active. */
  async #readActivated(
    pass: number,
    activity: PossibleActivity,
    rows: readonly Row[],
    { chunk, samples }: PlannedChunk,
    decoding: ChunkDecoding,
  ): Promise<void> {
    const wanted: { readonly row: Row; readonly due: Uint8Array }[] = [];
    for (const row of rows) {
      const needed = this.#reader.withDependencies(samples.due[row.sample]!);
      for (const [d, one] of row.seen.entries()) {
        const isActivated = !this.#passes[0]![d];
        if (one) activity.observe(d, row.t, one);
        else if (isActivated && needed[d] && !activity.isPossible(d, row.t)) activity.observe(d, row.t, 'inactive');
      }
      const due = this.#passes[pass]!.map((one, d) => (one && needed[d] && activity.isPossible(d, row.t) ? 1 : 0));
      if (due.includes(1)) wanted.push({ row, due });
    }
    let i = 0;
    const frames = wanted.map(({ row }) => samples.frames[row.sample]!);
    for await (const item of decoding.pictures(chunk, frames)) {
      if (isGap(item)) continue;
      using picture = item;
      while (wanted[i]!.row.t < picture.t) i++;
      const { row, due } = wanted[i]!;
      const known = { seen: row.seen, read: Uint8Array.from(row.seen, (one) => (one ? 1 : 0)) };
      const seen = await this.#reader.read(picture, due, { known });
      for (const [d, isDue] of due.entries()) if (isDue) row.seen[d] = seen[d];
      await decoding.pictureRead();
    }
  }
}

/** What the groups of a chunk are read with. */
interface GroupTools {
  readonly chunk: PlannedChunk['chunk'];
  readonly decoding: ChunkDecoding;
  readonly builder: ReadingsBuilder;
  readonly rows: SampleRows;
  readonly window: SampleWindow;
}

/** Collects the readings of the first pass, and knows what each detector was last surely seen to show. */
class SampleRows {
  readonly rows: Row[] = [];
  readonly samples: ChunkSamples;
  readonly #reader: SampleReader;
  readonly #rules: readonly PersistenceRule[];
  readonly #pass: Uint8Array;
  readonly #last: (Observation | undefined)[];

  constructor(
    reader: SampleReader,
    rules: readonly PersistenceRule[],
    pass: Uint8Array,
    samples: ChunkSamples,
    first: PictureReading | undefined,
  ) {
    this.#reader = reader;
    this.#rules = rules;
    this.#pass = pass;
    this.samples = samples;
    this.#last = rules.map((_, d) => first?.seen[d]);
  }

  /** Adds what a picture shows to the detectors that are due in a sample. */
  add(sample: number, t: number, seen: Observations): void {
    const due = this.samples.due[sample]!.map((one, d) => one & this.#pass[d]!);
    const selected = [...this.#reader.select(seen, due)];
    this.rows.push({ t, sample, seen: selected });
    for (const [d, one] of selected.entries())
      if (one && agree(one, one, this.#rules[d]!.confidence)) this.#last[d] = one;
  }

  /**
   * Whether a reading differs from what its detector last surely showed. The change is dated by the first sample that shows it,
   * and a sample just after a change is not always readable: so news must be read.
   */
  isNew(d: number, seen: Observation | undefined): boolean {
    return seen !== undefined && !agree(this.#last[d], seen, this.#rules[d]!.confidence);
  }
}

/** Orders the detectors into passes such that those that decide on the activity of others are read before them. */
function readingPasses(game: CompiledProfile, reader: SampleReader, media: string | undefined): readonly Uint8Array[] {
  const activity = reader.createActivity();
  const levels = new Map<number, number>();
  const levelOf = (number: number): number => {
    const known = levels.get(number);
    if (known !== undefined) return known;
    const { name, when, follows } = game.detectors[number]!;
    if (!game.activations.has(name)) return 0;
    const needs = [when, follows].filter((one) => one !== undefined).map(levelOf);
    const level = Math.max(1, ...needs, ...activity.sourcesOf(number).map((source) => levelOf(source) + 1));
    levels.set(number, level);
    return level;
  };
  const own = game.detectors.map((one) => (readsFramesOf(one, media) ? levelOf(one.number) : -1));
  const last = Math.max(0, ...own);
  return Array.from({ length: last + 1 }, (_, pass) => Uint8Array.from(own, (level) => (level === pass ? 1 : 0)));
}
