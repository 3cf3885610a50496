import { describe, expect, it } from 'vitest';
import { parseValue, textPattern } from './value.ts';

describe('the value of a text', () => {
  it('is no time of a clock with a colon where the colon was not read', () => {
    expect(parseValue('2:06', 1, 'time', [], true)).toMatchObject({ state: 'seen', value: 126 });
    expect(parseValue('206', 1, 'time', [], true)).toMatchObject({ state: 'unreadable', detail: '206' });
    // The last minute of many clocks, and clocks of seconds alone.
    expect(parseValue('59', 1, 'time', [], true)).toMatchObject({ state: 'seen', value: 59 });
    expect(parseValue('206', 1, 'time')).toMatchObject({ state: 'seen', value: 206 });
    expect(parseValue('206', 1, 'number', [], true)).toMatchObject({ state: 'seen', value: 206 });
  });

  it('must match the plausible pattern as it is read, not as the number that it means', () => {
    const pattern = textPattern({ value: 'time', plausible: { pattern: String.raw`\d:\d\d\.\d` } });
    expect(parseValue('1:23.5', 1, 'time', [], true, pattern)).toMatchObject({ state: 'seen', value: 83.5 });
    expect(parseValue('83.5', 1, 'time', [], true, pattern)).toMatchObject({ state: 'unreadable', detail: '83.5' });
    // A text is tested by the tracker, after it is corrected by rules of its own.
    expect(textPattern({ plausible: { pattern: 'GO' } })).toBeUndefined();
  });

  it('takes no thousands for fractions in a whole number', () => {
    for (const text of ['6350', '6,350', '6.350', '6 350', "6'350"])
      expect(parseValue(text, 1, 'integer')).toMatchObject({ state: 'seen', value: 6350 });
    expect(parseValue('1.250.000', 1, 'integer')).toMatchObject({ value: 1_250_000 });
    expect(parseValue('6,35', 1, 'integer')).toMatchObject({ state: 'unreadable' });
  });
});

it('reads a time whose small fraction was read without the space before it', () => {
  expect(parseValue('00:5110', 0.9, 'time')).toMatchObject({ state: 'seen', value: 51.1 });
  // A digit too many is none.
  expect(parseValue('00:511', 0.9, 'time')).toMatchObject({ state: 'unreadable' });
});
