import { Worker, type Transferable, type WorkerOptions } from 'node:worker_threads';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import type { Failure, Reply, Request } from './serve.ts';
import { now } from './trace.ts';

/** The worker thread itself has failed or ended: it answers no more calls. */
export class DeviceError extends Error {
  override readonly name = 'DeviceError';
}

interface Call {
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: unknown) => void;
  readonly onNote: ((note: unknown) => void) | undefined;
  readonly onCopy: ((copy: Copy) => void) | undefined;
  readonly asked: number;
}

/** The transfer of a message between threads, in milliseconds of `now()`. */
export interface Copy {
  readonly name: 'request' | 'result';
  readonly start: number;
  readonly end: number;
}

/** The module `name` in the folder of `base` (an `import.meta.url`): TypeScript in the checkout, JavaScript once built. */
export function moduleBeside(base: string, name: string): URL {
  return new URL(`${name}${base.endsWith('.ts') ? '.ts' : '.js'}`, base);
}

/**
 * A worker thread that answers calls one after the other with the handler that its module passes to `serve`. If the thread ends unexpectedly,
 * pending calls fail with DeviceError. Dispose it when the work is done.
 */
export class ThreadDevice implements AsyncDisposable {
  readonly name: string;
  private readonly worker: Worker;
  private readonly calls = new Map<number, Call>();
  private next = 1;
  private ended: DeviceError | undefined;

  constructor(name: string, module: URL, options: Omit<WorkerOptions, 'workerData'> = {}) {
    this.name = name;
    this.worker = new Worker(module, { name, ...options });
    this.worker.on('message', (reply: Reply) => this.receive(reply));
    this.worker.on('error', (error) =>
      this.end(new DeviceError(`${name} failed: ${messageOf(error)}`, { cause: error })),
    );
    this.worker.on('exit', (code) => this.end(new DeviceError(`${name} ended with exit code ${code}`)));
  }

  /**
   * Sends a request and resolves to the handler's result. The handler gets `signal`; `onNote` receives its notes; `onCopy` receives how long
   * request and result took between the threads.
   *
   * @throws The handler's error, or DeviceError if the thread has ended.
   */
  call<Result>(
    request: unknown,
    options: {
      signal?: AbortSignal;
      transfer?: readonly Transferable[];
      onNote?: (note: unknown) => void;
      onCopy?: (copy: Copy) => void;
    } = {},
  ): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    if (this.ended) return Promise.reject(this.ended);
    const id = this.next++;
    this.calls.set(id, { resolve, reject, onNote: options.onNote, onCopy: options.onCopy, asked: now() });
    const cancel = () => this.worker.postMessage({ cancel: id } satisfies Request, []);
    this.worker.postMessage({ id, request } satisfies Request, options.transfer ?? []);
    if (options.signal?.aborted) cancel();
    options.signal?.addEventListener('abort', cancel, { once: true });
    const settled = promise.finally(() => options.signal?.removeEventListener('abort', cancel));
    return settled as Promise<Result>;
  }

  /** Ends the thread at once, whatever it is doing. */
  async retire(reason?: unknown): Promise<void> {
    this.end(reason instanceof DeviceError ? reason : new DeviceError(`${this.name} was ended`));
    await this.worker.terminate();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.retire();
  }

  private receive(reply: Reply): void {
    const call = this.calls.get(reply.id);
    if (!call) return;
    if ('note' in reply) {
      call.onNote?.(reply.note);
      return;
    }
    this.calls.delete(reply.id);
    if ('result' in reply) {
      call.onCopy?.({ name: 'request', start: call.asked, end: reply.arrived });
      call.onCopy?.({ name: 'result', start: reply.sent, end: now() });
      call.resolve(reply.result);
    } else call.reject(revived(reply.error));
  }

  private end(reason: DeviceError): void {
    this.ended ??= reason;
    for (const call of this.calls.values()) call.reject(this.ended);
    this.calls.clear();
  }
}

function revived({ message, stack, code, hint, issues }: Failure): Error {
  const error =
    code === undefined
      ? new Error(message)
      : new PlaybyplayError(code, message, { hint, ...(issues ? { issues } : {}) });
  if (stack !== undefined) error.stack = stack;
  return error;
}
