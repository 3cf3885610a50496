import { type ActionPattern, type Condition, isAboutEvent } from '../../query.ts';
import { isEvent, sameSubject, playerPattern } from './subjects.ts';
import { grouped, list } from './answer-forms.ts';
import { anyOf, ask, reading, type Rule, rule, understanding } from './readings.ts';
import { declarative, withObject } from './word-order.ts';
import { be, doing, having, word, asSubject, owner } from './words.ts';

/** "which weapons did I use", "what happened", "by whom was I killed". */
export const listRules: readonly Rule[] = [
  rule(`what|which <x> ${doing}|${having} <c>`, ({ tokens }) =>
    anyOf(withObject(tokens('x'), tokens('c')), ({ tokens: body, cost, isObject }) =>
      isObject ? [] : list(body, cost + 1),
    ),
  ),
  rule(`what|which <n> ${doing}|${having} <c>`, ({ tokens }) =>
    anyOf(withObject(tokens('n'), tokens('c')), ({ tokens: clause, cost }) =>
      grouped(tokens('n'), [clause], {}, cost + 0.5),
    ),
  ),
  rule(`with|by|to|at|in|from|on|for what|which <n> who:${doing}|${having}|${be} <c>`, ({ tokens }) =>
    anyOf(declarative([...tokens('who'), ...tokens('c')]), (c) =>
      grouped(tokens('n'), [[...c, word('with', tokens('n')[0]), ...tokens('n')], c], {}, 0.5),
    ),
  ),
  // "kills Gargoyle made with a shotgun"
  rule('all|every|the? <x> <s> v:made|got|scored|had|took|landed|achieved|recorded|committed <r*>', ({ tokens }) =>
    tokens('s').length <= 3 && tokens('x').at(-1)?.kind !== 'possessive'
      ? list([...owner(tokens('s')), ...tokens('x'), ...tokens('r')], 1).map((each) => ({
          ...each,
          build: (...bodies) => (isEvent(bodies[0]!.condition) ? each.build(...bodies) : undefined),
        }))
      : [],
  ),
  // "which weapons did Major use to kill people"
  rule(`what|which <n> ${doing} <s> use to <v>`, ({ tokens }) =>
    grouped(
      tokens('n'),
      [[...asSubject(tokens('s')), ...tokens('v'), word('with', tokens('n')[0]), ...tokens('n')]],
      {},
      0.5,
    ),
  ),
  // "who else crashed"
  rule('who|anyone|anybody else <v>', ({ tokens }) =>
    ask([word('who', tokens('v')[0]), ...tokens('v')], (query) => {
      const { find } = query;
      const isAsked = 'action' in find && JSON.stringify((find as ActionPattern).subject) === '{}';
      return isAsked
        ? { ...query, find: { ...find, subject: { except: playerPattern.any! } } as Condition }
        : undefined;
    }),
  ),
  // "which weapon did I use for my last kill"
  rule(`what|which <n> ${doing} <s> use for|on|in <c>`, ({ tokens }) =>
    understanding(
      tokens('s'),
      grouped(tokens('n'), [tokens('c')], {}, 0.5).map((each) => ({
        ...each,
        build: (...bodies) => {
          const query = each.build(...bodies);
          return query && isAboutEvent(query.find) ? { ...query, find: sameSubject(query.find) } : undefined;
        },
      })),
    ),
  ),
  rule(`what|which of whose:my|the|all|these <x> ${be} <y>`, ({ tokens, text }) =>
    list([...(text('whose') === 'my' ? tokens('whose') : []), ...tokens('x'), ...tokens('y')]),
  ),
  rule('what|which <n> <c>', ({ tokens }) => grouped(tokens('n'), [[...tokens('n'), ...tokens('c')]], {}, 1)),
  rule(`all|every|the? <x> that|which|who? who:i|we|you <v>`, ({ tokens }) =>
    anyOf(withObject(tokens('x'), [...tokens('who'), ...tokens('v')]), ({ tokens: body, cost, isObject }) =>
      // "items I got" are no events of themselves, "kills I got" are.
      list(body, cost + 1).map((each) => ({
        ...each,
        build: (...bodies) => (isObject || isEvent(bodies[0]!.condition) ? each.build(...bodies) : undefined),
      })),
    ),
  ),
  rule(`what|who|whom ${doing}|${having} <c>`, ({ tokens }) =>
    anyOf(withObject([word('something', tokens('c')[0])], tokens('c')), ({ tokens: body, cost }) => list(body, cost)),
  ),
  rule(`what|who|how ${doing} <s> die|dead to|from|of|by|with? <r*>`, ({ tokens }) =>
    list([...asSubject(tokens('s')), word('die', tokens('s')[0]), ...tokens('r')]),
  ),
  // Whoever killed is in the kill, what else it was in the death.
  rule('what|how killed|kills <s> <r*>', ({ tokens }) =>
    reading(
      [
        [word('someone', tokens('s')[0]), word('kills', tokens('s')[0]), ...tokens('s'), ...tokens('r')],
        [...asSubject(tokens('s')), word('die', tokens('s')[0]), ...tokens('r')],
      ],
      ({ condition: kill }, { condition: death }) => ({ find: { any: [kill, death] } }),
    ),
  ),
  rule(`by who|whom who:${be}|${doing} <c>`, ({ tokens }) =>
    anyOf(declarative([...tokens('who'), ...tokens('c')]), (c) => list(c)),
  ),
  rule(`who ${be} <s> killed|fragged|defeated by <r*>`, ({ tokens }) =>
    list([word('someone', tokens('s')[0]), word('kills', tokens('s')[0]), ...tokens('s'), ...tokens('r')]),
  ),
  rule(
    'what happened|happens|went_down|is_happening|was_happening|was_going_on|is_going_on|occurred <r*>',
    ({ tokens }) => list([word('events', tokens('r')[0]), ...tokens('r')]),
  ),
  rule('<n> v:played|drawn|scored|taken|used|bought|destroyed|made by <s>', ({ tokens }) =>
    list([...asSubject(tokens('s')), ...tokens('v'), ...tokens('n')], 1),
  ),
  rule(`what_time|what_times|which_time|which_times who:${doing} <c> at`, ({ tokens }) =>
    anyOf(declarative([...tokens('who'), ...tokens('c')]), (c) => list(c)),
  ),
];
