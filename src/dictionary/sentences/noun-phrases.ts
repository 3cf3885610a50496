import type { Word } from '../dictionary.ts';
import type { WordKind } from '../format.ts';
import { articles, playerPossessives, playerPronouns } from './function-words.ts';
import type { ParseContext } from './parse-context.ts';
import { numberValue, type Token } from './tokenize.ts';

/** A range of token indices, `end` exclusive. */
export interface TokenSpan {
  readonly start: number;
  readonly end: number;
}

/** Bounds of a number, all of which apply; `min` and `max` are inclusive, `above` and `below` exclusive. */
export interface Range {
  readonly min?: number;
  readonly max?: number;
  readonly above?: number;
  readonly below?: number;
}

/** A word that a phrase can stand for, with its cost. */
export interface WordCandidate {
  readonly word: Word;
  readonly cost: number;
}

/** A parsed noun phrase. */
export interface NounPhrase extends TokenSpan {
  /** The words that are spelled this way, the cheapest first; empty for a bare name and for "someone". */
  readonly words: readonly WordCandidate[];
  readonly name?: string;
  readonly count?: number;
  /** Queries: bounds of the count. */
  readonly range?: Range;
  readonly of?: NounPhrase;
  /** The tokens of the word itself, without owner, count and name. */
  readonly head?: TokenSpan;
  /** Queries: "the same weapon" refers to a previous step. */
  readonly same?: true;
  readonly cost: number;
}

const maxOwners = 3;
const maxNameParts = 6;
const indefinitePronouns = new Set(
  'things stuff who what whom whoever whatever someone anyone everyone something anything everything somebody anybody everybody players people bots guys'.split(
    ' ',
  ),
);
const quantifiers = new Set('any every each all another other this that these those'.split(' '));

/**
 * Parses the noun phrases that start at a token, owners included: "player", "player's flag", "2 opponents", "opponent Sarge".
 *
 * @param anyKind Whether the position accepts words of any kind.
 */
export function parseNouns(
  context: ParseContext,
  at: number,
  kind: WordKind = 'object',
  anyKind = false,
): readonly NounPhrase[] {
  return context.memoize(`noun ${kind} ${at} ${anyKind}`, () => {
    const phrases: NounPhrase[] = [];
    let owners: readonly NounPhrase[] = parseSimpleNouns(context, at, undefined, kind, anyKind);
    for (let depth = 0; owners.length > 0; depth++) {
      phrases.push(...owners);
      if (depth === maxOwners) break;
      owners = owners
        .filter((owner) => context.takeStep() && context.tokens[owner.end]?.kind === 'possessive')
        .flatMap((owner) => parseSimpleNouns(context, owner.end + 1, owner, kind, anyKind));
    }
    return phrases;
  });
}

/** The player as a noun phrase, for pronouns. */
export function playerPhrase(context: ParseContext, span: TokenSpan): NounPhrase | undefined {
  const word = context.dictionary.find('player', 'object');
  return word && { words: [{ word, cost: 0 }], start: span.start, end: span.end, cost: 1 };
}

function parseSimpleNouns(
  context: ParseContext,
  start: number,
  givenOwner: NounPhrase | undefined,
  kind: WordKind,
  anyKind: boolean,
): NounPhrase[] {
  let at = start;
  let owner = givenOwner;
  if (owner === undefined && playerPossessives.has(context.wordAt(at) ?? '')) {
    owner = playerPhrase(context, { start: at, end: at + 1 });
    at++;
  }
  const phraseStart = owner?.start ?? start;
  const phrases: NounPhrase[] = [];
  // A name can start with an article ("own goal"), so every number of skipped articles is tried.
  for (let skipped = 0; ; skipped++) {
    const same = context.isQuery && context.wordAt(at) === 'same';
    const first = same ? at + 1 : at;
    const pronoun = parsePronoun(context, first, phraseStart);
    if (pronoun) return [pronoun];
    const extraCost = skipped + (owner?.cost ?? 0);
    for (const phrase of parseCountedNouns(context, first, kind, anyKind)) {
      phrases.push({
        ...phrase,
        start: phraseStart,
        ...(owner && { of: owner }),
        ...(same && { same: true as const }),
        cost: phrase.cost + extraCost,
      });
    }
    const word = context.wordAt(at) ?? '';
    if (!articles.has(word) && !quantifiers.has(word)) break;
    at++;
  }
  if (owner === undefined) phrases.push(...parseCast(context, at, phraseStart, kind));
  if (context.isQuery && owner === undefined)
    phrases.push(
      ...(phrases.length === 0 ? parseBareNames(context, at, phraseStart) : parseKnownNames(context, at, phraseStart)),
      ...parseNamesBefore(context, at, phraseStart),
    );
  if (phrases.length === 0)
    context.expect(at, kind === 'object' ? 'a noun' : kind === 'action' ? 'an action' : `a ${kind}`);
  for (const phrase of phrases) context.reach(phrase.end);
  return phrases;
}

function parsePronoun(context: ParseContext, at: number, start: number): NounPhrase | undefined {
  const word = context.wordAt(at) ?? '';
  const span = { start, end: at + 1 };
  // "my health", "health of mine"
  const isMine = context.isQuery && word === 'mine' && context.wordAt(at - 1) === 'of';
  if (playerPronouns.has(word) || isMine) {
    const player = playerPhrase(context, span);
    if (player) return player;
  }
  return context.isQuery && indefinitePronouns.has(word) ? { words: [], ...span, cost: 0 } : undefined;
}

/** Parses count, word and name. */
function parseCountedNouns(context: ParseContext, start: number, kind: WordKind, anyKind: boolean): NounPhrase[] {
  // Only objects are counted.
  const counts: Count[] = kind === 'object' ? parseCounts(context, start) : [{ end: start, cost: 0 }];
  return counts.flatMap(({ count, range, end, cost }) => {
    const isCounted = count !== undefined || range !== undefined;
    return groupWords(context, end, kind, isCounted, anyKind).flatMap((group) =>
      parseNames(context, group.end).map(
        (named): NounPhrase => ({
          start,
          ...(count !== undefined && { count }),
          ...(range && { range }),
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

interface Count {
  readonly count?: number;
  readonly range?: Range;
  readonly end: number;
  readonly cost: number;
}

function parseCounts(context: ParseContext, at: number): Count[] {
  const comparison = context.isQuery ? parseComparison(context, at) : undefined;
  if (comparison) return [{ ...comparison, cost: 0 }];
  const token = context.tokens[at];
  const count = numberValue(token);
  const uncounted = { end: at, cost: 0 };
  if (count === undefined) return [uncounted];
  // A word can start with a number ("1st place"), so the reading without a count stays.
  return [{ count, end: at + 1, cost: token!.kind === 'number' ? 0 : 1 }, uncounted];
}

interface WordGroup {
  readonly words: readonly WordCandidate[];
  readonly end: number;
  readonly cost: number;
}

/** Finds the words at a token, grouped by the tokens that they cover. */
function groupWords(
  context: ParseContext,
  at: number,
  kind: WordKind,
  isCounted: boolean,
  anyKind: boolean,
): WordGroup[] {
  const byEnd = new Map<number, Map<Word, number>>();
  for (const { entry, end, cost } of context.lexicon.find(kind, context.tokens, at, context.game, anyKind)) {
    const costs = byEnd.get(end) ?? new Map<Word, number>();
    if (kind === 'action' && (entry.form !== 'base' || entry.elidedNoun !== undefined)) continue;
    const wordCost = cost + (entry.form === 'plural' && !isCounted ? 1 : 0);
    costs.set(entry.word, Math.min(wordCost, costs.get(entry.word) ?? Number.POSITIVE_INFINITY));
    byEnd.set(end, costs);
  }
  // Each word costs 1, so that "rocket launcher" is one word rather than two.
  return [...byEnd].map(([end, costs]) => {
    const words = sortCandidates(costs);
    return { words, end, cost: 1 + Math.min(...words.map(({ word }) => context.absenceCost(word))) };
  });
}

function sortCandidates(costs: Iterable<readonly [Word, number]>): WordCandidate[] {
  return [...costs].map(([word, cost]) => ({ word, cost })).toSorted((a, b) => a.cost - b.cost);
}

interface Name {
  readonly name?: string;
  readonly end: number;
  readonly cost: number;
}

/** Parses a proper name after a noun: quoted text or capitalized words; the last alternative is no name. */
function parseNames(context: ParseContext, at: number): Name[] {
  const unnamed: Name = { end: at, cost: 0 };
  const known = knownNamesAt(context, at);
  if (known.length > 0) return [...known, unnamed];
  const token = context.tokens[at];
  if (token?.kind === 'quoted') return [{ name: token.text, end: at + 1, cost: 0 }, unnamed];
  const names: Name[] = [unnamed];
  let name = '';
  let cost = 0;
  for (let i = at; i < at + maxNameParts; i++) {
    const part = context.tokens[i];
    if (part?.kind !== 'word' || !/^\p{Lu}/u.test(part.text) || part.text === 'I') break;
    name = name === '' ? part.text : `${name} ${part.text}`;
    // A capitalized word of the dictionary is more likely the word than a name.
    if (context.lexicon.knows(part.text)) cost += 5;
    names.push({ name, end: i + 1, cost });
  }
  return names.toReversed();
}

/** The names of the logs that start at a token, in any case; one that is a word too is less likely in lower case. */
function knownNamesAt(context: ParseContext, at: number): Name[] {
  const first = context.tokens[at];
  if (first?.kind !== 'word') return [];
  return context.names.startingWith(first.lower).flatMap(({ name, phrases }) => {
    const end = phrases.map((phrase) => context.skip(at, phrase)).find((each) => each !== undefined);
    if (end === undefined) return [];
    const isWord = context.lexicon.knows(first.text) && !/^\p{Lu}/u.test(first.text);
    return [{ name, end, cost: isWord ? 2 : 0 }];
  });
}

/** Parses characters that are called by their names alone. */
function parseCast(context: ParseContext, at: number, start: number, kind: WordKind): NounPhrase[] {
  if (kind !== 'object') return [];
  return context.cast.flatMap(({ mention, tokens }) => {
    const isThere =
      tokens.length > 0 &&
      tokens.every(({ kind: each, text }, index) => isToken(context.tokens[at + index], each, text));
    const word = isThere ? context.dictionary.find(mention.word, 'object') : undefined;
    const end = at + tokens.length;
    return word ? [{ words: [{ word, cost: 0 }], name: mention.name!, start, end, cost: 1 }] : [];
  });
}

function isToken(token: Token | undefined, kind: Token['kind'], text: string): boolean {
  return token?.kind === kind && token.text === text;
}

function parseKnownNames(context: ParseContext, at: number, start: number): NounPhrase[] {
  return knownNamesAt(context, at).map(({ name, end, cost }) => ({
    words: [],
    ...(name !== undefined && { name }),
    start,
    end,
    cost: cost + 2,
  }));
}

/** Parses a name of the logs before its noun: "the Blue team". */
function parseNamesBefore(context: ParseContext, at: number, start: number): NounPhrase[] {
  return knownNamesAt(context, at).flatMap(({ name, end, cost }) =>
    groupWords(context, end, 'object', false, false).map(
      (group): NounPhrase => ({
        words: group.words,
        ...(name !== undefined && { name }),
        start,
        head: { start: end, end: group.end },
        end: group.end,
        cost: cost + group.cost + 1,
      }),
    ),
  );
}

/** In a query a name can stand alone: "Gargoyle kills player". */
function parseBareNames(context: ParseContext, at: number, start: number): NounPhrase[] {
  return parseNames(context, at).flatMap(({ name, end, cost }) =>
    name === undefined ? [] : [{ words: [], name, start, end, cost: cost + 2 }],
  );
}

const comparisons: readonly (readonly [phrase: string, toRange: (bound: number) => Range])[] = [
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
  ['exactly', (bound) => ({ min: bound, max: bound })],
  ['equal to', (bound) => ({ min: bound, max: bound })],
  ['≥', (min) => ({ min })],
  ['≤', (max) => ({ max })],
  ['>', (above) => ({ above })],
  ['<', (below) => ({ below })],
  ['=', (bound) => ({ min: bound, max: bound })],
];

/** Parses a comparison with a number: "below 20", "at least 3", "≥ 3", "between 20 and 40". */
export function parseComparison(context: ParseContext, at: number): { range: Range; end: number } | undefined {
  const between = context.skip(at, 'between');
  if (between !== undefined) {
    const min = numberValue(context.tokens[between]);
    const and = context.skip(between + 1, 'and');
    const max = and === undefined ? undefined : numberValue(context.tokens[and]);
    return min === undefined || max === undefined ? undefined : { range: { min, max }, end: and! + 1 };
  }
  for (const [phrase, toRange] of comparisons) {
    const next = context.skip(at, phrase);
    if (next === undefined) continue;
    const bound = numberValue(context.tokens[next]);
    if (bound !== undefined) return { range: toRange(bound), end: next + 1 };
    context.expect(next, 'a number');
  }
  return undefined;
}
