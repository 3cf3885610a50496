import { Fft } from '../../compute/fft.ts';
import { RATE } from './spectrum.ts';
import { apart } from './overlaps.ts';
import { CELL, Flattened, LONGEST_WAVE, type Recorded, type Shared, SIZE, usual, Wave } from './wave.ts';
import { upperMedian } from '../../statistics.ts';

/** Seconds by which occurrences may have been marked apart. */
const APART = 0.06;
/** How many times the usual answer makes two occurrences worth a try, and proves one against the mean of the others. */
const PROMISING = 7;
const SAME = 10;
/** What a clear answer counts at most where it is chosen whose waveform most have: many, rather than a few clear ones. */
const CLEAR = 15;
/** Share of all occurrences that must have a waveform; fewer may have something else in common, as a drum of the music. */
const ENOUGH = 0.25;
/** Occurrences that are compared with each other; more are only added to what these give. */
const COMPARED = 8;
/** Waveforms of one sound: games often have several and pick one. */
const VARIANTS = 4;
/** Seconds over which it sets in and dies away. */
const FADE = 0.004;

interface Match {
  /** Samples after the occurrence's marked beginning. */
  readonly shift: number;
  readonly clear: number;
  /** Its level as a share of the other's. */
  readonly share: number;
}

/**
 * The waveforms that several occurrences have in common, each as the mean of those that have it, moved onto each other to the
 * sample, so that what else was heard then drops out. None where the game never plays the same waveform twice (it changes the
 * pitch, or mixes several), nor of a single occurrence, which cannot tell.
 */
export function learnWaves(recorded: readonly Recorded[], length: number): Shared[] {
  const size = Math.min(length, LONGEST_WAVE);
  const blocks = recorded.map(({ samples }) => new Flattened(samples.subarray(0, SIZE)));
  const enough = Math.max(2, ENOUGH * recorded.length);
  const waves: Shared[] = [];
  let left = recorded.map((_, i) => i);
  while (left.length >= enough && waves.length < VARIANTS) {
    const groups = left.slice(0, COMPARED).map((i) => {
      const wave = new Wave(part(recorded[i]!, 0, size));
      return unselfish(
        matches(left, PROMISING, (j) => best(blocks[j]!, wave, recorded[j]!.start)),
        i,
      );
    });
    let group = groups.reduce((most, one) => (support(one) > support(most) ? one : most));
    for (let round = 0; round < ROUNDS && group.size >= enough; round++) {
      const before = group;
      // An occurrence answers its own noise: each is compared with the mean of the others.
      group = matches(left, SAME, (j) => {
        const others = new Map([...before].filter(([i]) => i !== j));
        return others.size === 0
          ? undefined
          : best(blocks[j]!, new Wave(mean(others, recorded, size)), recorded[j]!.start);
      });
    }
    if (group.size < enough) break;
    const shares = [...group.values()].map(({ share }) => share).toSorted((x, y) => x - y);
    const level = shares[shares.length >> 1]!;
    const samples = faded(mean(group, recorded, size).map((value) => value * level));
    waves.push({ samples, examples: group.size });
    left = left.filter((i) => !group.has(i));
  }
  const told =
    waves.length === 0
      ? undefined
      : apart(
          waves.map(({ samples }) => samples),
          recorded,
          size,
        );
  return told?.map(({ samples, examples }) => ({ samples: faded(samples), examples })) ?? waves;
}

/** Times that a group is made anew from the mean of the one before. */
const ROUNDS = 2;

/** Without the advantage that an occurrence has where it is compared with itself: it counts as the others do. */
function unselfish(group: Map<number, Match>, self: number): Map<number, Match> {
  const others = [...group].filter(([i]) => i !== self).map(([, match]) => match);
  const middle = (key: 'clear' | 'share'): number => upperMedian(others.map((one) => one[key]))!;
  if (others.length > 0) group.set(self, { shift: 0, clear: middle('clear'), share: middle('share') });
  return group;
}

function support(group: ReadonlyMap<number, Match>): number {
  return [...group.values()].reduce((sum, { clear }) => sum + Math.min(clear, CLEAR), 0);
}

/** The occurrences that answer clearly enough. */
function matches(among: readonly number[], least: number, match: (i: number) => Match | undefined): Map<number, Match> {
  const found = new Map<number, Match>();
  for (const i of among) {
    const one = match(i);
    if (one && one.clear >= least && one.share > 0) found.set(i, one);
  }
  return found;
}

function best(block: Flattened, wave: Wave, start: number): Match {
  const [answer] = block.answers(wave, undefined);
  const reach = Math.round(APART * RATE);
  let at = start;
  for (let i = Math.max(0, start - reach); i <= start + reach; i++) if (answer[i]! > answer[at]!) at = i;
  const level = usual(answer)[Math.floor(at / CELL)]!;
  return { shift: at - start, clear: level > 0 ? answer[at]! / level : 0, share: answer[at]! };
}

/** Their mean at a common level, the clear ones counting more, of which is kept what they have in common. */
function mean(group: ReadonlyMap<number, Match>, recorded: readonly Recorded[], size: number): Float32Array {
  const parts = [...group].map(([i, { shift, share, clear }]) => ({
    samples: part(recorded[i]!, shift, size).map((value) => value / share),
    weight: share * share * Math.min(clear, 60),
  }));
  return denoised(parts, size);
}

/** Samples of a frame in which parts are compared, and from one to the next. */
const FRAME = 512;
const SHIFT = 128;
const window = Float64Array.from({ length: FRAME }, (_, i) => Math.sin((Math.PI * (i + 0.5)) / FRAME));

interface Part {
  readonly samples: Float32Array;
  readonly weight: number;
}

/**
 * The weighted mean of sounds, frequency by frequency and frame by frame, less what they do not share: a cell of n parts
 * whose phases are random has a coherence (power of the mean over mean power) of 1/n, and counts nothing.
 */
function denoised(parts: readonly Part[], size: number): Float32Array {
  const fft = new Fft(FRAME);
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  const chance = parts.reduce((sum, { weight }) => sum + (weight / total) ** 2, 0);
  const count = Math.ceil((size + FRAME) / SHIFT);
  const bins = FRAME / 2 + 1;
  const [means, powers] = [new Float64Array(count * bins), new Float64Array(count * bins)];
  const frames = Array.from({ length: count }, (_, frame) => {
    const [sumRe, sumIm] = [new Float64Array(FRAME), new Float64Array(FRAME)];
    for (const { samples, weight } of parts) {
      const [re, im] = [new Float64Array(FRAME), new Float64Array(FRAME)];
      for (let i = 0; i < FRAME; i++) re[i] = window[i]! * (samples[frame * SHIFT + i - FRAME + SHIFT] ?? 0);
      fft.forward(re, im);
      for (let k = 0; k < bins; k++) {
        sumRe[k]! += (weight / total) * re[k]!;
        sumIm[k]! += (weight / total) * im[k]!;
        powers[frame * bins + k]! += (weight / total) * (re[k]! ** 2 + im[k]! ** 2);
      }
    }
    for (let k = 0; k < bins; k++) means[frame * bins + k] = sumRe[k]! ** 2 + sumIm[k]! ** 2;
    return { re: sumRe, im: sumIm };
  });
  const out = new Float32Array(size);
  for (const [frame, { re, im }] of frames.entries()) {
    for (let k = 0; k < bins; k++) {
      const coherence = about(means, frame, k, count, bins) / (about(powers, frame, k, count, bins) + 1e-20);
      const share = Math.max(0, (coherence - chance) / (1 - chance));
      re[k]! *= share;
      im[k]! *= share;
      if (k === 0 || k === bins - 1) continue;
      re[FRAME - k] = re[k]!;
      im[FRAME - k] = -im[k]!;
    }
    fft.inverse(re, im);
    // Windows of half a sine, squared, at a quarter of their length add up to 2.
    for (let i = 0; i < FRAME; i++) {
      const at = frame * SHIFT + i - FRAME + SHIFT;
      if (at >= 0 && at < size) out[at]! += (window[i]! * re[i]!) / 2;
    }
  }
  return out;
}

/** A cell with those next to it. */
function about(cells: Float64Array, frame: number, bin: number, count: number, bins: number): number {
  let sum = 0;
  for (let f = Math.max(0, frame - 1); f <= Math.min(count - 1, frame + 1); f++)
    for (let k = Math.max(0, bin - 1); k <= Math.min(bins - 1, bin + 1); k++) sum += cells[f * bins + k]!;
  return sum;
}

function part({ samples, start }: Recorded, shift: number, size: number): Float32Array {
  const out = new Float32Array(size);
  const from = start + shift;
  out.set(samples.subarray(Math.max(0, from), Math.max(0, from + size)), Math.max(0, -from));
  return out;
}

function faded(samples: Float32Array): Float32Array {
  const fade = Math.min(Math.round(FADE * RATE), samples.length >> 1);
  for (let i = 0; i < fade; i++) {
    const share = 0.5 - 0.5 * Math.cos((Math.PI * (i + 0.5)) / fade);
    samples[i]! *= share;
    samples[samples.length - 1 - i]! *= share;
  }
  return samples;
}

/** On disk: samples as 16-bit numbers in base64, the level of the loudest, how many occurrences have it. */
export interface PackedWave {
  readonly level: number;
  readonly samples: string;
  readonly examples: number;
}

export function packWave({ samples, examples }: Shared): PackedWave {
  const level = samples.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9);
  const buffer = Buffer.alloc(2 * samples.length);
  for (const [i, value] of samples.entries()) buffer.writeInt16LE(Math.round((32_767 * value) / level), 2 * i);
  return { level: Number(level.toPrecision(6)), samples: buffer.toString('base64'), examples };
}

/** Back from `packWave`; undefined for what is none. */
export function unpackWave(packed: unknown): Float32Array | undefined {
  const { level, samples } = (packed ?? {}) as { level?: unknown; samples?: unknown };
  if (typeof level !== 'number' || !(level > 0 && level < 1e3) || typeof samples !== 'string') return undefined;
  const buffer = Buffer.from(samples, 'base64');
  if (buffer.length < 2 || buffer.length % 2 !== 0 || buffer.length > 2 * LONGEST_WAVE) return undefined;
  return Float32Array.from({ length: buffer.length / 2 }, (_, i) => (buffer.readInt16LE(2 * i) / 32_767) * level);
}
