// Makes recordings that show no HUD, on which placement must find nothing: test patterns, fractals, automata, noise, scrolling and ticking
// text, and gameplay whose HUD is cropped off. Needs the ffmpeg command.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Size } from '../../src/geometry.ts';

/** How long recordings are, in frames of a tenth of a second, and by how much smaller than the usual sizes. */
export interface NegativeFormat {
  readonly frames: number;
  readonly reduction: number;
}
const SIZES: readonly Size[] = [
  { width: 1280, height: 720 },
  { width: 854, height: 480 },
  { width: 640, height: 480 },
  { width: 1024, height: 768 },
  { width: 640, height: 360 },
];
const FONTS = [
  'DejaVu Sans Mono',
  'DejaVu Sans',
  'Liberation Mono',
  'DejaVu Serif',
  'Roboto Condensed',
  'Liberation Sans Narrow',
];
const COLORS = ['white', 'yellow', 'red', '0xffb000', '0x40ff40', 'gray'];
const BACKGROUNDS = ['black', 'navy', '0x303030', 'white', '0x604020', '0x2a6a8a'];

/** One generated recording: FFmpeg's source, and filters behind it. */
interface Pattern {
  readonly name: string;
  source(size: string, seed: number): string;
}

const pick = <T>(values: readonly T[], seed: number): T => values[seed % values.length]!;
/** A reproducible number in 0…1 for a seed and a purpose. */
const random = (seed: number, purpose: number): number => {
  const value = Math.sin(seed * 12.9898 + purpose * 78.233) * 43758.5453;
  return value - Math.floor(value);
};
const text = (seed: number, words: string, more: string): string =>
  `drawtext=font='${pick(FONTS, seed)}':fontcolor=${pick(COLORS, seed >> 1)}:fontsize=${16 + Math.floor(random(seed, 1) * 60)}:text='${words}':${more}`;
const digits = (seed: number, count: number): string =>
  Array.from({ length: count }, (_, i) => Math.floor(random(seed, 10 + i) * 10)).join('');

const PATTERNS: readonly Pattern[] = [
  ...[
    'testsrc',
    'testsrc2',
    'rgbtestsrc',
    'yuvtestsrc',
    'smptebars',
    'smptehdbars',
    'pal75bars',
    'pal100bars',
    'colorspectrum',
  ].map((name) => ({
    name,
    source: (size: string, seed: number) => `${name}=s=${size}:r=10,hue=h=${seed * 40}`,
  })),
  {
    name: 'mandelbrot',
    source: (size, seed) =>
      `mandelbrot=s=${size}:r=10:start_scale=${1 + random(seed, 2) * 3}:start_x=${-0.743 - random(seed, 3) / 5}`,
  },
  {
    name: 'life',
    source: (size, seed) =>
      `life=s=${size}:r=10:seed=${seed}:ratio=${0.2 + random(seed, 2) / 2}:mold=${Math.floor(random(seed, 3) * 20)}:life_color=${pick(COLORS, seed)}:death_color=${pick(BACKGROUNDS, seed)}`,
  },
  {
    name: 'life-large',
    source: (size, seed) =>
      `life=s=160x90:r=10:seed=${seed}:rule=B36/S23,scale=${size.replace('x', ':')}:flags=neighbor`,
  },
  {
    name: 'cellauto',
    source: (size, seed) => `cellauto=s=${size}:r=10:rule=${pick([18, 30, 90, 110, 150, 22], seed)}:seed=${seed}`,
  },
  {
    name: 'cellauto-large',
    source: (size, seed) =>
      `cellauto=s=160x120:r=10:rule=${pick([30, 110, 73, 45], seed)}:seed=${seed},scale=${size.replace('x', ':')}:flags=neighbor`,
  },
  { name: 'sierpinski', source: (size, seed) => `sierpinski=s=${size}:r=10:seed=${seed}:type=${seed % 2}` },
  {
    name: 'gradients',
    source: (size, seed) =>
      `gradients=s=${size}:r=10:seed=${seed}:n=${2 + (seed % 6)}:type=${pick(['linear', 'radial', 'circular', 'spiral'], seed)}:speed=${0.01 + random(seed, 2) / 10}`,
  },
  {
    name: 'noise',
    source: (size, seed) =>
      `color=${pick(BACKGROUNDS, seed)}:s=${size}:r=10,noise=alls=${20 + Math.floor(random(seed, 2) * 80)}:allf=t:all_seed=${seed + 1}`,
  },
  {
    name: 'noise-blurred',
    source: (size, seed) =>
      `color=gray:s=320x180:r=10,noise=alls=100:allf=t:all_seed=${seed + 1},boxblur=${1 + (seed % 4)},eq=contrast=3,scale=${size.replace('x', ':')}`,
  },
  {
    name: 'blocks',
    source: (size, seed) =>
      `color=gray:s=40x24:r=2,noise=alls=100:allf=t:all_seed=${seed + 1},scale=${size.replace('x', ':')}:flags=neighbor,fps=10`,
  },
  {
    name: 'color',
    source: (size, seed) =>
      `color=${pick(BACKGROUNDS, seed)}:s=${size}:r=10,drawgrid=w=${20 + seed * 3}:h=${15 + seed * 2}:t=${1 + (seed % 5)}:c=${pick(COLORS, seed)}`,
  },
  { name: 'allrgb', source: (size) => `allrgb=r=10,scale=${size.replace('x', ':')}` },
  {
    name: 'counter',
    source: (size, seed) =>
      `color=${pick(BACKGROUNDS, seed)}:s=${size}:r=10,${text(seed, '%{n}', `x=w*${random(seed, 4) * 0.8}:y=h*${random(seed, 5) * 0.85}`)}`,
  },
  {
    name: 'clock',
    source: (size, seed) =>
      `color=${pick(BACKGROUNDS, seed + 2)}:s=${size}:r=10,${text(seed, '%{pts\\:hms}', `x=w*${random(seed, 4) * 0.5}:y=h*${random(seed, 5) * 0.85}`)}`,
  },
  {
    name: 'ticker',
    source: (size, seed) =>
      `color=${pick(BACKGROUNDS, seed)}:s=${size}:r=10,${text(seed, `NEWS ${digits(seed, 6)} points ${digits(seed + 1, 3)} health 100 armor ${digits(seed, 2)} results`, 'x=w-mod(t*120\\,w+tw):y=h-th-10')}`,
  },
  {
    name: 'credits',
    source: (size, seed) =>
      `color=${pick(BACKGROUNDS, seed)}:s=${size}:r=10,${Array.from({ length: 6 }, (_, i) => text(seed, `${pick(['Director', 'Score', 'Frags', 'Camera', 'Editor'], seed + i)} ${digits(seed + i, 3)}`, `x=(w-tw)/2:y=h-t*60+${i * 80}`)).join(',')}`,
  },
  {
    name: 'numbers',
    source: (size, seed) =>
      `color=${pick(BACKGROUNDS, seed)}:s=${size}:r=10,${Array.from({ length: 12 }, (_, i) => text(seed + i, digits(seed * 31 + i, 1 + (i % 4)), `x=w*${random(seed, 20 + i) * 0.9}:y=h*${random(seed, 40 + i) * 0.92}`)).join(',')}`,
  },
  {
    name: 'table',
    source: (size, seed) =>
      `color=white:s=${size}:r=10,drawgrid=w=iw/6:h=ih/10:c=gray,${Array.from({ length: 16 }, (_, i) => `drawtext=font='DejaVu Sans':fontcolor=black:fontsize=22:text='${digits(seed * 7 + i, 3)}':x=w*${(i % 4) * 0.22 + 0.05}:y=h*${Math.floor(i / 4) * 0.22 + 0.06}`).join(',')}`,
  },
  {
    name: 'scoreboard',
    source: (size, seed) =>
      `testsrc2=s=${size}:r=10,hue=h=${seed * 25}:s=0.3,drawbox=x=0:y=ih*0.85:w=iw:h=ih*0.15:c=black@0.7:t=fill,${Array.from({ length: 5 }, (_, i) => text(seed + i, digits(seed + i * 3, 2 + (i % 2)), `x=w*${0.06 + i * 0.19}:y=h*0.88`)).join(',')}`,
  },
];

function encode(path: string, input: readonly string[], frames: number): string {
  if (!existsSync(path))
    execFileSync('ffmpeg', [
      '-v',
      'error',
      '-y',
      '-threads',
      '1',
      ...input,
      '-frames:v',
      String(frames),
      '-an',
      '-threads',
      '1',
      '-c:v',
      'libx264',
      '-preset',
      'ultrafast',
      '-crf',
      '20',
      '-pix_fmt',
      'yuv420p',
      '-g',
      '10',
      path,
    ]);
  return path;
}

/** Parts of gameplay without HUD, in fractions: above the status bar of Freedoom, between the corners' figures of OpenArena. */
const GAMEPLAY_CROPS: Readonly<
  Record<string, readonly (readonly [x: number, y: number, width: number, height: number])[]>
> = {
  freedoom: [
    [0.05, 0.15, 0.9, 0.6],
    [0, 0.2, 0.5, 0.55],
    [0.5, 0.15, 0.45, 0.6],
    [0.2, 0.2, 0.4, 0.4],
  ],
  openarena: [
    [0.05, 0.22, 0.3, 0.45],
    [0.6, 0.25, 0.3, 0.45],
    [0.1, 0.25, 0.35, 0.4],
    [0.56, 0.2, 0.28, 0.5],
  ],
};

/**
 * Makes recordings without HUD; those that exist are kept.
 *
 * @param count Generated ones, of all patterns in turn.
 * @param gameplay Recordings by game, of which parts without HUD are cut out.
 * @param format Small recordings of few pictures are searched in a tenth of the time.
 */
export function makeNegatives(
  folder: string,
  count: number,
  gameplay: readonly (readonly [game: string, media: string])[],
  { frames, reduction }: NegativeFormat = { frames: 100, reduction: 1 },
): string[] {
  mkdirSync(folder, { recursive: true });
  const paths: string[] = [];
  for (let i = 0; i < count; i++) {
    const { name, source } = pick(PATTERNS, i);
    const seed = Math.floor(i / PATTERNS.length);
    const { width, height } = pick(SIZES, seed + i);
    const reduce = ['-vf', `scale=trunc(iw/${2 * reduction})*2:-2`];
    const input = ['-f', 'lavfi', '-i', source(`${width}x${height}`, seed), ...(reduction === 1 ? [] : reduce)];
    paths.push(encode(join(folder, `${name}-${seed}.mp4`), input, frames));
  }
  for (const [game, media] of gameplay)
    for (const [n, [x, y, width, height]] of (GAMEPLAY_CROPS[game] ?? []).entries())
      for (const start of [3, 15])
        paths.push(
          encode(
            join(folder, `${basename(dirname(media))}-crop-${n}-${start}.mp4`),
            [
              '-ss',
              String(start),
              '-i',
              media,
              '-vf',
              `crop=iw*${width}:ih*${height}:iw*${x}:ih*${y},scale=${2 * Math.trunc(640 / reduction)}:-2,fps=10,setsar=1`,
            ],
            frames,
          ),
        );
  return paths;
}
