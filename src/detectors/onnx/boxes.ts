import { refuseModel, type Values } from '../../compute/inference.ts';
import { type Activation, clamp, type Classes, probabilities, sigmoid } from './classify.ts';
import type { BoxFormat, DetectOptions } from './options.ts';
import type { Observation, PreparedCrop, View } from '../kind.ts';
import type { Batch, CropPlacement } from './input.ts';

/** A box in pixels of the network's input, with its class (from 0) and score. */
interface Box {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
  readonly label: number;
  readonly score: number;
}

/** What a box format reads: outputs of the network for one item of the batch. */
interface BoxContext {
  readonly outputs: ReadonlyMap<string, Values>;
  /** Index in the batch. */
  readonly item: number;
  /** Size of the network's input. */
  readonly width: number;
  readonly height: number;
  /** Number of labels. */
  readonly classes: number;
  /** Boxes with lower scores are dropped. */
  readonly threshold: number;
  readonly activation: Activation | undefined;
  readonly file: string;
}

interface Format {
  /** Whether the model leaves suppression of overlapping boxes to the caller. */
  readonly overlaps: boolean;
  /** How the published pipeline fits an image into the input. */
  readonly fit: 'letterbox' | 'stretch';
  read(context: BoxContext): Box[];
}

/** YOLOv5, v6, v7: batch × boxes × (centre x, centre y, width, height, objectness, class…), pixels and probabilities. */
function yolov5(context: BoxContext): Box[] {
  const { data, rows, columns, at } = table(context, 5 + context.classes);
  const boxes: Box[] = [];
  for (let i = 0; i < rows; i++) {
    const here = at + i * columns;
    const objectness = data[here + 4]!;
    if (!(objectness > context.threshold)) continue;
    const [label, best] = bestClass(data, here + 5, 1, context.classes);
    if (objectness * best > context.threshold) boxes.push(boxFromCenter(data, here, 1, 1, 1, label, objectness * best));
  }
  return boxes;
}

/**
 * YOLOv8, v9, v11, v12: batch × (centre x, centre y, width, height, class…) × boxes, or the last two swapped. Models of
 * outlines have an output of masks besides, and what belongs to it behind each box's classes.
 */
function yolov8(context: BoxContext): Box[] {
  const { dims, data } = single(context);
  const masks = [...context.outputs.values()].find((one) => one.dims.length === 4)?.dims[1] ?? 0;
  const plain = 4 + context.classes;
  const features = dims.includes(plain) ? plain : plain + masks;
  if (dims.length !== 3 || (dims[1] !== features && dims[2] !== features))
    throw shapeError(context, dims, `${plain} numbers a box: 4 and one for each label`);
  const swapped = dims[1] !== features;
  const count = swapped ? dims[1]! : dims[2]!;
  const [step, along] = swapped ? [1, features] : [count, 1];
  const base = context.item * features * count;
  const boxes: Box[] = [];
  for (let i = 0; i < count; i++) {
    const here = base + i * along;
    const [label, best] = bestClass(data, here + 4 * step, step, context.classes);
    if (best > context.threshold) boxes.push(boxFromCenter(data, here, step, 1, 1, label, best));
  }
  return boxes;
}

/** YOLOv10, and any YOLO exported with its suppression: batch × boxes × (x0, y0, x1, y1, score, class). */
function yolov10(context: BoxContext): Box[] {
  const { data, rows, columns, at } = table(context, 6);
  const boxes: Box[] = [];
  for (let i = 0; i < rows; i++) {
    const here = at + i * columns;
    const score = data[here + 4]!;
    if (score > context.threshold) boxes.push(boxFromCorners(data, here, 1, 1, Math.round(data[here + 5]!), score));
  }
  return boxes;
}

/** YOLOv7 exported `--end2end`: boxes × (picture of the batch, x0, y0, x1, y1, class, score). */
function yolov7EndToEnd(context: BoxContext): Box[] {
  const { dims, data } = single(context);
  if (dims.at(-1) !== 7) throw shapeError(context, dims, '7 numbers a box');
  const boxes: Box[] = [];
  for (let here = 0; here < data.length; here += 7) {
    const score = data[here + 6]!;
    if (Math.round(data[here]!) === context.item && score > context.threshold)
      boxes.push(boxFromCorners(data, here + 1, 1, 1, Math.round(data[here + 5]!), score));
  }
  return boxes;
}

/** RT-DETR with its postprocessor: labels, boxes (x0, y0, x1, y1, in the size given as `orig_target_sizes`), scores. */
function rtDetr(context: BoxContext): Box[] {
  return readSeparateOutputs(
    context,
    { boxes: 'boxes', scores: 'scores', labels: 'labels' },
    (data, here, label, score) => boxFromCorners(data, here, 1, 1, label, score),
  );
}

/** RT-DETR of the YOLO family's tools: batch × queries × (centre x, centre y, width, height, class…), all 0…1. */
function rtDetrQueries(context: BoxContext): Box[] {
  const { data, rows, columns, at } = table(context, 4 + context.classes);
  const boxes: Box[] = [];
  for (let i = 0; i < rows; i++) {
    const here = at + i * columns;
    const [label, best] = bestClass(data, here + 4, 1, context.classes);
    if (best > context.threshold) boxes.push(boxFromCenter(data, here, 1, context.width, context.height, label, best));
  }
  return boxes;
}

/**
 * DETR and RT-DETR as transformers have them: `logits` and `pred_boxes` (centre x, centre y, width, height, 0…1). By
 * `sigmoid` (default) each class independently; by `softmax` a last class more than there are labels means nothing.
 */
function detr(context: BoxContext): Box[] {
  const { classes, item, activation = 'sigmoid' } = context;
  const [logits, places] = [named(context, 'logits'), named(context, 'pred_boxes')];
  const [rows, columns] = [logits.dims[1]!, logits.dims[2]!];
  if (columns !== classes && columns !== classes + 1)
    throw shapeError(context, logits.dims, `${classes} classes, as there are labels`);
  const boxes: Box[] = [];
  for (let i = 0; i < rows; i++) {
    const from = (item * rows + i) * columns;
    const p =
      activation === 'sigmoid'
        ? Float64Array.from({ length: classes }, (_, c) => sigmoid(logits.data[from + c]!))
        : probabilities(logits.data, from, columns, activation).subarray(0, classes);
    const [label, best] = bestClass(p, 0, 1, classes);
    if (best > context.threshold)
      boxes.push(boxFromCenter(places.data, (item * rows + i) * 4, 1, context.width, context.height, label, best));
  }
  return boxes;
}

/**
 * SSD of the TensorFlow detection models: `detection_boxes` (y0, x0, y1, x1, 0…1), `detection_scores`,
 * `detection_classes` (from 1), `num_detections`.
 */
function ssd(context: BoxContext): Box[] {
  const { width, height } = context;
  const names = { boxes: 'detection_boxes', scores: 'detection_scores', labels: 'detection_classes' };
  const counts = find(context, 'num_detections');
  const most = counts ? Math.round(counts.data[context.item]!) : undefined;
  return readSeparateOutputs(
    context,
    names,
    (data, at, label, score) => ({
      x0: data[at + 1]! * width,
      y0: data[at]! * height,
      x1: data[at + 3]! * width,
      y1: data[at + 2]! * height,
      label: label - 1,
      score,
    }),
    most,
  );
}

/** SSD before suppression: `scores` (class 0 is the background) and `boxes` (x0, y0, x1, y1, 0…1), an anchor a row. */
function ssdAnchors(context: BoxContext): Box[] {
  const { classes, item, width, height, activation = 'none' } = context;
  const [scores, places] = [named(context, 'scores'), named(context, 'boxes')];
  const rows = places.dims[1]!;
  if (scores.dims[2] !== classes + 1)
    throw shapeError(context, scores.dims, `${classes + 1} classes: the background and one for each label`);
  const boxes: Box[] = [];
  for (let i = 0; i < rows; i++) {
    const p = probabilities(scores.data, (item * rows + i) * (classes + 1), classes + 1, activation);
    // Every class that is likely enough makes a box of its own, as in the paper.
    for (let c = 0; c < classes; c++) {
      if (p[c + 1]! > context.threshold)
        boxes.push(boxFromCorners(places.data, (item * rows + i) * 4, width, height, c, p[c + 1]!));
    }
  }
  return boxes;
}

/** Detection models of torchvision (SSD, Faster R-CNN, FCOS …): `boxes` in pixels, `scores`, `labels` from 1. */
function torchvision(context: BoxContext): Box[] {
  return readSeparateOutputs(
    context,
    { boxes: 'boxes', scores: 'scores', labels: 'labels' },
    (data, here, label, score) => boxFromCorners(data, here, 1, 1, label - 1, score),
  );
}

const READERS: Readonly<Record<BoxFormat, Format>> = {
  yolov5: { overlaps: true, fit: 'letterbox', read: yolov5 },
  yolov8: { overlaps: true, fit: 'letterbox', read: yolov8 },
  yolov10: { overlaps: false, fit: 'letterbox', read: yolov10 },
  'yolov7 end to end': { overlaps: false, fit: 'letterbox', read: yolov7EndToEnd },
  'rt-detr': { overlaps: false, fit: 'stretch', read: rtDetr },
  'rt-detr queries': { overlaps: false, fit: 'stretch', read: rtDetrQueries },
  detr: { overlaps: false, fit: 'stretch', read: detr },
  ssd: { overlaps: false, fit: 'stretch', read: ssd },
  'ssd anchors': { overlaps: true, fit: 'stretch', read: ssdAnchors },
  torchvision: { overlaps: false, fit: 'stretch', read: torchvision },
};

/** Returns the reader of a box format. */
export function formatOf(name: BoxFormat): Format {
  return READERS[name];
}

/**
 * Non-maximum suppression: of boxes whose intersection over union exceeds `limit` keeps the one with the highest score. Only boxes of one class
 * suppress each other, unless `across`. Returns boxes by descending score.
 */
function suppressOverlaps(boxes: readonly Box[], limit: number, across: boolean): Box[] {
  const kept: Box[] = [];
  for (const box of sortByScore(boxes)) {
    const covered = kept.some(
      (other) => (across || other.label === box.label) && intersectionOverUnion(other, box) > limit,
    );
    if (!covered) kept.push(box);
  }
  return kept;
}

/** Sorts boxes by descending score; equal scores keep their order. */
function sortByScore(boxes: readonly Box[]): Box[] {
  return boxes.toSorted((a, b) => b.score - a.score);
}

/** Returns the intersection of two boxes divided by their union. */
function intersectionOverUnion(a: Box, b: Box): number {
  const width = Math.min(a.x1, b.x1) - Math.max(a.x0, b.x0);
  const height = Math.min(a.y1, b.y1) - Math.max(a.y0, b.y0);
  if (!(width > 0 && height > 0)) return 0;
  const shared = width * height;
  return shared / (area(a) + area(b) - shared);
}

function area({ x0, y0, x1, y1 }: Box): number {
  return Math.max(0, x1 - x0) * Math.max(0, y1 - y0);
}

function bestClass(data: ArrayLike<number>, from: number, step: number, count: number): readonly [number, number] {
  let [label, best] = [0, Number.NEGATIVE_INFINITY];
  for (let c = 0; c < count; c++) {
    const score = data[from + c * step]!;
    if (score > best) [label, best] = [c, score];
  }
  return [label, best];
}

/** Reads a box given by center and size. */
function boxFromCenter(
  data: ArrayLike<number>,
  at: number,
  step: number,
  scaleX: number,
  scaleY: number,
  label: number,
  score: number,
): Box {
  const [x, y] = [data[at]! * scaleX, data[at + step]! * scaleY];
  const [width, height] = [data[at + 2 * step]! * scaleX, data[at + 3 * step]! * scaleY];
  return { x0: x - width / 2, y0: y - height / 2, x1: x + width / 2, y1: y + height / 2, label, score };
}

/** Reads a box given by two corners. */
function boxFromCorners(
  data: ArrayLike<number>,
  at: number,
  scaleX: number,
  scaleY: number,
  label: number,
  score: number,
): Box {
  const [x0, y0, x1, y1] = [data[at]! * scaleX, data[at + 1]! * scaleY, data[at + 2]! * scaleX, data[at + 3]! * scaleY];
  return { x0, y0, x1, y1, label, score };
}

/** Reads boxes whose coordinates, scores and labels are separate outputs, with or without a batch dimension. */
function readSeparateOutputs(
  context: BoxContext,
  names: { readonly boxes: string; readonly scores: string; readonly labels: string },
  make: (data: ArrayLike<number>, at: number, label: number, score: number) => Box,
  most = Number.POSITIVE_INFINITY,
): Box[] {
  const [places, scores, labels] = [names.boxes, names.scores, names.labels].map((name) => named(context, name));
  const count = scores!.dims.at(-1)!;
  if (places!.dims.at(-1) !== 4) throw shapeError(context, places!.dims, '4 numbers a box');
  const first = (scores!.dims.length > 1 ? context.item : 0) * count;
  const boxes: Box[] = [];
  for (let i = first; i < first + Math.min(count, most); i++) {
    const score = scores!.data[i]!;
    if (score > context.threshold) boxes.push(make(places!.data, 4 * i, Math.round(labels!.data[i]!), score));
  }
  return boxes;
}

/** Returns the rows of one batch item of an output of `batch × rows × columns`. */
function table(context: BoxContext, columns: number) {
  const { dims, data } = single(context);
  if (dims.length !== 3 || dims[2] !== columns) throw shapeError(context, dims, `${columns} numbers a box`);
  const rows = dims[1]!;
  return { data, rows, columns, at: context.item * rows * columns };
}

/** Returns the first output; others (YOLOv5's maps per scale, masks) are not used. */
function single({ outputs }: BoxContext): Values {
  return outputs.values().next().value!;
}

function find({ outputs }: BoxContext, name: string): Values | undefined {
  // Some exporters write `detection_boxes:0`.
  return outputs.get(name) ?? outputs.get(`${name}:0`);
}

function named(context: BoxContext, name: string): Values {
  const found = find(context, name) ?? findUnnamed(context, name);
  if (found) return found;
  throw refuseModel(
    context.file,
    `it has no output “${name}”; its outputs are ${[...context.outputs.keys()].join(', ')}`,
  );
}

/**
 * Finds outputs that were exported without names: boxes have four values each, labels are integers, scores are what remains. Undefined if that is
 * ambiguous.
 */
function findUnnamed({ outputs }: BoxContext, name: string): Values | undefined {
  const all = [...outputs.values()];
  const boxes = all.filter(({ dims, whole }) => !whole && dims.length > 1 && dims.at(-1) === 4);
  const labels = all.filter(({ whole }) => whole);
  const scores = all.filter((one) => !boxes.includes(one) && !labels.includes(one));
  const found = { boxes, labels, scores }[name] ?? [];
  return boxes.length === 1 && found.length === 1 ? found[0] : undefined;
}

function shapeError({ file }: BoxContext, dims: readonly number[], wanted: string): Error {
  return refuseModel(
    file,
    `its output is ${dims.join(' × ')}; this format has ${wanted}`,
    'See the list of formats in docs/games/networks.md, and count the labels.',
  );
}

/** A detected object, in pixels of the crop. */
interface Detection extends Omit<Box, 'label'> {
  readonly word: string;
}

/** Least score that is examined. Scores just below the threshold reduce the confidence that nothing is there. */
const MIN_REPORTED_SCORE = 0.05;
/** Largest number of detections listed in a reading. */
const MAX_LISTED = 20;

/** Decodes the detections of batch item `n`, best first, without background classes, and the best score below the threshold. */
export function findDetections(
  outputs: ReadonlyMap<string, Values>,
  n: number,
  { width, height, fitted }: Batch,
  crop: PreparedCrop,
  classes: Classes,
  options: DetectOptions,
  file: string,
): { readonly detections: readonly Detection[]; readonly bestBelowThreshold: number } {
  const { format = 'yolov8', threshold = 0.25, overlap = 0.45, across = false, most = 300 } = options;
  const { read, overlaps } = formatOf(format);
  const { words } = classes;
  const context = { outputs, item: n, width, height, classes: words.length, activation: options.activation, file };
  const found = read({ ...context, threshold: Math.min(MIN_REPORTED_SCORE, threshold) });
  const known = found.filter(({ label }) => words[label] != null);
  const sure = known.filter(({ score }) => score > threshold);
  const kept = (overlaps ? suppressOverlaps(sure, overlap, across) : sortByScore(sure)).slice(0, most);
  const bestBelowThreshold = known.reduce((best, { score }) => (score > threshold ? best : Math.max(best, score)), 0);
  return { detections: kept.map((box) => toDetection(box, words[box.label]!, fitted[n]!, crop)), bestBelowThreshold };
}

/** Converts a box from the network's input to the crop, clipped at its edges. */
function toDetection(
  { x0, y0, x1, y1, score }: Box,
  word: string,
  place: CropPlacement,
  crop: PreparedCrop,
): Detection {
  const { left, top, scaleX, scaleY } = place;
  const [across, down] = [
    (x: number) => Math.min(crop.width, Math.max(0, (x - left) / scaleX)),
    (y: number) => Math.min(crop.height, Math.max(0, (y - top) / scaleY)),
  ];
  return { word, score, x0: across(x0), y0: down(y0), x1: across(x1), y1: down(y1) };
}

/** Summarizes detections as an observation. `view` locates the crop in the frame. */
export function summarizeDetections(
  detections: readonly Detection[],
  bestBelowThreshold: number,
  { value = 'best' }: DetectOptions,
  crop: PreparedCrop,
  { rect }: Pick<View, 'rect'>,
): Observation {
  const [best] = detections;
  if (!best) return { state: 'absent', confidence: clamp(1 - bestBelowThreshold) };
  const [fx, fy] = [rect.width / crop.width, rect.height / crop.height];
  const detail = detections.slice(0, MAX_LISTED).map(({ word, score, x0, y0, x1, y1 }) => ({
    word,
    confidence: Math.round(1000 * score) / 1000,
    x: roundToTenth(rect.x + x0 * fx),
    y: roundToTenth(rect.y + y0 * fy),
    width: roundToTenth((x1 - x0) * fx),
    height: roundToTenth((y1 - y0) * fy),
  }));
  // A count is correct only if all detections are.
  const least = detections.reduce((low, { score }) => Math.min(low, score), 1);
  if (value === 'best') return { state: 'seen', value: best.word, confidence: clamp(best.score), detail };
  if (value === 'count') return { state: 'seen', value: detections.length, confidence: clamp(least), detail };
  const counts = Map.groupBy(detections, ({ word }) => word);
  const words = [...counts].map(([word, all]) => (all.length > 1 ? `${all.length} ${word}` : word));
  return { state: 'seen', value: words.toSorted().join(', '), confidence: clamp(least), detail };
}

function roundToTenth(pixels: number): number {
  return Math.round(10 * pixels) / 10;
}
