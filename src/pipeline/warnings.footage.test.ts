import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scanPackets } from '../media/packets/scan-packets.ts';
import { makeVideo } from '../../test/fixtures/videos.ts';
import { openVideo } from '../media/video.ts';
import { checkSchema } from '../schema/check.ts';
import { kind as motion } from '../detectors/motion/index.ts';
import type { Profile } from '../profile/profile.ts';
import type { Game } from './game.ts';
import { compileTestProfile } from '../../test/fixtures/games.ts';
import { grayscaleVideo, missingMotionVectors, UnusedSamples } from './warnings.ts';

async function gameOf(regions: Profile['regions'], detectors: object): Promise<Game> {
  return (await compileTestProfile({ regions, detectors: detectors as Record<string, object> })) as Game;
}

const view = { view: { x: 0, y: 0, width: 1, height: 1 } };
const way = { kind: 'motion', region: 'view', of: 'movement' };

it('names the detectors that compare blocks in a recording without motion vectors', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vectors-'));
  try {
    const warningOf = async (keyEvery: number, detectors: object): Promise<string | undefined> => {
      const path = join(folder, `${keyEvery}.mp4`);
      makeVideo({ path, pts: [0, 1, 2, 3, 4, 5], timeBase: { num: 1, den: 25 }, keyEvery });
      using file = openVideo(path);
      return missingMotionVectors(await gameOf(view, detectors), file, scanPackets(file))?.message;
    };
    expect(await warningOf(1, { a: { ...way, vectors: 'codec' }, b: way, c: { ...way, vectors: 'codec' } })).toBe(
      'the video has no motion vectors (h264): a, c compare blocks of pixels instead',
    );
    expect(await warningOf(1, { b: way })).toBeUndefined();
    expect(await warningOf(10, { a: { ...way, vectors: 'codec' } })).toBeUndefined();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('rejects motion vectors for patterns that they do not show', () => {
  const cut = { ...way, of: 'cut', vectors: 'codec' };
  expect(
    checkSchema(motion.schema, cut)
      .map(({ message }) => message)
      .join(),
  ).toContain('must be one of movement, burst');
  expect(checkSchema(motion.schema, { ...cut, of: 'burst' })).toEqual([]);
});

const regions = { all: { x: 0, y: 0, width: 1, height: 1 } };
const bar = (fill: string): object => ({ kind: 'bar', region: 'all', fill: [fill] });
const tint = (color: string): object => ({ kind: 'color', region: 'all', colors: { hurt: color, white: '#ffffff' } });

async function grayWarningOf(media: string, detectors: object): Promise<string | undefined> {
  using file = openVideo(media);
  return (await grayscaleVideo(await gameOf(regions, detectors), file, scanPackets(file)))?.message;
}

/** Moving gray stripes. */
const paint = ([y, u, v]: readonly Uint8Array[], _: readonly number[], frame: number): void => {
  for (let i = 0; i < y!.length; i++) y![i] = 60 + ((i * 7 + frame * 20) % 120);
  for (const plane of [u!, v!]) plane.fill(128);
};

it('names the detectors that rely on color in a grayscale recording, and no others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'colours-'));
  try {
    const grey = join(folder, 'grey.mp4');
    makeVideo({ path: grey, pts: [0, 1, 2, 3, 4, 5], timeBase: { num: 1, den: 25 }, keyEvery: 1, paint });
    const detectors = { health: bar('#c02020'), smoke: bar('#808080'), tint: tint('#ff0000'), flash: tint('#eeeeee') };
    const message = await grayWarningOf(grey, detectors);
    expect(message).toContain('(all 5 pictures examined), but 2 of the 4 detectors');
    expect(message).toMatch(/: health, tint$/);
    expect(await grayWarningOf(grey, { smoke: bar('#808080'), flash: tint('#eeeeee') })).toBeUndefined();
    const colourful = join(import.meta.dirname, '../../test/footage/freedoom-demo1.mp4');
    expect(await grayWarningOf(colourful, detectors)).toBeUndefined();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

function seen(value: number | string, confidence: number) {
  return { state: 'seen', value, confidence } as const;
}

it('says of detectors that use hardly any sample why', async () => {
  const text = { kind: 'text', region: 'all', reader: 'general' };
  const game = await gameOf(regions, {
    score: { ...text, value: 'number', plausible: { max: 100 }, stability: { confidence: 0.6 } },
    timer: { ...text, value: 'time' },
    message: text,
    title: text,
  });
  const samples = new UnusedSamples(game);
  for (let i = 0; i < 200; i++) {
    const unreadable = { state: 'unreadable', confidence: 0 } as const;
    // Of 200: 100 above 100, 84 too uncertain, 16 right.
    const score = i < 100 ? seen(870, 0.9) : i < 184 ? seen(87, 0.5) : seen(87, 0.9);
    const timer = i < 20 ? seen(3, 0.9) : unreadable;
    for (const [detector, observation] of Object.entries({ score, timer, message: unreadable, title: unreadable }))
      samples.add({ detector, t: i, observation });
  }
  expect(samples.judge(new Set(['title'])).map(({ issue }) => issue.message)).toEqual([
    'score seldom reads anything: of 200 samples 42 % below the confidence that the profile asks for, 50 % not “plausible” (such as 870)',
    'title never reads anything: of 200 samples 100 % unreadable',
  ]);
});
