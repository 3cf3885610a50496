import { describe, expect, it } from 'vitest';
import { valueOf } from './value.ts';

describe('the value of a text', () => {
  it('is no time of a clock with a colon where the colon was not read', () => {
    expect(valueOf('2:06', 1, 'time', [], true)).toMatchObject({ state: 'seen', value: 126 });
    expect(valueOf('206', 1, 'time', [], true)).toMatchObject({ state: 'unreadable', detail: '206' });
    // The last minute of many clocks, and clocks of seconds alone.
    expect(valueOf('59', 1, 'time', [], true)).toMatchObject({ state: 'seen', value: 59 });
    expect(valueOf('206', 1, 'time')).toMatchObject({ state: 'seen', value: 206 });
    expect(valueOf('206', 1, 'number', [], true)).toMatchObject({ state: 'seen', value: 206 });
  });
});
