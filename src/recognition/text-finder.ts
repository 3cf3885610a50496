import { type Network, openNetwork } from '../compute/inference.ts';
import { InputBuilder } from '../detectors/onnx/input.ts';
import type { Rect, Size } from '../geometry.ts';
import type { Crop } from '../regions/crop.ts';
import { loadTextModels } from './models.ts';

/** A line of text found in a picture, in its pixels. */
export interface TextBox extends Rect {
  /** Mean probability of text inside. */
  readonly score: number;
}

/** Options of a `TextFinder`. */
export interface FinderOptions extends Size {
  /** Longest side, in pixels, to which pictures are reduced for the network; default 1280. */
  readonly maxSide?: number;
  /** Bytes for the network's features and weights: it runs in tiles where it needs more. Default `DEFAULT_MEMORY_BUDGET`. */
  readonly memoryBudget?: number;
  /** Threads of the network, whose outputs do not depend on them; default 1. */
  readonly threads?: number | undefined;
}

const FILE = 'ch_PP-OCRv4_det_infer.onnx';
/** The network halves its picture five times. */
const SIDE_STEP = 32;
const MAX_SIDE = 1280;
/** Probability from which a pixel is text, and mean from which a box is. */
const MIN_PIXEL = 0.3;
const MIN_SCORE = 0.5;
/** Least side of a text's core, in pixels of the network's picture. */
const MIN_CORE = 3;
/** The network marks the core of a line: area · ratio / perimeter are added on each side (Liao et al., DB, 2020). */
const UNCLIP_RATIO = 1.6;

/**
 * Finds lines of text in pictures of one size, by a trained network (PP-OCRv4, differentiable binarization). Boxes are upright.
 *
 * @see https://arxiv.org/abs/1911.08947
 */
export class TextFinder implements Disposable {
  readonly #network: Network;
  readonly #input: InputBuilder;
  readonly #size: Size;

  private constructor(network: Network, input: InputBuilder, size: Size) {
    this.#network = network;
    this.#input = input;
    this.#size = size;
  }

  /** @throws PlaybyplayError `no-text-models` or `runtime-missing` if a package is not installed; `budget-too-small`. */
  static async open({
    width,
    height,
    maxSide = MAX_SIDE,
    memoryBudget,
    threads = 1,
  }: FinderOptions): Promise<TextFinder> {
    const { detector } = await loadTextModels();
    const scale = Math.min(1, maxSide / Math.max(width, height));
    const side = (pixels: number): number => Math.max(SIDE_STEP, Math.round((pixels * scale) / SIDE_STEP) * SIDE_STEP);
    const picture = { width: side(width), height: side(height) };
    const network = await openNetwork(detector, {
      file: FILE,
      isTrusted: true,
      threads,
      ...(memoryBudget === undefined ? {} : { memoryBudget, picture }),
    });
    const options = { ...picture, channels: 'BGR', mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225] } as const;
    const defaults = { fit: 'stretch', pad: 0, resample: 'smooth' } as const;
    return new TextFinder(network, new InputBuilder(network.model.inputs[0]!, options, defaults, FILE), {
      width,
      height,
    });
  }

  /** Finds the lines of a picture of the finder's size, in reading order: top to bottom, then left to right. */
  async find(picture: Crop): Promise<TextBox[]> {
    const { values, width, height } = this.#input.make([picture]);
    const outputs = await this.#network.run({ x: values });
    const { data } = outputs.values().next().value!;
    const [scaleX, scaleY] = [this.#size.width / width, this.#size.height / height];
    const boxes = findCores(data, width, height).map(({ x, y, width: w, height: h, score }) => {
      const margin = (w * h * UNCLIP_RATIO) / (2 * (w + h));
      const [left, top] = [Math.max(0, x - margin), Math.max(0, y - margin)];
      const [right, bottom] = [Math.min(width, x + w + margin), Math.min(height, y + h + margin)];
      return {
        x: left * scaleX,
        y: top * scaleY,
        width: (right - left) * scaleX,
        height: (bottom - top) * scaleY,
        score,
      };
    });
    return groupRows(boxes).flat();
  }

  [Symbol.dispose](): void {
    this.#network[Symbol.dispose]();
  }
}

/** Share of the lower box's height that two boxes of one row have in common. */
const MIN_COMMON_HEIGHT = 0.5;

/** Groups boxes into rows, from top to bottom, each from left to right: the words of a line may lie a pixel higher or lower. */
export function groupRows<Box extends Rect>(boxes: readonly Box[]): readonly (readonly Box[])[] {
  const rows: Box[][] = [];
  for (const box of boxes.toSorted((a, b) => a.y + a.height / 2 - b.y - b.height / 2)) {
    const row = rows.find((members) => {
      const [first] = members as [Box, ...Box[]];
      const common = Math.min(first.y + first.height, box.y + box.height) - Math.max(first.y, box.y);
      return common >= MIN_COMMON_HEIGHT * Math.min(first.height, box.height);
    });
    if (row) row.push(box);
    else rows.push([box]);
  }
  return rows.map((row) => row.toSorted((a, b) => a.x - b.x));
}

/** The bounds of connected pixels (8 neighbours) that are text. */
function findCores(data: ArrayLike<number>, width: number, height: number): TextBox[] {
  const seen = new Uint8Array(width * height);
  const stack = new Int32Array(width * height);
  const boxes: TextBox[] = [];
  for (let start = 0; start < width * height; start++) {
    if (seen[start] || data[start]! < MIN_PIXEL) continue;
    let [left, right, top, bottom, sum, count, depth] = [width, 0, height, 0, 0, 0, 0];
    seen[start] = 1;
    stack[depth++] = start;
    while (depth > 0) {
      const at = stack[--depth]!;
      const [x, y] = [at % width, (at / width) | 0];
      sum += data[at]!;
      count++;
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < top) top = y;
      if (y > bottom) bottom = y;
      for (let ny = Math.max(0, y - 1); ny <= Math.min(height - 1, y + 1); ny++)
        for (let nx = Math.max(0, x - 1); nx <= Math.min(width - 1, x + 1); nx++) {
          const next = ny * width + nx;
          if (seen[next] || data[next]! < MIN_PIXEL) continue;
          seen[next] = 1;
          stack[depth++] = next;
        }
    }
    const [wide, high, score] = [right - left + 1, bottom - top + 1, sum / count];
    if (score >= MIN_SCORE && Math.min(wide, high) >= MIN_CORE)
      boxes.push({ x: left, y: top, width: wide, height: high, score });
  }
  return boxes;
}
