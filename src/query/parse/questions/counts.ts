import { count, countObjects, grouped, isPlain, streaks, measured } from './answer-forms.ts';
import {
  type Interpretation,
  anyOf,
  ask,
  nounReading,
  reading,
  type Reading,
  type Rule,
  rule,
  type Tokens,
} from './readings.ts';
import { groupOf, isBareProperty, isEvent, isProperty } from './subjects.ts';
import { declarative, withObject } from './word-order.ts';
import {
  achievementVerbs,
  asObject,
  be,
  doing,
  having,
  word,
  asSubject,
  owner,
  anyone,
  phrase,
  possessive,
  substitute,
} from './words.ts';

/** "how many", "how often", "number of". */
export const countRules: readonly Rule[] = [
  rule('how_many_times|how_often|how_frequently|how_many_time|number_of_times <c>', ({ tokens }) =>
    anyOf(declarative(tokens('c')), (c) => count(c)),
  ),
  // "how many times did each opponent kill me"
  rule(`how_many_times|how_often ${doing}|${having} each|every <n> <v>`, ({ tokens, text }) =>
    anyone.has(text('n'))
      ? countedBySubject([word('someone', tokens('n')[0]), ...tokens('v')])
      : grouped(tokens('n'), [[...tokens('n'), ...tokens('v')]], {}, -2),
  ),
  rule(`how_many|how_much <x> is|are|was|were|have_been|has_been|had_been there <r*>`, ({ tokens }) =>
    count([...tokens('x'), ...tokens('r')]),
  ),
  rule(`how:how_many|how_much <x> ${doing}|${having}|can|could <c>`, ({ tokens, text }) =>
    // An amount of health or damage is no number of events.
    text('how') === 'how much' && !text('x').endsWith('s')
      ? []
      : anyOf(withObject(tokens('x'), tokens('c')), ({ tokens: body, cost }) => {
          const total = cost + (text('how') === 'how much' ? 4 : 0);
          return [...countObjects(body, total), ...streaks(body, total - 1)];
        }),
  ),
  rule(`how_many ${doing}|${having} <s> <v>`, ({ tokens }) => {
    const [verb, ...rest] = tokens('v');
    return count([...asSubject(tokens('s')), verb!, word('someone', verb), ...rest], 1);
  }),
  rule(`how_many <x> ${doing}|${having} <s> have|had|got at_the_end`, ({ tokens }) =>
    count([...owner(tokens('s')), ...tokens('x')], -2),
  ),
  // "how many kills did I have at 10 minutes": those until then
  rule(`how_many <x> ${doing}|${having} <s> have|had|got? at|by <t>`, ({ tokens }) =>
    reading(
      [
        [...owner(tokens('s')), ...tokens('x')],
        [word('before', tokens('t')[0]), ...tokens('t')],
      ],
      ({ condition, by }, { condition: until }) =>
        isEvent(condition) &&
        !isProperty(condition) &&
        !by &&
        'time' in until &&
        until.time.to !== undefined &&
        until.time.part === undefined
          ? { find: { all: [condition, until] }, count: true }
          : undefined,
      -2,
    ),
  ),
  rule('<x> ,? how_many|how_often|how_many_times|how_much', ({ tokens }) => count(tokens('x'))),
  rule('<x> count link:while|when|with|in|before|after|between|during <r>', ({ tokens }) =>
    count([...tokens('x'), ...tokens('link'), ...tokens('r')]),
  ),
  rule('who <v> and? how_often|how_many_times', ({ tokens }) =>
    countedBySubject([word('someone', tokens('v')[0]), ...tokens('v')]),
  ),
  // "whom did Sarge kill and how often"
  rule(`who|whom ${doing} <s> <v> and? how_often|how_many_times`, ({ tokens }) =>
    reading(
      [[...asSubject(tokens('s')), ...tokens('v'), word('someone', tokens('v')[0])]],
      ({ condition }) =>
        isEvent(condition) && !isProperty(condition)
          ? { find: condition, count: true, by: [{ slot: 'object' }] }
          : undefined,
      -2,
    ),
  ),
  rule(`how_many|number_of|count_of different|distinct|unique <n> who:i|we|you <v>`, ({ tokens }) =>
    anyOf(withObject(tokens('n'), [...tokens('who'), ...tokens('v')]), ({ tokens: body, cost }) =>
      grouped(tokens('n'), [body], { distinct: true }, cost),
    ),
  ),
  rule('number_of|count_of <x> who:i|we|you <v>', ({ tokens }) =>
    anyOf(withObject(tokens('x'), [...tokens('who'), ...tokens('v')]), ({ tokens: body, cost, isObject }) =>
      isObject ? countObjects(body, cost) : count(body, cost),
    ),
  ),
  rule(`how_many <x> ${doing}|${having} each|every ${[...anyone].join('|')} <v*>`, ({ tokens }) =>
    countedByDoer(tokens('x'), tokens('v')),
  ),
  rule(
    `how_many <x> ${doing}|${having} everyone|everybody|all_players|the_players|players|they_all|we_all <v*> each?`,
    ({ tokens }) => countedByDoer(tokens('x'), tokens('v')),
  ),
  rule(
    `<x> of|by|for|per|from each|every? ${[...anyone].filter((each) => each !== 'player').join('|')}`,
    ({ tokens }) => countedBySubject(tokens('x')),
  ),
  rule('<x> of|by|for|from each|every player', ({ tokens }) => countedBySubject(tokens('x'))),
  rule('<x> of|by|for|from each|every <n>', ({ tokens, text }) =>
    sides.has(text('n')) ? countedBySubject([...tokens('n'), possessive(tokens('n')[0]), ...tokens('x')]) : [],
  ),
  rule(`how_many <x> ${doing}|${having} each|every <n> <v*>`, ({ tokens, text }) =>
    sides.has(text('n')) ? countedByDoer(tokens('x'), tokens('v'), tokens('n')) : [],
  ),
  rule(
    'number_of|count_of <x> of|by|for|per|from each|every? player|players|person|fighter|driver|side',
    ({ tokens }) => countedBySubject(tokens('x')),
  ),
  rule('<x> per player', ({ tokens }) => countedBySubject(tokens('x'))),
  rule('how_many|how_much <x>', ({ tokens }) => [...countObjects(tokens('x'), 1), ...streaks(tokens('x'), 0)]),
  rule(`how_many of the|all|these? <x> ${be} <y>`, ({ tokens }) => count([...tokens('x'), ...tokens('y')])),
  rule(`how_many of who:my|our <x> ${be} <y>`, ({ tokens }) =>
    count([word('my', tokens('x')[0]), ...tokens('x'), ...tokens('y')]),
  ),
  rule(`how_many <n> ${doing} <s> verb:use|try|hold|carry`, ({ tokens, text }) =>
    /^(?:weapons|guns)$/.test(text('n'))
      ? ask(
          [
            ...phrase('how many different', tokens('n')[0]),
            substitute('weapons', tokens('n')[0]!),
            word('did', tokens('s')[0]),
            ...tokens('s'),
            ...tokens('verb'),
          ],
          (query) => (query.distinct ? query : undefined),
        )
      : [],
  ),
  rule(`how_many hits|blows ${doing} <s> take|get|suffer|receive <r*>`, ({ tokens }) =>
    count(
      [word('someone', tokens('s')[0]), word('hits', tokens('s')[0]), ...asObject(tokens('s')), ...tokens('r')],
      -1,
    ),
  ),
  // "how many rounds were there"
  rule(`how_many <n> ${be}|did there|played|i_play|we_play|they_play`, ({ tokens }) =>
    nounReading(
      [tokens('n')],
      (body) => {
        const by = groupOf(body);
        return by && 'period' in by
          ? { find: { any: [{ action: [] }, { property: [] }] }, by: [by], distinct: true }
          : undefined;
      },
      2,
    ),
  ),
  rule('how_many <x> who:i|we|you <v>', ({ tokens }) =>
    anyOf(withObject(tokens('x'), [...tokens('who'), ...tokens('v')]), ({ tokens: body, cost, isObject }) =>
      isObject ? countObjects(body, cost + 0.5) : count(body, cost + 0.5),
    ),
  ),
  rule(
    'count_of|count|number_of|the_number_of|total_number_of|the_total_number_of|amount_of|the_amount_of|tally_of all|the? <x>',
    ({ tokens }) => [...countObjects(tokens('x')), ...streaks(tokens('x'), -1)],
  ),
  // "how many kills do Sarge and Major have together"
  rule('<q> together|combined|between_them', ({ tokens }) =>
    ask(tokens('q'), (query) => (query.count ? query : isPlain(query) ? { ...query, count: true } : undefined)),
  ),
  rule('the? combined number_of? <x>', ({ tokens }) =>
    // "kills of Sarge" can be those by him and those of him.
    tokens('x').some(({ lower }) => lower === 'of') ? [] : count(tokens('x')),
  ),
  rule('<x> count|tally|counter|total', ({ tokens }) => count(tokens('x'))),
  rule('who:my? total|overall <x>', ({ tokens }) => [
    ...count([...tokens('who'), ...tokens('x')], 1),
    ...measured([...tokens('who'), ...tokens('x')], 'change', 'sum', (c) => isProperty(c) && !isBareProperty(c)),
  ]),
  rule(`how_many different|distinct|unique|kinds_of|types_of <n> ${doing}|${having} <c>`, ({ tokens }) =>
    anyOf(withObject(tokens('n'), tokens('c')), ({ tokens: body, cost }) =>
      grouped(tokens('n'), [body], { distinct: true }, cost),
    ),
  ),
  rule('how_many different|distinct|unique|kinds_of|types_of <n> <c>', ({ tokens }) =>
    grouped(tokens('n'), [[...tokens('n'), ...tokens('c')]], { distinct: true }, 1),
  ),
];

/** Counts what a body describes by who did it. */
export function countedBySubject(body: Tokens): readonly Reading[] {
  return reading([body], ({ condition }) =>
    isEvent(condition) && !isProperty(condition)
      ? { find: condition, count: true, by: [{ slot: 'subject' }] }
      : undefined,
  );
}

const sides: ReadonlySet<string> = new Set(['opponent', 'enemy', 'teammate', 'team']);

/** "how many fouls did each player commit" */
function countedByDoer(noun: Tokens, verb: Tokens, doer?: Tokens): readonly Interpretation[] {
  if (!doer && verb.every(({ lower }) => achievementVerbs.has(lower))) return countedBySubject(noun);
  return anyOf(withObject(noun, [...(doer ?? [word('someone', verb[0])]), ...verb]), ({ tokens, cost }) =>
    countedBySubject(tokens).map((each) => ({ ...each, cost: each.cost + cost })),
  );
}
