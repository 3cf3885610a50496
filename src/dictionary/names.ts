import type { Dictionary, Word } from './dictionary.ts';
import { commonName } from './format.ts';
import type { Located } from './located.ts';

/** How a word can be written in a sentence, lower case. Canonical forms are those that `render` writes. */
export function canonicalForms(word: Word): readonly string[] {
  switch (word.kind) {
    case 'object':
      return [word.name, word.plural];
    case 'action':
      return [word.forms.base, word.forms.third, word.forms.participle];
    case 'property':
      return [word.name];
  }
}

/**
 * Names must tell words apart: within a dictionary and what it extends, one name of one kind stands for one word, unless
 * senses tell them apart. Independent extensions may use the same name; a sentence then says which is meant.
 */
export function checkNames(dictionary: Dictionary, located: readonly Located[]): void {
  const taken = new Map<string, Word>();
  const told = new Set<Word>();
  for (const { seed, path, report } of located) {
    const word = dictionary.find(seed.id, seed.kind)!;
    for (const form of new Set(canonicalForms(word).map((each) => each.toLowerCase()))) {
      const other = taken.get(`${word.kind} ${form}`);
      if (!other || other === word || !related(other, word)) {
        if (!other || other.namespace !== commonName) taken.set(`${word.kind} ${form}`, word);
        continue;
      }
      if (other.sense !== undefined || word.sense !== undefined || told.has(word)) continue;
      told.add(word);
      if (other.namespace === word.namespace) {
        report.add(
          'clashing-name',
          path,
          `"${form}" is a form of both "${other.id}" and "${word.id}"`,
          'give one a sense or an irregular form',
        );
      } else {
        report.add(
          'redefined-word',
          path,
          `"${word.id}" takes the name of "${other.id}"; an extension only adds words`,
          `use "${other.id}", or tell the sense apart with "sense"`,
        );
      }
    }
  }
  checkSynonyms(dictionary, located, taken);
}

function checkSynonyms(dictionary: Dictionary, located: readonly Located[], taken: Map<string, Word>): void {
  const placeOf = new Map(located.map((each) => [dictionary.find(each.seed.id, each.seed.kind)!, each]));
  for (const [word, { path, report }] of placeOf) {
    for (const synonym of word.synonyms) {
      const other = taken.get(`${word.kind} ${synonym.toLowerCase()}`);
      if (other === word) {
        report.add(
          'clashing-name',
          `${path}/synonyms`,
          `the synonym "${synonym}" of "${word.id}" is its own name or stands there twice`,
        );
      } else if (!other || !related(other, word) || objectTells(other, word))
        taken.set(`${word.kind} ${synonym.toLowerCase()}`, word);
      else if (word.namespace === commonName && other.namespace !== commonName) {
        // The extension came later, so it is the one to give way.
        const place = placeOf.get(other)!;
        place.report.add(
          'clashing-name',
          place.path,
          `"${synonym}" already stands for "${word.id}", of which it is a synonym`,
          `use "${word.id}", or another name`,
        );
      } else {
        report.add(
          'clashing-name',
          `${path}/synonyms`,
          `the synonym "${synonym}" of "${word.id}" already stands for "${other.id}"`,
        );
      }
    }
  }
}

/** A verb with two meanings, of which one needs an object and the other has none: "the match finishes", "she finishes the level". */
function objectTells(a: Word, b: Word): boolean {
  const uses = [a, b].map((word) => word.frame.object.use);
  return a.kind === 'action' && uses.includes('none') && uses.includes('required');
}

/** Do the two meet in every use: of one dictionary, or one of the common dictionary? */
function related(a: Word, b: Word): boolean {
  return a.namespace === b.namespace || a.namespace === commonName || b.namespace === commonName;
}
