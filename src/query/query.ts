import type { WordSlot } from '../dictionary/format.ts';
import type { Range } from '../dictionary/sentences/noun-phrases.ts';
import type { WordId } from '../events/statement.ts';

export type { Range };

/** A pattern for a noun: one of the words or a descendant, with this name, count and owner. */
export interface MentionPattern {
  readonly words?: readonly WordId[];
  readonly name?: string;
  readonly count?: Range;
  readonly of?: MentionPattern;
}

/** A pattern for a slot: any of the mentions and none of the exceptions. */
export interface SlotPattern {
  readonly any?: readonly MentionPattern[];
  readonly except?: readonly MentionPattern[];
  /** The slot is empty or holds something else. */
  readonly absent?: true;
  /** A variable: all slots with it hold the same word and name, in all steps of a sequence. */
  readonly same?: string;
}

/** A pattern for an action statement; an empty `action` matches any action. */
export interface ActionPattern extends Readonly<Partial<Record<WordSlot, SlotPattern>>> {
  readonly action: readonly WordId[];
  readonly amount?: Range;
  readonly unit?: readonly WordId[];
}

/** A pattern for a value: a number in a range, a text, or a word. */
export interface ValuePattern extends Range {
  readonly text?: string;
  readonly any?: readonly MentionPattern[];
}

/** A pattern for a property statement; an empty `property` matches any property. */
export interface PropertyPattern {
  readonly property: readonly WordId[];
  readonly subject?: SlotPattern;
  readonly change?: 'rises' | 'drops' | 'changes';
  readonly from?: ValuePattern;
  readonly to?: ValuePattern;
  /** The absolute difference of the values. */
  readonly by?: Range;
}

/** A statement that mentions something in any slot or value. */
export interface MentionCondition {
  readonly mentions: SlotPattern;
}

/** Seconds from the start of the session; `first` and `last` are durations from its start and before its end. */
export interface TimeCondition {
  readonly time: { readonly from?: number; readonly to?: number; readonly first?: number; readonly last?: number };
}

/** The games and sessions of an event. */
export interface ScopeCondition {
  readonly game?: readonly string[];
  readonly session?: readonly string[];
}

/** The confidence of an event. */
export interface ConfidenceCondition {
  readonly confidence: Range;
}

/** Steps in order, within one session. */
export interface SequenceCondition {
  readonly sequence: readonly Condition[];
  /** Maximum seconds from the end of a step to the next. */
  readonly within?: number;
  /** Maximum seconds from the first step to the last. */
  readonly span?: number;
  /** What must not happen between the first step and the last. */
  readonly without?: readonly Condition[];
  /** Each event belongs to at most one match. */
  readonly apart?: true;
  /** Only the first match of a session. */
  readonly first?: true;
}

/** Matches of `find` with a match of `near` close to them in the same session. */
export interface NearCondition {
  readonly find: Condition;
  readonly near: Condition;
  /** `after`: `find` comes after `near`. */
  readonly side: 'after' | 'before' | 'around';
  /** Maximum seconds between the two. */
  readonly within?: number;
  /** Matches of `find` without a match of `near` instead. */
  readonly absent?: true;
}

/** A composite event of the dictionary, by id. */
export interface EventCondition {
  readonly event: readonly string[];
}

/** What a query searches for. */
export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition }
  | ActionPattern
  | PropertyPattern
  | MentionCondition
  | TimeCondition
  | ScopeCondition
  | ConfidenceCondition
  | SequenceCondition
  | NearCondition
  | EventCondition;

/** What results are grouped by: a slot, a word that the mention descends from, or a part of the event. */
export type GroupKey =
  | { readonly slot: WordSlot | 'property' }
  | { readonly word: readonly WordId[] }
  | { readonly key: 'action' | 'game' | 'session' | 'name' | 'minute' };

/** The structured form of a query. */
export interface Query {
  readonly find: Condition;
  /** Only the number of matches is wanted. */
  readonly count?: true;
  readonly by?: readonly GroupKey[];
  /** Only this many matches from the start. */
  readonly first?: number;
  /** Only this many matches from the end. */
  readonly last?: number;
}

/** The alternatives of an `any` condition; `undefined` for other conditions. */
export function alternativesOf(condition: Condition): readonly Condition[] | undefined {
  return 'any' in condition ? (condition.any as readonly Condition[]) : undefined;
}

/** The conditions that a condition directly consists of. */
export function childConditions(condition: Condition): readonly Condition[] {
  if ('all' in condition) return condition.all;
  if ('not' in condition) return [condition.not];
  if ('sequence' in condition) return [...condition.sequence, ...(condition.without ?? [])];
  if ('near' in condition) return [condition.find, condition.near];
  return alternativesOf(condition) ?? [];
}

/** Does the condition describe what happens, rather than restrict when, where or to whom? */
export function isAboutEvent(condition: Condition): boolean {
  if ('action' in condition) return (condition as ActionPattern).action.length > 0;
  const alternatives = alternativesOf(condition);
  if (alternatives) return alternatives.every((each) => isAboutEvent(each));
  return 'property' in condition || 'event' in condition || 'sequence' in condition;
}
