// Measures scored frames per second and memory on a session of ten hours at 60 Hz (2,160,000 frames):
//   node bench/quality/meter.ts [hours]
// Scoring alone, scoring with the values of every frame, the live collector, and the command on a file (in its own process, so that
// its memory can be measured). Rates are per processor time, which other work on the machine hardly affects.
import { spawnSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SessionCollector } from '../../src/quality/collector.ts';
import { type FrameRecord, RawValueReader } from '../../src/quality/frame.ts';
import { QualityMeter } from '../../src/quality/meter.ts';
import { scoreFiles } from '../../src/quality/score.ts';
import { analyzeFiles } from '../../src/quality/timeline.ts';
import { randomSession } from '../../test/fixtures/quality/sessions.ts';

if (process.argv[2] === '--file') {
  await measureFile(process.argv[3]!, process.argv[4] === 'follow');
  process.exit();
}
const hours = Number(process.argv[2] ?? 10);
const frames = Math.round(hours * 3600 * 60);
const info = { fps: 60, width: 1920, height: 1080, targetBitrate: 2e7 };

function report(name: string, seconds: number, note = ''): void {
  const rate = Math.round(frames / seconds).toLocaleString('en');
  console.log(`${name.padEnd(34)} ${seconds.toFixed(2).padStart(7)} CPU s  ${rate.padStart(10)} frames/s  ${note}`);
}

/** CPU seconds of this process so far. */
function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Reads and scores a file and prints CPU seconds, peak memory and the total as JSON. */
async function measureFile(path: string, follow: boolean): Promise<void> {
  const start = cpu();
  const total = follow
    ? (await analyzeFiles([path]))[0]!.scored.quality.total
    : (await scoreFiles([path]))[0]!.quality.total;
  console.log(JSON.stringify({ seconds: cpu() - start, peak: process.resourceUsage().maxRSS * 1024, total }));
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}

/** Ten minutes of frames over and over, numbered and timed on: making them must not be measured. */
const tile = [...randomSession(36_000, 1)];
const tileMs = tile.at(-1)!.transmitted! - tile[0]!.transmitted! + 16;
function recordAt(i: number): FrameRecord {
  const one = tile[i % tile.length]!;
  const shift = Math.floor(i / tile.length) * tileMs;
  const moved = (value: number | undefined): number | undefined => (value === undefined ? undefined : value + shift);
  return {
    frame: i,
    captured: moved(one.captured),
    transmitted: moved(one.transmitted),
    returned: moved(one.returned),
    received: moved(one.received),
    presented: moved(one.presented),
    inputs: one.inputs?.map((input) => input + shift),
    targetBitrate: one.targetBitrate,
  };
}

console.log(`${frames.toLocaleString('en')} frames (${hours} h at 60 Hz), Node ${process.version}`);

function score(series: boolean): void {
  const meter = new QualityMeter(info);
  const values = new RawValueReader();
  let sum = 0;
  let spent = 0;
  for (let from = 0; from < frames; from += 36_000) {
    const part = Array.from({ length: Math.min(36_000, frames - from) }, (_, i) => recordAt(from + i));
    const start = cpu();
    for (const record of part) {
      meter.push(values.next(record));
      if (series) sum += meter.current()!.inputFrequency;
    }
    spent += cpu() - start;
  }
  const { total, scored } = meter.result();
  report(
    series ? 'score, figures of every frame' : 'score',
    spent,
    `total ${total!.toFixed(2)}, ${scored} scored${series ? `, ${sum}` : ''}`,
  );
}
score(false);
score(true);

{
  const before = process.memoryUsage();
  const collector = new SessionCollector(info);
  let spent = 0;
  for (let from = 0; from < frames; from += 36_000) {
    const part = Array.from({ length: Math.min(36_000, frames - from) }, (_, i) => recordAt(from + i));
    const start = cpu();
    for (const record of part) {
      collector.add(record.frame, {
        captured: record.captured,
        transmitted: record.transmitted,
        returned: record.returned,
        targetBitrate: record.targetBitrate,
      });
      collector.add(record.frame, { received: record.received, presented: record.presented, inputs: record.inputs });
    }
    spent += cpu() - start;
  }
  const grown = process.memoryUsage().arrayBuffers - before.arrayBuffers;
  report(
    'collector, both halves apart',
    spent,
    `columns ${mebibytes(grown)}, total ${collector.finish().total!.toFixed(2)}`,
  );
}

const folder = mkdtempSync(join(tmpdir(), 'quality-bench-'));
try {
  const path = join(folder, 'session.ndjson');
  const file = createWriteStream(path);
  file.write(`${JSON.stringify(info)}\n`);
  for (let from = 0; from < frames; from += 2000) {
    const lines = Array.from({ length: Math.min(2000, frames - from) }, (_, i) => JSON.stringify(recordAt(from + i)));
    if (!file.write(`${lines.join('\n')}\n`)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
  for (const mode of ['score', 'follow']) {
    const { stdout } = spawnSync(process.execPath, [import.meta.filename, '--file', path, mode], { encoding: 'utf8' });
    const { seconds, peak, total } = JSON.parse(stdout) as { seconds: number; peak: number; total: number };
    const name = mode === 'score' ? 'file: read and score' : 'file: read, score, follow for report';
    report(
      name,
      seconds,
      `${mebibytes(statSync(path).size)} file, at most ${mebibytes(peak)} resident, total ${total.toFixed(2)}`,
    );
  }
} finally {
  rmSync(folder, { recursive: true });
}
