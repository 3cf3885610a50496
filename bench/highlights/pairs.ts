// Prepares pairs of reels for a blind judgment by bench/highlights/rubric.md:
//   node bench/highlights/pairs.ts <folder> <seed> <reel.mp4>=<plain cut.mp4>…
// For each pair, <folder>/01-A.jpg and 01-B.jpg show one frame per second and the sound's level over time, in an order that the seed
// decides. key.json says which was which: open it when the judgments are written down. Needs the ffmpeg command.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Random } from '../forge/random.ts';

const [folder, seed, ...pairs] = process.argv.slice(2);
if (folder === undefined || seed === undefined || pairs.length === 0)
  throw new RangeError('usage: pairs.ts <folder> <seed> <reel>=<plain>…');
mkdirSync(folder, { recursive: true });
const SHEET_WIDTH = 1600;
const CELL_HEIGHT = 200;
const GAP = 4;

function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command}: ${stderr}`);
  return stdout;
}

function drawSheet(reel: string, picture: string): void {
  const shown = run(
    'ffprobe',
    '-v',
    'error',
    '-select_streams',
    'v:0',
    '-show_entries',
    'stream=width,height:format=duration',
    '-of',
    'csv=p=0',
    reel,
  );
  const [width, height, duration] = shown.split(/[,\s]+/).map(Number) as [number, number, number];
  const cell = 2 * Math.round((CELL_HEIGHT * width) / height / 2);
  const columns = Math.floor(SHEET_WIDTH / (cell + GAP));
  const rows = Math.ceil(Math.ceil(duration) / columns);
  const pictures = `[0:v]fps=1,scale=${cell}:${CELL_HEIGHT},tile=${columns}x${rows}:padding=${GAP},pad=${SHEET_WIDTH}:ih[pictures]`;
  const sound = `[0:a]aformat=channel_layouts=mono,showwavespic=s=${SHEET_WIDTH}x120:colors=white[sound]`;
  run(
    'ffmpeg',
    '-v',
    'error',
    '-y',
    '-i',
    reel,
    '-filter_complex',
    `${pictures};${sound};[pictures][sound]vstack`,
    '-frames:v',
    '1',
    '-q:v',
    '3',
    picture,
  );
}

const random = new Random(seed);
const key = pairs.map((pair, index) => {
  const [reel, plain] = pair.split('=') as [string, string];
  const isReelFirst = random.next() < 0.5;
  const name = String(index + 1).padStart(2, '0');
  drawSheet(isReelFirst ? reel : plain, join(folder, `${name}-A.jpg`));
  drawSheet(isReelFirst ? plain : reel, join(folder, `${name}-B.jpg`));
  return { pair: name, reel: isReelFirst ? 'A' : 'B', files: [basename(reel), basename(plain)] };
});
writeFileSync(join(folder, 'key.json'), `${JSON.stringify(key, undefined, 2)}\n`);
