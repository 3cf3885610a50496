import { describe, expect, it } from 'vitest';
import { anyText } from '../recognition/constraint.ts';
import { readLine } from '../recognition/text-recognizer.ts';
import { classifyField, isCountedDown } from './classify.ts';
import type { FollowedSample } from './follow.ts';

/** Samples half a second apart in which these texts are read for certain. */
function samplesOf(texts: readonly string[]): FollowedSample[] {
  return texts.map((text, i) => {
    const steps = Array.from(text, (char) => [[{ char, probability: 1 }], []]).flat();
    const line = { candidates: steps, blank: Float64Array.from(steps, ({ length }) => 1 - length) };
    return { recording: 0, t: i / 2, line, reading: readLine(line, anyText()) };
  });
}

/** A clock that is counted down, at half seconds. */
function clockAt(half: number): string {
  return `01:${String(40 - Math.floor(half / 2))}`;
}

const halves = Array.from({ length: 24 }, (_, i) => i);

describe('a field', () => {
  it.each([
    [
      'a clock counting up',
      halves.map((i) => `0:${String(10 + Math.floor(i / 2))}`),
      { type: 'clock', behaviour: { min: 10, max: 21, direction: 'up' } },
    ],
    [
      'a clock of seconds counting down',
      halves.map((i) => String(99 - Math.floor(i / 2))),
      { type: 'clock', behaviour: { direction: 'down' } },
    ],
    [
      'a clock with hundredths after a colon',
      halves.map((i) => `00:${String(10 + Math.floor(i / 2))}:${i % 2 ? '77' : '27'}`),
      { type: 'clock', isStopwatch: true, behaviour: { min: 10.27, max: 21.77 } },
    ],
    [
      'a clock with hundredths next to an icon that looks like a digit',
      halves.map((i) => `00:${String(10 + Math.floor(i / 2))}:${i % 2 ? '77' : '27'}${i % 3 ? '1' : ''}`),
      { type: 'clock', isStopwatch: true, behaviour: { min: 10.27, max: 21.77 } },
    ],
    [
      'a fraction with a bar that is read as a digit now and then',
      halves.map((i) => (i < 6 ? '10 | 30' : i < 10 ? '10 130' : i < 16 ? '9130' : '11130')),
      { type: 'fraction', behaviour: { min: 9, max: 11, changes: 2 } },
    ],
    ['a number that ends as one with a bar would', halves.map((i) => String(9130 - 10 * (i % 8))), { type: 'counter' }],
    ['the time of a day in the game', halves.map((i) => `17:${String(10 + i)}`), { type: 'time' }],
    [
      'a clock with a small fraction',
      halves.map((i) => `00:${String(10 + Math.floor(i / 2))} ${i % 2 ? '50' : '00'}`),
      { type: 'clock', behaviour: { max: 21.5 } },
    ],
    [
      'a clock after a round icon that is read as a bracket or a digit',
      halves.map((i) => `${['0', ')', ''][i % 3]}00:${String(10 + Math.floor(i / 2))} ${i % 2 ? '50' : '00'}`),
      { type: 'clock', behaviour: { min: 10, max: 21.5, direction: 'up' } },
    ],
    [
      'a counter that is misread now and then',
      halves.map((i) => (i === 7 || i === 15 ? '71' : '12')),
      { type: 'counter', behaviour: { changes: 4, reversals: 2 } },
    ],
    [
      'a counter that goes up and down',
      halves.map((i) => String(i % 8 < 4 ? 3 : 4)),
      { type: 'counter', behaviour: { changes: 5, reversals: 0 } },
    ],
    [
      'a penalty with a plus after it',
      halves.map((i) => (i < 14 ? '00:02.99+' : '00:18.74+')),
      { type: 'time', behaviour: { min: 2.99, max: 18.74, changes: 1 } },
    ],
    [
      'a number of items with a sign that is read in several ways',
      halves.map((i) => `${['x', '×', 'X'][i % 3]}${14 + Math.floor(i / 4)}`),
      { type: 'counter', behaviour: { min: 14, max: 19, direction: 'up' } },
    ],
    [
      'a score below zero',
      halves.map((i) => (i < 4 ? '0' : `-${2 * Math.floor(i / 4)}`)),
      { type: 'counter', behaviour: { min: -10, max: 0, direction: 'down' } },
    ],
    [
      'the time of a lap, which stands until the next',
      halves.map((i) => (i < 14 ? '0:24.77' : '0:23.56')),
      { type: 'time', behaviour: { min: 23.56, max: 24.77, changes: 1 } },
    ],
    [
      'a place among others',
      halves.map((i) => (i < 8 ? '3rd' : i < 16 ? '2nd' : '11th')),
      { type: 'counter', behaviour: { min: 2, max: 11, changes: 2 } },
    ],
    [
      'money in thousands, with commas that are read as points',
      halves.map((i) => (i < 8 ? '$3.100' : '$6.350')),
      { type: 'counter', behaviour: { min: 3100, max: 6350 } },
    ],
    [
      'points that go past 999',
      halves.map((i) => ['850', '950', '1.050', '1.150'][Math.floor(i / 6)]!),
      { type: 'counter', behaviour: { min: 850, max: 1150, changes: 3 } },
    ],
    [
      'a total in thousands, with spaces',
      halves.map((i) => ['999 250', '1 000 500', '1 250 750'][Math.floor(i / 8)]!),
      { type: 'counter', behaviour: { min: 999_250, max: 1_250_750 } },
    ],
    [
      'a distance with three decimals',
      halves.map((i) => ['0.317', '0.982', '1.204', '1.655'][Math.floor(i / 6)]!),
      { type: 'counter', behaviour: { min: 0.317, max: 1.655 } },
    ],
    [
      'a captioned fraction',
      halves.map((i) => `Lap ${1 + Math.floor(i / 8)}/3`),
      {
        type: 'fraction',
        caption: 'Lap',
        pattern: 'Lap ?(\\d{1,2}) ?/ ?\\d{1,2}',
        behaviour: { min: 1, max: 3, changes: 2 },
      },
    ],
    [
      'a fraction with blanks that are read now and then',
      halves.map((i) => (i < 10 ? `${12 - i} / 36` : `${12 - Math.floor(i / 3)}${i % 2 ? '/ ' : '/'}36`)),
      { type: 'fraction', behaviour: { presence: 1, max: 12 } },
    ],
    [
      'a padded counter',
      halves.map((i) => (i < 12 ? '007' : '015')),
      { type: 'counter', pattern: '(\\d{3})', behaviour: { min: 7, max: 15 } },
    ],
    [
      'a percentage',
      halves.map((i) => `${100 - 5 * Math.floor(i / 6)}%`),
      { type: 'percentage', behaviour: { min: 85, max: 100, direction: 'down' } },
    ],
    [
      'a temperature',
      halves.map((i) => `${i < 12 ? 2 : 1}${i % 3 === 0 ? "'" : ''}°C`),
      { type: 'counter', caption: '°C', behaviour: { min: 1, max: 2, changes: 1 } },
    ],
    [
      'a lap time whose zero looks like a letter',
      halves.map((i) => `Last ${i % 2 === 0 ? '0' : 'D'}:${i < 20 ? '14.49' : '14.66'}`),
      { type: 'time', caption: 'Last' },
    ],
    [
      'a number with a unit',
      halves.map((i) => `${120 - Math.floor(i / 3)} km/h`),
      { type: 'counter', caption: 'km h', behaviour: { max: 120, direction: 'down' } },
    ],
    ['a label', halves.map(() => 'SPEED'), { type: 'label', caption: 'SPEED' }],
    [
      'a player with a number, of whom one is shown most of the time',
      halves.map((i) => (i < 20 ? `${11 + Math.floor(i / 5)} Brandt` : '20 Adler')),
      { type: 'name' },
    ],
    ['a name', halves.map((i) => (i < 10 ? 'Railgun' : 'Rocket launcher')), { type: 'name' }],
  ] as const)('is %s', (_, texts, expected) => {
    const { behaviour, ...rest } = expected as { behaviour?: object };
    const found = classifyField(samplesOf(texts))!;
    expect(found).toMatchObject(rest);
    expect(found.behaviour).toMatchObject(behaviour ?? {});
  });

  it('is nothing where scenery is misread', () => {
    expect(
      classifyField(samplesOf(halves.map((i) => (i % 3 === 0 ? 'ab' : i % 3 === 1 ? 'Xq' : 'lI7')))),
    ).toBeUndefined();
    expect(classifyField(samplesOf(['', '', '']))).toBeUndefined();
  });

  it('is nothing where an icon looks like the same figure always', () => {
    const zeros = samplesOf(halves.map(() => '0'));
    expect(classifyField(zeros, { isSteady: true })).toBeUndefined();
    expect(classifyField(zeros)).toMatchObject({ type: 'counter' });
  });

  it('is no clock where the score next to a clock was read with it', () => {
    expect(classifyField(samplesOf(halves.map((i) => `${clockAt(i)} ${i < 13 ? 6 : 7}`)))).toBeUndefined();
    // A fraction changes with the seconds.
    const fractions = halves.map((i) => `${clockAt(i)} ${i % 2 === 0 ? 9 : 4}`);
    expect(classifyField(samplesOf(fractions))).toMatchObject({ type: 'clock' });
  });

  it('may get shorter where a single digit was misread as a zero', () => {
    const texts = halves.map((i) => (i === 7 ? '086 / 680' : `${680 - 9 * i} / 680`));
    const { pattern } = classifyField(samplesOf(texts))!;
    expect(new RegExp(`^(?:${pattern})$`).exec('12 / 680')?.[1]).toBe('12');
  });

  it('that comes and goes shows messages', () => {
    const texts = halves.map((i) => (i % 12 < 6 ? 'Final lap!' : ''));
    expect(classifyField(samplesOf(texts), { comesAndGoes: true })).toMatchObject({ type: 'message' });
    const lives = halves.map((i) => (i % 12 < 3 ? 'Combo!' : i % 12 < 6 ? '1-UP' : ''));
    expect(classifyField(samplesOf(lives), { comesAndGoes: true })).toMatchObject({ type: 'message' });
    const hits = classifyField(samplesOf(halves.map((i) => (i % 8 < 4 ? 'Hits' : ''))), { comesAndGoes: true });
    expect(hits).toMatchObject({ type: 'message', constantText: 'Hits' });
  });
});

it('knows seconds that are counted down from numbers of items', () => {
  const seconds = halves.map((i) => (i % 20 < 10 ? String(5 - Math.floor((i % 20) / 2)) : ''));
  expect(isCountedDown(classifyField(samplesOf(seconds))!)).toBe(true);
  const items = halves.map((i) => (i < 8 ? '' : String(20 - 3 * Math.floor(i / 9))));
  expect(isCountedDown(classifyField(samplesOf(items))!)).toBe(false);
  const cartridges = halves.map((i) => String(30 - Math.floor(i / 2)));
  expect(isCountedDown(classifyField(samplesOf(cartridges))!)).toBe(false);
});

it('takes a constant text that is shown now and then for a message, unless the HUD is no longer there', () => {
  const texts = Array.from({ length: 40 }, (_, i) => (i % 20 < 6 ? 'Winner: red' : ''));
  expect(classifyField(samplesOf(texts))).toMatchObject({ type: 'message', constantText: 'Winner: red' });
  // A caption of a HUD that is hidden in between.
  expect(classifyField(samplesOf(texts), { hudPresence: 0.3 })).toMatchObject({ type: 'label' });
});

it('takes a sentence with a number that never changes for a constant text', () => {
  expect(classifyField(samplesOf(halves.map(() => 'Press F1 for help')))).toMatchObject({
    type: 'label',
    caption: 'Press F1 for help',
  });
});
