import { expect, it } from 'vitest';
import { newCells, Patience, underWay, watch } from './watch.ts';

it('calls that do not come back are noticed, by time and by memory', async () => {
  watch.cells = newCells();
  const patience = new Patience(watch.cells, 10, 2 ** 30);
  const { promise, resolve } = Promise.withResolvers<void>();
  expect(patience.look(0, 0)).toBeUndefined();
  const call = watch.during(3, () => promise);
  expect(underWay(watch.cells)).toBe(3);
  expect(patience.look(1000, 0)).toBeUndefined();
  expect(patience.look(10_999, 0)).toBeUndefined();
  // Another call began and ended meanwhile: something goes on.
  expect(() =>
    watch.during(4, () => {
      throw new RangeError('no');
    }),
  ).toThrow('no');
  expect(patience.look(11_500, 0)).toBeUndefined();
  expect(patience.look(12_000, 2 ** 31)).toEqual({ plugin: 3, reason: 'it took more than 1.0 GiB of memory' });
  expect(patience.look(21_500, 0)).toEqual({ plugin: 3, reason: 'it did not answer within 10 s' });
  resolve();
  await call;
  expect(underWay(watch.cells)).toBeUndefined();
  expect(patience.look(40_000, 0)).toBeUndefined();
});
