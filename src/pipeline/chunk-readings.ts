import type { Observation, Reading } from '../detectors/kind.ts';
import type { GapLine } from '../events/log.ts';
import type { Observations } from './sample-reader.ts';

/** What a worker hands over for a chunk, and what the journal keeps: plain JSON, each observation stored once. */
export interface ChunkReadings {
  /** Seconds, ascending: the samples of the chunk. */
  readonly t: number[];
  readonly observations: Observation[];
  /** Per sample, per detector: index into `observations`, −1 where it was not read. */
  readonly seen: number[][];
  readonly gaps: { readonly t: number; readonly end: number; readonly reason: string }[];
}

/** Collects the readings of a chunk. */
export class ReadingsBuilder {
  readonly #readings: ChunkReadings = { t: [], observations: [], seen: [], gaps: [] };
  readonly #known = new Map<Observation, number>();

  add(t: number, observations: Observations): void {
    this.#readings.t.push(t);
    this.#readings.seen.push(
      observations.map((observation) => {
        if (!observation) return -1;
        let index = this.#known.get(observation);
        if (index === undefined) {
          index = this.#readings.observations.push(observation) - 1;
          this.#known.set(observation, index);
        }
        return index;
      }),
    );
  }

  gap(gap: Pick<GapLine, 't' | 'end' | 'reason'>): void {
    this.#readings.gaps.push(gap);
  }

  finish(): ChunkReadings {
    return this.#readings;
  }
}

/** The readings of sample i. */
export function* readingsOf(chunk: ChunkReadings, i: number, detectors: readonly string[]): Generator<Reading> {
  const t = chunk.t[i]!;
  for (const [d, index] of chunk.seen[i]!.entries()) {
    if (index >= 0) yield { detector: detectors[d]!, t, observation: chunk.observations[index]! };
  }
}
