import {
  AVCOL_RANGE_JPEG,
  AVCOL_SPC_BT2020_CL,
  AVCOL_SPC_BT2020_NCL,
  AVCOL_SPC_BT709,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_VIDEO,
  AV_DISPOSITION_ATTACHED_PIC,
  AV_NOPTS_VALUE,
  AV_PKT_DATA_DISPLAYMATRIX,
  type AVColorRange,
  type AVColorSpace,
  type AVPixelFormat,
} from 'node-av/constants';
import { avGetCodecName, avGetPixFmtName, Codec, type FormatContext, type Stream } from 'node-av/lib';
import { PlaybyplayError } from '../../errors.ts';
import { roundTime, type Rational } from '../../time.ts';
import type { ColorEncoding } from '../picture.ts';

/** Clockwise rotation, in degrees, that makes the coded picture upright. */
export type Rotation = 0 | 90 | 180 | 270;

/** One audio track of a video file. */
export interface AudioStreamInfo {
  /** Stream index in the container. */
  readonly index: number;
  /** 0 for the first audio track, 1 for the second… */
  readonly track: number;
  readonly codec: string;
  readonly sampleRate: number;
  readonly channels: number;
  readonly title?: string;
  readonly language?: string;
}

/** What a container says about its video stream. */
export interface VideoInfo {
  /** FFmpeg's name of the demuxer, such as `mov,mp4,m4a,3gp,3g2,mj2`. */
  readonly container: string;
  /** FFmpeg's name of the codec, such as `h264`. */
  readonly codec: string;
  /** Pixels of the upright picture. */
  readonly width: number;
  readonly height: number;
  /** Width of a pixel divided by its height; left out for square pixels. */
  readonly pixelAspect?: number;
  readonly pixelFormat: string;
  /** Seconds per tick of the stream's timestamps. */
  readonly timeBase: Rational;
  /** Average frames per second; 0/1 where unknown. */
  readonly frameRate: Rational;
  /** Container time of the stream's first frame, in seconds. */
  readonly startOffset: number;
  /** Seconds as the container declares them; undefined where it does not. */
  readonly duration: number | undefined;
  /** Whether `duration` is that of the video stream; otherwise it is the file's, whose audio may be longer. */
  readonly durationOfPictures: boolean;
  readonly rotation: Rotation;
  readonly color: ColorEncoding;
  readonly audio: readonly AudioStreamInfo[];
  /** Number of further video streams, which are not read. */
  readonly otherVideos?: number;
}

/**
 * Describes the video stream of an open container.
 *
 * @param videos How many video streams the container has.
 */
export function describeVideo(format: FormatContext, stream: Stream, videos = 1): VideoInfo {
  const parameters = stream.codecpar;
  const rotation = readRotation(parameters.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX));
  const isSideways = rotation === 90 || rotation === 270;
  const rate = stream.avgFrameRate.num > 0 ? stream.avgFrameRate : stream.rFrameRate;
  const streamDuration = streamSeconds(stream);
  const fileDuration = format.duration > 0n ? Number(format.duration) / 1e6 : undefined;
  const duration = streamDuration ?? fileDuration;
  const audio = describeAudio(format);
  return {
    container: format.iformat?.name ?? 'unknown',
    codec: avGetCodecName(parameters.codecId) ?? 'unknown',
    width: isSideways ? parameters.height : parameters.width,
    height: isSideways ? parameters.width : parameters.height,
    ...readPixelAspect(parameters.sampleAspectRatio, isSideways),
    pixelFormat: avGetPixFmtName(parameters.format as AVPixelFormat) ?? 'unknown',
    timeBase: { num: stream.timeBase.num, den: stream.timeBase.den },
    frameRate: { num: rate.num, den: rate.den || 1 },
    startOffset: roundTime(startSeconds(stream)),
    duration: duration === undefined ? undefined : roundTime(duration),
    durationOfPictures: streamDuration !== undefined || audio.length === 0,
    rotation,
    color: toColorEncoding(parameters.colorSpace, parameters.colorRange),
    audio,
    ...(videos > 1 ? { otherVideos: videos - 1 } : {}),
  };
}

/** Length of a stream in seconds; undefined where the container does not declare it. */
function streamSeconds(stream: Stream): number | undefined {
  const scale = stream.timeBase.num / stream.timeBase.den;
  return stream.duration > 0n ? Number(stream.duration) * scale : readDurationTag(stream);
}

function startSeconds({ startTime, timeBase }: Stream): number {
  return startTime === AV_NOPTS_VALUE ? 0 : (Number(startTime) * timeBase.num) / timeBase.den;
}

/** Matroska's tag says when a stream ends, as in `00:00:12.057000000`. */
function readDurationTag(stream: Stream): number | undefined {
  const parts = /^(\d+):(\d+):(\d+(?:\.\d+)?)$/.exec(stream.metadata?.get('DURATION') ?? '');
  if (!parts) return undefined;
  const [hours, minutes, seconds] = parts.slice(1).map(Number);
  return hours! * 3600 + minutes! * 60 + seconds! - startSeconds(stream);
}

/** Within half a percent of square is rounding. */
function readPixelAspect({ num, den }: Rational, isSideways: boolean): { readonly pixelAspect?: number } {
  if (!(num > 0 && den > 0) || Math.abs(num / den - 1) < 0.005) return {};
  const aspect = isSideways ? den / num : num / den;
  return aspect > 0.1 && aspect < 10 ? { pixelAspect: aspect } : {};
}

function describeAudio(format: FormatContext): AudioStreamInfo[] {
  const audio = format.streams.filter((stream) => stream.codecpar.codecType === AVMEDIA_TYPE_AUDIO);
  return audio.map((stream, track) => {
    const title = stream.metadata?.get('title');
    const language = stream.metadata?.get('language');
    return {
      index: stream.index,
      track,
      codec: avGetCodecName(stream.codecpar.codecId) ?? 'unknown',
      sampleRate: stream.codecpar.sampleRate,
      channels: stream.codecpar.channels,
      ...(title ? { title } : {}),
      ...(language && language !== 'und' ? { language } : {}),
    };
  });
}

/**
 * Matrix and range of a stream or frame. An undeclared matrix is taken as BT.601, as FFmpeg's converter does in both
 * directions: most undeclared video comes from RGB that FFmpeg converted.
 */
export function toColorEncoding(space: AVColorSpace, range: AVColorRange): ColorEncoding {
  const matrix =
    space === AVCOL_SPC_BT709
      ? 'bt709'
      : space === AVCOL_SPC_BT2020_NCL || space === AVCOL_SPC_BT2020_CL
        ? 'bt2020'
        : 'bt601';
  return { matrix, fullRange: range === AVCOL_RANGE_JPEG };
}

/** The nearest quarter turn of a display matrix: nine little-endian 16.16 fixed-point numbers (ISO/IEC 14496-12 §8.5). */
function readRotation(matrix: Uint8Array | null): Rotation {
  if (!matrix || matrix.byteLength < 36) return 0;
  const view = new DataView(matrix.buffer, matrix.byteOffset, matrix.byteLength);
  const angle = (Math.atan2(view.getInt32(4, true), view.getInt32(0, true)) * 180) / Math.PI;
  const quarter = ((Math.round(angle / 90) % 4) + 4) % 4;
  return ([0, 90, 180, 270] as const)[quarter]!;
}

/** Codecs of still images, in which covers and previews are stored. */
const STILL_IMAGE_CODECS: ReadonlySet<string> = new Set(['mjpeg', 'png', 'bmp', 'webp', 'tiff', 'gif', 'jpeg2000']);
/** Video streams shorter than this share of the longest are not the recording. */
const MIN_LENGTH_RATIO = 0.5;

/**
 * Chooses the stream to read: the largest picture of the video streams that are not much shorter than the longest, the
 * first of equal ones.
 *
 * @throws PlaybyplayError `no-video-stream`, `not-a-video`, `unsupported-codec`.
 */
export function chooseVideoStream(format: FormatContext, path: string): Stream {
  const videos = listVideoStreams(format);
  if (format.iformat?.name === 'tty' || format.streams.length === 0) {
    throw new PlaybyplayError('not-a-video', `${path} is not a video file`);
  }
  const best = candidates(format, videos.filter(hasSize)).toSorted(
    (a, b) => b.codecpar.width * b.codecpar.height - a.codecpar.width * a.codecpar.height || a.index - b.index,
  )[0];
  if (best) {
    const { codecId } = best.codecpar;
    if (!Codec.findDecoder(codecId))
      throw new PlaybyplayError('unsupported-codec', `${path}: no decoder for ${avGetCodecName(codecId)}`);
    return best;
  }
  if (videos.length > 0) throw new PlaybyplayError('not-a-video', `${path}: its video stream has no pictures`);
  const hasAudio = format.streams.some((stream) => stream.codecpar.codecType === AVMEDIA_TYPE_AUDIO);
  throw new PlaybyplayError('no-video-stream', `${path} contains no video, only ${hasAudio ? 'audio' : 'other data'}`);
}

/** Counts the video streams among which `chooseVideoStream` chooses. */
export function countVideoStreams(format: FormatContext): number {
  return candidates(format, listVideoStreams(format).filter(hasSize)).length;
}

function listVideoStreams(format: FormatContext): Stream[] {
  return format.streams.filter(
    ({ codecpar, disposition }) =>
      codecpar.codecType === AVMEDIA_TYPE_VIDEO && (disposition & AV_DISPOSITION_ATTACHED_PIC) === 0,
  );
}

/** Subtitles, data and text art have a video "decoder" too, but no size. */
function hasSize({ codecpar }: Stream): boolean {
  return codecpar.width > 0 && codecpar.height > 0;
}

/** Leaves out covers that are not marked as such, and streams much shorter than the longest. */
function candidates(format: FormatContext, streams: readonly Stream[]): readonly Stream[] {
  if (streams.length < 2) return streams;
  const moving = streams.filter(({ codecpar }) => !STILL_IMAGE_CODECS.has(avGetCodecName(codecpar.codecId) ?? ''));
  const remaining = moving.length > 0 ? moving : streams;
  const fileSeconds = format.duration > 0n ? Number(format.duration) / 1e6 : undefined;
  const lengths = remaining.map((stream) => streamSeconds(stream) ?? fileSeconds);
  const longest = Math.max(0, ...lengths.filter((length) => length !== undefined));
  // One whose length nobody says may be the recording.
  return remaining.filter((_, i) => (lengths[i] ?? longest) >= MIN_LENGTH_RATIO * longest);
}
