import { numberValue } from '../../../dictionary/sentences/tokenize.ts';
import { childConditions, type Condition, type PeriodCondition, type Query, type SlotPattern } from '../../query.ts';
import { ordinalValue } from '../ordinals.ts';
import { type Aggregate, aggregateOf } from './answer-forms.ts';
import {
  askOf,
  type Body,
  nounReading,
  type Question,
  type Reading,
  type Rule,
  rule,
  type Tokens,
  understanding,
} from './readings.ts';
import { isBareProperty, isEvent, isProperty, ofPlayer, sameSubject, playerPattern } from './subjects.ts';
import { declarative } from './word-order.ts';
import { be, doing, having, ordinalWords, phrase, word } from './words.ts';

/** A period of a query: "the second round" is the words of a round and 2. */
type PeriodPattern = Readonly<Omit<PeriodCondition['period'], 'word'>> & { readonly word: readonly string[] };

const lasting = 'last|take|go|go_on|run|be';

/** Rounds, halves, laps and what else a log says the beginning or end of. */
export const periodRules: readonly Rule[] = [
  rule(`<a> in|during|of|for|within|throughout|over|on|at the|my? o:${ordinalWords} <n> <b*>`, ({ tokens, text }) =>
    during([...tokens('a'), ...tokens('b')], tokens('n'), ordinalValue(text('o'))),
  ),
  rule(`in|during|on the? o:${ordinalWords} <n> ,? <q>`, ({ tokens, text }) =>
    during(tokens('q'), tokens('n'), ordinalValue(text('o'))),
  ),
  rule('<a> in|during|of|for|within|on|at <n> <k> <b*>', ({ tokens }) =>
    understanding(tokens('k'), during([...tokens('a'), ...tokens('b')], tokens('n'), numberOf(tokens('k')))),
  ),
  // "attacked at night", "what lap did I pit on"
  rule('<a> in|during|at the|a? <n> <b*>', ({ tokens }) => duringAny([...tokens('a'), ...tokens('b')], tokens('n'))),
  rule(`in|during|on|at? what|which <n> ${doing}|${be}|${having} <c> in|during|on|at?`, ({ tokens }) =>
    declarative(tokens('c')).flatMap((clause) =>
      nounReading([tokens('n'), clause], (body, { condition }) => {
        const words = periodWordsOf(body);
        return words && isEvent(condition) ? { find: condition, by: [{ period: { word: words } }] } : undefined;
      }),
    ),
  ),
  rule('what|which <n> was|is|took|lasted|were the? how:longest|shortest', ({ tokens, text }) =>
    lengths(tokens('n'), undefined, 'each').map((each) => ({
      ...each,
      build: (...bodies): Query | undefined => {
        const query = each.build(...bodies);
        const order = text('how') === 'longest' ? 'highest' : 'lowest';
        return query && { ...query, sort: { of: 'held', order }, first: 1 };
      },
    })),
  ),
  rule('the? how:longest|shortest|fastest|quickest|slowest <n>', ({ tokens, text }) =>
    lengths(tokens('n'), undefined, 'each').map((each) => ({
      ...each,
      cost: each.cost + 1,
      build: (...bodies): Query | undefined => {
        const query = each.build(...bodies);
        const order = /long|slow/.test(text('how')) ? 'highest' : 'lowest';
        return query && { ...query, sort: { of: 'held', order }, first: 1 };
      },
    })),
  ),
  // "who won the second round", "did I lose round 2"
  rule(`<a> the o:${ordinalWords} <n> <b*>`, ({ tokens, text }) =>
    // What comes after a period is not in it.
    /^(?:after|before|since|until|till|by)$/.test(tokens('a').at(-1)!.lower)
      ? []
      : during([...tokens('a'), ...tokens('n'), ...tokens('b')], tokens('n'), ordinalValue(text('o')), -1),
  ),
  // "how many zombies did I kill the first night"
  rule(`<q> the|my? o:${ordinalWords} <n>`, ({ tokens, text }) =>
    /^(?:in|on|at|of|for|with|by|to|from|after|before|since|until|till)$/.test(tokens('q').at(-1)!.lower)
      ? []
      : during(tokens('q'), tokens('n'), ordinalValue(text('o')), 2),
  ),
  rule('<a> <n> <k> <b*>', ({ tokens }) =>
    understanding(
      tokens('k'),
      // "round 2" is the second round, rather than the second time that somebody wins one.
      during([...tokens('a'), ...tokens('n'), ...tokens('b')], tokens('n'), numberOf(tokens('k')), -1),
    ),
  ),
  // A break is between the halves.
  rule(
    '<q> side:before|after|until|since half_time|halftime|the_half|the_break|the_interval|the_pause|the_half_time',
    ({ tokens, text }) =>
      during(tokens('q'), phrase('half', tokens('q')[0]), /before|until/.test(text('side')) ? 1 : 2, -1),
  ),
  rule('<p> at half_time|halftime|the_half|the_break|the_interval', ({ tokens }) =>
    valueAt(tokens('p'), phrase('half', tokens('p')[0]), 1, 'end'),
  ),
  rule('who was|is leading|ahead|winning|in_the_lead at half_time|halftime|the_half|the_break|the_interval', () =>
    leaders(phrase('half', undefined), 1),
  ),
  rule(
    `who was|is leading|ahead|winning|in_the_lead at_the_end_of|after the? o:${ordinalWords} <n>`,
    ({ tokens, text }) => leaders(tokens('n'), ordinalValue(text('o'))),
  ),
  rule('who was|is leading|ahead|winning|in_the_lead at_the_end_of|after <n> <k>', ({ tokens }) =>
    understanding(tokens('k'), leaders(tokens('n'), numberOf(tokens('k')))),
  ),
  rule(`<p> at|by|after the? edge:start|end|beginning of the? o:${ordinalWords} <n>`, ({ tokens, text }) =>
    valueAt(tokens('p'), tokens('n'), ordinalValue(text('o')), edgeOf(text('edge'))),
  ),
  rule('<p> at|by|after the? edge:start|end|beginning of <n> <k>', ({ tokens, text }) =>
    understanding(tokens('k'), valueAt(tokens('p'), tokens('n'), numberOf(tokens('k')), edgeOf(text('edge')))),
  ),
  rule(`<p> after the? o:${ordinalWords} <n>`, ({ tokens, text }) =>
    valueAt(tokens('p'), tokens('n'), ordinalValue(text('o')), 'end'),
  ),
  // "rank after 2 laps"
  rule('<p> after <k> <n>', ({ tokens }) =>
    understanding(tokens('k'), valueAt(tokens('p'), tokens('n'), numberOf(tokens('k')), 'end')),
  ),
  rule('<p> after <n> <k>', ({ tokens }) =>
    understanding(tokens('k'), valueAt(tokens('p'), tokens('n'), numberOf(tokens('k')), 'end')),
  ),
  rule(`how_long ${doing}|${be} the|my? o:${ordinalWords} <n> ${lasting}|long?`, ({ tokens, text }) =>
    lengths(tokens('n'), ordinalValue(text('o')), 'sum'),
  ),
  rule(`how_long ${doing}|${be} <n> <k> ${lasting}|long?`, ({ tokens }) =>
    understanding(tokens('k'), numberedLength(tokens('n'), tokens('k'))),
  ),
  rule(`how_long ${doing}|${be} the|this|my|each|every? <n> ${lasting}|long?`, ({ tokens }) =>
    lengths(tokens('n'), undefined, 'each'),
  ),
  rule(`the? length|duration of the? o:${ordinalWords} <n>`, ({ tokens, text }) =>
    lengths(tokens('n'), ordinalValue(text('o')), 'sum'),
  ),
  rule('the? length|duration of <n> <k>', ({ tokens }) =>
    understanding(tokens('k'), numberedLength(tokens('n'), tokens('k'))),
  ),
  rule('the? length|duration of the|this|each|every? <n>', ({ tokens }) => lengths(tokens('n'), undefined, 'each')),
  rule('the? how:average|mean|longest|shortest <n> length|duration|time?', ({ tokens, text }) =>
    lengths(tokens('n'), undefined, aggregateOf(text('how'))),
  ),
  rule(`how_long ${doing}|${be} the? how:longest|shortest|average <n> ${lasting}?`, ({ tokens, text }) =>
    lengths(tokens('n'), undefined, aggregateOf(text('how'))),
  ),
  // Lives end with a death.
  rule(`<a> in|during|of my|the? o:${ordinalWords} life <b*>`, ({ tokens, text }) =>
    inLife([...tokens('a'), ...tokens('b')], ordinalValue(text('o'))!),
  ),
  rule('<a> in|during my? life <k> <b*>', ({ tokens }) => {
    const number = numberOf(tokens('k'));
    return number === undefined ? [] : understanding(tokens('k'), inLife([...tokens('a'), ...tokens('b')], number));
  }),
];

function edgeOf(text: string): 'start' | 'end' {
  return text === 'end' ? 'end' : 'start';
}

/** "1" in "round 1"; `undefined` for what is no number of a period. */
function numberOf(tokens: Tokens): number | undefined {
  const number = tokens.length === 1 ? numberValue(tokens[0]) : undefined;
  return number !== undefined && Number.isInteger(number) && number >= 1 && number < 1000 ? number : undefined;
}

/** The words of a noun that the logs know periods of. */
export function periodWordsOf({ condition, isPeriod }: Body): readonly string[] | undefined {
  if (!isPeriod || !('mentions' in condition)) return undefined;
  const { any } = condition.mentions as SlotPattern;
  return any?.length === 1 && any[0]!.name === undefined && !any[0]!.of ? any[0]!.words : undefined;
}

/** Asks a question about a period alone. */
function during(question: Tokens, noun: Tokens, nth: number | undefined, cost = 0): readonly Question[] {
  if (nth === undefined || noun.length > 2) return [];
  return askOf(
    question,
    noun,
    (query, body) => {
      const words = periodWordsOf(body);
      return words && restrictToPeriod(query, { word: words, nth });
    },
    cost,
  );
}

/** Asks a question about all periods of a word: "at night". */
function duringAny(question: Tokens, noun: Tokens): readonly Question[] {
  if (noun.length > 2) return [];
  return askOf(question, noun, (query, body) => {
    const words = periodWordsOf(body);
    return words && restrictToPeriod(query, { word: words });
  });
}

/** Nothing happens in two rounds. */
function hasPeriod(condition: Condition): boolean {
  return 'period' in condition || childConditions(condition).some((each) => hasPeriod(each));
}

/** Restricts everything that a query is about to a period. */
export function restrictToPeriod(query: Query, period: PeriodPattern): Query | undefined {
  if (query.at !== undefined || query.measure?.of === 'held' || hasPeriod(query.find)) return undefined;
  if (isProperty(query.find) && isBareProperty(query.find) && query.measure === undefined) return undefined;
  const restrict = (condition: Condition): Condition => ({
    all: [...('all' in condition ? condition.all : [condition]), { period: { ...period, word: [...period.word] } }],
  });
  const { find, ratio, share, versus } = query;
  return {
    ...query,
    find: restrict(find),
    ...(ratio && { ratio: restrict(ratio) }),
    ...(share && { share: restrict(share) }),
    ...(versus && { versus: { ...versus, with: restrict(versus.with) } }),
  };
}

/** The value of a property where a period begins or ends. */
function valueAt(property: Tokens, noun: Tokens, nth: number | undefined, edge: 'start' | 'end'): readonly Reading[] {
  if (nth === undefined || noun.length > 2) return [];
  return nounReading([noun, property], (body, { condition, owners }) => {
    const words = periodWordsOf(body);
    if (!words || !isBareProperty(condition)) return undefined;
    return { find: ofPlayer(condition, owners), at: { period: { word: words, nth }, edge } };
  }).map((each) => ({ ...each, kinds: ['noun', 'property'] as const }));
}

/** Who has the most points where a period ends. */
function leaders(noun: Tokens, nth: number | undefined): readonly Reading[] {
  return valueAt(phrase('score', noun[0]), noun, nth, 'end').map((each) => ({
    ...each,
    build: (...bodies) => {
      const query = each.build(...bodies);
      return query && isProperty(query.find)
        ? { ...query, find: { property: query.find.property }, top: 1 }
        : undefined;
    },
  }));
}

/** How long "round 2" takes. */
function numberedLength(noun: Tokens, number: Tokens): readonly Reading[] {
  const nth = numberOf(number);
  return nth === undefined ? [] : lengths(noun, nth, 'sum');
}

/** How long periods take. */
export function lengths(noun: Tokens, nth: number | undefined, take: Aggregate): readonly Reading[] {
  if (noun.length > 2) return [];
  return nounReading([noun], (body) => {
    const words = periodWordsOf(body);
    return words && { find: { period: { word: words, ...(nth && { nth }) } }, measure: { of: 'held', take } };
  });
}

/** What happens in the n-th life of the player: after one death and before the next. */
function inLife(question: Tokens, nth: number): readonly Question[] {
  const death = [word('i', question[0]), word('die', question[0])];
  const restrict = (query: Query, die: Condition): Query | undefined => {
    // A life is no part of what is computed over time, or of several conditions.
    if (!isEvent(query.find) || (isProperty(query.find) && isBareProperty(query.find))) return undefined;
    if (
      query.at !== undefined ||
      query.state ||
      query.per ||
      query.ratio ||
      query.share ||
      query.streak ||
      query.versus
    )
      return undefined;
    const find = sameSubject(query.find);
    const of = sameSubject(die, { action: [], subject: playerPattern });
    const after = (n: number): Condition => ({ find, near: { nth: n, of }, side: 'after' });
    const before = (n: number): Condition => ({ find, near: { nth: n, of }, side: 'before' });
    if (nth === -1) return { ...query, find: after(-1) };
    return { ...query, find: nth === 1 ? before(1) : { all: [after(nth - 1), before(nth)] } };
  };
  const adapt: Question['adapt'] = (inner) =>
    'command' in inner
      ? []
      : [
          {
            ...inner,
            bodies: [death, ...inner.bodies],
            kinds: [undefined, ...(inner.kinds ?? [])],
            build: (die, ...bodies) => {
              const query = inner.build(...bodies);
              return query && die && restrict(query, die.condition);
            },
          },
        ];
  return [{ question, adapt }];
}
