import { expect, it } from 'vitest';
import { sceneSubtitles } from './subtitles.ts';

const byWords = (text: string): string[] => text.split(' ');

it('shows what is said at the times of the reel, cut at the scene and stretched by slow motion', () => {
  const shots = [
    { start: 10, end: 14, speed: 1, at: 2 },
    { start: 14, end: 15, speed: 0.5, at: 6 },
  ];
  const said = [
    { start: 8, end: 9, text: 'before' },
    { start: 9, end: 11, text: 'into' },
    { start: 13, end: 14.5, text: 'through' },
    { start: 14.9, end: 17, text: 'after' },
  ];
  expect(sceneSubtitles({ start: 10, end: 15, shots }, said, byWords)).toEqual([
    { start: 2, end: 3, lines: ['into'] },
    { start: 5, end: 7, lines: ['through'] },
  ]);
});

it('divides a long subtitle into pages of two lines, each for its share of the text', () => {
  const shots = [{ start: 0, end: 10, speed: 1, at: 0 }];
  const said = [{ start: 0, end: 10, text: 'aa bb cc dd ee' }];
  expect(sceneSubtitles({ start: 0, end: 10, shots }, said, byWords)).toEqual([
    { start: 0, end: 4, lines: ['aa', 'bb'] },
    { start: 4, end: 8, lines: ['cc', 'dd'] },
    { start: 8, end: 10, lines: ['ee'] },
  ]);
});
