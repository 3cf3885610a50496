import { agree, type Probe, type ProbeRule } from './probe.ts';
import type { SampleReader, Sight } from './sample-reader.ts';
import { restsOf } from './stretch.ts';

/**
 * Which detectors change at the keyframes of a chunk. One that shows the same on both keyframes of a group, no further apart than it persists, shows that
 * in between: even in a group that is read because something else changed. What changes at any of the chunk's keyframes
 * is not believed so lightly, as what changed once soon changes again, and back: nor what rests on it, nor what it rests on, by which it is read.
 */
export class Lively {
  readonly #rules: readonly ProbeRule[];
  readonly #probes: readonly (Probe | undefined)[];
  /** By detector: 1 where the keyframes on both sides of each group tell what lies between. */
  readonly #still: Uint8Array;

  /** `probes`: what is seen on the keyframes, and on the next chunk's first; undefined where that is not known. */
  constructor(
    reader: Pick<SampleReader, 'withDependencies'>,
    rules: readonly ProbeRule[],
    probes: readonly (Probe | undefined)[],
  ) {
    this.#rules = rules;
    this.#probes = probes;
    const open = probes.slice(1).flatMap((after, g) => this.#between(probes[g], after) ?? []);
    this.#still = new Uint8Array(rules.length).fill(1);
    for (const rests of restsOf(reader, rules.length))
      if (rests.some((d) => open.some((one) => one[d] === 1))) for (const d of rests) this.#still[d] = 0;
  }

  /** What all samples of a group show, of the detectors of which its keyframes tell it. */
  knownIn(group: number): Sight | undefined {
    const before = this.#probes[group];
    if (!before || !this.#probes[group + 1]) return undefined;
    return { seen: before.seen.map((one, d) => (this.#still[d] ? one : undefined)), read: this.#still };
  }

  #between(before: Probe | undefined, after: Probe | undefined): Uint8Array | undefined {
    if (!before || !after) return undefined;
    return Uint8Array.from(this.#rules, ({ persists, confidence }, d) =>
      after.t - before.t <= persists && agree(before.seen[d], after.seen[d], confidence) ? 0 : 1,
    );
  }
}
