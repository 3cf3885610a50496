import { flag, integer, list, number, object, oneOf, uniqueList, table } from '../schema/build.ts';
import type { FromSchema, Schema } from '../schema/from-schema.ts';

// The profile format: `configs/<game>/profile.json`. Types, validation and the published JSON Schema come from the schemas here.
// A `format` says what a string names: a region, a detector, a source (detector or sequence), an asset file, …

const NAME = {
  type: 'string',
  pattern: '^[\\p{L}\\p{N}](?:[\\p{L}\\p{N} ._-]{0,62}[\\p{L}\\p{N}])?$',
  $comment: 'must be a name of at most 64 letters, digits, spaces, dots and hyphens',
} as const;
// Nothing on a screen lasts less than a millisecond.
const SECONDS = number([0.001, 3600]);
const FRACTION = number([0, 1]);
const EVERY = integer([1, 100_000]);
const REGULAR_EXPRESSION = { type: 'string', format: 'regex', maxLength: 1000 } as const;
const DETECTOR_NAME = { type: 'string', format: 'detector' } as const;
const SOURCE_NAME = { type: 'string', format: 'source' } as const;
const STATEMENT = { type: 'object', maxProperties: 12, description: 'A statement: words by slot.' } as const;

const LANGUAGE_TAG = { type: 'string', format: 'language', maxLength: 35 } as const;
const LANGUAGE_TAGS = { type: 'array', minItems: 1, maxItems: 50, uniqueItems: true, items: LANGUAGE_TAG } as const;
const LANGUAGES = { oneOf: [LANGUAGE_TAG, { ...LANGUAGE_TAGS, maxItems: 8 }] } as const;

const MODE_NAMES = uniqueList({ type: 'string', format: 'mode' }, [1]);

const FRAME_SIZE = object(['width', 'height'], {
  width: integer([16, 32_768]),
  height: integer([16, 32_768]),
});

const SINGLE_VALUE = {
  if: { type: 'object' },
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
  then: {
    type: 'object',
    minProperties: 1,
    additionalProperties: false,
    properties: { min: { type: 'number' }, max: { type: 'number' } },
  },
  else: { type: ['string', 'number', 'boolean'], $comment: 'must be a value, bounds (min, max), or a list of these' },
} as const;

const VALUE = {
  description:
    'Readings to match: a value (a string between slashes is a regular expression), inclusive bounds of numbers, or a list of these.',
  if: { type: 'array' },
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
  then: { type: 'array', minItems: 1, maxItems: 200, items: SINGLE_VALUE },
  else: SINGLE_VALUE,
} as const;

const CUE_CONDITION_PROPERTIES = {
  detector: { ...SOURCE_NAME, description: 'The detector or sequence that the cue comes from.' },
  trigger: oneOf(['found', 'changed', 'lost'], 'Default, except in `events`: found or changed.'),
  match: { ...REGULAR_EXPRESSION, description: 'Matches the value; of a lost cue, the previous value.' },
  change: oneOf(['rise', 'fall'], 'How the number compares with the previous one.'),
} as const;

/** A condition on a cue: which detector it comes from, and how its value changed. */
export const CUE_CONDITION = {
  type: 'object',
  required: ['detector'],
  additionalProperties: false,
  properties: CUE_CONDITION_PROPERTIES,
} as const;

const ACTIVATION = object(['detector'], {
  ...CUE_CONDITION_PROPERTIES,
  for: { ...SECONDS, description: 'Seconds for which the detector stays active after the cue.' },
  until: {
    ...CUE_CONDITION,
    description: 'The cue that ends it. Without `for` and `until`: the next cue of `detector`.',
  },
});

const SEQUENCE = object(['steps'], {
  steps: list(
    object(['detector'], {
      ...CUE_CONDITION_PROPERTIES,
      within: { ...SECONDS, description: 'Longest time since the previous step, in seconds.' },
    }),
    [2, 9],
  ),
  within: { ...SECONDS, default: 10, description: 'Longest time from the first step to the last, in seconds.' },
  unless: { ...CUE_CONDITION, description: 'A cue that cancels a sequence that has begun.' },
  statement: {
    ...STATEMENT,
    description:
      'The statement the sequence makes; `$1` to `$9` stand for what the steps read (the first group of `match`, if any).',
  },
});

const SIDE = number([0, 2]);

const REGION = object(['x', 'y', 'width', 'height'], {
  x: number([], 'Left edge, as a fraction of the reference frame.'),
  y: number([], 'Upper edge.'),
  width: { type: 'number' },
  height: { type: 'number' },
  anchor: oneOf(
    ['top left', 'top', 'top right', 'left', 'centre', 'right', 'bottom left', 'bottom', 'bottom right'],
    'The point of the frame to which the element keeps its distance at other aspect ratios.',
    'centre',
  ),
  scale: oneOf(
    ['height', 'width', 'fit', 'stretch', 'whole', 'none'],
    'How the element scales with the frame: with its `height`, its `width`, the smaller of both (`fit`), both independently (`stretch`), by the largest whole factor at which `canvas` fits (`whole`), or not at all (`none`).',
    'height',
  ),
  canvas: object(
    ['width', 'height'],
    {
      width: integer([1, 16_384]),
      height: integer([1, 16_384]),
    },
    'With scale `whole`: the pixels on which the game draws its HUD before enlarging it; default 320 × 200.',
  ),
  padding: {
    description: "Extra margin on every side, in fractions of the region's own size.",
    oneOf: [SIDE, object(['x', 'y'], { x: SIDE, y: SIDE })],
  },
  preprocess: list(
    { type: 'object', required: ['step'], properties: { step: { type: 'string' } } },
    [0, 32],
    'Preprocessing steps, in order.',
  ),
  modes: { ...MODE_NAMES, description: 'The modes in which its detectors are read.' },
  relative: object(
    ['detector'],
    {
      detector: DETECTOR_NAME,
      unit: oneOf(['found', 'frame'], 'Sizes of what was found, or of the frame.', 'found'),
      hold: { ...SECONDS, description: 'Seconds for which the last position is used when nothing is found.' },
    },
    'Positions the region relative to where a detector found something in the same sample.',
  ),
});

function rectangleBounds(minimum: number, maximum: number): Record<string, Schema> {
  const position = { minimum, maximum };
  const extent = { exclusiveMinimum: 0, maximum };
  return { x: position, y: position, width: extent, height: extent };
}

/** Bounds of regions: inside the frame or, for relative regions, `limit` in any direction. */
function regionBounds(frame: number, limit: number): Schema {
  const bounds: Schema = {
    if: { required: ['relative'] },
    // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
    then: { properties: { ...rectangleBounds(-limit, limit), anchor: false } },
    else: { properties: rectangleBounds(0, frame) },
  };
  return { properties: { regions: { additionalProperties: bounds } } };
}

const DETECTOR = {
  type: 'object',
  required: ['kind'],
  properties: {
    kind: { type: 'string', description: 'The detector kind.' },
    language: { ...LANGUAGES, description: 'Languages of what it reads (BCP 47); default those of the profile.' },
    region: { type: 'string', format: 'region', description: 'The region it reads.' },
    media: {
      type: 'string',
      format: 'media',
      description: 'The companion recording that it reads; default: the recording itself.',
    },
    when: object(
      ['detector'],
      { detector: DETECTOR_NAME, value: VALUE, seen: { type: 'boolean' } },
      'Read only while another detector sees something (this value) in the same sample.',
    ),
    after: {
      oneOf: [ACTIVATION, { type: 'array', minItems: 1, maxItems: 20, items: ACTIVATION }],
      description: 'Activated by a cue of another detector (any of a list), for a time or until another cue.',
    },
    modes: { ...MODE_NAMES, description: 'The modes in which it is read.' },
    screens: uniqueList({ type: 'string', format: 'screen' }, [], 'Screens during which it is also read.'),
    interval: { ...SECONDS, description: 'Seconds between samples; default the one of the profile.' },
    every: { ...EVERY, description: 'Instead of an interval: every n-th frame; 1: all.' },
    stability: object(
      [],
      {
        samples: integer([1, 1000], 'Consecutive samples that must agree.', 2),
        confidence: { ...FRACTION, default: 0.8, description: 'The confidence each of them needs.' },
        gaps: integer([0, 1000], 'Unreadable samples in a row that do not break a run.', 2),
        lost: integer([1, 1000], 'Samples after which it is lost; default `samples`.'),
      },
      'When a reading is accepted.',
    ),
    persists: {
      ...SECONDS,
      description:
        'Seconds for which a changed reading does not return to its previous value: probes no further apart that agree prove that nothing changed between them. Default: the sampling interval.',
    },
    plausible: object(
      [],
      {
        min: { type: 'number' },
        max: { type: 'number' },
        rise: number([0], 'The greatest rise from one accepted value to the next.'),
        fall: number([0], 'The greatest fall.'),
        pattern: {
          ...REGULAR_EXPRESSION,
          description: 'Must match the whole text; of a number or time, the text that is read, such as `1:23.5`.',
        },
        unless: integer([1, 10_000], 'Consecutive samples after which an implausible rise or fall is accepted.', 10),
        expected: object(
          ['confidence'],
          {
            steps: { type: 'array', items: { type: 'number' }, minItems: 1, maxItems: 64 },
            within: { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 },
            confidence: FRACTION,
          },
          'Likely changes: a reading that makes one of these `steps` from the accepted value, or one `within` a range, needs only this confidence.',
        ),
      },
      'What a reading can be; others count as unreadable.',
    ),
  },
} as const;

const EVENT_CONDITION = object(['detector', 'trigger'], {
  ...CUE_CONDITION_PROPERTIES,
  by: {
    description: 'How much the number changes, up or down: exactly, or inclusive bounds. Names the steps of a counter.',
    if: { type: 'object' },
    // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
    then: {
      type: 'object',
      minProperties: 1,
      additionalProperties: false,
      properties: { min: { type: 'number' }, max: { type: 'number' } },
    },
    else: { type: 'number', $comment: 'must be a number, or bounds (min, max)' },
  },
  final: {
    const: true,
    description: 'The first two groups of `match` are the same number: `3/3` of `(\\d+)/(\\d+)`, the last lap.',
  },
  initial: {
    const: false,
    description: 'Not what the detector reads first: a clock that has not started yet does not halt.',
  },
  crosses: object(
    [],
    {
      below: { type: 'number' },
      above: { type: 'number' },
      until: {
        type: 'number',
        description: 'It counts again after the number was back here; default: back at the threshold.',
      },
    },
    'The number goes below, or above, a threshold; once until it is back on the other side.',
  ),
});

const EVENT = object(['on', 'statement'], {
  on: EVENT_CONDITION,
  statement: {
    ...STATEMENT,
    description:
      'Words by slot; `$value`, `$previous` and `$1`… (groups of `match`) stand for what was read, `$change` for the difference of the two, `$count` for the length of a `streak`, `$(detector)` for what another detector reads at the time.',
  },
  lasts: {
    description: 'Seconds for which nothing else may be read after it; `end`: nothing until the end of the recording.',
    if: { type: 'string' },
    // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
    then: { enum: ['end'] },
    else: SECONDS,
  },
  once: { ...SECONDS, description: 'Seconds within which the same statement is not made again.' },
  streak: object(
    ['count', 'within'],
    {
      count: integer([2, 1000]),
      within: { ...SECONDS, description: 'Longest time from one to the next.' },
    },
    'Only the n-th time in a row, and again each time that it goes on.',
  ),
  support: { const: true, description: 'Only supports statements that say the same; makes no event on its own.' },
  alone: { const: true, description: 'Never merged with other statements.' },
});

const INTERPRETER = object(
  ['kind', 'model', 'detectors', 'kinds', 'events'],
  {
    kind: { enum: ['onnx-sequence'] },
    model: { type: 'string', format: 'asset' },
    detectors: uniqueList(
      DETECTOR_NAME,
      [1, 500],
      'The detectors whose cues are its input, in the order of its training.',
    ),
    kinds: uniqueList({ type: 'string' }, [1, 1000], 'Kinds of events, in the order of its outputs.'),
    events: {
      type: 'object',
      maxProperties: 1000,
      description: 'Statements by kind of event; kinds that are missing are not logged.',
      additionalProperties: object(['statement'], {
        on: { ...DETECTOR_NAME, description: 'The detector whose cue gives the time, `$value` and `$previous`.' },
        statement: STATEMENT,
      }),
    },
    tick: { ...SECONDS, default: 0.05 },
    window: integer([1, 4096], 'Ticks in a window.', 64),
    margin: integer([0, 2000], 'Ticks on either side of a window that are context only.', 16),
    threshold: { ...FRACTION, default: 0.5 },
  },
  'A trained network that turns cues into statements instead of the game script.',
);

const WORD = { type: 'string', minLength: 1, maxLength: 200 } as const;
const FUSION_WINDOW = number([0, 30]);

const FUSION = {
  description: 'How statements of several detectors about one event are merged; false: not at all.',
  if: { type: 'object' },
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
  then: object([], {
    window: {
      ...FUSION_WINDOW,
      default: 0.5,
      description: 'Seconds within which statements of several detectors can be about one event.',
    },
    independence: { ...FRACTION, default: 0.5, description: 'How much additional evidence adds to the confidence.' },
    rules: list(
      {
        type: 'object',
        minProperties: 2,
        additionalProperties: false,
        properties: { action: WORD, property: WORD, window: FUSION_WINDOW, off: { const: true } },
      },
      [0, 100],
      'Other settings for statements with this action or property (or a word below it); the first that fits.',
    ),
    calibration: table(
      DETECTOR_NAME,
      { type: 'array', minItems: 2, maxItems: 2, items: { type: 'number' } },
      500,
      'By detector: offset and slope of its confidence in log-odds.',
    ),
  }),
  else: { const: false, $comment: 'must be an object, or false' },
} as const;

/** The JSON Schema (draft 2020-12) of a profile, with the options of detector kinds and preprocessing steps left open. */
export const PROFILE_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:playbyplay:profile:1',
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
      description: 'Identifier of the game, and name of its script and dictionary.',
    },
    title: { type: 'string', minLength: 1, maxLength: 200 },
    version: { type: 'string', minLength: 1, maxLength: 50 },
    description: { type: 'string', maxLength: 10_000 },
    language: { ...LANGUAGES, description: 'Language of the text on screen (BCP 47), or several; default English.' },
    languages: {
      ...LANGUAGE_TAGS,
      description: 'Further languages it can read, from localized files: feed.json in German is feed.de.json.',
    },
    reference: { ...FRAME_SIZE, description: 'The frame size on which the regions were measured.' },
    sampling: {
      type: 'object',
      minProperties: 1,
      maxProperties: 1,
      additionalProperties: false,
      description: 'Which frames are samples.',
      properties: {
        interval: { ...SECONDS, default: 0.1, description: 'Seconds between samples.' },
        every: { ...EVERY, description: 'Every n-th frame.' },
        all: { const: true },
      },
    },
    media: table(
      NAME,
      object(['reference'], {
        reference: FRAME_SIZE,
        description: { type: 'string', maxLength: 10_000 },
      }),
      16,
      'Companion recordings by name (`detect --media name=file`), such as a webcam. Detectors refer to them by `media`.',
    ),
    unit: oneOf(
      ['fraction', 'pixel'],
      'Unit of the regions: fractions of the reference frame, or its pixels.',
      'fraction',
    ),
    regions: { type: 'object', maxProperties: 500, propertyNames: NAME, additionalProperties: REGION },
    attention: {
      type: 'string',
      format: 'region',
      description:
        'The region that the player looks at: around the crosshair, the own car, the active unit. Crops of reels keep its middle, or all of it where it is larger than they are. Default: where the picture moves, near the middle.',
    },
    screens: table(
      NAME,
      object(['detector'], { detector: DETECTOR_NAME, value: VALUE }),
      100,
      'Screens that exclude others: while one is shown, only the detectors that list it in `screens` are read.',
    ),
    modes: table(
      NAME,
      object(['detector'], {
        detector: DETECTOR_NAME,
        value: VALUE,
        seen: flag(undefined, true),
        keeps: { const: true, description: 'The mode lasts while nothing is read, until another value is.' },
      }),
      100,
      'Modes of the game, by the accepted reading of a detector; detectors and regions can be limited to modes.',
    ),
    detectors: { type: 'object', maxProperties: 500, propertyNames: NAME, additionalProperties: DETECTOR },
    sequences: table(NAME, SEQUENCE, 100, 'Cues in sequence that make a cue of their own.'),
    dictionaries: uniqueList(
      { type: 'string', minLength: 1, maxLength: 64 },
      [0, 50],
      'Extension dictionaries, by id; default: the one with the name of the game.',
    ),
    events: { type: 'array', maxItems: 2000, items: EVENT, description: 'Statements that need no script.' },
    fusion: FUSION,
    interpreter: INTERPRETER,
  },
  if: { properties: { unit: { const: 'pixel' } }, required: ['unit'] },
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
  then: regionBounds(32_768, 32_768),
  else: regionBounds(1, 100),
} as const satisfies Schema;

/** A profile: everything about a game's screen that the engine needs. In a loaded profile, regions are in fractions. */
export interface Profile extends Omit<FromSchema<typeof PROFILE_SCHEMA>, '$schema' | 'detectors'> {
  readonly detectors: Readonly<Record<string, DetectorSpec>>;
}

/** A detector of a profile: the options that all detectors have, and those of its kind. */
export interface DetectorSpec extends FromSchema<typeof DETECTOR> {
  readonly [option: string]: unknown;
}

/** A region of the frame. */
export interface RegionSpec extends FromSchema<typeof REGION> {}

/** One step of a region's preprocessing: its name, and the options of that step. */
export interface PreprocessStep {
  readonly step: string;
  readonly [option: string]: unknown;
}

/** Which readings are meant: a value, inclusive bounds, or a list of these; a string between slashes is a regular expression. */
export type ValueCondition = FromSchema<typeof VALUE>;

/** One entry of a `ValueCondition`. */
export type SingleValueCondition = FromSchema<typeof SINGLE_VALUE>;

/** Which cues are meant. */
export interface CueCondition extends FromSchema<typeof CUE_CONDITION> {}

/** A cue that activates a detector, and what ends the activation. */
export interface Activation extends FromSchema<typeof ACTIVATION> {}

/** Cues in sequence that make a cue at the time of the last. */
export interface CueSequence extends FromSchema<typeof SEQUENCE> {}

/** A mode of the game: active while the accepted reading of `detector` is `value` (any, if left out; none, with `seen` false). */
export type ModeSpec = NonNullable<Profile['modes']>[string];

/** What a reading can be. */
export type Plausibility = NonNullable<DetectorSpec['plausible']>;

/** How statements of several detectors are merged into one event. */
export type FusionSpec = Exclude<NonNullable<Profile['fusion']>, false>;

/** Other fusion settings for some statements. */
export type FusionRule = NonNullable<FusionSpec['rules']>[number];

/** A trained network that turns cues into statements. */
export interface SequenceSpec extends FromSchema<typeof INTERPRETER> {}

/** A statement that a cue makes without a script. */
export interface EventMapping extends FromSchema<typeof EVENT> {}
