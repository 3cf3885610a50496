import type { Schema } from '../schema/from-schema.ts';
import { limits, namePattern, namespacePattern, sensePattern, slotNames, slotUses, wordKinds } from './format.ts';

const name: Schema = { type: 'string', maxLength: limits.nameLength, pattern: namePattern.source };
const id: Schema = { type: 'string', maxLength: 3 * limits.nameLength };
const text: Schema = { type: 'string', maxLength: limits.definitionLength };
const definition: Schema = { ...text, pattern: '\\S' };
const names: Schema = { type: 'array', maxItems: limits.synonyms, items: { $ref: '#/$defs/name' } };
const number = '(0|[1-9]\\d{0,8})';

const everyWord = {
  name: { $ref: '#/$defs/name' },
  sense: { type: 'string', maxLength: limits.nameLength, pattern: sensePattern.source },
  parent: id,
  definition,
  synonyms: names,
  examples: { type: 'array', maxItems: limits.synonyms, items: text },
};

function word(description: string, extra: Readonly<Record<string, Schema>> = {}): Schema {
  return {
    description,
    type: 'object',
    required: ['name', 'definition'],
    properties: { ...everyWord, ...extra },
    additionalProperties: false,
  };
}

const slot: Schema = {
  description: 'what an action says about a slot; what is left out is inherited',
  anyOf: [
    { enum: slotUses },
    {
      type: 'object',
      properties: {
        use: { enum: slotUses },
        word: id,
        accepts: { type: 'array', maxItems: limits.synonyms, items: id },
        preposition: { type: 'string', maxLength: limits.nameLength, pattern: '^[a-z]+(?: [a-z]+)*$' },
      },
      additionalProperties: false,
    },
  ],
};

const patternSlots = slotNames.filter((each) => each !== 'amount');

function step(inner: boolean): Schema {
  const seconds: Schema = { type: 'number' };
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries([...patternSlots, 'action', 'property'].map((key) => [key, id])),
      change: { enum: ['rises', 'drops'] },
      below: seconds,
      above: seconds,
      times: { type: 'integer', minimum: 1, maximum: 1000 },
      ...(!inner && { any: { type: 'array', maxItems: limits.steps, items: { $ref: '#/$defs/inner' } } }),
    },
    additionalProperties: false,
  };
}

const steps: Schema = { type: 'array', maxItems: limits.steps, items: { $ref: '#/$defs/step' } };
const duration: Schema = { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1e9 };

/** The published shape of a dictionary file. What goes beyond shape (parents, circles, clashes) `loadDictionary` checks. */
export const dictionarySchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:playbyplay:dictionary:1',
  title: 'A dictionary of playbyplay',
  type: 'object',
  required: ['format', 'name', 'version'],
  properties: {
    format: { const: 'playbyplay/dictionary/1' },
    name: {
      description: 'common, or the id of a game or genre',
      type: 'string',
      maxLength: limits.nameLength,
      pattern: namespacePattern.source,
    },
    version: { type: 'string', maxLength: limits.nameLength, pattern: `^${number}\\.${number}\\.${number}$` },
    title: text,
    description: text,
    extends: {
      description: 'dictionaries it builds on, with the versions it is made for',
      type: 'object',
      propertyNames: { maxLength: limits.nameLength, pattern: namespacePattern.source },
      additionalProperties: {
        type: 'string',
        maxLength: limits.nameLength,
        pattern: `^[\\^~]?${number}\\.${number}\\.${number}$`,
      },
    },
    objects: {
      type: 'array',
      maxItems: limits.words,
      items: word('who and what there is', { plural: { $ref: '#/$defs/name' } }),
    },
    actions: {
      type: 'array',
      maxItems: limits.words,
      items: word('what happens', {
        ...Object.fromEntries(
          ['third', 'past', 'participle', 'gerund', 'verb'].map((key) => [key, { $ref: '#/$defs/name' }]),
        ),
        nouns: names,
        causes: {
          description: 'the action that its object thereby does',
          type: 'string',
          maxLength: 3 * limits.nameLength,
        },
        slots: {
          type: 'object',
          properties: Object.fromEntries(slotNames.map((each) => [each, slot])),
          additionalProperties: false,
        },
      }),
    },
    properties: {
      type: 'array',
      maxItems: limits.words,
      items: word('what can be said of someone or something, and manners'),
    },
    synonyms: {
      description: 'further names for words of other dictionaries, by kind and id',
      type: 'object',
      properties: Object.fromEntries(wordKinds.map((kind) => [kind, { type: 'object', additionalProperties: names }])),
      additionalProperties: false,
    },
    events: {
      type: 'array',
      maxItems: limits.events,
      items: {
        description: 'several statements that together are one happening',
        type: 'object',
        required: ['name', 'definition', 'steps', 'statement'],
        properties: {
          name: { $ref: '#/$defs/name' },
          definition,
          steps: { ...steps, minItems: 1 },
          within: duration,
          span: duration,
          without: steps,
          first: { const: true },
          statement: { type: 'object' },
        },
        additionalProperties: false,
      },
    },
  },
  additionalProperties: false,
  $defs: { name, step: step(false), inner: step(true) },
};
