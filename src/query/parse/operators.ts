import { covers, type Dictionary, type Word } from '../../dictionary/dictionary.ts';
import { numberValue, type Token } from '../../dictionary/sentences/tokenize.ts';
import { type ActionPattern, type Condition, type PeriodCondition, type Query, type SlotPattern } from '../query.ts';
import type { Vocabulary } from '../vocabulary.ts';
import { ordinalValue } from './ordinals.ts';
import { restrictToPeriod } from './questions/periods.ts';
import type { Tokens } from './questions/readings.ts';
import { fillSubject, findSubject, isBareProperty, isEvent, playerPattern, sameSubject } from './questions/subjects.ts';
import { asSet, phrase, substitute } from './questions/words.ts';

/** What reads the questions and clauses within a question. Each accounts for all of its own words. */
export interface QuestionReader {
  readonly dictionary: Dictionary;
  readonly vocabulary: Vocabulary | undefined;
  /** The query of a question; `undefined` if it is not understood. */
  readonly ask: (tokens: Tokens) => Query | undefined;
  /** The words of a noun of which the logs know periods; `undefined` for other nouns. */
  readonly periodOf: (noun: Tokens) => readonly string[] | undefined;
  /** The sentence that was typed, which has the punctuation that its tokens lack. */
  readonly sentence: string;
}

/** Makes a query of the queries of parts of a question. */
type Operator = (tokens: Tokens, reader: QuestionReader) => Query | undefined;

/**
 * Reads a question as an operator over smaller ones: "rounds where <clause>", "from <event> to <event>", "<question>, how many".
 * A word that is neither the operator's nor a part's makes it fail, so that none is ignored.
 */
export function readOperators(tokens: Tokens, reader: QuestionReader): Query | undefined {
  for (const operator of operators) {
    const query = operator(tokens, reader);
    if (query) return query;
  }
  return undefined;
}

const textOf = (tokens: Tokens): string => tokens.map(({ lower }) => lower).join(' ');

/** Tokens without the first and last ones that are in a set. */
function trim(tokens: Tokens, empty: ReadonlySet<string>): Tokens {
  const start = tokens.findIndex(({ lower }) => !empty.has(lower));
  const end = tokens.findLastIndex(({ lower }) => !empty.has(lower));
  return start < 0 ? [] : tokens.slice(start, end + 1);
}

// Segments

/** The parts of a question between its punctuation marks. */
function segmentsOf(tokens: Tokens, sentence: string): readonly Tokens[] {
  const segments: Token[][] = [[]];
  let end = 0;
  for (const token of tokens) {
    const isMark = token.kind === 'mark' && /^[,()]$/.test(token.text);
    if (isMark || /[:?.;()–—]|\s-+\s/.test(sentence.slice(end, token.start))) segments.push([]);
    if (!isMark) segments.at(-1)!.push(token);
    end = Math.max(end, token.end);
  }
  return segments.filter((each) => each.length > 0);
}

/** What a part of a question asks about the rest of it: the words that ask it there, or how it changes the query. */
const requests: ReadonlyMap<string, string> = new Map(
  (
    [
      ['how many', 'how many|how many times|how often|count|number|how many of them|how many in total|how many was it'],
      [
        'how long',
        'how long|how many seconds|seconds|duration|time|in seconds|how long did it take|how long was it|its length|length|its duration|how quick|how fast',
      ],
      [
        'when',
        'when|times|timestamps|timestamp|at what time|what time|when exactly|when was it|when was that|give times|which times',
      ],
      ['how much', 'how much|total|in total|sum|how much in total'],
      ['my', 'mine|by me|my own|me|for me'],
      ['list', 'list|list them|show them|show|in order|list all|all of them'],
      ['who', 'who|who was it|who did it|by whom'],
    ] as const
  ).flatMap(([request, phrases]) => phrases.split('|').map((each): [string, string] => [each, request])),
);

/** "Moe's saves in the third period - how many", "did I lose any points and how many", "round 2: my kills" */
const readSegments: Operator = (tokens, reader) => {
  const segments = segmentsOf(tokens, reader.sentence);
  const and = tokens.findLastIndex(({ lower }) => lower === 'and');
  const joined = and > 0 ? [tokens.slice(0, and), tokens.slice(and + 1)] : [];
  for (const [first, ...others] of [segments, joined]) {
    if (!first || others.length === 0) continue;
    const last = others.at(-1)!;
    const body = [...first, ...others.slice(0, -1).flat()];
    const rest = others.flat();
    const tail = requests.get(textOf(last[0]!.lower === 'and' ? last.slice(1) : last));
    const asked = tail === undefined ? undefined : askRequest(tail, last[0]!, body, reader);
    if (asked) return asked;
    const head = requests.get(textOf(first));
    const started = head === undefined ? undefined : askRequest(head, first[0]!, rest, reader);
    if (started) return started;
    const period = numberedPeriod(first, reader);
    const restricted = period && reader.ask(rest);
    if (restricted) return restrictToPeriod(restricted, period);
    if (segments.length > 1 && first === segments[0]!) {
      const swapped = reader.ask([...last, ...body]) ?? reader.ask(tokens.filter(({ text }) => !/^[,()]$/.test(text)));
      if (swapped) return swapped;
    }
  }
  return undefined;
};

/** "round 2", "in the second half" */
function numberedPeriod(given: Tokens, reader: QuestionReader): PeriodCondition['period'] | undefined {
  const tokens = trim(given, asSet('in during the on'));
  const [first, second] = tokens;
  if (!first || !second || tokens.length !== 2) return undefined;
  const ordinal = ordinalValue(first.lower);
  const number = numberValue(second);
  const [word, nth] = ordinal === undefined ? [reader.periodOf([first]), number] : [reader.periodOf([second]), ordinal];
  return word && nth !== undefined && Number.isInteger(nth) && nth !== 0 ? { word: [...word], nth } : undefined;
}

/** The query of a question of which a request stands apart. */
function askRequest(kind: string, place: Token, body: Tokens, reader: QuestionReader): Query | undefined {
  if (kind === 'my') return reader.ask([substitute('my', place), ...body]);
  if (kind !== 'list' && kind !== 'when') {
    const asked = reader.ask([...phrase(kind, place), ...body]);
    if (asked) return asked;
  }
  const query = reader.ask(body);
  if (!query) return undefined;
  const { whether: _, ...plain } = query;
  if (kind === 'when' || kind === 'list') {
    const { count: __, ...listed } = plain;
    return listed as Query;
  }
  if (kind === 'how long') return query.measure && query.measure.take !== 'each' ? query : undefined;
  if (kind !== 'how many' && kind !== 'how much') return undefined;
  if (!isList(plain as Query)) return query.count || query.by || query.measure ? query : undefined;
  return isChangeOf(plain.find)
    ? ({ ...plain, measure: { of: 'change', take: 'sum' } } as Query)
    : ({ ...plain, count: true } as Query);
}

/** Is the answer a list of events? */
function isList({ find, measure, state, at, ratio, share, streak, by, count, per, versus, whether }: Query): boolean {
  const others = [measure, state, at, ratio, share, streak, by, count, per, versus, whether];
  return others.every((each) => each === undefined) && isEvent(find) && !isBareProperty(find);
}

/** Does a value rise or drop? */
function isChangeOf(condition: Condition): boolean {
  if ('all' in condition) return condition.all.some((each) => isChangeOf(each));
  if ('near' in condition) return isChangeOf(condition.find);
  return 'property' in condition && /^(?:rises|drops)$/.test((condition as { change?: string }).change ?? '');
}

// Events that clauses and nouns name

const articles = asSet('the a an his her their our this that it');

/**
 * The events that a clause or a noun names: "I died", "the plant", "respawn", "the red card". A noun names what is done with what
 * it says, where the logs do only one thing with it.
 */
function eventOf(given: Tokens, reader: QuestionReader): Condition | undefined {
  const tokens = trim(given, articles);
  if (tokens.length === 0) return undefined;
  const [place] = tokens;
  const player = substitute('i', place!);
  for (const form of [tokens, [player, ...tokens]]) {
    const query = reader.ask(form);
    if (query && isList(query)) return conditionOf(query);
    // A thing begins, or is there when it is first mentioned.
    if (query && form === tokens && 'mentions' in query.find) {
      if ((query.find.mentions as SlotPattern).any?.some(({ name }) => name !== undefined)) return undefined;
      const begins = reader.ask([...tokens, substitute('begins', place!)]);
      return begins && isList(begins) ? conditionOf(begins) : { nth: 1, of: query.find };
    }
  }
  const owned = place!.lower === 'my' ? tokens.slice(1) : tokens;
  const actions = actionsNamed(owned, reader);
  if (actions.length > 0)
    return { action: actions.map(({ id }) => id), ...(owned !== tokens && { subject: playerPattern }) } as Condition;
  return undefined;
}

/** A list as a condition: "my first kill" is the first of them. */
function conditionOf({ find, first, last, nth, sort }: Query): Condition | undefined {
  if (sort) return undefined;
  if (nth !== undefined) return { nth, of: find };
  if (first !== undefined) return first === 1 ? { nth: 1, of: find } : undefined;
  if (last !== undefined) return last === 1 ? { nth: -1, of: find } : undefined;
  return find;
}

const stemOf = (text: string): string => text.replace(/(?:ing|ed|es|s|e)$/, '').replace(/([^aeiou])\1$/, '$1');

/** The actions of the logs that a noun names by their verb ("the plant", "landing") or by what they are done to ("red card"). */
function actionsNamed(noun: Tokens, { dictionary, vocabulary }: QuestionReader): readonly Word[] {
  if (!vocabulary || noun.length === 0 || noun.length > 3) return [];
  const stems = noun.map(({ lower }) => stemOf(lower));
  const stated = dictionary.words('action').filter((word) => vocabulary.states(word));
  const named = stated.filter((word) =>
    [word.name, ...word.synonyms, ...word.nouns].some((name) => {
      const own = name
        .toLowerCase()
        .split(/[ -]/)
        .map((each) => stemOf(each));
      return stems.every((stem) => own.includes(stem)) && (stems.length > 1 || own[0] === stems[0]);
    }),
  );
  return named.filter((word) => !named.some((other) => other !== word && covers(other, word)));
}

// Periods in which something happens

const periodLinks = asSet('where when that which in during while with');
const concessions = ['even though', 'although', 'though', 'despite that', 'in which', 'even when'];

type Filter = Pick<PeriodCondition['period'], 'having' | 'without'>;

/** "rounds where I died without a kill", "my kills in rounds that we lost", "how many rounds did I survive" */
const readPeriods: Operator = (tokens, reader) => {
  for (const [at, token] of tokens.entries()) {
    const word = token.kind === 'word' ? reader.periodOf([token]) : undefined;
    if (!word) continue;
    const before = tokens.slice(0, at);
    const after = tokens.slice(at + 1);
    let start = 0;
    while (periodLinks.has(after[start]?.lower ?? '')) start++;
    if (after.length <= start) continue;
    const query =
      conceded(before, token, after, word, reader) ?? filtered(before, token, after.slice(start), word, reader);
    if (query) return query;
  }
  return undefined;
};

/** "how many rounds did we win even though I died in them" */
function conceded(
  before: Tokens,
  noun: Token,
  after: Tokens,
  word: readonly string[],
  reader: QuestionReader,
): Query | undefined {
  for (const [at] of after.entries())
    for (const link of concessions) {
      const length = link.split(' ').length;
      if (at === 0 || textOf(after.slice(at, at + length)) !== link) continue;
      const query = reader.ask([...before, noun, ...after.slice(0, at)]);
      const filter = query && filterOf(after.slice(at + length), noun, reader);
      if (filter) return restrictToPeriod(query, { word, ...filter });
    }
  return undefined;
}

function filtered(
  before: Tokens,
  noun: Token,
  clause: Tokens,
  word: readonly string[],
  reader: QuestionReader,
): Query | undefined {
  const head = textOf(trim(before, asSet('the a my of all')));
  const isInside = /^(?:in|during|for|over|of|from)$/.test(trim(before, asSet('the those all')).at(-1)?.lower ?? '');
  const isShare = /^(?:percent|percentage|share|what percentage|what share|what percent|proportion)$/.test(head);
  const isCount = /^(?:how many|number|count)$/.test(head);
  const subject = /^(?:did|do|does)$/.test(clause[0]!.lower) && (isCount || isShare) ? clause.slice(1) : clause;
  const filter = filterOf(subject, noun, reader);
  if (!filter) return undefined;
  const period = { word: [...word], ...filter } as PeriodCondition['period'];
  if (isShare) {
    const { having } = filter;
    if (!having || filter.without || !('action' in having)) return undefined;
    const { subject: _, ...anyone } = having as ActionPattern;
    return 'object' in anyone ? { find: having, share: anyone } : undefined;
  }
  if (isCount) return { find: { period }, by: [{ period: { word: [...word] } }], distinct: true };
  if (before.length === 0 || /^(?:which|what|list|show|in which|in what|show me|give me)$/.test(head))
    return {
      find: filter.having ? { all: [filter.having, { period }] } : { period },
      by: [{ period: { word: [...word] } }],
    };
  if (!isInside) return undefined;
  const end = before.findLastIndex(({ lower }) => /^(?:in|during|for|over|of|from)$/.test(lower));
  const query = reader.ask(before.slice(0, end));
  return query && restrictToPeriod(query, period);
}

/** What happens in a period, and what does not: "I died without getting a kill", "we lost". */
function filterOf(given: Tokens, noun: Token, reader: QuestionReader): Filter | undefined {
  const clause = trim(given, asSet('in them it those that then there and did'));
  const repeated = repeatedOf(clause, reader);
  if (repeated) return { having: repeated };
  const at = clause.findIndex(({ lower }, index) => lower === 'without' || (lower === 'not' && index > 0));
  if (at < 0) return positiveOf(clause, noun, reader);
  if (clause[at]!.lower === 'not') {
    const without = eventOf(
      [...clause.slice(0, at), ...clause.slice(at + 1)].filter(({ lower }) => lower !== 'did'),
      reader,
    );
    return without && { without: sameSubject(without) };
  }
  const first = at > 0 ? positiveOf(clause.slice(0, at), noun, reader) : {};
  const without = eventOf(trim(clause.slice(at + 1), asSet('a an any single getting making having scoring')), reader);
  if (!first || first.without || !without) return undefined;
  return { ...first, without: sameSubject(without, first.having) };
}

/** "I got at least two kills" */
function repeatedOf(clause: Tokens, reader: QuestionReader): Condition | undefined {
  const at = clause.findIndex((token) => (numberValue(token) ?? 0) > 1);
  if (at < 0) return undefined;
  const isBound = /^(?:at least)$/.test(textOf(clause.slice(Math.max(0, at - 2), at)));
  const step = eventOf([...clause.slice(0, isBound ? at - 2 : at), ...clause.slice(at + 1)], reader);
  const times = numberValue(clause[at])!;
  if (!step || !Number.isInteger(times) || times > maxRepetitions) return undefined;
  return { sequence: Array.from({ length: times }, () => ofPlayer(step)) };
}

const maxRepetitions = 9;

const endingVerbs = /^(?:w[io]n|wins|los(?:e|es|t)|draws?|drew|drawn|completed?|finish(?:ed)?)$/;

function positiveOf(clause: Tokens, noun: Token, reader: QuestionReader): Filter | undefined {
  const verb = clause.find(({ lower }) => /^(?:surviv(?:e|ed)|liv(?:e|ed)|lose|lost)$/.test(lower));
  const isLoss = verb !== undefined && verb.lower.startsWith('los');
  const isEnding = clause.some(({ lower }) => endingVerbs.test(lower));
  const withNoun = isEnding ? eventOf([...clause, noun], reader) : eventOf(clause, reader);
  if (withNoun) return { having: ofPlayer(withNoun) };
  if (!verb) return undefined;
  // Who survives does not die; what one loses somebody else wins.
  const opposite = clause.map((each) => (each === verb ? substitute(isLoss ? 'won' : 'died', each) : each));
  const owner = clause[0] === verb ? phrase(reader.vocabulary?.hasOwnTeam ? 'my team' : 'i', verb) : [];
  const without = eventOf(isLoss ? [...owner, ...opposite, noun] : opposite, reader);
  if (!without) return undefined;
  if (!isLoss) return { without: sameSubject(without) };
  const { subject: _, ...anyone } = without as ActionPattern;
  return 'action' in without ? { having: anyone as Condition, without } : undefined;
}

/** What nobody is said to do is done by the player: "rounds won". */
function ofPlayer(condition: Condition): Condition {
  const isOfNobody = 'action' in condition && !('subject' in condition) && !actsOnPlayer(condition as ActionPattern);
  return isOfNobody ? ({ ...condition, subject: playerPattern } as Condition) : sameSubject(condition);
}

function actsOnPlayer({ object }: ActionPattern): boolean {
  return object?.any?.some(({ words }) => words?.includes('player')) === true;
}

// Repetitions

/** "died to the same enemy twice in a row": without anything like it in between. */
const readRows: Operator = (tokens, reader) => {
  const at = tokens.findIndex(
    ({ lower }, index) => lower === 'back-to-back' || textOf(tokens.slice(index, index + 3)) === 'in a row',
  );
  if (at <= 0) return undefined;
  const rest = [...tokens.slice(0, at), ...tokens.slice(at + (tokens[at]!.lower === 'in' ? 3 : 1))];
  const query = reader.ask(rest);
  if (!query || !('sequence' in query.find) || query.find.without) return undefined;
  const steps = new Set(query.find.sequence.map((step) => JSON.stringify(step)));
  if (steps.size !== 1) return undefined;
  const between = JSON.parse(JSON.stringify(query.find.sequence[0]), (key, value: unknown) =>
    key === 'same' ? undefined : value,
  ) as Condition;
  return { ...query, find: { ...query.find, without: [between] } };
};

// Clauses without their verb

/** "did Vega pit before me": before I did the same. */
const readEllipsis: Operator = (tokens, reader) => {
  const at = tokens.findIndex(({ lower }, index) => index > 2 && /^(?:before|after)$/.test(lower));
  const other = tokens.slice(at + 1).map((each) => (each.lower === 'me' ? substitute('i', each) : each));
  if (at < 0 || other.length === 0 || other.length > 2 || !/^(?:did|do|does)$/.test(tokens[0]!.lower)) return undefined;
  for (let verb = 2; verb < at; verb++) {
    const query = reader.ask([...tokens.slice(0, at + 1), ...other, ...tokens.slice(verb, at)]);
    if (query) return query;
  }
  return undefined;
};

// The time from one event to another

const timeNouns = asSet('long time seconds minutes life survival duration gap interval delay wait');
const timeStructure = asSet('how did it take took was is the a of in there passed elapsed went by for my much many');
const takes: ReadonlyMap<string, 'average' | 'highest' | 'lowest'> = new Map([
  ['average', 'average'],
  ['mean', 'average'],
  ['longest', 'highest'],
  ['shortest', 'lowest'],
  ['fastest', 'lowest'],
  ['quickest', 'lowest'],
]);
const beginnings =
  /^(?:match|game|race|level|recording|video|session|run)? ?(?:start|began|begin|beginning|kick off|kickoff)(?: of (?:the )?(?:match|game|race|level|recording|video|session|run))?$/;

/** "seconds from the plant until the bomb exploded", "landing to first kill", "time between the goal and full time" */
const readIntervals: Operator = (tokens, reader) => {
  const from = tokens.findIndex(({ lower }) => /^(?:from|between|after|since)$/.test(lower));
  const isBetween = tokens[from]?.lower === 'between';
  const head = from < 0 ? [] : tokens.slice(0, from);
  const start = from < 0 ? headLength(tokens) : from + 1;
  const isAsked = from >= 0 ? head.length > 0 : start > 0;
  const measures = tokens.slice(0, Math.max(0, from < 0 ? start : from));
  const take = measures.map(({ lower }) => takes.get(lower)).find((each) => each !== undefined) ?? 'each';
  if (!measures.every((each) => measuresTime(each))) return undefined;
  if (measures.length > 0 && !measures.some(({ lower }) => timeNouns.has(lower))) return undefined;
  // "from the plant to the defuse in round 2"
  const inside = tokens.findLastIndex(({ lower }) => /^(?:in|during)$/.test(lower));
  const period = inside > start ? numberedPeriod(tokens.slice(inside), reader) : undefined;
  const whole = period && readIntervals(tokens.slice(0, inside), reader);
  if (whole) return restrictToPeriod(whole, period);
  const separators = isBetween ? /^and$/ : /^(?:to|until|till|before)$/;
  for (let at = start + 1; at < tokens.length - 1; at++) {
    if (!separators.test(tokens[at]!.lower)) continue;
    const [left, right] = [tokens.slice(start, at), tokens.slice(at + 1)];
    if (!isAsked && tokens[at]!.lower === 'before') continue;
    const query = interval(left, right, take, reader);
    if (query) return query;
  }
  return undefined;
};

function isSomebody({ any = [] }: SlotPattern, { dictionary }: QuestionReader): boolean {
  return (
    any.length > 0 && any.every(({ words }) => words?.every((id) => dictionary.isA(id, 'character', 'object')) ?? true)
  );
}

function headLength(tokens: Tokens): number {
  return Math.max(
    0,
    tokens.findIndex((each) => !measuresTime(each) || each.lower === 'my'),
  );
}

function measuresTime({ lower }: Token): boolean {
  return timeNouns.has(lower) || timeStructure.has(lower) || takes.has(lower);
}

function interval(
  left: Tokens,
  right: Tokens,
  take: 'each' | 'average' | 'highest' | 'lowest',
  reader: QuestionReader,
): Query | undefined {
  const [ordinal, ...more] = trim(left, articles);
  const place = right.findIndex(({ lower }) => ordinalValue(lower) !== undefined);
  // "from the 1st to the second tower"
  if (ordinal && more.length === 0 && ordinalValue(ordinal.lower) !== undefined && place >= 0)
    return interval([...right.slice(0, place), ordinal, ...right.slice(place + 1)], right, take, reader);
  const end = eventOf(right.at(-1)!.lower === 'again' ? right.slice(0, -1) : right, reader);
  if (!end || isBareProperty(end)) return undefined;
  if (beginnings.test(textOf(trim(left, articles))) && !eventOf(left, reader))
    return { find: sameSubject(end), measure: { of: 'time', take: 'lowest' } };
  const first = eventOf(left, reader);
  if (!first || isBareProperty(first)) return undefined;
  if (JSON.stringify(first) === JSON.stringify(end)) return undefined;
  // A part that names nobody is about whom the other part names; whoever spawns is who dies.
  const subject = [first, end].map((each) => findSubject(each)).find((each) => each && isSomebody(each, reader));
  const isOfLife = [first, end].some(
    (each) => 'action' in each && /^(?:re)?spawn$/.test((each as ActionPattern).action[0] ?? ''),
  );
  const shared = subject ?? (isOfLife ? playerPattern : undefined);
  const [a, b] = shared ? [fillSubject(first, shared), fillSubject(end, shared)] : [first, end];
  return { find: { sequence: [a, b] }, measure: { of: 'duration', take } };
}

const operators: readonly Operator[] = [readSegments, readPeriods, readRows, readEllipsis, readIntervals];
