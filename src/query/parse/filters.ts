import { comparisonAt } from '../../dictionary/sentences/noun-phrases.ts';
import type { Reader } from '../../dictionary/sentences/parse-context.ts';
import type { Condition } from '../query.ts';
import { durationAt, timeAt } from './phrases.ts';

export interface ReadCondition {
  readonly condition: Condition;
  readonly end: number;
  readonly cost: number;
}

/** A restriction that may follow any condition: "between 2:00 and 5:00", "in the last minute", "in openarena", "in session x". */
export function filterAt(reader: Reader, at: number): ReadCondition | undefined {
  return timeFilter(reader, at) ?? scopeFilter(reader, at) ?? confidenceFilter(reader, at);
}

function timeFilter(reader: Reader, at: number): ReadCondition | undefined {
  const pair =
    pairOf(reader, at, 'between', 'and') ?? pairOf(reader, at, 'from', 'to') ?? pairOf(reader, at, 'from', 'until');
  if (pair) return pair;
  for (const [word, key] of [
    ['after', 'from'],
    ['since', 'from'],
    ['from', 'from'],
    ['before', 'to'],
    ['until', 'to'],
  ] as const) {
    const behind = reader.phrase(at, word);
    const time = behind === undefined ? undefined : timeAt(reader, behind);
    if (time) return { condition: { time: { [key]: time.seconds } }, end: time.end, cost: 0 };
    if (behind !== undefined) reader.expect(behind, 'a time such as 2:00');
  }
  for (const [word, reach] of [
    ['at', { before: 0, after: 1 }],
    ['around', { before: aroundSeconds, after: aroundSeconds }],
    ['about', { before: aroundSeconds, after: aroundSeconds }],
  ] as const) {
    const behind = reader.phrase(at, word);
    const time = behind === undefined ? undefined : timeAt(reader, behind);
    if (!time || !Number.isFinite(time.seconds)) continue;
    const stretch = { from: Math.max(0, time.seconds - reach.before), to: time.seconds + reach.after };
    return { condition: { time: stretch }, end: time.end, cost: 0 };
  }
  return endFilter(reader, at);
}

/** How far from a point of time "around" it reaches. */
const aroundSeconds = 5;

/** "in the last minute", "during the first 30 s", "last minute". */
function endFilter(reader: Reader, at: number): ReadCondition | undefined {
  const preposition = ['in', 'within', 'during', 'over', 'of'].includes(reader.lower(at) ?? '') ? at + 1 : at;
  const from = reader.lower(preposition) === 'the' ? preposition + 1 : preposition;
  const key = { last: 'last', final: 'last', first: 'first' }[reader.lower(from) ?? ''];
  const length = key === undefined ? undefined : durationAt(reader, from + 1);
  return length && { condition: { time: { [key!]: length.seconds } }, end: length.end, cost: 0 };
}

function pairOf(reader: Reader, at: number, first: string, second: string): ReadCondition | undefined {
  const behind = reader.phrase(at, first);
  const from = behind === undefined ? undefined : timeAt(reader, behind);
  const middle = from && reader.phrase(from.end, second);
  if (from && middle === undefined) reader.expect(from.end, `"${second}"`);
  const to = middle === undefined ? undefined : timeAt(reader, middle);
  return from && to ? { condition: { time: { from: from.seconds, to: to.seconds } }, end: to.end, cost: 0 } : undefined;
}

function scopeFilter(reader: Reader, at: number): ReadCondition | undefined {
  for (const preposition of ['in', 'of', 'during', 'from']) {
    const behind = reader.phrase(at, preposition);
    if (behind === undefined) continue;
    for (const key of ['session', 'game'] as const) {
      const name = reader.phrase(behind, key) ?? reader.phrase(behind, `the ${key}`);
      const token = name === undefined ? undefined : reader.tokens[name];
      if (token && token.kind !== 'mark' && token.kind !== 'possessive') return listed(reader, key, name!);
      if (name !== undefined) reader.expect(name, `the name of a ${key}`);
    }
    const game = reader.dictionary.sources.find(
      (source) => source.name !== 'common' && source.name === reader.lower(behind),
    );
    if (game) return listed(reader, 'game', behind, new Set(reader.dictionary.sources.map((source) => source.name)));
  }
  return undefined;
}

/** Names at `at`, separated by ",", "or"; of `known` only, if given. */
function listed(reader: Reader, key: 'game' | 'session', at: number, known?: ReadonlySet<string>): ReadCondition {
  const names = [reader.tokens[at]!.text];
  let end = at + 1;
  for (;;) {
    let next = end;
    if (reader.lower(next) === ',') next++;
    if (reader.lower(next) === 'or') next++;
    const token = reader.tokens[next];
    if (next === end || !token || token.kind === 'mark' || (known && !known.has(token.lower))) break;
    names.push(token.text);
    end = next + 1;
  }
  const condition: Condition = key === 'game' ? { game: names.map((name) => name.toLowerCase()) } : { session: names };
  return { condition, end, cost: 0 };
}

function confidenceFilter(reader: Reader, at: number): ReadCondition | undefined {
  const behind =
    reader.phrase(at, 'with confidence') ??
    reader.phrase(at, 'with a confidence') ??
    reader.phrase(at, 'at confidence') ??
    reader.phrase(at, 'confidence');
  if (behind === undefined) return undefined;
  const compared = comparisonAt(reader, reader.lower(behind) === 'of' ? behind + 1 : behind);
  return compared && { condition: { confidence: compared.range }, end: compared.end, cost: 0 };
}
