import type { Condition, Query, SlotPattern } from '../../query.ts';
import { ordinalValue } from '../ordinals.ts';
import { stateDuration, measured, type Aggregate, aggregateOf } from './answer-forms.ts';
import { understanding, anyOf, ask, reading, type Reading, type Rule, rule, type Tokens } from './readings.ts';
import { isEvent, isValue, sameSubject } from './subjects.ts';
import { declarative } from './word-order.ts';
import { achievementVerbs, asSubject, be, doing, phrase, word } from './words.ts';

/** "how long": until, between, alive, holding. */
export const durationRules: readonly Rule[] = [
  rule(`how_long ${doing} it take who:me|us|the_player? to|until|before|for|till <c>`, ({ tokens }) =>
    firstTime(tokens('c')),
  ),
  rule(`how_long ${be} it until|before|till|to <c>`, ({ tokens }) => firstTime(tokens('c'))),
  rule('how_long|how_much_time|time until|till|before|to <c>', ({ tokens }) => firstTime(tokens('c'))),
  rule('how_far|how_long in|into the_match|the_game|the_race|the_video|it? is|was <x>', ({ tokens }) =>
    firstTime(tokens('x')),
  ),
  rule('how_far in|into the_match|the_game? who:do|does|did|was|is <c>', ({ tokens }) =>
    firstTime([...tokens('who'), ...tokens('c')]),
  ),
  rule(`how_long|how_much_time ${be}|passed|passes|went_by|elapsed? there|it? in? between <x>`, ({ tokens }) =>
    between(tokens('x'), 'each'),
  ),
  rule(
    'who:average|mean|longest|shortest|biggest|smallest|typical time|gap|pause|break|interval|distance|stretch|wait between <x>',
    ({ tokens, text }) => between(tokens('x'), aggregateOf(text('who'))),
  ),
  rule('how_many? time|gap|interval|seconds|minutes between <x>', ({ tokens }) => between(tokens('x'), 'each')),
  rule('who:longest|shortest time|period|stretch|streak|while without a|any? <x>', ({ tokens, text }) =>
    intervalsWithout(tokens('x'), aggregateOf(text('who'))),
  ),
  rule('who:my|the? how:longest|shortest|average|mean|best time|period|stretch alive', ({ text }) =>
    lives([], [], aggregateOf(text('how'))),
  ),
  rule('how_long|how_much_time <q> for', ({ tokens }) =>
    ask([...phrase('how long', tokens('q')[0]), ...tokens('q')], (query) => query),
  ),
  rule('the? longest time|stretch|i i|we? went|go|played|lasted|survived without a|any? <x>', ({ tokens }) =>
    intervalsWithout(tokens('x'), 'highest', -1),
  ),
  // "how long did my first kill take"
  rule(
    `how_long ${doing} <c> take`,
    ({ tokens }) =>
      firstTime(tokens('c')).map((each) => ({
        ...each,
        // A value takes no time.
        build: (...bodies) => {
          const { condition } = bodies[0]!;
          return 'nth' in condition && 'action' in condition.of ? each.build(...bodies) : undefined;
        },
      })),
    6,
  ),
  rule(`how_long ${doing} <s> go|last|survive|play without a|any? <x>`, ({ tokens }) =>
    declarative([...tokens('s'), ...tokens('x')]).flatMap((body) => measured(body, 'gap', 'highest', isEvent, -1)),
  ),
  rule(`how_long ${doing} <s> verb:live|survive|last|stay_alive <r*>`, ({ tokens, text }) =>
    // A thing lasts without being alive.
    text('verb') === 'last' && /^(?:the|this|that|each|every)$/.test(tokens('s')[0]!.lower)
      ? []
      : lives(tokens('s'), tokens('r'), 'each'),
  ),
  rule(`how_long ${be} <s> alive <r*>`, ({ tokens }) => lives(tokens('s'), tokens('r'), 'each')),
  rule(
    'who:average|mean|longest|shortest|best|typical life|lifetime|lifespan|survival|survival_time|life_time|life_span <r*>',
    ({ tokens, text }) => lives([], tokens('r'), aggregateOf(text('who'))),
  ),
  rule(
    'who:my who2:average|mean|longest|shortest|best|typical life|lifetime|lifespan|survival|survival_time|life_time|life_span <r*>',
    ({ tokens, text }) => lives([], tokens('r'), aggregateOf(text('who2'))),
  ),
  rule(
    'what|which|how_long is|was|were my|the who2:average|mean|longest|shortest life|lifetime|lifespan|survival|survival_time <r*>',
    ({ tokens, text }) => lives([], tokens('r'), aggregateOf(text('who2'))),
  ),
  rule(
    `how_long|how_much_time|how_many_seconds ${doing} <s> verb:have|hold|use|carry|wield|keep|play|run with|around? <w>`,
    ({ tokens, text }) =>
      stateDuration(
        [...asSubject(tokens('s')), word(text('verb') === 'have' ? 'had' : 'holding', tokens('w')[0]), ...tokens('w')],
        'sum',
      ),
  ),
  rule(`how_long|how_much_time|how_many_seconds who:${be} <s>`, ({ tokens }) =>
    anyOf(declarative([...tokens('who'), ...tokens('s')]), (state) => stateDuration(state, 'sum')),
  ),
  rule(`how_long|how_much_time ${doing} <s> spend|stay|remain|play <w>`, ({ tokens }) =>
    stateDuration([...asSubject(tokens('s')), ...tokens('w')], 'sum'),
  ),
  rule('how_much? time spent|with|holding|using <w>', ({ tokens }) => [
    ...stateDuration(tokens('w'), 'sum'),
    ...stateDuration([word('holding', tokens('w')[0]), ...tokens('w')], 'sum', 0.5),
  ]),
  rule(
    'the? longest|max|maximum|most time|period|stretch that? i|we stayed_alive|survived|lived|was_alive|were_alive',
    () => lives([], [], 'highest'),
  ),
  rule('the? longest i|we survived|lived|stayed_alive', () => lives([], [], 'highest')),
  rule(`how_long ${doing} <s> live|survive|last|stay_alive how:at_most|at_best|at_least|at_worst`, ({ tokens, text }) =>
    lives(tokens('s'), [], /most|best/.test(text('how')) ? 'highest' : 'lowest'),
  ),
  rule(
    `how_long ${doing}|${be} <s> live|survive|last|stay_alive|alive each_time|every_time|each_life|in_each_life|per_life|in_every_life`,
    ({ tokens }) => lives(tokens('s'), [], 'each'),
  ),
  rule(`how_long ${be} each|all of? my lives`, () => lives([], [], 'each')),
  rule('mean|average time alive per_life?', () => lives([], [], 'average')),
];

/** The time from one to the next; what one does not do, as in "without dying", is the player's. */
export function intervalsWithout(body: Tokens, take: Aggregate, cost = 0): readonly Reading[] {
  const isPassive = /^(?:getting|being)$/.test(body[0]?.lower ?? '') && body.length > 1;
  if (isPassive)
    return measured([word('i', body[0]), word('was', body[0]), ...body.slice(1)], 'gap', take, isEvent, cost);
  const isGerund = body[0]?.lower.endsWith('ing') ?? false;
  return measured(body, 'gap', take, isEvent, cost).map((each) => ({
    ...each,
    build: (...bodies) => {
      const query = each.build(...bodies);
      return query && isGerund ? { ...query, find: sameSubject(query.find) } : query;
    },
  }));
}

/** How long it takes until something happens for the first time. */
export function firstTime(clause: Tokens): readonly Reading[] {
  const got = achievementVerbs.has(clause[0]?.lower ?? '') ? [[word('i', clause[0]), ...clause]] : [];
  const withPlayer = clause[0] ? [[word('i', clause[0]), ...clause]] : [];
  return [...declarative(clause), ...got, ...withPlayer].flatMap((body, index) =>
    measured(body, 'time', 'lowest', isEvent, index === 0 ? 0 : 0.5).map((each) => ({
      ...each,
      build: (...bodies) => sinceNear(each.build(...bodies)),
    })),
  );
}

/** "how long until the door opened after the alarm" is the time from the alarm on. */
function sinceNear(query: Query | undefined): Query | undefined {
  if (!query || !('near' in query.find)) return query;
  const { near, find, side, within, absent } = query.find;
  if (side !== 'after' || within !== undefined || absent) return query;
  if (!isEvent(near) || isValue(near)) return undefined;
  return { find: { sequence: [near, find] }, measure: { of: 'duration', take: 'each' } };
}

/** "between my first and second kill", "between respawn and death", "between kills" */
export function between(all: Tokens, take: Aggregate, isOwn = true): readonly Reading[] {
  // "between two kills", "between consecutive kills"
  const isPair = /^(?:two|2|consecutive|successive)$/.test(all[0]?.lower ?? '');
  if (isPair) {
    const rest = all[1]?.lower === 'of' ? 2 : 1;
    return understanding(all.slice(0, rest), between(all.slice(rest), take));
  }
  // "between the first and the second hit"
  const articles = all.filter(
    ({ lower }, index) => lower === 'the' && ordinalValue(all[index + 1]?.lower ?? '') !== undefined,
  );
  if (articles.length > 0)
    return understanding(
      articles,
      between(
        all.filter((token) => !articles.includes(token)),
        take,
        all.some(({ lower }) => lower === 'my'),
      ),
    );
  const tokens = all;
  const and = tokens.findIndex(({ lower }) => lower === 'and');
  if (and < 0) return measured(tokens, 'gap', take === 'each' ? 'average' : take);
  const [left, right] = [tokens.slice(0, and), tokens.slice(and + 1)];
  const pair = (a: Tokens, b: Tokens, m = 0, n = 0): readonly Reading[] =>
    reading([a, b], ({ condition: x }, { condition: y }) => {
      const isMoment = (each: Condition): boolean => isThing(each) || (isEvent(each) && !isValue(each));
      if (!isMoment(x) || !isMoment(y)) return undefined;
      // A thing is there when it is first mentioned.
      // "The first goal" is anybody's.
      const own = isOwn && !isThing(x);
      const [first, second] = [isOwn ? sameSubject(x) : x, own ? sameSubject(y, x) : y].map((each) =>
        isThing(each) && !('nth' in each) && m + n === 0 ? { nth: 1, of: each } : each,
      ) as [Condition, Condition];
      const sequence = [m === 0 ? first : { nth: m, of: first }, n === 0 ? second : { nth: n, of: second }];
      return { find: { sequence }, measure: { of: 'duration', take } };
    });
  const [m, n] = [ordinalValue(left.at(-1)?.lower ?? ''), ordinalValue(right[0]?.lower ?? '')];
  if (m === undefined || n === undefined) return understanding([tokens[and]!], pair(left, right));
  const event = [...left.slice(0, -1).filter(({ lower }) => lower !== 'the'), ...right.slice(1)];
  return understanding(tokens, pair(event, event, m, n));
}

/** Is it a thing alone: "the yellow flag", "my first gun"? */
function isThing(condition: Condition): boolean {
  const inner = 'nth' in condition ? condition.of : condition;
  return 'mentions' in inner && !(inner.mentions as SlotPattern).any?.some((each) => each.count !== undefined);
}

/** How long somebody lives, from each spawn to what the other tokens say or to the death. */
export function lives(subject: Tokens, rest: Tokens, take: Aggregate): readonly Reading[] {
  const body = [...(subject.length > 0 ? asSubject(subject) : [word('i', rest[0])]), word('die', subject[0]), ...rest];
  return measured(body, 'life', take);
}
