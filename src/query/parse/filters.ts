import { parseComparison } from '../../dictionary/sentences/noun-phrases.ts';
import type { ParseContext } from '../../dictionary/sentences/parse-context.ts';
import type { Condition } from '../query.ts';
import { durationAt, timeAt } from './phrases.ts';

export interface ReadCondition {
  readonly condition: Condition;
  readonly end: number;
  readonly cost: number;
}

/** A restriction that may follow any condition: "between 2:00 and 5:00", "in the last minute", "in openarena", "in session x". */
export function filterAt(context: ParseContext, at: number): ReadCondition | undefined {
  return timeFilter(context, at) ?? scopeFilter(context, at) ?? confidenceFilter(context, at);
}

function timeFilter(context: ParseContext, at: number): ReadCondition | undefined {
  const pair =
    pairOf(context, at, 'between', 'and') ?? pairOf(context, at, 'from', 'to') ?? pairOf(context, at, 'from', 'until');
  if (pair) return pair;
  for (const [word, key] of [
    ['after', 'from'],
    ['since', 'from'],
    ['from', 'from'],
    ['before', 'to'],
    ['until', 'to'],
  ] as const) {
    const behind = context.skip(at, word);
    const time = behind === undefined ? undefined : timeAt(context, behind);
    if (time) return { condition: { time: { [key]: time.seconds } }, end: time.end, cost: 0 };
    if (behind !== undefined) context.expect(behind, 'a time such as 2:00');
  }
  for (const [word, reach] of [
    ['at', { before: 0, after: 1 }],
    ['around', { before: aroundSeconds, after: aroundSeconds }],
    ['about', { before: aroundSeconds, after: aroundSeconds }],
  ] as const) {
    const behind = context.skip(at, word);
    const time = behind === undefined ? undefined : timeAt(context, behind);
    if (!time || !Number.isFinite(time.seconds)) continue;
    const stretch = { from: Math.max(0, time.seconds - reach.before), to: time.seconds + reach.after };
    return { condition: { time: stretch }, end: time.end, cost: 0 };
  }
  return endFilter(context, at);
}

/** How far from a point of time "around" it reaches. */
const aroundSeconds = 5;

/** "in the last minute", "during the first 30 s", "last minute". */
function endFilter(context: ParseContext, at: number): ReadCondition | undefined {
  const preposition = ['in', 'within', 'during', 'over', 'of'].includes(context.wordAt(at) ?? '') ? at + 1 : at;
  const from = context.wordAt(preposition) === 'the' ? preposition + 1 : preposition;
  const key = { last: 'last', final: 'last', first: 'first' }[context.wordAt(from) ?? ''];
  const length = key === undefined ? undefined : durationAt(context, from + 1);
  return length && { condition: { time: { [key!]: length.seconds } }, end: length.end, cost: 0 };
}

function pairOf(context: ParseContext, at: number, first: string, second: string): ReadCondition | undefined {
  const behind = context.skip(at, first);
  const from = behind === undefined ? undefined : timeAt(context, behind);
  const middle = from && context.skip(from.end, second);
  if (from && middle === undefined) context.expect(from.end, `"${second}"`);
  const to = middle === undefined ? undefined : timeAt(context, middle);
  return from && to ? { condition: { time: { from: from.seconds, to: to.seconds } }, end: to.end, cost: 0 } : undefined;
}

function scopeFilter(context: ParseContext, at: number): ReadCondition | undefined {
  for (const preposition of ['in', 'of', 'during', 'from']) {
    const behind = context.skip(at, preposition);
    if (behind === undefined) continue;
    for (const key of ['session', 'game'] as const) {
      const name = context.skip(behind, key) ?? context.skip(behind, `the ${key}`);
      const token = name === undefined ? undefined : context.tokens[name];
      if (token && token.kind !== 'mark' && token.kind !== 'possessive') return listed(context, key, name!);
      if (name !== undefined) context.expect(name, `the name of a ${key}`);
    }
    const game = context.dictionary.sources.find(
      (source) => source.name !== 'common' && source.name === context.wordAt(behind),
    );
    if (game) return listed(context, 'game', behind, new Set(context.dictionary.sources.map((source) => source.name)));
  }
  return undefined;
}

/** Names at `at`, separated by ",", "or"; of `known` only, if given. */
function listed(
  context: ParseContext,
  key: 'game' | 'session',
  at: number,
  known?: ReadonlySet<string>,
): ReadCondition {
  const names = [context.tokens[at]!.text];
  let end = at + 1;
  for (;;) {
    let next = end;
    if (context.wordAt(next) === ',') next++;
    if (context.wordAt(next) === 'or') next++;
    const token = context.tokens[next];
    if (next === end || !token || token.kind === 'mark' || (known && !known.has(token.lower))) break;
    names.push(token.text);
    end = next + 1;
  }
  const condition: Condition = key === 'game' ? { game: names.map((name) => name.toLowerCase()) } : { session: names };
  return { condition, end, cost: 0 };
}

function confidenceFilter(context: ParseContext, at: number): ReadCondition | undefined {
  const behind =
    context.skip(at, 'with confidence') ??
    context.skip(at, 'with a confidence') ??
    context.skip(at, 'at confidence') ??
    context.skip(at, 'confidence');
  if (behind === undefined) return undefined;
  const compared = parseComparison(context, context.wordAt(behind) === 'of' ? behind + 1 : behind);
  return compared && { condition: { confidence: compared.range }, end: compared.end, cost: 0 };
}
