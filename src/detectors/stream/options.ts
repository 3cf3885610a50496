import type { FromSchema, Schema } from '../../schema/from-schema.ts';

/** Schema of the options of `stream` detectors. */
export const STREAM_SCHEMA = {
  type: 'object',
  required: ['stream', 'of'],
  properties: {
    stream: { type: 'string', minLength: 1, description: 'The name that the file was given with `--stream`.' },
    of: { enum: ['text', 'key', 'rate', 'value'], description: 'What is read from each record.' },
    field: { type: 'string', minLength: 1, description: 'Column or field to read.' },
    keys: {
      type: 'array',
      minItems: 1,
      maxItems: 256,
      items: { type: 'string', minLength: 1 },
      description: 'Of `key`: the keys and combinations (`ctrl+c`) to read; default: every key.',
    },
    window: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 600,
      default: 2,
      description: 'Of `rate`: presses are counted over this many seconds.',
    },
    hold: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 3600,
      default: 10,
      description: 'Of `value`: seconds after which a value is no longer valid.',
    },
    step: {
      type: 'number',
      exclusiveMinimum: 0,
      default: 1,
      description: 'Of `value`: values are rounded to multiples of it.',
    },
  },
} as const satisfies Schema;

/** Options of `stream` detectors. */
export type StreamOptions = FromSchema<typeof STREAM_SCHEMA>;
