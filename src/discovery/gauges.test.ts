import { expect, it } from 'vitest';
import type { Crop } from '../regions/crop.ts';
import { findGauge } from './gauges.ts';

type Colour = readonly [number, number, number];

const [WIDTH, HEIGHT] = [14, 80] as const;
/** Levels over time, in pixels of the bar. */
const LEVELS = Array.from({ length: 20 }, (_, n) => 20 + ((n * 7) % 50));

/** An upright bar in a moving scene, painted by the height above its lower end. */
function bars(fillAt: (above: number) => Colour, emptyAt: (scene: number) => Colour): readonly Crop[] {
  return LEVELS.map((level, n) => {
    const data = new Uint8Array(3 * WIDTH * HEIGHT);
    for (let y = 0; y < HEIGHT; y++)
      for (let x = 0; x < WIDTH; x++) {
        const above = HEIGHT - 1 - y;
        data.set(above < level ? fillAt(above) : emptyAt((n * 53 + x * 3 + y) % 120), 3 * (y * WIDTH + x));
      }
    return { data, width: WIDTH, height: HEIGHT, channels: 3 };
  });
}

it.each([
  ['of one colour', (): Colour => [30, 110, 200], (scene: number): Colour => [130 + scene, 130 + scene, 120 + scene]],
  [
    'with a gradient, before which the scene shows through the empty part',
    (above: number): Colour => [30, 40 + 1.6 * above, 60 + 1.6 * above],
    (scene: number): Colour => [180 + scene / 2, 180 + scene / 2, 180 + scene / 2],
  ],
])('finds a bar %s', (_, fillAt, emptyAt) => {
  const gauge = findGauge(bars(fillAt, emptyAt));
  expect(gauge?.direction).toBe('up');
  const { levels, rect } = gauge!;
  const errors = levels.flatMap((level, n) =>
    level === undefined ? [] : [Math.abs(level * rect.height - LEVELS[n]!)],
  );
  expect(errors.length).toBeGreaterThan(0.8 * LEVELS.length);
  // The bar is known as far as it was ever full.
  expect(Math.max(...errors)).toBeLessThan(0.05 * Math.max(...LEVELS));
});

it('finds no gauge where a scene passes by', () => {
  const scenes = LEVELS.map((_, n): Crop => {
    const data = Uint8Array.from({ length: 3 * WIDTH * HEIGHT }, (_unused, i) => {
      const y = Math.floor(i / (3 * WIDTH));
      return 128 + 100 * Math.sin((y + 17 * n) / (6 + (i % 3)));
    });
    return { data, width: WIDTH, height: HEIGHT, channels: 3 };
  });
  expect(findGauge(scenes)).toBeUndefined();
});
