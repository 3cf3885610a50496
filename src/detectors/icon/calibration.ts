/**
 * How sure a match is: the probability that one of the icons is there, from the score above the threshold, times the
 * probability that it is this one rather than the next, from the margin (even at no margin). Both are logistic; the weights are
 * those that fit degraded recordings best, where `bench/detectors/icons.ts` reports them and how often each confidence was right.
 */
const WEIGHTS = { constant: 2.2, score: 20, margin: 80 };

/** The probability that the best name is right. `margin` is undefined where there is no other name. */
export function certainty(score: number, margin: number | undefined, threshold: number): number {
  const present = logistic(WEIGHTS.constant + WEIGHTS.score * (score - threshold));
  return margin === undefined ? present : present * logistic(WEIGHTS.margin * margin);
}

/** The probability that none of the icons is there, when the best score is below the threshold. */
export function absence(score: number, threshold: number): number {
  return logistic(12 * (threshold - Math.max(0, score)));
}

function logistic(x: number): number {
  return 1 / (1 + Math.exp(-x));
}
