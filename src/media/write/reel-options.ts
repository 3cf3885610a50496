import type { OutputPolicy } from '../../files/output.ts';
import type { Rational } from '../../time.ts';
import type { AudioMixOptions } from './audio-mix.ts';
import type { Chapter } from './container-edits.ts';
import type { FrameFilterOptions } from './frame-filter.ts';
import type { TimedText } from './muxer.ts';

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
  readonly paint?: Paint;
  /** A track of captions. */
  readonly captions?: readonly TimedText[];
  readonly chapters?: readonly Chapter[];
  /** An event log as NDJSON, stored in the file (except in WebM, which has no place for it). */
  readonly log?: string;
  readonly title?: string;
}

/** Options of `writeReel`. */
export interface ReelOptions extends AudioMixOptions, FrameFilterOptions, OutputPolicy {
  /** Frame size; default that of the first recording. Rounded to even. */
  readonly width?: number;
  readonly height?: number;
  /** A crop follows the action instead of staying in the middle. */
  readonly follow?: boolean;
  /** One constant frame rate; default that of the recordings, with their own times where they agree. */
  readonly frameRate?: Rational;
  /** Constant quality on x264's scale: 0 (lossless) to 51; default 20. */
  readonly quality?: number;
  /** x264 preset; default `veryfast`. */
  readonly preset?: string;
  /**
   * Encoder by FFmpeg's name; default x264, for WebM VP9. `hardware`: the first H.264 encoder of a graphics card that
   * opens, else the default.
   */
  readonly encoder?: string;
  /**
   * `smart` (default) copies whole groups of pictures where recordings and options allow, and encodes only around the
   * cuts; `full` encodes every frame.
   */
  readonly method?: 'smart' | 'full';
  /** Called when the times are known and before frames are written. */
  readonly prepare?: (plan: ReelPlan) => ReelExtras | Promise<ReelExtras>;
  readonly signal?: AbortSignal;
  /** Called as the reel grows, with the seconds written and the seconds in all. */
  readonly onProgress?: (written: number, total: number) => void;
}

/** Exact times of a cut's first frame and of the first frame after it, in the recording, and its start in the reel. */
export interface PlacedCut {
  readonly media: string;
  readonly start: number;
  readonly end: number;
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
