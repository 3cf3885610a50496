import { refuseModel, type Values } from '../../compute/inference.ts';
import type { Model, ValueInfo } from '../../compute/tiling/model.ts';
import { resamplingTaps, separableFilter, type SeparableFilter, type Taps } from '../../regions/filter.ts';
import type { PreparedCrop } from '../kind.ts';
import type { InputOptions } from './options.ts';

/** An optional key and a quoted string, as in Python's notation of lists and dictionaries. */
const ENTRY = /(?:(\d+)\s*:\s*)?(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/gs;

/**
 * Reads class names from the metadata `names` of YOLO exports: a list, or a dictionary of numbers.
 *
 * @throws PlaybyplayError `model-refused` if there are none or numbers are missing.
 */
export function readLabels({ metadata }: Model, file: string): readonly string[] {
  const labels: string[] = [];
  for (const [, number, single, double] of (metadata?.get('names') ?? '').matchAll(ENTRY))
    labels[number === undefined ? labels.length : Number(number)] = unescaped(single ?? double!);
  if (labels.length === 0)
    throw refuseModel(
      file,
      'it does not say what its classes are called',
      'List them as "labels", in the network’s order.',
    );
  if (labels.length > MAX_LABELS || Array.from(labels).includes(undefined!))
    throw refuseModel(file, 'its “names” leave some classes out', 'List all as "labels", in the network’s order.');
  return labels;
}

const MAX_LABELS = 10_000;

/** Reads a text recognizer's characters from its metadata, one per line. @throws PlaybyplayError `model-refused`. */
export function readCharacters({ metadata }: Model, file: string): readonly string[] {
  const found = metadata?.get('character') ?? metadata?.get('dictionary');
  if (found === undefined)
    throw refuseModel(file, 'it does not say which characters it knows', 'Name the file of them as "dictionary".');
  const lines = found.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => (line === '' ? ' ' : line));
}

/** Reads the size of a YOLO export (`imgsz`: height, width) if its input leaves it open. */
export function readExportSize(
  { metadata }: Model,
  { dims }: ValueInfo,
): { readonly width?: number; readonly height?: number } {
  const [height, width] = [...(metadata?.get('imgsz') ?? '').matchAll(/\d+/g)].map(([digits]) => Number(digits));
  const open = dims.length === 4 && typeof dims[2] !== 'number' && typeof dims[3] !== 'number';
  return open && height && width ? { width, height } : {};
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/gs, '$1');
}

/** How a crop is fitted into the picture that a network takes. */
type Fit = 'stretch' | 'letterbox' | 'corner' | 'height';

/** What a task wants where the profile says nothing. */
export interface InputDefaults {
  readonly fit: Fit;
  readonly pad: number;
  readonly resample: 'linear' | 'smooth';
}

/** Placement of a crop in the network's input: pixel (x, y) of the crop is at (left + x · scaleX, top + y · scaleY). */
export interface CropPlacement {
  readonly left: number;
  readonly top: number;
  readonly scaleX: number;
  readonly scaleY: number;
  /** Whole pixels that the crop covers. */
  readonly width: number;
  readonly height: number;
}

/** A batch: the tensor, the size of its images, and the placement of each crop. */
export interface Batch {
  readonly values: Values;
  readonly width: number;
  readonly height: number;
  readonly fitted: readonly CropPlacement[];
}

/** Largest width of an input whose width the model leaves open. */
const MAX_OPEN_WIDTH = 4096;

/** Rounds halves to even, as Python does, in which the published preprocessing is written. */
export function roundHalfToEven(value: number): number {
  const low = Math.floor(value);
  const rest = value - low;
  return rest > 0.5 || (rest === 0.5 && low % 2 !== 0) ? low + 1 : low;
}

/**
 * Where a crop of one size lies in a picture of another. `letterbox`: as large as fits, in the middle, as the YOLO family
 * does it (scale r = least of the two ratios, size round(r · side), margins halved and rounded with −0.1 before and +0.1
 * behind); `corner`: the same in the upper left corner; `height`: full height, from the left, never wider than the picture.
 */
export function fitCrop(
  crop: { readonly width: number; readonly height: number },
  width: number,
  height: number,
  fit: Fit,
): CropPlacement {
  if (fit === 'stretch')
    return { left: 0, top: 0, scaleX: width / crop.width, scaleY: height / crop.height, width, height };
  if (fit === 'height') {
    const wide = Math.min(width, Math.ceil((height * crop.width) / crop.height));
    return { left: 0, top: 0, scaleX: wide / crop.width, scaleY: height / crop.height, width: wide, height };
  }
  const scale = Math.min(width / crop.width, height / crop.height);
  const [wide, high] = [
    Math.max(1, roundHalfToEven(crop.width * scale)),
    Math.max(1, roundHalfToEven(crop.height * scale)),
  ];
  const middle = fit === 'letterbox';
  return {
    left: middle ? roundHalfToEven((width - wide) / 2 - 0.1) : 0,
    top: middle ? roundHalfToEven((height - high) / 2 - 0.1) : 0,
    scaleX: scale,
    scaleY: scale,
    width: wide,
    height: high,
  };
}

/** Turns crops into the numbers that one input of a model takes. */
export class InputBuilder {
  readonly name: string;
  /** Crops a run takes: undefined where the model leaves it open. */
  readonly batch: number | undefined;
  readonly height: number;
  /** Undefined: as wide as the crop needs at full height. */
  readonly width: number | undefined;
  /** Whether it takes one picture without a dimension for batches, as torchvision's detection models do. */
  readonly alone: boolean;
  readonly #first: boolean;
  readonly #planes: number;
  readonly #order: 'RGB' | 'BGR' | 'grey';
  readonly #fit: Fit;
  readonly #pad: number;
  readonly #smooth: boolean;
  /** Per channel of the network: value = level · factor + offset. */
  readonly #factor: readonly number[];
  readonly #offset: readonly number[];
  readonly #filters = new Map<string, SeparableFilter>();

  /** Throws `model-refused` where input and options do not fit together. */
  constructor(input: ValueInfo, options: InputOptions, defaults: InputDefaults, file: string) {
    this.alone = input.dims.length === 3;
    const dims = this.alone ? [1, ...input.dims] : input.dims;
    if (dims.length !== 4)
      throw refuseModel(
        file,
        `its input “${input.name}” has ${dims.length} dimensions; a picture has 3, a batch of them 4`,
      );
    this.name = input.name;
    this.#first = (options.layout ?? detectLayout(dims)) === 'NCHW';
    const [batch, ...rest] = dims.map((dim) => (typeof dim === 'number' && dim > 0 ? dim : undefined));
    const [planes, height, width] = this.#first ? rest : [rest[2], rest[0], rest[1]];
    this.batch = batch;
    this.#order = options.channels ?? (planes === 1 ? 'grey' : 'RGB');
    this.#planes = planes ?? (this.#order === 'grey' ? 1 : 3);
    if (this.#planes !== 1 && this.#planes !== 3)
      throw refuseModel(file, `its input “${input.name}” has ${this.#planes} channels; a crop has 1 or 3`);
    this.#fit = options.fit ?? defaults.fit;
    this.height = sideOf('height', options.height, height, file);
    this.width =
      this.#fit === 'height' && width === undefined && options.width === undefined
        ? undefined
        : sideOf('width', options.width, width, file);
    this.#pad = options.pad ?? defaults.pad;
    this.#smooth = (options.resample ?? defaults.resample) === 'smooth';
    const { scale = 1 / 255, mean = 0, std = 1 } = options;
    this.#factor = Array.from({ length: this.#planes }, (_, c) => scale / perChannel(std, c));
    this.#offset = Array.from({ length: this.#planes }, (_, c) => -perChannel(mean, c) / perChannel(std, c));
  }

  /** Dimensions of the input in most runs on a number of crops. Lines of open width are assumed to be four times as wide as high. */
  dims(count: number): readonly number[] {
    const [planes, height, width] = [this.#planes, this.height, this.width ?? 4 * this.height];
    const dims = this.#first ? [planes, height, width] : [height, width, planes];
    return this.alone ? dims : [this.batch ?? count, ...dims];
  }

  /** One tensor of crops; each is resampled and laid into its picture. */
  make(crops: readonly PreparedCrop[]): Batch {
    const { height } = this;
    const width =
      this.width ??
      Math.min(
        MAX_OPEN_WIDTH,
        Math.max(...crops.map((crop) => Math.ceil((height * crop.width) / Math.max(1, crop.height)))),
      );
    const planes = this.#planes;
    const size = planes * width * height;
    const data = new Float32Array(crops.length * size);
    const fitted = crops.map((crop, n) => {
      const place = fitCrop(crop, width, height, this.#fit);
      this.#write(this.#resized(crop, place), place, data.subarray(n * size, (n + 1) * size), width, height);
      return place;
    });
    const dims = this.#first ? [crops.length, planes, height, width] : [crops.length, height, width, planes];
    return { values: { dims: this.alone ? dims.slice(1) : dims, data }, width, height, fitted };
  }

  #resized(crop: PreparedCrop, { width, height }: CropPlacement): PreparedCrop {
    if (crop.width === width && crop.height === height) return crop;
    const key = [crop.width, crop.height, crop.channels, width, height].join(' ');
    let filter = this.#filters.get(key);
    if (!filter) {
      const taps = this.#smooth ? smoothTaps : linearTaps;
      filter = separableFilter(crop, taps(crop.width, width), taps(crop.height, height));
      if (this.#filters.size >= 64) this.#filters.clear();
      this.#filters.set(key, filter);
    }
    return { ...filter.run(crop), channels: crop.channels };
  }

  #write(crop: PreparedCrop, place: CropPlacement, into: Float32Array, width: number, height: number): void {
    const planes = this.#planes;
    const [across, down, apart] = this.#first ? [1, width, width * height] : [planes, planes * width, 1];
    const covered = place.width === width && place.height === height;
    for (let c = 0; c < planes; c++) {
      const [factor, offset] = [this.#factor[c]!, this.#offset[c]!];
      if (!covered) {
        const padding = this.#pad * factor + offset;
        for (let i = c * apart, n = 0; n < width * height; i += across, n++) into[i] = padding;
      }
      const source = crop.channels === 1 ? 0 : this.#order === 'BGR' ? 2 - c : c;
      const mixed = planes === 1 && crop.channels === 3;
      for (let y = 0; y < place.height; y++) {
        let to = c * apart + (y + place.top) * down + place.left * across;
        let from = y * crop.width * crop.channels;
        for (let x = 0; x < place.width; x++, to += across, from += crop.channels) {
          into[to] = (mixed ? lumaAt(crop.data, from) : crop.data[from + source]!) * factor + offset;
        }
      }
    }
  }
}

/** Luma as image libraries make it from RGB (BT.601), rounded. */
function lumaAt(rgb: Uint8Array, at: number): number {
  return (19595 * rgb[at]! + 38470 * rgb[at + 1]! + 7471 * rgb[at + 2]! + 32768) >> 16;
}

/** Channels are few: whichever of the two places they can stand at has 1 or 3. */
function detectLayout(dims: ValueInfo['dims']): 'NCHW' | 'NHWC' {
  return !isChannelCount(dims[1]) && isChannelCount(dims[3]) ? 'NHWC' : 'NCHW';
}

function sideOf(what: string, given: number | undefined, declared: number | undefined, file: string): number {
  const side = declared ?? given;
  if (side === undefined)
    throw refuseModel(file, `it takes pictures of any ${what}`, `Say which by "input": { "${what}": … }.`);
  if (given !== undefined && given !== side)
    throw refuseModel(file, `it takes pictures of ${what} ${side}, not ${given} as the profile says`);
  return side;
}

/** A filter that grows with what is shrunk: every pixel of the crop counts. */
function smoothTaps(from: number, to: number): Taps {
  return resamplingTaps(from, to, from / to, 'linear');
}

/** Two neighbours of each place, whatever the factor: what training pipelines call bilinear. */
function linearTaps(from: number, to: number): Taps {
  const length = Math.min(2, from);
  const starts = new Int32Array(to);
  const weights = new Float64Array(length * to);
  for (let i = 0; i < to; i++) {
    const at = Math.min(from - 1, Math.max(0, ((i + 0.5) * from) / to - 0.5));
    const start = Math.max(0, Math.min(from - length, Math.floor(at)));
    starts[i] = start;
    if (length === 1) weights[i] = 1;
    else weights.set([1 - (at - start), at - start], 2 * i);
  }
  return { length, starts, weights };
}

function isChannelCount(dim: ValueInfo['dims'][number]): boolean {
  return dim === 1 || dim === 3;
}

function perChannel(given: number | readonly number[], channel: number): number {
  return typeof given === 'number' ? given : given[channel % given.length]!;
}
