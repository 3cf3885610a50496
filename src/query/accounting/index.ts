import { covers, type Dictionary, type Word } from '../../dictionary/dictionary.ts';
import { wordKinds } from '../../dictionary/format.ts';
import { getLexicon } from '../../dictionary/sentences/lexicon.ts';
import { numberValue, type Token } from '../../dictionary/sentences/tokenize.ts';
import { parseTime as parseClock } from '../../time.ts';
import { ordinalValue } from '../parse/ordinals.ts';
import {
  type ActionPattern,
  childConditions,
  type Condition,
  isAboutEvent,
  type MentionPattern,
  type PropertyPattern,
  type Query,
  type SlotPattern,
} from '../query.ts';
import type { Vocabulary } from '../vocabulary.ts';
import { mayNotHappen } from './coverage.ts';
import { type Expression, expressionOf, grammarWords, maxPhraseWords } from './expressions.ts';
import { QueryParts, type SinglePart } from './parts.ts';

/** What the words of a question are looked up in. */
export interface AccountingOptions {
  readonly dictionary: Dictionary;
  /** What the logs mention; without it any word may be meant. */
  readonly vocabulary?: Vocabulary | undefined;
}

/**
 * Finds a word of a question that its reading does not account for.
 *
 * This does not know the grammar: it compares the words of the question with the parts of the query. Every word must be expressed
 * by a part; of negations, extremes, averages, ordinals and numbers every word by one of its own.
 *
 * @param tokens The question, as normalized.
 */
export function findUnaccounted(query: Query, tokens: readonly Token[], options: AccountingOptions): Token | undefined {
  const parts = new QueryParts(query, options.dictionary);
  const rival = options.vocabulary?.rival;
  // Who hits the other of two need not be named.
  if (rival && parts.traits.has('property')) {
    parts.traits.add('other owner');
    if (rival.name !== undefined) parts.names.add(rival.name.toLowerCase());
  }
  const claims: Claim[] = [];
  for (let at = 0; at < tokens.length; ) {
    const unit = readUnit(tokens, at, parts, options);
    if (!unit) return tokens[at];
    if (unit.singles.length > 0) claims.push({ token: tokens[at]!, singles: unit.singles });
    at = unit.end;
  }
  return findUnmatched(claims) ?? findPointless(query, parts, claims, tokens) ?? findLostOwner(query, tokens, options);
}

/** The “my” of "my fourth death" where the query is about deaths, but not those of the player. */
function findLostOwner(query: Query, tokens: readonly Token[], { dictionary }: AccountingOptions): Token | undefined {
  const lexicon = getLexicon(dictionary);
  const { find, ratio, share, streak, versus } = query;
  const patterns = [find, ratio, share, streak, versus?.with].flatMap((each) => (each ? actionsIn(each) : []));
  return tokens.find(({ lower }, at) => {
    if (lower !== 'my') return false;
    const noun = ordinalValue(tokens[at + 1]?.lower ?? '') === undefined ? at + 1 : at + 2;
    const words = lexicon
      .find('action', tokens, noun)
      .flatMap(({ entry: { form, word } }) => (form === 'noun' || form === 'nouns' ? [word] : []));
    // Not those who make somebody die.
    const own = patterns.filter(({ action }) =>
      action.some((id) => words.some((word) => covers(word, dictionary.find(id, 'action')))),
    );
    return own.length > 0 && !own.some(({ isOfPlayer }) => isOfPlayer);
  });
}

/** The actions of a condition, and whether it says of them that the player takes part. */
function actionsIn(
  condition: Condition,
  isOfPlayer = false,
): readonly { readonly action: readonly string[]; readonly isOfPlayer: boolean }[] {
  if ('action' in condition) {
    const { action } = condition as ActionPattern;
    return [{ action, isOfPlayer: isOfPlayer || takesInPlayer(condition) }];
  }
  const inherited = isOfPlayer || ('all' in condition && condition.all.some((each) => takesInPlayer(each)));
  return childConditions(condition).flatMap((each) => actionsIn(each, inherited));
}

function takesInPlayer(condition: Condition): boolean {
  const slots = 'action' in condition ? (Object.values(condition) as readonly SlotPattern[]) : [];
  return slots.some(({ any }) => any?.some((each) => isPlayer(each)));
}

function isPlayer({ words, of }: MentionPattern): boolean {
  return words?.includes('player') === true || (of !== undefined && isPlayer(of));
}

/** The token of a question that a word of its reading stands for; its first token where none is that word. */
export function findTokenOf(word: Word, tokens: readonly Token[], dictionary: Dictionary): Token {
  return tokens.find((_, at) => isSpelling(word, tokens, at, dictionary)) ?? tokens[0]!;
}

type Claim = { readonly token: Token; readonly singles: readonly SinglePart[] };

function isSpelling(word: Word, tokens: readonly Token[], at: number, dictionary: Dictionary): boolean {
  return getLexicon(dictionary)
    .find(word.kind, tokens, at)
    .some(({ entry }) => entry.word === word);
}

const everything = /^(?:all|everything|anything|events?|something|whatever)$/;

/** The word by which a question asks what a log cannot answer: how often something did not happen, or the number of one event. */
function findPointless(
  { find, count, by, measure, top, bottom }: Query,
  { singles }: QueryParts,
  claims: readonly Claim[],
  tokens: readonly Token[],
): Token | undefined {
  // The number of a hole or round is no good or bad one.
  const isNumbered = 'property' in find && (find as PropertyPattern).property.every((id) => id.endsWith(' number'));
  const judging = tokens.find(({ lower }) => /^(?:best|worst)$/.test(lower));
  if (isNumbered && judging) return judging;
  const claimOf = (kind: SinglePart['kind']): Token | undefined =>
    claims.find((claim) => claim.singles.some((each) => each.kind === kind))?.token;
  const conditions = 'all' in find ? find.all : [find];
  const isNegative =
    conditions.some((each) => 'not' in each && isAboutEvent(each.not)) &&
    !conditions.some((each) => isAboutEvent(each));
  // "not kills" lists all events but these.
  const isListed = tokens[0]!.lower === 'not' || tokens.some(({ lower }) => everything.test(lower));
  if (isNegative && !isListed) return claimOf('negation');
  // "which weapon did I use for my last kill" names the group of one.
  const isNamed = by !== undefined && top === undefined && bottom === undefined && !count;
  const isCounted = !isNamed && (count || by || measure?.of === 'count');
  return isCounted && 'nth' in find && singles.some(({ kind }) => kind === 'ordinal') ? claimOf('ordinal') : undefined;
}

/** Words of a question that belong together; it needs one of the single parts, if there are any. */
interface Unit {
  readonly end: number;
  readonly singles: readonly SinglePart[];
}

function readUnit(
  tokens: readonly Token[],
  at: number,
  parts: QueryParts,
  options: AccountingOptions,
): Unit | undefined {
  const token = tokens[at]!;
  if (token.kind === 'possessive' || (token.kind === 'mark' && token.text !== ',')) return { end: at + 1, singles: [] };
  const named = nameEnd(tokens, at, parts, options);
  if (named !== undefined) return { end: named, singles: [] };
  for (let length = Math.min(maxPhraseWords, tokens.length - at); length >= 2; length--) {
    const phrase = tokens
      .slice(at, at + length)
      .map(({ lower }) => lower)
      .join(' ');
    const unit = express(expressionOf(phrase), at + length, parts);
    if (unit) return unit;
  }
  if (isForeignVerb(token, at, tokens, parts, options)) return undefined;
  const ended = wordEnd(tokens, at, parts, options);
  if (ended !== undefined) return { end: ended, singles: [] };
  const amount = readAmount(tokens, at);
  if (amount) {
    const singles = parts.singles.filter((each) => isAmount(each, amount.values));
    if (singles.length > 0) return { end: amount.end, singles };
  }
  const unit = express(expressionOf(token.lower), at + 1, parts);
  if (unit) return unit;
  if (grammarWords.has(token.lower)) return { end: at + 1, singles: [] };
  return undefined;
}

/** The end of a name of the query; `undefined` if none stands there. */
function nameEnd(
  tokens: readonly Token[],
  at: number,
  { names }: QueryParts,
  { dictionary }: AccountingOptions,
): number | undefined {
  const text = tokens[at]!.lower;
  for (const name of names) {
    if (name === text) return at + 1;
    // "the lap counter" where the screen shows "Laps"
    if (isCaptionOf(name, tokens, at, dictionary)) return at + 1;
    if (name.split(/[ /.!?:-]/).some((part) => part === text || stemOf(part) === stemOf(text))) return at + 1;
  }
  return undefined;
}

/** "points" where the screen shows "Score" */
function isCaptionOf(name: string, tokens: readonly Token[], at: number, dictionary: Dictionary): boolean {
  return getLexicon(dictionary)
    .find('property', tokens, at)
    .some(({ entry: { word } }) => [word.name, ...word.synonyms].some((each) => each.toLowerCase() === name));
}

/**
 * Does the query take a word that questions are made of for an action that the logs do not have? "how many light attacks
 * landed" is not about landing.
 */
function isForeignVerb(
  { lower }: Token,
  at: number,
  tokens: readonly Token[],
  { ids, traits }: QueryParts,
  { dictionary, vocabulary }: AccountingOptions,
): boolean {
  if (!vocabulary || !(grammarWords.has(lower) || expressionOf(lower))) return false;
  const lexicon = getLexicon(dictionary);
  const isManner = ({ id }: Word): boolean => dictionary.isA(id, 'manner', 'property');
  const isForeignManner = lexicon
    .find('property', tokens, at)
    .some(({ entry: { word } }) => ids.has(word.id) && isManner(word) && !vocabulary.has(word));
  if (isForeignManner) return true;
  if (traits.has('property')) return false;
  const isKnown = [...ids].some((id) => {
    const word = dictionary.find(id, 'action');
    return word !== undefined && vocabulary.has(word);
  });
  if (isKnown) return false;
  // Where nobody is killed, there are no kills.
  return lexicon
    .find('action', tokens, at)
    .some(
      ({ entry: { word }, end }) => end === at + 1 && ids.has(word.id) && !mayNotHappen(word, dictionary, vocabulary),
    );
}

/** The end of a word of the dictionary that the query mentions, or one above it; `undefined` if none stands there. */
function wordEnd(
  tokens: readonly Token[],
  at: number,
  { ids }: QueryParts,
  { dictionary, vocabulary }: AccountingOptions,
): number | undefined {
  const lexicon = getLexicon(dictionary);
  // "half kills": a word that questions are made of is no thing of the logs, unless they mention it.
  const isOfGrammar =
    vocabulary !== undefined &&
    (expressionOf(tokens[at]!.lower) !== undefined || /^(?:in|at|on)$/.test(tokens[at]!.lower));
  const isMentioned = (id: string): boolean =>
    dictionary.events.some((event) => event.id === id) ||
    wordKinds.some((kind) => {
      const word = dictionary.find(id, kind);
      return word !== undefined && vocabulary!.has(word);
    });
  const meant = [...ids];
  const known = isOfGrammar ? meant.filter((id) => isMentioned(id)) : meant;
  let end: number | undefined;
  for (const kind of wordKinds)
    for (const match of lexicon.find(kind, tokens, at))
      if (
        match.end > (end ?? at) &&
        (kind === 'action' ? meant : known).some((id) => isRelated(match.entry.word, id, dictionary))
      )
        end = match.end;
  if (end !== undefined) return end;
  // "headshots" is the manner "by headshot", "sniper" the sniper rifle, "double kills" a composite event.
  const stems = tokens[at]!.lower.split('-').map((each) => stemOf(each));
  for (const id of known) {
    const words = wordKinds.flatMap((kind) => dictionary.find(id, kind) ?? []);
    const names = [
      id.replace(/^.*:|#.*$/g, ''),
      ...words.flatMap(({ name, synonyms, nouns }) => [name, ...synonyms, ...nouns]),
    ];
    const said = new Set(names.flatMap((name) => name.toLowerCase().split(/[ -]/)).map((each) => stemOf(each)));
    if (stems.every((each) => said.has(each))) return at + 1;
  }
  return undefined;
}

function stemOf(word: string): string {
  return word
    .replace(/(?:ies|y)$/, 'i')
    .replace(/(?:ed|ing|(?<!s)s|e)$/, '')
    .replace(/e$/, '');
}

function isRelated(word: Word, id: string, dictionary: Dictionary): boolean {
  return wordKinds.some((kind) => {
    const own = dictionary.find(id, kind);
    if (!own) return false;
    if (own.name === word.name || covers(word, own)) return true;
    return covers(word, own.causes) || covers(word.causes, own);
  });
}

/** What an expression stands for in the query; `undefined` if for nothing. */
function express(expression: Expression | undefined, end: number, parts: QueryParts): Unit | undefined {
  if (!expression) return undefined;
  const singles: SinglePart[] = [];
  for (const meaning of expression) {
    const [kind, ...rest] = meaning.split(' ');
    const value = rest.join(' ');
    if (kind === 'id' ? parts.mentions(value) : parts.traits.has(meaning)) return { end, singles: [] };
    singles.push(...parts.singles.filter((each) => isSingle(each, kind!, Number(value))));
  }
  return singles.length > 0 ? { end, singles } : undefined;
}

const kindNames: Readonly<Record<string, SinglePart['kind']>> = {
  neg: 'negation',
  max: 'highest',
  min: 'lowest',
  avg: 'average',
  ord: 'ordinal',
  num: 'number',
};

function isSingle(part: SinglePart, kind: string, value: number): boolean {
  if (part.kind !== kindNames[kind]) return false;
  if (kind === 'num') return part.value !== undefined && part.value % (60 * value) === 0;
  return kind !== 'ord' || part.value === value;
}

const secondsPerUnit: Readonly<Record<string, number>> = Object.fromEntries([
  ...['ms'].map((unit) => [unit, 0.001]),
  ...['s', 'sec', 'secs', 'second', 'seconds'].map((unit) => [unit, 1]),
  ...['m', 'min', 'mins', 'minute', 'minutes'].map((unit) => [unit, 60]),
  ...['h', 'hour', 'hours'].map((unit) => [unit, 3600]),
]);

/** Reads a number or a time: "3", "1:30", "1 minute and 20 seconds", "two-minute". */
function readAmount(
  tokens: readonly Token[],
  at: number,
): { readonly values: readonly number[]; readonly end: number } | undefined {
  const { lower } = tokens[at]!;
  const clock = /^\d+:\d/.test(lower) ? parseClock(lower) : undefined;
  if (clock !== undefined) return { values: [clock], end: at + 1 };
  const joined = /^(\w+?)-?(ms|s|secs?|m|mins?|minutes?|seconds?|h|hours?)$/.exec(lower);
  const joinedNumber = joined ? numberOf(joined[1]!) : undefined;
  if (joinedNumber !== undefined) return { values: [joinedNumber * secondsPerUnit[joined![2]!]!], end: at + 1 };
  const number = numberValue(tokens[at]);
  if (number === undefined) return undefined;
  const unit = secondsPerUnit[tokens[at + 1]?.lower ?? ''];
  if (unit === undefined) return { values: [number, number * 60, number * 3600, number / 100], end: at + 1 };
  const next = tokens[at + 2]?.lower === 'and' ? at + 3 : at + 2;
  const more = numberValue(tokens[next]);
  const moreUnit = secondsPerUnit[tokens[next + 1]?.lower ?? ''];
  if (more !== undefined && moreUnit !== undefined && moreUnit < unit)
    return { values: [number * unit + more * moreUnit], end: next + 2 };
  return { values: [number * unit, number], end: at + 2 };
}

function numberOf(text: string): number | undefined {
  return numberValue({ kind: /^\d/.test(text) ? 'number' : 'word', text, lower: text, start: 0, end: 0 });
}

function isAmount({ kind, value }: SinglePart, values: readonly number[]): boolean {
  if (value === undefined) return false;
  // "round 2" is the second round.
  if (kind === 'ordinal') return value === values[0];
  return kind === 'number' && values.some((each) => Math.abs(each - value) < 1e-6);
}

/** The first token that finds no single part of its own. */
function findUnmatched(claims: readonly Claim[]): Token | undefined {
  const ownerOf = new Map<SinglePart, number>();
  const assign = (index: number, seen: Set<SinglePart>): boolean =>
    claims[index]!.singles.some((part) => {
      if (seen.has(part)) return false;
      seen.add(part);
      const owner = ownerOf.get(part);
      if (owner !== undefined && !assign(owner, seen)) return false;
      ownerOf.set(part, index);
      return true;
    });
  const failed = claims.findIndex((_, index) => !assign(index, new Set()));
  return claims[failed]?.token;
}
