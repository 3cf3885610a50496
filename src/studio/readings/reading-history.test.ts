import { describe, expect, it } from 'vitest';
import type { Observation } from '../../cues/reading.ts';
import { ReadingHistory } from './reading-history.ts';

const seen = (value: string | number, confidence = 0.99): Observation => ({ state: 'seen', value, confidence });
const unreadable: Observation = { state: 'unreadable', confidence: 0.5 };
const absent: Observation = { state: 'absent', confidence: 0.9 };

/** A history of one field, read each 0.1 s from 0 on. */
function historyOf(observations: readonly (Observation | undefined)[]): ReadingHistory {
  const history = new ReadingHistory(['health', 'never read']);
  history.add({
    t: observations.map((_, i) => i / 10),
    observations: observations.map((one) => one ?? unreadable),
    seen: observations.map((one, i) => [one ? i : -1, -1]),
    gaps: [],
  });
  history.finish();
  return history;
}

const runsOf = (history: ReadingHistory) =>
  history
    .lanes(0, 100, 10)[0]!
    .runs!.map(({ t, end, state, value }) => [
      t.toFixed(1),
      end.toFixed(1),
      state,
      ...(value === undefined ? [] : [value]),
    ]);

describe('ReadingHistory', () => {
  it('joins equal readings to runs, and says what was doubtful, unreadable or absent', () => {
    const history = historyOf([seen(87), seen(87), unreadable, seen(62), seen(62, 0.6), absent]);
    expect(history.lanes(0, 100, 10).map(({ name, isNumber, low, high }) => [name, isNumber, low, high])).toEqual([
      ['health', true, 62, 87],
    ]);
    expect(runsOf(history)).toEqual([
      ['0.0', '0.2', 'read', 87],
      ['0.2', '0.3', 'unreadable'],
      ['0.3', '0.4', 'read', 62],
      ['0.4', '0.5', 'doubtful', 62],
      ['0.5', '0.6', 'absent'],
    ]);
  });

  it('ends a run where the field was not looked at for long, and goes on where it read the same after a short while', () => {
    const pause = Array.from({ length: 50 }, () => undefined);
    expect(runsOf(historyOf([seen(1), seen(1), ...pause, seen(1), ...pause, seen(2)]))).toEqual([
      ['0.0', '5.3', 'read', 1],
      ['10.3', '10.4', 'read', 2],
    ]);
  });

  it('finds the next and the previous change of what is read surely', () => {
    const history = historyOf([seen(87), unreadable, seen(12, 0.5), seen(87), seen(62), absent, seen(62)]);
    expect(history.nextChange(0, 1)).toEqual({ name: 'health', t: 0.4, from: 87, to: 62 });
    expect(history.nextChange(0.4, 1, 'health')).toEqual({ name: 'health', t: 0.5, from: 62 });
    expect(history.nextChange(0.5, 1)).toEqual({ name: 'health', t: 0.6, to: 62 });
    expect(history.nextChange(0.6, 1)).toBeUndefined();
    expect(history.nextChange(0.6, -1)).toEqual({ name: 'health', t: 0.5, from: 62 });
    expect(history.nextChange(0.4, -1)).toBeUndefined();
    expect(history.nextChange(0, 1, 'never read')).toBeUndefined();
  });

  it('summarizes what has more readings than a lane shows', () => {
    // 0 … 999 in turn, half of them unreadable: 100 s in 10 columns of 10 s.
    const history = historyOf(Array.from({ length: 1000 }, (_, i) => (i % 2 === 0 ? seen(i) : unreadable)));
    const { runs, columns } = history.lanes(0, 100, 10)[0]!;
    expect(runs).toBeUndefined();
    expect(columns!.low).toEqual([0, 100, 200, 300, 400, 500, 600, 700, 800, 900]);
    expect(columns!.high).toEqual([98, 198, 298, 398, 498, 598, 698, 798, 898, 998]);
    expect(columns!.unreadable.every((share) => Math.abs(share - 50) <= 1)).toBe(true);
    // The first reading is no change.
    expect(columns!.changes).toEqual([49, 50, 50, 50, 50, 50, 50, 50, 50, 50]);
  });
});
