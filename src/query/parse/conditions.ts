import type { Dictionary } from '../../dictionary/dictionary.ts';
import { pluralOf } from '../../dictionary/inflection.ts';
import { maxTokens, Reader } from '../../dictionary/sentences/parse-context.ts';
import { misunderstood, type TextIssue } from '../../dictionary/sentences/parse.ts';
import { numberOf } from '../../dictionary/sentences/tokenize.ts';
import type { ActionPattern, Condition, Query } from '../query.ts';
import { placed } from '../source-spans.ts';
import { filterAt, type ReadCondition } from './filters.ts';
import { assemble, headAt, tailAt } from './parse-query.ts';
import { patternsAt, withoutAt } from './patterns.ts';
import { durationAt } from './phrases.ts';
import { arranged, unanswered } from './questions.ts';
import { lacksSubject, shareSubject, tieSame } from './references.ts';
import { misfitIn } from './slot-compatibility.ts';

export interface ReadQuery {
  readonly query: Query | undefined;
  readonly issues: readonly TextIssue[];
}

const maxDepth = 20;

/** Reads a query sentence; docs/query.md has the grammar. */
export function readQuery(sentence: string, dictionary: Dictionary, game?: string): ReadQuery {
  const reader = new Reader(sentence, dictionary, { game, lists: true, arrange: arranged });
  const all = { start: 0, end: sentence.length };
  if (reader.tokens.length === 0)
    return {
      query: undefined,
      issues: [
        { code: 'empty-sentence', message: 'the query is empty', hint: 'for example: player kills opponent', ...all },
      ],
    };
  if (reader.tokens.length > maxTokens)
    return {
      query: undefined,
      issues: [{ code: 'sentence-too-long', message: `a query has at most ${maxTokens} words`, ...all }],
    };
  const head = headAt(reader);
  const found: { query: Query; cost: number }[] = [];
  for (const read of disjunctions(reader, head.end, 0)) {
    const tail = tailAt(reader, read.end, head.count !== undefined);
    if (tail && tail.end === reader.tokens.length)
      found.push({ query: assemble(head, read.condition, tail.by), cost: read.cost + tail.cost });
  }
  if (reader.exhausted)
    return {
      query: undefined,
      issues: [
        {
          code: 'sentence-too-complex',
          message: 'the query has too many possible readings',
          hint: 'use brackets, or put names in quotes',
          ...all,
        },
      ],
    };
  if (found.length === 0) return { query: undefined, issues: [unanswered(reader) ?? misunderstood(reader)] };
  const chosen = found.reduce((a, b) => (b.cost < a.cost ? b : a));
  const misfit = misfitIn(reader, chosen.query.find);
  return misfit ? { query: undefined, issues: [misfit] } : { query: chosen.query, issues: [] };
}

/** Most readings of one stretch that are all meant: more are ways to cut a long list. */
const maxReadings = 12;

/** The cheapest reading for each extent; readings that cost the same are all meant. */
function best(reads: readonly ReadCondition[]): ReadCondition[] {
  return [...Map.groupBy(reads, (read) => read.end).values()].map((same) => {
    const cost = Math.min(...same.map((read) => read.cost));
    const cheapest = same.filter((read) => read.cost === cost).map((read) => read.condition);
    if (cheapest.length === 1) return { condition: cheapest[0]!, end: same[0]!.end, cost };
    const once = new Map<string, Condition>();
    // "attacks", the verb, may still be given a subject; "attacks", the happenings, may not.
    for (const condition of cheapest.slice(0, maxReadings)) {
      const key = JSON.stringify(condition);
      if (!once.has(key) || lacksSubject(condition)) once.set(key, condition);
    }
    const conditions = [...once.values()];
    return { condition: conditions.length === 1 ? conditions[0]! : { any: conditions }, end: same[0]!.end, cost };
  });
}

function disjunctions(reader: Reader, at: number, depth: number): ReadCondition[] {
  if (depth > maxDepth) return [];
  return reader.memo(`or ${at} ${depth}`, () =>
    joined(
      reader,
      conjunctions(reader, at, depth),
      ['or', ', or', ','],
      (next) => conjunctions(reader, next, depth),
      either,
    ),
  );
}

function either(a: Condition, b: Condition): Condition {
  return { any: [...('any' in a && !('words' in a) ? (a.any as readonly Condition[]) : [a]), b] };
}

function both(a: Condition, b: Condition): Condition {
  return { all: [...('all' in a ? a.all : [a]), b] };
}

function joined(
  reader: Reader,
  first: readonly ReadCondition[],
  words: readonly string[],
  read: (at: number) => readonly ReadCondition[],
  join: (a: Condition, b: Condition) => Condition,
): ReadCondition[] {
  // Extent by extent, each with its cheapest reading: long lists take their square, not their cube.
  const byEnd = Map.groupBy(first, (reading) => reading.end);
  for (let end = 0; end <= reader.tokens.length; end++) {
    const [left] = best(byEnd.get(end) ?? []);
    if (!left) continue;
    byEnd.set(end, [left]);
    for (const word of words) {
      const behind = reader.phrase(end, word);
      // A comma alone parts happenings ("kills, deaths"); things parted by it are a list already.
      if (behind === undefined || (word === ',' && !verbal(left.condition)) || !reader.step()) continue;
      for (const right of read(behind)) {
        const condition = join(left.condition, shareSubject(left.condition, right.condition));
        // A list binds tighter: "opponent kills or hurts player" has one object for both verbs.
        const longer = { condition, end: right.end, cost: left.cost + right.cost + 1 };
        byEnd.set(right.end, [...(byEnd.get(right.end) ?? []), longer]);
      }
    }
  }
  return [...byEnd.values()].flat();
}

function conjunctions(reader: Reader, at: number, depth: number): ReadCondition[] {
  return reader.memo(`and ${at} ${depth}`, () => {
    const plain = joined(
      reader,
      chains(reader, at, depth),
      ['and', 'but'],
      (next) => chains(reader, next, depth),
      together,
    );
    return joined(
      reader,
      plain,
      ['except', 'excluding', 'unless', 'other than'],
      (next) => chains(reader, next, depth),
      (a, b) => both(a, { not: b }),
    );
  });
}

/** "kills and deaths" can only mean either, because no event is both; of conditions that can hold together, "and" wants both. */
function together(a: Condition, b: Condition): Condition {
  return verbal(a) && verbal(b) ? either(a, b) : both(a, b);
}

function verbal(condition: Condition): boolean {
  if ('any' in condition && !('action' in condition)) return condition.any.every((each) => verbal(each as Condition));
  return (
    ('action' in condition && (condition as ActionPattern).action.length > 0) ||
    'property' in condition ||
    'event' in condition ||
    'sequence' in condition
  );
}

/** Order and distance: "followed by", "then", "within 10 s after", "after", "before". */
function chains(reader: Reader, at: number, depth: number): ReadCondition[] {
  return reader.memo(`chain ${at} ${depth}`, () => {
    const all = [...units(reader, at, depth)];
    const sequences = all.flatMap((first) => sequenceFrom(reader, [first], depth));
    const near = all.flatMap((first) => nearFrom(reader, first, depth));
    return best([...all, ...sequences, ...near, ...repeated(reader, at, depth)]);
  });
}

const thens = ['followed by', 'and then', ', then', 'then'];

function sequenceFrom(reader: Reader, steps: readonly ReadCondition[], depth: number): ReadCondition[] {
  const last = steps.at(-1)!;
  const found: ReadCondition[] = [];
  const word = thens.find((each) => reader.phrase(last.end, each) !== undefined);
  if (word !== undefined && reader.step()) {
    for (const next of units(reader, reader.phrase(last.end, word)!, depth)) {
      const condition = shareSubject(last.condition, next.condition, word === 'followed by');
      found.push(...sequenceFrom(reader, [...steps, { ...next, condition }], depth));
    }
  }
  if (steps.length > 1) {
    const cost = steps.reduce((sum, step) => sum + step.cost, 0);
    const sequence = tieSame(steps.map(({ condition }) => condition));
    found.push({ condition: { sequence }, end: last.end, cost });
    const within = limitAt(reader, last.end);
    if (within)
      found.push({
        condition: { sequence, ...(within.total ? { span: within.seconds } : { within: within.seconds }) },
        end: within.end,
        cost,
      });
  }
  return found;
}

/** "within 4 s", "within 10 s in total". */
function limitAt(reader: Reader, at: number): { seconds: number; end: number; total: boolean } | undefined {
  const behind = reader.phrase(at, 'within') ?? reader.phrase(at, 'in under') ?? reader.phrase(at, 'in less than');
  const length = behind === undefined ? undefined : durationAt(reader, behind);
  if (!length) return undefined;
  const total = reader.phrase(length.end, 'in total') ?? reader.phrase(length.end, 'altogether');
  return { seconds: length.seconds, end: total ?? length.end, total: total !== undefined };
}

/** "3 kills within 10 s": so many in a row, from the first to the last within that time. */
function repeated(reader: Reader, at: number, depth: number): ReadCondition[] {
  const count = smallNumber(reader, at);
  if (count === undefined) return [];
  return units(reader, at + 1, depth).flatMap((unit) => {
    if (!verbal(unit.condition)) return [];
    const inside = reader.phrase(unit.end, 'in') ?? reader.phrase(unit.end, 'within');
    const length = inside === undefined ? undefined : durationAt(reader, inside);
    if (!length) {
      reader.expect(unit.end, '"within" and a time');
      return [];
    }
    const sequence = Array.from({ length: count }, () => unit.condition);
    return [{ condition: { sequence, span: length.seconds }, end: length.end, cost: unit.cost }];
  });
}

const numberWords = ['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

function smallNumber(reader: Reader, at: number): number | undefined {
  const word = numberWords.indexOf(reader.lower(at) ?? '');
  const count = word >= 0 ? word + 2 : numberOf(reader.tokens[at]);
  return count !== undefined && Number.isInteger(count) && count >= 2 && count <= 10 ? count : undefined;
}

const sides = [
  ['after', 'after'],
  ['before', 'before'],
  ['of', 'around'],
] as const;

function nearFrom(reader: Reader, first: ReadCondition, depth: number): ReadCondition[] {
  const found: ReadCondition[] = [];
  const limit = limitAt(reader, first.end);
  const absent = reader.phrase(first.end, 'without');
  for (const [word, side] of sides) {
    const behind = reader.phrase(limit?.end ?? first.end, word);
    if (behind === undefined || (side === 'around' && !limit) || !reader.step()) continue;
    for (const other of units(reader, behind, depth)) {
      const late = limit ? undefined : limitAt(reader, other.end);
      const cost = first.cost + other.cost;
      const near = { find: first.condition, near: shareSubject(first.condition, other.condition, true), side };
      if (limit) found.push({ condition: { ...near, within: limit.seconds }, end: other.end, cost });
      else if (late) found.push({ condition: { ...near, within: late.seconds }, end: late.end, cost });
      else found.push({ condition: near, end: other.end, cost });
    }
  }
  if (absent !== undefined) {
    for (const other of units(reader, absent, depth)) {
      const late = limitAt(reader, other.end);
      if (!late) continue;
      const side = reader.lower(late.end) === 'before' ? 'after' : 'before';
      const end = ['after', 'before'].includes(reader.lower(late.end) ?? '') ? late.end + 1 : late.end;
      found.push({
        condition: { find: first.condition, near: other.condition, side, within: late.seconds, absent: true },
        end,
        cost: first.cost + other.cost,
      });
    }
  }
  return found;
}

/** A pattern, a filter, something in brackets or "not" one of them, with the filters that follow. */
function units(reader: Reader, at: number, depth: number): ReadCondition[] {
  if (depth > maxDepth || !reader.step()) return [];
  return reader.memo(`unit ${at} ${depth}`, () => {
    const found: ReadCondition[] = [];
    const not = reader.phrase(at, 'not');
    if (not !== undefined)
      found.push(...units(reader, not, depth + 1).map((read) => ({ ...read, condition: { not: read.condition } })));
    if (reader.lower(at) === '(') {
      for (const inner of disjunctions(reader, at + 1, depth + 1)) {
        if (reader.lower(inner.end) === ')') found.push({ ...inner, end: inner.end + 1 });
        else reader.expect(inner.end, '")"');
      }
    }
    found.push(...composites(reader, at), ...patternsAt(reader, at));
    const filter = filterAt(reader, at);
    if (filter) found.push(filter);
    return filtered(reader, best(found), depth);
  });
}

/** A composite event by its name; an object of that name ("player achieves double kill") says the same. */
function composites(reader: Reader, at: number): ReadCondition[] {
  return reader.dictionary.events.flatMap((event) => {
    const name = event.name.toLowerCase();
    const end = reader.phrase(at, pluralOf(name)) ?? reader.phrase(at, name);
    if (end === undefined) return [];
    const object = reader.dictionary.find(event.id, 'object');
    const ids = placed([event.id], reader, { start: at, end });
    const words = object && placed([object.id], reader, { start: at, end });
    const found: Condition = { event: ids };
    const condition = words ? { any: [found, { mentions: { any: [{ words }] } }] } : found;
    return [{ condition, end, cost: 1 }];
  });
}

/** Adds the restrictions that stand behind a unit without "and". */
function filtered(reader: Reader, reads: readonly ReadCondition[], depth: number): ReadCondition[] {
  const all = [...reads];
  let open: readonly ReadCondition[] = reads;
  while (open.length > 0) {
    const longer: ReadCondition[] = [];
    for (const read of open) {
      if (!reader.step()) return all;
      const filter = filterAt(reader, read.end);
      if (filter)
        longer.push({
          condition: both(read.condition, filter.condition),
          end: filter.end,
          cost: read.cost + filter.cost,
        });
      for (const other of withoutAt(reader, read.end)) {
        longer.push({ condition: both(read.condition, other.condition), end: other.end, cost: read.cost + other.cost });
      }
      const not = reader.phrase(read.end, 'not');
      if (not !== undefined && depth < maxDepth) {
        for (const other of patternsAt(reader, not)) {
          if (verbal(other.condition)) continue;
          longer.push({
            condition: both(read.condition, { not: other.condition }),
            end: other.end,
            cost: read.cost + other.cost,
          });
        }
      }
    }
    open = best(longer);
    all.push(...open);
  }
  return best(all);
}
