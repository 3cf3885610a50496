import { randomUUID } from 'node:crypto';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import { RpcWorker, threadModule } from '../../threads/rpc-worker.ts';
import type { CutProgress, CutRequest } from './cut-thread.ts';

/** How far a reel is. */
export interface CutJob {
  readonly id: string;
  /** The name of the file. */
  readonly name: string;
  readonly state: 'running' | 'done' | 'failed' | 'cancelled';
  readonly done: number;
  readonly total: number;
  /** The file as pages name it, once it is written. */
  readonly path?: string;
  readonly problem?: string;
  readonly hint?: string;
}

/** Jobs that are remembered after their end. */
const MAX_JOBS = 50;
/** Jobs that run at the same time: each uses all cores. */
const MAX_RUNNING = 2;

/** Runs a request in a thread of its own, which ends with it. */
export async function runCut<T>(request: CutRequest, signal?: AbortSignal, onProgress?: (at: CutProgress) => void) {
  await using worker = new RpcWorker('cut', threadModule(import.meta.url, './cut-thread'));
  return await worker.call<T>(request, {
    ...(signal && { signal }),
    onNotification: (at) => onProgress?.(at as CutProgress),
  });
}

/** Reels that are being written, and those that were. */
export class CutJobs implements AsyncDisposable {
  readonly #jobs = new Map<string, { job: CutJob; readonly controller: AbortController; ended: Promise<void> }>();

  /**
   * Begins to write a reel.
   *
   * @param path The file as pages name it.
   * @throws PlaybyplayError `busy` while others are being written.
   */
  start(request: CutRequest, name: string, path: string): CutJob {
    const running = [...this.#jobs.values()].filter(({ job }) => job.state === 'running');
    if (running.length >= MAX_RUNNING)
      throw new PlaybyplayError('busy', `${running.length} reels are being written`, {
        hint: 'Wait for one to be done, or cancel it.',
      });
    const id = randomUUID();
    const controller = new AbortController();
    const job: CutJob = { id, name, state: 'running', done: 0, total: 0 };
    const entry = { job, controller, ended: Promise.resolve() };
    this.#jobs.set(id, entry);
    const [oldest] = this.#jobs.keys();
    if (this.#jobs.size > MAX_JOBS) this.#jobs.delete(oldest!);
    const onProgress = (at: CutProgress): void => {
      entry.job = { ...entry.job, ...at };
    };
    entry.ended = runCut(request, controller.signal, onProgress).then(
      () => {
        entry.job = { ...entry.job, state: 'done', path };
      },
      (error: unknown) => {
        const hint = error instanceof PlaybyplayError ? error.hint : undefined;
        entry.job = controller.signal.aborted
          ? { ...entry.job, state: 'cancelled' }
          : { ...entry.job, state: 'failed', problem: messageOf(error), ...(hint !== undefined && { hint }) };
      },
    );
    return job;
  }

  /** How far a job is. Throws PlaybyplayError `no-such-job`. */
  get(id: string): CutJob {
    return this.#find(id).job;
  }

  /** Stops a job. Returns whether it was running. Throws PlaybyplayError `no-such-job`. */
  cancel(id: string): boolean {
    const { job, controller } = this.#find(id);
    controller.abort();
    return job.state === 'running';
  }

  #find(id: string) {
    const entry = this.#jobs.get(id);
    if (!entry) throw new PlaybyplayError('no-such-job', 'the studio was started anew since this job');
    return entry;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { controller } of this.#jobs.values()) controller.abort();
    await Promise.all([...this.#jobs.values()].map(({ ended }) => ended));
  }
}
