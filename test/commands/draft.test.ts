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

/** Seconds between samples of a drafted profile. */
const SAMPLING_SECONDS = 0.2;

/**
 * The HUD of a game that does not exist: coins are found at 3 and 6 s, the clock starts at 10 s and stands from 8 s on, energy is lost
 * at 5 and 9 s, when its bar becomes darker, and a life, whose number stands alone, at 9 s.
 */
async function drawHud(t: number): Promise<Buffer> {
  const coins = t < 3 ? 4 : t < 6 ? 5 : 7;
  const clock = `0:${10 + Math.min(8, Math.floor(t))}`;
  const energy = t < 5 ? 0.8 : t < 9 ? 0.5 : 0.25;
  const lives = t < 9 ? 3 : 2;
  const style = 'font-family="DejaVu Sans" font-weight="bold" font-size="26" fill="#fff" stroke="#000"';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><text x="16" y="36" ${style}>Coins: ${coins}</text><text x="540" y="36" ${style}>${clock}</text><text x="24" y="338" ${style.replace('26', '64')}>${lives}</text><rect x="438" y="318" width="164" height="18" fill="#000"/><rect x="440" y="320" width="160" height="14" fill="#333"/><rect x="440" y="320" width="${160 * energy}" height="14" fill="${energy < 0.3 ? '#a0a0a0' : '#fff'}"/></svg>`;
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
  expect(drafted.out).toMatch(/^gauge +bottom right +bottom right +\d+ to \d+/m);
  expect(drafted.out).toMatch(/^counter +bottom left +bottom left +2 to 3/m);
  expect(drafted.out).toContain('--answer name-top-right=…');
  expect(readFileSync(join(pack, 'hud.html'), 'utf8')).toContain('Coins');
  expect((await runCommandLine('profile', 'check', pack)).out).toContain('no mistakes');

  // Answers need no recording.
  const answered = await runCommandLine('profile', 'draft', '--out', pack, '--answer', 'name-top-right=Race time');
  expect(answered).toMatchObject({ code: 0 });
  const wrong = await runCommandLine('profile', 'draft', '--out', pack, '--answer', 'colour=red');
  expect(wrong.err).toContain('there is no question “colour”');

  const detected = await runCommandLine('detect', video, '--game', pack, '--out', join(folder, 'log'));
  const lines = detected.out.split('\n').map((line) => line.trim());
  const events = lines.flatMap((line) => {
    const [, t, text] = /^00:(\d\d\.\d) {2}(?!gauge)(.*)$/.exec(line) ?? [];
    return text === undefined ? [] : [{ t: Number(t), text }];
  });
  const happened = [
    [3, 'counter "Coins" rises from 4 to 5'],
    [6, 'counter "Coins" rises from 5 to 7'],
    [8, 'clock "Race time" halts at 18 seconds'],
    [9, 'counter "bottom left" drops from 3 to 2'],
  ] as const;
  expect(events.map(({ text }) => text)).toEqual(happened.map(([, text]) => text));
  for (const [i, { t }] of events.entries()) {
    expect(t).toBeGreaterThanOrEqual(happened[i]![0]);
    expect(t).toBeLessThan(happened[i]![0] + SAMPLING_SECONDS);
  }
  const drops = lines.flatMap((line) => {
    const [, t, from, to] = /^00:(\d\d\.\d) {2}gauge "bottom right" drops from (\d+) to (\d+)$/.exec(line) ?? [];
    return t === undefined ? [] : [[Number(t), Number(from), Number(to)]];
  });
  const expected = [
    [5, 80, 50],
    [9, 50, 25],
  ];
  expect(drops).toHaveLength(expected.length);
  for (const [i, drop] of drops.entries())
    for (const [k, value] of drop.entries()) expect(Math.abs(value - expected[i]![k]!)).toBeLessThanOrEqual(3);
}, 120_000);
