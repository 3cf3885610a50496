import type { Device } from '../../compute/scheduler/schedule.ts';
import type { Copy } from '../../compute/scheduler/threads.ts';
import type { Observation } from '../../detectors/kind.ts';
import type { ChunkReadings } from './chunk-readings.ts';
import type { ReadingNote } from './read-thread.ts';
import type { ReadRequest } from './session.ts';
import type { LeftReading } from './sharing.ts';

/** What a reader is given besides its request. */
export interface ReadContext {
  readonly signal: AbortSignal;
  /** Told how long request and readings were on their way between two threads. */
  readonly onCopy?: ((copy: Copy) => void) | undefined;
  /** Told what the thread notes on the way. */
  readonly onNote?: (note: ReadingNote) => void;
}

/** Something that reads chunks, one at a time. Close it when the work is over. */
export interface Reader extends Device {
  /** Whether it is a thread of its own, which can end or be ended. */
  readonly thread: boolean;
  read(request: ReadRequest, context: ReadContext): Promise<ChunkReadings>;
  /** Makes readings that another thread has left. */
  settle(left: readonly LeftReading[], context: ReadContext): Promise<ReadonlyMap<number, Observation>>;
  retire(reason?: unknown): Promise<void>;
}
