import { PROVIDERS, type Provider } from '../../compute/inference/network.ts';
import type { JsonSchema } from '../kind.ts';
import { FORMATS } from './boxes.ts';
import type { ClassifyOptions } from './classify.ts';
import type { ReadOptions } from './ctc.ts';
import type { DetectOptions } from './detect.ts';
import type { EmbedOptions } from './embed.ts';
import type { InputOptions } from './input.ts';
import type { ClassOptions } from './scores.ts';

interface Common extends ClassOptions {
  readonly model: string;
  readonly task: 'classify' | 'detect' | 'read' | 'embed';
  readonly input?: InputOptions;
  /** Name of the output; default the first. */
  readonly output?: string;
  readonly dictionary?: string;
  readonly regions?: readonly string[];
  /** Samples that are looked at in one run. */
  readonly batch?: number;
  readonly providers?: readonly Provider[];
  readonly threads?: number;
  readonly memoryBudget?: number;
  readonly value?: 'text' | 'number' | 'best' | 'count' | 'words';
}

export type OnnxOptions = Common &
  Omit<ClassifyOptions, 'value'> &
  Omit<DetectOptions, 'value'> &
  Omit<ReadOptions, 'value'> &
  EmbedOptions;

const PER_CHANNEL = {
  oneOf: [{ type: 'number' }, { type: 'array', items: { type: 'number' }, minItems: 1, maxItems: 3 }],
};
const NAMES = {
  oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, maxItems: 256 }],
};
const FRACTION = { type: 'number', minimum: 0, maximum: 1 };

/** What each task needs besides model and region; labels and dictionary may stand in the model itself. */
const NEEDS = { detect: ['format'], embed: ['prototypes'] };

/** Defaults that depend on the task stand in docs/networks.md. */
export const schema: JsonSchema = {
  type: 'object',
  required: ['region', 'model', 'task'],
  properties: {
    model: { type: 'string', format: 'asset' },
    task: { enum: ['classify', 'detect', 'read', 'embed'] },
    input: {
      type: 'object',
      additionalProperties: false,
      properties: {
        name: { type: 'string' },
        width: { type: 'integer', minimum: 1, maximum: 8192 },
        height: { type: 'integer', minimum: 1, maximum: 8192 },
        layout: { enum: ['NCHW', 'NHWC'] },
        channels: { enum: ['RGB', 'BGR', 'grey'] },
        scale: { type: 'number' },
        mean: PER_CHANNEL,
        std: PER_CHANNEL,
        fit: { enum: ['stretch', 'letterbox', 'corner', 'height'] },
        pad: { type: 'number', minimum: 0, maximum: 255 },
        resample: { enum: ['linear', 'smooth'] },
      },
    },
    output: { type: 'string' },
    labels: {
      oneOf: [
        { type: 'string', format: 'asset' },
        { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 10_000 },
      ],
    },
    words: { type: 'object', maxProperties: 10_000, additionalProperties: { type: 'string', minLength: 1 } },
    background: NAMES,
    activation: { enum: ['softmax', 'sigmoid', 'log', 'none'] },
    temperature: { type: 'number', exclusiveMinimum: 0, maximum: 100 },
    threshold: FRACTION,
    format: { enum: FORMATS },
    overlap: { ...FRACTION, default: 0.45 },
    across: { type: 'boolean', default: false },
    most: { type: 'integer', minimum: 1, maximum: 10_000, default: 300 },
    value: { enum: ['best', 'count', 'words', 'text', 'number'] },
    dictionary: { type: 'string', format: 'asset' },
    blank: { enum: ['first', 'last'], default: 'first' },
    space: { type: 'boolean' },
    charset: { type: 'string', minLength: 1, maxLength: 10_000 },
    confidence: { enum: ['line', 'character'], default: 'line' },
    beams: { type: 'integer', minimum: 1, maximum: 64, default: 1 },
    timeFirst: { type: 'boolean' },
    prototypes: {
      type: 'object',
      minProperties: 1,
      maxProperties: 1000,
      additionalProperties: {
        oneOf: [
          { type: 'string', format: 'asset' },
          { type: 'array', items: { type: 'string', format: 'asset' }, minItems: 1, maxItems: 100 },
        ],
      },
    },
    margin: { ...FRACTION, default: 0.02 },
    regions: { type: 'array', items: { type: 'string', format: 'region' }, minItems: 1, maxItems: 64 },
    batch: {
      type: 'integer',
      minimum: 1,
      maximum: 64,
      default: 1,
      description:
        'Samples that are looked at in one run, of a detector that no other waits for: less work a sample, above all on a graphics processor. Always so many, the rest filled up, so that what is read of one does not depend on the others.',
    },
    providers: { type: 'array', items: { enum: PROVIDERS }, minItems: 1, maxItems: 3, uniqueItems: true },
    threads: { type: 'integer', minimum: 1, maximum: 64, default: 1 },
    memoryBudget: { type: 'integer', minimum: 1024, maximum: 2 ** 40 },
  },
  allOf: Object.entries(NEEDS).map(([task, required]) => ({
    if: { properties: { task: { const: task } }, required: ['task'] },
    // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
    then: { required },
  })),
};
