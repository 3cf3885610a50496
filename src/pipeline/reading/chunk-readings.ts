import type { Rect } from '../../geometry.ts';
import type { Observation, Reading, Sketch } from '../../detectors/kind.ts';
import type { GapLine } from '../../events/log.ts';

/** An observation per detector of the profile, in its order; undefined where the detector was not read. */
export type Observations = readonly (Observation | undefined)[];

/** Places on the frame, by time of the sample and number of the detector. */
export type Places = ReadonlyMap<number, ReadonlyMap<number, Rect>>;

/** In the place of what was not read because the detector seemed to be switched off. */
export const ASLEEP: Observation = { state: 'unreadable', confidence: 0 };
const ASLEEP_INDEX = -2;

/** What a worker hands over for a chunk, and what the journal keeps: plain JSON, each observation stored once. */
export interface ChunkReadings {
  /** Seconds, ascending: the samples of the chunk. */
  readonly t: number[];
  readonly observations: Observation[];
  /** Per sample, per detector: index into `observations`, −1 where there was nothing to read, −2 where it seemed to be switched off. */
  readonly seen: number[][];
  readonly gaps: { readonly t: number; readonly end: number; readonly reason: string }[];
  /** By number of the detector: the first and last sketch of each that compares, for the samples at the chunk's borders. */
  readonly edges?: Readonly<Record<number, Edges>>;
}

/** The sketches of a chunk's first and last sample. */
export interface Edges {
  readonly first: StoredSketch;
  readonly last: StoredSketch;
}

/** A sketch as JSON: its levels as base64 of 16-bit little-endian numbers. */
export interface StoredSketch {
  readonly t: number;
  readonly width: number;
  readonly height: number;
  readonly data: string;
  readonly more?: unknown;
}

/** A sketch made fit for the journal, and back. */
export function storeSketch({ t, width, height, data, more }: Sketch): StoredSketch {
  const bytes = Buffer.alloc(2 * data.length);
  for (const [i, level] of data.entries()) bytes.writeUInt16LE(level, 2 * i);
  return { t, width, height, data: bytes.toString('base64'), ...(more !== undefined && { more }) };
}

export function restoreSketch({ t, width, height, data, more }: StoredSketch): Sketch {
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
  readonly #known = new Map<Observation, number>();

  add(t: number, observations: Observations): void {
    this.#readings.t.push(t);
    this.#readings.seen.push(
      observations.map((observation) => {
        if (!observation) return -1;
        if (observation === ASLEEP) return ASLEEP_INDEX;
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

  edges(edges: Readonly<Record<number, Edges>>): void {
    if (Object.keys(edges).length > 0) this.#readings.edges = edges;
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

/** The detectors that seemed to be switched off in sample i. */
export function asleepIn(chunk: ChunkReadings, i: number, detectors: readonly string[]): readonly string[] {
  const indices = chunk.seen[i]!;
  return indices.includes(ASLEEP_INDEX) ? detectors.filter((_, d) => indices[d] === ASLEEP_INDEX) : [];
}
