import { numberValue } from '../../../dictionary/sentences/tokenize.ts';
import type { Condition, Query } from '../../query.ts';
import { ordinalValue } from '../ordinals.ts';
import { isPlain } from './answer-forms.ts';
import {
  type Interpretation,
  propertyReading,
  type QuestionPair,
  reading,
  type Reading,
  type Rule,
  rule,
  type Tokens,
  understanding,
} from './readings.ts';
import { isBareProperty, isEvent, isProperty, ofPlayer, sameSubject } from './subjects.ts';
import {
  achievementVerbs,
  asSubject,
  be,
  doing,
  haveForms,
  having,
  owner,
  phrase,
  players,
  substitute,
  word,
} from './words.ts';

type Comparison = NonNullable<Query['versus']>['as'];

const more = 'how:more_often|more_times|more|fewer|less_often|less|as_many|as_often|as_much';

const slower = 'faster|quicker|slower|better|worse|longer|shorter';
const isFaster = (how: string): boolean => /faster|quicker|better|shorter/.test(how);

/** "more kills than deaths", "did Nova draw more cards than me", "kills in the first minute vs the second". */
export const comparisonRules: readonly Rule[] = [
  // "did Nova draw more cards than me": the noun stands after the verb.
  rule(`${doing}|${having} <s> <v> ${more} <x> than|as|then <y>`, ({ tokens, text }) =>
    compareSubjects(
      { subject: tokens('s'), verb: tokens('v'), noun: tokens('x') },
      tokens('y'),
      comparisonOf(text('how')),
    ),
  ),
  // "did I die more than Major"
  rule(`${doing}|${having} <s> <v> ${more} than|as|then <y>`, ({ tokens, text }) =>
    compareSubjects({ subject: tokens('s'), verb: tokens('v'), noun: [] }, tokens('y'), comparisonOf(text('how'))),
  ),
  rule(`${doing}|${having} <s> <v> ${more} <x> , or <y>`, ({ tokens, text }) =>
    compareNouns({ subject: tokens('s'), verb: tokens('v'), noun: tokens('x') }, tokens('y'), asExtreme(text('how'))),
  ),
  rule(`${doing}|${having} <s> <v> ${more} <x> or <y>`, ({ tokens, text }) =>
    compareNouns({ subject: tokens('s'), verb: tokens('v'), noun: tokens('x') }, tokens('y'), asExtreme(text('how'))),
  ),
  // "were there more fouls than goals"
  rule(`${be} there ${more} <x> than|as|then <y>`, ({ tokens, text }) =>
    compareEvents(tokens('x'), elliptical(tokens('x'), tokens('y')), comparisonOf(text('how'))),
  ),
  rule('what_was_there|were_there|are_there|is_there how:more|fewer|less <x> or <y>', ({ tokens, text }) =>
    compareEvents(tokens('x'), elliptical(tokens('x'), tokens('y')), asExtreme(text('how'))),
  ),
  // "was my second lap faster than my first"
  rule(`${be} <a> how:${slower} than <b>`, ({ tokens, text }) =>
    compareLaps(tokens('a'), tokens('b'), isFaster(text('how')) ? 'fewer' : 'more'),
  ),
  rule(`how_much how:${slower} ${be} <a> than <b>`, ({ tokens, text }) =>
    isFaster(text('how'))
      ? compareLaps(tokens('b'), tokens('a'), 'difference')
      : compareLaps(tokens('a'), tokens('b'), 'difference'),
  ),
  rule(`which? lap ${be} how:${slower} ,? <a> or <b>`, ({ tokens, text }) =>
    understanding(
      [...tokens('a'), ...tokens('b')],
      compareLaps(
        [word('lap', tokens('a')[0]), ...tokens('a').filter(({ lower }) => lower !== 'lap')],
        [word('lap', tokens('b')[0]), ...tokens('b').filter(({ lower }) => lower !== 'lap')],
        isFaster(text('how')) ? 'smaller' : 'larger',
      ),
    ),
  ),
  rule('what? is|was? the? difference between <a> and <b>', ({ tokens }) =>
    compareLaps(tokens('a'), tokens('b'), 'difference'),
  ),
  // "did Sarge or Major kill more"
  rule(`${doing}|${having} <a> or <b> <v> ${more}`, ({ tokens, text }) =>
    compareSubjects({ subject: tokens('a'), verb: tokens('v'), noun: [] }, tokens('b'), asExtreme(text('how'))),
  ),
  rule(`${doing}|${having} <a> or <b> <v> ${more} <x>`, ({ tokens, text }) =>
    compareSubjects(
      { subject: tokens('a'), verb: tokens('v'), noun: tokens('x') },
      tokens('b'),
      asExtreme(text('how')),
    ),
  ),
  // "who got more kills, me or Sarge"
  rule(`who <v> ${more} <x> ,? <a> or <b>`, ({ tokens, text }) =>
    compareSubjects(
      { subject: tokens('a'), verb: tokens('v'), noun: tokens('x') },
      tokens('b'),
      asExtreme(text('how')),
    ),
  ),
  rule(`who <v> ${more} ,? <a> or <b>`, ({ tokens, text }) =>
    compareSubjects({ subject: tokens('a'), verb: tokens('v'), noun: [] }, tokens('b'), asExtreme(text('how'))),
  ),
  // "how many more kills did I get than Sarge"
  rule(`how_many|how_much more|fewer|less <x> ${doing}|${having} <s> <v> than <y>`, ({ tokens }) =>
    compareSubjects({ subject: tokens('s'), verb: tokens('v'), noun: tokens('x') }, tokens('y'), 'difference'),
  ),
  // "how many more deaths than kills do I have"
  rule(`how_many|how_much more|fewer|less <x> than <y> ${doing}|${having} <s> <v>`, ({ tokens }) =>
    compareEvents([...owner(tokens('s')), ...tokens('x')], [...owner(tokens('s')), ...tokens('y')], 'difference').map(
      (each) => ({
        ...each,
        build: (...bodies) =>
          tokens('v').every(({ lower }) => achievementVerbs.has(lower)) ? each.build(...bodies) : undefined,
      }),
    ),
  ),
  rule('<x> vs|versus|compared_to|compared_with|against <y>', ({ tokens }) => [
    ...compareQuestions(tokens('x'), tokens('y'), 'both'),
    ...compareEvents(tokens('x'), elliptical(tokens('x'), tokens('y')), 'both'),
    ...comparePeople(tokens('x'), tokens('y'), 'both'),
  ]),
  rule('compare <x> and|to|with|vs|versus <y>', ({ tokens }) => [
    ...compareEvents(tokens('x'), elliptical(tokens('x'), tokens('y')), 'both'),
    ...comparePeople(tokens('x'), tokens('y'), 'both'),
  ]),
  rule('the? difference between|of|in <x> and <y>', ({ tokens }) => [
    ...compareQuestions(tokens('x'), tokens('y'), 'difference'),
    ...compareEvents(tokens('x'), elliptical(tokens('x'), tokens('y')), 'difference'),
  ]),
  // "is my average lap higher than …", "did I die more in round 1 than in round 2"
  rule(
    `${be} <x> how:higher|greater|bigger|larger|longer|more|lower|smaller|shorter|fewer|less|faster|slower than <y>`,
    ({ tokens, text }) =>
      compareQuestions(tokens('x'), tokens('y'), /low|small|short|few|less|fast/.test(text('how')) ? 'fewer' : 'more'),
  ),
  rule('the? <p> difference|gap between <a> and <b> at <t>', ({ tokens }) =>
    compareValues(tokens('p'), [tokens('a'), tokens('b')], tokens('t'), 'difference'),
  ),
  rule('the? difference of|in <p> between <a> and <b> at <t>', ({ tokens }) =>
    compareValues(tokens('p'), [tokens('a'), tokens('b')], tokens('t'), 'difference'),
  ),
  rule('the? <p> difference|gap between <a> and <b>', ({ tokens }) =>
    compareValues(tokens('p'), [tokens('a'), tokens('b')], [], 'difference'),
  ),
  rule(`${doing}|${having} <s> have|had more|less|fewer <p> than <y> at <t>`, ({ tokens }) =>
    compareValues(tokens('p'), [tokens('s'), tokens('y')], tokens('t'), 'more'),
  ),
  // "did I spend more time in 2nd or in 3rd"
  rule(`${doing}|${having} <s> spend|spent how:more|less time? <x> or <y>`, ({ tokens, text }) =>
    compareStates([tokens('s'), tokens('x'), tokens('y')], asExtreme(text('how'))),
  ),
];

function comparisonOf(how: string): Comparison {
  if (how.startsWith('as')) return 'equal';
  return how.startsWith('more') ? 'more' : 'fewer';
}

/** "more kills or deaths" asks for the larger of both. */
function asExtreme(how: string): Comparison {
  if (how.startsWith('as')) return 'both';
  return /more/.test(how) ? 'larger' : 'smaller';
}

interface Clause {
  readonly subject: Tokens;
  readonly verb: Tokens;
  readonly noun: Tokens;
}

/** "my lowest health vs Nova's lowest health": two questions with the same kind of answer. */
function compareQuestions(first: Tokens, second: Tokens, as: Comparison): readonly QuestionPair[] {
  const combine = (a: Query, b: Query): Query | undefined => {
    const { find, ...rest } = b;
    const { find: own, ...others } = a;
    if (a.versus || JSON.stringify(rest) !== JSON.stringify(others)) return undefined;
    const isNumber = a.measure ? a.measure.take !== 'each' : a.at !== undefined || a.count === true || isPlain(a);
    // One event has no number.
    if (!isNumber || a.by || a.whether || 'nth' in own || 'nth' in find) return undefined;
    if (a.at === undefined && a.measure?.of !== 'held' && (!isEvent(own) || (!a.measure && isPropertyAlone(own))))
      return undefined;
    const count = a.measure || a.at !== undefined ? {} : { count: true as const };
    return { ...a, ...count, versus: { with: find, as } };
  };
  return [{ questions: [first, second], cost: -0.5, combine }];
}

const maxVerbTokens = 3;

/** The statements that a clause can be, as many for every subject and noun, with the noun at its place. */
function statementsOf({ subject, verb, noun }: Clause): readonly Tokens[] {
  // "Sable killed" alone is more likely passive.
  if (noun.length === 0)
    return [
      [...asSubject(subject), ...verb, word('someone', verb.at(-1))],
      [...asSubject(subject), ...verb],
    ];
  const isOwned = verb.every(({ lower }) => achievementVerbs.has(lower));
  const placed = verb
    .slice(0, maxVerbTokens)
    .map((_, index) => [...asSubject(subject), ...verb.slice(0, index + 1), ...noun, ...verb.slice(index + 1)]);
  return isOwned ? [[...owner(subject), ...noun], ...placed] : placed;
}

/** Is it written like a name? */
function isName(token: Tokens[number] | undefined): boolean {
  return token?.kind === 'word' && /^\p{Lu}/u.test(token.text) && !players.has(token.lower);
}

/** Compares what two do, or what one does with two things. */
function compareSubjects(clause: Clause, other: Tokens, as: Comparison): readonly Interpretation[] {
  const bare = haveForms.has(other.at(-1)?.lower ?? '') || /^(?:do|did|does)$/.test(other.at(-1)?.lower ?? '');
  const who = bare ? other.slice(0, -1) : other;
  const ignored = bare ? other.slice(-1) : [];
  if (who.length === 0) return [];
  const ofOther = players.has(who[0]!.lower) && who.length === 1 ? [substitute('i', who[0]!)] : who;
  // "did I kill Major more often than Sarge" is about what I did to both.
  const object = clause.verb.at(-1);
  const isParallel =
    clause.noun.length === 0 && clause.verb.length === 2 && who.length === 1 && isName(object) && isName(who[0]);
  if (isParallel)
    return pairReading(
      [...asSubject(clause.subject), ...clause.verb],
      [...asSubject(clause.subject), clause.verb[0]!, who[0]!],
      as,
      isSomebody,
    );
  const first = statementsOf(clause);
  const second = statementsOf({ ...clause, subject: ofOther });
  const pairs = first.map((tokens, index) => [tokens, second[index]!] as const);
  return [
    // "did Kenta hit me more than I hit Kenta"
    ...(clause.noun.length > 0 || who.length < 2
      ? []
      : first.flatMap((tokens) => pairReading(tokens, asSubject(who), as, isSomebody, 0.2))),
    ...understanding(
      ignored,
      pairs.flatMap(([a, b], index) =>
        pairReading(a, b, as, isSomebody, index * 0.1).map((each) => (isMass(clause.noun) ? summed(each) : each)),
      ),
    ),
    ...compareNouns(clause, other, as),
  ];
}

/** "more kills than deaths", "more kills with the railgun than with the shotgun" */
function compareNouns(clause: Clause, other: Tokens, as: Comparison): readonly Interpretation[] {
  // "than me" is who, not what.
  if (clause.noun.length === 0 || (other.length === 1 && players.has(other[0]!.lower))) return [];
  const first = statementsOf(clause);
  return elliptical(clause.noun, other).flatMap((noun) => {
    const second = statementsOf({ ...clause, noun });
    return first.flatMap((tokens, index) => pairReading(tokens, second[index]!, as, () => true, 1));
  });
}

/** Does a word begin a phrase of means, place or time? */
function isFragment(lower: string | undefined): boolean {
  return /^(?:in|with|by|at|on|after|before|during|using|from|against|to|while)$/.test(lower ?? '');
}

/** What the second part of a comparison can mean: "in the first minute than in the second". */
function elliptical(first: Tokens, second: Tokens): readonly Tokens[] {
  const found: Tokens[] = [second];
  const [head] = second;
  // "with the railgun than with the shotgun"
  const at = first.findLastIndex(({ lower }) => lower === head?.lower);
  if (isFragment(head?.lower) && at > 0) found.push([...first.slice(0, at), ...second]);
  if (isFragment(head?.lower) && at <= 0) found.push([...first, ...second]);
  // "in the first minute vs the second": the last noun is repeated.
  for (const [index, { lower }] of first.entries()) {
    if (index === 0 || !isFragment(lower)) continue;
    const hasPreposition = isFragment(head?.lower);
    found.push([...first.slice(0, hasPreposition ? index : index + 1), ...second, ...first.slice(-1)]);
    if (!hasPreposition) found.push([...first.slice(0, index + 1), ...second]);
  }
  return found;
}

/** "more damage" is a sum, "more hits" a count. */
function isMass(noun: Tokens): boolean {
  return noun.length > 0 && !noun.at(-1)!.lower.endsWith('s');
}

/** Sums the changes that a reading would count. */
function summed(each: Reading): Reading {
  return {
    ...each,
    build: (...bodies) => {
      const query = each.build(...bodies);
      if (!query?.versus || !isProperty(query.find) || !isProperty(query.versus.with)) return query;
      const { count: _, ...rest } = query;
      return { ...rest, measure: { of: 'change', take: 'sum' } };
    },
  };
}

const isSomebody = (condition: Condition): boolean => !('mentions' in condition);

function pairReading(
  first: Tokens,
  second: Tokens,
  as: Comparison,
  accepts: (condition: Condition) => boolean,
  cost = 0,
): readonly Reading[] {
  return reading(
    [first, second],
    ({ condition: a, by }, { condition: b }) => {
      if (by || !isEvent(a) || !isEvent(b) || !accepts(a) || !accepts(b)) return undefined;
      return { find: a, count: true, versus: { with: sameSubject(b, a), as } };
    },
    cost,
  );
}

/** "kills vs deaths": the player's, unless somebody is named. */
function compareEvents(first: Tokens, second: Tokens | readonly Tokens[], as: Comparison): readonly Reading[] {
  const others = Array.isArray(second[0]) ? (second as readonly Tokens[]) : [second as Tokens];
  return others.flatMap((other, index) =>
    reading(
      [first, other],
      ({ condition: a, by }, { condition: b, by: otherBy }) => {
        if (by || otherBy || !isPair(a, b)) return undefined;
        return { find: a, count: true, versus: { with: b, as } };
      },
      index * 0.5,
    ),
  );
}

function isPair(a: Condition, b: Condition): boolean {
  return isEvent(a) && isEvent(b) && !isPropertyAlone(a) && !isPropertyAlone(b);
}

function isPropertyAlone(condition: Condition): boolean {
  return isProperty(condition) && isBareProperty(condition);
}

/** "my kills vs Sarge": what the first owns, of the second. */
function comparePeople(first: Tokens, second: Tokens, as: Comparison): readonly Reading[] {
  const isOwn = first[0]?.lower === 'my';
  const apostrophe = first.findIndex(({ kind }) => kind === 'possessive');
  const noun = isOwn ? first.slice(1) : apostrophe > 0 ? first.slice(apostrophe + 1) : [];
  if (noun.length === 0) return [];
  return pairReading(first, [...owner(second), ...noun], as, isSomebody, 0.5);
}

/** "health difference between me and Nova at 3:10" */
function compareValues(
  property: Tokens,
  [a, b]: readonly [Tokens, Tokens],
  at: Tokens,
  as: Comparison,
): readonly Reading[] {
  const time = at.length > 0 ? [[word('after', at[0]), ...at]] : [];
  return propertyReading(
    [[...owner(a), ...property], [...owner(b), ...property], ...time],
    ({ condition: first }, { condition: second }, moment) => {
      if (!isBareProperty(first) || !isBareProperty(second)) return undefined;
      const t =
        moment === undefined ? ('end' as const) : 'time' in moment.condition ? moment.condition.time.from : undefined;
      if (t === undefined) return undefined;
      return { find: ofPlayer(first), at: t, versus: { with: ofPlayer(second), as } };
    },
  ).map((each) => ({ ...each, kinds: ['property', 'property'] as const }));
}

function compareStates(
  [subject, first, second]: readonly [Tokens, Tokens, Tokens],
  as: Comparison,
): readonly Reading[] {
  const whileState = (state: Tokens): Tokens => [word('while', state[0]), ...asSubject(subject), ...state];
  return reading([whileState(first), whileState(second)], ({ condition: a }, { condition: b }) =>
    'while' in a && 'while' in b
      ? { find: a, measure: { of: 'held', take: 'sum' }, versus: { with: b, as } }
      : undefined,
  );
}

/** Compares the times of two laps: "lap 2" and "my first". */
function compareLaps(a: Tokens, b: Tokens, as: Comparison): readonly Reading[] {
  const [m, n] = [lapNumber(a), lapNumber(b)];
  if (m === undefined || n === undefined || ![...a, ...b].some(({ lower }) => lower === 'lap')) return [];
  return understanding(
    [...a, ...b],
    propertyReading(
      [phrase('my lap time', a[0])],
      ({ condition: of }) =>
        isBareProperty(of)
          ? { find: { nth: m, of }, measure: { of: 'value', take: 'sum' }, versus: { with: { nth: n, of }, as } }
          : undefined,
      -4,
    ),
  );
}

/** Which lap is meant: "lap 2", "my second lap", "the first". */
function lapNumber(tokens: Tokens): number | undefined {
  const [first, second, ...others] = tokens.filter(({ lower }) => !/^(?:my|the)$/.test(lower));
  if (!first || others.length > 0) return undefined;
  if (first.lower === 'lap') return second && numberValue(second);
  return second === undefined || second.lower === 'lap' ? ordinalValue(first.lower) : undefined;
}
