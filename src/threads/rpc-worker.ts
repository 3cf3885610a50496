import { SHARE_ENV, Worker, type Transferable, type WorkerOptions } from 'node:worker_threads';
import { messageOf, PlaybyplayError } from '../errors.ts';
import type { Failure, Reply, Request } from './serve.ts';
import { now } from './trace.ts';

/** A worker thread failed or ended and answers no more calls. */
export class WorkerError extends Error {
  override readonly name = 'WorkerError';
}

/**
 * Whether a thread runs JavaScript or waits, so that it can be ended. Node ends the whole process where native code calls back
 * into a thread that is being ended, and waits for native code that does not return.
 *
 * @param within Milliseconds that a call of native code may take.
 */
export async function answers(worker: Worker, within: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(resolve, within, false);
  // V8 interrupts JavaScript for the statistics, even an endless loop. Of a thread that has ended, or is ending, there are none.
  const answer = worker.getHeapStatistics().then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

interface Call {
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: unknown) => void;
  readonly onNotification: ((notification: unknown) => void) | undefined;
  readonly onTransfer: ((copy: MessageTransfer) => void) | undefined;
  readonly requestedAt: number;
}

/** The time that a message took between threads, in milliseconds of `now()`. */
export interface MessageTransfer {
  readonly name: 'request' | 'result';
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the URL of a thread's module: TypeScript in the checkout, JavaScript in the package.
 *
 * @param base `import.meta.url` of the module that starts the thread. Loaders may have added a query.
 * @param name Path without extension, relative to `base`.
 */
export function threadModule(base: string, name: string): URL {
  return new URL(`${name}${new URL(base).pathname.endsWith('.ts') ? '.ts' : '.js'}`, base);
}

/**
 * A worker thread that answers calls one after the other with the handler that its module passes to `serve`. If the thread
 * ends unexpectedly, pending calls fail with `WorkerError`. Disposing of it ends the thread.
 */
export class RpcWorker implements AsyncDisposable {
  readonly name: string;
  private readonly worker: Worker;
  private readonly calls = new Map<number, Call>();
  private next = 1;
  private ended: Error | undefined;
  private hasExited = false;
  private isAbandoned = false;

  constructor(name: string, module: URL, options: Omit<WorkerOptions, 'workerData'> = {}) {
    this.name = name;
    // Native libraries see what a thread sets in the environment.
    this.worker = new Worker(module, { name, env: SHARE_ENV, ...options });
    this.worker.on('message', (reply: Reply) => this.receive(reply));
    this.worker.on('error', (error) =>
      this.end(new WorkerError(`${name} failed: ${messageOf(error)}`, { cause: error })),
    );
    this.worker.on('exit', (code) => {
      this.hasExited = true;
      this.end(new WorkerError(`${name} ended with exit code ${code}`));
    });
  }

  /**
   * Sends a request and resolves to the handler's result. The handler gets `signal`; `onNotification` receives its
   * notifications; `onTransfer` receives how long request and result took between the threads.
   *
   * @throws The handler's error, or WorkerError if the thread has ended.
   */
  call<Result>(
    request: unknown,
    options: {
      signal?: AbortSignal | undefined;
      transfer?: readonly Transferable[];
      onNotification?: (notification: unknown) => void;
      onTransfer?: (copy: MessageTransfer) => void;
    } = {},
  ): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    if (this.ended) return Promise.reject(this.ended);
    const id = this.next++;
    this.calls.set(id, {
      resolve,
      reject,
      onNotification: options.onNotification,
      onTransfer: options.onTransfer,
      requestedAt: now(),
    });
    const cancel = () => this.worker.postMessage({ cancel: id } satisfies Request, []);
    this.worker.postMessage({ id, request } satisfies Request, options.transfer ?? []);
    if (options.signal?.aborted) cancel();
    options.signal?.addEventListener('abort', cancel, { once: true });
    const settled = promise.finally(() => options.signal?.removeEventListener('abort', cancel));
    return settled as Promise<Result>;
  }

  /** Whether the thread can be ended, or has ended: see `answers`. */
  async answers(within = 3000): Promise<boolean> {
    return this.hasExited || (await answers(this.worker, within)) || this.hasExited;
  }

  /** Ends the thread at once, even during a call; not one that was abandoned. */
  async terminate(reason?: unknown): Promise<void> {
    this.end(reason instanceof WorkerError ? reason : new WorkerError(`${this.name} was ended`));
    if (!this.isAbandoned) await this.worker.terminate();
  }

  /**
   * Leaves a thread alone whose native code does not return: its calls fail with `reason`. The process cannot end in the
   * usual way before the native code returns.
   */
  abandon(reason: Error): void {
    this.isAbandoned = true;
    this.worker.unref();
    this.end(reason);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.terminate();
  }

  private receive(reply: Reply): void {
    const call = this.calls.get(reply.id);
    if (!call) return;
    if ('notification' in reply) {
      call.onNotification?.(reply.notification);
      return;
    }
    this.calls.delete(reply.id);
    if ('result' in reply) {
      call.onTransfer?.({ name: 'request', start: call.requestedAt, end: reply.arrived });
      call.onTransfer?.({ name: 'result', start: reply.sent, end: now() });
      call.resolve(reply.result);
    } else call.reject(toError(reply.error));
  }

  private end(reason: Error): void {
    this.ended ??= reason;
    for (const call of this.calls.values()) call.reject(this.ended);
    this.calls.clear();
  }
}

function toError({ message, stack, code, hint, issues }: Failure): Error {
  const error =
    code === undefined
      ? new Error(message)
      : new PlaybyplayError(code, message, { hint, ...(issues ? { issues } : {}) });
  if (stack !== undefined) error.stack = stack;
  return error;
}
