import { Fft } from '../../compute/fft.ts';
import type { FromSchema } from '../../schema/from-schema.ts';
import { upperMedian } from '../../statistics.ts';
import { SAMPLE_RATE } from './spectrogram.ts';
import {
  BLOCK_SAMPLES,
  HIGHEST_BIN,
  localNoise,
  LOWEST_BIN,
  MAX_WAVEFORM_SAMPLES,
  NOISE_CELL_SAMPLES,
  type RecordedExample,
  type SharedWaveform,
  WaveformSpectrum,
  WhitenedBlock,
} from './waveform.ts';

/** How far the marked beginnings of occurrences may deviate. */
const MAX_MARKING_ERROR_SECONDS = 0.06;
/** Least clarity of a match between two occurrences, and between an occurrence and the mean of the others. */
const MIN_PAIR_CLARITY = 7;
const MIN_GROUP_CLARITY = 10;
/** Largest clarity that counts in a group's support: many matches are better than a few clear ones. */
const MAX_COUNTED_CLARITY = 15;
/** Share of occurrences that must have a waveform. Fewer may share something else, such as a drum of the music. */
const MIN_GROUP_SHARE = 0.25;
/** Number of occurrences that are compared with each other; others are only matched with the result. */
const MAX_COMPARED = 8;
/** Largest number of waveforms per sound: games often have several and pick one. */
const MAX_WAVEFORMS = 4;
/** Length of fade-in and fade-out. */
const FADE_SECONDS = 0.004;

interface Match {
  /** Offset from the occurrence's marked beginning, in samples. */
  readonly shift: number;
  readonly clear: number;
  /** Level relative to the other's. */
  readonly share: number;
}

/**
 * Learns the waveforms that several occurrences share, each as the mean of aligned occurrences, so that other sounds drop
 * out. Returns none for a single occurrence, and if the game never plays the same waveform twice (it changes the pitch or
 * mixes several).
 *
 * @param length Length of the sound in samples.
 */
export function learnWaveforms(recorded: readonly RecordedExample[], length: number): SharedWaveform[] {
  const size = Math.min(length, MAX_WAVEFORM_SAMPLES);
  const blocks = recorded.map(({ samples }) => new WhitenedBlock(samples.subarray(0, BLOCK_SAMPLES)));
  const enough = Math.max(2, MIN_GROUP_SHARE * recorded.length);
  const waves: SharedWaveform[] = [];
  let left = recorded.map((_, i) => i);
  while (left.length >= enough && waves.length < MAX_WAVEFORMS) {
    const groups = left.slice(0, MAX_COMPARED).map((i) => {
      const wave = new WaveformSpectrum(cutExample(recorded[i]!, 0, size));
      return replaceSelfMatch(
        findMatches(left, MIN_PAIR_CLARITY, (j) => bestMatch(blocks[j]!, wave, recorded[j]!.start)),
        i,
      );
    });
    let group = groups.reduce((most, one) => (groupSupport(one) > groupSupport(most) ? one : most));
    for (let round = 0; round < GROUP_ROUNDS && group.size >= enough; round++) {
      const before = group;
      // An occurrence correlates with its own noise, so compare each with the mean of the others.
      group = findMatches(left, MIN_GROUP_CLARITY, (j) => {
        const others = new Map([...before].filter(([i]) => i !== j));
        return others.size === 0
          ? undefined
          : bestMatch(blocks[j]!, new WaveformSpectrum(meanWaveform(others, recorded, size)), recorded[j]!.start);
      });
    }
    if (group.size < enough) break;
    const shares = [...group.values()].map(({ share }) => share).toSorted((x, y) => x - y);
    const level = shares[shares.length >> 1]!;
    const samples = fadeEnds(meanWaveform(group, recorded, size).map((value) => value * level));
    waves.push({ samples, examples: group.size });
    left = left.filter((i) => !group.has(i));
  }
  const separated =
    waves.length === 0
      ? undefined
      : separateOverlaps(
          waves.map(({ samples }) => samples),
          recorded,
          size,
        );
  return separated?.map(({ samples, examples }) => ({ samples: fadeEnds(samples), examples })) ?? waves;
}

/** Number of times that a group is formed again from its mean. */
const GROUP_ROUNDS = 2;

/** Replaces an occurrence's match with itself by the median of the other matches. */
function replaceSelfMatch(group: Map<number, Match>, self: number): Map<number, Match> {
  const others = [...group].filter(([i]) => i !== self).map(([, match]) => match);
  const medianOthers = (key: 'clear' | 'share'): number => upperMedian(others.map((one) => one[key]))!;
  if (others.length > 0) group.set(self, { shift: 0, clear: medianOthers('clear'), share: medianOthers('share') });
  return group;
}

function groupSupport(group: ReadonlyMap<number, Match>): number {
  return [...group.values()].reduce((sum, { clear }) => sum + Math.min(clear, MAX_COUNTED_CLARITY), 0);
}

/** Finds the occurrences that match clearly enough. */
function findMatches(
  among: readonly number[],
  least: number,
  match: (i: number) => Match | undefined,
): Map<number, Match> {
  const found = new Map<number, Match>();
  for (const i of among) {
    const one = match(i);
    if (one && one.clear >= least && one.share > 0) found.set(i, one);
  }
  return found;
}

function bestMatch(block: WhitenedBlock, wave: WaveformSpectrum, start: number): Match {
  const [answer] = block.correlate(wave, undefined);
  const reach = Math.round(MAX_MARKING_ERROR_SECONDS * SAMPLE_RATE);
  let at = start;
  for (let i = Math.max(0, start - reach); i <= start + reach; i++) if (answer[i]! > answer[at]!) at = i;
  const level = localNoise(answer)[Math.floor(at / NOISE_CELL_SAMPLES)]!;
  return { shift: at - start, clear: level > 0 ? answer[at]! / level : 0, share: answer[at]! };
}

/** Averages the occurrences of a group at a common level, clear ones with more weight, and keeps what is coherent. */
function meanWaveform(
  group: ReadonlyMap<number, Match>,
  recorded: readonly RecordedExample[],
  size: number,
): Float32Array {
  const parts = [...group].map(([i, { shift, share, clear }]) => ({
    samples: cutExample(recorded[i]!, shift, size).map((value) => value / share),
    weight: share * share * Math.min(clear, 60),
  }));
  return coherentMean(parts, size);
}

/** Window and hop of the coherence analysis, in samples. */
const COHERENCE_WINDOW = 512;
const COHERENCE_HOP = 128;
const window = Float64Array.from({ length: COHERENCE_WINDOW }, (_, i) =>
  Math.sin((Math.PI * (i + 0.5)) / COHERENCE_WINDOW),
);

interface Part {
  readonly samples: Float32Array;
  readonly weight: number;
}

/**
 * Averages sounds and suppresses what they do not share, by frequency and frame: a cell of n parts with random phases
 * has a coherence (power of the mean divided by mean power) of 1/n and gets no weight.
 */
function coherentMean(parts: readonly Part[], size: number): Float32Array {
  const fft = new Fft(COHERENCE_WINDOW);
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  const chance = parts.reduce((sum, { weight }) => sum + (weight / total) ** 2, 0);
  const count = Math.ceil((size + COHERENCE_WINDOW) / COHERENCE_HOP);
  const bins = COHERENCE_WINDOW / 2 + 1;
  const [means, powers] = [new Float64Array(count * bins), new Float64Array(count * bins)];
  const frames = Array.from({ length: count }, (_, frame) => {
    const [sumRe, sumIm] = [new Float64Array(COHERENCE_WINDOW), new Float64Array(COHERENCE_WINDOW)];
    for (const { samples, weight } of parts) {
      const [re, im] = [new Float64Array(COHERENCE_WINDOW), new Float64Array(COHERENCE_WINDOW)];
      for (let i = 0; i < COHERENCE_WINDOW; i++)
        re[i] = window[i]! * (samples[frame * COHERENCE_HOP + i - COHERENCE_WINDOW + COHERENCE_HOP] ?? 0);
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
      const coherence = sumAround(means, frame, k, count, bins) / (sumAround(powers, frame, k, count, bins) + 1e-20);
      const share = Math.max(0, (coherence - chance) / (1 - chance));
      re[k]! *= share;
      im[k]! *= share;
      if (k === 0 || k === bins - 1) continue;
      re[COHERENCE_WINDOW - k] = re[k]!;
      im[COHERENCE_WINDOW - k] = -im[k]!;
    }
    fft.inverse(re, im);
    // Squared half-sine windows at a quarter of their length add up to 2.
    for (let i = 0; i < COHERENCE_WINDOW; i++) {
      const at = frame * COHERENCE_HOP + i - COHERENCE_WINDOW + COHERENCE_HOP;
      if (at >= 0 && at < size) out[at]! += (window[i]! * re[i]!) / 2;
    }
  }
  return out;
}

/** Sums a cell and its neighbors. */
function sumAround(cells: Float64Array, frame: number, bin: number, count: number, bins: number): number {
  let sum = 0;
  for (let f = Math.max(0, frame - 1); f <= Math.min(count - 1, frame + 1); f++)
    for (let k = Math.max(0, bin - 1); k <= Math.min(bins - 1, bin + 1); k++) sum += cells[f * bins + k]!;
  return sum;
}

function cutExample({ samples, start }: RecordedExample, shift: number, size: number): Float32Array {
  const out = new Float32Array(size);
  const from = start + shift;
  out.set(samples.subarray(Math.max(0, from), Math.max(0, from + size)), Math.max(0, -from));
  return out;
}

function fadeEnds(samples: Float32Array): Float32Array {
  const fade = Math.min(Math.round(FADE_SECONDS * SAMPLE_RATE), samples.length >> 1);
  for (let i = 0; i < fade; i++) {
    const share = 0.5 - 0.5 * Math.cos((Math.PI * (i + 0.5)) / fade);
    samples[i]! *= share;
    samples[samples.length - 1 - i]! *= share;
  }
  return samples;
}

/** The JSON Schema of a waveform in a file. */
export const packedWaveformSchema = {
  type: 'object',
  required: ['level', 'samples', 'examples'],
  properties: {
    level: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1000, description: 'The level of sample 32767.' },
    samples: { type: 'string', description: '16-bit little-endian samples in base64.' },
    examples: { type: 'integer', minimum: 1, description: 'Number of examples that share it.' },
  },
} as const;

/** A waveform in a file. */
export interface PackedWaveform extends FromSchema<typeof packedWaveformSchema> {}

/** Encodes a waveform for a file. */
export function packWaveform({ samples, examples }: SharedWaveform): PackedWaveform {
  const level = samples.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9);
  const buffer = Buffer.alloc(2 * samples.length);
  for (const [i, value] of samples.entries()) buffer.writeInt16LE(Math.round((32_767 * value) / level), 2 * i);
  return { level: Number(level.toPrecision(6)), samples: buffer.toString('base64'), examples };
}

/** Decodes a waveform; `undefined` if its samples are damaged. */
export function unpackWaveform({ level, samples }: PackedWaveform): Float32Array | undefined {
  const buffer = Buffer.from(samples, 'base64');
  if (buffer.length < 2 || buffer.length % 2 !== 0 || buffer.length > 2 * MAX_WAVEFORM_SAMPLES) return undefined;
  return Float32Array.from({ length: buffer.length / 2 }, (_, i) => (buffer.readInt16LE(2 * i) / 32_767) * level);
}

/** Least clarity of a placement, and least distance between placements. */
const MIN_PLACEMENT_CLARITY = 9;
const MIN_DISTANCE_SAMPLES = 0.03 * SAMPLE_RATE;
/** Share of the clearest that is placed in one go, and samples between such. */
const ROUND_CLARITY_SHARE = 0.6;
const ROUND_DISTANCE_SAMPLES = 0.15 * SAMPLE_RATE;
/** Largest number of placements in one recording. */
const MAX_PLACEMENTS = 24;
/** Ridge regularization as a share of the mean diagonal: silences frequencies that the placements cannot separate. */
const RIDGE_SHARE = 0.2;
/** Times that places are found by what they gave. */
const SEPARATION_ROUNDS = 2;
/** Placements below this share of the median gain are ignored: they belong to distant sounds. */
const MIN_GAIN_SHARE = 0.1;

/** Share of the interval that is taken to begin with, and samples over which it sets in and ends. */
const HEAD_SHARE = 0.8;
const LEAD_SAMPLES = 120;
/** Length of a separated waveform in intervals: what comes later is covered by the next ones. */
const LENGTH_INTERVALS = 1.25;

/** Largest number of placements that are clustered by waveform. */
const MAX_CLUSTERED = 80;

interface Placement {
  readonly wave: number;
  readonly at: number;
  readonly gain: number;
}

/**
 * Separates waveforms that repeat before the previous one has ended. Finds their placements in the recordings one by one, subtracting each, then
 * solves for the waveforms that explain all recordings best at these placements (least squares per frequency, weighted by each recording's own
 * spectrum). A mean would keep neighbors, whose distance is nearly constant. Returns undefined if they hardly overlap.
 */
function separateOverlaps(
  waves: readonly Float32Array[],
  recorded: readonly RecordedExample[],
  longest: number,
): SharedWaveform[] | undefined {
  const blocks = recorded.map(({ samples }) => new WhitenedBlock(samples.subarray(0, BLOCK_SAMPLES)));
  const placed = (some: readonly Float32Array[]): Placement[][] => {
    const spectra = some.map((samples) => new WaveformSpectrum(samples));
    return blocks.map((block, i) => findPlacements(block, spectra, recorded[i]!.samples.length));
  };
  const interval = commonInterval(placed(waves), longest);
  if (interval === undefined) return undefined;
  const size = Math.min(longest, Math.round(LEAD_SAMPLES + LENGTH_INTERVALS * interval));
  /** Rounds of places and waveforms; the first by what nothing else of the kind can be in. */
  const rounds = (first: Placement[][], count: number): [Float32Array[], Placement[][]] => {
    const solve = (): Float32Array[] => solveWaveforms(blocks, places, count).map((samples) => samples.slice(0, size));
    let places = first;
    for (let round = 0; round < SEPARATION_ROUNDS; round++)
      places = placed(round === 0 ? solve().map((samples) => cutHead(samples, HEAD_SHARE * interval)) : solve());
    return [solve(), places];
  };
  const [now, places] = rounds(placed(waves.map((samples) => cutHead(samples, HEAD_SHARE * interval))), waves.length);
  const sorted = assignVariants(blocks, places, now, size);
  const count = 1 + Math.max(...sorted.flat().map(({ wave }) => wave));
  const [separated, at] = count === 1 ? [now, places] : rounds(sorted, count);
  // Restore the level that the regularization has moved into the gains.
  const heard = placed(separated).flat();
  return separated.flatMap((samples, i) => {
    const own = heard.flatMap(({ wave, gain }) => (wave === i ? [gain] : []));
    const examples = at.filter((all) => all.some(({ wave }) => wave === i)).length;
    return own.length === 0 ? [] : [{ samples: samples.map((value) => value * (upperMedian(own) ?? 0)), examples }];
  });
}

/** Assigns a variant to each placement; placements at an end or of unusual level are dropped. */
function assignVariants(
  blocks: readonly WhitenedBlock[],
  places: readonly (readonly Placement[])[],
  waves: readonly Float32Array[],
  size: number,
): Placement[][] {
  const spectra = waves.map((samples) => new WaveformSpectrum(samples));
  const middle = upperMedian(places.flat().map(({ gain }) => gain)) ?? 0;
  const chosen = places.flatMap((all, i) =>
    all.filter(({ gain }) => gain > middle / 2 && gain < middle * 2).map((place) => ({ place, i })),
  );
  const step = Math.max(1, Math.ceil(chosen.length / MAX_CLUSTERED));
  const some = chosen.filter((_, i) => i % step === 0);
  const freed = some.map(({ place, i }) => {
    const left = blocks[i]!.copy();
    for (const other of places[i]!) if (other !== place) left.subtract(spectra[other.wave]!, other.at, other.gain);
    return left.whitened(place.at, size);
  });
  const numbers = clusterVariants(freed);
  return places.map((all, i) =>
    all.flatMap((place) => {
      const at = some.findIndex((one) => one.place === place && one.i === i);
      return at < 0 ? [] : [{ ...place, wave: numbers[at]! }];
    }),
  );
}

/** Returns the shortest common distance between placements in samples; undefined if most do not overlap. */
function commonInterval(places: readonly (readonly Placement[])[], size: number): number | undefined {
  const between = places.flatMap((all) => {
    const inOrder = all.map(({ at }) => at).toSorted((a, b) => a - b);
    return inOrder.slice(1).map((at, i) => at - inOrder[i]!);
  });
  const close = between.filter((samples) => samples < size).toSorted((a, b) => a - b);
  return close.length < places.length / 2 ? undefined : close[Math.floor(close.length / 10)];
}

/** Returns the beginning of a waveform. */
function cutHead(samples: Float32Array, length: number): Float32Array {
  const loudest = samples.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const from = Math.max(0, samples.findIndex((value) => Math.abs(value) > loudest / 5) - LEAD_SAMPLES);
  const head = samples.slice(from, Math.round(from + LEAD_SAMPLES + length));
  for (let i = 0; i < head.length; i++)
    head[i]! *= Math.min(1, (head.length - i) / LEAD_SAMPLES, (i + 1) / LEAD_SAMPLES);
  return head;
}

/** Finds the placements of waveforms in a recording, clearest first, subtracting each. */
function findPlacements(block: WhitenedBlock, waves: readonly WaveformSpectrum[], length: number): Placement[] {
  const left = block.copy();
  const places: Placement[] = [];
  while (places.length < MAX_PLACEMENTS) {
    const peaks = findPeaks(left, waves, length).filter(
      (peak) => !places.some((one) => isNear(one, peak, MIN_DISTANCE_SAMPLES)),
    );
    // Per round only placements that are nearly as clear as the clearest and not close together: neighbors correlate too.
    const fresh: Placement[] = [];
    for (const peak of peaks)
      if (
        peak.clear > ROUND_CLARITY_SHARE * peaks[0]!.clear &&
        !fresh.some((one) => isNear(one, peak, ROUND_DISTANCE_SAMPLES))
      )
        fresh.push(peak);
    if (fresh.length === 0) break;
    for (const { wave, at, gain } of fresh) left.subtract(waves[wave]!, at, gain);
    places.push(...fresh);
  }
  return places;
}

function isNear(one: Placement, other: Placement, samples: number): boolean {
  return Math.abs(one.at - other.at) < samples;
}

/** Finds correlation peaks, clearest first; at most one per cell. */
function findPeaks(
  block: WhitenedBlock,
  waves: readonly WaveformSpectrum[],
  length: number,
): (Placement & { readonly clear: number })[] {
  const peaks: (Placement & { readonly clear: number })[] = [];
  for (let i = 0; i < waves.length; i += 2) {
    for (const [j, answer] of block.correlate(waves[i]!, waves[i + 1]).entries()) {
      if (!waves[i + j]) continue;
      for (const [cell, level] of localNoise(answer).entries()) {
        let at = cell * NOISE_CELL_SAMPLES;
        const end = Math.min(length, at + NOISE_CELL_SAMPLES);
        for (let k = at + 1; k < end; k++) if (answer[k]! > answer[at]!) at = k;
        if (at < end && answer[at]! >= MIN_PLACEMENT_CLARITY * level && level > 0)
          peaks.push({ wave: i + j, at, gain: answer[at]!, clear: answer[at]! / level });
      }
    }
  }
  return peaks.toSorted((a, b) => b.clear - a.clear || a.at - b.at);
}

/** Solves for the waveforms that explain the recordings best. */
function solveWaveforms(
  blocks: readonly WhitenedBlock[],
  places: readonly (readonly Placement[])[],
  count: number,
): Float32Array[] {
  const re = Array.from({ length: count }, () => new Float64Array(BLOCK_SAMPLES));
  const im = Array.from({ length: count }, () => new Float64Array(BLOCK_SAMPLES));
  const least = MIN_GAIN_SHARE * (upperMedian(places.flat().map(({ gain }) => gain)) ?? 0);
  const kept = places.map((all) => all.filter(({ gain }) => gain >= least));
  const diagonal = meanDiagonal(blocks, kept, count);
  for (let k = LOWEST_BIN; k <= HIGHEST_BIN; k++) {
    // Rows of the normal equations: Σ conj(A)·A / P · S = Σ conj(A)·Y / P.
    const rows = Array.from({ length: count }, () => new Float64Array(2 * count + 2));
    for (const [i, block] of blocks.entries()) {
      const sums = new Float64Array(2 * count);
      for (const { wave, at, gain } of kept[i]!) {
        const angle = (-2 * Math.PI * ((k * at) % BLOCK_SAMPLES)) / BLOCK_SAMPLES;
        sums[2 * wave]! += gain * Math.cos(angle);
        sums[2 * wave + 1]! += gain * Math.sin(angle);
      }
      const power = block.power[k]!;
      for (let a = 0; a < count; a++) {
        const [c, d] = [sums[2 * a]! / power, -sums[2 * a + 1]! / power];
        for (let b = 0; b < count; b++) {
          rows[a]![2 * b]! += c * sums[2 * b]! - d * sums[2 * b + 1]!;
          rows[a]![2 * b + 1]! += c * sums[2 * b + 1]! + d * sums[2 * b]!;
        }
        rows[a]![2 * count]! += c * block.re[k]! - d * block.im[k]!;
        rows[a]![2 * count + 1]! += c * block.im[k]! + d * block.re[k]!;
      }
    }
    for (let a = 0; a < count; a++) rows[a]![2 * a]! += RIDGE_SHARE * diagonal[k]!;
    solveEquations(rows, count);
    for (let a = 0; a < count; a++) {
      re[a]![k] = re[a]![BLOCK_SAMPLES - k] = rows[a]![2 * count]!;
      im[a]![k] = rows[a]![2 * count + 1]!;
      im[a]![BLOCK_SAMPLES - k] = -rows[a]![2 * count + 1]!;
    }
  }
  const fft = new Fft(BLOCK_SAMPLES);
  return re.map((real, a) => {
    fft.inverse(real, im[a]!);
    return Float32Array.from(real);
  });
}

/** Returns the mean diagonal of the equations by frequency. */
function meanDiagonal(
  blocks: readonly WhitenedBlock[],
  places: readonly (readonly Placement[])[],
  count: number,
): Float64Array {
  const sums = new Float64Array(BLOCK_SAMPLES / 2 + 1);
  for (const [i, block] of blocks.entries()) {
    const energy = places[i]!.reduce((sum, { gain }) => sum + gain * gain, 0) / count;
    for (let k = LOWEST_BIN; k <= HIGHEST_BIN; k++) sums[k]! += energy / block.power[k]!;
  }
  return sums;
}

/** Solves complex linear equations by elimination; the last column becomes the solution. */
function solveEquations(rows: readonly Float64Array[], count: number): void {
  for (let a = 0; a < count; a++) {
    const pivot = rows[a]!;
    const [c, d] = [pivot[2 * a]!, pivot[2 * a + 1]!];
    const size = c * c + d * d;
    for (let b = a; b <= count; b++) {
      const [x, y] = [pivot[2 * b]!, pivot[2 * b + 1]!];
      pivot[2 * b] = size > 0 ? (x * c + y * d) / size : 0;
      pivot[2 * b + 1] = size > 0 ? (y * c - x * d) / size : 0;
    }
    for (const [i, row] of rows.entries()) {
      if (i === a) continue;
      const [u, v] = [row[2 * a]!, row[2 * a + 1]!];
      for (let b = a; b <= count; b++) {
        const [x, y] = [pivot[2 * b]!, pivot[2 * b + 1]!];
        row[2 * b]! -= u * x - v * y;
        row[2 * b + 1]! -= u * y + v * x;
      }
    }
  }
}

/** Largest number of variants of a sound. */
const MAX_VARIANTS = 4;
/** Least increase of the mean likeness that justifies another variant. */
const MIN_LIKENESS_GAIN = 0.05;
/** Least members of a waveform, and times that members are chosen anew. */
const MIN_VARIANT_MEMBERS = 3;
const CLUSTER_ROUNDS = 6;
/** Samples by which parts may be moved onto each other. */
const MAX_SHIFT_SAMPLES = 24;

/**
 * Clusters separated occurrences into the variants that a game chooses from.
 *
 * @returns By occurrence: the number of its variant, from 0 on. As many variants as clearly increase the likeness to the mean of the variant.
 */
export function clusterVariants(parts: readonly Float32Array[]): number[] {
  const spectra = new LikenessMatrix(parts);
  let best = parts.map(() => 0);
  let likeness = spectra.likeness(best);
  for (let count = 2; count <= MAX_VARIANTS && count * MIN_VARIANT_MEMBERS <= parts.length; count++) {
    const sorted = clusterParts(spectra, count);
    const members = Array.from({ length: count }, (_, i) => sorted.filter((one) => one === i).length);
    if (Math.min(...members) < MIN_VARIANT_MEMBERS) break;
    const next = spectra.likeness(sorted);
    if (next < likeness + MIN_LIKENESS_GAIN) break;
    [best, likeness] = [sorted, next];
  }
  return best;
}

/** Starts with the parts that are least alike, then assigns each part to the mean that it is most like. */
function clusterParts(spectra: LikenessMatrix, count: number): number[] {
  const { alike } = spectra;
  const sums = alike.map((row) => row.reduce((sum, value) => sum + value, 0));
  const seeds = [sums.indexOf(Math.max(...sums))];
  while (seeds.length < count) {
    // A seed must be like others: a part that is like none is another sound.
    const worth = alike.map((row, i) => {
      const near = Math.max(...seeds.map((seed) => row[seed]!));
      const friends = row.toSorted((a, b) => b - a)[MIN_VARIANT_MEMBERS - 1] ?? 0;
      return seeds.includes(i) ? Number.NEGATIVE_INFINITY : friends - near;
    });
    seeds.push(worth.indexOf(Math.max(...worth)));
  }
  let sorted = alike.map((row) => indexOfMax(seeds.map((seed) => row[seed]!)));
  for (let round = 0; round < CLUSTER_ROUNDS; round++) {
    const before = sorted;
    sorted = before.map((_, i) =>
      indexOfMax(
        Array.from({ length: count }, (_unused, k) => spectra.meanLikeness(i, (j) => j !== i && before[j] === k)),
      ),
    );
    if (sorted.every((one, i) => one === before[i])) break;
  }
  return sorted;
}

function indexOfMax(values: readonly number[]): number {
  return values.indexOf(Math.max(...values));
}

/** Likeness of parts of one length at a common level, each pair aligned. */
class LikenessMatrix {
  /** Pairwise likeness, −1 to 1. */
  readonly alike: number[][];

  constructor(parts: readonly Float32Array[]) {
    const size = 2 ** Math.ceil(Math.log2(2 * (parts[0]?.length ?? 1)));
    const fft = new Fft(size);
    const spectra = parts.map((samples) => {
      const [re, im] = [new Float64Array(size), new Float64Array(size)];
      const energy = Math.sqrt(samples.reduce((sum, value) => sum + value * value, 1e-30));
      for (const [i, value] of samples.entries()) re[i] = value / energy;
      fft.forward(re, im);
      return { re, im };
    });
    this.alike = spectra.map(() => spectra.map(() => 1));
    for (const [i, a] of spectra.entries()) {
      for (let j = 0; j < i; j++) {
        const b = spectra[j]!;
        const [re, im] = [new Float64Array(size), new Float64Array(size)];
        for (let k = 0; k < size; k++) {
          re[k] = a.re[k]! * b.re[k]! + a.im[k]! * b.im[k]!;
          im[k] = a.im[k]! * b.re[k]! - a.re[k]! * b.im[k]!;
        }
        fft.inverse(re, im);
        let best = re[0]!;
        for (let shift = 1; shift <= MAX_SHIFT_SAMPLES; shift++) best = Math.max(best, re[shift]!, re[size - shift]!);
        this.alike[i]![j] = this.alike[j]![i] = best;
      }
    }
  }

  /** Returns the likeness of a part to the mean of others. For parts of one level it follows from the pairwise likeness. */
  meanLikeness(i: number, others: (j: number) => boolean): number {
    const chosen = this.alike.flatMap((_, j) => (others(j) ? [j] : []));
    if (chosen.length === 0) return 0;
    const to = chosen.reduce((sum, j) => sum + this.alike[i]![j]!, 0);
    const between = chosen.reduce((sum, j) => sum + chosen.reduce((more, k) => more + this.alike[j]![k]!, 0), 0);
    return to / Math.sqrt(Math.max(between, 1e-9));
  }

  /** Returns the mean likeness of parts to the mean of the others of their variant. */
  likeness(sorted: readonly number[]): number {
    const sum = sorted.reduce((all, own, i) => all + this.meanLikeness(i, (j) => j !== i && sorted[j] === own), 0);
    return sum / Math.max(1, sorted.length);
  }
}
