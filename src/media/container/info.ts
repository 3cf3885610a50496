import {
  AVCOL_RANGE_JPEG,
  AVCOL_SPC_BT2020_CL,
  AVCOL_SPC_BT2020_NCL,
  AVCOL_SPC_BT709,
  AVMEDIA_TYPE_AUDIO,
  AV_NOPTS_VALUE,
  AV_PKT_DATA_DISPLAYMATRIX,
  type AVColorRange,
  type AVColorSpace,
  type AVPixelFormat,
  AVMEDIA_TYPE_VIDEO,
  AV_DISPOSITION_ATTACHED_PIC,
} from 'node-av/constants';
import { avGetCodecName, avGetPixFmtName, type FormatContext, type Stream, Codec } from 'node-av/lib';
import { PlaybyplayError } from '../../errors.ts';
import { roundTime, type Rational } from '../../time.ts';
import type { ColorEncoding } from '../picture.ts';

/** Clockwise turn, in degrees, that makes the coded picture upright. */
export type Rotation = 0 | 90 | 180 | 270;

/** One sound track of a video file. */
export interface AudioStreamInfo {
  /** Stream index in the container. */
  readonly index: number;
  /** 0 for the first track, 1 for the second… */
  readonly track: number;
  readonly codec: string;
  readonly sampleRate: number;
  readonly channels: number;
  readonly title?: string;
  readonly language?: string;
}

/** What a container says about its video stream. */
export interface VideoInfo {
  /** Demuxer name, as FFmpeg gives it: `mov,mp4,m4a,3gp,3g2,mj2`. */
  readonly container: string;
  readonly codec: string;
  /** Pixels of the upright picture. */
  readonly width: number;
  readonly height: number;
  /** How many times as wide as high a pixel is shown; left out where it is as wide as high. */
  readonly pixelAspect?: number;
  readonly pixelFormat: string;
  /** Seconds per tick of the stream's timestamps. */
  readonly timeBase: Rational;
  /** Average frames per second, 0/1 where unknown. */
  readonly frameRate: Rational;
  /** Container time of the stream's first frame, in seconds. */
  readonly startOffset: number;
  /** Seconds as the container declares them; undefined where it does not. */
  readonly duration: number | undefined;
  /** The duration is that of the pictures; else that of the file, whose sound may be longer. */
  readonly durationOfPictures: boolean;
  readonly rotation: Rotation;
  readonly color: ColorEncoding;
  readonly audio: readonly AudioStreamInfo[];
  /** Streams of moving pictures besides the one that is read. */
  readonly otherVideos?: number;
}

/** Reads the description from an opened container; `videos`: how many such streams it holds. */
export function describeVideo(format: FormatContext, stream: Stream, videos = 1): VideoInfo {
  const par = stream.codecpar;
  const rotation = rotationOf(par.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX));
  const turned = rotation === 90 || rotation === 270;
  const timeBase = { num: stream.timeBase.num, den: stream.timeBase.den };
  const rate = stream.avgFrameRate.num > 0 ? stream.avgFrameRate : stream.rFrameRate;
  const start = startOf(stream);
  const ofPictures = lengthOf(stream);
  const ofFile = format.duration > 0n ? Number(format.duration) / 1e6 : undefined;
  const duration = ofPictures ?? ofFile;
  const audio = audioStreams(format);
  return {
    container: format.iformat?.name ?? 'unknown',
    codec: avGetCodecName(par.codecId) ?? 'unknown',
    width: turned ? par.height : par.width,
    height: turned ? par.width : par.height,
    ...pixelAspectOf(par.sampleAspectRatio, turned),
    pixelFormat: avGetPixFmtName(par.format as AVPixelFormat) ?? 'unknown',
    timeBase,
    frameRate: { num: rate.num, den: rate.den || 1 },
    startOffset: roundTime(start),
    duration: duration === undefined ? undefined : roundTime(duration),
    durationOfPictures: ofPictures !== undefined || audio.length === 0,
    rotation,
    color: colorOf(par.colorSpace, par.colorRange),
    audio,
    ...(videos > 1 ? { otherVideos: videos - 1 } : {}),
  };
}

/** Seconds that a container gives a stream; undefined where it does not say. */
export function lengthOf(stream: Stream): number | undefined {
  const scale = stream.timeBase.num / stream.timeBase.den;
  return stream.duration > 0n ? Number(stream.duration) * scale : durationTag(stream, startOf(stream));
}

function startOf({ startTime, timeBase }: Stream): number {
  return startTime === AV_NOPTS_VALUE ? 0 : (Number(startTime) * timeBase.num) / timeBase.den;
}

/** Anamorphic video says how wide its pixels are; what is within half a percent of square is rounding. */
function pixelAspectOf({ num, den }: Rational, turned: boolean): { readonly pixelAspect?: number } {
  if (!(num > 0 && den > 0) || Math.abs(num / den - 1) < 0.005) return {};
  const aspect = turned ? den / num : num / den;
  return aspect > 0.1 && aspect < 10 ? { pixelAspect: aspect } : {};
}

/** Matroska's tag says when a stream ends: `00:00:12.057000000`. */
function durationTag(stream: Stream, start: number): number | undefined {
  const parts = /^(\d+):(\d+):(\d+(?:\.\d+)?)$/.exec(stream.metadata?.get('DURATION') ?? '');
  if (!parts) return undefined;
  const [hours, minutes, seconds] = parts.slice(1).map(Number);
  return hours! * 3600 + minutes! * 60 + seconds! - start;
}

function audioStreams(format: FormatContext): AudioStreamInfo[] {
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
 * The matrix and range of a stream or frame. An undeclared matrix is taken as BT.601, as FFmpeg's converter does in
 * both directions: undeclared video mostly comes from RGB that FFmpeg converted.
 */
export function colorOf(space: AVColorSpace, range: AVColorRange): ColorEncoding {
  const matrix =
    space === AVCOL_SPC_BT709
      ? 'bt709'
      : space === AVCOL_SPC_BT2020_NCL || space === AVCOL_SPC_BT2020_CL
        ? 'bt2020'
        : 'bt601';
  return { matrix, fullRange: range === AVCOL_RANGE_JPEG };
}

/** The nearest quarter turn in a display matrix (nine little-endian 16.16 fixed-point numbers, ISO/IEC 14496-12 §8.5). */
function rotationOf(matrix: Uint8Array | null): Rotation {
  if (!matrix || matrix.byteLength < 36) return 0;
  const view = new DataView(matrix.buffer, matrix.byteOffset, matrix.byteLength);
  const angle = (Math.atan2(view.getInt32(4, true), view.getInt32(0, true)) * 180) / Math.PI;
  const quarter = ((Math.round(angle / 90) % 4) + 4) % 4;
  return ([0, 90, 180, 270] as const)[quarter]!;
}

/** Codecs of still pictures, in which covers and previews come. */
const STILL: ReadonlySet<string> = new Set(['mjpeg', 'png', 'bmp', 'webp', 'tiff', 'gif', 'jpeg2000']);
/** What is shorter than this share of the longest is not what was recorded. */
const SHORT = 0.5;

/**
 * The stream that was recorded: of those with moving pictures, as long as the longest or nearly, the largest; the first of equal ones.
 * Throws PlaybyplayError `no-video-stream`, `not-a-video`, `unsupported-codec`.
 */
export function bestVideoStream(format: FormatContext, path: string): Stream {
  const videos = videoStreams(format);
  if (format.iformat?.name === 'tty' || format.streams.length === 0) {
    throw new PlaybyplayError('not-a-video', `${path} is not a video file`);
  }
  const best = recorded(format, videos.filter(hasSize)).toSorted(
    (a, b) => b.codecpar.width * b.codecpar.height - a.codecpar.width * a.codecpar.height || a.index - b.index,
  )[0];
  if (best) {
    if (!Codec.findDecoder(best.codecpar.codecId)) {
      throw new PlaybyplayError(
        'unsupported-codec',
        `${path}: no decoder for ${avGetCodecName(best.codecpar.codecId)}`,
      );
    }
    return best;
  }
  if (videos.length > 0) throw new PlaybyplayError('not-a-video', `${path}: its video stream holds no picture`);
  throw new PlaybyplayError('no-video-stream', `${path} holds no video, only ${kinds(format)}`);
}

/** How many streams of moving pictures a container has. */
export function countVideos(format: FormatContext): number {
  return recorded(format, videoStreams(format).filter(hasSize)).length;
}

function videoStreams(format: FormatContext): Stream[] {
  return format.streams.filter(
    (stream) =>
      stream.codecpar.codecType === AVMEDIA_TYPE_VIDEO && (stream.disposition & AV_DISPOSITION_ATTACHED_PIC) === 0,
  );
}

/** Subtitles, data and text art have a video "decoder" too; a picture without size is none. */
function hasSize({ codecpar }: Stream): boolean {
  return codecpar.width > 0 && codecpar.height > 0;
}

/** Without covers that are not marked as such, and without what is much shorter than the rest. */
function recorded(format: FormatContext, streams: readonly Stream[]): readonly Stream[] {
  if (streams.length < 2) return streams;
  const moving = streams.filter(({ codecpar }) => !STILL.has(avGetCodecName(codecpar.codecId) ?? ''));
  const candidates = moving.length > 0 ? moving : streams;
  const lengths = candidates.map((stream) => lengthOf(stream) ?? Number(format.duration) / 1e6);
  const longest = Math.max(...lengths);
  return candidates.filter((_, i) => !(lengths[i]! < SHORT * longest));
}

function kinds(format: FormatContext): string {
  return format.streams.some((stream) => stream.codecpar.codecType === AVMEDIA_TYPE_AUDIO) ? 'sound' : 'other data';
}
