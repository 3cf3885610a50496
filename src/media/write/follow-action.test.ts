import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { PAINTED, writePaintedClip } from '../../../test/fixtures/painted-clip.ts';
import { actionAt, followAction } from './follow-action.ts';
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
    const path = followAction(recording, 0, 10);
    // Far enough for the whole box to be seen.
    expect(actionAt(path, 3)).toBeLessThan(0.42);
    expect(actionAt(path, 9)).toBeGreaterThan(0.6);
    for (let t = 0.1; t < 10; t += 0.1)
      expect(Math.abs(actionAt(path, t) - actionAt(path, t - 0.1))).toBeLessThan(0.0155);
  });

  it('stays in the middle where nothing moves', async () => {
    using recording = new Recording(await boxClip('still.mp4', 3, () => 0.8));
    const path = followAction(recording, 0, 0.15);
    expect(actionAt(path, 0.1)).toBe(0.5);
  });
});
