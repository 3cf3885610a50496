import { stat } from 'node:fs/promises';
import { checkOutput, type OutputOptions, type OutputPolicy, produceOutput } from '../../files/output.ts';
import type { Rational } from '../../time.ts';
import type { AudioMixOptions } from './audio-mix.ts';
import { addChaptersToMatroska, addToMp4, type Chapter } from './container-edits.ts';
import { even, type FrameFilterOptions, type View } from './frame-filter.ts';
import { type Container, containerForPath, isMp4Family, type TimedText } from './muxer.ts';
import { PlaybyplayError } from '../../errors.ts';
import { findHardwareEncoder, type ReelCodec, softwareEncoder, type VideoEncoding } from './encoder.ts';
import { ReelWriter, type WriterPlan, type WrittenFrames } from './reel-writer.ts';
import { createTimeline, type Cut, RecordingPool, secondsIn, type Timeline } from './timeline.ts';

/**
 * Draws on a frame of the reel by writing to its planes.
 *
 * @param t When the frame is shown, in seconds of the reel.
 * @param cut Index in the list of cuts that was asked for.
 */
export type Paint = (planes: FramePlanes, t: number, cut: number) => void;

/** The 4:2:0 planes of a frame that is about to be encoded. */
export interface FramePlanes {
  readonly width: number;
  readonly height: number;
  /** Y, Cb and Cr. */
  readonly planes: readonly Uint8Array[];
  /** Bytes from one row to the next, per plane. */
  readonly strides: readonly number[];
}

/** What a reel will be, before its frames are written. */
export interface ReelPlan {
  /** Seconds. */
  readonly duration: number;
  readonly width: number;
  readonly height: number;
  readonly cuts: readonly PlacedCut[];
}

/** What a reel contains besides the recordings' frames and audio. Times are seconds of the reel. */
export interface ReelExtras {
  /** Draws into the frames; every frame is then encoded. */
  readonly paint?: Paint | undefined;
  /** A track of captions. */
  readonly captions?: readonly TimedText[] | undefined;
  readonly chapters?: readonly Chapter[] | undefined;
  /** An event log as NDJSON, stored in the file (except in WebM, which has no place for it). */
  readonly log?: string | undefined;
  readonly title?: string | undefined;
}

/** Options of `writeReel`. */
export interface ReelOptions extends AudioMixOptions, FrameFilterOptions, OutputPolicy {
  /** Frame size; default that of the first recording. Rounded to even. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  /**
   * What is shown of a frame; default its middle.
   *
   * @param cut Index in the list of cuts that was asked for.
   * @param t Seconds of the recording.
   * @param at Seconds of the reel.
   */
  readonly view?: ((cut: number, t: number, at: number) => View) | undefined;
  /** One constant frame rate; default that of the recordings, with their own times where they agree. */
  readonly frameRate?: Rational | undefined;
  /** Constant quality on x264's scale: 0 (lossless) to 51; default 20. */
  readonly quality?: number | undefined;
  /** x264 preset; default `veryfast`. */
  readonly preset?: string | undefined;
  /** Codec of encoded video; default H.264. WebM contains VP9. */
  readonly codec?: ReelCodec | undefined;
  /**
   * Encoder by FFmpeg's name; default that of the codec that runs everywhere. `hardware`: the first one of a graphics card
   * that opens, else the default.
   */
  readonly encoder?: string | undefined;
  /** Largest size of the file in bytes: the bitrate is limited accordingly. */
  readonly maxBytes?: number | undefined;
  /**
   * `smart` (default) copies whole groups of pictures where recordings and options allow, and encodes only around the
   * cuts; `full` encodes every frame.
   */
  readonly method?: 'smart' | 'full' | undefined;
  /** Called when the times are known and before frames are written. */
  readonly prepare?: ((plan: ReelPlan) => ReelExtras | Promise<ReelExtras>) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called as the reel grows, with the seconds written and the seconds in all. */
  readonly onProgress?: ((written: number, total: number) => void) | undefined;
}

/** Exact times of a cut's first frame and of the first frame after it, in the recording, and its start in the reel. */
interface PlacedCut {
  readonly media: string;
  readonly start: number;
  readonly end: number;
  readonly speed: number;
  readonly offset: number;
  /** Index in the list of cuts that was asked for. */
  readonly index: number;
}

/** What `writeReel` has written. */
export interface WrittenReel extends ReelPlan {
  readonly path: string;
  /** Number of frames that were copied, and that were encoded. */
  readonly copied: number;
  readonly encoded: number;
  /** FFmpeg's name of the encoder. */
  readonly encoder: string;
  /** Why nothing was copied although `method` allows it: `match.mkv is hevc, not h264`. */
  readonly whyEncoded?: string;
}

export type { Cut };

/**
 * Writes cuts one after the other, with audio, to an mp4, mov, mkv or webm file. The file appears under its name only when
 * it is complete.
 *
 * @throws PlaybyplayError `unwritable`, `output-is-input`, `output-exists`, `no-frame`, `no-encoder`, `encoder-failed`, and those of opening a recording; or
 * the signal's reason.
 *
 * @example
 * ```ts
 * const cuts = [{ media: 'match.mp4', start: 61, end: 68.5 }];
 * const { duration, copied, encoded } = await writeReel('reel.mp4', cuts, { loudness: -16 });
 * ```
 */
export async function writeReel(path: string, cuts: readonly Cut[], options: ReelOptions = {}): Promise<WrittenReel> {
  const inputs = [...(options.inputs ?? []), ...cuts.map(({ media }) => media)];
  const output: OutputOptions = { kind: 'video', inputs, overwrite: options.overwrite };
  await checkOutput(path, output);
  using recordings = new RecordingPool(options.audioTrack);
  const timeline = createTimeline(cuts, recordings, options.frameRate);
  if (timeline.cuts.length === 0) throw new PlaybyplayError('no-frame', 'the cuts contain no frame of the recording');
  const container = containerForPath(path);
  const encoding = chooseEncoding(timeline, options, container);
  const { width, height } = encoding;
  const plan: ReelPlan = { width, height, ...placeCuts(timeline) };
  const extras = (await options.prepare?.(plan)) ?? {};
  const { maxBytes } = options;
  let maxRate = maxBytes === undefined ? undefined : rateWithin(maxBytes, plan.duration);
  for (let attempt = 1; ; attempt++) {
    const limited = maxRate === undefined ? encoding : { ...encoding, maxRate };
    const writerPlan: WriterPlan = { container, timeline, encoding: limited, extras };
    const written = await produceOutput(
      path,
      async (temporaryPath) => {
        const frames = isMp4Family(container)
          ? await writeMp4(temporaryPath, writerPlan, options)
          : await writeMatroska(temporaryPath, writerPlan, options);
        const { size } = await stat(temporaryPath);
        return { frames, excess: maxBytes === undefined ? 0 : size / maxBytes };
      },
      // A file that is too large is replaced.
      attempt === 1 ? output : { ...output, overwrite: true },
    );
    if (written.excess <= 1) return { path, ...plan, ...written.frames, encoder: encoding.encoder };
    if (attempt === MAX_ATTEMPTS)
      throw new PlaybyplayError('too-large', `${path} cannot be made as small as ${maxBytes} bytes`, {
        hint: 'Choose a shorter --duration.',
      });
    maxRate = Math.floor((maxRate! / written.excess) * 0.95);
  }
}

/** How often a reel that is too large is encoded again. */
const MAX_ATTEMPTS = 4;
/** Bits per second of audio, and share of the file that is not frames or audio. */
const AUDIO_BITS_PER_SECOND = 192_000;
const OVERHEAD_SHARE = 0.03;
const MIN_RATE = 50_000;

/** Bits per second of video with which a reel has a size at most. */
function rateWithin(bytes: number, seconds: number): number {
  const bits = bytes * 8 * (1 - OVERHEAD_SHARE);
  return Math.max(MIN_RATE, Math.floor(bits / (seconds + 1) - AUDIO_BITS_PER_SECOND));
}

/** Writes frames, audio and texts, then adds chapters and log. */
async function writeMp4(path: string, plan: WriterPlan, options: ReelOptions): Promise<WrittenFrames> {
  const { captions = [], chapters = [], log } = plan.extras;
  const hasAudio = plan.timeline.cuts.some((cut) => cut.recording.hasAudio);
  const chapterTrack = 1 + Number(hasAudio) + Number(captions.length > 0);
  const written = await writeFrames(path, plan, options);
  await addToMp4(path, { chapters, ...(chapters.length > 0 && { chapterTrack }), ...(log !== undefined && { log }) });
  return written;
}

async function writeMatroska(path: string, plan: WriterPlan, options: ReelOptions): Promise<WrittenFrames> {
  const written = await writeFrames(path, plan, options);
  await addChaptersToMatroska(path, plan.extras.chapters ?? []);
  return written;
}

async function writeFrames(path: string, plan: WriterPlan, options: ReelOptions): Promise<WrittenFrames> {
  using writer = new ReelWriter(path, plan, options);
  // Awaited here, so that the writer lives until its last packet.
  return await writer.write();
}

function placeCuts({ cuts, timeBase, length }: Timeline): Pick<WrittenReel, 'duration' | 'cuts'> {
  return {
    duration: secondsIn(length, timeBase),
    cuts: cuts.map((cut) => {
      const start = cut.recording.seconds(cut.times[0]!);
      return {
        media: cut.recording.path,
        start,
        end: start + secondsIn(cut.length, timeBase) * cut.speed,
        speed: cut.speed,
        offset: secondsIn(cut.offset, timeBase),
        index: cut.index,
      };
    }),
  };
}

function chooseEncoding(
  timeline: Timeline,
  options: ReelOptions,
  container: Container,
): VideoEncoding & { readonly encoder: string } {
  const first = timeline.cuts[0]!.recording;
  const defaultEncoder = container === 'webm' ? 'libvpx-vp9' : softwareEncoder(options.codec);
  const encoding = {
    width: even(options.width ?? first.width),
    height: even(options.height ?? first.height),
    timeBase: timeline.timeBase,
    frameRate: timeline.frameRate,
    encoder: options.encoder ?? defaultEncoder,
    color: first.color,
    quality: options.quality,
    preset: options.preset,
  };
  if (options.encoder === 'hardware') {
    const hardwareEncoder = container === 'webm' ? undefined : findHardwareEncoder(encoding, options.codec);
    return { ...encoding, encoder: hardwareEncoder ?? defaultEncoder };
  }
  if (container === 'webm' && (encoding.encoder !== defaultEncoder || options.codec !== undefined))
    throw new PlaybyplayError('no-encoder', `webm contains VP9, which ${options.codec ?? encoding.encoder} is not`, {
      hint: 'Name the reel .mp4, .mov or .mkv.',
    });
  return encoding;
}
