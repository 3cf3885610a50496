import { Fft } from '../../compute/fft.ts';
import { readAudio } from '../../media/audio.ts';

const RATE = 8000;
/** Seconds of the stretch of the second recording, and how far on each side of its place the first is searched. */
export const LENGTH = 3.5;
const REACH = 0.25;
const SIZE = 65_536;
const [LOW, HIGH] = [100, 3500].map((hertz) => Math.round((hertz * SIZE) / RATE)) as [number, number];
const fft = new Fft(SIZE);

/** A sound track. */
export interface Sounding {
  readonly path: string;
  readonly track: number;
  /** Container time, in seconds, of time 0. */
  readonly origin: number;
}

function stretch({ path, track, origin }: Sounding, from: number, length: number): Float64Array {
  const samples = new Float64Array(SIZE);
  for (const block of readAudio(path, { track, origin, sampleRate: RATE, from, to: from + length })) {
    const at = Math.round((block.t - from) * RATE);
    for (const [i, value] of block.samples.entries()) if (at + i >= 0 && at + i < SIZE) samples[at + i] = value;
  }
  return samples;
}

/**
 * By how many seconds the first recording is ahead at `at` seconds of the second, where it is thought to be `offset`: the peak of the
 * correlation of phases (generalised cross-correlation, phase transform), whatever each recorder made of the sound's colour.
 */
export function phaseOffset(
  first: Sounding,
  second: Sounding,
  at: number,
  offset: number,
): { offset: number; clear: number } | undefined {
  const from = at + offset - REACH;
  if (from < 0) return undefined;
  const a = stretch(first, from, LENGTH + 2 * REACH);
  const b = stretch(second, at, LENGTH);
  const [aIm, bIm] = [new Float64Array(SIZE), new Float64Array(SIZE)];
  fft.forward(a, aIm);
  fft.forward(b, bIm);
  const [re, im] = [new Float64Array(SIZE), new Float64Array(SIZE)];
  for (let k = LOW; k <= HIGH; k++) {
    const [x, y] = [a[k]! * b[k]! + aIm[k]! * bIm[k]!, aIm[k]! * b[k]! - a[k]! * bIm[k]!];
    const size = Math.hypot(x, y) + 1e-9;
    re[k] = re[SIZE - k] = x / size;
    im[k] = y / size;
    im[SIZE - k] = -y / size;
  }
  fft.inverse(re, im);
  const reach = Math.round(2 * REACH * RATE);
  let best = 0;
  let sum = 0;
  for (let lag = 0; lag <= reach; lag++) {
    sum += re[lag]! ** 2;
    if (Math.abs(re[lag]!) > Math.abs(re[best]!)) best = lag;
  }
  const usual = Math.sqrt(sum / (reach + 1));
  if (!(usual > 0)) return undefined;
  return { offset: from + best / RATE - at, clear: Math.abs(re[best]!) / usual };
}
