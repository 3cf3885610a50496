import { integer, number, object } from '../schema/build.ts';
import { PlaybyplayError } from '../errors.ts';
import { checkSchema } from '../schema/check.ts';
import type { FromSchema } from '../schema/from-schema.ts';
import { latencySchema, stutterSchema, type CurvePoints, type TransferSpec } from './transfer.ts';

/** The four components of the metric, in ms; `components` can add more. */
export const componentNames = ['captureDelta', 'presentDelta', 'roundTripDelay', 'stackLatency'] as const;

const NUMBER = { type: 'number' } as const;
const POSITIVE = { type: 'number', exclusiveMinimum: 0 } as const;
const FRAMES = number([1]);

const WINDOWS = object(['x', 'y', 'z'], {
  x: { ...FRAMES, description: 'Frames of the rolling weighted mean of a component.' },
  y: { ...FRAMES, description: 'Frames of the rolling mean and deviation of the combined weighted score.' },
  z: { ...NUMBER, description: 'combined = mean − z · std.' },
});

const PICTURE_REFERENCE = object(
  ['width', 'height', 'fps', 'size', 'rate'],
  {
    width: POSITIVE,
    height: POSITIVE,
    fps: POSITIVE,
    size: { ...NUMBER, description: 'Exponent of the share of pixels.' },
    rate: { ...NUMBER, description: 'Exponent of the share of frames.' },
  },
  'Optional: bits per pixel alone rate a small or slow picture as high as a large or fast one; with a reference the score is multiplied by (pixels / reference)^size · (fps / reference)^rate. Not part of the published design.',
);

/** The JSON Schema of all constants. */
const CONSTANTS = object(['components', 'base', 'offset', 'windowRate', 'input', 'picture', 'total'], {
  components: {
    type: 'object',
    description: 'Transfer functions by component; a name beyond the four reads its raw value from `extra` of a frame.',
    additionalProperties: { oneOf: [stutterSchema, latencySchema] },
  },
  base: { ...WINDOWS, description: 'Rates the level of quality: 10 s and 1 min at 60 Hz.' },
  offset: { ...WINDOWS, description: 'Rates the instability that is subtracted: 1 min and 10 s at 60 Hz.' },
  windowRate: { ...POSITIVE, description: 'Frame rate that the windows are given for.' },
  input: object(
    ['samples', 'sampleMs'],
    { samples: integer([1]), sampleMs: POSITIVE },
    'Remote-input frequency: number and length of the input samples.',
  ),
  picture: object(['curve', 'deviation'], {
    curve: {
      type: 'array',
      minItems: 2,
      items: { type: 'array', items: NUMBER, minItems: 2, maxItems: 2 },
      description: 'Bits per pixel and score.',
    },
    deviation: { ...NUMBER, description: 'picture = mean − std · this.' },
    reference: PICTURE_REFERENCE,
  }),
  total: object(['scale', 'shift'], { scale: NUMBER, shift: NUMBER }, 'total = clamp(scale · raw + shift, 0, 100).'),
});

/** A pair of windows in frames at 60 Hz (scaled to the target frame rate) and the weight of the deviation. */
export interface WindowConstants extends FromSchema<typeof WINDOWS> {}

/** The picture without loss, and how much a smaller or slower one is worth relative to it. */
export interface PictureReference extends FromSchema<typeof PICTURE_REFERENCE> {}

/** All constants of the metric; the defaults are those of the published design. */
export interface QualityConstants extends Omit<FromSchema<typeof CONSTANTS>, 'components'> {
  /** Transfer functions of each component by name; a name beyond the four reads its raw value from a frame's `extra`. */
  readonly components: Readonly<Record<string, TransferSpec>>;
}

const stutter: TransferSpec = {
  kind: 'stutter',
  scoreLinearMax: 50,
  deltaMinFrames: 1.5,
  deltaMax: 116,
  weightMin: 1,
  weightMax: 100,
};
const latency: TransferSpec = {
  kind: 'latency',
  deltaMin: 0,
  deltaMax: 100,
  weightDivisor: 10,
  weightMin: 1,
  weightMax: 200,
};

/** Constants of the published design. */
export const defaultConstants: QualityConstants = {
  components: { captureDelta: stutter, presentDelta: stutter, roundTripDelay: latency, stackLatency: latency },
  base: { x: 600, y: 3600, z: 6 },
  offset: { x: 3600, y: 600, z: 4 },
  windowRate: 60,
  input: { samples: 100, sampleMs: 100 },
  picture: {
    curve: [
      [0, 0],
      [0.01, 15],
      [0.025, 35],
      [0.05, 55],
      [0.1, 78],
      [0.2, 92],
      [0.4, 97],
      [0.8, 99],
      [1.608, 100],
    ],
    deviation: 1.5,
  },
  total: { scale: 0.5, shift: 0 },
};

/** Constants with every value optional. */
export type ConstantsInput = {
  readonly [K in keyof QualityConstants]?: QualityConstants[K] extends CurvePoints | number
    ? QualityConstants[K]
    : Partial<QualityConstants[K]>;
};

/** The schema of a constants file: `CONSTANTS` with every value of every group optional, except the picture's reference. */
export const constantsSchema = {
  ...CONSTANTS,
  $id: 'urn:playbyplay:quality-constants:1',
  required: [],
  properties: Object.fromEntries(
    Object.entries(CONSTANTS.properties).map(([name, group]) => [
      name,
      'required' in group ? { ...group, required: [] } : group,
    ]),
  ),
} as const;

/**
 * Merges `changes` into the defaults, group by group; components are replaced whole, by name.
 *
 * @throws PlaybyplayError `quality-constants` with an issue per invalid value.
 */
export function withDefaults(changes: ConstantsInput = {}): QualityConstants {
  if (Object.keys(changes).length > 0) {
    const components = Object.entries(changes.components ?? {}).filter(([, spec]) => !isTransfer(spec));
    // As JSON, NaN and infinities are null, which is no number.
    validateConstants(JSON.parse(JSON.stringify({ ...changes, components: Object.fromEntries(components) })));
  }
  return {
    components: { ...defaultConstants.components, ...(changes.components as QualityConstants['components']) },
    base: { ...defaultConstants.base, ...changes.base },
    offset: { ...defaultConstants.offset, ...changes.offset },
    windowRate: changes.windowRate ?? defaultConstants.windowRate,
    input: { ...defaultConstants.input, ...changes.input },
    picture: { ...defaultConstants.picture, ...changes.picture },
    total: { ...defaultConstants.total, ...changes.total },
  };
}

/** Whether a specification consists of functions, which a schema cannot describe. */
function isTransfer(spec: TransferSpec | undefined): boolean {
  return typeof spec === 'object' && 'score' in spec && [spec.score, spec.weight].every((f) => typeof f === 'function');
}

/**
 * Validates constants from a user's JSON file.
 *
 * @throws PlaybyplayError `quality-constants` with an issue per invalid value.
 */
export function parseConstants(json: unknown, path: string): QualityConstants {
  validateConstants(json, path);
  return withDefaults(json as ConstantsInput);
}

function validateConstants(value: unknown, path = ''): void {
  const issues = [...checkSchema(constantsSchema, value, { source: path })];
  const curve = issues.length === 0 ? ((value as ConstantsInput).picture?.curve ?? []) : [];
  if (curve.some(([x], i) => i > 0 && !(x > curve[i - 1]![0])))
    issues.push({ code: 'curve-order', path: `${path}#/picture/curve`, message: 'must increase in bits per pixel' });
  if (issues.length === 0) return;
  const details = issues.map((issue) => `${issue.path} ${issue.message}`).join('; ');
  const message = path === '' ? `invalid constants: ${details}` : `${path} has invalid constants`;
  throw new PlaybyplayError('quality-constants', message, { issues });
}
