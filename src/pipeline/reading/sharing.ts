import { now } from '../../compute/scheduler/trace.ts';
import type { Deferred, Observation } from '../../detectors/kind.ts';
import { loadKind } from '../../detectors/registry.ts';
import type { ChunkReadings } from './chunk-readings.ts';
import type { Game } from '../game.ts';
import { intervalOf } from '../../profile/interval.ts';
import { mediaOf } from '../../profile/media.ts';
import type { Share } from './read-chunk.ts';
import { awaitedIn } from './awaited.ts';

/** A reading that a thread leaves to whichever is free, with what it needs of its picture. */
export interface LeftReading {
  /** Its number in the chunk. */
  readonly id: number;
  readonly detector: number;
  readonly deferred: Deferred;
}

/** What a thread says of a sample that it is done with: what it leaves to others. */
export interface PassedSample {
  readonly sample: number;
  readonly left: readonly LeftReading[];
  /** Milliseconds of `now()`. */
  readonly sent: number;
}

/** Readings left to others that nobody has made yet, over all threads, in shared memory. */
export type Waiting = Int32Array<SharedArrayBuffer>;

/** An observation that stands for one to come. */
type StandIn = Observation & { readonly pending: number };

/**
 * Leaves readings to other threads as long as few are waiting; the others are made here. So a thread that reads alone
 * feeds those that have nothing to do, and threads that are all at work do not burden each other.
 */
export class Sharer implements Share {
  readonly #waiting: Waiting;
  readonly #most: number;
  readonly #tell: (passed: PassedSample, memory: readonly ArrayBuffer[]) => void;
  #sample = 0;
  #left: LeftReading[] = [];
  #count = 0;

  constructor(waiting: Waiting, most: number, tell: (passed: PassedSample, memory: readonly ArrayBuffer[]) => void) {
    this.#waiting = waiting;
    this.#most = most;
    this.#tell = tell;
  }

  handOver(_: number, detector: number, deferred: Deferred): Observation | undefined {
    if (Atomics.load(this.#waiting, 0) >= this.#most) return undefined;
    Atomics.add(this.#waiting, 0, 1);
    const id = this.#count++;
    this.#left.push({ id, detector, deferred });
    const standIn: StandIn = { state: 'unreadable', confidence: 0, pending: id };
    return standIn;
  }

  passed(sample: number): void {
    for (; this.#sample < sample; this.#sample++) {
      const left = this.#left;
      this.#left = [];
      const memory = left.flatMap(({ deferred }) => deferred.memory);
      this.#tell({ sample: this.#sample, left, sent: now() }, memory);
    }
  }
}

/** A chunk's readings with those in their places that others have made. */
export function complete(readings: ChunkReadings, made: ReadonlyMap<number, Observation>): ChunkReadings {
  const observations = readings.observations.map((seen) =>
    'pending' in seen ? made.get(seen.pending as number)! : seen,
  );
  return { ...readings, observations };
}

/** Readings that are made more quickly than this, in seconds, are not worth handing over. */
const DEAR = 0.005;

/** Estimated seconds of computing a second of video asks for that threads can share. */
export async function sharedLoad({ profile, assets, plugins }: Game): Promise<number> {
  const awaited = awaitedIn(profile);
  let load = 0;
  for (const [name, spec] of Object.entries(profile.detectors)) {
    if (awaited.has(name) || mediaOf(spec) !== undefined) continue;
    const kind = await loadKind(spec.kind, plugins);
    const cost = (kind.input === 'frame' && (await kind.cost?.(spec, assets))) || 0;
    if (cost >= DEAR) load += cost / Math.max(intervalOf(profile, name), 1e-3);
  }
  return load;
}
