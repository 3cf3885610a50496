import type { FromSchema, Schema } from '../schema/from-schema.ts';

/** The kinds of words. Ids are unique within a kind; the position of an id determines its kind. */
export const wordKinds = ['object', 'action', 'property'] as const;
/** A kind of word. */
export type WordKind = (typeof wordKinds)[number];

/** The slots of an action statement that hold a word. */
export const wordSlots = ['subject', 'object', 'with', 'to', 'from', 'at', 'manner'] as const;
/** A slot that holds a word. */
export type WordSlot = (typeof wordSlots)[number];

/** All slots of an action statement. */
export const slotNames = [...wordSlots, 'amount'] as const;
/** A slot of an action statement. */
export type SlotName = (typeof slotNames)[number];

/** How an action uses a slot. `within`: the word itself contains the filler ("drive golf ball"), so statements omit it. */
const slotUses = ['required', 'optional', 'within', 'none'] as const;
/** How an action uses a slot. */
export type SlotUse = (typeof slotUses)[number];

/** The form of names and synonyms: letters, digits and hyphens, with single spaces between words. */
export const namePattern = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}'’.+/-]*(?: [\p{L}\p{M}\p{N}'’.+/-]+)*$/u;
/** The form of a namespace: lower-case letters, digits and hyphens. */
export const namespacePattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** The form of a sense. */
export const sensePattern = /^[\p{L}\p{N}]+(?:[ -][\p{L}\p{N}]+)*$/u;
/** The namespace of the common dictionary. */
export const commonName = 'common';

/** Limits that protect against malicious files. */
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

const NAME = {
  type: 'string',
  maxLength: limits.nameLength,
  pattern: namePattern.source,
  $comment: 'must consist of letters, digits and hyphens, with single spaces between words',
} as const;
const ID = { type: 'string', maxLength: 3 * limits.nameLength } as const;
const TEXT = { type: 'string', maxLength: limits.definitionLength } as const;
const DEFINITION = { ...TEXT, pattern: '\\S', $comment: 'must say in one sentence what it means' } as const;
const NAMES = { type: 'array', maxItems: limits.synonyms, items: NAME } as const;
const SECONDS = { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1e9 } as const;
const VERSION_NUMBER = '(0|[1-9]\\d{0,8})';
const VERSION = `${VERSION_NUMBER}\\.${VERSION_NUMBER}\\.${VERSION_NUMBER}`;
const NAMESPACE = {
  type: 'string',
  maxLength: limits.nameLength,
  pattern: namespacePattern.source,
  $comment: 'must consist of lower-case letters, digits and hyphens',
} as const;

const WORD_PROPERTIES = {
  name: NAME,
  sense: {
    type: 'string',
    maxLength: limits.nameLength,
    pattern: sensePattern.source,
    description: 'Distinguishes senses of one name; part of the id (`drive#golf`).',
  },
  parent: {
    ...ID,
    description: 'Id of the more general word of the same kind. Only roots of the common dictionary have none.',
  },
  definition: DEFINITION,
  synonyms: NAMES,
  formerly: {
    type: 'array',
    maxItems: limits.synonyms,
    items: ID,
    description:
      'What the word was called before: a name, which stays a synonym, or the id (`naval:pirate`) it had in another dictionary. Logs with these are understood.',
  },
  examples: { type: 'array', maxItems: limits.synonyms, items: TEXT, description: 'Sentences that use the word.' },
} as const;

const SLOT_USE = { type: 'string', enum: slotUses } as const;

const SLOT = {
  description: 'What an action says about a slot; what is left out is inherited.',
  anyOf: [
    SLOT_USE,
    {
      type: 'object',
      properties: {
        use: SLOT_USE,
        word: {
          ...ID,
          description: 'With `within`: the object that the word itself names; queries find it as if it were said.',
        },
        accepts: {
          type: 'array',
          maxItems: limits.synonyms,
          items: ID,
          description: 'The slot holds one of these words or a word below them.',
        },
        preposition: {
          type: 'string',
          maxLength: limits.nameLength,
          pattern: '^[a-z]+(?: [a-z]+)*$',
          $comment: 'must be a preposition in lower case',
          description: 'Introduces the slot in a sentence instead of its usual preposition ("falls into lava").',
        },
      },
      additionalProperties: false,
    },
  ],
} as const;

/** An object with the same schema under each of the keys. */
function forEach<const Key extends string, const S>(keys: readonly Key[], schema: S): { readonly [K in Key]: S } {
  return Object.fromEntries(keys.map((key) => [key, schema])) as { readonly [K in Key]: S };
}

const OBJECT = {
  description: 'An object: who and what there is.',
  type: 'object',
  required: ['name', 'definition'],
  properties: {
    ...WORD_PROPERTIES,
    plural: { ...NAME, description: 'The plural where it is irregular (the name itself if it is uncountable).' },
    preposition: {
      type: 'string',
      enum: ['at', 'in', 'on', 'under', 'near'],
      description: 'How something is there, if not "at" it: "dies in lava". Words below inherit it.',
    },
  },
  additionalProperties: false,
} as const;

const ACTION = {
  description: 'An action: what happens. `third`, `past`, `participle` and `gerund` are its irregular forms.',
  type: 'object',
  required: ['name', 'definition'],
  properties: {
    ...WORD_PROPERTIES,
    ...forEach(['third', 'past', 'participle', 'gerund'], NAME),
    verb: { ...NAME, description: 'Of several words: the one that is inflected, if not the first.' },
    nouns: { ...NAMES, description: 'Nouns for the event ("death" for "die"), for queries.' },
    causes: { ...ID, description: 'The action that its object thereby performs: "kill" causes "die".' },
    slots: { type: 'object', properties: forEach(slotNames, SLOT), additionalProperties: false },
  },
  additionalProperties: false,
} as const;

const PROPERTY = {
  description: 'A property of someone or something, or a manner.',
  type: 'object',
  required: ['name', 'definition'],
  properties: {
    ...WORD_PROPERTIES,
    better: {
      type: 'string',
      enum: ['lower', 'higher'],
      description: 'Which values are better, if any: it "improves" and "worsens" then (rank, lap time).',
    },
  },
  additionalProperties: false,
} as const;

const INNER_STEP = {
  type: 'object',
  properties: {
    ...forEach([...wordSlots, 'action', 'property'], ID),
    change: { type: 'string', enum: ['rises', 'drops'], description: 'Of a property: how the value changes.' },
    below: { type: 'number' },
    above: { type: 'number' },
    times: { type: 'integer', minimum: 1, maximum: 1000, description: 'How often the step happens; default 1.' },
  },
  additionalProperties: false,
} as const;

const STEP = {
  ...INNER_STEP,
  description: 'A pattern for one statement; `?name` stands for the same thing in every step.',
  properties: {
    ...INNER_STEP.properties,
    any: {
      type: 'array',
      maxItems: limits.steps,
      items: INNER_STEP,
      description: 'Alternatives, instead of all else.',
    },
  },
} as const;

const STEPS = { type: 'array', maxItems: limits.steps, items: STEP } as const;

const EVENT = {
  description: 'A composite event: several statements that together are one event.',
  type: 'object',
  required: ['name', 'definition', 'steps', 'statement'],
  properties: {
    name: NAME,
    definition: DEFINITION,
    steps: { ...STEPS, minItems: 1, description: 'In this order.' },
    within: { ...SECONDS, description: 'Longest time from one step to the next, in seconds.' },
    span: { ...SECONDS, description: 'Longest time from the first step to the last, in seconds.' },
    without: { ...STEPS, description: 'What must not happen between the first step and the last.' },
    first: { const: true, description: 'Only the first one of a session counts ("first blood").' },
    statement: { type: 'object', description: 'The statement it makes; `?name` as in the steps.' },
  },
  additionalProperties: false,
} as const;

/** The JSON Schema of a dictionary file. `loadDictionary` checks what it cannot say (parents, cycles, name clashes). */
export const dictionarySchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:playbyplay:dictionary:1',
  title: 'A dictionary of playbyplay',
  type: 'object',
  required: ['format', 'name', 'version'],
  properties: {
    format: { const: 'playbyplay/dictionary/1' },
    name: { ...NAMESPACE, description: 'Namespace of its words: `common`, or the id of a game or genre.' },
    version: {
      type: 'string',
      maxLength: limits.nameLength,
      pattern: `^${VERSION}$`,
      $comment: 'must be a version of three numbers such as "1.0.0"',
    },
    title: TEXT,
    description: TEXT,
    extends: {
      description: 'Dictionaries it builds on, with the versions it is made for: `{"common": "^1.0.0"}`.',
      type: 'object',
      propertyNames: NAMESPACE,
      additionalProperties: {
        type: 'string',
        maxLength: limits.nameLength,
        pattern: `^[\\^~]?${VERSION}$`,
        $comment: 'must be a version range such as "^1.0.0"',
      },
    },
    objects: { type: 'array', maxItems: limits.words, items: OBJECT },
    actions: { type: 'array', maxItems: limits.words, items: ACTION },
    properties: { type: 'array', maxItems: limits.words, items: PROPERTY },
    synonyms: {
      description: 'Further names for words of other dictionaries, by kind and id.',
      type: 'object',
      properties: forEach(wordKinds, { type: 'object', additionalProperties: NAMES }),
      additionalProperties: false,
    },
    events: { type: 'array', maxItems: limits.events, items: EVENT },
  },
  additionalProperties: false,
} as const satisfies Schema;

/** What an action says about one of its slots. */
export type SlotEntry = Exclude<FromSchema<typeof SLOT>, SlotUse>;

/** A word of a dictionary file, of any kind. */
export interface WordEntry
  extends FromSchema<typeof ACTION>,
    Pick<FromSchema<typeof OBJECT>, 'plural' | 'preposition'>,
    Pick<FromSchema<typeof PROPERTY>, 'better'> {}

/** A step of a composite event. */
export interface StepEntry extends FromSchema<typeof STEP> {}

/** A composite event of a dictionary file. */
export interface EventEntry extends FromSchema<typeof EVENT> {}

/** A dictionary file: the common one, or an extension for a game or a genre. */
export interface DictionaryFile extends FromSchema<typeof dictionarySchema> {}

/** The list of a file that holds the words of a kind. */
export const listOf = { object: 'objects', action: 'actions', property: 'properties' } as const satisfies Record<
  WordKind,
  keyof DictionaryFile
>;

/** The kind of word that fills a slot. */
export function slotKind(slot: SlotName): 'object' | 'property' {
  return slot === 'manner' ? 'property' : 'object';
}
