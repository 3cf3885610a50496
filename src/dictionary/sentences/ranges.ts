import type { Reader } from './reader.ts';
import { numberOf } from './tokens.ts';

/** Bounds of a number, all of which hold; `min` and `max` are inclusive, `above` and `below` are not. */
export interface Range {
  readonly min?: number;
  readonly max?: number;
  readonly above?: number;
  readonly below?: number;
}

const comparisons: readonly (readonly [string, (n: number) => Range])[] = [
  ['greater than or equal to', (min) => ({ min })],
  ['less than or equal to', (max) => ({ max })],
  ['at least', (min) => ({ min })],
  ['no less than', (min) => ({ min })],
  ['at most', (max) => ({ max })],
  ['no more than', (max) => ({ max })],
  ['up to', (max) => ({ max })],
  ['more than', (above) => ({ above })],
  ['greater than', (above) => ({ above })],
  ['higher than', (above) => ({ above })],
  ['fewer than', (below) => ({ below })],
  ['less than', (below) => ({ below })],
  ['lower than', (below) => ({ below })],
  ['above', (above) => ({ above })],
  ['over', (above) => ({ above })],
  ['below', (below) => ({ below })],
  ['under', (below) => ({ below })],
  ['exactly', (n) => ({ min: n, max: n })],
  ['equal to', (n) => ({ min: n, max: n })],
  ['≥', (min) => ({ min })],
  ['≤', (max) => ({ max })],
  ['>', (above) => ({ above })],
  ['<', (below) => ({ below })],
  ['=', (n) => ({ min: n, max: n })],
];

/** A comparison with a number at `at`: "below 20", "at least 3", "≥ 3", "between 20 and 40". */
export function comparisonAt(reader: Reader, at: number): { range: Range; end: number } | undefined {
  const between = reader.phrase(at, 'between');
  if (between !== undefined) {
    const min = numberOf(reader.tokens[between]);
    const and = reader.phrase(between + 1, 'and');
    const max = and === undefined ? undefined : numberOf(reader.tokens[and]);
    return min === undefined || max === undefined ? undefined : { range: { min, max }, end: and! + 1 };
  }
  for (const [phrase, make] of comparisons) {
    const behind = reader.phrase(at, phrase);
    if (behind === undefined) continue;
    const bound = numberOf(reader.tokens[behind]);
    if (bound !== undefined) return { range: make(bound), end: behind + 1 };
    reader.expect(behind, 'a number');
  }
  return undefined;
}
