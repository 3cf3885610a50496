import { pluralOf } from '../../dictionary/inflection.ts';
import type { ParseContext } from '../../dictionary/sentences/parse-context.ts';
import { numberValue } from '../../dictionary/sentences/tokenize.ts';
import { alternativesOf, isAboutEvent, type Condition } from '../query.ts';
import { recordSpan } from '../source-spans.ts';
import { parseDuration, parseFilter, type ParsedCondition } from './filters.ts';
import { parsePatterns, parseWithout } from './patterns.ts';
import { bindSame, lacksSubject, shareSubject } from './references.ts';

// Precedence, lowest first: or, and/except, sequences and proximity, units with their filters.

const maxDepth = 20;

/** Parses the conditions that start at a token, one per end. */
export function parseConditions(context: ParseContext, at: number, depth = 0): ParsedCondition[] {
  if (depth > maxDepth) return [];
  return context.memoize(`or ${at} ${depth}`, () =>
    parseJoined(context, parseConjunctions(context, at, depth), {
      separators: ['or', ', or', ','],
      parseNext: (next) => parseConjunctions(context, next, depth),
      join: either,
    }),
  );
}

function parseConjunctions(context: ParseContext, start: number, depth: number): ParsedCondition[] {
  const parseNext = (at: number): ParsedCondition[] => parseChains(context, at, depth);
  return context.memoize(`and ${start} ${depth}`, () => {
    const joined = parseJoined(context, parseNext(start), { separators: ['and', 'but'], parseNext, join: and });
    const exceptions = ['except', 'excluding', 'unless', 'other than'];
    return parseJoined(context, joined, {
      separators: exceptions,
      parseNext,
      join: (a, b) => both(a, { not: b }),
    });
  });
}

interface Joining {
  readonly separators: readonly string[];
  readonly parseNext: (at: number) => readonly ParsedCondition[];
  readonly join: (left: Condition, right: Condition) => Condition;
}

/** Extends conditions by separators and further conditions. */
function parseJoined(
  context: ParseContext,
  first: readonly ParsedCondition[],
  { separators, parseNext, join }: Joining,
): ParsedCondition[] {
  // Only the cheapest reading of each length is extended, so that long lists take quadratic time.
  const byEnd = Map.groupBy(first, (parsed) => parsed.end);
  for (let end = 0; end <= context.tokens.length; end++) {
    const [left] = keepCheapest(byEnd.get(end) ?? []);
    if (!left) continue;
    byEnd.set(end, [left]);
    for (const separator of separators) {
      const next = context.skip(end, separator);
      // A comma separates events ("kills, deaths"); nouns separated by it are parsed as a list.
      if (next === undefined || (separator === ',' && !isAboutEvent(left.condition)) || !context.takeStep()) continue;
      for (const right of parseNext(next)) {
        const condition = join(left.condition, shareSubject(left.condition, right.condition));
        // A verb list is cheaper: "opponent kills or hurts player" has one object for both verbs.
        const joined = { condition, end: right.end, cost: left.cost + right.cost + 1 };
        byEnd.set(right.end, [...(byEnd.get(right.end) ?? []), joined]);
      }
    }
  }
  return [...byEnd.values()].flat();
}

const maxReadings = 12;

/** Keeps the cheapest reading for each end; readings of equal cost become alternatives. */
function keepCheapest(parsed: readonly ParsedCondition[]): ParsedCondition[] {
  return [...Map.groupBy(parsed, ({ end }) => end)].map(([end, same]) => {
    const cost = Math.min(...same.map((each) => each.cost));
    const cheapest = same.filter((each) => each.cost === cost).slice(0, maxReadings);
    const distinct = new Map<string, Condition>();
    for (const { condition } of cheapest) {
      // Of equal readings the one that lacks a subject stays, because it can still be given one.
      const key = JSON.stringify(condition);
      if (!distinct.has(key) || lacksSubject(condition)) distinct.set(key, condition);
    }
    const conditions = [...distinct.values()];
    return { condition: conditions.length === 1 ? conditions[0]! : { any: conditions }, end, cost };
  });
}

function either(a: Condition, b: Condition): Condition {
  return { any: [...(alternativesOf(a) ?? [a]), b] };
}

function both(a: Condition, b: Condition): Condition {
  return { all: [...('all' in a ? a.all : [a]), b] };
}

/** "kills and deaths" means either, because no event is both. Conditions that can hold together must both hold. */
function and(a: Condition, b: Condition): Condition {
  return isAboutEvent(a) && isAboutEvent(b) ? either(a, b) : both(a, b);
}

/** Parses sequences and proximity: "followed by", "then", "within 10 s after", "before", "3 kills within 10 s". */
function parseChains(context: ParseContext, at: number, depth: number): ParsedCondition[] {
  return context.memoize(`chain ${at} ${depth}`, () => {
    const units = parseUnits(context, at, depth);
    const sequences = units.flatMap((first) => parseSequences(context, [first], depth));
    const near = units.flatMap((first) => [
      ...parseNear(context, first, depth),
      ...parseWithoutNear(context, first, depth),
    ]);
    return keepCheapest([...units, ...sequences, ...near, ...parseRepetitions(context, at, depth)]);
  });
}

const thenPhrases = ['followed by', 'and then', ', then', 'then'];

function parseSequences(context: ParseContext, steps: readonly ParsedCondition[], depth: number): ParsedCondition[] {
  const last = steps.at(-1)!;
  const sequences: ParsedCondition[] = [];
  const phrase = thenPhrases.find((each) => context.skip(last.end, each) !== undefined);
  if (phrase !== undefined && context.takeStep()) {
    for (const next of parseUnits(context, context.skip(last.end, phrase)!, depth)) {
      const condition = shareSubject(last.condition, next.condition, phrase === 'followed by');
      sequences.push(...parseSequences(context, [...steps, { ...next, condition }], depth));
    }
  }
  if (steps.length === 1) return sequences;
  const cost = steps.reduce((sum, step) => sum + step.cost, 0);
  const sequence = bindSame(steps.map(({ condition }) => condition));
  sequences.push({ condition: { sequence }, end: last.end, cost });
  const limit = parseLimit(context, last.end);
  if (limit) {
    const key = limit.isTotal ? 'span' : 'within';
    sequences.push({ condition: { sequence, [key]: limit.seconds }, end: limit.end, cost });
  }
  return sequences;
}

/** Parses "within 4 s" and "within 10 s in total". */
function parseLimit(context: ParseContext, at: number): { seconds: number; end: number; isTotal: boolean } | undefined {
  const next = context.skip(at, 'within') ?? context.skip(at, 'in under') ?? context.skip(at, 'in less than');
  const duration = next === undefined ? undefined : parseDuration(context, next);
  if (!duration) return undefined;
  const total = context.skip(duration.end, 'in total') ?? context.skip(duration.end, 'altogether');
  return { seconds: duration.seconds, end: total ?? duration.end, isTotal: total !== undefined };
}

/** Parses "3 kills within 10 s": consecutive matches of which the last is at most that long after the first. */
function parseRepetitions(context: ParseContext, at: number, depth: number): ParsedCondition[] {
  const count = numberValue(context.tokens[at]);
  if (count === undefined || !Number.isInteger(count) || count < 2 || count > 10) return [];
  return parseUnits(context, at + 1, depth).flatMap((unit) => {
    if (!isAboutEvent(unit.condition)) return [];
    const next = context.skip(unit.end, 'in') ?? context.skip(unit.end, 'within');
    const duration = next === undefined ? undefined : parseDuration(context, next);
    if (!duration) {
      context.expect(unit.end, '"within" and a time');
      return [];
    }
    const sequence = Array.from({ length: count }, () => unit.condition);
    return [{ condition: { sequence, span: duration.seconds }, end: duration.end, cost: unit.cost }];
  });
}

const nearPrepositions = [
  ['after', 'after'],
  ['before', 'before'],
  ['of', 'around'],
] as const;

/** Parses "death within 10 s after low health" and "death after low health within 10 s". */
function parseNear(context: ParseContext, first: ParsedCondition, depth: number): ParsedCondition[] {
  const found: ParsedCondition[] = [];
  const limit = parseLimit(context, first.end);
  for (const [preposition, side] of nearPrepositions) {
    const next = context.skip(limit?.end ?? first.end, preposition);
    if (next === undefined || (side === 'around' && !limit) || !context.takeStep()) continue;
    for (const other of parseUnits(context, next, depth)) {
      const within = limit ?? parseLimit(context, other.end);
      const near = shareSubject(first.condition, other.condition, true);
      found.push({
        condition: { find: first.condition, near, side, ...(within && { within: within.seconds }) },
        end: Math.max(other.end, within?.end ?? 0),
        cost: first.cost + other.cost,
      });
    }
  }
  return found;
}

/** Parses "kill without death within 5 s" (before or after). */
function parseWithoutNear(context: ParseContext, first: ParsedCondition, depth: number): ParsedCondition[] {
  const next = context.skip(first.end, 'without');
  if (next === undefined) return [];
  return parseUnits(context, next, depth).flatMap((other): ParsedCondition[] => {
    const limit = parseLimit(context, other.end);
    if (!limit) return [];
    const isBefore = context.wordAt(limit.end) === 'before';
    const hasSide = isBefore || context.wordAt(limit.end) === 'after';
    const side = isBefore ? 'after' : 'before';
    return [
      {
        condition: { find: first.condition, near: other.condition, side, within: limit.seconds, absent: true },
        end: hasSide ? limit.end + 1 : limit.end,
        cost: first.cost + other.cost,
      },
    ];
  });
}

/** Parses a pattern, a composite event, a filter, a condition in parentheses or a negation, with the filters that follow. */
function parseUnits(context: ParseContext, at: number, depth: number): ParsedCondition[] {
  if (depth > maxDepth || !context.takeStep()) return [];
  return context.memoize(`unit ${at} ${depth}`, () => {
    const units: ParsedCondition[] = [];
    const afterNot = context.skip(at, 'not');
    if (afterNot !== undefined)
      for (const unit of parseUnits(context, afterNot, depth + 1))
        units.push({ ...unit, condition: { not: unit.condition } });
    if (context.wordAt(at) === '(') {
      for (const inner of parseConditions(context, at + 1, depth + 1)) {
        if (context.wordAt(inner.end) === ')') units.push({ ...inner, end: inner.end + 1 });
        else context.expect(inner.end, '")"');
      }
    }
    units.push(...parseCompositeEvents(context, at), ...parsePatterns(context, at));
    const filter = parseFilter(context, at);
    if (filter) units.push(filter);
    return addFilters(context, keepCheapest(units), depth);
  });
}

/** Parses the name of a composite event; an object of that name ("player achieves double kill") matches too. */
function parseCompositeEvents(context: ParseContext, at: number): ParsedCondition[] {
  return context.dictionary.events.flatMap((event): ParsedCondition[] => {
    const name = event.name.toLowerCase();
    const end = context.skip(at, pluralOf(name)) ?? context.skip(at, name);
    if (end === undefined) return [];
    const span = { start: at, end };
    const object = context.dictionary.find(event.id, 'object');
    const condition: Condition = { event: recordSpan([event.id], context, span) };
    if (!object) return [{ condition, end, cost: 1 }];
    const mentions = { any: [{ words: recordSpan([object.id], context, span) }] };
    return [{ condition: { any: [condition, { mentions }] }, end, cost: 1 }];
  });
}

/** Adds the filters that follow units without "and". */
function addFilters(context: ParseContext, units: readonly ParsedCondition[], depth: number): ParsedCondition[] {
  const all = [...units];
  let open: readonly ParsedCondition[] = units;
  while (open.length > 0) {
    const longer: ParsedCondition[] = [];
    for (const unit of open) {
      if (!context.takeStep()) return all;
      for (const filter of parseFollowingFilters(context, unit.end, depth)) {
        const condition = both(unit.condition, filter.condition);
        longer.push({ condition, end: filter.end, cost: unit.cost + filter.cost });
      }
    }
    open = keepCheapest(longer);
    all.push(...open);
  }
  return keepCheapest(all);
}

function parseFollowingFilters(context: ParseContext, at: number, depth: number): ParsedCondition[] {
  const filter = parseFilter(context, at);
  const filters = [...(filter ? [filter] : []), ...parseWithout(context, at)];
  const afterNot = depth < maxDepth ? context.skip(at, 'not') : undefined;
  if (afterNot === undefined) return filters;
  const negated = parsePatterns(context, afterNot).filter(({ condition }) => !isAboutEvent(condition));
  return [...filters, ...negated.map((each) => ({ ...each, condition: { not: each.condition } }))];
}
