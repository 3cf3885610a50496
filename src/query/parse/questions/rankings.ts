import { numberValue } from '../../../dictionary/sentences/tokenize.ts';
import { grouped, groupByQuestionWord, type Limit, limitOf, weaponsOf } from './answer-forms.ts';
import {
  understanding,
  anyOf,
  ask,
  nounReading,
  reading,
  type Reading,
  type Rule,
  rule,
  type Tokens,
} from './readings.ts';
import type { ActionPattern } from '../../query.ts';
import { askedSlot, groupOf, isEvent, isOfValue, sameSubject, playerPattern } from './subjects.ts';
import { declarative, withObject } from './word-order.ts';
import {
  be,
  beForms,
  doForms,
  doing,
  haveForms,
  having,
  keyNouns,
  most,
  phrase,
  word,
  anyone,
  owner,
  asSubject,
} from './words.ts';

// Rankings.
const anyoneNouns = [...anyone].join('|');

const getting =
  'have|has|had|got|gets|get|made|makes|make|scored|scores|score|did|does|do|took|takes|suffered|dealt|landed|committed|picked_up|with';

const rankNumber =
  'rank:the_most|most|the_fewest|fewest|the_least|least|the_highest_number_of|the_lowest_number_of|more';

/** "who killed me most", "best weapon", "top 3 weapons". */
export const rankingRules: readonly Rule[] = [
  // "most kills in a round"
  rule(
    'the|my? rank:most|fewest|least <x> in|on|during a|one|any|single|one_single|any_single <n>',
    ({ tokens, text }) =>
      nounReading(
        [tokens('n'), tokens('x')],
        (noun, { condition, by }) => {
          const key = groupOf(noun);
          if (!key || !('period' in key) || by || !isEvent(condition)) return undefined;
          return { find: sameSubject(condition), by: [key], ...limitOf(text('rank')) };
        },
        -4,
      ),
  ),
  rule('<s> best|deadliest|strongest|favorite|favourite|main|preferred <n>', ({ tokens }) => {
    const whose = tokens('s');
    if (whose.at(-1)?.kind !== 'possessive') return [];
    const isVictim = /^(?:victim|target|prey)$/.test(tokens('n')[0]!.lower);
    return isVictim
      ? understanding(
          [whose.at(-1)!, ...tokens('n')],
          reading(
            [[...whose.slice(0, -1), ...phrase('kills someone', whose[0])]],
            ({ condition }) => ({
              find: condition,
              by: [{ slot: 'object' }],
              top: 1,
            }),
            -1,
          ),
        )
      : grouped(tokens('n'), [[...whose, word('kills', whose[0])]], { top: 1 }, -1.5);
  }),
  rule('my favorite|favourite|main victim|target|prey', () =>
    reading([phrase('i kill someone', undefined)], ({ condition }) => ({
      find: condition,
      by: [{ slot: 'object' }],
      top: 1,
    })),
  ),
  rule('what|which <n> got|gave|earned|brought who:me|us the_most|most <x>', ({ tokens }) =>
    grouped(tokens('n'), [[word('my', tokens('n')[0]), ...tokens('x')]], { top: 1 }),
  ),
  rule(`with|by|to|in|at|from what|which <n> who:${doing}|${having}|${be} <c> ${most}`, ({ tokens, text }) =>
    anyOf(declarative([...tokens('who'), ...tokens('c')]), (c) => [
      ...grouped(tokens('n'), [[...c, word('with', tokens('n')[0]), ...tokens('n')]], limitOf(text('rank'))),
      ...(keyNouns.has(text('n')) ? grouped(tokens('n'), [c], limitOf(text('rank'))) : []),
    ]),
  ),
  rule(`what|which <a> ${most} end:with|to|by|from|in|against|on`, ({ tokens, text }) =>
    ask(
      [
        word('which', tokens('a')[0]),
        ...tokens('a'),
        ...(text('end') === 'in' ? [] : tokens('end')),
        ...tokens('rank'),
      ],
      (query) => query,
    ),
  ),
  rule('what|which minute|minutes was|were <x>', ({ tokens }) =>
    reading([tokens('x')], ({ condition }) =>
      isEvent(condition) ? { find: condition, by: [{ key: 'minute' }] } : undefined,
    ),
  ),
  // "who drew more cards"
  rule('who <v> how:more|fewer|less <x>', ({ tokens, text }) =>
    // "who killed more, me or Sable" compares two.
    tokens('x').some(({ lower }) => lower === 'or' || lower === ',')
      ? []
      : ask(
          [
            ...phrase('who', tokens('v')[0]),
            ...tokens('v'),
            ...phrase(text('how') === 'more' ? 'the most' : 'the fewest', tokens('x')[0]),
            ...tokens('x'),
          ],
          (query) => (query.top === undefined && query.bottom === undefined ? undefined : query),
          0.5,
        ),
  ),
  rule('the? most <x> in a|one|a_single|any minute', ({ tokens }) =>
    reading(
      [tokens('x')],
      ({ condition }) =>
        isEvent(condition) && !isOfValue(condition) ? { find: condition, by: [{ key: 'minute' }], top: 1 } : undefined,
      -2,
    ),
  ),
  rule(`who leads|led|is_leading|was_leading|is_ahead in|on|by|with <x>`, ({ tokens }) =>
    ask([...phrase('who has the most', tokens('x')[0]), ...tokens('x')], (query) => query),
  ),
  // "weapon I got the most kills with", "weapon with the most kills for me"
  rule(
    '<n> that? who:i|we|you get|got|have|had|made|scored the? rank:most|fewest|least <x> with|in|by',
    ({ tokens, text }) => grouped(tokens('n'), [[word('my', tokens('x')[0]), ...tokens('x')]], limitOf(text('rank'))),
  ),
  rule('<n> with the? rank:most|fewest|least <x> for me|us', ({ tokens, text }) =>
    grouped(tokens('n'), [[word('my', tokens('x')[0]), ...tokens('x')]], limitOf(text('rank'))),
  ),
  rule('<n> with who:my? rank:most|fewest|least <x>', ({ tokens, text }) =>
    grouped(tokens('n'), [[...tokens('who'), ...tokens('x')]], limitOf(text('rank'))),
  ),
  rule('deadliest|best|strongest <n> of|for|among|overall all_players|everyone|everybody|all', ({ tokens }) =>
    grouped(tokens('n'), [phrase('kills', tokens('n')[0])], { top: 1 }),
  ),
  rule('the? top scorer|goalscorer|goal_scorer', () =>
    reading([phrase('goals', undefined)], ({ condition }) => ({ find: condition, by: [{ slot: 'subject' }], top: 1 })),
  ),
  rule(`who|whom|what who:${doing}|${having}|${be} <c> ${most} <r*>`, ({ tokens, text }) =>
    anyOf(withObject([word('someone', tokens('c')[0])], tokens('c')), ({ tokens: clause, cost }) =>
      groupByQuestionWord(
        [[...clause, ...tokens('r')]],
        limitOf(text('rank')),
        cost + (haveForms.has(text('who')) ? 1.5 : 0),
      ),
    ),
  ),
  rule(`who|which_player|which_person|which_one <c> ${most} <r*>`, ({ tokens, text }) =>
    groupByQuestionWord(
      [
        [word('someone', tokens('c')[0]), ...tokens('c'), ...tokens('r')],
        ...(tokens('c').length === 1
          ? [[word('someone', tokens('c')[0]), ...tokens('c'), word('someone', tokens('c')[0]), ...tokens('r')]]
          : []),
      ],
      limitOf(text('rank')),
    ),
  ),
  // "who did I overtake twice": the same one in each
  rule('who <c> times:twice|two_times|2_times|more_than_once|three_times|3_times|thrice', ({ tokens, text }) =>
    repeated(tokens('c'), /^(?:th|3)/.test(text('times')) ? 3 : 2),
  ),
  rule(
    '<n> that|who <c> times:twice|two_times|2_times|more_than_once|three_times|3_times|thrice',
    ({ tokens, text }) =>
      tokens('n').length > 1 ? [] : repeated([...tokens('n'), ...tokens('c')], /^(?:th|3)/.test(text('times')) ? 3 : 2),
  ),
  rule(`by who|whom who:${be}|${doing} <c> ${most}`, ({ tokens, text }) =>
    groupByQuestionWord(
      declarative([...tokens('who'), ...tokens('c')]).map((c) => [...c, ...phrase('by someone', tokens('c')[0])]),
      limitOf(text('rank')),
    ),
  ),
  rule(`what|which <n> ${doing} <s> get|make|have|score the_most|most <x> with|in|on|by`, ({ tokens }) =>
    grouped(tokens('n'), [[...owner(tokens('s')), ...tokens('x')]], { top: 1 }),
  ),
  rule('what|which <n> i|we get|got|make|made|have|had|score|scored the_most|most <x> with|in|on|by', ({ tokens }) =>
    grouped(tokens('n'), [[word('my', tokens('n')[0]), ...tokens('x')]], { top: 1 }),
  ),
  rule(`what|which <n> verb:${doing}|${having}|${be} <c> ${most} <r*>`, ({ tokens, text }) =>
    anyOf(
      withObject(tokens('n'), tokens('c'), doForms.has(text('verb')) ? [] : tokens('verb')),
      ({ tokens: clause, cost }) => grouped(tokens('n'), [[...clause, ...tokens('r')]], limitOf(text('rank')), cost),
    ),
  ),
  rule(`in? what|which <n> ${doing}|${having}|${be} <c> ${most} <r*>`, ({ tokens, text }) => {
    const key = tokens('n').length === 1 ? keyNouns.get(text('n')) : undefined;
    return key ? grouped(tokens('n'), [[...asSubject(tokens('c')), ...tokens('r')]], limitOf(text('rank'))) : [];
  }),
  rule(`what|which <n> <c> ${most} <r*>`, ({ tokens, text }) =>
    // "which opponent killed the most" asks who kills.
    [
      ...(tokens('c').length === 1
        ? grouped(
            tokens('n'),
            [[...tokens('n'), ...tokens('c'), word('someone', tokens('c')[0]), ...tokens('r')]],
            limitOf(text('rank')),
            -0.5,
          )
        : []),
      ...grouped(tokens('n'), [[...tokens('n'), ...tokens('c'), ...tokens('r')]], limitOf(text('rank')), 0.5),
    ],
  ),
  rule(`who|which_${[...anyone].join('|which_')}|what_player ${getting} ${rankNumber} <x>`, ({ tokens, text }) =>
    reading([tokens('x')], ({ condition }) =>
      isEvent(condition) && !isOfValue(condition)
        ? { find: condition, by: [{ slot: 'subject' }], ...limitOf(text('rank')) }
        : undefined,
    ),
  ),
  rule(`${anyoneNouns} ${getting} ${rankNumber} <x>`, ({ tokens, text }) =>
    reading([tokens('x')], ({ condition }) =>
      isEvent(condition) && !isOfValue(condition)
        ? { find: condition, by: [{ slot: 'subject' }], ...limitOf(text('rank')) }
        : undefined,
    ),
  ),
  rule(`in? what|which|the? <n> ${getting}|was|were|is ${rankNumber} <x>`, ({ tokens, text }) => [
    ...grouped(tokens('n'), [tokens('x')], limitOf(text('rank'))),
    ...reading([[...owner(tokens('n')), ...tokens('x')]], ({ condition }) =>
      isEvent(condition) && !isOfValue(condition)
        ? { find: condition, by: [{ slot: 'subject' }], ...limitOf(text('rank')) }
        : undefined,
    ),
  ]),
  rule(`in? what|which <n> ${doing} <s> ${getting} ${rankNumber} <x>`, ({ tokens, text }) =>
    grouped(tokens('n'), [[...owner(tokens('s')), ...tokens('x')]], limitOf(text('rank'))),
  ),
  rule(
    'who:my|the? rank:most|least used|common|frequent|popular|played|frequently_used|often_used|commonly_used|favored <n>',
    ({ tokens, text }) => usage(tokens('n'), limitOf(text('rank'))),
  ),
  rule('who:my|the? favorite|favourite|go-to|preferred|main <n>', ({ tokens }) => usage(tokens('n'), { top: 1 })),
  rule(
    `what|which <n> ${doing} who:i|we use|play_with|fight_with|rely_on rank:the_most_often|the_most|most_often|most|the_least|least|least_often`,
    ({ tokens, text }) => usage(tokens('n'), limitOf(text('rank'))),
  ),
  rule(
    'who:my|the? rank:best|deadliest|most_effective|most_successful|strongest|worst|least_effective <n>',
    ({ tokens, text }) => killsWith(tokens('n'), limitOf(text('rank'))),
  ),
  rule(
    `what|which <n> ${be} who:my|the rank:best|deadliest|most_effective|most_successful|strongest|worst|least_effective`,
    ({ tokens, text }) => killsWith(tokens('n'), limitOf(text('rank'))),
  ),
  rule(
    `what|which <n> ${doing} <s> get|make|have|score the_most_of|most_of my|his|her|their|the? <x> with|in|on|by`,
    ({ tokens }) => grouped(tokens('n'), [[...owner(tokens('s')), ...tokens('x')]], { top: 1 }),
  ),
  rule(`with what|which <n> ${doing} <s> ${getting} ${rankNumber} <x>`, ({ tokens, text }) =>
    grouped(tokens('n'), [[...owner(tokens('s')), ...tokens('x')]], limitOf(text('rank'))),
  ),
  rule(`what|which <n> ${doing} <s> get|make|have|score <x> with|in|on|by`, ({ tokens }) =>
    grouped(tokens('n'), [[...owner(tokens('s')), ...tokens('x')]], {}),
  ),
  rule('who:my|the? rank:best|worst <n> by|for|in_terms_of|in <x>', ({ tokens, text }) =>
    grouped(tokens('n'), [[...(text('who') === 'my' ? tokens('who') : []), ...tokens('x')]], limitOf(text('rank'))),
  ),
  rule('who:my|the? top <k> <n> by_kills|by_frags?', ({ tokens }) => {
    const number = tokens('k').length === 1 ? numberValue(tokens('k')[0]) : undefined;
    return number === undefined ? [] : understanding(tokens('k'), killsWith(tokens('n'), { top: number }));
  }),
  rule('who:my|the? top <n>', ({ tokens }) => killsWith(tokens('n'), { top: 3 })),
  rule(`top <k> <n> by <x>`, ({ tokens }) => {
    const number = tokens('k').length === 1 ? numberValue(tokens('k')[0]) : undefined;
    return number === undefined ? [] : understanding(tokens('k'), grouped(tokens('n'), [tokens('x')], { top: number }));
  }),
  rule('the? top <k> killers|fraggers|players|scorers', ({ tokens }) => {
    const number = tokens('k').length === 1 ? numberValue(tokens('k')[0]) : undefined;
    return number === undefined
      ? []
      : understanding(
          tokens('k'),
          reading([phrase('kills', tokens('k')[0])], ({ condition }) => ({
            find: condition,
            by: [{ slot: 'subject' }],
            top: number,
          })),
        );
  }),
  rule('the? top killer|fragger|killers|fraggers|scorer', ({ tokens }) =>
    reading([phrase('kills', tokens('x')[0])], ({ condition }) => ({
      find: condition,
      by: [{ slot: 'subject' }],
      top: 1,
    })),
  ),
  rule('my|the? nemesis|worst_enemy|arch_enemy|archenemy|biggest_threat|biggest_enemy|main_killer', () =>
    reading([phrase('someone kills me', undefined)], ({ condition }) => ({
      find: condition,
      by: [{ slot: 'subject' }],
      top: 1,
    })),
  ),
];

/** What somebody does, or what is done to somebody, several times. */
function repeated(clause: Tokens, times: number): readonly Reading[] {
  const [first] = clause;
  const isQuestion = first !== undefined && (doForms.has(first.lower) || beForms.has(first.lower));
  const bodies = isQuestion
    ? withObject([word('someone', first)], clause.slice(1), doForms.has(first.lower) ? [] : [first]).map(
        ({ tokens }) => tokens,
      )
    : [[word('someone', first), ...clause], clause];
  return bodies.flatMap((body) =>
    reading([body], ({ condition }) => {
      if (!('action' in condition) || !isEvent(condition)) return undefined;
      const pattern = condition as ActionPattern;
      const key = askedSlot(condition);
      const slot = key && 'slot' in key ? key.slot : 'subject';
      if (slot === 'property' || (!key && !pattern[slot])) return undefined;
      const step = { ...pattern, [slot]: { ...pattern[slot], same: 'one' } };
      return { find: { sequence: Array.from({ length: times }, () => step) } };
    }),
  );
}

/** What one uses: what fills a slot of one's actions. */
function usage(noun: Tokens, limit: Limit): readonly Reading[] {
  return nounReading(
    [weaponsOf(noun)],
    (body) => {
      const by = groupOf(body);
      if (!by || !('word' in by)) return undefined;
      return { find: { action: [], subject: playerPattern, with: { any: [{ words: by.word }] } }, by: [by], ...limit };
    },
    -1,
  );
}

function killsWith(noun: Tokens, limit: Limit): readonly Reading[] {
  return nounReading(
    [weaponsOf(noun), phrase('my kills', noun[0])],
    (body, { condition }) => {
      const by = groupOf(body);
      // One kills with weapons, not with laps.
      return by && 'word' in by ? { find: condition, by: [by], ...limit } : undefined;
    },
    -1,
  );
}
