import { slotKind } from '../../dictionary/format.ts';
import { type Dictionary, isOpen, type Word } from '../../dictionary/dictionary.ts';
import type { SlotName } from '../../dictionary/format.ts';
import { type ActionClause, parseActionClauses, type NounList } from '../../dictionary/sentences/action-clauses.ts';
import {
  parseComparison,
  type TokenSpan,
  type NounPhrase,
  parseNouns,
  type Range,
} from '../../dictionary/sentences/noun-phrases.ts';
import type { ParseContext } from '../../dictionary/sentences/parse-context.ts';
import {
  parseDirection,
  type PropertyClause,
  parsePropertyHeads,
  type ParsedValue,
  parseValues,
} from '../../dictionary/sentences/property-clauses.ts';
import { numberValue } from '../../dictionary/sentences/tokenize.ts';
import type {
  ActionPattern,
  MentionPattern,
  PatternSlot,
  PropertyPattern,
  SlotPattern,
  ValuePattern,
} from '../query.ts';
import { placed } from '../source-spans.ts';
import type { ReadCondition } from './filters.ts';
import { nounLists } from './phrases.ts';
import { noteSubject } from './references.ts';

/** Conditions about one statement that begin at `at`. */
export function patternsAt(context: ParseContext, at: number): ReadCondition[] {
  return [
    ...actionPatterns(context, at),
    ...propertyPatterns(context, at),
    ...gainsAt(context, at).map(({ head, subject, change, by, end, cost }) => ({
      condition: propertyPattern(context, { ...head, ...(subject && { subject }) }, { change, ...(by && { by }) }),
      end,
      cost,
    })),
    ...fragments(context, at),
    ...mentions(context, at),
  ];
}

function actionPatterns(context: ParseContext, at: number): ReadCondition[] {
  return parseActionClauses(context, at, nounLists).flatMap((clause) => {
    const misfit = misfitOf(context.dictionary, clause);
    const condition = noteSubject(actionPattern(context, clause), clause);
    const negated = clause.verbs[0]!.isNegated;
    return [
      {
        condition: negated ? { not: condition } : condition,
        end: clause.end,
        cost: clause.cost + (misfit ? 50 : 0) + (suffered(clause) ? 3 : 0),
      },
    ];
  });
}

/** "Player killed": whom nothing follows is he to whom it was done, where the action wants somebody. */
function suffered({ verbs, slots }: ActionClause): boolean {
  const [{ voice, form, word }] = verbs as readonly [ActionClause['verbs'][number]];
  return voice === 'active' && form === 'past' && !slots.object && word.slots.object.use === 'required';
}

function actionPattern(context: ParseContext, clause: ActionClause): ActionPattern {
  const slots = Object.entries(clause.slots).map(([slot, list]) => {
    const meant = slot === 'subject' && !clause.slots.with && areTools(context.dictionary, list) ? 'with' : slot;
    return [meant, slotPattern(context, list, meant)] as const;
  });
  return {
    action: placed([...new Set(clause.verbs.map(({ word }) => word.id))], context, {
      start: clause.verbs[0]!.start,
      end: clause.verbs.at(-1)!.end,
    }),
    ...(Object.fromEntries(slots) as Partial<Record<PatternSlot, SlotPattern>>),
    ...(clause.amount && { amount: clause.amount }),
    ...(clause.unit && { unit: idsOf(context, clause.unit.words, clause.unit) }),
  };
}

/** "Deaths by shotgun": a weapon does nothing by itself, it is what it was done with. */
function areTools(dictionary: Dictionary, { any, except }: NounList): boolean {
  return [...any, ...except].every(
    (noun) => noun.words.length > 0 && noun.words.every(({ word }) => dictionary.isA(word.id, 'weapon', 'object')),
  );
}

/** The slot whose nouns can never stand there, whatever is under them. */
export function misfitOf(dictionary: Dictionary, clause: ActionClause): { slot: string; list: NounList } | undefined {
  for (const [slot, list] of Object.entries(clause.slots)) {
    const rule = clause.verbs[0]!.word.slots[slot as SlotName];
    const kind = slotKind(slot as SlotName);
    const fits = (word: Word): boolean =>
      rule.accepts.length === 0 ||
      rule.accepts.some((id) => dictionary.isA(word.id, id, kind) || dictionary.isA(id, word.id, kind));
    if (!isOpen(rule)) return { slot, list };
    if (list.any.some((noun) => noun.words.length > 0 && !noun.words.some(({ word }) => fits(word))))
      return { slot, list };
  }
  return undefined;
}

function propertyPatterns(context: ParseContext, at: number): ReadCondition[] {
  const found: ReadCondition[] = [];
  for (const head of parsePropertyHeads(context, at, nounLists))
    found.push(
      { condition: propertyPattern(context, head, {}), end: head.end, cost: head.cost },
      ...changes(context, head),
    );
  const adjective = adjectives[context.wordAt(at) ?? ''];
  if (adjective) {
    for (const head of parsePropertyHeads(context, at + 1, nounLists)) {
      found.push({ condition: propertyPattern(context, head, adjective(head)), end: head.end, cost: head.cost });
    }
  }
  return found;
}

/** "low health": what counts as low is a convention, which `explain` shows. */
const lowBelow = 25;
const highAbove = 75;
const adjectives: Readonly<Record<string, (head: PropertyClause) => Partial<PropertyPattern>>> = {
  low: () => ({ to: { below: lowBelow } }),
  high: () => ({ to: { above: highAbove } }),
  no: () => ({ to: { min: 0, max: 0 } }),
  zero: () => ({ to: { min: 0, max: 0 } }),
};

function propertyPattern(context: ParseContext, head: PropertyClause, rest: Partial<PropertyPattern>): PropertyPattern {
  return {
    property: idsOf(context, head.properties, head.head),
    ...(head.subject && { subject: slotPattern(context, head.subject, 'subject') }),
    ...rest,
  };
}

function changes(context: ParseContext, head: PropertyClause): ReadCondition[] {
  const verb = parseDirection(context, head.end);
  const at = verb?.end ?? head.end;
  const cost = head.cost + (verb?.cost ?? 0);
  const make = (rest: Partial<PropertyPattern>, end: number): ReadCondition => ({
    condition: propertyPattern(context, head, rest),
    end,
    cost,
  });
  const direction = verb?.direction;
  const change: Partial<PropertyPattern> =
    direction === 'rises' || direction === 'drops' || direction === 'changes' ? { change: direction } : {};
  const compared = parseComparison(context, context.wordAt(at) === 'to' ? at + 1 : at);
  // "drops below 20" is the moment of crossing; "is below 20" any new value there.
  if (compared) return [make({ ...change, ...crossing(direction, compared.range), to: compared.range }, compared.end)];
  if (!verb) {
    context.expect(head.end, 'drops, rises, changes, below or above');
    return [];
  }
  context.reach(at);
  const found = [make(change, at)];
  const by = context.skip(at, 'by');
  if (by !== undefined) {
    const more = parseComparison(context, by);
    const number = numberValue(context.tokens[by]);
    if (more) found.push(make({ ...change, by: more.range }, more.end));
    else if (number !== undefined) found.push(make({ ...change, by: { min: number, max: number } }, by + 1));
  }
  if (direction === 'becomes')
    for (const { value, end } of parseValues(context, at)) found.push(make({ to: valuePattern(context, value) }, end));
  for (const first of prefixed(context, at, 'from')) {
    found.push(make({ ...change, from: first.value }, first.end));
    const below = parseComparison(context, context.skip(first.end, 'to') ?? first.end);
    if (below) found.push(make({ ...change, from: first.value, to: below.range }, below.end));
    for (const second of prefixed(context, first.end, 'to'))
      found.push(make({ ...change, from: first.value, to: second.value }, second.end));
  }
  for (const second of prefixed(context, at, 'to')) found.push(make({ ...change, to: second.value }, second.end));
  return found;
}

function prefixed(context: ParseContext, at: number, preposition: string): { value: ValuePattern; end: number }[] {
  const behind = context.skip(at, preposition);
  return behind === undefined
    ? []
    : parseValues(context, behind).map(({ value, end }) => ({ value: valuePattern(context, value), end }));
}

function crossing(direction: string | undefined, to: Range): { from?: ValuePattern } {
  if (direction === 'drops') {
    if (to.below !== undefined) return { from: { min: to.below } };
    if (to.max !== undefined && to.min === undefined) return { from: { above: to.max } };
  }
  if (direction === 'rises') {
    if (to.above !== undefined) return { from: { max: to.above } };
    if (to.min !== undefined && to.max === undefined) return { from: { below: to.min } };
  }
  return {};
}

function valuePattern(context: ParseContext, value: ParsedValue): ValuePattern {
  if ('number' in value) return { min: value.number, max: value.number };
  if ('text' in value) return { text: value.text };
  return { any: value.nouns.any.map((noun) => mentionPattern(context, noun)) };
}

/** A slot alone: "with railgun", "by player", "at red base", "by headshot"; of any action. */
function fragments(context: ParseContext, at: number): ReadCondition[] {
  const found: ReadCondition[] = [];
  const put = (named: PatternSlot, list: NounList): void => {
    const slot = named === 'subject' && areTools(context.dictionary, list) ? 'with' : named;
    found.push({
      condition: { action: [], [slot]: slotPattern(context, list, slot) },
      end: list.end,
      cost: list.cost + 1,
    });
  };
  for (const [preposition, slot] of [
    ['with', 'with'],
    ['using', 'with'],
    ['by', 'subject'],
    ['to', 'to'],
    ['from', 'from'],
    ['at', 'at'],
    ['in', 'at'],
    ['into', 'at'],
    ['on', 'at'],
    ['against', 'object'],
    ['of', 'object'],
  ] as const) {
    const behind = context.skip(at, preposition);
    if (behind !== undefined) for (const list of nounLists(context, behind, 'object')) put(slot, list);
  }
  for (const list of nounLists(context, at, 'property')) if (isManner(context, list)) put('manner', list);
  return [...found, ...withoutAt(context, at)];
}

/** "without weapon", "without headshot": nothing of the kind in that slot. */
export function withoutAt(context: ParseContext, at: number): ReadCondition[] {
  const behind = context.skip(at, 'without') ?? context.skip(at, 'with no');
  if (behind === undefined) return [];
  const manners = nounLists(context, behind, 'property').filter((list) => isManner(context, list));
  return [
    ...nounLists(context, behind, 'object').map((list) => absent(context, 'with', list)),
    ...manners.map((list) => absent(context, 'manner', list)),
  ];
}

function absent(context: ParseContext, slot: PatternSlot, list: NounList): ReadCondition {
  return {
    condition: { action: [], [slot]: { ...slotPattern(context, list, slot), absent: true } },
    end: list.end,
    cost: list.cost + 1,
  };
}

function isManner(context: ParseContext, list: NounList): boolean {
  return list.any.every((noun) => noun.words.some(({ word }) => context.dictionary.isA(word.id, 'manner', 'property')));
}

/** A noun alone: whatever mentions it. */
function mentions(context: ParseContext, at: number): ReadCondition[] {
  return nounLists(context, at, 'object').map((list) => ({
    condition: { mentions: slotPattern(context, list, 'object') },
    end: list.end,
    cost: list.cost + 3,
  }));
}

function slotPattern(context: ParseContext, list: NounList, slot: string): SlotPattern {
  const any = list.any
    .map((noun) => mentionPattern(context, noun))
    .filter((pattern) => Object.keys(pattern).length > 0);
  return {
    ...(any.length > 0 && any.length === list.any.length && { any }),
    ...(list.except.length > 0 && { except: list.except.map((noun) => mentionPattern(context, noun)) }),
    ...(list.any.some((noun) => noun.same) && { same: slot }),
  };
}

function mentionPattern(context: ParseContext, noun: NounPhrase): MentionPattern {
  return {
    ...(noun.words.length > 0 && { words: idsOf(context, noun.words, noun.head ?? noun) }),
    ...(noun.name !== undefined && { name: noun.name }),
    ...(noun.count !== undefined && { count: { min: noun.count, max: noun.count } }),
    ...(noun.range && { count: noun.range }),
    ...(noun.of && { of: mentionPattern(context, noun.of) }),
  };
}

function idsOf(
  context: ParseContext,
  words: readonly { readonly word: Word; readonly cost: number }[],
  extent: TokenSpan | undefined,
): readonly string[] {
  // Synonyms and further senses are meant too, unless the word itself says more exactly what is meant.
  const ids = words.map(({ word }) => word.id);
  return extent ? placed(ids, context, extent) : ids;
}

/**
 * "player loses 20 health", "player gains armor", "losing health": a property that goes one way, perhaps by so much. Whoever "takes
 * damage" loses health.
 */
export interface Gain {
  readonly subject: NounList | undefined;
  readonly head: ReturnType<typeof parsePropertyHeads>[number];
  readonly change: 'rises' | 'drops';
  readonly by: Range | undefined;
  readonly end: number;
  readonly cost: number;
}

const set = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const verbs = [
  ['drops', set('loses lose lost losing')],
  ['rises', set('gains gain gained gaining regains regained recovers recovered')],
] as const;
const takes = set('takes take took taken taking suffers suffer suffered suffering');
const auxiliaries = set('has have had is was');

/** Every such clause at `at`. */
export function gainsAt(context: ParseContext, at: number): Gain[] {
  return [
    ...behindSubject(context, at, undefined),
    ...nounLists(context, at, 'object').flatMap((subject) => behindSubject(context, subject.end, subject)),
  ];
}

function behindSubject(context: ParseContext, at: number, subject: NounList | undefined): Gain[] {
  const from = subject && auxiliaries.has(context.wordAt(at) ?? '') ? at + 1 : at;
  const isTaking = takes.has(context.wordAt(from) ?? '');
  const verb = isTaking ? verbs[0] : verbs.find(([, forms]) => forms.has(context.wordAt(from) ?? ''));
  if (!verb) return [];
  const compared = parseComparison(context, from + 1);
  const number = numberValue(context.tokens[from + 1]);
  const amounts: { by: Range | undefined; end: number }[] = [
    { by: undefined, end: from + 1 },
    ...(compared ? [{ by: compared.range, end: compared.end }] : []),
    ...(number === undefined ? [] : [{ by: { min: number, max: number }, end: from + 2 }]),
  ];
  return amounts.flatMap(({ by, end }) => {
    // "20 points of health"
    const unit = by && parseNouns(context, end).find((noun) => context.wordAt(noun.end) === 'of');
    const start = unit ? unit.end + 1 : end;
    return (isTaking ? damageAt(context, start) : parsePropertyHeads(context, start, nounLists))
      .filter((head) => !head.subject)
      .map((head) => ({
        subject,
        head,
        change: verb[0],
        by,
        end: head.end,
        cost: (subject?.cost ?? 0) + head.cost + 1,
      }));
  });
}

/** "damage", which is of health. */
function damageAt(context: ParseContext, at: number): Gain['head'][] {
  const word = context.wordAt(at) === 'damage' ? context.dictionary.find('health', 'property') : undefined;
  if (!word) return [];
  context.reach(at + 1);
  const head = { start: at, end: at + 1 };
  return [{ kind: 'property', properties: [{ word, cost: 0 }], head, start: at, end: at + 1, cost: 1 }];
}
