import {
  type Chunk,
  createChunk,
  findGroup,
  type PacketIndex,
  sliceIndex,
  splitIntoChunks,
} from '../../media/packets/packet-index.ts';
import type { Profile } from '../../profile/profile.ts';
import { resolveFrameStep, resolveInterval } from '../../profile/defaults.ts';
import { type FrameTimes, type Sample, SamplePlanner, type Sampling, type TimeRange } from '../../sampling/plan.ts';
import { type CompiledProfile, readsFramesOf } from '../compile-profile.ts';
import type { Gap } from './chunk-readings.ts';

/**
 * Seconds of video in a chunk, at least: long enough to cost little to hand over, short enough to lose little. The adaptive
 * plan reads the keyframe between two chunks twice.
 */
export const CHUNK_SECONDS = { full: 8, adaptive: 24 } as const;

/** The samples of a chunk: frame numbers, ascending, and for each which detectors are due (a byte per detector). */
export interface ChunkSamples {
  readonly frames: readonly number[];
  readonly due: readonly Uint8Array[];
}

/** A chunk and its samples. */
export interface PlannedChunk {
  /** Its position among the chunks that have samples. */
  readonly number: number;
  readonly chunk: Chunk;
  readonly samples: ChunkSamples;
  /** What a reader reads first that did not read the chunk before. */
  readonly warmUp?: { readonly chunk: Chunk; readonly samples: ChunkSamples };
  /** Covers the chunk, its warm-up and the group after it. */
  readonly index: PacketIndex;
}

/** A chunk as a source gives it. */
export interface SourceChunk {
  readonly chunk: Chunk;
  /** Covers at least the chunk, the group after it, and what precedes it by the warm-up. */
  readonly index: PacketIndex;
  /** Stretches that begin in the chunk and for which there are no packets. */
  readonly gaps: readonly Gap[];
}

/** The chunks of a video whose whole index is known. */
export function indexChunks(index: PacketIndex, minSeconds: number, missing: readonly Gap[] = []): SourceChunk[] {
  const chunks = splitIntoChunks(index, { minSeconds });
  return chunks.map((chunk, i) => {
    const from = i === 0 ? Number.NEGATIVE_INFINITY : chunk.t;
    const to = chunks[i + 1]?.t ?? Number.POSITIVE_INFINITY;
    return { chunk, index, gaps: missing.filter(({ t }) => t >= from && t < to) };
  });
}

/** Options of planning the chunks of a recording. */
export interface PlanOptions {
  readonly range?: TimeRange;
  /** The recording is this companion of the profile's. */
  readonly companion?: string | undefined;
  /** Seconds before a chunk on whose readings its own depend, and the detectors concerned. */
  readonly warmUp?: { readonly seconds: number; readonly detectors: ReadonlySet<number> } | undefined;
}

/**
 * Says which frames of a recording are samples, and of which detectors, as its chunks become known. Chunks without samples are
 * left out. A chunk is given out when no later frame can change its samples.
 */
export async function* planChunks(
  chunks: AsyncIterable<SourceChunk> | Iterable<SourceChunk>,
  game: CompiledProfile,
  { range = {}, companion, warmUp }: PlanOptions = {},
): AsyncGenerator<PlannedChunk, void, undefined> {
  const sampling = new DetectorSampling(game, range, companion);
  const waiting: SourceChunk[] = [];
  let number = 0;
  let previous: ChunkSamples | undefined;
  const plan = ({ chunk, index }: SourceChunk): PlannedChunk | undefined => {
    const samples = sampling.take(chunk.lastFrame);
    if (samples.frames.length === 0) return undefined;
    const warm = warmUp && previous && planWarmUp(chunk, index, previous, warmUp);
    const first = warm?.chunk.firstGroup ?? chunk.firstGroup;
    const window = sliceIndex(index, createChunk(index, first, chunk.lastGroup));
    previous = warmUp && keepRecent(previous, samples, index, chunk.end - warmUp.seconds);
    return { number: number++, chunk, samples, index: window, ...(warm ? { warmUp: warm } : {}) };
  };
  for await (const one of chunks) {
    // What follows has no samples and changes none.
    if (range.to !== undefined && one.chunk.t > range.to + sampling.margin) break;
    sampling.add(frameTimesOf(one));
    waiting.push(one);
    while (waiting[0] && one.chunk.end - waiting[0].chunk.end > sampling.margin) {
      const planned = plan(waiting.shift()!);
      if (planned) yield planned;
    }
  }
  sampling.end();
  for (const one of waiting) {
    const planned = plan(one);
    if (planned) yield planned;
  }
}

/** The samples in the seconds before a chunk in which the given detectors are due. */
function planWarmUp(
  chunk: Chunk,
  index: PacketIndex,
  { frames, due }: ChunkSamples,
  { seconds, detectors }: NonNullable<PlanOptions['warmUp']>,
): PlannedChunk['warmUp'] {
  const own = frames.flatMap((frame, i) => {
    const marks = due[i]!.map((one, d) => (detectors.has(d) ? one : 0));
    const t = index.t[frame - index.firstFrame]!;
    return t >= chunk.t - seconds - 1e-6 && marks.includes(1) ? [{ frame, marks }] : [];
  });
  if (own.length === 0) return undefined;
  return {
    chunk: createChunk(index, findGroup(index, own[0]!.frame), chunk.firstGroup),
    samples: { frames: own.map(({ frame }) => frame), due: own.map(({ marks }) => marks) },
  };
}

/** The samples of two chunks from `since` on. */
function keepRecent(
  previous: ChunkSamples | undefined,
  samples: ChunkSamples,
  index: PacketIndex,
  since: number,
): ChunkSamples {
  const frames = [...(previous?.frames ?? []), ...samples.frames];
  const due = [...(previous?.due ?? []), ...samples.due];
  const first = frames.findIndex((frame) => index.t[frame - index.firstFrame]! >= since - 1e-6);
  return first < 0 ? { frames: [], due: [] } : { frames: frames.slice(first), due: due.slice(first) };
}

function frameTimesOf({ chunk, index }: SourceChunk): FrameTimes {
  const rows = [chunk.firstFrame - index.firstFrame, chunk.lastFrame - index.firstFrame] as const;
  return { t: index.t.subarray(...rows), reference: index.reference.subarray(...rows) };
}

/** Which detectors are due in which frames. Detectors that are sampled alike share a planner. */
export class DetectorSampling {
  readonly #groups: readonly { readonly planner: SamplePlanner; readonly detectors: readonly number[] }[];
  readonly #count: number;
  /** Seconds by which frames must be known beyond a chunk. */
  readonly margin: number;
  /** By frame: the groups for which it is a sample. */
  readonly #pending = new Map<number, number[]>();
  /** By groups: which detectors are due. */
  readonly #masks = new Map<string, Uint8Array>();

  constructor({ profile, detectors }: CompiledProfile, range: TimeRange, companion: string | undefined) {
    this.#count = detectors.length;
    const own = detectors.filter((one) => readsFramesOf(one, companion));
    this.#groups = [...Map.groupBy(own, ({ name }) => JSON.stringify(samplingOf(profile, name))).values()].map(
      (group) => ({
        planner: new SamplePlanner(samplingOf(profile, group[0]!.name), range),
        detectors: group.map(({ number }) => number),
      }),
    );
    this.margin = 2 * Math.max(0, ...own.map(({ interval }) => interval));
  }

  /** Takes the frames that follow those taken before. */
  add(times: FrameTimes): void {
    for (const [g, { planner }] of this.#groups.entries()) this.#note(g, planner.add(times));
  }

  /**
   * The number of the first frame of which it is not known yet whether it is a sample.
   *
   * @param spacing Seconds between the reference frames of a steady stream: none nearer to a tick than that is waited for.
   */
  undecided(spacing = 0): number {
    return Math.min(...this.#groups.map(({ planner }) => planner.undecided(spacing)));
  }

  /** No more frames follow. */
  end(): void {
    for (const [g, { planner }] of this.#groups.entries()) this.#note(g, planner.end());
  }

  /** Takes the samples before frame number `end`. */
  take(end: number): ChunkSamples {
    const frames = [...this.#pending.keys()].filter((frame) => frame < end).toSorted((a, b) => a - b);
    const due = frames.map((frame) => this.#maskOf(this.#pending.get(frame)!));
    for (const frame of frames) this.#pending.delete(frame);
    return { frames, due };
  }

  #note(group: number, samples: readonly Sample[]): void {
    for (const { frame } of samples) {
      const groups = this.#pending.get(frame);
      if (!groups) this.#pending.set(frame, [group]);
      else if (groups.at(-1) !== group) groups.push(group);
    }
  }

  #maskOf(groups: readonly number[]): Uint8Array {
    const key = groups.toSorted((a, b) => a - b).join();
    let mask = this.#masks.get(key);
    if (!mask) {
      mask = new Uint8Array(this.#count);
      for (const group of groups) for (const number of this.#groups[group]!.detectors) mask[number] = 1;
      this.#masks.set(key, mask);
    }
    return mask;
  }
}

function samplingOf(profile: Profile, detector: string): Sampling {
  const every = resolveFrameStep(profile, detector);
  return every === undefined ? { interval: resolveInterval(profile, detector) } : { every };
}
