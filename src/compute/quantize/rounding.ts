import type { SymmetryClass } from './symmetry.ts';

/** A symmetry class to quantize, which contributes `weight · value` to the sum. */
export interface Term {
  /** value / 2^exponent. */
  readonly scaled: number;
  readonly exponent: number;
  /** r ≥ 1. */
  readonly weight: number;
  /** Number of coefficients in the class. */
  readonly count: number;
  /** The nearest mantissa in range. */
  readonly nearest: number;
}

/** Steps that make the sum meet its target. */
export interface Adjustment {
  /** By term: steps from the nearest mantissa. */
  readonly steps: readonly number[];
  /** Target minus sum, in units of 2^(least exponent); 0n if the target is reachable. */
  readonly rest: bigint;
  /** The least bound on the steps with which the target is reachable. */
  readonly bound: number;
}

/** Terms of one granularity. The cost of the group is a convex function of its number of steps. */
interface Group {
  readonly exponent: number;
  readonly weight: number;
  /** Steps of single terms, cheapest first. */
  readonly up: readonly Step[];
  readonly down: readonly Step[];
}

interface Step {
  readonly term: number;
  readonly cost: number;
}

/** For every carry: the least cost to reach it, and the number of steps of the last group on the way. */
interface Layer {
  readonly lowest: number;
  readonly costs: Float64Array;
  readonly choices: Int32Array;
}

/** Limits of the search for an exact sum: steps of one term, and steps of all terms. */
const MAX_BOUND = 2 ** 15;
const MAX_STEPS = 2 ** 17;

/**
 * Chooses mantissas so that Σ weight · 2^exponent · mantissa equals the target: first with the least bound on the steps from the
 * nearest rounding (at least 1), then with the least squared error. The result is optimal: dynamic programming over groups of equal
 * granularity, finest first, with the carry into the next group as the state. Within a group the cheapest steps are best,
 * because the cost is separable and convex.
 *
 * @param target In units of 2^(least exponent of the terms).
 */
export function roundExactly(terms: readonly Term[], target: bigint, least: number, most: number): Adjustment {
  if (terms.length === 0) return { steps: [], rest: target, bound: 0 };
  const base = Math.min(...terms.map((term) => term.exponent));
  let difference = target;
  for (const { weight, exponent, nearest } of terms) {
    difference -= BigInt(weight) * BigInt(nearest) * 2n ** BigInt(exponent - base);
  }
  const attempt = (bound: number): Adjustment =>
    solve(groupsOf(terms, bound, least, most), terms.length, difference, bound);
  let bound = 1;
  let result = attempt(bound);
  const limit = Math.min(MAX_BOUND, Math.max(4, Math.floor(MAX_STEPS / terms.length)));
  while (result.rest !== 0n && bound < limit) {
    bound = bound < 16 ? bound + 1 : bound * 2;
    result = attempt(bound);
  }
  if (result.rest !== 0n || bound <= 16) return result;
  // Solvability is monotone in the bound, and the last doubling may have overshot.
  let low = bound / 2;
  while (bound - low > 1) {
    const middle = (low + bound) >> 1;
    const tried = attempt(middle);
    if (tried.rest === 0n) [bound, result] = [middle, tried];
    else low = middle;
  }
  return result;
}

function groupsOf(terms: readonly Term[], bound: number, least: number, most: number): readonly Group[] {
  const coarsest = Math.max(...terms.map((term) => term.exponent));
  const groups = new Map<string, { exponent: number; weight: number; up: Step[]; down: Step[] }>();
  for (const [index, term] of terms.entries()) {
    const { exponent, weight, nearest } = term;
    const key = `${exponent} ${weight}`;
    const group = groups.get(key) ?? { exponent, weight, up: [], down: [] };
    groups.set(key, group);
    const unit = term.count * 4 ** (exponent - coarsest);
    const error = nearest - term.scaled;
    for (let d = 1; d <= bound && nearest + d <= most; d++)
      group.up.push({ term: index, cost: unit * (2 * (error + d) - 1) });
    for (let d = 1; d <= bound && nearest - d >= least; d++)
      group.down.push({ term: index, cost: unit * (2 * (d - error) - 1) });
  }
  for (const { up, down } of groups.values()) {
    up.sort((a, b) => a.cost - b.cost || a.term - b.term);
    down.sort((a, b) => a.cost - b.cost || a.term - b.term);
  }
  // Finest first; within one exponent the largest group last, where its steps follow from the others'.
  return [...groups.values()].toSorted(
    (a, b) =>
      a.exponent - b.exponent || a.up.length + a.down.length - (b.up.length + b.down.length) || a.weight - b.weight,
  );
}

function solve(groups: readonly Group[], terms: number, difference: bigint, bound: number): Adjustment {
  const layers: Layer[] = [];
  const lows: number[] = [];
  let remaining = difference;
  let layer: Layer = { lowest: 0, costs: new Float64Array(1), choices: new Int32Array(1) };
  const last = groups.at(-1)!;
  for (const [index, group] of groups.entries()) {
    const rise = index === 0 ? 0 : group.exponent - groups[index - 1]!.exponent;
    const low = Number(BigInt.asUintN(rise, remaining));
    if (rise > 0) {
      remaining = (remaining - BigInt(low)) >> BigInt(rise);
      layer = carried(layer, low, 2 ** rise);
    }
    lows.push(low);
    if (group === last) break;
    layer = extended(layer, group);
    layers.push(layer);
  }
  const { carry, count, rest } = finish(layer, last, remaining);
  const steps = Array.from({ length: terms }, () => 0);
  let state = carry;
  for (let index = groups.length - 1, made = count; index >= 0; index--) {
    const group = groups[index]!;
    for (const { term } of (made > 0 ? group.up : group.down).slice(0, Math.abs(made))) steps[term]! += Math.sign(made);
    if (index === 0) break;
    // Undo this group's steps (the last group's are not in `carry`), then the carry into its exponent.
    if (group !== last) state -= group.weight * made;
    const rise = group.exponent - groups[index - 1]!.exponent;
    if (rise > 0) state = state * 2 ** rise + lows[index]!;
    const before = layers[index - 1]!;
    made = before.choices[state - before.lowest]!;
  }
  return { steps, rest: rest << BigInt(last.exponent - groups[0]!.exponent), bound };
}

/** Adds a group: computes the least cost of every carry that its steps lead to. */
function extended(layer: Layer, { weight, up, down }: Group): Layer {
  const size = layer.costs.length + weight * (up.length + down.length);
  const costs = new Float64Array(size).fill(Number.POSITIVE_INFINITY);
  const choices = new Int32Array(size);
  let cost = 0;
  for (let n = 0; n <= up.length; cost += up[n]?.cost ?? 0, n++) place(n, cost);
  cost = down[0]?.cost ?? 0;
  for (let n = 1; n <= down.length; cost += down[n]?.cost ?? 0, n++) place(-n, cost);
  function place(n: number, added: number): void {
    const offset = weight * (n + down.length);
    for (let i = 0; i < layer.costs.length; i++) {
      const total = layer.costs[i]! + added;
      if (total < costs[offset + i]!) {
        costs[offset + i] = total;
        choices[offset + i] = n;
      }
    }
  }
  return { lowest: layer.lowest - weight * down.length, costs, choices };
}

/** Keeps the carries whose low bits equal the target's, in units of the next exponent. */
function carried(layer: Layer, low: number, unit: number): Layer {
  const lowest = Math.ceil((layer.lowest - low) / unit);
  const highest = Math.floor((layer.lowest + layer.costs.length - 1 - low) / unit);
  const costs = new Float64Array(Math.max(1, highest - lowest + 1)).fill(Number.POSITIVE_INFINITY);
  for (let carry = lowest; carry <= highest; carry++)
    costs[carry - lowest] = layer.costs[carry * unit + low - layer.lowest]!;
  return { lowest, costs, choices: new Int32Array(costs.length) };
}

/** Lets the last group make up the difference: nearest to the target first, then cheapest. */
function finish(
  layer: Layer,
  { weight, up, down }: Group,
  remaining: bigint,
): { carry: number; count: number; rest: bigint } {
  const costUp = prefixSums(up);
  const costDown = prefixSums(down);
  // If no carry is reachable: no steps, and a remainder other than 0.
  let best = {
    carry: 0,
    count: 0,
    rest: remaining || 1n,
    distance: Number.POSITIVE_INFINITY,
    cost: Number.POSITIVE_INFINITY,
  };
  for (let i = 0; i < layer.costs.length; i++) {
    if (layer.costs[i] === Number.POSITIVE_INFINITY) continue;
    const carry = layer.lowest + i;
    const missing = Number(remaining - BigInt(carry));
    const count = Math.min(up.length, Math.max(-down.length, Math.round(missing / weight)));
    const distance = Math.abs(missing - count * weight);
    const cost = layer.costs[i]! + (count >= 0 ? costUp[count]! : costDown[-count]!);
    if (distance < best.distance || (distance === best.distance && cost < best.cost)) {
      best = { carry, count, rest: remaining - BigInt(carry) - BigInt(count * weight), distance, cost };
    }
  }
  return best;
}

function prefixSums(steps: readonly Step[]): Float64Array {
  const sums = new Float64Array(steps.length + 1);
  for (const [i, { cost }] of steps.entries()) sums[i + 1] = sums[i]! + cost;
  return sums;
}

/** The remainder of the sum after a block. The pass aims at −granularity/2 ≤ rest ≤ granularity/2. */
export interface BlockReport {
  readonly granularity: number;
  readonly values: number;
  readonly rest: number;
}

/** Options of the greedy pass. */
export interface GreedyOptions {
  /** A mantissa is incremented if the remainder is at least alpha · granularity; default ½. */
  readonly alpha?: number;
  /** Largest number of values in a block; default 16. */
  readonly blockSize?: number;
}

/**
 * Rounds with the greedy pass as published: mantissas are floored, the residues of a block of equal granularity are summed and
 * distributed as increments, the remainder is carried to the next, finer block, and what remains after the last block is spread
 * over it. The pass only increments, so it misses its bound where a block's residues are negative or too large.
 */
export function roundGreedily(
  terms: readonly Term[],
  least: number,
  most: number,
  { alpha = 0.5, blockSize = 16 }: GreedyOptions = {},
): { readonly mantissas: readonly number[]; readonly blocks: readonly BlockReport[] } {
  const mantissas = terms.map(({ scaled }) => Math.min(most, Math.max(least, Math.floor(scaled))));
  const granularity = (i: number): number => terms[i]!.weight * 2 ** terms[i]!.exponent;
  const order = terms.map((_, i) => i).toSorted((a, b) => granularity(b) - granularity(a) || a - b);
  const blocks: number[][] = [];
  for (const i of order) {
    const block = blocks.at(-1);
    if (block && block.length < blockSize && granularity(block[0]!) === granularity(i)) block.push(i);
    else blocks.push([i]);
  }
  let rest = 0;
  const reports: BlockReport[] = [];
  for (const block of blocks) {
    const g = granularity(block[0]!);
    for (const i of block) rest += g * (terms[i]!.scaled - mantissas[i]!);
    for (const i of block) {
      if (rest >= alpha * g && mantissas[i]! < most) {
        mantissas[i]!++;
        rest -= g;
      }
    }
    reports.push({ granularity: g, values: block.length, rest });
  }
  spread(blocks.at(-1) ?? [], granularity, rest, mantissas, least, most);
  return { mantissas, blocks: reports };
}

/** Spreads the remainder over the last block, one step per value in turn, within the mantissas' range. */
function spread(
  block: readonly number[],
  granularity: (i: number) => number,
  rest: number,
  mantissas: number[],
  least: number,
  most: number,
): void {
  if (block.length === 0) return;
  let count = Math.round(Math.abs(rest) / granularity(block[0]!));
  const sign = Math.sign(rest);
  for (let moved = true; count > 0 && moved; ) {
    moved = false;
    for (const i of block) {
      const next = mantissas[i]! + sign;
      if (count === 0 || next < least || next > most) continue;
      mantissas[i] = next;
      count--;
      moved = true;
    }
  }
}

/** A symmetry class in the search for the least deviation of the frequency response. */
export interface ResponseTerm {
  readonly symmetry: SymmetryClass;
  /** 2^exponent: the error of one step. */
  readonly unit: number;
  /** r; 0 for odd classes, whose steps do not change the sum. */
  readonly weight: number;
  /** Quantized minus real value before any step. */
  readonly error: number;
  readonly least: number;
  readonly most: number;
}

/** Result of the search for the least deviation of the frequency response. */
export interface ResponseSearch {
  readonly steps: readonly number[];
  /** max |H' − H| over the grid. */
  readonly deviation: number;
  /** Whether the search was complete, so that the result is optimal. */
  readonly proven: boolean;
}

/** Points per axis from 0 to 2π at which responses are compared (half of them along the first axis, by symmetry). */
const GRID_POINTS = 16;
/** Nodes of the search tree after which the search stops; fewer where the grid has more points than that of a picture. */
const MAX_NODES = 400_000;
const MAX_NODE_POINTS = 120_000_000;
/** Points of responses that are computed, also for steps that are not taken: about half a second. */
const MAX_COMPUTED_POINTS = 120_000_000;
/** The search descends a level for each term. */
const MAX_RESPONSE_TERMS = 1024;
const MAX_RESPONSE_POINTS = 1 << 20;

/**
 * Among all steps with the same Σ weight · unit · step as `start`, finds those with the least maximum deviation of the frequency
 * response on a grid, by branch and bound from `start`. The squared deviation equals the coefficient error (Parseval), which
 * `roundExactly` minimizes.
 */
export function minimizeResponseDeviation(
  given: readonly ResponseTerm[],
  shape: readonly number[],
  start: readonly number[],
): ResponseSearch {
  const grid = shape.reduce((product) => product * GRID_POINTS, 1);
  if (given.length > MAX_RESPONSE_TERMS || grid * given.length > MAX_RESPONSE_POINTS * GRID_POINTS)
    throw new RangeError(
      `The frequency response of ${given.length} coefficients in ${shape.length} dimensions is too much to search; use another method`,
    );
  // In units of the coarsest step, a power of two, nothing is rounded and squares of small kernels do not underflow.
  const scale = given.reduce((most, { unit }) => Math.max(most, unit), 0) || 1;
  const terms = given.map((term) => ({ ...term, unit: term.unit / scale, error: term.error / scale }));
  const responses = terms.map(({ symmetry }) => responseOf(symmetry, shape));
  const points = responses[0]?.length ?? 0;
  const maxNodes = Math.min(MAX_NODES, Math.floor(MAX_NODE_POINTS / Math.max(1, points)));
  const order = terms.map((_, i) => i).toSorted((a, b) => reach(b) - reach(a) || a - b);
  function reach(i: number): number {
    return terms[i]!.unit * responses[i]!.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  }
  // By depth: how much the remaining terms can change the response, and the sum.
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
  let computed = 0;
  const steps = [...start];

  function total(chosen: readonly number[]): Float64Array {
    const sum = new Float64Array(points);
    for (const [i, term] of terms.entries()) {
      const error = term.error + chosen[i]! * term.unit;
      for (let k = 0; k < points; k++) sum[k]! += error * responses[i]![k]!;
    }
    return sum;
  }
  // By depth: the response of the terms chosen so far, and the steps of the next one.
  const partials = Array.from({ length: order.length + 1 }, () => new Float64Array(points));
  const choices = order.map((i) => {
    const { error, unit, least: from, most: to } = terms[i]!;
    return nearestFirst(from, to, -error / unit);
  });

  // By depth: the point that ruled out the last step there. It rules out most of the next ones, too.
  const decisive = order.map(() => 0);

  /** Adds an error of a term to the response at a depth; false as soon as the remaining terms cannot bring it below `least`. */
  function extend(depth: number, error: number): boolean {
    const [partial, next] = [partials[depth]!, partials[depth + 1]!];
    const [response, rest] = [responses[order[depth]!]!, slack[depth + 1]];
    const limit = least * least;
    const isBelow = (k: number): boolean => {
      const real = partial[k]! + error * response[k]!;
      const imaginary = partial[k + 1]! + error * response[k + 1]!;
      next[k] = real;
      next[k + 1] = imaginary;
      const freeReal = Math.max(0, Math.abs(real) - (rest?.[k] ?? 0));
      const freeImaginary = Math.max(0, Math.abs(imaginary) - (rest?.[k + 1] ?? 0));
      return freeReal * freeReal + freeImaginary * freeImaginary < limit;
    };
    computed += 2;
    if (!isBelow(decisive[depth]!)) return false;
    for (let k = 0; k < points; k += 2) {
      if (isBelow(k)) continue;
      computed += k;
      decisive[depth] = k;
      return false;
    }
    computed += points;
    return true;
  }
  function visit(depth: number, missing: number): void {
    if (nodes++ > maxNodes || computed > MAX_COMPUTED_POINTS) return;
    if (depth === order.length) {
      const deviation = worstOf(partials[depth]!);
      if (Math.abs(missing) < tolerance && deviation < least * (1 - 1e-12)) [least, best] = [deviation, [...steps]];
      return;
    }
    const i = order[depth]!;
    const { error, unit, weight } = terms[i]!;
    for (const step of choices[depth]!) {
      const left = missing - step * weight * unit;
      if (Math.abs(left) > (span[depth + 1] ?? 0) + tolerance) continue;
      if (!extend(depth, error + step * unit)) continue;
      steps[i] = step;
      visit(depth + 1, left);
    }
  }
  visit(0, wanted);
  return { steps: best, deviation: least * scale, proven: nodes <= maxNodes && computed <= MAX_COMPUTED_POINTS };
}

function nearestFirst(from: number, to: number, centre: number): readonly number[] {
  const steps = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  return steps.toSorted((a, b) => Math.abs(a - centre) - Math.abs(b - centre) || a - b);
}

/** Returns the largest magnitude of a response whose real and imaginary parts alternate. */
function worstOf(response: Float64Array): number {
  let worst = 0;
  for (let k = 0; k < response.length; k += 2) worst = Math.max(worst, Math.hypot(response[k]!, response[k + 1]!));
  return worst;
}

/**
 * Computes Σ sign · e^(−iω·position) over the cells of a class on the grid, with positions relative to the kernel's center. Real and
 * imaginary parts alternate.
 */
function responseOf({ cells, signs }: SymmetryClass, shape: readonly number[]): Float64Array {
  const per = shape.map((_, axis) => (axis === 0 ? GRID_POINTS / 2 + 1 : GRID_POINTS));
  const points = per.reduce((product, length) => product * length, 1);
  const out = new Float64Array(2 * points);
  for (let point = 0; point < points; point++) {
    for (const [n, cell] of cells.entries()) {
      let phase = 0;
      for (let axis = shape.length - 1, rest = cell, at = point; axis >= 0; axis--) {
        const position = (rest % shape[axis]!) - (shape[axis]! - 1) / 2;
        phase += (2 * Math.PI * (at % per[axis]!) * position) / GRID_POINTS;
        rest = Math.floor(rest / shape[axis]!);
        at = Math.floor(at / per[axis]!);
      }
      out[2 * point]! += signs[n]! * Math.cos(phase);
      out[2 * point + 1]! -= signs[n]! * Math.sin(phase);
    }
  }
  return out;
}
