import type { Dictionary } from '../../dictionary/dictionary.ts';
import { pluralOf } from '../../dictionary/inflection.ts';
import { maxTokens, ParseContext } from '../../dictionary/sentences/parse-context.ts';
import { explainParseFailure, type SentenceIssue } from '../../dictionary/sentences/parse-errors.ts';
import { numberValue } from '../../dictionary/sentences/tokenize.ts';
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
  readonly issues: readonly SentenceIssue[];
}

const maxDepth = 20;

/** Reads a query sentence; docs/query.md has the grammar. */
export function readQuery(sentence: string, dictionary: Dictionary, game?: string): ReadQuery {
  const context = new ParseContext(sentence, dictionary, { game, isQuery: true, rearrange: arranged });
  const all = { start: 0, end: sentence.length };
  if (context.tokens.length === 0)
    return {
      query: undefined,
      issues: [
        { code: 'empty-sentence', message: 'the query is empty', hint: 'for example: player kills opponent', ...all },
      ],
    };
  if (context.tokens.length > maxTokens)
    return {
      query: undefined,
      issues: [{ code: 'sentence-too-long', message: `a query has at most ${maxTokens} words`, ...all }],
    };
  const head = headAt(context);
  const found: { query: Query; cost: number }[] = [];
  for (const read of disjunctions(context, head.end, 0)) {
    const tail = tailAt(context, read.end, head.count !== undefined);
    if (tail && tail.end === context.tokens.length)
      found.push({ query: assemble(head, read.condition, tail.by), cost: read.cost + tail.cost });
  }
  if (context.isExhausted)
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
  if (found.length === 0) return { query: undefined, issues: [unanswered(context) ?? explainParseFailure(context)] };
  const chosen = found.reduce((a, b) => (b.cost < a.cost ? b : a));
  const misfit = misfitIn(context, chosen.query.find);
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

function disjunctions(context: ParseContext, at: number, depth: number): ReadCondition[] {
  if (depth > maxDepth) return [];
  return context.memoize(`or ${at} ${depth}`, () =>
    joined(
      context,
      conjunctions(context, at, depth),
      ['or', ', or', ','],
      (next) => conjunctions(context, next, depth),
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
  context: ParseContext,
  first: readonly ReadCondition[],
  words: readonly string[],
  read: (at: number) => readonly ReadCondition[],
  join: (a: Condition, b: Condition) => Condition,
): ReadCondition[] {
  // TokenSpan by extent, each with its cheapest reading: long lists take their square, not their cube.
  const byEnd = Map.groupBy(first, (reading) => reading.end);
  for (let end = 0; end <= context.tokens.length; end++) {
    const [left] = best(byEnd.get(end) ?? []);
    if (!left) continue;
    byEnd.set(end, [left]);
    for (const word of words) {
      const behind = context.skip(end, word);
      // A comma alone parts happenings ("kills, deaths"); things parted by it are a list already.
      if (behind === undefined || (word === ',' && !verbal(left.condition)) || !context.takeStep()) continue;
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

function conjunctions(context: ParseContext, at: number, depth: number): ReadCondition[] {
  return context.memoize(`and ${at} ${depth}`, () => {
    const plain = joined(
      context,
      chains(context, at, depth),
      ['and', 'but'],
      (next) => chains(context, next, depth),
      together,
    );
    return joined(
      context,
      plain,
      ['except', 'excluding', 'unless', 'other than'],
      (next) => chains(context, next, depth),
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
function chains(context: ParseContext, at: number, depth: number): ReadCondition[] {
  return context.memoize(`chain ${at} ${depth}`, () => {
    const all = [...units(context, at, depth)];
    const sequences = all.flatMap((first) => sequenceFrom(context, [first], depth));
    const near = all.flatMap((first) => nearFrom(context, first, depth));
    return best([...all, ...sequences, ...near, ...repeated(context, at, depth)]);
  });
}

const thens = ['followed by', 'and then', ', then', 'then'];

function sequenceFrom(context: ParseContext, steps: readonly ReadCondition[], depth: number): ReadCondition[] {
  const last = steps.at(-1)!;
  const found: ReadCondition[] = [];
  const word = thens.find((each) => context.skip(last.end, each) !== undefined);
  if (word !== undefined && context.takeStep()) {
    for (const next of units(context, context.skip(last.end, word)!, depth)) {
      const condition = shareSubject(last.condition, next.condition, word === 'followed by');
      found.push(...sequenceFrom(context, [...steps, { ...next, condition }], depth));
    }
  }
  if (steps.length > 1) {
    const cost = steps.reduce((sum, step) => sum + step.cost, 0);
    const sequence = tieSame(steps.map(({ condition }) => condition));
    found.push({ condition: { sequence }, end: last.end, cost });
    const within = limitAt(context, last.end);
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
function limitAt(context: ParseContext, at: number): { seconds: number; end: number; total: boolean } | undefined {
  const behind = context.skip(at, 'within') ?? context.skip(at, 'in under') ?? context.skip(at, 'in less than');
  const length = behind === undefined ? undefined : durationAt(context, behind);
  if (!length) return undefined;
  const total = context.skip(length.end, 'in total') ?? context.skip(length.end, 'altogether');
  return { seconds: length.seconds, end: total ?? length.end, total: total !== undefined };
}

/** "3 kills within 10 s": so many in a row, from the first to the last within that time. */
function repeated(context: ParseContext, at: number, depth: number): ReadCondition[] {
  const count = smallNumber(context, at);
  if (count === undefined) return [];
  return units(context, at + 1, depth).flatMap((unit) => {
    if (!verbal(unit.condition)) return [];
    const inside = context.skip(unit.end, 'in') ?? context.skip(unit.end, 'within');
    const length = inside === undefined ? undefined : durationAt(context, inside);
    if (!length) {
      context.expect(unit.end, '"within" and a time');
      return [];
    }
    const sequence = Array.from({ length: count }, () => unit.condition);
    return [{ condition: { sequence, span: length.seconds }, end: length.end, cost: unit.cost }];
  });
}

const numberWords = ['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

function smallNumber(context: ParseContext, at: number): number | undefined {
  const word = numberWords.indexOf(context.wordAt(at) ?? '');
  const count = word >= 0 ? word + 2 : numberValue(context.tokens[at]);
  return count !== undefined && Number.isInteger(count) && count >= 2 && count <= 10 ? count : undefined;
}

const sides = [
  ['after', 'after'],
  ['before', 'before'],
  ['of', 'around'],
] as const;

function nearFrom(context: ParseContext, first: ReadCondition, depth: number): ReadCondition[] {
  const found: ReadCondition[] = [];
  const limit = limitAt(context, first.end);
  const absent = context.skip(first.end, 'without');
  for (const [word, side] of sides) {
    const behind = context.skip(limit?.end ?? first.end, word);
    if (behind === undefined || (side === 'around' && !limit) || !context.takeStep()) continue;
    for (const other of units(context, behind, depth)) {
      const late = limit ? undefined : limitAt(context, other.end);
      const cost = first.cost + other.cost;
      const near = { find: first.condition, near: shareSubject(first.condition, other.condition, true), side };
      if (limit) found.push({ condition: { ...near, within: limit.seconds }, end: other.end, cost });
      else if (late) found.push({ condition: { ...near, within: late.seconds }, end: late.end, cost });
      else found.push({ condition: near, end: other.end, cost });
    }
  }
  if (absent !== undefined) {
    for (const other of units(context, absent, depth)) {
      const late = limitAt(context, other.end);
      if (!late) continue;
      const side = context.wordAt(late.end) === 'before' ? 'after' : 'before';
      const end = ['after', 'before'].includes(context.wordAt(late.end) ?? '') ? late.end + 1 : late.end;
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
function units(context: ParseContext, at: number, depth: number): ReadCondition[] {
  if (depth > maxDepth || !context.takeStep()) return [];
  return context.memoize(`unit ${at} ${depth}`, () => {
    const found: ReadCondition[] = [];
    const not = context.skip(at, 'not');
    if (not !== undefined)
      found.push(...units(context, not, depth + 1).map((read) => ({ ...read, condition: { not: read.condition } })));
    if (context.wordAt(at) === '(') {
      for (const inner of disjunctions(context, at + 1, depth + 1)) {
        if (context.wordAt(inner.end) === ')') found.push({ ...inner, end: inner.end + 1 });
        else context.expect(inner.end, '")"');
      }
    }
    found.push(...composites(context, at), ...patternsAt(context, at));
    const filter = filterAt(context, at);
    if (filter) found.push(filter);
    return filtered(context, best(found), depth);
  });
}

/** A composite event by its name; an object of that name ("player achieves double kill") says the same. */
function composites(context: ParseContext, at: number): ReadCondition[] {
  return context.dictionary.events.flatMap((event) => {
    const name = event.name.toLowerCase();
    const end = context.skip(at, pluralOf(name)) ?? context.skip(at, name);
    if (end === undefined) return [];
    const object = context.dictionary.find(event.id, 'object');
    const ids = placed([event.id], context, { start: at, end });
    const words = object && placed([object.id], context, { start: at, end });
    const found: Condition = { event: ids };
    const condition = words ? { any: [found, { mentions: { any: [{ words }] } }] } : found;
    return [{ condition, end, cost: 1 }];
  });
}

/** Adds the restrictions that stand behind a unit without "and". */
function filtered(context: ParseContext, reads: readonly ReadCondition[], depth: number): ReadCondition[] {
  const all = [...reads];
  let open: readonly ReadCondition[] = reads;
  while (open.length > 0) {
    const longer: ReadCondition[] = [];
    for (const read of open) {
      if (!context.takeStep()) return all;
      const filter = filterAt(context, read.end);
      if (filter)
        longer.push({
          condition: both(read.condition, filter.condition),
          end: filter.end,
          cost: read.cost + filter.cost,
        });
      for (const other of withoutAt(context, read.end)) {
        longer.push({ condition: both(read.condition, other.condition), end: other.end, cost: read.cost + other.cost });
      }
      const not = context.skip(read.end, 'not');
      if (not !== undefined && depth < maxDepth) {
        for (const other of patternsAt(context, not)) {
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
