import { verbForms } from '../../../dictionary/inflection.ts';
import { ordinalValue } from '../ordinals.ts';
import { weaponInHand } from './word-order.ts';
import { alternativesOf, type ActionPattern, type Condition, type PropertyPattern, type Query } from '../../query.ts';
import { extremeOf, type Limit, stateAt, stateAtEvents, aggregateOf } from './answer-forms.ts';
import { ask, propertyReading, type Reading, type Rule, rule, type Tokens, reading } from './readings.ts';
import { isBareProperty, isProperty, ofPlayer, isReading, restrictsValue } from './subjects.ts';
import { substitute, be, doing, extremes, having, ordinalWords, phrase, word, owner, asSubject } from './words.ts';

/** The properties that adjectives measure. */
const propertyOfAdjective: Readonly<Record<string, string>> = {
  hungry: 'hunger',
  thirsty: 'thirst',
  rich: 'gold',
  healthy: 'health',
  fast: 'speed',
  cold: 'body temperature',
  warm: 'body temperature',
};

/** Values of properties: at a time, at an event, highest and lowest. */
export const valueRules: readonly Rule[] = [
  rule(
    `how:how_much|how_many|what|which <p> ${doing}|${having} <s> have|had|got|left? left|remaining? when|as|while|before|right_before|just_before|for_each|at_each|on_each|for_every|at_every|on_every|with_each|with_every <c>`,
    ({ tokens, text }) =>
      stateAtEvents([...owner(tokens('s')), ...tokens('p')], tokens('c'), text('how') === 'how many' ? 4 : 0),
  ),
  rule(
    `how_much|how_many|what|which <p> ${doing}|${having} <s> have|had|got|left? left|remaining? at <t>`,
    ({ tokens }) => stateAt([...owner(tokens('s')), ...tokens('p')], tokens('t')),
  ),
  rule(
    `what|which|how_high|how_low|how_much|how_big ${be} <p> when|as|while|before|right_before|just_before|for_each|at_each|on_each|for_every|at_every|on_every|with_each|with_every <c>`,
    ({ tokens }) => stateAtEvents(tokens('p'), tokens('c')),
  ),
  rule(`what|which|how_high|how_low|how_much ${be} <p> at|after <t>`, ({ tokens }) =>
    stateAt(tokens('p'), tokens('t')),
  ),
  rule(
    `what|which <w> ${be}|${doing} <s> holding|using|carrying|wielding|have|hold|use|carry|wield|had|with|on out|equipped|in_hand|in_my_hands? when|as|while|before|right_before|just_before|for_each|at_each|on_each|for_every|at_every|on_every|with_each|with_every <c>`,
    ({ tokens }) => stateAtEvents([...owner(tokens('s')), ...weaponInHand(tokens('w'))], tokens('c')),
  ),
  rule(
    `what|which <w> ${be}|${doing} <s> holding|using|carrying|wielding|have|hold|use|carry|wield|had|with|on out|equipped|in_hand|in_my_hands? at <t>`,
    ({ tokens }) => stateAt([...owner(tokens('s')), ...weaponInHand(tokens('w'))], tokens('t')),
  ),
  rule('<p> at|after <t>', ({ tokens }) => stateAt(tokens('p'), tokens('t'), -1)),
  rule('how_much|how_many <p> was|were|is? left|remaining? at|after <t>', ({ tokens }) =>
    stateAt(tokens('p'), tokens('t')),
  ),
  rule(
    `how_long|how_fast|how_quick|what_time ${be} my|the? how:fastest|quickest|best|slowest|worst|shortest|longest lap`,
    ({ tokens, text }) =>
      extremeValue(
        phrase('my lap time', tokens('how')[0]),
        /slow|worst|long/.test(text('how')) ? 'maximum' : 'minimum',
      ),
  ),
  rule(`how_many|how_much <p> ${doing} <s> have|got left|remaining`, ({ tokens }) =>
    stateAt([...owner(tokens('s')), ...tokens('p')], 'end', -1),
  ),
  // "how fast was my last lap" is its time.
  rule(`how fast|quick|slow|long ${be} my|the? o:${ordinalWords} lap`, ({ tokens, text }) => {
    const nth = ordinalValue(text('o'))!;
    return propertyReading([phrase('my lap time', tokens('o')[0])], ({ condition: find }) =>
      nth === -1 ? { find, last: 1 } : { find, nth },
    );
  }),
  rule(`how_fast ${be} <s> going|driving|moving? link:at|when|while|after|before <r>`, ({ tokens }) =>
    ask([...owner(tokens('s')), word('speed', tokens('s')[0]), ...tokens('link'), ...tokens('r')], (query) =>
      query.at !== undefined || query.state ? query : undefined,
    ),
  ),
  rule('who:my? <w> in hand|my_hand|my_hands|hands at <t>', ({ tokens }) =>
    stateAt([word('my', tokens('w')[0]), ...weaponInHand(tokens('w'))], tokens('t'), -1),
  ),
  // "how much health did I have left after round 1", "how hungry was I before eating"
  rule(
    `how_much|how_many|what|which <p> ${doing}|${having} <s> have|had left|remaining? link:at|after|before <r>`,
    ({ tokens }) =>
      ask([...owner(tokens('s')), ...tokens('p'), ...tokens('link'), ...tokens('r')], (query) =>
        query.at !== undefined ? query : undefined,
      ),
  ),
  rule(`how adjective:${Object.keys(propertyOfAdjective).join('|')} ${be} <s> <r*>`, ({ tokens, text }) =>
    ask(
      [...owner(tokens('s')), ...phrase(propertyOfAdjective[text('adjective')]!, tokens('s')[0]), ...tokens('r')],
      (query) => (query.at !== undefined || query.state ? query : undefined),
    ),
  ),
  // "how cold did I get"
  rule(
    `how adjective:${Object.keys(propertyOfAdjective).join('|')} ${doing} <s> get|become|go|end_up`,
    ({ tokens, text }) =>
      extremeValue(
        [...owner(tokens('s')), ...phrase(propertyOfAdjective[text('adjective')]!, tokens('s')[0])],
        text('adjective') === 'cold' ? 'lowest' : 'highest',
      ),
  ),
  rule('who:my|the? final|last number|count|amount of <p>', ({ tokens }) => stateAt(tokens('p'), 'end', -1)),
  // "who had more health after 2 minutes": everybody's
  rule(
    'who had|has|have the? how:more|most|less|least|fewer|fewest|highest|lowest <p> at|after <t>',
    ({ tokens, text }) =>
      valuesOfAll(tokens('p'), tokens('t'), /less|least|few|low/.test(text('how')) ? { bottom: 1 } : { top: 1 }),
  ),
  rule('who was|is leading|ahead|winning|in_the_lead at|after <t>', ({ tokens }) =>
    valuesOfAll(phrase('score', tokens('t')[0]), tokens('t'), { top: 1 }),
  ),
  // "where was I after the first lap"
  rule(
    `where|what_place|what_position|which_place|which_position ${be} <s> in|at? link:at|after|when|before|in <r>`,
    ({ tokens }) =>
      ask([...owner(tokens('s')), word('rank', tokens('s')[0]), ...tokens('link'), ...tokens('r')], (query) =>
        query.at !== undefined || query.state ? query : undefined,
      ),
  ),
  // "how many were alive when Ivy died", where the log counts players or squads that are left
  rule(
    'how_many who:players|people|teams|squads|enemies|opponents? were|are|was alive|left|remaining|still_alive|still_left link:when|at|after|as|before <r>',
    ({ tokens, text }) =>
      ['players', 'squads', 'teams', 'opponents', 'enemies', 'zombies', 'lives'].flatMap((noun) =>
        ask(
          [...phrase(`my ${noun} left`, tokens('r')[0]), ...tokens('link'), ...tokens('r')],
          (query) => (query.at !== undefined || query.state ? query : undefined),
          // Logs count enemies as players or squads.
          text('who') === '' || text('who') === noun ? 0 : 1,
        ),
      ),
  ),
  rule('<p> left|remaining when|as|while|before|after <c>', ({ tokens }) =>
    stateAtEvents(tokens('p'), tokens('c'), -1),
  ),
  rule('what did <s> die with in_my_hands|in_hand|in_my_hand|equipped|out', ({ tokens }) =>
    stateAtEvents(
      [...owner(tokens('s')), word('weapon', tokens('s')[0])],
      [...asSubject(tokens('s')), word('die', tokens('s')[0])],
      -1,
    ),
  ),
  rule(
    '<p> link:on|upon|at|before|for|at_time_of|at_the_time_of each_of|every_one_of|all_of|each|every|the? <c>',
    ({ tokens, text }) =>
      stateAtEvents(tokens('p'), tokens('c'), 0.5).map((each) => ({
        ...each,
        // "on lap 3" is while the screen shows 3, not when it comes to show it.
        build: (...bodies) =>
          text('link') === 'on' && isShownNumber(bodies[1]!.condition) ? undefined : each.build(...bodies),
      })),
  ),
  // "gun I had when I died"
  rule('the? <p> that? who:i|we had|held|was_holding|was_using|used when|as <c>', ({ tokens }) =>
    stateAtEvents([word('my', tokens('p')[0]), ...weaponInHand(tokens('p'))], tokens('c')),
  ),
  rule('<p> when|whenever|as|right_before|just_before|at_the_moment|every_time|each_time <c>', ({ tokens }) =>
    stateAtEvents(tokens('p'), tokens('c')),
  ),
  // "how many days did I survive" is the property "days survived".
  rule(`how_many|how_much <n> ${doing} <s> <v>`, ({ tokens }) => {
    const [verb, ...more] = tokens('v');
    if (more.length > 0) return [];
    const property = [...owner(tokens('s')), ...tokens('n'), substitute(verbForms(verb!.lower).past, verb!)];
    return stateAt(property, 'end', 1);
  }),
  rule('how_many|number_of|what|which <p>', ({ tokens }) => captionAtEnd(tokens('p'))),
  rule(`what|how_much|how_many|how_high|which ${be} <p>`, ({ tokens }) => stateAt(tokens('p'), 'end')),
  rule(`what <p> ${doing}|${having} <s> have|end_with|end_up_with|finish_with|end_on|finish_on`, ({ tokens }) =>
    stateAt([...owner(tokens('s')), ...tokens('p')], 'end'),
  ),
  rule(
    'who:my|the? edge:final|ending|end|last|current|starting|start|initial|beginning|first <p>',
    ({ tokens, text }) =>
      stateAt(
        [...(text('who') === 'my' ? tokens('who') : []), ...tokens('p')],
        /^(?:start|init|begin|first)/.test(text('edge')) ? 'start' : 'end',
      ),
  ),
  rule('<s> edge:final|ending|end|current|starting|start|initial|beginning <p>', ({ tokens, text }) =>
    stateAt([...tokens('s'), ...tokens('p')], /^(?:start|init|begin)/.test(text('edge')) ? 'start' : 'end'),
  ),
  rule(`the? how:${extremes} <p>`, ({ tokens, text }) => extremeValue(tokens('p'), text('how'))),
  rule(`who:my how:${extremes} <p>`, ({ tokens, text }) =>
    extremeValue([...tokens('who'), ...tokens('p')], text('how')),
  ),
  rule(`<s> how:${extremes} <p>`, ({ tokens, text }) =>
    tokens('s').at(-1)?.kind === 'possessive' ? extremeValue([...tokens('s'), ...tokens('p')], text('how')) : [],
  ),
  rule(
    `the|my? how:${extremes} <p> that? who:i|we had|have|reached|got|ever_had|have_had|achieved|got_to`,
    ({ tokens, text }) => extremeValue([word('my', tokens('p')[0]), ...tokens('p')], text('how')),
  ),
  rule(
    `the|my? how:${extremes} <p> that? who:i|we drove|ran|set|posted|reached|recorded|hit|managed|made|did`,
    ({ tokens, text }) => extremeValue([word('my', tokens('p')[0]), ...tokens('p')], text('how')),
  ),
  rule('biggest|largest|hardest|heaviest|worst hit|blow|damage <s> took|taken|takes|suffered|received', ({ tokens }) =>
    biggestChange([...asSubject(tokens('s')), ...phrase('take damage', tokens('s')[0])]),
  ),
  // Where one came in.
  rule(`where|how_high ${doing} <s> finish|place|rank|come|end_up|end`, ({ tokens }) => finalRank(tokens('s'))),
  rule(
    `what|which place|position|rank|spot|placement ${doing} <s> finish|end|end_up|come|get|finish_up in|on|at?`,
    ({ tokens }) => finalRank(tokens('s')),
  ),
  rule(`what|which place|position|rank|spot ${doing} <s> start|begin in|on|at|from?`, ({ tokens }) =>
    stateAt([...owner(tokens('s')), word('rank', tokens('s')[0])], 'start', -1),
  ),
  rule(
    'who:my|the? how:best|worst|highest|lowest place|position|spot|placement who2:i|we? was|reached|got|had|held? in|at|to?',
    ({ tokens, text }) =>
      extremeValue(phrase('my rank', tokens('how')[0]), /best|highest/.test(text('how')) ? 'best' : 'worst', -2),
  ),
  rule('who:my|the? high score', ({ tokens }) => extremeValue(phrase('my score', tokens('who')[0]), 'highest', -2)),
  rule('<p> left|remaining at <t>', ({ tokens }) => stateAt(tokens('p'), tokens('t'))),
  rule(
    `how_many|how_much <p> ${doing}|${having} <s> have|had|got left|remaining? at_the_end|in_the_end|at_the_very_end`,
    ({ tokens }) => stateAt([...owner(tokens('s')), ...tokens('p')], 'end', -2.5),
  ),
  rule('who:my|the? final|last|end|finishing place|position|spot|standing', ({ tokens }) =>
    finalRank([word('i', tokens('who')[0])]),
  ),
  rule(`what|how ${be} the? how:${extremes} <p>`, ({ tokens, text }) => extremeValue(tokens('p'), text('how'))),
  rule(`what|how ${be} my how:${extremes} <p>`, ({ tokens, text }) =>
    extremeValue([word('my', tokens('p')[0]), ...tokens('p')], text('how')),
  ),
  rule('how fast did|was i|we go|going|drive|driving|at_most|max? at_most|at_best?', () =>
    extremeValue(phrase('my speed', undefined), 'highest'),
  ),
  rule(`how ${be} <x>`, ({ tokens }) => ask(tokens('x'), (query) => query, 0.5)),
  rule(
    `when|where ${doing} <s> how:lose|gain|take the_most|most <p> at_once|in_one_go|in_one_hit|at_a_time?`,
    ({ tokens, text }) => biggestChange([...asSubject(tokens('s')), word(text('how'), tokens('s')[0]), ...tokens('p')]),
  ),
  rule(
    'what? is|was|were? the|my? biggest|hardest|largest|worst|heaviest|strongest hit|blow|damage that? i|we? took|taken|suffered|received? <r*>',
    ({ tokens }) => biggestChange(phrase('i take damage', tokens('r')[0]), tokens('r')),
  ),
  rule('the? how:most|biggest|highest <p> at_once|in_one_go|at_a_time', ({ tokens }) =>
    biggestChange([word('i', tokens('p')[0]), word('gain', tokens('p')[0]), ...tokens('p')]),
  ),
  // "did I lose more than 10 health in one go"
  rule('<q> at_once|in_one_go|in_one_hit|in_a_single_hit|at_a_time', ({ tokens }) =>
    ask(tokens('q'), (query) => (isProperty(query.find) && query.find.by ? query : undefined)),
  ),
  // "what was the most damage I took in one hit"
  rule(
    `what|how_much? ${be}? the? how:most|biggest|largest|highest <p> that? <s> verb:take|took|taken|lose|lost|gain|gained in_one_hit|in_one_go|at_once|in_a_single_hit|from_one_hit`,
    ({ tokens }) => biggestChange([...asSubject(tokens('s')), ...tokens('verb'), ...tokens('p')]),
  ),
  rule(
    'what|who hit|hurt|damaged who:me|us the_hardest|hardest|the_most|most|for_the_most_damage|for_most_damage|for_the_most|the_worst',
    ({ tokens }) => biggestChange(phrase('i take damage', tokens('who')[0])),
  ),
  rule('how how2:low|high did|does <p> get|go|drop|fall|rise|climb|become', ({ tokens, text }) =>
    extremeValue(tokens('p'), text('how2') === 'low' ? 'lowest' : 'highest'),
  ),
  rule('the? how:lowest|highest <p> got|went|was|ever_was|ever_got', ({ tokens, text }) =>
    extremeValue(tokens('p'), text('how')),
  ),
  rule('the? most|max <p> i|we had|have|ever_had|reached|got', ({ tokens }) =>
    extremeValue([word('my', tokens('p')[0]), ...tokens('p')], 'highest'),
  ),
  rule(
    `how_many|how_much <p> ${doing} <s> have|hold|get|reach how:at_most|at_best|max|tops|at_once|at_one_time|at_least|at_worst`,
    ({ tokens, text }) =>
      extremeValue([...owner(tokens('s')), ...tokens('p')], /least|worst/.test(text('how')) ? 'lowest' : 'highest'),
  ),
  rule('the? least <p> i|we had|have|ever_had', ({ tokens }) =>
    extremeValue([word('my', tokens('p')[0]), ...tokens('p')], 'lowest'),
  ),
  rule(
    'what? is|was? the|my? how:fastest|best|quickest|slowest|worst|average|mean lap|lap_time|laptime <r*>',
    ({ tokens, text }) =>
      /average|mean/.test(text('how'))
        ? extremeValue([...phrase('my lap time', tokens('r')[0]), ...tokens('r')], 'average')
        : /slow|worst/.test(text('how'))
          ? extremeValue([...phrase('my lap time', tokens('r')[0]), ...tokens('r')], 'maximum')
          : extremeValue([...phrase('my lap time', tokens('r')[0]), ...tokens('r')], 'minimum'),
  ),
  rule(`how_many <p> ${be}? left|remaining|alive at <t>`, ({ tokens }) =>
    stateAt([...tokens('p'), word('left', tokens('p').at(-1))], tokens('t')),
  ),
  rule(`how_many <p> ${be}? left|remaining|alive when|at each? <c>`, ({ tokens }) =>
    stateAtEvents([...tokens('p'), word('left', tokens('p').at(-1))], tokens('c')),
  ),
  rule(`what ${be} <s> holding|using|carrying|wielding|equipped when|as|while|before <c>`, ({ tokens }) =>
    stateAtEvents([...owner(tokens('s')), word('weapon', tokens('s')[0])], tokens('c')),
  ),
  rule(`what ${be} <s> holding|using|carrying|wielding|equipped at <t>`, ({ tokens }) =>
    stateAt([...owner(tokens('s')), word('weapon', tokens('s')[0])], tokens('t')),
  ),
  rule(`what ${doing} <p> show|read|say|display at <t>`, ({ tokens }) => stateAt(tokens('p'), tokens('t'))),
  rule('<p> <t> in', ({ tokens }) => stateAt(tokens('p'), tokens('t'))),
  // "how much health did I have 20 seconds in"
  rule(`how_much|how_many|what|which <p> ${doing}|${having} <s> have|had <t> in`, ({ tokens }) =>
    stateAt([...owner(tokens('s')), ...tokens('p')], tokens('t')),
  ),
  rule(`what|which <p> ${be} <s> at|on|in? at <t>`, ({ tokens }) =>
    stateAt([...owner(tokens('s')), ...tokens('p')], tokens('t')),
  ),
  rule(`what|which <p> ${be} <s> at|on|in? when <c>`, ({ tokens }) =>
    stateAtEvents([...owner(tokens('s')), ...tokens('p')], tokens('c')),
  ),
];

/** Does a display come to show a number: "lap 3"? */
function isShownNumber(condition: Condition): boolean {
  return [condition, ...(alternativesOf(condition) ?? [])].some(
    (each) => isReading(each) && isProperty(each) && each.to?.min !== undefined,
  );
}

/** Who has the highest or lowest value of a property at a time. */
function valuesOfAll(property: Tokens, time: Tokens, limit: Limit): readonly Reading[] {
  return stateAt(property, time).map((each) => ({
    ...each,
    build: (...bodies) => {
      const query = each.build(...bodies);
      if (!query || !isProperty(query.find)) return undefined;
      return { ...query, find: { property: query.find.property }, ...limit };
    },
  }));
}

/** "highest health" is the value; "biggest health loss" is the event. */
function extremeValue(body: Tokens, how: string, cost = 0): readonly Reading[] {
  const take = aggregateOf(how);
  return [
    ...propertyReading(
      [body],
      ({ condition, isLowerBetter, hasWords, owners }) => {
        if (!isBareProperty(condition) || hasWords) return undefined;
        const better = /best/.test(how)
          ? isLowerBetter
            ? 'lowest'
            : 'highest'
          : /worst/.test(how)
            ? isLowerBetter
              ? 'highest'
              : 'lowest'
            : /fastest|quickest|slowest/.test(how)
              ? // The fastest time is the lowest, the fastest speed the highest.
                isLowerBetter === !/slowest/.test(how)
                ? 'lowest'
                : 'highest'
              : take;
        if (take === 'sum') return undefined;
        return { find: ofPlayer(condition, owners), measure: { of: 'value', take: better } };
      },
      cost,
    ),
    ...propertyReading([body], ({ condition: find }) => {
      if (!isProperty(find) || isBareProperty(find)) return undefined;
      if (take === 'sum' || take === 'average') return { find, measure: { of: 'change', take } };
      // The worst loss is the largest; which is the best, nobody can say.
      const isLoss = (find as PropertyPattern).change === 'drops';
      if (isLoss && how === 'best') return undefined;
      const isWorstLoss = isLoss && how === 'worst';
      return { find, sort: { of: 'change', order: isWorstLoss ? 'highest' : extremeOf(how) }, first: 1 };
    }),
    ...reading(
      [body],
      ({ condition: find }) => {
        if (!('action' in find) || (find as ActionPattern).action.length === 0 || take === 'sum') return undefined;
        if (!/longest|shortest|biggest|largest|smallest|average|greatest|highest/.test(how)) return undefined;
        if (take === 'average') return { find, measure: { of: 'amount', take } };
        return { find, sort: { of: 'amount', order: extremeOf(how) }, first: 1 };
      },
      1,
    ),
  ];
}

function largestChange(find: Condition): Query {
  return { find, sort: { of: 'change', order: 'highest' }, first: 1 };
}

function biggestChange(body: Tokens, filter: Tokens = []): readonly Reading[] {
  if (filter.length === 0) return propertyReading([body], ({ condition }) => largestChange(condition), -1);
  return [
    ...propertyReading([body, filter], ({ condition }, { condition: only }) =>
      restrictsValue(only) ? largestChange({ all: [condition, only] }) : undefined,
    ),
    // "the biggest hit I took before my first kill"
    ...reading([[...body, ...filter]], ({ condition: find }) =>
      'near' in find && isProperty(find.find) ? largestChange(find) : undefined,
    ),
  ];
}

/** "how many laps" where a counter on the screen shows laps. */
function captionAtEnd(property: Tokens): readonly Reading[] {
  return stateAt(property, 'end').map((each) => ({
    ...each,
    build: (...bodies) => (isReading(bodies[0]!.condition) ? each.build(...bodies) : undefined),
  }));
}

function finalRank(subject: Tokens): readonly Reading[] {
  return stateAt([...owner(subject), word('rank', subject[0])], 'end', -1);
}
