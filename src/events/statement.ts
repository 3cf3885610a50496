/** A word by id (`kill`, `openarena:quad damage`, `drive#golf`). */
export type WordId = string;

/** A word with more said about it: a proper name, how many, whose. Keys stand in this order in a log. */
export interface Mention {
  readonly word: WordId;
  readonly name?: string;
  readonly count?: number;
  /** The owner: `{word: "flag", of: "opponent"}` is "opponent's flag". Without it, whose thing it was would be lost. */
  readonly of?: Slot;
}

/** What stands in a slot of a statement: a bare word, a word with more said about it. */
export type Slot = WordId | Mention;

/** A property's value: a number, a free text (as read from the screen), or a word. */
export type PropertyValue = number | string | Mention;

/** Who did what to whom with what. At least the action; which slots an action needs is said by the dictionary. */
export interface ActionStatement {
  readonly subject?: Slot;
  readonly action: WordId;
  readonly object?: Slot;
  /** Instrument. */
  readonly with?: Slot;
  /** Recipient. */
  readonly to?: Slot;
  /** Source or origin (obtain key from opponent). */
  readonly from?: Slot;
  /** Place. */
  readonly at?: Slot;
  /** Manner, a word (headshot, airborne). */
  readonly manner?: Slot;
  /** How often or how much (as in "player kills 2 opponents" the object's count; here: points, metres …). */
  readonly amount?: number;
  readonly unit?: WordId;
}

/** A property of the subject took a new value. */
export interface PropertyStatement {
  readonly subject: Slot;
  readonly property: WordId;
  readonly from?: PropertyValue;
  readonly to: PropertyValue;
}

export type Statement = ActionStatement | PropertyStatement;

export function isPropertyStatement(statement: Statement): statement is PropertyStatement {
  return 'property' in statement;
}
