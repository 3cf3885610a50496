import type { FusionSpec } from '../../profile/profile.ts';

/** How much of what further evidence says counts: detectors look at the same picture, so they are not independent. */
const INDEPENDENCE = 0.5;
/** Nothing is surer than this. */
const MOST = 0.999;

/** Log-odds of a probability, kept finite. */
export function logOdds(p: number): number {
  const bounded = Math.min(1 - 1e-4, Math.max(1e-4, p));
  return Math.log(bounded / (1 - bounded));
}

export function probability(odds: number): number {
  return 1 / (1 + Math.exp(-odds));
}

/** Further evidence for a statement: how sure it is, and how much of the statement it says, 0…1. */
export interface Support {
  readonly confidence: number;
  readonly share: number;
}

/**
 * The confidence of a statement with further evidence: log-odds add up, as those of independent observations would, but each
 * counts only by the share of the statement that it says and by `independence`. Evidence below even odds takes nothing away.
 */
export function combined(confidence: number, others: readonly Support[], independence = INDEPENDENCE): number {
  if (others.length === 0) return confidence;
  const more = others.reduce((sum, { confidence: p, share }) => sum + share * Math.max(0, logOdds(p)), 0);
  return Math.max(confidence, Math.min(MOST, probability(logOdds(confidence) + independence * more)));
}

/** A detector's confidence as a probability of its events: measured on recordings with truth, a line in log-odds. */
export function calibrated(confidence: number, line: readonly [offset: number, slope: number] | undefined): number {
  if (line === undefined) return confidence;
  return Math.min(MOST, probability(line[0] + line[1] * logOdds(confidence)));
}

/** The line for a detector. */
export function lineOf(spec: FusionSpec, detector: string): readonly [number, number] | undefined {
  return spec.calibration?.[detector];
}
