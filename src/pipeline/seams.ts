import type { Comparer, Sketch } from '../detectors/kind.ts';
import type { Plugins } from '../detectors/plugins/load.ts';
import { loadKind } from '../detectors/registry.ts';
import { withInterval } from '../profile/interval.ts';
import { mediaOf } from '../profile/media.ts';
import type { Profile } from '../profile/profile.ts';
import { type ChunkReadings, restoreSketch } from './reading/chunk-readings.ts';

/**
 * Joins chunks for detectors that compare each sample with the one before: the first reading of a chunk is made here, from
 * the sketch of the last sample of the chunk before. So where the recording is cut into chunks does not matter.
 */
export class Seams {
  /** By number of the detector. */
  readonly #comparers: ReadonlyMap<number, Comparer>;
  readonly #last = new Map<number, Sketch>();

  private constructor(comparers: ReadonlyMap<number, Comparer>) {
    this.#comparers = comparers;
  }

  static async open(profile: Profile, plugins?: Plugins, media?: string): Promise<Seams> {
    const comparers = new Map<number, Comparer>();
    for (const [d, [name, spec]] of Object.entries(profile.detectors).entries()) {
      const kind = await loadKind(spec.kind, plugins);
      if (kind.input === 'frame-pair' && mediaOf(spec) === media)
        comparers.set(d, kind.compare(withInterval(profile, name)));
    }
    return new Seams(comparers);
  }

  /** The chunk with those readings in place; the chunk given is left as it is. Chunks come in order. */
  mend(chunk: ChunkReadings): ChunkReadings {
    const { edges = {} } = chunk;
    const observations = [...chunk.observations];
    const seen = [...chunk.seen];
    for (const [d, comparer] of this.#comparers) {
      const ends = edges[d];
      if (!ends) continue;
      const first = chunk.t.indexOf(ends.first.t);
      if (first >= 0 && seen[first]![d]! >= 0) {
        observations.push(comparer.compare(this.#last.get(d), restoreSketch(ends.first)));
        seen[first] = seen[first]!.with(d, observations.length - 1);
      }
      this.#last.set(d, restoreSketch(ends.last));
    }
    return { ...chunk, observations, seen };
  }
}
