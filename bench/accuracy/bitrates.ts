// Kills on recordings of several bitrates: node bench/accuracy/bitrates.ts <folder with clips>… [--kbits 400,900,…] [--out folder]
// Encodes every clip anew with Debian's ffmpeg and compares its events with the truth, by bitrate.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { clipsIn } from '../../test/truth/clips.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kbits: { type: 'string', default: '400,900,1400,2500,6000' },
    out: { type: 'string', default: 'bench/out/bitrates' },
    kind: { type: 'string', default: 'kill' },
  },
});
if (positionals.length === 0) {
  console.error(
    'usage: node bench/accuracy/bitrates.ts <folder with clips>… [--kbits 400,900,…] [--out folder] [--kind kill]',
  );
  process.exit(2);
}

function run(command: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} exited with ${status}: ${stderr.slice(-500)}`);
  return stdout;
}

/** Encodes a clip with a bound on its bitrate, as recorders do; keeps one that exists. */
function encode(clip: string, kbits: number, folder: string): void {
  const video = join(folder, 'video.mp4');
  if (existsSync(video)) return;
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(clip, 'truth.json'), join(folder, 'truth.json'));
  const rate = ['-b:v', `${kbits}k`, '-maxrate', `${kbits}k`, '-bufsize', `${2 * kbits}k`];
  const input = ['-v', 'error', '-y', '-i', join(clip, 'video.mp4')];
  run('ffmpeg', [...input, '-c:v', 'libx264', '-preset', 'veryfast', ...rate, '-c:a', 'copy', video]);
}

const clips = (await Promise.all(positionals.map((folder) => clipsIn(resolve(folder))))).flat();
console.log(`| kbit/s | ${values.kind}: precision | recall |\n|---|---|---|`);
for (const kbits of values.kbits.split(',').map(Number)) {
  const folder = resolve(values.out, String(kbits));
  for (const clip of clips) encode(clip, kbits, join(folder, basename(clip)));
  const report = run(process.execPath, [
    join(import.meta.dirname, 'events.ts'),
    folder,
    '--out',
    join(folder, 'logs'),
    '--keep',
    '--quiet',
  ]);
  const row = report.split('\n').find((line) => line.startsWith(`| ${values.kind} |`));
  const [, , precision = '–', recall = '–'] = row?.split('|') ?? [];
  console.log(`| ${kbits} |${precision}|${recall}|`);
}
