import type { Deferred, Observation } from '../../detectors/kind.ts';
import type { ChunkReadings } from './chunk-readings.ts';
import type { SampleReader } from './sample-reader.ts';

/** A reading that waits for others of its detector. */
interface Waiting {
  readonly id: number;
  readonly deferred: Deferred;
}

/**
 * Readings of a stretch that are made several at once: each waits until as many of its detector are there as that makes at once, or
 * the stretch is over. Until then a stand-in takes its place; its number is negative, as those of readings left to other threads are not.
 */
export class Together {
  readonly #reader: Pick<SampleReader, 'settleAll'>;
  readonly #counts: ReadonlyMap<number, number>;
  readonly #waiting = new Map<number, Waiting[]>();
  readonly #made = new Map<number, Observation>();
  #last = 0;

  constructor(reader: Pick<SampleReader, 'settleAll' | 'together'>) {
    this.#reader = reader;
    this.#counts = reader.together;
  }

  /** A stand-in for the reading; undefined where the detector makes its readings one by one. */
  take(detector: number, deferred: Deferred): Observation | undefined {
    if (!this.#counts.has(detector)) return undefined;
    this.#last--;
    const waiting = this.#waiting.get(detector) ?? [];
    this.#waiting.set(detector, [...waiting, { id: this.#last, deferred }]);
    return { state: 'unreadable', confidence: 0, pending: this.#last } as Observation;
  }

  /** Makes the readings of which enough are there, or all. */
  async settle(all = false): Promise<void> {
    for (const [detector, waiting] of this.#waiting) {
      const count = this.#counts.get(detector)!;
      while (waiting.length >= (all ? 1 : count)) {
        const some = waiting.splice(0, count);
        const seen = await this.#reader.settleAll(
          detector,
          some.map(({ deferred }) => deferred),
        );
        for (const [i, { id }] of some.entries()) this.#made.set(id, seen[i]!);
      }
    }
  }

  /** The stretch's readings with those in their places that were made here. */
  complete(readings: ChunkReadings): ChunkReadings {
    if (this.#made.size === 0) return readings;
    const observations = readings.observations.map((seen) =>
      'pending' in seen ? (this.#made.get(seen.pending as number) ?? seen) : seen,
    );
    return { ...readings, observations };
  }
}
