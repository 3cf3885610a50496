// The thread that keeps what detectors read along recordings: the journal of a long one takes seconds to read.
import { readJournal } from '../../events/journal.ts';
import { detectorsOfKey } from '../../pipeline/header.ts';
import type { ChunkReadings } from '../../pipeline/reading/chunk-readings.ts';
import { serve } from '../../threads/serve.ts';
import { type ReadingChange, ReadingHistory, type ReadingLane } from './reading-history.ts';

/** What the thread is asked about a journal. `version` changes with the file. */
export type ReadingsRequest = { readonly path: string; readonly version: string } & (
  | { readonly lanes: { readonly from: number; readonly to: number; readonly columns: number } }
  | { readonly change: { readonly t: number; readonly direction: 1 | -1; readonly name?: string | undefined } }
);

/** The lanes of a stretch, as far as the journal was read. */
export interface ReadLanes {
  readonly lanes: readonly ReadingLane[];
  readonly isComplete: boolean;
}

/** Journals that are kept: a comparison shows two. */
const MAX_JOURNALS = 3;
/** Milliseconds that a first answer waits for all of a journal. */
const FIRST_ANSWER_MS = 150;
/** Chunks that wait for an earlier one. */
const MAX_EARLY_CHUNKS = 64;

interface Loading {
  readonly version: string;
  history: ReadingHistory | undefined;
  /** All of the journal was read, or it cannot be. */
  isComplete: boolean;
  readonly done: Promise<void>;
}

const journals = new Map<string, Loading>();

serve(async (message) => {
  const request = message as ReadingsRequest;
  const loading = open(request.path, request.version);
  if ('lanes' in request) {
    const { from, to, columns } = request.lanes;
    // What was read of a short recording comes with the first answer.
    await Promise.race([loading.done, new Promise((resolve) => void setTimeout(resolve, FIRST_ANSWER_MS))]);
    const lanes = loading.history?.lanes(from, to, columns) ?? [];
    return { lanes, isComplete: loading.isComplete } satisfies ReadLanes;
  }
  await loading.done;
  const { t, direction, name } = request.change;
  return loading.history?.nextChange(t, direction, name) satisfies ReadingChange | undefined;
});

function open(path: string, version: string): Loading {
  const known = journals.get(path);
  journals.delete(path);
  const loading = known?.version === version ? known : load(path, version);
  journals.set(path, loading);
  const [oldest] = journals.keys();
  if (journals.size > MAX_JOURNALS) journals.delete(oldest!);
  return loading;
}

function load(path: string, version: string): Loading {
  const loading: Loading = {
    version,
    history: undefined,
    isComplete: false,
    done: read().finally(() => {
      loading.isComplete = true;
    }),
  };
  // Each request reports what is wrong.
  loading.done.catch(() => undefined);
  return loading;

  async function read(): Promise<void> {
    const journal = await readJournal(path);
    const detectors = journal && detectorsOfKey(journal.key);
    if (!journal || !detectors) return;
    const history = new ReadingHistory(detectors);
    loading.history = history;
    // Chunks are stored as they are completed: nearly in order.
    const early = new Map<number, ChunkReadings>();
    let next = 0;
    const take = (number: number): void => {
      history.add(early.get(number)!);
      early.delete(number);
      next = number + 1;
    };
    for await (const { chunk, record } of journal.records()) {
      // It was replaced by another version, or others are wanted more.
      if (journals.get(path) !== loading) return;
      // Chunks of companions have a name before the number, and another clock.
      if (!/^\d+$/.test(chunk)) continue;
      early.set(Number(chunk), record as ChunkReadings);
      while (early.has(next)) take(next);
      if (early.size > MAX_EARLY_CHUNKS) take(Math.min(...early.keys()));
    }
    for (const number of [...early.keys()].toSorted((a, b) => a - b)) take(number);
    history.finish();
  }
}
