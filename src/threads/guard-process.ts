import { flushCompileCache } from 'node:module';
import { Worker } from 'node:worker_threads';
import { type Failure, toFailure } from './serve.ts';

/** Milliseconds between two checks that the program still runs. */
const WATCH_INTERVAL_MS = 500;
/** Milliseconds between two checks of the memory of this process. */
const MEMORY_INTERVAL_MS = 10;

/** The signal by which a process ends that uses too much memory. */
export const OUT_OF_MEMORY_SIGNAL = 'SIGTERM';

const watch = `
  const { parent, memory } = require('node:worker_threads').workerData;
  // On Windows the id of the parent never changes.
  function isOrphan() {
    if (process.ppid !== parent) return true;
    try {
      process.kill(parent, 0);
      return false;
    } catch (error) {
      return error.code === 'ESRCH';
    }
  }
  setInterval(() => isOrphan() && process.kill(process.pid, 'SIGKILL'), ${WATCH_INTERVAL_MS});
  const limit = process.memoryUsage.rss() + memory;
  if (memory > 0)
    setInterval(
      () => process.memoryUsage.rss() > limit && process.kill(process.pid, '${OUT_OF_MEMORY_SIGNAL}'),
      ${MEMORY_INTERVAL_MS},
    );
`;

/**
 * Ends this process when the one that started it has ended, however that ended and whatever this one computes, and when it needs more
 * memory than it may.
 *
 * @param parent Id of the process that started this one.
 * @param memory Bytes of memory that this process may need from now on; unlimited if left out.
 */
export function guardProcess(parent: number, memory = 0): void {
  // In a thread of its own, because work may block this one.
  new Worker(watch, { eval: true, workerData: { parent, memory } }).unref();
}

let isCompiledCodeKept = false;

/**
 * Keeps what this process has compiled so far for the next one of its kind. Node does so when a process ends, but not when a signal ends
 * it, which is how most of these end. Only the first call does something.
 */
export function keepCompiledCode(): void {
  if (!isCompiledCodeKept) flushCompileCache();
  isCompiledCodeKept = true;
}

/**
 * Answers the messages of the process that started this one, and ends as `guardProcess` says. Call it once, in the module of a process
 * whose first argument is the id of its parent.
 *
 * @param answer Returns the reply to a request. What it throws becomes a reply with a `failure`.
 * @param memory As of `guardProcess`.
 */
export function serveParent<Request, Reply>(
  answer: (request: Request) => Promise<Reply | { readonly failure: Failure }>,
  memory?: number,
): void {
  process.on('message', (request: Request) => {
    void answer(request)
      .then(
        (reply) => process.send?.(reply),
        (error: unknown) => process.send?.({ failure: toFailure(error) }),
      )
      .finally(keepCompiledCode);
  });
  process.on('disconnect', () => {
    process.exit();
  });
  guardProcess(Number(process.argv[2]), memory);
}
