import { expect, it } from 'vitest';
import { anyText } from '../recognition/constraint.ts';
import { readLine } from '../recognition/text-recognizer.ts';
import { splitCaption, splitSeries } from './split.ts';

/** What is read in samples of a line 120 pixels wide and 24 high, in which each character has `pitch` steps of 2 pixels. */
function followed(texts: readonly string[], pitch: number, { readsSpaces = false } = {}) {
  const samples = texts.map((text, i) => {
    const steps = Array.from({ length: 60 }, (_, step) => {
      const char = step % pitch === Math.floor(pitch / 2) ? text[Math.floor(step / pitch)] : undefined;
      return char === undefined || (char === ' ' && !readsSpaces) ? [] : [{ char, probability: 1 }];
    });
    const line = { candidates: steps, blank: Float64Array.from(steps, ({ length }) => 1 - length) };
    return { recording: 0, t: i / 2, line, reading: readLine(line, anyText()) };
  });
  const rect = { x: 100, y: 10, width: 120, height: 24 };
  return { element: { rect, align: 'left', presence: 1, comesAndGoes: false, sightings: [] } as const, samples };
}

it('splits numbers that are drawn apart', () => {
  const parts = splitSeries(
    followed(['5 / 2 / 3', '6 / 2 / 3', '6 / 2 / 4', '7 / 3 / 4', '7 / 3 / 4', '8 / 3 / 4'], 6),
  );
  expect(parts.map(({ samples }) => samples.map(({ reading }) => reading?.text).join(' '))).toEqual([
    '5 6 6 7 7 8',
    '2 2 2 3 3 3',
    '3 3 4 4 4 4',
  ]);
  expect(parts.every(({ element: { rect } }, i) => i === 0 || rect.x > parts[i - 1]!.element.rect.x)).toBe(true);
});

it('splits numbers of which the last was cut off', () => {
  const parts = splitSeries(followed(['5 / 2 /', '6 / 2 /', '6 / 2 /', '7 / 3 /', '7 / 3 /', '8 / 3 /'], 6));
  expect(parts.map(({ samples }) => samples.map(({ reading }) => reading?.text).join(' '))).toEqual([
    '5 6 6 7 7 8',
    '2 2 2 3 3 3',
  ]);
});

it.each([
  ['a fraction', ['12 / 36', '11 / 36', '10 / 36', '9 / 36', '8 / 36', '7 / 36']],
  ['a time', ['1:05', '1:04', '1:03', '1:02', '1:01', '1:00']],
])('keeps %s whole', (_, texts) => {
  expect(splitSeries(followed(texts, 6))).toHaveLength(1);
});

it('cuts a caption that cannot be read off its number', () => {
  const texts = ['СЧ 10', 'CY 11', 'CE 12', 'ЧT 13', 'CA 14', 'CV 15'];
  const [part] = splitCaption(followed(texts, 6, { readsSpaces: true }));
  expect(part!.samples.map(({ reading }) => reading?.text).join(' ')).toBe('10 11 12 13 14 15');
});

it.each([
  ['alone', ''],
  ['after an icon that is read as a bracket', ')'],
])('keeps a clock whole whose fraction is drawn smaller: %s', (_, icon) => {
  const times = ['00:06 84', '00:07 30', '00:08 05', '00:09 61', '00:10 12', '00:11 47'].map((time) => icon + time);
  const clock = followed(times, 6, { readsSpaces: true });
  expect(clock.samples.map(({ reading }) => reading?.text)).toEqual(times);
  expect(splitCaption(clock)).toEqual([clock]);
});

it('splits a score between the names of two teams', () => {
  const texts = ['BLU 0 - 0', 'BLU 0 - 0', 'BLU 1 - 0', 'BLU 1 - 0', 'BLU 1 - 1', 'BLU 1 - 2'];
  const parts = splitSeries(followed(texts, 6, { readsSpaces: true }));
  expect(parts.map(({ samples }) => samples.map(({ reading }) => reading?.text.trim()).join(' '))).toEqual([
    'BLU BLU BLU BLU BLU BLU',
    '0 0 1 1 1 1',
    '0 0 0 0 1 2',
  ]);
});

it('splits a number from the caption of the next one', () => {
  const texts = ['4 Friends:', '4 Friends:', '3 Friends:', '2 Friends:', '1 Friends:', '0 Friends:'];
  const parts = splitCaption(followed(texts, 5, { readsSpaces: true }));
  expect(parts.map(({ samples }) => samples.map(({ reading }) => reading?.text.trim()).join(' '))).toEqual([
    '4 4 3 2 1 0',
    Array.from(texts, () => 'Friends:').join(' '),
  ]);
});
