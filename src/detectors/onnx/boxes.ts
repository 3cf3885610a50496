import { refuseModel, type Values } from '../../compute/inference.ts';
import { roundTo } from '../../statistics.ts';
import type { Observation, PreparedCrop, View } from '../kind.ts';
import { type Activation, type Classes, clamp, probabilities } from './classify.ts';
import type { Batch, CropPlacement } from './input.ts';
import type { BoxFormat, DetectOptions } from './options.ts';

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

/** A class and its score. */
type Scored = readonly [label: number, score: number];

/** The boxes of one item of the batch, as a network returns them. */
interface RawBoxes {
  readonly count: number;
  /** Coordinates: those of box `i` stand at `at(i)`, `step` apart. */
  readonly data: ArrayLike<number>;
  at(i: number): number;
  readonly step?: number;
  /** The classes that box `i` may be. */
  scores(i: number): readonly Scored[];
}

interface Format {
  /** Whether the model leaves suppression of overlapping boxes to the caller. */
  readonly overlaps: boolean;
  /** How the published pipeline fits an image into the input. */
  readonly fit: 'letterbox' | 'stretch';
  /** What the four coordinates are: centre x, centre y, width, height; or x0, y0, x1, y1; or y0, x0, y1, x1. */
  readonly coordinates: 'centre' | 'corners' | 'swapped corners';
  /** Whether coordinates are fractions of the input instead of pixels. */
  readonly fractions?: boolean;
  open(context: BoxContext): RawBoxes;
}

/** The box formats: which outputs, of which shape, hold what. */
const FORMATS: Readonly<Record<BoxFormat, Format>> = {
  // YOLOv5, v6, v7: batch × boxes × (centre x, centre y, width, height, objectness, class…), pixels and probabilities.
  yolov5: {
    overlaps: true,
    fit: 'letterbox',
    coordinates: 'centre',
    open: (context) =>
      rows(context, 5 + context.classes, (data, at) => {
        const [label, best] = bestClass(data, at + 5, 1, context.classes);
        return [label, data[at + 4]! * best];
      }),
  },
  // YOLOv8, v9, v11, v12: batch × (centre x, centre y, width, height, class…) × boxes, or the last two swapped.
  yolov8: { overlaps: true, fit: 'letterbox', coordinates: 'centre', open: openYolov8 },
  // YOLOv10, and any YOLO exported with its suppression: batch × boxes × (x0, y0, x1, y1, score, class).
  yolov10: {
    overlaps: false,
    fit: 'letterbox',
    coordinates: 'corners',
    open: (context) => rows(context, 6, (data, at) => [Math.round(data[at + 5]!), data[at + 4]!]),
  },
  // YOLOv7 exported `--end2end`: boxes × (picture of the batch, x0, y0, x1, y1, class, score).
  'yolov7 end to end': {
    overlaps: false,
    fit: 'letterbox',
    coordinates: 'corners',
    open(context) {
      const { dims, data } = single(context);
      if (dims.at(-1) !== 7) throw shapeError(context, dims, '7 numbers a box');
      const scores = (at: number): readonly Scored[] =>
        Math.round(data[at]!) === context.item ? [[Math.round(data[at + 5]!), data[at + 6]!]] : [];
      return { count: data.length / 7, data, at: (i) => 7 * i + 1, scores: (i) => scores(7 * i) };
    },
  },
  // RT-DETR with its postprocessor: labels, boxes (in the size given as `orig_target_sizes`), scores.
  'rt-detr': {
    overlaps: false,
    fit: 'stretch',
    coordinates: 'corners',
    open: (context) => separateOutputs(context, ['boxes', 'scores', 'labels'], 0),
  },
  // RT-DETR of the YOLO family's tools: batch × queries × (centre x, centre y, width, height, class…), all 0…1.
  'rt-detr queries': {
    overlaps: false,
    fit: 'stretch',
    coordinates: 'centre',
    fractions: true,
    open: (context) => rows(context, 4 + context.classes, (data, at) => bestClass(data, at + 4, 1, context.classes)),
  },
  // DETR and RT-DETR as transformers have them: `logits` and `pred_boxes`. By `sigmoid` (default) each class
  // independently; by `softmax` a last class more than there are labels means nothing.
  detr: {
    overlaps: false,
    fit: 'stretch',
    coordinates: 'centre',
    fractions: true,
    open(context) {
      const { classes, activation = 'sigmoid' } = context;
      const columns = named(context, 'logits').dims[2]!;
      return queries(context, 'logits', 'pred_boxes', [classes, classes + 1], (logits, from) => [
        bestClass(probabilities(logits, from, activation === 'sigmoid' ? classes : columns, activation), 0, 1, classes),
      ]);
    },
  },
  // SSD of the TensorFlow detection models: `detection_boxes`, `detection_scores`, `detection_classes` (from 1).
  ssd: {
    overlaps: false,
    fit: 'stretch',
    coordinates: 'swapped corners',
    fractions: true,
    open(context) {
      const all = separateOutputs(context, ['detection_boxes', 'detection_scores', 'detection_classes'], 1);
      const counts = find(context, 'num_detections');
      return counts ? { ...all, count: Math.min(all.count, Math.round(counts.data[context.item]!)) } : all;
    },
  },
  // SSD before suppression: `scores` (class 0 is the background) and `boxes`, an anchor a row.
  'ssd anchors': {
    overlaps: true,
    fit: 'stretch',
    coordinates: 'corners',
    fractions: true,
    open(context) {
      const { classes, activation = 'none' } = context;
      // Every class that is likely enough makes a box of its own, as in the paper.
      return queries(context, 'scores', 'boxes', [classes + 1], (data, from) =>
        Array.from(
          probabilities(data, from, classes + 1, activation),
          (score, label) => [label - 1, score] as const,
        ).slice(1),
      );
    },
  },
  // Detection models of torchvision (SSD, Faster R-CNN, FCOS …): `boxes` in pixels, `scores`, `labels` from 1.
  torchvision: {
    overlaps: false,
    fit: 'stretch',
    coordinates: 'corners',
    open: (context) => separateOutputs(context, ['boxes', 'scores', 'labels'], 1),
  },
};

/** Returns a box format. */
export function formatOf(name: BoxFormat): Format {
  return FORMATS[name];
}

/** Reads the boxes that score above the threshold. */
function readBoxes({ open, coordinates, fractions }: Format, context: BoxContext): Box[] {
  const { count, data, at, step = 1, scores } = open(context);
  const [scaleX, scaleY] = fractions ? [context.width, context.height] : [1, 1];
  const boxes: Box[] = [];
  for (let i = 0; i < count; i++) {
    for (const [label, score] of scores(i)) {
      if (!(score > context.threshold)) continue;
      const [a, b, c, d] = [0, 1, 2, 3].map((k) => data[at(i) + k * step]!) as [number, number, number, number];
      const [x0, y0, x1, y1] =
        coordinates === 'centre'
          ? [a - c / 2, b - d / 2, a + c / 2, b + d / 2]
          : coordinates === 'corners'
            ? [a, b, c, d]
            : [b, a, d, c];
      boxes.push({ x0: x0 * scaleX, y0: y0 * scaleY, x1: x1 * scaleX, y1: y1 * scaleY, label, score });
    }
  }
  return boxes;
}

/** Boxes of one output of `batch × boxes × columns`, coordinates first. @param score Of the box whose row begins there. */
function rows(context: BoxContext, columns: number, score: (data: ArrayLike<number>, at: number) => Scored): RawBoxes {
  const { dims, data } = single(context);
  if (dims.length !== 3 || dims[2] !== columns) throw shapeError(context, dims, `${columns} numbers a box`);
  const at = (i: number): number => (context.item * dims[1]! + i) * columns;
  return { count: dims[1]!, data, at, scores: (i) => [score(data, at(i))] };
}

/** Models of outlines have an output of masks besides, and what belongs to it behind each box's classes. */
function openYolov8(context: BoxContext): RawBoxes {
  const { dims, data } = single(context);
  const masks = [...context.outputs.values()].find((one) => one.dims.length === 4)?.dims[1] ?? 0;
  const plain = 4 + context.classes;
  const features = dims.includes(plain) ? plain : plain + masks;
  if (dims.length !== 3 || (dims[1] !== features && dims[2] !== features))
    throw shapeError(context, dims, `${plain} numbers a box: 4 and one for each label`);
  const swapped = dims[1] !== features;
  const count = swapped ? dims[1]! : dims[2]!;
  const [step, along] = swapped ? [1, features] : [count, 1];
  const at = (i: number): number => context.item * features * count + i * along;
  return { count, data, step, at, scores: (i) => [bestClass(data, at(i) + 4 * step, step, context.classes)] };
}

/** Boxes with the scores of all classes in another output, both `batch × queries × …`. */
function queries(
  context: BoxContext,
  scoresName: string,
  boxesName: string,
  columns: readonly number[],
  scores: (data: Values['data'], from: number) => readonly Scored[],
): RawBoxes {
  const [all, places] = [named(context, scoresName), named(context, boxesName)];
  const [, count = 0, width = 0] = all.dims;
  if (!columns.includes(width))
    throw shapeError(context, all.dims, `${columns.join(' or ')} classes, as there are labels`);
  const first = context.item * count;
  return {
    count,
    data: places.data,
    at: (i) => 4 * (first + i),
    scores: (i) => scores(all.data, (first + i) * width),
  };
}

/**
 * Boxes whose coordinates, scores and labels are separate outputs, with or without a batch dimension.
 *
 * @param firstLabel Number of the first class.
 */
function separateOutputs(context: BoxContext, names: readonly [string, string, string], firstLabel: number): RawBoxes {
  const [places, scores, labels] = names.map((name) => named(context, name)) as [Values, Values, Values];
  const count = scores.dims.at(-1)!;
  if (places.dims.at(-1) !== 4) throw shapeError(context, places.dims, '4 numbers a box');
  const first = (scores.dims.length > 1 ? context.item : 0) * count;
  return {
    count,
    data: places.data,
    at: (i) => 4 * (first + i),
    scores: (i) => [[Math.round(labels.data[first + i]!) - firstLabel, scores.data[first + i]!]],
  };
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

function bestClass(data: ArrayLike<number>, from: number, step: number, count: number): Scored {
  let [label, best] = [0, Number.NEGATIVE_INFINITY];
  for (let c = 0; c < count; c++) {
    const score = data[from + c * step]!;
    if (score > best) [label, best] = [c, score];
  }
  return [label, best];
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

/**
 * Makes a function that reads the detections of a batch item, best first and without background classes.
 *
 * @param file The model's file, for messages.
 */
export function createDetectionReader(
  { words }: Classes,
  options: DetectOptions,
  file: string,
): (
  outputs: ReadonlyMap<string, Values>,
  item: number,
  batch: Batch,
  crop: PreparedCrop,
  view: Pick<View, 'rect'>,
) => Observation {
  const { format = 'yolov8', threshold = 0.25, overlap = 0.45, across = false, most = 300, activation } = options;
  const layout = formatOf(format);
  const reported = Math.min(MIN_REPORTED_SCORE, threshold);
  return (outputs, item, { width, height, fitted }, crop, view) => {
    const size = { width, height, classes: words.length };
    const found = readBoxes(layout, { outputs, item, ...size, activation, file, threshold: reported });
    const known = found.filter(({ label }) => words[label] != null);
    const sure = known.filter(({ score }) => score > threshold);
    const kept = (layout.overlaps ? suppressOverlaps(sure, overlap, across) : sortByScore(sure)).slice(0, most);
    if (kept.length === 0) {
      const best = known.reduce((highest, { score }) => Math.max(highest, score), 0);
      return { state: 'absent', confidence: clamp(1 - best) };
    }
    const detections = kept.map((box) => toDetection(box, words[box.label]!, fitted[item]!, crop));
    return summarizeDetections(detections, options, crop, view);
  };
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

/** Summarizes detections, of which there is one at least. `view` locates the crop in the frame. */
function summarizeDetections(
  detections: readonly Detection[],
  { value }: DetectOptions,
  crop: PreparedCrop,
  { rect }: Pick<View, 'rect'>,
): Observation {
  const best = detections[0]!;
  const [fx, fy] = [rect.width / crop.width, rect.height / crop.height];
  const detail = detections.slice(0, MAX_LISTED).map(({ word, score, x0, y0, x1, y1 }) => ({
    word,
    confidence: Math.round(1000 * score) / 1000,
    x: roundTo(rect.x + x0 * fx, 1),
    y: roundTo(rect.y + y0 * fy, 1),
    width: roundTo((x1 - x0) * fx, 1),
    height: roundTo((y1 - y0) * fy, 1),
  }));
  // A count is correct only if all detections are.
  const least = detections.reduce((low, { score }) => Math.min(low, score), 1);
  if (value !== 'count' && value !== 'words')
    return { state: 'seen', value: best.word, confidence: clamp(best.score), detail };
  if (value === 'count') return { state: 'seen', value: detections.length, confidence: clamp(least), detail };
  const counts = Map.groupBy(detections, ({ word }) => word);
  const words = [...counts].map(([word, all]) => (all.length > 1 ? `${all.length} ${word}` : word));
  return { state: 'seen', value: words.toSorted().join(', '), confidence: clamp(least), detail };
}
