import type { Dictionary } from '../../../dictionary/dictionary.ts';
import { slotKind, wordSlots } from '../../../dictionary/format.ts';
import type { ParseContext } from '../../../dictionary/sentences/parse-context.ts';
import { numberValue } from '../../../dictionary/sentences/tokenize.ts';
import {
  type ActionPattern,
  childConditions,
  type Condition,
  type GroupKey,
  type PropertyPattern,
  type Query,
} from '../../query.ts';
import type { Vocabulary } from '../../vocabulary.ts';
import { asRate, beforeFirst, edgeOf, limitOf, aggregateOf } from '../questions/answer-forms.ts';
import type { Body, BodyKind, Reading, Tokens } from '../questions/readings.ts';
import {
  askedSlot,
  groupOf,
  isBareProperty,
  isEvent,
  isProperty,
  isReading,
  ofPlayer,
  sameSubject,
} from '../questions/subjects.ts';
import {
  anyone,
  asSet,
  beForms,
  doForms,
  haveForms,
  holdingVerbs,
  keyNouns,
  possessive,
  substitute,
  word,
} from '../questions/words.ts';
import { relateActors } from '../conditions.ts';
import { restrictToPeriod, periodWordsOf } from '../questions/periods.ts';
import { orderClause } from './clauses.ts';
import { composeComparisons } from './comparisons.ts';
import { asksForDuration, readDurations } from './durations.ts';
import { readRequests, type Request } from './requests.ts';

/** A query that the units of a question can make together. */
export interface Composition {
  readonly query: Query;
  readonly cost: number;
}

/** A part of a question as the grammar of conditions reads it. */
export type ParsedBody = Body & { readonly cost: number };

/** What reads the parts of a question. */
export interface PartParser {
  readonly dictionary: Dictionary;
  readonly vocabulary: Vocabulary | undefined;
  readonly contextOf: (tokens: Tokens) => ParseContext;
  readonly parse: (tokens: Tokens, kind?: BodyKind) => ParsedBody | undefined;
}

type Side = 'before' | 'after' | 'when' | 'until' | 'between' | 'without';

interface Relation {
  readonly side: Side;
  /** "right", "5 seconds": how far from it. */
  readonly distance: Tokens;
  readonly clause: Tokens;
}

/** A question divided into what is asked and what it is related to. */
export interface DividedQuestion {
  readonly main: Tokens;
  readonly relation?: Relation;
  readonly cost: number;
}

const sides: ReadonlyMap<string, Side> = new Map([
  ['before', 'before'],
  ['after', 'after'],
  ['since', 'after'],
  ['following', 'after'],
  ['when', 'when'],
  ['while', 'when'],
  ['whenever', 'when'],
  ['as', 'when'],
  ['upon', 'when'],
  ['until', 'until'],
  ['till', 'until'],
  ['between', 'between'],
  ['without', 'without'],
]);

/** Words that join what stands before them to what stands after. */
const conjunctions = asSet('and or nor than versus vs');

const maxBodies = 8;
const maxTokens = 24;

/**
 * The queries that the units of a question make, whatever their order: what is asked, the clause that says of what, and what it is
 * related to.
 */
export function composeQuestion(tokens: Tokens, parser: PartParser): readonly Composition[] {
  if (tokens.length === 0 || tokens.length > maxTokens) return [];
  // "kills with gun or" is not finished: no order makes it whole.
  if (conjunctions.has(tokens[0]!.lower) || conjunctions.has(tokens.at(-1)!.lower)) return [];
  const found = new Map<string, Composition>();
  const add = (compositions: readonly Composition[]): void => {
    for (const composition of compositions) {
      const key = JSON.stringify(composition.query);
      const cost = composition.cost + foreignCost(composition.query, parser);
      const known = found.get(key);
      if (!known || known.cost > cost) found.set(key, { query: composition.query, cost });
    }
  };
  for (const division of divide(tokens)) add(composeDivision(division, parser));
  add(composeComparisons(tokens, (clause) => bodiesOf(clause, [], parser).slice(0, maxParts)));
  return [...found.values()].toSorted((a, b) => a.cost - b.cost);
}

const foreignSlotCost = 2;

/** What it costs that no event of the logs has such a thing in such a part: "kills with a healing item". */
function foreignCost(query: Query, { dictionary, vocabulary }: PartParser): number {
  if (!vocabulary) return 0;
  const costOf = (condition: Condition): number => {
    if (!('action' in condition)) return childConditions(condition).reduce((sum, each) => sum + costOf(each), 0);
    const pattern = condition as ActionPattern;
    const actions = pattern.action.flatMap((id) => dictionary.find(id, 'action') ?? []);
    if (actions.length === 0) return 0;
    const isForeign = (slot: (typeof wordSlots)[number]): boolean => {
      const words = pattern[slot]?.any
        ?.flatMap((each) => each.words ?? [])
        .flatMap((id) => dictionary.find(id, slotKind(slot)) ?? []);
      return (
        words !== undefined &&
        words.length > 0 &&
        !words.some((each) => actions.some((action) => vocabulary.fills(slot, action, each)))
      );
    };
    return wordSlots.filter((slot) => isForeign(slot)).length * foreignSlotCost;
  };
  return costOf(query.find) + (query.versus ? costOf(query.versus.with) : 0);
}

const starters = asSet('how what which who when where did do does was were is are have has had my show list count i');
const measures = [
  'on average',
  'at most',
  'at the most',
  'the most',
  'in total',
  'first',
  'last',
  'at the longest',
].map((each) => each.split(' '));
const distances = asSet('right just immediately shortly soon directly straight');

/** The ways to divide a question at a word that relates one clause to another. */
function divide(tokens: Tokens): readonly DividedQuestion[] {
  const divisions: DividedQuestion[] = [{ main: tokens, cost: 0 }];
  for (const [at, token] of tokens.entries()) {
    const side = sides.get(token.lower);
    if (!side || at === tokens.length - 1) continue;
    if (
      at === 0 &&
      token.lower === 'when' &&
      (doForms.has(tokens[1]!.lower) || beForms.has(tokens[1]!.lower) || haveForms.has(tokens[1]!.lower))
    )
      continue;
    const near = distances.has(tokens[at - 1]?.lower ?? '') ? 1 : 0;
    const distance = tokens.slice(at - near, at);
    const before = tokens.slice(0, at - near);
    const rest = tokens.slice(at + 1);
    if (before.length > 0) {
      divisions.push({ main: before, relation: { side, distance, clause: rest }, cost: 0 });
      // "without dying at the most"
      for (const phrase of measures) {
        const end = rest.length - phrase.length;
        if (end > 0 && phrase.every((each, index) => rest[end + index]!.lower === each))
          divisions.push({
            main: [...before, ...rest.slice(end)],
            relation: { side, distance, clause: rest.slice(0, end) },
            cost: 0,
          });
      }
    }
    // "after I died how many kills did I get"
    for (const [index, { lower }] of rest.entries()) {
      const isComma = lower === ',';
      if (index === 0 || index === rest.length - 1 || !(isComma || starters.has(lower))) continue;
      divisions.push({
        main: [...before, ...rest.slice(isComma ? index + 1 : index)],
        relation: { side, distance, clause: rest.slice(0, index) },
        cost: isComma ? 0 : 0.5,
      });
    }
  }
  return divisions;
}

function composeDivision(division: DividedQuestion, parser: PartParser): readonly Composition[] {
  const { main, cost } = division;
  const context = parser.contextOf(main);
  const isPeriod = (at: number): boolean =>
    at < main.length && parser.parse(main.slice(at, at + 1), 'noun')?.isPeriod === true;
  return [...readRequests(context, isPeriod, parser.vocabulary), ...readPeriodCounts(main, isPeriod, parser)]
    .flatMap((request) => composeRequest(request, division, parser))
    .map((each) => ({ query: each.query, cost: each.cost + cost }));
}

/** "in how many rounds did I die", "how many rounds did I die in" */
function readPeriodCounts(main: Tokens, isPeriod: (at: number) => boolean, parser: PartParser): readonly Request[] {
  const isInside = main[0]!.lower === 'in';
  const start = isInside ? 1 : 0;
  const isCount = main[start]?.lower === 'how' && main[start + 1]?.lower === 'many' && isPeriod(start + 2);
  if (!isCount || (!isInside && main.at(-1)!.lower !== 'in')) return [];
  const noun = main.slice(start + 2, start + 3);
  const rest = main.slice(start + 3, isInside ? undefined : -1);
  if (rest.length === 0) return [];
  return readRequests(parser.contextOf(rest), (at) => isPeriod(at + start + 3), parser.vocabulary).map((request) => ({
    ...request,
    ask: 'count',
    isDistinct: true,
    noun,
    nounAt: request.clause.length,
  }));
}

function composeRequest(given: Request, division: DividedQuestion, parser: PartParser): readonly Composition[] {
  return formsOf(given, parser).flatMap((request) => {
    const special = [
      ...(asksForDuration(request, division) ? readDurations(request, division, parser) : []),
      ...readStreaks(request, division, parser),
      ...readShares(request, division, parser),
      ...readFastest(request, division, parser),
    ].flatMap((reading) => queryOf(reading, parser));
    return [...special, ...composePlain(request, division, parser)].map((each) => ({
      query: each.query,
      cost: each.cost + (request.cost ?? 0),
    }));
  });
}

const gaining = asSet(
  'gain gained get got earn earned collect collected recover recovered regain regained restore restored heal healed make made win won pick picked receive received add added',
);
const losing = asSet(
  'lose lost waste wasted spend spent use used burn burned fire fired drop dropped shoot shot consume consumed',
);
const placeNouns = asSet('place position spot placement standing rank pos');
const finishing = asSet(
  'finish finished end ended come came place placed up in on at did i it was were is get got start started begin began where',
);

function whose(token: Tokens[number]): Tokens {
  return token.lower === 'i' ? [substitute('my', token)] : [token, possessive(token)];
}

/** Other forms of a request: what one holds is a weapon, where one finishes is a rank, and "the fastest lap" is a lap time. */
function formsOf(request: Request, parser: PartParser): readonly Request[] {
  const forms: Request[] = [request];
  const { clause, noun, ask, extreme, isAverage } = request;
  const subject =
    clause.find(({ lower, kind }) => lower === 'i' || (kind === 'word' && /^\p{Lu}/u.test(lower))) ?? clause[0];
  const isKnown = (id: string): boolean => {
    const property = parser.dictionary.find(id, 'property');
    return property !== undefined && (parser.vocabulary?.has(property) ?? true);
  };
  const named = noun?.length === 1 ? noun[0]!.lower : undefined;
  const { noun: _, ...plain } = request;
  if (
    subject &&
    (named === undefined || /^(?:guns?|weapons?)$/.test(named)) &&
    clause.some(({ lower }) => holdingVerbs.has(lower)) &&
    isKnown('weapon')
  ) {
    const isWeapon =
      named !== undefined ||
      ask === 'value' ||
      ask === 'list' ||
      clause.some(({ lower }) => /^(?:guns?|weapons?)$/.test(lower));
    const rest = clause.filter(
      (each) =>
        each !== subject &&
        !holdingVerbs.has(each.lower) &&
        !/^(?:was|were|is|did|out|guns?|weapons?|the)$/.test(each.lower),
    );
    if (isWeapon)
      forms.push({
        ...plain,
        ask: 'value',
        isHeld: true,
        clause: [...whose(subject), word('weapon', subject), ...rest],
        nounAt: -1,
        cost: 0.5,
      });
  }
  if (
    subject &&
    isKnown('rank') &&
    (ask === 'where' || placeNouns.has(named ?? '') || clause.some(({ lower }) => placeNouns.has(lower)))
  ) {
    const rest = clause.filter((each) => each !== subject && !finishing.has(each.lower) && !placeNouns.has(each.lower));
    const edge = clause.some(({ lower }) => /^(?:start|started|begin|began)$/.test(lower))
      ? { edge: 'start' as const }
      : {};
    forms.push({
      ...plain,
      ...edge,
      ask: 'value',
      isHeld: true,
      clause: [
        ...whose(subject.lower === 'i' ? subject : placeNouns.has(subject.lower) ? substitute('i', subject) : subject),
        word('rank', subject),
        ...rest,
      ],
      nounAt: -1,
      cost: 0.5,
    });
  }
  const change =
    ask === 'amount' || ask === 'count' || request.isTotal
      ? clause.find(({ lower }) => gaining.has(lower) || losing.has(lower))
      : undefined;
  if (change)
    forms.push({
      ...request,
      direction: gaining.has(change.lower) ? 'rises' : 'drops',
      clause: clause.filter((each) => each !== change && !/^(?:up|back|on|in|did)$/.test(each.lower)),
      cost: 0.5,
    });
  const at = [...clause, ...(noun ?? [])].find(({ lower }) => isKnown(`${lower} time`));
  if (at && (isAverage || /^(?:fastest|quickest|slowest|best|worst|longest|shortest)$/.test(extreme ?? ''))) {
    const rest = clause.filter(
      (each) => each !== at && each.lower !== 'time' && !/^(?:was|did|on|in|i|do|drive|drove|set)$/.test(each.lower),
    );
    forms.push({
      ...request,
      clause: [...(rest.length > 0 ? [] : [word('my', at)]), ...rest, at, word('time', at)],
      nounAt: rest.length + 1,
      cost: -3,
      ...(noun && { ask: 'value' as const, noun: [] }),
    });
  }
  return forms;
}

/** The query of a reading, if its parts are conditions. */
function queryOf({ bodies, kinds, cost, build }: Reading, parser: PartParser): readonly Composition[] {
  const parsed = bodies.map((tokens, index) => parser.parse(tokens, kinds?.[index]));
  if (!parsed.every((each) => each !== undefined)) return [];
  const query = build(...parsed);
  return query ? [{ query, cost: parsed.reduce((sum, each) => sum + each.cost, cost) }] : [];
}

function composePlain(request: Request, { relation }: DividedQuestion, parser: PartParser): readonly Composition[] {
  if (relation?.side === 'between' || relation?.side === 'without') return [];
  const related = relation ? relatedBodies(relation, parser) : [undefined];
  if (related.length === 0) return [];
  // What happens in a round is not done with it.
  const isOfPeriod = request.noun !== undefined && parser.parse(request.noun, 'noun')?.isPeriod === true;
  const clauses = clausesOf(request).filter(({ placing }) => !isOfPeriod || placing === 'apart');
  return (clauses.length > 0 ? clauses : clausesOf(request)).flatMap(({ clause, asked, placing, cost: placed }) =>
    bodiesOf(clause, asked, parser).flatMap((body) =>
      related.flatMap((other) =>
        answers(request, body, { relation, other, placing, parser }).map((query) => ({
          query,
          cost: placed + body.cost + (other?.cost ?? 0) + strangeness(query, request),
        })),
      ),
    ),
  );
}

const maxParts = 4;

/** The orders of a part that the grammar reads, cheapest first. */
function readableOrders(tokens: Tokens, parser: PartParser): readonly Tokens[] {
  if (tokens.length === 0) return [];
  return orderClause(parser.contextOf(tokens))
    .flatMap((each) => {
      const body = parser.parse(each.tokens);
      return body && isEvent(body.condition) ? [{ tokens: each.tokens, cost: each.cost + body.cost }] : [];
    })
    .toSorted((a, b) => a.cost - b.cost)
    .slice(0, maxParts)
    .map((each) => each.tokens);
}

const streakNouns = asSet('streak streaks spree sprees killstreak killstreaks run chain');

/** "my longest kill streak", "most kills without dying" */
function readStreaks(
  { clause, isInRow, extreme }: Request,
  { relation }: DividedQuestion,
  parser: PartParser,
): readonly Reading[] {
  const noun = clause.some(({ lower }) => streakNouns.has(lower));
  if (!noun && !isInRow && relation?.side !== 'without') return [];
  if (extreme !== undefined && /^(?:fastest|quickest|slowest)$/.test(extreme)) return [];
  if (relation && relation.side !== 'without') return [];
  const rest = clause
    .filter(({ lower }) => !streakNouns.has(lower))
    .map((each) => (/^killings?$/.test(each.lower) ? substitute('kills', each) : each));
  const [place] = clause;
  const isBare = rest.every(({ lower }) => /^(?:my|i|the|of|did|get|have|go|on|was|a)$/.test(lower));
  const events = isBare
    ? [[word('my', place), word('kills', place)]]
    : [...readableOrders(rest, parser), ...(noun ? readableOrders([...rest, word('kills', place)], parser) : [])];
  const ends = relation
    ? readableOrders(
        relation.clause.filter(({ lower }) => !/^(?:a|an|any)$/.test(lower)),
        parser,
      )
    : [[word('i', place), word('die', place)], [word('die', place)]];
  return events.flatMap((event) =>
    ends.map(
      (end): Reading => ({
        bodies: [event, end],
        cost: 0,
        build: (main, other) => {
          if (!main || !other || !isEvent(main.condition) || !isEvent(other.condition)) return undefined;
          const find = sameSubject(main.condition);
          const ended = relation ? other.condition : withoutSubject(other.condition);
          return { find, streak: sameSubject(ended, find) };
        },
      }),
    ),
  );
}

function withoutSubject(condition: Condition): Condition {
  if (!('action' in condition)) return condition;
  const { subject: _, ...rest } = condition as ActionPattern;
  return rest;
}

/** Is everybody and everything in the one that is in the other? */
function isPartOf(part: Condition, whole: Condition): boolean {
  const mentions = (value: unknown): readonly string[] => {
    if (typeof value !== 'object' || value === null) return [];
    if ('words' in value || 'name' in value) return [JSON.stringify(value)];
    return Object.values(value).flatMap((each) => mentions(each));
  };
  const known = new Set(mentions(part));
  return (
    isEvent(part) &&
    isEvent(whole) &&
    mentions(whole).every((each) => known.has(each)) &&
    JSON.stringify(part) !== JSON.stringify(whole)
  );
}

/** "my fastest 3 kills" */
function readFastest(
  { clause, extreme }: Request,
  { relation }: DividedQuestion,
  parser: PartParser,
): readonly Reading[] {
  const number = clause.find((token) => numberValue(token) !== undefined);
  const times = numberValue(number) ?? 0;
  const isAsked = extreme !== undefined && /^(?:fastest|quickest|slowest)$/.test(extreme);
  if (!isAsked || relation || !Number.isInteger(times) || times < 2 || times > maxFastest) return [];
  const rest = clause.filter((each) => each !== number);
  const take = extreme === 'slowest' ? 'highest' : 'lowest';
  return readableOrders(rest, parser).map((event) => ({
    bodies: [event],
    cost: 0,
    build: (body): Query | undefined =>
      body && !body.by && !isProperty(body.condition)
        ? {
            find: { sequence: Array.from({ length: times }, () => sameSubject(body.condition)) },
            measure: { of: 'duration', take },
          }
        : undefined,
  }));
}

const maxFastest = 9;

/** "what percentage of my kills were with the railgun" */
function readShares({ ask, clause }: Request, { relation }: DividedQuestion, parser: PartParser): readonly Reading[] {
  if (ask !== 'share' || relation) return [];
  return clause.flatMap((_, at): readonly Reading[] => {
    if (at === 0) return [];
    const whole = clause.slice(0, at);
    const rest = clause.slice(at).filter(({ lower }) => !beForms.has(lower));
    const repeated = rest.filter(({ lower }) => !/^kills?$/.test(lower));
    return readableOrders(whole, parser).flatMap((all) =>
      [rest, repeated].flatMap((more) =>
        readableOrders([...whole, ...more], parser).map(
          (part): Reading => ({
            bodies: [part, all],
            cost: at * 0.01,
            build: (find, of) =>
              find && of && !find.by && !of.by && isPartOf(find.condition, of.condition)
                ? { find: find.condition, share: of.condition }
                : undefined,
          }),
        ),
      ),
    );
  });
}

/** What it costs that an answer is of another kind than the words ask for. */
function strangeness({ at, count, measure, find }: Query, { ask, edge }: Request): number {
  // "how much armor did I pick up" asks for no number of times.
  if (ask === 'amount' && count) return 3;
  if (measure?.of === 'change' && ask === 'amount') return -1;
  return at !== undefined && edge === undefined && 'property' in find ? -1.5 : 0;
}

type Placing = 'placed' | 'apart';

const danglers = asSet('with by to from in on at against');

interface PlacedClause {
  readonly clause: Tokens;
  /** What is asked for, as it stands in the clause. */
  readonly asked: Tokens;
  readonly placing: Placing;
  readonly cost: number;
}

/** The clause with what is asked for at its place, and without it. */
function clausesOf({ clause, noun, nounAt, ask }: Request): readonly PlacedClause[] {
  if (!noun) return [{ clause, asked: [], placing: 'apart', cost: 0 }];
  const inClause =
    ask === 'who'
      ? [substitute('someone', noun.at(-1)!)]
      : noun.map((each) => (/^guns?$/.test(each.lower) ? substitute('weapon', each) : each));
  const last = clause.at(-1);
  // "which weapon did I kill Sarge with"
  if (last && danglers.has(last.lower))
    return [
      { clause: [...clause, ...inClause], asked: inClause, placing: 'placed', cost: 0 },
      { clause: clause.slice(0, -1), asked: [], placing: 'apart', cost: 0.9 },
    ];
  return [
    {
      clause: [...clause.slice(0, nounAt), ...inClause, ...clause.slice(nounAt)],
      asked: inClause,
      placing: 'placed',
      cost: 0,
    },
    { clause, asked: [], placing: 'apart', cost: 0.9 },
  ];
}

/** "what happened" is about all events. */
function asEvents(clause: Tokens): Tokens {
  const at = clause.findIndex(({ lower }) => /^(?:happen|happened|happens|everything)$/.test(lower));
  const isAlone = at >= 0 && clause.slice(0, at).every(({ lower }) => beForms.has(lower) || doForms.has(lower));
  return isAlone ? [substitute('events', clause[at]!), ...clause.slice(at + 1)] : clause;
}

function bodiesOf(clause: Tokens, asked: Tokens, parser: PartParser): readonly ParsedBody[] {
  if (clause.length === 0) return [];
  const found = new Map<string, ParsedBody>();
  for (const { tokens, cost } of orderClause(parser.contextOf(asEvents(clause)), asked))
    for (const kind of ['property', undefined] as const) {
      const body = parser.parse(tokens, kind);
      if (!body) continue;
      const total = body.cost + cost;
      const key = JSON.stringify([body.condition, body.by]);
      const known = found.get(key);
      if (!known || known.cost > total) found.set(key, { ...known, ...body, cost: total });
    }
  return [...found.values()].toSorted((a, b) => a.cost - b.cost).slice(0, maxBodies);
}

function relatedBodies({ side, clause }: Relation, parser: PartParser): readonly ParsedBody[] {
  const state = side === 'when' ? parser.parse([word('while', clause[0]), ...clause]) : undefined;
  if (state && 'while' in state.condition) return [state];
  return bodiesOf(clause, [], parser).filter(({ condition, by }) => !by && !('time' in condition));
}

interface Setting {
  readonly relation: Relation | undefined;
  readonly other: ParsedBody | undefined;
  readonly placing: Placing;
  readonly parser: PartParser;
}

/** The queries that answer a request about a condition. */
function answers(request: Request, body: ParsedBody, setting: Setting): readonly Query[] {
  const { relation, other, parser } = setting;
  const { condition } = body;
  const value = valueOf(condition);
  const isValueNear = 'near' in condition && isBareProperty(condition.find);
  const base = value || isValueNear ? undefined : answer(request, body, setting);
  const found: Query[] = [];
  if (value) found.push(...valueAnswers(request, { ...body, condition: value.property }, value.filters, setting));
  if (base && (!relation || !other)) found.push(base);
  if (base && relation && other) {
    const related = relate(base, relation, other);
    if (related) found.push(related);
  }
  const { period } = request;
  if (!period) return found;
  const noun = parser.parse(period.noun, 'noun');
  const words = noun && periodWordsOf(noun);
  if (!words) return [];
  return found.flatMap((query) => {
    if (period.edge !== undefined)
      return isBareProperty(query.find) && query.at !== undefined
        ? [{ ...query, at: { period: { word: words, nth: period.nth }, edge: period.edge } } as Query]
        : [];
    const within = restrictToPeriod(query, { word: words, nth: period.nth });
    return within ? [within] : [];
  });
}

/** A value, with what restricts it: "health at 0:20". */
function valueOf(
  condition: Condition,
): { readonly property: PropertyPattern; readonly filters: readonly Condition[] } | undefined {
  if (isBareProperty(condition)) return { property: condition, filters: [] };
  if (!('all' in condition)) return undefined;
  const property = condition.all.find((each) => isBareProperty(each));
  const filters = condition.all.filter((each) => each !== property);
  return property && isBareProperty(property) ? { property, filters } : undefined;
}

function valueAnswers(
  request: Request,
  { condition, isLowerBetter, hasWords, owners }: ParsedBody,
  filters: readonly Condition[],
  { relation, other }: Setting,
): readonly Query[] {
  if (!isBareProperty(condition) || request.isAtOnce) return [];
  const find = ofPlayer(condition, owners);
  const { property, subject } = find;
  const { ask, extreme, isAverage, isTotal, edge, per, isHeld, nth, period, direction = 'rises', clause } = request;
  const restricted: Condition = filters.length === 0 ? find : { all: [find, ...filters] };
  const isCounted = ask === 'count' || ask === 'amount' || isTotal;
  if (extreme !== undefined) {
    if (hasWords) return [];
    const take = betterOf(extreme, isLowerBetter ?? false);
    const related = relation && other ? around(restricted, relation, other) : restricted;
    if (!related) return [];
    if (ask === 'when') return [{ find: related, sort: { of: 'value', order: take }, first: 1 }];
    if (ask === 'who')
      return filters.length === 0 && !relation ? [{ find: { property }, at: edge ?? 'end', ...limitOf(extreme) }] : [];
    if (ask === 'which') return [{ find: related, sort: { of: 'value', order: take }, first: 1 }];
    return [{ find: related, measure: { of: 'value', take } }];
  }
  if (isAverage && !per) {
    const related = relation && other ? around(restricted, relation, other) : restricted;
    return related ? [{ find: related, measure: { of: 'value', take: 'average' } }] : [];
  }
  if (relation && other) {
    const near = sameSubject(other.condition);
    if (!isEvent(near) && !('mentions' in near)) return [];
    if (relation.side === 'after') {
      const edges = edgeOf({ find: restricted, near, side: 'after' });
      return [{ find: { find: restricted, near, side: 'after' }, ...edges } as Query];
    }
    return [{ find: near, state: { property, ...(subject && { subject }) }, ...nthOf(request) }];
  }
  if (edge) return [{ find, at: edge }];
  if (period?.edge) return [{ find, at: period.edge }];
  const [filter, ...others] = filters;
  if (filter && others.length === 0 && 'time' in filter) {
    const at = momentOf(filter.time);
    if (at !== undefined && ask !== 'when') return [{ find, at }];
  }
  // "how many laps" on the screen
  if (isCounted && isReading(find) && clause.length <= 2) return [{ find, at: 'end' }];
  if (isCounted && (!isHeld || request.direction)) {
    const rising = { ...find, change: direction };
    const gained: Query = {
      find: filters.length === 0 ? rising : { all: [rising, ...filters] },
      measure: { of: 'change', take: 'sum' },
    };
    return [per ? { ...gained, per } : gained];
  }
  if (filters.length > 0) return [{ find: restricted }];
  if (ask === 'value' || ask === 'which' || isHeld || isCounted) return [{ find, at: 'end' }];
  if (ask === 'when') return [{ find }];
  if (nth !== undefined) return [{ find, ...nthOf(request) }];
  return ask === 'list' || ask === undefined ? [{ find }] : [];
}

function momentOf({
  from,
  to,
  part,
}: {
  from?: number;
  to?: number;
  part?: { from: number; to: number };
}): number | 'start' | 'end' | undefined {
  if (part) return part.from === 0 ? 'start' : part.to === 1 ? 'end' : undefined;
  if (from !== undefined && to !== undefined) return to - from <= 10 ? (from + to) / 2 : undefined;
  return from;
}

function betterOf(extreme: string, isLowerBetter: boolean): 'highest' | 'lowest' {
  if (/^(?:best|top)$/.test(extreme)) return isLowerBetter ? 'lowest' : 'highest';
  if (extreme === 'worst') return isLowerBetter ? 'highest' : 'lowest';
  if (/^(?:fastest|quickest)$/.test(extreme)) return isLowerBetter ? 'lowest' : 'highest';
  if (extreme === 'slowest') return isLowerBetter ? 'highest' : 'lowest';
  const take = aggregateOf(extreme);
  return take === 'lowest' || /^(?:least|fewest|weakest)$/.test(extreme) ? 'lowest' : 'highest';
}

/** Restricts a value to what comes before or after something, its value at that moment excluded. */
function around(find: Condition, { side }: Relation, other: Body): Condition | undefined {
  if (side === 'when' || !isEvent(other.condition)) return undefined;
  const near = sameSubject(other.condition, find);
  const atOnce: Condition = { find, near, side: 'around', within: 0 };
  return {
    all: [
      { find, near: side === 'after' ? near : firstOf(near), side: side === 'after' ? 'after' : 'before' },
      { not: atOnce },
    ],
  };
}

function firstOf(condition: Condition): Condition {
  return 'nth' in condition ? condition : { nth: 1, of: condition };
}

/** Restricts what is asked to before or after something, or measures the time between. */
function relate(query: Query, { side, distance }: Relation, { condition }: Body): Query | undefined {
  if ('while' in condition) {
    const find = sameSubject(query.find);
    return query.at === undefined && !query.state ? { ...query, find: { all: [find, condition] } } : undefined;
  }
  if (!isEvent(condition) && !('mentions' in condition)) return undefined;
  if (query.at !== undefined || query.ratio || query.share || query.streak || query.versus || query.state)
    return undefined;
  if (query.measure?.of === 'held' || query.measure?.of === 'life' || 'near' in query.find || 'mentions' in query.find)
    return undefined;
  if (side === 'when') return undefined;
  const [find, near] = relateActors(query.find, condition);
  const within = distance.length > 0 ? { within: 5 } : {};
  const isAfter = side === 'after';
  return {
    ...query,
    find: { find, near: isAfter ? near : firstOf(near), side: isAfter ? 'after' : 'before', ...within },
  };
}

function nthOf({ nth, number }: Request): Partial<Query> {
  if (nth === undefined) return {};
  if (number !== undefined) return nth === 1 ? { first: number } : nth === -1 ? { last: number } : {};
  return nth === 1 ? { first: 1 } : nth === -1 ? { last: 1 } : { nth };
}

/** "which opponent died": of those who die, not of all that their deaths mention. */
function slotOf(key: GroupKey, condition: Condition): GroupKey {
  if (!('word' in key) || !('action' in condition)) return key;
  const pattern = condition as ActionPattern;
  const slot = (['subject', 'object'] as const).find(
    (each) => JSON.stringify(pattern[each]?.any?.flatMap(({ words = [] }) => words)) === JSON.stringify(key.word),
  );
  return slot ? { slot } : key;
}

function groupKey(noun: Tokens, parser: PartParser): GroupKey | undefined {
  const text = noun.map(({ lower }) => lower).join(' ');
  if (anyone.has(text)) return { slot: 'subject' };
  const key = keyNouns.get(text);
  if (key) return key;
  const body = parser.parse(
    noun.map((each) => (/^guns?$/.test(each.lower) ? substitute('weapon', each) : each)),
    'noun',
  );
  return body && groupOf(body);
}

function hasAmounts(condition: Condition, { dictionary, vocabulary }: PartParser): boolean {
  if (!('action' in condition) || !vocabulary) return false;
  return (condition as ActionPattern).action.some((id) => {
    const action = dictionary.find(id, 'action');
    return action !== undefined && vocabulary.hasAmounts(action);
  });
}

/** Is it about any of several rounds, halves or laps? */
function inAnyPeriod(condition: Condition): boolean {
  return 'all' in condition && condition.all.some((each) => 'period' in each && each.period.nth === undefined);
}

/** The answer to a request about events. */
function answer(request: Request, body: ParsedBody, { placing, parser }: Setting): Query | undefined {
  const { condition, by: ownBy } = body;
  const {
    ask,
    noun,
    extreme,
    number,
    isAverage,
    isTotal,
    isDistinct,
    isInRow,
    isAtOnce,
    nth,
    per,
    by,
    edge,
    repetitions,
    clause,
  } = request;
  if (!isEvent(condition)) return undefined;
  if (edge === 'start') return undefined;
  const isChange = isProperty(condition);
  const list: Query = { find: condition, ...(ownBy && { by: ownBy }) };
  const hasObject = 'action' in condition && (condition as ActionPattern).object !== undefined;
  const grouping = by === undefined ? undefined : groupKey(by, parser);
  if (by !== undefined && !grouping) return undefined;
  if (ask === 'how long' || ask === 'share') return undefined;
  if (isInRow) return undefined;
  if (repetitions !== undefined) {
    if (ask !== 'whether') return undefined;
    return { find: { sequence: Array.from({ length: repetitions }, () => condition) }, whether: true };
  }
  if (per !== undefined) {
    const counted: Query = isChange
      ? { find: condition, measure: { of: 'change', take: 'sum' } }
      : { find: condition, count: true };
    return asRate(grouping ? { ...counted, by: [grouping] } : counted, per);
  }
  // "average kills per round"
  if (grouping && 'period' in grouping && isAverage && extreme === undefined && nth === undefined)
    return asRate(
      isChange ? { find: condition, measure: { of: 'change', take: 'sum' } } : { find: condition, count: true },
      grouping,
    );
  if (grouping) {
    if (extreme !== undefined || nth !== undefined) return undefined;
    return { find: condition, count: true, by: [grouping] };
  }
  if (ask === 'who') {
    const key = placing === 'placed' ? askedSlot(condition) : undefined;
    if (placing === 'placed' && !key) return undefined;
    if (placing === 'apart') return undefined;
    if (extreme !== undefined) return { find: condition, by: [key!], ...limitOf(extreme, number) };
    return { ...list, ...nthOf(request) };
  }
  if (ask === 'which') {
    // "which kills of mine were with the railgun"
    if (!noun && extreme === undefined) return list;
    const key = noun && groupKey(noun, parser);
    if (!key) return undefined;
    if (isAverage || isTotal) return undefined;
    if (nth !== undefined) return { find: { nth, of: condition }, by: [key] };
    return { find: condition, by: [slotOf(key, condition)], ...(extreme !== undefined && limitOf(extreme, number)) };
  }
  if (ask === 'whether')
    return extreme === undefined && !isTotal
      ? { find: beforeFirst(nth === undefined ? condition : { nth, of: condition }), whether: true }
      : undefined;
  if (isDistinct) {
    const key = noun && groupKey(noun, parser);
    return key ? { find: condition, by: [key], distinct: true } : undefined;
  }
  if (ask === 'times') return extreme === undefined ? { find: condition, count: true } : undefined;
  if (ask === 'count' || isTotal) {
    if (extreme !== undefined || nth !== undefined) return undefined;
    if (isAverage) return asRate({ find: condition, count: true }, 'session');
    if (isChange && !clause.some(({ lower }) => /^(?:drops|rises|losses|gains|changes|times)$/.test(lower)))
      return { find: condition, measure: { of: 'change', take: 'sum' } };
    return hasObject ? { find: condition, measure: { of: 'count', take: 'sum' } } : { find: condition, count: true };
  }
  const hasAmount = isChange || hasAmounts(condition, parser);
  // "how much kills"
  if (ask === 'amount' && !hasAmount && !clause.some(({ lower }) => lower.endsWith('s'))) return undefined;
  if (ask === 'amount')
    return hasAmount
      ? { find: condition, measure: { of: isChange ? 'change' : 'amount', take: 'sum' } }
      : { find: condition, count: true };
  if (extreme !== undefined) {
    const order = aggregateOf(extreme) === 'lowest' ? 'lowest' : 'highest';
    // "most kills"
    if (isAtOnce && isChange) return { find: condition, sort: { of: 'change', order }, first: 1 };
    if (/^(?:most|least|fewest)$/.test(extreme) && inAnyPeriod(condition)) return undefined;
    if (/^(?:most|least|fewest)$/.test(extreme) && (ask === undefined || ask === 'list' || ask === 'value'))
      return { find: condition, by: [{ slot: 'subject' }], ...limitOf(extreme, number) };
    if (!hasAmount || /^(?:most|least|fewest|best|worst|top)$/.test(extreme)) return undefined;
    return { find: condition, sort: { of: isChange ? 'change' : 'amount', order }, first: 1 };
  }
  if (isAverage)
    return isChange
      ? { find: condition, measure: { of: 'change', take: 'average' } }
      : asRate({ find: condition, count: true }, 'session');
  if (edge === 'end') return { ...list, last: 1 };
  return { ...list, ...nthOf(request) };
}
