import { type FusedLayer, type FusedNetwork, windowOn } from './fuse.ts';
import {
  type Axis,
  computableOutputs,
  EMPTY_RANGE,
  firstInput,
  inputLength,
  inputRange,
  outputSize,
  type Range,
  rangeLength,
  sizeAlong,
  tileRange,
} from './layers.ts';

/** What a fused layer does in one pass. */
export interface LayerPass {
  readonly layer: FusedLayer;
  /** Rows of output computed; empty in a pass in which the layer's inputs allow nothing new. */
  readonly out: Range;
  readonly reads: readonly Read[];
}

/**
 * The rows of a feature map that a layer reads in one pass, with the padding that it sees before and after them. A layer that
 * computes nothing reads padding for one output, which is dropped: the runtime cannot compute layers without output.
 */
export interface Read extends Range {
  readonly map: string;
  readonly padBefore: number;
  readonly padAfter: number;
}

/** What becomes of a feature map in one pass. */
export interface MapPass {
  /** Rows kept from the pass before. */
  readonly kept: Range;
  /** Rows fetched or computed. */
  readonly fresh: Range;
  /** Rows to keep for the next pass. */
  readonly keep: Range;
}

/** All layers run once, on one tile. Rows stand for columns where the axis is `columns`. */
export interface Pass {
  readonly layers: readonly LayerPass[];
  readonly maps: ReadonlyMap<string, MapPass>;
}

/** How a network is cut into passes. */
export interface PassOptions {
  readonly axis: Axis;
  /** Number of even tiles of the results, one per pass. */
  readonly tiles: number;
  /**
   * What later tiles need is kept in the auxiliary buffer: `all` (default), `features` but not the input, whose overlap is
   * fetched again, or `none`, so that every tile fetches and computes its overlap again.
   */
  readonly keep?: 'all' | 'features' | 'none';
}

/**
 * Works out the passes of a network. Every layer computes in each pass whatever its inputs allow, and no row twice; of each
 * feature map the rows are kept that will be read again.
 */
export function planPasses(network: FusedNetwork, options: PassOptions): Pass[] {
  const { axis, tiles, keep = 'all' } = options;
  if (!Number.isInteger(tiles) || tiles < 1)
    throw new RangeError(`The number of tiles must be a positive integer, not ${tiles}`);
  const planner = new StreamPlanner(network, axis, keep === 'all');
  return Array.from({ length: tiles }, (_, tile) =>
    keep === 'none' ? planSingleTile(network, axis, tile, tiles) : planner.next(tile, tiles),
  );
}

/** Rows fetched from the sources, rows computed, and multiply-adds of all passes. */
export interface Traffic {
  readonly fetched: number;
  readonly computed: number;
  readonly macs: number;
}

/** Sums what the passes fetch and compute. */
export function countTraffic(network: FusedNetwork, axis: Axis, passes: readonly Pass[]): Traffic {
  let [fetched, computed, macs] = [0, 0, 0];
  for (const { maps, layers } of passes) {
    for (const name of network.sources) fetched += rangeLength(maps.get(name)?.fresh ?? EMPTY_RANGE);
    for (const { layer, out } of layers) {
      computed += rangeLength(out);
      macs += layer.work[axis] * rangeLength(out);
    }
  }
  return { fetched, computed, macs };
}

/** Returns the length of a feature map along the axis. */
export function mapSize(network: FusedNetwork, map: string, axis: Axis): number {
  return sizeAlong(network.shapes.get(map)!, axis);
}

/** Returns the rows of every feature map that tile `tile` of the results depends on; with `whole` all rows up to it. */
function requiredRanges(
  network: FusedNetwork,
  axis: Axis,
  tile: number,
  tiles: number,
  whole: boolean,
): Map<string, Range> {
  const ranges = new Map<string, Range>();
  const extend = (name: string, range: Range) => {
    if (rangeLength(range) === 0) return;
    const known = ranges.get(name) ?? range;
    ranges.set(name, { from: Math.min(known.from, range.from), to: Math.max(known.to, range.to) });
  };
  for (const name of network.results) {
    const range = tileRange(mapSize(network, name, axis), tile, tiles);
    extend(name, whole ? { from: 0, to: range.to } : range);
  }
  for (const layer of network.layers.toReversed()) {
    const out = outputRange(layer, axis, ranges);
    for (const name of layer.inputs)
      extend(name, inputRange(windowOn(layer, name, axis), out, mapSize(network, name, axis)));
  }
  return ranges;
}

/** Returns the rows that a layer must compute so that all its outputs cover their ranges. */
function outputRange(layer: FusedLayer, axis: Axis, ranges: ReadonlyMap<string, Range>): Range {
  const wanted = layer.outputs.flatMap((name) => ranges.get(name) ?? []);
  if (wanted.length === 0) return EMPTY_RANGE;
  const multiple = upsampling(layer, axis);
  const from = Math.min(...wanted.map((range) => range.from));
  const to = Math.max(...wanted.map((range) => range.to));
  return { from: from - (from % multiple), to: Math.ceil(to / multiple) * multiple };
}

/** An upsampling layer computes all rows of an input row or none. */
export function upsampling(layer: FusedLayer, axis: Axis): number {
  return Math.max(...layer.inputs.map((name) => windowOn(layer, name, axis).upsample));
}

function planSingleTile(network: FusedNetwork, axis: Axis, tile: number, tiles: number): Pass {
  const ranges = requiredRanges(network, axis, tile, tiles, false);
  const maps = new Map<string, MapPass>();
  const addFresh = (name: string, fresh: Range) => {
    maps.set(name, { kept: { from: fresh.from, to: fresh.from }, fresh, keep: { from: fresh.to, to: fresh.to } });
  };
  const layers: LayerPass[] = [];
  for (const name of network.sources) addFresh(name, ranges.get(name) ?? EMPTY_RANGE);
  for (const layer of network.layers) {
    const out = outputRange(layer, axis, ranges);
    layers.push(planLayer(network, axis, layer, out, (map) => maps.get(map)!.kept.from));
    for (const name of layer.outputs) addFresh(name, out);
  }
  return { layers, maps };
}

function planLayer(
  network: FusedNetwork,
  axis: Axis,
  layer: FusedLayer,
  out: Range,
  keptFrom: (map: string) => number,
): LayerPass {
  const reads = layer.inputs.map((map): Read => {
    const window = windowOn(layer, map, axis);
    if (rangeLength(out) > 0) return { map, ...inputRange(window, out, mapSize(network, map, axis)) };
    const at = keptFrom(map);
    return { map, from: at, to: at, padBefore: inputLength(window, upsampling(layer, axis)), padAfter: 0 };
  });
  return { layer, out, reads };
}

/** Plans tile after tile, each continuing where the one before ended. */
class StreamPlanner {
  readonly #network: FusedNetwork;
  readonly #axis: Axis;
  readonly #keepInput: boolean;
  /** How many rows of every map exist so far, and from which row on they are kept. */
  readonly #made = new Map<string, number>();
  readonly #keptFrom = new Map<string, number>();

  constructor(network: FusedNetwork, axis: Axis, keepInput: boolean) {
    this.#network = network;
    this.#axis = axis;
    this.#keepInput = keepInput;
  }

  next(tile: number, tiles: number): Pass {
    const network = this.#network;
    const required = requiredRanges(network, this.#axis, tile, tiles, true);
    const fresh = new Map<string, Range>();
    const advance = (name: string, from: number, to: number) => {
      fresh.set(name, { from, to });
      this.#made.set(name, to);
    };
    for (const name of network.sources) {
      const made = this.#madeOf(name);
      const from = this.#keepInput ? made : (this.#keptFrom.get(name) ?? 0);
      advance(name, from, Math.max(made, required.get(name)?.to ?? 0));
    }
    const layers: LayerPass[] = [];
    for (const layer of network.layers) {
      const from = this.#madeOf(layer.outputs[0]!);
      const possible = layer.inputs.map((name) =>
        computableOutputs(windowOn(layer, name, this.#axis), this.#madeOf(name), this.#sizeOf(name)),
      );
      const most = Math.min(...possible);
      const out = { from, to: Math.max(from, most - (most % upsampling(layer, this.#axis))) };
      const keptFrom = (map: string) => Math.min(this.#keptFrom.get(map) ?? 0, fresh.get(map)!.from);
      layers.push(planLayer(network, this.#axis, layer, out, keptFrom));
      for (const name of layer.outputs) advance(name, from, out.to);
    }
    const maps = new Map<string, MapPass>();
    for (const [name, range] of fresh) {
      const kept = { from: Math.min(this.#keptFrom.get(name) ?? 0, range.from), to: range.from };
      const keepFrom = Math.min(range.to, this.#firstReadLater(name));
      this.#keptFrom.set(name, keepFrom);
      const isFetchedAgain = !this.#keepInput && network.sources.includes(name);
      maps.set(name, { kept, fresh: range, keep: { from: isFetchedAgain ? range.to : keepFrom, to: range.to } });
    }
    return { layers, maps };
  }

  #firstReadLater(map: string): number {
    const readers = this.#network.layers.filter(({ inputs }) => inputs.includes(map));
    const firsts = readers.map((layer) => {
      const window = windowOn(layer, map, this.#axis);
      const done = this.#madeOf(layer.outputs[0]!);
      const isDone = done >= outputSize(window, this.#sizeOf(map));
      return isDone ? Number.POSITIVE_INFINITY : Math.max(0, firstInput(window, done));
    });
    return Math.min(...firsts);
  }

  #madeOf(map: string): number {
    return this.#made.get(map) ?? 0;
  }

  #sizeOf(map: string): number {
    return mapSize(this.#network, map, this.#axis);
  }
}
