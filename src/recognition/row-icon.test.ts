import { expect, it } from 'vitest';
import type { Crop } from '../regions/crop.ts';
import { describeIconShape, type IconShape, correlateShapes } from './row-icon.ts';

/** Silhouettes in cells: a rifle, a knife, a grenade. */
const RIFLE = ['..............', '.############.', '.####..###....', '.##.....##....', '..............'];
const KNIFE = ['..............', '.......######.', '.############.', '..##..........', '..............'];
const GRENADE = ['......', '..##..', '.####.', '.####.', '..##..', '......'];

/** Draws a silhouette in a colour of grey over a scene that gets lighter to one side, with noise as after compression. */
function draw(cells: readonly string[], { zoom = 4, ink = 250, behind = 60, slope = 20 } = {}): Crop {
  const [width, height] = [cells[0]!.length * zoom, cells.length * zoom];
  const data = new Uint8Array(3 * width * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const isInk = cells[Math.floor(y / zoom)]![Math.floor(x / zoom)] === '#';
      const level = isInk ? ink : behind + (slope * x) / width;
      data.fill(level + ((7 * x + 13 * y) % 9) - 4, 3 * (y * width + x), 3 * (y * width + x) + 3);
    }
  return { data, width, height, channels: 3 };
}

function shapeOf(...args: Parameters<typeof draw>): IconShape {
  return describeIconShape(draw(...args))!;
}

it('knows an icon again at another size and over another scene', () => {
  for (const cells of [RIFLE, KNIFE, GRENADE]) {
    const shape = shapeOf(cells);
    expect(correlateShapes(shape, shape)).toBeCloseTo(1, 6);
    expect(correlateShapes(shape, shapeOf(cells, { zoom: 5, behind: 120, slope: -30 }))).toBeGreaterThan(0.9);
  }
});

it('tells icons apart', () => {
  expect(correlateShapes(shapeOf(RIFLE), shapeOf(KNIFE))).toBeLessThan(0.6);
  // Of another length.
  expect(correlateShapes(shapeOf(RIFLE), shapeOf(GRENADE))).toBe(-1);
});

it('finds no icon where nothing stands out', () => {
  expect(describeIconShape(draw(RIFLE, { ink: 70 }))).toBeUndefined();
});
