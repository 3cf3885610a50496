import { setTimeout as sleep } from 'node:timers/promises';
import { RpcWorker, threadModule } from '../../threads/rpc-worker.ts';
import type { AuthoringCalls } from './authoring-thread.ts';

/** Which thread answers: what an author waits for never stands behind what takes minutes. */
const THREAD_OF: Readonly<Record<keyof AuthoringCalls, 'reading' | 'labelling' | 'jobs'>> = {
  read: 'reading',
  cut: 'reading',
  pick: 'reading',
  collect: 'labelling',
  learn: 'labelling',
  study: 'labelling',
  discover: 'jobs',
  run: 'jobs',
};

/** Seconds that calls have to end when the studio is closed. */
const CLOSING_SECONDS = 2;

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
  readonly #threads = new Map<string, RpcWorker>();
  /** Calls that are not answered yet. */
  readonly #calls = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();

  /** Asks a thread. Throws what it throws, or WorkerError if it has ended. */
  async call<Name extends keyof AuthoringCalls>(
    name: Name,
    request: AuthoringCalls[Name]['request'],
    { signal, onProgress }: CallOptions = {},
  ): Promise<AuthoringCalls[Name]['result']> {
    const thread = THREAD_OF[name];
    let worker = this.#threads.get(thread);
    if (!worker) {
      worker = new RpcWorker(`authoring ${thread}`, threadModule(import.meta.url, './authoring-thread'));
      this.#threads.set(thread, worker);
    }
    const answer = worker.call<AuthoringCalls[Name]['result']>(
      { call: name, request },
      {
        signal: signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal,
        ...(onProgress ? { onNotification: (share) => onProgress(Number(share)) } : {}),
      },
    );
    const settled = answer.catch(() => undefined).finally(() => this.#calls.delete(settled));
    this.#calls.add(settled);
    return await answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Libraries that are ended in the middle of their work may take the process with them.
    this.#closing.abort();
    const late = new AbortController();
    const grace = sleep(1000 * CLOSING_SECONDS, undefined, { signal: late.signal }).catch(() => undefined);
    await Promise.race([Promise.all(this.#calls), grace]);
    late.abort();
    await Promise.all(Array.from(this.#threads.values(), (worker) => worker.terminate()));
    this.#threads.clear();
  }
}
