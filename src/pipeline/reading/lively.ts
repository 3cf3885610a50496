import { agree, type Probe, type ProbeRule } from './probe.ts';
import type { SampleReader, Sight } from './sample-reader.ts';
import { restsOf } from './stretch.ts';

/**
 * Which detectors change about each group of pictures of a chunk, by its keyframes. One that shows the same on both keyframes of a
 * group, no further apart than it persists, shows that in between: even in a group that is read because something else changed.
 * What changed in the group before or after is not believed so lightly, as what changed once soon changes again; nor
 * what rests on it, nor what it rests on, by which it is read.
 */
export class Lively {
  readonly #rules: readonly ProbeRule[];
  readonly #probes: readonly (Probe | undefined)[];
  readonly #rests: readonly (readonly number[])[];
  /** By group and detector: 1 where its keyframes do not tell what lies between. */
  readonly #open: readonly Uint8Array[];

  /** `probes`: what is seen on the keyframes, and on the next chunk's first; undefined where that is not known. */
  constructor(
    reader: Pick<SampleReader, 'withDependencies'>,
    rules: readonly ProbeRule[],
    probes: readonly (Probe | undefined)[],
  ) {
    this.#rules = rules;
    this.#probes = probes;
    this.#rests = restsOf(reader, rules.length);
    this.#open = probes.slice(1).map((after, g) => this.#between(probes[g], after));
  }

  /** What all samples of a group show, of the detectors of which its keyframes tell it. */
  knownIn(group: number): Sight | undefined {
    const before = this.#probes[group];
    if (!before) return undefined;
    const about = [this.#open[group - 1], this.#open[group]!, this.#open[group + 1]];
    const read = new Uint8Array(this.#rules.length).fill(1);
    for (const rests of this.#rests)
      if (rests.some((d) => about.some((open) => open?.[d] === 1))) for (const d of rests) read[d] = 0;
    return { seen: before.seen.map((one, d) => (read[d] ? one : undefined)), read };
  }

  #between(before: Probe | undefined, after: Probe | undefined): Uint8Array {
    return Uint8Array.from(this.#rules, ({ persists, confidence }, d) =>
      before && after && after.t - before.t <= persists && agree(before.seen[d], after.seen[d], confidence) ? 0 : 1,
    );
  }
}
