import { PlaybyplayError } from '../../errors.ts';
import { compileChain, type Program } from './compile.ts';
import { type FusedNetwork, fuseLayers } from './fuse.ts';
import { type Axis, rangeLength, rowSize } from './layers.ts';
import { elementCount, type Model } from './model.ts';
import { countTraffic, mapSize, type Pass, type PassOptions, planPasses } from './passes.ts';

const BYTES_PER_FLOAT = 4;

/** How a network is to be tiled. */
export interface TilingOptions {
  /** Size of the image in pixels. */
  readonly width: number;
  readonly height: number;
  /** Bytes for features, rows kept between passes, and weights. */
  readonly budget: number;
  /** Default: whichever is cheaper. */
  readonly axis?: Axis | undefined;
  /** Number of tiles; default as few as fit the budget. */
  readonly tiles?: number | undefined;
  /** What is kept between tiles; default everything that is read again. */
  readonly keep?: PassOptions['keep'] | undefined;
}

/** Layers that run through the buffers together, pass by pass. */
export interface Chain {
  readonly network: FusedNetwork;
  readonly passes: readonly Pass[];
  /** Bytes of feature maps in a pass, inside the runtime included. */
  readonly main: number;
  /** Bytes of rows kept from pass to pass. */
  readonly aux: number;
}

/** How a network runs within a memory budget. All memory in bytes. */
export interface TilingPlan {
  readonly network: FusedNetwork;
  readonly axis: Axis;
  readonly chains: readonly Chain[];
  readonly weights: number;
  /** What the budget covers: all weights, and the largest sum of main and auxiliary memory of a chain. */
  readonly memory: number;
  /** Feature maps handed from chain to chain, which the budget does not cover: the most at a time. */
  readonly betweenChains: number;
  /** Memory without tiling: all weights, and the most feature maps that are live at a time. */
  readonly untiled: number;
  readonly budget: number;
}

/**
 * Plans how a network runs within a memory budget: as one chain in as few tiles as fit, or, where no number of tiles fits, as
 * several chains with the least handed from one to the next.
 *
 * @throws PlaybyplayError `budget-too-small` with the least sufficient budget as a hint, `model-unsupported`,
 *   `model-input-size`.
 * @example
 * const plan = planTiling(readModel(bytes), { width: 1920, height: 1080, budget: 64 * 2 ** 20 });
 * console.log(plan.memory, plan.untiled, plan.chains.map(({ passes }) => passes.length));
 */
export function planTiling(model: Model, options: TilingOptions): TilingPlan {
  const network = fuseLayers(model, options);
  const axes: readonly Axis[] = options.axis ? [options.axis] : ['rows', 'columns'];
  const plans = axes.flatMap((axis) => planAlong(network, axis, options) ?? []);
  const best = plans.toSorted((a, b) => copyingSeconds(a) - copyingSeconds(b))[0];
  if (best) return best;
  const least = Math.min(...axes.map((axis) => leastBudget(network, axis, options)));
  throw new PlaybyplayError('budget-too-small', `${formatBytes(options.budget)} are too little for this model`, {
    // Rounded up, so that the amount shown is enough.
    hint: `give it at least ${formatBytes(Math.ceil(least * 1.05))}`,
  });
}

/** Returns the bytes that features and weights take at once when a network runs untiled. */
export function untiledMemory(network: FusedNetwork): number {
  return peakMemory(network) + weightMemory(network);
}

/** Compiles the chains of a plan, one program per chain. */
export function compilePlan({ chains, axis }: TilingPlan): Program[] {
  return chains.map(({ network, passes }) => compileChain(network, axis, passes));
}

function planAlong(network: FusedNetwork, axis: Axis, options: TilingOptions): TilingPlan | undefined {
  const weights = weightMemory(network);
  const available = options.budget - weights;
  const whole = planChain(network, axis, available, options);
  const chains = whole ? [whole] : splitIntoChains(network, axis, available, options);
  if (!chains) return undefined;
  return {
    network,
    axis,
    chains,
    weights,
    memory: weights + Math.max(...chains.map(({ main, aux }) => main + aux)),
    betweenChains: memoryBetween(chains, network),
    untiled: untiledMemory(network),
    budget: options.budget,
  };
}

/** Finds the fewest tiles with which a chain takes at most `available` bytes. */
function planChain(
  network: FusedNetwork,
  axis: Axis,
  available: number,
  options: Pick<TilingOptions, 'tiles' | 'keep'>,
): Chain | undefined {
  const attempt = (tiles: number): Chain | undefined => {
    const chain = measureChain(network, axis, { axis, tiles, keep: options.keep ?? 'all' });
    return chain.main + chain.aux <= available ? chain : undefined;
  };
  if (options.tiles !== undefined) return attempt(options.tiles);
  return fewest(mostTiles(network, axis), attempt);
}

function measureChain(network: FusedNetwork, axis: Axis, options: PassOptions): Chain {
  const passes = planPasses(network, options);
  const { main, aux, scratch } = compileChain(network, axis, passes);
  return { network, passes, main: BYTES_PER_FLOAT * (main + scratch), aux: BYTES_PER_FLOAT * aux };
}

/** Tiles beyond this number save little memory: what is kept does not shrink. */
const MAX_TILES = 128;

/** At most one tile per row of the smallest result. */
function mostTiles(network: FusedNetwork, axis: Axis): number {
  return Math.min(MAX_TILES, ...network.results.map((map) => mapSize(network, map, axis)));
}

/** Returns the result of the smallest count up to `limit` that has one; more is assumed to fit where less does. */
function fewest<T>(limit: number, attempt: (count: number) => T | undefined): T | undefined {
  let high = 1;
  let found = attempt(high);
  while (!found && high < limit) {
    high = Math.min(2 * high, limit);
    found = attempt(high);
  }
  let low = high >> 1;
  while (found && high - low > 1) {
    const middle = (low + high) >> 1;
    const better = attempt(middle);
    if (better) [found, high] = [better, middle];
    else low = middle;
  }
  return found;
}

/** Cuts the layers into chains that fit, with the least handed between them: the shortest path over the places to cut. */
function splitIntoChains(
  network: FusedNetwork,
  axis: Axis,
  available: number,
  options: TilingOptions,
): Chain[] | undefined {
  const count = network.layers.length;
  const best: { cost: number; chains: Chain[] }[] = [{ cost: 0, chains: [] }];
  for (let first = 0; first < count; first++) {
    const before = best[first];
    if (!before) continue;
    for (let end = first + 1; end <= count; end++) {
      const part = selectLayers(network, first, end);
      const chain = planChain(part, axis, available, options);
      if (!chain) break;
      const cost = before.cost + mapMemory(network, part.sources) + mapMemory(network, part.results);
      if (cost < (best[end]?.cost ?? Number.POSITIVE_INFINITY)) best[end] = { cost, chains: [...before.chains, chain] };
    }
  }
  return best[count]?.chains;
}

/** Returns layers `first` to `end` (exclusive) as a network of their own. */
function selectLayers(network: FusedNetwork, first: number, end: number): FusedNetwork {
  const layers = network.layers.slice(first, end);
  const made = new Set(layers.flatMap(({ outputs }) => outputs));
  const sources = [...new Set(layers.flatMap(({ inputs }) => inputs))].filter((name) => !made.has(name));
  const later = new Set([...network.results, ...network.layers.slice(end).flatMap(({ inputs }) => inputs)]);
  return { ...network, layers, sources, results: [...made].filter((name) => later.has(name)) };
}

function leastBudget(network: FusedNetwork, axis: Axis, { tiles, keep = 'all' }: TilingOptions): number {
  const least = network.layers.map((_, i) => {
    const part = selectLayers(network, i, i + 1);
    const chain = measureChain(part, axis, { axis, tiles: tiles ?? mostTiles(part, axis), keep });
    return chain.main + chain.aux;
  });
  return weightMemory(network) + Math.max(...least);
}

/** Estimates the seconds that a plan spends on calls and copies; the arithmetic is the same for every plan. */
function copyingSeconds({ chains, axis }: TilingPlan): number {
  // Measured with onnxruntime on one CPU core.
  const [secondsPerCall, secondsPerByte, secondsPerBlock] = [40e-6, 0.15e-9, 60e-9];
  let seconds = 0;
  for (const { passes, network } of chains) {
    for (const { layers, maps } of passes) {
      seconds += layers.length * secondsPerCall;
      for (const [name, { kept, fresh, keep }] of maps) {
        const shape = network.shapes.get(name)!;
        const blocks = axis === 'rows' ? shape.channels : shape.channels * shape.height;
        const copied = [kept, keep, ...(rangeLength(kept) > 0 || network.sources.includes(name) ? [fresh] : [])];
        for (const range of copied.filter((one) => rangeLength(one) > 0)) {
          const bytes = BYTES_PER_FLOAT * rangeLength(range) * rowSize(shape, axis);
          seconds += blocks * secondsPerBlock + bytes * secondsPerByte;
        }
      }
    }
  }
  return seconds;
}

function memoryBetween(chains: readonly Chain[], network: FusedNetwork): number {
  const held = chains.map((_, i) => {
    const later = new Set(chains.slice(i + 1).flatMap((chain) => chain.network.sources));
    const made = chains.slice(0, i + 1).flatMap((chain) => chain.network.results);
    return mapMemory(
      network,
      made.filter((name) => later.has(name)),
    );
  });
  return Math.max(...held);
}

/** The most bytes that feature maps take at once when every layer runs on the whole image, which is included. */
function peakMemory(network: FusedNetwork): number {
  const { layers, results, sources } = network;
  const lastRead = new Map<string, number>();
  for (const [i, { inputs }] of layers.entries()) for (const name of inputs) lastRead.set(name, i);
  for (const name of results) lastRead.set(name, layers.length);
  const live = new Set(sources);
  let peak = 0;
  for (const [i, { layers: fused, outputs }] of layers.entries()) {
    for (const name of outputs) live.add(name);
    const inner = fused.filter(({ output }) => !outputs.includes(output)).map(({ output }) => output);
    const largest = Math.max(0, ...inner.map((name) => mapMemory(network, [name])));
    peak = Math.max(peak, mapMemory(network, [...live]) + largest);
    for (const name of live) if ((lastRead.get(name) ?? -1) <= i) live.delete(name);
  }
  return peak;
}

function mapMemory({ shapes }: FusedNetwork, names: readonly string[]): number {
  return names.reduce((sum, name) => {
    const { channels, height, width } = shapes.get(name)!;
    return sum + BYTES_PER_FLOAT * channels * height * width;
  }, 0);
}

function weightMemory({ layers, model, remainder }: FusedNetwork): number {
  const names = new Set(remainder.flatMap(({ inputs }) => inputs));
  const others = [...model.initializers.values()].filter(({ name }) => names.has(name));
  const own = layers.reduce((sum, { weightBytes }) => sum + weightBytes, 0);
  return own + others.reduce((sum, { dims }) => sum + BYTES_PER_FLOAT * elementCount(dims), 0);
}

/** Formats a number of bytes as KiB or MiB. */
export function formatBytes(bytes: number): string {
  if (bytes < 2 ** 20 / 10) return `${(bytes / 1024).toFixed(1)} KiB`;
  return `${(bytes / 2 ** 20).toFixed(bytes < 2 ** 20 ? 2 : bytes < 10 * 2 ** 20 ? 1 : 0)} MiB`;
}

/** What one way to run a network costs. */
export interface RunCost {
  /** Bytes of features and weights. */
  readonly memory: number;
  /** Rows (columns) fetched, over all passes and sources. */
  readonly fetched: number;
  /** Multiply-adds. */
  readonly macs: number;
  readonly passes: number;
}

/** A plan and its alternatives. */
export interface PlanComparison {
  readonly untiled: RunCost;
  /** Tiles that share nothing, as few as fit the same memory; undefined where none fit. */
  readonly recomputing: RunCost | undefined;
  /** The plan itself. */
  readonly plan: RunCost;
  /** The plan if the overlap of the input is fetched again instead of kept. */
  readonly fetchingAgain: RunCost;
}

/** Compares a plan with running untiled, with tiles that share nothing, and with keeping features only. */
export function comparePlan(plan: TilingPlan): PlanComparison {
  const { network, axis } = plan;
  const once = planPasses(network, { axis, tiles: 1 });
  const recomputing = recomputingPlan(plan);
  return {
    untiled: { memory: plan.untiled, ...countTraffic(network, axis, once), passes: 1 },
    recomputing: recomputing && expense(recomputing),
    plan: expense(plan),
    fetchingAgain: expense(fetchingAgainPlan(plan)),
  };
}

/** Returns a plan of the same chains whose tiles share nothing, in as few tiles as take no more memory. */
export function recomputingPlan(plan: TilingPlan): TilingPlan | undefined {
  const chains = plan.chains.map(({ network, main, aux }) =>
    planChain(network, plan.axis, main + aux, { keep: 'none' }),
  );
  return chains.every((chain) => chain !== undefined) ? { ...plan, chains } : undefined;
}

/** Returns a plan of the same chains and tiles that fetches the overlap of the input again. */
export function fetchingAgainPlan(plan: TilingPlan): TilingPlan {
  const { axis } = plan;
  const chains = plan.chains.map(({ network, passes }) =>
    measureChain(network, axis, { axis, tiles: passes.length, keep: 'features' }),
  );
  return { ...plan, chains };
}

function expense({ axis, chains, weights }: TilingPlan): RunCost {
  const traffic = chains.map(({ network, passes }) => countTraffic(network, axis, passes));
  return {
    memory: weights + Math.max(...chains.map(({ main, aux }) => main + aux)),
    fetched: traffic.reduce((sum, { fetched }) => sum + fetched, 0),
    macs: traffic.reduce((sum, { macs }) => sum + macs, 0),
    passes: chains.reduce((sum, { passes }) => sum + passes.length, 0),
  };
}
