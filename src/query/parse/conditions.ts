import { pluralOf } from '../../dictionary/inflection.ts';
import type { ParseContext } from '../../dictionary/sentences/parse-context.ts';
import { numberValue } from '../../dictionary/sentences/tokenize.ts';
import { singleNoun, type NounList } from '../../dictionary/sentences/action-clauses.ts';
import { playerPhrase } from '../../dictionary/sentences/noun-phrases.ts';
import { alternativesOf, isAboutEvent, type ActionPattern, type Condition, type SlotPattern } from '../query.ts';
import { recordSpan } from '../source-spans.ts';
import { parseDuration, parseFilter, parseStateFilter, type ParsedCondition } from './filters.ts';
import { parseNounLists } from './noun-lists.ts';
import { ordinalValue } from './ordinals.ts';
import { parsePatterns, parseSlotFragments, parseWithout, toSlotPattern } from './patterns.ts';
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
  return [
    ...parseTimedRepetitions(context, at, depth),
    ...parseStreaks(context, at, depth),
    ...parseCountedObjects(context, at),
  ];
}

/** Parses "3 kills without dying", "5 kills in a row": by the same one, each event in at most one match. */
function parseStreaks(context: ParseContext, at: number, depth: number): ParsedCondition[] {
  const count = numberValue(context.tokens[at]);
  if (count === undefined || !Number.isInteger(count) || count < 2 || count > 10) return [];
  const make = (unit: ParsedCondition, without: Condition, end: number): ParsedCondition => {
    const [find, ends] = bindActor(unit.condition, without);
    return {
      condition: { sequence: Array.from({ length: count }, () => find), without: [ends], apart: true },
      end,
      cost: unit.cost,
    };
  };
  return parsePatterns(context, at + 1).flatMap((unit): ParsedCondition[] => {
    if (!isAboutEvent(unit.condition)) return [];
    const inRow = context.skip(unit.end, 'in a row') ?? context.skip(unit.end, 'in one life');
    if (inRow !== undefined) return [make(unit, { action: ['die'] }, inRow)];
    const next = context.skip(unit.end, 'without');
    if (next === undefined || depth >= maxDepth) return [];
    return parsePatterns(context, next)
      .filter(({ condition }) => isAboutEvent(condition))
      .map((ends) => make(unit, ends.condition, ends.end));
  });
}

/** Makes two conditions about the same one: whom one of them names, else a variable. */
function bindActor(first: Condition, second: Condition): readonly [Condition, Condition] {
  const subjects = [first, second].map((each) => ('subject' in each ? (each.subject as SlotPattern) : undefined));
  const named = subjects.find((each) => each?.any);
  const subject = named ?? { same: 'actor' };
  const fill = (condition: Condition): Condition =>
    ('action' in condition || 'property' in condition) &&
    !('subject' in condition && condition.subject) &&
    !('object' in condition && !named)
      ? ({ ...condition, subject } as Condition)
      : condition;
  return [fill(first), fill(second)];
}

/** Parses "kill 2 people within 10 s": it is done that often. */
function parseCountedObjects(context: ParseContext, at: number): ParsedCondition[] {
  return parsePatterns(context, at).flatMap(({ condition, end, cost }): ParsedCondition[] => {
    const [object, ...others] = ('action' in condition && (condition as ActionPattern).object?.any) || [];
    const { min, max } = object?.count ?? {};
    const next = context.skip(end, 'within') ?? context.skip(end, 'in');
    const duration = next === undefined ? undefined : parseDuration(context, next);
    if (!duration || min === undefined || min !== max || min < 2 || min > 10 || others.length > 0) return [];
    const { count: _, ...one } = object!;
    const { subject } = condition as ActionPattern;
    const step = {
      ...condition,
      subject: subject?.any ? subject : { same: 'actor' },
      object: Object.keys(one).length > 0 ? { any: [one] } : {},
    } as Condition;
    const sequence = Array.from({ length: min }, () => step);
    return [{ condition: { sequence, span: duration.seconds }, end: duration.end, cost }];
  });
}

function parseTimedRepetitions(context: ParseContext, at: number, depth: number): ParsedCondition[] {
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

const soonAdverbs = new Set(['right', 'shortly', 'soon', 'immediately', 'directly', 'just', 'straight']);
/** What "shortly after" means; `explainQuery` shows it. */
const soonSeconds = 5;

/** Parses "within 4 s", "4 s" and "shortly" before "after" or "before". */
function parseDistance(
  context: ParseContext,
  at: number,
): { seconds: number; end: number; side?: 'after' | 'before' } | undefined {
  if (soonAdverbs.has(context.wordAt(at) ?? '')) return { seconds: soonSeconds, end: at + 1 };
  // "in the first 10 s after", "in the last 10 s before"
  for (const [edge, side] of [
    ['first', 'after'],
    ['last', 'before'],
  ] as const) {
    const next = ['in', 'within', 'during']
      .map((each) => context.skip(at, `${each} the ${edge}`))
      .find((each) => each !== undefined);
    const duration = next === undefined ? undefined : parseDuration(context, next);
    if (duration) return { ...duration, side };
  }
  const start = [
    'in the',
    'within the',
    'less than',
    'at most',
    'no more than',
    'not more than',
    'up to',
    'in',
    'during the',
  ]
    .map((each) => context.skip(at, each))
    .find((each) => each !== undefined);
  return parseDuration(context, start ?? at);
}

/** Parses "death within 10 s after low health", "death after low health within 10 s" and "kills between my respawn and death". */
function parseNear(context: ParseContext, first: ParsedCondition, depth: number): ParsedCondition[] {
  const found: ParsedCondition[] = [...parseBetween(context, first, depth)];
  const distance = parseDistance(context, first.end);
  const limit = parseLimit(context, first.end) ?? distance;
  for (const [preposition, usualSide] of nearPrepositions) {
    // "within a minute of respawning"
    const isGerund = (context.wordAt((limit?.end ?? first.end) + 1) ?? '').endsWith('ing');
    const side = usualSide === 'around' && isGerund ? 'after' : usualSide;
    const next = context.skip(limit?.end ?? first.end, preposition);
    if (next === undefined || (side === 'around' && !limit) || !context.takeStep()) continue;
    if (distance?.side !== undefined && distance.side !== side) continue;
    const each = ['each other', 'one another', 'another', 'the next', 'the previous'].map((phrase) =>
      context.skip(next, phrase),
    );
    const mutual = side === 'around' || side === 'after' ? each.find((end) => end !== undefined) : undefined;
    // "kills within 10 s of each other"
    if (mutual !== undefined && isAboutEvent(first.condition))
      found.push({
        condition: { find: first.condition, near: first.condition, side, ...(limit && { within: limit.seconds }) },
        end: mutual,
        cost: first.cost,
      });
    for (const other of parseUnits(context, next, depth)) {
      // A time is no event: "after the first minute".
      if ('time' in other.condition) continue;
      const within = limit ?? parseLimit(context, other.end);
      const shared =
        ofSomebody(context, first.condition, other.condition) ?? shareSubject(first.condition, other.condition, true);
      // "of" relates what happens to different ones as well.
      const [find, near] = side === 'around' ? [first.condition, shared] : relateActors(first.condition, shared);
      found.push({
        condition: { find, near, side, ...(within && { within: within.seconds }) },
        end: Math.max(other.end, within?.end ?? 0),
        cost: first.cost + other.cost,
      });
    }
  }
  return found;
}

/** "did Birch pit after me": the same of somebody else. */
function ofSomebody(
  { dictionary, facts }: ParseContext,
  condition: Condition,
  other: Condition,
): Condition | undefined {
  if (!('mentions' in other) || !('action' in condition)) return undefined;
  const { any } = other.mentions as SlotPattern;
  const isPerson = any?.every(
    ({ words, name }) =>
      name !== undefined ||
      words?.every((id) => {
        const word = dictionary.find(id, 'object');
        // The dragon that one kills buys nothing.
        return word && dictionary.isA(id, 'character', 'object') && facts?.acts(word) !== false;
      }),
  );
  const pattern = condition as ActionPattern;
  if (!any || !isPerson || pattern.action.length === 0 || !pattern.subject) return undefined;
  // "before me" is before my first.
  return { nth: 1, of: { ...pattern, subject: { any } } };
}

/** Is it about an action or property of whom it does not say? */
function lacksActor(condition: Condition): boolean {
  const isEvent = 'property' in condition || ('action' in condition && (condition as ActionPattern).action.length > 0);
  const isSaid = ('subject' in condition && condition.subject) || ('object' in condition && condition.object);
  return isEvent && !isSaid;
}

function withSubject(condition: Condition, subject: SlotPattern): Condition {
  return { ...condition, subject } as Condition;
}

/** "kills within 5 s after my respawn" are mine: what is not said to be about somebody else is about the same one. */
export function relateActors(find: Condition, near: Condition): readonly [Condition, Condition] {
  const inner = 'nth' in near ? near.of : near;
  const [a, b] = [find, inner].map((each) =>
    'subject' in each ? (each.subject as SlotPattern | undefined) : undefined,
  );
  const back = (condition: Condition): Condition => ('nth' in near ? { nth: near.nth, of: condition } : condition);
  if (lacksActor(find) && b && isPlayer(b)) return [withSubject(find, b), near];
  if (lacksActor(inner) && a && isPlayer(a)) return [find, back(withSubject(inner, a))];
  if (!lacksActor(find) || !lacksActor(inner) || 'nth' in near) return [find, near];
  return [withSubject(find, { same: 'actor' }), withSubject(inner, { same: 'actor' })];
}

/** "kills while I had less than 30 health" are mine. */
function relateState(condition: Condition, filter: Condition): Condition {
  if (!('while' in filter) || !filter.while.subject || !isPlayer(filter.while.subject)) return condition;
  return relateActors(condition, { property: filter.while.property, subject: filter.while.subject })[0];
}

function isPlayer({ any, except }: SlotPattern): boolean {
  return (
    any?.length === 1 &&
    !except &&
    any[0]!.name === undefined &&
    any[0]!.words?.length === 1 &&
    any[0]!.words[0] === 'player'
  );
}

/** Parses "my first and third death" after "between". */
function parseSharedOrdinals(context: ParseContext, first: ParsedCondition, at: number): ParsedCondition[] {
  const isOwn = context.wordAt(at) === 'my';
  const start = context.skip(at, 'the') ?? (isOwn ? at + 1 : at);
  const second = isOwn && context.wordAt(start + 2) === 'my' ? start + 3 : start + 2;
  const [from, to] = [ordinalValue(context.wordAt(start) ?? ''), ordinalValue(context.wordAt(second) ?? '')];
  if (from === undefined || to === undefined || context.wordAt(start + 1) !== 'and') return [];
  return parsePatterns(context, second + 1)
    .filter(({ condition }) => lacksActor(condition))
    .map(({ condition, end, cost }) => {
      const of = isOwn ? withSubject(condition, playerPattern) : condition;
      const find = isOwn && lacksActor(first.condition) ? withSubject(first.condition, playerPattern) : first.condition;
      const near = (nth: number, side: 'after' | 'before'): Condition => ({ find, near: { nth, of }, side });
      return { condition: { all: [near(from, 'after'), near(to, 'before')] }, end, cost: first.cost + cost };
    });
}

/** Parses "kills between my first and my second death", "kills between respawn and death". */
function parseBetween(context: ParseContext, first: ParsedCondition, depth: number): ParsedCondition[] {
  const next = context.skip(first.end, 'between');
  if (next === undefined) return [];
  const shared = parseSharedOrdinals(context, first, next);
  return [
    ...shared,
    ...parseUnits(context, next, depth).flatMap((start) => {
      const afterAnd = context.skip(start.end, 'and');
      if (afterAnd === undefined || !isAboutEvent(start.condition)) return [];
      return parseUnits(context, afterAnd, depth)
        .filter(({ condition }) => isAboutEvent(condition))
        .map((end): ParsedCondition => {
          const [find, from] = relateActors(first.condition, start.condition);
          const [, to] = relateActors(find, end.condition);
          return {
            condition: {
              all: [
                { find, near: from, side: 'after' },
                { find, near: to, side: 'before' },
              ],
            },
            end: end.end,
            cost: first.cost + start.cost + end.cost,
          };
        });
    }),
  ];
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
    units.push(
      ...parseCompositeEvents(context, at),
      ...parsePatterns(context, at),
      ...parseOrdinals(context, at, depth),
    );
    units.push(...units.flatMap((unit) => parseTimesAfter(context, unit)));
    const filter = parseFilter(context, at);
    if (filter) units.push(filter);
    return addFilters(context, keepCheapest(units), depth);
  });
}

const numberFollowers = new Set(['and', 'or', 'of', 'to', 'then', 'until', 'with', 'by']);

/** Parses "I respawned the second time", "Nova hit me for the first time". */
function parseTimesAfter(context: ParseContext, { condition, end, cost }: ParsedCondition): ParsedCondition[] {
  const numbered = numberValue(context.tokens[end]);
  const follower = context.wordAt(end + 1);
  // "kill 3"
  if (
    numbered !== undefined &&
    Number.isInteger(numbered) &&
    numbered > 0 &&
    isAboutEvent(condition) &&
    (follower === undefined || numberFollowers.has(follower))
  )
    return [{ condition: { nth: numbered, of: condition }, end: end + 1, cost: cost + 1 }];
  const next = context.skip(end, 'for the') ?? context.skip(end, 'the');
  const nth = next === undefined ? undefined : ordinalValue(context.wordAt(next) ?? '');
  if (nth === undefined || context.wordAt(next! + 1) !== 'time' || !isAboutEvent(condition)) return [];
  return [{ condition: { nth, of: condition }, end: next! + 2, cost }];
}

/** Parses the n-th of the matches of a session: "the first kill", "my second death". */
function parseOrdinals(context: ParseContext, start: number, depth: number): ParsedCondition[] {
  const at = context.skip(start, 'the') ?? start;
  const my = context.wordAt(at) === 'my' || context.wordAt(at) === 'your' ? 1 : 0;
  const word = context.wordAt(at + my) ?? '';
  const nth = ordinalValue(word);
  if (nth === undefined || depth >= maxDepth) return [];
  return parsePatterns(context, at + my + 1)
    .filter(({ condition }) => isAboutEvent(condition))
    .map(({ condition, end, cost }) => {
      const of =
        my === 1 && 'action' in condition && !('subject' in condition)
          ? { ...condition, subject: playerPattern }
          : condition;
      // "first kill" of a whole question is read as its limit.
      return { condition: { nth, of } as Condition, end, cost: cost + 1 };
    });
}

const playerPattern = { any: [{ words: ['player'] }] } as const;

const achievements = new Set(
  'get gets got make makes made have has had score scores scored achieve achieves achieved earn earns earned take takes took do does did draw drew'.split(
    ' ',
  ),
);

/** Parses a composite event and whose it is: "double kill", "my double kills", "killing spree by Major". */
function parseCompositeEvents(context: ParseContext, at: number): ParsedCondition[] {
  const owned = parseNounLists(context, at, 'object').flatMap((owner) => {
    const isOwner =
      context.tokens[owner.end]?.kind === 'possessive' || achievements.has(context.wordAt(owner.end) ?? '');
    let next = owner.end + 1;
    // "have I got a double kill"
    while (achievements.has(context.wordAt(next) ?? '')) next++;
    while (['a', 'an', 'any', 'the'].includes(context.wordAt(next) ?? '')) next++;
    return isOwner ? [{ owner, next }] : [];
  });
  const my = context.wordAt(at) === 'my' || context.wordAt(at) === 'your';
  const player = my ? playerPhrase(context, { start: at, end: at + 1 }) : undefined;
  const starts = [
    { owner: undefined, next: at },
    ...owned,
    ...(player ? [{ owner: singleNoun(player), next: at + 1 }] : []),
  ];
  return starts.flatMap(({ owner, next }) => parseCompositeNames(context, next, owner));
}

function parseCompositeNames(context: ParseContext, at: number, owner: NounList | undefined): ParsedCondition[] {
  return context.dictionary.events.flatMap((event): ParsedCondition[] => {
    const name = event.name.toLowerCase();
    const nameEnd = context.skip(at, pluralOf(name)) ?? context.skip(at, name);
    if (nameEnd === undefined) return [];
    // "revenge kills"
    const end = context.skip(nameEnd, 'kill') ?? context.skip(nameEnd, 'kills') ?? nameEnd;
    const ids = recordSpan([event.id], context, { start: at, end });
    const make = (list: NounList | undefined, last: number): ParsedCondition => ({
      condition: { event: ids, ...(list && { subject: toSlotPattern(context, list, 'subject') }) },
      end: last,
      cost: 1 + (list?.cost ?? 0),
    });
    const by = owner ? undefined : (context.skip(end, 'by') ?? context.skip(end, 'of'));
    const lists = by === undefined ? [] : parseNounLists(context, by, 'object');
    return [make(owner, end), ...lists.map((list) => make(list, list.end))];
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
        // Values change with nothing, nowhere and by nobody.
        if (isFragment(filter.condition) && isAboutValue(unit.condition)) continue;
        const condition = both(relateState(unit.condition, filter.condition), filter.condition);
        longer.push({ condition, end: filter.end, cost: unit.cost + filter.cost });
      }
    }
    open = keepCheapest(longer);
    all.push(...open);
  }
  return keepCheapest(all);
}

function isFragment(condition: Condition): boolean {
  return 'action' in condition && (condition as ActionPattern).action.length === 0;
}

function isAboutValue(condition: Condition): boolean {
  return 'all' in condition ? condition.all.some((each) => isAboutValue(each)) : 'property' in condition;
}

/** "kills before 0:30 by Sarge": a slot may follow a filter. */
function parseFollowingFragments(context: ParseContext, at: number): ParsedCondition[] {
  return parseSlotFragments(context, at).map((fragment) => ({ ...fragment, cost: fragment.cost + 1 }));
}

function parseFollowingFilters(context: ParseContext, at: number, depth: number): ParsedCondition[] {
  const filter = parseFilter(context, at);
  const state = filter ? undefined : parseStateFilter(context, at);
  const filters = [
    ...(filter ? [filter] : []),
    ...(state ? [state] : []),
    ...parseWithout(context, at),
    ...parseFollowingFragments(context, at),
  ];
  const afterNot = depth < maxDepth ? context.skip(at, 'not') : undefined;
  if (afterNot === undefined) return filters;
  const negated = parsePatterns(context, afterNot).filter(({ condition }) => !isAboutEvent(condition));
  return [...filters, ...negated.map((each) => ({ ...each, condition: { not: each.condition } }))];
}
