import type { Values } from '../../compute/inference.ts';
import type { Observation, PreparedCrop, View } from '../kind.ts';
import { type Box, formatOf, ranked, suppress } from './boxes.ts';
import type { Batch, Fitted } from './input.ts';
import { type Classes, clamp } from './scores.ts';
import type { DetectOptions } from './options.ts';

/** A thing seen, in pixels of the crop that the network was shown. */
export interface Thing extends Omit<Box, 'label'> {
  readonly word: string;
}

/** Boxes below this are looked at no further, whatever the threshold; what is just below it tells how empty a picture is. */
const FAINT = 0.05;
/** Things that are listed with a reading. */
const LISTED = 20;

/** The things that item `n` of a batch shows, likeliest first, those that mean nothing left out; with the best score below the threshold. */
export function thingsOf(
  outputs: ReadonlyMap<string, Values>,
  n: number,
  { width, height, fitted }: Batch,
  crop: PreparedCrop,
  classes: Classes,
  options: DetectOptions,
  file: string,
): { readonly things: readonly Thing[]; readonly faint: number } {
  const { format = 'yolov8', threshold = 0.25, overlap = 0.45, across = false, most = 300 } = options;
  const { read, overlaps } = formatOf(format);
  const { words } = classes;
  const context = { outputs, item: n, width, height, classes: words.length, activation: options.activation, file };
  const found = read({ ...context, threshold: Math.min(FAINT, threshold) });
  const known = found.filter(({ label }) => words[label] != null);
  const sure = known.filter(({ score }) => score > threshold);
  const kept = (overlaps ? suppress(sure, overlap, across) : ranked(sure)).slice(0, most);
  const faint = known.reduce((best, { score }) => (score > threshold ? best : Math.max(best, score)), 0);
  return { things: kept.map((box) => thingOf(box, words[box.label]!, fitted[n]!, crop)), faint };
}

/** A box of the network's picture in the crop, cut at its edges. */
function thingOf({ x0, y0, x1, y1, score }: Box, word: string, place: Fitted, crop: PreparedCrop): Thing {
  const { left, top, scaleX, scaleY } = place;
  const [across, down] = [
    (x: number) => Math.min(crop.width, Math.max(0, (x - left) / scaleX)),
    (y: number) => Math.min(crop.height, Math.max(0, (y - top) / scaleY)),
  ];
  return { word, score, x0: across(x0), y0: down(y0), x1: across(x1), y1: down(y1) };
}

/** What the things amount to. `view` tells where the crop lies in the frame. */
export function summarise(
  things: readonly Thing[],
  faint: number,
  { value = 'best' }: DetectOptions,
  crop: PreparedCrop,
  { rect }: Pick<View, 'rect'>,
): Observation {
  const [best] = things;
  if (!best) return { state: 'absent', confidence: clamp(1 - faint) };
  const [fx, fy] = [rect.width / crop.width, rect.height / crop.height];
  const detail = things.slice(0, LISTED).map(({ word, score, x0, y0, x1, y1 }) => ({
    word,
    confidence: Math.round(1000 * score) / 1000,
    x: tenth(rect.x + x0 * fx),
    y: tenth(rect.y + y0 * fy),
    width: tenth((x1 - x0) * fx),
    height: tenth((y1 - y0) * fy),
  }));
  // A count is right only if every one of them is.
  const least = things.reduce((low, { score }) => Math.min(low, score), 1);
  if (value === 'best') return { state: 'seen', value: best.word, confidence: clamp(best.score), detail };
  if (value === 'count') return { state: 'seen', value: things.length, confidence: clamp(least), detail };
  const counts = Map.groupBy(things, ({ word }) => word);
  const words = [...counts].map(([word, all]) => (all.length > 1 ? `${all.length} ${word}` : word));
  return { state: 'seen', value: words.toSorted().join(', '), confidence: clamp(least), detail };
}

function tenth(pixels: number): number {
  return Math.round(10 * pixels) / 10;
}
