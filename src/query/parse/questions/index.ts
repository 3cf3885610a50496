import { otherCommandRules } from './other-commands.ts';
import { listRules } from './lists.ts';
import { rankingRules } from './rankings.ts';
import { streakRules } from './streaks.ts';
import { comparisonRules } from './comparisons.ts';
import { momentRules } from './moments.ts';
import { periodRules } from './periods.ts';
import { groupRules } from './groups.ts';
import { valueRules } from './values.ts';
import { amountRules } from './amounts.ts';
import { durationRules } from './durations.ts';
import { occurrenceRules } from './occurrences.ts';
import { rateRules } from './rates.ts';
import { countRules } from './counts.ts';
import { requestRules } from './requests.ts';
import type { Condition, Query } from '../../query.ts';
import { matchTemplate } from '../templates.ts';
import { countGroups, edgeOf, isValueNearThing, withGroups } from './answer-forms.ts';
import { isBareProperty, isEvent, isOfValue, isProperty } from './subjects.ts';
import { asSet, originalOf, structuralWords, substitute } from './words.ts';
import {
  type Body,
  combineReadings,
  type Interpretation,
  reading,
  type Reading,
  type Redirection,
  type Rule,
  type Tokens,
} from './readings.ts';

// Of equally cheap readings the first is meant.
const rules: readonly Rule[] = [
  ...requestRules,
  ...countRules,
  ...rateRules,
  ...occurrenceRules,
  ...durationRules,
  ...amountRules,
  ...valueRules,
  ...groupRules,
  ...periodRules,
  ...momentRules,
  ...comparisonRules,
  ...streakRules,
  ...rankingRules,
  ...listRules,
  ...otherCommandRules,
];

/** The words that questions are made of, in addition to those of the dictionary. */
export const questionWords: ReadonlySet<string> = new Set([
  ...rules.flatMap(({ template }) => template.words),
  ...'someone anyone everyone something anything everything somebody anybody everybody nobody nothing whoever whatever whom mine never not event events mark half middle halfway moment recording video enemies later onwards onward while whilst having holding wielding carrying equipped'.split(
    ' ',
  ),
]);

/** Longer questions are read as conditions only, so that reading takes time in proportion to their length. */
const maxTokens = 60;

/** The readings of questions and of questions within them, by their tokens: forms of one question have parts in common. */
export type KnownReadings = Map<string, readonly (Reading | Redirection)[]>;

/** The ways to read a question, as which parts of it are conditions; what stands in none of them the rules understand. */
export function readQuestion(tokens: Tokens, known: KnownReadings): readonly (Reading | Redirection)[] {
  return interpret(tokens, known);
}

/**
 * The ways to read a question without one of its adjuncts, wherever it stands ("in the first half", "before I died", "with the
 * railgun"), which then restricts what is asked. The rules expect most adjuncts at the end.
 */
export function readWithoutAdjunct(tokens: Tokens, known: KnownReadings): readonly Reading[] {
  if (tokens.length > maxAdjunctTokens) return [];
  return tokens.flatMap((link, start) => {
    const isFirst = start === 0;
    if (!adjunctStarts.has(link.lower) || (isFirst && link.lower === 'when')) return [];
    const isNear = nearLinks.has(link.lower);
    return Array.from({ length: tokens.length - start - 1 }, (_, i) => start + i + 2).flatMap((end) => {
      const rest = [...tokens.slice(0, start), ...tokens.slice(end)];
      if (rest.length < 2) return [];
      const inside = tokens.slice(start + 1, end);
      const whole = [stateLinks.has(link.lower) ? substitute('while', link) : link, ...inside];
      const inner = interpret(rest, known);
      return [
        ...restrictReadings(inner, whole, (query, { condition }) => restrict(query, condition)),
        ...(isNear ? restrictReadings(inner, inside, (query, body) => relate(query, body, link.lower)) : []),
      ];
    });
  });
}

const maxAdjunctTokens = 16;
const adjunctCost = 2;
const adjunctStarts = asSet(
  'in on during at between while when whenever within from until before after with using against by throughout',
);
const nearLinks = asSet('before after');
const stateLinks = asSet('when whenever');

function restrictReadings(
  readings: readonly (Reading | Redirection)[],
  adjunct: Tokens,
  change: (query: Query, adjunct: Body) => Query | undefined,
): readonly Reading[] {
  return readings.flatMap((inner): readonly Reading[] =>
    'command' in inner
      ? []
      : [
          {
            ...inner,
            bodies: [adjunct, ...inner.bodies],
            kinds: [undefined, ...(inner.kinds ?? [])],
            cost: inner.cost + adjunctCost,
            build: (body, ...bodies) => {
              const query = inner.build(...bodies);
              return query && body && !body.by ? change(query, body) : undefined;
            },
          },
        ],
  );
}

/** Can what is asked be restricted? What is computed of two conditions, or of a moment, cannot. */
function canRestrict({ find, at, streak, ratio, share, versus, measure }: Query): boolean {
  const isOfSeveral = streak || ratio || share || versus;
  return at === undefined && !isOfSeveral && measure?.of !== 'held' && measure?.of !== 'life' && !('mentions' in find);
}

function restrict(query: Query, filter: Condition): Query | undefined {
  const isFilter = 'time' in filter || 'while' in filter || 'period' in filter || 'session' in filter;
  const isSlot = 'action' in filter && !isEvent(filter) && isEvent(query.find) && !isProperty(query.find);
  const isGroupOfValues = query.by !== undefined && isOfValue(query.find);
  if (!canRestrict(query) || 'sequence' in query.find || isGroupOfValues || !isEvent(query.find)) return undefined;
  if (!isFilter && !isSlot) return undefined;
  const narrow = (find: Condition): Condition =>
    'nth' in find ? { ...find, of: narrow(find.of) } : { all: [...('all' in find ? find.all : [find]), filter] };
  return { ...query, find: narrow(query.find) };
}

/** "before I died" is before the first time. */
function relate(query: Query, { condition }: Body, side: string): Query | undefined {
  if (!canRestrict(query) || !isEvent(condition) || 'near' in query.find) return undefined;
  if (side === 'before') {
    const near = 'nth' in condition ? condition : { nth: 1, of: condition };
    return { ...query, find: { find: query.find, near, side } };
  }
  return { ...query, find: { find: query.find, near: condition, side: 'after' } };
}

/**
 * How many readings of a question within a question are tried, the cheapest first: each template can add a level, and readings
 * multiply with every one.
 */
const maxInnerReadings = 48;

function cheapest(readings: readonly (Reading | Redirection)[]): readonly (Reading | Redirection)[] {
  return readings.length <= maxInnerReadings
    ? readings
    : readings.toSorted((a, b) => a.cost - b.cost).slice(0, maxInnerReadings);
}

/** @param known The interpretations of parts of the question, by their tokens. */
function interpret(tokens: Tokens, known: KnownReadings): readonly (Reading | Redirection)[] {
  const plain = reading([tokens], (body) =>
    // The values of a property have no number.
    isValueNearThing(body.condition) || (body.by && isProperty(body.condition) && isBareProperty(body.condition))
      ? undefined
      : countGroups({ ...withGroups(body), ...edgeOf(body.condition) }),
  );
  if (tokens.length > maxTokens || tokens.length === 0) return plain;
  const key = tokens.map(({ kind, text, start }) => `${kind} ${start} ${text}`).join(' ');
  const existing = known.get(key);
  if (existing) return existing;
  const found = rules.flatMap(({ template, read, cost }) =>
    matchTemplate(template, tokens).flatMap((part) =>
      read(part)
        .filter((each) => accountsForAll(each, part.open))
        .flatMap((each): readonly (Reading | Redirection)[] => {
          if ('question' in each) return cheapest(interpret(each.question, known)).flatMap(each.adapt);
          if (!('questions' in each)) return [each];
          const [first, second] = each.questions;
          return combineReadings(each, interpret(first, known), interpret(second, known));
        })
        .map((each) => ({ ...each, cost: each.cost + cost - part.literals })),
    ),
  );
  const all = [...plain, ...found];
  known.set(key, all);
  return all;
}

/** No word may be ignored: does an interpretation use every token that a template left open? */
function accountsForAll(interpretation: Interpretation, open: Tokens): boolean {
  if ('command' in interpretation) return true;
  const parts =
    'question' in interpretation
      ? interpretation.question
      : 'questions' in interpretation
        ? interpretation.questions.flat()
        : interpretation.bodies.flat();
  const used = new Set([...parts, ...(interpretation.understood ?? [])].map((token) => originalOf(token)));
  return open.every((token) => structuralWords.has(token.lower) || used.has(originalOf(token)));
}
