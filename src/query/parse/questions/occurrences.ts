import { numberValue } from '../../../dictionary/sentences/tokenize.ts';
import { type ActionPattern, type Condition, isAboutEvent, type Query } from '../../query.ts';
import { ordinalValue } from '../ordinals.ts';
import { beforeFirst, isPlain, list } from './answer-forms.ts';
import { understanding, anyOf, ask, reading, type Reading, type Rule, rule, type Tokens } from './readings.ts';
import { isReading } from './subjects.ts';
import { declarative } from './word-order.ts';
import { asObject, asSubject, be, doing, having, ordinalWords, phrase, word } from './words.ts';

/** How often something must happen at least, for templates. */
const repetitions: Readonly<Record<string, number>> = {
  twice: 2,
  two_times: 2,
  more_than_once: 2,
  at_least_twice: 2,
  three_times: 3,
  thrice: 3,
  four_times: 4,
  five_times: 5,
};

/** Where it does not say who acts, the same one does each time. */
function bySameOne(condition: Condition): Condition {
  if (!('action' in condition)) return condition;
  const pattern = condition as ActionPattern;
  return pattern.subject?.any ? pattern : { ...pattern, subject: { same: 'actor' } };
}

/** Whether and when something happened; the first, last and n-th time. */
export const occurrenceRules: readonly Rule[] = [
  rule(`who:${doing}|${having}|${be} <c>`, ({ tokens }) =>
    anyOf(declarative([...tokens('who'), ...tokens('c')]), (body) =>
      reading([body], ({ condition, by }) => (by ? undefined : { find: beforeFirst(condition), whether: true }), 0.5),
    ),
  ),
  // "did Silva score before Okoro did"
  rule(`who:${doing} <a> side:before|after <b> ${doing}`, ({ tokens }) =>
    anyOf([1, 2, 3], (end) => {
      const [clause, verb] = [tokens('a'), tokens('a').slice(end)];
      return verb.length === 0
        ? []
        : ask([...tokens('who'), ...clause, ...tokens('side'), ...tokens('b'), ...verb], yesOrNo);
    }),
  ),
  // "was I ever in the lead", "did I have more than 100 health"
  rule(`who:${be} <s>`, ({ tokens }) =>
    anyOf(declarative([...tokens('who'), ...tokens('s')]), (state) => isHeld(state)),
  ),
  rule(`did <s> have <x>`, ({ tokens }) =>
    isHeld([...asSubject(tokens('s')), word('had', tokens('x')[0]), ...tokens('x')]),
  ),
  rule('is|are|was|were|has|have there been? any|a|an|some? <x>', ({ tokens }) =>
    reading([tokens('x')], ({ condition }) => ({ find: condition, whether: true })),
  ),
  rule(
    'when|what_time|at_what_time|at_which_time|at_what_point|at_which_point|what_times|at_what_times|which_time <c>',
    ({ tokens }) =>
      anyOf(declarative(tokens('c')), (c) => [
        ...list(c),
        ...ask(c, (query) => (query.whether ? undefined : query), 0.5),
      ]),
  ),
  // "when was I below 10 hp" is when I came there.
  rule(`when|how_often|how_many_times who:${be} <s> side:below|under|above|over <x>`, ({ tokens, text }) =>
    tokens('s').length > 1
      ? []
      : list([
          ...asSubject(tokens('s')),
          word(/below|under/.test(text('side')) ? 'fell' : 'rose', tokens('who')[0]),
          ...tokens('side'),
          ...tokens('x'),
        ]).map((each) => ({ ...each, cost: each.cost - 1 })),
  ),
  rule(`ask:when|how_often|how_many_times ${be} <s> in <x>`, ({ tokens, text }) =>
    list(
      [...asSubject(tokens('s')), word('took', tokens('x')[0]), ...tokens('x')],
      0.5,
      text('ask') === 'when' ? {} : { count: true },
    ),
  ),
  // "when did lap 2 start", where the screen counts laps
  rule(`when ${doing} <n> <k> start|begin`, ({ tokens }) =>
    reading([[...tokens('n'), ...phrase('rises to', tokens('k')[0]), ...tokens('k')]], ({ condition: find }) =>
      isReading(find) ? { find } : undefined,
    ),
  ),
  // "when did it say checkpoint"
  rule(
    'ask:when|how_often|how_many_times|did did? it|the_screen|the_game|there say|show|display <x>',
    ({ tokens, text }) =>
      reading(
        [[...phrase('message', tokens('x')[0]), ...tokens('x'), word('appears', tokens('x')[0])]],
        ({ condition: find }) => ({
          find,
          ...(text('ask') === 'did' ? { whether: true as const } : text('ask') !== 'when' && { count: true as const }),
        }),
      ),
  ),
  // "how often did Major and Sarge kill each other"
  rule(`ask:how_often|how_many_times|when|did did? <a> and <b> <v> each_other|one_another <r*>`, ({ tokens, text }) =>
    reading(
      [
        [...asSubject(tokens('a')), ...tokens('v'), ...asObject(tokens('b')), ...tokens('r')],
        [...asSubject(tokens('b')), ...tokens('v'), ...asObject(tokens('a')), ...tokens('r')],
      ],
      ({ condition: first }, { condition: second }) => ({
        find: { any: [first, second] },
        ...(text('ask') === 'did' ? { whether: true as const } : text('ask') !== 'when' && { count: true as const }),
      }),
    ),
  ),
  rule(`when ${be} <x>`, ({ tokens }) => ask(tokens('x'), (query) => query)),
  rule('where in_the_video|in_the_recording? <c>', ({ tokens }) =>
    anyOf(declarative(tokens('c')), (c) => list(c, 0.5)),
  ),
  rule(
    'every_time|each_time|all_the_times|all_times|the_times|times|all_the_moments|moments|the_moments|whenever|anytime|all_moments when|where|in_which|that|with? <c>',
    ({ tokens }) => anyOf(declarative(tokens('c')), (c) => list(c)),
  ),
  rule(`the? n:${ordinalWords} time|moment|occasion when|that|where? <c>`, ({ tokens, text }) =>
    anyOf(declarative(tokens('c')), (c) => list(c, 0, nthOf(text('n')))),
  ),
  rule(`when|how|where who:${doing}|${having}|${be} <s> n:first|last|finally <v>`, ({ tokens, text }) =>
    anyOf(declarative([...tokens('who'), ...tokens('s'), ...tokens('v')]), (c) => list(c, 0, nthOf(text('n')))),
  ),
  rule(`<q> for_the|the n:${ordinalWords} time`, ({ tokens, text }) =>
    ask(tokens('q'), (query) =>
      isPlain(query) || query.whether
        ? { find: query.find, ...nthOf(text('n')) }
        : query.state && query.nth === undefined
          ? { ...query, ...nthOf(text('n')) }
          : undefined,
    ),
  ),
  // "did anyone overtake me twice"
  rule(`<q> n:${Object.keys(repetitions).join('|')}`, ({ tokens, text }) =>
    ask(tokens('q'), (query) => {
      if (!query.whether || !isAboutEvent(query.find) || 'sequence' in query.find) return undefined;
      const step = bySameOne(query.find);
      return {
        ...query,
        find: { sequence: Array.from({ length: repetitions[text('n').replaceAll(' ', '_')]! }, () => step) },
      };
    }),
  ),
  rule('who:i|we|someone|anyone <v>', ({ tokens }) => list(asSubject([...tokens('who'), ...tokens('v')]), 0.5)),
  rule('the? time|timestamp|times|timestamps|moment|moments of <x>', ({ tokens }) =>
    ask(tokens('x'), (query) =>
      isPlain({ ...query, first: undefined, last: undefined, nth: undefined } as unknown as Query) ? query : undefined,
    ),
  ),
  rule(`who:my? n:${ordinalWords} <x>`, ({ tokens, text }) =>
    list([...tokens('who'), ...tokens('x')], 0.5, nthOf(text('n'))),
  ),
  rule(`the n:${ordinalWords} <x>`, ({ tokens, text }) => list(tokens('x'), 0, nthOf(text('n')))),
  rule(`<s> n:${ordinalWords} <x>`, ({ tokens, text }) =>
    tokens('s').at(-1)?.kind === 'possessive' ? list([...tokens('s'), ...tokens('x')], 0, nthOf(text('n'))) : [],
  ),
  rule('who:my|the? edge:first|last <n> <x>', ({ tokens, text }) => {
    const [token, ...more] = tokens('n');
    const number = numberValue(token);
    if (more.length > 0 || number === undefined || number < 1 || !Number.isInteger(number)) return [];
    const body = text('who') === 'my' ? [...tokens('who'), ...tokens('x')] : tokens('x');
    return understanding(tokens('n'), list(body, -1, text('edge') === 'first' ? { first: number } : { last: number }));
  }),
  // "who scored the first goal"
  rule(`<a> the|his|her|their? own:my? n:${ordinalWords} <b>`, ({ tokens, text }) =>
    isDirectQuestion(tokens('a'))
      ? // "my second minion" is mine whether the log says so or not.
        [tokens('own'), ...(tokens('own').length > 0 ? [[]] : [])].flatMap((own, index) =>
          ask(
            [...tokens('a'), ...own, ...tokens('b')],
            (query) => (isPlain(query) ? { ...query, ...nthOf(text('n')) } : undefined),
            0.5 + index,
          ).map((each) => ({ ...each, understood: tokens('own') })),
        )
      : [],
  ),
  rule('<x> number|no|# <k>', ({ tokens }) => {
    const number = tokens('k').length === 1 ? numberValue(tokens('k')[0]) : undefined;
    if (number === undefined || number < 1 || !Number.isInteger(number)) return [];
    return understanding(
      tokens('k'),
      ask(tokens('x'), (query) => (isPlain(query) ? { ...query, nth: number } : undefined)),
    );
  }),
  rule('second|2nd|next to last <x>', ({ tokens }) => list(tokens('x'), -1, { nth: -2 })),
  rule('who:my? second-to-last|second-last|penultimate <x>', ({ tokens }) =>
    list([...tokens('who'), ...tokens('x')], -1, { nth: -2 }),
  ),
  // "when did Silva score his second"
  rule(`<q> his|her|their|my|the n:${ordinalWords} one?`, ({ tokens, text }) =>
    ask(tokens('q'), (query) => (isPlain(query) ? { ...query, ...nthOf(text('n')) } : undefined), 1),
  ),
  // First and last at the end.
  rule('<q> edge:first|last', ({ tokens, text }) =>
    ask(tokens('q'), (query) => (isPlain(query) ? { ...query, ...nthOf(text('edge')) } : undefined)),
  ),
  rule('<s> edge:first|last <n> <x>', ({ tokens, text }) => {
    const [token, ...more] = tokens('n');
    const number = numberValue(token);
    if (tokens('s').at(-1)?.kind !== 'possessive' || more.length > 0 || number === undefined || number < 1) return [];
    return understanding(
      tokens('n'),
      list([...tokens('s'), ...tokens('x')], -1, text('edge') === 'first' ? { first: number } : { last: number }),
    );
  }),
];

function yesOrNo(query: Query): Query | undefined {
  return query.whether ? query : undefined;
}

/** Whether a state ever holds. */
function isHeld(state: Tokens): readonly Reading[] {
  return reading([[word('while', state[0]), ...state]], ({ condition }) =>
    'while' in condition ? { find: condition, whether: true } : undefined,
  );
}

/** The limit that an ordinal sets. */
function nthOf(text: string): Partial<Query> {
  const number = text === 'finally' ? -1 : (ordinalValue(text) ?? 1);
  return number === 1 ? { first: 1 } : number === -1 ? { last: 1 } : { nth: number };
}

/** Is the ordinal after these tokens one of what is asked for, rather than of what it is related to? */
function isDirectQuestion(tokens: Tokens): boolean {
  const relations = /^(?:after|before|between|until|till|since|within|when|while|by|of|with|in|at|during)$/;
  return (
    /^(?:who|what|which|where|when)$/.test(tokens[0]!.lower) &&
    !tokens.slice(1).some(({ lower }) => relations.test(lower))
  );
}
