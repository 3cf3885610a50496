import type { ParseContext } from '../../../dictionary/sentences/parse-context.ts';
import { numberValue, type Token } from '../../../dictionary/sentences/tokenize.ts';
import { parseFilter } from '../filters.ts';
import { parseNounLists } from '../noun-lists.ts';
import { ordinalValue } from '../ordinals.ts';
import type { Vocabulary } from '../../vocabulary.ts';
import type { Tokens } from '../questions/readings.ts';
import { anyone, asSet, beForms, doForms, haveForms, keyNouns, substitute, word } from '../questions/words.ts';

/** What is asked of the events: the kind of answer. */
export type Ask =
  | 'count'
  | 'times'
  | 'amount'
  | 'when'
  | 'where'
  | 'who'
  | 'which'
  | 'how long'
  | 'whether'
  | 'list'
  | 'value'
  | 'share';

/** The unit of a rate. */
export type RateUnit = 'second' | 'minute' | 'hour' | 'life' | 'session';

/** What a question asks, apart from the clause that says of what. */
export interface Request {
  readonly ask?: Ask;
  /** "weapon" in "which weapon". */
  readonly noun?: Tokens;
  /** The superlative: "most", "lowest". */
  readonly extreme?: string;
  /** "top 3" */
  readonly number?: number;
  readonly isAverage?: boolean;
  readonly isTotal?: boolean;
  readonly isDistinct?: boolean;
  readonly isInRow?: boolean;
  /** By how much a value changes in one go, rather than what it comes to? */
  readonly isAtOnce?: boolean;
  readonly nth?: number;
  readonly per?: RateUnit;
  /** What to count by. */
  readonly by?: Tokens;
  /** The value that something has at its start or end. */
  readonly edge?: 'start' | 'end';
  /** "in round 2", "in the second half" */
  readonly period?: { readonly noun: Tokens; readonly nth: number; readonly edge?: 'start' | 'end' };
  /** Is it about what one has, rather than what one gets? */
  readonly isHeld?: boolean;
  readonly repetitions?: number;
  /** Does the value asked for rise or drop: "ammunition I wasted"? */
  readonly direction?: 'rises' | 'drops';
  /** The clause, without these words. */
  readonly clause: Tokens;
  /** The place in the clause at which what is asked for stood. */
  readonly nounAt: number;
  /** How far it is from the words of the question. */
  readonly cost?: number;
}

type Mutable = { -readonly [Key in keyof Request]: Request[Key] };

const asks: ReadonlyMap<string, Ask> = new Map(
  (
    [
      ['times', 'how many times|how often|how frequently|number of times|how many time|amount of times'],
      ['count', 'how many|number of|count of|count|amount of|total number of|tally of|tally|how many of'],
      ['amount', 'how much'],
      [
        'when',
        'when|what time|at what time|which time|at which time|at what point|at which point|what times|timestamp|timestamps|timestamp of|time of|times of',
      ],
      ['where', 'where'],
      [
        'how long',
        'how long|how much time|how many seconds|how many minutes|duration of|length of|for how long|time spent|time between|gap between|interval between|time until|time to|time from|how far into',
      ],
      [
        'list',
        'list|show|find|give|name|tell|display|every|all|show me|give me|tell me|list me|find me|get me|all the|every time|each time|whenever|what about|how about|list all|show me all|show me every|show all|give me all|all of|i want to see|let me see',
      ],
      ['who', 'who|whom|whoever'],
      [
        'share',
        'percentage of|percent of|what percentage of|what percent of|share of|what share of|fraction of|what fraction of|proportion of|what proportion of|which percentage of|what part of',
      ],
    ] as const
  ).flatMap(([ask, phrases]) => phrases.split('|').map((phrase): [string, Ask] => [phrase, ask])),
);

const extremes = asSet(
  'most highest biggest largest greatest max maximum peak best top longest hardest heaviest strongest least fewest lowest smallest min minimum shortest worst weakest fastest quickest slowest',
);
const units: ReadonlyMap<string, RateUnit> = new Map([
  ['second', 'second'],
  ['sec', 'second'],
  ['minute', 'minute'],
  ['min', 'minute'],
  ['hour', 'hour'],
  ['life', 'life'],
  ['death', 'life'],
  ['match', 'session'],
  ['game', 'session'],
  ['session', 'session'],
]);
const repetitionsOf: ReadonlyMap<string, number> = new Map([
  ['twice', 2],
  ['two times', 2],
  ['more than once', 2],
  ['at least twice', 2],
  ['thrice', 3],
  ['three times', 3],
]);
const edges: ReadonlyMap<string, 'start' | 'end'> = new Map([
  ...[
    'final',
    'current',
    'at the end',
    'in the end',
    'by the end',
    'at the very end',
    'finally',
    'ending',
    'finishing',
    'end up with',
  ].map((each) => [each, 'end'] as const),
  ...['initial', 'starting', 'at the start', 'at the beginning', 'to start', 'start with', 'begin with'].map(
    (each) => [each, 'start'] as const,
  ),
]);
const possessing = asSet('have has had having hold held left remaining');
const maxPhrase = 4;

/** What the words of a question ask, wherever they stand in it. */
export function readRequests(
  context: ParseContext,
  isPeriod: (at: number) => boolean,
  vocabulary: Vocabulary | undefined,
): readonly Request[] {
  const request = readRequest(context, isPeriod, vocabulary, true);
  // "until my first kill" says of what; "my first kill" which one.
  return request.nth === undefined ? [request] : [request, readRequest(context, isPeriod, vocabulary, false)];
}

function readRequest(
  context: ParseContext,
  isPeriod: (at: number) => boolean,
  vocabulary: Vocabulary | undefined,
  hasOrdinals: boolean,
): Request {
  const { tokens } = context;
  const request: Mutable = { clause: [], nounAt: -1 };
  const clause: Token[] = [];
  const [first] = tokens;
  const phraseAt = (at: number, length: number): string =>
    at + length > tokens.length
      ? ''
      : tokens
          .slice(at, at + length)
          .map(({ kind, lower }) => (kind === 'quoted' ? '"' : lower))
          .join(' ');
  const find = <Value>(map: ReadonlyMap<string, Value>, at: number): { value: Value; length: number } | undefined => {
    for (let length = maxPhrase; length >= 1; length--) {
      const value = map.get(phraseAt(at, length));
      if (value !== undefined) return { value, length };
    }
    return undefined;
  };
  for (let at = 0; at < tokens.length; ) {
    const token = tokens[at]!;
    const { lower } = token;
    if (lower === ',' && (at === tokens.length - 1 || asks.has(tokens[at + 1]!.lower) || find(asks, at + 1))) {
      at++;
      continue;
    }
    // A time is a part of the clause.
    const edge = find(edges, at);
    if (edge && request.edge === undefined && !isPeriodEdge(tokens, at + edge.length)) {
      request.edge = edge.value;
      at += edge.length;
      continue;
    }
    // What follows is about something else.
    if (relations.has(lower) && at > 0) {
      clause.push(...tokens.slice(at));
      break;
    }
    const period = readPeriod(tokens, at, isPeriod);
    if (period && !request.period) {
      request.period = period.period;
      at = period.end;
      continue;
    }
    const filter = parseFilter(context, at);
    const isCounted = filter !== undefined && ordinalValue(lower) !== undefined && filter.end === at + 2;
    if (filter && !isCounted) {
      clause.push(...tokens.slice(at, filter.end));
      at = filter.end;
      continue;
    }
    if (possessing.has(lower)) request.isHeld = true;
    const ask = find(asks, at);
    // "all", "count" and "list" are asked for at the beginning only.
    const isWeak =
      ask !== undefined &&
      (ask.value === 'list' ||
        // "save percentage of Weiss" is no percentage of Weiss.
        (ask.value === 'share' && clause.length > 0) ||
        (ask.length === 1 && ask.value !== 'who' && lower !== 'when' && lower !== 'where'));
    if (ask?.value === 'list' && request.ask === 'list' && clause.length === 0) {
      at += ask.length;
      continue;
    }
    if (
      ask &&
      request.ask === undefined &&
      (!isWeak || at === 0 || (at === tokens.length - 1 && ask.value === 'count'))
    ) {
      request.ask = ask.value;
      const counted = tokens[at + ask.length];
      // "how many people did I kill"
      if (ask.value === 'count' && counted && anyone.has(counted.lower)) {
        clause.push(substitute('someone', counted));
        at += ask.length + 1;
        continue;
      }
      if (ask.value === 'who') {
        request.nounAt = clause.length;
        request.noun = [token];
      }
      at += ask.length;
      continue;
    }
    if ((lower === 'what' || lower === 'which') && (request.ask === undefined || request.ask === 'list')) {
      const next = tokens[at + 1]?.lower ?? '';
      if (beForms.has(next) || doForms.has(next) || haveForms.has(next)) {
        request.ask = lower === 'what' && beForms.has(next) ? 'value' : 'list';
        at += 1;
        continue;
      }
      const end = next === 'of' ? undefined : nounEnd(context, at + 1);
      request.ask = 'which';
      // "in which session"
      if (/^(?:in|with|by|at|on|to|from)$/.test(clause.at(-1)?.lower ?? '')) clause.pop();
      request.nounAt = clause.length;
      if (end !== undefined) request.noun = tokens.slice(at + 1, end);
      if (
        request.noun?.length === 1 &&
        anyone.has(request.noun[0]!.lower) &&
        !/^(?:opponent|enemy|bot)s?$/.test(request.noun[0]!.lower)
      )
        request.ask = 'who';
      at = end ?? at + 1;
      continue;
    }
    const most = ['at the most', 'at most', 'at the longest', 'at best'].find(
      (each) => context.skip(at, each) !== undefined,
    );
    if (
      most !== undefined &&
      request.extreme === undefined &&
      at > 0 &&
      numberValue(tokens[context.skip(at, most)!]) === undefined
    ) {
      request.extreme = 'highest';
      at = context.skip(at, most)!;
      continue;
    }
    const once = [
      'at once',
      'in one go',
      'in one hit',
      'in a hit',
      'in a single hit',
      'from one hit',
      'at a time',
    ].find((each) => context.skip(at, each) !== undefined);
    if (once !== undefined) {
      request.isAtOnce = true;
      at = context.skip(at, once)!;
      continue;
    }
    const number = numberValue(tokens[at + 1]);
    // "in which session did I die more often"
    if (
      (lower === 'more' || lower === 'fewer') &&
      (request.ask === 'who' || request.ask === 'which') &&
      request.extreme === undefined
    ) {
      request.extreme = lower === 'more' ? 'most' : 'fewest';
      at += /^(?:often|times)$/.test(tokens[at + 1]?.lower ?? '') ? 2 : 1;
      continue;
    }
    if (extremes.has(lower) && request.extreme === undefined) {
      request.extreme = lower;
      if (lower === 'top' && number !== undefined) request.number = number;
      at +=
        lower === 'top' && number !== undefined
          ? 2
          : tokens[at + 1]?.lower === 'often' || tokens[at + 1]?.lower === 'times'
            ? 2
            : 1;
      if (clause.at(-1)?.lower === 'the') clause.pop();
      continue;
    }
    if (lower === 'average' || lower === 'mean' || lower === 'typical') {
      request.isAverage = true;
      if (clause.at(-1)?.lower === 'on') clause.pop();
      at++;
      continue;
    }
    if (lower === 'total' || lower === 'overall' || lower === 'altogether' || lower === 'combined' || lower === 'sum') {
      request.isTotal = true;
      at += tokens[at + 1]?.lower === 'of' ? 2 : 1;
      continue;
    }
    if (lower === 'different' || lower === 'distinct' || lower === 'unique') {
      request.isDistinct = true;
      const end = nounEnd(context, at + 1);
      if (end !== undefined && request.noun === undefined) {
        request.noun = tokens.slice(at + 1, end);
        request.nounAt = clause.length;
      }
      at = end ?? at + 1;
      continue;
    }
    if (
      phraseAt(at, 3) === 'in a row' ||
      lower === 'consecutive' ||
      lower === 'consecutively' ||
      lower === 'straight'
    ) {
      request.isInRow = true;
      at += lower === 'in' ? 3 : 1;
      continue;
    }
    const group = readGroup(context, at, vocabulary);
    if (group && request.by === undefined && request.per === undefined) {
      if (group.per) request.per = group.per;
      else request.by = group.by!;
      at = group.end;
      continue;
    }
    const repeated = find(repetitionsOf, at);
    if (repeated) {
      request.repetitions = repeated.value;
      at += repeated.length;
      continue;
    }
    const nth = ordinalValue(lower);
    // "after my first death" numbers the deaths.
    const isRelated = clause.some((each) => clauseRelations.has(each.lower));
    if (hasOrdinals && nth !== undefined && request.nth === undefined && !isRelated) {
      request.nth = nth;
      if (clause.at(-1)?.lower === 'the') clause.pop();
      // "for the first time"
      const isTime = /^(?:times?|one|occasion)$/.test(tokens[at + 1]?.lower ?? '');
      if (number !== undefined) request.number = number;
      at += isTime || number !== undefined ? 2 : 1;
      continue;
    }
    clause.push(token);
    at++;
  }
  const isAuxiliary =
    first !== undefined && (doForms.has(first.lower) || beForms.has(first.lower) || haveForms.has(first.lower));
  // "what was my first kill with"
  const last = clause.at(-1);
  if (last?.lower === 'with' && request.noun === undefined && (request.ask === 'value' || request.ask === 'list')) {
    request.ask = 'which';
    request.noun = [word('weapon', last)];
    request.nounAt = clause.length;
  }
  if (request.ask === undefined && isAuxiliary) request.ask = 'whether';
  return { ...request, clause };
}

function isPeriodEdge(tokens: Tokens, at: number): boolean {
  return tokens[at]?.lower === 'of';
}

const periodPrepositions = asSet('in during of for within throughout over on at');

/** Reads "in round 2", "the second half", "at the end of the first round". */
function readPeriod(
  tokens: Tokens,
  start: number,
  isPeriod: (at: number) => boolean,
): { readonly period: NonNullable<Request['period']>; readonly end: number } | undefined {
  let at = start;
  let edge: 'start' | 'end' | undefined;
  if (periodPrepositions.has(tokens[at]?.lower ?? '') || tokens[at]?.lower === 'after') {
    const isAfter = tokens[at]!.lower === 'after';
    at++;
    if (tokens[at]?.lower === 'the') at++;
    const named = tokens[at]?.lower ?? '';
    if (/^(?:start|beginning|end)$/.test(named) && tokens[at + 1]?.lower === 'of') {
      edge = named === 'end' ? 'end' : 'start';
      at += 2;
    } else if (isAfter) return undefined;
  }
  while (/^(?:the|my)$/.test(tokens[at]?.lower ?? '')) at++;
  const nth = ordinalValue(tokens[at]?.lower ?? '');
  if (nth !== undefined && isPeriod(at + 1))
    return { period: { noun: tokens.slice(at + 1, at + 2), nth, ...(edge && { edge }) }, end: at + 2 };
  const number = numberValue(tokens[at + 1]);
  if (number !== undefined && Number.isInteger(number) && number > 0 && isPeriod(at))
    return { period: { noun: tokens.slice(at, at + 1), nth: number, ...(edge && { edge }) }, end: at + 2 };
  return undefined;
}

const groupPrepositions = [
  'for each',
  'by each',
  'with each',
  'in each',
  'of each',
  'from each',
  'per',
  'by',
  'for every',
  'in every',
  'with every',
];
const relations = asSet('between within without while whilst');
const clauseRelations = asSet('before after since until till when following');

/** Reads "per minute", "by weapon", "for each player". */
function readGroup(
  context: ParseContext,
  at: number,
  vocabulary: Vocabulary | undefined,
): { readonly per?: RateUnit; readonly by?: Tokens; readonly end: number } | undefined {
  const phrase = groupPrepositions.find((each) => context.skip(at, each) !== undefined);
  const article =
    phrase === undefined
      ? ['a', 'an', 'each', 'every', 'in a', 'in one']
          .map((each) => context.skip(at, each))
          .find((each) => each !== undefined)
      : undefined;
  const start = phrase === undefined ? article : context.skip(at, phrase)!;
  if (start === undefined) return undefined;
  const per = phrase === 'by' ? undefined : units.get(context.wordAt(start) ?? '');
  const isEach = phrase !== undefined && phrase !== 'per';
  if (per && at > 0 && !(per === 'session' && isEach)) return { per, end: start + 1 };
  const isEachOne = /^(?:each|every)$/.test(context.wordAt(at) ?? '') && anyone.has(context.wordAt(at + 1) ?? '');
  if (phrase === undefined && !isEachOne) return undefined;
  const end =
    keyNouns.has(context.wordAt(start) ?? '') || anyone.has(context.wordAt(start) ?? '')
      ? start + 1
      : nounEnd(context, start);
  if (end === undefined || (phrase === 'by' && isDoer(context, start, vocabulary))) return undefined;
  return { by: context.tokens.slice(start, end), end };
}

/** "kills by me", "by an opponent": who does it is no group. */
function isDoer(context: ParseContext, at: number, vocabulary: Vocabulary | undefined): boolean {
  if (keyNouns.has(context.wordAt(at) ?? '')) return false;
  const { dictionary } = context;
  return parseNounLists(context, at, 'object').some(({ any }) =>
    any.some(
      ({ words, name }) =>
        name !== undefined ||
        words.some(
          ({ word: each }) =>
            dictionary.isA(each.id, 'character', 'object') ||
            dictionary.isA(each.id, 'group', 'object') ||
            vocabulary?.hasGroups(each) === false ||
            dictionary.descendants(each.id, 'object').length === 0,
        ),
    ),
  );
}

/** The end of the noun at a token. */
function nounEnd(context: ParseContext, at: number): number | undefined {
  if (keyNouns.has(context.wordAt(at) ?? '')) return at + 1;
  const ends = parseNounLists(context, at, 'object')
    .filter(({ any }) => any.length === 1 && any[0]!.name === undefined && any[0]!.words.length > 0)
    .map(({ end }) => end);
  return ends.length > 0 ? Math.max(...ends) : undefined;
}
