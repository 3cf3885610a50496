import { PlaybyplayError } from '../../errors.ts';
import { canGroup } from './group-model.ts';
import { groupOf } from './group.ts';
import { compile, memoryOf, type Program } from './instructions.ts';
import type { Model } from './onnx.ts';
import { type Pass, sizeAlong } from './pass.ts';
import { distinct, passesOf } from './passes.ts';
import { shortened } from './shortened.ts';
import { type Analysis, analyse, type Axis, type Unit, unitSize } from './units.ts';

export interface TilingOptions {
  /** Of the picture, in pixels. */
  readonly width: number;
  readonly height: number;
  /** Bytes for features, what is kept between passes, and weights. */
  readonly budget: number;
  /** Default: whichever is cheaper. */
  readonly axis?: Axis;
  /** Positions of the input per pass; default as many as the budget allows. */
  readonly step?: number;
  /** The results in that many even tiles, one a pass, instead of a step. */
  readonly tiles?: number;
  /** Nothing is kept between tiles (for comparison); needs `tiles`. */
  readonly recompute?: boolean;
  /** Keep the overlap of the input instead of fetching it again; default true. */
  readonly keepInput?: boolean;
}

/** Units that run through the buffers together, pass by pass. */
export interface Chain {
  readonly analysis: Analysis;
  readonly step: number;
  readonly tiles?: number;
  readonly passes: readonly Pass[];
  /** Bytes of the main and the auxiliary buffer. */
  readonly main: number;
  readonly aux: number;
}

/** How a network is to run within a budget. All memory in bytes. */
export interface TilingPlan {
  readonly analysis: Analysis;
  readonly axis: Axis;
  readonly chains: readonly Chain[];
  readonly weights: number;
  /** Largest sum of main and auxiliary buffer of a chain, and all weights: what the budget covers. */
  readonly memory: number;
  /** Feature maps handed from chain to chain, held outside the budget; the most at a time. */
  readonly between: number;
  /** What the layers would take at once without tiling: the most that any of them reads and writes, maps still needed included. */
  readonly untiled: number;
  readonly budget: number;
}

/**
 * Plans how a network runs within a budget: as one chain if it fits, with as many rows (or columns) a pass as fit; else as
 * several, so that as little as possible is handed from one to the next through memory outside. Throws `budget-too-small`.
 */
export function planTiling(model: Model, options: TilingOptions): TilingPlan {
  const analysis = analyse(model, options);
  if (!canGroup(model))
    throw new PlaybyplayError('model-unsupported', 'this model cannot be tiled: its set of operators is older than 7', {
      hint: 'export it again with opset 10 or later, or run it without a budget',
    });
  const axes: readonly Axis[] = options.axis ? [options.axis] : ['rows', 'columns'];
  const plans = axes.flatMap((axis) => planAlong(analysis, axis, options) ?? []);
  const best = plans.toSorted((a, b) => costOf(a) - costOf(b))[0];
  if (best) return best;
  const least = Math.min(...axes.map((axis) => leastBudget(analysis, axis, options)));
  throw new PlaybyplayError('budget-too-small', `${inMiB(options.budget)} are too little for this model`, {
    // Rounded up, so that what is named will do.
    hint: `give it at least ${inMiB(Math.ceil(least * 1.05))}`,
  });
}

/** Bytes that the layers and the weights would take at once without tiling, as a plan's `untiled`. */
export function untiledMemory(analysis: Analysis): number {
  return untiledPeak(analysis) + weightsOf(analysis);
}

function planAlong(analysis: Analysis, axis: Axis, options: TilingOptions): TilingPlan | undefined {
  const weights = tiledWeightsOf(analysis);
  const room = options.budget - weights;
  const whole = chainWithin(analysis, axis, room, options);
  const chains = whole ? [whole] : split(analysis, axis, room, options);
  if (!chains) return undefined;
  const memory = weights + Math.max(...chains.map(({ main, aux }) => main + aux));
  const between = betweenChains(chains, analysis);
  return {
    analysis,
    axis,
    chains,
    weights,
    memory,
    between,
    untiled: untiledMemory(analysis),
    budget: options.budget,
  };
}

/** The programs of a plan's chains, ready to be executed. */
export function programsOf({ chains, axis }: TilingPlan): Program[] {
  return chains.map(({ analysis, passes }) => programOf(analysis, axis, passes));
}

/** A chain's program for passes of any sort. */
export function programOf(analysis: Analysis, axis: Axis, passes: readonly Pass[]): Program {
  return compile(analysis, axis, passes, groupOf(analysis, axis, distinct(passes)));
}

/** The memory that a chain takes with such passes, in floats. */
export function memoryFor(analysis: Analysis, axis: Axis, passes: readonly Pass[]): ReturnType<typeof memoryOf> {
  const sorts = distinct(passes);
  return memoryOf(analysis, axis, sorts, groupOf(analysis, axis, sorts));
}

/** The units of a chain with the most positions a pass that fit into `room` bytes, if any do. */
function chainWithin(
  analysis: Analysis,
  axis: Axis,
  room: number,
  { step, tiles, keepInput = true, recompute = false }: TilingOptions,
): Chain | undefined {
  const longest = Math.max(...analysis.sources.map((name) => sizeAlong(analysis, name, axis)));
  const grain = grainOf(analysis, axis);
  // Strides then fall alike in all passes: most passes are equal, and the bulk begins near to where the new rows do.
  const rounded = (size: number) => (step === undefined && size > 2 * grain ? size - (size % grain) : size);
  const within = (size: number, part = analysis): Chain | undefined => {
    const parts = tiles === undefined ? { step: size } : { tiles };
    const passes = passesOf(part, { axis, ...parts, keepInput, recompute });
    const { main, aux } = memoryFor(part, axis, passes);
    if (4 * (main + aux) > room) return undefined;
    return { analysis, step: size, ...(tiles ? { tiles } : {}), passes, main: 4 * main, aux: 4 * aux };
  };
  if (tiles !== undefined) return within(Math.ceil(longest / tiles));
  if (step !== undefined) return within(Math.min(step, longest));
  const most = (fits: (size: number) => boolean): number => {
    if (!fits(1)) return 0;
    let [low, high] = [1, longest + 1];
    while (high - low > Math.max(1, low >> 4)) {
      const middle = low === 1 ? Math.min(64, (low + high) >> 1) : Math.min(2 * low, (low + high) >> 1);
      if (fits(rounded(middle))) low = middle;
      else high = middle;
    }
    return rounded(low);
  };
  const likely = most((size) => within(size, shortened(analysis, axis, size)) !== undefined);
  if (likely === 0) return undefined;
  return within(likely) ?? within(most((size) => within(size) !== undefined) || 1);
}

/** Bytes that a chain takes with the fewest positions a pass. */
function leastOf(analysis: Analysis, axis: Axis, step = 1): number {
  const part = shortened(analysis, axis, step) ?? analysis;
  const { main, aux } = memoryFor(part, axis, passesOf(part, { axis, step }));
  return 4 * (main + aux);
}

/** Positions of the sources for one of the smallest map, where that is a whole number up to 32. */
function grainOf(analysis: Analysis, axis: Axis): number {
  const longest = Math.max(...analysis.sources.map((name) => sizeAlong(analysis, name, axis)));
  const shortest = Math.min(
    ...analysis.units.flatMap(({ outputs }) => outputs.map((name) => sizeAlong(analysis, name, axis))),
  );
  return Math.min(32, 2 ** Math.round(Math.log2(Math.max(1, longest / shortest))));
}

/** Cuts the units into chains that fit, with the least handed between them (shortest path over the places to cut). */
function split(analysis: Analysis, axis: Axis, room: number, options: TilingOptions): Chain[] | undefined {
  const { units } = analysis;
  const cost = [0, ...units.map(() => Number.POSITIVE_INFINITY)];
  const from = units.map(() => -1);
  for (let first = 0; first < units.length; first++) {
    if (cost[first] === Number.POSITIVE_INFINITY) continue;
    for (let end = first + 1; end <= units.length; end++) {
      const part = partOf(analysis, first, end);
      if (leastOf(part, axis, options.step) > room) break;
      const handed = bytesOf(analysis, part.sources) + bytesOf(analysis, part.results);
      if (cost[first]! + handed >= cost[end]!) continue;
      cost[end] = cost[first]! + handed;
      from[end - 1] = first;
    }
  }
  if (cost[units.length] === Number.POSITIVE_INFINITY) return undefined;
  const chains: Chain[] = [];
  for (let end = units.length; end > 0; end = from[end - 1]!) {
    const chain = chainWithin(partOf(analysis, from[end - 1]!, end), axis, room, options);
    if (!chain) return undefined;
    chains.unshift(chain);
  }
  return chains;
}

/** Units `first` to `end` as a network of their own. */
function partOf(analysis: Analysis, first: number, end: number): Analysis {
  const units = analysis.units.slice(first, end);
  const made = new Set(units.flatMap(({ outputs }) => outputs));
  const sources = [...new Set(units.flatMap(({ inputs }) => inputs))].filter((name) => !made.has(name));
  const later = new Set([...analysis.results, ...analysis.units.slice(end).flatMap(({ inputs }) => inputs)]);
  return { ...analysis, units, sources, results: [...made].filter((name) => later.has(name)) };
}

function leastBudget(analysis: Analysis, axis: Axis, options: TilingOptions): number {
  const alone = analysis.units.map((_, i) => leastOf(partOf(analysis, i, i + 1), axis, options.step));
  return tiledWeightsOf(analysis) + Math.max(...alone);
}

/** Estimated seconds beside the arithmetic itself, which is the same for every plan. */
function costOf({ chains, axis, analysis }: TilingPlan): number {
  // Measured with onnxruntime on a processor: per call, per byte copied, and per contiguous block of a copy.
  const perRun = 40e-6;
  const perByte = 0.15e-9;
  const perBlock = 60e-9;
  let seconds = 0;
  for (const { passes, analysis: part } of chains) {
    for (const pass of passes) {
      seconds += pass.units.length * perRun;
      for (const [name, { kept, fresh, keep }] of pass.maps) {
        const { channels, height } = analysis.shapes.get(name)!;
        const blocks = axis === 'rows' ? channels : channels * height;
        const copies = [kept, keep, ...(kept.to > kept.from || part.sources.includes(name) ? [fresh] : [])];
        for (const { from, to } of copies) {
          if (to <= from) continue;
          seconds += blocks * perBlock + 4 * (to - from) * unitSize(analysis.shapes.get(name)!, axis) * perByte;
        }
      }
    }
  }
  return seconds;
}

function betweenChains(chains: readonly Chain[], analysis: Analysis): number {
  let most = 0;
  for (const [i] of chains.entries()) {
    const later = new Set(chains.slice(i + 1).flatMap((chain) => chain.analysis.sources));
    const held = chains.slice(0, i + 1).flatMap((chain) => chain.analysis.results.filter((name) => later.has(name)));
    most = Math.max(most, bytesOf(analysis, held));
  }
  return most;
}

/** The most that maps take at once when every unit runs on the whole picture, the picture included. */
function untiledPeak(analysis: Analysis): number {
  const { units, results } = analysis;
  const lastRead = new Map<string, number>();
  for (const [i, unit] of units.entries()) for (const name of unit.inputs) lastRead.set(name, i);
  for (const name of results) lastRead.set(name, units.length);
  const live = new Set(analysis.sources);
  let most = 0;
  for (const [i, unit] of units.entries()) {
    for (const name of unit.outputs) live.add(name);
    most = Math.max(most, bytesOf(analysis, [...live]) + insideOf(unit));
    for (const name of live) if ((lastRead.get(name) ?? -1) <= i) live.delete(name);
  }
  return most;
}

/** Bytes of the largest map inside a unit that leaves it only further reduced. */
function insideOf({ operators, outputs }: Unit): number {
  const inner = operators.filter(({ output }) => !outputs.includes(output));
  return 4 * Math.max(0, ...inner.map(({ shape }) => shape.channels * shape.height * shape.width));
}

function bytesOf({ shapes }: Analysis, names: readonly string[]): number {
  return names.reduce((sum, name) => {
    const { channels, height, width } = shapes.get(name)!;
    return sum + 4 * channels * height * width;
  }, 0);
}

function weightsOf({ units, model, rest }: Analysis): number {
  const own = units.reduce((sum, { weightBytes }) => sum + weightBytes, 0);
  const names = new Set(rest.flatMap(({ inputs }) => inputs));
  const others = [...model.initializers.values()].filter(({ name }) => names.has(name));
  return own + others.reduce((sum, { dims }) => sum + 4 * dims.reduce((a, b) => a * b, 1), 0);
}

/** Weights into which the runtime folds a normalisation are there twice: once for the seam, once for the bulk. */
function tiledWeightsOf(analysis: Analysis): number {
  const folded = analysis.units.filter(({ operators }) =>
    operators.some(({ node }) => node.op === 'BatchNormalization'),
  );
  return weightsOf(analysis) + folded.reduce((sum, { weightBytes }) => sum + weightBytes, 0);
}

export function inMiB(bytes: number): string {
  if (bytes < 2 ** 20 / 10) return `${(bytes / 1024).toFixed(1)} KiB`;
  return `${(bytes / 2 ** 20).toFixed(bytes < 2 ** 20 ? 2 : bytes < 10 * 2 ** 20 ? 1 : 0)} MiB`;
}
