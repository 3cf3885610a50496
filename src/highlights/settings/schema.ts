import type { Schema } from '../../schema/from-schema.ts';

const weights: Schema = {
  description: 'what words are worth, 0 to about 12, by id; a word without an entry has its nearest ancestor’s',
  type: 'object',
  additionalProperties: { type: 'number', minimum: 0, maximum: 1000 },
};

const margins: Schema = {
  description: 'seconds shown around events of these words, by id; a word without an entry has its nearest ancestor’s',
  type: 'object',
  additionalProperties: {
    type: 'object',
    properties: {
      before: { type: 'number', minimum: 0, maximum: 600, description: 'seconds before the event' },
      after: { type: 'number', minimum: 0, maximum: 600, description: 'seconds after its end' },
    },
    required: ['before', 'after'],
    additionalProperties: false,
  },
};

function byKind(description: string, table: Schema): Schema {
  const properties = Object.fromEntries(['action', 'object', 'property'].map((kind) => [kind, table]));
  return { description, type: 'object', properties, additionalProperties: false };
}

/** JSON Schema of `configs/<game>/highlights.json` and of what `--settings` names. */
export const settingsSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'playbyplay highlight settings',
  description: 'what is worth seeing in a game, and how much around it',
  type: 'object',
  properties: {
    $schema: { type: 'string' },
    format: { const: 'playbyplay/highlight-settings/1' },
    game: { type: 'string', description: 'only for sessions of this game; default: any' },
    profile: { type: 'string', description: 'only for logs that this profile made, by name; default: any' },
    notable: {
      type: 'number',
      minimum: 0,
      description: 'least weight of an event that asks for a scene by itself; default 4',
    },
    weights: byKind('what events count for, by the words of their statements', weights),
    margins: byKind('how much is shown around an event; an object’s entry goes before its action’s', margins),
  },
  required: ['format'],
  additionalProperties: false,
};
