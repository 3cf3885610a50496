import {
  type ActionPattern,
  alternativesOf,
  type Condition,
  type GroupKey,
  isAboutEvent,
  type MentionCondition,
  type Query,
} from '../../query.ts';
import {
  understanding,
  anyOf,
  type Body,
  nounReading,
  propertyReading,
  reading,
  type Reading,
  type Tokens,
} from './readings.ts';
import { askedSlot, groupOf, groupWithin, isBareProperty, isEvent, ofPlayer, sameSubject } from './subjects.ts';
import { declarative } from './word-order.ts';
import { keyNouns, word, substitute } from './words.ts';

/** The query of a body and the groups at its end. */
export const withGroups = ({ condition, by }: Body): Query => ({
  find: condition,
  ...(by && { by: by.map((key) => groupWithin(key, condition)) }),
});

/** Counts what a body describes; a run without deaths between is counted as its longest. */
export function count(body: Tokens, cost = 0): readonly Reading[] {
  return [
    ...reading(
      [body],
      (b) => (isValueNear(b.condition) ? undefined : { ...withGroups(b), find: beforeFirst(b.condition), count: true }),
      cost,
    ).map((each) => ({
      ...each,
      isCount: true as const,
    })),
    ...streaks(body, cost - 1),
  ];
}

/** "plates after looting" are a value, not events that could be counted. */
function isValueNear(condition: Condition): boolean {
  return 'near' in condition && isBareProperty(condition.find);
}

/** "rank after every lap": a thing is no moment after which a value could be. */
export function isValueNearThing(condition: Condition): boolean {
  const alternatives = alternativesOf(condition);
  if (alternatives) return alternatives.some((each) => isValueNearThing(each));
  if (!('near' in condition) || isEvent(condition.near)) return false;
  return [condition.find, ...(alternativesOf(condition.find) ?? [])].some((each) => isBareProperty(each));
}

/**
 * "score after the third kill" is the first value then, "rank after pitting" the next after each pit stop, "health before my
 * first death" the last.
 */
export function edgeOf(condition: Condition): Partial<Query> {
  if (!('near' in condition) || !isBareProperty(condition.find) || condition.within !== undefined) return {};
  const isNth = 'nth' in condition.near;
  if (condition.side !== 'after') return isNth && condition.side === 'before' ? { last: 1 } : {};
  return isNth ? { first: 1 } : { find: { sequence: [condition.near, condition.find] } };
}

/** "how many minions did I kill": "2 minions" are two. */
export function countObjects(body: Tokens, cost = 0): readonly Reading[] {
  return reading(
    [body],
    ({ condition, by }) => {
      if (isValueNear(condition)) return undefined;
      const find = beforeFirst(condition);
      const parts = 'all' in find ? find.all : [find];
      // "how many points in the first minute" is what one gains.
      if (parts.some((part) => isBareProperty(part))) {
        const risen = parts.map((part) =>
          isBareProperty(part) ? { ...ofPlayer(part), change: 'rises' as const } : part,
        );
        return by
          ? undefined
          : { find: risen.length === 1 ? risen[0]! : { all: risen }, measure: { of: 'change', take: 'sum' } };
      }
      const object = parts.some((part) => 'action' in part && (part as ActionPattern).object);
      return object && !by ? { find, measure: { of: 'count', take: 'sum' } } : { find, count: true, ...(by && { by }) };
    },
    cost,
  ).map((one) => ({ ...one, isCount: true as const }));
}

/**
 * "did I score before he did" asks who was first, not whether anything of the one came before anything of the other; "how many
 * kills did I get before I died" is about the first death.
 */
export function beforeFirst(condition: Condition): Condition {
  if (!('near' in condition) || condition.side !== 'before') return condition;
  const { near, within, absent } = condition;
  if (within !== undefined || absent || 'nth' in near || !(isAboutEvent(near) || 'mentions' in near)) return condition;
  return { ...condition, near: { nth: 1, of: near } };
}

/** Lists what a body describes. */
export function list(body: Tokens, cost = 0, limits: Partial<Query> = {}): readonly Reading[] {
  return reading(
    [body],
    (b) =>
      // "something" alone would be every event.
      ('mentions' in b.condition && !(b.condition as MentionCondition).mentions.any) || isValueNearThing(b.condition)
        ? undefined
        : { ...withGroups(b), ...edgeOf(b.condition), ...limits },
    cost,
  );
}

/** "kills without dying" */
export function streaks(body: Tokens, cost: number): readonly Reading[] {
  return body.flatMap((token, at) => {
    if (token.lower !== 'without' || at === 0 || at === body.length - 1) return [];
    const rest = /^(?:a|an|any|the)$/.test(body[at + 1]!.lower) ? body.slice(at + 2) : body.slice(at + 1);
    return understanding(
      [token],
      reading(
        [body.slice(0, at), rest],
        ({ condition: find }, { condition: streak }) =>
          isEvent(find) && isEvent(streak) ? { find: sameSubject(find), streak: sameSubject(streak, find) } : undefined,
        cost,
      ),
    );
  });
}

/** How many groups to keep. */
export type Limit = Pick<Query, 'top' | 'bottom' | 'distinct'>;

/** "which gun has the most kills" is asked of all weapons. */
export function weaponsOf(noun: Tokens): Tokens {
  return noun.length === 1 && /^guns?$/.test(noun[0]!.lower) ? [substitute('weapon', noun[0]!)] : noun;
}

/** "top 2 players" are those who do it. */
function keyOf(noun: string): GroupKey | undefined {
  return keyNouns.get(noun) ?? (noun === 'players' || noun === 'people' ? { slot: 'subject' } : undefined);
}

/** Groups what a clause describes by what a noun names: "which weapon killed me most". */
export function grouped(noun: Tokens, clauses: readonly Tokens[], limit: Limit, cost = 0): readonly Reading[] {
  const key = noun.length === 1 ? keyOf(noun[0]!.lower) : undefined;
  return clauses
    .map((clause) => clause.flatMap((token) => (noun.includes(token) ? weaponsOf([token]) : [token])))
    .flatMap((clause) =>
      key
        ? understanding(
            noun,
            reading([clause], ({ condition }) => ({ find: condition, by: [key], ...limit }), cost),
          )
        : nounReading(
            [weaponsOf(noun), clause],
            (n, { condition }) => {
              const by = groupOf(n);
              return by && isEvent(condition)
                ? { find: condition, by: [groupWithin(by, condition)], ...limit }
                : undefined;
            },
            cost,
          ),
    );
}

/** Groups by whoever stands where the question word is: "who killed me most". */
export function groupByQuestionWord(clauses: readonly Tokens[], limit: Limit, cost = 0): readonly Reading[] {
  return clauses.flatMap((clause) =>
    reading(
      [clause],
      ({ condition }) => {
        const by = askedSlot(condition) ?? { slot: 'subject' as const };
        return isEvent(condition) ? { find: condition, by: [by], ...limit } : undefined;
      },
      cost,
    ),
  );
}

/** The groups that a superlative asks for. */
export function limitOf(rank: string, number = 1): Limit {
  return /least|fewest|lowest|worst|rarest|smallest/.test(rank) ? { bottom: number } : { top: number };
}

/** Which extreme a word names. */
export function extremeOf(text: string): 'highest' | 'lowest' {
  return /lowest|min|shortest|smallest|worst|least|fastest|quickest|slightest|lightest|coldest|weakest/.test(text)
    ? 'lowest'
    : 'highest';
}

/** What to compute of values. */
export type Aggregate = NonNullable<Query['measure']>['take'];

/** What to measure of matches. */
export type Quantity = NonNullable<Query['measure']>['of'];

/** What a superlative computes of values. */
export function aggregateOf(text: string): Aggregate {
  if (/average|mean|typical|usual/.test(text)) return 'average';
  return /total|sum|overall|combined/.test(text) ? 'sum' : extremeOf(text);
}

/** Measures the matches of a body. */
export function measured(
  body: Tokens,
  of: Quantity,
  take: Aggregate,
  accepts: (condition: Condition) => boolean = isEvent,
  cost = 0,
) {
  return reading(
    [body],
    ({ condition }) => (accepts(condition) ? { find: condition, measure: { of, take } } : undefined),
    cost,
  );
}

/** The value of a property at matches of a clause. */
export function stateAtEvents(property: Tokens, clause: Tokens, cost = 0): readonly Reading[] {
  return anyOf(declarative(clause), (body) =>
    propertyReading(
      [property, body],
      ({ condition: p, owners }, { condition: find }) => {
        if (!isBareProperty(p) || !isEvent(find)) return undefined;
        const { property: ids, subject } = ofPlayer(p, owners);
        return { find: sameSubject(find), state: { property: ids, ...(subject && { subject }) } };
      },
      cost,
    ),
  ) as readonly Reading[];
}

/** The value of a property at a time. */
export function stateAt(property: Tokens, at: NonNullable<Query['at']> | Tokens, cost = 0): readonly Reading[] {
  if (typeof at !== 'object' || 'edge' in at)
    return propertyReading(
      [property],
      ({ condition, owners }) => (isBareProperty(condition) ? { find: ofPlayer(condition, owners), at } : undefined),
      cost,
    );
  return ['after', 'at'].flatMap((preposition) =>
    propertyReading(
      [property, [word(preposition, at[0]), ...at]],
      ({ condition: p, owners }, { condition: t }) => {
        if (!isBareProperty(p) || !('time' in t)) return undefined;
        const { from, part } = t.time;
        // "at the start" is a stretch for events and a point for values.
        if (preposition === 'after') return from === undefined ? undefined : { find: ofPlayer(p, owners), at: from };
        return part && { find: ofPlayer(p, owners), at: part.from === 0 ? 'start' : 'end' };
      },
      cost,
    ),
  );
}

/** The seconds in which a state holds: "below 30 health", "holding the railgun". */
export function stateDuration(state: Tokens, take: Aggregate, cost = 0): readonly Reading[] {
  return reading(
    [[word('while', state[0]), ...state]],
    ({ condition }) => ('while' in condition ? { find: condition, measure: { of: 'held', take } } : undefined),
    cost,
  );
}

/** The count of one body divided by that of another. */
export function ratio(first: Tokens, second: Tokens, cost = 0): readonly Reading[] {
  return reading(
    [first, second],
    ({ condition: a }, { condition: b }) =>
      isEvent(a) && isEvent(b) ? { find: sameSubject(a), ratio: sameSubject(b, a) } : undefined,
    cost,
  );
}

/** The count of one body in percent of that of another. */
export function share(part: Tokens, whole: Tokens, cost = 0): readonly Reading[] {
  return reading(
    [part, whole],
    ({ condition: find }, { condition: all }) => (isEvent(all) && isEvent(find) ? { find, share: all } : undefined),
    cost,
  );
}

/** Is the answer a list of matches that can still be limited? */
export function isPlain({
  count: c,
  by,
  first,
  last,
  nth,
  measure,
  state,
  at,
  ratio: r,
  share: s,
  streak,
  whether,
  sort,
}: Query) {
  return (
    !c &&
    !by &&
    !first &&
    !last &&
    !nth &&
    !measure &&
    !state &&
    at === undefined &&
    !r &&
    !s &&
    !streak &&
    !whether &&
    !sort
  );
}

/** The count or sum of a query per unit of time, life or session. */
export function asRate(query: Query, per: NonNullable<Query['per']>): Query | undefined {
  if (!query.count && query.measure?.take !== 'sum' && !isPlain({ ...query, by: undefined } as unknown as Query))
    return undefined;
  if (!isEvent(query.find)) return undefined;
  // "kills per round on average" is a rate of rounds.
  const [group, ...others] = query.by ?? [];
  if (per === 'session' && group && 'period' in group && others.length === 0) {
    const { by: _, ...rest } = query;
    return asRate(rest, group);
  }
  // "gold per minute" is what one gains.
  if (isBareProperty(query.find) && !query.measure) {
    const find = { ...ofPlayer(query.find), change: 'rises' as const };
    return query.by || query.count ? undefined : { find, measure: { of: 'change', take: 'sum' }, per };
  }
  if (query.by) return per === 'life' ? undefined : { ...query, ...(!query.measure && { count: true as const }), per };
  // A rate is somebody's.
  const find = sameSubject(query.find);
  return query.measure ? { ...query, find, per } : { ...query, find, count: true, per };
}

/** "kills by weapon": without "count" too, as what is grouped is counted. */
export function countGroups(query: Query): Query {
  return query.by && !query.count && isPlain({ ...query, by: undefined } as unknown as Query)
    ? { ...query, count: true }
    : query;
}
