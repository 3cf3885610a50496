import type { Issue } from '../errors.ts';
import { parsePointer } from '../json.ts';
import { number } from '../schema/build.ts';
import { findProblems, type SchemaProblem } from '../schema/check.ts';
import type { FromSchema, Schema } from '../schema/from-schema.ts';

/** Length of words, names and texts in statements, in characters. */
export const MAX_CHARACTERS = 200;
const MAX_OWNERS = 3;

const WORD = { type: 'string', $ref: '#/$defs/word' } as const;
const TEXT = { type: 'string', $ref: '#/$defs/text' } as const;
const MENTION = { type: 'object', $ref: '#/$defs/mention' } as const;
const SLOT = { $ref: '#/$defs/slot' } as const;
const VALUE = { $ref: '#/$defs/value' } as const;

/** The JSON Schema of a statement. That its words exist and that its slots suit the action, the dictionary checks. */
export const STATEMENT_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:playbyplay:statement:1',
  title: 'A statement of playbyplay',
  if: { type: 'object', required: ['property'] },
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
  then: { $ref: '#/$defs/property' },
  else: { $ref: '#/$defs/action' },
  $defs: {
    word: {
      description: 'A word by id: `kill`, `openarena:quad damage`, `drive#golf`.',
      type: 'string',
      maxLength: MAX_CHARACTERS,
      pattern: '\\S',
      $comment: `must be a word of at most ${MAX_CHARACTERS} characters`,
    },
    text: {
      type: 'string',
      minLength: 1,
      maxLength: MAX_CHARACTERS,
      pattern: '^[^\\p{Cc}\\p{Cs}]*$',
      $comment: `must consist of 1 to ${MAX_CHARACTERS} printable characters`,
    },
    mention: {
      description: 'A word with a proper name, a count or an owner: `{"word": "flag", "of": "opponent"}`.',
      type: 'object',
      required: ['word'],
      properties: {
        word: WORD,
        name: TEXT,
        count: { type: 'number' },
        of: { ...SLOT, description: `The owner; at most ${MAX_OWNERS} in a row.` },
      },
      additionalProperties: false,
    },
    slot: { oneOf: [WORD, MENTION] },
    value: {
      description: 'A number, a text as read from the screen, or a word.',
      oneOf: [{ type: 'number' }, TEXT, MENTION],
    },
    action: {
      description: 'Who did what to whom with what.',
      type: 'object',
      required: ['action'],
      properties: {
        subject: SLOT,
        action: WORD,
        object: SLOT,
        with: { ...SLOT, description: 'The instrument.' },
        to: { ...SLOT, description: 'The recipient.' },
        from: { ...SLOT, description: 'The source: "obtain key from opponent".' },
        at: { ...SLOT, description: 'The place.' },
        manner: SLOT,
        amount: number([], 'How much: points, meters, ….'),
        unit: WORD,
      },
      additionalProperties: false,
    },
    property: {
      description: 'A property of the subject took a new value.',
      type: 'object',
      required: ['subject', 'property', 'to'],
      properties: { subject: SLOT, property: WORD, from: VALUE, to: VALUE },
      additionalProperties: false,
    },
  },
} as const satisfies Schema;

type Definitions = (typeof STATEMENT_SCHEMA)['$defs'];

/** A word by id (`kill`, `openarena:quad damage`, `drive#golf`). */
export type WordId = string;

/** A word with a proper name, a count or an owner. */
export interface Mention extends FromSchema<Definitions['mention'], typeof STATEMENT_SCHEMA> {}

/** What fills a slot of a statement. */
export type Slot = WordId | Mention;

/** The word of a slot; none of an empty one. */
export function wordOf(slot: Slot): WordId;
export function wordOf(slot: Slot | undefined): WordId | undefined;
export function wordOf(slot: Slot | undefined): WordId | undefined {
  return typeof slot === 'object' ? slot.word : slot;
}

/** A slot as a mention: a word alone becomes a mention of it. */
export function toMention(slot: Slot): Mention {
  return typeof slot === 'string' ? { word: slot } : slot;
}

/** Returns whether a mention is of several or of none. */
export function isPlural({ count }: Mention): boolean {
  return count !== undefined && count !== 1;
}

/** A property's value: a number, a text as read from the screen, or a word. */
export type PropertyValue = number | string | Mention;

/** Who did what to whom with what. Which slots an action requires, the dictionary says. */
export interface ActionStatement extends FromSchema<Definitions['action'], typeof STATEMENT_SCHEMA> {}

/** A property of the subject took a new value. */
export interface PropertyStatement extends FromSchema<Definitions['property'], typeof STATEMENT_SCHEMA> {}

/** What an event states: an action, or a change of a property. */
export type Statement = ActionStatement | PropertyStatement;

/** Returns whether a statement is about a property. */
export function isPropertyStatement(statement: Statement): statement is PropertyStatement {
  return 'property' in statement;
}

/**
 * Checks the form of a statement and normalizes it: keys in the order of the log, members that are `null` left out, a mention
 * of nothing but a word as that word.
 *
 * @returns The statement, or the issues, whose paths are JSON pointers into the value.
 */
export function parseStatement(
  value: unknown,
): { readonly statement: Statement } | { readonly issues: readonly Issue[] } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuse('a statement must be an object');
  const given = Object.fromEntries(
    Object.entries(value).filter(([, member]) => member !== undefined && member !== null),
  );
  const isProperty = 'property' in value;
  if (isProperty === 'action' in value) return refuse('a statement must have either an action or a property');
  const problems = findProblems(STATEMENT_SCHEMA, given);
  if (problems.length > 0)
    return { issues: problems.map((problem) => statementIssue(problem, isProperty ? 'a property' : 'an action')) };
  const order = Object.keys(STATEMENT_SCHEMA.$defs[isProperty ? 'property' : 'action'].properties);
  for (const key of order)
    if (countOwners(given[key]) > MAX_OWNERS)
      return refuse(`${key} has more than ${MAX_OWNERS} owners in a row`, `/${key}`);
  const isValue = (key: string): boolean => isProperty && (key === 'from' || key === 'to');
  const entries = order.flatMap((key): [string, unknown][] =>
    given[key] === undefined ? [] : [[key, isValue(key) ? normalizeValue(given[key]) : normalizeSlot(given[key])]],
  );
  return { statement: Object.fromEntries(entries) as unknown as Statement };
}

function refuse(message: string, path = ''): { readonly issues: readonly Issue[] } {
  return { issues: [{ code: 'statement-shape', path, message }] };
}

function statementIssue({ pointer, message, error }: SchemaProblem, kind: string): Issue {
  const names = parsePointer(pointer);
  const isUnknownSlot = error?.keyword === 'additionalProperties' && names.length === 1;
  return {
    code: 'statement-shape',
    path: pointer,
    message: isUnknownSlot ? `${kind} statement has no "${names[0]}"` : message,
  };
}

function countOwners(slot: unknown): number {
  return typeof slot === 'object' && slot !== null && 'of' in slot ? 1 + countOwners(slot.of) : 0;
}

/** A slot with its keys in the order of the log; a number without the sign of zero. */
function normalizeSlot(slot: unknown): unknown {
  if (typeof slot !== 'object') return slot === 0 ? 0 : slot;
  const { word, name, count, of } = slot as Mention;
  if (name === undefined && count === undefined && of === undefined) return word;
  return {
    word,
    ...(name === undefined ? {} : { name }),
    ...(count === undefined ? {} : { count: count === 0 ? 0 : count }),
    ...(of === undefined ? {} : { of: normalizeSlot(of) }),
  };
}

/** In a property's value a bare word is an object, because a string is a text. */
function normalizeValue(value: unknown): unknown {
  const normalized = normalizeSlot(value);
  return typeof value === 'object' && typeof normalized === 'string' ? { word: normalized } : normalized;
}
