import { parentPort, type Transferable } from 'node:worker_threads';
import { type Issue, messageOf, PlaybyplayError } from '../errors.ts';
import { now } from './trace.ts';

/** Message from a worker thread to its `RpcWorker`. */
export type Reply =
  | { readonly id: number; readonly arrived: number; readonly sent: number; readonly result: unknown }
  | { readonly id: number; readonly notification: unknown }
  | { readonly id: number; readonly error: Failure };

/** An error as a message can carry it. */
export interface Failure {
  readonly message: string;
  readonly stack: string | undefined;
  readonly code?: string;
  readonly hint?: string | undefined;
  readonly issues?: readonly Issue[];
}

/** Message from an `RpcWorker` to its thread. */
export type Request = { readonly id: number; readonly request: unknown } | { readonly cancel: number };

/** Passed to a handler with each request. */
export interface CallContext {
  /** Aborts when the caller cancels the call. */
  readonly signal: AbortSignal;
  /** Sends a notification to the caller before the result. */
  notify(notification: unknown, transfer?: readonly Transferable[]): void;
}

/** A handler's result with the objects that are transferred instead of copied. */
export class TransferredResult {
  readonly result: unknown;
  readonly transfer: readonly Transferable[];
  constructor(result: unknown, transfer: readonly Transferable[]) {
    this.result = result;
    this.transfer = transfer;
  }
}

/**
 * Serves the calls of the thread's `RpcWorker`, one after the other. Call it once, in the module of a worker thread.
 *
 * @param handler Returns the result of a request, or a `TransferredResult`. What it throws is thrown by the call.
 */
export function serve(handler: (request: unknown, context: CallContext) => unknown): void {
  const port = parentPort;
  if (!port) throw new TypeError('serve() runs in worker threads only');
  const running = new Map<number, AbortController>();
  let last: Promise<void> = Promise.resolve();
  port.on('message', (message: Request) => {
    if ('cancel' in message) {
      running.get(message.cancel)?.abort();
      return;
    }
    const { id, request } = message;
    const arrived = now();
    const controller = new AbortController();
    running.set(id, controller);
    const notify = (notification: unknown, transfer: readonly Transferable[] = []) =>
      port.postMessage({ id, notification }, transfer);
    last = last.then(async () => {
      try {
        const result = await handler(request, { signal: controller.signal, notify });
        const times = { arrived, sent: now() };
        if (result instanceof TransferredResult)
          port.postMessage({ id, ...times, result: result.result }, result.transfer);
        else port.postMessage({ id, ...times, result });
      } catch (error) {
        port.postMessage({ id, error: toFailure(error) });
      } finally {
        running.delete(id);
      }
    });
  });
}

/** An error as a message can carry it: its kind, where it is one of this program's. */
export function toFailure(error: unknown): Failure {
  const plain = { message: messageOf(error), stack: error instanceof Error ? error.stack : undefined };
  if (!(error instanceof PlaybyplayError)) return plain;
  return { ...plain, code: error.code, hint: error.hint, issues: error.issues };
}
