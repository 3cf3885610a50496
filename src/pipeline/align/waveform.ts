import { Fft } from '../../compute/fft.ts';
import { readAudio } from '../../media/audio.ts';

const SAMPLE_RATE = 8000;
/** Length of the excerpts compared, and how far on each side of its expected position one is searched. */
export const EXCERPT_SECONDS = 3.5;
const SEARCH_SECONDS = 0.25;
const FFT_SIZE = 65_536;
/** Frequency bins of 100 to 3500 Hz. */
const [FIRST_BIN, LAST_BIN] = [100, 3500].map((hertz) => Math.round((hertz * FFT_SIZE) / SAMPLE_RATE)) as [
  number,
  number,
];
const fft = new Fft(FFT_SIZE);

/** A sound track of a file. */
export interface SoundTrack {
  readonly path: string;
  readonly track: number;
  /** Container time of time 0, in seconds. */
  readonly origin: number;
}

function readExcerpt({ path, track, origin }: SoundTrack, from: number, length: number): Float64Array {
  const samples = new Float64Array(FFT_SIZE);
  for (const block of readAudio(path, { track, origin, sampleRate: SAMPLE_RATE, from, to: from + length })) {
    const at = Math.round((block.t - from) * SAMPLE_RATE);
    for (const [i, value] of block.samples.entries()) if (at + i >= 0 && at + i < FFT_SIZE) samples[at + i] = value;
  }
  return samples;
}

/**
 * Measures the offset of two recordings by generalized cross-correlation with phase transform (GCC-PHAT), which does not depend
 * on the recorders' frequency responses.
 *
 * @param at Start of the excerpt, in seconds of the second recording.
 * @param offset Expected offset in seconds.
 * @returns Undefined where the first recording does not reach, or both are silent.
 */
export function measureOffset(
  first: SoundTrack,
  second: SoundTrack,
  at: number,
  offset: number,
): { offset: number; clarity: number } | undefined {
  const from = at + offset - SEARCH_SECONDS;
  if (from < 0) return undefined;
  const a = readExcerpt(first, from, EXCERPT_SECONDS + 2 * SEARCH_SECONDS);
  const b = readExcerpt(second, at, EXCERPT_SECONDS);
  const [aIm, bIm] = [new Float64Array(FFT_SIZE), new Float64Array(FFT_SIZE)];
  fft.forward(a, aIm);
  fft.forward(b, bIm);
  const [re, im] = [new Float64Array(FFT_SIZE), new Float64Array(FFT_SIZE)];
  for (let k = FIRST_BIN; k <= LAST_BIN; k++) {
    const [x, y] = [a[k]! * b[k]! + aIm[k]! * bIm[k]!, aIm[k]! * b[k]! - a[k]! * bIm[k]!];
    const size = Math.hypot(x, y) + 1e-9;
    re[k] = re[FFT_SIZE - k] = x / size;
    im[k] = y / size;
    im[FFT_SIZE - k] = -y / size;
  }
  fft.inverse(re, im);
  const reach = Math.round(2 * SEARCH_SECONDS * SAMPLE_RATE);
  let best = 0;
  let sum = 0;
  for (let lag = 0; lag <= reach; lag++) {
    sum += re[lag]! ** 2;
    if (Math.abs(re[lag]!) > Math.abs(re[best]!)) best = lag;
  }
  const level = Math.sqrt(sum / (reach + 1));
  if (!(level > 0)) return undefined;
  return { offset: from + best / SAMPLE_RATE - at, clarity: Math.abs(re[best]!) / level };
}
