import { integer, list } from '../../schema/build.ts';
import { PlaybyplayError } from '../../errors.ts';
import type { FromSchema, Schema } from '../../schema/from-schema.ts';
import { parseJsonFile } from '../../schema/parse.ts';
import { learnWaveforms, packedWaveformSchema, packWaveform, unpackWaveform } from './learn-waveforms.ts';
import { BANDS, SAMPLE_RATE, FRAME_SECONDS } from './spectrogram.ts';
import type { RecordedExample } from './waveform.ts';

/** What identifies a learned sound: the cells of its spectrogram that stand out, and its waveforms. Frames are 10 ms. */
export interface SoundFingerprint {
  readonly label: string;
  readonly frames: number;
  /** The frame at which the sound begins. */
  readonly onset: number;
  /** Cells by descending weight: frame, band, level in dB, weight from 0 to 1. */
  readonly at: Uint16Array;
  readonly band: Uint8Array;
  readonly level: Float32Array;
  readonly weight: Float32Array;
  /** Waveforms at 24 kHz, if the game always plays the same ones. */
  readonly waves: readonly Float32Array[];
}

/** Longest sound that can be learned, in frames. */
export const MAX_FRAMES = 300;

/** The JSON Schema of the file of a fingerprint. */
export const soundSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:playbyplay:sound:1',
  title: 'A learned sound',
  type: 'object',
  required: ['format', 'label', 'bands', 'frames', 'onset', 'levels', 'weights', 'examples'],
  properties: {
    format: { const: 'playbyplay/sound/1' },
    label: { type: 'string' },
    bands: { type: 'integer', const: BANDS },
    frames: integer([1, MAX_FRAMES]),
    onset: integer([0], 'The frame at which the sound begins.'),
    levels: { type: 'string', description: 'dB above −128, frame by frame, in base64.' },
    weights: { type: 'string', description: 'Weights in 255ths, frame by frame, in base64.' },
    examples: integer([1], 'Number of examples it was learned from.'),
    waves: list(packedWaveformSchema, [0, 8], 'Waveforms that the examples share.'),
  },
} as const satisfies Schema;

/** The file of a fingerprint. */
export interface SoundFile extends FromSchema<typeof soundSchema> {}

/** Largest number of cells that are compared. */
const MAX_CELLS = 1200;

/** Reads a fingerprint from its file. @throws PlaybyplayError `bad-sound`. */
export function readFingerprint(text: string, name: string): SoundFingerprint {
  const hint = 'Learn it again with “playbyplay profile sound”.';
  const file = parseJsonFile(soundSchema, text, { source: name, code: 'bad-sound', hint });
  const levels = Buffer.from(file.levels, 'base64');
  const weights = Buffer.from(file.weights, 'base64');
  const count = BANDS * file.frames;
  if (levels.length !== count || weights.length !== count)
    throw new PlaybyplayError('bad-sound', `${name}: “levels” and “weights” must have ${count} bytes each`, { hint });
  const waves = (file.waves ?? []).map((wave) => unpackWaveform(wave));
  if (!waves.every((wave) => wave !== undefined))
    throw new PlaybyplayError('bad-sound', `${name}: a waveform is damaged`, { hint });
  const order = [...weights.keys()].filter((i) => weights[i]! > 0);
  order.sort((a, b) => weights[b]! - weights[a]! || a - b);
  const cells = order.slice(0, MAX_CELLS);
  return {
    label: file.label,
    frames: file.frames,
    onset: Math.min(file.frames - 1, file.onset),
    at: Uint16Array.from(cells, (i) => Math.floor(i / BANDS)),
    band: Uint8Array.from(cells, (i) => i % BANDS),
    level: Float32Array.from(cells, (i) => levels[i]! - 128),
    weight: Float32Array.from(cells, (i) => weights[i]! / 255),
    waves,
  };
}

/** One occurrence of a sound: its spectrogram from half a second before its beginning. */
export interface Example {
  readonly frames: readonly Float32Array[];
  /** Number of frames before the sound. */
  readonly before: number;
  /** Number of frames of the sound; frames after it only serve to align examples. */
  readonly length: number;
  /** Samples of all frames. */
  readonly recorded?: RecordedExample;
}

/** Excess over the background from which a cell gets weight, and at which it gets full weight. */
const MIN_EXCESS_DB = 5;
const FULL_EXCESS_DB = 15;
/** Range below the loudest cell in which cells count. */
const DYNAMIC_RANGE_DB = 45;
/** Largest shift when aligning an example with the first. */
const MAX_SHIFT_FRAMES = 12;

/**
 * Learns a sound from one or more occurrences. The background just before each is subtracted. Several examples are aligned in time and
 * level; a cell's weight depends on how constant it is over them, so that other sounds drop out.
 *
 * @throws PlaybyplayError `bad-sound` if the sound is shorter than 0.03 s or nothing stands out from the background.
 */
export function learnFingerprint(label: string, examples: readonly Example[]): SoundFile {
  const [first] = examples;
  if (!first || first.length < 3) throw new PlaybyplayError('bad-sound', 'a sound to learn must last 0.03 s or more');
  const length = Math.min(MAX_FRAMES, ...examples.map((example) => example.length));
  const { levels, weights } = weighCells(examples, length);
  const recorded = examples.flatMap((example) => example.recorded ?? []);
  const waves = learnWaveforms(recorded, Math.round(length * FRAME_SECONDS * SAMPLE_RATE)).map(packWaveform);
  const most = Math.max(...weights);
  if (!(most > 0) && waves.length === 0) {
    throw new PlaybyplayError(
      'bad-sound',
      `the sound given for ${label} does not differ from the background before it`,
      {
        hint: 'Set --from to where the sound begins; give more occurrences with more --from and --to.',
      },
    );
  }
  const quantized = Uint8Array.from(weights, (weight) =>
    !(most > 0) || weight < 0.04 * most ? 0 : Math.round((255 * weight) / most),
  );
  return {
    format: 'playbyplay/sound/1',
    label,
    bands: BANDS,
    frames: length,
    onset: onsetOf(quantized, length),
    levels: Buffer.from(levels).toString('base64'),
    weights: Buffer.from(quantized).toString('base64'),
    examples: examples.length,
    ...(waves.length === 0 ? {} : { waves }),
  };
}

/** Measures the level of each cell over the examples, aligned with the first, and how constantly it stands out. */
function weighCells(
  examples: readonly Example[],
  length: number,
): { readonly levels: Uint8Array; readonly weights: Float64Array } {
  const excesses = examples.map(excessOf);
  const shifts = excesses.map((excess, i) =>
    i === 0 ? 0 : bestShift(excesses[0]!, examples[0]!.before, excess, examples[i]!.before, length),
  );
  const gains = examples.map((_, i) => (i === 0 ? 0 : gainBetween(examples, excesses, shifts, i, length)));
  const levels = new Uint8Array(length * BANDS);
  const weights = new Float64Array(length * BANDS);
  const means = new Float64Array(length * BANDS).fill(-128);
  for (let cell = 0; cell < levels.length; cell++) {
    const [frame, band] = [Math.floor(cell / BANDS), cell % BANDS];
    const values: number[] = [];
    const risen: number[] = [];
    for (const [i, example] of examples.entries()) {
      const at = example.before + frame + shifts[i]!;
      const level = example.frames[at]?.[band];
      if (level === undefined) continue;
      values.push(level - gains[i]!);
      risen.push(excesses[i]![at]![band]!);
    }
    if (values.length * 2 < examples.length || values.length === 0) continue;
    const level = lowerQuantile(values, 0.4);
    const outstanding = (lowerQuantile(risen, 0.35) - MIN_EXCESS_DB) / (FULL_EXCESS_DB - MIN_EXCESS_DB);
    const spread = values.length < 3 ? 0 : lowerQuantile(values, 0.75) - lowerQuantile(values, 0.25);
    means[cell] = level;
    weights[cell] = Math.max(0, Math.min(1, outstanding)) / (1 + (spread / 8) ** 2);
  }
  const loudest = means.reduce((most, level, i) => (weights[i]! > 0 ? Math.max(most, level) : most), -128);
  for (let i = 0; i < levels.length; i++) {
    levels[i] = Math.max(0, Math.min(255, Math.round(means[i]! + 128)));
    // Other sounds cover quiet cells sooner.
    weights[i]! *= Math.max(0, 1 - (loudest - means[i]!) / DYNAMIC_RANGE_DB);
  }
  return { levels, weights };
}

/** Returns each cell's excess over the mean of the frames before the sound. */
function excessOf({ frames, before }: Example): Float32Array[] {
  const quiet = new Float32Array(BANDS).fill(-60);
  if (before > 0) {
    for (let band = 0; band < BANDS; band++) {
      let sum = 0;
      for (let i = 0; i < before; i++) sum += frames[i]![band]!;
      quiet[band] = sum / before;
    }
  }
  return frames.map((bands) => bands.map((level, band) => level - quiet[band]!));
}

/** Finds the shift in frames that aligns an example best with the first. */
function bestShift(
  first: readonly Float32Array[],
  start: number,
  other: readonly Float32Array[],
  before: number,
  length: number,
): number {
  let best = 0;
  let most = Number.NEGATIVE_INFINITY;
  for (let shift = -MAX_SHIFT_FRAMES; shift <= MAX_SHIFT_FRAMES; shift++) {
    let sum = 0;
    for (let frame = 0; frame < length; frame++) {
      const [a, b] = [first[start + frame]!, other[before + frame + shift]];
      if (!b) continue;
      for (let band = 0; band < BANDS; band++) sum += Math.max(0, a[band]!) * Math.max(0, b[band]!);
    }
    if (sum > most) {
      most = sum;
      best = shift;
    }
  }
  return best;
}

/** Measures an example's gain over the first in dB, over the cells that stand out in both. */
function gainBetween(
  examples: readonly Example[],
  excesses: readonly (readonly Float32Array[])[],
  shifts: readonly number[],
  other: number,
  length: number,
): number {
  const [a, b] = [examples[0]!, examples[other]!];
  const differences: number[] = [];
  for (let frame = 0; frame < length; frame++) {
    const [p, q] = [a.before + frame, b.before + frame + shifts[other]!];
    for (let band = 0; band < BANDS; band++) {
      if ((excesses[0]![p]?.[band] ?? 0) < FULL_EXCESS_DB || (excesses[other]![q]?.[band] ?? 0) < FULL_EXCESS_DB)
        continue;
      differences.push(b.frames[q]![band]! - a.frames[p]![band]!);
    }
  }
  return differences.length === 0 ? 0 : lowerQuantile(differences, 0.5);
}

/** Finds the first frame with a third of the weight of the heaviest. */
function onsetOf(weights: Uint8Array, frames: number): number {
  const sums = Array.from({ length: frames }, (_, frame) =>
    weights.subarray(frame * BANDS, (frame + 1) * BANDS).reduce((sum, weight) => sum + weight, 0),
  );
  const most = Math.max(...sums);
  return Math.max(
    0,
    sums.findIndex((sum) => most > 0 && sum >= most / 3),
  );
}

/** Returns a quantile that is one of the values. */
function lowerQuantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))]!;
}
