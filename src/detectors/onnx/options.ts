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

/** Options of the kind. Defaults that depend on the task stand in docs/games/networks.md. */
export const ONNX_SCHEMA = {
  type: 'object',
  required: ['region', 'model', 'task'],
  properties: {
    model: {
      type: 'string',
      format: 'asset',
      description: 'ONNX file of at most 256 MB with standard operators and its weights inside.',
    },
    task: oneOf(
      ['classify', 'detect', 'read', 'embed'],
      'What the network does: name what a region shows, find things, read a line, or compare with example pictures.',
    ),
    input: object([], {
      name: { type: 'string' },
      width: integer([1, 8192], 'Needed where the model leaves it open.'),
      height: integer([1, 8192], 'Needed where the model leaves it open.'),
      layout: oneOf(['NCHW', 'NHWC'], "Order of the input's dimensions; default as the model says."),
      channels: oneOf(['RGB', 'BGR', 'grey'], 'Default RGB.'),
      scale: number([], 'A level of 0…255 is multiplied by it, reduced by `mean` and divided by `std`; default 1/255.'),
      mean: { ...PER_CHANNEL, description: 'Of all channels, or per channel; default 0.' },
      std: { ...PER_CHANNEL, description: 'Of all channels, or per channel; default 1.' },
      fit: oneOf(
        ['stretch', 'letterbox', 'corner', 'height'],
        "How a crop is fitted into the network's input: stretched; with borders, as the YOLO family; at the top left; or as a line of text of full height. The default depends on the task.",
      ),
      pad: number([0, 255], 'Gray level of what the crop does not cover.'),
      resample: oneOf(['linear', 'smooth'], 'As cv2 does, or with a wider filter when shrinking.'),
    }),
    output: { type: 'string', description: 'Name of the output; default the first.' },
    labels: {
      description:
        "Classes in the network's order: a list, or a file with one per line; default the names in the model.",
      oneOf: [
        { type: 'string', format: 'asset' },
        { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 10_000 },
      ],
    },
    words: {
      type: 'object',
      maxProperties: 10_000,
      additionalProperties: { type: 'string', minLength: 1 },
      description: 'What classes are called in the reading, by label.',
    },
    background: { ...NAMES, description: 'Classes that mean that nothing is there.' },
    activation: oneOf(
      ['softmax', 'sigmoid', 'log', 'none'],
      'How outputs become probabilities: of classes that exclude each other (default of classes), of independent ones, of logarithms, or as they are.',
    ),
    temperature: positive(
      100,
      'Divides the logits, to correct overconfident networks. Fit it on frames that were not trained on.',
    ),
    threshold: { ...FRACTION, description: 'Least confidence; the default depends on the task.' },
    format: oneOf(FORMATS, 'Layout of the boxes in the output.'),
    overlap: {
      ...FRACTION,
      default: 0.45,
      description: 'Boxes that share more than this part of their joint area are merged.',
    },
    across: flag('Whether overlapping boxes of different classes are merged, too.', false),
    most: integer([1, 10_000], 'Boxes that are kept, the most confident ones.', 300),
    value: oneOf(
      ['best', 'count', 'words', 'text', 'number'],
      'The reading of boxes: the most likely word (default), their number, or all words ("2 imp, zombie"); of a line: its text (default) or a number.',
    ),
    dictionary: {
      type: 'string',
      format: 'asset',
      description: 'One character per line, in the order of training.',
    },
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
      description: 'Example pictures by name.',
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
    regions: {
      type: 'array',
      items: { type: 'string', format: 'region' },
      minItems: 1,
      maxItems: 64,
      description: 'Further regions read in the same run, such as inventory slots: `sword, –, bow`.',
    },
    batch: integer(
      [1, 64],
      'Samples that are looked at in one run, of a detector that no other waits for: less work a sample, above all on a graphics processor. Always so many, the rest filled up, so that what is read of one does not depend on the others.',
      1,
    ),
    providers: {
      type: 'array',
      items: { enum: PROVIDERS },
      minItems: 1,
      maxItems: 3,
      uniqueItems: true,
      description: 'Where it may run, in order; default `cpu`. Logs of different providers may differ.',
    },
    threads: integer([1, 64], 'Threads of the runtime.', 1),
    memoryBudget: {
      type: 'integer',
      minimum: 1024,
      maximum: 2 ** 40,
      description: 'Bytes for features and weights. A larger network runs in tiles, with the same result.',
    },
  },
  allOf: Object.entries(NEEDS).map(([task, required]) => ({
    if: { properties: { task: { const: task } }, required: ['task'] },
    // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
    then: { required },
  })),
} as const satisfies Schema;

/** Options of the kind, as a profile gives them. */
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
