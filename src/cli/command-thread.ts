// A worker thread that runs a command for bin.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { main } from './main.ts';

/** What the thread starts with. */
export interface CommandStart {
  /** The command line without node and file. */
  readonly args: readonly string[];
  /** Whether the process's stderr is a terminal. */
  readonly isTty: boolean;
  /** Which of the process's streams show colors. */
  readonly colors: Readonly<Record<'stdout' | 'stderr', boolean>>;
}

/** What the thread says when the command is complete. */
export interface CommandEnd {
  readonly exitCode: number;
}

const { args, isTty, colors } = workerData as CommandStart;
const interrupted = new AbortController();
parentPort!.once('message', () => interrupted.abort());
// Listening for an interruption keeps no finished command alive.
parentPort!.unref();

const exitCode = await main(args, {
  stdout: process.stdout,
  stderr: process.stderr,
  isTty,
  colors,
  signal: interrupted.signal,
});
process.exitCode = exitCode;
parentPort!.postMessage({ exitCode } satisfies CommandEnd, []);
