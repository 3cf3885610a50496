import { Fft } from '../../compute/fft.ts';
import type { Sketch } from '../kind.ts';

/** A displacement in cells of the sketch: the position now of what was at (0, 0) before. */
export interface Displacement {
  readonly x: number;
  readonly y: number;
}

/** Size of the transformed picture. */
const WIDTH = 64;
const HEIGHT = 32;
const rows = new Fft(WIDTH);
const columns = new Fft(HEIGHT);

/**
 * Finds the most likely displacements of a whole picture by phase correlation (Kuglin and Hines 1975) at half the sketch's
 * resolution: even numbers of cells, most likely first.
 */
export function likelyDisplacements(before: Sketch, now: Sketch, count: number): Displacement[] {
  // Transforms both real pictures as one complex picture; symmetry separates them.
  const re = windowed(before);
  const im = windowed(now);
  transform(re, im, false);
  const crossRe = new Float64Array(WIDTH * HEIGHT);
  const crossIm = new Float64Array(WIDTH * HEIGHT);
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      const a = y * WIDTH + x;
      const b = ((HEIGHT - y) % HEIGHT) * WIDTH + ((WIDTH - x) % WIDTH);
      const beforeRe = (re[a]! + re[b]!) / 2;
      const beforeIm = (im[a]! - im[b]!) / 2;
      const nowRe = (im[a]! + im[b]!) / 2;
      const nowIm = (re[b]! - re[a]!) / 2;
      const real = nowRe * beforeRe + nowIm * beforeIm;
      const imaginary = nowIm * beforeRe - nowRe * beforeIm;
      const size = Math.hypot(real, imaginary);
      if (size < 1e-9) continue;
      // Between plain and phase correlation: weak frequencies are mostly noise.
      const weight = Math.sqrt(size);
      crossRe[a] = real / weight;
      crossIm[a] = imaginary / weight;
    }
  }
  transform(crossRe, crossIm, true);
  return findPeaks(crossRe, count);
}

function transform(re: Float64Array, im: Float64Array, inverse: boolean): void {
  for (let y = 0; y < HEIGHT; y++) {
    const from = y * WIDTH;
    const [a, b] = [re.subarray(from, from + WIDTH), im.subarray(from, from + WIDTH)];
    if (inverse) rows.inverse(a, b);
    else rows.forward(a, b);
  }
  const a = new Float64Array(HEIGHT);
  const b = new Float64Array(HEIGHT);
  for (let x = 0; x < WIDTH; x++) {
    for (let y = 0; y < HEIGHT; y++) {
      a[y] = re[y * WIDTH + x]!;
      b[y] = im[y * WIDTH + x]!;
    }
    if (inverse) columns.inverse(a, b);
    else columns.forward(a, b);
    for (let y = 0; y < HEIGHT; y++) {
      re[y * WIDTH + x] = a[y]!;
      im[y * WIDTH + x] = b[y]!;
    }
  }
}

/** Halves the sketch, subtracts its mean and applies a sine window. */
function windowed({ data, width, height }: Sketch): Float64Array {
  const out = new Float64Array(WIDTH * HEIGHT);
  const across = Math.min(WIDTH, width >> 1);
  const down = Math.min(HEIGHT, height >> 1);
  let mean = 0;
  for (let y = 0; y < down; y++) {
    for (let x = 0; x < across; x++) {
      const at = 2 * y * width + 2 * x;
      const value = data[at]! + data[at + 1]! + data[at + width]! + data[at + width + 1]!;
      out[y * WIDTH + x] = value;
      mean += value;
    }
  }
  mean /= across * down;
  for (let y = 0; y < down; y++) {
    const vertical = Math.sin((Math.PI * (y + 0.5)) / down);
    for (let x = 0; x < across; x++) {
      const at = y * WIDTH + x;
      out[at] = (out[at]! - mean) * vertical * Math.sin((Math.PI * (x + 0.5)) / across);
    }
  }
  return out;
}

function findPeaks(surface: Float64Array, count: number): Displacement[] {
  const found: { at: number; value: number }[] = [];
  for (let at = 0; at < surface.length; at++) {
    const value = surface[at]!;
    if (found.length === count && value <= found[count - 1]!.value) continue;
    const x = at % WIDTH;
    const y = (at / WIDTH) | 0;
    let isPeak = true;
    for (let dy = -1; dy <= 1 && isPeak; dy++) {
      for (let dx = -1; dx <= 1; dx++) {
        const other = ((y + dy + HEIGHT) % HEIGHT) * WIDTH + ((x + dx + WIDTH) % WIDTH);
        if (other !== at && surface[other]! > value) {
          isPeak = false;
          break;
        }
      }
    }
    if (!isPeak) continue;
    const place = found.findIndex((one) => one.value < value);
    found.splice(place < 0 ? found.length : place, 0, { at, value });
    if (found.length > count) found.pop();
  }
  return found.map(({ at }) => {
    const x = at % WIDTH;
    const y = (at / WIDTH) | 0;
    return { x: 2 * (x >= WIDTH / 2 ? x - WIDTH : x), y: 2 * (y >= HEIGHT / 2 ? y - HEIGHT : y) };
  });
}

/** Downscaling factor of the search for far displacements. */
const FAR_SCALE = 3;
/** Maximum far displacements, as shares of width and height. */
const MAX_FAR_X = 0.6;
const MAX_FAR_Y = 0.5;
/** Minimum share of the picture in which both overlap. */
const MIN_OVERLAP = 0.35;

/**
 * Finds the displacement with the highest normalised correlation of the overlap, at a third of the sketch's resolution. It finds
 * displacements too far for phase correlation; undefined if no correlation is positive.
 */
export function findFarDisplacement(before: Sketch, now: Sketch): Displacement | undefined {
  const [a, b] = [downscale(before), downscale(now)];
  const { width, height } = a;
  const [across, down] = [Math.floor(width * MAX_FAR_X), Math.floor(height * MAX_FAR_Y)];
  let best: Displacement | undefined;
  let highest = 0;
  for (let dy = -down; dy <= down; dy++) {
    for (let dx = -across; dx <= across; dx++) {
      if ((width - Math.abs(dx)) * (height - Math.abs(dy)) < MIN_OVERLAP * width * height) continue;
      const correlation = overlapCorrelation(a, b, dx, dy);
      if (correlation <= highest) continue;
      highest = correlation;
      best = { x: FAR_SCALE * dx, y: FAR_SCALE * dy };
    }
  }
  return best;
}

interface Downscaled {
  readonly width: number;
  readonly height: number;
  readonly data: Float64Array;
}

function downscale({ data, width: from, height: lines }: Sketch): Downscaled {
  const [width, height] = [Math.floor(from / FAR_SCALE), Math.floor(lines / FAR_SCALE)];
  const out = new Float64Array(width * height);
  for (let y = 0; y < FAR_SCALE * height; y++) {
    const to = Math.floor(y / FAR_SCALE) * width;
    for (let x = 0; x < FAR_SCALE * width; x++) out[to + Math.floor(x / FAR_SCALE)]! += data[y * from + x]!;
  }
  return { width, height, data: out };
}

/** Correlation of `b` with `a` displaced by whole cells, over their overlap. */
function overlapCorrelation(a: Downscaled, b: Downscaled, dx: number, dy: number): number {
  const { width, height } = a;
  const [left, right] = [Math.max(0, dx), Math.min(width, width + dx)];
  const [top, bottom] = [Math.max(0, dy), Math.min(height, height + dy)];
  let [sumA, sumB, squaresA, squaresB, products] = [0, 0, 0, 0, 0];
  for (let y = top; y < bottom; y++) {
    const back = (y - dy) * width - dx;
    for (let x = left; x < right; x++) {
      const p = a.data[back + x]!;
      const q = b.data[y * width + x]!;
      sumA += p;
      sumB += q;
      squaresA += p * p;
      squaresB += q * q;
      products += p * q;
    }
  }
  const count = (right - left) * (bottom - top);
  const spread = (squaresA - (sumA * sumA) / count) * (squaresB - (sumB * sumB) / count);
  return spread > 0 ? (products - (sumA * sumB) / count) / Math.sqrt(spread) : 0;
}
