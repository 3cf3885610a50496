import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { escapeControls, escapedStream, style, wantsColors } from './terminal.ts';

it.each([
  ['plain ünïcode 👾\n\tindented\r\n', 'plain ünïcode 👾\n\tindented\r\n'],
  ['\u001B]0;title\u0007', '\\u001b]0;title\\u0007'],
  ['100 %\rFAKE', '100 %\\u000dFAKE'],
  ['\u009B2J', '\\u009b2J'],
  ['\u202Etxt', '\\u202etxt'],
])('escapeControls(%j)', (text, expected) => {
  expect(escapeControls(text)).toBe(expected);
});

it('keeps the value of JSON', () => {
  const value = { name: 'a\u009Bb\u202Ec' };
  expect(JSON.parse(escapeControls(JSON.stringify(value)))).toEqual(value);
});

it('wraps a stream, whose other members work', async () => {
  const written: string[] = [];
  const stream = new Writable({ write: (chunk: Buffer, _, done) => (written.push(chunk.toString()), done()) });
  const escaped = escapedStream(stream);
  escaped.write('a\u001B[2J');
  const { promise, resolve } = Promise.withResolvers<void>();
  escaped.once('finish', resolve);
  escaped.end();
  await promise;
  expect(written).toEqual(['a\\u001b[2J']);
});

/** What a stream writes for a text. */
const shown = (text: string, hasColors: boolean): string => {
  let written = '';
  const stream = new Writable({ write: (chunk: Buffer, _, done) => ((written += chunk.toString()), done()) });
  escapedStream(stream, hasColors).write(text);
  return written;
};

describe('styles', () => {
  it('become colors where the terminal wants them, and vanish elsewhere', () => {
    expect(shown(`${style('red', 'playbyplay:')} no`, true)).toBe('\u001B[31mplaybyplay:\u001B[39m no');
    expect(shown(`${style('red', 'playbyplay:')} no`, false)).toBe('playbyplay: no');
  });

  it('do not let text from files control the terminal', () => {
    expect(shown(style('bold', 'Grunt\u001B[2J'), true)).toBe('\u001B[1mGrunt\\u001b[2J\u001B[22m');
  });

  it.each([
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ TERM: 'dumb' }, true, false],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '0' }, true, false],
  ])('%j on a terminal (%s): colors %s', (env, isTTY, expected) => {
    const stream = { isTTY, hasColors: () => true } as unknown as NodeJS.WriteStream;
    expect(wantsColors(stream, env)).toBe(expected);
  });
});
