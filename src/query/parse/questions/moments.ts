import type { ActionPattern, Condition, Query, SlotPattern } from '../../query.ts';
import { ordinalValue } from '../ordinals.ts';
import { isPlain, list, stateAtEvents, type Aggregate, aggregateOf } from './answer-forms.ts';
import {
  anyOf,
  ask,
  propertyReading,
  type Question,
  reading,
  type Reading,
  type Rule,
  rule,
  type Tokens,
  understanding,
} from './readings.ts';
import { isBareProperty, isEvent, isProperty, isValue, ofPlayer, sameSubject } from './subjects.ts';
import { declarative, withObject } from './word-order.ts';
import { asSubject, be, doing, having, ordinalWords, owner, phrase, word } from './words.ts';

const secondQuestions =
  'when|where|at_what_time|what_time|with_what|by_whom|by_who|to_whom|who|whom|how|how_many|with_whom|at_which_time';
const highest = 'highest|biggest|largest|most|maximum|at_its_highest|at_its_peak|at_its_maximum|at_its_best|greatest';
const lowest = 'lowest|smallest|least|minimum|at_its_lowest|at_its_minimum|at_its_worst|fewest';
const soon = 'right|just|immediately|directly|straight|shortly|soon';

/** Superlatives by what they compare. */
const comparedBy: Readonly<Record<string, readonly [property: string, order: 'highest' | 'lowest']>> = {
  richest: ['gold', 'highest'],
  poorest: ['gold', 'lowest'],
  fastest: ['speed', 'highest'],
  slowest: ['speed', 'lowest'],
  healthiest: ['health', 'highest'],
  weakest: ['health', 'lowest'],
  hungriest: ['hunger', 'highest'],
  thirstiest: ['thirst', 'highest'],
  coldest: ['body temperature', 'lowest'],
  hottest: ['body temperature', 'highest'],
};

/** When a value was at its extreme, what one did next, things by what was done with them, questions with a second one. */
export const momentRules: readonly Rule[] = [
  // The events of an answer say when, where and by whom.
  rule(`<q> and|, ${secondQuestions}`, ({ tokens }) =>
    ask(tokens('q'), (query) => (isList(query) ? query : undefined), 0.5),
  ),
  rule('<q> and|, by? how_much|how_many', ({ tokens }) =>
    ask(tokens('q'), (query) => (isList(query) && isProperty(query.find) ? query : undefined), 0.5),
  ),
  rule('<q> of_mine', ({ tokens }) =>
    ask(tokens('q'), (query) => (isEvent(query.find) ? { ...query, find: sameSubject(query.find) } : undefined), 1),
  ),
  // "lowest health I had before I died"
  rule('<q> side:before|after <c>', ({ tokens, text }) =>
    restrictTo(tokens('q'), text('side') === 'after' ? 'after' : 'before', tokens('c')),
  ),
  // A list that is counted.
  rule('how_many|number_of|count <q>', ({ tokens }) =>
    ask(tokens('q'), (query) => (isPlain(query) && isEvent(query.find) ? { ...query, count: true } : undefined), 1),
  ),
  rule(`when|at_what_point|at_which_point ${be} <p> the? how:${highest}|${lowest}`, ({ tokens, text }) =>
    extremeMoment(tokens('p'), orderOf(text('how'))),
  ),
  rule(
    `when|at_what_point|at_which_point ${doing}|${having} <s> have|had|reach|get the|my? how:${highest}|${lowest} <p>`,
    ({ tokens, text }) => extremeMoment([...owner(tokens('s')), ...tokens('p')], orderOf(text('how'))),
  ),
  rule(`when|at_what_point ${be} <s> at my|the|his|her|their? how:highest|lowest|peak <p>`, ({ tokens, text }) =>
    extremeMoment([...owner(tokens('s')), ...tokens('p')], orderOf(text('how'))),
  ),
  rule(`when|at_what_point ${be} <s> the? how:${Object.keys(comparedBy).join('|')}`, ({ tokens, text }) => {
    const [property, order] = comparedBy[text('how')]!;
    return extremeMoment([...owner(tokens('s')), ...phrase(property, tokens('s')[0])], order);
  }),
  rule(`what|which lap ${be} my|the? how:fastest|quickest|best|slowest|worst`, ({ text }) =>
    extremeMoment(phrase('my lap time', undefined), /slow|worst/.test(text('how')) ? 'highest' : 'lowest'),
  ),
  // "when did I pick up the stimpack and what was my health then"
  rule(
    `when who:${doing}|${be} <c> and what|how_much|how_many was|were|is <p> then|at_that_time|at_that_moment|at_that_point?`,
    ({ tokens }) =>
      anyOf(declarative([...tokens('who'), ...tokens('c')]), (clause) => stateAtEvents(tokens('p'), clause)),
  ),
  rule(`what|which thing|things? did <s> do <r*>`, ({ tokens }) =>
    list([...asSubject(tokens('s')), ...phrase('did anything', tokens('s')[0]), ...tokens('r')], -1),
  ),
  rule(`what did <s> do ${soon} after <c>`, ({ tokens }) => nextAction(tokens('s'), tokens('c'))),
  rule(`what ${be} the next|first thing|action that? <s> did after <c>`, ({ tokens }) =>
    nextAction(tokens('s'), tokens('c')),
  ),
  rule('what did <s> do next after <c>', ({ tokens }) => nextAction(tokens('s'), tokens('c'))),
  // "first thing I picked up", "first card Nova played", "the last weapon that I used"
  rule(`the|my? o:${ordinalWords} <x> that|which|who? <c>`, ({ tokens, text }) =>
    tokens('c').length < 2 || tokens('x').length > 3
      ? []
      : anyOf(
          withObject(asThing(tokens('x')), tokens('c')).filter(
            ({ isObject, tokens: body }) => isObject && body.length > 2,
          ),
          ({ tokens: body, cost }) =>
            understanding(
              tokens('x'),
              list(body, cost + 1, nthOf(ordinalValue(text('o'))!)).map((each) => ({
                ...each,
                build: (...bodies) => (isEvent(bodies[0]!.condition) ? each.build(...bodies) : undefined),
              })),
            ),
        ),
  ),
  // "cards Mott played"
  rule('all|every|the|any? <x> that|which? <c>', ({ tokens }) =>
    !isThingPhrase(tokens('x')) || !isClause(tokens('c'))
      ? []
      : anyOf(
          withObject(tokens('x'), tokens('c')).filter(({ isObject }) => isObject),
          ({ tokens: body, cost }) =>
            list(body, cost + 3).map((each) => ({
              ...each,
              build: (...bodies) => {
                const { condition } = bodies[0]!;
                return 'action' in condition && isEvent(condition) && (condition as ActionPattern).subject?.any
                  ? each.build(...bodies)
                  : undefined;
              },
            })),
        ),
  ),
  rule(`what|which ${be} the o:${ordinalWords} <x> that|which? <c>`, ({ tokens }) =>
    ask([word('the', tokens('x')[0]), ...tokens('o'), ...tokens('x'), ...tokens('c')], (query) => query),
  ),
  rule(
    `the? how:biggest|hardest|largest|heaviest|strongest|best|smallest|weakest hit|blow|damage that? <s> dealt|did|landed|made|gave|inflicted|caused <r*>`,
    ({ tokens, text }) =>
      largestHit(
        [...asSubject(tokens('s')), word('hurt', tokens('s')[0]), word('someone', tokens('s')[0]), ...tokens('r')],
        /small|weak/.test(text('how')),
      ),
  ),
  rule(
    `the|my? how:biggest|hardest|largest|heaviest|strongest|best|smallest|weakest hit|blow on|to|against <s>`,
    ({ tokens, text }) =>
      largestHit(
        [word('someone', tokens('s')[0]), word('hurts', tokens('s')[0]), ...tokens('s')],
        /small|weak/.test(text('how')),
      ),
  ),
  // "hits taken", "hits I took"
  rule('all|the|my? hits|blows|hit|blow that? who:i|we? taken|took|received|suffered|absorbed <r*>', ({ tokens }) =>
    ask([...phrase('someone hits me', tokens('r')[0]), ...tokens('r')], (query) => query, -1),
  ),
  rule('all|the|my? hits|blows|hit that? who:i|we? dealt|landed|scored|gave|delivered <r*>', ({ tokens }) =>
    ask([...phrase('i hit someone', tokens('r')[0]), ...tokens('r')], (query) => query, -1),
  ),
  // "laps under 57 seconds"
  rule(
    '<n> how:under|below|faster_than|quicker_than|over|above|slower_than <k> seconds|s|sec|secs|second?',
    ({ tokens, text }) => {
      if (tokens('n').length !== 1 || tokens('k').length !== 1) return [];
      const [noun] = tokens('n');
      const side = /under|below|faster|quicker/.test(text('how')) ? 'below' : 'above';
      return understanding(
        tokens('n'),
        propertyReading(
          [
            [
              word('my', noun),
              word(noun!.lower.replace(/s$/, ''), noun),
              ...phrase(`time ${side}`, noun),
              ...tokens('k'),
            ],
          ],
          ({ condition }) => (isProperty(condition) && !isBareProperty(condition) ? { find: condition } : undefined),
        ),
      );
    },
  ),
  // How long it takes from one to the other.
  rule(`how_fast|how_soon|how_quickly|how_long|how_much_time ${doing} <s> <v> after <y>`, ({ tokens }) =>
    timeFrom(tokens('y'), [...asSubject(tokens('s')), ...tokens('v')]),
  ),
  rule(`how_long ${doing} <s> survive|live|last|stay_alive after <y>`, ({ tokens }) =>
    timeFrom(tokens('y'), [...asSubject(tokens('s')), word('die', tokens('s')[0])]).map((each) => ({
      ...each,
      cost: each.cost - 3,
    })),
  ),
  rule(`how_long|how_soon|how_much_later|how_many_seconds after <y> ${doing}|who:${be} <c>`, ({ tokens }) =>
    timeFrom(tokens('y'), [...tokens('who'), ...tokens('c')]),
  ),
  rule(`how_long|how_much_time|how_many_seconds ${doing} it take <s> to <v> after <y>`, ({ tokens }) =>
    timeFrom(tokens('y'), [...asSubject(tokens('s')), ...tokens('v')]),
  ),
  rule(`how_long|how_much_time|how_many_seconds ${be} <s> dead|down|out <r*>`, ({ tokens }) =>
    tokens('r').length > 0 ? [] : deadTime(tokens('s'), 'sum'),
  ),
  rule('time|seconds spent? dead|respawning', () => deadTime(phrase('i', undefined), 'sum')),
  rule(
    `how_long|how_much_time ${doing} <s> spend|stay|wait dead|respawning|to_respawn|waiting_to_respawn|for_respawn|for_a_respawn`,
    ({ tokens }) => deadTime(tokens('s'), 'sum'),
  ),
  rule('my|the? how:average|mean|longest|shortest respawn|death time|timer|delay|wait', ({ text }) =>
    deadTime(phrase('i', undefined), aggregateOf(text('how'))),
  ),
];

/** Is the answer a list of events? */
function isList({ find, measure, state, at, ratio, share, streak, by, count, per, versus }: Query): boolean {
  const others = [measure, state, at, ratio, share, streak, by, count, per, versus];
  return others.every((each) => each === undefined) && isEvent(find);
}

function orderOf(text: string): 'highest' | 'lowest' {
  return /low|small|least|mini|worst|few/.test(text) ? 'lowest' : 'highest';
}

function nthOf(nth: number): Partial<Query> {
  return nth === 1 ? { first: 1 } : nth === -1 ? { last: 1 } : { nth };
}

const noThings =
  /^(?:who|what|which|when|where|how|why|is|are|was|were|do|does|did|have|has|had|in|on|at|by|with|of|for|to|from|my|i|me|we|all|most|least|first|last|not|and|or|count|list|show|average|total|longest|highest|lowest|best)$/;

/** Can it name what is done with: one or two words without grammar? */
function isThingPhrase(noun: Tokens): boolean {
  return noun.length <= 2 && noun.every(({ kind, lower }) => kind === 'word' && !noThings.test(lower));
}

const maxClauseTokens = 6;

/** Can it be a subject and a verb? */
function isClause(tokens: Tokens): boolean {
  return tokens.length >= 2 && tokens.length <= maxClauseTokens && tokens.every(({ lower }) => lower !== 'by');
}

/** "thing" is anything. */
function asThing(noun: Tokens): Tokens {
  return noun.length === 1 && /^(?:thing|item|stuff|one|guy|person|dude)$/.test(noun[0]!.lower)
    ? [word('something', noun[0])]
    : noun;
}

/** Restricts what is measured to what comes before or after something. */
function restrictTo(question: Tokens, side: 'before' | 'after', clause: Tokens): readonly Question[] {
  const adapt =
    (body: Tokens): Question['adapt'] =>
    (inner) => {
      if ('command' in inner) return [];
      const build: Reading['build'] = (near, ...bodies) => {
        const query = inner.build(...bodies);
        if (query?.measure?.of !== 'value' || query.measure.take === 'each') return undefined;
        if (!near || !isEvent(near.condition)) return undefined;
        const other = sameSubject(near.condition, query.find);
        // The value that it has at that very moment, none when one dies, is neither before nor after it.
        const atOnce: Condition = { find: query.find, near: other, side: 'around', within: 0 };
        return { ...query, find: { all: [{ find: query.find, near: other, side }, { not: atOnce }] } };
      };
      return [{ ...inner, bodies: [body, ...inner.bodies], kinds: [undefined, ...(inner.kinds ?? [])], build }];
    };
  return declarative(clause).map((body) => ({ question, understood: clause, adapt: adapt(body) }));
}

/** When a value is at its highest or lowest. */
function extremeMoment(property: Tokens, order: 'highest' | 'lowest'): readonly Reading[] {
  return propertyReading(
    [property],
    ({ condition, owners }) =>
      isBareProperty(condition)
        ? { find: ofPlayer(condition, owners), sort: { of: 'value', order }, first: 1 }
        : undefined,
    -1,
  );
}

/** What somebody does next after something. */
function nextAction(subject: Tokens, clause: Tokens): readonly Reading[] {
  const action = [...asSubject(subject), ...phrase('did anything', subject[0])];
  return declarative(clause).flatMap((body) =>
    reading(
      [body, action],
      ({ condition: first }, { condition: next }) =>
        isEvent(first) ? { find: { sequence: [sameSubject(first, next), next] } } : undefined,
      -2,
    ),
  );
}

function largestHit(body: Tokens, isSmallest: boolean): readonly Reading[] {
  const order = isSmallest ? 'lowest' : 'highest';
  return reading(
    [body],
    ({ condition: find }) => {
      if (isProperty(find)) return { find, sort: { of: 'change', order }, first: 1 };
      return isEvent(find) ? { find, sort: { of: 'amount', order }, first: 1 } : undefined;
    },
    -2,
  );
}

/** The time from one thing to the next of another. */
export function timeFrom(start: Tokens, end: Tokens): readonly Reading[] {
  return anyOf(declarative(start), (from) =>
    declarative(end).flatMap((to) =>
      reading(
        [from, to],
        ({ condition: a }, { condition: b }) => {
          if (!isEvent(a) || !isEvent(b) || isValue(a) || isValue(b)) return undefined;
          const first = sameSubject(a, b);
          return { find: { sequence: [first, sameSubject(b, first)] }, measure: { of: 'duration', take: 'each' } };
        },
        -1,
      ),
    ),
  ) as readonly Reading[];
}

/** The time from each death to the next spawn. */
export function deadTime(subject: Tokens, take: Aggregate): readonly Reading[] {
  const who = asSubject(subject);
  const [place] = subject;
  return reading(
    [
      [...who, word('die', place)],
      [...who, word('spawn', place)],
    ],
    ({ condition: die }, { condition: spawn }): Query | undefined => {
      const subjectOfDeath = (die as { subject?: SlotPattern }).subject;
      const steps: Condition[] = [die, spawn];
      return subjectOfDeath && { find: { sequence: steps }, measure: { of: 'duration', take } };
    },
    -2,
  );
}
