import { expect, test } from 'vitest';
import { uniqueSessionName, nameLogs } from './log-names.ts';

test('a log is named after its recording, with folders only if names are equal', () => {
  const paths = [
    '/s/monday/match.playbyplay/events.ndjson',
    '/s/friday/match.playbyplay/events.ndjson',
    '/s/final.mp4.playbyplay/events.stream.ndjson',
    '/s/games/3.ndjson',
    '/s/reel.mp4',
  ];
  expect(nameLogs(paths)).toEqual(['monday/match', 'friday/match', 'final.mp4', '3', 'reel.mp4']);
  expect(nameLogs(['/a.playbyplay/events.ndjson', '/a/events.ndjson'])).toEqual(['/a', '/a']);
});

test('any number of sessions of one name get distinct names', () => {
  const taken = new Set<string>();
  expect([1, 2, 3].map(() => uniqueSessionName('x', 'log/events.ndjson', taken))).toEqual([
    'x',
    'x (log)',
    'x (log 3)',
  ]);
});
