// The process of the command line: streams, signals, exit code.
import { SHARE_ENV, Worker, type WorkerOptions } from 'node:worker_threads';
import { answers, threadModule } from '../threads/rpc-worker.ts';
import type { CommandEnd, CommandStart } from './command-thread.ts';
import { wantsColors } from './terminal.ts';

/** Commands that only print. They start faster in this thread, and a signal ends the process at once, as by default. */
const PRINTING_COMMANDS: ReadonlySet<string> = new Set(['query', 'summary', 'completion', '__complete', 'help', 'mcp']);
/** Milliseconds that an interrupted command has to close its files. What it wrote until then is kept in any case. */
const GRACE_MS = 1500;
/**
 * As `GRACE_MS`, of commands with more to close: a service answers requests and gives jobs back, a live session reads what has
 * arrived and writes the events that were waiting for a contradiction.
 */
const LONG_GRACE_MS: Readonly<Record<string, number>> = { serve: 20_000, live: 10_000 };

/** Milliseconds after which it is examined whether a complete command can end: not while native code does not return in a thread. */
const END_MS = 1000;
/** Successive checks that a thread may leave unanswered: one that closes a service on a busy machine takes some seconds. */
const SILENT_CHECKS = 8;

/** Ctrl-C in a terminal reaches this process twice where another one started it: directly, and passed on by that one. */
const REPEAT_MS = 500;

const args = process.argv.slice(2);
const isTty = process.stderr.isTTY === true;
const colors = { stdout: wantsColors(process.stdout), stderr: wantsColors(process.stderr) };
const [command = ''] = args;
if (PRINTING_COMMANDS.has(command) || command === '' || command.startsWith('-')) await runHere();
else runSupervised();

async function runHere(): Promise<void> {
  const { main } = await import('./main.ts');
  for (const name of ['stdout', 'stderr'] as const)
    onBrokenPipe(name, () => {
      // What is printed from here on is of no use to anybody.
      process.exit();
    });
  const { signal } = new AbortController();
  process.exitCode = await main(args, { stdout: process.stdout, stderr: process.stderr, isTty, colors, signal });
}

/** Runs the command in a thread of its own, so that signals are noticed while it computes or a library blocks it. */
function runSupervised(): void {
  const workerData: CommandStart = { args, isTty, colors };
  // V8 would let young objects take 48 MiB; more than this makes no command faster.
  const resourceLimits = { maxYoungGenerationSizeMb: 16 };
  // Native libraries see what the thread sets in the environment.
  const options: WorkerOptions = { workerData, stdout: true, stderr: true, resourceLimits, env: SHARE_ENV };
  const worker = new Worker(threadModule(import.meta.url, './command-thread'), options);
  for (const name of ['stdout', 'stderr'] as const) {
    const from = worker[name];
    from.pipe(process[name]);
    onBrokenPipe(name, () => {
      // The command goes on: its files are worth completing.
      from.unpipe(process[name]);
      from.resume();
    });
  }
  let interruptedAt: number | undefined;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      // The first signal asks the command to stop; one that does not in time, and a later signal, end the process.
      if (interruptedAt !== undefined) {
        if (performance.now() - interruptedAt > REPEAT_MS) endBy(signal);
        return;
      }
      interruptedAt = performance.now();
      worker.postMessage('interrupt', []);
      setTimeout(() => endBy(signal), LONG_GRACE_MS[command] ?? GRACE_MS).unref();
    });
  worker.on('error', async (error) => {
    const { describeError } = await import('./describe-error.ts');
    process.stderr.write(`${describeError(error)}\n`);
  });
  let ending: NodeJS.Timeout | undefined;
  worker.on('message', ({ exitCode }: CommandEnd) => {
    let silent = 0;
    ending = setInterval(async () => {
      // While somebody reads its output the thread waits.
      const isBusy = process.stdout.writableLength > 0 || (await answers(worker, END_MS));
      silent = isBusy ? 0 : silent + 1;
      if (silent === SILENT_CHECKS) endByForce(exitCode);
    }, END_MS).unref();
  });
  worker.on('exit', (code) => {
    clearInterval(ending);
    process.exitCode = code;
  });
}

/** Ends the process although a thread is blocked in a library: `process.exit` would wait for it. Only a signal does that. */
function endByForce(exitCode: number): void {
  process.stderr.write(
    `playbyplay: ends by force, because a library does not return (the exit code was ${exitCode})\n`,
  );
  process.kill(process.pid, 'SIGKILL');
}

/** Ends the process by a signal, whatever its threads do: `process.exit` would wait for a thread that is blocked. */
function endBy(signal: NodeJS.Signals): void {
  process.stderr.write('playbyplay: interrupted\n');
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** Calls back when the reader of an output stream (such as `head`) has what it wants. */
function onBrokenPipe(name: 'stdout' | 'stderr', onBroken: () => void): void {
  process[name].on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    onBroken();
  });
}
