// Measures whether upright reels show what the player looks at: the share of frames within a second of an event in which the point of
// attention lies in the middle 60 % of the crop.
//   node bench/highlights/attention.ts <log folder> [--point 0.5,0.5 | --truth <points.json>]
// Where the crop lies is found in the written reel, not asked of the program: each of its frames is searched for in the frame of the
// recording. --point names a fixed point, such as a crosshair; points.json holds [[seconds, x], …]. The layout is crop: a panel below
// the picture would change its scale. Needs the ffmpeg command.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { HighlightList } from '../../src/highlights/list.ts';
import { loadSources } from '../../src/highlights/sources.ts';
import { root } from '../../test/paths.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { point: { type: 'string' }, truth: { type: 'string' }, duration: { type: 'string', default: '30s' } },
});
const [log] = positionals;
if (log === undefined) throw new RangeError('usage: attention.ts <log folder> [--point x,y | --truth points.json]');
const [HEIGHT, RATE] = [90, 10];
/** Where the HUD stands still, nothing says where a crop lies. */
const [TOP, BOTTOM] = [18, 72];

const points: [number, number][] =
  values.truth === undefined
    ? [[0, Number((values.point ?? '0.5,0.5').split(',')[0])]]
    : JSON.parse(readFileSync(values.truth, 'utf8'));

function attentionAt(t: number): number {
  const after = points.findIndex(([time]) => time > t);
  if (after <= 0) return after === 0 ? points[0]![1] : points.at(-1)![1];
  const [[from, a], [to, b]] = [points[after - 1]!, points[after]!];
  return a + ((t - from) / (to - from)) * (b - a);
}

/** Frames of [start, end) as grey pictures of `HEIGHT` lines. */
function frames(path: string, start: number, end: number): { width: number; pictures: Buffer[] } {
  const probe = [
    '-v',
    'error',
    '-select_streams',
    'v:0',
    '-show_entries',
    'stream=width,height',
    '-of',
    'csv=p=0',
    path,
  ];
  const [w, h] = spawnSync('ffprobe', probe).stdout.toString().trim().split(',').map(Number) as [number, number];
  const width = 2 * Math.round((HEIGHT * w) / h / 2);
  const args = ['-v', 'error', '-ss', `${Math.max(0, start)}`, '-t', `${end - start}`, '-i', path];
  const filter = ['-vf', `fps=${RATE},scale=${width}:${HEIGHT}`, '-pix_fmt', 'gray', '-f', 'rawvideo', '-'];
  const raw = spawnSync('ffmpeg', [...args, ...filter], { maxBuffer: 1 << 28 }).stdout;
  const pictures = Array.from({ length: raw.length / (width * HEIGHT) }, (_, i) =>
    raw.subarray(i * width * HEIGHT, (i + 1) * width * HEIGHT),
  );
  return { width, pictures };
}

/** Left edge of a crop in a picture, in columns: where their difference is least. */
function findCrop(whole: Buffer, width: number, part: Buffer, partWidth: number): number {
  let best = { x: 0, sum: Number.POSITIVE_INFINITY };
  for (let x = 0; x <= width - partWidth; x++) {
    let sum = 0;
    for (let y = TOP; y < BOTTOM; y += 2)
      for (let c = 0; c < partWidth; c++) sum += Math.abs(whole[y * width + x + c]! - part[y * partWidth + c]!);
    if (sum < best.sum) best = { x, sum };
  }
  return best.x;
}

const folder = mkdtempSync(join(tmpdir(), 'attention-'));
const [reel, listFile] = [join(folder, 'reel.mp4'), join(folder, 'list.json')];
const args = [
  'highlights',
  log,
  '--aspect',
  '9:16',
  '--layout',
  'crop',
  '--captions',
  'none',
  '--duration',
  values.duration,
];
const made = spawnSync(process.execPath, [join(root, 'src/cli/launch.js'), ...args, '-o', reel, '-o', listFile]);
if (made.status !== 0) throw new Error(made.stderr.toString());
const list = JSON.parse(readFileSync(listFile, 'utf8')) as HighlightList;
const { sources } = await loadSources([resolve(log)]);
const media = new Map(sources.map((source) => [source.header.session, source.media!]));
const offsets: number[] = [];
for (const scene of list.scenes) {
  for (const { t, at } of scene.events) {
    const [before, after] = [Math.min(1, at - scene.at), Math.min(1, scene.end - t)];
    const own = frames(media.get(scene.session)!, t - before, t + after);
    const shown = frames(reel, at - before, at + after);
    if (shown.width >= own.width) continue;
    for (let i = 0; i < Math.min(own.pictures.length, shown.pictures.length); i++) {
      const left = findCrop(own.pictures[i]!, own.width, shown.pictures[i]!, shown.width);
      offsets.push((attentionAt(t - before + i / RATE) * own.width - left) / shown.width - 0.5);
    }
  }
}
rmSync(folder, { recursive: true });
if (offsets.length === 0) console.log(`${log}: the whole width is shown`);
else {
  const inner = offsets.filter((offset) => Math.abs(offset) <= 0.3).length;
  const worst = Math.max(...offsets.map(Math.abs));
  console.log(
    `${log}: ${((100 * inner) / offsets.length).toFixed(1)} % of ${offsets.length} frames in the middle 60 % of the crop, the farthest ${(100 * worst).toFixed(0)} % from its middle`,
  );
}
