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
  [
    'with a gradient, before a scene as dark or bright as it is',
    (above: number): Colour => [30, 40 + 1.2 * above, 60 + 1.3 * above],
    (scene: number): Colour => [2 * scene, 2 * scene, 1.7 * scene],
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

it('finds no gauge where something with a slanted outline moves', () => {
  // A grey tool before a green meadow: its edge is slanted.
  const tools = LEVELS.map((level): Crop => {
    const data = new Uint8Array(3 * WIDTH * HEIGHT);
    for (let y = 0; y < HEIGHT; y++)
      for (let x = 0; x < WIDTH; x++)
        data.set(y < level + 2 * (x - WIDTH / 2) ? [180, 180, 185] : [40, 120, 30], 3 * (y * WIDTH + x));
    return { data, width: WIDTH, height: HEIGHT, channels: 3 };
  });
  expect(findGauge(tools)).toBeUndefined();
});

it('finds no gauge in figures that change', () => {
  const figures = Array.from({ length: 30 }, (_, n): Crop => {
    // Strokes of five characters on a dark plate: two stay, three change now and then.
    const strokes = Array.from({ length: 5 }, (_unused, i) =>
      i < 2 ? 4 : 2 + ((Math.floor(n / 3 ** (4 - i)) * 5) % 7),
    );
    const data = new Uint8Array(3 * WIDTH * HEIGHT);
    for (let x = 0; x < HEIGHT; x++)
      for (let y = 0; y < WIDTH; y++) {
        const within = x % 16;
        const ink = within < 3 || (within > 4 && within < 4 + strokes[Math.floor(x / 16)]!);
        data.fill(ink ? 230 : 40, 3 * (y * HEIGHT + x), 3 * (y * HEIGHT + x) + 3);
      }
    return { data, width: HEIGHT, height: WIDTH, channels: 3 };
  });
  expect(findGauge(figures)).toBeUndefined();
});
