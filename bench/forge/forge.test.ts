import { describe, expect, it } from 'vitest';
import { compareElements, compareEvents, type LogEvent } from './compare.ts';
import { GENRES } from './genres/index.ts';
import { Random } from './random.ts';
import { makeTheme } from './theme.ts';
import type { Box, ElementLine, EventLine, Truth } from './truth.ts';

const box = (x: number, y: number, width: number, height: number): Box => ({ x, y, width, height });
const element = (id: string, kind: ElementLine['kind'], at: Box): ElementLine => ({
  type: 'element',
  id,
  kind,
  box: at,
  visible: [[0, 60]],
});
const change = (t: number, id: string, from: number, to: number): EventLine => ({
  type: 'event',
  t,
  name: 'change',
  element: id,
  from,
  to,
});

/** A score at the top left and messages in the middle. */
const truth = {
  elements: [element('score', 'counter', box(20, 20, 60, 30)), element('message', 'message', box(400, 200, 400, 50))],
  decor: [{ type: 'decor', id: 'd', text: 'mph', box: box(900, 600, 40, 20), screen: 'play' }],
  values: [
    { type: 'value', t: 0, element: 'score', value: 0 },
    { type: 'value', t: 10, element: 'score', value: 5 },
    { type: 'value', t: 10.4, element: 'score', value: 9 },
    { type: 'value', t: 30, element: 'score', value: 10 },
  ],
  events: [
    change(10, 'score', 0, 5),
    change(10.4, 'score', 5, 9),
    change(30, 'score', 9, 10),
    { type: 'event', t: 40, name: 'message', element: 'message', text: 'Final lap!', until: 42 },
  ],
} as unknown as Truth;

const counted = (t: number, to: number, at = box(18, 18, 66, 34)): LogEvent => ({
  t,
  text: `counter rises to ${to}`,
  statement: { subject: 'player', property: 'reading', to },
  boxes: [at],
});

describe('the judge of forged games', () => {
  it('finds elements by overlap, and counts fields over nothing as false', () => {
    const fields = [
      { id: 'a', type: 'counter', rect: box(18, 18, 66, 34) },
      { id: 'b', type: 'name', rect: box(420, 200, 200, 48) },
      { id: 'c', type: 'label', rect: box(898, 598, 44, 24) },
      { id: 'd', type: 'counter', rect: box(898, 598, 44, 24) },
    ];
    const { elements, falseFields } = compareElements(fields, truth);
    expect(elements.map(({ isFound, isTyped }) => [isFound, isTyped])).toEqual([
      [true, true],
      [true, false],
    ]);
    // A unit is a label, but no counter.
    expect(falseFields.map(({ id }) => id)).toEqual(['d']);
  });

  it('takes changes in quick succession for one, and late or wrong values for errors', () => {
    const message = { t: 40.5, text: 'message "final lap" appears', statement: { subject: { name: 'final lap' } } };
    const log = [counted(10.5, 9), counted(34, 10), counted(50, 8), { ...message, boxes: [box(420, 200, 300, 48)] }];
    const { expected, reported } = compareEvents(log, truth);
    // 0 to 9 in one step; 10 came four seconds late.
    expect(expected.map(({ name, isRight }) => [name, isRight])).toEqual([
      ['change', true],
      ['change', false],
      ['message', true],
    ]);
    // At 34 s the score is 10; at 50 s it is not 8.
    expect(reported.map(({ isRight }) => isRight)).toEqual([true, true, false, true]);
  });
});

describe('forged games', () => {
  it.each(GENRES.map(({ name }) => name))('of the genre %s are the same for the same seed', (name) => {
    const genre = GENRES.find((one) => one.name === name)!;
    const make = (part: string) => {
      const theme = makeTheme(new Random(`${name}-7 theme`));
      const recording = { theme, design: new Random(`${name}-7 design`), play: new Random(`${name}-7 ${part}`) };
      const hud = genre.make({ ...recording, duration: 60 });
      return { events: hud.events, pieces: [...hud.pieces()] };
    };
    const [first, again, other] = [make('learn'), make('learn'), make('judge')];
    expect(again).toEqual(first);
    expect(other.events).not.toEqual(first.events);
    expect(first.events.every(({ t }) => t >= 0)).toBe(true);
    expect(first.pieces.length).toBeGreaterThan(20);
  });
});
