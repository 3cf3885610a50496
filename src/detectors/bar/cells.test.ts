import { describe, expect, it } from 'vitest';
import { draw, viewOfImage } from '../../../test/fixtures/views.ts';
import { type BarOptions, kind } from './index.ts';

type Color = readonly [number, number, number];
const assets = { read: () => Promise.reject(new Error('no assets')) };
const options = { fill: ['#c81e1e'], cells: 10 } as const;

/** A row of ten hearts, each a diamond in a cell of 20 pixels, of which the first are full and the others let the scenery through. */
async function row(
  full: number,
  more: Partial<BarOptions> = {},
  behind: (x: number, y: number) => Color | undefined = () => undefined,
) {
  using detector = await kind.open({ ...options, ...more }, assets);
  const crop = draw(200, 20, (x, y) => {
    const off = Math.abs((x % 20) - 9.5) + Math.abs(y - 9.5);
    if (off < 9 && x / 20 < full) return off < 8 ? [200, 30 + (x % 7), 30] : [250, 250, 250];
    return behind(x, y) ?? [90 + (x % 40), 130, 160 - y];
  });
  return await detector.read(viewOfImage(crop));
}

const flag = (x: number, y: number): Color | undefined => (x >= 120 && x < 134 && y > 3 ? [200, 30, 30] : undefined);

/** Eight cells with white outlines, of which the first are full. */
const outlinedRow = (full: number) =>
  draw(280, 17, (x, y) => {
    const column = x % 35;
    if (column >= 31) return [90, 130, 160];
    const isOutline = column < 2 || column > 28 || y < 2 || y > 14;
    return isOutline || x / 35 < full ? [255, 255, 255] : [16, 14, 12];
  });

describe('cells of a bar', () => {
  it('counts the full ones of a row, whatever stands behind the empty ones', async () => {
    for (let full = 1; full <= 10; full++) {
      const observation = await row(full);
      expect(observation).toMatchObject({ state: 'seen', value: full });
      expect(observation.confidence).toBeGreaterThan(0.9);
    }
  });

  it('reads halves as cells of their own', async () => {
    expect(await row(3.5, { cells: 20 })).toMatchObject({ state: 'seen', value: 7 });
  });

  it('reads an empty row as absent, or as 0 with the option zero', async () => {
    expect((await row(0)).state).toBe('absent');
    expect(await row(0, { zero: true })).toMatchObject({ state: 'seen', value: 0, confidence: 1 });
  });

  it('does not count scenery of the same colour behind an empty cell', async () => {
    expect((await row(4, {}, flag)).state).toBe('unreadable');
  });

  it('counts no outline in the colour of full cells', async () => {
    using detector = await kind.open({ fill: ['#ffffff'], cells: 8, zero: true }, assets);
    for (const full of [0, 1, 5, 8])
      expect(await detector.read(viewOfImage(outlinedRow(full)))).toMatchObject({
        state: 'seen',
        value: full,
      });
  });

  it('is no bar where the cells are too small to be seen', async () => {
    expect((await row(4, { cells: 150 })).state).toBe('unreadable');
  });
});
