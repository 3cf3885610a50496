import type { Word } from '../dictionary.ts';
import { type NounList, type NounReader, singleNouns } from './action-clauses.ts';
import { articles, becomeVerbs, changeVerbs, dropVerbs, riseVerbs, stayVerbs } from './function-words.ts';
import { type Extent, nounsAt } from './noun-phrases.ts';
import type { Reader } from './parse-context.ts';
import { numberOf } from './tokenize.ts';

/** A value as it was read. */
export type ReadValue = { readonly number: number } | { readonly text: string } | { readonly nouns: NounList };

export type Direction = 'rises' | 'drops' | 'changes' | 'becomes' | 'stays';

/** A clause about a property, as far as it was read. */
export interface PropertyClause {
  readonly kind: 'property';
  readonly subject?: NounList;
  readonly properties: readonly { readonly word: Word; readonly cost: number }[];
  /** Tokens of the property's name. */
  readonly head?: Extent;
  readonly direction?: Direction;
  readonly from?: ReadValue;
  readonly to?: ReadValue;
  readonly start: number;
  readonly end: number;
  readonly cost: number;
}

/** "player's health …", "health of player …", and in queries "health …": what a property clause begins with. */
export function propertyHeadsAt(
  reader: Reader,
  at: number,
  nouns: NounReader = singleNouns,
): readonly PropertyClause[] {
  const heads: PropertyClause[] = [];
  for (const subject of nouns(reader, at, 'object')) {
    if (reader.tokens[subject.end]?.kind !== 'possessive') continue;
    for (const { words, head, end, cost } of propertiesAt(reader, subject.end + 1)) {
      heads.push({ kind: 'property', subject, properties: words, head, start: at, end, cost: subject.cost + cost });
    }
  }
  let from = at;
  while (articles.has(reader.lower(from) ?? '')) from++;
  for (const { words, head, end, cost } of propertiesAt(reader, from)) {
    const behind = reader.phrase(end, 'of');
    if (behind !== undefined) {
      for (const subject of nouns(reader, behind, 'object')) {
        heads.push({
          kind: 'property',
          subject,
          properties: words,
          head,
          start: at,
          end: subject.end,
          cost: subject.cost + cost + 1,
        });
      }
    }
    heads.push({ kind: 'property', properties: words, head, start: at, end, cost: cost + 1 });
  }
  const possessive = reader.lower(at);
  if (possessive === 'your' || possessive === 'my') {
    const player = reader.dictionary.find('player', 'object');
    if (player) {
      const subject: NounList = {
        any: [{ words: [{ word: player, cost: 0 }], start: at, end: at + 1, cost: 1 }],
        except: [],
        end: at + 1,
        cost: 1,
      };
      for (const { words, head, end, cost } of propertiesAt(reader, at + 1))
        heads.push({ kind: 'property', subject, properties: words, head, start: at, end, cost: cost + 1 });
    }
  }
  return heads;
}

function propertiesAt(
  reader: Reader,
  at: number,
): { words: PropertyClause['properties']; head: Extent; end: number; cost: number }[] {
  const byEnd = new Map<number, { word: Word; cost: number }[]>();
  for (const { entry, end, cost } of reader.lexicon.find('property', reader.tokens, at, reader.game)) {
    byEnd.set(end, [...(byEnd.get(end) ?? []), { word: entry.word, cost }]);
  }
  if (byEnd.size === 0) reader.expect(at, 'a property');
  for (const end of byEnd.keys()) reader.reach(end);
  return [...byEnd].map(([end, words]) => ({
    words: words.toSorted((a, b) => a.cost - b.cost),
    head: { start: at, end },
    end,
    cost: 1,
  }));
}

/** Every property clause of a statement: a head and the change with its values. */
export function propertyClausesAt(reader: Reader, at: number): readonly PropertyClause[] {
  return propertyHeadsAt(reader, at).flatMap((head) => [...changesBehind(reader, head)]);
}

function* changesBehind(reader: Reader, head: PropertyClause): Generator<PropertyClause> {
  const verb = directionAt(reader, head.end);
  if (!verb) {
    reader.expect(head.end, 'rises, drops, changes or becomes');
    return;
  }
  const { direction, end, cost } = verb;
  const clause: PropertyClause = { ...head, direction, end, cost: head.cost + cost };
  if (direction === 'becomes') {
    for (const { value, end: behind, cost: more } of valuesAt(reader, end))
      yield { ...clause, to: value, end: behind, cost: clause.cost + more };
    return;
  }
  if (direction === 'stays') {
    const behind = reader.phrase(end, 'at') ?? end;
    for (const { value, end: stop, cost: more } of valuesAt(reader, behind))
      yield { ...clause, from: value, to: value, end: stop, cost: clause.cost + more };
    return;
  }
  for (const first of prefixed(reader, end, 'from')) {
    for (const second of prefixed(reader, first.end, 'to')) {
      yield {
        ...clause,
        from: first.value,
        to: second.value,
        end: second.end,
        cost: clause.cost + first.cost + second.cost,
      };
    }
  }
  for (const second of prefixed(reader, end, 'to')) {
    yield { ...clause, to: second.value, end: second.end, cost: clause.cost + second.cost + 1 };
    for (const first of prefixed(reader, second.end, 'from')) {
      yield {
        ...clause,
        from: first.value,
        to: second.value,
        end: first.end,
        cost: clause.cost + first.cost + second.cost + 1,
      };
    }
  }
}

function prefixed(
  reader: Reader,
  at: number,
  preposition: string,
): readonly { value: ReadValue; end: number; cost: number }[] {
  const behind = reader.phrase(at, preposition);
  if (behind === undefined) {
    reader.expect(at, `"${preposition}"`);
    return [];
  }
  return valuesAt(reader, behind);
}

/** The verb of change at `at`; those that `render` writes cost nothing. */
export function directionAt(
  reader: Reader,
  at: number,
): { direction: Direction; end: number; cost: number } | undefined {
  let from = at;
  while (
    ['has', 'have', 'had', 'is', 'was', 'will', 'does', 'did'].includes(reader.lower(from) ?? '') &&
    isChangeVerb(reader.lower(from + 1))
  )
    from++;
  const lower = reader.lower(from) ?? '';
  const next = reader.lower(from + 1);
  if ((lower === 'goes' || lower === 'went') && (next === 'up' || next === 'down'))
    return { direction: next === 'up' ? 'rises' : 'drops', end: from + 2, cost: 1 };
  for (const [direction, verbs, canonical] of directions) {
    if (verbs.has(lower))
      return {
        direction,
        end: from + 1,
        cost: (lower === canonical || lower === canonical.slice(0, -1)) && from === at ? 0 : 1,
      };
  }
  return undefined;
}

const directions: readonly (readonly [Direction, ReadonlySet<string>, string])[] = [
  ['rises', riseVerbs, 'rises'],
  ['drops', dropVerbs, 'drops'],
  ['changes', changeVerbs, 'changes'],
  ['becomes', becomeVerbs, 'becomes'],
  ['stays', stayVerbs, 'stays'],
];

function isChangeVerb(lower: string | undefined): boolean {
  return lower !== undefined && directions.some(([, verbs]) => verbs.has(lower));
}

/** Values at `at`: a number, a quoted text, or a word of any kind. */
export function valuesAt(reader: Reader, at: number): readonly { value: ReadValue; end: number; cost: number }[] {
  const token = reader.tokens[at];
  if (token?.kind === 'quoted') return [{ value: { text: token.text }, end: at + 1, cost: 0 }];
  const number = numberOf(token);
  const values: { value: ReadValue; end: number; cost: number }[] = [];
  if (number !== undefined) values.push({ value: { number }, end: at + 1, cost: 0 });
  for (const kind of ['object', 'property', 'action'] as const) {
    for (const noun of nounsAt(reader, at, kind, true)) {
      values.push({
        value: { nouns: { any: [noun], except: [], end: noun.end, cost: noun.cost } },
        end: noun.end,
        cost: noun.cost,
      });
    }
  }
  return values;
}
