import { Codec, avGetCodecName } from 'node-av/lib';
import type { FormatContext, Stream } from 'node-av/lib';
import { AVMEDIA_TYPE_AUDIO, AVMEDIA_TYPE_VIDEO, AV_DISPOSITION_ATTACHED_PIC } from 'node-av/constants';
import { PlaybyplayError } from '../../errors.ts';
import { lengthOf } from './info.ts';

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
