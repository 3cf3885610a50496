// The process around the program: streams, signals, exit code.
import { main } from './main.ts';

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  // The first asks to stop, so that what was found is kept; the second stops at once.
  process.once(signal, () => {
    interrupted.abort();
    process.once(signal, () => process.exit(130));
  });
}

// A reader that closed the pipe (as `head` does) is no mistake: nobody wants the rest.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

process.exitCode = await main(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  isTty: process.stderr.isTTY === true,
  signal: interrupted.signal,
});
