import { integer, list } from '../schema/build.ts';
import { hudSchema } from '../geometry.ts';
import type { FromSchema } from '../schema/from-schema.ts';
import type { Statement } from './statement.ts';

// The lines of an event log (NDJSON). Times are seconds from the first video frame.

/** Game of a log whose profile was drafted from its recording. */
export const UNKNOWN_GAME = 'unknown';

const STRING = { type: 'string' } as const;
const NUMBER = { type: 'number' } as const;
const COUNT = integer([0]);
const CUE_VALUE = { type: ['string', 'number', 'boolean'] } as const;

const FINGERPRINT = {
  type: 'object',
  description: 'Name, version and content hash of an input of the log.',
  required: ['name', 'version', 'hash'],
  properties: { name: STRING, version: STRING, hash: STRING },
} as const;

const STREAM = {
  type: 'object',
  description: 'A sidecar file: time in the recording = offset + rate · time in the file, in seconds.',
  required: ['name', 'hash', 'offset', 'rate', 'records', 'skipped'],
  properties: { name: STRING, hash: STRING, offset: NUMBER, rate: NUMBER, records: COUNT, skipped: COUNT },
} as const;

const COMPANION = {
  type: 'object',
  description: 'A companion recording: time in the recording = offset + rate · time in the companion, in seconds.',
  required: ['name', 'hash', 'bytes', 'duration', 'width', 'height', 'offset', 'rate'],
  properties: {
    name: STRING,
    hash: STRING,
    bytes: COUNT,
    duration: { ...NUMBER, description: 'Duration of its video in seconds.' },
    width: COUNT,
    height: COUNT,
    offset: NUMBER,
    rate: NUMBER,
  },
} as const;

/** The JSON Schema of the first line of a log. */
export const headerSchema = {
  type: 'object',
  required: ['type', 'format', 'game', 'session', 'media', 'profile', 'dictionaries', 'plan', 'program'],
  properties: {
    type: { const: 'header' },
    format: { const: 'playbyplay/1' },
    game: STRING,
    session: { ...STRING, description: 'Identifier of the recording.' },
    media: {
      type: 'object',
      description: 'The recording.',
      required: ['name', 'hash', 'bytes', 'duration', 'width', 'height', 'start'],
      properties: {
        name: STRING,
        hash: { ...STRING, description: 'Hash of the content.' },
        bytes: COUNT,
        duration: { ...NUMBER, description: 'Duration of the video in seconds.' },
        width: COUNT,
        height: COUNT,
        frameRate: {
          type: 'object',
          required: ['num', 'den'],
          properties: { num: NUMBER, den: NUMBER },
        },
        start: {
          ...NUMBER,
          description: 'Start offset of the container in seconds, which times in the log do not include.',
        },
      },
    },
    profile: FINGERPRINT,
    languages: { type: 'array', items: STRING, description: 'Languages of the text on screen (BCP 47), if specified.' },
    script: FINGERPRINT,
    dictionaries: { type: 'array', items: FINGERPRINT },
    plan: {
      type: 'object',
      description: 'Which frames were samples; `from` and `to` of a part in seconds.',
      required: ['kind'],
      properties: {
        kind: { enum: ['full', 'adaptive'] },
        interval: { ...NUMBER, description: 'Seconds between samples.' },
        every: { ...COUNT, description: 'Instead of an interval: every n-th frame is a sample.' },
        from: NUMBER,
        to: NUMBER,
      },
    },
    placement: {
      type: 'object',
      description: 'Placement of the HUD, if it differs from the profile; with a confidence if it was located.',
      properties: {
        ...hudSchema.properties,
        lost: list(
          { type: 'object', required: ['t', 'end'], properties: { t: NUMBER, end: NUMBER } },
          [],
          'Time spans in which the HUD was not found.',
        ),
      },
    },
    streams: list(STREAM, [], STREAM.description),
    companions: list(COMPANION, [], COMPANION.description),
    plugins: { type: 'array', items: FINGERPRINT, description: 'Plug-ins whose detector kinds the profile uses.' },
    live: {
      type: 'object',
      description:
        'The recording was read while it was made. The duration is 0 until the session has ended; hash and size stay those of its beginning.',
      required: [],
      properties: {
        started: { ...STRING, description: 'When its first frame was read (ISO 8601), where only a clock can say it.' },
      },
    },
    program: { ...STRING, description: 'Version of playbyplay.' },
  },
} as const;

const loggedCueSchema = {
  type: 'object',
  required: ['detector', 't', 'trigger', 'confidence'],
  properties: {
    detector: STRING,
    t: NUMBER,
    trigger: { enum: ['found', 'changed', 'lost'] },
    value: CUE_VALUE,
    previous: CUE_VALUE,
    confidence: NUMBER,
    tentative: { const: true, description: 'The evidence of the cue is thin.' },
  },
} as const;

/** The JSON Schema of an event; `STATEMENT_SCHEMA` is that of its statement. */
export const eventSchema = {
  type: 'object',
  required: ['type', 'id', 't', 'end', 'game', 'session', 'text', 'statement', 'confidence', 'cues'],
  properties: {
    type: { const: 'event' },
    id: { ...STRING, description: 'Unique in the log, and the same in every run.' },
    t: { ...NUMBER, description: 'Start in seconds.' },
    end: { ...NUMBER, description: 'End in seconds.' },
    game: STRING,
    session: STRING,
    text: { ...STRING, description: 'The sentence.' },
    statement: { type: 'object', description: 'What the sentence says, in words of the dictionary.' },
    confidence: { ...NUMBER, description: 'Probability that the event is right, 0 to 1.' },
    tentative: {
      const: true,
      description:
        'The evidence is thin, such as a name on a single blurred line. Queries, reels and `evaluate` leave the event out unless given `--tentative`.',
    },
    corrected: {
      enum: ['approved', 'changed', 'added'],
      description:
        'What a person did with the event. Only in what is read from a log with corrections, never in its file.',
    },
    cues: list(loggedCueSchema, [], 'The evidence: changes of what detectors read.'),
    source: {
      type: 'object',
      description:
        'For an event of a reel, its time and session in the original recording; `t` and `session` are those of the reel.',
      required: ['session', 't'],
      properties: { session: STRING, t: NUMBER },
    },
  },
} as const;

/** The JSON Schema of a time span that could not be read. */
export const gapSchema = {
  type: 'object',
  required: ['type', 't', 'end', 'reason'],
  properties: {
    type: { const: 'gap' },
    t: { ...NUMBER, description: 'Start in seconds.' },
    end: { ...NUMBER, description: 'End in seconds.' },
    reason: STRING,
  },
} as const;

/** The JSON Schema of the last line of a log. */
export const endSchema = {
  type: 'object',
  required: ['type', 'events', 'gaps', 'samples'],
  properties: {
    type: { const: 'end' },
    events: COUNT,
    gaps: COUNT,
    samples: COUNT,
    problems: {
      type: 'object',
      additionalProperties: COUNT,
      description: 'Number of problems by code, such as `plugin-failed`.',
    },
    warnings: list(
      { type: 'object', required: ['code', 'message'], properties: { code: STRING, message: STRING } },
      [],
      'Reasons why events may be missing or less certain.',
    ),
  },
} as const;

/** The value of a reading. */
export type CueValue = string | number | boolean;

/** A cue as evidence of an event, in the form of the log. */
export interface LoggedCue extends FromSchema<typeof loggedCueSchema> {}

/** The first line of a log: the recording and the other inputs. */
export interface HeaderLine extends FromSchema<typeof headerSchema> {}

/** Name, version and content hash of an input of the log. */
export interface Fingerprint extends FromSchema<typeof FINGERPRINT> {}

/** An event of a log. */
export interface EventLine extends Omit<FromSchema<typeof eventSchema>, 'statement'> {
  readonly statement: Statement;
}

/** A time span of the recording that could not be read, and why. */
export interface GapLine extends FromSchema<typeof gapSchema> {}

/** The last line of a log. */
export interface EndLine extends FromSchema<typeof endSchema> {}

/** A line of a log. */
export type LogLine = HeaderLine | EventLine | GapLine | EndLine;
