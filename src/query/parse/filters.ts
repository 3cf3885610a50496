import { parseComparison } from '../../dictionary/sentences/noun-phrases.ts';
import { skipListSeparator } from '../../dictionary/sentences/action-clauses.ts';
import type { ParseContext } from '../../dictionary/sentences/parse-context.ts';
import { numberValue } from '../../dictionary/sentences/tokenize.ts';
import { parseTime as parseClock } from '../../time.ts';
import type { Condition } from '../query.ts';

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
  const found = parseTimeFilter(context, at) ?? parseScopeFilter(context, at) ?? parseConfidenceFilter(context, at);
  return found && { ...found, cost: 0 };
}

type Filter = Omit<ParsedCondition, 'cost'>;

function parseTimeFilter(context: ParseContext, at: number): Filter | undefined {
  const interval =
    parseInterval(context, at, 'between', 'and') ??
    parseInterval(context, at, 'from', 'to') ??
    parseInterval(context, at, 'from', 'until');
  if (interval) return interval;
  for (const [preposition, bound] of boundPrepositions) {
    const next = context.skip(at, preposition);
    const time = next === undefined ? undefined : parseTime(context, next);
    if (time) return { condition: { time: { [bound]: time.seconds } }, end: time.end };
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
  return parseEdgeFilter(context, at);
}

const boundPrepositions = [
  ['after', 'from'],
  ['since', 'from'],
  ['from', 'from'],
  ['before', 'to'],
  ['until', 'to'],
] as const;

const aroundSeconds = 5;

/** Prepositions of a point in time, with the seconds before and after it that they include. */
const pointPrepositions = [
  ['at', 0, 1],
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
  const from = afterFirst === undefined ? undefined : parseTime(context, afterFirst);
  const afterSecond = from && context.skip(from.end, second);
  if (from && afterSecond === undefined) context.expect(from.end, `"${second}"`);
  const to = afterSecond === undefined ? undefined : parseTime(context, afterSecond);
  return from && to && { condition: { time: { from: from.seconds, to: to.seconds } }, end: to.end };
}

const secondsPerUnit: Readonly<Record<string, number>> = {
  ...Object.fromEntries(['ms', 'millisecond', 'milliseconds'].map((unit) => [unit, 0.001])),
  ...Object.fromEntries(['s', 'sec', 'secs', 'second', 'seconds'].map((unit) => [unit, 1])),
  ...Object.fromEntries(['m', 'min', 'mins', 'minute', 'minutes'].map((unit) => [unit, 60])),
  ...Object.fromEntries(['h', 'hour', 'hours'].map((unit) => [unit, 3600])),
};

/** Parses a duration: "10 s", "4 seconds", "a minute", "minute", "1:30". */
export function parseDuration(context: ParseContext, at: number): ParsedSeconds | undefined {
  const word = context.wordAt(at);
  if (word === undefined) return undefined;
  const number = numberValue(context.tokens[at]);
  const nextUnit = secondsPerUnit[context.wordAt(at + 1) ?? ''];
  if (number !== undefined && nextUnit !== undefined) return { seconds: number * nextUnit, end: at + 2 };
  const unit = word.length > 1 ? secondsPerUnit[word] : undefined;
  if (number === undefined && unit !== undefined) return { seconds: unit, end: at + 1 };
  if (word === 'a' && nextUnit !== undefined) return { seconds: nextUnit, end: at + 2 };
  const seconds = parseClock(word);
  return seconds === undefined ? undefined : { seconds, end: at + 1 };
}

/** Parses a point in time: "2:00", "90s", "90 s", "the start", "the end" (infinite). */
function parseTime(context: ParseContext, at: number): ParsedSeconds | undefined {
  const start = context.skip(at, 'the start') ?? context.skip(at, 'start');
  if (start !== undefined) return { seconds: 0, end: start };
  const end = context.skip(at, 'the end') ?? context.skip(at, 'end');
  if (end !== undefined) return { seconds: Number.POSITIVE_INFINITY, end };
  const number = numberValue(context.tokens[at]);
  if (number === undefined && !/^\d/.test(context.wordAt(at) ?? '')) return undefined;
  const time = parseDuration(context, at);
  // A number without a unit is a value: "drops from 60".
  return time?.end === at + 1 && number !== undefined ? undefined : time;
}

function parseScopeFilter(context: ParseContext, at: number): Filter | undefined {
  const sources = new Set(context.dictionary.sources.map(({ name }) => name));
  for (const preposition of ['in', 'of', 'during', 'from']) {
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
    if (word !== undefined && word !== 'common' && sources.has(word)) return parseNames(context, 'game', next, sources);
  }
  return undefined;
}

/** Parses a list of names, only those in `known` if given. */
function parseNames(context: ParseContext, key: 'game' | 'session', at: number, known?: ReadonlySet<string>): Filter {
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
