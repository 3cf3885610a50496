import { type Network, openNetwork, parseModel, refuseModel, type Values } from '../../compute/inference.ts';
import type { Model } from '../../compute/tiling/model.ts';
import { cropRgb } from '../../regions/crop.ts';
import type { Assets, Deferred, Detector, FrameDetectorKind, Observation, PreparedCrop, View } from '../kind.ts';
import { createDetectionReader, formatOf } from './boxes.ts';
import {
  type Classes,
  classify,
  nearestPrototype,
  type Prototype,
  readPrototypes,
  toClasses,
  unitVector,
} from './classify.ts';
import { parseDictionary, readLine, toSteps } from './ctc.ts';
import { type Batch, InputBuilder, type InputDefaults, readCharacters, readExportSize, readLabels } from './input.ts';
import { ONNX_SCHEMA, type OnnxOptions } from './options.ts';

/**
 * What a trained network sees in a region. `task` says what its outputs are: a class (`classify`), boxes of objects
 * (`detect`), a line of characters (`read`), or a vector to be compared with those of pictures (`embed`). docs/games/networks.md
 * has a complete example of each.
 */
export const kind: FrameDetectorKind<OnnxOptions> = {
  input: 'frame',
  name: 'onnx',
  description:
    'What a trained network (ONNX) sees in a region: which class it is, which detections are where (YOLO v5 to v12, RT-DETR, DETR, SSD), what a line of text says (recognisers with CTC), or which of some pictures is most like it (embeddings). Complete examples are in networks.md.',
  schema: ONNX_SCHEMA,
  regions: ({ regions = [] }) => regions,
  places: ({ task, value }) => task === 'detect' && value !== 'words',
  async open(options, assets) {
    return await OnnxDetector.open(options, assets);
  },
};

/** The crops of one sample, and the region of the first in the frame. */
interface Crops {
  readonly crops: readonly PreparedCrop[];
  readonly rect: View['rect'];
}

/** Returns how crops are fitted by default: as in the published pipelines of the task. */
function defaultInput({ task, format = 'yolov8' }: OnnxOptions): InputDefaults {
  if (task === 'detect') return { fit: formatOf(format).fit, pad: 114, resample: 'linear' };
  if (task === 'read') return { fit: 'height', pad: 127.5, resample: 'linear' };
  return { fit: 'stretch', pad: 0, resample: 'smooth' };
}

/** Interprets batch item `n` of a run's outputs. */
type Interpreter = (
  outputs: ReadonlyMap<string, Values>,
  n: number,
  batch: Batch,
  crop: PreparedCrop,
  view: Pick<View, 'rect'>,
) => Observation;

class OnnxDetector implements Detector {
  readonly #network: Network;
  readonly #input: InputBuilder;
  readonly #options: OnnxOptions;
  #interpret: Interpreter | undefined;

  private constructor(network: Network, input: InputBuilder, options: OnnxOptions) {
    this.#network = network;
    this.#input = input;
    this.#options = options;
  }

  static async open(options: OnnxOptions, assets: Assets): Promise<OnnxDetector> {
    const { model: file, providers, threads, memoryBudget } = options;
    const bytes = await assets.read(file);
    const input = openInput(parseModel(bytes, file), options);
    const { width, height } = input;
    if (memoryBudget !== undefined && width === undefined)
      throw refuseModel(
        file,
        'a budget of memory needs pictures of one size',
        'Say their width by "input": { "width": … }.',
      );
    const network = await openNetwork(bytes, {
      file,
      ...(providers ? { providers } : {}),
      ...(threads === undefined ? {} : { threads }),
      ...(memoryBudget === undefined ? {} : { memoryBudget, picture: { width: width!, height } }),
    });
    const detector = new OnnxDetector(network, input, options);
    try {
      detector.#interpret = await detector.#createInterpreter(assets);
      return detector;
    } catch (error) {
      network[Symbol.dispose]();
      throw error;
    }
  }

  async #createInterpreter(assets: Assets): Promise<Interpreter> {
    const options = this.#options;
    const { model: file, value } = options;
    const text = async (path: string): Promise<string> => Buffer.from(await assets.read(path)).toString('utf8');
    if (options.task === 'read') {
      const dictionary =
        options.dictionary === undefined
          ? readCharacters(this.#network.model, file)
          : parseDictionary(await text(options.dictionary));
      const wanted = { ...options, value: value === 'number' ? ('number' as const) : ('text' as const) };
      return (outputs, n) => readLine(toSteps(this.#output(outputs), n, dictionary, wanted, file), wanted);
    }
    if (options.task === 'embed') {
      const pictures = await readPrototypes(options.prototypes!, assets);
      const vectors = await this.#run(
        pictures.map(({ crop }) => crop),
        (outputs, n) => unitVector(this.#output(outputs), n, file),
      );
      const prototypes: Prototype[] = pictures.map(({ name }, i) => ({ name, vector: vectors[i]! }));
      return (outputs, n) => nearestPrototype(unitVector(this.#output(outputs), n, file), prototypes, options);
    }
    const labels = options.labels ?? readLabels(this.#network.model, file);
    const names = typeof labels === 'string' ? parseDictionary(await text(labels)) : labels;
    const classes: Classes = toClasses(names, options, file);
    if (options.task === 'classify') return (outputs, n) => classify(this.#output(outputs), n, classes, options, file);
    return createDetectionReader(classes, options, file);
  }

  async read(view: View): Promise<Observation> {
    const crops = await this.#crops(view);
    if (!crops) return NO_PIXELS;
    const [seen] = await this.#readAll([{ crops, rect: view.rect }]);
    return seen!;
  }

  async defer(view: View): Promise<Deferred | Observation> {
    const crops = await this.#crops(view);
    if (!crops) return NO_PIXELS;
    // Copies: the first crop's buffer is shared with other detectors.
    const own = crops.map((crop) => ({ ...crop, data: Uint8Array.from(crop.data) }));
    return { deferred: { crops: own, rect: view.rect } satisfies Crops };
  }

  get together(): number {
    return this.#options.batch ?? 1;
  }

  async settleAll(deferred: readonly Deferred[]): Promise<readonly Observation[]> {
    return await this.#readAll(deferred.map((one) => one.deferred as Crops));
  }

  async #crops(view: View): Promise<readonly PreparedCrop[] | undefined> {
    const crops = [await view.prepared(), ...(this.#options.regions ?? []).map((name) => cropRegion(view, name))];
    return crops.some(({ width, height }) => width === 0 || height === 0) ? undefined : crops;
  }

  /** Reads at most `together` samples in one run. */
  async #readAll(samples: readonly Crops[]): Promise<Observation[]> {
    const items = samples.flatMap(({ crops, rect }) => crops.map((crop) => ({ crop, rect })));
    const each = samples[0]!.crops.length;
    const seen = await this.#run(
      items.map(({ crop }) => crop),
      (outputs, n, batch, i) => this.#interpret!(outputs, n, batch, items[i]!.crop, items[i]!),
      this.together * each,
    );
    return samples.map((_, i) => (each === 1 ? seen[i]! : combineRegions(seen.slice(i * each, (i + 1) * each))));
  }

  /**
   * Runs the network on crops, as many at once as it takes. A network with an open batch size always gets `full` crops, so that its arithmetic does
   * not depend on which samples are batched. `take` gets the outputs and the indices of the batch item and of the crop.
   */
  async #run<T>(
    crops: readonly PreparedCrop[],
    take: (outputs: ReadonlyMap<string, Values>, n: number, batch: Batch, i: number) => T,
    full = crops.length,
  ): Promise<T[]> {
    // Inputs of open width get the width of the widest crop, so run them one by one: readings must not depend on each other.
    const most = this.#options.memoryBudget === undefined && this.#input.width !== undefined ? this.#input.batch : 1;
    const results: T[] = [];
    for (let from = 0; from < crops.length; from += most ?? crops.length) {
      const part = crops.slice(from, from + (most ?? crops.length));
      const missing = (most ?? full) - part.length;
      const batch = this.#input.make([...part, ...Array.from({ length: missing }, () => part[0]!)]);
      const made = await this.#network.run({ [this.#input.name]: batch.values, ...this.#more(batch) });
      const outputs = this.#input.alone ? addBatchDimension(made) : made;
      for (let n = 0; n < part.length; n++) results.push(take(outputs, n, batch, from + n));
    }
    return results;
  }

  /** Further inputs: the size in which RT-DETR returns boxes. */
  #more({ width, height, values }: Batch): Record<string, Values> {
    const { inputs } = this.#network.model;
    const size = inputs.find(({ name }) => name !== this.#input.name);
    if (!size) return {};
    const count = this.#input.alone ? 1 : values.dims[0]!;
    return {
      [size.name]: { dims: [count, 2], data: Array.from({ length: 2 * count }, (_, i) => (i % 2 ? height : width)) },
    };
  }

  #output(outputs: ReadonlyMap<string, Values>): Values {
    const { output: name, model: file } = this.#options;
    const found = name === undefined ? outputs.values().next().value : outputs.get(name);
    if (!found)
      throw refuseModel(file, `it has no output “${name}”; its outputs are ${[...outputs.keys()].join(', ')}`);
    return found;
  }

  [Symbol.dispose](): void {
    this.#network[Symbol.dispose]();
  }
}

/** Adds a batch dimension of 1 to outputs. */
function addBatchDimension(outputs: ReadonlyMap<string, Values>): ReadonlyMap<string, Values> {
  return new Map([...outputs].map(([name, values]) => [name, { ...values, dims: [1, ...values.dims] }]));
}

const NO_PIXELS: Observation = { state: 'unreadable', confidence: 1 };

function openInput(model: Model, options: OnnxOptions): InputBuilder {
  const { model: file, input = {} } = options;
  const found = input.name === undefined ? model.inputs[0] : model.inputs.find(({ name }) => name === input.name);
  if (!found)
    throw refuseModel(
      file,
      `it has no input “${input.name}”; its inputs are ${model.inputs.map(({ name }) => name).join(', ')}`,
    );
  const others = model.inputs.filter((one) => one !== found);
  const size = options.task === 'detect' && others.length === 1 && others[0]!.dims.length === 2;
  if (others.length > 0 && !size)
    throw refuseModel(file, `it wants more than a picture: ${others.map(({ name }) => name).join(', ')}`);
  return new InputBuilder(found, { ...readExportSize(model, found), ...input }, defaultInput(options), file);
}

/** Crops another region of the frame without preprocessing. */
function cropRegion({ picture, place }: View, region: string): PreparedCrop {
  const { rect } = place(region);
  return { data: cropRgb(picture, rect), width: rect.width, height: rect.height, channels: 3 };
}

/** Combines the readings of several regions: their values in order, a dash for an empty one. */
function combineRegions(seen: readonly Observation[]): Observation {
  const confidence = seen.reduce((low, one) => Math.min(low, one.confidence), 1);
  if (seen.some(({ state }) => state === 'unreadable')) return { state: 'unreadable', confidence };
  if (seen.every(({ state }) => state === 'absent')) return { state: 'absent', confidence };
  const words = seen.map((one) => (one.state === 'seen' ? String(one.value) : '–'));
  return { state: 'seen', value: words.join(', '), confidence };
}
