import type { NounList, NounListParser } from '../../dictionary/sentences/action-clauses.ts';
import { type NounPhrase, parseNouns } from '../../dictionary/sentences/noun-phrases.ts';
import type { ParseContext } from '../../dictionary/sentences/parse-context.ts';
import { numberValue } from '../../dictionary/sentences/tokenize.ts';
import { parseTime } from '../../time.ts';

const exceptions = ['except for', 'except', 'but not', 'other than', 'excluding'];

/** Nouns as queries have them: lists ("railgun, shotgun or laser") with exceptions ("any weapon except railgun"). */
export const nounLists: NounListParser = (context, at, kind) =>
  context.memoize(`nouns ${kind} ${at}`, () => {
    const lists = alternatives(context, at, kind);
    return lists.flatMap((list) => [list, ...excepted(context, at, list, kind)]);
  });

/** Most nouns in one list. */
const maxNouns = 60;

function alternatives(context: ParseContext, at: number, kind: 'object' | 'property'): NounList[] {
  const all: NounList[] = parseNouns(context, at, kind).map((noun) => listOf([noun]));
  let open: readonly NounList[] = all.slice();
  while (open.length > 0) {
    const longer: NounList[] = [];
    for (const list of open) {
      if (!context.takeStep() || list.any.length >= maxNouns) return all;
      const next = behindSeparator(context, list.end);
      if (next !== undefined)
        for (const noun of parseNouns(context, next, kind)) longer.push(listOf([...list.any, noun]));
    }
    // One list per extent: the cheapest.
    open = [...Map.groupBy(longer, (list) => list.end).values()].map((same) =>
      same.reduce((a, b) => (b.cost < a.cost ? b : a)),
    );
    all.push(...open);
  }
  return all;
}

/** Index behind ",", "or" or ", or" at `at`; a repeated preposition is passed over ("with railgun or with laser"). */
function behindSeparator(context: ParseContext, at: number): number | undefined {
  let next = at;
  if (context.wordAt(next) === ',') next++;
  if (context.wordAt(next) === 'or') next++;
  if (next === at) return undefined;
  return context.wordAt(next) === 'with' && context.wordAt(next - 1) === 'or' ? next + 1 : next;
}

function listOf(any: readonly NounPhrase[]): NounList {
  return { any, except: [], end: any.at(-1)!.end, cost: any.reduce((sum, noun) => sum + noun.cost, 0) };
}

function excepted(context: ParseContext, at: number, list: NounList, kind: 'object' | 'property'): NounList[] {
  for (const phrase of exceptions) {
    const behind = context.skip(list.end, phrase);
    if (behind === undefined) continue;
    // "with any weapon except with railgun"; "opponent except with railgun" excludes no opponent.
    const again = context.wordAt(behind) === 'with' && context.wordAt(at - 1) === 'with';
    const from = again ? behind + 1 : behind;
    return alternatives(context, from, kind).map((without) => ({
      any: list.any,
      except: without.any,
      end: without.end,
      cost: list.cost + without.cost,
    }));
  }
  return [];
}

const units: Readonly<Record<string, number>> = {
  ms: 0.001,
  millisecond: 0.001,
  milliseconds: 0.001,
  s: 1,
  sec: 1,
  secs: 1,
  second: 1,
  seconds: 1,
  m: 60,
  min: 60,
  mins: 60,
  minute: 60,
  minutes: 60,
  h: 3600,
  hour: 3600,
  hours: 3600,
};

/** A length of time at `at`: "10 s", "4 seconds", "1m30s", "minute" (one of them), "1:30". */
export function durationAt(context: ParseContext, at: number): { seconds: number; end: number } | undefined {
  const lower = context.wordAt(at);
  if (lower === undefined) return undefined;
  const unit = context.wordAt(at + 1);
  const number = numberValue(context.tokens[at]);
  if (number !== undefined && unit !== undefined && units[unit] !== undefined)
    return { seconds: number * units[unit], end: at + 2 };
  if (number === undefined && lower !== 's' && lower !== 'm' && lower !== 'h' && units[lower] !== undefined)
    return { seconds: units[lower], end: at + 1 };
  if (lower === 'a' || lower === 'one') {
    if (unit !== undefined && units[unit] !== undefined) return { seconds: units[unit], end: at + 2 };
  }
  const seconds = parseTime(lower);
  return seconds === undefined ? undefined : { seconds, end: at + 1 };
}

/** A point in time at `at`: "2:00", "90s", "90 s", "0", "the start", "the end" (infinite). */
export function timeAt(context: ParseContext, at: number): { seconds: number; end: number } | undefined {
  const start = context.skip(at, 'the start') ?? context.skip(at, 'start');
  if (start !== undefined) return { seconds: 0, end: start };
  const stop = context.skip(at, 'the end') ?? context.skip(at, 'end');
  if (stop !== undefined) return { seconds: Number.POSITIVE_INFINITY, end: stop };
  const lower = context.wordAt(at) ?? '';
  // A bare number is no time: "drops from 60" speaks of a value.
  const number = numberValue(context.tokens[at]);
  const time = /^\d/.test(lower) || number !== undefined ? durationAt(context, at) : undefined;
  return time && time.end === at + 1 && number !== undefined ? undefined : time;
}
