import type { SymmetryClass } from './symmetry.ts';

/** A term of the search: how its class shapes the frequency response, and which errors it may have. */
export interface ResponseTerm {
  readonly symmetry: SymmetryClass;
  /** 2^exponent: the error of one step. */
  readonly unit: number;
  /** r; 0 for odd classes, whose steps leave the sum alone. */
  readonly weight: number;
  /** Error (quantized − real) before any step. */
  readonly error: number;
  readonly least: number;
  readonly most: number;
}

export interface ResponseSearch {
  readonly steps: readonly number[];
  /** max |H' − H| over the grid. */
  readonly deviation: number;
  /** Whether the search was complete, so that this is the optimum. */
  readonly proven: boolean;
}

/** Points per axis of the grid on which the response is compared: 0 … 2π (half of it along the first axis, by symmetry). */
const GRID = 16;
/** Nodes after which the search gives up proving. */
const BUDGET = 400_000;

/**
 * Among all steps with the same Σ weight · unit · step as `start`, the one with the least maximum deviation of the frequency response
 * on a grid: branch and bound, starting from (and never worse than) `start`. The squared deviation, by contrast, is the
 * coefficient error itself (Parseval), which the default method already minimises.
 */
export function leastDeviation(
  terms: readonly ResponseTerm[],
  shape: readonly number[],
  start: readonly number[],
): ResponseSearch {
  const responses = terms.map(({ symmetry }) => responseOf(symmetry, shape));
  const points = responses[0]?.length ?? 0;
  const order = terms.map((_, i) => i).toSorted((a, b) => reach(b) - reach(a) || a - b);
  function reach(i: number): number {
    return terms[i]!.unit * responses[i]!.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  }
  // For each depth: by how much the terms still to come can change the response at most, and the sum.
  const slack = order.map(() => new Float64Array(points));
  const span = order.map(() => 0);
  for (let depth = order.length - 1; depth >= 0; depth--) {
    const term = terms[order[depth]!]!;
    const worst = Math.max(Math.abs(term.error + term.least * term.unit), Math.abs(term.error + term.most * term.unit));
    for (let k = 0; k < points; k++)
      slack[depth]![k] = (slack[depth + 1]?.[k] ?? 0) + worst * Math.abs(responses[order[depth]!]![k]!);
    span[depth] = (span[depth + 1] ?? 0) + term.weight * term.unit * Math.max(-term.least, term.most);
  }
  const wanted = start.reduce((sum, step, i) => sum + step * terms[i]!.weight * terms[i]!.unit, 0);
  const tolerance = Math.min(...terms.map((term) => term.unit)) / 4;
  let best = [...start];
  let least = worstOf(total(best));
  let nodes = 0;
  const steps = [...start];

  function total(chosen: readonly number[]): Float64Array {
    const sum = new Float64Array(points);
    for (const [i, term] of terms.entries()) {
      const error = term.error + chosen[i]! * term.unit;
      for (let k = 0; k < points; k++) sum[k]! += error * responses[i]![k]!;
    }
    return sum;
  }
  function visit(depth: number, partial: Float64Array, missing: number): void {
    if (nodes++ > BUDGET) return;
    if (depth === order.length) {
      const deviation = worstOf(partial);
      if (Math.abs(missing) < tolerance && deviation < least * (1 - 1e-12)) [least, best] = [deviation, [...steps]];
      return;
    }
    const i = order[depth]!;
    const { error, unit, weight, least: from, most: to } = terms[i]!;
    for (const step of nearestFirst(from, to, -error / unit)) {
      const left = missing - step * weight * unit;
      if (Math.abs(left) > (span[depth + 1] ?? 0) + tolerance) continue;
      const next = partial.map((value, k) => value + (error + step * unit) * responses[i]![k]!);
      if (bound(next, slack[depth + 1]) >= least) continue;
      steps[i] = step;
      visit(depth + 1, next, left);
    }
  }
  visit(0, new Float64Array(points), wanted);
  return { steps: best, deviation: least, proven: nodes <= BUDGET };
}

function nearestFirst(from: number, to: number, centre: number): readonly number[] {
  const steps = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  return steps.toSorted((a, b) => Math.abs(a - centre) - Math.abs(b - centre) || a - b);
}

/** Largest magnitude; real and imaginary parts alternate. */
function worstOf(response: Float64Array): number {
  let worst = 0;
  for (let k = 0; k < response.length; k += 2) worst = Math.max(worst, Math.hypot(response[k]!, response[k + 1]!));
  return worst;
}

/** What the largest deviation will be at least, whatever the terms to come do. */
function bound(partial: Float64Array, slack: Float64Array | undefined): number {
  if (!slack) return worstOf(partial);
  let worst = 0;
  for (let k = 0; k < partial.length; k += 2) {
    const real = Math.max(0, Math.abs(partial[k]!) - slack[k]!);
    const imaginary = Math.max(0, Math.abs(partial[k + 1]!) - slack[k + 1]!);
    worst = Math.max(worst, Math.hypot(real, imaginary));
  }
  return worst;
}

/** Σ sign · e^(−iω·position) over the class's cells, on the grid; positions from the kernel's centre. Real and imaginary parts alternate. */
function responseOf({ cells, signs }: SymmetryClass, shape: readonly number[]): Float64Array {
  const per = shape.map((_, axis) => (axis === 0 ? GRID / 2 + 1 : GRID));
  const points = per.reduce((product, length) => product * length, 1);
  const out = new Float64Array(2 * points);
  for (let point = 0; point < points; point++) {
    for (const [n, cell] of cells.entries()) {
      let phase = 0;
      for (let axis = shape.length - 1, rest = cell, at = point; axis >= 0; axis--) {
        const position = (rest % shape[axis]!) - (shape[axis]! - 1) / 2;
        phase += (2 * Math.PI * (at % per[axis]!) * position) / GRID;
        rest = Math.floor(rest / shape[axis]!);
        at = Math.floor(at / per[axis]!);
      }
      out[2 * point]! += signs[n]! * Math.cos(phase);
      out[2 * point + 1]! -= signs[n]! * Math.sin(phase);
    }
  }
  return out;
}
