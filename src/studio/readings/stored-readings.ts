import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { JOURNAL_NAME } from '../../pipeline/record-log.ts';
import { GracefulWorker } from '../../threads/graceful-worker.ts';
import { threadModule } from '../../threads/rpc-worker.ts';
import type { ReadingChange } from './reading-history.ts';
import type { ReadingsRequest, ReadLanes } from './readings-thread.ts';

/** The journal with the readings of a log. */
export function readingsOfLog(log: string): string {
  return join(dirname(log), JOURNAL_NAME);
}

/** What detectors read along recordings, from the journals that `detect` and tests of packs leave: read by a thread of its own. */
export class StoredReadings implements AsyncDisposable {
  #worker: GracefulWorker | undefined;

  /** Describes a stretch, in `columns` parts where there are many readings. Without a journal there are no lanes. */
  async lanes(
    path: string,
    { from, to, columns }: { readonly from: number; readonly to: number; readonly columns: number },
    signal: AbortSignal,
  ): Promise<ReadLanes> {
    const version = await versionOfJournal(path);
    if (version === undefined) return { lanes: [], isComplete: true };
    return await this.#call<ReadLanes>({ path, version, lanes: { from, to, columns } }, signal);
  }

  /** The next change after a time, or the last one before it: of one detector, or of any. */
  async change(
    path: string,
    { t, direction, name }: { readonly t: number; readonly direction: 1 | -1; readonly name?: string | undefined },
    signal: AbortSignal,
  ): Promise<ReadingChange | undefined> {
    const version = await versionOfJournal(path);
    if (version === undefined) return undefined;
    return await this.#call<ReadingChange | undefined>({ path, version, change: { t, direction, name } }, signal);
  }

  async #call<Result>(request: ReadingsRequest, signal: AbortSignal): Promise<Result> {
    this.#worker ??= new GracefulWorker('readings', threadModule(import.meta.url, './readings-thread'));
    return await this.#worker.call<Result>(request, { signal });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker?.[Symbol.asyncDispose]();
  }
}

/** Size and time of change of a journal; undefined where there is none. */
async function versionOfJournal(path: string): Promise<string | undefined> {
  const info = await stat(path).catch(() => undefined);
  return info?.isFile() === true ? `${info.size}-${Math.round(info.mtimeMs)}` : undefined;
}
