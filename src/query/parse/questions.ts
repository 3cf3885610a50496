import type { Token } from '../../dictionary/sentences/tokenize.ts';
import { wordSlots } from '../../dictionary/format.ts';
import { numberValue } from '../../dictionary/sentences/tokenize.ts';
import {
  childConditions,
  type ActionPattern,
  type Condition,
  type GroupKey,
  type PropertyPattern,
  type Query,
  type SlotPattern,
} from '../query.ts';
import { ordinals, ordinalValue } from './ordinals.ts';
import { compileTemplate, matchTemplate, type Bindings, type Template } from './templates.ts';

/** A part of a question that the grammar of conditions reads, as read. */
export interface Body {
  readonly condition: Condition;
  /** The groups at its end ("by weapon"). */
  readonly by: readonly GroupKey[] | undefined;
  /** Of a property: are lower values better? */
  readonly isLowerBetter?: boolean;
}

/** A way to read a question: the parts to parse, and the query that they make. */
export interface Reading {
  readonly bodies: readonly (readonly Token[])[];
  /** Of all readings that parse, the one of the least total cost is meant. */
  readonly cost: number;
  /** What the first part is: "weapon" can be a thing or a property, "score" a property or an action. */
  readonly firstKind?: 'noun' | 'property';
  /** Is the answer a number of matches? "by opponent" then groups them. */
  readonly isCount?: true;
  /** `undefined` if the parts do not have the form that this reading needs. */
  readonly build: (...bodies: readonly Body[]) => Query | undefined;
}

/** Another command that answers the question. */
export interface Redirection {
  /** The command that answers it; `undefined` if none does. */
  readonly command: string | undefined;
  readonly cost: number;
}

type Tokens = readonly Token[];
type Read = (part: Bindings) => readonly (Reading | Redirection)[];

interface Rule {
  readonly template: Template;
  readonly read: Read;
  readonly cost: number;
}

// ---- Words -----------------------------------------------------------------------------------------------------------

const asSet = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const doForms = asSet('do does did can could will would');
const haveForms = asSet('have has had');
const beForms = asSet('is are was were am');
/** Verbs that only say whose an event is: "how many kills did I get". */
const achievementVerbs = asSet(
  'make makes made get gets got gotten have has had score scored do does did done record recorded achieve achieved earn earned rack land landed suffer suffered perform performed pull pulled',
);
const players = asSet('i me we you');
const anyone = asSet(
  'player players person people guy guys one ones bot bots participant participants driver drivers racer racers scorer scorers killer killers',
);
const subjectForms: ReadonlySet<string> = new Set(['me', 'us', 'we']);

const keyNouns: ReadonlyMap<string, GroupKey> = new Map<string, GroupKey>(
  Object.entries({
    minute: 'minute',
    minutes: 'minute',
    match: 'session',
    matches: 'session',
    session: 'session',
    sessions: 'session',
    recording: 'session',
    recordings: 'session',
    video: 'session',
    log: 'session',
    life: 'life',
    lives: 'life',
  } as const).map(([noun, key]) => [noun, { key }]),
);

/** A word that the question does not contain itself, at the place of one that it does. */
function word(text: string, place: Token | undefined): Token {
  return { kind: 'word', text, lower: text, start: place?.start ?? 0, end: place?.end ?? 0 };
}

function phrase(text: string, place: Token | undefined): Token[] {
  return text.split(' ').map((each) => word(each, place));
}

function possessive(place: Token | undefined): Token {
  return { kind: 'possessive', text: "'s", lower: "'s", start: place?.end ?? 0, end: place?.end ?? 0 };
}

/** "I", "Sarge" as an owner: "my", "Sarge's". */
function owner(subject: Tokens): Tokens {
  const [first] = subject;
  if (!first) return [];
  if (subject.length === 1 && players.has(first.lower)) return [word('my', first)];
  return [...subject, possessive(subject.at(-1))];
}

/** "me" at the start of a clause becomes its subject. */
function asSubject(tokens: Tokens): Tokens {
  const [first, ...rest] = tokens;
  return first?.kind === 'word' && subjectForms.has(first.lower) ? [word('i', first), ...rest] : tokens;
}

/** The words for an ordinal, for templates. */
const ordinalWords = Object.keys(ordinals).join('|');

// ---- Word order --------------------------------------------------------------------------------------------------------

const maxSubjectTokens = 5;

/** The statements that a clause in the word order of a question can be: "was Sarge killed" is "Sarge was killed". */
function declarative(tokens: Tokens): readonly Tokens[] {
  const [first, ...rest] = tokens;
  if (!first || first.kind !== 'word') return [tokens];
  if (doForms.has(first.lower)) return rest.length > 0 ? [asSubject(rest)] : [];
  if (!haveForms.has(first.lower) && !beForms.has(first.lower)) return [asSubject(tokens)];
  const ends = Array.from({ length: Math.min(maxSubjectTokens, rest.length) }, (_, i) => i + 1);
  return ends.map((end) => [...asSubject(rest.slice(0, end)), first, ...rest.slice(end)]);
}

interface PlacedNoun {
  readonly tokens: Tokens;
  readonly cost: number;
  /** Does the noun stand as an object, rather than name the event itself? */
  readonly isObject?: true;
}

/**
 * The statements in which what was asked for stands at its place: "how many opponents did I kill with the railgun" is about
 * "I kill opponents with the railgun", "how many kills did Sarge get" about "Sarge's kills".
 */
function withObject(noun: Tokens, clause: Tokens, auxiliary: Tokens = []): readonly PlacedNoun[] {
  const found: PlacedNoun[] = [];
  for (let end = 1; end <= Math.min(maxSubjectTokens, clause.length); end++) {
    const subject = clause.slice(0, end);
    const rest = [...auxiliary, ...clause.slice(end)];
    let verb = 0;
    while (verb < rest.length && achievementVerbs.has(rest[verb]!.lower)) verb++;
    if (verb > 0 || (rest.length === 0 && end <= 2))
      found.push({ tokens: [...owner(subject), ...noun, ...rest.slice(verb)], cost: 0 });
    for (let at = 1; at <= Math.min(3, rest.length); at++)
      found.push({
        tokens: [...asSubject(subject), ...rest.slice(0, at), ...noun, ...rest.slice(at)],
        cost: 0.5,
        isObject: true,
      });
    // "which weapon did I kill Sarge with"
    if (/^(?:with|to|from|by|at|in|on|of|for|against)$/.test(rest.at(-1)?.lower ?? ''))
      found.push({ tokens: [...asSubject(subject), ...rest, ...noun], cost: 0.5 });
    if (rest.length > 1)
      found.push({ tokens: [...asSubject(subject), ...rest, word('with', rest.at(-1)), ...noun], cost: 4 });
  }
  return found;
}

// ---- Readings ----------------------------------------------------------------------------------------------------------

function reading(bodies: readonly Tokens[], build: Reading['build'], cost = 0): readonly Reading[] {
  return bodies.every((body) => body.length > 0) ? [{ bodies, cost, build }] : [];
}

/** A reading whose first body is a noun. */
function nounReading(bodies: readonly Tokens[], build: Reading['build'], cost = 0): readonly Reading[] {
  return reading(bodies, build, cost).map((one) => ({ ...one, firstKind: 'noun' as const }));
}

/** A reading whose first body is about a property. */
function propertyReading(bodies: readonly Tokens[], build: Reading['build'], cost = 0): readonly Reading[] {
  return reading(bodies, build, cost).map((one) => ({ ...one, firstKind: 'property' as const }));
}

function anyOf<Item>(items: readonly Item[], make: (item: Item) => readonly (Reading | Redirection)[]) {
  return items.flatMap(make);
}

const withGroups = ({ condition, by }: Body): Query => ({ find: condition, ...(by && { by }) });

function isProperty(condition: Condition): condition is PropertyPattern {
  return 'property' in condition;
}

/** Is it a property without a change or value: "my health"? */
function isBareProperty(condition: Condition): condition is PropertyPattern {
  if (!isProperty(condition)) return false;
  const { change, from, to, by } = condition;
  return change === undefined && from === undefined && to === undefined && by === undefined;
}

/** A property without a named subject is the player's. */
function ofPlayer(pattern: PropertyPattern): PropertyPattern {
  return pattern.subject ? pattern : { property: pattern.property, subject: thePlayer };
}

const unitNames: ReadonlyMap<string, 'life' | 'second' | 'minute'> = new Map([
  ['death', 'life'],
  ['sec', 'second'],
  ['min', 'minute'],
]);

const thePlayer: SlotPattern = { any: [{ words: ['player'] }] };

/** Counts what a body describes; a run without deaths between is counted as its longest. */
function count(body: Tokens, cost = 0): readonly Reading[] {
  return [
    ...reading([body], (b) => ({ ...withGroups(b), count: true }), cost).map((each) => ({
      ...each,
      isCount: true as const,
    })),
    ...streaks(body, cost - 1),
  ];
}

/** "how many minions did I kill": "2 minions" are two. */
function countObjects(body: Tokens, cost = 0): readonly Reading[] {
  return reading(
    [body],
    ({ condition: find, by }) => {
      const object = 'action' in find ? (find as ActionPattern).object : undefined;
      return object && !by ? { find, measure: { of: 'count', take: 'sum' } } : { find, count: true, ...(by && { by }) };
    },
    cost,
  ).map((one) => ({ ...one, isCount: true as const }));
}

function list(body: Tokens, cost = 0, limits: Partial<Query> = {}): readonly Reading[] {
  return reading([body], (b) => ({ ...withGroups(b), ...limits }), cost);
}

/** "kills without dying" */
function streaks(body: Tokens, cost: number): readonly Reading[] {
  return body.flatMap((token, at) => {
    if (token.lower !== 'without' || at === 0 || at === body.length - 1) return [];
    const rest = body.slice(at + 1);
    return reading(
      [body.slice(0, at), rest],
      ({ condition: find }, { condition: streak }) =>
        isEvent(find) && isEvent(streak) ? { find: sameSubject(find), streak: sameSubject(streak, find) } : undefined,
      cost,
    );
  });
}

/** Does the condition describe an action, rather than a thing alone? */
function isEvent(condition: Condition): boolean {
  if ('action' in condition) return (condition as ActionPattern).action.length > 0;
  if ('property' in condition || 'event' in condition) return true;
  return childConditions(condition).some((child) => isEvent(child));
}

/** Gives a condition without a subject that of another, or the player. */
function sameSubject(condition: Condition, other?: Condition): Condition {
  return fillSubject(condition, (other && findSubject(other)) ?? thePlayer);
}

function findSubject(condition: Condition): SlotPattern | undefined {
  if ('action' in condition) {
    const { subject, object } = condition as ActionPattern;
    return subject?.any ? subject : object?.any && subject === undefined ? undefined : undefined;
  }
  if ('property' in condition) return (condition as PropertyPattern).subject;
  return childConditions(condition)
    .map((child) => findSubject(child))
    .find((each) => each !== undefined);
}

function fillSubject(condition: Condition, subject: SlotPattern): Condition {
  if ('action' in condition) {
    const pattern = condition as ActionPattern;
    // "Sarge is killed" is about Sarge already.
    return pattern.subject || pattern.object || pattern.action.length === 0 ? condition : { ...pattern, subject };
  }
  if ('property' in condition || 'event' in condition)
    return condition.subject ? condition : ({ ...condition, subject } as Condition);
  if ('all' in condition) return { all: condition.all.map((child) => fillSubject(child, subject)) };
  if ('any' in condition && Array.isArray(condition.any))
    return { any: (condition.any as readonly Condition[]).map((child) => fillSubject(child, subject)) };
  return condition;
}

/** The slot that a question word stands in: it accepts anything. */
function askedSlot(condition: Condition): GroupKey | undefined {
  if ('action' in condition) {
    const slot = wordSlots.find((name) => {
      const pattern = (condition as ActionPattern)[name];
      return pattern !== undefined && Object.keys(pattern).length === 0;
    });
    return slot && { slot };
  }
  for (const child of childConditions(condition)) {
    const key = askedSlot(child);
    if (key) return key;
  }
  return undefined;
}

/** The groups that a noun names: "weapon", "minute". */
function groupOf({ condition }: Body): GroupKey | undefined {
  if (!('mentions' in condition)) return undefined;
  const { any } = condition.mentions as SlotPattern;
  return any?.length === 1 && any[0]!.words ? { word: any[0]!.words } : undefined;
}

type Limit = Pick<Query, 'top' | 'bottom' | 'distinct'>;

/** Groups what a clause describes by what a noun names: "which weapon killed me most". */
function grouped(noun: Tokens, clauses: readonly Tokens[], limit: Limit, cost = 0): readonly Reading[] {
  const key = noun.length === 1 ? keyNouns.get(noun[0]!.lower) : undefined;
  return clauses.flatMap((clause) =>
    key
      ? reading([clause], ({ condition }) => ({ find: condition, by: [key], ...limit }), cost)
      : nounReading(
          [noun, clause],
          (n, { condition }) => {
            const by = groupOf(n);
            return by && isEvent(condition) ? { find: condition, by: [by], ...limit } : undefined;
          },
          cost,
        ),
  );
}

/** Groups by whoever stands where the question word is: "who killed me most". */
function groupedByAsked(clauses: readonly Tokens[], limit: Limit, cost = 0): readonly Reading[] {
  return clauses.flatMap((clause) =>
    reading(
      [clause],
      ({ condition }) => {
        const by = askedSlot(condition) ?? { slot: 'subject' as const };
        return isEvent(condition) ? { find: condition, by: [by], ...limit } : undefined;
      },
      cost,
    ),
  );
}

function limitOf(rank: string, number = 1): Limit {
  return /least|fewest|lowest|worst|rarest|smallest/.test(rank) ? { bottom: number } : { top: number };
}

/** Which extreme a word names. */
function extremeOf(text: string): 'highest' | 'lowest' {
  return /lowest|min|shortest|smallest|worst|least|fastest|quickest|slightest|lightest/.test(text)
    ? 'lowest'
    : 'highest';
}

type Take = NonNullable<Query['measure']>['take'];
type Quantity = NonNullable<Query['measure']>['of'];

function takeOf(text: string): Take {
  if (/average|mean|typical|usual/.test(text)) return 'average';
  return /total|sum|overall|combined/.test(text) ? 'sum' : extremeOf(text);
}

function measured(
  body: Tokens,
  of: Quantity,
  take: Take,
  accepts: (condition: Condition) => boolean = isEvent,
  cost = 0,
) {
  return reading(
    [body],
    ({ condition }) => (accepts(condition) ? { find: condition, measure: { of, take } } : undefined),
    cost,
  );
}

/** The value of a property at matches of a clause. */
function stateWhen(property: Tokens, clause: Tokens, cost = 0): readonly Reading[] {
  return anyOf(declarative(clause), (body) =>
    propertyReading(
      [property, body],
      ({ condition: p }, { condition: find }) => {
        if (!isBareProperty(p) || !isEvent(find)) return undefined;
        const { property: ids, subject } = ofPlayer(p);
        return { find: sameSubject(find), state: { property: ids, ...(subject && { subject }) } };
      },
      cost,
    ),
  ) as readonly Reading[];
}

/** The value of a property at a time. */
function stateAt(property: Tokens, at: NonNullable<Query['at']> | Tokens, cost = 0): readonly Reading[] {
  if (typeof at !== 'object')
    return propertyReading(
      [property],
      ({ condition }) => (isBareProperty(condition) ? { find: ofPlayer(condition), at } : undefined),
      cost,
    );
  return ['after', 'at'].flatMap((preposition) =>
    propertyReading(
      [property, [word(preposition, at[0]), ...at]],
      ({ condition: p }, { condition: t }) => {
        if (!isBareProperty(p) || !('time' in t)) return undefined;
        const { from, part } = t.time;
        // "at the start" is a stretch for events and a point for values.
        if (preposition === 'after') return from === undefined ? undefined : { find: ofPlayer(p), at: from };
        return part && { find: ofPlayer(p), at: part.from === 0 ? 'start' : 'end' };
      },
      cost,
    ),
  );
}

/** The seconds in which a state holds: "below 30 health", "holding the railgun". */
function held(state: Tokens, take: Take, cost = 0): readonly Reading[] {
  return reading(
    [[word('while', state[0]), ...state]],
    ({ condition }) => ('while' in condition ? { find: condition, measure: { of: 'held', take } } : undefined),
    cost,
  );
}

function ratio(first: Tokens, second: Tokens, cost = 0): readonly Reading[] {
  return reading(
    [first, second],
    ({ condition: a }, { condition: b }) =>
      isEvent(a) && isEvent(b) ? { find: sameSubject(a), ratio: sameSubject(b, a) } : undefined,
    cost,
  );
}

function share(part: Tokens, whole: Tokens, cost = 0): readonly Reading[] {
  return reading(
    [part, whole],
    ({ condition: find }, { condition: all }) => (isEvent(all) && isEvent(find) ? { find, share: all } : undefined),
    cost,
  );
}

function ask(
  tokens: Tokens,
  change: (query: Query) => Query | undefined,
  cost = 0,
): readonly (Reading | Redirection)[] {
  return readQuestion(tokens).map((inner) =>
    'command' in inner
      ? inner
      : {
          ...inner,
          cost: inner.cost + cost,
          build: (...bodies) => {
            const query = inner.build(...bodies);
            return query && change(query);
          },
        },
  );
}

/** Is the answer a list of matches that can still be limited? */
function isPlain({
  count: c,
  by,
  first,
  last,
  nth,
  measure,
  state,
  at,
  ratio: r,
  share: s,
  streak,
  whether,
  sort,
}: Query) {
  return (
    !c &&
    !by &&
    !first &&
    !last &&
    !nth &&
    !measure &&
    !state &&
    at === undefined &&
    !r &&
    !s &&
    !streak &&
    !whether &&
    !sort
  );
}

function asRate(query: Query, per: NonNullable<Query['per']>): Query | undefined {
  if (!query.count && query.measure?.take !== 'sum' && !isPlain(query)) return undefined;
  if (!isEvent(query.find) || query.by) return undefined;
  // A rate is somebody's.
  const find = sameSubject(query.find);
  return query.measure ? { ...query, find, per } : { ...query, find, count: true, per };
}

/** "kills by weapon": without "count" too, as what is grouped is counted. */
function countGroups(query: Query): Query {
  return query.by && !query.count && isPlain({ ...query, by: undefined } as unknown as Query)
    ? { ...query, count: true }
    : query;
}

// ---- Rules -------------------------------------------------------------------------------------------------------------

const rules: Rule[] = [];

function rule(template: string, read: Read, cost = 0): void {
  rules.push({ template: compileTemplate(template), read, cost });
}

const be = 'is|are|was|were';
const doing = 'do|does|did';
const having = 'have|has|had';
const most =
  'rank:the_most_often|the_most_times|the_most|most_often|most_times|most_frequently|most|the_least_often|the_least|least_often|least';
const extremes =
  'highest|lowest|best|worst|max|maximum|min|minimum|peak|average|mean|top|biggest|largest|greatest|smallest|longest|shortest|total|fastest|quickest|typical|usual';
const per = 'per|each|every|a|an|in_a|in_each|in_every|in_one';

// Requests around a question.
rule(
  'show|list|display|print|find|give|get|tell|fetch|search|search_for|look_for|return|see|pull_up|bring_up me|us? <q>',
  ({ tokens }) => ask(tokens('q'), (query) => query, 0.5),
);
rule('can|could|would|will you <q>', ({ tokens }) => ask(tokens('q'), (query) => query));
rule(
  'do_you_know|i_want_to_know|i_would_like_to_know|i_want_to_see|i_want|i_wanna_see|i_wanna_know|i_need|i_would_like_to_see|let_me_see|let_me_know|let_us_see|any_idea|wondering <q>',
  ({ tokens }) => ask(tokens('q'), (query) => query),
);
rule('all|every|each|any|the|a|an of? the? <q>', ({ tokens }) => ask(tokens('q'), (query) => query, 1));
rule('a? list|lists|table|overview of all? <q>', ({ tokens }) => ask(tokens('q'), (query) => query));
rule('what|which|who is|are|was|were the|all? <q>', ({ tokens }) => ask(tokens('q'), (query) => query, 1));
rule('<q> happened|happen|occurred|occur|took_place|take_place <r>', ({ tokens }) =>
  ask([...tokens('q'), ...tokens('r')], (query) => query),
);
rule('what|which <x> happened|happen|occurred|took_place <r*>', ({ tokens }) => list([...tokens('x'), ...tokens('r')]));
rule('<q> are|were|is|was', ({ tokens }) => ask(tokens('q'), (query) => query, 1));
rule(`how_many <x> ${be} made|scored|achieved|done <y>`, ({ tokens }) => count([...tokens('x'), ...tokens('y')]));
rule('what|which <x> did <s> get|make|have|score between <y>', ({ tokens }) =>
  list([...owner(tokens('s')), ...tokens('x'), word('between', tokens('y')[0]), ...tokens('y')]),
);
rule('<q> for me|myself', ({ tokens }) => ask([word('my', tokens('q')[0]), ...tokens('q')], (query) => query, 0.5));
rule(
  '<q> happened|happen|occurred|occur|took_place|are_there|were_there|is_there|was_there|there_were|there_are',
  ({ tokens }) => ask(tokens('q'), (query) => query),
);

// Counts.
rule('how_many_times|how_often|how_frequently|how_many_time|number_of_times <c>', ({ tokens }) =>
  anyOf(declarative(tokens('c')), (c) => count(c)),
);
rule(`how_many|how_much <x> is|are|was|were|have_been|has_been|had_been there <r*>`, ({ tokens }) =>
  count([...tokens('x'), ...tokens('r')]),
);
rule(`how:how_many|how_much <x> ${doing}|${having}|can|could <c>`, ({ tokens, text }) =>
  anyOf(withObject(tokens('x'), tokens('c')), ({ tokens: body, cost, isObject }) => {
    const total = cost + (text('how') === 'how much' ? 4 : 0);
    return isObject ? [...countObjects(body, total), ...streaks(body, total - 1)] : count(body, total);
  }),
);
rule(`how_many ${doing}|${having} <s> <v>`, ({ tokens }) => {
  const [verb, ...rest] = tokens('v');
  return count([...asSubject(tokens('s')), verb!, word('someone', verb), ...rest], 1);
});
rule(`how_many <x> ${doing}|${having} <s> have|had|got at_the_end`, ({ tokens }) =>
  count([...owner(tokens('s')), ...tokens('x')], -2),
);
rule('<x> ,? how_many|how_often|how_many_times|how_much', ({ tokens }) => count(tokens('x')));
rule('<x> count link:while|when|with|in|before|after|between|during <r>', ({ tokens }) =>
  count([...tokens('x'), ...tokens('link'), ...tokens('r')]),
);
rule('who <v> how_often|how_many_times', ({ tokens }) =>
  countedBySubject([word('someone', tokens('v')[0]), ...tokens('v')]),
);
rule(`how_many|number_of|count_of different|distinct|unique <n> who:i|we|you <v>`, ({ tokens }) =>
  anyOf(withObject(tokens('n'), [...tokens('who'), ...tokens('v')]), ({ tokens: body, cost }) =>
    grouped(tokens('n'), [body], { distinct: true }, cost),
  ),
);
rule('number_of|count_of <x> who:i|we|you <v>', ({ tokens }) =>
  anyOf(withObject(tokens('x'), [...tokens('who'), ...tokens('v')]), ({ tokens: body, cost, isObject }) =>
    isObject ? countObjects(body, cost) : count(body, cost),
  ),
);
rule(`how_many <x> ${doing}|${having} each|every ${[...anyone].join('|')}|opponent|enemy <v*>`, ({ tokens }) =>
  countedBySubject(tokens('x')),
);
rule(
  `how_many <x> ${doing}|${having} everyone|everybody|all_players|the_players|players|they_all|we_all <v*>`,
  ({ tokens }) => countedBySubject(tokens('x')),
);
rule(`<x> of|by|for|per|from each|every? ${[...anyone].filter((each) => each !== 'player').join('|')}`, ({ tokens }) =>
  countedBySubject(tokens('x')),
);
rule('<x> of|by|for|from each|every player|opponent', ({ tokens }) => countedBySubject(tokens('x')));
rule('<x> per player', ({ tokens }) => countedBySubject(tokens('x')));

function countedBySubject(body: Tokens): readonly Reading[] {
  return reading([body], ({ condition }) =>
    isEvent(condition) && !isProperty(condition)
      ? { find: condition, count: true, by: [{ slot: 'subject' }] }
      : undefined,
  );
}

rule('how_many|how_much <x>', ({ tokens }) => [...countObjects(tokens('x'), 1), ...streaks(tokens('x'), 0)]);
rule(`how_many of the|all|these? <x> ${be} <y>`, ({ tokens }) => count([...tokens('x'), ...tokens('y')]));
rule(`how_many of who:my|our <x> ${be} <y>`, ({ tokens }) =>
  count([word('my', tokens('x')[0]), ...tokens('x'), ...tokens('y')]),
);
rule('how_many <x> who:i|we|you <v>', ({ tokens }) =>
  anyOf(withObject(tokens('x'), [...tokens('who'), ...tokens('v')]), ({ tokens: body, cost, isObject }) =>
    isObject ? countObjects(body, cost + 0.5) : count(body, cost + 0.5),
  ),
);
rule(
  'count_of|count|number_of|the_number_of|total_number_of|the_total_number_of|amount_of|the_amount_of|tally_of all|the? <x>',
  ({ tokens }) => [...countObjects(tokens('x')), ...streaks(tokens('x'), -1)],
);
rule('<x> count|tally|counter', ({ tokens }) => count(tokens('x')));
rule('who:my? total|overall <x>', ({ tokens }) => [
  ...count([...tokens('who'), ...tokens('x')], 1),
  ...measured([...tokens('who'), ...tokens('x')], 'change', 'sum', (c) => isProperty(c) && !isBareProperty(c)),
]);
rule(`how_many different|distinct|unique|kinds_of|types_of <n> ${doing}|${having} <c>`, ({ tokens }) =>
  anyOf(withObject(tokens('n'), tokens('c')), ({ tokens: body, cost }) =>
    grouped(tokens('n'), [body], { distinct: true }, cost),
  ),
);
rule('how_many different|distinct|unique|kinds_of|types_of <n> <c>', ({ tokens }) =>
  grouped(tokens('n'), [[...tokens('n'), ...tokens('c')]], { distinct: true }, 1),
);

// Rates and averages.
rule(`<q> ${per} unit:second|sec|minute|min|hour|life|death <r*>`, ({ tokens, text }) => {
  const [first] = tokens('q');
  if (first?.lower === 'count' || first?.lower === 'list') return [];
  const unit = unitNames.get(text('unit')) ?? (text('unit') as 'second' | 'minute' | 'hour' | 'life');
  return ask([...tokens('q'), ...tokens('r')], (query) => asRate(query, unit));
});
rule(
  'who:my? average|mean number_of? <q> per|each|every|in_a|in_each|a match|game|session|round|map|recording|video',
  ({ tokens }) => ask([...tokens('who'), ...tokens('q')], (query) => asRate(query, 'session'), -0.5),
);
rule('<q> per|each|every|a|in_a match|game|session|recording|video on_average|average', ({ tokens }) =>
  ask(tokens('q'), (query) => asRate(query, 'session')),
);
rule('average|mean number_of <q>', ({ tokens }) => ask(tokens('q'), (query) => asRate(query, 'session'), 0.5));
rule('<q> on_average|in_average', ({ tokens }) =>
  ask(tokens('q'), (query) => {
    if (query.per) return query;
    if (query.measure) return { ...query, measure: { ...query.measure, take: 'average' } };
    return asRate(query, 'session');
  }),
);
rule('who:my? how:average|mean|highest|lowest|total|minimum|maximum|max|min <q>', ({ tokens, text }) =>
  ask([...tokens('who'), ...tokens('q')], (query) => {
    if (query.state) return { ...query, measure: { of: 'state', take: takeOf(text('how')) } };
    return query.per && takeOf(text('how')) === 'average' ? query : undefined;
  }),
);

// Ratios and shares.
rule('the? <s*> kd ratio? <r*>', ({ tokens }) => {
  const [s, r] = [tokens('s'), tokens('r')];
  const isOf = r[0]?.lower === 'of' || r[0]?.lower === 'for';
  const whose = s.length > 0 ? s : isOf ? owner(r.slice(1)) : [word('my', r[0])];
  const rest = isOf && s.length === 0 ? [] : r;
  return ratio([...whose, word('kills', s[0]), ...rest], [...whose, word('deaths', s[0]), ...rest]);
});
rule('the? <s*> kill death ratio <r*>', ({ tokens }) => {
  const whose = tokens('s').length > 0 ? tokens('s') : [word('my', tokens('r')[0])];
  return ratio(
    [...whose, word('kills', undefined), ...tokens('r')],
    [...whose, word('deaths', undefined), ...tokens('r')],
  );
});
rule('kd did|does|do|have|has|had <s> have|had|got|get? <r*>', ({ tokens }) =>
  ratio(
    [...owner(tokens('s')), word('kills', undefined), ...tokens('r')],
    [...owner(tokens('s')), word('deaths', undefined), ...tokens('r')],
  ),
);
rule('ratio of|between|from? <a> to|and|per|vs|versus <b>', ({ tokens }) => ratio(tokens('a'), tokens('b')));
rule('<a> to|vs|versus|per|/ <b> ratio', ({ tokens }) => ratio(tokens('a'), tokens('b')));
rule(`the? percentage|percent|share|proportion|fraction|part of <x> ${be} <y>`, ({ tokens }) =>
  share([...tokens('x'), ...tokens('y')], tokens('x')),
);
rule(`what|which percentage|percent|share|proportion|fraction|part of the? <x> ${be} <y>`, ({ tokens }) =>
  share([...tokens('x'), ...tokens('y')], tokens('x')),
);
rule(`what|which percentage|percent|share|proportion|fraction|part of the? <x> ${doing} <s> <v>`, ({ tokens }) =>
  anyOf(withObject(tokens('x'), [...tokens('s'), ...tokens('v')]), ({ tokens: body, cost }) =>
    share(body, tokens('x'), cost),
  ),
);
rule('who:my? headshot percentage|rate|ratio|percent', ({ tokens }) => {
  const kills = [word('my', tokens('who')[0]), word('kills', tokens('who')[0])];
  return share([...kills, ...phrase('by headshot', kills[0])], kills);
});
rule('who:my? win|winning percentage|rate|ratio|percent', ({ tokens }) => {
  const wins = phrase('i win', tokens('who')[0]);
  return share(wins, phrase('i win or i lose', tokens('who')[0]));
});

rule(
  'the|what|which? percentage|percent|share|proportion|fraction of <x> link:with|by|in|on|against <y>',
  ({ tokens }) => share([...tokens('x'), ...tokens('link'), ...tokens('y')], tokens('x')),
);
rule(`what|which|the? percentage|percent|share|proportion|fraction|part of who:my <x> ${be} <y>`, ({ tokens }) =>
  share([...tokens('who'), ...tokens('y')], [...tokens('who'), ...tokens('x')], 0.5),
);

// Yes or no.
rule(`who:${doing}|${having}|${be} <c>`, ({ tokens }) =>
  anyOf(declarative([...tokens('who'), ...tokens('c')]), (body) =>
    reading([body], ({ condition, by }) => (by ? undefined : { find: condition, whether: true }), 0.5),
  ),
);
rule('is|are|was|were|has|have there been? any|a|an|some? <x>', ({ tokens }) =>
  reading([tokens('x')], ({ condition }) => ({ find: condition, whether: true })),
);

// Times.
rule(
  'when|what_time|at_what_time|at_which_time|at_what_point|at_which_point|what_times|at_what_times|which_time <c>',
  ({ tokens }) =>
    anyOf(declarative(tokens('c')), (c) => [
      ...list(c),
      ...ask(c, (query) => (query.whether ? undefined : query), 0.5),
    ]),
);
rule(`when ${be} <x>`, ({ tokens }) => ask(tokens('x'), (query) => query));
rule('where in_the_video|in_the_recording? <c>', ({ tokens }) => anyOf(declarative(tokens('c')), (c) => list(c, 0.5)));
rule(
  'every_time|each_time|all_the_times|all_times|the_times|times|all_the_moments|moments|the_moments|whenever|anytime|all_moments when|where|in_which|that? <c>',
  ({ tokens }) => anyOf(declarative(tokens('c')), (c) => list(c)),
);
rule(`the? n:${ordinalWords} time|moment|occasion when|that|where? <c>`, ({ tokens, text }) =>
  anyOf(declarative(tokens('c')), (c) => list(c, 0, nthOf(text('n')))),
);
rule(`when|how|where who:${doing}|${having}|${be} <s> n:first|last|finally <v>`, ({ tokens, text }) =>
  anyOf(declarative([...tokens('who'), ...tokens('s'), ...tokens('v')]), (c) => list(c, 0, nthOf(text('n')))),
);
rule(`<q> for_the|the n:${ordinalWords} time`, ({ tokens, text }) =>
  ask(tokens('q'), (query) =>
    isPlain(query) || query.whether ? { find: query.find, ...nthOf(text('n')) } : undefined,
  ),
);
rule('who:i|we|someone|anyone <v>', ({ tokens }) => list(asSubject([...tokens('who'), ...tokens('v')]), 0.5));

rule('the? time|timestamp|times|timestamps|moment|moments of <x>', ({ tokens }) =>
  ask(tokens('x'), (query) =>
    isPlain({ ...query, first: undefined, last: undefined, nth: undefined } as unknown as Query) ? query : undefined,
  ),
);

// First, last, n-th.
rule(`who:my? n:${ordinalWords} <x>`, ({ tokens, text }) =>
  list([...tokens('who'), ...tokens('x')], 0.5, nthOf(text('n'))),
);
rule(`the n:${ordinalWords} <x>`, ({ tokens, text }) => list(tokens('x'), 0, nthOf(text('n'))));
rule(`<s> n:${ordinalWords} <x>`, ({ tokens, text }) =>
  tokens('s').at(-1)?.kind === 'possessive' ? list([...tokens('s'), ...tokens('x')], 0, nthOf(text('n'))) : [],
);
rule('who:my|the? edge:first|last <n> <x>', ({ tokens, text }) => {
  const [token, ...more] = tokens('n');
  const number = numberValue(token);
  if (more.length > 0 || number === undefined || number < 1 || !Number.isInteger(number)) return [];
  const body = text('who') === 'my' ? [...tokens('who'), ...tokens('x')] : tokens('x');
  return list(body, -1, text('edge') === 'first' ? { first: number } : { last: number });
});
rule('second|2nd|next to last <x>', ({ tokens }) => list(tokens('x'), -1, { nth: -2 }));
rule('who:my? second-to-last|second-last|penultimate <x>', ({ tokens }) =>
  list([...tokens('who'), ...tokens('x')], -1, { nth: -2 }),
);

/** The limit that an ordinal sets. */
function nthOf(text: string): Partial<Query> {
  const number = text === 'finally' ? -1 : (ordinalValue(text) ?? 1);
  return number === 1 ? { first: 1 } : number === -1 ? { last: 1 } : { nth: number };
}

// How long.
rule(`how_long ${doing} it take who:me|us|the_player? to|until|before|for|till <c>`, ({ tokens }) =>
  firstTime(tokens('c')),
);
rule(`how_long ${be} it until|before|till|to <c>`, ({ tokens }) => firstTime(tokens('c')));
rule('how_long|how_much_time|time until|till|before|to <c>', ({ tokens }) => firstTime(tokens('c')));
rule('how_far in|into the_match|the_game? who:do|does|did|was|is <c>', ({ tokens }) =>
  firstTime([...tokens('who'), ...tokens('c')]),
);

function firstTime(clause: Tokens): readonly Reading[] {
  const got = achievementVerbs.has(clause[0]?.lower ?? '') ? [[word('i', clause[0]), ...clause]] : [];
  const withPlayer = clause[0] ? [[word('i', clause[0]), ...clause]] : [];
  return [...declarative(clause), ...got, ...withPlayer].flatMap((body, index) =>
    measured(body, 'time', 'lowest', isEvent, index === 0 ? 0 : 0.5),
  );
}

rule(`how_long|how_much_time ${be}|passed|passes|went_by|elapsed? there|it? in? between <x>`, ({ tokens }) =>
  between(tokens('x'), 'each'),
);
rule(
  'who:average|mean|longest|shortest|biggest|smallest|typical time|gap|pause|break|interval|distance|stretch|wait between <x>',
  ({ tokens, text }) => between(tokens('x'), takeOf(text('who'))),
);
rule('time|gap|interval|seconds between <x>', ({ tokens }) => between(tokens('x'), 'each'));
rule('who:longest|shortest time|period|stretch|streak|while without a|any? <x>', ({ tokens, text }) =>
  measured(tokens('x'), 'gap', takeOf(text('who'))),
);

/** "between my first and second kill", "between respawn and death", "between kills" */
function between(tokens: Tokens, take: Take): readonly Reading[] {
  const and = tokens.findIndex(({ lower }) => lower === 'and');
  if (and < 0) return measured(tokens, 'gap', take === 'each' ? 'average' : take);
  const [left, right] = [tokens.slice(0, and), tokens.slice(and + 1)];
  const pair = (a: Tokens, b: Tokens, m = 0, n = 0): readonly Reading[] =>
    reading([a, b], ({ condition: x }, { condition: y }) => {
      if (!isEvent(x) || !isEvent(y)) return undefined;
      const [first, second] = [sameSubject(x), sameSubject(y, x)];
      const sequence = [m === 0 ? first : { nth: m, of: first }, n === 0 ? second : { nth: n, of: second }];
      return { find: { sequence }, measure: { of: 'duration', take } };
    });
  const [m, n] = [ordinalValue(left.at(-1)?.lower ?? ''), ordinalValue(right[0]?.lower ?? '')];
  if (m === undefined || n === undefined) return pair(left, right);
  const event = [...left.slice(0, -1).filter(({ lower }) => lower !== 'the'), ...right.slice(1)];
  return pair(event, event, m, n);
}

rule(`how_long ${doing} <s> live|survive|last|stay_alive <r*>`, ({ tokens }) =>
  lives(tokens('s'), tokens('r'), 'each'),
);
rule(`how_long ${be} <s> alive <r*>`, ({ tokens }) => lives(tokens('s'), tokens('r'), 'each'));
rule(
  'who:average|mean|longest|shortest|best|typical life|lifetime|lifespan|survival|survival_time|life_time|life_span <r*>',
  ({ tokens, text }) => lives([], tokens('r'), takeOf(text('who'))),
);
rule(
  'who:my who2:average|mean|longest|shortest|best|typical life|lifetime|lifespan|survival|survival_time|life_time|life_span <r*>',
  ({ tokens, text }) => lives([], tokens('r'), takeOf(text('who2'))),
);
rule(
  'what|which|how_long is|was|were my|the who2:average|mean|longest|shortest life|lifetime|lifespan|survival|survival_time <r*>',
  ({ tokens, text }) => lives([], tokens('r'), takeOf(text('who2'))),
);
function lives(subject: Tokens, rest: Tokens, take: Take): readonly Reading[] {
  const body = [...(subject.length > 0 ? asSubject(subject) : [word('i', rest[0])]), word('die', subject[0]), ...rest];
  return measured(body, 'life', take);
}

rule(
  `how_long|how_much_time ${doing} <s> verb:have|hold|use|carry|wield|keep|play|run with|around? <w>`,
  ({ tokens, text }) =>
    held(
      [...asSubject(tokens('s')), word(text('verb') === 'have' ? 'had' : 'holding', tokens('w')[0]), ...tokens('w')],
      'sum',
    ),
);
rule(`how_long|how_much_time who:${be} <s>`, ({ tokens }) =>
  anyOf(declarative([...tokens('who'), ...tokens('s')]), (state) => held(state, 'sum')),
);
rule(`how_long|how_much_time ${doing} <s> spend|stay|remain|play <w>`, ({ tokens }) =>
  held([...asSubject(tokens('s')), ...tokens('w')], 'sum'),
);
rule('how_much? time spent|with|holding|using <w>', ({ tokens }) => [
  ...held(tokens('w'), 'sum'),
  ...held([word('holding', tokens('w')[0]), ...tokens('w')], 'sum', 0.5),
]);

// How much.
rule(`how_much|how_many <p> ${doing}|${having} <s> <v>`, ({ tokens }) =>
  anyOf(withObject(tokens('p'), [...tokens('s'), ...tokens('v')]), ({ tokens: body, cost }) => sums(body, cost)),
);
rule(
  `how_much <p> ${doing}|${having} <s> pick_up|picked_up|collect|collected|get_back|got_back|get|got|gain|gained|regain|recover|heal|earn|make|receive|win <r*>`,
  ({ tokens }) => changeSums([...asSubject(tokens('s')), word('gain', tokens('p')[0]), ...tokens('p')], tokens('r')),
);
rule(
  `how_much <p> ${doing}|${having} <s> use|used|use_up|spend|spent|waste|wasted|burn|fire|fired|shoot|lose|lost <r*>`,
  ({ tokens }) => changeSums([...asSubject(tokens('s')), word('lose', tokens('p')[0]), ...tokens('p')], tokens('r')),
);
rule(`how_much ${doing} <c>`, ({ tokens }) => sums(tokens('c'), 0.5));
rule(`how_much|how_many <p> who:${be} <v>`, ({ tokens }) =>
  sums([...tokens('p'), ...tokens('who'), ...tokens('v')], 0.5),
);

/** Sums how far a property rises or drops where a filter holds. */
function changeSums(change: Tokens, filter: Tokens): readonly Reading[] {
  const measure = { of: 'change', take: 'sum' } as const;
  if (filter.length === 0) return propertyReading([change], ({ condition: find }) => ({ find, measure }), -1);
  return propertyReading(
    [change, filter],
    ({ condition }, { condition: only }) => (isEvent(only) ? undefined : { find: { all: [condition, only] }, measure }),
    -1,
  );
}

/** Sums how far a property changes, or the amounts of an action. */
function sums(body: Tokens, cost: number): readonly Reading[] {
  return reading(
    [body],
    ({ condition: find }) => {
      const parts = 'all' in find ? find.all : [find];
      const pattern = parts.find((part) => isProperty(part) || 'action' in part);
      if (!pattern) return undefined;
      if (isProperty(pattern))
        return isBareProperty(pattern) ? undefined : { find, measure: { of: 'change', take: 'sum' } };
      const { action, unit, amount } = pattern as ActionPattern;
      return action.length > 0 && (unit || amount) ? { find, measure: { of: 'amount', take: 'sum' } } : undefined;
    },
    cost - 0.5,
  );
}

// Properties.
rule(
  `how:how_much|how_many|what|which <p> ${doing}|${having} <s> have|had|got|left? left|remaining? when|as|while|before|right_before|just_before|for_each|at_each|on_each|for_every|at_every <c>`,
  ({ tokens, text }) =>
    stateWhen([...owner(tokens('s')), ...tokens('p')], tokens('c'), text('how') === 'how many' ? 4 : 0),
);
rule(
  `how_much|how_many|what|which <p> ${doing}|${having} <s> have|had|got|left? left|remaining? at <t>`,
  ({ tokens }) => stateAt([...owner(tokens('s')), ...tokens('p')], tokens('t')),
);
rule(
  `what|which|how_high|how_low|how_much|how_big ${be} <p> when|as|while|before|right_before|just_before|for_each|at_each|on_each|for_every|at_every <c>`,
  ({ tokens }) => stateWhen(tokens('p'), tokens('c')),
);
rule(`what|which|how_high|how_low|how_much ${be} <p> at|after <t>`, ({ tokens }) => stateAt(tokens('p'), tokens('t')));
rule(
  `what|which <w> ${be}|${doing} <s> holding|using|carrying|wielding|have|hold|use|carry|wield|had|with|on out|equipped|in_hand|in_my_hands? when|as|while|before|right_before|just_before|for_each|at_each|on_each|for_every|at_every <c>`,
  ({ tokens }) => stateWhen([...owner(tokens('s')), ...inHand(tokens('w'))], tokens('c')),
);
rule(
  `what|which <w> ${be}|${doing} <s> holding|using|carrying|wielding|have|hold|use|carry|wield|had|with|on out|equipped|in_hand|in_my_hands? at <t>`,
  ({ tokens }) => stateAt([...owner(tokens('s')), ...inHand(tokens('w'))], tokens('t')),
);
rule('<p> at <t>', ({ tokens }) => stateAt(tokens('p'), tokens('t'), -1));
rule('<p> on|upon|at|before|at_time_of|at_the_time_of each|every|the? <c>', ({ tokens }) =>
  stateWhen(tokens('p'), tokens('c'), 0.5),
);
rule('<p> when|whenever|as|right_before|just_before|at_the_moment|every_time|each_time <c>', ({ tokens }) =>
  stateWhen(tokens('p'), tokens('c')),
);
rule(`what|how_much|how_many|how_high|which ${be} <p>`, ({ tokens }) => stateAt(tokens('p'), 'end'));
rule(`what <p> ${doing}|${having} <s> have|end_with|end_up_with|finish_with|end_on|finish_on`, ({ tokens }) =>
  stateAt([...owner(tokens('s')), ...tokens('p')], 'end'),
);
rule('who:my|the? edge:final|ending|end|last|current|starting|start|initial|beginning|first <p>', ({ tokens, text }) =>
  stateAt(
    [...(text('who') === 'my' ? tokens('who') : []), ...tokens('p')],
    /^(?:start|init|begin|first)/.test(text('edge')) ? 'start' : 'end',
  ),
);
rule('<s> edge:final|ending|end|current|starting|start|initial|beginning <p>', ({ tokens, text }) =>
  stateAt([...tokens('s'), ...tokens('p')], /^(?:start|init|begin)/.test(text('edge')) ? 'start' : 'end'),
);
rule(`the? how:${extremes} <p>`, ({ tokens, text }) => extremeValue(tokens('p'), text('how')));
rule(`who:my how:${extremes} <p>`, ({ tokens, text }) => extremeValue([...tokens('who'), ...tokens('p')], text('how')));
rule(`<s> how:${extremes} <p>`, ({ tokens, text }) =>
  tokens('s').at(-1)?.kind === 'possessive' ? extremeValue([...tokens('s'), ...tokens('p')], text('how')) : [],
);
rule(
  `the|my? how:${extremes} <p> that? who:i|we had|have|reached|got|ever_had|have_had|achieved|got_to`,
  ({ tokens, text }) => extremeValue([word('my', tokens('p')[0]), ...tokens('p')], text('how')),
);
rule(`what|how ${be} the? how:${extremes} <p>`, ({ tokens, text }) => extremeValue(tokens('p'), text('how')));
rule(`what|how ${be} my how:${extremes} <p>`, ({ tokens, text }) =>
  extremeValue([word('my', tokens('p')[0]), ...tokens('p')], text('how')),
);

/** What one holds is the property "weapon", whatever one calls it. */
function inHand(noun: Tokens): Tokens {
  return noun.length === 1 && /^(?:guns?|weapons?|firearm|item|thing)$/.test(noun[0]!.lower)
    ? [word('weapon', noun[0])]
    : noun;
}

/** "highest health" is the value; "biggest health loss" is the event. */
function extremeValue(body: Tokens, how: string): readonly Reading[] {
  const take = takeOf(how);
  return [
    ...propertyReading([body], ({ condition, isLowerBetter }) => {
      if (!isBareProperty(condition)) return undefined;
      const better = /best/.test(how)
        ? isLowerBetter
          ? 'lowest'
          : 'highest'
        : /worst/.test(how)
          ? isLowerBetter
            ? 'highest'
            : 'lowest'
          : take;
      if (take === 'sum') return undefined;
      return { find: ofPlayer(condition), measure: { of: 'value', take: better } };
    }),
    ...propertyReading([body], ({ condition: find }) => {
      if (!isProperty(find) || isBareProperty(find)) return undefined;
      if (take === 'sum' || take === 'average') return { find, measure: { of: 'change', take } };
      return { find, sort: { of: 'change', order: how === 'worst' ? 'highest' : extremeOf(how) }, first: 1 };
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

rule('longest|best|biggest streak|run|chain|series of <x>', ({ tokens }) => [
  ...streaks(tokens('x'), -2),
  ...streaks([...tokens('x'), ...phrase('without dying', tokens('x')[0])], -1),
]);
rule('max|maximum <x> in_a_row', ({ tokens }) =>
  streaks([...tokens('x'), ...phrase('without dying', tokens('x')[0])], -2),
);

// Groups by "each".
rule('<q> with|for|in|on|by|from|against|to|at|per each|every <n>', ({ tokens }) => byEach(tokens('q'), tokens('n')));
rule('break_down|breakdown_of|breakdown_for|split|group <q> by|per|into <n>', ({ tokens }) =>
  byEach(tokens('q'), tokens('n')),
);
rule('<n> breakdown of|for <q>', ({ tokens }) => byEach(tokens('q'), tokens('n')));
rule('who <v> how_many <x>', ({ tokens }) => countedBySubject(tokens('x')));
rule('<x> count|counts per|of|for|by each|every? player|players|person|everyone', ({ tokens }) =>
  countedBySubject(tokens('x')),
);

/** Counts the matches of a query by a group; `undefined` if it asks for something else. */
function countedBy(query: Query | undefined, by: GroupKey | undefined): Query | undefined {
  if (!query || !by || query.by) return undefined;
  const isCount = query.count || query.measure?.of === 'count' || (isPlain(query) && isEvent(query.find));
  return isCount ? { find: query.find, count: true, by: [by] } : undefined;
}

/** Groups what a question counts by what a noun names. */
function byEach(question: Tokens, noun: Tokens): readonly (Reading | Redirection)[] {
  if (noun.length === 1 && anyone.has(noun[0]!.lower)) return countedBySubject(question);
  const key = noun.length === 1 ? keyNouns.get(noun[0]!.lower) : undefined;
  return readQuestion(question).flatMap((inner): (Reading | Redirection)[] => {
    if ('command' in inner || inner.firstKind) return [];
    if (key) return [{ ...inner, build: (...bodies) => countedBy(inner.build(...bodies), key) }];
    return [
      {
        ...inner,
        firstKind: 'noun',
        bodies: [noun, ...inner.bodies],
        build: (first, ...bodies) => countedBy(inner.build(...bodies), groupOf(first!)),
      },
    ];
  });
}

// Totals of changes.
const losing = 'lost|spent|used|wasted|burned|fired';
const gaining = 'gained|earned|collected|won|regained|recovered|healed|made|received|picked_up';
const sumWords = 'total|overall|combined|sum_of';
rule(`who:my? ${sumWords}|the? damage taken|suffered|received <r*>`, ({ tokens }) => {
  const [whose, rest] = agentOf(tokens('r'), tokens('who'));
  return changeSums([...whose, ...phrase('take damage', whose[0])], rest);
});
rule(`who:my? ${sumWords}? damage dealt|done|inflicted <r*>`, ({ tokens }) => {
  const [whose, rest] = agentOf(tokens('r'), tokens('who'));
  return measured([...whose, word('hurt', whose[0]), word('someone', whose[0]), ...rest], 'amount', 'sum');
});
rule(`who:my? ${sumWords} <p> ${losing} <r*>`, ({ tokens }) => {
  const [whose, rest] = agentOf(tokens('r'), tokens('who'));
  return changeSums([...whose, word('lose', whose[0]), ...tokens('p')], rest);
});
rule(`who:my? ${sumWords} <p> ${gaining} <r*>`, ({ tokens }) => {
  const [whose, rest] = agentOf(tokens('r'), tokens('who'));
  return changeSums([...whose, word('gain', whose[0]), ...tokens('p')], rest);
});
rule('sum|total of <x>', ({ tokens }) =>
  propertyReading([tokens('x')], ({ condition: find }) =>
    isBareProperty(find) ? undefined : { find, measure: { of: 'change', take: 'sum' } },
  ),
);
rule(
  `how_many rounds|bullets|shots ${doing}|${having} <s> fire|fired|shoot|shot|use|used|spend|waste <r*>`,
  ({ tokens }) => changeSums([...asSubject(tokens('s')), ...phrase('lose ammunition', tokens('s')[0])], tokens('r')),
);

/** "by Nova" after a total, else the player. */
function agentOf(rest: Tokens, place: Tokens): readonly [subject: Tokens, rest: Tokens] {
  if (rest[0]?.lower === 'by' && rest.length > 1) return [asSubject(rest.slice(1)), []];
  return [[word('i', place[0] ?? rest[0])], rest];
}

rule(`<p> v:${losing}`, ({ tokens }) =>
  changeSums([word('i', tokens('p')[0]), word('lose', tokens('p')[0]), ...tokens('p')], []),
);
rule(`<p> v:${gaining}`, ({ tokens }) =>
  changeSums([word('i', tokens('p')[0]), word('gain', tokens('p')[0]), ...tokens('p')], []),
);
rule('total|all? the? damage i|we took|take|suffered|received <r*>', ({ tokens }) =>
  changeSums(phrase('i take damage', tokens('r')[0]), tokens('r')),
);

// Extremes in other words.
rule('how fast did|was i|we go|going|drive|driving|at_most|max? at_most|at_best?', () =>
  extremeValue(phrase('my speed', undefined), 'highest'),
);
rule(`how ${be} <x>`, ({ tokens }) => ask(tokens('x'), (query) => query, 0.5));
rule(
  `when|where ${doing} <s> how:lose|gain|take the_most|most <p> at_once|in_one_go|in_one_hit|at_a_time?`,
  ({ tokens, text }) => biggestChange([...asSubject(tokens('s')), word(text('how'), tokens('s')[0]), ...tokens('p')]),
);
rule(
  'what? is|was|were? the|my? biggest|hardest|largest|worst|heaviest|strongest hit|blow|damage that? i|we? took|taken|suffered|received? <r*>',
  ({ tokens }) => biggestChange(phrase('i take damage', tokens('r')[0]), tokens('r')),
);
rule('how how2:low|high did|does <p> get|go|drop|fall|rise|climb|become', ({ tokens, text }) =>
  extremeValue(tokens('p'), text('how2') === 'low' ? 'lowest' : 'highest'),
);
rule('the? how:lowest|highest <p> got|went|was|ever_was|ever_got', ({ tokens, text }) =>
  extremeValue(tokens('p'), text('how')),
);
rule('the? most|max <p> i|we had|have|ever_had|reached|got', ({ tokens }) =>
  extremeValue([word('my', tokens('p')[0]), ...tokens('p')], 'highest'),
);
rule('the? least <p> i|we had|have|ever_had', ({ tokens }) =>
  extremeValue([word('my', tokens('p')[0]), ...tokens('p')], 'lowest'),
);
rule('what? is|was? the|my? how:fastest|best|quickest|slowest|worst lap|lap_time <r*>', ({ tokens, text }) =>
  /slow|worst/.test(text('how'))
    ? extremeValue([...phrase('my lap time', tokens('r')[0]), ...tokens('r')], 'maximum')
    : extremeValue([...phrase('my lap time', tokens('r')[0]), ...tokens('r')], 'minimum'),
);

function largestChange(find: Condition): Query {
  return { find, sort: { of: 'change', order: 'highest' }, first: 1 };
}

function biggestChange(body: Tokens, filter: Tokens = []): readonly Reading[] {
  if (filter.length === 0) return propertyReading([body], ({ condition }) => largestChange(condition), -1);
  return propertyReading([body, filter], ({ condition }, { condition: only }) =>
    isEvent(only) ? undefined : largestChange({ all: [condition, only] }),
  );
}

// First and last at the end.
rule('<q> edge:first|last', ({ tokens, text }) =>
  ask(tokens('q'), (query) => (isPlain(query) ? { ...query, ...nthOf(text('edge')) } : undefined)),
);
rule('<s> edge:first|last <n> <x>', ({ tokens, text }) => {
  const [token, ...more] = tokens('n');
  const number = numberValue(token);
  if (tokens('s').at(-1)?.kind !== 'possessive' || more.length > 0 || number === undefined || number < 1) return [];
  return list([...tokens('s'), ...tokens('x')], -1, text('edge') === 'first' ? { first: number } : { last: number });
});

// Rankings in other words.
rule('<s> best|deadliest|strongest|favorite|favourite|main|preferred <n>', ({ tokens }) => {
  const whose = tokens('s');
  if (whose.at(-1)?.kind !== 'possessive') return [];
  const isVictim = /^(?:victim|target|prey)$/.test(tokens('n')[0]!.lower);
  return isVictim
    ? reading(
        [[...whose.slice(0, -1), ...phrase('kills someone', whose[0])]],
        ({ condition }) => ({
          find: condition,
          by: [{ slot: 'object' }],
          top: 1,
        }),
        -1,
      )
    : grouped(tokens('n'), [[...whose, word('kills', whose[0])]], { top: 1 }, -1.5);
});
rule('my favorite|favourite|main victim|target|prey', () =>
  reading([phrase('i kill someone', undefined)], ({ condition }) => ({
    find: condition,
    by: [{ slot: 'object' }],
    top: 1,
  })),
);
rule('what|which <n> got|gave|earned|brought who:me|us the_most|most <x>', ({ tokens }) =>
  grouped(tokens('n'), [[word('my', tokens('n')[0]), ...tokens('x')]], { top: 1 }),
);
rule(`with|by|to|in|at|from what|which <n> who:${doing}|${having}|${be} <c> ${most}`, ({ tokens, text }) =>
  anyOf(declarative([...tokens('who'), ...tokens('c')]), (c) => [
    ...grouped(tokens('n'), [[...c, word('with', tokens('n')[0]), ...tokens('n')]], limitOf(text('rank'))),
    ...(keyNouns.has(text('n')) ? grouped(tokens('n'), [c], limitOf(text('rank'))) : []),
  ]),
);
rule(`what|which <a> ${most} end:with|to|by|from|in|against|on`, ({ tokens, text }) =>
  ask(
    [word('which', tokens('a')[0]), ...tokens('a'), ...(text('end') === 'in' ? [] : tokens('end')), ...tokens('rank')],
    (query) => query,
  ),
);
rule('<n> with my most|fewest <x>', ({ tokens }) =>
  grouped(tokens('n'), [[word('my', tokens('n')[0]), ...tokens('x')]], { top: 1 }),
);
rule('deadliest|best|strongest <n> of|for|among|overall all_players|everyone|everybody|all', ({ tokens }) =>
  grouped(tokens('n'), [phrase('kills', tokens('n')[0])], { top: 1 }),
);
rule('the? top scorer|goalscorer|goal_scorer', () =>
  reading([phrase('goals', undefined)], ({ condition }) => ({ find: condition, by: [{ slot: 'subject' }], top: 1 })),
);
rule(`what|which <x> ${doing}|${having} <c>`, ({ tokens }) =>
  anyOf(withObject(tokens('x'), tokens('c')), ({ tokens: body, cost, isObject }) =>
    isObject ? [] : list(body, cost + 1),
  ),
);

// Lives in other words.
rule(
  'the? longest|max|maximum|most time|period|stretch that? i|we stayed_alive|survived|lived|was_alive|were_alive',
  () => lives([], [], 'highest'),
);
rule('the? longest i|we survived|lived|stayed_alive', () => lives([], [], 'highest'));
rule(`how_long ${doing} <s> live|survive|last|stay_alive how:at_most|at_best|at_least|at_worst`, ({ tokens, text }) =>
  lives(tokens('s'), [], /most|best/.test(text('how')) ? 'highest' : 'lowest'),
);
rule(
  `how_long ${doing}|${be} <s> live|survive|last|stay_alive|alive each_time|every_time|each_life|in_each_life|per_life|in_every_life`,
  ({ tokens }) => lives(tokens('s'), [], 'each'),
);
rule(`how_long ${be} each|all of? my lives`, () => lives([], [], 'each'));
rule('mean|average time alive per_life?', () => lives([], [], 'average'));
rule('who:my? k:kill|death|frag rate per_minute?', ({ tokens, text }) =>
  reading(
    [[word('my', tokens('k')[0]), word(text('k') === 'death' ? 'deaths' : 'kills', tokens('k')[0])]],
    ({ condition }) => ({
      find: condition,
      count: true,
      per: 'minute',
    }),
  ),
);
rule('kpm', () =>
  reading([phrase('my kills', undefined)], ({ condition }) => ({ find: condition, count: true, per: 'minute' })),
);

// Values in other words.
rule(`how_many <p> ${be}? left|remaining|alive at <t>`, ({ tokens }) =>
  stateAt([...tokens('p'), word('left', tokens('p').at(-1))], tokens('t')),
);
rule(`how_many <p> ${be}? left|remaining|alive when|at each? <c>`, ({ tokens }) =>
  stateWhen([...tokens('p'), word('left', tokens('p').at(-1))], tokens('c')),
);
rule(`what ${be} <s> holding|using|carrying|wielding|equipped when|as|while|before <c>`, ({ tokens }) =>
  stateWhen([...owner(tokens('s')), word('weapon', tokens('s')[0])], tokens('c')),
);
rule(`what ${be} <s> holding|using|carrying|wielding|equipped at <t>`, ({ tokens }) =>
  stateAt([...owner(tokens('s')), word('weapon', tokens('s')[0])], tokens('t')),
);
rule('<p> <t> in', ({ tokens }) => stateAt(tokens('p'), tokens('t')));
rule(`what|which <p> ${be} <s> at|on|in? at <t>`, ({ tokens }) =>
  stateAt([...owner(tokens('s')), ...tokens('p')], tokens('t')),
);
rule(`what|which <p> ${be} <s> at|on|in? when <c>`, ({ tokens }) =>
  stateWhen([...owner(tokens('s')), ...tokens('p')], tokens('c')),
);

// Series.
rule('who:my? longest|best|biggest|highest|largest kill|killing|frag streak|spree|run|chain', ({ tokens }) =>
  streaks([word('my', tokens('who')[0]), ...phrase('kills without dying', tokens('who')[0])], -2),
);
rule('who:my? longest|best|biggest|highest|largest killstreak|spree|streak', ({ tokens }) =>
  streaks([word('my', tokens('who')[0]), ...phrase('kills without dying', tokens('who')[0])], -2.5),
);
rule('longest|best|biggest|highest kill|killing|frag streak|spree of_mine', () =>
  streaks(phrase('my kills without dying', undefined), -2),
);
rule('who:my most <x> without|in <y>', ({ tokens }) =>
  streaks([...tokens('who'), ...tokens('x'), ...phrase('without dying', tokens('x')[0])], -2),
);
rule('who:my? kill|killing|frag streak|streaks', ({ tokens }) =>
  streaks([word('my', tokens('who')[0]), ...phrase('kills without dying', tokens('who')[0])], -1),
);
rule('longest|best|biggest|highest kill|killing|frag streak|spree of|by <s>', ({ tokens }) =>
  streaks([...owner(tokens('s')), ...phrase('kills without dying', tokens('s')[0])], -2),
);
rule('<s> longest|best|biggest|highest kill|killing|frag streak|spree', ({ tokens }) =>
  tokens('s').at(-1)?.kind === 'possessive'
    ? streaks([...tokens('s'), ...phrase('kills without dying', tokens('s')[0])], -2)
    : [],
);
rule('most <x> in_a_row|in_one_life|in_a_life|in_a_single_life|without_dying|without_a_death|in_one_go', ({ tokens }) =>
  streaks([...tokens('x'), ...phrase('without dying', tokens('x')[0])], -2),
);
rule('how_many <x> in_a_row|in_one_life|in_a_single_life did who:i|we get|make|have|score', ({ tokens }) =>
  streaks([...owner(tokens('who')), ...tokens('x'), ...phrase('without dying', tokens('x')[0])], -2),
);
rule('the? rank:most|fewest|least <x>', ({ tokens, text }) =>
  reading(
    [tokens('x')],
    ({ condition, by }) =>
      isEvent(condition) && !isProperty(condition) && !by
        ? { find: condition, by: [{ slot: 'subject' }], ...limitOf(text('rank')) }
        : undefined,
    1,
  ),
);
rule('longest|most|best|biggest <x>', ({ tokens }) => streaks(tokens('x'), -1));

// Rankings.
const anyoneNouns = [...anyone].join('|');
rule(`who|whom who:${doing}|${having}|${be} <c> ${most} <r*>`, ({ tokens, text }) =>
  anyOf(withObject([word('someone', tokens('c')[0])], tokens('c')), ({ tokens: clause, cost }) =>
    groupedByAsked([[...clause, ...tokens('r')]], limitOf(text('rank')), cost + (haveForms.has(text('who')) ? 1.5 : 0)),
  ),
);
rule(`who|which_player|which_person|which_one <c> ${most} <r*>`, ({ tokens, text }) =>
  groupedByAsked(
    [
      [word('someone', tokens('c')[0]), ...tokens('c'), ...tokens('r')],
      ...(tokens('c').length === 1
        ? [[word('someone', tokens('c')[0]), ...tokens('c'), word('someone', tokens('c')[0]), ...tokens('r')]]
        : []),
    ],
    limitOf(text('rank')),
  ),
);
rule(`by who|whom who:${be}|${doing} <c> ${most}`, ({ tokens, text }) =>
  groupedByAsked(
    declarative([...tokens('who'), ...tokens('c')]).map((c) => [...c, ...phrase('by someone', tokens('c')[0])]),
    limitOf(text('rank')),
  ),
);
rule(`what|which <n> ${doing} <s> get|make|have|score the_most|most <x> with|in|on|by`, ({ tokens }) =>
  grouped(tokens('n'), [[...owner(tokens('s')), ...tokens('x')]], { top: 1 }),
);
rule('what|which <n> i|we get|got|make|made|have|had|score|scored the_most|most <x> with|in|on|by', ({ tokens }) =>
  grouped(tokens('n'), [[word('my', tokens('n')[0]), ...tokens('x')]], { top: 1 }),
);
rule(`what|which <n> verb:${doing}|${having}|${be} <c> ${most} <r*>`, ({ tokens, text }) =>
  anyOf(
    withObject(tokens('n'), tokens('c'), doForms.has(text('verb')) ? [] : tokens('verb')),
    ({ tokens: clause, cost }) => grouped(tokens('n'), [[...clause, ...tokens('r')]], limitOf(text('rank')), cost),
  ),
);
rule(`in? what|which <n> ${doing}|${having}|${be} <c> ${most} <r*>`, ({ tokens, text }) => {
  const key = tokens('n').length === 1 ? keyNouns.get(text('n')) : undefined;
  return key ? grouped(tokens('n'), [[...asSubject(tokens('c')), ...tokens('r')]], limitOf(text('rank'))) : [];
});
rule(`what|which <n> <c> ${most} <r*>`, ({ tokens, text }) =>
  grouped(tokens('n'), [[...tokens('n'), ...tokens('c'), ...tokens('r')]], limitOf(text('rank')), 0.5),
);
const getting =
  'have|has|had|got|gets|get|made|makes|make|scored|scores|score|did|does|do|took|takes|suffered|dealt|with';
const rankNumber =
  'rank:the_most|most|the_fewest|fewest|the_least|least|the_highest_number_of|the_lowest_number_of|more';
rule(`who|which_${[...anyone].join('|which_')}|what_player ${getting} ${rankNumber} <x>`, ({ tokens, text }) =>
  reading([tokens('x')], ({ condition }) =>
    isEvent(condition) && !isBareProperty(condition)
      ? { find: condition, by: [{ slot: 'subject' }], ...limitOf(text('rank')) }
      : undefined,
  ),
);
rule(`${anyoneNouns} ${getting} ${rankNumber} <x>`, ({ tokens, text }) =>
  reading([tokens('x')], ({ condition }) =>
    isEvent(condition) && !isBareProperty(condition)
      ? { find: condition, by: [{ slot: 'subject' }], ...limitOf(text('rank')) }
      : undefined,
  ),
);
rule(`in? what|which|the? <n> ${getting}|was|were|is ${rankNumber} <x>`, ({ tokens, text }) => [
  ...grouped(tokens('n'), [tokens('x')], limitOf(text('rank'))),
  ...reading([[...owner(tokens('n')), ...tokens('x')]], ({ condition }) =>
    isEvent(condition) && !isBareProperty(condition)
      ? { find: condition, by: [{ slot: 'subject' }], ...limitOf(text('rank')) }
      : undefined,
  ),
]);
rule(`in? what|which <n> ${doing} <s> ${getting} ${rankNumber} <x>`, ({ tokens, text }) =>
  grouped(tokens('n'), [[...owner(tokens('s')), ...tokens('x')]], limitOf(text('rank'))),
);
rule(
  'who:my|the? rank:most|least used|common|frequent|popular|played|frequently_used|often_used|commonly_used|favored <n>',
  ({ tokens, text }) => usage(tokens('n'), limitOf(text('rank'))),
);
rule('who:my|the? favorite|favourite|go-to|preferred|main <n>', ({ tokens }) => usage(tokens('n'), { top: 1 }));
rule(
  `what|which <n> ${doing} who:i|we use|play_with|fight_with|rely_on rank:the_most_often|the_most|most_often|most|the_least|least|least_often`,
  ({ tokens, text }) => usage(tokens('n'), limitOf(text('rank'))),
);
rule(
  'who:my|the? rank:best|deadliest|most_effective|most_successful|strongest|worst|least_effective <n>',
  ({ tokens, text }) => killsWith(tokens('n'), limitOf(text('rank'))),
);
rule('who:my|the? top <k> <n> by_kills|by_frags?', ({ tokens }) => {
  const number = tokens('k').length === 1 ? numberValue(tokens('k')[0]) : undefined;
  return number === undefined ? [] : killsWith(tokens('n'), { top: number });
});
rule('who:my|the? top <n>', ({ tokens }) => killsWith(tokens('n'), { top: 3 }));
rule(`top <k> <n> by <x>`, ({ tokens }) => {
  const number = tokens('k').length === 1 ? numberValue(tokens('k')[0]) : undefined;
  return number === undefined ? [] : grouped(tokens('n'), [tokens('x')], { top: number });
});
rule('the? top killer|fragger|killers|fraggers|scorer', ({ tokens }) =>
  reading([phrase('kills', tokens('x')[0])], ({ condition }) => ({
    find: condition,
    by: [{ slot: 'subject' }],
    top: 1,
  })),
);
rule('my|the? nemesis|worst_enemy|arch_enemy|archenemy|biggest_threat|biggest_enemy|main_killer', () =>
  reading([phrase('someone kills me', undefined)], ({ condition }) => ({
    find: condition,
    by: [{ slot: 'subject' }],
    top: 1,
  })),
);

/** What one uses: what fills a slot of one's actions. */
function usage(noun: Tokens, limit: Limit): readonly Reading[] {
  return nounReading(
    [noun],
    (body) => {
      const by = groupOf(body);
      if (!by || !('word' in by)) return undefined;
      return { find: { action: [], subject: thePlayer, with: { any: [{ words: by.word }] } }, by: [by], ...limit };
    },
    -1,
  );
}

function killsWith(noun: Tokens, limit: Limit): readonly Reading[] {
  return nounReading(
    [noun, phrase('my kills', noun[0])],
    (body, { condition }) => {
      const by = groupOf(body);
      return by && { find: condition, by: [by], ...limit };
    },
    -1,
  );
}

// Which and what.
rule(`what|which <n> ${doing}|${having} <c>`, ({ tokens }) =>
  anyOf(withObject(tokens('n'), tokens('c')), ({ tokens: clause, cost }) =>
    grouped(tokens('n'), [clause], {}, cost + 0.5),
  ),
);
rule(`with|by|to|at|in|from|on|for what|which <n> who:${doing}|${having}|${be} <c>`, ({ tokens }) =>
  anyOf(declarative([...tokens('who'), ...tokens('c')]), (c) =>
    grouped(tokens('n'), [[...c, word('with', tokens('n')[0]), ...tokens('n')], c], {}, 0.5),
  ),
);
rule('what|which <n> <c>', ({ tokens }) => grouped(tokens('n'), [[...tokens('n'), ...tokens('c')]], {}, 1));
rule(`all|every|the? <x> that|which|who? who:i|we|you <v>`, ({ tokens }) =>
  anyOf(withObject(tokens('x'), [...tokens('who'), ...tokens('v')]), ({ tokens: body, cost }) => list(body, cost + 1)),
);
rule(`what|who|whom ${doing}|${having} <c>`, ({ tokens }) =>
  anyOf(withObject([word('something', tokens('c')[0])], tokens('c')), ({ tokens: body, cost }) => list(body, cost)),
);
rule(`what|who|how ${doing} <s> die|dead to|from|of|by|with? <r*>`, ({ tokens }) =>
  list([...asSubject(tokens('s')), word('die', tokens('s')[0]), ...tokens('r')]),
);
rule('what|how killed|kills <s> <r*>', ({ tokens }) =>
  list([...asSubject(tokens('s')), word('die', tokens('s')[0]), ...tokens('r')]),
);
rule(`by who|whom who:${be}|${doing} <c>`, ({ tokens }) =>
  anyOf(declarative([...tokens('who'), ...tokens('c')]), (c) => list(c)),
);
rule(`who ${be} <s> killed|fragged|defeated by <r*>`, ({ tokens }) =>
  list([word('someone', tokens('s')[0]), word('kills', tokens('s')[0]), ...tokens('s'), ...tokens('r')]),
);
rule(
  'what happened|happens|went_down|is_happening|was_happening|was_going_on|is_going_on|occurred <r*>',
  ({ tokens }) => list([word('events', tokens('r')[0]), ...tokens('r')]),
);

rule('<n> v:played|drawn|scored|taken|used|bought|destroyed|made by <s>', ({ tokens }) =>
  list([...asSubject(tokens('s')), ...tokens('v'), ...tokens('n')], 1),
);
rule(`what_time|what_times|which_time|which_times who:${doing} <c> at`, ({ tokens }) =>
  anyOf(declarative([...tokens('who'), ...tokens('c')]), (c) => list(c)),
);

// Other commands.
const commands: readonly (readonly [string, string])[] = [
  [
    'make|create|cut|show|give|get|play|build|export me? a|my|the|some|all? highlights|highlight|highlight_reel|reel|montage|best_moments|best_plays|best_scenes|best_clips|clips|clip|fragmovie <r*>',
    'highlights',
  ],
  [
    'the|my? highlights|highlight|highlight_reel|reel|montage|best_moments|best_plays|best_scenes|best_clips|fragmovie <r*>',
    'highlights',
  ],
  [
    'show|give|get|print? me? a|the|my? summary|summarize|summarise|recap|overview|scoreboard|stats|statistics|report|match_report|sum_up <r*>',
    'summary',
  ],
  [
    'how_did_i_do|how_well_did_i_do|how_well_did_i_play|how_did_i_play|how_was_my_game|how_did_the_match_go|how_did_it_go|did_i_play_well|was_i_good <r*>',
    'summary',
  ],
  [`how_long ${be} the|this|my match|game|video|recording|session|clip|round`, 'summary'],
  ['why <r*>', 'query --json'],
];
// A log says what happened; what could have happened it does not list.
rule('<x> who:i|we|you|he|she|they|nobody|no_one never|did_not|have_not|has_not|had_not <v>', () => [
  { command: undefined, cost: 2 },
]);
rule(`what|which <x> ${doing}|${having} <s> never|not <v>`, () => [{ command: undefined, cost: 2 }]);
for (const [template, command] of commands) rule(template, () => [{ command, cost: -3 }]);

// ---- Reading -----------------------------------------------------------------------------------------------------------

/** The words that questions are made of, in addition to those of the dictionary. */
export const questionWords: ReadonlySet<string> = new Set([
  ...rules.flatMap(({ template }) => template.words),
  ...'someone anyone everyone something anything everything somebody anybody everybody nobody nothing whoever whatever whom mine never not event events mark half middle halfway moment recording video enemies later onwards onward while whilst having holding wielding carrying equipped'.split(
    ' ',
  ),
]);

/** Longer questions are read as conditions only, so that reading takes time in proportion to their length. */
const maxTokens = 60;

/** The ways to read a question, as which parts of it are conditions; what stands in none of them the rules understand. */
export function readQuestion(tokens: Tokens): readonly (Reading | Redirection)[] {
  const plain = reading([tokens], (body) => countGroups(withGroups(body)));
  if (tokens.length > maxTokens || tokens.length === 0) return plain;
  const found = rules.flatMap(({ template, read, cost }) =>
    matchTemplate(template, tokens).flatMap((part) =>
      read(part).map((each) => ({ ...each, cost: each.cost + cost - part.literals })),
    ),
  );
  return [...plain, ...found];
}
