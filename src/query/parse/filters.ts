import { parseComparison } from '../../dictionary/sentences/noun-phrases.ts';
import { skipListSeparator } from '../../dictionary/sentences/action-clauses.ts';
import type { ParseContext } from '../../dictionary/sentences/parse-context.ts';
import { numberValue } from '../../dictionary/sentences/tokenize.ts';
import { parseTime as parseClock } from '../../time.ts';
import type { NounList } from '../../dictionary/sentences/action-clauses.ts';
import { findWordsByName } from '../../dictionary/search.ts';
import { parsePropertyHeads } from '../../dictionary/sentences/property-clauses.ts';
import type { Condition, PropertyPattern, ValuePattern } from '../query.ts';
import { recordSpan } from '../source-spans.ts';
import { parseNounLists } from './noun-lists.ts';
import { ordinalValue } from './ordinals.ts';
import { adjectives, parsePropertyPatterns, toSlotPattern } from './patterns.ts';

/** A parsed condition with the index of the token after it. Of several readings the one of least cost is meant. */
export interface ParsedCondition {
  readonly condition: Condition;
  readonly end: number;
  readonly cost: number;
}

interface ParsedSeconds {
  readonly seconds: number;
  readonly end: number;
}

/**
 * Parses a filter, which can follow any condition: "between 2:00 and 5:00", "in the last minute", "in openarena",
 * "in session final", "with confidence above 0.9".
 */
export function parseFilter(context: ParseContext, at: number): ParsedCondition | undefined {
  const found =
    parseTimeFilter(context, at) ??
    parseScopeFilter(context, at) ??
    parseConfidenceFilter(context, at) ??
    (['while', 'whilst'].includes(context.wordAt(at) ?? '') ? parseStateFilter(context, at) : undefined);
  return found && { ...found, cost: 0 };
}

type Filter = Omit<ParsedCondition, 'cost'>;

function parseTimeFilter(context: ParseContext, at: number): Filter | undefined {
  const interval =
    parsePart(context, at) ??
    parseInterval(context, at, 'between', 'and') ??
    parseInterval(context, at, 'from', 'to') ??
    parseInterval(context, at, 'from', 'until');
  if (interval) return interval;
  // "after the first minute"
  const afterFirst = context.skip(at, 'after the first');
  const first = afterFirst === undefined ? undefined : parseDuration(context, afterFirst);
  if (first) return { condition: { time: { from: first.seconds } }, end: first.end };
  for (const [preposition, bound] of boundPrepositions) {
    const next = context.skip(at, preposition);
    const time = next === undefined ? undefined : parseTime(context, next);
    if (time && Number.isFinite(time.seconds)) {
      const onward = ['on', 'onward', 'onwards'].find((each) => context.wordAt(time.end) === each);
      return { condition: { time: { [bound]: time.seconds } }, end: onward === undefined ? time.end : time.end + 1 };
    }
    if (next !== undefined) context.expect(next, 'a time such as 2:00');
  }
  for (const [preposition, before, after] of pointPrepositions) {
    const next = context.skip(at, preposition);
    const time = next === undefined ? undefined : parseTime(context, next);
    if (!time || !Number.isFinite(time.seconds)) continue;
    return {
      condition: { time: { from: Math.max(0, time.seconds - before), to: time.seconds + after } },
      end: time.end,
    };
  }
  const edge = parseEdgeFilter(context, at);
  // "in the first 10 s after my respawn" is a distance.
  const isDistance = edge && ['after', 'before', 'of', 'following'].includes(context.wordAt(edge.end) ?? '');
  return isDistance ? undefined : (edge ?? parseMinuteFilter(context, at));
}

const minuteOrdinals = 'first second third fourth fifth sixth seventh eighth ninth tenth'.split(' ');

/** Parses "in the second minute", "in minute 2". */
function parseMinuteFilter(context: ParseContext, start: number): Filter | undefined {
  if (!edgePrepositions.has(context.wordAt(start) ?? '')) return undefined;
  const at = context.skip(start + 1, 'the') ?? start + 1;
  const ordinal = minuteOrdinals.indexOf(
    (context.wordAt(at) ?? '').replace(/^(\d+)(?:st|nd|rd|th)$/, (_, n: string) => minuteOrdinals[Number(n) - 1] ?? n),
  );
  const isOrdinal = ordinal >= 0 && context.wordAt(at + 1) === 'minute';
  const number = context.wordAt(at) === 'minute' ? numberValue(context.tokens[at + 1]) : undefined;
  const index = isOrdinal ? ordinal : number === undefined ? undefined : number - 1;
  return index === undefined
    ? undefined
    : { condition: { time: { from: index * 60, to: (index + 1) * 60 } }, end: at + 2 };
}

const boundPrepositions = [
  ['later than', 'from'],
  ['earlier than', 'to'],
  ['past', 'from'],
  ['by', 'to'],
  ['after', 'from'],
  ['since', 'from'],
  ['from', 'from'],
  ['before', 'to'],
  ['until', 'to'],
] as const;

const aroundSeconds = 5;

const fractions = new Map([
  ['half', 2],
  ['third', 3],
  ['quarter', 4],
]);
const fractionOrdinals = ['first', 'second', 'third', 'fourth'];
const shortOrdinals = ['1st', '2nd', '3rd', '4th'];

/** Parses "in the second half", "in the middle", "at the start", "towards the end". */
function parsePart(context: ParseContext, start: number): Filter | undefined {
  const preposition = ['in', 'during', 'at', 'near', 'towards', 'toward', 'around', 'of', 'from'].find(
    (each) => context.wordAt(start) === each,
  );
  if (preposition === undefined) return undefined;
  const at = context.skip(start + 1, 'the very') ?? context.skip(start + 1, 'the') ?? start + 1;
  const word = context.wordAt(at) ?? '';
  if (word === 'middle') return partFilter(1 / 3, 2 / 3, at + 1);
  // A tenth of the session: "at the start" is a stretch, where "from the start" is a point.
  if (['start', 'beginning'].includes(word)) return partFilter(0, 0.1, at + 1);
  if (word === 'end') return partFilter(0.9, 1, at + 1);
  const count = fractions.get(context.wordAt(at + 1) ?? '');
  if (count === undefined) return undefined;
  const index = ['last', 'final'].includes(word)
    ? count - 1
    : Math.max(fractionOrdinals.indexOf(word), shortOrdinals.indexOf(word));
  return index < 0 || index >= count ? undefined : partFilter(index / count, (index + 1) / count, at + 2);
}

function partFilter(from: number, to: number, end: number): Filter {
  return { condition: { time: { part: { from, to } } }, end };
}

/** Prepositions of a point in time, with the seconds before and after it that they include. */
const pointPrepositions = [
  ['at', 1, 1],
  ['around', aroundSeconds, aroundSeconds],
  ['about', aroundSeconds, aroundSeconds],
] as const;

const edgePrepositions = new Set(['in', 'within', 'during', 'over', 'of']);

/** Parses "in the last minute", "during the first 30 s", "last minute". */
function parseEdgeFilter(context: ParseContext, start: number): Filter | undefined {
  const article = edgePrepositions.has(context.wordAt(start) ?? '') ? start + 1 : start;
  const at = context.skip(article, 'the') ?? article;
  const edge = { last: 'last', final: 'last', first: 'first' }[context.wordAt(at) ?? ''];
  const duration = edge === undefined ? undefined : parseDuration(context, at + 1);
  return duration && { condition: { time: { [edge!]: duration.seconds } }, end: duration.end };
}

function parseInterval(context: ParseContext, at: number, first: string, second: string): Filter | undefined {
  const afterFirst = context.skip(at, first);
  const from =
    afterFirst === undefined
      ? undefined
      : (parseTime(context, afterFirst) ?? parseSharedUnit(context, afterFirst, second));
  const afterSecond = from && context.skip(from.end, second);
  if (from && afterSecond === undefined) context.expect(from.end, `"${second}"`);
  const to = afterSecond === undefined ? undefined : parseTime(context, afterSecond);
  return from && to && { condition: { time: { from: from.seconds, to: to.seconds } }, end: to.end };
}

/** "30" in "between 30 and 60 seconds": the unit follows the second number. */
function parseSharedUnit(context: ParseContext, at: number, separator: string): ParsedSeconds | undefined {
  const number = numberValue(context.tokens[at]);
  const next = number === undefined ? undefined : context.skip(at + 1, separator);
  const unit = next === undefined ? undefined : secondsPerUnit.get(context.wordAt(next + 1) ?? '');
  if (number === undefined || unit === undefined || numberValue(context.tokens[next!]) === undefined) return undefined;
  return { seconds: number * unit, end: at + 1 };
}

const secondsPerUnit: ReadonlyMap<string, number> = new Map(
  Object.entries({
    ...Object.fromEntries(['ms', 'millisecond', 'milliseconds'].map((unit) => [unit, 0.001])),
    ...Object.fromEntries(['s', 'sec', 'secs', 'second', 'seconds'].map((unit) => [unit, 1])),
    ...Object.fromEntries(['m', 'min', 'mins', 'minute', 'minutes'].map((unit) => [unit, 60])),
    ...Object.fromEntries(['h', 'hour', 'hours'].map((unit) => [unit, 3600])),
  }),
);

/** Parses a duration: "10 s", "4 seconds", "a minute", "minute", "1:30". */
export function parseDuration(context: ParseContext, at: number): ParsedSeconds | undefined {
  const word = context.wordAt(at);
  if (word === undefined) return undefined;
  const number = numberValue(context.tokens[at]);
  const nextUnit = secondsPerUnit.get(context.wordAt(at + 1) ?? '');
  if (number !== undefined && nextUnit !== undefined) {
    const and = context.skip(at + 2, 'and') ?? at + 2;
    const more = numberValue(context.tokens[and]);
    const moreUnit = secondsPerUnit.get(context.wordAt(and + 1) ?? '');
    // "1 minute and 20 seconds"
    if (more !== undefined && moreUnit !== undefined && moreUnit < nextUnit)
      return { seconds: number * nextUnit + more * moreUnit, end: and + 2 };
    return { seconds: number * nextUnit, end: at + 2 };
  }
  const unit = word.length > 1 ? secondsPerUnit.get(word) : undefined;
  if (number === undefined && unit !== undefined) return { seconds: unit, end: at + 1 };
  // "half a minute", "half minute"
  const half =
    word === 'half' ? context.wordAt(context.skip(at + 1, 'a') ?? context.skip(at + 1, 'an') ?? at + 1) : undefined;
  const halfUnit = half === undefined ? undefined : secondsPerUnit.get(half);
  if (halfUnit !== undefined)
    return { seconds: halfUnit / 2, end: (context.wordAt(at + 1) === half ? at + 1 : at + 2) + 1 };
  if ((word === 'a' || word === 'an') && nextUnit !== undefined) return { seconds: nextUnit, end: at + 2 };
  const seconds = parseClock(word);
  return seconds === undefined ? undefined : { seconds, end: at + 1 };
}

/** Parses a point in time: "2:00", "90s", "90 s", "the two-minute mark", "minute 2", "the start", "the end" (infinite). */
function parseTime(context: ParseContext, at: number): ParsedSeconds | undefined {
  const start = ['the start', 'start', 'the beginning', 'beginning'].find(
    (each) => context.skip(at, each) !== undefined,
  );
  if (start !== undefined) return { seconds: 0, end: context.skip(at, start)! };
  const end = context.skip(at, 'the end') ?? context.skip(at, 'end');
  if (end !== undefined) return { seconds: Number.POSITIVE_INFINITY, end };
  const first = context.skip(at, 'the') ?? at;
  const mark = parseMark(context, first) ?? parseNumbered(context, first);
  if (mark) return mark;
  const number = numberValue(context.tokens[at]);
  const isArticle = ['a', 'an', 'half'].includes(context.wordAt(at) ?? '');
  if (number === undefined && !isArticle && !/^\d/.test(context.wordAt(at) ?? '')) return undefined;
  const time = parseDuration(context, at);
  if (!time) return undefined;
  const into = context.skip(time.end, 'in') ?? context.skip(time.end, 'into it');
  if (into !== undefined && (into === context.tokens.length || functionEnd.has(context.wordAt(into) ?? '')))
    return { seconds: time.seconds, end: into };
  // A number without a unit is a value: "drops from 60".
  return time.end === at + 1 && number !== undefined ? undefined : time;
}

const functionEnd = new Set(['and', 'or', 'with', 'by']);

/** Parses "two minute mark" and "two-minute mark". */
function parseMark(context: ParseContext, at: number): ParsedSeconds | undefined {
  const hyphenated = /^(.+)-(\w+)$/.exec(context.wordAt(at) ?? '');
  const parts = hyphenated ? hyphenated.slice(1) : [context.wordAt(at) ?? '', context.wordAt(at + 1) ?? ''];
  const end = hyphenated ? at + 1 : at + 2;
  const text = parts[0]!;
  const kind = /^\d/.test(text) ? 'number' : 'word';
  const number = numberValue({ kind, text, lower: text, start: 0, end: 0 });
  const unit = secondsPerUnit.get(parts[1]!);
  if (context.wordAt(end) === 'mark' && number !== undefined && unit !== undefined)
    return { seconds: number * unit, end: end + 1 };
  // "1:30 mark"
  const clock = parseClock(context.wordAt(at) ?? '');
  return clock !== undefined && context.wordAt(at + 1) === 'mark' ? { seconds: clock, end: at + 2 } : undefined;
}

/** Parses "minute 2", "second 30". */
function parseNumbered(context: ParseContext, at: number): ParsedSeconds | undefined {
  const word = context.wordAt(at);
  const unit = word === 'minute' ? 60 : word === 'second' ? 1 : undefined;
  const number = numberValue(context.tokens[at + 1]);
  return unit === undefined || number === undefined ? undefined : { seconds: number * unit, end: at + 2 };
}

const stateVerbs = new Set(['have', 'has', 'had', 'having', 'with', 'at', 'on', 'in']);
const holdingWords = new Set([
  'holding',
  'using',
  'wielding',
  'carrying',
  'equipped',
  'had',
  'have',
  'has',
  'having',
  'with',
  'on',
]);
const equippedPhrases = ['equipped', 'out', 'in hand', 'in my hands', 'in hands'];

/** Parses a state at the time of an event: "while I had less than 30 health", "at low health", "while holding the railgun". */
export function parseStateFilter(context: ParseContext, start: number): ParsedCondition | undefined {
  const state = parseState(context, start);
  return state && { ...state, cost: 0.5 };
}

function parseState(context: ParseContext, start: number): Filter | undefined {
  const conjunction = ['while', 'whilst', 'when', 'whenever'].find((each) => context.wordAt(start) === each);
  if (conjunction === undefined) {
    const value = parseValueState(context, stateVerbs.has(context.wordAt(start) ?? '') ? start + 1 : start);
    if (value) return toState(context, value, undefined);
    const clause = context.wordAt(start) === 'with' ? parsePropertyState(context, start + 1) : undefined;
    if (clause) return clause;
    const weapon = context.wordAt(start) === 'with' ? parseWeaponState(context, start + 1, true) : undefined;
    return weapon && toState(context, weapon, undefined);
  }
  const clause = parsePropertyState(context, start + 1);
  if (clause) return clause;
  const subjects = [undefined, ...parseNounLists(context, start + 1, 'object')];
  for (const subject of subjects) {
    let at = subject?.end ?? start + 1;
    if (['is', 'are', 'was', 'were', 'am'].includes(context.wordAt(at) ?? '')) at++;
    const value = parseValueState(context, stateVerbs.has(context.wordAt(at) ?? '') ? at + 1 : at);
    if (value) return toState(context, value, subject);
    if (!holdingWords.has(context.wordAt(at) ?? '')) continue;
    const weapon = parseWeaponState(context, at + 1, false);
    if (weapon) return toState(context, weapon, subject);
  }
  return undefined;
}

interface ParsedState {
  readonly property: readonly string[];
  readonly to: ValuePattern;
  readonly end: number;
  /** The display that shows the value. */
  readonly display?: NounList | undefined;
}

function toState(
  context: ParseContext,
  { property, to, end, display }: ParsedState,
  given: NounList | undefined,
): Filter {
  const subject = display ?? given;
  const isNamed = subject && subject.any.every(({ words, name }) => words.length > 0 || name !== undefined);
  const whose = isNamed ? toSlotPattern(context, subject, 'subject') : { any: [{ words: ['player'] }] };
  return { condition: { while: { property, subject: whose, to } }, end };
}

/** Parses "my health was below 30". */
function parsePropertyState(context: ParseContext, at: number): Filter | undefined {
  for (const { condition, end } of parsePropertyPatterns(context, at).toSorted(
    (a, b) => b.end - a.end || a.cost - b.cost,
  )) {
    if (!('property' in condition)) continue;
    const { property, subject, to, change, by } = condition as PropertyPattern;
    if (!to || change || by || property.length === 0) continue;
    const whose = subject ?? { any: [{ words: ['player'] }] };
    return { condition: { while: { property, subject: whose, to } }, end };
  }
  return undefined;
}

/** Parses "less than 30 health", "low health", "low on health", "30 health". */
function parseValueState(context: ParseContext, start: number): ParsedState | undefined {
  const place = parsePlaceState(context, start);
  if (place) return place;
  const low = context.skip(start, 'low on');
  const adjective = adjectives.get(context.wordAt(start) ?? '');
  const comparison = parseComparison(context, start);
  // "in one combo" is no combo of one.
  const number = context.wordAt(start) === 'one' ? undefined : numberValue(context.tokens[start]);
  const to =
    low !== undefined
      ? { below: 25 }
      : (adjective ?? comparison?.range ?? (number === undefined ? undefined : { min: number, max: number }));
  if (to === undefined) return undefined;
  const at = low ?? comparison?.end ?? start + 1;
  const [head] = parsePropertyHeads(context, at, parseNounLists)
    .filter(({ subject, isCaption }) => !subject || isCaption)
    .toSorted((a, b) => a.cost - b.cost);
  if (!head) return undefined;
  const property = recordSpan(
    head.properties.map(({ word }) => word.id),
    context,
    head.head ?? head,
  );
  const end = context.skip(head.end, 'left') ?? head.end;
  return { property, to, end, ...(head.isCaption && { display: head.subject }) };
}

/** Parses "in 2nd", "first place", "in the lead": a rank. */
function parsePlaceState(context: ParseContext, start: number): ParsedState | undefined {
  const rank = context.dictionary.find('rank', 'property');
  if (!rank || !context.knowsLogs || !context.mentions(rank)) return undefined;
  const at = ['in', 'on', 'at'].includes(context.wordAt(start) ?? '') ? start + 1 : start;
  const lead = ['the lead', 'leading', 'ahead']
    .map((phrase) => context.skip(at, phrase))
    .find((end) => end !== undefined);
  if (lead !== undefined && context.wordAt(lead) !== 'of')
    return { property: [rank.id], to: { min: 1, max: 1 }, end: lead };
  const name = context.skip(at, 'the') ?? at;
  // "in the top 3"
  const top = context.wordAt(name) === 'top' ? numberValue(context.tokens[name + 1]) : undefined;
  if (top !== undefined) return { property: [rank.id], to: { max: top }, end: name + 2 };
  const place = ordinalValue(context.wordAt(name) ?? '');
  if (place !== undefined && place > 0) {
    const end = placeNouns.has(context.wordAt(name + 1) ?? '') ? name + 2 : name + 1;
    // "in second gear", "the first time" are no places.
    const isPlace = end === name + 2 || end === context.tokens.length || stateEnds.has(context.wordAt(end) ?? '');
    return isPlace ? { property: [rank.id], to: { min: place, max: place }, end } : undefined;
  }
  const number = placeNouns.has(context.wordAt(at) ?? '') ? numberValue(context.tokens[at + 1]) : undefined;
  return number === undefined ? undefined : { property: [rank.id], to: { min: number, max: number }, end: at + 2 };
}

const placeNouns = new Set(['place', 'position', 'spot']);
const stateEnds = new Set(['and', 'or', 'when', 'while', 'before', 'after', 'than', 'between', 'during']);

/** Parses "the railgun", with "out" or "equipped" after it where nothing else tells the state from the means of an action. */
function parseWeaponState(context: ParseContext, at: number, isMarked: boolean): ParsedState | undefined {
  for (const list of parseNounLists(context, at, 'object').toSorted((a, b) => b.end - a.end)) {
    const phrase = equippedPhrases.find((each) => context.skip(list.end, each) !== undefined);
    if (isMarked && phrase === undefined) continue;
    const { any } = toSlotPattern(context, list, 'subject');
    // "armor" is a figure of the player rather than something in hand.
    const areItems = any?.every(({ words }) =>
      words?.every((id) => context.dictionary.isA(id, 'item', 'object') && !context.dictionary.find(id, 'property')),
    );
    if (!any || !areItems) continue;
    return {
      property: ['weapon'],
      to: { any },
      end: phrase === undefined ? list.end : context.skip(list.end, phrase)!,
    };
  }
  return undefined;
}

function parseScopeFilter(context: ParseContext, at: number): Filter | undefined {
  const sources = new Set(context.dictionary.sources.map(({ name }) => name));
  const { sessions } = context;
  for (const preposition of ['in', 'of', 'during', 'from', 'on']) {
    const next = context.skip(at, preposition);
    if (next === undefined) continue;
    for (const key of ['session', 'game'] as const) {
      const name = context.skip(next, key) ?? context.skip(next, `the ${key}`);
      if (name === undefined) continue;
      const token = context.tokens[name];
      if (token && token.kind !== 'mark' && token.kind !== 'possessive') return parseNames(context, key, name);
      context.expect(name, `the name of a ${key}`);
    }
    const word = context.wordAt(next);
    // "in arena": a place, if the logs mention one.
    const isWord = (): boolean =>
      context.lexicon.knows(word!) && findWordsByName(context.dictionary, word!).some((each) => context.mentions(each));
    if (word !== undefined && sessions.has(word) && !isWord()) return parseNames(context, 'session', next, sessions);
    if (word !== undefined && word !== 'common' && sources.has(word)) return parseNames(context, 'game', next, sources);
  }
  return undefined;
}

/** Parses a list of names, only those in `known` if given. */
function parseNames(
  context: ParseContext,
  key: 'game' | 'session',
  at: number,
  known?: Pick<ReadonlySet<string>, 'has'>,
): Filter {
  const names = [context.tokens[at]!.text];
  let end = at + 1;
  for (;;) {
    const next = skipListSeparator(context, end);
    const token = next === undefined ? undefined : context.tokens[next];
    if (!token || token.kind === 'mark' || (known && !known.has(token.lower))) break;
    names.push(token.text);
    end = next! + 1;
  }
  return { condition: key === 'game' ? { game: names.map((name) => name.toLowerCase()) } : { session: names }, end };
}

const confidencePhrases = ['with confidence', 'with a confidence', 'at confidence', 'confidence'];

function parseConfidenceFilter(context: ParseContext, at: number): Filter | undefined {
  const phrase = confidencePhrases.find((each) => context.skip(at, each) !== undefined);
  if (phrase === undefined) return undefined;
  const next = context.skip(at, phrase)!;
  const comparison = parseComparison(context, context.skip(next, 'of') ?? next);
  return comparison && { condition: { confidence: comparison.range }, end: comparison.end };
}
