import type { Bindings } from '../templates.ts';
import { asRate, limitOf, ratio, share, aggregateOf } from './answer-forms.ts';
import { type Interpretation, understanding, anyOf, ask, reading, type Rule, rule, type Tokens } from './readings.ts';
import { isEvent } from './subjects.ts';
import { withObject } from './word-order.ts';
import { be, doing, having, owner, per, phrase, unitNames, word } from './words.ts';

/** Rates, averages per match, ratios and shares. */
export const rateRules: readonly Rule[] = [
  rule(`<q> ${per} unit:second|sec|minute|min|hour|life|death <r*>`, rate),
  rule(
    `how_many <x> per|each|every|a unit:second|sec|minute|min|hour ${be}|${doing}|${having} <s> get|getting|make|making|have|having|score|scoring|average?`,
    ({ tokens, text }) =>
      ask([...owner(tokens('s')), ...tokens('x')], (query) =>
        asRate(query, (unitNames.get(text('unit')) ?? text('unit')) as 'second' | 'minute' | 'hour'),
      ),
  ),
  rule('<q> a|an unit:second|sec|minute|min|hour <r*>', rate),
  rule(
    'who:my? average|mean number_of? <q> per|each|every|in_a|in_each|a match|game|session|map|recording|video',
    ({ tokens }) => ask([...tokens('who'), ...tokens('q')], (query) => asRate(query, 'session'), -0.5),
  ),
  rule('<q> per|each|every|a|in_a match|game|session|recording|video on_average|average', ({ tokens }) =>
    ask(tokens('q'), (query) => asRate(query, 'session')),
  ),
  rule(`how_many <x> ${doing} <s> average <r>`, ({ tokens }) =>
    ask(
      [
        ...phrase('how many', tokens('x')[0]),
        ...tokens('x'),
        word('do', tokens('s')[0]),
        ...tokens('s'),
        word('get', tokens('s')[0]),
        ...tokens('r'),
      ],
      (query) => (query.per ? query : undefined),
    ),
  ),
  rule('average|mean number_of <q>', ({ tokens }) => ask(tokens('q'), (query) => asRate(query, 'session'), 0.5)),
  rule('<q> on_average|in_average', ({ tokens }) =>
    ask(tokens('q'), (query) => {
      if (query.per) return query;
      if (query.measure) return { ...query, measure: { ...query.measure, take: 'average' } };
      return asRate(query, 'session');
    }),
  ),
  rule('who:my? how:average|mean|highest|lowest|total|minimum|maximum|max|min <q>', ({ tokens, text }) =>
    ask([...tokens('who'), ...tokens('q')], (query) => {
      if (query.state) return { ...query, measure: { of: 'state', take: aggregateOf(text('how')) } };
      return query.per && aggregateOf(text('how')) === 'average' ? query : undefined;
    }),
  ),
  rule('the? <s*> kd ratio? <r*>', ({ tokens }) => {
    const [s, r] = [tokens('s'), tokens('r')];
    const isOf = r[0]?.lower === 'of' || r[0]?.lower === 'for';
    const named = s.at(-1)?.kind === 'possessive' || s[0]?.lower === 'my' ? s : owner(s);
    const whose = s.length > 0 ? named : isOf ? owner(r.slice(1)) : [word('my', r[0])];
    const rest = isOf && s.length === 0 ? [] : r;
    const understood = isOf && s.length === 0 ? r.slice(0, 1) : [];
    const deaths = [...whose, word('deaths', s[0]), ...rest];
    return understanding(
      understood,
      killsOf(whose).flatMap(([kills, cost]) => ratio([...kills, ...rest], deaths, cost)),
    );
  }),
  rule(
    'who|which_player|what_player has|had|got? the? rank:best|highest|worst|lowest|top kd ratio? <r*>',
    ({ tokens, text }) =>
      reading(
        ['kills', 'deaths'].map((each) => [word(each, tokens('rank')[0]), ...tokens('r')]),
        ({ condition: find }, { condition: deaths }) =>
          isEvent(find) && isEvent(deaths)
            ? { find, ratio: deaths, by: [{ slot: 'subject' }], ...limitOf(text('rank')) }
            : undefined,
      ),
  ),
  rule('kd ratio? of|for|by|per each|every? player|everyone|everybody|person', () =>
    reading(
      [phrase('kills', undefined), phrase('deaths', undefined)],
      ({ condition: find }, { condition: deaths }) => ({
        find,
        ratio: deaths,
        by: [{ slot: 'subject' }],
      }),
    ),
  ),
  // Kills and assists for each death.
  rule('the? <s*> kda ratio? <r*>', ({ tokens }) => {
    const [s, r] = [tokens('s'), tokens('r')];
    const isOf = r[0]?.lower === 'of' || r[0]?.lower === 'for';
    const who =
      s.length > 0
        ? s[0]!.lower === 'my' || s.at(-1)!.kind === 'possessive'
          ? s
          : owner(s)
        : isOf
          ? owner(r.slice(1))
          : [word('my', r[0])];
    const rest = isOf ? [] : r;
    return understanding(
      isOf ? r.slice(0, 1) : [],
      killsOf(who).flatMap(([kills, cost]) =>
        reading(
          [
            [...kills, word('or', s[0]), ...who, word('assists', s[0]), ...rest],
            [...who, word('deaths', s[0]), ...rest],
          ],
          ({ condition: find }, { condition: deaths }) => ({ find, ratio: deaths }),
          cost,
        ),
      ),
    );
  }),
  rule('the? <s*> kill death ratio <r*>', ({ tokens }) => {
    const whose = tokens('s').length > 0 ? tokens('s') : [word('my', tokens('r')[0])];
    return ratio(
      [...whose, word('kills', undefined), ...tokens('r')],
      [...whose, word('deaths', undefined), ...tokens('r')],
    );
  }),
  rule('kd did|does|do|have|has|had <s> have|had|got|get? <r*>', ({ tokens }) =>
    ratio(
      [...owner(tokens('s')), word('kills', undefined), ...tokens('r')],
      [...owner(tokens('s')), word('deaths', undefined), ...tokens('r')],
    ),
  ),
  rule('ratio of|between|from? <a> to|and|per|vs|versus <b>', ({ tokens }) => ratio(tokens('a'), tokens('b'))),
  rule('<a> to|vs|versus|per|/ <b> ratio', ({ tokens }) => ratio(tokens('a'), tokens('b'))),
  rule(`the? percentage|percent|share|proportion|fraction|part of <x> ${be} <y>`, ({ tokens }) =>
    share([...tokens('x'), ...tokens('y')], tokens('x')),
  ),
  rule(`what|which percentage|percent|share|proportion|fraction|part of the? <x> ${be} <y>`, ({ tokens }) =>
    share([...tokens('x'), ...tokens('y')], tokens('x')),
  ),
  rule(`what|which percentage|percent|share|proportion|fraction|part of the? <x> ${doing} <s> <v>`, ({ tokens }) =>
    anyOf(withObject(tokens('x'), [...tokens('s'), ...tokens('v')]), ({ tokens: body, cost }) =>
      share(body, tokens('x'), cost),
    ),
  ),
  rule('who:my? headshot percentage|rate|ratio|percent', ({ tokens }) => {
    const kills = [word('my', tokens('who')[0]), word('kills', tokens('who')[0])];
    return share([...kills, ...phrase('by headshot', kills[0])], kills);
  }),
  rule('who:my? win|winning percentage|rate|ratio|percent', ({ tokens }) => {
    const wins = phrase('i win', tokens('who')[0]);
    return share(wins, phrase('i win or i lose', tokens('who')[0]));
  }),
  rule(
    'the|what|which? percentage|percent|share|proportion|fraction of <x> link:with|by|in|on|against <y>',
    ({ tokens }) => share([...tokens('x'), ...tokens('link'), ...tokens('y')], tokens('x')),
  ),
  rule(`what|which|the? percentage|percent|share|proportion|fraction|part of who:my <x> ${be} <y>`, ({ tokens }) =>
    share([...tokens('who'), ...tokens('y')], [...tokens('who'), ...tokens('x')], 0.5),
  ),
  rule('who:my? k:kill|death|frag rate per_minute?', ({ tokens, text }) =>
    reading(
      [[word('my', tokens('k')[0]), word(text('k') === 'death' ? 'deaths' : 'kills', tokens('k')[0])]],
      ({ condition }) => ({
        find: condition,
        count: true,
        per: 'minute',
      }),
    ),
  ),
  rule('kpm', () =>
    reading([phrase('my kills', undefined)], ({ condition }) => ({ find: condition, count: true, per: 'minute' })),
  ),
];

/** The kills of a ratio: where the logs know opponents, minions and monsters do not count for the player. */
function killsOf(whose: Tokens): readonly (readonly [kills: Tokens, cost: number])[] {
  const kills = [...whose, word('kills', whose[0])];
  const isOwn = whose.length === 1 && whose[0]!.lower === 'my';
  return [[kills, 0], ...(isOwn ? [[[...kills, ...phrase('of opponents', whose[0])], -1.5] as const] : [])];
}

function rate({ tokens, text }: Bindings): readonly Interpretation[] {
  const [first] = tokens('q');
  if (first?.lower === 'count' || first?.lower === 'list') return [];
  // "after a minute" is a time.
  if (/^(?:after|before|within|in|for|every|until|half|of)$/.test(tokens('q').at(-1)!.lower)) return [];
  const unit = unitNames.get(text('unit')) ?? (text('unit') as 'second' | 'minute' | 'hour' | 'life');
  return ask([...tokens('q'), ...tokens('r')], (query) => asRate(query, unit));
}
