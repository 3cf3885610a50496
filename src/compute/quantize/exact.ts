/** One value to be quantized: a symmetry class whose sum contribution is `weight · value`. */
export interface Term {
  /** value / 2^exponent. */
  readonly scaled: number;
  readonly exponent: number;
  /** r ≥ 1. */
  readonly weight: number;
  /** How many coefficients share it; errors count that often. */
  readonly count: number;
  /** The nearest mantissa in range. */
  readonly nearest: number;
}

export interface Adjustment {
  /** Steps from each term's nearest mantissa. */
  readonly steps: readonly number[];
  /** What is left between the target and the sum reached, in units of 2^least exponent; 0n wherever mantissas reach it. */
  readonly rest: bigint;
  /** The least bound on the steps for which the target can be met. */
  readonly bound: number;
}

/** Terms that move the sum by the same amount: what the whole group costs is a convex function of how many steps it makes. */
interface Group {
  readonly exponent: number;
  readonly weight: number;
  /** Cheapest first: which term makes the step. */
  readonly up: readonly Step[];
  readonly down: readonly Step[];
}

interface Step {
  readonly term: number;
  readonly cost: number;
}

/** Costs of reaching each carry, and the steps that the group made to get there. */
interface Layer {
  readonly lowest: number;
  readonly costs: Float64Array;
  readonly choices: Int32Array;
}

/** Give up on the exact sum beyond this many steps, or this much memory. */
const MAX_BOUND = 2 ** 15;
const MAX_STEPS = 2 ** 17;

/**
 * Chooses mantissas so that Σ weight · 2^exponent · mantissa equals `target` exactly: first with the least bound on how many
 * steps any of them lies from its own rounding (at least 1 is allowed), then with the least squared error. Dynamic programming over groups of
 * equal granularity, from the finest exponent up, the state being the carry into the next one; within a group the cheapest
 * steps are the best ones, since the cost is separable and convex. So the result is the optimum, not a heuristic.
 * @param target in units of 2^(least exponent of the terms).
 */
export function adjustExactly(terms: readonly Term[], target: bigint, least: number, most: number): Adjustment {
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
  // The last doubling may have gone too far: being solvable is monotone in the bound.
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

/** Adds a group: every carry it can lead to, at the least cost. */
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

/** Keeps the carries whose low digits are the target's, in units of the next exponent. */
function carried(layer: Layer, low: number, unit: number): Layer {
  const lowest = Math.ceil((layer.lowest - low) / unit);
  const highest = Math.floor((layer.lowest + layer.costs.length - 1 - low) / unit);
  const costs = new Float64Array(Math.max(1, highest - lowest + 1)).fill(Number.POSITIVE_INFINITY);
  for (let carry = lowest; carry <= highest; carry++)
    costs[carry - lowest] = layer.costs[carry * unit + low - layer.lowest]!;
  return { lowest, costs, choices: new Int32Array(costs.length) };
}

/** The last group makes up what is missing: nearest to the target, then cheapest. */
function finish(
  layer: Layer,
  { weight, up, down }: Group,
  remaining: bigint,
): { carry: number; count: number; rest: bigint } {
  const costUp = prefixSums(up);
  const costDown = prefixSums(down);
  // Nothing can be reached: no steps, and a rest that is not 0.
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
