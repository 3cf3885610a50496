import type { Dictionary, Word } from './dictionary.ts';
import { slotNames, type WordKind } from './format.ts';

/** What changed about one word from one version of a dictionary to another. */
export interface Change {
  readonly kind: WordKind;
  readonly id: string;
  readonly what:
    | 'added'
    | 'removed'
    | 'moved'
    | 'inserted above'
    | 'defined anew'
    | 'renamed forms'
    | 'pattern changed'
    | 'synonyms changed';
  readonly from?: string;
  readonly to?: string;
  /** Whether logs and queries made with the old version may be answered otherwise. */
  readonly breaking: boolean;
}

export interface DictionaryDiff {
  readonly changes: readonly Change[];
  /** The part of the version that must at least be raised. */
  readonly needs: 'major' | 'minor' | 'patch' | 'none';
}

/**
 * Compares two versions. A word that is gone, or no longer stands under an ancestor it had, breaks old logs and queries;
 * a parent inserted above a word does not, because every old is-a still holds.
 */
export function diffDictionaries(before: Dictionary, after: Dictionary): DictionaryDiff {
  const changes: Change[] = [];
  for (const word of before.ordered) {
    const now = exact(after, word);
    if (now) changes.push(...changesOf(word, now));
    else changes.push({ kind: word.kind, id: word.id, what: 'removed', breaking: true });
  }
  for (const word of after.ordered) {
    if (!exact(before, word))
      changes.push({ kind: word.kind, id: word.id, what: 'added', to: word.parent?.id ?? '', breaking: false });
  }
  return { changes, needs: needsOf(changes) };
}

function needsOf(changes: readonly Change[]): DictionaryDiff['needs'] {
  if (changes.some(({ breaking }) => breaking)) return 'major';
  if (changes.some(({ what }) => what !== 'defined anew')) return 'minor';
  return changes.length > 0 ? 'patch' : 'none';
}

function exact(dictionary: Dictionary, { id, kind }: Word): Word | undefined {
  const found = dictionary.find(id, kind);
  return found?.id === id ? found : undefined;
}

function lineage(word: Word): string[] {
  const ids: string[] = [];
  for (let each = word.parent; each; each = each.parent) ids.push(each.id);
  return ids;
}

function changesOf(before: Word, after: Word): Change[] {
  const { kind, id } = before;
  const changes: Change[] = [];
  const old = lineage(before);
  const now = lineage(after);
  if (before.parent?.id !== after.parent?.id) {
    const lost = old.filter((each) => !now.includes(each));
    changes.push({
      kind,
      id,
      what: lost.length > 0 ? 'moved' : 'inserted above',
      from: before.parent?.id ?? '',
      to: after.parent?.id ?? '',
      breaking: lost.length > 0,
    });
  }
  if (before.definition !== after.definition)
    changes.push({ kind, id, what: 'defined anew', from: before.definition, to: after.definition, breaking: false });
  if (formsOf(before) !== formsOf(after))
    changes.push({ kind, id, what: 'renamed forms', from: formsOf(before), to: formsOf(after), breaking: true });
  const lostSynonyms = before.synonyms.filter((each) => !after.synonyms.includes(each));
  if (lostSynonyms.length > 0 || before.synonyms.length !== after.synonyms.length) {
    changes.push({
      kind,
      id,
      what: 'synonyms changed',
      from: before.synonyms.join(', '),
      to: after.synonyms.join(', '),
      breaking: lostSynonyms.length > 0,
    });
  }
  const pattern = patternChange(before, after);
  if (pattern) changes.push(pattern);
  return changes;
}

/** The forms that stand in logs. */
function formsOf(word: Word): string {
  return word.kind === 'object'
    ? `${word.name}, ${word.plural}`
    : word.kind === 'action'
      ? `${word.forms.third}, ${word.forms.participle}`
      : word.name;
}

function patternChange(before: Word, after: Word): Change | undefined {
  if (before.kind !== 'action') return undefined;
  if (patternText(before) === patternText(after)) return undefined;
  const lost = before.causes !== undefined && before.causes.id !== after.causes?.id;
  const breaking =
    lost ||
    slotNames.some((slot) => {
      const old = before.slots[slot];
      const now = after.slots[slot];
      // Statements that were right must stay right.
      const narrowed = old.use !== now.use && now.use !== 'optional';
      return (
        narrowed ||
        old.preposition !== now.preposition ||
        old.word !== now.word ||
        (now.accepts.length > 0 && old.accepts.join() !== now.accepts.join())
      );
    });
  return { kind: before.kind, id: before.id, what: 'pattern changed', breaking };
}

function patternText(word: Word): string {
  const slots = slotNames.map((slot) => JSON.stringify(word.slots[slot], ['use', 'word', 'accepts', 'preposition']));
  return [...slots, word.causes?.id].join(' ');
}
