import type { Schema } from '../schema/from-schema.ts';
import {
  ACTIVATION,
  DETECTOR,
  FRACTION,
  FUSION,
  LANGUAGE,
  MODES,
  NAME,
  PATTERN,
  SECONDS,
  SEQUENCE,
  SOURCE,
  TAGS,
  VALUE,
} from './schema-links.ts';

/** The schemas of what a profile can use, supplied by those who know the kinds. */
export interface KindSchemas {
  /** By kind of detector: the schema of its own options. */
  readonly detectors: ReadonlyMap<string, Schema>;
  /** Schema of a region's `preprocess` list, with an `$id`. */
  readonly preprocess?: Schema;
  /** Kinds whose readings are made behind the workers: `compare` with the sample before; `hear`, or `follow` a file, instead of looking. */
  readonly late?: ReadonlyMap<string, 'compare' | 'hear' | 'follow'>;
  /** By kind that can say where it found something: whether it does with these options. */
  readonly places?: ReadonlyMap<string, (options: Readonly<Record<string, unknown>>) => boolean>;
}

const EVERY: Schema = { type: 'integer', minimum: 1, maximum: 100_000 };

const REGION = {
  type: 'object',
  required: ['x', 'y', 'width', 'height'],
  additionalProperties: false,
  properties: {
    x: { ...FRACTION, description: 'Left edge, as a fraction of the reference frame.' },
    y: { ...FRACTION, description: 'Upper edge.' },
    width: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
    height: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
    anchor: {
      enum: ['top left', 'top', 'top right', 'left', 'centre', 'right', 'bottom left', 'bottom', 'bottom right'],
      default: 'centre',
      description: 'The point of the frame to which the element keeps its distance on other aspect ratios.',
    },
    scale: {
      enum: ['height', 'width', 'fit', 'stretch', 'whole', 'none'],
      default: 'height',
      description:
        'What the element grows with when the frame has another size; `whole`: in whole steps, see `canvas`.',
    },
    canvas: {
      type: 'object',
      required: ['width', 'height'],
      additionalProperties: false,
      description:
        'With scale `whole`: the pixels on which the game draws its HUD, which it enlarges by the greatest whole number that fits into the frame; default 320 × 200.',
      properties: {
        width: { type: 'integer', minimum: 1, maximum: 16_384 },
        height: { type: 'integer', minimum: 1, maximum: 16_384 },
      },
    },
    padding: {
      description: "Extra margin on every side, in fractions of the region's own size.",
      oneOf: [
        { type: 'number', minimum: 0, maximum: 2 },
        {
          type: 'object',
          required: ['x', 'y'],
          additionalProperties: false,
          properties: { x: { type: 'number', minimum: 0, maximum: 2 }, y: { type: 'number', minimum: 0, maximum: 2 } },
        },
      ],
    },
    preprocess: { type: 'array', maxItems: 32, items: { type: 'object', required: ['step'] } },
    modes: { ...MODES, description: 'The modes in which its detectors are read.' },
    relative: {
      type: 'object',
      required: ['detector'],
      additionalProperties: false,
      description: 'It lies where a detector found something in the same sample: x and y count from there.',
      properties: {
        detector: DETECTOR,
        unit: { enum: ['found', 'frame'], default: 'found', description: 'Sizes of what was found, or of the frame.' },
        hold: { ...SECONDS, description: 'Seconds for which it stays where something was found last.' },
      },
    },
  },
};

/** Offsets and sizes of a region that follows something may be any. */
const ANYWHERE = { type: 'number', minimum: -100, maximum: 100 };
const EXTENT = { type: 'number', exclusiveMinimum: 0, maximum: 100 };

/** In pixels of the reference frame: what a frame can have. */
const PIXEL = { type: 'number', minimum: 0, maximum: 32_768 };
const PIXELS = { type: 'number', exclusiveMinimum: 0, maximum: 32_768 };
const IN_PIXELS = {
  x: { ...PIXEL, description: 'Left edge, in pixels of the reference frame.' },
  y: { ...PIXEL, description: 'Upper edge.' },
  width: PIXELS,
  height: PIXELS,
};

/** A region in the frame, or one that follows something, whose place counts from there. */
function regionSchema(preprocess: Schema, unit: 'fraction' | 'pixel'): Schema {
  const { relative, ...fractions } = REGION.properties;
  const placed = unit === 'pixel' ? { ...fractions, ...IN_PIXELS } : fractions;
  const { anchor: _, ...free } = placed;
  const most = unit === 'pixel' ? 32_768 : 100;
  const anywhere = { ...ANYWHERE, minimum: -most, maximum: most };
  const extent = { ...EXTENT, maximum: most };
  const following = { ...free, x: anywhere, y: anywhere, width: extent, height: extent, relative, preprocess };
  return {
    if: { required: ['relative'] },
    // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
    then: { ...REGION, properties: following },
    else: { ...REGION, properties: { ...placed, preprocess } },
  };
}

/** The properties that every detector has, whatever its kind. */
const DETECTOR_PROPERTIES: Readonly<Record<string, Schema>> = {
  kind: { type: 'string', description: 'What sort of detector it is.' },
  language: { ...LANGUAGE, description: 'Languages of what it reads (BCP 47); default those of the profile.' },
  region: { type: 'string', format: 'region', description: 'The region it looks at.' },
  media: {
    type: 'string',
    format: 'media',
    description: 'The companion recording that it looks at or listens to; default: the recording itself.',
  },
  when: {
    type: 'object',
    required: ['detector'],
    additionalProperties: false,
    description: 'Read only while another detector sees something (this value) in the same sample.',
    properties: { detector: DETECTOR, value: VALUE, seen: { type: 'boolean' } },
  },
  after: {
    oneOf: [ACTIVATION, { type: 'array', minItems: 1, maxItems: 20, items: ACTIVATION }],
    description: 'Switched on by a cue of another detector (of a list: any), for a time or until another cue.',
  },
  modes: { ...MODES, description: 'The modes in which it is read.' },
  screens: {
    type: 'array',
    uniqueItems: true,
    items: { type: 'string', format: 'screen' },
    description: 'Screens during which it is read, too.',
  },
  interval: { ...SECONDS, description: 'Seconds between samples; default the one of the profile.' },
  every: { ...EVERY, description: 'Instead of an interval: every n-th frame; 1: all.' },
  stability: {
    type: 'object',
    additionalProperties: false,
    description: 'How many samples must agree before a reading counts.',
    properties: {
      samples: { type: 'integer', minimum: 1, maximum: 1000, default: 2 },
      confidence: { ...FRACTION, default: 0.8 },
      gaps: { type: 'integer', minimum: 0, maximum: 1000, default: 2 },
      lost: { type: 'integer', minimum: 1, maximum: 1000 },
    },
  },
  persists: { ...SECONDS, description: 'Seconds for which a changed reading does not come back to what it was.' },
  plausible: {
    type: 'object',
    additionalProperties: false,
    description: 'What a reading can be; what breaks it counts as unreadable.',
    properties: {
      min: { type: 'number' },
      max: { type: 'number' },
      rise: { type: 'number', minimum: 0 },
      fall: { type: 'number', minimum: 0 },
      pattern: PATTERN,
      unless: { type: 'integer', minimum: 1, maximum: 10_000, default: 10 },
      expected: {
        type: 'object',
        required: ['confidence'],
        additionalProperties: false,
        properties: {
          steps: { type: 'array', items: { type: 'number' }, minItems: 1, maxItems: 64 },
          within: { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 },
          confidence: { type: 'number', minimum: 0, maximum: 1 },
        },
      },
    },
  },
};

const EVENT: Schema = {
  type: 'object',
  required: ['on', 'statement'],
  additionalProperties: false,
  properties: {
    on: {
      type: 'object',
      required: ['detector', 'trigger'],
      additionalProperties: false,
      properties: {
        detector: SOURCE,
        trigger: { enum: ['found', 'changed', 'lost'] },
        match: PATTERN,
        change: { enum: ['rise', 'fall'] },
      },
    },
    statement: { type: 'object', maxProperties: 12 },
    support: { const: true, description: 'It only supports statements that say as much; by itself it makes no event.' },
    alone: { const: true, description: 'It is an event of its own, whatever else is said.' },
  },
};

const INTERPRETER: Schema = {
  type: 'object',
  required: ['kind', 'model', 'detectors', 'kinds', 'events'],
  additionalProperties: false,
  description: 'A trained network that makes statements of cues, in the place of the game script.',
  properties: {
    kind: { enum: ['onnx-sequence'] },
    model: { type: 'string', format: 'asset' },
    detectors: { type: 'array', items: DETECTOR, minItems: 1, maxItems: 500, uniqueItems: true },
    kinds: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 1000, uniqueItems: true },
    events: {
      type: 'object',
      maxProperties: 1000,
      additionalProperties: {
        type: 'object',
        required: ['statement'],
        additionalProperties: false,
        properties: { on: DETECTOR, statement: { type: 'object', maxProperties: 12 } },
      },
    },
    tick: { ...SECONDS, default: 0.05 },
    window: { type: 'integer', minimum: 1, maximum: 4096, default: 64 },
    margin: { type: 'integer', minimum: 0, maximum: 2000, default: 16 },
    threshold: { ...FRACTION, default: 0.5 },
  },
};

const SAMPLING: Schema = {
  type: 'object',
  minProperties: 1,
  maxProperties: 1,
  additionalProperties: false,
  properties: {
    interval: { ...SECONDS, default: 0.1, description: 'Seconds between samples.' },
    every: { ...EVERY, description: 'Every n-th frame.' },
    all: { const: true },
  },
};

const FRAME: Schema = {
  type: 'object',
  required: ['width', 'height'],
  additionalProperties: false,
  properties: {
    width: { type: 'integer', minimum: 16, maximum: 32_768 },
    height: { type: 'integer', minimum: 16, maximum: 32_768 },
  },
};

const MEDIA: Schema = {
  type: 'object',
  maxProperties: 16,
  propertyNames: NAME,
  description:
    'Companion recordings by name (`detect --media name=file`): a webcam, say. Detectors name them by `media`.',
  additionalProperties: {
    type: 'object',
    required: ['reference'],
    additionalProperties: false,
    properties: { reference: FRAME, description: { type: 'string', maxLength: 10_000 } },
  },
};

/**
 * The JSON Schema (draft 2020-12) of a profile. With the schemas of the kinds it knows every option; without, those of
 * detectors and preprocessing steps are left open.
 */
export function profileSchema(kinds?: KindSchemas): Schema {
  const steps = kinds?.preprocess;
  const id = typeof steps === 'object' ? steps['$id'] : undefined;
  const preprocess: Schema = typeof id === 'string' ? { $ref: id } : REGION.properties.preprocess;
  const regionsIn = (unit: 'fraction' | 'pixel'): Schema => ({
    properties: { regions: { additionalProperties: regionSchema(preprocess, unit) } },
  });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'playbyplay profile',
    type: 'object',
    required: ['format', 'game', 'title', 'version', 'reference', 'regions', 'detectors'],
    additionalProperties: false,
    properties: {
      $schema: { type: 'string' },
      format: { const: 'playbyplay/profile/1' },
      game: {
        type: 'string',
        maxLength: 64,
        pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$',
        $comment: 'must consist of lower-case letters, digits and single hyphens',
      },
      title: { type: 'string', minLength: 1, maxLength: 200 },
      version: { type: 'string', minLength: 1, maxLength: 50 },
      description: { type: 'string', maxLength: 10_000 },
      language: { ...LANGUAGE, description: 'Language of what the screen says (BCP 47), or several; default en.' },
      languages: {
        ...TAGS,
        description: 'Further languages that it can read, by files of their own: feed.json in German is feed.de.json.',
      },
      reference: FRAME,
      sampling: SAMPLING,
      media: MEDIA,
      unit: {
        enum: ['fraction', 'pixel'],
        default: 'fraction',
        description: 'What regions are given in: fractions of the reference frame, or its pixels.',
      },
      regions: { type: 'object', maxProperties: 500, propertyNames: NAME },
      screens: {
        type: 'object',
        maxProperties: 100,
        propertyNames: NAME,
        additionalProperties: {
          type: 'object',
          required: ['detector'],
          additionalProperties: false,
          properties: { detector: DETECTOR, value: VALUE },
        },
      },
      modes: {
        type: 'object',
        maxProperties: 100,
        propertyNames: NAME,
        additionalProperties: {
          type: 'object',
          required: ['detector'],
          additionalProperties: false,
          properties: {
            detector: DETECTOR,
            value: VALUE,
            seen: { type: 'boolean', default: true },
            keeps: { const: true },
          },
        },
      },
      detectors: {
        type: 'object',
        maxProperties: 500,
        propertyNames: NAME,
        additionalProperties: detectorSchema(kinds),
      },
      sequences: { type: 'object', maxProperties: 100, propertyNames: NAME, additionalProperties: SEQUENCE },
      dictionaries: {
        type: 'array',
        maxItems: 50,
        uniqueItems: true,
        items: { type: 'string', minLength: 1, maxLength: 64 },
      },
      events: { type: 'array', maxItems: 2000, items: EVENT },
      fusion: FUSION,
      interpreter: INTERPRETER,
    },
    if: { properties: { unit: { const: 'pixel' } }, required: ['unit'] },
    // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
    then: regionsIn('pixel'),
    else: regionsIn('fraction'),
  };
}

function detectorSchema(kinds: KindSchemas | undefined): Schema {
  const base = { type: 'object', required: ['kind'], properties: DETECTOR_PROPERTIES };
  if (kinds === undefined) return base;
  return {
    ...base,
    properties: { ...DETECTOR_PROPERTIES, kind: { enum: [...kinds.detectors.keys()] } },
    allOf: [...kinds.detectors].map(([name, own]) => ({
      if: { properties: { kind: { const: name } }, required: ['kind'] },
      // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
      then: withBase(own),
    })),
  };
}

/** A kind's own schema, widened by what every detector has, and closed. */
function withBase(own: Schema): Schema {
  if (typeof own === 'boolean') return { additionalProperties: own, properties: names() };
  const properties = { ...names(), ...(own['properties'] as Record<string, Schema> | undefined) };
  return { ...own, properties, additionalProperties: own['additionalProperties'] ?? false };
}

/** The properties of every detector as known names; what they hold is checked elsewhere. */
function names(): Record<string, Schema> {
  return Object.fromEntries(Object.keys(DETECTOR_PROPERTIES).map((name) => [name, true]));
}
