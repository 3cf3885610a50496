import type { Schema } from '../schema/from-schema.ts';

// Parts of the profile's schema: simple values, and how detectors depend on and support one another.

export const NAME = {
  type: 'string',
  pattern: '^[\\p{L}\\p{N}](?:[\\p{L}\\p{N} ._-]{0,62}[\\p{L}\\p{N}])?$',
  $comment: 'must be a name of at most 64 letters, digits, spaces, dots and hyphens',
};
const ONE_VALUE: Schema = {
  if: { type: 'object' },
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
  then: {
    type: 'object',
    minProperties: 1,
    additionalProperties: false,
    properties: { min: { type: 'number' }, max: { type: 'number' } },
  },
  else: { type: ['string', 'number', 'boolean'], $comment: 'must be a value, bounds (min, max), or a list of these' },
};

/** Which readings are meant. */
export const VALUE: Schema = {
  description: 'A value (a text between slashes is a regular expression), bounds of numbers, or a list of these.',
  if: { type: 'array' },
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
  then: { type: 'array', minItems: 1, maxItems: 200, items: ONE_VALUE },
  else: ONE_VALUE,
};
export const SECONDS = { type: 'number', exclusiveMinimum: 0, maximum: 3600 };
export const FRACTION = { type: 'number', minimum: 0, maximum: 1 };
export const PATTERN = { type: 'string', format: 'regex', maxLength: 1000 };
const TAG = { type: 'string', format: 'language', maxLength: 35 };
/** Languages, as BCP 47 tags. */
export const TAGS = { type: 'array', minItems: 1, maxItems: 50, uniqueItems: true, items: TAG };
/** One language or several. */
export const LANGUAGE = { oneOf: [TAG, { ...TAGS, maxItems: 8 }] };
export const DETECTOR = { type: 'string', format: 'detector' };

/** A detector, or a sequence, which makes cues as well. */
export const SOURCE = { type: 'string', format: 'source' };
export const MODES = {
  type: 'array',
  minItems: 1,
  uniqueItems: true,
  items: { type: 'string', format: 'mode' },
};

const CONDITION = {
  detector: { ...SOURCE, description: 'The detector or sequence whose cue it is.' },
  trigger: { enum: ['found', 'changed', 'lost'], description: 'Default: found or changed.' },
  match: { ...PATTERN, description: 'Over the value; of what is lost: over what it was.' },
  change: { enum: ['rise', 'fall'] },
};
const ONE_CUE: Schema = {
  type: 'object',
  required: ['detector'],
  additionalProperties: false,
  properties: CONDITION,
};

export const ACTIVATION = {
  type: 'object',
  required: ['detector'],
  additionalProperties: false,
  properties: {
    ...CONDITION,
    for: { ...SECONDS, description: 'Seconds from the cue on.' },
    until: { ...ONE_CUE, description: 'The cue that ends it.' },
  },
};

export const SEQUENCE = {
  type: 'object',
  required: ['steps'],
  additionalProperties: false,
  properties: {
    steps: {
      type: 'array',
      minItems: 2,
      maxItems: 9,
      items: {
        type: 'object',
        required: ['detector'],
        additionalProperties: false,
        properties: { ...CONDITION, within: { ...SECONDS, description: 'Seconds after the step before, at most.' } },
      },
    },
    within: { ...SECONDS, default: 10, description: 'Seconds from the first step to the last, at most.' },
    unless: { ...ONE_CUE, description: 'A cue that breaks off what has begun.' },
    statement: { type: 'object', maxProperties: 12 },
  },
};

const WORD: Schema = { type: 'string', minLength: 1, maxLength: 200 };

export const FUSION = {
  description: 'How statements of several detectors about one happening become one event; false: not at all.',
  if: { type: 'object' },
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
  then: {
    type: 'object',
    additionalProperties: false,
    properties: {
      window: { type: 'number', minimum: 0, maximum: 30, default: 0.5, description: 'Seconds.' },
      independence: { ...FRACTION, default: 0.5, description: 'How much of what further evidence says counts.' },
      rules: {
        type: 'array',
        maxItems: 100,
        items: {
          type: 'object',
          minProperties: 2,
          additionalProperties: false,
          properties: {
            action: WORD,
            property: WORD,
            window: { type: 'number', minimum: 0, maximum: 30 },
            off: { const: true },
          },
        },
      },
      calibration: {
        type: 'object',
        maxProperties: 500,
        propertyNames: DETECTOR,
        description: 'By detector: offset and slope of its confidence in log-odds.',
        additionalProperties: { type: 'array', minItems: 2, maxItems: 2, items: { type: 'number' } },
      },
    },
  },
  else: { const: false, $comment: 'must be an object, or false' },
};
