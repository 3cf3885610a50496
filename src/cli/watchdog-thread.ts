// Runs in a thread of its own while plug-ins are in use, and ends the process when a plug-in call never returns: the main thread
// cannot notice that.
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { type Cells, Patience } from '../detectors/plugins/watch.ts';

/** The data that the thread starts with. */
export interface WatchdogData {
  readonly cells: Cells;
  /** The plug-ins as the user named them. */
  readonly names: readonly string[];
}

const MAX_CALL_SECONDS = 60;
/** How much the process may grow during one call. */
const MAX_CALL_BYTES = 8 * 2 ** 30;
const CHECK_INTERVAL_MS = 1000;

const { cells, names } = workerData as WatchdogData;
const patience = new Patience(cells, MAX_CALL_SECONDS, MAX_CALL_BYTES);

setInterval(() => {
  const verdict = patience.look(performance.now(), process.memoryUsage.rss());
  if (!verdict) return;
  const hint = 'The log keeps the events so far. Repair the plug-in, then continue with detect --resume.';
  writeSync(2, `playbyplay: stopped because of the plug-in ${names[verdict.plugin]}: ${verdict.reason}\n${hint}\n`);
  // A blocked thread handles no other signal.
  process.kill(process.pid, 'SIGKILL');
}, CHECK_INTERVAL_MS);
