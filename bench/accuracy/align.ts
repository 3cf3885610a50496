// Measures how exactly `align` finds the clock of a second recording: renders one from a recording's sound (later start, drift, added sound
// and noise, a microphone's colouring and echo, re-encoding), aligns the two and prints the errors.
//   node bench/accuracy/align.ts <recordings of one session>… --other <recording> [--other …] [--seconds 600]
// Needs the ffmpeg command. Several recordings are concatenated. The last rows are pairs of unrelated recordings.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { alignSound } from '../../src/pipeline/align/align.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { other: { type: 'string', multiple: true, default: [] }, seconds: { type: 'string', default: '600' } },
});
if (positionals.length === 0 || values.other.length === 0) {
  process.stderr.write('usage: node bench/accuracy/align.ts <recording>… --other <recording> [--other …]\n');
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'align-'));
const RATE = 48_000;

function ffmpeg(args: readonly string[]): string {
  return execFileSync('ffmpeg', ['-y', '-hide_banner', ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Recordings' sound behind each other, at one loudness. */
function joined(paths: readonly string[], name: string): string {
  const inputs = paths.flatMap((path) => ['-i', path]);
  const parts = paths.map((_, i) => `[${i}:a]aresample=${RATE},aformat=channel_layouts=mono[p${i}]`).join(';');
  const list = paths.map((_, i) => `[p${i}]`).join('');
  const out = join(folder, name);
  const graph = `${parts};${list}concat=n=${paths.length}:v=0:a=1,loudnorm=I=-24:LRA=20[o]`;
  ffmpeg([...inputs, '-filter_complex', graph, '-map', '[o]', '-ar', String(RATE), '-t', values.seconds, out]);
  return out;
}

const session = joined(positionals, 'session.wav');
const other = joined(values.other, 'other.wav');
const cases = [
  { offset: 37.123, rate: 48_006, level: 0, microphone: false },
  { offset: 3.3, rate: 48_010, level: 0, microphone: false },
  { offset: 12.345, rate: 47_991, level: 0, microphone: true },
  { offset: 61.05, rate: 48_000, level: 6, microphone: true },
];
process.stdout.write(
  '| second recording | offset | drift | worst error | confidence | places that agree | CPU |\n|---|---|---|---|---|---|---|\n',
);
for (const { offset, rate, level, microphone } of cases) {
  const out = join(folder, 'second.m4a');
  const color = microphone ? ',highpass=f=250,lowpass=f=4000,aecho=0.8:0.7:23|41:0.4|0.3' : '';
  const graph = `[0:a]asetrate=${rate},aresample=${RATE}${color}[x];[1:a]volume=${level}dB[y];[2:a]aformat=channel_layouts=mono[z];[x][y][z]amix=inputs=3:duration=first:normalize=0,volume=0.5[o]`;
  const noise = ['-f', 'lavfi', '-i', `anoisesrc=r=${RATE}:a=0.02:seed=3`];
  ffmpeg([
    '-ss',
    String(offset),
    '-i',
    session,
    '-stream_loop',
    '99',
    '-i',
    other,
    ...noise,
    '-filter_complex',
    graph,
    '-map',
    '[o]',
    '-c:a',
    'aac',
    '-b:a',
    '64k',
    out,
  ]);
  const before = process.cpuUsage();
  const found = alignSound(session, out);
  const { user } = process.cpuUsage(before);
  const drift = (rate / RATE - 1) * 1e6;
  const length = Number(values.seconds) - offset;
  const error = Math.max(
    Math.abs(found.offset - offset),
    Math.abs(found.offset - offset + ((found.drift - drift) / 1e6) * length),
  );
  const what = `${drift.toFixed(0)} ppm, other sound at ${-level} dB${microphone ? ', microphone and echo' : ''}`;
  process.stdout.write(
    `| ${what} | ${found.offset.toFixed(4)} (${offset}) | ${found.drift} | ${(1000 * error).toFixed(1)} ms | ${found.confidence} | ${found.agreeing}/${found.places} | ${(user / 1e6).toFixed(1)} s |\n`,
  );
}
for (const [a, b] of [[session, other], ...positionals.slice(1).map((path) => [positionals[0]!, path])] as [
  string,
  string,
][]) {
  const found = alignSound(a, b);
  process.stdout.write(
    `| does not belong: ${found.matched ? 'CLAIMED' : 'said so'} | | | | ${found.confidence} | ${found.agreeing}/${found.places} | |\n`,
  );
}
rmSync(folder, { recursive: true });
