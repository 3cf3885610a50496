import type { Rect } from '../geometry.ts';
import { upperMedian } from '../statistics.ts';
import type { TextElement } from './elements.ts';
import { overlap, shareInCommon } from './survey.ts';

/** Cells of a row of slots, and cells in which a figure was found at one place. */
const MIN_SLOTS = 3;
const MIN_FIGURES = 2;
/** Share of a figure in its cell, and width and height of it in those of the cell. */
const MIN_INSIDE = 0.7;
const MAX_FIGURE_WIDTH = 0.75;
const MAX_FIGURE_HEIGHT = 0.6;
/** Distance of places in two cells that are one, in widths of a cell. */
const MAX_DISTANCE = 0.1;

/**
 * Finds where slots of an inventory or abilities in a row have numbers: at the place where some of them have one. The text finder
 * overlooks single digits, and a slot may be empty most of the time.
 *
 * @param rows Frames of one size in rows, with equal distances.
 * @returns Places for the slots in which no text was found.
 */
export function findSlotFigures(
  rows: readonly (readonly Rect[])[],
  elements: readonly TextElement[],
): readonly TextElement[] {
  return rows.flatMap((row): TextElement[] => {
    if (row.length < MIN_SLOTS) return [];
    const figures = row.flatMap((cell) =>
      elements
        .filter(({ rect, comesAndGoes }) => !comesAndGoes && liesInCell(rect, cell))
        .map(({ rect }) => ({
          cell,
          width: rect.width,
          height: rect.height,
          right: rect.x + rect.width - cell.x,
          top: rect.y - cell.y,
        })),
    );
    const [right, top] = [upperMedian(figures.map((one) => one.right)), upperMedian(figures.map((one) => one.top))];
    if (right === undefined || top === undefined) return [];
    const alike = figures.filter(
      (one) => Math.max(Math.abs(one.right - right), Math.abs(one.top - top)) <= MAX_DISTANCE * one.cell.width,
    );
    if (new Set(alike.map(({ cell }) => cell)).size < MIN_FIGURES) return [];
    const [width, height] = [Math.max(...alike.map((one) => one.width)), Math.max(...alike.map((one) => one.height))];
    return row
      .map((cell): Rect => ({ x: cell.x + right - width, y: cell.y + top, width, height }))
      .filter((rect) => !elements.some((element) => shareInCommon(element.rect, rect) > 0))
      .map((rect) => ({
        rect,
        align: 'right',
        presence: 1,
        comesAndGoes: false,
        sightings: [{ ...rect, recording: 0, t: 0, frame: 0 }],
        isSteady: true,
        isSlot: true,
      }));
  });
}

function liesInCell(rect: Rect, cell: Rect): boolean {
  return (
    overlap(rect, cell) >= MIN_INSIDE &&
    rect.width <= MAX_FIGURE_WIDTH * cell.width &&
    rect.height <= MAX_FIGURE_HEIGHT * cell.height
  );
}
