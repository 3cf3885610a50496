/** Rows (or columns) `from` to `to`, exclusive. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** How an operator moves along one axis. Zero-based positions; `up` > 1 is an upsampling, its kernel the transposed one. */
export interface AxisWindow {
  /** Effective kernel: dilation · (kernel − 1) + 1. */
  readonly kernel: number;
  readonly stride: number;
  /** Padding at the start and the end. */
  readonly before: number;
  readonly after: number;
  /** Positions of output per position of input; 1 unless the operator upsamples (then the stride is 1). */
  readonly up: number;
}

export const POINT: AxisWindow = { kernel: 1, stride: 1, before: 0, after: 0, up: 1 };

/** The size of the output for an input of `size`. */
export function outputSize(window: AxisWindow, size: number): number {
  const { kernel, stride, before, after, up } = window;
  if (up > 1) return (size - 1) * up + kernel - before - after;
  return Math.floor((size + before + after - kernel) / stride) + 1;
}

/** Input positions that the outputs `out` depend on, within an input of `size`: in = stride · (out − 1) + kernel − padding. */
export function needed(window: AxisWindow, out: Range, size: number): Range {
  const { kernel, stride, before, up } = window;
  if (out.to <= out.from)
    return { from: clamp(startOf(window, out.from), size), to: clamp(startOf(window, out.from), size) };
  const end = up > 1 ? Math.floor((out.to - 1 + before) / up) + 1 : (out.to - 1) * stride - before + kernel;
  return { from: clamp(startOf(window, out.from), size), to: clamp(end, size) };
}

/** First input position that output `out` depends on; negative inside the padding. */
export function startOf({ kernel, stride, before, up }: AxisWindow, out: number): number {
  return up > 1 ? Math.ceil((out + before - kernel + 1) / up) : out * stride - before;
}

/** How many outputs can be computed once the first `available` of `size` inputs are there. */
export function computable(window: AxisWindow, available: number, size: number): number {
  return available >= size ? outputSize(window, size) : inside(window, available, size);
}

/** … of which none needs the padding at the end. */
export function inside(window: AxisWindow, available: number, size: number): number {
  const total = outputSize(window, size);
  const { kernel, stride, before, up } = window;
  const complete = up > 1 ? available * up - before : Math.floor((available + before - kernel) / stride) + 1;
  return Math.min(total, Math.max(0, complete));
}

/**
 * What an upsampling makes too much at both ends when it is given just what a whole number of enlarged positions depends
 * on: there outputs lie that depend on further inputs, too.
 */
export function surplus({ kernel, before, up }: AxisWindow): { readonly before: number; readonly after: number } {
  if (up === 1) return { before: 0, after: 0 };
  return {
    before: before - up * Math.ceil((before - kernel + 1) / up),
    after: up * Math.floor((before - 1) / up) - before + kernel,
  };
}

/** Padding positions that the outputs `out` see before the first and after the last of `size` inputs. */
export function padding(
  window: AxisWindow,
  out: Range,
  size: number,
): { readonly before: number; readonly after: number } {
  if (out.to <= out.from) return { before: 0, after: 0 };
  const { kernel, stride, before, up } = window;
  const end = up > 1 ? Math.floor((out.to - 1 + before) / up) + 1 : (out.to - 1) * stride - before + kernel;
  return { before: Math.max(0, -startOf(window, out.from)), after: Math.max(0, end - size) };
}

/**
 * Even tiles of the outputs and what each reads of the input, without any help from its neighbours.
 * Adjacent inputs overlap by kernel − stride.
 */
export function tiles(window: AxisWindow, size: number, count: number): { readonly out: Range; readonly in: Range }[] {
  const total = outputSize(window, size);
  return Array.from({ length: count }, (_, tile) => {
    const out = { from: Math.round((tile * total) / count), to: Math.round(((tile + 1) * total) / count) };
    return { out, in: needed(window, out, size) };
  });
}

export function length({ from, to }: Range): number {
  return Math.max(0, to - from);
}

function clamp(at: number, size: number): number {
  return Math.min(Math.max(at, 0), size);
}
