import { InferenceSession, Tensor } from 'onnxruntime-node';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import type { Binding, Program } from './compile.ts';
import { type FusedNetwork, fuseLayers } from './fuse.ts';
import { type Axis, rowSize, type Shape } from './layers.ts';
import { elementCount, FLOAT, type Model, readModel, writeModel } from './model.ts';
import { countTraffic, type Traffic } from './passes.ts';
import { compilePlan, planTiling, type TilingPlan, untiledMemory } from './plan.ts';

/** Settings of an inference session. */
export interface RuntimeOptions {
  /** Threads per operator; default 1. */
  readonly threads?: number;
  /** Execution providers by onnxruntime's names; default the CPU. */
  readonly providers?: readonly string[];
  /** Whether the runtime keeps memory for the next run (faster) or returns it to the system; default false. */
  readonly keepMemory?: boolean;
}

/**
 * Opens an ONNX model.
 *
 * @throws PlaybyplayError `model-unsupported` if the runtime cannot execute it.
 */
export async function openSession(bytes: Uint8Array, options: RuntimeOptions = {}): Promise<InferenceSession> {
  const { threads = 1, providers = ['cpu'], keepMemory = false } = options;
  // Otherwise the runtime sends data about models and computer to its maker, and leaves files in the folder for temporary files.
  process.env['ORT_DISABLE_TELEMETRY'] = '1';
  try {
    return await InferenceSession.create(bytes, {
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      // Threads that wait for the next operator would keep a core busy meanwhile.
      ...(threads > 1 ? { extra: { session: { intra_op: { allow_spinning: '0' } } } } : {}),
      executionProviders: [...providers],
      enableCpuMemArena: keepMemory,
      enableMemPattern: false,
      logSeverityLevel: 3,
    });
  } catch (error) {
    throw new PlaybyplayError(
      'model-unsupported',
      `the runtime cannot execute this model: ${messageOf(error).replace(/^Fatal error: /, '')}`,
      {
        cause: error,
      },
    );
  }
}

/** An image that is read in parts, so that it need not be in memory as floats as a whole. */
export interface ImageSource {
  /**
   * Writes rows (columns) `from` to `to` of all channels into `into`: the value of channel c, row y and column x goes to
   * `offset + c · channelStride + (y − first row) · rowStride + (x − first column)`.
   */
  read(request: ReadRequest): void;
}

/** The rows (columns) that an image source is asked for, and where they go. Strides and offset in floats. */
export interface ReadRequest {
  readonly axis: Axis;
  readonly from: number;
  readonly to: number;
  readonly into: Float32Array;
  readonly offset: number;
  readonly channelStride: number;
  readonly rowStride: number;
}

/** Inputs of a run that are not images, and the signal to cancel it. */
export interface RunOptions {
  readonly inputs?: Readonly<Record<string, Tensor>>;
  readonly signal?: AbortSignal;
}

type Images = Readonly<Record<string, Float32Array | ImageSource>>;
type Outputs = Readonly<Record<string, Tensor>>;
type OpenChain = { readonly program: Program; readonly session: InferenceSession };

/** How an image model is opened. */
export interface ImageModelOptions extends RuntimeOptions {
  /** Size of the image in pixels. */
  readonly width: number;
  readonly height: number;
  /** Bytes for features and weights. A network that needs more runs in tiles; default no limit. */
  readonly memoryBudget?: number;
}

/** A network on images of one size. One run at a time. Dispose it when done. */
export interface ImageModel extends AsyncDisposable {
  readonly model: Model;
  /** How it is tiled; undefined where it runs untiled. */
  readonly plan: TilingPlan | undefined;
  /**
   * Runs the network.
   *
   * @param images By input: 1 × channels × height × width floats, or a source that is read in parts.
   * @returns A tensor per output. Tiled outputs differ from untiled ones by less than 1e-5 of the largest value.
   * @throws The signal's reason when cancelled, between two passes.
   */
  run(images: Images, options?: RunOptions): Promise<Outputs>;
}

/**
 * Opens an ONNX model for images of one size. With a memory budget that its features and weights exceed, it runs in tiles.
 *
 * @throws PlaybyplayError `model-unreadable`, `model-external-data`, `model-input-size`, `model-unsupported`,
 *   `budget-too-small` (its hint names the least sufficient budget).
 * @example
 * await using model = await openImageModel(bytes, { width: 1280, height: 720, memoryBudget: 16 * 2 ** 20 });
 * const { scores } = await model.run({ image: pixels });
 */
export async function openImageModel(bytes: Uint8Array, options: ImageModelOptions): Promise<ImageModel> {
  const model = readModel(bytes);
  const { memoryBudget } = options;
  if (memoryBudget === undefined || untiledMemory(fuseLayers(model, options)) <= memoryBudget) {
    const session = await openSession(bytes, { ...options, keepMemory: memoryBudget === undefined });
    return new UntiledModel(model, session, options);
  }
  return await TiledModel.open(planTiling(model, { ...options, budget: memoryBudget }), options);
}

class UntiledModel implements ImageModel {
  readonly model: Model;
  readonly plan = undefined;
  readonly #session: InferenceSession;
  readonly #size: { readonly width: number; readonly height: number };

  constructor(model: Model, session: InferenceSession, size: { readonly width: number; readonly height: number }) {
    this.model = model;
    this.#session = session;
    this.#size = size;
  }

  async run(images: Images, { inputs, signal }: RunOptions = {}): Promise<Outputs> {
    signal?.throwIfAborted();
    const feeds: Record<string, Tensor> = { ...inputs };
    for (const [name, image] of Object.entries(images)) {
      const declared = this.model.inputs.find((input) => input.name === name)?.dims[1];
      const shape = { ...this.#size, channels: typeof declared === 'number' ? declared : 3 };
      feeds[name] = new Tensor('float32', readWhole(image, shape), dimsOf(shape));
    }
    return await this.#session.run(feeds);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session.release();
  }
}

function readWhole(image: Float32Array | ImageSource, shape: Shape): Float32Array {
  if (image instanceof Float32Array) return image;
  const { channels, height, width } = shape;
  const into = new Float32Array(channels * height * width);
  image.read({ axis: 'rows', from: 0, to: height, into, offset: 0, channelStride: height * width, rowStride: width });
  return into;
}

/** A network that runs in tiles inside buffers of a fixed size. */
export class TiledModel implements ImageModel {
  readonly model: Model;
  readonly plan: TilingPlan;
  readonly #network: FusedNetwork;
  readonly #chains: readonly OpenChain[];
  readonly #remainder: InferenceSession | undefined;
  readonly #main: Float32Array;
  readonly #aux: Float32Array;
  readonly #padding = new Map<number, Float32Array>();
  #traffic: Traffic = { fetched: 0, computed: 0, macs: 0 };

  private constructor(plan: TilingPlan, chains: readonly OpenChain[], remainder: InferenceSession | undefined) {
    this.model = plan.network.model;
    this.plan = plan;
    this.#network = plan.network;
    this.#chains = chains;
    this.#remainder = remainder;
    this.#main = new Float32Array(Math.max(...chains.map(({ program }) => program.main)));
    this.#aux = new Float32Array(Math.max(...chains.map(({ program }) => program.aux)));
  }

  /** Opens a network as planned. */
  static async open(plan: TilingPlan, options: RuntimeOptions = {}): Promise<TiledModel> {
    const chains: OpenChain[] = [];
    // Most passes need the same memory.
    const settings = { ...options, keepMemory: true };
    for (const program of compilePlan(plan))
      chains.push({ program, session: await openSession(writeModel(program.model), settings) });
    const remainder = remainderModel(plan.network);
    if (remainder === undefined) return new TiledModel(plan, chains, undefined);
    return new TiledModel(plan, chains, await openSession(writeModel(remainder), options));
  }

  /** What the last run fetched and computed. */
  get traffic(): Traffic {
    return this.#traffic;
  }

  async run(images: Images, { inputs, signal }: RunOptions = {}): Promise<Outputs> {
    const { results } = this.#network;
    const sources = new Map(this.#network.sources.map((name) => [name, this.#openSource(name, images[name])]));
    /** Results of chains, whole. */
    const memory = new Map<string, Float32Array>();
    this.#traffic = { fetched: 0, computed: 0, macs: 0 };
    for (const [index, { program, session }] of this.#chains.entries()) {
      for (const name of program.network.results) {
        memory.set(name, new Float32Array(elementCount(dimsOf(this.#shapeOf(name)))));
      }
      for (let pass = 0; pass < program.passes.length; pass++) {
        signal?.throwIfAborted();
        this.#fetch(program, pass, sources);
        await session.run(this.#feeds(program, pass), this.#tensors(program.outputs, program.axis, pass));
        this.#store(program, pass, memory);
        this.#addTraffic(program, pass);
      }
      for (const name of program.network.results)
        sources.set(name, new WholeImage(memory.get(name)!, this.#shapeOf(name)));
      const later = this.#chains.slice(index + 1).flatMap(({ program: next }) => next.network.sources);
      for (const name of memory.keys()) {
        if (later.includes(name) || results.includes(name)) continue;
        memory.delete(name);
        sources.delete(name);
      }
    }
    const tensors = Object.fromEntries(
      results.map((name) => [name, new Tensor('float32', memory.get(name)!, dimsOf(this.#shapeOf(name)))]),
    );
    const outputs = pick(
      tensors,
      this.model.outputs.map(({ name }) => name),
    );
    if (!this.#remainder) return outputs;
    const feeds = pick({ ...tensors, ...inputs }, this.#remainder.inputNames);
    return { ...outputs, ...(await this.#remainder.run(feeds)) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { session } of this.#chains) await session.release();
    await this.#remainder?.release();
  }

  /** Reads the new rows of the sources into the main buffer. */
  #fetch({ inputs, passes, axis }: Program, pass: number, sources: ReadonlyMap<string, ImageSource>): void {
    for (const { buffer, map, offset } of inputs) {
      if (buffer !== 'main') continue;
      const { height, width } = this.#shapeOf(map);
      const { from, to } = passes[pass]!.maps.get(map)!.fresh;
      if (to <= from) continue;
      const [rows, columns] = axis === 'rows' ? [to - from, width] : [height, to - from];
      const into = this.#main;
      sources.get(map)!.read({ axis, from, to, into, offset, channelStride: rows * columns, rowStride: columns });
    }
  }

  /** Copies the new rows of the results out of the main buffer. */
  #store({ outputs, passes, axis }: Program, pass: number, memory: ReadonlyMap<string, Float32Array>): void {
    for (const { buffer, map, offset } of outputs) {
      if (buffer !== 'main') continue;
      const shape = this.#shapeOf(map);
      const { from, to } = passes[pass]!.maps.get(map)!.fresh;
      const part = axis === 'rows' ? { ...shape, height: to - from } : { ...shape, width: to - from };
      copyPlanes(
        { data: this.#main, shape: part, start: offset },
        { data: memory.get(map)!, shape, start: axis === 'rows' ? from * shape.width : from },
        part,
      );
    }
  }

  #feeds({ inputs, slices, axis }: Program, pass: number): Record<string, Tensor> {
    const feeds = this.#tensors(inputs, axis, pass);
    for (const { from, to, ranges } of slices) {
      feeds[from] = new Tensor('int64', BigInt64Array.of(BigInt(ranges[pass]!.from)), [1]);
      feeds[to] = new Tensor('int64', BigInt64Array.of(BigInt(ranges[pass]!.to)), [1]);
    }
    return feeds;
  }

  /** Views of the buffers, which the runtime reads from or writes to. */
  #tensors(bindings: readonly Binding[], axis: Axis, pass: number): Record<string, Tensor> {
    return Object.fromEntries(
      bindings.map((binding) => {
        const shape = this.#shapeOf(binding.map);
        const rows = binding.rows[pass]!;
        const size = rows * rowSize(shape, axis);
        const part = axis === 'rows' ? { ...shape, height: rows } : { ...shape, width: rows };
        const buffer = this.#bufferOf(binding, size);
        const data = buffer.subarray(binding.offset, binding.offset + size);
        return [binding.tensor, new Tensor('float32', data, dimsOf(part))];
      }),
    );
  }

  #bufferOf({ buffer, padValue }: Binding, size: number): Float32Array {
    if (buffer === 'main') return this.#main;
    if (buffer === 'aux') return this.#aux;
    const known = this.#padding.get(padValue);
    if (known && known.length >= size) return known;
    const padding = new Float32Array(size).fill(padValue);
    this.#padding.set(padValue, padding);
    return padding;
  }

  #addTraffic({ network, axis, passes }: Program, pass: number): void {
    const { fetched, computed, macs } = countTraffic(network, axis, [passes[pass]!]);
    const before = this.#traffic;
    this.#traffic = {
      fetched: before.fetched + fetched,
      computed: before.computed + computed,
      macs: before.macs + macs,
    };
  }

  #shapeOf(map: string): Shape {
    return this.#network.shapes.get(map)!;
  }

  #openSource(name: string, image: Float32Array | ImageSource | undefined): ImageSource {
    const shape = this.#shapeOf(name);
    if (!image) throw new TypeError(`input "${name}" is missing`);
    if (!(image instanceof Float32Array)) return image;
    if (image.length === elementCount(dimsOf(shape))) return new WholeImage(image, shape);
    const { channels, height, width } = shape;
    throw new PlaybyplayError(
      'model-input-size',
      `input "${name}" has ${image.length} values, not ${channels} × ${height} × ${width}`,
    );
  }
}

/** An image that is in memory as a whole. */
class WholeImage implements ImageSource {
  readonly #data: Float32Array;
  readonly #shape: Shape;

  constructor(data: Float32Array, shape: Shape) {
    this.#data = data;
    this.#shape = shape;
  }

  read({ axis, from, to, into, offset }: ReadRequest): void {
    const { width } = this.#shape;
    const part = axis === 'rows' ? { ...this.#shape, height: to - from } : { ...this.#shape, width: to - from };
    const start = axis === 'rows' ? from * width : from;
    copyPlanes({ data: this.#data, shape: this.#shape, start }, { data: into, shape: part, start: offset }, part);
  }
}

/** Planes in memory, `start` floats into the first. */
interface Planes {
  readonly data: Float32Array;
  readonly shape: Shape;
  readonly start: number;
}

/** Below this many floats a loop is faster than `set`. */
const MIN_SET_LENGTH = 32;

function copyPlanes(from: Planes, to: Planes, { channels, height, width }: Shape): void {
  const isContiguous = from.shape.width === width && to.shape.width === width;
  const [blocks, length] = isContiguous ? [1, height * width] : [height, width];
  for (let channel = 0; channel < channels; channel++) {
    for (let block = 0; block < blocks; block++) {
      const read = from.start + channel * from.shape.height * from.shape.width + block * from.shape.width;
      const write = to.start + channel * to.shape.height * to.shape.width + block * to.shape.width;
      if (length >= MIN_SET_LENGTH) to.data.set(from.data.subarray(read, read + length), write);
      else for (let i = 0; i < length; i++) to.data[write + i] = from.data[read + i]!;
    }
  }
}

/** The model of the nodes behind the layers. */
function remainderModel({ model, remainder, shapes, results }: FusedNetwork): Model | undefined {
  if (remainder.length === 0) return undefined;
  const read = new Set(remainder.flatMap(({ inputs }) => inputs));
  const made = new Set(remainder.flatMap(({ outputs }) => outputs));
  const maps = [...new Set(results)].filter((name) => read.has(name));
  return {
    irVersion: model.irVersion,
    opsets: model.opsets,
    nodes: remainder,
    initializers: new Map([...model.initializers].filter(([name]) => read.has(name))),
    inputs: [
      ...maps.map((name) => {
        return { name, type: FLOAT, dims: [1, shapes.get(name)!.channels, `${name}@height`, `${name}@width`] };
      }),
      ...model.inputs.filter(({ name }) => read.has(name)),
    ],
    outputs: model.outputs.filter(({ name }) => made.has(name)),
  };
}

function pick<T>(from: Readonly<Record<string, T>>, names: readonly string[]): Record<string, T> {
  return Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])));
}

function dimsOf({ channels, height, width }: Shape): number[] {
  return [1, channels, height, width];
}
