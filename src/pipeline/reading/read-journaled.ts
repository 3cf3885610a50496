import type { Journal } from '../../events/journal.ts';
import type { ChunkReadings } from './chunk-readings.ts';
import type { PlannedChunk } from './plan.ts';
import type { ReadChunk, ReaderPool } from './reader-pool.ts';

/** How chunks are stored in the journal. */
export interface JournalOptions {
  /** Precedes the number of a chunk in its name. */
  readonly prefix?: string;
  readonly signal?: AbortSignal | undefined;
}

/** Yields the readings of every chunk, in order: from the journal if it has them, else from the pool, then stored there. */
export async function* readJournaled(
  chunks: AsyncIterable<PlannedChunk> | Iterable<PlannedChunk>,
  pool: ReaderPool,
  journal: Journal<ChunkReadings> | undefined,
  { prefix = '', signal }: JournalOptions = {},
): AsyncGenerator<ReadChunk, void, undefined> {
  const nameOf = ({ number }: PlannedChunk): string => `${prefix}${number}`;
  const stored: PlannedChunk[] = [];
  async function* missing(): AsyncGenerator<PlannedChunk, void, undefined> {
    for await (const chunk of chunks)
      if (journal?.completed.has(nameOf(chunk))) stored.push(chunk);
      else yield chunk;
  }
  const read = async (request: PlannedChunk): Promise<ReadChunk> => ({
    request,
    readings: (await journal!.read(nameOf(request)))!,
  });
  for await (const fresh of pool.read(missing(), signal)) {
    while (stored[0] && stored[0].number < fresh.request.number) yield await read(stored.shift()!);
    await journal?.append(nameOf(fresh.request), fresh.readings);
    yield fresh;
  }
  for (const request of stored.splice(0)) yield await read(request);
}
