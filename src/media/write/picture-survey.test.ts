import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { PAINTED, writePaintedClip } from '../../../test/fixtures/painted-clip.ts';
import { findDullSpans } from './picture-survey.ts';
import { Recording } from './recording.ts';

const folder = mkdtempSync(join(tmpdir(), 'survey-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Moves a bright box across the picture. */
function moveBox(luma: Buffer, n: number): void {
  const left = (n * 7) % (PAINTED.width - 60);
  for (let y = 60; y < 120; y++) luma.fill(220, y * PAINTED.width + left, y * PAINTED.width + left + 60);
}

it('finds black pictures and pictures that stand still', async () => {
  const path = join(folder, 'dull.mp4');
  await writePaintedClip(path, 12, (luma, n) => {
    const t = n / PAINTED.rate;
    if (t >= 3 && t < 4) luma.fill(16);
    else moveBox(luma, t >= 6 && t < 8.5 ? 6 * PAINTED.rate : n);
  });
  using recording = new Recording(path);
  const spans = findDullSpans(recording, [{ start: 0, end: 12 }]);
  expect(spans).toHaveLength(2);
  // Samples are 0.2 s apart.
  for (const [index, [start, end]] of [
    [3, 4],
    [6, 8.5],
  ].entries()) {
    expect(Math.abs(spans[index]!.start - start!)).toBeLessThanOrEqual(0.2);
    expect(Math.abs(spans[index]!.end - end!)).toBeLessThanOrEqual(0.2);
  }
});

it('lets a game stand still that mostly does', async () => {
  const path = join(folder, 'terminal.mp4');
  await writePaintedClip(path, 8, (luma, n) => moveBox(luma, Math.floor(n / (2 * PAINTED.rate)) * 9));
  using recording = new Recording(path);
  expect(findDullSpans(recording, [{ start: 0, end: 8 }])).toEqual([]);
});
