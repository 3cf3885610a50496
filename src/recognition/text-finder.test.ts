import { expect, it } from 'vitest';
import { groupRows } from './text-finder.ts';

function box(name: string, x: number, y: number, height = 20) {
  return { name, x, y, width: 50, height };
}

it('reads the words of a line from left to right, though they lie a pixel higher or lower', () => {
  const rows = groupRows([box('way', 90, 39), box('Wrong', 10, 40, 24), box('Lap', 12, 5), box('2/3', 80, 8, 12)]);
  expect(rows.map((row) => row.map(({ name }) => name))).toEqual([
    ['Lap', '2/3'],
    ['Wrong', 'way'],
  ]);
});
