import { flag, integer, number, object, oneOf, positive } from '../../schema/build.ts';
import { PROVIDERS } from '../../compute/inference.ts';
import type { FromSchema, Schema } from '../../schema/from-schema.ts';

/** Outputs as people's models have them; what each holds is said at its reader. */
export const FORMATS = [
  'yolov5',
  'yolov8',
  'yolov10',
  'yolov7 end to end',
  'rt-detr',
  'rt-detr queries',
  'detr',
  'ssd',
  'ssd anchors',
  'torchvision',
] as const;

const PER_CHANNEL = {
  oneOf: [{ type: 'number' }, { type: 'array', items: { type: 'number' }, minItems: 1, maxItems: 3 }],
} as const;
const NAMES = {
  oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, maxItems: 256 }],
} as const;
const FRACTION = number([0, 1]);

/** What each task needs besides model and region; labels and dictionary may stand in the model itself. */
const NEEDS = { detect: ['format'], embed: ['prototypes'] };

/** Defaults that depend on the task stand in docs/games/networks.md. */
export const ONNX_SCHEMA = {
  type: 'object',
  required: ['region', 'model', 'task'],
  properties: {
    model: { type: 'string', format: 'asset' },
    task: { enum: ['classify', 'detect', 'read', 'embed'] },
    input: object([], {
      name: { type: 'string' },
      width: integer([1, 8192]),
      height: integer([1, 8192]),
      layout: oneOf(['NCHW', 'NHWC'], "Order of the input's dimensions; default as the model says."),
      channels: { enum: ['RGB', 'BGR', 'grey'] },
      scale: number([], 'A level of 0…255 is multiplied by it, reduced by `mean` and divided by `std`.'),
      mean: PER_CHANNEL,
      std: PER_CHANNEL,
      fit: oneOf(['stretch', 'letterbox', 'corner', 'height'], "How a crop is fitted into the network's input."),
      pad: number([0, 255], 'Grey level of what the crop does not cover.'),
      resample: { enum: ['linear', 'smooth'] },
    }),
    output: { type: 'string', description: 'Name of the output; default the first.' },
    labels: {
      oneOf: [
        { type: 'string', format: 'asset' },
        { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 10_000 },
      ],
    },
    words: { type: 'object', maxProperties: 10_000, additionalProperties: { type: 'string', minLength: 1 } },
    background: NAMES,
    activation: { enum: ['softmax', 'sigmoid', 'log', 'none'] },
    temperature: positive(100),
    threshold: FRACTION,
    format: { enum: FORMATS },
    overlap: { ...FRACTION, default: 0.45 },
    across: flag('Whether overlapping boxes of different classes are merged, too.', false),
    most: integer([1, 10_000], undefined, 300),
    value: { enum: ['best', 'count', 'words', 'text', 'number'] },
    dictionary: { type: 'string', format: 'asset' },
    blank: oneOf(['first', 'last'], 'Index of the blank among the classes.', 'first'),
    space: flag("Whether a space follows the dictionary's characters; default: if the model has one class more."),
    charset: {
      type: 'string',
      minLength: 1,
      maxLength: 10_000,
      description: 'Characters that can occur; default all.',
    },
    confidence: oneOf(['line', 'character'], 'Of the whole line, or the geometric mean over its characters.', 'line'),
    beams: integer([1, 64], 'Readings that are followed at once; 1: the best character of each step.', 1),
    timeFirst: flag('Whether the output is time × batch × classes (CRNN).'),
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
    margin: {
      ...FRACTION,
      default: 0.02,
      description: 'Cosine similarity by which the nearest prototype must be ahead of the next.',
    },
    regions: { type: 'array', items: { type: 'string', format: 'region' }, minItems: 1, maxItems: 64 },
    batch: integer(
      [1, 64],
      'Samples that are looked at in one run, of a detector that no other waits for: less work a sample, above all on a graphics processor. Always so many, the rest filled up, so that what is read of one does not depend on the others.',
      1,
    ),
    providers: { type: 'array', items: { enum: PROVIDERS }, minItems: 1, maxItems: 3, uniqueItems: true },
    threads: integer([1, 64], undefined, 1),
    memoryBudget: { type: 'integer', minimum: 1024, maximum: 2 ** 40 },
  },
  allOf: Object.entries(NEEDS).map(([task, required]) => ({
    if: { properties: { task: { const: task } }, required: ['task'] },
    // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
    then: { required },
  })),
} as const satisfies Schema;

/** Options of the kind. */
export type OnnxOptions = FromSchema<typeof ONNX_SCHEMA>;

/** How crops become the network's input. */
export type InputOptions = NonNullable<OnnxOptions['input']>;

/** How the network's classes are called. */
export type ClassOptions = Pick<OnnxOptions, 'labels' | 'words' | 'background'>;

/** Options of reading classes. */
export type ClassifyOptions = Pick<OnnxOptions, 'activation' | 'temperature' | 'threshold'>;

/** Options of reading boxes. */
export type DetectOptions = Pick<
  OnnxOptions,
  'format' | 'activation' | 'threshold' | 'overlap' | 'across' | 'most' | 'value'
>;

/** Options of reading text. */
export type ReadOptions = Pick<
  OnnxOptions,
  | 'blank'
  | 'space'
  | 'activation'
  | 'temperature'
  | 'threshold'
  | 'charset'
  | 'beams'
  | 'value'
  | 'confidence'
  | 'timeFirst'
>;

/** Options of comparing embeddings with prototypes. */
export type EmbedOptions = Pick<OnnxOptions, 'prototypes' | 'threshold' | 'margin' | 'temperature' | 'background'>;

/** The layout of a detection network's output. */
export type BoxFormat = (typeof FORMATS)[number];
