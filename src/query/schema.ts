import type { Schema } from '../schema/from-schema.ts';
import { wordSlots } from '../dictionary/format.ts';

const ids: Schema = { type: 'array', maxItems: 200, items: { type: 'string', minLength: 1, maxLength: 240 } };
const texts: Schema = {
  type: 'array',
  minItems: 1,
  maxItems: 200,
  items: { type: 'string', minLength: 1, maxLength: 400 },
};
const number: Schema = { type: 'number' };
const seconds: Schema = { type: 'number', minimum: 0 };
const bounds = { min: number, max: number, above: number, below: number };
const ref = (name: string): Schema => ({ $ref: `#/$defs/${name}` });
const mentions: Schema = { type: 'array', minItems: 1, maxItems: 200, items: ref('mention') };
const conditions: Schema = { type: 'array', minItems: 1, maxItems: 200, items: ref('condition') };
const side: Schema = { enum: ['after', 'before', 'around'] };

function object(
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = [],
  description?: string,
): Schema {
  return {
    ...(description !== undefined && { description }),
    type: 'object',
    properties,
    required,
    additionalProperties: false,
  };
}

/** The published structured form of a query; `compileQuery` takes it as well as a sentence. */
export const querySchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:playbyplay:query:1',
  title: 'A query of playbyplay',
  ...(object(
    {
      find: ref('condition'),
      count: { description: 'only how many', const: true },
      by: { description: 'what to count by', type: 'array', minItems: 1, maxItems: 8, items: ref('group') },
      first: { description: 'only so many from the beginning', type: 'integer', minimum: 1 },
      last: { description: 'only so many from the end', type: 'integer', minimum: 1 },
    },
    ['find'],
  ) as Readonly<Record<string, unknown>>),
  $defs: {
    range: object(bounds, [], 'all bounds hold; min and max are inclusive'),
    mention: object(
      {
        words: { ...(ids as object), minItems: 1 },
        name: { type: 'string', minLength: 1, maxLength: 400 },
        count: ref('range'),
        of: ref('mention'),
      },
      [],
      'any of the words or their descendants, with this name, count and owner',
    ),
    slot: object(
      {
        any: mentions,
        except: mentions,
        absent: { const: true },
        same: { type: 'string', minLength: 1, maxLength: 100 },
      },
      [],
      'any of the mentions and none of the exceptions; absent: nothing that fits; same: a variable',
    ),
    value: object(
      { ...bounds, text: { type: 'string', maxLength: 2000 }, any: mentions },
      [],
      'a number in a range, a text, or a word',
    ),
    group: {
      oneOf: [
        object({ slot: { enum: [...wordSlots, 'property'] } }, ['slot']),
        object({ word: { ...(ids as object), minItems: 1 } }, ['word']),
        object({ key: { enum: ['action', 'game', 'session', 'name', 'minute'] } }, ['key']),
      ],
    },
    condition: {
      oneOf: [
        object({ all: conditions }, ['all']),
        object({ any: conditions }, ['any']),
        object({ not: ref('condition') }, ['not']),
        object(
          {
            action: ids,
            ...Object.fromEntries(wordSlots.map((slot) => [slot, ref('slot')])),
            amount: ref('range'),
            unit: { ...(ids as object), minItems: 1 },
          },
          ['action'],
          'an action and its slots; no word: any action',
        ),
        object(
          {
            property: ids,
            subject: ref('slot'),
            change: { enum: ['rises', 'drops', 'changes'] },
            from: ref('value'),
            to: ref('value'),
            by: ref('range'),
          },
          ['property'],
          'a property and how it changes',
        ),
        object({ mentions: ref('slot') }, ['mentions'], 'any slot or value mentions it'),
        object(
          { time: object({ from: seconds, to: seconds, first: seconds, last: seconds }) },
          ['time'],
          'seconds of the session',
        ),
        object({ game: texts, session: texts }, ['game']),
        object({ session: texts }, ['session']),
        object({ confidence: ref('range') }, ['confidence']),
        object(
          {
            sequence: conditions,
            within: seconds,
            span: seconds,
            without: conditions,
            apart: { const: true },
            first: { const: true },
          },
          ['sequence'],
          'steps in this order within one session',
        ),
        object(
          { find: ref('condition'), near: ref('condition'), side, within: seconds, absent: { const: true } },
          ['find', 'near', 'side'],
          'find, where the other happens on this side of it within so many seconds',
        ),
        object({ event: { ...(ids as object), minItems: 1 } }, ['event'], 'a composite event of the dictionary'),
      ],
    },
  },
};
