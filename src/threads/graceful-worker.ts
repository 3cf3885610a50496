import { setTimeout as sleep } from 'node:timers/promises';
import { RpcWorker } from './rpc-worker.ts';

/** Seconds that calls have to end when the thread is closed. */
const CLOSING_SECONDS = 5;

/**
 * A worker thread that is ended between its calls: native libraries that are ended in the middle of their work may take the
 * process with them. Closing cancels the calls that are running and waits for them.
 *
 * @example
 * await using frames = new GracefulWorker('frames', threadModule(import.meta.url, './frame-thread'));
 * const opened = await frames.call<OpenedRecording>({ open: 'match.mp4' });
 */
export class GracefulWorker implements AsyncDisposable {
  readonly #worker: RpcWorker;
  readonly #calls = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();

  constructor(...[name, module]: ConstructorParameters<typeof RpcWorker>) {
    this.#worker = new RpcWorker(name, module);
  }

  /** Calls the thread, as `RpcWorker.call` does. */
  async call<Result>(
    request: unknown,
    {
      signal,
      onNotification,
    }: { readonly signal?: AbortSignal | undefined; readonly onNotification?: (notification: unknown) => void } = {},
  ): Promise<Result> {
    const { signal: closing } = this.#closing;
    const answer = this.#worker.call<Result>(request, {
      signal: signal ? AbortSignal.any([signal, closing]) : closing,
      ...(onNotification ? { onNotification } : {}),
    });
    const settled = answer.catch(() => undefined).finally(() => this.#calls.delete(settled));
    this.#calls.add(settled);
    return await answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    const late = new AbortController();
    const grace = sleep(1000 * CLOSING_SECONDS, undefined, { signal: late.signal }).catch(() => undefined);
    await Promise.race([Promise.all(this.#calls), grace]);
    late.abort();
    await this.#worker.terminate();
  }
}
