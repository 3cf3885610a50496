import { logistic } from '../statistics.ts';

/** Weight of further evidence: detectors read the same frames, so they are not independent. */
const DEFAULT_INDEPENDENCE = 0.5;
const MAX_CONFIDENCE = 0.999;

/** Log-odds of a probability, limited to finite values. */
export function logOdds(p: number): number {
  const bounded = Math.min(1 - 1e-4, Math.max(1e-4, p));
  return Math.log(bounded / (1 - bounded));
}

/** Further evidence for a statement. */
export interface Support {
  readonly confidence: number;
  /** How much of the statement it says, 0 to 1. */
  readonly share: number;
}

/**
 * Combines the confidence of a statement with further evidence by adding log-odds, as for independent observations, each
 * weighted by its share of the statement and by `independence`. Evidence below even odds does not lower the confidence.
 */
export function combineConfidence(
  confidence: number,
  others: readonly Support[],
  independence = DEFAULT_INDEPENDENCE,
): number {
  if (others.length === 0) return confidence;
  const more = others.reduce((sum, { confidence: p, share }) => sum + share * Math.max(0, logOdds(p)), 0);
  return Math.max(confidence, Math.min(MAX_CONFIDENCE, logistic(logOdds(confidence) + independence * more)));
}

/** Converts a detector's confidence to a probability by a line in log-odds that was measured on recordings with ground truth. */
export function calibrateConfidence(
  confidence: number,
  line: readonly [offset: number, slope: number] | undefined,
): number {
  if (line === undefined) return confidence;
  return Math.min(MAX_CONFIDENCE, logistic(line[0] + line[1] * logOdds(confidence)));
}
