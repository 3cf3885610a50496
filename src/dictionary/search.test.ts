import { expect, it } from 'vitest';
import { suggestSynonym } from './search.ts';

const words = [
  { id: 'end', synonyms: ['finish', 'be over'] },
  { id: 'complete', synonyms: ['clear', 'finish'] },
  { id: 'banish', synonyms: [] },
  { id: 'racing:cross line', synonyms: ['finish'] },
];

it.each([
  ['finish', '“finish” is another name of "end", "complete": write the one that you mean.'],
  ['clear', '“clear” is another name of "complete": write that.'],
  ['banisch', 'Did you mean "banish"?'],
])('hints at the words that somebody who writes %s may mean', (wanted, hint) => {
  expect(suggestSynonym(wanted, words)).toBe(hint);
});
