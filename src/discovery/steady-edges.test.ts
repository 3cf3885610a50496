import { expect, it } from 'vitest';
import { stillPicture } from '../regions/still.ts';
import { SteadyEdges } from './steady-edges.ts';

const size = { width: 320, height: 180 };

/** A frame with blocks that scroll by, and a figure of strokes drawn over it that changes at half the time. */
function frameAt(n: number, speed: number) {
  const rgb = new Uint8Array(size.width * size.height * 3);
  for (let y = 0; y < size.height; y++)
    for (let x = 0; x < size.width; x++) {
      const [column, row] = [Math.floor((x + speed * n) / 23), Math.floor((y + 2 * speed * n) / 17)];
      const scene = 40 + 45 * ((column * 7 + row * 5) % 4);
      const [left, top] = [x - 200, y - 120];
      const inside = left >= 0 && left < 16 && top >= 0 && top < 24;
      const stroke = inside && (left < 4 || top < 4 || (n < 6 ? left >= 12 : top >= 20));
      rgb.fill(
        stroke ? 255 : inside && (left < 6 || top < 6) ? 0 : scene,
        3 * (y * size.width + x),
        3 * (y * size.width + x) + 3,
      );
    }
  return stillPicture(rgb, size, { t: 2 * n });
}

it('finds a single figure in front of a moving scene', () => {
  const edges = new SteadyEdges(size);
  for (let n = 0; n < 12; n++) edges.add(frameAt(n, 5), 0);
  const places = edges.findPlaces();
  expect(places).toHaveLength(1);
  const [{ x, y, width, height }] = places as [(typeof places)[number]];
  expect(x).toBeGreaterThan(190);
  expect(y).toBeGreaterThan(110);
  expect(x + width).toBeLessThan(226);
  expect(y + height).toBeLessThan(154);
});

it('says nothing while nothing moves', () => {
  const edges = new SteadyEdges(size);
  for (let n = 0; n < 12; n++) edges.add(frameAt(0, 0), 0);
  expect(edges.findPlaces()).toEqual([]);
});
