import type { Issue } from '../errors.ts';

/**
 * The codes of issues about dictionaries, statements, sentences and queries, with their meaning.
 *
 * Codes are permanent: none is renamed or reused. docs/reference/issue-codes.md lists them.
 */
export const issueCodes = {
  // Files
  'not-json': 'the file is not JSON',
  'not-a-dictionary': 'the JSON of the file is not an object',
  'unknown-format': '`format` is not supported',
  'unknown-key': 'a key is not known where it is used',
  'wrong-type': 'a value has the wrong type',
  'bad-value': 'a value of the right type is not allowed',
  'bad-name': 'a name contains characters that cannot be part of a sentence, or a proper name is empty',
  'too-large': 'there are more words, or a text is longer, than the limits allow',
  'too-deep': 'there are more levels of words, or more nested owners, than the limits allow',
  'duplicate-dictionary': 'two loaded files have the same `name`',
  'no-base': 'an extension does not declare which common dictionary it extends',
  'missing-dictionary': 'an extended dictionary is not loaded',
  'version-mismatch': 'the loaded version is outside the range that the extension requires',
  // Words
  'duplicate-word': 'a word is defined twice in one file',
  'redefined-word': 'an extension uses the name of a word of the common dictionary',
  'clashing-name': 'a form or synonym belongs to another word',
  'unknown-parent': 'the parent is not a known word of the same kind',
  'orphan-word': 'a word of an extension has no parent',
  'parent-cycle': 'a word is its own ancestor',
  'empty-definition': 'a word has no definition',
  'circular-definition': 'a definition uses the word that it defines',
  'definition-cycle': 'definitions use each other in a cycle',
  // Slots of actions
  'slot-widened': 'a word opens or widens a slot that its parent closes or narrows',
  'shared-preposition': 'two slots of an action have the same preposition',
  'word-without-within': 'an action names the word of a slot but does not close the slot',
  // Composite events
  'no-steps': 'a composite event has no steps',
  'duplicate-event': 'two composite events of a file have the same name',
  'bad-step': 'a step has neither an action nor a property, or both, or alternatives with other keys',
  'unbound-variable': 'the statement of an event uses a variable that no step binds',
  // Statements
  'not-a-statement': 'the value is not an object with an action or a property',
  'unknown-word': 'the dictionary does not have the word',
  'slot-missing': 'a slot that the action requires is empty',
  'slot-excluded': 'a slot is filled that the action excludes or already contains',
  'slot-mismatch': 'a slot is filled with something that the action does not accept',
  'bad-number': 'a number is not finite, or a count is negative',
  'unit-without-amount': 'there is a unit but no amount',
  // Sentences and queries
  'empty-sentence': 'the sentence is empty',
  'sentence-too-long': 'the sentence has too many words',
  'ambiguous-question': 'the question can mean different things',
  'sentence-too-complex': 'the sentence has too many possible readings',
  'incomplete-sentence': 'the sentence ends where something must follow',
  'unexpected-word': 'a known word is not expected where it is',
  'ambiguous-sentence': 'several readings are equally likely',
  'other-command': 'the question is not about events; the hint names the command that answers it',
  'absent-word': 'no event of the logs states what the question is about',
} as const satisfies Readonly<Record<string, string>>;

/** A code of {@link issueCodes}. */
export type IssueCode = keyof typeof issueCodes;

/** An issue about a dictionary, a statement or a sentence. */
export interface DictionaryIssue extends Issue {
  readonly code: IssueCode;
}
