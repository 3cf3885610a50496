import { rename, rm } from 'node:fs/promises';
import { extname } from 'node:path';
import type { Rational } from '../../time.ts';
import { hardwareEncoder, type VideoEncoding } from './encoder.ts';
import { finishMatroska } from './finish-matroska.ts';
import { finishMp4 } from './finish.ts';
import type { FitOptions } from './fit.ts';
import { even } from './frame-layout.ts';
import type { Container } from './muxer.ts';
import { ReelWriter, type WriterPlan } from './reel-writer.ts';
import type { SoundOptions } from './sound-track.ts';
import type { TimedText } from './text-track.ts';
import { layOut, Recordings, secondsIn, type Cut, type Timeline } from './timeline.ts';

/** Draws on a frame of the reel, shown at `t` seconds of it; `cut` is an index in the list given. Planes may be written to. */
export type Paint = (planes: FramePlanes, t: number, cut: number) => void;

/** The 4:2:0 planes of a frame about to be encoded. */
export interface FramePlanes {
  readonly width: number;
  readonly height: number;
  readonly planes: readonly Uint8Array[];
  readonly strides: readonly number[];
}

export type { Cut };

/** What a reel will be: known before its frames are written. */
export interface ReelPlan {
  /** Seconds. */
  readonly duration: number;
  readonly width: number;
  readonly height: number;
  readonly cuts: readonly PlacedCut[];
}

/** What goes along with the frames. Times are seconds of the reel. */
export interface Accompaniment {
  /** Drawn into the frames: then every frame is encoded. */
  readonly paint?: Paint;
  /** A track of captions. */
  readonly captions?: readonly TimedText[];
  /** Chapter marks. */
  readonly chapters?: readonly { readonly start: number; readonly end: number; readonly title: string }[];
  /** An event log as NDJSON, kept in the file (not in WebM, which has no place for it). */
  readonly log?: string;
  readonly title?: string;
}

export interface ReelOptions extends SoundOptions, FitOptions {
  /** Frame size; default that of the first recording. Made even. */
  readonly width?: number;
  readonly height?: number;
  /** A crop follows the action instead of staying in the middle. */
  readonly follow?: boolean;
  /** One constant frame rate for the whole reel; default that of the recordings, their own times where they agree. */
  readonly frameRate?: Rational;
  /** Constant quality of the encoder, as x264 counts: 0 (lossless) to 51, default 20. */
  readonly quality?: number;
  readonly preset?: string;
  /**
   * Encoder by FFmpeg's name; default x264, for WebM VP9. `hardware`: the first H.264 encoder of a graphics card that
   * opens, else the default.
   */
  readonly encoder?: string;
  /**
   * `smart` copies whole groups of pictures and encodes only around the cuts, where recordings and options allow;
   * `full` encodes every frame; default `smart`.
   */
  readonly method?: 'smart' | 'full';
  /** Called once the times are known and before frames are written, for what depends on them. */
  readonly prepare?: (plan: ReelPlan) => Accompaniment | Promise<Accompaniment>;
  readonly signal?: AbortSignal;
  /** Called as the reel grows, with the seconds written and the seconds in all. */
  readonly onProgress?: (written: number, total: number) => void;
}

/** Where a cut ended up: exact times of its first frame and of the first frame behind it, in the recording and in the reel. */
export interface PlacedCut {
  readonly media: string;
  readonly start: number;
  readonly end: number;
  readonly offset: number;
  /** Index in the list of cuts that was asked for. */
  readonly index: number;
}

export interface WrittenReel extends ReelPlan {
  readonly path: string;
  /** Frames by how they came into the reel. */
  readonly copied: number;
  readonly encoded: number;
  /** Why nothing could be copied, where that was wanted: `match.mkv is hevc, not h264`. */
  readonly whyEncoded?: string;
}

/**
 * Writes the cuts one after the other as mp4, mov, mkv or webm (by the name), with sound. The file appears under its
 * name only when it is complete. Throws PlaybyplayError `unwritable`, `unreadable-media`, `no-video`, or the signal's
 * reason.
 */
export async function writeReel(path: string, cuts: readonly Cut[], options: ReelOptions = {}): Promise<WrittenReel> {
  using recordings = new Recordings();
  const timeline = layOut(cuts, recordings, options.frameRate);
  if (timeline.cuts.length === 0) throw new RangeError('no cut holds a frame');
  const container = containerOf(path);
  const encoding = encodingOf(timeline, options, container);
  const { width, height } = encoding;
  const plan: ReelPlan = { width, height, ...placesOf(timeline) };
  const accompaniment = (await options.prepare?.(plan)) ?? {};
  // Named by the process: two that write the same reel must not write into one file.
  const parts = [`${path}.${process.pid}.part`, `${path}.${process.pid}.part2`] as const;
  try {
    const counts = await writeFrames(parts[0], container, { timeline, encoding, accompaniment }, options);
    if (container === 'mp4' || container === 'mov') {
      const { captions = [], chapters = [], log, title } = accompaniment;
      const before = 1 + Number(timeline.cuts.some((cut) => cut.recording.hasSound)) + Number(captions.length > 0);
      await finishMp4(
        parts[0],
        parts[1],
        {
          chapters,
          ...(chapters.length > 0 && { chapterTrack: before }),
          ...(log !== undefined && { log }),
          ...(title !== undefined && { title }),
        },
        options.signal,
      );
      await rename(parts[1], path);
    } else {
      const { chapters = [], log } = accompaniment;
      const titles = chapters.map(({ start, end, title }) => ({ start, end, text: title }));
      const attached = container === 'matroska' && log !== undefined;
      await finishMatroska(parts[0], { chapters: titles, ...(attached && { log }) });
      await rename(parts[0], path);
    }
    return { path, ...plan, ...counts };
  } finally {
    for (const part of parts) await rm(part, { force: true });
  }
}

async function writeFrames(path: string, container: Container, plan: WriterPlan, options: ReelOptions) {
  using writer = new ReelWriter(path, container, plan, options);
  // Awaited here: the writer must live until its last packet.
  return await writer.write();
}

function placesOf({ cuts, timeBase, length }: Timeline): Pick<WrittenReel, 'duration' | 'cuts'> {
  return {
    duration: secondsIn(length, timeBase),
    cuts: cuts.map((cut) => {
      const start = cut.recording.seconds(cut.times[0]!);
      return {
        media: cut.recording.path,
        start,
        end: start + secondsIn(cut.length, timeBase),
        offset: secondsIn(cut.offset, timeBase),
        index: cut.index,
      };
    }),
  };
}

function encodingOf(timeline: Timeline, options: ReelOptions, container: Container): VideoEncoding {
  const first = timeline.cuts[0]!.recording;
  const software = container === 'webm' ? 'libvpx-vp9' : 'libx264';
  const encoding = {
    width: even(options.width ?? first.width),
    height: even(options.height ?? first.height),
    timeBase: timeline.timeBase,
    frameRate: timeline.frameRate,
    encoder: options.encoder ?? software,
    color: first.color,
    ...(options.quality !== undefined && { quality: options.quality }),
    ...(options.preset !== undefined && { preset: options.preset }),
  };
  if (options.encoder !== 'hardware') return encoding;
  const found = container === 'webm' ? undefined : hardwareEncoder(encoding);
  return { ...encoding, encoder: found ?? software };
}

function containerOf(path: string): Container {
  const extension = extname(path).toLowerCase();
  if (extension === '.webm') return 'webm';
  if (extension === '.mkv') return 'matroska';
  return extension === '.mov' ? 'mov' : 'mp4';
}
