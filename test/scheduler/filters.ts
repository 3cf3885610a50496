import { withinRadius } from '../../src/compute/scheduler/index-space.ts';
import type { KernelCall } from '../../src/compute/scheduler/graph.ts';
import type { Workload } from './simulate.ts';

/** Eight filters of radius 1, one after the other; where the work is heavy moves from call to call. */
export function filters(width: number, height: number, seed: number, hot: number, spread: number): Workload {
  const next = random(seed);
  const calls: KernelCall[] = [];
  const costs = new Map<string, Float64Array>();
  for (let k = 0; k < 8; k++) {
    const centre = [next() * width, next() * height];
    const size = Math.min(width, height) / 6;
    const cost = Float64Array.from({ length: width * height }, (_, i) => {
      const away = (i % width) - centre[0]!;
      const down = Math.floor(i / width) - centre[1]!;
      const heat = 1 + hot * Math.exp(-(away ** 2 + down ** 2) / (2 * size ** 2));
      return heat * Math.exp(spread * normal(next));
    });
    costs.set(`filter ${k}`, cost);
    calls.push({
      name: `filter ${k}`,
      space: [width, height],
      reads: k > 0 ? [{ resource: `image ${k - 1}`, regions: withinRadius(1) }] : [],
      writes: [{ resource: `image ${k}` }],
      cost: ([x, y]) => cost[x! + width * y!]!,
    });
  }
  const resources = calls.map((_, k) => ({ name: `image ${k}`, regions: [width, height] }));
  return { calls, resources, bytes: 1, cost: (call, portion) => costs.get(call)![portion]! };
}

function normal(next: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}

/** Numbers in [0, 1) from a seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
