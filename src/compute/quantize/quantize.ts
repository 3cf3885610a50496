import { exactSum, type Kernel, type NestedNumbers, toKernel } from './kernel.ts';
import {
  type BlockReport,
  minimizeResponseDeviation,
  roundExactly,
  roundGreedily,
  type GreedyOptions,
  type Term,
} from './rounding.ts';
import { findSymmetries, type SymmetryClass, type SymmetryName } from './symmetry.ts';

/** Number format, symmetry and method of a quantization. */
export interface QuantizeOptions extends GreedyOptions {
  /** B_M: bits of the signed mantissa, 2 to 32; default 8. */
  readonly mantissaBits?: number;
  /** B_E: bits of the exponent, 0 to 8. With 0 (default) all coefficients share one exponent: an integer kernel and a shift. */
  readonly exponentBits?: number;
  /** Symmetries to keep; default `auto`, all that the kernel has. */
  readonly symmetry?: 'auto' | 'none' | readonly SymmetryName[] | undefined;
  /** The sum to keep; default the kernel's own, rounded to an integer where only rounding noise keeps it from being one. */
  readonly sum?: number;
  /**
   * `exact` (default) keeps the sum to half the least granularity with the least squared coefficient error. `frequency` keeps
   * the same sum with the least maximum deviation of the frequency response. `source` is the greedy pass as published.
   * `nearest` rounds every coefficient independently, for comparison.
   */
  readonly method?: 'exact' | 'frequency' | 'source' | 'nearest';
}

/** A kernel in fixed point: coefficient i is `mantissas[i] · 2^exponents[i]`. */
export interface QuantizedKernel {
  readonly shape: readonly number[];
  readonly mantissas: Int32Array;
  readonly exponents: Int32Array;
  /** The sum of the coefficients, exactly. */
  readonly sum: number;
  readonly report: QuantizeReport;
}

/** How well a quantized kernel represents the original. */
export interface QuantizeReport {
  readonly method: NonNullable<QuantizeOptions['method']>;
  readonly mantissaBits: number;
  readonly exponentBits: number;
  /** The sum to keep. */
  readonly target: number;
  /** Sum minus target. */
  readonly sumError: number;
  /**
   * Whether the sum error is at most half of `granularity`. With `exact` and `frequency` it is false only if exponents differ and
   * mantissas are too short for fine coefficients to compensate coarse ones.
   */
  readonly kept: boolean;
  /** g_min: the least step by which a symmetry class can change the sum. */
  readonly granularity: number;
  /** Largest and root-mean-square error of a coefficient, absolute. */
  readonly maxError: number;
  readonly rmsError: number;
  /** Largest distance of a mantissa from its nearest rounding, in steps. */
  readonly maxSteps: number;
  /** Coefficients that sum and symmetry together force more than one step from their nearest rounding. */
  readonly forced: readonly { readonly cells: readonly number[]; readonly steps: number }[];
  /** Names of the symmetries kept; odd ones with a leading minus. */
  readonly symmetries: readonly string[];
  /** Order of the symmetry group. */
  readonly symmetryOrder: number;
  readonly classes: number;
  /** Method `source`: the remainder after each block. */
  readonly blocks?: readonly BlockReport[];
  /** Method `frequency`: the deviation reached, and whether the search proved it minimal. */
  readonly response?: { readonly deviation: number; readonly proven: boolean };
}

interface Prepared {
  readonly kernel: Kernel;
  readonly classes: readonly SymmetryClass[];
  readonly terms: readonly Term[];
  readonly base: number;
  readonly target: number;
  readonly least: number;
  readonly most: number;
}

/**
 * Converts a kernel to fixed point so that the sum of its coefficients is kept: exactly if mantissas and symmetry can represent it
 * (1 for a smoothing kernel, 0 for a difference), else to half the least granularity. Even and odd symmetries are kept, and
 * zero coefficients stay zero.
 *
 * @param kernel Finite numbers in nested arrays of any size and depth.
 * @throws RangeError if the kernel or an option is invalid.
 * @example
 * const { mantissas, exponents, sum } = quantizeKernel([0.25, 0.5, 0.25], { mantissaBits: 8 });
 * // mantissas 32, 64, 32; exponents −7; sum 1
 */
export function quantizeKernel(kernel: NestedNumbers | Kernel, options: QuantizeOptions = {}): QuantizedKernel {
  const { mantissaBits = 8, exponentBits = 0, method = 'exact' } = options;
  if (!Number.isInteger(mantissaBits) || mantissaBits < 2 || mantissaBits > 32)
    throw new RangeError(`mantissaBits must be an integer from 2 to 32, not ${mantissaBits}`);
  if (!Number.isInteger(exponentBits) || exponentBits < 0 || exponentBits > 8)
    throw new RangeError(`exponentBits must be an integer from 0 to 8, not ${exponentBits}`);
  const real = toKernel(kernel);
  const symmetries = findSymmetries(real, options.symmetry ?? 'auto');
  const attempt = (lift: number): QuantizedKernel => {
    const prepared = prepare(real, symmetries.classes, mantissaBits, exponentBits, lift, options);
    const { mantissas, ...extra } = choose(prepared, method, options);
    const result = assembled(prepared, mantissas);
    const about = { symmetries: symmetries.names, symmetryOrder: symmetries.order, classes: prepared.classes.length };
    const report = {
      method,
      mantissaBits,
      exponentBits,
      ...errors(prepared, mantissas, result.sum),
      ...about,
      ...extra,
    };
    return { ...result, report };
  };
  const full = attempt(0);
  if (full.report.kept || method === 'source' || method === 'nearest') return full;
  // Full mantissas may leave no headroom to correct the sum. Exponents one higher do.
  const coarser = attempt(1);
  return Math.abs(coarser.report.sumError) < Math.abs(full.report.sumError) ? coarser : full;
}

function prepare(
  kernel: Kernel,
  all: readonly SymmetryClass[],
  mantissaBits: number,
  exponentBits: number,
  lift: number,
  { method, sum }: QuantizeOptions,
): Prepared {
  const least = -(2 ** (mantissaBits - 1));
  const most = -least - 1;
  const classes = all.filter(({ value }) => value !== 0);
  const exponents = exponentsOf(classes, mantissaBits, exponentBits, method !== 'source', lift);
  const terms = classes.map((group, i): Term => {
    const scaled = group.value / 2 ** exponents[i]!;
    // An odd class also contains the negated mantissa.
    const lowest = isOdd(group) ? -most : least;
    const nearest = Math.min(most, Math.max(lowest, Math.sign(scaled) * Math.round(Math.abs(scaled))));
    return { scaled, exponent: exponents[i]!, weight: group.weight, count: group.cells.length, nearest };
  });
  return { kernel, classes, terms, base: Math.min(0, ...exponents), target: sum ?? sumOf(kernel), least, most };
}

type Chosen = { readonly mantissas: readonly number[] } & Pick<QuantizeReport, 'blocks' | 'response'>;

function choose(prepared: Prepared, method: NonNullable<QuantizeOptions['method']>, options: QuantizeOptions): Chosen {
  const { terms, least, most } = prepared;
  const nearest = terms.map((term) => term.nearest);
  if (method === 'nearest') return { mantissas: nearest };
  // Odd classes do not change the sum.
  const moving = terms.flatMap((term, i) => (term.weight > 0 ? [i] : []));
  const chosen = moving.map((i) => terms[i]!);
  if (method === 'source') {
    const { mantissas, blocks } = roundGreedily(chosen, least, most, options);
    for (const [n, i] of moving.entries()) nearest[i] = mantissas[n]!;
    return { mantissas: nearest, blocks };
  }
  const { steps: all, bound } = adjustReachable(prepared, moving);
  if (method === 'exact') return { mantissas: nearest.map((m, i) => m + all[i]!) };
  const search = minimizeResponseDeviation(
    terms.map((term, i) => {
      const unit = 2 ** term.exponent;
      const limit = Math.max(1, bound);
      return {
        symmetry: prepared.classes[i]!,
        unit,
        weight: term.weight,
        error: (term.nearest - term.scaled) * unit,
        least: Math.max(-limit, (isOdd(prepared.classes[i]!) ? -most : least) - term.nearest),
        most: Math.min(limit, most - term.nearest),
      };
    }),
    prepared.kernel.shape,
    all,
  );
  return {
    mantissas: nearest.map((m, i) => m + search.steps[i]!),
    response: { deviation: search.deviation, proven: search.proven },
  };
}

/**
 * Chooses steps that keep the sum. Where exponents differ, fine coefficients may be unable to compensate coarse ones (four mantissa
 * bits reach 8 steps; the next coefficient may move by 1024 of them). Then the finest keep their nearest rounding, and the
 * problem is solved without them.
 */
function adjustReachable(
  { terms, target, least, most }: Prepared,
  moving: readonly number[],
): { readonly steps: readonly number[]; readonly bound: number } {
  let active = moving;
  let wanted = target;
  for (;;) {
    const chosen = active.map((i) => terms[i]!);
    const { steps, bound, rest } = roundExactly(chosen, targetUnits(chosen, wanted), least, most);
    const finest = Math.min(...chosen.map((term) => term.exponent));
    const coarser = active.filter((i) => terms[i]!.exponent > finest);
    if (rest === 0n || coarser.length === 0) {
      const all = terms.map(() => 0);
      for (const [n, i] of active.entries()) all[i] = steps[n]!;
      return { steps: all, bound };
    }
    const fine = chosen.filter((term) => term.exponent === finest);
    wanted = exactSum([wanted, ...fine.map(({ weight, nearest, exponent }) => -weight * nearest * 2 ** exponent)]);
    active = coarser;
  }
}

/** Sums a kernel; a sum that differs from an integer by rounding noise only is that integer. */
function sumOf({ data }: Kernel): number {
  const sum = exactSum(data);
  const whole = Math.round(sum);
  return Math.abs(sum - whole) <= 1e-9 * exactSum(data.map(Math.abs)) ? whole : sum;
}

/**
 * Returns the exponent of each class: such that its mantissa is full (2^(B_M−2) ≤ |m| < 2^(B_M−1), or m = −2^(B_M−1)), one more if
 * rounding would overflow, then clipped to the 2^B_E exponents up to E_max, the greatest of them plus `lift`.
 */
function exponentsOf(
  classes: readonly SymmetryClass[],
  mantissaBits: number,
  exponentBits: number,
  rounded: boolean,
  lift: number,
): number[] {
  const full = classes.map((group) => {
    const size = Math.abs(group.value);
    const exponent = floorLog2(size) - mantissaBits + 2;
    const end = 2 ** (mantissaBits - 1);
    const negative = group.value < 0 && !isOdd(group);
    if (negative && size / 2 ** (exponent - 1) <= (rounded ? end + 0.5 : end)) return exponent - 1;
    return rounded && !negative && Math.round(size / 2 ** exponent) >= end ? exponent + 1 : exponent;
  });
  const greatest = Math.max(...full) + lift;
  const lowest = greatest - (2 ** exponentBits - 1);
  return full.map((exponent) => Math.max(lowest, exponent + lift));
}

function isOdd({ signs }: SymmetryClass): boolean {
  return signs.includes(-1);
}

function floorLog2(value: number): number {
  let power = Math.floor(Math.log2(value));
  if (2 ** power > value) power--;
  if (2 ** (power + 1) <= value) power++;
  return power;
}

/** Returns the target in units of the finest exponent, rounded to a sum that the classes' granularities can represent. */
function targetUnits(terms: readonly Term[], target: number): bigint {
  if (terms.length === 0) return 0n;
  const base = Math.min(...terms.map((term) => term.exponent));
  const divisor = terms.reduce(
    (common, { weight, exponent }) => gcd(common, BigInt(weight) << BigInt(exponent - base)),
    0n,
  );
  // Powers of two scale a double exactly; the quotient by the odd part of the divisor is rounded once.
  const quotient = Math.round(target / (Number(divisor) * 2 ** base));
  return BigInt(quotient) * divisor;
}

function gcd(a: bigint, b: bigint): bigint {
  return b === 0n ? a : gcd(b, a % b);
}

function assembled(
  { kernel, classes, terms, base }: Prepared,
  chosen: readonly number[],
): Omit<QuantizedKernel, 'report'> {
  const mantissas = new Int32Array(kernel.data.length);
  const shared = terms.length === 0 ? 0 : Math.max(...terms.map((term) => term.exponent));
  const exponents = new Int32Array(kernel.data.length).fill(shared);
  let units = 0n;
  for (const [i, { cells, signs }] of classes.entries()) {
    const { exponent } = terms[i]!;
    for (const [n, cell] of cells.entries()) {
      mantissas[cell] = signs[n]! * chosen[i]!;
      exponents[cell] = exponent;
      units += BigInt(mantissas[cell]!) << BigInt(exponent - base);
    }
  }
  return { shape: kernel.shape, mantissas, exponents, sum: Number(units) * 2 ** base };
}

function errors(prepared: Prepared, chosen: readonly number[], sum: number) {
  const { terms, classes, target, kernel } = prepared;
  let maxError = 0;
  let squares = 0;
  let maxSteps = 0;
  const forced: { cells: readonly number[]; steps: number }[] = [];
  for (const [i, { scaled, exponent, nearest, count }] of terms.entries()) {
    const error = Math.abs(chosen[i]! - scaled) * 2 ** exponent;
    const steps = Math.abs(chosen[i]! - nearest);
    maxError = Math.max(maxError, error);
    squares += count * error * error;
    maxSteps = Math.max(maxSteps, steps);
    if (steps > 1) forced.push({ cells: classes[i]!.cells, steps });
  }
  const moving = terms.filter(({ weight }) => weight > 0);
  const granularity =
    moving.length === 0 ? 0 : Math.min(...moving.map(({ weight, exponent }) => weight * 2 ** exponent));
  return {
    target,
    sumError: sum - target,
    kept: Math.abs(sum - target) <= granularity / 2,
    granularity,
    maxError,
    rmsError: Math.sqrt(squares / kernel.data.length),
    maxSteps,
    forced,
  };
}

/**
 * Factors a separable kernel into one-dimensional kernels, one per axis; undefined if it is not separable. Factors after the first
 * sum to 1 if they can, else their largest value is 1.
 *
 * @param tolerance Allowed difference of a coefficient from the product, relative to the largest coefficient.
 */
export function factorKernel(nested: NestedNumbers | Kernel, tolerance = 1e-9): readonly number[][] | undefined {
  const kernel = toKernel(nested);
  const { shape, data } = kernel;
  const largest = data.reduce((best, value, i) => (Math.abs(value) > Math.abs(data[best]!) ? i : best), 0);
  const peak = data[largest]!;
  if (peak === 0) return undefined;
  // The lines through any nonzero coefficient determine the factors.
  const lines = shape.map((length, axis) => {
    const stride = shape.slice(axis + 1).reduce((product, size) => product * size, 1);
    const base = largest - (Math.floor(largest / stride) % length) * stride;
    return Array.from({ length }, (_, i) => data[base + i * stride]! / peak);
  });
  let scale = peak;
  const factors = lines.map((line, axis) => {
    if (axis === 0) return line;
    const sum = exactSum(line);
    const unit = Math.abs(sum) > 1e-6 ? sum : 1;
    scale *= unit;
    return line.map((value) => value / unit);
  });
  factors[0] = factors[0]!.map((value) => value * scale);
  const product = factors.reduce<number[]>((outer, line) => outer.flatMap((a) => line.map((b) => a * b)), [1]);
  return product.every((value, i) => Math.abs(value - data[i]!) <= tolerance * Math.abs(peak)) ? factors : undefined;
}

/** A separable kernel in fixed point: one quantized factor per axis. */
export interface SeparatedKernel {
  readonly factors: readonly QuantizedKernel[];
  /** Sum of the product kernel: the product of the factors' sums. */
  readonly sum: number;
  /** Largest error of a coefficient of the product kernel. */
  readonly maxError: number;
}

/**
 * Quantizes each factor of a separable kernel, so that the product keeps its sum; undefined if the kernel is not separable.
 *
 * @example
 * quantizeSeparable([[1, 2, 1], [2, 4, 2], [1, 2, 1]])?.factors.length; // 2
 */
export function quantizeSeparable(
  nested: NestedNumbers | Kernel,
  options: QuantizeOptions = {},
): SeparatedKernel | undefined {
  const kernel = toKernel(nested);
  const factors = factorKernel(kernel)?.map((factor) => quantizeKernel(factor, options));
  if (!factors) return undefined;
  const product = factors.reduce<number[]>(
    (outer, { mantissas, exponents }) =>
      outer.flatMap((a) => Array.from(mantissas, (m, i) => a * m * 2 ** exponents[i]!)),
    [1],
  );
  return {
    factors,
    sum: factors.reduce((total, factor) => total * factor.sum, 1),
    maxError: product.reduce((most, value, i) => Math.max(most, Math.abs(value - kernel.data[i]!)), 0),
  };
}
