import { expect, it } from 'vitest';
import { anyText } from '../recognition/constraint.ts';
import { readLine } from '../recognition/text-recognizer.ts';
import type { TextElement } from './elements.ts';
import { findTextRows, splitTextRow } from './text-rows.ts';

/** A row 480 pixels wide and 24 high, 160 steps of 3 pixels. */
const ROW = { x: 100, y: 10, width: 480, height: 24 };

/** What is read in samples of a row in which a character has three steps, and “_” is a gap of six without any character. */
function followed(rows: readonly string[]) {
  return rows.map((row, i) => {
    const chars = Array.from(row).flatMap((char) => [
      '',
      char === '_' ? '' : char,
      ...(char === '_' ? ['', '', '', ''] : ['']),
    ]);
    const steps = Array.from({ length: 160 }, (_, step) => {
      const char = chars[step] ?? '';
      return char === '' ? [] : [{ char, probability: 1 }];
    });
    const line = { candidates: steps, blank: Float64Array.from(steps, ({ length }) => 1 - length) };
    return { recording: 0, t: i / 2, line, reading: readLine(line, anyText()) };
  });
}

it('follows the parts of a row, wherever they stand', () => {
  const row = splitTextRow(
    ROW,
    // The last sample is that of a replay. Scenery beside the row looks like a letter.
    followed([
      'LIONS_9_9_HAWKS_O:58',
      'LIONS_9_9_HAWKS_0:59',
      'LIONS_9_9_HAWKS_1:OO',
      'LIONS_12_9_HAWKS_1:0I',
      'LIONS_12_9_HAWKS_1:D2',
      'LIONS_12_9_HAWKS_1:02_N',
      'LIONS_12_1I_HAWKS_1:03',
      'REPLAY',
    ]),
  )!;
  expect(row.parts.map(({ kind }) => kind)).toEqual(['words', 'figure', 'figure', 'words', 'figure']);
  expect(row.parts.map(({ samples }) => samples.map(({ reading }) => reading?.text ?? '-').join(' '))).toEqual([
    'LIONS LIONS LIONS LIONS LIONS LIONS LIONS -',
    '9 9 9 12 12 12 12 -',
    '9 9 9 9 9 9 11 -',
    'HAWKS HAWKS HAWKS HAWKS HAWKS HAWKS HAWKS -',
    '0:58 0:59 1:00 1:01 1:02 1:02 1:03 -',
  ]);
  expect(row.parts.map(({ moves }) => moves)).toEqual([false, false, true, true, true]);
});

it.each([
  ['captions', ['SCORE_TIME_LIVES', 'SCORE_TIME_LIVES']],
  ['another number of figures each time', ['A_1_2', 'A_1', 'A_1_2_3', 'B_4', '5_6', 'C_7_8_9', 'D', '1_2_3_4']],
])('finds no row in %s', (_, rows) => {
  expect(splitTextRow(ROW, followed([...rows, ...rows, ...rows, ...rows]))).toBeUndefined();
});

/** A text that is always there. */
function text(x: number, y: number, width: number): TextElement {
  return { rect: { x, y, width, height: 26 }, align: 'left', presence: 1, comesAndGoes: false, sightings: [] };
}

it('finds rows of texts next to each other, with space beside them up to other texts', () => {
  const bar = [text(400, 20, 100), text(520, 21, 20), text(560, 20, 20), text(600, 19, 120)];
  const others = [text(740, 400, 90), text(850, 20, 60), text(20, 500, 90), text(30, 530, 90)];
  // 320 wide: 80 on either side, if nothing is there.
  expect(findTextRows([...bar, ...others], { width: 1280, height: 720 })).toEqual([
    { x: 320, y: 19, width: 480, height: 28 },
  ]);
  const near = text(780, 20, 60);
  expect(findTextRows([...bar, near], { width: 1280, height: 720 })[0]!.width).toBe(460);
});
