import { expect, it } from 'vitest';
import { type FieldArea, growRegion } from './grow.ts';

const FRAME = { width: 1280, height: 720 };
const clock: FieldArea = {
  rect: { x: 600, y: 20, width: 80, height: 30 },
  align: 'centre',
  type: 'clock',
  pattern: '(\\d{1,2}:\\d{2})',
};

it('leaves a clock space on both sides, to which it may move', () => {
  // A character is 0.55 heights wide.
  expect(growRegion(clock, [clock], FRAME)).toEqual({ x: 583, y: 20, width: 114, height: 30 });
});

it('grows over nothing else', () => {
  const score: FieldArea = { ...clock, type: 'counter', rect: { x: 690, y: 20, width: 40, height: 30 } };
  expect(growRegion(clock, [clock, score], FRAME)).toEqual(clock.rect);
});

it('grows a counter by a character on its free side', () => {
  const score: FieldArea = { ...clock, type: 'counter', align: 'right', pattern: '(\\d{1,3})' };
  expect(growRegion(score, [score], FRAME)).toEqual({ x: 583, y: 20, width: 97, height: 30 });
});

it('leaves a feed at the right edge space for longer names on its left, and for another row', () => {
  const feed: FieldArea = { rect: { x: 1000, y: 40, width: 200, height: 60 }, align: 'left', type: 'feed' };
  const { x, y, width, height } = growRegion(feed, [feed], FRAME);
  expect([x, x + width]).toEqual([950, 1206]);
  expect([y, y + height]).toEqual([18, 122]);
});

it('leaves a message in the middle space for longer ones as far as nothing else lies there', () => {
  const message: FieldArea = { rect: { x: 500, y: 300, width: 240, height: 40 }, align: 'centre', type: 'message' };
  expect(growRegion(message, [message], FRAME)).toMatchObject({ x: 440, width: 360 });
  const score: FieldArea = { rect: { x: 760, y: 310, width: 60, height: 30 }, align: 'left', type: 'counter' };
  expect(growRegion(message, [message, score], FRAME)).toMatchObject({ x: 440, width: 320 });
});

it('leaves short messages in the middle of the screen space for long ones', () => {
  const message: FieldArea = { rect: { x: 565, y: 167, width: 150, height: 50 }, align: 'left', type: 'message' };
  expect(growRegion(message, [message], FRAME)).toMatchObject({ x: 371, width: 538 });
});

it('leaves a log at the left edge space for longer messages, and another message none', () => {
  const log: FieldArea = { rect: { x: 10, y: 300, width: 140, height: 60 }, align: 'left', type: 'message' };
  expect(growRegion({ ...log, isLog: true }, [], FRAME)).toMatchObject({ x: 4, width: 230 });
  expect(growRegion(log, [], FRAME)).toMatchObject({ x: 10, width: 140 });
});

it('grows a counter over no symbol in front of it', () => {
  const count: FieldArea = {
    ...clock,
    type: 'counter',
    align: 'right',
    pattern: '(\\d{1,2})',
  };
  expect(growRegion(count, [count], FRAME).x).toBeLessThan(590);
  expect(growRegion(count, [count], FRAME, [{ x: 570, y: 22, width: 26, height: 26 }]).x).toBe(596);
});
