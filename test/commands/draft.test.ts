import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommandLine } from '../fixtures/command-line.ts';
import { makeVideo } from '../fixtures/videos.ts';

const folder = mkdtempSync(join(tmpdir(), 'draft-'));
afterAll(() => rmSync(folder, { recursive: true }));

const [width, height, framesPerSecond, seconds] = [640, 360, 5, 14];
const video = join(folder, 'coins.mp4');
const pack = join(folder, 'coins-game');

/** The HUD of a game that does not exist: coins are found at 3 and 6 s, the clock starts at 10 s and stands from 8 s on. */
async function drawHud(t: number): Promise<Buffer> {
  const coins = t < 3 ? 4 : t < 6 ? 5 : 7;
  const clock = `0:${10 + Math.min(8, Math.floor(t))}`;
  const style = 'font-family="DejaVu Sans" font-weight="bold" font-size="26" fill="#fff" stroke="#000"';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><text x="16" y="36" ${style}>Coins: ${coins}</text><text x="540" y="36" ${style}>${clock}</text></svg>`;
  return await sharp(Buffer.from(svg)).raw().toBuffer();
}

beforeAll(async () => {
  const huds = await Promise.all(Array.from({ length: 2 * seconds }, (_, half) => drawHud(half / 2)));
  makeVideo({
    path: video,
    codec: 'libx264',
    width,
    height,
    pts: Array.from({ length: seconds * framesPerSecond }, (_, frame) => frame),
    timeBase: { num: 1, den: framesPerSecond },
    keyEvery: 5,
    paint([luma, ...chroma], [stride = 0], frame) {
      const hud = huds[Math.floor((2 * frame) / framesPerSecond)]!;
      for (const plane of chroma) plane.fill(128);
      for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++) {
          // Hills that scroll by.
          const scene = 100 + 30 * Math.sin((x + 9 * frame) / 37) + 25 * Math.sin((y + x / 3) / 29);
          const at = 4 * (y * width + x);
          const alpha = hud[at + 3]! / 255;
          luma![y * stride + x] = Math.round(16 + (219 / 255) * (alpha * hud[at]! + (1 - alpha) * scene));
        }
    },
  });
});

it('drafts a profile of a game that nobody has described, and detects its events', async () => {
  const drafted = await runCommandLine('profile', 'draft', video, '--out', pack);
  expect(drafted).toMatchObject({ code: 0 });
  expect(drafted.out).toMatch(/^clock +top right .*rises/m);
  expect(drafted.out).toMatch(/^counter +Coins +top left +4 to 7, rises/m);
  expect(drafted.out).toContain('--answer name-top-right=…');
  expect(readFileSync(join(pack, 'hud.html'), 'utf8')).toContain('Coins');
  expect((await runCommandLine('profile', 'check', pack)).out).toContain('no mistakes');

  // Answers need no recording.
  const answered = await runCommandLine('profile', 'draft', '--out', pack, '--answer', 'name-top-right=Race time');
  expect(answered).toMatchObject({ code: 0 });
  const wrong = await runCommandLine('profile', 'draft', '--out', pack, '--answer', 'colour=red');
  expect(wrong.err).toContain('there is no question “colour”');

  const detected = await runCommandLine('detect', video, '--game', pack, '--out', join(folder, 'log'));
  expect(
    detected.out
      .trim()
      .split('\n')
      .map((line) => line.trim()),
  ).toEqual([
    '00:03.0  counter "Coins" rises from 4 to 5',
    '00:06.0  counter "Coins" rises from 5 to 7',
    '00:08.0  clock "Race time" halts at 18 seconds',
  ]);
}, 120_000);
