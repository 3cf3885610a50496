// A thread that watches the main one while plug-ins are in use: whoever is in a loop without end cannot say so himself.
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { type Cells, Patience } from '../detectors/plugins/watch.ts';

/** What the thread is started with. */
export interface WatchdogData {
  readonly cells: Cells;
  /** What the person called the plug-ins. */
  readonly names: readonly string[];
}

/** Seconds that one call may take in the main thread, and bytes by which the process may grow meanwhile. */
const SECONDS = 60;
const MEMORY = 8 * 2 ** 30;

const { cells, names } = workerData as WatchdogData;
const patience = new Patience(cells, SECONDS, MEMORY);

setInterval(() => {
  const verdict = patience.look(performance.now(), process.memoryUsage.rss());
  if (!verdict) return;
  const advice =
    'A log that was begun keeps what it holds; detect --resume goes on with it once the plug-in is mended.';
  writeSync(2, `playbyplay: ended, because of the plug-in ${names[verdict.plugin]}: ${verdict.reason}\n${advice}\n`);
  // Nothing gentler reaches a thread that does not come back.
  process.kill(process.pid, 'SIGKILL');
}, 1000);
