// Time to write a reel against its length, and against the ffmpeg command with the same filters:
//   node bench/highlights/reel-time.ts <log folder> [--runs 3] [--duration 12s]
// Three upright reels of the same scenes: by ffmpeg (crop, scale, concat, x264 with the program's settings, AAC), by the program as
// they were recorded, and by the program with --preset short. Runs alternate; medians of wall-clock and processor time are printed. The
// program also reads the log, looks at the pictures and measures the sound, which ffmpeg is spared. Needs the ffmpeg command.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { HighlightList } from '../../src/highlights/list.ts';
import { loadSources } from '../../src/highlights/sources.ts';
import { median } from '../../src/statistics.ts';
import { launcher } from '../../test/paths.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '3' }, duration: { type: 'string', default: '12s' } },
});
const [log] = positionals;
if (log === undefined) throw new RangeError('usage: reel-time.ts <log folder> [--runs n] [--duration time]');
const folder = mkdtempSync(join(tmpdir(), 'reel-time-'));
const { sources } = await loadSources([resolve(log)]);
const media = sources[0]!.media!;

interface Cost {
  readonly wall: number;
  /** Of all processes. */
  readonly processor: number;
}

/** Runs a command by bash's `time`, which counts the processes that it starts, too. */
async function measure(command: string, args: readonly string[]): Promise<Cost> {
  const child = spawn(
    'bash',
    ['-c', 'TIMEFORMAT="%R %U %S"; time "$@" 2> "$0"', join(folder, 'messages.txt'), command, ...args],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let text = '';
  child.stderr.on('data', (data: Buffer) => (text += data.toString()));
  const code = await new Promise<number | null>((done) => child.on('close', done));
  if (code !== 0) throw new Error(`${command}: ${readFileSync(join(folder, 'messages.txt'), 'utf8')}`);
  const [wall, user, system] = text.trim().split(/\s+/).map(Number) as [number, number, number];
  return { wall, processor: user + system };
}

const listFile = join(folder, 'list.json');
function programArgs(name: string, ...options: readonly string[]): string[] {
  return [launcher, 'highlights', log!, '--duration', values.duration, ...options, '-o', join(folder, `${name}.mp4`)];
}
const plain = ['--aspect', '9:16', '--layout', 'crop', '--captions', 'none', '--full'];
const first = spawnSync(process.execPath, [...programArgs('plain', ...plain), '-o', listFile], { encoding: 'utf8' });
if (first.status !== 0) throw new Error(first.stderr);
const { scenes, duration } = JSON.parse(readFileSync(listFile, 'utf8')) as HighlightList;
const probe = ['-v', 'error', '-select_streams', 'v:0', '-show_entries', 'stream=width,height', '-of', 'csv=p=0'];
const [width, height] = spawnSync('ffprobe', [...probe, join(folder, 'plain.mp4')], { encoding: 'utf8' })
  .stdout.split(',')
  .map(Number) as [number, number];
const parts = scenes.map(
  (_, i) => `[${i}:v]crop=ih*${width}/${height}:ih,scale=${width}:${height}[v${i}];[${i}:a]anull[a${i}]`,
);
const inputs = scenes.flatMap(({ start, end }) => ['-ss', `${start}`, '-t', `${end - start}`, '-i', media]);
const joined = `${scenes.map((_, i) => `[v${i}][a${i}]`).join('')}concat=n=${scenes.length}:a=1[v][a0];[a0]loudnorm=I=-14[a]`;
const encoding = '-c:v libx264 -preset veryfast -crf 20 -threads 4 -c:a aac -b:a 160k'.split(' ');
const graph = ['-filter_complex', [...parts, joined].join(';'), '-map', '[v]', '-map', '[a]'];
const ways: Record<string, () => Promise<Cost>> = {
  ffmpeg: () => measure('ffmpeg', ['-y', '-v', 'error', ...inputs, ...graph, ...encoding, join(folder, 'ffmpeg.mp4')]),
  'as recorded': () => measure(process.execPath, programArgs('plain', ...plain)),
  'preset short': () => measure(process.execPath, programArgs('short', '--preset', 'short')),
};
const costs = new Map<string, Cost[]>(Object.keys(ways).map((name) => [name, []]));
for (let run = 0; run < Number(values.runs); run++)
  for (const [name, way] of Object.entries(ways)) costs.get(name)!.push(await way());
rmSync(folder, { recursive: true });

const usual = (name: string, of: keyof Cost): number => median(costs.get(name)!.map((cost) => cost[of]));
console.log(
  `${duration.toFixed(1)} s of ${width} × ${height} in ${scenes.length} scenes; medians of ${values.runs} runs`,
);
console.log(
  '| | wall-clock | processor | processor a second of the reel | against ffmpeg |\n| --- | --- | --- | --- | --- |',
);
for (const name of costs.keys()) {
  const processor = usual(name, 'processor');
  console.log(
    `| ${name} | ${usual(name, 'wall').toFixed(1)} s | ${processor.toFixed(1)} s | ${(processor / duration).toFixed(2)} s | ${(processor / usual('ffmpeg', 'processor')).toFixed(2)} |`,
  );
}
