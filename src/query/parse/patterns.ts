import { slotKind } from '../../dictionary/format.ts';
import { type Dictionary, isOpen, type Word } from '../../dictionary/dictionary.ts';
import type { SlotName } from '../../dictionary/format.ts';
import { type ActionClause, actionClausesAt, type NounList } from '../../dictionary/sentences/action-clauses.ts';
import { comparisonAt, type Extent, type Noun, nounsAt, type Range } from '../../dictionary/sentences/noun-phrases.ts';
import type { Reader } from '../../dictionary/sentences/parse-context.ts';
import {
  directionAt,
  type PropertyClause,
  propertyHeadsAt,
  type ReadValue,
  valuesAt,
} from '../../dictionary/sentences/property-clauses.ts';
import { numberOf } from '../../dictionary/sentences/tokenize.ts';
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
export function patternsAt(reader: Reader, at: number): ReadCondition[] {
  return [
    ...actionPatterns(reader, at),
    ...propertyPatterns(reader, at),
    ...gainsAt(reader, at).map(({ head, subject, change, by, end, cost }) => ({
      condition: propertyPattern(reader, { ...head, ...(subject && { subject }) }, { change, ...(by && { by }) }),
      end,
      cost,
    })),
    ...fragments(reader, at),
    ...mentions(reader, at),
  ];
}

function actionPatterns(reader: Reader, at: number): ReadCondition[] {
  return actionClausesAt(reader, at, nounLists).flatMap((clause) => {
    const misfit = misfitOf(reader.dictionary, clause);
    const condition = noteSubject(actionPattern(reader, clause), clause);
    const negated = clause.verbs[0]!.negated;
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
  return voice === 'active' && form === 'past' && !slots.object && word.frame.object.use === 'required';
}

function actionPattern(reader: Reader, clause: ActionClause): ActionPattern {
  const slots = Object.entries(clause.slots).map(([slot, list]) => {
    const meant = slot === 'subject' && !clause.slots.with && areTools(reader.dictionary, list) ? 'with' : slot;
    return [meant, slotPattern(reader, list, meant)] as const;
  });
  return {
    action: placed([...new Set(clause.verbs.map(({ word }) => word.id))], reader, {
      start: clause.verbs[0]!.start,
      end: clause.verbs.at(-1)!.end,
    }),
    ...(Object.fromEntries(slots) as Partial<Record<PatternSlot, SlotPattern>>),
    ...(clause.amount && { amount: clause.amount }),
    ...(clause.unit && { unit: idsOf(reader, clause.unit.words, clause.unit) }),
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
    const rule = clause.verbs[0]!.word.frame[slot as SlotName];
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

function propertyPatterns(reader: Reader, at: number): ReadCondition[] {
  const found: ReadCondition[] = [];
  for (const head of propertyHeadsAt(reader, at, nounLists))
    found.push(
      { condition: propertyPattern(reader, head, {}), end: head.end, cost: head.cost },
      ...changes(reader, head),
    );
  const adjective = adjectives[reader.lower(at) ?? ''];
  if (adjective) {
    for (const head of propertyHeadsAt(reader, at + 1, nounLists)) {
      found.push({ condition: propertyPattern(reader, head, adjective(head)), end: head.end, cost: head.cost });
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

function propertyPattern(reader: Reader, head: PropertyClause, rest: Partial<PropertyPattern>): PropertyPattern {
  return {
    property: idsOf(reader, head.properties, head.head),
    ...(head.subject && { subject: slotPattern(reader, head.subject, 'subject') }),
    ...rest,
  };
}

function changes(reader: Reader, head: PropertyClause): ReadCondition[] {
  const verb = directionAt(reader, head.end);
  const at = verb?.end ?? head.end;
  const cost = head.cost + (verb?.cost ?? 0);
  const make = (rest: Partial<PropertyPattern>, end: number): ReadCondition => ({
    condition: propertyPattern(reader, head, rest),
    end,
    cost,
  });
  const direction = verb?.direction;
  const change: Partial<PropertyPattern> =
    direction === 'rises' || direction === 'drops' || direction === 'changes' ? { change: direction } : {};
  const compared = comparisonAt(reader, reader.lower(at) === 'to' ? at + 1 : at);
  // "drops below 20" is the moment of crossing; "is below 20" any new value there.
  if (compared) return [make({ ...change, ...crossing(direction, compared.range), to: compared.range }, compared.end)];
  if (!verb) {
    reader.expect(head.end, 'drops, rises, changes, below or above');
    return [];
  }
  reader.reach(at);
  const found = [make(change, at)];
  const by = reader.phrase(at, 'by');
  if (by !== undefined) {
    const more = comparisonAt(reader, by);
    const number = numberOf(reader.tokens[by]);
    if (more) found.push(make({ ...change, by: more.range }, more.end));
    else if (number !== undefined) found.push(make({ ...change, by: { min: number, max: number } }, by + 1));
  }
  if (direction === 'becomes')
    for (const { value, end } of valuesAt(reader, at)) found.push(make({ to: valuePattern(reader, value) }, end));
  for (const first of prefixed(reader, at, 'from')) {
    found.push(make({ ...change, from: first.value }, first.end));
    const below = comparisonAt(reader, reader.phrase(first.end, 'to') ?? first.end);
    if (below) found.push(make({ ...change, from: first.value, to: below.range }, below.end));
    for (const second of prefixed(reader, first.end, 'to'))
      found.push(make({ ...change, from: first.value, to: second.value }, second.end));
  }
  for (const second of prefixed(reader, at, 'to')) found.push(make({ ...change, to: second.value }, second.end));
  return found;
}

function prefixed(reader: Reader, at: number, preposition: string): { value: ValuePattern; end: number }[] {
  const behind = reader.phrase(at, preposition);
  return behind === undefined
    ? []
    : valuesAt(reader, behind).map(({ value, end }) => ({ value: valuePattern(reader, value), end }));
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

function valuePattern(reader: Reader, value: ReadValue): ValuePattern {
  if ('number' in value) return { min: value.number, max: value.number };
  if ('text' in value) return { text: value.text };
  return { any: value.nouns.any.map((noun) => mentionPattern(reader, noun)) };
}

/** A slot alone: "with railgun", "by player", "at red base", "by headshot"; of any action. */
function fragments(reader: Reader, at: number): ReadCondition[] {
  const found: ReadCondition[] = [];
  const put = (named: PatternSlot, list: NounList): void => {
    const slot = named === 'subject' && areTools(reader.dictionary, list) ? 'with' : named;
    found.push({
      condition: { action: [], [slot]: slotPattern(reader, list, slot) },
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
    const behind = reader.phrase(at, preposition);
    if (behind !== undefined) for (const list of nounLists(reader, behind, 'object')) put(slot, list);
  }
  for (const list of nounLists(reader, at, 'property')) if (isManner(reader, list)) put('manner', list);
  return [...found, ...withoutAt(reader, at)];
}

/** "without weapon", "without headshot": nothing of the kind in that slot. */
export function withoutAt(reader: Reader, at: number): ReadCondition[] {
  const behind = reader.phrase(at, 'without') ?? reader.phrase(at, 'with no');
  if (behind === undefined) return [];
  const manners = nounLists(reader, behind, 'property').filter((list) => isManner(reader, list));
  return [
    ...nounLists(reader, behind, 'object').map((list) => absent(reader, 'with', list)),
    ...manners.map((list) => absent(reader, 'manner', list)),
  ];
}

function absent(reader: Reader, slot: PatternSlot, list: NounList): ReadCondition {
  return {
    condition: { action: [], [slot]: { ...slotPattern(reader, list, slot), absent: true } },
    end: list.end,
    cost: list.cost + 1,
  };
}

function isManner(reader: Reader, list: NounList): boolean {
  return list.any.every((noun) => noun.words.some(({ word }) => reader.dictionary.isA(word.id, 'manner', 'property')));
}

/** A noun alone: whatever mentions it. */
function mentions(reader: Reader, at: number): ReadCondition[] {
  return nounLists(reader, at, 'object').map((list) => ({
    condition: { mentions: slotPattern(reader, list, 'object') },
    end: list.end,
    cost: list.cost + 3,
  }));
}

function slotPattern(reader: Reader, list: NounList, slot: string): SlotPattern {
  const any = list.any.map((noun) => mentionPattern(reader, noun)).filter((pattern) => Object.keys(pattern).length > 0);
  return {
    ...(any.length > 0 && any.length === list.any.length && { any }),
    ...(list.except.length > 0 && { except: list.except.map((noun) => mentionPattern(reader, noun)) }),
    ...(list.any.some((noun) => noun.same) && { same: slot }),
  };
}

function mentionPattern(reader: Reader, noun: Noun): MentionPattern {
  return {
    ...(noun.words.length > 0 && { words: idsOf(reader, noun.words, noun.head ?? noun) }),
    ...(noun.name !== undefined && { name: noun.name }),
    ...(noun.count !== undefined && { count: { min: noun.count, max: noun.count } }),
    ...(noun.range && { count: noun.range }),
    ...(noun.of && { of: mentionPattern(reader, noun.of) }),
  };
}

function idsOf(
  reader: Reader,
  words: readonly { readonly word: Word; readonly cost: number }[],
  extent: Extent | undefined,
): readonly string[] {
  // Synonyms and further senses are meant too, unless the word itself says more exactly what is meant.
  const ids = words.map(({ word }) => word.id);
  return extent ? placed(ids, reader, extent) : ids;
}

/**
 * "player loses 20 health", "player gains armor", "losing health": a property that goes one way, perhaps by so much. Whoever "takes
 * damage" loses health.
 */
export interface Gain {
  readonly subject: NounList | undefined;
  readonly head: ReturnType<typeof propertyHeadsAt>[number];
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
export function gainsAt(reader: Reader, at: number): Gain[] {
  return [
    ...behindSubject(reader, at, undefined),
    ...nounLists(reader, at, 'object').flatMap((subject) => behindSubject(reader, subject.end, subject)),
  ];
}

function behindSubject(reader: Reader, at: number, subject: NounList | undefined): Gain[] {
  const from = subject && auxiliaries.has(reader.lower(at) ?? '') ? at + 1 : at;
  const isTaking = takes.has(reader.lower(from) ?? '');
  const verb = isTaking ? verbs[0] : verbs.find(([, forms]) => forms.has(reader.lower(from) ?? ''));
  if (!verb) return [];
  const compared = comparisonAt(reader, from + 1);
  const number = numberOf(reader.tokens[from + 1]);
  const amounts: { by: Range | undefined; end: number }[] = [
    { by: undefined, end: from + 1 },
    ...(compared ? [{ by: compared.range, end: compared.end }] : []),
    ...(number === undefined ? [] : [{ by: { min: number, max: number }, end: from + 2 }]),
  ];
  return amounts.flatMap(({ by, end }) => {
    // "20 points of health"
    const unit = by && nounsAt(reader, end).find((noun) => reader.lower(noun.end) === 'of');
    const start = unit ? unit.end + 1 : end;
    return (isTaking ? damageAt(reader, start) : propertyHeadsAt(reader, start, nounLists))
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
function damageAt(reader: Reader, at: number): Gain['head'][] {
  const word = reader.lower(at) === 'damage' ? reader.dictionary.find('health', 'property') : undefined;
  if (!word) return [];
  reader.reach(at + 1);
  const head = { start: at, end: at + 1 };
  return [{ kind: 'property', properties: [{ word, cost: 0 }], head, start: at, end: at + 1, cost: 1 }];
}
