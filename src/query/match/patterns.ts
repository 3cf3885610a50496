import { covers, type Dictionary } from '../../dictionary/dictionary.ts';
import { slotKind, wordKinds, wordSlots, type WordKind, type WordSlot } from '../../dictionary/format.ts';
import type { EventLine } from '../../events/log.ts';
import {
  isPropertyStatement,
  type Mention,
  type PropertyValue,
  type Slot,
  type Statement,
  type WordId,
} from '../../events/statement.ts';
import type { ActionPattern, MentionPattern, PropertyPattern, Range, SlotPattern, ValuePattern } from '../query.ts';
import type { ColumnTest, Prefilter } from './event-index.ts';

/** A test of a single event. */
export type EventTest = (event: EventLine) => boolean;

/** Compiles patterns to tests; a test then only looks up and compares numbers. */
export class PatternCompiler {
  private readonly dictionary: Dictionary;

  constructor(dictionary: Dictionary) {
    this.dictionary = dictionary;
  }

  action(pattern: ActionPattern): EventTest {
    const isAction = pattern.action.length > 0 ? this.words(pattern.action, 'action') : undefined;
    const slots = wordSlots.flatMap((slot) => {
      const slotPattern = pattern[slot];
      return slotPattern ? [[slot, this.slotTest(slotPattern, slotKind(slot))] as const] : [];
    });
    const isUnit = pattern.unit && this.words(pattern.unit, 'object');
    const { amount } = pattern;
    return ({ statement }) => {
      if (isPropertyStatement(statement)) return false;
      if (isAction && !isAction(statement.action)) return false;
      for (const [slot, test] of slots)
        if (!test(statement[slot] ?? this.impliedWord(statement.action, slot))) return false;
      if (amount && (statement.amount === undefined || !isInRange(statement.amount, amount))) return false;
      return !isUnit || (statement.unit !== undefined && isUnit(statement.unit));
    };
  }

  /** The word that the action itself puts into the slot ("drive golf ball"). */
  private impliedWord(action: WordId, slot: WordSlot): WordId | undefined {
    return this.dictionary.find(action, 'action')?.slots[slot].word;
  }

  /**
   * The pattern of the actions that cause what a pattern asks for: "kill" of its object for "die" of its subject. `undefined` if
   * there are none.
   */
  causing({ subject, object, to, from, amount, unit, ...rest }: ActionPattern): ActionPattern | undefined {
    if (object || to || from || amount || unit) return undefined;
    const effects = rest.action.flatMap((id) => this.dictionary.find(id, 'action') ?? []);
    const causes = this.dictionary
      .words('action')
      .filter((word) => word.causes && effects.some((each) => covers(each, word.causes) && !covers(each, word)));
    if (causes.length === 0) return undefined;
    const action = causes.filter(({ parent }) => !parent || !causes.includes(parent)).map(({ id }) => id);
    return { ...rest, action, ...(subject && { object: subject }) };
  }

  property(pattern: PropertyPattern): EventTest {
    const isProperty = pattern.property.length > 0 ? this.words(pattern.property, 'property') : undefined;
    const isSubject = pattern.subject && this.slotTest(pattern.subject, 'object');
    const isFrom = pattern.from && this.value(pattern.from);
    const isTo = pattern.to && this.value(pattern.to);
    const { change, by } = pattern;
    return ({ statement }) => {
      if (!isPropertyStatement(statement)) return false;
      const { subject, property, from, to } = statement;
      if (isProperty && !isProperty(property)) return false;
      if (isSubject && !isSubject(subject)) return false;
      if (change && !hasChanged(from, to, change)) return false;
      if (isFrom && (from === undefined || !isFrom(from))) return false;
      if (isTo && !isTo(to)) return false;
      return !by || (typeof from === 'number' && typeof to === 'number' && isInRange(Math.abs(to - from), by));
    };
  }

  mentions(pattern: SlotPattern): EventTest {
    const test = this.slotTest(pattern, undefined);
    return ({ statement }) => slotsOf(statement).some((slot) => test(slot));
  }

  mention(pattern: MentionPattern, kind: WordKind | undefined): (slot: Slot) => boolean {
    const isWord = pattern.words && this.words(pattern.words, kind);
    const name = pattern.name?.toLowerCase();
    const isOwner = pattern.of && this.mention(pattern.of, 'object');
    const { count } = pattern;
    const isUnqualified = name === undefined && !isOwner && !count;
    return (slot) => {
      if (typeof slot === 'string') return isUnqualified && (!isWord || isWord(slot));
      if (isWord && !isWord(slot.word)) return false;
      if (name !== undefined && slot.name?.toLowerCase() !== name) return false;
      if (count && (slot.count === undefined || !isInRange(slot.count, count))) return false;
      return !isOwner || (slot.of !== undefined && isOwner(slot.of));
    };
  }

  /** Tests the filler of a slot. */
  slotTest(pattern: SlotPattern, kind: WordKind | undefined): (slot: Slot | undefined) => boolean {
    const any = pattern.any?.map((each) => this.mention(each, kind));
    const except = pattern.except?.map((each) => this.mention(each, kind));
    const matches = (slot: Slot): boolean =>
      (!any || any.some((test) => test(slot))) && !except?.some((test) => test(slot));
    if (pattern.absent) return (slot) => slot === undefined || !matches(slot);
    return (slot) => slot !== undefined && matches(slot);
  }

  /** Tests the value of a property. */
  value(pattern: ValuePattern): (value: PropertyValue) => boolean {
    const any = pattern.any?.map((each) => this.mention(each, undefined));
    if (any) return (value) => typeof value === 'object' && any.some((test) => test(value));
    const text = pattern.text?.toLowerCase();
    if (text !== undefined) return (value) => typeof value === 'string' && value.toLowerCase() === text;
    return (value) => typeof value === 'number' && isInRange(value, pattern);
  }

  /** Tests whether a word is one of these or a descendant. An id that the dictionary lacks matches only itself. */
  private words(ids: readonly WordId[], kind: WordKind | undefined): (id: WordId) => boolean {
    const { dictionary } = this;
    const kinds: readonly WordKind[] = kind === undefined ? wordKinds : [kind];
    const ancestors = ids.flatMap((id) => kinds.flatMap((each) => dictionary.find(id, each) ?? []));
    const literal = new Set(ids);
    // Logs use few words often, so each id is tested once.
    const results = new Map<WordId, boolean>();
    return (id) => {
      let result = results.get(id);
      if (result === undefined) {
        const words = kinds.flatMap((each) => dictionary.find(id, each) ?? []);
        result = literal.has(id) || words.some((word) => ancestors.some((ancestor) => covers(ancestor, word)));
        results.set(id, result);
      }
      return result;
    };
  }

  /** The part of an action pattern that word columns can test. */
  actionPrefilter(pattern: ActionPattern): Prefilter {
    const isPlain = pattern.amount === undefined && pattern.unit === undefined;
    const slots = wordSlots.flatMap((slot) => (pattern[slot] ? [this.slotPrefilter(slot, pattern[slot])] : []));
    return joinPrefilters(this.intervals(pattern.action, 'action'), slots, isPlain);
  }

  /** The part of a property pattern that word columns can test. */
  propertyPrefilter({ property, subject, change, from, to, by }: PropertyPattern): Prefilter {
    const isPlain = change === undefined && from === undefined && to === undefined && by === undefined;
    const slots = subject ? [this.slotPrefilter('subject', subject)] : [];
    return joinPrefilters(this.intervals(property, 'property'), slots, isPlain);
  }

  private slotPrefilter(column: WordSlot, { any, except, absent, same }: SlotPattern): Prefilter {
    const intervals = absent ? undefined : any?.map(({ words }) => this.intervals(words ?? [], slotKind(column)));
    // A column cannot distinguish an unknown word from an empty slot, so a pattern without known words has no test.
    if (!any || !intervals?.every((each) => each !== undefined)) return { tests: [], isExact: false };
    const isUnqualified = any.every(({ name, count, of }) => name === undefined && !count && !of);
    return {
      tests: [{ column, intervals: intervals.flat() }],
      isExact: !except && same === undefined && isUnqualified,
    };
  }

  /** The preorder intervals of words and their descendants; `undefined` without words or with an unknown one. */
  private intervals(ids: readonly WordId[], kind: WordKind): readonly number[] | undefined {
    const words = ids.map((id) => this.dictionary.find(id, kind));
    if (words.length === 0 || words.includes(undefined)) return undefined;
    return words.flatMap((word) => [word!.order, word!.last]);
  }
}

function joinPrefilters(head: readonly number[] | undefined, slots: readonly Prefilter[], isPlain: boolean): Prefilter {
  const headTests: ColumnTest[] = head ? [{ column: 'head', intervals: head }] : [];
  return {
    tests: [...headTests, ...slots.flatMap(({ tests }) => tests)],
    isExact: isPlain && head !== undefined && slots.every(({ isExact }) => isExact),
  };
}

/** The slots and word values of a statement. */
export function slotsOf(statement: Statement): readonly Slot[] {
  if (!isPropertyStatement(statement)) return wordSlots.flatMap((slot) => statement[slot] ?? []);
  const values = [statement.from, statement.to].filter(
    (value): value is Mention => typeof value === 'object' && value !== null,
  );
  return [statement.subject, ...values];
}

/** Is the value within all bounds? */
export function isInRange(value: number, { min, max, above, below }: Range): boolean {
  return (
    (min === undefined || value >= min) &&
    (max === undefined || value <= max) &&
    (above === undefined || value > above) &&
    (below === undefined || value < below)
  );
}

function hasChanged(
  from: PropertyValue | undefined,
  to: PropertyValue,
  change: NonNullable<PropertyPattern['change']>,
): boolean {
  if (from === undefined) return false;
  if (change === 'changes')
    return typeof from === 'object' || typeof to === 'object'
      ? JSON.stringify(from) !== JSON.stringify(to)
      : from !== to;
  return typeof from === 'number' && typeof to === 'number' && (change === 'rises' ? to > from : to < from);
}
