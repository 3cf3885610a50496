import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Frame } from 'node-av/lib';
import { AV_PIX_FMT_YUV420P } from 'node-av/constants';
import { beforeAll, describe, expect, it } from 'vitest';
import { eachFrame } from '../fixtures/views.ts';
import { sampleLine } from '../../src/detectors/text/line-image.ts';
import type { Issue } from '../../src/errors.ts';
import type { HeaderLine } from '../../src/events/log.ts';
import type { LaterSettings, Size } from '../../src/geometry.ts';
import type { Picture, Plane } from '../../src/media/picture.ts';
import { VideoEncoder } from '../../src/media/write/encoder.ts';
import { Muxer } from '../../src/media/write/muxer.ts';
import { collectProblems } from '../fixtures/games.ts';
import { recordLog, type RecordOptions } from '../../src/pipeline/record-log.ts';
import { openGame } from '../../src/pipeline/game.ts';
import { AnchoredLocator, toHudSettings } from '../../src/pipeline/placement/anchored-locator.ts';
import { findBorders, findOutlines } from '../../src/pipeline/placement/borders.ts';
import { candidatesWithinBorders, findLandmarks } from '../../src/pipeline/placement/candidates.ts';
import { recognizeGame } from '../../src/pipeline/placement/decide-placement.ts';
import { searchPlacement } from '../../src/pipeline/placement/search-placement.ts';
import { scanPackets } from '../../src/media/packets/scan-packets.ts';
import { copyPicture } from '../../src/media/picture.ts';
import { openVideo } from '../../src/media/video.ts';
import { clip, root } from '../paths.ts';

const SIZE = { width: 960, height: 720 } as const;
/** Where the recording, 1280 × 720, is drawn on the frame. */
const WINDOW = { x: 60, y: 100, width: 800, height: 450 } as const;

let folder: string;
const pictures: Picture[] = [];

/** A plane with a grey ground and the picture's plane in a window; `unit` pixels of the frame per sample. */
function drawn(plane: Plane, unit: number, ground: number, picture: Picture): Plane {
  const [width, height] = [SIZE.width / unit, SIZE.height / unit];
  const data = new Uint8Array(width * height).fill(ground);
  const [w, h] = [WINDOW.width / unit, WINDOW.height / unit];
  const color = { matrix: 'bt709', fullRange: true } as const;
  const source = { ...picture, y: plane, color, width: plane.width, height: plane.height } as Picture;
  const small = sampleLine(source, { x: 0, y: 0, width: plane.width, height: plane.height }, w, h, 'luma');
  for (let row = 0; row < h; row++)
    for (let column = 0; column < w; column++)
      data[(WINDOW.y / unit + row) * width + WINDOW.x / unit + column] = small.data[row * w + column]!;
  return { data, stride: width, width, height };
}

async function write(
  path: string,
  size: Size,
  planesOf: (n: number) => readonly Plane[],
  count = pictures.length,
  den = 10,
): Promise<string> {
  const timeBase = { num: 1, den };
  using muxer = new Muxer(path, 'matroska');
  const streams: Parameters<Muxer['write']>[1][] = [];
  using video = new VideoEncoder({ ...size, timeBase, frameRate: { num: den, den: 1 }, quality: 16 }, (packet) =>
    muxer.write(packet, streams[0]!, timeBase),
  );
  streams.push(muxer.addStream(video.context, timeBase, { num: den, den: 1 }));
  muxer.start();
  for (let n = 0; n < count; n++) {
    const data = Buffer.concat(planesOf(n).map((plane) => plane.data));
    using frame = Frame.fromVideoBuffer(data, { ...size, format: AV_PIX_FMT_YUV420P, timeBase });
    await video.encode(frame, BigInt(n));
  }
  await video.finish();
  muxer.finish();
  return path;
}

async function headerOf(options: RecordOptions): Promise<HeaderLine> {
  const { log } = await recordLog(options);
  return JSON.parse((await readFile(log, 'utf8')).split('\n')[0]!) as HeaderLine;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'playbyplay-placement-'));
  const frames = Array.from({ length: 24 }, (_, i) => 60 + i * 45);
  eachFrame(clip, frames, (picture) => pictures.push(copyPicture(picture)));
});

describe('a recording of a window on a desktop', () => {
  it('has an outline that is found whatever moves around it', () => {
    const scenes = pictures.filter((_, i) => i % 4 === 0);
    const framed = scenes.map((picture, i): Picture => {
      const plane = drawn(picture.y, 1, 0, picture);
      const around = pictures[(i * 4 + 7) % pictures.length]!.y;
      for (let y = 0; y < SIZE.height; y++)
        for (let x = 0; x < SIZE.width; x++) {
          const inside = x >= WINDOW.x && x < WINDOW.x + WINDOW.width && y >= WINDOW.y && y < WINDOW.y + WINDOW.height;
          if (!inside) plane.data[y * SIZE.width + x] = around.data[y * around.stride + x]!;
        }
      return { ...picture, ...SIZE, y: plane };
    });
    expect(findOutlines(framed, 16 / 9)[0]).toEqual(WINDOW);
    // The game alone has none but the lines of its bar.
    for (const { x, y, width } of findOutlines(scenes, 16 / 9))
      expect({ x, y, width }).toEqual({ x: 0, y: 0, width: 1280 });
  });

  it('has a window that is found by its motion', () => {
    const scenes = pictures.filter((_, i) => i % 4 === 0);
    const framed = scenes.map((picture): Picture => ({ ...picture, ...SIZE, y: drawn(picture.y, 1, 90, picture) }));
    const { left, right, top } = findBorders(framed);
    expect([left.at(-1), right.at(-1), top.at(-1)]).toEqual([WINDOW.x, WINDOW.x + WINDOW.width, WINDOW.y]);
  });

  it('can extend beyond the frame if three borders are visible', () => {
    // 1440 × 810 from −24 on, black bars above, below and to the right.
    const edges = { left: [0], right: [1440, 1416], top: [0, 131], bottom: [1080, 941] };
    const found = candidatesWithinBorders(edges, { width: 1440, height: 1080 }, { width: 1280, height: 720 });
    const places = found.map(({ hud }) =>
      [hud.content!.x * 1440, hud.content!.y * 1080, hud.content!.width * 1440].map(Math.round),
    );
    expect(places).toContainEqual([-24, 131, 1440]);
  });

  it('is read at the detected placement, which the log records', async () => {
    const media = await write(join(folder, 'window.mkv'), SIZE, (n) => {
      const picture = pictures[n]!;
      return [drawn(picture.y, 1, 90, picture), drawn(picture.u, 2, 140, picture), drawn(picture.v, 2, 110, picture)];
    });
    const out = join(folder, 'window');
    const header = await headerOf({ media, game: 'freedoom', out, workers: 1 });
    const { content, confidence } = header.placement!;
    expect(confidence).toBeGreaterThan(0.9);
    const pixels = [content!.x * 960, content!.y * 720, content!.width * 960, content!.height * 720];
    for (const [i, value] of [WINDOW.x, WINDOW.y, WINDOW.width, WINDOW.height].entries())
      expect(Math.abs(pixels[i]! - value)).toBeLessThan(2);
    const events = await readFile(join(out, 'events.ndjson'), 'utf8');
    expect(events).toContain("player's health drops from 100 to");
    // Resumed, by two threads: the same log, the placement taken from it.
    await recordLog({ media, game: 'freedoom', out, workers: 2, resume: true });
    expect(await readFile(join(out, 'events.ndjson'), 'utf8')).toBe(events);
    // Given, not found: no confidence.
    const given = await headerOf({
      media,
      game: 'freedoom',
      out: `${out}-given`,
      workers: 1,
      hud: { content: content! },
    });
    expect(given.placement).toEqual({ content });
  });
});

/** The picture with its status bar (960 × 115 at the bottom's middle) so many times as wide and high. */
function resized(picture: Picture, across: number, down: number): Picture {
  const { width, height } = picture;
  const [wide, high] = [Math.round(960 * across), Math.round(116 * down)];
  const bar = sampleLine(picture, { x: 160, y: 604, width: 960, height: 116 }, wide, high, 'luma');
  const data = Uint8Array.from({ length: width * height }, (_, i) => picture.y.data[i % (600 * width)]!);
  const left = Math.round((width - wide) / 2);
  for (let y = 0; y < high; y++)
    for (let x = Math.max(0, -left); x < Math.min(wide, width - left); x++)
      data[(height - high + y) * width + left + x] = Math.max(0, Math.min(255, Math.round(bar.data[y * wide + x]!)));
  return { ...picture, y: { ...picture.y, data, stride: width } };
}

describe('a HUD scaled independently of the picture', () => {
  it('is found at its anchors', async () => {
    const game = await openGame('freedoom');
    const landmarks = await findLandmarks(game);
    const picture = resized(pictures[4]!, 0.9, 0.75);
    const whole = { x: 0, y: 0, width: 1, height: 1 };
    const [best, ...others] = new AnchoredLocator(picture, landmarks, game.profile.reference, whole).search();
    expect(Math.abs(best!.scaleX / 0.9 - 1)).toBeLessThan(0.01);
    expect(Math.abs(best!.scaleY / 0.75 - 1)).toBeLessThan(0.02);
    for (const other of others) expect(other.score).toBeLessThan(best!.score);
    const { scale, stretch } = toHudSettings(best!);
    expect(scale).toBeCloseTo(0.75, 1);
    expect(stretch).toBeCloseTo(1.2, 1);
  });
});

describe('a recording whose layout changes', () => {
  it('for nine seconds is read in both layouts, and the log records the times', async () => {
    const size = { width: 640, height: 360 };
    const color = { matrix: 'bt709', fullRange: true } as const;
    const part = (plane: Plane, unit: number, n: number): Plane => {
      const picture = pictures[n % pictures.length]!;
      const [width, height] = [size.width / unit, size.height / unit];
      // The whole picture, for nine seconds in a corner, smaller.
      const [left, top, w, h] = (n < 20 || n >= 29 ? [0, 0, 640, 360] : [16, 8, 480, 270]).map(
        (value) => value / unit,
      ) as [number, number, number, number];
      const data = new Uint8Array(width * height).fill(unit === 1 ? 90 : 128);
      const source = { ...picture, y: plane, color, width: plane.width, height: plane.height } as Picture;
      const whole = { x: 0, y: 0, width: plane.width, height: plane.height };
      const small = sampleLine(source, whole, w, h, 'luma');
      for (let row = 0; row < h; row++)
        for (let column = 0; column < w; column++)
          data[(top + row) * width + left + column] = Math.round(small.data[row * w + column]!);
      return { data, stride: width, width, height };
    };
    const media = await write(
      join(folder, 'moved.mkv'),
      size,
      (n) => {
        const { y, u, v } = pictures[n % pictures.length]!;
        return [part(y, 1, n), part(u, 2, n), part(v, 2, n)];
      },
      42,
      1,
    );
    const out = join(folder, 'moved');
    const { placement } = await headerOf({ media, game: 'freedoom', out, workers: 1 });
    const log = await readFile(join(out, 'events.ndjson'), 'utf8');
    expect(placement!.content).toBeUndefined();
    expect(placement!.changes).toHaveLength(2);
    const [{ t, content, confidence }, back] = placement!.changes as [LaterSettings, LaterSettings];
    expect([29, 30]).toContain(back.t);
    expect(back.content).toBeUndefined();
    // On the first picture there hardly anything can be read.
    expect([20, 21]).toContain(t);
    expect(confidence).toBeGreaterThan(0.8);
    expect(content!.x).toBeCloseTo(0.025, 2);
    expect(content!.width).toBeCloseTo(0.75, 2);
    // Read on both sides.
    const times = [...log.matchAll(/"type":"event","id":"\w+","t":([\d.]+)/g)].map(([, time]) => Number(time));
    expect(times.some((time) => time < 20)).toBe(true);
    expect(times.some((time) => time > 21 && time < 29)).toBe(true);
    expect(times.some((time) => time > 30)).toBe(true);
    // Resumed, by two threads: the same log, the placement taken from it.
    await rm(join(out, 'readings.journal'));
    await recordLog({ media, game: 'freedoom', out, workers: 2, resume: true });
    expect(await readFile(join(out, 'events.ndjson'), 'utf8')).toBe(log);
  });
});

describe('a recording squeezed to 4:3', () => {
  const size = { width: 480, height: 360 };
  const squeezed = (plane: Plane, unit: number, picture: Picture): Plane => {
    const [width, height] = [size.width / unit, size.height / unit];
    const color = { matrix: 'bt709', fullRange: true } as const;
    const source = { ...picture, y: plane, color, width: plane.width, height: plane.height } as Picture;
    const { data } = sampleLine(
      source,
      { x: 0, y: 0, width: plane.width, height: plane.height },
      width,
      height,
      'luma',
    );
    return { data: Uint8Array.from(data, Math.round), stride: width, width, height };
  };

  it('is recognized as squeezed', async () => {
    const media = await write(
      join(folder, 'squeezed.mkv'),
      size,
      (n) => {
        const picture = pictures[n]!;
        return [squeezed(picture.y, 1, picture), squeezed(picture.u, 2, picture), squeezed(picture.v, 2, picture)];
      },
      6,
    );
    const { placement } = await headerOf({
      media,
      game: 'freedoom',
      out: join(folder, 'squeezed'),
      workers: 1,
      to: 0.1,
    });
    expect(placement).toMatchObject({ aspect: 1.3333 });
    expect(placement!.content).toBeUndefined();
    expect(placement!.confidence).toBeGreaterThan(0.9);
  });
});

describe('a recording without the HUD', () => {
  it('gives a warning', async () => {
    const size = { width: 160, height: 120 };
    const grey = (unit: number, level: number): Plane => {
      const [width, height] = [size.width / unit, size.height / unit];
      return { data: new Uint8Array(width * height).fill(level), stride: width, width, height };
    };
    const media = await write(join(folder, 'empty.mkv'), size, (n) => [grey(1, 60 + n), grey(2, 128), grey(2, 128)]);
    const problems: Issue[] = [];
    const onMessage = collectProblems(problems);
    const { doubt, events, placement } = await recordLog({ media, game: 'freedoom', workers: 1, onMessage });
    expect(doubt).toMatchObject({
      code: 'hud-not-found',
      message: expect.stringContaining('none of the HUD elements'),
    });
    expect([problems[0], events, placement]).toEqual([doubt, 0, undefined]);
  });
});

describe('a test pattern', () => {
  it('shows no HUD, although two text regions read its bars in every picture', async () => {
    using file = openVideo(join(root, 'test', 'footage', 'test-pattern.mp4'));
    const game = await openGame('freedoom');
    const found = await searchPlacement({ file, index: scanPackets(file), game }, { outlinesOnly: true });
    expect(found).toBeUndefined();
  });
});

it('a user’s game is recognized like the built-in ones', async () => {
  const packs = join(folder, 'packs');
  const own = join(packs, 'mine', 'configs', 'my-doom');
  await cp(join(root, 'configs', 'freedoom'), own, { recursive: true });
  const profile = await readFile(join(own, 'profile.json'), 'utf8');
  await writeFile(join(own, 'profile.json'), profile.replace('"game": "freedoom"', '"game": "my-doom"'));
  const { found, known } = await recognizeGame(clip, { profiles: [packs] });
  expect(found).toMatchObject({ game: 'my-doom', path: join(own, 'profile.json') });
  expect(known).toEqual(['my-doom', 'freedoom', 'hedgewars', 'nethack', 'openarena']);
  await expect(recognizeGame(clip, { profiles: [join(packs, 'none')] })).rejects.toMatchObject({
    code: 'profile-missing',
  });
});

it('another game than the chosen one is reported', async () => {
  const out = join(folder, 'wrong');
  await expect(recordLog({ media: clip, game: 'openarena', out, to: 1, workers: 1 })).rejects.toMatchObject({
    code: 'wrong-game',
    message: expect.stringMatching(/looks like freedoom \(0\.9\d\); nothing was read$/),
    hint: expect.stringContaining('--place default'),
  });
  const { events } = await recordLog({ media: clip, game: 'openarena', out, to: 1, workers: 1, place: 'default' });
  expect(events).toBe(0);
  const header = await headerOf({ media: clip, game: 'freedoom', out: `${out}-right`, to: 1, workers: 1 });
  expect(header.placement).toBeUndefined();
});
