import { expect, it } from 'vitest';
import { assert, double, property } from 'fast-check';
import { defaultConstants, monotoneCubic } from './constants.ts';

const curve = monotoneCubic(defaultConstants.picture.curve);

it('interpolates its points and is constant outside', () => {
  for (const [x, y] of defaultConstants.picture.curve) expect(curve(x)).toBeCloseTo(y, 12);
  expect([curve(-1), curve(0), curve(1.608), curve(50)]).toEqual([0, 0, 100, 100]);
});

it('agrees with PchipInterpolator of scipy 1.17.1', () => {
  const expected = [
    [0.001, 1.56144094488189],
    [0.005, 7.686679790026247],
    [0.0175, 25.742586697939355],
    [0.03, 39.86633965183752],
    [0.075, 68.83745526127416],
    [0.15, 87.27754468647622],
    [0.1608, 88.69827888080741],
    [0.3, 95.42463503649634],
    [0.6, 98.3435660313522],
    [1.2, 99.70967851140779],
  ] as const;
  for (const [x, y] of expected) expect(curve(x)).toBeCloseTo(y, 10);
});

it('is monotone where its points are', () => {
  const unit = double({ min: 0, max: 2, noNaN: true });
  assert(
    property(unit, unit, (a, b) => {
      expect(curve(Math.max(a, b))).toBeGreaterThanOrEqual(curve(Math.min(a, b)) - 1e-9);
    }),
  );
});

it('rejects points that do not increase in x', () => {
  expect(() => monotoneCubic([[0, 0]])).toThrow(RangeError);
  expect(() =>
    monotoneCubic([
      [0, 0],
      [0, 1],
    ]),
  ).toThrow(RangeError);
});
