import { Fft } from '../../compute/fft.ts';
import { RATE } from './spectrum.ts';
import { variantsOf } from './variants.ts';
import { CELL, Flattened, HIGH, LOW, type Recorded, type Shared, SIZE, usual, Wave } from './wave.ts';
import { upperMedian } from '../../statistics.ts';

/** How many times the usual answer places a waveform, and seconds in samples within which no second one is placed. */
const PLACED = 9;
const APART = 0.03 * RATE;
/** Share of the clearest that is placed in one go, and samples between such. */
const NEARLY = 0.6;
const BESIDE = 0.15 * RATE;
/** Waveforms placed in one recording at most. */
const MOST = 24;
/** What is added to the diagonal, as a share of its mean: frequencies that the places do not tell apart are left silent. */
const RIDGE = 0.2;
/** Times that places are found by what they gave. */
const ROUNDS = 2;
/** Share of the level that most have under which a place is another's, farther away, and tells little. */
const FAR = 0.1;

/** Share of the interval that is taken to begin with, and samples over which it sets in and ends. */
const HEAD = 0.8;
const LEAD = 120;
/** Intervals for which a waveform is told: what comes later is under the next ones, and too weak to tell. */
const TOLD = 1.25;

/** Places that are sorted by waveform at most. */
const SORTED = 80;

interface Place {
  readonly wave: number;
  readonly at: number;
  readonly gain: number;
}

/**
 * Waveforms that follow each other faster than they last, told apart: where they lie in the recordings is found by themselves, one after the other, each
 * taken out of what is left; then the waveforms are those that explain all recordings best at these places (least squares, frequency by frequency, weighed by
 * each recording's own spectrum). A mean would keep each one's neighbours, whose distance is much the same every time. Undefined where they hardly overlap.
 */
export function apart(
  waves: readonly Float32Array[],
  recorded: readonly Recorded[],
  longest: number,
): Shared[] | undefined {
  const blocks = recorded.map(({ samples }) => new Flattened(samples.subarray(0, SIZE)));
  const placed = (some: readonly Float32Array[]): Place[][] => {
    const spectra = some.map((samples) => new Wave(samples));
    return blocks.map((block, i) => placesIn(block, spectra, recorded[i]!.samples.length));
  };
  const interval = intervalOf(placed(waves), longest);
  if (interval === undefined) return undefined;
  const size = Math.min(longest, Math.round(LEAD + TOLD * interval));
  /** Rounds of places and waveforms; the first by what nothing else of the kind can be in. */
  const rounds = (first: Place[][], count: number): [Float32Array[], Place[][]] => {
    const solve = (): Float32Array[] => solved(blocks, places, count).map((samples) => samples.slice(0, size));
    let places = first;
    for (let round = 0; round < ROUNDS; round++)
      places = placed(round === 0 ? solve().map((samples) => headOf(samples, HEAD * interval)) : solve());
    return [solve(), places];
  };
  const [now, places] = rounds(placed(waves.map((samples) => headOf(samples, HEAD * interval))), waves.length);
  const sorted = assorted(blocks, places, now, size);
  const count = 1 + Math.max(...sorted.flat().map(({ wave }) => wave));
  const [told, at] = count === 1 ? [now, places] : rounds(sorted, count);
  // As loud as it is played: what the equations hold back goes into the gains.
  const heard = placed(told).flat();
  return told.flatMap((samples, i) => {
    const own = heard.flatMap(({ wave, gain }) => (wave === i ? [gain] : []));
    const examples = at.filter((all) => all.some(({ wave }) => wave === i)).length;
    return own.length === 0 ? [] : [{ samples: samples.map((value) => value * (upperMedian(own) ?? 0)), examples }];
  });
}

/** The places, each with the number of the waveform that is heard there; what lies at an end or is far away is left out. */
function assorted(
  blocks: readonly Flattened[],
  places: readonly (readonly Place[])[],
  waves: readonly Float32Array[],
  size: number,
): Place[][] {
  const spectra = waves.map((samples) => new Wave(samples));
  const middle = upperMedian(places.flat().map(({ gain }) => gain)) ?? 0;
  const chosen = places.flatMap((all, i) =>
    all.filter(({ gain }) => gain > middle / 2 && gain < middle * 2).map((place) => ({ place, i })),
  );
  const step = Math.max(1, Math.ceil(chosen.length / SORTED));
  const some = chosen.filter((_, i) => i % step === 0);
  const freed = some.map(({ place, i }) => {
    const left = blocks[i]!.copy();
    for (const other of places[i]!) if (other !== place) left.take(spectra[other.wave]!, other.at, other.gain);
    return left.flat(place.at, size);
  });
  const numbers = variantsOf(freed);
  return places.map((all, i) =>
    all.flatMap((place) => {
      const at = some.findIndex((one) => one.place === place && one.i === i);
      return at < 0 ? [] : [{ ...place, wave: numbers[at]! }];
    }),
  );
}

/** Samples from one to the next, the shortest that is common; undefined if most follow at a greater distance than they last. */
function intervalOf(places: readonly (readonly Place[])[], size: number): number | undefined {
  const between = places.flatMap((all) => {
    const inOrder = all.map(({ at }) => at).toSorted((a, b) => a - b);
    return inOrder.slice(1).map((at, i) => at - inOrder[i]!);
  });
  const close = between.filter((samples) => samples < size).toSorted((a, b) => a - b);
  return close.length < places.length / 2 ? undefined : close[Math.floor(close.length / 10)];
}

/** A waveform from where it sets in, for so many samples. */
function headOf(samples: Float32Array, length: number): Float32Array {
  const loudest = samples.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const from = Math.max(0, samples.findIndex((value) => Math.abs(value) > loudest / 5) - LEAD);
  const head = samples.slice(from, Math.round(from + LEAD + length));
  for (let i = 0; i < head.length; i++) head[i]! *= Math.min(1, (head.length - i) / LEAD, (i + 1) / LEAD);
  return head;
}

/** Where waveforms lie in a recording, the clearest first, each taken out of what is left. */
function placesIn(block: Flattened, waves: readonly Wave[], length: number): Place[] {
  const left = block.copy();
  const places: Place[] = [];
  while (places.length < MOST) {
    const peaks = peaksOf(left, waves, length).filter((peak) => !places.some((one) => near(one, peak, APART)));
    // At once only what is nearly as clear as the clearest and lies apart: what is beside it answers for it, too.
    const fresh: Place[] = [];
    for (const peak of peaks)
      if (peak.clear > NEARLY * peaks[0]!.clear && !fresh.some((one) => near(one, peak, BESIDE))) fresh.push(peak);
    if (fresh.length === 0) break;
    for (const { wave, at, gain } of fresh) left.take(waves[wave]!, at, gain);
    places.push(...fresh);
  }
  return places;
}

function near(one: Place, other: Place, samples: number): boolean {
  return Math.abs(one.at - other.at) < samples;
}

/** Where waveforms answer, the clearest first; one for every cell. */
function peaksOf(block: Flattened, waves: readonly Wave[], length: number): (Place & { readonly clear: number })[] {
  const peaks: (Place & { readonly clear: number })[] = [];
  for (let i = 0; i < waves.length; i += 2) {
    for (const [j, answer] of block.answers(waves[i]!, waves[i + 1]).entries()) {
      if (!waves[i + j]) continue;
      for (const [cell, level] of usual(answer).entries()) {
        let at = cell * CELL;
        const end = Math.min(length, at + CELL);
        for (let k = at + 1; k < end; k++) if (answer[k]! > answer[at]!) at = k;
        if (at < end && answer[at]! >= PLACED * level && level > 0)
          peaks.push({ wave: i + j, at, gain: answer[at]!, clear: answer[at]! / level });
      }
    }
  }
  return peaks.toSorted((a, b) => b.clear - a.clear || a.at - b.at);
}

/** The waveforms that explain the recordings best. */
function solved(blocks: readonly Flattened[], places: readonly (readonly Place[])[], count: number): Float32Array[] {
  const re = Array.from({ length: count }, () => new Float64Array(SIZE));
  const im = Array.from({ length: count }, () => new Float64Array(SIZE));
  const least = FAR * (upperMedian(places.flat().map(({ gain }) => gain)) ?? 0);
  const kept = places.map((all) => all.filter(({ gain }) => gain >= least));
  const diagonal = trace(blocks, kept, count);
  for (let k = LOW; k <= HIGH; k++) {
    // Rows of the normal equations: Σ conj(A)·A / P · S = Σ conj(A)·Y / P.
    const rows = Array.from({ length: count }, () => new Float64Array(2 * count + 2));
    for (const [i, block] of blocks.entries()) {
      const sums = new Float64Array(2 * count);
      for (const { wave, at, gain } of kept[i]!) {
        const angle = (-2 * Math.PI * ((k * at) % SIZE)) / SIZE;
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
    for (let a = 0; a < count; a++) rows[a]![2 * a]! += RIDGE * diagonal[k]!;
    eliminate(rows, count);
    for (let a = 0; a < count; a++) {
      re[a]![k] = re[a]![SIZE - k] = rows[a]![2 * count]!;
      im[a]![k] = rows[a]![2 * count + 1]!;
      im[a]![SIZE - k] = -rows[a]![2 * count + 1]!;
    }
  }
  const fft = new Fft(SIZE);
  return re.map((real, a) => {
    fft.inverse(real, im[a]!);
    return Float32Array.from(real);
  });
}

/** What the diagonal of the equations has on average, frequency by frequency. */
function trace(blocks: readonly Flattened[], places: readonly (readonly Place[])[], count: number): Float64Array {
  const sums = new Float64Array(SIZE / 2 + 1);
  for (const [i, block] of blocks.entries()) {
    const energy = places[i]!.reduce((sum, { gain }) => sum + gain * gain, 0) / count;
    for (let k = LOW; k <= HIGH; k++) sums[k]! += energy / block.power[k]!;
  }
  return sums;
}

/** Solves the equations of complex numbers in `rows`; the last column becomes the solution. */
function eliminate(rows: readonly Float64Array[], count: number): void {
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
