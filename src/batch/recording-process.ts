import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { threadModule } from '../threads/rpc-worker.ts';
import type { JobFailure } from './queue.ts';
import type { RecordingWork, WorkResult } from './work.ts';

/** Seconds without a sign of progress after which a process is ended: longer than any step of reading takes. */
const STUCK_SECONDS = 900;

/** Request to the process. */
export interface ChildRequest {
  readonly work: RecordingWork;
  /** From 1. */
  readonly attempt: number;
  /** Reading threads. */
  readonly threads: number;
}

/** What the process reports. */
export type ChildMessage =
  | { readonly type: 'progress'; readonly share: number }
  | { readonly type: 'done'; readonly result: WorkResult }
  | { readonly type: 'failed'; readonly failure: JobFailure; readonly isFinal: boolean };

/** How a piece of work ended. */
export type WorkOutcome = { readonly result: WorkResult } | { readonly failure: JobFailure; readonly isFinal: boolean };

/**
 * A process that reads recordings, one after the other. If it crashes, the work at hand fails and the next one starts another
 * process. Disposing of it ends it.
 */
export class RecordingProcess implements Disposable {
  #child: ChildProcess | undefined;
  /** Settles the work at hand. */
  #settle: ((outcome: WorkOutcome) => void) | undefined;

  /** Does a piece of work; `onProgress` is called with the share that is done, from 0 to 1. */
  async run(request: ChildRequest, onProgress: (share: number) => void): Promise<WorkOutcome> {
    const { promise, resolve } = Promise.withResolvers<WorkOutcome>();
    let timer: NodeJS.Timeout | undefined;
    const watch = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => this.stop(`it made no progress for ${STUCK_SECONDS} s`), STUCK_SECONDS * 1000);
    };
    this.#settle = resolve;
    this.#child ??= this.#start();
    const listen = (message: ChildMessage): void => {
      watch();
      if (message.type === 'progress') onProgress(message.share);
      else resolve(message);
    };
    this.#child.on('message', listen);
    watch();
    try {
      this.#child.send(request);
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#child?.off('message', listen);
      this.#settle = undefined;
    }
  }

  /** Ends the process; the work at hand fails for this reason. */
  stop(reason: string): void {
    this.#end(reason);
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  [Symbol.dispose](): void {
    this.stop('its worker stops');
  }

  #start(): ChildProcess {
    const child = fork(fileURLToPath(threadModule(import.meta.url, './recording-child')), [String(process.pid)], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: [],
    });
    const note = (reason: string): void => {
      if (this.#child !== child) return;
      this.#child = undefined;
      this.#end(reason);
    };
    child.on('error', (error) => note(`its process failed: ${error.message}`));
    child.on('exit', (code, signal) => note(`its process ended with ${signal ?? `exit code ${code}`}`));
    return child;
  }

  #end(reason: string): void {
    this.#settle?.({ failure: { code: 'worker-crashed', message: reason }, isFinal: false });
  }
}
