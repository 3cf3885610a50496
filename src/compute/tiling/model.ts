import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { type Source, TiledNetwork } from './execute.ts';
import { type Model, readModel } from './onnx.ts';
import { planTiling, programsOf, type TilingPlan, untiledMemory } from './plan.ts';
import { openBytes, type RuntimeOptions } from './session.ts';
import { analyse } from './units.ts';

export interface ImageModelOptions extends RuntimeOptions {
  /** Of the picture that the network is given, in pixels. */
  readonly width: number;
  readonly height: number;
  /**
   * Bytes for features and weights. A network that takes less runs at once on an ordinary session, a larger one in parts,
   * with the same outputs (within 1e-5 of the largest). Without a budget always at once.
   */
  readonly memoryBudget?: number;
}

/** A network on pictures of one size. One run at a time; dispose it when done. */
export interface ImageModel extends AsyncDisposable {
  /** What the file says: inputs and outputs with their dimensions, operators, constants. */
  readonly model: Model;
  /** How it is tiled; undefined where it runs at once. */
  readonly plan: TilingPlan | undefined;
  /**
   * Runs it. `pictures`, by input: 1 × channels × height × width floats (channel by channel, row by row), or a source that
   * is asked for parts, so that the picture need not lie in memory as floats. `more`: inputs that are no pictures. Resolves
   * to a tensor an output (`data`, `dims`). Nothing that it is given may change before.
   */
  run(
    pictures: Readonly<Record<string, Float32Array | Source>>,
    options?: { readonly more?: Readonly<Record<string, Tensor>>; readonly signal?: AbortSignal },
  ): Promise<Readonly<Record<string, Tensor>>>;
}

/**
 * Opens an ONNX model for pictures of one size, within a budget of memory if there is one. Throws PlaybyplayError
 * `model-unreadable`, `model-external-data`, `model-input-size`, `budget-too-small` (with the least that would do as a
 * hint), and with a budget `model-unsupported` (the first input is no picture, or no layer can be executed in parts).
 */
export async function openImageModel(bytes: Uint8Array, options: ImageModelOptions): Promise<ImageModel> {
  const model = readModel(bytes);
  const { memoryBudget: budget } = options;
  // Without a budget the runtime keeps its memory for the next picture: asking the system anew takes half of the time.
  if (budget === undefined)
    return new WholeModel(model, await openBytes(bytes, options, { enableCpuMemArena: true }), options);
  if (untiledMemory(analyse(model, options)) <= budget)
    return new WholeModel(model, await openBytes(bytes, options), options);
  const plan = planTiling(model, { ...options, budget });
  const network = await TiledNetwork.open(plan.analysis, programsOf(plan), options);
  return {
    model,
    plan,
    run: (pictures, runOptions) => network.run(pictures, runOptions),
    [Symbol.asyncDispose]: () => network[Symbol.asyncDispose](),
  };
}

class WholeModel implements ImageModel {
  readonly model: Model;
  readonly plan = undefined;
  private readonly session: InferenceSession;
  private readonly options: ImageModelOptions;

  constructor(model: Model, session: InferenceSession, options: ImageModelOptions) {
    this.model = model;
    this.session = session;
    this.options = options;
  }

  async run(...[pictures, options = {}]: Parameters<ImageModel['run']>): Promise<Readonly<Record<string, Tensor>>> {
    options.signal?.throwIfAborted();
    const { width, height } = this.options;
    const feeds: Record<string, Tensor> = { ...options.more };
    for (const [name, picture] of Object.entries(pictures)) {
      const declared = this.model.inputs.find((input) => input.name === name)?.dims[1];
      const channels = typeof declared === 'number' ? declared : 3;
      feeds[name] = new Tensor('float32', pixelsOf(picture, channels, width, height), [1, channels, height, width]);
    }
    return await this.session.run(feeds);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.session.release();
  }
}

function pixelsOf(picture: Float32Array | Source, channels: number, width: number, height: number): Float32Array {
  if (picture instanceof Float32Array) return picture;
  const into = new Float32Array(channels * height * width);
  const request = {
    axis: 'rows',
    from: 0,
    to: height,
    offset: 0,
    channelStride: height * width,
    rowStride: width,
  } as const;
  picture.read({ ...request, into });
  return into;
}
