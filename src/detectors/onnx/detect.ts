import type { Values } from '../../compute/inference.ts';
import type { Observation, PreparedCrop, View } from '../kind.ts';
import { type Box, formatOf, sortByScore, suppressOverlaps } from './boxes.ts';
import type { Batch, CropPlacement } from './input.ts';
import { type Classes, clamp } from './scores.ts';
import type { DetectOptions } from './options.ts';

/** A detected object, in pixels of the crop. */
export interface Detection extends Omit<Box, 'label'> {
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
