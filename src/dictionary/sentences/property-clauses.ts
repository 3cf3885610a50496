import type { Word } from '../dictionary.ts';
import { parseSingleNouns, singleNoun, type NounList, type NounListParser } from './action-clauses.ts';
import {
  articles,
  becomeVerbs,
  changeVerbs,
  DISPLAY,
  dropVerbs,
  READING,
  riseVerbs,
  stayVerbs,
  improveVerbs,
  worsenVerbs,
} from './function-words.ts';
import { parseNouns, playerPhrase, type TokenSpan, type WordCandidate } from './noun-phrases.ts';
import { pluralOf } from '../inflection.ts';
import type { Display, ParseContext } from './parse-context.ts';
import { numberValue } from './tokenize.ts';

/** A parsed value of a property. */
export type ParsedValue = { readonly number: number } | { readonly text: string } | { readonly nouns: NounList };

/** How a property changes. */
export type ChangeDirection = 'rises' | 'drops' | 'improves' | 'worsens' | 'changes' | 'becomes' | 'stays';

/** A parsed clause about a property. */
export interface PropertyClause {
  readonly kind: 'property';
  readonly subject?: NounList;
  readonly properties: readonly WordCandidate[];
  /** The tokens of the property's name. */
  readonly head?: TokenSpan;
  /** Is the subject a display, named by its caption alone? */
  readonly isCaption?: true;
  readonly direction?: ChangeDirection;
  readonly from?: ParsedValue;
  readonly to?: ParsedValue;
  readonly start: number;
  readonly end: number;
  readonly cost: number;
}

/** Parses the start of property clauses: "player's health", "health of player", "my health", in queries also "health". */
export function parsePropertyHeads(
  context: ParseContext,
  start: number,
  parseNounLists: NounListParser = parseSingleNouns,
): readonly PropertyClause[] {
  const heads: PropertyClause[] = [];
  const addOwned = (subject: NounList, at: number): void => {
    for (const property of parseProperties(context, at))
      heads.push({ ...property, subject, start, cost: subject.cost + property.cost });
  };
  for (const subject of parseNounLists(context, start, 'object')) {
    if (context.tokens[subject.end]?.kind === 'possessive') addOwned(subject, subject.end + 1);
    else heads.push(...parseDisplayHead(context, start, subject));
    // "Nova health"
    if (context.isQuery && subject.any.length === 1 && subject.any[0]!.name !== undefined)
      addOwned({ ...subject, cost: subject.cost + 1 }, subject.end);
  }
  let at = start;
  while (articles.has(context.wordAt(at) ?? '')) at++;
  for (const property of parseProperties(context, at)) {
    const afterOf = context.skip(property.end, 'of');
    for (const subject of afterOf === undefined ? [] : parseNounLists(context, afterOf, 'object'))
      heads.push({ ...property, subject, start, end: subject.end, cost: subject.cost + property.cost + 1 });
    heads.push({ ...property, start, cost: property.cost + 1 });
  }
  heads.push(...parseCaptions(context, start));
  if (context.wordAt(start) === 'your' || context.wordAt(start) === 'my') {
    const player = playerPhrase(context, { start, end: start + 1 });
    if (player) addOwned(singleNoun(player), start + 1);
  }
  return heads;
}

/** Parses "counter Laps" in "counter Laps rises from 1 to 2": what a display shows is said of the display itself. */
function parseDisplayHead(context: ParseContext, start: number, subject: NounList): readonly PropertyClause[] {
  const { dictionary } = context;
  const reading = dictionary.find(READING, 'property');
  const isDisplay = subject.any.every(({ words }) =>
    words.some(({ word }) => word.id === DISPLAY || dictionary.isA(word.id, DISPLAY, 'object')),
  );
  if (!reading || !isDisplay || !parseDirection(context, subject.end)) return [];
  const properties = [{ word: reading, cost: 0 }];
  return [{ kind: 'property', subject, properties, start, end: subject.end, cost: subject.cost + 1 }];
}

/** What the logs show on the screen is more likely meant than a word of the dictionary of the same name. */
const CAPTION_COST = -2;
const displayNouns = new Set(
  'counter gauge clock bar meter display number figure count value reading level'.split(' '),
);

/** Parses the captions of displays: "laps", "my health bar", "the lap counter". */
function parseCaptions(context: ParseContext, start: number): readonly PropertyClause[] {
  const { displays } = context;
  let at = start;
  while (articles.has(context.wordAt(at) ?? '') || ['my', 'your'].includes(context.wordAt(at) ?? '')) at++;
  const byEnd = new Map<number, Display[]>();
  for (const display of displays) {
    const name = display.name.toLowerCase();
    const ends = [name, ...singularsOf(name), pluralOf(name)].map((each) => context.skip(at, each));
    const end = ends.find((each) => each !== undefined) ?? synonymEnd(context, at, name);
    if (end === undefined) continue;
    for (const last of displayNouns.has(context.wordAt(end) ?? '') ? [end, end + 1] : [end])
      byEnd.set(last, [...(byEnd.get(last) ?? []), display]);
  }
  return [...byEnd].flatMap(([end, same]) => displayHeads(context, same, { start: at, end }));
}

/** What some displays show, as the start of a property clause. */
export function displayHeads(
  context: ParseContext,
  displays: readonly Display[],
  { start, end }: TokenSpan,
): readonly PropertyClause[] {
  const reading = context.dictionary.find(READING, 'property');
  if (!reading || displays.length === 0) return [];
  context.reach(end);
  const any = displays.flatMap(({ word: id, name }) => {
    const word = context.dictionary.find(id, 'object');
    return word ? [{ words: [{ word, cost: 0 }], name, start, end, cost: 0 }] : [];
  });
  const subject = { any, except: [], end, cost: 0 };
  const properties = [{ word: reading, cost: 0 }];
  return [{ kind: 'property', subject, properties, isCaption: true, start, end, cost: CAPTION_COST }];
}

/** "points" where the screen shows "Score": the end of a property at a token that is called like the caption. */
function synonymEnd(context: ParseContext, at: number, caption: string): number | undefined {
  const { lexicon, tokens, game } = context;
  const found = lexicon.find('property', tokens, at, game).find(({ entry: { word } }) => {
    const names = [word.name, ...word.synonyms].map((each) => each.toLowerCase());
    return !context.mentions(word) && (names.includes(caption) || (word.id === 'rank' && caption === 'position'));
  });
  return found?.end;
}

/** The words of which a text is the plural. */
function singularsOf(text: string): readonly string[] {
  // "lives", "knives"
  const irregular = text.endsWith('ves') ? [text.replace(/ves$/, 'fe'), text.replace(/ves$/, 'f')] : [];
  const regular = [text.slice(0, -1), text.slice(0, -2), text.replace(/ies$/, 'y')].filter(
    (each) => each !== '' && pluralOf(each) === text,
  );
  return [...irregular, ...regular];
}

function parseProperties(context: ParseContext, start: number): (PropertyClause & { readonly head: TokenSpan })[] {
  const byEnd = new Map<number, WordCandidate[]>();
  for (const { entry, end, cost } of [
    ...context.lexicon.find('property', context.tokens, start, context.game),
    ...findPluralProperties(context, start),
  ])
    byEnd.set(end, [...(byEnd.get(end) ?? []), { word: entry.word, cost: cost + context.absenceCost(entry.word) }]);
  // "highest armor value"
  for (const [end, words] of context.isQuery ? [...byEnd] : [])
    if (['value', 'values'].includes(context.wordAt(end) ?? '') && !byEnd.has(end + 1)) byEnd.set(end + 1, words);
  if (byEnd.size === 0) context.expect(start, 'a property');
  return [...byEnd].map(([end, words]) => {
    context.reach(end);
    const properties = words.toSorted((a, b) => a.cost - b.cost);
    const absence = Math.min(...properties.map(({ word }) => context.absenceCost(word)));
    return { kind: 'property', properties, head: { start, end }, start, end, cost: 1 + absence };
  });
}

/** "lap times": in queries, the values of a property. */
function findPluralProperties({ isQuery, lexicon, tokens, game }: ParseContext, start: number) {
  if (!isQuery) return [];
  const at = [start, start + 1].find((each) => tokens[each]?.kind === 'word' && /[^s]s$/.test(tokens[each].lower));
  if (at === undefined) return [];
  const plural = tokens[at]!;
  const singular = { ...plural, text: plural.text.slice(0, -1), lower: plural.lower.slice(0, -1) };
  const changed = tokens.with(at, singular);
  // "weapons" are things.
  const isThing = lexicon.find('object', tokens, start, game).some(({ end }) => end === at + 1);
  return isThing ? [] : lexicon.find('property', changed, start, game).filter(({ end }) => end === at + 1);
}

/** Parses the property clauses of a statement: a head, a verb of change and its values. */
export function parsePropertyClauses(context: ParseContext, at: number): readonly PropertyClause[] {
  return [
    ...parsePropertyHeads(context, at).flatMap((head) => parseChanges(context, head)),
    ...parseOwnerFirst(context, at),
  ];
}

/**
 * Parses "player drops from 87 to 62 health", "player changes weapon from shotgun to railgun" and "player switches from
 * shotgun to railgun", where both are weapons and there is a property of that name.
 */
function parseOwnerFirst(context: ParseContext, start: number): PropertyClause[] {
  return parseSingleNouns(context, start, 'object').flatMap((subject) => {
    const verb = parseDirection(context, subject.end);
    if (!verb || verb.direction === 'becomes' || verb.direction === 'stays') return [];
    const cost = subject.cost + verb.cost + 1;
    const { direction } = verb;
    const afterValues = parseFromTo(context, verb.end).flatMap(({ from, to }) =>
      parseProperties(context, to.end).map((property) => ({
        ...property,
        subject,
        direction,
        from: from.value,
        to: to.value,
        start,
        cost: cost + property.cost + from.cost + to.cost,
      })),
    );
    const afterProperty = parseProperties(context, verb.end).flatMap((property) =>
      parseFromTo(context, property.end).map(({ from, to }) => ({
        ...property,
        subject,
        direction,
        from: from.value,
        to: to.value,
        start,
        end: to.end,
        cost: cost + property.cost + from.cost + to.cost,
      })),
    );
    const withoutProperty = parseFromTo(context, verb.end).flatMap(({ from, to }) => {
      const word = direction === 'changes' ? commonProperty(context, from.value, to.value) : undefined;
      if (!word) return [];
      return {
        kind: 'property' as const,
        properties: [{ word, cost: 0 }],
        subject,
        direction,
        from: from.value,
        to: to.value,
        start,
        end: to.end,
        cost: cost + from.cost + to.cost + 1,
      };
    });
    return [...afterValues, ...afterProperty, ...withoutProperty];
  });
}

/** The property that is named like what both values are: `weapon` of shotgun and railgun. */
function commonProperty({ dictionary }: ParseContext, from: ParsedValue, to: ParsedValue): Word | undefined {
  if (!('nouns' in from) || !('nouns' in to)) return undefined;
  const wordIn = ({ nouns }: typeof from): Word | undefined => nouns.any[0]?.words[0]?.word;
  const [old, next] = [wordIn(from), wordIn(to)];
  if (old?.kind !== 'object' || next === undefined) return undefined;
  const shared = [old, ...dictionary.ancestors(old.id, 'object')].find(
    ({ id }) => dictionary.find(id, 'property') && dictionary.isA(next.id, id, 'object'),
  );
  return shared && dictionary.find(shared.id, 'property');
}

function parseFromTo(context: ParseContext, at: number): { from: PositionedValue; to: PositionedValue }[] {
  return parseValuesAfter(context, at, 'from').flatMap((from) =>
    parseValuesAfter(context, from.end, 'to').map((to) => ({ from, to })),
  );
}

function parseChanges(context: ParseContext, head: PropertyClause): PropertyClause[] {
  const verb = parseDirection(context, head.end);
  if (!verb) {
    context.expect(head.end, 'rises, drops, changes or becomes');
    return [];
  }
  const { direction, end } = verb;
  const withValues = (values: Pick<PropertyClause, 'from' | 'to'>, last: PositionedValue, extraCost: number) => ({
    ...head,
    direction,
    ...values,
    end: last.end,
    cost: head.cost + verb.cost + last.cost + extraCost,
  });
  if (direction === 'becomes') return parseValues(context, end).map((to) => withValues({ to: to.value }, to, 0));
  if (direction === 'stays') {
    const afterAt = context.skip(end, 'at') ?? end;
    return parseValues(context, afterAt).map((value) => withValues({ from: value.value, to: value.value }, value, 0));
  }
  const clauses: PropertyClause[] = [];
  for (const { from, to } of parseFromTo(context, end))
    clauses.push(withValues({ from: from.value, to: to.value }, to, from.cost));
  for (const to of parseValuesAfter(context, end, 'to')) {
    clauses.push(withValues({ to: to.value }, to, 1));
    for (const from of parseValuesAfter(context, to.end, 'from'))
      clauses.push(withValues({ from: from.value, to: to.value }, from, to.cost + 1));
  }
  return clauses;
}

/**
 * How the number of a property changes. Where lower is better, "rises", "climbs" and "gains" mean that it becomes better.
 *
 * @returns `undefined` for verbs that do not say.
 */
export function numericDirection(
  direction: ChangeDirection | undefined,
  { word: { isLowerBetter } }: WordCandidate,
): 'rises' | 'drops' | undefined {
  if (direction === 'rises' || direction === 'improves') return isLowerBetter ? 'drops' : 'rises';
  if (direction === 'drops' || direction === 'worsens') return isLowerBetter ? 'rises' : 'drops';
  return undefined;
}

/** A value with its position and cost. */
export interface PositionedValue {
  readonly value: ParsedValue;
  readonly end: number;
  readonly cost: number;
}

/** Parses the values after a preposition. */
export function parseValuesAfter(context: ParseContext, at: number, preposition: string): readonly PositionedValue[] {
  const next = context.skip(at, preposition);
  if (next !== undefined) return parseValues(context, next);
  context.expect(at, `"${preposition}"`);
  return [];
}

const auxiliaries = new Set(['has', 'have', 'had', 'is', 'was', 'will', 'does', 'did']);

const directions: readonly (readonly [ChangeDirection, ReadonlySet<string>])[] = [
  ['rises', riseVerbs],
  ['drops', dropVerbs],
  ['improves', improveVerbs],
  ['worsens', worsenVerbs],
  ['changes', changeVerbs],
  ['becomes', becomeVerbs],
  ['stays', stayVerbs],
];

const crossingVerbs = new Set('go goes went gone get gets got gotten'.split(' '));
const crossings: ReadonlyMap<string, ChangeDirection> = new Map([
  ['below', 'drops'],
  ['under', 'drops'],
  ['above', 'rises'],
  ['over', 'rises'],
]);

/** Parses the verb of a property change, auxiliaries included. */
export function parseDirection(
  context: ParseContext,
  start: number,
): { direction: ChangeDirection; end: number; cost: number } | undefined {
  let at = start;
  while (auxiliaries.has(context.wordAt(at) ?? '') && isChangeVerb(context.wordAt(at + 1))) at++;
  const verb = context.wordAt(at) ?? '';
  const next = context.wordAt(at + 1);
  if (['go', 'goes', 'went', 'gone'].includes(verb) && (next === 'up' || next === 'down'))
    return { direction: next === 'up' ? 'rises' : 'drops', end: at + 2, cost: 1 };
  // "goes below 20"
  if (context.isQuery && crossingVerbs.has(verb) && next !== undefined && crossings.has(next))
    return { direction: crossings.get(next)!, end: at + 1, cost: 1 };
  const found = directions.find(([, verbs]) => verbs.has(verb));
  if (!found) return undefined;
  const [direction] = found;
  const isCanonical = at === start && (verb === direction || verb === direction.slice(0, -1));
  const hasNow = direction === 'becomes' && next === 'now';
  return { direction, end: hasNow ? at + 2 : at + 1, cost: isCanonical && !hasNow ? 0 : 1 };
}

function isChangeVerb(word: string | undefined): boolean {
  return word === 'gone' || word === 'go' || (word !== undefined && directions.some(([, verbs]) => verbs.has(word)));
}

/** Parses the values at a token: a number, quoted text, or a word of any kind. */
export function parseValues(context: ParseContext, at: number): readonly PositionedValue[] {
  const token = context.tokens[at];
  if (token?.kind === 'quoted') return [{ value: { text: token.text }, end: at + 1, cost: 0 }];
  const number = numberValue(token);
  const nouns = (['object', 'property', 'action'] as const)
    .flatMap((kind) => parseNouns(context, at, kind, true))
    .map((noun) => ({ value: { nouns: singleNoun(noun) }, end: noun.end, cost: noun.cost }));
  return number === undefined ? nouns : [{ value: { number }, end: at + 1, cost: 0 }, ...nouns];
}
