// The process of the command line: streams, signals, exit code.
import { main } from './main.ts';

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  // The first signal asks the command to stop, so that its results are kept. The second ends the process.
  process.once(signal, () => {
    interrupted.abort();
    process.once(signal, () => process.exit(130));
  });
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader of the pipe (such as `head`) has what it wants.
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

process.exitCode = await main(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  isTty: process.stderr.isTTY === true,
  signal: interrupted.signal,
});
