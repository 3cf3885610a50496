import type { Dictionary, Word } from './dictionary.ts';
import { slotNames, type WordKind } from './format.ts';

/** A difference of a word between two versions of a dictionary. */
export interface Change {
  readonly kind: WordKind;
  readonly id: string;
  readonly what:
    | 'added'
    | 'removed'
    | 'moved'
    | 'inserted above'
    | 'redefined'
    | 'renamed forms'
    | 'pattern changed'
    | 'synonyms changed';
  readonly from?: string;
  readonly to?: string;
  /** Whether old logs or queries can give other results. */
  readonly breaking: boolean;
}

/** The differences between two versions of a dictionary. */
export interface DictionaryDiff {
  readonly changes: readonly Change[];
  /** The part of the version number that must at least be raised. */
  readonly needs: 'major' | 'minor' | 'patch' | 'none';
}

/**
 * Compares two versions of a dictionary.
 *
 * Removing a word or an ancestor of a word breaks old logs and queries. Inserting a parent does not, because every previous
 * "is a" still holds.
 *
 * @example
 * const before = (await loadBuiltin([])).dictionary;
 * const after = (await loadBuiltin(['openarena'])).dictionary;
 * diffDictionaries(before, after).needs; // 'minor'
 */
export function diffDictionaries(before: Dictionary, after: Dictionary): DictionaryDiff {
  const changes: Change[] = [];
  for (const word of before.ordered) {
    const counterpart = findExact(after, word);
    if (counterpart) changes.push(...compareWords(word, counterpart));
    else changes.push({ kind: word.kind, id: word.id, what: 'removed', breaking: true });
  }
  for (const word of after.ordered)
    if (!findExact(before, word))
      changes.push({ kind: word.kind, id: word.id, what: 'added', to: word.parent?.id ?? '', breaking: false });
  return { changes, needs: neededVersionPart(changes) };
}

function neededVersionPart(changes: readonly Change[]): DictionaryDiff['needs'] {
  if (changes.some(({ breaking }) => breaking)) return 'major';
  if (changes.some(({ what }) => what !== 'redefined')) return 'minor';
  return changes.length > 0 ? 'patch' : 'none';
}

function findExact(dictionary: Dictionary, { id, kind }: Word): Word | undefined {
  const found = dictionary.find(id, kind);
  return found?.id === id ? found : undefined;
}

function ancestorIds(word: Word): string[] {
  return word.parent ? [word.parent.id, ...ancestorIds(word.parent)] : [];
}

function compareWords(before: Word, after: Word): Change[] {
  const { kind, id } = before;
  const changes: Change[] = [];
  const add = (what: Change['what'], breaking: boolean, from: string | undefined, to: string | undefined): void => {
    changes.push({ kind, id, what, from: from ?? '', to: to ?? '', breaking });
  };
  if (before.parent?.id !== after.parent?.id) {
    const ancestorsAfter = ancestorIds(after);
    const lostAncestor = ancestorIds(before).some((each) => !ancestorsAfter.includes(each));
    add(lostAncestor ? 'moved' : 'inserted above', lostAncestor, before.parent?.id, after.parent?.id);
  }
  if (before.definition !== after.definition) add('redefined', false, before.definition, after.definition);
  const [formsBefore, formsAfter] = [formsInLogs(before), formsInLogs(after)];
  if (formsBefore !== formsAfter) add('renamed forms', true, formsBefore, formsAfter);
  const lostSynonym = before.synonyms.some((each) => !after.synonyms.includes(each));
  if (lostSynonym || before.synonyms.length !== after.synonyms.length)
    add('synonyms changed', lostSynonym, before.synonyms.join(', '), after.synonyms.join(', '));
  if (kind === 'action' && patternText(before) !== patternText(after))
    changes.push({ kind, id, what: 'pattern changed', breaking: isPatternBroken(before, after) });
  return changes;
}

function formsInLogs({ kind, name, plural, forms }: Word): string {
  if (kind === 'object') return `${name}, ${plural}`;
  return kind === 'action' ? `${forms.third}, ${forms.participle}` : name;
}

/** Can a statement that was valid before be invalid, or a match be lost? */
function isPatternBroken(before: Word, after: Word): boolean {
  if (before.causes !== undefined && before.causes.id !== after.causes?.id) return true;
  return slotNames.some((slot) => {
    const [old, now] = [before.slots[slot], after.slots[slot]];
    const isNarrowed = old.use !== now.use && now.use !== 'optional';
    const acceptsLess = now.accepts.length > 0 && old.accepts.join() !== now.accepts.join();
    return isNarrowed || acceptsLess || old.preposition !== now.preposition || old.word !== now.word;
  });
}

function patternText(word: Word): string {
  const slots = slotNames.map((slot) => JSON.stringify(word.slots[slot], ['use', 'word', 'accepts', 'preposition']));
  return [...slots, word.causes?.id].join(' ');
}
