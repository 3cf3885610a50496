/** Fewer neighbouring pictures than this tell nothing of what is usual. */
const ENOUGH = 8;
/** The share of neighbours that must keep the usual distance, in output order as in time. */
const REGULAR = 0.8;
/** What rounding of presentation times may add up to over a pause, as a share of it. */
const ROUNDING = 0.02;

/**
 * Index of the first of a group's pictures, in order of presentation, in front of which others must be missing; -1 where
 * none are. An encoder numbers the pictures that it writes one by one, or by their time: a step in output order (`order`,
 * H.264 §8.2.1) that fits neither tells of a loss, such as that of a keyframe, behind which the numbers begin anew, and
 * frame_num may by chance go on as if nothing were. Groups whose pictures keep no steady rate are not judged, nor those in
 * which order and time disagree throughout: there the container's times are wrong.
 */
export function behindLoss(order: readonly number[], time: readonly number[]): number {
  const pairs = order.length - 1;
  if (pairs < ENOUGH || order.some(Number.isNaN)) return -1;
  const unit = median(order.slice(1).map((value, i) => value - order[i]!));
  const step = median(time.slice(1).map((value, i) => value - time[i]!));
  if (!(unit > 0 && step > 0)) return -1;
  let regular = 0;
  let first = -1;
  for (let i = 1; i <= pairs; i++) {
    const counted = (order[i]! - order[i - 1]!) / unit;
    const passed = (time[i]! - time[i - 1]!) / step;
    if (counted === 1 && passed < 1.5) regular++;
    const fits = counted === 1 || Math.abs(counted - passed) <= 0.5 + ROUNDING * passed;
    if (!fits && first < 0) first = i;
  }
  return regular >= REGULAR * pairs ? first : -1;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
