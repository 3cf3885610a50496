import { CodecParameters, Rational } from 'node-av/lib';
import { AVMEDIA_TYPE_VIDEO } from 'node-av/constants';
import type { VideoInfo } from './info.ts';

/** Codecs whose decoders need nothing of a packet but its bytes, and nothing of the stream but what stands below. */
const CODECS: ReadonlySet<string> = new Set(['h264', 'hevc', 'vp9', 'av1']);

/**
 * Whether packets can be read from the file by place and decoded without the demuxer: mp4 and mov store each in one piece
 * (ISO/IEC 14496-12 §8.7).
 */
export function hasStoredPackets(info: Pick<VideoInfo, 'container' | 'codec'>): boolean {
  return info.container.startsWith('mov,') && CODECS.has(info.codec);
}

/** Fields of FFmpeg's AVCodecParameters that are plain values. */
const FIELDS = [
  'codecId',
  'codecTag',
  'format',
  'bitRate',
  'bitsPerCodedSample',
  'bitsPerRawSample',
  'profile',
  'level',
  'width',
  'height',
  'colorRange',
  'colorPrimaries',
  'colorTrc',
  'colorSpace',
  'chromaLocation',
  'videoDelay',
] as const;

/** What a video decoder is told of its stream, as plain data that can be sent to another thread. */
export interface DecoderParameters extends Pick<CodecParameters, (typeof FIELDS)[number]> {
  readonly extradata: Uint8Array | null;
  /** Numerator and denominator. */
  readonly sampleAspectRatio: readonly [number, number];
}

export function copyDecoderParameters(stream: CodecParameters): DecoderParameters {
  const plain = Object.fromEntries(FIELDS.map((field) => [field, stream[field]])) as Pick<
    CodecParameters,
    (typeof FIELDS)[number]
  >;
  const { num, den } = stream.sampleAspectRatio;
  const extradata = stream.extradata && Uint8Array.from(stream.extradata);
  return { ...plain, extradata, sampleAspectRatio: [num, den] };
}

/** FFmpeg's own form of them; the caller frees it. */
export function toCodecParameters(plain: DecoderParameters): CodecParameters {
  const made = new CodecParameters();
  made.alloc();
  const { sampleAspectRatio, extradata, ...fields } = plain;
  made.codecType = AVMEDIA_TYPE_VIDEO;
  Object.assign(made, fields);
  made.extradata = extradata && Buffer.from(extradata);
  made.sampleAspectRatio = new Rational(...sampleAspectRatio);
  return made;
}
