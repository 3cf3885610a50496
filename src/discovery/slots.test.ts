import { expect, it } from 'vitest';
import type { Rect } from '../geometry.ts';
import type { TextElement } from './elements.ts';
import { findSlotFigures } from './slots.ts';

/** Six slots of a hotbar, 56 pixels wide, 58 pixels apart. */
const slots = Array.from({ length: 6 }, (_, i): Rect => ({ x: 366 + 58 * i, y: 480, width: 55, height: 55 }));

function numberIn(slot: number, width = 22): TextElement {
  const rect = { x: slots[slot]!.x + 54 - width, y: 511, width, height: 20 };
  return { rect, align: 'right', presence: 0.9, comesAndGoes: false, sightings: [] };
}

it('expects numbers of items where other slots have them', () => {
  const found = findSlotFigures([slots], [numberIn(0), numberIn(2)]);
  expect(found.map(({ rect }) => rect)).toEqual([1, 3, 4, 5].map((slot) => numberIn(slot).rect));
  expect(found.every(({ isSlot }) => isSlot)).toBe(true);
});

it('expects nothing from a single number, nor where a line goes across the slots', () => {
  expect(findSlotFigures([slots], [numberIn(0)])).toEqual([]);
  const line = { ...numberIn(0), rect: { x: 370, y: 500, width: 300, height: 20 } };
  expect(findSlotFigures([slots], [line])).toEqual([]);
});
