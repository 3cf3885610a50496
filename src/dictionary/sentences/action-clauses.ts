import { isOpen, type Word } from '../dictionary.ts';
import type { SlotName } from '../format.ts';
import {
  articles,
  beForms,
  getForms,
  haveForms,
  modals,
  playerPossessives,
  SECOND,
  slotPrepositions,
} from './function-words.ts';
import type { LexiconEntry } from './lexicon.ts';
import { parseComparison, parseNouns, playerPhrase, type NounPhrase, type Range } from './noun-phrases.ts';
import type { ParseContext } from './parse-context.ts';
import { clockValue, numberValue } from './tokenize.ts';

/** The alternatives that fill a slot: any of `any` and none of `except`. A statement has one noun and no exceptions. */
export interface NounList {
  readonly any: readonly NounPhrase[];
  readonly except: readonly NounPhrase[];
  readonly end: number;
  readonly cost: number;
}

/** Parses noun lists; statements take single nouns, queries also lists. */
export type NounListParser = (context: ParseContext, at: number, kind: 'object' | 'property') => readonly NounList[];

/** A list of one noun. */
export function singleNoun(noun: NounPhrase): NounList {
  return { any: [noun], except: [], end: noun.end, cost: noun.cost };
}

/** The noun lists of statements. */
export const parseSingleNouns: NounListParser = (context, at, kind) => parseNouns(context, at, kind).map(singleNoun);

/** A parsed verb, auxiliaries included. */
export interface Verb {
  readonly word: Word;
  /** `nominal`: a noun for the action ("death", "my kills"). */
  readonly voice: 'active' | 'passive' | 'nominal';
  readonly form: LexiconEntry['form'];
  readonly isNegated: boolean;
  readonly start: number;
  readonly end: number;
  readonly cost: number;
  /** A particle that must follow the object ("picks key up"). */
  readonly pendingParticle: string | undefined;
  /** The noun that the object must say, because the verb leaves it out ("plays spell card"). */
  readonly elidedNoun: string | undefined;
}

/** A parsed clause about an action. */
export interface ActionClause {
  readonly kind: 'action';
  /** Queries can have several verbs ("kills or stomps"). */
  readonly verbs: readonly Verb[];
  readonly slots: Readonly<Partial<Record<Exclude<SlotName, 'amount'>, NounList>>>;
  readonly amount?: Range;
  readonly unit?: NounPhrase;
  readonly start: number;
  readonly end: number;
  readonly cost: number;
}

const maxVerbsPerList = 24;

/** Parses the clauses about an action that start at a token, of any length. */
export function parseActionClauses(
  context: ParseContext,
  at: number,
  parseNounLists: NounListParser,
): readonly ActionClause[] {
  const parse = (): readonly ActionClause[] => new ActionClauseParser(context, parseNounLists).parse(at);
  // Queries parse the same clause as a part of several patterns.
  return context.isQuery ? context.memoize(`action ${at}`, parse) : parse();
}

class ActionClauseParser {
  private readonly context: ParseContext;
  private readonly parseNounLists: NounListParser;
  private readonly clauses: ActionClause[] = [];

  constructor(context: ParseContext, parseNounLists: NounListParser) {
    this.context = context;
    this.parseNounLists = parseNounLists;
  }

  parse(at: number): readonly ActionClause[] {
    const { context } = this;
    for (const verbs of parseVerbLists(context, at)) this.startClause(verbs, undefined, at);
    if (context.isQuery && playerPossessives.has(context.wordAt(at) ?? '')) {
      const player = playerPhrase(context, { start: at, end: at + 1 });
      if (player) this.startNominalClauses(singleNoun(player), at + 1, at);
    }
    for (const subject of this.parseNounLists(context, at, 'object')) {
      if (!context.takeStep()) break;
      if (context.tokens[subject.end]?.kind === 'possessive') {
        // "opponent's death"
        if (context.isQuery) this.startNominalClauses(subject, subject.end + 1, at);
        continue;
      }
      for (const verbs of parseVerbLists(context, subject.end)) this.startClause(verbs, subject, at);
      for (const manner of parseManners(context, subject.end)) this.startAfterManner(subject, manner, at);
    }
    return this.clauses;
  }

  /** A verb as a noun with an owner: "opponent's death", "my kills". */
  private startNominalClauses(owner: NounList, at: number, start: number): void {
    for (const verb of parseVerbs(this.context, at)) {
      // "my score" is more likely the property.
      const cost = verb.cost + (verb.form === 'base' ? 0.5 : 0);
      if (verb.voice !== 'passive') this.startClause([{ ...verb, voice: 'nominal', cost }], owner, start);
    }
  }

  /** "player silently kills": the manner precedes the verb. */
  private startAfterManner(subject: NounList, manner: NounList, start: number): void {
    for (const [verb] of parseVerbLists(this.context, manner.end)) {
      if (verb!.voice !== 'active') continue;
      const cost = verb!.cost + subject.cost + manner.cost + 1;
      this.extend({ kind: 'action', verbs: [verb!], slots: { subject, manner }, start, end: verb!.end, cost });
    }
  }

  private startClause(verbs: readonly Verb[], subject: NounList | undefined, start: number): void {
    const { context } = this;
    const verb = verbs[0]!;
    // "score" alone is more likely the property than the action.
    const bareVerbCost = context.isQuery && !subject && verb.form === 'base' ? 1 : 0;
    const cost = (subject?.cost ?? 0) + bareVerbCost + verbs.reduce((sum, each) => sum + each.cost, 0);
    const isOwner =
      subject && (subject.end < verb.start || playerPossessives.has(context.wordAt(subject.end - 1) ?? ''));
    if (verb.voice === 'nominal' && subject && !isOwner) return;
    const isPassive = verb.voice === 'passive';
    // "I killed" is active, whatever follows.
    const isBarePassive = isPassive && verb.end === verb.start + 1;
    if (isBarePassive && subject && ['i', 'we'].includes(context.wordAt(verb.start - 1) ?? '')) return;
    if (isPassive && (!isOpen(verb.word.slots.object) || (!subject && !context.isQuery))) return;
    const object = isPassive && subject ? keepElidedNoun(context, verb, subject) : subject;
    if (isPassive && subject && !object) return;
    const slots = subject ? { [isPassive ? 'object' : 'subject']: object } : {};
    this.extend({ kind: 'action', verbs, slots, start, end: verbs.at(-1)!.end, cost });
  }

  /** Collects `clause` and every clause that continues it. */
  private extend(clause: ActionClause): void {
    const { context } = this;
    if (!context.takeStep()) return;
    const verb = clause.verbs[0]!;
    if (verb.pendingParticle === undefined) {
      if (verb.elidedNoun === undefined || clause.slots.object !== undefined) this.clauses.push(clause);
    } else {
      const end = context.skip(clause.end, verb.pendingParticle);
      if (end !== undefined) {
        this.extend({ ...clause, verbs: [{ ...verb, pendingParticle: undefined }], end });
        return;
      }
    }
    for (const longer of this.continuations(clause)) this.extend(longer);
  }

  private *continuations(clause: ActionClause): Generator<ActionClause> {
    const { context } = this;
    const { slots, end } = clause;
    const verb = clause.verbs[0]!;
    const rules = verb.word.slots;
    const fill = (slot: keyof typeof slots, list: NounList, extraCost = 0): ActionClause => ({
      ...clause,
      slots: { ...slots, [slot]: list },
      end: list.end,
      cost: clause.cost + list.cost + extraCost,
    });
    const needsObject = slots.object === undefined;
    if (needsObject && rules.object.preposition !== '') {
      for (const list of this.parseAfter(end, rules.object.preposition)) yield fill('object', list);
    } else if (needsObject && verb.voice === 'active' && end === clause.verbs.at(-1)!.end && isOpen(rules.object)) {
      // `render` writes the passive where there is no subject, and an article where verb and object form a longer verb.
      const cost = (slots.subject === undefined ? 1 : 0) + (isPartOfLongerVerb(context, clause) ? 1 : 0);
      for (const list of this.parseNounLists(context, end, 'object')) {
        const object = keepElidedNoun(context, verb, list);
        if (object) yield fill('object', object, cost);
      }
    }
    if (slots.subject === undefined && (verb.voice !== 'active' || context.isQuery))
      for (const list of this.parseAfter(end, 'by')) yield fill('subject', list, 1);
    if (verb.voice === 'nominal' || (context.isQuery && verb.voice === 'active' && needsObject)) {
      const slot = !isOpen(rules.object) || !needsObject ? 'subject' : 'object';
      if (slots[slot] === undefined) for (const list of this.parseAfter(end, 'of')) yield fill(slot, list);
    }
    const afterMine = slots.subject === undefined && context.isQuery ? context.skip(end, 'of mine') : undefined;
    const player = afterMine === undefined ? undefined : playerPhrase(context, { start: end, end: afterMine });
    if (player) yield fill('subject', singleNoun(player), -1);
    for (const slot of prepositionSlots) {
      if (slots[slot] !== undefined || !isOpen(rules[slot])) continue;
      for (const [preposition, cost] of prepositionsFor(verb, slot))
        for (const list of this.parseAfter(end, preposition)) yield fill(slot, list, cost);
    }
    if (slots.manner === undefined) for (const list of parseManners(context, end, verb)) yield fill('manner', list);
    if (clause.amount === undefined && isOpen(rules.amount)) yield* continueWithAmount(context, clause);
  }

  /** Parses the objects after a preposition. */
  private parseAfter(at: number, preposition: string): readonly NounList[] {
    const next = this.context.skip(at, preposition);
    if (next !== undefined) return this.parseNounLists(this.context, next, 'object');
    this.context.expect(at, `"${preposition}"`);
    return [];
  }
}

/** The list with only the words that say what the verb leaves out; `undefined` if there are none. */
function keepElidedNoun({ dictionary }: ParseContext, { elidedNoun }: Verb, list: NounList): NounList | undefined {
  if (elidedNoun === undefined) return list;
  const any = list.any.map((noun) => ({
    ...noun,
    words: noun.words.filter(({ word }) => dictionary.isA(word.id, elidedNoun, 'object')),
  }));
  return any.every(({ words }) => words.length > 0) ? { ...list, any } : undefined;
}

/** Do the verb and the next word start a longer verb ("rotates piece …")? `render` separates them with an article. */
function isPartOfLongerVerb(context: ParseContext, { verbs, end }: ActionClause): boolean {
  if (verbs.length > 1 || articles.has(context.wordAt(end) ?? '')) return false;
  return parseVerbs(context, verbs[0]!.start).some((other) => other.voice === 'active' && other.end > end);
}

const prepositionSlots = Object.keys(slotPrepositions) as readonly (keyof typeof slotPrepositions)[];

/** The prepositions that can introduce a slot of a verb, with the cost of each. */
function prepositionsFor({ word }: Verb, slot: keyof typeof slotPrepositions): readonly (readonly [string, number])[] {
  const own = word.slots[slot].preposition;
  const taken = new Set(Object.values(word.slots).map(({ preposition }) => preposition));
  const others = slotPrepositions[slot].filter((each) => each !== own && !taken.has(each));
  return [[own, 0], ...others.map((each) => [each, 1] as const)];
}

/** Parses manners: properties that the verb accepts as its manner. */
function parseManners(context: ParseContext, start: number, verb?: Verb): NounList[] {
  const accepted = verb?.word.slots.manner.accepts ?? ['manner'];
  return context.lexicon
    .find('property', context.tokens, start, context.game)
    .filter(({ entry }) => accepted.some((id) => context.dictionary.isA(entry.word.id, id, 'property')))
    .map(({ entry, end, cost }) => singleNoun({ words: [{ word: entry.word, cost: 0 }], start, end, cost: 1 + cost }));
}

function* continueWithAmount(context: ParseContext, clause: ActionClause): Generator<ActionClause> {
  const next = context.skip(clause.end, clause.verbs[0]!.word.slots.amount.preposition);
  const parsed = next === undefined ? undefined : parseAmount(context, next);
  if (!parsed) {
    yield* continueWithClock(context, clause, next);
    return;
  }
  const { range, end } = parsed;
  const withAmount: ActionClause = { ...clause, amount: range, end, cost: clause.cost + 1 };
  yield withAmount;
  for (const match of context.lexicon.find('object', context.tokens, end, context.game)) {
    const unit = { words: [{ word: match.entry.word, cost: 0 }], start: end, end: match.end, cost: match.cost };
    yield { ...withAmount, unit, end: unit.end, cost: withAmount.cost + unit.cost };
  }
}

/** "for 1:24.7": an amount of seconds. */
function* continueWithClock(context: ParseContext, clause: ActionClause, at = 0): Generator<ActionClause> {
  const seconds = clockValue(context.tokens[at]);
  const second = context.dictionary.find(SECOND, 'object');
  if (seconds === undefined || second === undefined) return;
  const end = at + 1;
  const unit = { words: [{ word: second, cost: 0 }], start: at, end, cost: 0 };
  yield { ...clause, amount: { min: seconds, max: seconds }, unit, end, cost: clause.cost + 1 };
}

function parseAmount(context: ParseContext, at: number): { range: Range; end: number } | undefined {
  const number = numberValue(context.tokens[at]);
  if (number !== undefined) return { range: { min: number, max: number }, end: at + 1 };
  const comparison = context.isQuery ? parseComparison(context, at) : undefined;
  if (!comparison) context.expect(at, 'a number');
  return comparison;
}

/** Parses the verbs at a token, each alone; in queries also lists of them ("kills or stomps"). */
function parseVerbLists(context: ParseContext, at: number): readonly (readonly Verb[])[] {
  const lists: (readonly Verb[])[] = parseVerbs(context, at).map((verb) => [verb]);
  if (!context.isQuery) return lists;
  // `lists` grows while it is walked: each list is extended by one verb.
  for (const list of lists) {
    const last = list.at(-1)!;
    const next = skipListSeparator(context, last.end);
    if (next === undefined || last.pendingParticle !== undefined) continue;
    if (list.length >= maxVerbsPerList || !context.takeStep()) continue;
    for (const verb of parseVerbs(context, next))
      if (verb.voice === last.voice && verb.pendingParticle === undefined) lists.push([...list, verb]);
  }
  return lists;
}

/** Index of the token after ",", "or" or ", or", else `undefined`. */
export function skipListSeparator(context: ParseContext, at: number): number | undefined {
  let next = at;
  if (context.wordAt(next) === ',') next++;
  if (context.wordAt(next) === 'or') next++;
  return next === at ? undefined : next;
}

interface Auxiliaries {
  readonly last: 'be' | 'get' | 'have' | 'modal' | undefined;
  readonly isNegated: boolean;
  readonly end: number;
  readonly count: number;
}

const maxAuxiliaries = 4;
const negations = new Set(['not', 'never', "n't"]);

/** Parses the verbs at a token: "kills", "has killed", "is killed" (passive), "is killing", "death" (nominal). */
function parseVerbs(context: ParseContext, start: number): readonly Verb[] {
  return context.memoize(`verb ${start}`, () => {
    const cheapest = new Map<string, Verb>();
    for (const auxiliaries of parseAuxiliaries(context, start)) {
      if (!context.takeStep()) break;
      const { isNegated } = auxiliaries;
      for (const match of context.lexicon.find('action', context.tokens, auxiliaries.end, context.game)) {
        const { entry, end, pendingParticle } = match;
        for (const { voice, cost } of voicesOf(entry, auxiliaries, context.isQuery)) {
          const { word, form } = entry;
          const { elidedNoun } = entry;
          const verbCost = 1 + match.cost + cost + context.absenceCost(word);
          const verb = { word, form, voice, isNegated, start, end, cost: verbCost, pendingParticle, elidedNoun };
          const key = `${word.order} ${voice} ${end} ${isNegated} ${elidedNoun ?? ''}`;
          if (verb.cost < (cheapest.get(key)?.cost ?? Number.POSITIVE_INFINITY)) cheapest.set(key, verb);
        }
      }
    }
    if (cheapest.size === 0) context.expect(start, 'a verb');
    for (const verb of cheapest.values()) context.reach(verb.end);
    return [...cheapest.values()];
  });
}

function parseAuxiliaries(context: ParseContext, start: number): Auxiliaries[] {
  const found: Auxiliaries[] = [{ last: undefined, isNegated: false, end: start, count: 0 }];
  for (let at = start; at <= start + maxAuxiliaries; at++) {
    const word = context.wordAt(at) ?? '';
    const kind = auxiliaryKind(word);
    const isNegation = negations.has(word);
    if (!isNegation && kind === undefined) break;
    const previous = found.at(-1)!;
    found.push({
      last: kind ?? previous.last,
      isNegated: previous.isNegated || isNegation,
      end: at + 1,
      count: found.length,
    });
  }
  return found;
}

function auxiliaryKind(word: string): Auxiliaries['last'] {
  if (beForms.has(word)) return 'be';
  if (getForms.has(word)) return 'get';
  if (haveForms.has(word)) return 'have';
  return modals.has(word) ? 'modal' : undefined;
}

interface Voice {
  readonly voice: Verb['voice'];
  readonly cost: number;
}

/** The readings of a verb form after auxiliaries. */
function voicesOf({ form, word }: LexiconEntry, auxiliaries: Auxiliaries, isQuery: boolean): readonly Voice[] {
  // A past form is also the participle where the two are spelled the same.
  const isParticiple = form === 'participle' || (form === 'past' && word.forms.past === word.forms.participle);
  const extraCost = auxiliaries.count > 1 || auxiliaries.isNegated ? 1 : 0;
  switch (auxiliaries.last) {
    case undefined:
      return voicesWithoutAuxiliary(form, isParticiple, extraCost, isQuery && !auxiliaries.isNegated);
    case 'be':
      if (form === 'gerund') return [{ voice: 'active', cost: 1 }];
      return isParticiple ? [{ voice: 'passive', cost: extraCost }] : [];
    case 'get':
      return isParticiple ? [{ voice: 'passive', cost: 1 }] : [];
    case 'have':
      return isParticiple ? [{ voice: 'active', cost: 1 }] : [];
    case 'modal':
      return form === 'base' ? [{ voice: 'active', cost: 1 }] : [];
  }
}

const activeCosts: Readonly<Record<string, number>> = { third: 0, base: 0, past: 1, gerund: 2 };

function voicesWithoutAuxiliary(
  form: LexiconEntry['form'],
  isParticiple: boolean,
  extraCost: number,
  mayBeNominal: boolean,
): readonly Voice[] {
  if (form === 'noun' || form === 'nouns') return mayBeNominal ? [{ voice: 'nominal', cost: 0 }] : [];
  const active: Voice[] =
    form === 'participle' ? [] : [{ voice: 'active', cost: (activeCosts[form] ?? 0) + extraCost }];
  // "enemy killed by player"
  return isParticiple ? [...active, { voice: 'passive', cost: 3 }] : active;
}
