/**
 * Reads damaged recordings.
 *
 *   node bench/robustness/damage.ts <game> <recording>… [--files 200] [--from 0] [--seconds 12] [--timeout 120] [--keep folder]
 *
 * Files are truncated, have bytes flipped or dropped, ranges zeroed, or packets dropped; each is read with one worker and
 * with two. Reports crashes, hangs, logs that differ, and how many events of the readable parts are detected.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { LogLine } from '../../src/events/log.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    files: { type: 'string', default: '200' },
    from: { type: 'string', default: '0' },
    seconds: { type: 'string', default: '12' },
    keep: { type: 'string' },
    // Seconds after which a run counts as hung.
    timeout: { type: 'string', default: '120' },
  },
});
const [game, ...recordings] = positionals;
if (game === undefined || recordings.length === 0)
  throw new Error(
    'usage: node bench/robustness/damage.ts <game> <recording>… [--files 200] [--from 0] [--seconds 12] [--keep folder]',
  );
const folder = mkdtempSync(join(tmpdir(), 'damage-'));
const launch = join(import.meta.dirname, '..', '..', 'src', 'cli', 'launch.js');

/** Park–Miller generator: the same damage on every run. */
let seed = 20_240_501;
const random = (below: number): number => {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed % below;
};

type Damage = (bytes: Buffer, source: string, broken: string) => Buffer;
const damages: readonly (readonly [string, Damage])[] = [
  ['truncated', (bytes) => bytes.subarray(0, Math.floor(bytes.length * (0.2 + random(700) / 1000)))],
  [
    'bytes flipped',
    (bytes) => {
      for (let i = 0; i < 1 + random(40); i++) bytes[8192 + random(bytes.length - 8192)]! ^= 1 + random(255);
      return bytes;
    },
  ],
  [
    'range zeroed',
    (bytes) => {
      const at = 8192 + random(bytes.length - 8192);
      return bytes.fill(0, at, Math.min(bytes.length, at + 1000 + random(60_000)));
    },
  ],
  [
    'bytes dropped',
    (bytes) => {
      const at = 8192 + random(bytes.length - 8192);
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 188 * (1 + random(200)))]);
    },
  ],
  [
    'packets dropped',
    (_, source, broken) => {
      const first = 1 + random(35 * Number(values.seconds));
      const drop = `noise=drop='between(n,${first},${first + random(8)})'`;
      const { status } = spawnSync('ffmpeg', ['-v', 'error', '-y', '-i', source, '-c', 'copy', '-bsf:v', drop, broken]);
      if (status !== 0) throw new Error(`cannot drop packets of ${source}`);
      return readFileSync(broken);
    },
  ],
];

interface Outcome {
  readonly status: number | null;
  readonly log: string;
  readonly lines: readonly LogLine[];
}

function detect(file: string, workers: number): Outcome {
  const out = join(folder, `log${workers}`);
  rmSync(out, { recursive: true, force: true });
  const args = [launch, 'detect', file, '--game', game!, '--workers', String(workers), '--out', out, '--quiet'];
  const { status } = spawnSync(process.execPath, args, { timeout: 1000 * Number(values.timeout) });
  let log = '';
  try {
    log = readFileSync(join(out, 'events.ndjson'), 'utf8');
  } catch {
    // The file was rejected, so there is no log.
  }
  return {
    status,
    log,
    lines: log
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as LogLine),
  };
}

const eventKeys = (lines: readonly LogLine[], within: (t: number) => boolean): Set<string> =>
  new Set(lines.flatMap((line) => (line.type === 'event' && within(line.t) ? [`${line.t} ${line.text}`] : [])));

const wholes = new Map<string, Outcome>();
const tally = {
  files: 0,
  rejected: 0,
  unrecognised: 0,
  crashed: 0,
  hung: 0,
  different: 0,
  gaps: 0,
  detected: 0,
  expected: 0,
};
const container = ['mp4', 'mkv', 'ts'];
for (let n = 0; n < Number(values.files); n++) {
  const source = join(folder, `source.${container[n % 3]!}`);
  const recording = recordings[n % recordings.length]!;
  const cut = ['-v', 'error', '-y', '-t', values.seconds, '-i', recording, '-c', 'copy'];
  if (n % 3 === 0) cut.push('-movflags', '+faststart');
  if (spawnSync('ffmpeg', [...cut, source]).status !== 0) throw new Error(`cannot cut ${recording}`);
  const [name, damage] = damages[n % damages.length]!;
  const broken = join(folder, `broken.${container[n % 3]!}`);
  writeFileSync(broken, damage(readFileSync(source), source, broken));
  // Skipped files are damaged too, so that the random sequence is the same.
  if (n < Number(values.from)) continue;
  const kind = `${recording} ${container[n % 3]!}`;
  const whole = wholes.get(kind) ?? detect(source, 1);
  wholes.set(kind, whole);
  const [first, second] = [detect(broken, 1), detect(broken, 2)];
  tally.files++;
  if (first.status === null || second.status === null) {
    tally.hung++;
    console.log(`file ${n} (${name}, ${container[n % 3]!}): still running after ${values.timeout} s`);
    continue;
  }

  if (first.status === 1 && first.log === '') tally.rejected++;
  // Exit code 3: what is left shows nothing of the game.
  else if (first.status === 3) tally.unrecognised++;
  else if (first.status !== 0) tally.crashed++;
  if (![0, 1, 3].includes(first.status ?? -1))
    console.log(`file ${n} (${name}, ${container[n % 3]!}): exit ${first.status}`);
  if (first.log !== second.log || first.status !== second.status) {
    tally.different++;
    console.log(`file ${n} (${name}, ${container[n % 3]!}): two runs differ`);
  }
  const gaps = first.lines.flatMap((line) => (line.type === 'gap' ? [line] : []));
  tally.gaps += gaps.length;
  const last = first.lines.findLast((line) => line.type === 'event' || line.type === 'gap');
  const reach = last === undefined ? 0 : 'end' in last ? last.end : 0;
  const readable = (t: number): boolean => t < reach && gaps.every((gap) => t < gap.t - 0.6 || t > gap.end + 2);
  const expected = eventKeys(whole.lines, readable);
  const found = eventKeys(first.lines, () => true);
  tally.expected += expected.size;
  const lost = [...expected].filter((event) => !found.has(event));
  tally.detected += expected.size - lost.length;
  if (values.keep !== undefined && (lost.length > 0 || first.log !== second.log))
    copyFileSync(broken, join(values.keep, `${n}.${container[n % 3]!}`));
  if (lost.length > 0) {
    const ranges = gaps.map(({ t, end }) => `${t}–${end}`).join(', ');
    console.log(`file ${n} (${name}, ${container[n % 3]!}): lost ${lost.join('; ')}; gaps ${ranges || 'none'}`);
  }
  if ((n + 1) % 20 === 0) console.log(JSON.stringify(tally));
}
rmSync(folder, { recursive: true });
console.log(tally);
