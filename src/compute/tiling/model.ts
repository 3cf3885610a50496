import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { type Source, TiledNetwork } from './execute.ts';
import { type Model, readModel } from './onnx.ts';
import { planTiling, programsOf, type TilingPlan } from './plan.ts';
import { openSession, type RuntimeOptions } from './session.ts';

export interface ImageModelOptions extends RuntimeOptions {
  /** Of the picture, in pixels. */
  readonly width: number;
  readonly height: number;
  /** Bytes for features and weights; without, the network runs on the whole picture at once. */
  readonly memoryBudget?: number;
}

/** A network on pictures of one size, tiled if there is a budget. One run at a time; dispose it when done. */
export interface ImageModel extends AsyncDisposable {
  readonly model: Model;
  /** How it is tiled, if it is. */
  readonly plan: TilingPlan | undefined;
  /** Runs it on one picture a picture input: 1 × channels × height × width floats, or a source that is asked for parts. */
  run(
    pictures: Readonly<Record<string, Float32Array | Source>>,
    options?: { readonly more?: Readonly<Record<string, Tensor>>; readonly signal?: AbortSignal },
  ): Promise<Readonly<Record<string, Tensor>>>;
}

/**
 * Opens an ONNX model. Throws `model-unreadable`, `model-unsupported` (a budget, and no layer can be tiled),
 * `model-input-size`, `budget-too-small`.
 */
export async function openImageModel(bytes: Uint8Array, options: ImageModelOptions): Promise<ImageModel> {
  const model = readModel(bytes);
  if (options.memoryBudget === undefined) return new WholeModel(model, await openSession(model, options), options);
  const plan = planTiling(model, { ...options, budget: options.memoryBudget });
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
