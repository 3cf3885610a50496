import type { Range } from '../dictionary/sentences/noun-phrases.ts';
import type { SlotName } from '../dictionary/format.ts';
import type { WordId } from '../events/statement.ts';

export type { Range };

/** A noun in a pattern: any of the words (or what stands under them), with this name, this count, this owner. */
export interface MentionPattern {
  readonly words?: readonly WordId[];
  readonly name?: string;
  readonly count?: Range;
  readonly of?: MentionPattern;
}

/** What a slot must hold: any of the mentions and none of the exceptions; `absent`: nothing that fits. */
export interface SlotPattern {
  readonly any?: readonly MentionPattern[];
  readonly except?: readonly MentionPattern[];
  readonly absent?: true;
  /** A variable: every slot with the same one holds the same thing (word and name), in all steps of a sequence. */
  readonly same?: string;
}

export type PatternSlot = Exclude<SlotName, 'amount'>;

/** An action and its slots; no `action`: any. */
export interface ActionPattern extends Readonly<Partial<Record<PatternSlot, SlotPattern>>> {
  readonly action: readonly WordId[];
  readonly amount?: Range;
  readonly unit?: readonly WordId[];
}

/** A value: a number in a range, a text, or a word. */
export interface ValuePattern extends Range {
  readonly text?: string;
  readonly any?: readonly MentionPattern[];
}

/** A property and how it changes; no `property` word: any. */
export interface PropertyPattern {
  readonly property: readonly WordId[];
  readonly subject?: SlotPattern;
  readonly change?: 'rises' | 'drops' | 'changes';
  readonly from?: ValuePattern;
  readonly to?: ValuePattern;
  /** By how much, without sign. */
  readonly by?: Range;
}

/** Any slot or value of the statement mentions it. */
export interface MentionCondition {
  readonly mentions: SlotPattern;
}

/** Seconds from the start of the session; `last` and `first` are lengths of its end and beginning. */
export interface TimeCondition {
  readonly time: { readonly from?: number; readonly to?: number; readonly first?: number; readonly last?: number };
}

export interface ScopeCondition {
  readonly game?: readonly string[];
  readonly session?: readonly string[];
}

export interface ConfidenceCondition {
  readonly confidence: Range;
}

/** Steps in this order, within one session. */
export interface SequenceCondition {
  readonly sequence: readonly Condition[];
  /** Seconds at most from the end of one step to the next. */
  readonly within?: number;
  /** Seconds at most from the first step to the last. */
  readonly span?: number;
  /** What must not happen between the first step and the last. */
  readonly without?: readonly Condition[];
  /** Each event is used once. */
  readonly apart?: true;
  /** Only the first of a session. */
  readonly first?: true;
}

/** `find` where `other` happens near it in the same session (or, with `absent`, where it does not). */
export interface NearCondition {
  readonly find: Condition;
  readonly near: Condition;
  /** `after`: `find` comes after `other`. */
  readonly side: 'after' | 'before' | 'around';
  readonly within?: number;
  readonly absent?: true;
}

/** A composite event of the dictionary, by id. */
export interface EventCondition {
  readonly event: readonly string[];
}

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

/** What results are grouped by: a slot, a word (the filler that stands under it), or a piece of the event. */
export type GroupKey =
  | { readonly slot: PatternSlot | 'property' }
  | { readonly word: readonly WordId[] }
  | { readonly key: 'action' | 'game' | 'session' | 'name' | 'minute' };

export interface Query {
  readonly find: Condition;
  /** Only how many. */
  readonly count?: true;
  readonly by?: readonly GroupKey[];
  readonly first?: number;
  readonly last?: number;
}
