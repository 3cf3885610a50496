import type { Lexicon } from './lexicon.ts';

/** A part of a name that needs no quotes: a capital letter first, and nothing that ends a word in a sentence. */
const plainPart = /^\p{Lu}[\p{L}\p{M}\p{N}_.-]*$/u;

/** A proper name as it stands in a sentence: plain if each part starts with a capital and is no word itself (`Sarge`, `Xaero Prime`), else in quotes. */
export function quoteName(name: string, lexicon: Lexicon): string {
  const plain = name.split(' ').every((part) => plainPart.test(part) && !part.endsWith('.') && !lexicon.knows(part));
  return plain ? name : JSON.stringify(name);
}
