import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Observation } from '../kind.ts';
import { draw, viewOfImage } from '../../../test/fixtures/views.ts';
import { type BarOptions, kind } from './index.ts';

const assets = { read: () => Promise.reject(new Error('no assets')) };
type Paint = Parameters<typeof draw>[2];

async function observe(options: BarOptions, width: number, height: number, color: Paint): Promise<Observation> {
  using detector = await kind.open({ ...options }, assets);
  return await detector.read(viewOfImage(draw(width, height, color)));
}

const red: readonly [number, number, number] = [200, 30, 30];
const dark: readonly [number, number, number] = [40, 40, 40];
const colors = { fill: ['#c81e1e'], empty: ['#282828'] } as const;

/** The level read, or what else was. */
const levelOf = (observation: Observation): unknown =>
  observation.state === 'seen' ? observation.value : observation.state;

const busy: Paint = (x, y) => {
  // White text over the middle, black notches every 20 pixels, brightness falling along the bar, pseudo-random noise.
  if (x % 20 === 19) return [0, 0, 0];
  if (x > 60 && x < 130 && y > 3 && y < 8 && (x * 5 + y) % 3 === 0) return [250, 250, 250];
  const noise = ((x * 73 + y * 151) % 31) - 15;
  return x < 128 ? [220 - x / 3 + noise, 40 - x / 10 + noise, 30 + noise] : [38 + noise, 40 + noise, 44 + noise];
};

const gradients: Paint = (x) => (x < 70 ? [60 + x, 150 + x / 2, 90] : [110 - x / 2, 60, 90 - x / 4]);

const ring =
  (level: number, clockwise: boolean, start: number): Paint =>
  (x, y) => {
    const angle = (Math.atan2(x - 29.5, 29.5 - y) * 180) / Math.PI;
    const along = ((((clockwise ? angle - start : start - angle) % 360) + 360) % 360) / 360;
    return along < level / 100 ? red : dark;
  };

/** A gauge at 20 %, whose full part has turned yellow. */
const turned: Paint = (x) => (x < 40 ? [250, 200, 40] : dark);

const scenery: Paint = (x, y) => [90 + (x % 50), 120 - (y % 7) * 5, 60 + (x % 31)];

/** A full part of a third colour, scenery, and a dark one. */
const passage: Paint = (x) => (x < 24 ? [250, 75, 50] : x < 110 ? [95, 84, 61] : dark);

describe('bar', () => {
  it('reads a full part of another colour before an empty part, if asked to', async () => {
    expect(levelOf(await observe(colors, 200, 12, turned))).toBe(0);
    const any = { ...colors, anyFill: true } as const;
    expect(levelOf(await observe(any, 200, 12, turned))).toBe(20);
    // A border in the colour of the empty part.
    expect(levelOf(await observe(any, 200, 12, (x, y) => (x < 2 ? dark : turned(x, y))))).toBe(20);
    expect(levelOf(await observe(any, 200, 12, (x) => (x < 150 ? red : dark)))).toBe(75);
    expect(levelOf(await observe(any, 200, 12, () => dark))).toBe(0);
    // Behind a full part of another colour scenery shows through the empty part, up to where it is dark.
    expect((await observe(any, 200, 12, passage)).state).toBe('unreadable');
    // No gauge at all.
    expect(levelOf(await observe(any, 200, 12, () => [90, 160, 250]))).toBe('absent');
  });

  it('reads a full part before scenery that shows through the empty part, if asked to', async () => {
    const bar: Paint = (x, y) => (x < 60 ? red : scenery(x, y));
    expect(levelOf(await observe(colors, 200, 12, bar))).toBe('absent');
    const any = { ...colors, anyEmpty: true } as const;
    expect(levelOf(await observe(any, 200, 12, bar))).toBe(30);
    // Neither scenery alone nor scenery with a patch of the gauge's colour is one.
    expect(levelOf(await observe(any, 200, 12, scenery))).toBe('absent');
    expect(levelOf(await observe(any, 200, 12, (x, y) => (x < 60 && y < 5 ? red : scenery(x, y))))).toBe('absent');
    expect(levelOf(await observe(any, 200, 12, (x, y) => (x < 60 || x > 180 ? red : scenery(x, y))))).toBe('absent');
  });

  it('reads every level in every direction, to half a pixel', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 200 }),
        fc.constantFrom('right', 'left', 'up', 'down'),
        async (filled, direction) => {
          const across = direction === 'up' || direction === 'down';
          const paint: Paint = (x, y) => {
            const along = across ? y : x;
            return (direction === 'left' || direction === 'up' ? 199 - along : along) < filled ? red : dark;
          };
          const observation = await observe(
            { ...colors, direction, step: 0.5 },
            across ? 12 : 200,
            across ? 200 : 12,
            paint,
          );
          expect(levelOf(observation)).toBe(filled / 2);
          expect(observation.confidence).toBeGreaterThan(0.95);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('is not misled by notches, text on it, a gradient, and noise', async () => {
    const observation = await observe({ ...colors, tolerance: 70 }, 200, 12, busy);
    expect(Math.abs(Number(levelOf(observation)) - 64)).toBeLessThanOrEqual(1);
    expect(observation.confidence).toBeGreaterThan(0.8);
  });

  it('accepts a bar that changes colour as it empties', async () => {
    const options = { fill: ['#20c020', '#c0c020', '#c02020'], empty: ['#202020'] } as const;
    for (const [color, filled] of [
      [[32, 192, 32], 90],
      [[192, 192, 32], 50],
      [[192, 32, 32], 15],
    ] as const) {
      expect(levelOf(await observe(options, 100, 8, (x) => (x < filled ? color : [32, 32, 32])))).toBe(filled);
    }
  });

  it('finds the edge of a bar of unknown colours, gradients included', async () => {
    const observation = await observe({}, 200, 10, gradients);
    expect(levelOf(observation)).toBe(35);
    // Nothing but a gradient: no edge, so no telling.
    expect((await observe({}, 200, 10, (x) => [x, x / 2 + 50, 200 - x])).state).toBe('unreadable');
  });

  it('reads a ring from where it starts, either way', async () => {
    for (const level of [0, 10, 25, 50, 73, 100]) {
      for (const [direction, clockwise] of [
        ['clockwise', true],
        ['counterclockwise', false],
      ] as const) {
        const observation = await observe(
          { ...colors, direction, start: 90, radii: [0.6, 1] },
          60,
          60,
          ring(level, clockwise, 90),
        );
        expect(Math.abs(Number(levelOf(observation)) - level)).toBeLessThanOrEqual(1);
      }
    }
  });

  it('measures the element, not its padding', async () => {
    using detector = await kind.open(colors, assets);
    const crop = draw(120, 20, (x, y) =>
      x >= 10 && x < 110 && y >= 5 && y < 15 ? (x < 10 + 40 ? red : dark) : [90, 160, 220],
    );
    const view = viewOfImage(crop, { x: 10, y: 5, width: 100, height: 10 });
    expect(levelOf(await detector.read(view))).toBe(40);
  });

  it('is absent where neither colour is, unreadable where they are mixed up', async () => {
    expect((await observe(colors, 100, 10, () => [90, 160, 220])).state).toBe('absent');
    expect((await observe(colors, 100, 10, (x) => (x % 2 === 0 ? red : dark))).state).toBe('unreadable');
    // Without the colour of the empty part an empty gauge cannot be distinguished from a missing one.
    expect((await observe({ fill: colors.fill }, 100, 10, () => dark)).state).toBe('absent');
    expect(levelOf(await observe({ fill: colors.fill }, 100, 10, (x) => (x < 30 ? red : dark)))).toBe(30);
  });
});
