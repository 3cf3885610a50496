import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Rect } from '../../geometry.ts';
import { PAINTED, writePaintedClip } from '../../../test/fixtures/painted-clip.ts';
import { findCameraPicture } from './camera-picture.ts';
import { Recording } from './recording.ts';

const folder = mkdtempSync(join(tmpdir(), 'camera-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SECONDS = 6;

/** Numbers from 0 to below 1 that depend on `x`, `y` and `n` (a hash of their bits, after Bob Jenkins). */
function noise(x: number, y: number, n = 0): number {
  let hash = Math.imul(x, 374_761_393) ^ Math.imul(y, 668_265_263) ^ Math.imul(n, 2_246_822_519);
  hash = Math.imul(hash ^ (hash >>> 13), 1_274_126_177);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** A game in which blocks of any brightness pass by. */
function paintGame(luma: Buffer, n: number): void {
  for (let y = 0; y < PAINTED.height; y++)
    for (let x = 0; x < PAINTED.width; x++) luma[y * PAINTED.width + x] = 40 + 160 * noise((x + 7 * n) >> 5, y >> 4);
}

/** A room out of focus with the noise of a sensor, before which somebody sways. */
function paintCamera(luma: Buffer, { x, y, width, height }: Rect, n: number): void {
  const middle = x + width / 2 + 0.12 * width * Math.sin(n / 7);
  for (let row = y; row < y + height; row++)
    for (let column = x; column < x + width; column++) {
      const room = 70 + 30 * Math.sin(column / 17) + 25 * Math.cos(row / 13);
      const isPerson =
        ((column - middle) / (0.28 * width)) ** 2 + ((row - y - 0.65 * height) / (0.5 * height)) ** 2 < 1;
      const person = 150 + 40 * Math.sin((column - middle) / 3) * Math.cos(row / 4);
      luma[row * PAINTED.width + column] = (isPerson ? person : room) + 16 * (noise(column, row, n) - 0.5);
    }
}

async function cameraIn(name: string, paint: (luma: Buffer, n: number) => void): Promise<Rect | undefined> {
  const path = join(folder, `${name}.mp4`);
  await writePaintedClip(path, SECONDS, paint);
  using recording = new Recording(path);
  return findCameraPicture(recording, [{ start: 0, end: SECONDS }]);
}

describe('the picture of a camera', () => {
  it.each<[string, Rect]>([
    ['inside', { x: 24, y: 90, width: 80, height: 60 }],
    ['in a corner', { x: 224, y: 0, width: 96, height: 72 }],
    ['at the side', { x: 0, y: 40, width: 80, height: 100 }],
  ])('is found %s', async (name, camera) => {
    const found = await cameraIn(name, (luma, n) => {
      paintGame(luma, n);
      paintCamera(luma, camera, n);
    });
    expect(found).toBeDefined();
    for (const [side, size] of [
      ['x', PAINTED.width],
      ['width', PAINTED.width],
      ['y', PAINTED.height],
      ['height', PAINTED.height],
    ] as const)
      expect(Math.abs(found![side] * size - camera[side])).toBeLessThanOrEqual(2);
  });

  it('is not a part of the HUD, the game itself, or a camera before a picture that stands still', async () => {
    const camera = { x: 24, y: 90, width: 80, height: 60 };
    const hud = await cameraIn('hud', (luma, n) => {
      paintGame(luma, n);
      for (let y = 120; y < 170; y++)
        luma.fill(90 + 30 * ((y >> 2) % 2), y * PAINTED.width + 100, y * PAINTED.width + 180);
    });
    expect([hud, await cameraIn('game', paintGame)]).toEqual([undefined, undefined]);
    const still = await cameraIn('still', (luma, n) => {
      paintGame(luma, 0);
      paintCamera(luma, camera, n);
    });
    expect(still).toBeUndefined();
  });
});
