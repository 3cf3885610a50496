// A thread that reads what a page shows at once of one recording: keyframes near a time, and sound. It needs no index.
import { AV_NOPTS_VALUE } from 'node-av/constants';
import { AudioReader } from '../../media/audio.ts';
import { FrameFilter } from '../../media/write/frame-filter.ts';
import { Recording, type SourceFrame } from '../../media/write/recording.ts';
import { serve, TransferredResult } from '../../threads/serve.ts';
import { encodePixels, type PictureFormat } from './encode-picture.ts';
import type { EncodedFrame } from './frame-thread.ts';

/** What the thread is asked for; times in seconds from the first video frame. */
export type PreviewRequest =
  | { readonly open: string }
  | { readonly preview: number; readonly width: number; readonly height: number; readonly format: PictureFormat }
  | { readonly peaks: { readonly from: number; readonly to: number; readonly count: number } }
  | { readonly sound: { readonly from: number; readonly to: number } };

/** Sample rate of the sound that pages play, and of which peaks are taken. */
const SOUND_RATE = 48_000;
const PEAK_RATE = 8000;

let path = '';
let recording: Recording | undefined;
let audio: AudioReader | undefined;
let filter: { readonly width: number; readonly height: number; readonly frames: FrameFilter } | undefined;

serve(async (message, { signal }) => {
  const request = message as PreviewRequest;
  if ('open' in request) {
    path = request.open;
    recording = new Recording(path);
    const { width, height, hasAudio, codec } = recording;
    return { width, height, hasAudio, codec };
  }
  signal.throwIfAborted();
  if ('preview' in request) return await readPreview(request.preview, request, request.format);
  if ('peaks' in request) return readPeaks(request.peaks, signal);
  return readSound(request.sound);
});

/** Decodes the last keyframe at or before a time. */
async function readPreview(
  t: number,
  { width, height }: { readonly width: number; readonly height: number },
  format: PictureFormat,
): Promise<EncodedFrame> {
  const source = recording!;
  for (const { frame, pts } of shownKeyframe(source, source.ticks(t))) {
    if (filter?.width !== width || filter.height !== height) {
      filter?.frames[Symbol.dispose]();
      filter = { width, height, frames: new FrameFilter(width, height, 'rgb24') };
    }
    const data = filter.frames.pixels(frame, source.rotation);
    const image = await encodePixels({ width, height, data }, format, { use: 'preview' });
    return { frame: -1, t: source.seconds(pts), image };
  }
  return { frame: -1, t, problem: 'there is no keyframe to show' };
}

/** The last keyframe at or before a time; where it cannot be decoded alone, the first frame that can be. */
function* shownKeyframe(source: Recording, wanted: bigint): Generator<SourceFrame> {
  yield* source.keyframe(wanted);
  for (const { info } of source.packets(wanted, wanted + 1n)) {
    if (info.pts === AV_NOPTS_VALUE) continue;
    // The end lies behind every frame: the generator is left at the first picture.
    yield* source.frames(info.pts, info.pts + source.ticksPerFrame * 1000n);
    return;
  }
}

function openAudio(): AudioReader {
  audio ??= new AudioReader(path);
  return audio;
}

function originOf(source: Recording): number {
  return (Number(source.firstPts) * source.timeBase.num) / source.timeBase.den;
}

/** The lowest and highest sample of each part of a stretch, as pairs of bytes: -127…127. Silence where there is no sound. */
function readPeaks(
  { from, to, count }: { readonly from: number; readonly to: number; readonly count: number },
  signal: AbortSignal,
): TransferredResult {
  const peaks = new Int8Array(2 * count);
  const scale = count / (to - from);
  const range = { sampleRate: PEAK_RATE, origin: originOf(recording!), from, to, signal };
  for (const { t, samples } of openAudio().read(range))
    for (let i = 0; i < samples.length; i++) {
      const at = Math.floor((t + i / PEAK_RATE - from) * scale);
      if (at < 0 || at >= count) continue;
      const level = Math.max(-127, Math.min(127, Math.round(samples[i]! * 127)));
      if (level < peaks[2 * at]!) peaks[2 * at] = level;
      if (level > peaks[2 * at + 1]!) peaks[2 * at + 1] = level;
    }
  return new TransferredResult(peaks, [peaks.buffer]);
}

/** Stereo sound of a stretch as interleaved 16-bit samples, little-endian. Silence where there is none. */
function readSound({ from, to }: { readonly from: number; readonly to: number }): TransferredResult {
  const { left, right } = recording!.readAudio(from, to, SOUND_RATE);
  const out = new Int16Array(2 * left.length);
  for (let i = 0; i < left.length; i++) {
    out[2 * i] = Math.max(-32768, Math.min(32767, Math.round(left[i]! * 32767)));
    out[2 * i + 1] = Math.max(-32768, Math.min(32767, Math.round(right[i]! * 32767)));
  }
  return new TransferredResult(out, [out.buffer]);
}
