import * as fc from 'fast-check';
import type { Dictionary } from '../../src/dictionary/dictionary.ts';
import { functionWords } from '../../src/dictionary/sentences/function-words.ts';

const marks = [
  '(',
  ')',
  ',',
  '"',
  "'s",
  "'",
  '<',
  '≥',
  '.',
  '2:00',
  '10 s',
  '3',
  '-1',
  '1e9',
  '20%',
  '“',
  '”',
  'Sarge',
  'Iron Fist',
  'xX',
  '#',
  '🎮',
  '\n',
];

/** Sentences of dictionary words in all their forms, function words, names, numbers and rubbish, in any order. */
export function jumble(dictionary: Dictionary): fc.Arbitrary<string> {
  const words = dictionary.ordered.flatMap((word) => [
    word.name,
    ...word.synonyms,
    ...(word.kind === 'action' ? [word.forms.third, word.forms.participle] : [word.plural]),
  ]);
  const piece = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...words) },
    { weight: 5, arbitrary: fc.constantFrom(...functionWords) },
    { weight: 2, arbitrary: fc.constantFrom(...marks) },
    { weight: 1, arbitrary: fc.string({ maxLength: 6, unit: 'grapheme' }) },
  );
  return fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(' ').replaceAll(" 's", "'s"));
}
