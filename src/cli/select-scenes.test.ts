import { expect, it } from 'vitest';
import { findPreset, styleOf } from './select-scenes.ts';

function cards(duration: string | undefined, options: Parameters<typeof styleOf>[0] = {}) {
  const preset = findPreset('montage', duration);
  return [preset.titles === true, styleOf(options, preset).parts.includes('end-card')];
}

it('leaves title and end card out of short reels, unless they are asked for', () => {
  expect(cards(undefined)).toEqual([true, true]);
  expect(cards('20s')).toEqual([true, true]);
  expect(cards('all')).toEqual([true, true]);
  expect(cards('19s')).toEqual([false, false]);
  expect(cards('12s', { with: ['end-card'] })).toEqual([false, true]);
});
