/** Least standard deviation that a surface without a glyph is given, in grey levels. */
export const FLAT = 10;

/** Number of pixels in a box, sum of their levels and of their squares. */
export interface Box {
  readonly area: number;
  readonly sum: number;
  readonly squares: number;
}

/** What a pixel of the ground looks like: as what lies around, or, with a small probability, as anything in the box. */
export interface Ground {
  readonly mean: number;
  readonly variance: number;
  readonly boxMean: number;
  readonly boxVariance: number;
}

/** Least standard deviation of the ground, in grey levels. */
const EVEN = 8;
/** Share of the ground's pixels that need not look like what lies around. */
const ODD = 0.2;
/** Pixels around two glyphs from which on they tell what the ground is like. */
const LEAST_AROUND = 16;

/** The ground as the pixels of a box show it that neither of two glyphs covers. */
export function groundAround(box: Box, data: Float32Array, base: number, a: Int32Array, onlyB: Int32Array): Ground {
  const { area } = box;
  const boxMean = box.sum / area;
  const boxVariance = Math.max(FLAT * FLAT, box.squares / area - boxMean * boxMean);
  let { sum, squares } = box;
  const around = area - a.length - onlyB.length;
  if (around < LEAST_AROUND) return { mean: boxMean, variance: boxVariance, boxMean, boxVariance };
  for (const offsets of [a, onlyB])
    for (const offset of offsets) {
      const p = data[base + offset]!;
      sum -= p;
      squares -= p * p;
    }
  const mean = sum / around;
  return { mean, variance: Math.max(EVEN * EVEN, squares / around - mean * mean), boxMean, boxVariance };
}

/** −2 log likelihood of pixels as ground, up to a term that every hypothesis shares. */
export function groundCost(data: Float32Array, base: number, offsets: Int32Array, ground: Ground): number {
  const { mean, variance, boxMean, boxVariance } = ground;
  const [usual, odd] = [(1 - ODD) / Math.sqrt(variance), ODD / Math.sqrt(boxVariance)];
  let cost = 0;
  for (const offset of offsets) {
    const p = data[base + offset]!;
    const near = usual * Math.exp(-((p - mean) ** 2) / (2 * variance));
    cost -= 2 * Math.log(near + odd * Math.exp(-((p - boxMean) ** 2) / (2 * boxVariance)) + 1e-12);
  }
  return cost;
}
