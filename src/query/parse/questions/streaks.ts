import { streaks, limitOf } from './answer-forms.ts';
import { reading, type Rule, rule } from './readings.ts';
import { isEvent, isProperty } from './subjects.ts';
import { phrase, word, owner } from './words.ts';

/** "longest killing streak", "most kills in a row". */
export const streakRules: readonly Rule[] = [
  rule('who:my? longest|best|biggest streak|run|chain|series|spree of <x>', ({ tokens }) => [
    ...streaks([...tokens('who'), ...tokens('x')], -2),
    ...streaks([...tokens('who'), ...tokens('x'), ...phrase('without dying', tokens('x')[0])], -1),
  ]),
  // "longest spree without a death"
  rule(
    'who:my? the? longest|best|biggest|highest killing|kill|frag? streak|run|chain|spree|killstreak without <y>',
    ({ tokens }) =>
      streaks([word('my', tokens('who')[0]), ...phrase('kills without', tokens('y')[0]), ...tokens('y')], -2),
  ),
  rule('max|maximum <x> in_a_row', ({ tokens }) =>
    streaks([...tokens('x'), ...phrase('without dying', tokens('x')[0])], -2),
  ),
  rule('who:my? longest|best|biggest|highest|largest kill|killing|frag streak|spree|run|chain', ({ tokens }) =>
    streaks([word('my', tokens('who')[0]), ...phrase('kills without dying', tokens('who')[0])], -2),
  ),
  rule('who:my? longest|best|biggest|highest|largest killstreak|spree|streak', ({ tokens }) =>
    streaks([word('my', tokens('who')[0]), ...phrase('kills without dying', tokens('who')[0])], -2.5),
  ),
  rule('longest|best|biggest|highest kill|killing|frag streak|spree of_mine', () =>
    streaks(phrase('my kills without dying', undefined), -2),
  ),
  rule('who:my most <x> link:without <y>', ({ tokens }) =>
    streaks([...tokens('who'), ...tokens('x'), ...tokens('link'), ...tokens('y')], -2),
  ),
  rule('who:my most <x> in a|one|a_single row|life|go', ({ tokens }) =>
    streaks([...tokens('who'), ...tokens('x'), ...phrase('without dying', tokens('x')[0])], -2),
  ),
  rule('who:my? kill|killing|frag streak|streaks', ({ tokens }) =>
    streaks([word('my', tokens('who')[0]), ...phrase('kills without dying', tokens('who')[0])], -1),
  ),
  rule('longest|best|biggest|highest kill|killing|frag streak|spree of|by <s>', ({ tokens }) =>
    streaks([...owner(tokens('s')), ...phrase('kills without dying', tokens('s')[0])], -2),
  ),
  rule('<s> longest|best|biggest|highest kill|killing|frag streak|spree', ({ tokens }) =>
    tokens('s').at(-1)?.kind === 'possessive'
      ? streaks([...tokens('s'), ...phrase('kills without dying', tokens('s')[0])], -2)
      : [],
  ),
  rule(
    'most <x> in_a_row|in_one_life|in_a_life|in_a_single_life|without_dying|without_a_death|in_one_go',
    ({ tokens }) => streaks([...tokens('x'), ...phrase('without dying', tokens('x')[0])], -2),
  ),
  rule('how_many <x> in_a_row|in_one_life|in_a_single_life did who:i|we get|make|have|score', ({ tokens }) =>
    streaks([...owner(tokens('who')), ...tokens('x'), ...phrase('without dying', tokens('x')[0])], -2),
  ),
  rule('the? rank:most|fewest|least <x>', ({ tokens, text }) =>
    reading(
      [tokens('x')],
      ({ condition, by }) =>
        isEvent(condition) && !isProperty(condition) && !by
          ? { find: condition, by: [{ slot: 'subject' }], ...limitOf(text('rank')) }
          : undefined,
      1,
    ),
  ),
  rule('longest|most|best|biggest <x>', ({ tokens }) => streaks(tokens('x'), -1)),
];
