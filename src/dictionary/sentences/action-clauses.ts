import { isOpen, type Word } from '../dictionary.ts';
import type { SlotName } from '../format.ts';
import {
  amountPreposition,
  articles,
  beForms,
  getForms,
  haveForms,
  modals,
  playerPossessives,
  prepositionSlots,
  slotPrepositions,
} from './function-words.ts';
import type { Entry } from './lexicon.ts';
import { comparisonAt, type Noun, nounsAt, type Range } from './noun-phrases.ts';
import type { Reader } from './parse-context.ts';
import { numberOf } from './tokenize.ts';

/** What fills a slot: any of these, but none of those. Statements have one noun and no exceptions. */
export interface NounList {
  readonly any: readonly Noun[];
  readonly except: readonly Noun[];
  readonly end: number;
  readonly cost: number;
}

/** A clause about an action, as far as it was read. */
export interface ActionClause {
  readonly kind: 'action';
  readonly verbs: readonly Verb[];
  readonly slots: Readonly<Partial<Record<Exclude<SlotName, 'amount'>, NounList>>>;
  readonly amount?: Range;
  readonly unit?: Noun;
  readonly start: number;
  readonly end: number;
  readonly cost: number;
}

/** Reads lists of nouns; `parse` takes single ones, the query language brings its own. */
export type NounReader = (reader: Reader, at: number, kind: 'object' | 'property') => readonly NounList[];

/** Single nouns, as statements have them. */
export const singleNouns: NounReader = (reader, at, kind) =>
  nounsAt(reader, at, kind).map((noun) => ({ any: [noun], except: [], end: noun.end, cost: noun.cost }));

/** Every clause about an action that begins at `at`, whatever its length. */
export function actionClausesAt(reader: Reader, at: number, nouns: NounReader): readonly ActionClause[] {
  const clauses: ActionClause[] = [];
  for (const verbs of verbListsAt(reader, at)) begin(reader, nouns, verbs, undefined, at, clauses);
  if (reader.lists && playerPossessives.has(reader.lower(at) ?? '')) {
    const player = reader.dictionary.find('player', 'object');
    const noun: Noun | undefined = player && { words: [{ word: player, cost: 0 }], start: at, end: at + 1, cost: 1 };
    if (noun) happenings(reader, nouns, { any: [noun], except: [], end: at + 1, cost: 1 }, at + 1, at, clauses);
  }
  for (const subject of nouns(reader, at, 'object')) {
    if (!reader.step()) break;
    if (reader.tokens[subject.end]?.kind === 'possessive') {
      // "opponent's death": whose happening it is. Statements have no such form.
      if (!reader.lists) continue;
      happenings(reader, nouns, subject, subject.end + 1, at, clauses);
      continue;
    }
    for (const verbs of verbListsAt(reader, subject.end)) begin(reader, nouns, verbs, subject, at, clauses);
    for (const manner of mannersAt(reader, subject.end)) {
      for (const [verb] of verbListsAt(reader, manner.end)) {
        const early: ActionClause = {
          kind: 'action',
          verbs: [verb!],
          slots: { subject, manner },
          start: at,
          end: verb!.end,
          cost: verb!.cost + subject.cost + manner.cost + 1,
        };
        if (verb!.voice === 'active') extend(reader, nouns, early, clauses);
      }
    }
  }
  return clauses;
}

/** "opponent's death", "my kills": the verb at `at` as something that its owner does. */
function happenings(
  reader: Reader,
  nouns: NounReader,
  owner: NounList,
  at: number,
  start: number,
  clauses: ActionClause[],
): void {
  for (const verb of verbsAt(reader, at))
    if (verb.voice !== 'passive') begin(reader, nouns, [{ ...verb, voice: 'nominal' }], owner, start, clauses);
}

/** Most verbs in one list. */
const maxVerbs = 24;

/** Verbs at `at`, each alone; in queries also lists of them ("kills or stomps"). */
function verbListsAt(reader: Reader, at: number): readonly (readonly Verb[])[] {
  const single = verbsAt(reader, at).map((verb) => [verb]);
  if (!reader.lists) return single;
  const lists: (readonly Verb[])[] = [...single];
  for (let begun: readonly (readonly Verb[])[] = single; begun.length > 0; ) {
    const longer = begun.flatMap((list) => {
      const last = list.at(-1)!;
      let next = last.end;
      if (reader.lower(next) === ',') next++;
      if (reader.lower(next) === 'or') next++;
      if (next === last.end || last.pending !== undefined || list.length >= maxVerbs || !reader.step()) return [];
      return verbsAt(reader, next)
        .filter((verb) => verb.voice === last.voice && verb.pending === undefined)
        .map((verb) => [...list, verb]);
    });
    lists.push(...longer);
    begun = longer;
  }
  return lists;
}

function begin(
  reader: Reader,
  nouns: NounReader,
  verbs: readonly Verb[],
  subject: NounList | undefined,
  start: number,
  clauses: ActionClause[],
): void {
  const verb = verbs[0]!;
  // "score" alone may as well be the property of that name.
  const bare = reader.lists && !subject && verb.form === 'base' ? 1 : 0;
  const begun = {
    kind: 'action',
    verbs,
    start,
    end: verbs.at(-1)!.end,
    cost: (subject?.cost ?? 0) + bare + verbs.reduce((sum, each) => sum + each.cost, 0),
  } as const;
  const owns = subject && (subject.end < verb.start || playerPossessives.has(reader.lower(subject.end - 1) ?? ''));
  if (verb.voice === 'nominal' && subject && !owns) return;
  if (verb.voice === 'passive') {
    if (!isOpen(verb.word.frame.object) || (!subject && !reader.lists)) return;
    extend(reader, nouns, { ...begun, slots: subject ? { object: subject } : {} }, clauses);
  } else extend(reader, nouns, { ...begun, slots: subject ? { subject } : {} }, clauses);
}

/** Adds `clause` and every longer one that it begins to `clauses`. */
function extend(reader: Reader, nouns: NounReader, clause: ActionClause, clauses: ActionClause[]): void {
  if (!reader.step()) return;
  const verb = clause.verbs[0]!;
  if (verb.pending === undefined) clauses.push(clause);
  else if (reader.lower(clause.end) === verb.pending) {
    extend(reader, nouns, { ...clause, verbs: [{ ...verb, pending: undefined }], end: clause.end + 1 }, clauses);
    return;
  }
  for (const longer of continuations(reader, nouns, clause)) extend(reader, nouns, longer, clauses);
}

function* continuations(reader: Reader, nouns: NounReader, clause: ActionClause): Generator<ActionClause> {
  const { slots, end } = clause;
  const verb = clause.verbs[0]!;
  const { frame } = verb.word;
  const put = (slot: keyof typeof slots, list: NounList): ActionClause => ({
    ...clause,
    slots: { ...slots, [slot]: list },
    end: list.end,
    cost: clause.cost + list.cost,
  });
  const direct = verb.voice === 'active' && end === clause.verbs.at(-1)!.end && slots.object === undefined;
  if (direct && isOpen(frame.object) && frame.object.preposition === '') {
    // Without a subject `render` writes the passive, and where verb and object could be a longer verb, an article.
    const unlike = (slots.subject === undefined ? 1 : 0) + (isPartOfLonger(reader, clause) ? 1 : 0);
    for (const list of nouns(reader, end, 'object')) yield put('object', { ...list, cost: list.cost + unlike });
  }
  if (frame.object.preposition !== '' && slots.object === undefined)
    yield* prepositional(reader, nouns, end, frame.object.preposition, (list) => put('object', list));
  if (slots.subject === undefined && (verb.voice !== 'active' || reader.lists))
    yield* prepositional(reader, nouns, end, 'by', (list) => put('subject', { ...list, cost: list.cost + 1 }));
  if (verb.voice === 'nominal' || (reader.lists && verb.voice === 'active' && slots.object === undefined)) {
    const whose = !isOpen(frame.object) || slots.object !== undefined ? 'subject' : 'object';
    if (slots[whose] === undefined) yield* prepositional(reader, nouns, end, 'of', (list) => put(whose, list));
  }
  for (const slot of prepositionSlots) {
    if (slots[slot] !== undefined || !isOpen(frame[slot])) continue;
    for (const [preposition, cost] of prepositionsOf(verb, slot)) {
      yield* prepositional(reader, nouns, end, preposition, (list) => put(slot, { ...list, cost: list.cost + cost }));
    }
  }
  if (slots.manner === undefined) for (const list of mannersAt(reader, end, verb)) yield put('manner', list);
  if (clause.amount === undefined && isOpen(frame.amount)) yield* amounts(reader, clause);
}

/** Do the verb and what follows it begin another verb ("rotates piece …")? Then `render` keeps them apart. */
function isPartOfLonger(reader: Reader, { verbs, end }: ActionClause): boolean {
  if (articles.has(reader.lower(end) ?? '')) return false;
  return (
    verbs.length === 1 && verbsAt(reader, verbs[0]!.start).some((other) => other.voice === 'active' && other.end > end)
  );
}

function* prepositional(
  reader: Reader,
  nouns: NounReader,
  at: number,
  preposition: string,
  put: (list: NounList) => ActionClause,
): Generator<ActionClause> {
  const behind = reader.phrase(at, preposition);
  if (behind === undefined) {
    reader.expect(at, `"${preposition}"`);
    return;
  }
  for (const list of nouns(reader, behind, 'object')) yield put(list);
}

/** The prepositions that may introduce a slot of this verb, with how far each is from the one that `render` writes. */
function prepositionsOf(verb: Verb, slot: (typeof prepositionSlots)[number]): readonly (readonly [string, number])[] {
  const { frame } = verb.word;
  const own = frame[slot].preposition;
  const taken = new Set(Object.values(frame).map((rule) => rule.preposition));
  return [
    [own, 0],
    ...slotPrepositions[slot].filter((each) => each !== own && !taken.has(each)).map((each) => [each, 1] as const),
  ];
}

/** Manners at `at`: words of the properties that the verb accepts as manner. */
function mannersAt(reader: Reader, at: number, verb?: Verb): NounList[] {
  const accepted = verb?.word.frame.manner.accepts ?? ['manner'];
  const found = reader.lexicon.find('property', reader.tokens, at, reader.game);
  return found
    .filter(({ entry }) => accepted.some((id) => reader.dictionary.isA(entry.word.id, id, 'property')))
    .map(({ entry, end, cost }) => {
      const noun: Noun = { words: [{ word: entry.word, cost: 0 }], start: at, end, cost: 1 + cost };
      return { any: [noun], except: [], end, cost: noun.cost };
    });
}

function* amounts(reader: Reader, clause: ActionClause): Generator<ActionClause> {
  const { preposition } = clause.verbs[0]!.word.frame[amountPreposition];
  const behind = reader.phrase(clause.end, preposition);
  if (behind === undefined) return;
  for (const { range, end } of rangesAt(reader, behind)) {
    const plain: ActionClause = { ...clause, amount: range, end, cost: clause.cost + 1 };
    yield plain;
    for (const { entry, end: unitEnd, cost } of reader.lexicon.find('object', reader.tokens, end, reader.game)) {
      const unit: Noun = { words: [{ word: entry.word, cost: 0 }], start: end, end: unitEnd, cost };
      yield { ...plain, unit, end: unitEnd, cost: plain.cost + cost };
    }
  }
}

function rangesAt(reader: Reader, at: number): { range: Range; end: number }[] {
  const number = numberOf(reader.tokens[at]);
  if (number !== undefined) return [{ range: { min: number, max: number }, end: at + 1 }];
  const compared = reader.lists ? comparisonAt(reader, at) : undefined;
  if (compared) return [compared];
  reader.expect(at, 'a number');
  return [];
}

/** A verb as it was read, auxiliaries included. */
export interface Verb {
  readonly word: Word;
  readonly voice: 'active' | 'passive' | 'nominal';
  readonly form: Entry['form'];
  readonly negated: boolean;
  readonly start: number;
  readonly end: number;
  readonly cost: number;
  /** A particle that must still come ("picks key up"). */
  readonly pending: string | undefined;
}

interface Auxiliaries {
  readonly last: 'be' | 'get' | 'have' | 'modal' | undefined;
  readonly negated: boolean;
  readonly end: number;
  readonly count: number;
}

const maxAuxiliaries = 4;
const negations = new Set(['not', 'never', "n't"]);

/** Every way to read a verb at `at`: "kills", "has killed", "is killed" (passive), "is killing", "death" (nominal). */
export function verbsAt(reader: Reader, at: number): readonly Verb[] {
  return reader.memo(`verb ${at}`, () => {
    const verbs: Verb[] = [];
    for (const auxiliaries of auxiliariesAt(reader, at)) {
      if (!reader.step()) break;
      for (const { entry, end, cost, pending } of reader.lexicon.find(
        'action',
        reader.tokens,
        auxiliaries.end,
        reader.game,
      )) {
        for (const read of voicesOf(entry, auxiliaries, reader.lists)) {
          const { negated } = auxiliaries;
          verbs.push({
            word: entry.word,
            form: entry.form,
            voice: read.voice,
            negated,
            start: at,
            end,
            cost: 1 + cost + read.cost,
            pending,
          });
        }
      }
    }
    if (verbs.length === 0) reader.expect(at, 'a verb');
    for (const verb of verbs) reader.reach(verb.end);
    return cheapest(verbs);
  });
}

/** One verb per word, voice and extent: the nearest to what `render` writes. */
function cheapest(verbs: readonly Verb[]): readonly Verb[] {
  const best = new Map<string, Verb>();
  for (const verb of verbs) {
    const key = `${verb.word.order} ${verb.voice} ${verb.end} ${verb.negated}`;
    const known = best.get(key);
    if (!known || verb.cost < known.cost) best.set(key, verb);
  }
  return [...best.values()];
}

function auxiliariesAt(reader: Reader, at: number): Auxiliaries[] {
  const found: Auxiliaries[] = [{ last: undefined, negated: false, end: at, count: 0 }];
  let negated = false;
  for (let i = at; i < at + maxAuxiliaries + 1; i++) {
    const lower = reader.lower(i) ?? '';
    const kind = auxiliaryKind(lower);
    if (negations.has(lower)) negated = true;
    else if (kind === undefined) break;
    const before = found.at(-1)!.last;
    found.push({ last: kind ?? before, negated, end: i + 1, count: found.length });
  }
  return found;
}

function auxiliaryKind(lower: string): Auxiliaries['last'] {
  if (beForms.has(lower)) return 'be';
  if (getForms.has(lower)) return 'get';
  if (haveForms.has(lower)) return 'have';
  return modals.has(lower) ? 'modal' : undefined;
}

type Voice = { readonly voice: Verb['voice']; readonly cost: number };

/** How a form can be meant behind these auxiliaries; `cost` as in `Found`. */
function voicesOf({ form, word }: Entry, auxiliaries: Auxiliaries, lists: boolean): readonly Voice[] {
  // A past form serves as participle where the two are the same.
  const participle = form === 'participle' || (form === 'past' && word.forms.past === word.forms.participle);
  const extra = auxiliaries.count > 1 || auxiliaries.negated ? 1 : 0;
  switch (auxiliaries.last) {
    case undefined:
      return bareVoices(form, participle, extra, lists && !auxiliaries.negated);
    case 'be':
      if (form === 'gerund') return [{ voice: 'active', cost: 1 }];
      return participle ? [{ voice: 'passive', cost: extra }] : [];
    case 'get':
      return participle ? [{ voice: 'passive', cost: 1 }] : [];
    case 'have':
      return participle ? [{ voice: 'active', cost: 1 }] : [];
    case 'modal':
      return form === 'base' ? [{ voice: 'active', cost: 1 }] : [];
  }
}

function bareVoices(form: Entry['form'], participle: boolean, extra: number, nominal: boolean): readonly Voice[] {
  if (form === 'noun' || form === 'nouns') return nominal ? [{ voice: 'nominal', cost: 0 }] : [];
  const active: Voice[] = form === 'participle' ? [] : [{ voice: 'active', cost: (activeCost[form] ?? 0) + extra }];
  // "enemy killed by player"
  return participle ? [...active, { voice: 'passive', cost: 3 }] : active;
}

const activeCost: Readonly<Record<string, number>> = { third: 0, base: 0, past: 1, gerund: 2 };
