/** A filter kernel of any number of dimensions: coefficients in row-major order, last axis fastest. */
export interface Kernel {
  readonly shape: readonly number[];
  readonly data: Float64Array;
}

/** Coefficients as arrays of arrays, one level per dimension. */
export type NestedNumbers = readonly (number | NestedNumbers)[];

/** Limits of the size of a kernel. */
const MAX_COEFFICIENTS = 1 << 20;
const MAX_DIMENSIONS = 8;

/** Below this magnitude powers of two no longer scale a double exactly. */
const MIN_MAGNITUDE = 2 ** -700;
/** Above this magnitude the sum of squares of a large kernel is no finite double. */
const MAX_MAGNITUDE = 2 ** 480;

/**
 * Converts nested arrays to a kernel, and checks it.
 *
 * @throws RangeError if rows differ in length, a value is no number, too large or too small, there is none, or the kernel
 *   is too large.
 * @example
 * toKernel([[1, 2, 1], [2, 4, 2], [1, 2, 1]]).shape; // [3, 3]
 */
export function toKernel(nested: NestedNumbers | Kernel): Kernel {
  if (!Array.isArray(nested)) return checked(nested as Kernel);
  const shape: number[] = [];
  for (let level: number | NestedNumbers | undefined = nested; Array.isArray(level); level = level[0])
    if (shape.push(level.length) > MAX_DIMENSIONS)
      throw new RangeError(`A kernel has at most ${MAX_DIMENSIONS} dimensions`);
  const data: number[] = [];
  collect(nested, shape, 0, data);
  return checked({ shape, data: Float64Array.from(data) });
}

function collect(level: NestedNumbers, shape: readonly number[], depth: number, into: number[]): void {
  if (level.length !== shape[depth]) throw new RangeError('Rows of a kernel must have equal lengths');
  for (const item of level) {
    const last = depth === shape.length - 1;
    if (typeof item !== 'number' && !Array.isArray(item))
      throw new RangeError(`${JSON.stringify(item)} is not a number`);
    if (last !== (typeof item === 'number')) throw new RangeError('Rows of a kernel must be nested equally deep');
    if (typeof item === 'number') into.push(item);
    else collect(item, shape, depth + 1, into);
  }
}

function checked(kernel: Kernel): Kernel {
  const size = kernel.shape.reduce((product, length) => product * length, 1);
  if (kernel.shape.length === 0 || size === 0 || size !== kernel.data.length)
    throw new RangeError('A kernel must have at least one coefficient, and as many as its shape says');
  if (size > MAX_COEFFICIENTS || kernel.shape.length > MAX_DIMENSIONS)
    throw new RangeError(`A kernel has at most ${MAX_COEFFICIENTS} coefficients in ${MAX_DIMENSIONS} dimensions`);
  if (!kernel.data.every(Number.isFinite)) throw new RangeError('Coefficients of a kernel must be finite numbers');
  if (kernel.data.some((value) => value !== 0 && Math.abs(value) < MIN_MAGNITUDE))
    throw new RangeError(`Coefficients other than 0 must be at least ${MIN_MAGNITUDE} in magnitude`);
  if (kernel.data.some((value) => Math.abs(value) > MAX_MAGNITUDE))
    throw new RangeError(`Coefficients must be at most ${MAX_MAGNITUDE} in magnitude`);
  return kernel;
}

/** Converts row-major values to arrays of arrays. */
export function toNestedArrays(shape: readonly number[], data: ArrayLike<number>): NestedNumbers {
  const build = (axis: number, offset: number, size: number): NestedNumbers => {
    const length = shape[axis]!;
    const inner = size / length;
    return Array.from({ length }, (_, i) =>
      axis === shape.length - 1 ? data[offset + i]! : build(axis + 1, offset + i * inner, inner),
    );
  };
  return build(0, 0, data.length);
}

/** Sums without accumulating rounding errors: Neumaier's compensated summation (1974). */
export function exactSum(values: Iterable<number>): number {
  let sum = 0;
  let lost = 0;
  for (const value of values) {
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return sum + lost;
}

/**
 * Samples a Gaussian and scales it to sum 1.
 *
 * @param radius Taps on each side of the center; default 3σ, at least 1.
 */
export function gaussian(sigma: number, radius: number = Math.max(1, Math.ceil(3 * sigma))): number[] {
  const taps = Array.from({ length: 2 * radius + 1 }, (_, i) => Math.exp(-((i - radius) ** 2) / (2 * sigma * sigma)));
  return normalize(taps);
}

/** Evaluates the Lanczos window: sinc(x) · sinc(x / lobes), 0 outside. */
export function lanczos(x: number, lobes: number): number {
  // Smaller arguments equal their sine, and the square of the angle may underflow.
  if (Math.abs(x) < 1e-8) return 1;
  if (Math.abs(x) >= lobes) return 0;
  const angle = Math.PI * x;
  return (lobes * Math.sin(angle) * Math.sin(angle / lobes)) / (angle * angle);
}

/** Scales values to sum 1. @throws RangeError if they sum to 0. */
export function normalize(values: readonly number[]): number[] {
  const sum = exactSum(values);
  if (sum === 0) throw new RangeError('A kernel that sums to 0 cannot be normalized');
  return values.map((value) => value / sum);
}

/** Returns the two-dimensional kernel column · rowᵀ. */
export function outerProduct(column: readonly number[], row: readonly number[]): number[][] {
  return column.map((a) => row.map((b) => a * b));
}
