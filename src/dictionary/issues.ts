import type { Issue } from '../errors.ts';

/**
 * Every code by which an issue about a dictionary, a statement, a sentence or a query can be told, and what it says.
 * Codes are permanent: none is renamed or reused. docs/dictionary.md lists them; a test holds the two together.
 */
export const issueCodes = {
  // The file.
  'not-json': 'the file is no JSON',
  'not-a-dictionary': 'the file is JSON, but no object',
  'unknown-format': '`format` is none that this version reads',
  'unknown-key': 'a key that means nothing in its place',
  'wrong-type': 'a value of another type than wanted',
  'bad-value': 'a value of the right type that is not allowed',
  'bad-name': 'a name with characters that cannot stand in a sentence, or an empty proper name',
  'too-large': 'more words, or longer texts, than the limits allow',
  'too-deep': 'more levels of words, or more owners in a row, than the limits allow',
  'duplicate-dictionary': 'two loaded files have the same `name`',
  'no-base': 'an extension does not say which common dictionary it extends',
  'missing-dictionary': 'a dictionary that is extended is not loaded',
  'version-mismatch': 'the loaded version is not in the range that the extension is made for',
  // Words.
  'duplicate-word': 'a word is defined twice in one file',
  'redefined-word': 'an extension takes the name of a word of the common dictionary',
  'clashing-name': 'a form or synonym already stands for another word',
  'unknown-parent': 'the parent is not a known word of the same kind',
  'orphan-word': 'a word of an extension has no parent',
  'parent-cycle': 'a word stands under itself',
  'empty-definition': 'a word without a definition',
  'circular-definition': 'a definition uses the word that it defines',
  'definition-cycle': 'definitions explain each other in a circle',
  // Patterns of actions.
  'slot-widened': 'a word opens or widens a slot that its parent closes or narrows',
  'shared-preposition': 'two slots of an action are introduced by the same preposition',
  'word-without-within': 'an action names what fills a slot but leaves the slot open',
  // Composite events.
  'no-steps': 'a composite event has no steps',
  'duplicate-event': 'two composite events of a file have the same name',
  'bad-step': 'a step has neither an action nor a property, or both, or alternatives and more',
  'unbound-variable': 'the statement of an event speaks of a variable that no step binds',
  // Statements.
  'not-a-statement': 'no object with an action or a property',
  'unknown-word': 'a word that the dictionary does not have',
  'slot-missing': 'a slot that the action requires is empty',
  'slot-excluded': 'a slot is filled that the action does not take, or says itself',
  'slot-mismatch': 'a slot is filled with something other than the action accepts',
  'bad-number': 'a number that is not finite, or a negative count',
  'unit-without-amount': 'a unit, but no amount',
  // Sentences and queries.
  'empty-sentence': 'there is no sentence',
  'sentence-too-long': 'more words than a sentence may have',
  'sentence-too-complex': 'more possible readings than are tried',
  'incomplete-sentence': 'the sentence ends where something must follow',
  'unexpected-word': 'a known word where it makes no sense',
  'ambiguous-sentence': 'several readings are equally good',
} as const satisfies Readonly<Record<string, string>>;

export type IssueCode = keyof typeof issueCodes;

/** An issue about a dictionary, a statement or a sentence. */
export interface DictionaryIssue extends Issue {
  readonly code: IssueCode;
}
