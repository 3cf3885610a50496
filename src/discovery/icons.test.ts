import { expect, it } from 'vitest';
import type { Rect } from '../geometry.ts';
import { stillPicture } from '../../test/fixtures/still.ts';
import type { FollowedSample } from './follow.ts';
import { extendRow, fillGaps, findCellRow, findIcon, groupFrames, nextIcons } from './icons.ts';

type Colour = readonly [number, number, number];

/** Samples half a second apart of a square whose pixels are painted by a function. */
function samplesOf(count: number, side: number, colourAt: (n: number, x: number, y: number) => Colour) {
  return Array.from({ length: count }, (_, n): FollowedSample => {
    const rgb = new Uint8Array(3 * side * side);
    for (let i = 0; i < side * side; i++) rgb.set(colourAt(n, i % side, Math.floor(i / side)), 3 * i);
    const part = stillPicture(rgb, { width: side, height: side }, { t: n / 2 });
    const line = { blank: new Float64Array(0), candidates: [] };
    return { recording: 0, t: n / 2, line, reading: undefined, area: { part, x: 0, y: 0, scaleX: 1, scaleY: 1 } };
  });
}

const square = (x: number, side = 20): Rect => ({ x, y: 100, width: side, height: side });

it('finds the pictures of an icon, whatever is counted down over one of them', async () => {
  // Green and ready; dark with a white figure of changing shape from sample 8 to 15.
  const samples = samplesOf(24, 20, (n, x, y) => {
    if (Math.min(x, y, 19 - x, 19 - y) < 2) return [255, 255, 255];
    if (n < 8 || n >= 16) return [40, 220, 60];
    return x > 7 && x < 12 && y > 5 && y < 8 + (n % 4) ? [255, 255, 255] : [10, 40, 15];
  });
  const icon = await findIcon(samples);
  expect(icon?.pictures).toHaveLength(2);
  expect(icon?.shown.map(({ picture }) => picture).join('')).toBe('000000001111111100000000');
});

it('takes one picture over which the scene shines through for one, not for several', async () => {
  // A cross on a ground that takes a half of its light from a scene, which grows brighter.
  const samples = samplesOf(40, 20, (n, x, y) => {
    if (Math.abs(x - 10) < 2 || Math.abs(y - 10) < 2 || Math.min(x, y, 19 - x, 19 - y) < 2) return [255, 255, 255];
    const scene = 4 * n + ((n * 37 + x * 11 + y * 7) % 90);
    return [20 + scene / 2, 30 + scene / 2, 20 + scene / 2];
  });
  expect(await findIcon(samples)).toBeUndefined();
});

it('finds no icon in scenery, nor in a picture that stays', async () => {
  const scenery = samplesOf(24, 20, (n, x, y) => [(n * 89 + x * 40) % 256, (n * 57 + y * 30) % 256, (n * 131) % 256]);
  expect(await findIcon(scenery)).toBeUndefined();
  expect(await findIcon(samplesOf(24, 20, () => [40, 220, 60]))).toBeUndefined();
});

/** Cells that are full at a sample. */
const full = (n: number): number => (n < 6 ? 4 : n < 12 ? 3 : 1);

it('reads a row of cells that empties from its end', () => {
  const followed = [0, 1, 2, 3].map((cell) =>
    samplesOf(18, 20, (n) => (cell < full(n) ? [240, 30, 60] : [30 + 3 * n, 40, 40])),
  );
  const row = findCellRow({ cells: [square(0), square(24), square(48), square(72)], from: 0, to: 4 }, followed);
  expect(row).toMatchObject({ cells: 4, direction: 'right', rect: { x: 0, y: 100, width: 92, height: 20 } });
  expect(row?.levels.map(({ level }) => 4 * level)).toEqual(Array.from({ length: 18 }, (_, n) => full(n)));
});

/** Halves of four hearts that are full at a sample. */
const halves = (n: number): number => (n < 6 ? 7 : n < 12 ? 4 : 3);

it('reads hearts in halves where some are half full', () => {
  const followed = [0, 1, 2, 3].map((cell) =>
    samplesOf(18, 20, (n, x) => (2 * cell + (x < 10 ? 0 : 1) < halves(n) ? [240, 30, 60] : [30 + 3 * n, 40, 40])),
  );
  const row = findCellRow({ cells: [square(0), square(24), square(48), square(72)], from: 0, to: 4 }, followed);
  expect(row).toMatchObject({ cells: 8, direction: 'right' });
  expect(row?.levels.map(({ level }) => 8 * level)).toEqual(Array.from({ length: 18 }, (_, n) => halves(n)));
});

it('continues a row with cells that have no outline of their own', () => {
  const row = extendRow([square(48), square(72), square(96)], { width: 170, height: 200 });
  expect(row.cells.map(({ x }) => x)).toEqual([0, 24, 48, 72, 96, 120, 144]);
  expect(row).toMatchObject({ from: 2, to: 5 });
  // Six cells: the first two are always full, what follows the sixth is scenery.
  const followed = row.cells.map((_, cell) =>
    samplesOf(18, 20, (n) => (cell < 2 + full(n) ? [240, 30, 60] : [30 + 3 * n, 40, 40])),
  );
  expect(findCellRow(row, followed)).toMatchObject({ cells: 6, rect: { x: 0, width: 140 } });
});

it('fills cells from the left where what is behind empty ones stays, and is not darker', () => {
  const followed = [0, 1, 2, 3].map((cell) =>
    samplesOf(18, 20, (n) => (cell < full(n) ? [70, 140, 255] : [40, 20, 10])),
  );
  const row = { cells: [square(0), square(24), square(48), square(72)], from: 0, to: 4 };
  expect(findCellRow(row, followed)).toMatchObject({
    direction: 'right',
    fill: expect.stringMatching(/^#4[67]8cff$/),
  });
});

it('finds no cells in a row that is only ever full or empty at once', () => {
  const followed = [0, 1, 2].map(() => samplesOf(18, 20, (n) => (n % 6 < 3 ? [26, 47, 160] : [20, 20, 20])));
  expect(findCellRow({ cells: [square(0), square(24), square(48)], from: 0, to: 3 }, followed)).toBeUndefined();
});

it('finds icons that differ in few pixels', async () => {
  // A bar of 3 × 10 pixels, of 400, that lies or stands.
  const samples = samplesOf(30, 20, (n, x, y) => {
    if (Math.min(x, y, 19 - x, 19 - y) < 2) return [255, 255, 255];
    const [long, short] = n < 12 || n >= 24 ? [x, y] : [y, x];
    return long >= 5 && long < 15 && short >= 8 && short < 11 ? [90, 230, 250] : [20, 26, 40];
  });
  expect((await findIcon(samples))?.pictures).toHaveLength(2);
});

it('adds the frame that is missing between two of a row', () => {
  const added = fillGaps([square(0), square(48), square(72), square(300), square(400)]).slice(5);
  expect(added).toEqual([square(24)]);
});

it('groups frames of one size and distance', () => {
  const frames = [square(0), square(24), square(48), square(300), square(330, 40)];
  expect(groupFrames(frames).map((row) => row.map(({ x }) => x))).toEqual([[0, 24, 48], [300], [330]]);
});

it('takes two bars in a row for no cells', () => {
  const bars = [24, 956].map((x) => ({ x, y: 676, width: 301, height: 21 }));
  expect(groupFrames(fillGaps(bars))).toEqual(bars.map((bar) => [bar]));
});

it('continues a row of icons by one on either side, within the frame', () => {
  const row = [square(30), square(54), square(78)];
  expect(nextIcons(row, { width: 1280, height: 720 })).toEqual([square(6), square(102)]);
  expect(nextIcons(row, { width: 100, height: 720 })).toEqual([square(6)]);
  expect(nextIcons([square(30)], { width: 1280, height: 720 })).toEqual([]);
});

const inside = (n: number): Colour => (n < 8 || n >= 16 ? [40, 220, 60] : [10, 40, 15]);

it('takes a place next to icons for one only where it has a border', async () => {
  const bare = samplesOf(24, 20, inside);
  expect(await findIcon(bare)).toBeDefined();
  expect(await findIcon(bare, true)).toBeUndefined();
  const framed = samplesOf(24, 20, (n, x, y) => (Math.min(x, y, 19 - x, 19 - y) < 2 ? [255, 255, 255] : inside(n)));
  expect((await findIcon(framed, true))?.pictures).toHaveLength(2);
});
