import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { escapeControls, escapedStream } from './terminal.ts';

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
