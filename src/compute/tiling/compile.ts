import { PlaybyplayError } from '../../errors.ts';
import { type FusedLayer, type FusedNetwork, windowOn } from './fuse.ts';
import {
  type Axis,
  EMPTY_RANGE,
  incompleteOutputs,
  type Layer,
  type Range,
  rangeLength,
  rowSize,
  type Window,
} from './layers.ts';
import {
  createInitializer,
  createNode,
  FLOAT,
  INT64,
  type Initializer,
  intsAttribute,
  type Model,
  type Node,
  type ValueInfo,
} from './model.ts';
import { type LayerPass, type Pass, type Read, upsampling } from './passes.ts';

/** A tensor of the chain's model that the executor provides or receives in every pass. */
export interface Binding {
  readonly tensor: string;
  readonly map: string;
  /** `main`: new rows of a source or result. `aux`: rows kept from pass to pass. `padding`: rows of one value. */
  readonly buffer: 'main' | 'aux' | 'padding';
  /** Position in the buffer, in floats. */
  readonly offset: number;
  /** Rows by pass. */
  readonly rows: readonly number[];
  readonly padValue: number;
}

/** Inputs of the chain's model that say which rows are cut out of a tensor. */
export interface SliceBinding {
  readonly from: string;
  readonly to: string;
  /** By pass. */
  readonly ranges: readonly Range[];
}

/** A chain of layers compiled to a model that is run once per pass, and the memory that it takes. */
export interface Program {
  readonly network: FusedNetwork;
  readonly axis: Axis;
  readonly passes: readonly Pass[];
  readonly model: Model;
  readonly inputs: readonly Binding[];
  readonly outputs: readonly Binding[];
  readonly slices: readonly SliceBinding[];
  /** Floats for new rows of sources and results. */
  readonly main: number;
  /** Floats for rows kept from pass to pass. */
  readonly aux: number;
  /** Most floats that feature maps inside the model take at once. */
  readonly scratch: number;
}

/** Operator sets before 10 have no Slice with computed bounds. Sets 7 to 9 can be raised to it. */
const SLICE_OPSET = 10;
const OLDEST_OPSET = 7;
const ONNX_DOMAINS = ['', 'ai.onnx'];

/**
 * Compiles the layers of a chain, pass by pass, to one model. In it each map is assembled from the rows kept by the pass
 * before and the new ones, each layer reads its window of that, and the rows to keep are cut off as an output.
 *
 * @throws PlaybyplayError `model-unsupported` for operator sets before 7.
 */
export function compileChain(network: FusedNetwork, axis: Axis, passes: readonly Pass[]): Program {
  if (opsetVersion(network.model) < OLDEST_OPSET)
    throw new PlaybyplayError('model-unsupported', 'this model cannot be tiled: its operator set is older than 7', {
      hint: 'Export it with opset 10 or later, or run it without a memory budget.',
    });
  return new ChainCompiler(network, axis, passes).compile();
}

/** Rows of a map put together, by pass: from which row on, and how many; both with padding. */
interface Assembled {
  readonly tensor: string;
  readonly starts: readonly number[];
  readonly lengths: readonly number[];
}

/** How one layer reads a map, by pass. */
interface Reader {
  readonly layer: FusedLayer;
  readonly reads: readonly Read[];
}

/** A tensor computed inside the model, for counting memory. */
interface Computed {
  readonly tensor: string;
  readonly inputs: readonly string[];
  /** Floats by pass. */
  readonly sizes: readonly number[];
  /** Whether it can overwrite an input of its size that nobody else reads. */
  readonly isInPlace: boolean;
}

const AXIS_CONSTANT = '@axis';
/** Buffers start at multiples of this many floats: a cache line. */
const ALIGNMENT_FLOATS = 16;

class ChainCompiler {
  readonly #network: FusedNetwork;
  readonly #axis: Axis;
  readonly #passes: readonly Pass[];
  readonly #nodes: Node[] = [];
  readonly #inputs: ValueInfo[] = [];
  readonly #outputs: ValueInfo[] = [];
  readonly #constants: Map<string, Initializer>;
  readonly #inputBindings: Binding[] = [];
  readonly #outputBindings: Binding[] = [];
  readonly #slices: SliceBinding[] = [];
  readonly #computed: Computed[] = [];
  /** Tensor that holds the rows which a layer reads, by layer and map. */
  readonly #windows = new Map<FusedLayer, Map<string, string>>();
  readonly #bufferSizes = { main: 0, aux: 0 };
  readonly #auxOffsets = new Map<string, number>();

  constructor(network: FusedNetwork, axis: Axis, passes: readonly Pass[]) {
    this.#network = network;
    this.#axis = axis;
    this.#passes = passes;
    this.#constants = new Map(network.model.initializers);
    this.#constants.set(
      AXIS_CONSTANT,
      createInitializer(AXIS_CONSTANT, [1], BigInt64Array.of(BigInt(this.#dimension))),
    );
    for (const layer of network.layers) this.#windows.set(layer, new Map());
  }

  compile(): Program {
    const { sources, layers, results, model } = this.#network;
    for (const map of sources) {
      const rows = this.#mapRows(map, 'fresh').map(rangeLength);
      this.#bind('input', map, map, { buffer: 'main', rows });
      this.#assemble(map, rows);
    }
    for (const [index, layer] of layers.entries()) {
      const rows = this.#passes.map((pass) => computedRows(pass.layers[index]!, this.#axis));
      this.#addLayer(layer, rows);
      for (const map of layer.outputs) {
        if (results.includes(map)) this.#bind('output', map, map, { buffer: 'main', rows });
        this.#assemble(map, rows);
      }
    }
    const used = new Set(this.#nodes.flatMap(({ inputs }) => inputs));
    return {
      network: this.#network,
      axis: this.#axis,
      passes: this.#passes,
      model: {
        irVersion: model.irVersion,
        opsets: raiseOpset(model),
        nodes: this.#nodes,
        initializers: new Map([...this.#constants].filter(([name]) => used.has(name))),
        inputs: this.#inputs,
        outputs: this.#outputs,
      },
      inputs: this.#inputBindings,
      outputs: this.#outputBindings,
      slices: this.#slices,
      main: this.#bufferSizes.main,
      aux: this.#bufferSizes.aux,
      scratch: this.#scratch(),
    };
  }

  /** Makes the windows of a map's readers, and cuts off what is kept. `rows`: rows of the map's tensor by pass. */
  #assemble(map: string, rows: readonly number[]): void {
    const fresh = this.#mapRows(map, 'fresh');
    const keep = this.#mapRows(map, 'keep');
    const isKept = keep.some((range) => rangeLength(range) > 0);
    const added: Assembled = {
      tensor: map,
      starts: fresh.map(({ from }) => from),
      lengths: rows,
    };
    const indirect: Reader[] = [];
    for (const [index, layer] of this.#network.layers.entries()) {
      if (!layer.inputs.includes(map)) continue;
      const reads = this.#passes.map(({ layers }) => layers[index]!.reads.find((read) => read.map === map)!);
      if (this.#covers(added, { layer, reads })) this.#windows.get(layer)!.set(map, map);
      else indirect.push({ layer, reads });
    }
    if (!isKept && indirect.length === 0) return;
    const padded = indirect.filter(({ reads }) => reads.some(({ padBefore, padAfter }) => padBefore + padAfter > 0));
    const padValues = [...new Set(padded.map(({ layer }) => layer.padValue))];
    // Only one node may read what was kept: the rows to keep overwrite it.
    const single = padValues.length <= 1;
    const base = this.#join(map, isKept, added, single ? padded : []);
    const byPadValue = new Map(
      padValues.map((value) => {
        const own = padded.filter(({ layer }) => layer.padValue === value);
        return [value, single ? base : this.#join(map, false, base, own)];
      }),
    );
    for (const reader of indirect) {
      const from = padded.includes(reader) ? byPadValue.get(reader.layer.padValue)! : base;
      this.#windows.get(reader.layer)!.set(map, this.#window(map, from, reader));
    }
    if (!isKept) return;
    const tensor = this.#slice(`${map}@keep`, map, base, keep);
    this.#bind('output', tensor, map, { buffer: 'aux', offset: this.#auxOffset(map), rows: keep.map(rangeLength) });
  }

  /** Concatenates padding, kept rows and `rows`, as far as there are any in some pass. */
  #join(map: string, withKept: boolean, rows: Assembled, padded: readonly Reader[]): Assembled {
    const most = (side: 'padBefore' | 'padAfter') =>
      this.#passes.map((_, pass) => Math.max(0, ...padded.map(({ reads }) => reads[pass]![side])));
    const padValue = padded[0]?.layer.padValue ?? 0;
    const [before, after] = [most('padBefore'), most('padAfter')];
    const parts = [rows.tensor];
    const pad = (side: 'before' | 'after', counts: readonly number[]) => {
      if (!counts.some((count) => count > 0)) return [];
      const tensor = `${rows.tensor}@${side}${padValue}`;
      this.#bind('input', tensor, map, { buffer: 'padding', rows: counts, padValue });
      return [tensor];
    };
    const kept = this.#mapRows(map, 'kept');
    if (withKept) {
      const tensor = `${map}@kept`;
      this.#bind('input', tensor, map, { buffer: 'aux', offset: this.#auxOffset(map), rows: kept.map(rangeLength) });
      parts.unshift(tensor);
    }
    parts.unshift(...pad('before', before));
    parts.push(...pad('after', after));
    if (parts.length === 1) return rows;
    const keptRows = kept.map((range) => (withKept ? rangeLength(range) : 0));
    const tensor = `${rows.tensor}@joined${padded.length > 0 ? padValue : ''}`;
    const lengths = rows.lengths.map((length, pass) => before[pass]! + keptRows[pass]! + length + after[pass]!);
    this.#nodes.push(createNode('Concat', parts, [tensor], { axis: this.#dimension }));
    this.#count(tensor, parts, map, lengths);
    return { tensor, starts: rows.starts.map((start, pass) => start - keptRows[pass]! - before[pass]!), lengths };
  }

  #window(map: string, from: Assembled, reader: Reader): string {
    if (this.#covers(from, reader)) return from.tensor;
    const ranges = reader.reads.map((read) => ({ from: read.from - read.padBefore, to: read.to + read.padAfter }));
    return this.#slice(`${map}@${reader.layer.outputs[0]!}`, map, from, ranges);
  }

  /** Whether a layer that is given all of `rows` computes exactly what it is to compute, in every pass. */
  #covers({ starts, lengths }: Assembled, { layer, reads }: Reader): boolean {
    return reads.every((read, pass) => {
      const { out } = this.#passes[pass]!.layers.find((one) => one.layer === layer)!;
      const length = read.padBefore + rangeLength(read) + read.padAfter;
      if (rangeLength(out) === 0) return length === lengths[pass];
      if (read.from - read.padBefore !== starts[pass]) return false;
      if (length === lengths[pass]) return true;
      // Rows at the end that are too few for another output do no harm, unless a second input has none to match them.
      const { kernel, stride, upsample } = windowOn(layer, read.map, this.#axis);
      const outputs = Math.floor((lengths[pass]! - kernel) / stride) + 1;
      return layer.inputs.length === 1 && upsample === 1 && outputs === rangeLength(out);
    });
  }

  #slice(tensor: string, map: string, from: Assembled, ranges: readonly Range[]): string {
    const bounds = { from: `${tensor}@from`, to: `${tensor}@to` };
    for (const name of [bounds.from, bounds.to]) this.#inputs.push({ name, type: INT64, dims: [1] });
    const relative = ranges.map((range, pass) => {
      const start = from.starts[pass]!;
      return rangeLength(range) > 0 ? { from: range.from - start, to: range.to - start } : EMPTY_RANGE;
    });
    this.#slices.push({ ...bounds, ranges: relative });
    this.#nodes.push(createNode('Slice', [from.tensor, bounds.from, bounds.to, AXIS_CONSTANT], [tensor]));
    this.#count(tensor, [from.tensor], map, relative.map(rangeLength));
    return tensor;
  }

  #addLayer(fused: FusedLayer, rows: readonly number[]): void {
    const windows = this.#windows.get(fused)!;
    for (const layer of fused.layers) {
      const node = upgradeNode(layer.hasPads ? removePadding(layer, this.#axis) : layer.node, this.#network.model);
      const inputs = node.inputs.map((name) => windows.get(name) ?? name);
      this.#nodes.push({ ...node, inputs });
      const size = rowSize(layer.shape, this.#axis) * fused.ratios.get(layer)![this.#axis];
      this.#computed.push({
        tensor: layer.output,
        inputs,
        sizes: rows.map((count) => count * size),
        isInPlace: !['Conv', 'ConvTranspose', 'Concat'].includes(node.op),
      });
    }
  }

  #bind(
    direction: 'input' | 'output',
    tensor: string,
    map: string,
    binding: Pick<Binding, 'buffer' | 'rows'> & Partial<Pick<Binding, 'offset' | 'padValue'>>,
  ): void {
    const { channels } = this.#network.shapes.get(map)!;
    const value = { name: tensor, type: FLOAT, dims: [1, channels, `${tensor}@height`, `${tensor}@width`] };
    (direction === 'input' ? this.#inputs : this.#outputs).push(value);
    const offset = binding.offset ?? (binding.buffer === 'main' ? this.#allocate('main', map, binding.rows) : 0);
    const bindings = direction === 'input' ? this.#inputBindings : this.#outputBindings;
    bindings.push({ padValue: 0, ...binding, tensor, map, offset });
  }

  #auxOffset(map: string): number {
    const known = this.#auxOffsets.get(map);
    if (known !== undefined) return known;
    const offset = this.#allocate('aux', map, this.#mapRows(map, 'keep').map(rangeLength));
    this.#auxOffsets.set(map, offset);
    return offset;
  }

  #allocate(buffer: 'main' | 'aux', map: string, rows: readonly number[]): number {
    const offset = this.#bufferSizes[buffer];
    const size = Math.max(...rows) * rowSize(this.#network.shapes.get(map)!, this.#axis);
    this.#bufferSizes[buffer] += Math.ceil(size / ALIGNMENT_FLOATS) * ALIGNMENT_FLOATS;
    return offset;
  }

  #count(tensor: string, inputs: readonly string[], map: string, rows: readonly number[]): void {
    const size = rowSize(this.#network.shapes.get(map)!, this.#axis);
    this.#computed.push({ tensor, inputs, sizes: rows.map((count) => count * size), isInPlace: false });
  }

  /** Follows every tensor from where it is made to where it is last read. Bound outputs lie in buffers of their own. */
  #scratch(): number {
    const bound = new Set(this.#outputBindings.map(({ tensor }) => tensor));
    const lastRead = new Map<string, number>();
    for (const [at, { inputs }] of this.#computed.entries()) for (const name of inputs) lastRead.set(name, at);
    const peaks = this.#passes.map((_, pass) => {
      const live = new Map<string, number>();
      let [total, peak] = [0, 0];
      for (const [at, { tensor, inputs, sizes, isInPlace }] of this.#computed.entries()) {
        const size = bound.has(tensor) ? 0 : sizes[pass]!;
        const dead = inputs.filter((name) => lastRead.get(name) === at && live.has(name));
        const isReused = isInPlace && dead.some((name) => live.get(name) === size);
        peak = Math.max(peak, total + (isReused ? 0 : size));
        for (const name of dead) {
          total -= live.get(name) ?? 0;
          live.delete(name);
        }
        if (!lastRead.has(tensor)) continue;
        live.set(tensor, size);
        total += size;
      }
      return peak;
    });
    return Math.max(...peaks);
  }

  get #dimension(): number {
    return this.#axis === 'rows' ? 2 : 3;
  }

  #mapRows(map: string, part: 'kept' | 'fresh' | 'keep'): Range[] {
    return this.#passes.map(({ maps }) => maps.get(map)![part]);
  }
}

/** Rows that a layer computes in a pass, the one that is dropped included. */
function computedRows({ layer, out }: LayerPass, axis: Axis): number {
  return rangeLength(out) || upsampling(layer, axis);
}

function opsetVersion({ opsets }: Model): number {
  return opsets.get('') ?? opsets.get('ai.onnx') ?? 0;
}

function raiseOpset({ opsets }: Model): ReadonlyMap<string, number> {
  return new Map(
    [...opsets].map(([domain, version]) => [
      domain,
      ONNX_DOMAINS.includes(domain) ? Math.max(version, SLICE_OPSET) : version,
    ]),
  );
}

/** Writes a node of an older operator set as operator set 10 has it. */
function upgradeNode(node: Node, model: Model): Node {
  if (opsetVersion(model) >= SLICE_OPSET) return node;
  const attributes = new Map(node.attributes);
  if (node.op === 'BatchNormalization') attributes.delete('spatial');
  return { ...node, attributes, op: node.op === 'Upsample' ? 'Resize' : node.op };
}

/** Leaves the padding along the axis to the executor. */
function removePadding({ node, windows }: Layer, axis: Axis): Node {
  if (node.op === 'ConvTranspose') return cropIncomplete(node, windows[axis], axis);
  const { rows, columns } = windows;
  const pads = axis === 'rows' ? [0, columns.padBefore, 0, columns.padAfter] : [rows.padBefore, 0, rows.padAfter, 0];
  const attributes = new Map(node.attributes);
  attributes.delete('auto_pad');
  attributes.set('pads', { kind: 'ints', value: pads });
  return { ...node, attributes };
}

/** Lets the padding of a transposed convolution cut off the outputs that other parts contribute to. */
function cropIncomplete(node: Node, window: Window, axis: Axis): Node {
  const at = axis === 'rows' ? 0 : 1;
  const { before, after } = incompleteOutputs(window);
  const pads = [...(intsAttribute(node, 'pads') ?? [0, 0, 0, 0])];
  const outputPadding = [...(intsAttribute(node, 'output_padding') ?? [0, 0])];
  [pads[at], pads[at + 2], outputPadding[at]] = [before, after, 0];
  const attributes = new Map(node.attributes);
  attributes.set('pads', { kind: 'ints', value: pads });
  attributes.set('output_padding', { kind: 'ints', value: outputPadding });
  return { ...node, attributes };
}

/** One step of a program for people to read. */
export interface Instruction {
  readonly pass: number;
  /** `conv` stands for a whole fused layer; `fetch+conv` also fetches its input, `conv+crop` also keeps rows of its output. */
  readonly op: string;
  /** Name of the layer executed, if any. */
  readonly layer?: string;
  /** Buffer, map and rows, both included: `dram image 0–12`. */
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** Lists what a chain does, pass by pass and layer by layer: what is fetched, computed, kept and taken from what was kept. */
export function listInstructions(network: FusedNetwork, passes: readonly Pass[]): Instruction[] {
  return passes.flatMap((pass, number) => listPass(network, pass, number));
}

function listPass({ sources, results }: FusedNetwork, pass: Pass, number: number): Instruction[] {
  const instructions: Instruction[] = [];
  const restored = new Set<string>();
  const restore = (map: string) => {
    const kept = pass.maps.get(map)?.kept ?? EMPTY_RANGE;
    const isNew = !restored.has(map) && rangeLength(kept) > 0;
    restored.add(map);
    return isNew ? [place('aux', map, kept)] : [];
  };
  const kept = (map: string) => {
    const keep = pass.maps.get(map)?.keep ?? EMPTY_RANGE;
    return rangeLength(keep) > 0 ? [place('aux', map, keep)] : [];
  };
  for (const { layer, out, reads } of pass.layers.filter(({ out: range }) => rangeLength(range) > 0)) {
    const op = ['conv'];
    const from: string[] = [];
    for (const read of reads) {
      const { fresh, keep } = pass.maps.get(read.map)!;
      if (sources.includes(read.map) && rangeLength(fresh) > 0 && !restored.has(read.map)) {
        op.unshift('fetch');
        from.push(...restore(read.map), place('dram', read.map, fresh));
        const to = kept(read.map);
        if (to.length > 0) instructions.push({ pass: number, op: 'crop', from: [place('main', read.map, keep)], to });
        continue;
      }
      const rows = { from: read.from - read.padBefore, to: read.to + read.padAfter };
      from.push(...restore(read.map), place('main', read.map, rows));
    }
    const crops = layer.outputs.flatMap(kept);
    if (crops.length > 0) op.push('crop');
    const to = layer.outputs.map((map) => place(results.includes(map) ? 'dram' : 'main', map, out));
    instructions.push({ pass: number, op: [...new Set(op)].join('+'), layer: layer.name, from, to: [...to, ...crops] });
  }
  return instructions;
}

function place(buffer: string, map: string, range: Range): string {
  return rangeLength(range) === 0 ? `${buffer} ${map}` : `${buffer} ${map} ${range.from}–${range.to - 1}`;
}
