import type { Observation } from '../detectors/kind.ts';
import { type DecodeProblem, isProblem, readPictures } from '../media/decode.ts';
import { type Chunk, firstFrameOf, type PacketIndex } from '../media/packet-index.ts';
import type { VideoFile } from '../media/video.ts';
import { type ChunkReadings, ReadingsBuilder } from './chunk-readings.ts';
import type { Observations, SampleReader } from './sample-reader.ts';

/** The samples of a chunk: frame numbers, ascending, and for each which detectors are due (a bit per detector). */
export interface ChunkPlan {
  readonly frames: readonly number[];
  readonly due: readonly Uint8Array[];
}

/** What reading a chunk needs: the file and its index, and the detectors at work. */
export interface ChunkContext {
  readonly file: VideoFile;
  readonly index: PacketIndex;
  readonly reader: SampleReader;
  readonly detectors: number;
}

/** Reads every sample of the plan. */
export async function readFully(context: ChunkContext, chunk: Chunk, plan: ChunkPlan): Promise<ChunkReadings> {
  const builder = new ReadingsBuilder();
  await readSamples(context, chunk, plan, builder);
  return builder.finish();
}

/**
 * Reads keyframes first, and of the groups of pictures between two of them only those whose keyframes read differently
 * (or lie further apart than `persists` seconds); in the others every sample of the plan is given what both keyframes
 * show. `closing` is the chunk after the last one's keyframe: the next chunk's first, where there is one.
 */
export async function readAdaptively(
  context: ChunkContext,
  chunk: Chunk,
  plan: ChunkPlan,
  persists: number,
): Promise<ChunkReadings> {
  const { index } = context;
  const builder = new ReadingsBuilder();
  const bounds: number[] = [];
  for (let group = chunk.firstGroup; group <= chunk.lastGroup; group++) bounds.push(firstFrameOf(index, group));
  const probes = await readProbes(context, chunk, bounds);
  let next = 0;
  for (let g = 0; g < bounds.length - 1; g++) {
    const from = next;
    while (next < plan.frames.length && plan.frames[next]! < bounds[g + 1]!) next++;
    const part = { frames: plan.frames.slice(from, next), due: plan.due.slice(from, next) };
    const [before, after] = [probes.get(bounds[g]!), probes.get(bounds[g + 1]!)];
    if (before && after && after.t - before.t <= persists && agree(before.seen, after.seen)) {
      for (const [i, frame] of part.frames.entries())
        builder.add(timeAt(index, frame), masked(before.seen, part.due[i]!));
    } else {
      await readSamples(context, chunk, part, builder);
    }
  }
  return builder.finish();
}

interface Probe {
  readonly t: number;
  readonly seen: Observations;
}

/** What the detectors see on the keyframes at `bounds`; those that cannot be decoded are missing. */
async function readProbes(context: ChunkContext, chunk: Chunk, bounds: readonly number[]): Promise<Map<number, Probe>> {
  const { index, reader, detectors } = context;
  const all = new Uint8Array(detectors).fill(1);
  const probes = new Map<number, Probe>();
  const known = index.firstFrame + index.t.length;
  const frames = bounds.filter((frame) => frame < known);
  const reach = { ...chunk, lastFrame: known };
  let i = 0;
  for (const item of readPictures(context.file, index, reach, frames)) {
    if (isProblem(item)) {
      // The keyframe is missing: its neighbours cannot be compared.
      while (i < frames.length && timeAt(index, frames[i]!) < item.end) i++;
      continue;
    }
    using picture = item;
    while (i < frames.length && timeAt(index, frames[i]!) < picture.t) i++;
    const seen = await reader.read(picture, all);
    probes.set(frames[i++]!, { t: picture.t, seen });
  }
  return probes;
}

async function readSamples(
  { file, index, reader }: ChunkContext,
  chunk: Chunk,
  plan: ChunkPlan,
  builder: ReadingsBuilder,
): Promise<void> {
  let i = 0;
  for (const item of readPictures(file, index, chunk, plan.frames)) {
    if (isProblem(item)) {
      builder.gap(gapOf(item));
      continue;
    }
    using picture = item;
    while (i < plan.frames.length && timeAt(index, plan.frames[i]!) < picture.t) i++;
    const pending = reader.read(picture, plan.due[i]!);
    builder.add(picture.t, await pending);
  }
}

function gapOf({ t, end, reason }: DecodeProblem): DecodeProblem {
  return { t, end, reason };
}

function timeAt(index: PacketIndex, frame: number): number {
  return index.t[frame - index.firstFrame]!;
}

function masked(seen: Observations, due: Uint8Array): Observations {
  return seen.map((observation, d) => (due[d] ? observation : undefined));
}

/** Whether two probes say the same of every detector. An unreadable probe proves nothing. */
function agree(a: Observations, b: Observations): boolean {
  return a.every((one, d) => {
    const other = b[d];
    if (!one || !other) return one === other;
    return one.state !== 'unreadable' && sameContent(one, other);
  });
}

function sameContent(a: Observation, b: Observation): boolean {
  if (a.state !== b.state) return false;
  return a.state !== 'seen' || b.state !== 'seen' || a.value === b.value;
}
