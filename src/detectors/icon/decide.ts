import type { Rect } from '../../geometry.ts';
import { logistic } from '../../statistics.ts';
import type { Observation } from '../kind.ts';
import type { MatchOptions } from './options.ts';
import type { IconMatch } from './search.ts';

/** Logistic weights of the confidence, fitted to degraded recordings; `bench/detectors/icons.ts` reports the best ones and the calibration. */
const WEIGHTS = { constant: 2.2, score: 20, margin: 80, absence: 12 };

/**
 * Turns the best matches of all names into an observation.
 *
 * The confidence is the probability that one of the icons is present, by the score above the threshold, times the probability that it is
 * this one and not the next, by the margin between them.
 */
export function decide(
  found: readonly IconMatch[],
  { threshold = 0.7, likeness, margin = 0.04, none = [] }: MatchOptions,
  place: Rect | undefined,
): Observation {
  const [best] = found;
  // No template fits into the crop.
  if (!best) return { state: 'unreadable', confidence: 1 };
  const ahead = best.score - (found[1]?.score ?? 0);
  if (best.score < threshold) return { state: 'absent', confidence: absenceConfidence(best.score, threshold) };
  if (likeness !== undefined && best.likeness! < likeness)
    return { state: 'absent', confidence: absenceConfidence(best.likeness!, likeness) };
  const confidence = presenceConfidence(best.score, found[1] && ahead, threshold);
  const detail = {
    score: Math.round(best.score * 1000) / 1000,
    margin: Math.round(ahead * 1000) / 1000,
    ...(best.likeness === undefined ? {} : { likeness: Math.round(best.likeness * 1000) / 1000 }),
    x: best.x,
    y: best.y,
    ...(found[1] ? { other: found[1].name } : {}),
    ...(place ? { place } : {}),
  };
  if (found[1] && ahead < margin) return { state: 'unreadable', confidence: 1 - confidence, detail };
  if (none.includes(best.name)) return { state: 'absent', confidence };
  return { state: 'seen', value: best.name, confidence, detail };
}

/** @param margin Lead over the next name; undefined if there is no other name. */
function presenceConfidence(score: number, margin: number | undefined, threshold: number): number {
  const present = logistic(WEIGHTS.constant + WEIGHTS.score * (score - threshold));
  return margin === undefined ? present : present * logistic(WEIGHTS.margin * margin);
}

function absenceConfidence(score: number, threshold: number): number {
  return logistic(WEIGHTS.absence * (threshold - Math.max(0, score)));
}
