import { expect, it } from 'vitest';
import { ReadBudget, SteadyReads } from './read-budget.ts';

/** How often each place is read in so many samples, by what a read of it costs. */
function countReads(costs: readonly number[], samples: number): readonly number[] {
  const budget = new ReadBudget(costs.length);
  const counts = costs.map(() => 0);
  for (let n = 1; n <= samples; n++)
    for (const [place, cost] of costs.entries()) if (budget.take(place, cost, n / samples)) counts[place]!++;
  return counts;
}

it('lets every place of an ordinary screen be read at every sample', () => {
  expect(
    countReads(
      Array.from({ length: 20 }, () => 128),
      300,
    ),
  ).toEqual(Array.from({ length: 20 }, () => 300));
});

it('reads the wide lines of a console less often, all over the recording, and figures always', () => {
  const [figure, console] = [96, 2048];
  const counts = countReads(
    [...Array.from({ length: 10 }, () => figure), ...Array.from({ length: 20 }, () => console)],
    300,
  );
  expect(counts.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 300));
  const lines = counts.slice(10);
  expect(Math.min(...lines)).toBeGreaterThan(20);
  // 20 lines would take 12 million.
  expect(lines.reduce((sum, count) => sum + count * console, 0)).toBeLessThan(2_800_000);
});

it('reads every second sample of what surely says the same, until it says something else', () => {
  const steady = new SteadyReads();
  const readNext = (text: string, confidence = 1): boolean => {
    const isDue = steady.isDue();
    if (isDue) steady.add({ text, confidence });
    return isDue;
  };
  expect(Array.from({ length: 10 }, () => readNext('Lap 1'))).toEqual([
    ...Array.from({ length: 6 }, () => true),
    false,
    true,
    false,
    true,
  ]);
  expect(['Lap 2', 'Lap 2', 'Lap 2', 'Lap 2'].map((text) => readNext(text))).toEqual([false, true, true, true]);
  expect(Array.from({ length: 9 }, () => readNext('Lap 3', 0.8)).every(Boolean)).toBe(true);
});
