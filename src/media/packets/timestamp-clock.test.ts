import { describe, expect, test } from 'vitest';
import { TimestampClock } from './timestamp-clock.ts';

/** Times of packets, 40 ms apart if nothing else is stated, in milliseconds; and the positions of strays. */
function readAll(dts: readonly number[]): { readonly times: readonly number[]; readonly strays: readonly number[] } {
  const clock = new TimestampClock(500, 40, Number.POSITIVE_INFINITY);
  const strays: number[] = [];
  const times = dts.map((each, i) => {
    const time = clock.read(i, each, each, i === 0);
    strays.push(...clock.strays.map(([position]) => position));
    return time;
  });
  return { times, strays };
}

describe('the clock of timestamps', () => {
  test('keeps what lies between two pauses', () => {
    const stored = [0, 40, 80, 800, 840, 880, 1600, 1640];
    expect(readAll(stored)).toEqual({ times: stored, strays: [] });
  });

  test.each([
    ['ahead', [0, 40, 90_000, 90_040, 160, 200]],
    ['back', [60_000, 60_040, 0, 40, 60_160, 60_200]],
  ])('takes packets for strays when it jumps %s and returns', (_, stored) => {
    expect(readAll(stored).strays).toEqual([2, 3]);
  });
});
