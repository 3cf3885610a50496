import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { PAINTED, writePaintedClip } from '../../../test/fixtures/painted-clip.ts';
import { actionAt, followAction, watchAction } from './follow-action.ts';
import { Recording } from './recording.ts';

const folder = mkdtempSync(join(tmpdir(), 'action-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Makes a clip of a grey scene in which a bright box shakes around `place(t)`, a fraction of the width. */
async function boxClip(name: string, seconds: number, place: (t: number) => number): Promise<string> {
  const path = join(folder, name);
  await writePaintedClip(path, seconds, (luma, n) => {
    const left = Math.round(place(n / PAINTED.rate) * PAINTED.width - 15 + ((n >> 2) % 2) * 12);
    for (let y = 70; y < 110; y++) luma.fill(220, y * PAINTED.width + left, y * PAINTED.width + left + 30);
  });
  return path;
}

describe('followAction', () => {
  it('follows motion from one side to the other at limited speed', async () => {
    using recording = new Recording(await boxClip('sides.mp4', 10, (t) => (t < 5 ? 0.3 : 0.7)));
    const path = followAction(watchAction(recording, 0, 10));
    // Far enough for the whole box to be seen.
    expect(actionAt(path, 3)).toBeLessThan(0.42);
    expect(actionAt(path, 9)).toBeGreaterThan(0.6);
    for (let t = 0.1; t < 10; t += 0.1)
      expect(Math.abs(actionAt(path, t) - actionAt(path, t - 0.1))).toBeLessThan(0.0155);
  });

  it('keeps the middle of the frame in the view where the camera moves', async () => {
    const path = join(folder, 'camera.mp4');
    // Stripes that pass by, and a box at the right that shakes.
    await writePaintedClip(path, 6, (luma, n) => {
      for (let x = 0; x < PAINTED.width; x++) {
        const level = 60 + 12 * ((Math.floor((x + 5 * n) / 20) * 7919) % 11);
        for (let y = 0; y < PAINTED.height; y++) luma[y * PAINTED.width + x] = level;
      }
      for (let y = 60; y < 120; y++) luma.fill(235, y * PAINTED.width + 270 + 8 * (n % 3), y * PAINTED.width + 300);
    });
    using recording = new Recording(path);
    const view = 0.32;
    const { xs } = followAction(watchAction(recording, 0, 6), view);
    for (const x of xs) expect(Math.abs(x - 0.5)).toBeLessThanOrEqual(0.3 * view);
  });

  it('finds a camera that drives ahead: everything changes, and nothing shifts', async () => {
    const path = join(folder, 'ahead.mp4');
    // Rings that grow from the middle.
    await writePaintedClip(path, 3, (luma, n) => {
      for (let y = 0; y < PAINTED.height; y++)
        for (let x = 0; x < PAINTED.width; x++) {
          const far = Math.hypot(x - PAINTED.width / 2, y - PAINTED.height / 2);
          luma[y * PAINTED.width + x] = 100 + 60 * Math.sin(3 * Math.log(1 + far) - n / 4);
        }
    });
    using recording = new Recording(path);
    expect(watchAction(recording, 0, 3).cameraMoves).toBe(true);
    using fixed = new Recording(await boxClip('fixed.mp4', 3, () => 0.6));
    expect(watchAction(fixed, 0, 3).cameraMoves).toBe(false);
  });

  it('stays in the middle where nothing moves', async () => {
    using recording = new Recording(await boxClip('still.mp4', 3, () => 0.8));
    const path = followAction(watchAction(recording, 0, 0.15));
    expect(actionAt(path, 0.1)).toBe(0.5);
  });
});
