import { type Chunk, chunksOf, type PacketIndex } from '../media/packet-index.ts';
import type { Profile } from '../profile/profile.ts';
import { planSamples, type Sampling, type TimeRange } from '../sampling/plan.ts';
import { intervalOf } from './interpreter.ts';
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
  const detectors = Object.keys(profile.detectors);
  const due = new Map<number, Uint8Array>();
  const none = new Uint8Array(detectors.length);
  const plans = new Map<string, readonly { readonly frame: number }[]>();
  for (const [d, name] of detectors.entries()) {
    if (hearing.has(name)) continue;
    const sampling = samplingOf(profile, name);
    const key = JSON.stringify(sampling);
    const samples = plans.get(key) ?? planSamples(index, sampling, range);
    plans.set(key, samples);
    // Frames share their masks, of which there are few: an hour has tens of thousands of samples.
    const wider = new Map<Uint8Array, Uint8Array>();
    for (const { frame } of samples) {
      const mask = due.get(frame) ?? none;
      const more = wider.get(mask) ?? mask.with(d, 1);
      wider.set(mask, more);
      due.set(frame, more);
    }
  }
  const frames = [...due.keys()].toSorted((a, b) => a - b);
  const portions: Portion[] = [];
  let next = 0;
  for (const chunk of chunksOf(index, { minSeconds: CHUNK_SECONDS[kind] })) {
    const from = next;
    while (next < frames.length && frames[next]! < chunk.lastFrame) next++;
    if (next === from) continue;
    const own = frames.slice(from, next);
    portions.push({ number: portions.length, chunk, plan: { frames: own, due: own.map((frame) => due.get(frame)!) } });
  }
  return portions;
}

function samplingOf(profile: Profile, detector: string): Sampling {
  const own = profile.detectors[detector]!.interval;
  if (own === undefined && profile.sampling?.every !== undefined) return { every: profile.sampling.every };
  if (own === undefined && profile.sampling?.all) return { all: true };
  return { interval: intervalOf(profile, detector) };
}
