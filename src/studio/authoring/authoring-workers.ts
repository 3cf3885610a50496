import { GracefulWorker } from '../../threads/graceful-worker.ts';
import { threadModule } from '../../threads/rpc-worker.ts';
import type { AuthoringCalls } from './authoring-thread.ts';

/** Which thread answers: what an author waits for never stands behind what takes minutes. */
const THREAD_OF: Readonly<Record<keyof AuthoringCalls, 'reading' | 'labelling' | 'jobs'>> = {
  read: 'reading',
  cut: 'reading',
  pick: 'reading',
  collect: 'labelling',
  learn: 'labelling',
  study: 'labelling',
  feed: 'labelling',
  hear: 'labelling',
  discover: 'jobs',
  run: 'jobs',
};

/** Options of a call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with the share that is done, 0…1. */
  readonly onProgress?: ((share: number) => void) | undefined;
}

/**
 * The threads that decode, read and learn while an author works. They start when they are needed.
 *
 * @example
 * await using workers = new AuthoringWorkers();
 * const discovery = await workers.call('discover', { media: ['race.mp4'] });
 */
export class AuthoringWorkers implements AsyncDisposable {
  readonly #threads = new Map<string, GracefulWorker>();

  /** Asks a thread. Throws what it throws, or WorkerError if it has ended. */
  async call<Name extends keyof AuthoringCalls>(
    name: Name,
    request: AuthoringCalls[Name]['request'],
    { signal, onProgress }: CallOptions = {},
  ): Promise<AuthoringCalls[Name]['result']> {
    const thread = THREAD_OF[name];
    let worker = this.#threads.get(thread);
    if (!worker) {
      worker = new GracefulWorker(`authoring ${thread}`, threadModule(import.meta.url, './authoring-thread'));
      this.#threads.set(thread, worker);
    }
    return await worker.call<AuthoringCalls[Name]['result']>(
      { call: name, request },
      { signal, ...(onProgress ? { onNotification: (share) => onProgress(Number(share)) } : {}) },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(Array.from(this.#threads.values(), (worker) => worker[Symbol.asyncDispose]()));
    this.#threads.clear();
  }
}
