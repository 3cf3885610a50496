import type { DecodeRequest } from '../../media/decode/decoder-worker.ts';
import { type Chunk, splitIntoChunks, type PacketIndex, sliceIndex } from '../../media/packets/packet-index.ts';
import type { Profile } from '../../profile/profile.ts';
import { type Sample, SamplePlanner, type Sampling, type TimeRange } from '../../sampling/plan.ts';
import { everyOf, intervalOf } from '../../profile/interval.ts';
import type { ChunkPlan } from './read-chunk.ts';

/**
 * Seconds of video in a chunk, at least: long enough to cost little to hand over, short enough to lose little. Between
 * chunks the adaptive plan reads a keyframe twice, and a chunk costs it little.
 */
const CHUNK_SECONDS = { full: 8, adaptive: 24 } as const;

/** A portion of the run: a chunk and its samples. */
export interface Portion {
  readonly number: number;
  readonly chunk: Chunk;
  readonly plan: ChunkPlan;
}

/** What a decoder is asked for a portion. */
export function wantedOf(index: PacketIndex, { chunk, plan }: Portion): DecodeRequest {
  return { index: sliceIndex(index, chunk), chunk, frames: plan.frames };
}

/** About how many portions so many seconds of video (undefined: unknown) will make, at most. */
export function portionsIn(seconds: number | undefined, kind: 'full' | 'adaptive'): number {
  return seconds === undefined ? Number.POSITIVE_INFINITY : Math.ceil(seconds / CHUNK_SECONDS[kind]);
}

/** Cuts the video into chunks and says which of their frames are samples, and of which detectors; those `hearing` have none. */
export function planPortions(
  index: PacketIndex,
  profile: Profile,
  range: TimeRange,
  kind: 'full' | 'adaptive',
  hearing: ReadonlySet<string> = new Set(),
): Portion[] {
  const { masks, maskOf } = dueIn(index, profile, range, hearing);
  const portions: Portion[] = [];
  for (const chunk of splitIntoChunks(index, { minSeconds: CHUNK_SECONDS[kind] })) {
    const frames: number[] = [];
    for (let frame = chunk.firstFrame; frame < chunk.lastFrame; frame++) if (maskOf[frame] !== 0) frames.push(frame);
    if (frames.length === 0) continue;
    const due = frames.map((frame) => masks[maskOf[frame]!]!);
    portions.push({ number: portions.length, chunk, plan: { frames, due } });
  }
  return portions;
}

/** Frames whose samples are planned at a time. */
const STRETCH = 4096;

/**
 * Which detectors are due in each frame: the number of a mask, of which there are few, the first being empty. Worked out
 * stretch by stretch: an hour has tens of thousands of samples for each detector.
 */
function dueIn(
  index: PacketIndex,
  profile: Profile,
  range: TimeRange,
  hearing: ReadonlySet<string>,
): { readonly masks: readonly Uint8Array[]; readonly maskOf: Uint32Array } {
  const names = Object.keys(profile.detectors);
  const masks: Uint8Array[] = [new Uint8Array(names.length)];
  const numbers = new Map([[masks[0]!.join(), 0]]);
  const maskOf = new Uint32Array(index.t.length);
  const together = Map.groupBy(
    names.keys().filter((d) => !hearing.has(names[d]!)),
    (d) => JSON.stringify(samplingOf(profile, names[d]!)),
  );
  for (const detectors of together.values()) {
    const planner = new SamplePlanner(samplingOf(profile, names[detectors[0]!]!), range);
    const wider = new Map<number, number>();
    const widen = (mask: number): number => {
      let more = wider.get(mask);
      if (more === undefined) {
        const marks = masks[mask]!.slice();
        for (const d of detectors) marks[d] = 1;
        more = numbers.get(marks.join()) ?? masks.push(marks) - 1;
        numbers.set(marks.join(), more);
        wider.set(mask, more);
      }
      return more;
    };
    const mark = (samples: readonly Sample[]): void => {
      for (const { frame } of samples) maskOf[frame] = widen(maskOf[frame]!);
    };
    for (let from = 0; from < index.t.length; from += STRETCH)
      mark(
        planner.add({
          t: index.t.subarray(from, from + STRETCH),
          reference: index.reference.subarray(from, from + STRETCH),
        }),
      );
    mark(planner.end());
  }
  return { masks, maskOf };
}

function samplingOf(profile: Profile, detector: string): Sampling {
  const every = everyOf(profile, detector);
  return every === undefined ? { interval: intervalOf(profile, detector) } : { every };
}
