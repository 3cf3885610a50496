import type { Journal } from '../../events/journal.ts';
import type { ChunkReadings } from './chunk-readings.ts';
import type { Portion } from './plan.ts';
import { type FreshRun, readFresh } from './read-fresh.ts';

export interface ReadPortion {
  readonly portion: Portion;
  readonly readings: ChunkReadings;
}

/**
 * The readings of every portion, in order: from the journal where it has them, else from the threads, and then kept there.
 * A portion stands in the journal under its number, behind the companion's name if the run is of one.
 */
export async function* readPortions(
  run: FreshRun,
  portions: readonly Portion[],
  journal: Journal<ChunkReadings>,
): AsyncGenerator<ReadPortion> {
  const nameOf = ({ number }: Portion): string =>
    run.companion === undefined ? String(number) : `${run.companion} ${number}`;
  const missing = portions.filter((portion) => !journal.completed.has(nameOf(portion)));
  const done = portions.filter((portion) => journal.completed.has(nameOf(portion)));
  const fresh = readFresh(run, missing);
  try {
    let nextDone = 0;
    let nextFresh = missing.length > 0 ? await fresh.next() : undefined;
    for (const portion of portions) {
      if (done[nextDone] === portion) {
        nextDone++;
        yield { portion, readings: (await journal.read(nameOf(portion)))! };
        continue;
      }
      const readings = nextFresh!.value as ChunkReadings;
      await journal.append(nameOf(portion), readings);
      yield { portion, readings };
      nextFresh = await fresh.next();
    }
  } finally {
    await fresh.return(undefined);
  }
}
