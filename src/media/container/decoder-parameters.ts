import { CodecParameters, Rational } from 'node-av/lib';
import { AVMEDIA_TYPE_VIDEO } from 'node-av/constants';
import type { VideoInfo } from './info.ts';

/** Codecs whose decoders need only a packet's bytes and the parameters below. */
const SELF_CONTAINED_CODECS: ReadonlySet<string> = new Set(['h264', 'hevc', 'vp9', 'av1']);

/**
 * Whether packets can be read from the file by offset and decoded without a demuxer: mp4 and mov store each packet in one
 * piece (ISO/IEC 14496-12 §8.7).
 */
export function hasStoredPackets(info: Pick<VideoInfo, 'container' | 'codec'>): boolean {
  return info.container.startsWith('mov,') && SELF_CONTAINED_CODECS.has(info.codec);
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

/** AVCodecParameters as plain data, which can be sent to another thread. */
export interface DecoderParameters extends Pick<CodecParameters, (typeof FIELDS)[number]> {
  readonly extradata: Uint8Array | null;
  /** Numerator and denominator. */
  readonly sampleAspectRatio: readonly [number, number];
}

/** Copies FFmpeg's parameters into plain data. */
export function copyDecoderParameters(stream: CodecParameters): DecoderParameters {
  const plain = Object.fromEntries(FIELDS.map((field) => [field, stream[field]])) as Pick<
    CodecParameters,
    (typeof FIELDS)[number]
  >;
  const { num, den } = stream.sampleAspectRatio;
  const extradata = stream.extradata && Uint8Array.from(stream.extradata);
  return { ...plain, extradata, sampleAspectRatio: [num, den] };
}

/** Converts plain data back to FFmpeg's parameters, which the caller frees. */
export function toCodecParameters(plain: DecoderParameters): CodecParameters {
  const parameters = new CodecParameters();
  parameters.alloc();
  const { sampleAspectRatio, extradata, ...fields } = plain;
  parameters.codecType = AVMEDIA_TYPE_VIDEO;
  Object.assign(parameters, fields);
  parameters.extradata = extradata && Buffer.from(extradata);
  parameters.sampleAspectRatio = new Rational(...sampleAspectRatio);
  return parameters;
}
