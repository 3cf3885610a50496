import type { Comparer, Observation, Reading, Sketch } from '../../detectors/kind.ts';
import type { GapLine } from '../../events/log.ts';
import { type CompiledProfile, readsFramesOf } from '../compile-profile.ts';

/** An observation per detector of the profile, in its order; undefined where the detector was not read. */
export type Observations = readonly (Observation | undefined)[];

/** A stretch of a recording that could not be read, in seconds. */
export type Gap = Pick<GapLine, 't' | 'end' | 'reason'>;

/** The readings of a chunk, as workers return them and the journal stores them: plain JSON, each observation once. */
export interface ChunkReadings {
  /** Seconds, ascending: the samples of the chunk. */
  readonly t: number[];
  readonly observations: Observation[];
  /** Per sample, per detector: index into `observations`, −1 where the detector was not read. */
  readonly seen: number[][];
  readonly gaps: Gap[];
  /** By number of the detector: the first and last sketch of each that compares samples. */
  readonly edges?: Readonly<Record<number, SketchEnds>>;
}

/** The sketches of a chunk's first and last sample. */
export interface SketchEnds {
  readonly first: StoredSketch;
  readonly last: StoredSketch;
}

/** A sketch as JSON: its levels as base64 of 16-bit little-endian numbers. */
export interface StoredSketch extends Omit<Sketch, 'data'> {
  readonly data: string;
}

/** Converts a sketch to JSON. */
export function storeSketch({ t, width, height, data, more }: Sketch): StoredSketch {
  const bytes = Buffer.alloc(2 * data.length);
  for (const [i, level] of data.entries()) bytes.writeUInt16LE(level, 2 * i);
  return { t, width, height, data: bytes.toString('base64'), ...(more !== undefined && { more }) };
}

function restoreSketch({ t, width, height, data, more }: StoredSketch): Sketch {
  const bytes = Buffer.from(data, 'base64');
  const levels = Uint16Array.from({ length: width * height }, (_, i) => bytes.readUInt16LE(2 * i));
  return { t, width, height, data: levels, ...(more !== undefined && { more }) };
}

/** Collects the readings of a chunk. */
export class ReadingsBuilder {
  readonly #readings: { -readonly [K in keyof ChunkReadings]: ChunkReadings[K] } = {
    t: [],
    observations: [],
    seen: [],
    gaps: [],
  };
  readonly #numbers = new Map<Observation, number>();

  add(t: number, observations: Observations): void {
    this.#readings.t.push(t);
    this.#readings.seen.push(
      observations.map((observation) => {
        if (!observation) return -1;
        let number = this.#numbers.get(observation);
        if (number === undefined) {
          number = this.#readings.observations.push(observation) - 1;
          this.#numbers.set(observation, number);
        }
        return number;
      }),
    );
  }

  gap({ t, end, reason }: Gap): void {
    this.#readings.gaps.push({ t, end, reason });
  }

  finish(edges: Readonly<Record<number, SketchEnds>> = {}): ChunkReadings {
    if (Object.keys(edges).length > 0) this.#readings.edges = edges;
    return this.#readings;
  }
}

/** The readings of sample `i`. */
export function* readingsOf(chunk: ChunkReadings, i: number, detectors: readonly string[]): Generator<Reading> {
  const t = chunk.t[i]!;
  for (const [d, number] of chunk.seen[i]!.entries())
    if (number >= 0) yield { detector: detectors[d]!, t, observation: chunk.observations[number]! };
}

/**
 * Joins chunks for detectors that compare samples: makes the first reading of each chunk from the sketch of the last sample of
 * the chunk before. So it does not matter where the recording is cut into chunks.
 */
export class ChunkStitcher {
  /** By number of the detector. */
  readonly #comparers: ReadonlyMap<number, Comparer>;
  readonly #last = new Map<number, Sketch>();

  /** @param media The companion recording whose chunks are joined; undefined: the recording itself. */
  constructor({ detectors }: CompiledProfile, media?: string) {
    this.#comparers = new Map(
      detectors.flatMap((one) => {
        const { number, kind, spec, interval } = one;
        const isCompared = kind.input === 'frame-pair' && readsFramesOf(one, media);
        return isCompared ? [[number, kind.compare({ ...spec, interval })] as const] : [];
      }),
    );
  }

  /** Returns the next chunk with those readings in place. */
  stitch(chunk: ChunkReadings): ChunkReadings {
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
