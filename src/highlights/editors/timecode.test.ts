import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTimecode } from '../../../test/fixtures/timecode.ts';
import { rationalSeconds, standardRate, standardRates, timecode } from './timeline.ts';

const ntsc = { num: 30_000, den: 1001 };
const double = { num: 60_000, den: 1001 };

describe('timecode', () => {
  // SMPTE ST 12-1: frames 0 and 1 of a minute are left out, save of minutes 0, 10, 20 … One hour of real time is 107892 frames.
  it.each([
    [0, '00:00:00;00'],
    [1799, '00:00:59;29'],
    [1800, '00:01:00;02'],
    [17_981, '00:09:59;29'],
    [17_982, '00:10:00;00'],
    [107_892, '01:00:00;00'],
  ])('counts frame %i of 29.97 as %s', (frame, text) => {
    expect(timecode(frame, ntsc)).toBe(text);
  });

  it('skips four numbers a minute at 59.94', () => {
    expect(timecode(3599, double)).toBe('00:00:59;59');
    expect(timecode(3600, double)).toBe('00:01:00;04');
    expect(timecode(215_784, double)).toBe('01:00:00;00');
  });

  it('counts every frame at whole rates and at 23.976', () => {
    expect(timecode(90_000, { num: 25, den: 1 })).toBe('01:00:00:00');
    expect(timecode(1440, { num: 24_000, den: 1001 })).toBe('00:01:00:00');
  });

  it('round-trips at every rate', () => {
    fc.assert(
      fc.property(fc.constantFrom(...standardRates), fc.nat(2_000_000), (rate, frame) => {
        expect(parseTimecode(timecode(frame, rate), rate)).toBe(frame);
      }),
    );
  });

  it('rejects numbers that drop-frame skips', () => {
    expect(parseTimecode('00:01:00;00', ntsc)).toBeUndefined();
    expect(parseTimecode('00:10:00;00', ntsc)).toBe(17_982);
    expect(parseTimecode('00:00:00:30', ntsc)).toBeUndefined();
  });
});

describe('standardRate', () => {
  it('finds the exact rate behind a rounded one, else the next higher standard rate', () => {
    expect(standardRate({ num: 2997, den: 100 })).toEqual(ntsc);
    expect(standardRate({ num: 35, den: 1 })).toEqual({ num: 50, den: 1 });
    expect(standardRate({ num: 144, den: 1 })).toEqual({ num: 60, den: 1 });
  });
});

it('writes frames as reduced fractions of seconds', () => {
  expect(rationalSeconds(1, ntsc)).toBe('1001/30000s');
  expect(rationalSeconds(30, { num: 30, den: 1 })).toBe('1s');
  expect(rationalSeconds(0, ntsc)).toBe('0s');
});
