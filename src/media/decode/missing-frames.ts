import { roundTime } from '../../time.ts';
import type { DecodeGap } from './decode-frames.ts';
import type { VideoInfo } from '../container/info.ts';
import type { PacketIndex } from '../packets/packet-index.ts';

/** Less missing than this is not worth a word. Seconds. */
const SHORTEST = 0.2;
const ROUNDING = 1e-5;
/** How many frames must be missing, and which share of the others must keep the usual distance. */
const PAUSE = 2;
const REGULAR = 0.9;
/** How far a file's declared duration may exceed that of its pictures: its sound may be longer. Seconds. */
const TAIL = 1;

/**
 * Stretches in which a whole index holds no frames although the frames around them follow each other regularly: packets
 * that were lost without a trace, and a file that ends before its declared end. Videos with a variable frame rate pause by
 * nature; in them only the end is checked. `t` is the last frame before the stretch.
 */
export function findMissingFrames(index: PacketIndex, info: VideoInfo): DecodeGap[] {
  const { t } = index;
  const holes: DecodeGap[] = [];
  const usual = usualStep(t);
  if (usual > 0) {
    const least = Math.max(SHORTEST, PAUSE * usual) - ROUNDING;
    for (let frame = 1; frame < t.length; frame++) {
      if (t[frame]! - t[frame - 1]! - usual < least) continue;
      holes.push({ t: t[frame - 1]!, end: t[frame]!, reason: 'the file holds no frames here' });
    }
  }
  const last = t.at(-1) ?? 0;
  const least = (info.durationOfPictures ? SHORTEST : TAIL) - ROUNDING;
  if (info.duration !== undefined && !index.clockSetAnew && info.duration - last - usual >= least) {
    holes.push({ t: last, end: info.duration, reason: index.problem ?? 'the file ends before its declared end' });
  } else if (index.problem !== undefined) {
    // How much is missing is nowhere told.
    holes.push({ t: last, end: roundTime(last + (usual || SHORTEST)), reason: index.problem });
  }
  return holes;
}

/** The median distance of neighbouring frames, in seconds; 0 unless most frames keep about that distance. */
function usualStep(t: Float64Array): number {
  const steps = Float64Array.from({ length: Math.max(0, t.length - 1) }, (_, i) => t[i + 1]! - t[i]!).toSorted();
  const median = steps[steps.length >> 1] ?? 0;
  const regular = steps.reduce((count, step) => count + (step <= 1.5 * median ? 1 : 0), 0);
  return regular >= REGULAR * steps.length ? median : 0;
}
