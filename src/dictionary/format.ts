/** The three groups of words. Ids are unique within a kind; wherever an id stands, the place decides the kind. */
export const wordKinds = ['object', 'action', 'property'] as const;
export type WordKind = (typeof wordKinds)[number];

/** The slots of an action statement that hold a word. */
export const wordSlots = ['subject', 'object', 'with', 'to', 'from', 'at', 'manner'] as const;
export type WordSlot = (typeof wordSlots)[number];

/** All slots of an action statement. */
export const slotNames = [...wordSlots, 'amount'] as const;
export type SlotName = (typeof slotNames)[number];

/** `within`: the word itself says what fills the slot ("drive golf ball"), so a statement does not say it again. */
export const slotUses = ['required', 'optional', 'within', 'none'] as const;
export type SlotUse = (typeof slotUses)[number];

/** What an action says about one of its slots; what it leaves out it inherits from its parent. */
export interface SlotEntry {
  readonly use?: SlotUse;
  /** With `within`: the object that the word itself names, which queries find as if it were said. */
  readonly word?: string;
  /** The slot holds one of these words or what stands under them. */
  readonly accepts?: readonly string[];
  /** How the slot is introduced in a sentence instead of its usual preposition ("falls into lava"). */
  readonly preposition?: string;
}

/** One word of a dictionary file. */
export interface WordEntry {
  readonly name: string;
  /** Tells senses of one name apart; part of the id (`drive#golf`). */
  readonly sense?: string;
  /** Id of the more general word, of the same kind. Only the common dictionary's roots have none. */
  readonly parent?: string;
  readonly definition: string;
  readonly synonyms?: readonly string[];
  /** Objects: the plural where it is not regular (or the name itself for what is not counted). */
  readonly plural?: string;
  /** Actions: forms that are not regular. */
  readonly third?: string;
  readonly past?: string;
  readonly participle?: string;
  readonly gerund?: string;
  /** Actions of several words: the one that is inflected, if not the first. */
  readonly verb?: string;
  /** Actions: nouns for the happening ("death" of "die"), for queries. */
  readonly nouns?: readonly string[];
  readonly slots?: Readonly<Partial<Record<SlotName, SlotUse | SlotEntry>>>;
  /** Actions: what the object thereby does ("kill" causes "die"), so that a query for that finds this as well. */
  readonly causes?: string;
  /** Sentences that use the word. */
  readonly examples?: readonly string[];
}

/** A part of a composite event: a pattern for one statement. `?name` stands for the same thing in every step. */
export interface StepEntry {
  readonly subject?: string;
  readonly action?: string;
  readonly object?: string;
  readonly with?: string;
  readonly to?: string;
  readonly from?: string;
  readonly at?: string;
  readonly manner?: string;
  readonly property?: string;
  /** Properties: which way the value goes. */
  readonly change?: 'rises' | 'drops';
  readonly below?: number;
  readonly above?: number;
  /** The step happens this often; default 1. */
  readonly times?: number;
  /** Instead of all else: one of several patterns. */
  readonly any?: readonly StepEntry[];
}

/** Several statements that together are one happening. */
export interface EventEntry {
  readonly name: string;
  readonly definition: string;
  /** In order. */
  readonly steps: readonly StepEntry[];
  /** Seconds: at most this long between one step and the next. */
  readonly within?: number;
  /** Seconds: at most this long from the first step to the last. */
  readonly span?: number;
  /** What must not happen from the first step to the last. */
  readonly without?: readonly StepEntry[];
  /** Only the first time in a session counts ("first blood"). */
  readonly first?: true;
  /** The statement that says it; `?name` as in the steps. */
  readonly statement: Readonly<Record<string, unknown>>;
}

/** A dictionary file: the common one, or an extension for a game or a genre. */
export interface DictionaryFile {
  readonly format: 'playbyplay/dictionary/1';
  /** Namespace of the words: `common` (no prefix in ids), or a game's or genre's id. */
  readonly name: string;
  /** Semantic version. */
  readonly version: string;
  readonly title?: string;
  readonly description?: string;
  /** Dictionaries it builds on, with the versions it is made for: `{"common": "^1.0.0"}`. */
  readonly extends?: Readonly<Record<string, string>>;
  readonly objects?: readonly WordEntry[];
  readonly actions?: readonly WordEntry[];
  readonly properties?: readonly WordEntry[];
  /** Further names for words of other dictionaries, by kind and id. */
  readonly synonyms?: Readonly<Partial<Record<WordKind, Readonly<Record<string, readonly string[]>>>>>;
  readonly events?: readonly EventEntry[];
}

/** The list of a file that holds the words of a kind. */
export const listOf = { object: 'objects', action: 'actions', property: 'properties' } as const satisfies Record<
  WordKind,
  keyof DictionaryFile
>;

/** Names and synonyms: words of letters and digits with single spaces or hyphens, as they stand in a sentence. */
export const namePattern = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}'’.+/-]*(?: [\p{L}\p{M}\p{N}'’.+/-]+)*$/u;
export const namespacePattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
export const sensePattern = /^[\p{L}\p{N}]+(?:[ -][\p{L}\p{N}]+)*$/u;
export const commonName = 'common';

/** Bounds against files made to hurt. */
export const limits = {
  words: 100_000,
  nameLength: 80,
  definitionLength: 600,
  synonyms: 40,
  /** Levels below a root, the root included. */
  depth: 64,
  events: 10_000,
  steps: 32,
} as const;

/** The kind of word that fills a slot. */
export function slotKind(slot: SlotName): 'object' | 'property' {
  return slot === 'manner' ? 'property' : 'object';
}
