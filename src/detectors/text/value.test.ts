import { describe, expect, it } from 'vitest';
import { parseValue } from './value.ts';

describe('the value of a text', () => {
  it('is no time of a clock with a colon where the colon was not read', () => {
    expect(parseValue('2:06', 1, 'time', [], true)).toMatchObject({ state: 'seen', value: 126 });
    expect(parseValue('206', 1, 'time', [], true)).toMatchObject({ state: 'unreadable', detail: '206' });
    // The last minute of many clocks, and clocks of seconds alone.
    expect(parseValue('59', 1, 'time', [], true)).toMatchObject({ state: 'seen', value: 59 });
    expect(parseValue('206', 1, 'time')).toMatchObject({ state: 'seen', value: 206 });
    expect(parseValue('206', 1, 'number', [], true)).toMatchObject({ state: 'seen', value: 206 });
  });
});
