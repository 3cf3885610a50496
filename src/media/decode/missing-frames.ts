import { roundTime } from '../../time.ts';
import type { VideoInfo } from '../container/info.ts';
import type { PacketIndex } from '../packets/packet-index.ts';
import type { DecodeGap } from './decode-frames.ts';

/** Shorter pauses are not reported. */
const MIN_GAP_SECONDS = 0.2;
const ROUNDING_SECONDS = 1e-5;
/** Frames that must be missing in a row, and the share of the others that must keep the usual distance. */
const MIN_MISSING_FRAMES = 2;
const MIN_REGULAR_SHARE = 0.9;
/** How far a file's declared duration may exceed that of its video, because its audio may be longer. */
const MAX_AUDIO_TAIL_SECONDS = 1;

/**
 * Finds gaps that no packet reveals: stretches without frames in a video of otherwise regular rate, and a file that ends
 * before its declared end. A variable frame rate has pauses, so in such a video only the end is checked.
 *
 * @param index An index of the whole file.
 * @returns Gaps that begin at the last frame before the stretch.
 */
export function findMissingFrames(index: PacketIndex, info: VideoInfo): DecodeGap[] {
  const { t } = index;
  const gaps: DecodeGap[] = [];
  const step = usualStep(t);
  if (step > 0) {
    const least = Math.max(MIN_GAP_SECONDS, MIN_MISSING_FRAMES * step) - ROUNDING_SECONDS;
    for (let frame = 1; frame < t.length; frame++) {
      if (t[frame]! - t[frame - 1]! - step < least) continue;
      gaps.push({ t: t[frame - 1]!, end: t[frame]!, reason: 'the file holds no frames here' });
    }
  }
  const last = t.at(-1) ?? 0;
  const least = (info.durationOfPictures ? MIN_GAP_SECONDS : MAX_AUDIO_TAIL_SECONDS) - ROUNDING_SECONDS;
  if (info.duration !== undefined && !index.clockSetAnew && info.duration - last - step >= least) {
    gaps.push({ t: last, end: info.duration, reason: index.problem ?? 'the file ends before its declared end' });
  } else if (index.problem !== undefined) {
    // Nothing says how much is missing.
    gaps.push({ t: last, end: roundTime(last + (step || MIN_GAP_SECONDS)), reason: index.problem });
  }
  return gaps;
}

/** Median distance of neighbouring frames in seconds; 0 unless most frames keep about that distance. */
function usualStep(t: Float64Array): number {
  const steps = Float64Array.from({ length: Math.max(0, t.length - 1) }, (_, i) => t[i + 1]! - t[i]!).toSorted();
  const median = steps[steps.length >> 1] ?? 0;
  const regular = steps.reduce((count, step) => count + (step <= 1.5 * median ? 1 : 0), 0);
  return regular >= MIN_REGULAR_SHARE * steps.length ? median : 0;
}
