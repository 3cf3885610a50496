// Takes all measurements of live sessions that need a quiet machine, in about eleven minutes, and prints them as Markdown.
//   node bench/live/all.ts <openarena recording> [--short] > table.md
// --short: a few seconds each, to see that everything runs. Needs ffmpeg and the font DejaVu Sans Mono.
import { spawnSync } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { short: { type: 'boolean', default: false } },
});
const [recording = ''] = positionals;
const seconds = values.short ? 7 : 24;
let port = 9200;

interface Figure {
  readonly row: string;
  readonly n: number;
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
}

interface Session {
  readonly load: number;
  readonly samples: number;
  readonly left: number;
  readonly gaps: number;
  readonly behind: number;
  readonly behindAtEnd: number;
  readonly recovered?: number;
  readonly histogram: string;
  readonly figures: readonly Figure[];
}

interface Glass extends Omit<Figure, 'row'> {
  readonly load: number;
  readonly misread: number;
  readonly left: number;
  readonly histogram: string;
}

/** Runs a benchmark of this folder; undefined where it fails. */
function measure<Result>(script: string, ...options: readonly (string | number)[]): Result | undefined {
  port += 2;
  const path = join(import.meta.dirname, script);
  const args = [path, recording, 'openarena', '--json', '--port', port, ...options].map(String);
  const { stdout, status } = spawnSync(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 120_000,
    encoding: 'utf8',
  });
  const last = stdout.trim().split('\n').at(-1) ?? '';
  if (status === 0 && last.startsWith('{')) return JSON.parse(last) as Result;
  process.stderr.write(`failed: ${script} ${options.join(' ')}\n`);
  return undefined;
}

function print(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

print(
  `${cpus().length} × ${cpus()[0]!.model}, Node ${process.version}, load at the beginning ${loadavg()[0]!.toFixed(1)}; ${seconds} s each.`,
);
for (const [compress, what] of [
  [2, '60 pictures a second: the recording at twice its speed, every picture another one, twice as many events'],
  [1, '30 pictures a second'],
] as const) {
  print('', `### By source, ${what}`, '');
  print(
    '| source | load | left out | arrived → given out: p50 | p95 | max | event → stated: p50 | p95 | of that until stable: p50 | p95 |',
  );
  print('|---|---|---|---|---|---|---|---|---|---|');
  const histograms: string[] = [];
  for (const source of compress === 2 ? ['file', 'pipe', 'srt', 'rtmp', 'tcp', 'udp'] : ['file', 'srt', 'rtmp']) {
    const session = measure<Session>('latency.ts', '--source', source, '--compress', compress, '--seconds', seconds);
    if (!session) continue;
    const [whole, , , stated, waited] = session.figures;
    const cells = [source, session.load, `${session.left} of ${session.samples + session.left}`];
    print(
      `| ${[...cells, whole!.p50, whole!.p95, whole!.max, stated!.p50, stated!.p95, waited!.p50, waited!.p95].join(' | ')} |`,
    );
    histograms.push(`- ${source}: ${session.histogram}`);
  }
  print('', 'Histograms, ms from the arrival of a frame to all that follows from it:', '', ...histograms);
}

print('', '### Glass to sentence, ms', '');
print('| source | pictures a second | encoder | load | n | p50 | p95 | max | misread | left out |');
print('|---|---|---|---|---|---|---|---|---|---|');
for (const [source, fps, encoder] of [
  ['srt', 60, 'low'],
  ['file', 60, 'low'],
  ['srt', 30, 'usual'],
] as const) {
  const glass = measure<Glass>(
    'glass.ts',
    '--source',
    source,
    '--fps',
    fps,
    '--encoder',
    encoder,
    '--seconds',
    seconds,
  );
  if (!glass) continue;
  const { load, n, p50, p95, max, misread, left } = glass;
  print(`| ${[source, fps, encoder, load, n, p50, p95, max, misread, left].join(' | ')} |`);
}

print('', '### Overload', '');
print('Each sample takes longer by so many milliseconds; in the last row only for the first half of the session.', '');
print(
  '| real time × | ms a sample | load | read | left out | plans | most behind, s | behind at the end, s | behind until, s |',
);
print('|---|---|---|---|---|---|---|---|---|');
for (const [speed, slow, relief] of [
  [1, 0, 0],
  [2, 0, 0],
  [4, 0, 0],
  [1, 60, 0],
  [1, 120, 0],
  [1, 240, 0],
  [1, 240, seconds / 2],
] as const) {
  const options = [
    '--source',
    'tcp',
    '--speed',
    speed,
    '--slow',
    slow,
    '--relief',
    relief,
    '--seconds',
    seconds * speed,
  ];
  const session = measure<Session>('latency.ts', ...options);
  if (!session) continue;
  const { load, samples, left, gaps, behind, behindAtEnd, recovered } = session;
  print(
    `| ${[speed, slow, load, samples, left, gaps, behind, behindAtEnd, recovered?.toFixed(1) ?? '–'].join(' | ')} |`,
  );
}
