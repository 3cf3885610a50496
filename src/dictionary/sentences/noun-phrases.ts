import type { Word } from '../dictionary.ts';
import type { WordKind } from '../format.ts';
import { articles, playerPossessives, playerPronouns } from './function-words.ts';
import type { Reader } from './parse-context.ts';
import { numberOf } from './tokenize.ts';

/** Indices of tokens, the end exclusive. */
export interface Extent {
  readonly start: number;
  readonly end: number;
}

/** A noun phrase as it was read. */
export interface Noun {
  /** Words that were written so, best first; empty for a bare name and for "someone". */
  readonly words: readonly { readonly word: Word; readonly cost: number }[];
  readonly name?: string;
  readonly count?: number;
  readonly range?: Range;
  readonly of?: Noun;
  /** Tokens of the word itself, without owner, count and name. */
  readonly head?: Extent;
  /** "the same weapon": what the step before had in this place. */
  readonly same?: true;
  /** Tokens it covers. */
  readonly start: number;
  readonly end: number;
  readonly cost: number;
}

const maxOwners = 3;
const maxNameParts = 6;
const anyone = new Set([
  'who',
  'what',
  'whoever',
  'whatever',
  'someone',
  'anyone',
  'everyone',
  'something',
  'anything',
  'everything',
  'somebody',
  'anybody',
]);
const quantifiers = new Set(['any', 'every', 'each', 'all', 'another', 'other', 'this', 'that', 'these', 'those']);

/** All noun phrases that begin at `at`, owners included: "player", "player's flag", "2 opponents", "opponent Sarge". */
export function nounsAt(reader: Reader, at: number, kind: WordKind = 'object', anyKind = false): readonly Noun[] {
  return reader.memo(`noun ${kind} ${at} ${anyKind}`, () => {
    const complete: Noun[] = [];
    let owners: readonly Noun[] = simpleNouns(reader, at, undefined, kind, anyKind);
    for (let depth = 0; owners.length > 0; depth++) {
      complete.push(...owners);
      if (depth === maxOwners) break;
      const next: Noun[] = [];
      for (const owner of owners) {
        if (!reader.step()) break;
        if (reader.tokens[owner.end]?.kind === 'possessive')
          next.push(...simpleNouns(reader, owner.end + 1, owner, kind, anyKind));
      }
      owners = next;
    }
    return complete;
  });
}

function simpleNouns(reader: Reader, at: number, of: Noun | undefined, kind: WordKind, anyKind: boolean): Noun[] {
  let from = at;
  let owner = of;
  if (owner === undefined && playerPossessives.has(reader.lower(from) ?? '')) {
    const player = reader.dictionary.find('player', 'object');
    if (player) owner = { words: [{ word: player, cost: 0 }], start: from, end: from + 1, cost: 1 };
    from++;
  }
  const start = owner?.start ?? at;
  const nouns: Noun[] = [];
  // A name may itself begin with an article ("own goal"), so each way of passing over them is tried.
  for (let skipped = 0; ; skipped++) {
    const same = reader.lists && reader.lower(from) === 'same';
    const first = same ? from + 1 : from;
    const pronoun = pronounAt(reader, first, start);
    if (pronoun) return [pronoun];
    const shared = { start, ...(owner && { of: owner }), ...(same && { same: true as const }) };
    const extra = skipped + (owner?.cost ?? 0);
    nouns.push(
      ...countedNouns(reader, first, kind, anyKind).map((noun) => ({ ...noun, ...shared, cost: noun.cost + extra })),
    );
    const lower = reader.lower(from) ?? '';
    if (!articles.has(lower) && !quantifiers.has(lower)) break;
    from++;
  }
  if (nouns.length === 0 && reader.lists && owner === undefined) nouns.push(...bareNames(reader, from, start));
  if (nouns.length === 0)
    reader.expect(from, kind === 'object' ? 'a noun' : kind === 'action' ? 'an action' : `a ${kind}`);
  for (const noun of nouns) reader.reach(noun.end);
  return nouns;
}

/** Count, word and name at `at`. */
function countedNouns(reader: Reader, at: number, kind: WordKind, anyKind: boolean): Noun[] {
  // Only objects are counted; a property or an action stands in a value as it is.
  const counts = kind === 'object' ? countAt(reader, at) : [{ end: at, cost: 0 }];
  return counts.flatMap(({ count, range, end, cost }: Counted) => {
    const extra = { start: at, ...(count !== undefined && { count }), ...(range && { range }) };
    return groupsAt(reader, end, kind, count !== undefined || range !== undefined, anyKind).flatMap((group) =>
      namesBehind(reader, group.end).map(
        (named): Noun => ({
          ...extra,
          words: group.words,
          head: { start: end, end: group.end },
          ...(named.name !== undefined && { name: named.name }),
          end: named.end,
          cost: group.cost + named.cost + cost,
        }),
      ),
    );
  });
}

function pronounAt(reader: Reader, at: number, start: number): Noun | undefined {
  const lower = reader.lower(at) ?? '';
  if (playerPronouns.has(lower)) {
    const word = reader.dictionary.find('player', 'object');
    if (word) return { words: [{ word, cost: 0 }], start, end: at + 1, cost: 1 };
  }
  return reader.lists && anyone.has(lower) ? { words: [], start, end: at + 1, cost: 0 } : undefined;
}

/** The ways to read a count at `at`: none, a number, and in queries bounds. */
interface Counted {
  readonly count?: number;
  readonly range?: Range;
  readonly end: number;
  readonly cost: number;
}

function countAt(reader: Reader, at: number): Counted[] {
  const number = numberOf(reader.tokens[at]);
  const plain =
    number === undefined ? [] : [{ count: number, end: at + 1, cost: reader.tokens[at]!.kind === 'number' ? 0 : 1 }];
  if (reader.lists) {
    const compared = comparisonAt(reader, at);
    if (compared) return [{ ...compared, cost: 0 }];
  }
  // A word may itself begin with a number ("1st place"), so the reading without a count stays.
  return [...plain, { end: at, cost: 0 }];
}

interface Group {
  readonly words: readonly { readonly word: Word; readonly cost: number }[];
  readonly end: number;
  readonly cost: number;
}

/** Words at `at`, those that cover the same tokens together. */
function groupsAt(reader: Reader, at: number, kind: WordKind, counted: boolean, anyKind: boolean): Group[] {
  const byEnd = new Map<number, Map<Word, number>>();
  for (const { entry, end, cost } of reader.lexicon.find(kind, reader.tokens, at, reader.game, anyKind)) {
    const group = byEnd.get(end) ?? new Map<Word, number>();
    if (kind === 'action' && entry.form !== 'base') continue;
    const whole = cost + (entry.form === 'plural' && !counted ? 1 : 0);
    group.set(entry.word, Math.min(whole, group.get(entry.word) ?? Number.POSITIVE_INFINITY));
    byEnd.set(end, group);
  }
  return [...byEnd].map(([end, group]) => {
    const words = [...group].map(([word, cost]) => ({ word, cost })).toSorted((a, b) => a.cost - b.cost);
    // Each part that a longer word would have covered counts, so that "rocket launcher" is one thing.
    return { words, end, cost: 1 };
  });
}

/** A proper name behind a noun: a quoted text, capitalised words, or none. */
function namesBehind(reader: Reader, at: number): { name?: string; end: number; cost: number }[] {
  const token = reader.tokens[at];
  if (token?.kind === 'quoted')
    return [
      { name: token.text, end: at + 1, cost: 0 },
      { end: at, cost: 0 },
    ];
  const found: { name?: string; end: number; cost: number }[] = [{ end: at, cost: 0 }];
  let name = '';
  let cost = 0;
  for (let i = at; i < at + maxNameParts; i++) {
    const part = reader.tokens[i];
    if (part?.kind !== 'word' || !/^\p{Lu}/u.test(part.text)) break;
    name = name === '' ? part.text : `${name} ${part.text}`;
    // A capitalised word that the dictionary knows is more likely that word.
    if (reader.lexicon.knows(part.text)) cost += 5;
    found.push({ name, end: i + 1, cost });
  }
  return found.toReversed();
}

/** In a query a name may stand alone: "Gargoyle kills player", "kills by \"xX_Sniper_Xx\"". */
function bareNames(reader: Reader, at: number, start: number): Noun[] {
  return namesBehind(reader, at)
    .filter((named) => named.name !== undefined)
    .map(({ name, end, cost }) => ({ words: [], name: name!, start, end, cost: cost + 2 }));
}

/** Bounds of a number, all of which hold; `min` and `max` are inclusive, `above` and `below` are not. */
export interface Range {
  readonly min?: number;
  readonly max?: number;
  readonly above?: number;
  readonly below?: number;
}

const comparisons: readonly (readonly [string, (n: number) => Range])[] = [
  ['greater than or equal to', (min) => ({ min })],
  ['less than or equal to', (max) => ({ max })],
  ['at least', (min) => ({ min })],
  ['no less than', (min) => ({ min })],
  ['at most', (max) => ({ max })],
  ['no more than', (max) => ({ max })],
  ['up to', (max) => ({ max })],
  ['more than', (above) => ({ above })],
  ['greater than', (above) => ({ above })],
  ['higher than', (above) => ({ above })],
  ['fewer than', (below) => ({ below })],
  ['less than', (below) => ({ below })],
  ['lower than', (below) => ({ below })],
  ['above', (above) => ({ above })],
  ['over', (above) => ({ above })],
  ['below', (below) => ({ below })],
  ['under', (below) => ({ below })],
  ['exactly', (n) => ({ min: n, max: n })],
  ['equal to', (n) => ({ min: n, max: n })],
  ['≥', (min) => ({ min })],
  ['≤', (max) => ({ max })],
  ['>', (above) => ({ above })],
  ['<', (below) => ({ below })],
  ['=', (n) => ({ min: n, max: n })],
];

/** A comparison with a number at `at`: "below 20", "at least 3", "≥ 3", "between 20 and 40". */
export function comparisonAt(reader: Reader, at: number): { range: Range; end: number } | undefined {
  const between = reader.phrase(at, 'between');
  if (between !== undefined) {
    const min = numberOf(reader.tokens[between]);
    const and = reader.phrase(between + 1, 'and');
    const max = and === undefined ? undefined : numberOf(reader.tokens[and]);
    return min === undefined || max === undefined ? undefined : { range: { min, max }, end: and! + 1 };
  }
  for (const [phrase, make] of comparisons) {
    const behind = reader.phrase(at, phrase);
    if (behind === undefined) continue;
    const bound = numberOf(reader.tokens[behind]);
    if (bound !== undefined) return { range: make(bound), end: behind + 1 };
    reader.expect(behind, 'a number');
  }
  return undefined;
}
