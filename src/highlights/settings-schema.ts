import { number } from '../schema/build.ts';
import type { Schema } from '../schema/from-schema.ts';

const weights = {
  description: 'weights of words by id, 0 to about 12; a word without an entry inherits its nearest ancestor’s',
  type: 'object',
  additionalProperties: number([0, 1000]),
} as const;

const margins = {
  description:
    'seconds shown around events with these words, by id; a word without an entry inherits its nearest ancestor’s',
  type: 'object',
  additionalProperties: {
    type: 'object',
    properties: {
      before: number([0, 600], 'seconds before the event'),
      after: number([0, 600], 'seconds after its end'),
    },
    required: ['before', 'after'],
    additionalProperties: false,
  },
} as const;

function byKind<const Table>(description: string, table: Table) {
  const properties = { action: table, object: table, property: table };
  return { description, type: 'object', properties, additionalProperties: false } as const;
}

/** JSON Schema of `configs/<game>/highlights.json` and of what `--settings` names. */
export const settingsSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:playbyplay:highlight-settings:1',
  title: 'playbyplay highlight settings',
  description: 'weights and margins of the events of a game',
  type: 'object',
  properties: {
    $schema: { type: 'string' },
    format: { const: 'playbyplay/highlight-settings/1' },
    game: { type: 'string', description: 'applies only to sessions of this game; default: any' },
    profile: { type: 'string', description: 'applies only to logs made with the profile of this name; default: any' },
    notable: number([0], 'minimum weight of an event that starts a scene; default 4'),
    weights: byKind('weights of events by the words of their statements', weights),
    margins: byKind('seconds shown around an event; an object’s entry overrides its action’s', margins),
  },
  required: ['format'],
  additionalProperties: false,
} as const satisfies Schema;
