import type { PossibleActivity } from '../../cues/possible-activity.ts';
import type { Deferred, Observation } from '../../detectors/kind.ts';
import type { HudSettings } from '../../geometry.ts';
import { isGap } from '../../media/decode/decode-frames.ts';
import type { Chunk } from '../../media/packets/packet-index.ts';
import type { VideoFile } from '../../media/video.ts';
import type { CompiledProfile } from '../compile-profile.ts';
import { AdaptiveReader } from './adaptive-reader.ts';
import { ChunkDecoding, type DecodingOptions, type ReadContext } from './chunk-decoding.ts';
import { type ChunkReadings, ReadingsBuilder } from './chunk-readings.ts';
import { type InterpolationRules, interpolationRules, SampleInterpolator } from './interpolation.ts';
import type { ChunkSamples, PlannedChunk } from './plan.ts';
import { SampleReader } from './sample-reader.ts';

/** Options of a `ChunkReader`. */
export interface ChunkReaderOptions extends DecodingOptions {
  readonly plan: 'full' | 'adaptive';
  readonly hud?: HudSettings | undefined;
  /** The recording is this companion of the profile's. */
  readonly companion?: string | undefined;
}

/** Reads the chunks of an open recording with the detectors of a profile, one after the other, in the thread that made it. */
export class ChunkReader implements Disposable {
  readonly #file: VideoFile;
  readonly #reader: SampleReader;
  readonly #activity: PossibleActivity;
  readonly #interpolation: InterpolationRules | undefined;
  readonly #adaptive: AdaptiveReader | undefined;
  readonly #options: ChunkReaderOptions;
  /** Number of the chunk that was read last. */
  #last: number | undefined;

  private constructor(file: VideoFile, reader: SampleReader, game: CompiledProfile, options: ChunkReaderOptions) {
    this.#file = file;
    this.#reader = reader;
    this.#options = options;
    this.#activity = reader.createActivity();
    this.#interpolation = interpolationRules(game, options.companion);
    this.#adaptive = options.plan === 'full' ? undefined : AdaptiveReader.create(game, reader, options.companion);
  }

  /** Reads from `file`, which its owner closes. */
  static async open(file: VideoFile, game: CompiledProfile, options: ChunkReaderOptions): Promise<ChunkReader> {
    const reader = await SampleReader.open(game, file.info, { hud: options.hud, media: options.companion });
    if (reader.needsVectors) file.exportMotionVectors();
    return new ChunkReader(file, reader, game, options);
  }

  /** Reads a chunk. Rejects with the signal's reason soon after it is aborted. */
  async read(request: PlannedChunk, context: ReadContext = {}): Promise<ChunkReadings> {
    const continues = this.#last !== undefined && this.#last + 1 === request.number;
    this.#last = undefined;
    const decoding = new ChunkDecoding(this.#file, request, this.#options, context);
    const readings = this.#adaptive
      ? await this.#adaptive.read(request, decoding, continues)
      : await this.#readFully(request, decoding, continues);
    this.#last = request.number;
    return readings;
  }

  /** Reads every sample. */
  async #readFully(request: PlannedChunk, decoding: ChunkDecoding, continues: boolean): Promise<ChunkReadings> {
    const reader = this.#reader;
    reader.begin(continues);
    if (!continues) {
      this.#activity.begin(request.chunk.t, request.number === 0);
      if (request.warmUp) await this.#warmUp(request.warmUp, decoding);
    }
    const builder = new ReadingsBuilder();
    const batches = reader.batchSizes.size > 0 ? new ReadingBatches(reader) : undefined;
    using interpolator = this.#interpolation && new SampleInterpolator(this.#interpolation, reader, request, builder);
    const options = {
      activity: this.#activity,
      pause: decoding.pause,
      ...(batches ? { defer: (d: number, deferred: Deferred) => batches.take(d, deferred) } : {}),
    };
    const { frames, due } = request.samples;
    let sample = 0;
    for await (const item of decoding.allPictures(request.chunk, frames)) {
      if (isGap(item)) {
        await interpolator?.release();
        builder.gap(item);
        continue;
      }
      while (sample < frames.length && decoding.timeOf(frames[sample]!) < item.t) sample++;
      if (interpolator?.hold(item, sample)) continue;
      using picture = item;
      const seen = await reader.read(picture, due[sample]!, options);
      await interpolator?.release({ t: picture.t, sample, seen });
      builder.add(picture.t, seen);
      await batches?.settle();
      await decoding.pictureRead();
    }
    await interpolator?.release();
    await batches?.settle(true);
    const readings = builder.finish(reader.sketchEnds());
    return batches?.complete(readings) ?? readings;
  }

  /** Reads what regions follow that stay where something was last found. */
  async #warmUp({ chunk, samples }: { chunk: Chunk; samples: ChunkSamples }, decoding: ChunkDecoding): Promise<void> {
    let sample = 0;
    for await (const item of decoding.pictures(chunk, samples.frames)) {
      if (isGap(item)) continue;
      using picture = item;
      while (sample < samples.frames.length && decoding.timeOf(samples.frames[sample]!) < picture.t) sample++;
      await this.#reader.read(picture, samples.due[sample]!);
      await decoding.pictureRead();
    }
    this.#reader.begin(true);
  }

  [Symbol.dispose](): void {
    this.#reader[Symbol.dispose]();
  }
}

/**
 * Readings that a detector makes several at once. Each waits until there are enough, or the chunk is over; until then an
 * observation with the number of the reading stands for it.
 */
class ReadingBatches {
  readonly #reader: SampleReader;
  readonly #sizes: ReadonlyMap<number, number>;
  readonly #waiting = new Map<number, { readonly id: number; readonly deferred: Deferred }[]>();
  readonly #made: Observation[] = [];
  #count = 0;

  constructor(reader: SampleReader) {
    this.#reader = reader;
    this.#sizes = reader.batchSizes;
  }

  /** Takes a reading; undefined where the detector makes its readings one by one. */
  take(detector: number, deferred: Deferred): Observation | undefined {
    if (!this.#sizes.has(detector)) return undefined;
    const id = this.#count++;
    this.#waiting.set(detector, [...(this.#waiting.get(detector) ?? []), { id, deferred }]);
    return { state: 'unreadable', confidence: 0, pending: id } as Observation;
  }

  /** Makes the readings of which there are enough, or all. */
  async settle(all = false): Promise<void> {
    for (const [detector, waiting] of this.#waiting) {
      const size = this.#sizes.get(detector)!;
      while (waiting.length >= (all ? 1 : size)) {
        const batch = waiting.splice(0, size);
        const seen = await this.#reader.settleAll(
          detector,
          batch.map(({ deferred }) => deferred),
        );
        for (const [i, { id }] of batch.entries()) this.#made[id] = seen[i]!;
      }
    }
  }

  /** Puts the readings that were made in their places. */
  complete(readings: ChunkReadings): ChunkReadings {
    if (this.#count === 0) return readings;
    const observations = readings.observations.map((seen) =>
      'pending' in seen ? this.#made[seen.pending as number]! : seen,
    );
    return { ...readings, observations };
  }
}
