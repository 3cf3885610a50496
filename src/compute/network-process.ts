import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { PlaybyplayError } from '../errors.ts';
import type { Failure } from '../threads/serve.ts';
import { threadModule } from '../threads/rpc-worker.ts';
import type { NetworkOptions, Values } from './inference.ts';
import { OUT_OF_MEMORY_SIGNAL } from '../threads/guard-process.ts';
import { modelError } from './onnx/checked-model.ts';
import { MEMORY_VARIABLE, networkLimits, SECONDS_VARIABLE } from './onnx/limits.ts';

/** Request to the process. */
export type NetworkRequest =
  | { readonly open: { readonly bytes: Uint8Array; readonly options: NetworkOptions } }
  | { readonly feeds: Readonly<Record<string, Values>> };

/** Answer of the process. */
export type NetworkReply = { readonly outputs: ReadonlyMap<string, Values> } | { readonly failure: Failure };

/**
 * A network in a process of its own, which is ended when it needs too much memory, when a run takes too long or when the program has
 * ended: the runtime is native code that no thread can interrupt, and its memory is not V8's.
 */
export class NetworkProcess implements Disposable {
  readonly #child: ChildProcess;
  readonly #file: string;
  #answer: ((reply: NetworkReply | PlaybyplayError) => void) | undefined;
  #ended: PlaybyplayError | undefined;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(file: string) {
    this.#file = file;
    this.#child = fork(fileURLToPath(threadModule(import.meta.url, './network-child')), [String(process.pid)], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: [],
    });
    this.#child.on('message', (reply: NetworkReply) => this.#answer?.(reply));
    this.#child.on('error', (error) => this.#end(`its process cannot be started: ${error.message}`));
    this.#child.on('exit', (code, signal) => {
      if (signal === OUT_OF_MEMORY_SIGNAL) this.#ended ??= memoryError(file);
      this.#end(`the runtime ended with ${signal ?? `exit code ${code}`}`);
    });
    this.#setIdle(true);
  }

  /** Opens a network. @throws PlaybyplayError as `openNetwork`, `model-memory`, `model-timeout`. */
  static async open(bytes: Uint8Array, options: NetworkOptions): Promise<NetworkProcess> {
    const opened = new NetworkProcess(options.file);
    try {
      await opened.#call({ open: { bytes, options } }, 'opening it');
      return opened;
    } catch (error) {
      opened[Symbol.dispose]();
      throw error;
    }
  }

  /** Runs the network, one run at a time. @throws PlaybyplayError `model-failed`, `model-memory`, `model-timeout`. */
  async run(feeds: Readonly<Record<string, Values>>): Promise<ReadonlyMap<string, Values>> {
    const run = this.#last.then(() => this.#call({ feeds }, 'a run'));
    this.#last = run.catch(() => undefined);
    return await run;
  }

  [Symbol.dispose](): void {
    this.#ended ??= modelError('model-failed', 'failed', this.#file, 'it is closed');
    this.#child.kill('SIGKILL');
  }

  async #call(request: NetworkRequest, what: string): Promise<ReadonlyMap<string, Values>> {
    if (this.#ended) throw this.#ended;
    const { seconds } = networkLimits();
    this.#setIdle(false);
    const { promise, resolve } = Promise.withResolvers<NetworkReply | PlaybyplayError>();
    this.#answer = resolve;
    const timer = setTimeout(() => {
      this.#ended = timeoutError(this.#file, what, seconds);
      this.#child.kill('SIGKILL');
      resolve(this.#ended);
    }, 1000 * seconds);
    try {
      this.#child.send(request);
      const reply = await promise;
      if (reply instanceof PlaybyplayError) throw reply;
      if ('outputs' in reply) return reply.outputs;
      const { code = 'model-failed', message, ...more } = reply.failure;
      throw new PlaybyplayError(code, message, more);
    } finally {
      clearTimeout(timer);
      this.#answer = undefined;
      this.#setIdle(true);
    }
  }

  #end(reason: string): void {
    this.#ended ??= modelError('model-failed', 'failed', this.#file, reason);
    this.#answer?.(this.#ended);
  }

  /** An idle process does not keep the program running. */
  #setIdle(isIdle: boolean): void {
    const change = isIdle ? 'unref' : 'ref';
    this.#child[change]();
    this.#child.channel?.[change]();
  }
}

function memoryError(file: string): PlaybyplayError {
  const megabytes = Math.round(networkLimits().memory / 2 ** 20);
  return modelError(
    'model-memory',
    'is too large',
    file,
    `it needs more than ${megabytes} MiB of memory`,
    `Use a smaller network or input, a memoryBudget, or raise the limit: ${MEMORY_VARIABLE}=${4 * megabytes} allows ${4 * megabytes} MiB.`,
  );
}

function timeoutError(file: string, what: string, seconds: number): PlaybyplayError {
  return modelError(
    'model-timeout',
    'is too slow',
    file,
    `${what} took longer than ${seconds} s`,
    `Use a smaller network or input, or raise the limit: ${SECONDS_VARIABLE}=${5 * seconds} allows ${5 * seconds} s.`,
  );
}
