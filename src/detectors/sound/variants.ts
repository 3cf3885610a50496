import { Fft } from '../../compute/fft.ts';

/** Waveforms that a sound is taken to have at most. */
const MOST = 4;
/** By how much likeness to the mean of the others must rise for one waveform more. */
const WORTH = 0.05;
/** Least members of a waveform, and times that members are chosen anew. */
const FEW = 3;
const ROUNDS = 6;
/** Samples by which parts may be moved onto each other. */
const SLIDE = 24;

/**
 * Sorts occurrences that were freed from their neighbours into the waveforms that a game picks from: the number of each one's, from 0
 * on. As many as make each occurrence clearly more alike to the mean of the others of its own.
 */
export function variantsOf(parts: readonly Float32Array[]): number[] {
  const spectra = new Spectra(parts);
  let best = parts.map(() => 0);
  let likeness = spectra.likeness(best);
  for (let count = 2; count <= MOST && count * FEW <= parts.length; count++) {
    const sorted = sort(spectra, count);
    const members = Array.from({ length: count }, (_, i) => sorted.filter((one) => one === i).length);
    if (Math.min(...members) < FEW) break;
    const next = spectra.likeness(sorted);
    if (next < likeness + WORTH) break;
    [best, likeness] = [sorted, next];
  }
  return best;
}

/** Begins with parts that are least alike, then takes each to the mean that it is most alike. */
function sort(spectra: Spectra, count: number): number[] {
  const { alike } = spectra;
  const sums = alike.map((row) => row.reduce((sum, value) => sum + value, 0));
  const seeds = [sums.indexOf(Math.max(...sums))];
  while (seeds.length < count) {
    // One that others are like: what is like none is no waveform of the game but something else that was heard.
    const worth = alike.map((row, i) => {
      const near = Math.max(...seeds.map((seed) => row[seed]!));
      const friends = row.toSorted((a, b) => b - a)[FEW - 1] ?? 0;
      return seeds.includes(i) ? Number.NEGATIVE_INFINITY : friends - near;
    });
    seeds.push(worth.indexOf(Math.max(...worth)));
  }
  let sorted = alike.map((row) => most(seeds.map((seed) => row[seed]!)));
  for (let round = 0; round < ROUNDS; round++) {
    const before = sorted;
    sorted = before.map((_, i) =>
      most(Array.from({ length: count }, (_unused, k) => spectra.meanLikeness(i, (j) => j !== i && before[j] === k))),
    );
    if (sorted.every((one, i) => one === before[i])) break;
  }
  return sorted;
}

function most(values: readonly number[]): number {
  return values.indexOf(Math.max(...values));
}

/** Parts of one length at a common level, and how alike they are, each moved to fit best. */
class Spectra {
  /** Likeness of every two, −1 to 1. */
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
        for (let shift = 1; shift <= SLIDE; shift++) best = Math.max(best, re[shift]!, re[size - shift]!);
        this.alike[i]![j] = this.alike[j]![i] = best;
      }
    }
  }

  /** How alike a part is to the mean of some others: of parts of one level that follows from the likeness of each two. */
  meanLikeness(i: number, others: (j: number) => boolean): number {
    const chosen = this.alike.flatMap((_, j) => (others(j) ? [j] : []));
    if (chosen.length === 0) return 0;
    const to = chosen.reduce((sum, j) => sum + this.alike[i]![j]!, 0);
    const between = chosen.reduce((sum, j) => sum + chosen.reduce((more, k) => more + this.alike[j]![k]!, 0), 0);
    return to / Math.sqrt(Math.max(between, 1e-9));
  }

  /** How alike parts are to the mean of the others of their own, on average. */
  likeness(sorted: readonly number[]): number {
    const sum = sorted.reduce((all, own, i) => all + this.meanLikeness(i, (j) => j !== i && sorted[j] === own), 0);
    return sum / Math.max(1, sorted.length);
  }
}
