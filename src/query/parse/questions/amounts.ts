import { alternativesOf, type ActionPattern, type Condition } from '../../query.ts';
import { beforeFirst } from './answer-forms.ts';
import {
  understanding,
  anyOf,
  propertyReading,
  reading,
  type Reading,
  type Rule,
  rule,
  type Tokens,
} from './readings.ts';
import { isBareProperty, isProperty, isReading, restrictsValue } from './subjects.ts';
import { withObject } from './word-order.ts';
import { asSubject, be, doing, having, phrase, word } from './words.ts';

// Totals of changes.
const losing = 'lost|spent|used|wasted|burned|fired';

const gaining = 'got_back|gained_back|gained|earned|collected|won|regained|recovered|healed|made|received|picked_up';

const sumWords = 'total|overall|combined|sum_of';

/** "how much": sums of changes and amounts. */
export const amountRules: readonly Rule[] = [
  rule(`how_much|how_many <p> ${doing}|${having} <s> <v>`, ({ tokens }) =>
    anyOf(withObject(tokens('p'), [...tokens('s'), ...tokens('v')]), ({ tokens: body, cost }) => sums(body, cost)),
  ),
  rule(
    `how_much <p> ${doing}|${having} <s> pick_up|picked_up|collect|collected|get_back|got_back|get|got|gain|gained|regain|recover|heal|earn|make|receive|win <r*>`,
    ({ tokens }) => changeSums([...asSubject(tokens('s')), word('gain', tokens('p')[0]), ...tokens('p')], tokens('r')),
  ),
  rule(
    `how_much <p> ${doing}|${having} <s> use|used|use_up|spend|spent|waste|wasted|burn|fire|fired|shoot|lose|lost <r*>`,
    ({ tokens }) => changeSums([...asSubject(tokens('s')), word('lose', tokens('p')[0]), ...tokens('p')], tokens('r')),
  ),
  rule(
    `how_many <p> ${doing}|${having} <s> pick_up|picked_up|collect|collected|get|got|gain|gained|earn|make|receive|win|score|scored|complete|completed|do|done|drive|finish|reach <r*>`,
    ({ tokens }) => captionSums([...asSubject(tokens('s')), word('gain', tokens('p')[0]), ...tokens('p')], tokens('r')),
  ),
  rule(`how_many <p> ${doing}|${having} <s> use|used|use_up|spend|spent|lose|lost <r*>`, ({ tokens }) =>
    captionSums([...asSubject(tokens('s')), word('lose', tokens('p')[0]), ...tokens('p')], tokens('r')),
  ),
  rule(
    `how_much health|hp? ${doing}|${having} <s> heal|healed|regenerate|regenerated|regain|regained <r*>`,
    ({ tokens }) => changeSums([...asSubject(tokens('s')), ...phrase('gain health', tokens('s')[0])], tokens('r')),
  ),
  rule(`how_much damage ${doing} <s> deal|do|inflict|cause to|against|on <o>`, ({ tokens }) =>
    sums([...asSubject(tokens('s')), word('hurt', tokens('s')[0]), ...tokens('o')], -1),
  ),
  rule(`how_much|how_far ${doing} <c>`, ({ tokens }) => sums(tokens('c'), 0.5)),
  rule(`how_much|how_many <p> who:${be} <v>`, ({ tokens }) =>
    sums([...tokens('p'), ...tokens('who'), ...tokens('v')], 0.5),
  ),
  rule(`who:my? ${sumWords}|the? damage taken|suffered|received <r*>`, ({ tokens }) => {
    const { whose, rest, by } = agentOf(tokens('r'), tokens('who'));
    return understanding(by, changeSums([...whose, ...phrase('take damage', whose[0])], rest));
  }),
  rule(`who:my? ${sumWords}? damage dealt|done|inflicted <r*>`, ({ tokens }) => {
    const { whose, rest, by } = agentOf(tokens('r'), tokens('who'));
    return understanding(by, sums([...whose, word('hurt', whose[0]), word('someone', whose[0]), ...rest], 0));
  }),
  rule(`who:my? ${sumWords} <p> ${losing} <r*>`, ({ tokens }) => {
    const { whose, rest, by } = agentOf(tokens('r'), tokens('who'));
    return understanding(by, changeSums([...whose, word('lose', whose[0]), ...tokens('p')], rest));
  }),
  rule(`who:my? ${sumWords} <p> ${gaining} <r*>`, ({ tokens }) => {
    const { whose, rest, by } = agentOf(tokens('r'), tokens('who'));
    return understanding(by, changeSums([...whose, word('gain', whose[0]), ...tokens('p')], rest));
  }),
  rule('who:my? total|overall? healing|healing_done|health_healed|health_restored <r*>', ({ tokens }) => {
    const { whose, rest, by } = agentOf(tokens('r'), tokens('who'));
    return understanding(by, changeSums([...whose, ...phrase('gain health', whose[0])], rest));
  }),
  rule('who:my? total|overall? damage that? i|we dealt|did|inflicted|caused|made <r*>', ({ tokens }) =>
    sums([...phrase('i hurt someone', tokens('r')[0]), ...tokens('r')], -1),
  ),
  rule('sum|total of <x>', ({ tokens }) =>
    propertyReading([tokens('x')], ({ condition: find }) =>
      isBareProperty(find) ? undefined : { find, measure: { of: 'change', take: 'sum' } },
    ),
  ),
  rule(
    `how_many rounds|bullets|shots ${doing}|${having} <s> fire|fired|shoot|shot|use|used|spend|waste <r*>`,
    ({ tokens }) => changeSums([...asSubject(tokens('s')), ...phrase('lose ammunition', tokens('s')[0])], tokens('r')),
  ),
  rule(`<p> v:${losing}`, ({ tokens }) =>
    changeSums([word('i', tokens('p')[0]), word('lose', tokens('p')[0]), ...tokens('p')], []),
  ),
  rule(`<p> that? i|we v:${gaining}`, ({ tokens }) =>
    changeSums([word('i', tokens('p')[0]), word('gain', tokens('p')[0]), ...tokens('p')], []),
  ),
  rule(`<p> that? i|we v:${losing}`, ({ tokens }) =>
    changeSums([word('i', tokens('p')[0]), word('lose', tokens('p')[0]), ...tokens('p')], []),
  ),
  rule(`<p> v:${gaining}`, ({ tokens }) =>
    changeSums([word('i', tokens('p')[0]), word('gain', tokens('p')[0]), ...tokens('p')], []),
  ),
  rule('total|all? the? damage i|we took|take|suffered|received <r*>', ({ tokens }) =>
    changeSums(phrase('i take damage', tokens('r')[0]), tokens('r')),
  ),
];

/** Sums how far a property rises or drops where a filter holds. */
function changeSums(change: Tokens, filter: Tokens): readonly Reading[] {
  const measure = { of: 'change', take: 'sum' } as const;
  if (filter.length === 0)
    return propertyReading([change], ({ condition: find, hasWords }) => (hasWords ? undefined : { find, measure }), -1);
  return [
    ...propertyReading(
      [change, filter],
      ({ condition }, { condition: given }) => {
        const only = weaponInHand(given, condition);
        return restrictsValue(only) ? { find: { all: [condition, only] }, measure } : undefined;
      },
      -1,
    ),
    // "before the pit stop"
    ...reading(
      [[...change, ...filter]],
      ({ condition }) => {
        const first = beforeFirst(condition);
        const find = 'near' in first ? { ...first, find: onlyChange(first.find) } : first;
        return 'near' in find && isProperty(find.find) ? { find, measure } : undefined;
      },
      -1,
    ),
  ];
}

/** "gain health" can be to obtain what heals; an amount is that of a change. */
function onlyChange(condition: Condition): Condition {
  const [change, ...others] = (alternativesOf(condition) ?? []).filter(
    (each) => isProperty(each) && each.change !== undefined,
  );
  return change && others.length === 0 ? change : condition;
}

/** "bullets fired with the machine gun": while it was in hand. */
function weaponInHand(filter: Condition, change: Condition): Condition {
  const { action, with: means } = filter as Partial<ActionPattern>;
  const isOfAmmunition = isProperty(change) && change.property.some((id) => id.startsWith('ammunition'));
  if (!isOfAmmunition || action?.length !== 0 || !means?.any) return filter;
  const { subject } = change;
  return { while: { property: ['weapon'], ...(subject && { subject }), to: { any: means.any } } };
}

/** "how many coins did I collect" where a counter on the screen shows coins. */
function captionSums(change: Tokens, filter: Tokens): readonly Reading[] {
  return changeSums(change, filter).map((each) => ({
    ...each,
    build: (...bodies) => (isReading(bodies[0]!.condition) ? each.build(...bodies) : undefined),
  }));
}

/** Sums how far a property changes, or the amounts of an action. */
function sums(body: Tokens, cost: number): readonly Reading[] {
  return reading(
    [body],
    ({ condition: find }) => {
      const parts = 'all' in find ? find.all : [find];
      const pattern = parts
        // "damage before my first kill"
        .map((part) => ('near' in part ? part.find : part))
        .find((part) => isProperty(part) || 'action' in part);
      if (!pattern) return undefined;
      if (isProperty(pattern))
        return isBareProperty(pattern) ? undefined : { find, measure: { of: 'change', take: 'sum' } };
      const { action, unit, amount } = pattern as ActionPattern;
      return action.length > 0 && (unit || amount) ? { find, measure: { of: 'amount', take: 'sum' } } : undefined;
    },
    cost - 0.5,
  );
}

/** "by Nova" after a total, else the player. */
function agentOf(rest: Tokens, place: Tokens): Readonly<Record<'whose' | 'rest' | 'by', Tokens>> {
  if (rest[0]?.lower === 'by' && rest.length > 1)
    return { whose: asSubject(rest.slice(1)), rest: [], by: rest.slice(0, 1) };
  return { whose: [word('i', place[0] ?? rest[0])], rest, by: [] };
}
