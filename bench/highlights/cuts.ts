// Draws the first and last frame of every scene of a reel next to the intended frames of the recording, and prints how much more similar
// they are to those than to the frames before and after:
//   node bench/highlights/cuts.ts <reel.mp4> <highlights.json> <folder of the recordings> <picture.png>
// Frames are extracted by number with the ffmpeg command, independently of the program.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import type { HighlightList } from '../../src/highlights/list.ts';

const [reel, listPath, folder, picture] = process.argv.slice(2);
if (!reel || !listPath || !folder || !picture)
  throw new RangeError('usage: cuts.ts <reel> <list> <recordings> <picture>');
const list = JSON.parse(readFileSync(listPath, 'utf8')) as HighlightList;

function rateElement(path: string): number {
  const args = ['-v', 'error', '-select_streams', 'v', '-show_entries', 'stream=r_frame_rate', '-of', 'csv=p=0', path];
  const [num, den] = spawnSync('ffprobe', args, { encoding: 'utf8' }).stdout.trim().split('/').map(Number);
  return num! / den!;
}

const SIZE = { width: 320, height: 180 };

function frameAt(path: string, number: number): Buffer {
  const filter = `select=eq(n\\,${number}),scale=${SIZE.width}:${SIZE.height}`;
  const args = ['-v', 'error', '-i', path, '-vf', filter, '-frames:v', '1', '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-'];
  return spawnSync('ffmpeg', args, { maxBuffer: 1 << 26 }).stdout;
}

function psnr(a: Buffer, b: Buffer): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i]! - b[i]!) ** 2;
  return sum === 0 ? Number.POSITIVE_INFINITY : 10 * Math.log10((255 ** 2 * a.length) / sum);
}

const reelRate = rateElement(reel);
const tiles: Buffer[] = [];
let wrong = 0;
for (const [index, scene] of list.scenes.entries()) {
  const media = join(folder, scene.media);
  const rate = rateElement(media);
  const first = { reel: Math.round(scene.at * reelRate), source: Math.round(scene.start * rate) };
  const count = Math.round((scene.end - scene.start) * rate);
  const last = { reel: first.reel + count - 1, source: first.source + count - 1 };
  for (const [name, place] of [
    ['first', first],
    ['last', last],
  ] as const) {
    const seen = frameAt(reel, place.reel);
    const meant = [-1, 0, 1].map((step) => psnr(seen, frameAt(media, place.source + step)));
    const right = meant[1]! >= Math.max(...meant);
    if (!right) wrong++;
    tiles.push(frameAt(media, place.source), seen);
    process.stdout.write(
      `scene ${index + 1} ${name.padEnd(5)} reel frame ${place.reel} = recording frame ${place.source}: PSNR before ${meant[0]!.toFixed(1)}, meant ${meant[1]!.toFixed(1)}, after ${meant[2]!.toFixed(1)}${right ? '' : '  WRONG'}\n`,
    );
  }
}
await sharp({
  create: { width: SIZE.width * 4, height: SIZE.height * list.scenes.length, channels: 3, background: '#000' },
})
  .composite(
    tiles.map((input, i) => ({
      input,
      raw: { ...SIZE, channels: 3 },
      left: (i % 4) * SIZE.width,
      top: Math.floor(i / 4) * SIZE.height,
    })),
  )
  .png()
  .toFile(picture);
process.stdout.write(
  `${wrong} wrong; recording and reel side by side, first and last frame of each scene: ${picture}\n`,
);
process.exitCode = wrong > 0 ? 1 : 0;
