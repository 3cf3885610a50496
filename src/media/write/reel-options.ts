import type { Rational } from '../../time.ts';
import type { FrameFilterOptions } from './frame-filter.ts';
import type { AudioMixOptions } from './audio-mix.ts';
import type { TimedText } from './muxer.ts';

/** Draws on a frame of the reel, shown at `t` seconds of it; `cut` is an index in the list given. Planes may be written to. */
export type Paint = (planes: FramePlanes, t: number, cut: number) => void;

/** The 4:2:0 planes of a frame about to be encoded. */
export interface FramePlanes {
  readonly width: number;
  readonly height: number;
  readonly planes: readonly Uint8Array[];
  readonly strides: readonly number[];
}

/** What a reel will be: known before its frames are written. */
export interface ReelPlan {
  /** Seconds. */
  readonly duration: number;
  readonly width: number;
  readonly height: number;
  readonly cuts: readonly PlacedCut[];
}

/** What goes along with the frames. Times are seconds of the reel. */
export interface ReelExtras {
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

export interface ReelOptions extends AudioMixOptions, FrameFilterOptions {
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
  readonly prepare?: (plan: ReelPlan) => ReelExtras | Promise<ReelExtras>;
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
  /** What encoded them, by FFmpeg's name. */
  readonly encoder: string;
  /** Why nothing could be copied, where that was wanted: `match.mkv is hevc, not h264`. */
  readonly whyEncoded?: string;
}
