import { setImmediate as turn } from 'node:timers/promises';
import type { Deferred, Observation } from '../../detectors/kind.ts';
import { MAX_WAITING_PICTURES, decodeFramesAhead } from '../../media/decode/decode-ahead.ts';
import type { DecoderWorker, DecodeRequest } from '../../media/decode/decoder-worker.ts';
import { type DecodeGap, isGap, decodeFrames } from '../../media/decode/decode-frames.ts';
import type { Chunk, PacketIndex } from '../../media/packets/packet-index.ts';
import type { Picture } from '../../media/picture.ts';
import type { VideoFile } from '../../media/video.ts';
import { Between, type BetweenRules } from './between.ts';
import { type ChunkReadings, ReadingsBuilder } from './chunk-readings.ts';
import type { PictureCache } from '../../media/decode/picture-cache.ts';
import type { Carried } from './probe.ts';
import type { Handover, SampleReader } from './sample-reader.ts';
import { Together } from './together.ts';

/** The samples of a chunk: frame numbers, ascending, and for each which detectors are due (a byte per detector). */
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
  /** The decoder works on a processor of its own, a packet ahead of reading. */
  readonly ahead?: boolean | undefined;
  /** The decoder works on a thread of its own. */
  readonly beside?: DecoderWorker | undefined;
  /** What will be asked of that thread next. */
  readonly next?: DecodeRequest | undefined;
  readonly signal?: AbortSignal | undefined;
  /** When samples tell what one between them shows; without, every sample is read. */
  readonly between?: BetweenRules | undefined;
  /** Of the adaptive plan: what was read last, which the next chunk may begin with. */
  readonly carried?: Carried | undefined;
  /** Of the adaptive plan: keyframes that need not be decoded again. */
  readonly kept?: PictureCache | undefined;
  /** Takes readings that others may make, of the sample with that number among the chunk's. */
  readonly share?: Share | undefined;
}

/** Hands readings over to other threads. */
export interface Share {
  /** Returns a stand-in, or undefined where the reading is to be made here. */
  handOver(sample: number, detector: number, deferred: Deferred): Observation | undefined;
  /** Samples before this one have been read; nothing of them will be handed over any more. */
  passed(sample: number): void;
}

/** Pictures after which the event loop turns, so that views of them are freed and signals noticed, however long a chunk is. */
export const TURN = 64;

/** Reads every sample of the plan. */
export async function readFully(context: ChunkContext, chunk: Chunk, plan: ChunkPlan): Promise<ChunkReadings> {
  const builder = new ReadingsBuilder();
  context.reader.begin();
  const together = context.reader.together.size > 0 ? new Together(context.reader) : undefined;
  await readSamples(context, chunk, plan, builder, together);
  await together?.settle(true);
  context.share?.passed(plan.frames.length);
  builder.edges(context.reader.edges());
  const readings = builder.finish();
  return together?.complete(readings) ?? readings;
}

/** Reads the samples of a plan, which lie in the chunk. */
async function readSamples(
  context: ChunkContext,
  chunk: Chunk,
  plan: ChunkPlan,
  builder: ReadingsBuilder,
  together: Together | undefined,
): Promise<void> {
  const { index, reader, share } = context;
  const between = new Between(context, plan, builder);
  let i = 0;
  let pictures = 0;
  try {
    for await (const item of allPicturesOf(context, chunk, plan.frames)) {
      if (isGap(item)) {
        await between.release();
        builder.gap(gapOf(item));
        continue;
      }
      while (i < plan.frames.length && timeAt(index, plan.frames[i]!) < item.t) i++;
      const sample = i;
      if (between.hold(item, sample)) continue;
      using picture = item;
      share?.passed(sample);
      const handOver: Handover | undefined =
        (together ?? share) &&
        ((detector, deferred) => together?.take(detector, deferred) ?? share?.handOver(sample, detector, deferred));
      const seen = await reader.read(picture, plan.due[sample]!, handOver);
      await between.release({ t: picture.t, sample, seen });
      builder.add(picture.t, seen);
      await together?.settle();
      if (++pictures % TURN === 0) await pause(context);
    }
    await between.release();
  } finally {
    between[Symbol.dispose]();
  }
}

/** The same where all of them will be looked at. */
function allPicturesOf(context: ChunkContext, chunk: Chunk, frames: readonly number[]): ReturnType<typeof picturesOf> {
  const { beside, index, next } = context;
  return beside
    ? beside.pictures(index, chunk, frames, next)
    : picturesOf(context, chunk, frames, MAX_WAITING_PICTURES);
}

/** The pictures of some frames of a chunk, in order; `most` may be decoded before they are asked for. */
export function picturesOf(
  { file, index, ahead }: ChunkContext,
  chunk: Chunk,
  frames: readonly number[],
  most?: number,
): Iterable<Picture | DecodeGap> | AsyncIterable<Picture | DecodeGap> {
  return ahead ? decodeFramesAhead(file, index, chunk, frames, most) : decodeFrames(file, index, chunk, frames);
}

/** Lets the event loop turn. Throws the signal's reason once it is aborted. */
export async function pause({ signal }: ChunkContext): Promise<void> {
  await turn();
  signal?.throwIfAborted();
}

export function gapOf({ t, end, reason }: DecodeGap): DecodeGap {
  return { t, end, reason };
}

export function timeAt(index: PacketIndex, frame: number): number {
  return index.t[frame - index.firstFrame]!;
}
