/**
 * Reads generated files of every format, and expects each to be accepted or refused with an error that the user can resolve.
 *
 *   node bench/robustness/generated.ts [--format name,…] [--count 100000] [--seed 1] [--from 0] [--seconds s] [--show index]
 *
 * Inputs are derived from the JSON Schemas of the formats (with the ends of ranges preferred) and from built-in files, and then
 * changed: other types, extreme numbers and strings, missing, doubled and exchanged members, deep nesting, long lists, byte order
 * marks, line ends, cuts, zero bytes. They are read in a child process. A crash (any error that is no PlaybyplayError), more than
 * 5 s of processor time for an input or more than 1 GB of memory is a fault. Prints a table; exit code 1 if there is a fault. `--seconds` ends a format after that time;
 * the table says how many inputs were read. `--show` writes one input to stdout.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openFormats } from './generated/formats.ts';
import { BATCH, inputsOf, type Outcome } from './generated/reader.ts';

const { values } = parseArgs({
  options: {
    format: { type: 'string' },
    count: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
    seconds: { type: 'string', default: 'Infinity' },
    show: { type: 'string' },
  },
});
const MAX_SECONDS = 5;
const STARTUP_SECONDS = 10;
const MAX_IDLE_SECONDS = 300;
const MAX_MEGABYTES = 1000;
const CHECK_MILLISECONDS = 250;
/** Checks in a row without a message: a process that waits for a processor may have messages to read. */
const MIN_SILENT_CHECKS = 4;
const MAX_SHOWN_FAULTS = 8;
// Files that exist for a millisecond need no disk.
const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'generated-'));
const seed = Number(values.seed);
const known = await openFormats(folder);

interface Tally {
  count: number;
  accepted: number;
  /** Refusals without place and hint, and the first of them. */
  unexplained: number;
  unexplainedIndex: number;
  slowest: Outcome | undefined;
  megabytes: number;
  readonly codes: Map<string, number>;
  readonly faults: Map<string, { count: number; index: number }>;
}

/** Processor time of a process in seconds; 0 when it has ended. Linux only: elsewhere nothing is limited. */
function cpuSeconds(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return 0;
  }
}

/** The part of a stack by which crashes of one cause are recognized. */
function causeOf(crash: string): string {
  const [message = '', ...frames] = crash.split('\n');
  const place = frames.find((line) => line.includes('/src/'))?.trim() ?? frames[0]?.trim() ?? '';
  return `${message.slice(0, 160)} ${place.replace(/\(?file:.*\/src\//, '(src/')}`;
}

function readFormat(name: string, from: number, to: number): Promise<Tally> {
  const tally: Tally = {
    count: 0,
    accepted: 0,
    unexplained: 0,
    unexplainedIndex: 0,
    slowest: undefined,
    megabytes: 0,
    codes: new Map(),
    faults: new Map(),
  };
  const note = (cause: string, index: number): void => {
    const fault = tally.faults.get(cause) ?? { count: 0, index };
    tally.faults.set(cause, { ...fault, count: fault.count + 1 });
  };
  const until = Date.now() + 1000 * Number(values.seconds);
  return new Promise((resolve, reject) => {
    let child: ChildProcess;
    let at = from;
    /** The first input whose outcome is not known, and those that ended a process. */
    let next = from;
    const skipped: number[] = [];
    // Processor time, so that a busy machine makes no faults; elapsed time only for processes that wait for nothing.
    let since = { cpu: 0, at: 0 };
    const start = (first: number): void => {
      let ended: string | undefined;
      at = first;
      since = { cpu: STARTUP_SECONDS, at: performance.now() };
      child = fork(join(import.meta.dirname, 'generated', 'reader.ts'), {
        execArgv: ['--max-old-space-size=900'],
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      });
      let said = '';
      child.stderr?.on('data', (data: Buffer) => (said = (said + data.toString()).slice(-4000)));
      let silentChecks = 0;
      const watch = setInterval(() => {
        if (++silentChecks < MIN_SILENT_CHECKS) return;
        const isBusy = cpuSeconds(child.pid ?? 0) - since.cpu > MAX_SECONDS;
        if (!isBusy && performance.now() - since.at < 1000 * MAX_IDLE_SECONDS) return;
        ended = isBusy
          ? `takes more than ${MAX_SECONDS} s of processor time`
          : `waits for more than ${MAX_IDLE_SECONDS} s`;
        child.kill('SIGKILL');
      }, CHECK_MILLISECONDS);
      child.on(
        'message',
        (message: { at?: number; outcomes?: readonly Outcome[]; memory?: number; failed?: string }) => {
          if (message.failed !== undefined) reject(new Error(message.failed));
          if (message.failed !== undefined) return clearInterval(watch);
          since = { cpu: cpuSeconds(child.pid ?? 0), at: performance.now() };
          silentChecks = 0;
          if (message.at !== undefined) at = message.at;
          for (const outcome of message.outcomes ?? []) {
            next = outcome.index + 1;
            tally.count++;
            if (outcome.crash !== undefined) note(causeOf(outcome.crash), outcome.index);
            else if (outcome.code === undefined) tally.accepted++;
            else tally.codes.set(outcome.code, (tally.codes.get(outcome.code) ?? 0) + 1);
            if (outcome.explained === false && tally.unexplained++ === 0) tally.unexplainedIndex = outcome.index;
            if (outcome.ms > (tally.slowest?.ms ?? 0)) tally.slowest = outcome;
          }
          const megabytes = (message.memory ?? 0) / 1e6;
          tally.megabytes = Math.max(tally.megabytes, megabytes);
          if (megabytes <= MAX_MEGABYTES) return;
          ended = `uses more than ${MAX_MEGABYTES} MB`;
          child.kill('SIGKILL');
        },
      );
      child.on('close', (code) => {
        clearInterval(watch);
        if (code === 0) return resolve(tally);
        note(
          ended ??
            `ends the process: ${
              said
                .trim()
                .split('\n')
                .find((line) => /error/i.test(line)) ?? said.slice(-200)
            }`,
          at,
        );
        tally.count++;
        skipped.push(at);
        start(next);
      });
      child.send({ format: name, seed, from: first, to, until, skipped, folder: join(folder, name) });
    };
    start(from);
  });
}

if (values.show !== undefined) {
  const index = Number(values.show);
  const format = await known[values.format ?? '']!();
  process.stdout.write(inputsOf(format.inputs, seed, Math.floor(index / BATCH))[index % BATCH]!);
  rmSync(folder, { recursive: true });
  process.exit(0);
}

console.log(
  '| Format | Inputs | Accepted | Refused | Codes | Slowest, ms | Memory, MB | Faults |\n|---|---|---|---|---|---|---|---|',
);
for (const name of values.format?.split(',') ?? Object.keys(known)) {
  const from = Number(values.from);
  const { count, accepted, codes, slowest, megabytes, faults, unexplained, unexplainedIndex } = await readFormat(
    name,
    from,
    from + Number(values.count),
  );
  const crashes = [...faults.values()].reduce((sum, fault) => sum + fault.count, 0);
  const refused = count - accepted - crashes;
  console.log(
    `| ${name} | ${count} | ${accepted} | ${refused} | ${codes.size} | ${slowest?.ms.toFixed(0) ?? '–'} (#${slowest?.index ?? '–'}, ${slowest?.bytes ?? 0} bytes) | ${megabytes.toFixed(0)} | ${crashes} |`,
  );
  if (unexplained > 0)
    console.log(`  ${unexplained} refusals name neither a place nor what to do (first: #${unexplainedIndex})`);
  for (const [cause, fault] of [...faults].slice(0, MAX_SHOWN_FAULTS))
    console.log(`  ! ${fault.count} × ${cause} (first: #${fault.index})`);
  if (crashes > 0) process.exitCode = 1;
}
rmSync(folder, { recursive: true, force: true });
