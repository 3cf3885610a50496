import { parentPort, type Transferable } from 'node:worker_threads';
import { type Issue, messageOf, PlaybyplayError } from '../../errors.ts';
import { now } from './trace.ts';

/** What a thread answers. */
export type Reply =
  | { readonly id: number; readonly arrived: number; readonly sent: number; readonly result: unknown }
  | { readonly id: number; readonly note: unknown }
  | { readonly id: number; readonly error: Failure };

/** An error on its way between two memories. */
export interface Failure {
  readonly message: string;
  readonly stack: string | undefined;
  readonly code?: string;
  readonly hint?: string | undefined;
  readonly issues?: readonly Issue[];
}

/** What a thread is asked. */
export type Request = { readonly id: number; readonly request: unknown } | { readonly cancel: number };

/** What a handler is given besides the request. */
export interface CallContext {
  readonly signal: AbortSignal;
  /** Sends something to the caller before the result. */
  note(note: unknown, transfer?: readonly Transferable[]): void;
}

/** A handler's result together with what is to be moved instead of copied. */
export class Moved {
  readonly result: unknown;
  readonly transfer: readonly Transferable[];
  constructor(result: unknown, transfer: readonly Transferable[]) {
    this.result = result;
    this.transfer = transfer;
  }
}

/** In a worker thread: answers the calls of its ThreadDevice, one after the other. */
export function serve(handler: (request: unknown, context: CallContext) => unknown): void {
  const port = parentPort;
  if (!port) throw new TypeError('serve is for worker threads');
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
    const note = (value: unknown, transfer: readonly Transferable[] = []) =>
      port.postMessage({ id, note: value }, transfer);
    last = last.then(async () => {
      try {
        const result = await handler(request, { signal: controller.signal, note });
        const times = { arrived, sent: now() };
        if (result instanceof Moved) port.postMessage({ id, ...times, result: result.result }, result.transfer);
        else port.postMessage({ id, ...times, result });
      } catch (error) {
        port.postMessage({ id, error: failure(error) });
      } finally {
        running.delete(id);
      }
    });
  });
}

function failure(error: unknown): Failure {
  const plain = { message: messageOf(error), stack: error instanceof Error ? error.stack : undefined };
  if (!(error instanceof PlaybyplayError)) return plain;
  return { ...plain, code: error.code, hint: error.hint, issues: error.issues };
}
