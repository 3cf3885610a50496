import type { GroupKey, Query } from '../../query.ts';
import { isPlain } from './answer-forms.ts';
import { countedBySubject } from './counts.ts';
import { understanding, type Interpretation, type Question, type Rule, rule, type Tokens } from './readings.ts';
import { groupOf, isEvent } from './subjects.ts';
import { anyone, keyNouns, word } from './words.ts';

/** "kills with each weapon", "break down kills by weapon". */
export const groupRules: readonly Rule[] = [
  rule('<q> with|for|in|on|by|from|against|to|at|per each|every <n>', ({ tokens }) => byEach(tokens('q'), tokens('n'))),
  rule('<q> by|per <n> type|kind|types|kinds', ({ tokens }) => byEach(tokens('q'), tokens('n'))),
  rule('break_down|breakdown_of|breakdown_for|split|group <q> by|per|into <n>', ({ tokens }) =>
    byEach(tokens('q'), tokens('n')),
  ),
  rule('<n> breakdown of|for <q>', ({ tokens }) => byEach(tokens('q'), tokens('n'))),
  // "who committed how many fouls"
  rule('who <v> how_many <x>', ({ tokens }) =>
    countedBySubject([word('someone', tokens('v')[0]), ...tokens('v'), ...tokens('x')]),
  ),
  rule('<x> count|counts per|of|for|by each|every? player|players|person|everyone', ({ tokens }) =>
    countedBySubject(tokens('x')),
  ),
];

/** Counts the matches of a query by a group; `undefined` if it asks for something else. */
function countedBy(query: Query | undefined, by: GroupKey | undefined): Query | undefined {
  if (!query || !by || query.by) return undefined;
  const { find, measure, per } = query;
  // "average damage per round", "kills per minute for each player"
  const isNumber =
    (measure !== undefined && measure.take !== 'each' && measure.of !== 'held') ||
    (per !== undefined && per !== 'life');
  if (isNumber && measure?.of !== 'count') return { ...query, by: [by] };
  const isCount = query.count || measure?.of === 'count' || (isPlain(query) && isEvent(find));
  return isCount ? { find, count: true, by: [by] } : undefined;
}

/** Groups what a question counts by what a noun names. */
function byEach(question: Tokens, noun: Tokens): readonly Interpretation[] {
  if (noun.length === 1 && anyone.has(noun[0]!.lower)) return understanding(noun, countedBySubject(question));
  const key = noun.length === 1 ? keyNouns.get(noun[0]!.lower) : undefined;
  const adapt: Question['adapt'] = (inner) => {
    if ('command' in inner) return [];
    if (key) return [{ ...inner, build: (...bodies) => countedBy(inner.build(...bodies), key) }];
    return [
      {
        ...inner,
        kinds: ['noun', ...(inner.kinds ?? [])],
        bodies: [noun, ...inner.bodies],
        build: (first, ...bodies) => countedBy(inner.build(...bodies), groupOf(first!)),
      },
    ];
  };
  return [{ question, adapt, understood: noun }];
}
