import type { NounList, NounReader } from '../../dictionary/sentences/action-clauses.ts';
import { type Noun, nounsAt } from '../../dictionary/sentences/noun-phrases.ts';
import type { Reader } from '../../dictionary/sentences/parse-context.ts';
import { numberOf } from '../../dictionary/sentences/tokenize.ts';
import { parseTime } from '../../time.ts';

const exceptions = ['except for', 'except', 'but not', 'other than', 'excluding'];

/** Nouns as queries have them: lists ("railgun, shotgun or laser") with exceptions ("any weapon except railgun"). */
export const nounLists: NounReader = (reader, at, kind) =>
  reader.memo(`nouns ${kind} ${at}`, () => {
    const lists = alternatives(reader, at, kind);
    return lists.flatMap((list) => [list, ...excepted(reader, at, list, kind)]);
  });

/** Most nouns in one list. */
const maxNouns = 60;

function alternatives(reader: Reader, at: number, kind: 'object' | 'property'): NounList[] {
  const all: NounList[] = nounsAt(reader, at, kind).map((noun) => listOf([noun]));
  let open: readonly NounList[] = all.slice();
  while (open.length > 0) {
    const longer: NounList[] = [];
    for (const list of open) {
      if (!reader.step() || list.any.length >= maxNouns) return all;
      const next = behindSeparator(reader, list.end);
      if (next !== undefined) for (const noun of nounsAt(reader, next, kind)) longer.push(listOf([...list.any, noun]));
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
function behindSeparator(reader: Reader, at: number): number | undefined {
  let next = at;
  if (reader.lower(next) === ',') next++;
  if (reader.lower(next) === 'or') next++;
  if (next === at) return undefined;
  return reader.lower(next) === 'with' && reader.lower(next - 1) === 'or' ? next + 1 : next;
}

function listOf(any: readonly Noun[]): NounList {
  return { any, except: [], end: any.at(-1)!.end, cost: any.reduce((sum, noun) => sum + noun.cost, 0) };
}

function excepted(reader: Reader, at: number, list: NounList, kind: 'object' | 'property'): NounList[] {
  for (const phrase of exceptions) {
    const behind = reader.phrase(list.end, phrase);
    if (behind === undefined) continue;
    // "with any weapon except with railgun"; "opponent except with railgun" excludes no opponent.
    const again = reader.lower(behind) === 'with' && reader.lower(at - 1) === 'with';
    const from = again ? behind + 1 : behind;
    return alternatives(reader, from, kind).map((without) => ({
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
export function durationAt(reader: Reader, at: number): { seconds: number; end: number } | undefined {
  const lower = reader.lower(at);
  if (lower === undefined) return undefined;
  const unit = reader.lower(at + 1);
  const number = numberOf(reader.tokens[at]);
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
export function timeAt(reader: Reader, at: number): { seconds: number; end: number } | undefined {
  const start = reader.phrase(at, 'the start') ?? reader.phrase(at, 'start');
  if (start !== undefined) return { seconds: 0, end: start };
  const stop = reader.phrase(at, 'the end') ?? reader.phrase(at, 'end');
  if (stop !== undefined) return { seconds: Number.POSITIVE_INFINITY, end: stop };
  const lower = reader.lower(at) ?? '';
  // A bare number is no time: "drops from 60" speaks of a value.
  const number = numberOf(reader.tokens[at]);
  const time = /^\d/.test(lower) || number !== undefined ? durationAt(reader, at) : undefined;
  return time && time.end === at + 1 && number !== undefined ? undefined : time;
}
