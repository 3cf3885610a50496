import { createHash } from 'node:crypto';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { messageOf, PlaybyplayError } from '../errors.ts';
import { NetworkProcess } from './network-process.ts';
import { decodeCheckedModel, modelError, refuseModel } from './onnx/checked-model.ts';
import type { ImageModel, ImageModelOptions } from './tiling/execute.ts';
import type { Model, ValueInfo } from './tiling/model.ts';

/** Execution providers that a profile can name. */
export const PROVIDERS = ['cpu', 'webgpu', 'cuda'] as const;
/** An execution provider. */
export type Provider = (typeof PROVIDERS)[number];

export { refuseModel } from './onnx/checked-model.ts';

/** How a network is opened. */
export interface NetworkOptions {
  /** Path of the model, for errors. */
  readonly file: string;
  /** Providers in order of preference; default the CPU. */
  readonly providers?: readonly Provider[];
  /** Threads per operator; default 1. Outputs may depend on it. */
  readonly threads?: number;
  /** Bytes for features and weights of a network on one image of `picture` pixels: a network that needs more runs in tiles. */
  readonly memoryBudget?: number;
  readonly picture?: { readonly width: number; readonly height: number };
  /** The model comes with the program, not from a stranger: it runs in this process, several runs at a time. */
  readonly isTrusted?: boolean;
}

/** A tensor: input or output of a network, row-major. */
export interface Values {
  readonly dims: readonly number[];
  readonly data: ArrayLike<number>;
  /** Whether the values are integers. */
  readonly whole?: boolean;
}

/** An open network, shared by all that open the same file with the same options. Dispose it when done. */
export interface Network extends Runnable {
  readonly model: Model;
}

/** What runs a network. */
export interface Runnable extends Disposable {
  /**
   * Runs the network on one batch.
   *
   * @param feeds Tensors by input, converted to the inputs' element types.
   * @returns Tensors by output.
   * @throws PlaybyplayError `model-failed`, and `model-memory` and `model-timeout` for a model that is not trusted.
   */
  run(feeds: Readonly<Record<string, Values>>): Promise<ReadonlyMap<string, Values>>;
}

/** Largest number of values in an input or output. */
const MAX_TENSOR_VALUES = 1 << 28;

/** ONNX element types and the runtime's names for them. */
const ELEMENT_TYPES: ReadonlyMap<number, 'float32' | 'uint8' | 'int32' | 'int64' | 'float16' | 'float64'> = new Map([
  [1, 'float32'],
  [2, 'uint8'],
  [6, 'int32'],
  [7, 'int64'],
  [10, 'float16'],
  [11, 'float64'],
]);

/**
 * Reads an ONNX file and checks what can be checked without running it.
 *
 * @throws PlaybyplayError `model-refused` with an issue that names the file and the reason.
 */
export function parseModel(bytes: Uint8Array, file: string): Model {
  const model = decodeCheckedModel(bytes, file);
  const { inputs, outputs } = model;
  if (inputs.length === 0 || outputs.length === 0) throw refuseModel(file, 'it has no input or no output');
  for (const value of [...inputs, ...outputs]) checkValue(value, file);
  for (const { name, type } of inputs) {
    if (!ELEMENT_TYPES.has(type))
      throw refuseModel(file, `its input “${name}” takes numbers of a type (${type}) not known here`);
  }
  return model;
}

function checkValue({ name, dims }: ValueInfo, file: string): void {
  const known = dims.filter((dim) => typeof dim === 'number' && dim > 0) as number[];
  if (known.reduce((product, dim) => product * dim, 1) > MAX_TENSOR_VALUES)
    throw refuseModel(file, `“${name}” has the size ${dims.join(' × ')}`);
}

/** Open networks by content and options, with their number of users: detectors of one profile often share a model. */
const open = new Map<string, { readonly network: Promise<Network>; users: number }>();

/**
 * Opens a network on the first available provider.
 *
 * @throws PlaybyplayError `model-refused`, `provider-missing`, or `runtime-missing` without onnxruntime-node.
 */
export async function openNetwork(bytes: Uint8Array, options: NetworkOptions): Promise<Network> {
  const key = `${hashOf(bytes)} ${JSON.stringify({ ...options, file: '' })}`;
  let entry = open.get(key);
  if (entry === undefined) {
    entry = { network: openUnshared(bytes, options), users: 0 };
    open.set(key, entry);
  }
  const shared = entry;
  shared.users++;
  const leave = (): boolean => {
    shared.users--;
    if (shared.users === 0) open.delete(key);
    return shared.users === 0;
  };
  try {
    const network = await shared.network;
    let left = false;
    return {
      model: network.model,
      run: (feeds) => network.run(feeds),
      [Symbol.dispose]() {
        if (left) return;
        left = true;
        if (leave()) network[Symbol.dispose]();
      },
    };
  } catch (error) {
    leave();
    throw error;
  }
}

const hashes = new WeakMap<Uint8Array, string>();

/** The hash of a model, computed once. */
function hashOf(bytes: Uint8Array): string {
  let hash = hashes.get(bytes);
  if (hash === undefined) hashes.set(bytes, (hash = createHash('sha256').update(bytes).digest('hex')));
  return hash;
}

async function openUnshared(bytes: Uint8Array, options: NetworkOptions): Promise<Network> {
  const model = parseModel(bytes, options.file);
  const runnable = options.isTrusted
    ? await openInProcess(bytes, model, options)
    : await NetworkProcess.open(bytes, options);
  return {
    model,
    run: (feeds) => runnable.run(feeds),
    [Symbol.dispose]() {
      runnable[Symbol.dispose]();
    },
  };
}

/**
 * Opens a checked model in this process, on the first available provider.
 *
 * @throws PlaybyplayError as `openNetwork`.
 */
export async function openInProcess(bytes: Uint8Array, model: Model, options: NetworkOptions): Promise<Runnable> {
  const { file, providers = ['cpu'] } = options;
  const runtime = await loadRuntime();
  // Failures are reported by our own errors.
  runtime.env.logLevel = 'fatal';
  const has = runtime.listSupportedBackends().map(({ name }) => name);
  const reasons: string[] = [];
  for (const provider of providers) {
    if (!has.includes(provider)) {
      reasons.push(`${provider} is not built in`);
      continue;
    }
    try {
      return await openOn(provider, model, bytes, options, runtime.Tensor);
    } catch (error) {
      if (provider === 'cpu') throw refusedByRuntime(error, file);
      reasons.push(`${provider}: ${messageOf(error)}`);
    }
  }
  throw new PlaybyplayError('provider-missing', `the model ${file} cannot run on ${providers.join(' or ')} here`, {
    hint: `Add "cpu" to its providers to let it run on the processor where there is nothing better.`,
    issues: reasons.map((message) => ({ code: 'provider-missing', path: file, message })),
  });
}

/**
 * Loads onnxruntime-node when the first network is opened: it takes 70 ms and 30 MB. It is an optional dependency, because its install script
 * downloads CUDA libraries and fails without them.
 *
 * @throws PlaybyplayError `runtime-missing`.
 */
async function loadRuntime(): Promise<typeof import('onnxruntime-node')> {
  try {
    return await import('onnxruntime-node');
  } catch (cause) {
    throw new PlaybyplayError('runtime-missing', `networks need the package onnxruntime-node: ${messageOf(cause)}`, {
      hint: 'Install playbyplay again with npm install --ignore-scripts: the script of onnxruntime-node fetches libraries for CUDA, and npm leaves out the package where that fails. Without it, everything works but networks, the general reader of text and `profile draft`.',
      cause,
    });
  }
}

function refusedByRuntime(error: unknown, file: string): PlaybyplayError {
  const hint = error instanceof PlaybyplayError ? error.hint : undefined;
  return refuseModel(file, messageOf(error), hint, error);
}

async function openOn(
  provider: Provider,
  model: Model,
  bytes: Uint8Array,
  { file, threads = 1, memoryBudget, picture, isTrusted = false }: NetworkOptions,
  Tensors: typeof Tensor,
): Promise<Runnable> {
  // The CPU runs operators that a provider lacks.
  const providers = provider === 'cpu' ? ['cpu'] : [provider, 'cpu'];
  const settings = { threads, providers };
  let whole: InferenceSession | undefined;
  let tiled: ImageModel | undefined;
  if (memoryBudget !== undefined && picture) {
    tiled = await openImageModel(bytes, { ...settings, ...picture, memoryBudget });
  } else {
    const { openSession } = await import('./tiling/execute.ts');
    // A network that runs thousands of times would get its memory from the system, and clear it, each time.
    whole = await openSession(bytes, { ...settings, keepMemory: isTrusted });
  }
  return {
    async run(feeds) {
      const tensors = Object.fromEntries(
        Object.entries(feeds).map(([name, values]) => [name, tensorOf(name, values, model, Tensors)]),
      );
      try {
        const outputs = tiled ? await runTiled(tiled, tensors) : await whole!.run(tensors, { logSeverityLevel: 4 });
        return new Map(Object.entries(outputs).map(([name, tensor]) => [name, valuesOf(tensor)]));
      } catch (error) {
        throw modelError('model-failed', 'failed', file, messageOf(error), undefined, error);
      }
    },
    [Symbol.dispose]() {
      void (tiled ? tiled[Symbol.asyncDispose]() : whole!.release());
    },
  };
}

async function runTiled(
  tiled: ImageModel,
  tensors: Readonly<Record<string, Tensor>>,
): Promise<Readonly<Record<string, Tensor>>> {
  const [[name, picture], ...more] = Object.entries(tensors) as [[string, Tensor], ...[string, Tensor][]];
  return await tiled.run({ [name]: picture.data as Float32Array }, { inputs: Object.fromEntries(more) });
}

function tensorOf(name: string, { dims, data }: Values, model: Model, Tensors: typeof Tensor): Tensor {
  const input = model.inputs.find((one) => one.name === name);
  const type = ELEMENT_TYPES.get(input?.type ?? 1) ?? 'float32';
  switch (type) {
    case 'float32':
      return new Tensors('float32', data instanceof Float32Array ? data : Float32Array.from(data), dims);
    case 'float64':
      return new Tensors('float64', Float64Array.from(data), dims);
    case 'uint8':
      return new Tensors('uint8', Uint8Array.from(data), dims);
    case 'int32':
      return new Tensors('int32', Int32Array.from(data), dims);
    case 'int64':
      return new Tensors('int64', BigInt64Array.from(Array.from(data, BigInt)), dims);
    case 'float16': {
      const bits = Uint16Array.from(Array.from(data, toHalf));
      // Where the language has arrays of halves the tensor makes one of it, which the runtime takes for an empty one.
      return Object.defineProperty(new Tensors('float16', bits, dims), 'data', { value: bits });
    }
  }
}

function valuesOf({ data, dims, type }: Tensor): Values {
  if (type === 'string') throw new RangeError('an output holds texts');
  if (data instanceof BigInt64Array || data instanceof BigUint64Array)
    return { dims, data: Float64Array.from(Array.from(data, Number)), whole: true };
  if (type === 'float16' && data instanceof Uint16Array)
    return { dims, data: Float32Array.from(Array.from(data, fromHalf)) };
  const whole = type === 'int32' || type === 'uint8' || type === 'int8' || type === 'int16' || type === 'uint16';
  return { dims, data: data as Exclude<typeof data, string[] | BigInt64Array | BigUint64Array>, whole };
}

/** Node 24 has halves; the compiler's library does not know them yet. */
const word = new DataView(new ArrayBuffer(2)) as DataView & {
  getFloat16(at: number): number;
  setFloat16(at: number, value: number): void;
};

/** The 16 bits of the nearest IEEE half. */
function toHalf(value: number): number {
  word.setFloat16(0, value);
  return word.getUint16(0);
}

function fromHalf(bits: number): number {
  word.setUint16(0, bits);
  return word.getFloat16(0);
}

/**
 * Opens an ONNX model for images of one size. With a memory budget that its features and weights exceed, it runs in tiles.
 *
 * @throws PlaybyplayError `runtime-missing` without onnxruntime-node; `model-input-size`, `model-unsupported`, `budget-too-small` (its hint names the least sufficient budget).
 * @example
 * await using model = await openImageModel(bytes, { width: 1280, height: 720, memoryBudget: 16 * 2 ** 20 });
 * const { scores } = await model.run({ image: pixels });
 */
export async function openImageModel(bytes: Uint8Array, options: ImageModelOptions): Promise<ImageModel> {
  await loadRuntime();
  const tiling = await import('./tiling/execute.ts');
  return await tiling.openImageModel(bytes, options);
}
