import { adjustExactly } from './exact.ts';
import type { Term } from './exact.ts';
import { leastDeviation } from './frequency.ts';
import type { Kernel, NestedNumbers } from './kernel.ts';
import { exactSum, kernelOf } from './kernel.ts';
import type { BlockReport, SourceOptions } from './source.ts';
import { sourcePass } from './source.ts';
import type { SymmetryClass, SymmetryName } from './symmetry.ts';
import { symmetryClasses } from './symmetry.ts';

export interface QuantizeOptions extends SourceOptions {
  /** B_M, 2…32: bits of the signed mantissa; default 8. */
  readonly mantissaBits?: number;
  /** B_E, 0…8: bits of the exponent. 0 (default): one exponent for all, so an integer kernel and a shift. */
  readonly exponentBits?: number;
  /** Default `auto`: every symmetry that the kernel has. */
  readonly symmetry?: 'auto' | 'none' | readonly SymmetryName[] | undefined;
  /** The sum to keep; default the kernel's own, taken as an integer when it is one but for rounding noise. */
  readonly sum?: number;
  /**
   * `exact` (default): the sum to half the least granularity, and the least coefficient error of all such roundings.
   * `frequency`: the same sum, the least maximum deviation of the frequency response. `source`: the published greedy pass.
   * `nearest`: each coefficient by itself, for comparison.
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

export interface QuantizeReport {
  readonly method: NonNullable<QuantizeOptions['method']>;
  readonly mantissaBits: number;
  readonly exponentBits: number;
  /** The sum that was to be kept, and sum − that. */
  readonly target: number;
  readonly sumError: number;
  /**
   * Whether the sum is kept to half of `granularity`. False only where exponents differ and mantissas are too short for fine
   * coefficients to make up for coarse ones; of method `source` and `nearest` it may be false anywhere.
   */
  readonly kept: boolean;
  /** g_min: the least step by which any coefficient class moves the sum. */
  readonly granularity: number;
  /** Largest and root-mean-square error of a coefficient, absolute. */
  readonly maxError: number;
  readonly rmsError: number;
  /** Most steps that a coefficient lies from its own rounding. */
  readonly maxSteps: number;
  /** Coefficients more than one step from their own rounding: sum and symmetry together force them. */
  readonly forced: readonly { readonly cells: readonly number[]; readonly steps: number }[];
  /** Symmetries kept, by name (`−`: odd), and the order of the whole group. */
  readonly symmetries: readonly string[];
  readonly symmetryOrder: number;
  readonly classes: number;
  /** Of method `source`: the rest of each block. */
  readonly blocks?: readonly BlockReport[];
  /** Of method `frequency`: the deviation reached, and whether it is proven to be the least. */
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
 * Converts real coefficients to fixed point so that their sum is kept: exactly where mantissas and symmetry can represent it
 * (1 for a smoothing kernel, 0 for a difference), else to half the least granularity. Symmetric (and odd) kernels stay so;
 * zero coefficients stay zero.
 * @param kernel arrays of arrays of finite numbers, any size and number of dimensions.
 * @throws RangeError for a kernel or options that are none.
 */
export function quantizeKernel(kernel: NestedNumbers | Kernel, options: QuantizeOptions = {}): QuantizedKernel {
  const { mantissaBits = 8, exponentBits = 0, method = 'exact' } = options;
  if (!Number.isInteger(mantissaBits) || mantissaBits < 2 || mantissaBits > 32)
    throw new RangeError(`mantissaBits must be 2…32, not ${mantissaBits}`);
  if (!Number.isInteger(exponentBits) || exponentBits < 0 || exponentBits > 8)
    throw new RangeError(`exponentBits must be 0…8, not ${exponentBits}`);
  const real = kernelOf(kernel);
  const symmetries = symmetryClasses(real, options.symmetry ?? 'auto');
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
  // Mantissas filled to the brim leave no room to correct the sum: one bit coarser they do.
  const roomier = attempt(1);
  return Math.abs(roomier.report.sumError) < Math.abs(full.report.sumError) ? roomier : full;
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
    // The negative of a mantissa that stands in an odd class must be in range too.
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
  // Odd classes do not move the sum: rounding them is all there is to do.
  const moving = terms.flatMap((term, i) => (term.weight > 0 ? [i] : []));
  const chosen = moving.map((i) => terms[i]!);
  if (method === 'source') {
    const { mantissas, blocks } = sourcePass(chosen, least, most, options);
    for (const [n, i] of moving.entries()) nearest[i] = mantissas[n]!;
    return { mantissas: nearest, blocks };
  }
  const { steps: all, bound } = adjustReachable(prepared, moving);
  if (method === 'exact') return { mantissas: nearest.map((m, i) => m + all[i]!) };
  const search = leastDeviation(
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
 * With exponents of their own, fine coefficients may be unable to make up for the steps of coarse ones (four bits of
 * mantissa reach 8 steps, the next coefficient may step by 1024 of them). Then they keep their own rounding, and the rest
 * is solved without them.
 */
function adjustReachable(
  { terms, target, least, most }: Prepared,
  moving: readonly number[],
): { readonly steps: readonly number[]; readonly bound: number } {
  let active = moving;
  let wanted = target;
  for (;;) {
    const chosen = active.map((i) => terms[i]!);
    const { steps, bound, rest } = adjustExactly(chosen, targetUnits(chosen, wanted), least, most);
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

/** The kernel's sum; an integer that only rounding noise keeps it from being is meant. */
function sumOf({ data }: Kernel): number {
  const sum = exactSum(data);
  const whole = Math.round(sum);
  return Math.abs(sum - whole) <= 1e-9 * exactSum(data.map(Math.abs)) ? whole : sum;
}

/**
 * e of each class so that its mantissa is full (2^(B_M−2) ≤ |m| < 2^(B_M−1), or m = −2^(B_M−1); where it is to be rounded,
 * one more if it would round beyond), E_max the greatest of them plus `lift`, clipped to the 2^B_E exponents up to E_max.
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

/** The target in units of the finest exponent: the nearest sum that the classes' granularities can make. */
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
