import { Worker } from 'node:worker_threads';

/** Milliseconds between two checks that the program still runs. */
const WATCH_INTERVAL_MS = 500;

/** `workerData` is the id of the parent. On Windows the id of the parent never changes. */
const watch = `
  const { workerData } = require('node:worker_threads');
  function isOrphan() {
    if (process.ppid !== workerData) return true;
    try {
      process.kill(workerData, 0);
      return false;
    } catch (error) {
      return error.code === 'ESRCH';
    }
  }
  setInterval(() => isOrphan() && process.kill(process.pid, 'SIGKILL'), ${WATCH_INTERVAL_MS});
`;

/**
 * Ends this process when the one that started it has ended, however that ended and whatever this one computes.
 *
 * @param parent Id of the process that started this one.
 */
export function exitWithParent(parent: number): void {
  // In a thread of its own, because work may block this one.
  new Worker(watch, { eval: true, workerData: parent }).unref();
}
