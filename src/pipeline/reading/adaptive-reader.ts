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

/** What the detectors see on one picture. */
interface Probe {
  readonly t: number;
  readonly seen: Observations;
}

/** A sample of the chunk; `seen` is completed by later passes. */
interface Row {
  readonly t: number;
  readonly sample: number;
  readonly seen: (Observation | undefined)[];
}

/** Groups at the start of a chunk by which it is judged whether probing pays, and how many of them may differ at most. */
const TRIAL_GROUPS = 4;
const MAX_DIFFERING_TRIAL_GROUPS = 3;

/** Samples after which it is tried again whether the rest of a group is known. */
const SAMPLES_PER_TRIAL = 3;

/**
 * Reads a chunk by the adaptive plan: keyframes first, and in full only the groups of pictures whose keyframes do not prove what
 * lies between. Two keyframes that agree, no further apart than every detector persists, prove that nothing changed. Whatever
 * else is asserted was read.
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
   * Returns undefined for a profile for which the adaptive plan cannot pay or prove anything: detectors compare samples, stay where
   * something was found before, or may change within two of their samples.
   */
  static create(game: CompiledProfile, reader: SampleReader, media: string | undefined): AdaptiveReader | undefined {
    if (reader.comparesSamples || SampleReader.warmUpOf(game, media)) return undefined;
    const rules = persistenceRules(game, media);
    const fleeting = game.detectors.some(
      (one) =>
        readsFramesOf(one, media) && !game.activations.has(one.name) && rules[one.number]!.persists < 2 * one.interval,
    );
    return fleeting ? undefined : new AdaptiveReader(reader, rules, readingPasses(game, reader, media));
  }

  /** Reads a chunk; undefined where too much changes in it: then it costs less to read every sample. */
  async read(request: PlannedChunk, decoding: ChunkDecoding, continues: boolean): Promise<ChunkReadings | undefined> {
    this.#reader.begin(continues);
    const builder = new ReadingsBuilder();
    const rows = await this.#readAlwaysActive(request, decoding, builder);
    if (!rows) return undefined;
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
  ): Promise<Row[] | undefined> {
    const groups = Array.from({ length: chunk.lastGroup - chunk.firstGroup + 1 }, (_, i) => chunk.firstGroup + i);
    const bounds = groups.map((group) => groupFirstFrame(index, group));
    const probes = await this.#probe(request(bounds), decoding);
    if (!probes) return undefined;
    const rows = new GroupRows(this.#reader, this.#rules, this.#passes[0]!, samples, probes.get(bounds[0]!));
    let sample = 0;
    for (let g = 0; g < bounds.length - 1; g++) {
      const [before, after] = [probes.get(bounds[g]!), probes.get(bounds[g + 1]!)];
      let end = sample;
      while (end < samples.frames.length && samples.frames[end]! < bounds[g + 1]!) end++;
      // A keyframe that is a sample has been read.
      if (before && sample < end && samples.frames[sample] === bounds[g]) rows.add(sample++, before.t, before.seen);
      if (before && after && this.#isProof(before, after) && !rows.bringsNews(before.seen, sample, end))
        for (; sample < end; sample++) rows.add(sample, decoding.timeOf(samples.frames[sample]!), before.seen);
      else await this.#readGroup({ chunk, from: sample, end, before, after }, rows, decoding, builder);
      sample = end;
    }
    return rows.rows;

    function request(frames: readonly number[]): { chunk: typeof chunk; frames: readonly number[] } {
      const known = index.firstFrame + index.t.length;
      return { chunk: { ...chunk, lastFrame: known }, frames: frames.filter((frame) => frame < known) };
    }
  }

  /** Reads keyframes; those that cannot be decoded are missing. Undefined where the first ones differ too much. */
  async #probe(
    { chunk, frames }: Pick<PlannedChunk, 'chunk'> & { readonly frames: readonly number[] },
    decoding: ChunkDecoding,
  ): Promise<Map<number, Probe> | undefined> {
    const probes = new Map<number, Probe>();
    let i = 0;
    let [previous, differing]: [Probe | undefined, number] = [undefined, 0];
    for await (const item of decoding.pictures(chunk, frames)) {
      if (isGap(item)) {
        // The keyframe is missing: its neighbors cannot be compared.
        while (i < frames.length && decoding.timeOf(frames[i]!) < item.end) i++;
        continue;
      }
      using picture = item;
      while (i < frames.length && decoding.timeOf(frames[i]!) < picture.t) i++;
      const probe = { t: picture.t, seen: await this.#reader.read(picture, this.#passes[0]!) };
      probes.set(frames[i++]!, probe);
      await decoding.pictureRead();
      if (i > TRIAL_GROUPS + 1) continue;
      if (previous && !this.#isProof(previous, probe)) differing++;
      if (differing > MAX_DIFFERING_TRIAL_GROUPS) return undefined;
      previous = probe;
    }
    return probes;
  }

  /** Reads a group in full, until a sample and the next keyframe prove the rest of it. */
  async #readGroup(
    { chunk, from, end, before, after }: GroupRange,
    rows: GroupRows,
    decoding: ChunkDecoding,
    builder: ReadingsBuilder,
  ): Promise<void> {
    const { frames, due } = rows.samples;
    const changed = after && this.#differing(before, after);
    let nextTrial = from;
    let sample = from;
    for await (const item of decoding.pictures(chunk, frames.slice(from, end))) {
      if (isGap(item)) {
        builder.gap(item);
        continue;
      }
      using picture = item;
      while (decoding.timeOf(frames[sample]!) < picture.t) sample++;
      const own = due[sample]!.map((one, d) => one & this.#passes[0]![d]!);
      const seen = await this.#reader.read(picture, own);
      rows.add(sample++, picture.t, seen);
      await decoding.pictureRead();
      if (!changed || sample < nextTrial) continue;
      const mayBeOver = changed.every((d) => agree(seen[d], after.seen[d], this.#rules[d]!.confidence));
      if (!mayBeOver) continue;
      nextTrial = sample + SAMPLES_PER_TRIAL;
      const known = { seen, read: Uint8Array.from(seen, (one) => (one ? 1 : 0)) };
      const probe = { t: picture.t, seen: await this.#reader.read(picture, this.#passes[0]!, { known }) };
      if (!this.#isProof(probe, after) || rows.bringsNews(probe.seen, sample, end)) continue;
      for (; sample < end; sample++) rows.add(sample, decoding.timeOf(frames[sample]!), probe.seen);
      return;
    }
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

  /** Whether two probes prove that what lies between them is what both show. */
  #isProof(before: Probe, after: Probe): boolean {
    const apart = after.t - before.t;
    return this.#rules.every(
      ({ persists, confidence }, d) => apart <= persists && agree(before.seen[d], after.seen[d], confidence),
    );
  }

  /** The detectors that two probes tell apart; undefined where no probe can agree with the second. */
  #differing(before: Probe | undefined, after: Probe): readonly number[] | undefined {
    const all = [...this.#rules.keys()];
    const agrees = (probe: Probe | undefined, d: number): boolean =>
      agree(probe?.seen[d], after.seen[d], this.#rules[d]!.confidence);
    return all.every((d) => agrees(after, d)) ? all.filter((d) => !agrees(before, d)) : undefined;
  }
}

/** Samples `[from, end)` of a chunk, which lie in one group, and the keyframes around them. */
interface GroupRange {
  readonly chunk: PlannedChunk['chunk'];
  readonly from: number;
  readonly end: number;
  readonly before: Probe | undefined;
  readonly after: Probe | undefined;
}

/** Collects the readings of the first pass, and knows what each detector was last surely seen to show. */
class GroupRows {
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
    first: Probe | undefined,
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
   * Whether samples `[from, end)` would bring news if they showed what is `seen`. The change is dated by the first sample that
   * shows it, and a sample just after a change is not always readable: so news must be read.
   */
  bringsNews(seen: Observations, from: number, end: number): boolean {
    const news = this.#rules.flatMap(({ confidence }, d) => {
      const one = seen[d];
      return one !== undefined && !agree(this.#last[d], one, confidence) ? [d] : [];
    });
    return (
      news.length > 0 &&
      this.samples.due.slice(from, end).some((due) => {
        const needed = this.#reader.withDependencies(due);
        return news.some((d) => needed[d] === 1);
      })
    );
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
