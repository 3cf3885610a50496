import { slotKind } from '../../dictionary/format.ts';
import { covers, type Dictionary } from '../../dictionary/dictionary.ts';
import type { WordKind } from '../../dictionary/format.ts';
import type { EventLine } from '../../events/log.ts';
import {
  isPropertyStatement,
  type Mention,
  type PropertyValue,
  type Slot,
  type Statement,
  type WordId,
} from '../../events/statement.ts';
import type {
  ActionPattern,
  MentionPattern,
  PatternSlot,
  PropertyPattern,
  Range,
  SlotPattern,
  ValuePattern,
} from '../query.ts';
import type { Screen } from './event-index.ts';

export type Predicate = (event: EventLine) => boolean;

export const patternSlots: readonly PatternSlot[] = ['subject', 'object', 'with', 'to', 'from', 'at', 'manner'];

/** The pattern of the causing action, whose object is the subject of what it causes. */
export type Caused = ActionPattern;

/** A test for a word: is it, or does it stand under, one of these? */
type WordTest = (id: WordId) => boolean;

/** Compiles the parts of a pattern once; each test of an event is then look-ups and comparisons of numbers. */
export class PatternCompiler {
  private readonly dictionary: Dictionary;

  constructor(dictionary: Dictionary) {
    this.dictionary = dictionary;
  }

  action(pattern: ActionPattern): Predicate {
    const actionTest = pattern.action.length > 0 ? this.words(pattern.action, 'action') : undefined;
    const slots = patternSlots.flatMap((slot) => {
      const wanted = pattern[slot];
      return wanted === undefined ? [] : [[slot, this.slot(wanted, slotKind(slot))] as const];
    });
    const unit = pattern.unit && this.words(pattern.unit, 'object');
    const { amount } = pattern;
    return ({ statement }) => {
      if (isPropertyStatement(statement)) return false;
      if (actionTest && !actionTest(statement.action)) return false;
      for (const [slot, test] of slots)
        if (!test(statement[slot] ?? this.implied(statement.action, slot))) return false;
      if (amount && (statement.amount === undefined || !inRange(statement.amount, amount))) return false;
      return !unit || (statement.unit !== undefined && unit(statement.unit));
    };
  }

  /**
   * Which events say by another word that it happened: "kill" of its object where the pattern asks who dies. Undefined
   * where no action of the dictionary causes what the pattern asks for.
   */
  caused(pattern: ActionPattern): Caused | undefined {
    const { subject, object, to, from, amount, unit, ...rest } = pattern;
    if (object || to || from || amount || unit) return undefined;
    const wanted = pattern.action.flatMap((id) => this.dictionary.find(id, 'action') ?? []);
    const causes = this.dictionary
      .words('action')
      .filter((word) => word.causes && wanted.some((each) => covers(each, word.causes) && !covers(each, word)));
    if (causes.length === 0) return undefined;
    const action = causes.filter(({ parent }) => !parent || !causes.includes(parent)).map(({ id }) => id);
    return { ...rest, action, ...(subject && { object: subject }) };
  }

  /** What the action's own word puts into the slot ("drive golf ball"). */
  private implied(action: WordId, slot: PatternSlot): WordId | undefined {
    return this.dictionary.find(action, 'action')?.slots[slot].word;
  }

  property(pattern: PropertyPattern): Predicate {
    const propertyTest = pattern.property.length > 0 ? this.words(pattern.property, 'property') : undefined;
    const subject = pattern.subject && this.slot(pattern.subject, 'object');
    const from = pattern.from && this.value(pattern.from);
    const to = pattern.to && this.value(pattern.to);
    const { change, by } = pattern;
    return ({ statement }) => {
      if (!isPropertyStatement(statement)) return false;
      if (propertyTest && !propertyTest(statement.property)) return false;
      if (subject && !subject(statement.subject)) return false;
      if (change && !changed(statement.from, statement.to, change)) return false;
      if (from && (statement.from === undefined || !from(statement.from))) return false;
      if (to && !to(statement.to)) return false;
      return (
        !by ||
        (typeof statement.from === 'number' &&
          typeof statement.to === 'number' &&
          inRange(Math.abs(statement.to - statement.from), by))
      );
    };
  }

  /** What of an action pattern the numbers of words tell. */
  actionScreen(pattern: ActionPattern): Screen {
    const head = this.intervals(pattern.action, 'action');
    const slots = patternSlots.flatMap((slot) =>
      pattern[slot] === undefined ? [] : [this.slotScreen(slot, pattern[slot])],
    );
    const exact =
      pattern.action.length > 0 && head !== undefined && pattern.amount === undefined && pattern.unit === undefined;
    return joinScreens(head && pattern.action.length > 0 ? [{ column: 'head', intervals: head }] : [], slots, exact);
  }

  propertyScreen(pattern: PropertyPattern): Screen {
    const head = this.intervals(pattern.property, 'property');
    const { subject, change, from, to, by } = pattern;
    const slots = subject === undefined ? [] : [this.slotScreen('subject', subject)];
    const plain = change === undefined && from === undefined && to === undefined && by === undefined;
    const exact = pattern.property.length > 0 && head !== undefined && plain;
    return joinScreens(head && pattern.property.length > 0 ? [{ column: 'head', intervals: head }] : [], slots, exact);
  }

  private slotScreen(slot: PatternSlot, { any, except, absent, same }: SlotPattern): Screen {
    // A variable alone asks only that the slot is filled, which a column tells only of known words.
    if (absent || !any || any.some(({ words }) => words === undefined)) return { tests: [], exact: false };
    const parts = any.map(({ words }) => this.intervals(words!, slotKind(slot)));
    if (parts.some((part) => part === undefined)) return { tests: [], exact: false };
    const exact =
      !except && same === undefined && any.every(({ name, count, of }) => name === undefined && !count && !of);
    return { tests: [{ column: slot, intervals: parts.flatMap((part) => part!) }], exact };
  }

  /** The intervals of words and what stands under them; undefined if the dictionary lacks one. */
  private intervals(ids: readonly WordId[], kind: WordKind): readonly number[] | undefined {
    const words = ids.map((id) => this.dictionary.find(id, kind));
    return words.some((word) => word === undefined) ? undefined : words.flatMap((word) => [word!.order, word!.last]);
  }

  mentions(pattern: SlotPattern): Predicate {
    const test = this.slot(pattern, undefined);
    return ({ statement }) => slotsOf(statement).some((slot) => test(slot));
  }

  slot(pattern: SlotPattern, kind: WordKind | undefined): (slot: Slot | undefined) => boolean {
    const any = pattern.any?.map((each) => this.mention(each, kind));
    const except = pattern.except?.map((each) => this.mention(each, kind));
    const fits = (slot: Slot): boolean =>
      (!any || any.some((test) => test(slot))) && !except?.some((test) => test(slot));
    if (pattern.absent) return (slot) => slot === undefined || !fits(slot);
    return (slot) => slot !== undefined && fits(slot);
  }

  mention(pattern: MentionPattern, kind: WordKind | undefined): (slot: Slot) => boolean {
    const words = pattern.words && this.words(pattern.words, kind);
    const name = pattern.name?.toLowerCase();
    const owner = pattern.of && this.mention(pattern.of, 'object');
    const { count } = pattern;
    const bare = name === undefined && !owner && !count;
    return (slot) => {
      if (typeof slot === 'string') return bare && (!words || words(slot));
      if (words && !words(slot.word)) return false;
      if (name !== undefined && slot.name?.toLowerCase() !== name) return false;
      if (count && (slot.count === undefined || !inRange(slot.count, count))) return false;
      return !owner || (slot.of !== undefined && owner(slot.of));
    };
  }

  value(pattern: ValuePattern): (value: PropertyValue) => boolean {
    const any = pattern.any?.map((each) => this.mention(each, undefined));
    if (any) return (value) => typeof value === 'object' && any.some((test) => test(value));
    const text = pattern.text?.toLowerCase();
    if (text !== undefined) return (value) => typeof value === 'string' && value.toLowerCase() === text;
    return (value) => typeof value === 'number' && inRange(value, pattern);
  }

  /** Is-a by the preorder interval of each word; an id that the dictionary does not know only equals itself. */
  words(ids: readonly WordId[], kind: WordKind | undefined): WordTest {
    const { dictionary } = this;
    const kinds: readonly WordKind[] = kind === undefined ? ['object', 'property', 'action'] : [kind];
    const intervals: { order: number; last: number }[] = [];
    for (const id of ids) {
      for (const each of kinds) {
        const word = dictionary.find(id, each);
        if (word) intervals.push(word);
      }
    }
    const literal = new Set(ids);
    const within = (order: number): boolean =>
      intervals.some((interval) => order >= interval.order && order <= interval.last);
    // Logs use few words often: each id is looked up once.
    const known = new Map<WordId, boolean>();
    return (id) => {
      let answer = known.get(id);
      if (answer === undefined) {
        answer = literal.has(id) || kinds.some((each) => within(dictionary.find(id, each)?.order ?? -1));
        known.set(id, answer);
      }
      return answer;
    };
  }
}

function joinScreens(head: Screen['tests'], slots: readonly Screen[], exact: boolean): Screen {
  return {
    tests: [...head, ...slots.flatMap(({ tests }) => tests)],
    exact: exact && slots.every((slot) => slot.exact),
  };
}

/** All slots and word values of a statement. */
export function slotsOf(statement: Statement): readonly Slot[] {
  if (isPropertyStatement(statement)) {
    const values = [statement.from, statement.to].filter(
      (value): value is Mention => typeof value === 'object' && value !== null,
    );
    return [statement.subject, ...values];
  }
  return patternSlots.flatMap((slot) => statement[slot] ?? []);
}

export function inRange(value: number, { min, max, above, below }: Range): boolean {
  return (
    (min === undefined || value >= min) &&
    (max === undefined || value <= max) &&
    (above === undefined || value > above) &&
    (below === undefined || value < below)
  );
}

function changed(from: PropertyValue | undefined, to: PropertyValue, change: 'rises' | 'drops' | 'changes'): boolean {
  if (from === undefined) return false;
  if (change === 'changes')
    return typeof from === 'object' || typeof to === 'object'
      ? JSON.stringify(from) !== JSON.stringify(to)
      : from !== to;
  return typeof from === 'number' && typeof to === 'number' && (change === 'rises' ? to > from : to < from);
}
