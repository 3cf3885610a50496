import { graphemesOf, inScript, readingOrder } from '../../language/text.ts';
import { type Atlas, lookalikes } from './atlas.ts';

/** All characters of an atlas that look like one, itself first among them or not. */
export function alikeIn(atlas: Atlas): (char: string) => readonly string[] {
  const canon = lookalikes(atlas);
  const classes = Map.groupBy(new Set(atlas.glyphs.map(({ char }) => char)), canon);
  return (char) => classes.get(canon(char)) ?? [char];
}

/**
 * What a line of glyphs says in these languages: in the order in which it is read, and of letters that look the same in two scripts
 * the one that is meant. Without a language it is as it was seen, from left to right.
 */
export function spoken(seen: string, languages: readonly string[], alike: (char: string) => readonly string[]): string {
  if (languages.length === 0 || seen === '') return seen;
  return inScript(readingOrder(graphemesOf(seen), languages).join(''), alike, languages);
}
