import type { Observations, ReadingsBuilder } from './chunk-readings.ts';
import { ASLEEP } from './chunk-readings.ts';
import { agree, type ProbeRule } from './probe.ts';
import type { ChunkPlan } from './read-chunk.ts';
import type { SampleReader } from './sample-reader.ts';

/**
 * Takes the readings of a chunk's samples in order, and knows what each detector was last surely seen to show. Where a sample would be given
 * something else by those about it, that is news: it has to be read, as from it on the change is dated, and a sample just after a change is not
 * always readable.
 */
export class Shown {
  readonly #builder: Pick<ReadingsBuilder, 'add'>;
  readonly #rules: readonly ProbeRule[];
  readonly #reader: Pick<SampleReader, 'withDependencies'>;
  readonly #last: Observations[number][];

  /** `first`: what is taken to have been shown before; a chunk knows nothing of the one before it. */
  constructor(
    builder: Pick<ReadingsBuilder, 'add'>,
    rules: readonly ProbeRule[],
    reader: Pick<SampleReader, 'withDependencies'>,
    first: Observations = [],
  ) {
    this.#builder = builder;
    this.#rules = rules;
    this.#reader = reader;
    this.#last = rules.map((_, d) => first[d]);
  }

  add(t: number, observations: Observations): void {
    this.#builder.add(t, observations);
    for (let d = 0; d < observations.length; d++) {
      const one = observations[d];
      if (one && one !== this.#last[d] && this.#agree(d, one, one)) this.#last[d] = one;
    }
  }

  /** Whether something is not what a detector was last seen to show. */
  isNews(d: number, one: Observations[number]): boolean {
    return one !== undefined && one !== ASLEEP && !this.#agree(d, this.#last[d], one);
  }

  /** Whether the samples of a plan from number `from` on, given all what is `seen`, would bring any news. */
  bringsNews(seen: Observations, plan: ChunkPlan, from: number): boolean {
    const news = this.#rules.flatMap((_, d) => (this.isNews(d, seen[d]) ? [d] : []));
    if (news.length === 0) return false;
    return plan.due.some((due, i) => {
      if (i < from) return false;
      const needed = this.#reader.withDependencies(due);
      return news.some((d) => needed[d] === 1);
    });
  }

  #agree(d: number, a: Observations[number], b: Observations[number]): boolean {
    return agree(a, b, this.#rules[d]!.confidence);
  }
}
