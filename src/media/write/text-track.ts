import { AV_CODEC_ID_MOV_TEXT, AV_CODEC_ID_SUBRIP, AV_CODEC_ID_WEBVTT, AVMEDIA_TYPE_SUBTITLE } from 'node-av/constants';
import type { CodecParameters } from 'node-av/lib';
import type { Container } from './container.ts';

/** A text shown from `start` to `end` seconds of a reel. */
export interface TimedText {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Sets a stream up for timed text as the container holds it. */
export function describeTextStream(parameters: CodecParameters, container: Container): void {
  parameters.codecType = AVMEDIA_TYPE_SUBTITLE;
  if (container === 'webm') parameters.codecId = AV_CODEC_ID_WEBVTT;
  else if (container === 'matroska') parameters.codecId = AV_CODEC_ID_SUBRIP;
  else {
    parameters.codecId = AV_CODEC_ID_MOV_TEXT;
    parameters.extradata = sampleEntry();
  }
}

/** A sample: in mp4 the text behind its length (3GPP TS 26.245), elsewhere the text alone. */
export function textSample(text: string, container: Container): Buffer {
  const words = Buffer.from(text);
  if (container === 'matroska' || container === 'webm') return words;
  const length = Buffer.alloc(2);
  length.writeUInt16BE(words.length);
  return Buffer.concat([length, words]);
}

/** The sample description behind its common head (3GPP TS 26.245 §5.16): centred at the bottom, white, one font. */
function sampleEntry(): Buffer {
  const font = Buffer.from('Sans-Serif');
  return Buffer.concat([
    Buffer.from([0, 0, 0, 0]), // display flags
    Buffer.from([1, 0xff]), // justified to the middle, at the bottom
    Buffer.from([0, 0, 0, 0]), // background, transparent
    Buffer.alloc(8), // text box: the whole track
    Buffer.from([0, 0, 0, 0, 0, 1, 0, 18, 255, 255, 255, 255]), // style: font 1, size 18, white
    Buffer.from([0, 0, 0, 5 + 8 + font.length, ...Buffer.from('ftab'), 0, 1, 0, 1, font.length]),
    font,
  ]);
}
