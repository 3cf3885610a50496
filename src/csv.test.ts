import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { splitRow } from './csv.ts';

describe('splitRow', () => {
  test.each([
    ['a,b,c', ['a', 'b', 'c']],
    ['', ['']],
    ['"a",', ['a', '']],
    ['7,"a, ""b""",', ['7', 'a, "b"', '']],
    ['"a" x,b', ['a', 'b']],
    ['a"b,"c"', ['a"b', 'c']],
    ['1,"open, to the end', ['1', 'open, to the end']],
    ['""""', ['"']],
    ['"a""', ['a"']],
  ])('%s', (line, cells) => expect(splitRow(line, ',')).toEqual(cells));

  test('reads what RFC 4180 writes', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string().map((cell) => cell.replaceAll(/[\r\n]/g, '')),
          { minLength: 1 },
        ),
        fc.constantFrom(',', ';', '\t'),
        (cells, delimiter) => {
          const row = cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(delimiter);
          expect(splitRow(row, delimiter)).toEqual(cells);
        },
      ),
    );
  });

  test('reads no more cells than asked for, and quotes of any number', () => {
    expect(splitRow('a,b,c', ',', 2)).toEqual(['a', 'b']);
    expect(splitRow('"a","b","c"', ',', 2)).toEqual(['a', 'b']);
    const quotes = '"'.repeat(4_000_001);
    expect(splitRow(`1,${quotes},2`, ',')[1]).toHaveLength(2_000_002);
  });
});
