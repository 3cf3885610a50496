import { spawn } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Random } from './random.ts';
import { toYuv } from './sprites.ts';

/** What lies under a HUD: frames in YUV 4:2:0, one after the other. */
export interface Scene {
  readonly name: string;
  /** Writes the next frame into `frame`. */
  readonly next: (frame: Uint8Array) => Promise<void>;
  readonly close: () => void;
}

/** Size and rate of a scene. */
export interface SceneFormat {
  readonly width: number;
  readonly height: number;
  readonly frameRate: number;
}

/** A part of a recording without its own HUD. */
interface Clip {
  readonly path: string;
  /** Shares of width and height: left, top, right, bottom. */
  readonly crop: readonly [number, number, number, number];
  /** Seconds. */
  readonly from: number;
  readonly to: number;
}

/** Seconds around a kill in which OpenArena writes on the screen. */
const OPENARENA_TEXT_SECONDS = 3.5;
/** Seconds that a stretch of footage lasts at least. */
const MIN_STRETCH = 8;

interface ClipTruth {
  readonly frames?: number;
  readonly fps?: number;
  readonly followed_player?: string;
  readonly kills?: readonly { readonly frame: number; readonly killer: string; readonly victim: string }[];
}

/**
 * Finds the stretches of footage without HUD in a folder with `<game>/<clip>/video.mp4`: above Doom's status bar, in OpenArena
 * between the texts that follow a kill, in Extreme Tux Racer between its corners.
 */
export function findFootage(folder: string): readonly Clip[] {
  return globSync('*/*/video.mp4', { cwd: folder })
    .toSorted()
    .flatMap((name): Clip[] => {
      const path = join(folder, name);
      const truthPath = join(dirname(path), 'truth.json');
      const truth = existsSync(truthPath) ? (JSON.parse(readFileSync(truthPath, 'utf8')) as ClipTruth) : {};
      const seconds = (truth.frames ?? 0) / (truth.fps ?? 30);
      switch (basename(dirname(dirname(path)))) {
        case 'freedoom':
          return seconds < 12 ? [] : [{ path, crop: [0.1, 0.05, 0.9, 0.82], from: 2, to: seconds - 1 }];
        case 'extremetuxracer':
          return [{ path, crop: [0, 0.07, 0.87, 0.94], from: 5, to: 140 }];
        case 'openarena': {
          const own = (truth.kills ?? []).filter(({ killer, victim }) =>
            [killer, victim].includes(truth.followed_player ?? ''),
          );
          // A spectator's camera stands still.
          if (own.length === 0) return [];
          const times = [0, ...own.map(({ frame }) => frame / (truth.fps ?? 30)), seconds];
          return times.slice(1).flatMap((to, i): Clip[] => {
            const from = times[i]! + OPENARENA_TEXT_SECONDS;
            return to - from < MIN_STRETCH ? [] : [{ path, crop: [0.1, 0.38, 0.9, 0.79], from, to: to - 0.5 }];
          });
        }
        default:
          return [];
      }
    });
}

/** The largest part of a crop that has the shape of the frame. */
function cropFilter([left, top, right, bottom]: Clip['crop'], { width, height }: SceneFormat): string {
  const shape = (width / height).toFixed(6);
  const [w, h] = [`(iw*${(right - left).toFixed(4)})`, `(ih*${(bottom - top).toFixed(4)})`];
  const [cw, ch] = [`min(${w}\\,${h}*${shape})`, `min(${h}\\,${w}/${shape})`];
  return `crop=${cw}:${ch}:iw*${left}+(${w}-ow)/2:ih*${top}+(${h}-oh)/2,scale=${width}:${height}:flags=bilinear`;
}

/** Plays clips one after the other, from the first again at the end. */
export function footageScene(clips: readonly Clip[], format: SceneFormat): Scene {
  const bytes = (format.width * format.height * 3) / 2;
  let at = -1;
  let stop: (() => void) | undefined;
  let source: AsyncIterator<Buffer> | undefined;
  let rest: Buffer = Buffer.alloc(0);
  const open = (): void => {
    at = (at + 1) % clips.length;
    const { path, crop, from, to } = clips[at]!;
    const filter = `${cropFilter(crop, format)},fps=${format.frameRate}`;
    const child = spawn(
      'ffmpeg',
      [
        '-v',
        'error',
        '-nostdin',
        '-threads',
        '1',
        '-ss',
        String(from),
        '-i',
        path,
        '-t',
        String(to - from),
        '-an',
      ].concat(['-vf', filter, '-pix_fmt', 'yuv420p', '-f', 'rawvideo', '-']),
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let isStopped = false;
    // What ffmpeg says about a closed pipe is no news.
    child.stderr.on('data', (text: Buffer) => isStopped || process.stderr.write(text));
    source = child.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    stop = () => {
      isStopped = true;
      child.stdout.destroy();
      child.kill('SIGKILL');
    };
  };
  return {
    name: clips.map(({ path }) => basename(dirname(path))).join(', '),
    next: async (frame) => {
      let filled = 0;
      let tries = 0;
      while (filled < bytes) {
        if (rest.length === 0) {
          if (source === undefined) open();
          const { value, done } = await source!.next();
          if (done === true) {
            // The last frame of a clip is whole: a pipe ends between frames.
            if (++tries > clips.length) throw new Error(`ffmpeg made no frame of ${clips[at]!.path}`);
            source = undefined;
            continue;
          }
          rest = value as Buffer;
        }
        const part = rest.subarray(0, bytes - filled);
        frame.set(part, filled);
        filled += part.length;
        rest = rest.subarray(part.length);
      }
    },
    close: () => stop?.(),
  };
}

/** Kinds of drawn scenes. */
export type DrawnScene = 'side' | 'above' | 'table' | 'arena' | 'field';

type Rgb = readonly [number, number, number];

const PALETTES: Readonly<Record<DrawnScene, readonly (readonly [Rgb, Rgb, Rgb])[]>> = {
  side: [
    [
      [90, 150, 220],
      [150, 200, 240],
      [235, 240, 250],
    ],
    [
      [30, 20, 60],
      [80, 40, 110],
      [180, 90, 120],
    ],
    [
      [240, 170, 90],
      [250, 200, 140],
      [255, 235, 200],
    ],
  ],
  above: [
    [
      [40, 80, 30],
      [80, 120, 50],
      [150, 140, 80],
    ],
    [
      [140, 110, 70],
      [190, 160, 110],
      [220, 200, 150],
    ],
    [
      [60, 70, 80],
      [120, 130, 140],
      [220, 225, 235],
    ],
  ],
  table: [
    [
      [20, 60, 40],
      [30, 80, 50],
      [40, 95, 60],
    ],
    [
      [50, 30, 20],
      [80, 50, 30],
      [110, 75, 45],
    ],
    [
      [25, 30, 70],
      [35, 45, 95],
      [55, 60, 120],
    ],
  ],
  arena: [
    [
      [40, 30, 50],
      [110, 60, 70],
      [220, 150, 90],
    ],
    [
      [20, 40, 60],
      [60, 110, 130],
      [170, 200, 200],
    ],
  ],
  field: [
    [
      [40, 110, 40],
      [55, 130, 50],
      [75, 150, 65],
    ],
    [
      [170, 110, 60],
      [190, 130, 80],
      [205, 150, 100],
    ],
    [
      [200, 220, 235],
      [215, 230, 240],
      [235, 245, 250],
    ],
  ],
};

/** A picture in planes of YUV 4:2:0. */
interface Planes {
  readonly width: number;
  readonly height: number;
  readonly y: Uint8Array;
  readonly u: Uint8Array;
  readonly v: Uint8Array;
}

function makePlanes(width: number, height: number): Planes {
  const half = (width / 2) * (height / 2);
  return {
    width,
    height,
    y: new Uint8Array(width * height),
    u: new Uint8Array(half).fill(128),
    v: new Uint8Array(half).fill(128),
  };
}

function smooth(part: number): number {
  return part * part * (3 - 2 * part);
}

/** Value noise that repeats at the right edge, 0…1. */
function makeNoise(random: Random, columns: number, rows: number): (x: number, y: number) => number {
  const grid = Float32Array.from({ length: columns * (rows + 1) }, () => random.next());
  return (x, y) => {
    const [gx, gy] = [x * columns, y * rows];
    const [column, row] = [Math.floor(gx), Math.min(rows - 1, Math.floor(gy))];
    const [fx, fy] = [smooth(gx - column), smooth(gy - row)];
    const at = (c: number, r: number): number => grid[r * columns + (c % columns)]!;
    const upper = at(column, row) * (1 - fx) + at(column + 1, row) * fx;
    const lower = at(column, row + 1) * (1 - fx) + at(column + 1, row + 1) * fx;
    return upper * (1 - fy) + lower * fy;
  };
}

/** Fills an ellipse or a rectangle; x wraps around. */
function fill(planes: Planes, shape: 'ellipse' | 'box', x: number, y: number, w: number, h: number, color: Rgb): void {
  const [luma, u, v] = toYuv(...color);
  const [left, top] = [Math.round(x), Math.max(0, Math.round(y))];
  const bottom = Math.min(planes.height, Math.round(y + h));
  for (let row = top; row < bottom; row++) {
    const dy = (row - y - h / 2) / (h / 2);
    const inset = shape === 'box' ? 0 : (w / 2) * (1 - Math.sqrt(Math.max(0, 1 - dy * dy)));
    for (let column = Math.round(left + inset); column < left + w - inset; column++) {
      const wrapped = ((column % planes.width) + planes.width) % planes.width;
      const shade = 1 - 0.25 * ((row - y) / h);
      planes.y[row * planes.width + wrapped] = Math.round(16 + (luma - 16) * shade);
      const k = (row >> 1) * (planes.width >> 1) + (wrapped >> 1);
      planes.u[k] = 128 + u;
      planes.v[k] = 128 + v;
    }
  }
}

function paintBackdrop(random: Random, kind: DrawnScene, width: number, height: number): Planes {
  const planes = makePlanes(width, height);
  const palette = random.pick(PALETTES[kind]);
  const stops = palette.map((color) => toYuv(...color));
  const octaves = [8, 24, 80, 200].map((columns) => makeNoise(random, columns, Math.ceil((columns * height) / width)));
  const weights = kind === 'table' ? [0.2, 0.1, 0.3, 0.4] : [0.5, 0.25, 0.15, 0.1];
  const isVertical = kind === 'side' || kind === 'arena';
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++) {
      let level = 0;
      for (const [i, noise] of octaves.entries()) level += weights[i]! * noise(column / width, row / height);
      if (isVertical) level = 0.35 * level + 0.65 * (row / height);
      if (kind === 'field') level = 0.5 * level + 0.5 * (Math.floor((8 * column) / width) % 2);
      const at = Math.min(1.999, 2 * level);
      const [from, to] = [stops[Math.floor(at)]!, stops[Math.floor(at) + 1]!];
      const part = at - Math.floor(at);
      planes.y[row * width + column] = from[0] * (1 - part) + to[0] * part;
      if (row % 2 === 0 && column % 2 === 0) {
        const k = (row >> 1) * (width >> 1) + (column >> 1);
        planes.u[k] = 128 + from[1] * (1 - part) + to[1] * part;
        planes.v[k] = 128 + from[2] * (1 - part) + to[2] * part;
      }
    }
  const color = (): Rgb => [random.whole(20, 220), random.whole(20, 220), random.whole(20, 220)];
  const things = { side: 70, above: 160, table: 0, arena: 40, field: 12 }[kind];
  for (let i = 0; i < things; i++) {
    const side = random.between(0.02, kind === 'above' ? 0.07 : 0.14) * height;
    const y = kind === 'side' ? random.between(0.35, 0.95) * height : random.next() * height;
    fill(planes, random.pick(['ellipse', 'box']), random.next() * width, y, side * random.between(1, 3), side, color());
  }
  if (kind === 'side') fill(planes, 'box', 0, 0.86 * height, width, 0.14 * height, color());
  if (kind === 'table')
    for (let i = 0; i < 7; i++) {
      const [w, h] = [0.07 * width * 0.5, 0.17 * height];
      fill(planes, 'box', (0.05 + 0.065 * i) * width, random.pick([0.33, 0.56]) * height, w, h, color());
    }
  return planes;
}

/** Copies a part of a plane that repeats to the right. */
function copyPart(target: Uint8Array, source: Uint8Array, width: number, sourceWidth: number, offset: number): void {
  const first = Math.min(width, sourceWidth - offset);
  for (let row = 0; row < target.length / width; row++) {
    const start = row * sourceWidth;
    target.set(source.subarray(start + offset, start + offset + first), row * width);
    if (first < width) target.set(source.subarray(start, start + width - first), row * width + first);
  }
}

/** A drawn scene: a backdrop that scrolls, and figures that move over it. */
export function drawnScene(random: Random, kind: DrawnScene, format: SceneFormat): Scene {
  const { width, height, frameRate } = format;
  const backdrop = paintBackdrop(random, kind, width * 2, height);
  const speed = { side: 90, above: 45, table: 0, arena: 12, field: 60 }[kind] * (height / 720);
  const swing = random.between(0.05, 0.15);
  const actors = Array.from({ length: { side: 6, above: 14, table: 1, arena: 2, field: 12 }[kind] }, () => ({
    color: [random.whole(60, 240), random.whole(60, 240), random.whole(60, 240)] as const,
    side: random.between(0.03, kind === 'arena' ? 0.3 : 0.08) * height,
    x: random.next(),
    y: kind === 'side' ? random.between(0.5, 0.8) : kind === 'arena' ? 0.45 : random.between(0.1, 0.85),
    rate: random.between(0.1, 0.5),
    reach: random.between(0.05, 0.25),
    phase: random.between(0, 6),
  }));
  let frameNumber = 0;
  return {
    name: `drawn ${kind}`,
    next: async (frame) => {
      const t = frameNumber++ / frameRate;
      const scroll = speed * (t + (kind === 'side' ? 0 : 3 * Math.sin(swing * t * 6.28)));
      const from = 2 * Math.floor((((scroll % backdrop.width) + backdrop.width) % backdrop.width) / 2);
      const pixels = width * height;
      const view: Planes = {
        width,
        height,
        y: frame.subarray(0, pixels),
        u: frame.subarray(pixels, pixels + pixels / 4),
        v: frame.subarray(pixels + pixels / 4, pixels * 1.5),
      };
      copyPart(view.y, backdrop.y, width, backdrop.width, from);
      copyPart(view.u, backdrop.u, width / 2, backdrop.width / 2, from / 2);
      copyPart(view.v, backdrop.v, width / 2, backdrop.width / 2, from / 2);
      for (const { color, side, x, y, rate, reach, phase } of actors) {
        const ax = (x + reach * Math.sin(rate * t + phase)) * (width - side);
        const ay = (y + 0.3 * reach * Math.sin(1.7 * rate * t + phase)) * height;
        fill(view, 'ellipse', ax, ay, side * 0.7, side, color);
        fill(view, 'box', ax + side * 0.1, ay + side * 0.8, side * 0.5, side, color);
      }
    },
    close: () => undefined,
  };
}

/** The scene of a game's recording: footage where there is some and the genre has it, or drawn. */
export function makeScene(
  random: Random,
  kinds: readonly (DrawnScene | 'footage')[],
  footage: readonly Clip[],
  format: SceneFormat,
): Scene {
  const kind = random.pick(kinds);
  if (kind !== 'footage') return drawnScene(random, kind, format);
  if (footage.length === 0) return drawnScene(random, 'above', format);
  const games = [...Map.groupBy(footage, ({ path }) => dirname(dirname(path))).values()];
  return footageScene(random.shuffle(random.pick(games)).slice(0, 4), format);
}
