import { integer, list, number, object } from '../schema/build.ts';
import type { FromSchema } from '../schema/from-schema.ts';
import { PlaybyplayError } from '../errors.ts';
import { checkSchema } from '../schema/check.ts';

/** Rates a raw value (ms): a score of 0–100 and a weight above 0. */
export interface Transfer {
  score(raw: number): number;
  weight(raw: number): number;
}

const NUMBER = { type: 'number' } as const;

/** The JSON Schema of a {@link StutterTransfer}. */
const stutterSchema = object(['kind'], {
  kind: { const: 'stutter' },
  scoreLinearMax: { ...NUMBER, description: 'Score at the smallest stutter; default 50.' },
  deltaMinFrames: { ...NUMBER, description: 'Smallest stutter in frame times; default 1.5.' },
  deltaMin: { ...NUMBER, description: 'Smallest stutter in ms, instead of `deltaMinFrames`.' },
  deltaMax: {
    ...NUMBER,
    description:
      'ms at which the score reaches 0 and the weight its maximum; default 116. At low frame rates twice the smallest stutter.',
  },
  weightMin: NUMBER,
  weightMax: NUMBER,
});

/** The JSON Schema of a {@link LatencyTransfer}. */
const latencySchema = object(['kind'], {
  kind: { const: 'latency' },
  deltaMin: { ...NUMBER, description: 'ms up to which the score is 100; default 0 (16 to 32 are also sensible).' },
  deltaMax: { ...NUMBER, description: 'ms at which the score reaches 0; default 100.' },
  weightDivisor: { ...NUMBER, description: 'weight = raw / this; default 10.' },
  weightMin: NUMBER,
  weightMax: NUMBER,
});

/** Transfer of a time between frames: score 100 below the smallest stutter, then linear from `scoreLinearMax` to 0. */
interface StutterTransfer extends FromSchema<typeof stutterSchema> {}

/** Transfer of a delay: score linear from 100 at `deltaMin` to 0 at `deltaMax`. */
interface LatencyTransfer extends FromSchema<typeof latencySchema> {}

/** Transfer functions, or the parameters of the built-in ones. */
type TransferSpec = Transfer | StutterTransfer | LatencyTransfer;

/** Resolves a specification to functions at a frame rate. */
export function resolveTransfer(spec: TransferSpec, fps: number): Transfer {
  if ('score' in spec) return spec;
  return spec.kind === 'stutter' ? stutterTransfer(spec, fps) : latencyTransfer(spec);
}

function stutterTransfer(spec: StutterTransfer, fps: number): Transfer {
  const linear = spec.scoreLinearMax ?? 50;
  const deltaMin = spec.deltaMin ?? ((spec.deltaMinFrames ?? 1.5) * 1000) / fps;
  const deltaMax = deltaMin >= (spec.deltaMax ?? 116) ? 2 * deltaMin : (spec.deltaMax ?? 116);
  const weightMin = spec.weightMin ?? 1;
  const weightMax = spec.weightMax ?? 100;
  const slope = linear / (deltaMax - deltaMin);
  const rise = (weightMax - weightMin) / (deltaMax - deltaMin);
  return {
    score: (raw) => (raw < deltaMin ? 100 : Math.max(0, linear - slope * (raw - deltaMin))),
    weight: (raw) => Math.min(weightMax, Math.max(weightMin, weightMin + rise * (raw - deltaMin))),
  };
}

function latencyTransfer(spec: LatencyTransfer): Transfer {
  const deltaMin = spec.deltaMin ?? 0;
  const deltaMax = spec.deltaMax ?? 100;
  const divisor = spec.weightDivisor ?? 10;
  const weightMin = spec.weightMin ?? 1;
  const weightMax = spec.weightMax ?? 200;
  return {
    score: (raw) => Math.min(100, Math.max(0, (100 * (deltaMax - raw)) / (deltaMax - deltaMin))),
    weight: (raw) => Math.min(weightMax, Math.max(weightMin, raw / divisor)),
  };
}

/** A function given by points with increasing x. */
type CurvePoints = readonly (readonly [x: number, y: number])[];

/**
 * Monotone cubic interpolation (Fritsch–Butland tangents, "PCHIP"): never overshoots between two points, constant
 * outside them.
 */
export function monotoneCubic(points: CurvePoints): (x: number) => number {
  const n = points.length;
  if (n < 2) throw new RangeError('a curve needs at least two points');
  for (let i = 1; i < n; i++) {
    if (!(points[i]![0] > points[i - 1]![0])) throw new RangeError('the points of a curve must increase in x');
  }
  const width = (i: number) => points[i + 1]![0] - points[i]![0];
  const slope = (i: number) => (points[i + 1]![1] - points[i]![1]) / width(i);
  const tangents = points.map((_, i) => {
    if (n === 2) return slope(0);
    if (i === 0) return endTangent(width(0), width(1), slope(0), slope(1));
    if (i === n - 1) return endTangent(width(n - 2), width(n - 3), slope(n - 2), slope(n - 3));
    const before = slope(i - 1);
    const after = slope(i);
    if (before * after <= 0) return 0;
    const a = 2 * width(i) + width(i - 1);
    const b = width(i) + 2 * width(i - 1);
    return (a + b) / (a / before + b / after);
  });
  return (x) => {
    if (!(x > points[0]![0])) return points[0]![1];
    if (x >= points[n - 1]![0]) return points[n - 1]![1];
    let i = 0;
    while (x >= points[i + 1]![0]) i++;
    const h = width(i);
    const s = (x - points[i]![0]) / h;
    const r = 1 - s;
    return (
      points[i]![1] * (1 + 2 * s) * r * r +
      tangents[i]! * h * s * r * r +
      points[i + 1]![1] * s * s * (3 - 2 * s) -
      tangents[i + 1]! * h * s * s * r
    );
  };
}

/** Three-point estimate at an end, limited to stay monotone. */
function endTangent(h0: number, h1: number, d0: number, d1: number): number {
  const tangent = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
  if (Math.sign(tangent) !== Math.sign(d0)) return 0;
  if (Math.sign(d0) !== Math.sign(d1) && Math.abs(tangent) > 3 * Math.abs(d0)) return 3 * d0;
  return tangent;
}

/**
 * Estimates the bits per pixel of an H.264 game stream from its quantization parameter, for logs without a bitrate: six
 * QP steps halve the rate, anchored at 0.1 bits per pixel for QP 28 at 1080 lines; larger pictures need fewer bits per
 * pixel (fourth root of the area).
 */
export function estimateBitsPerPixel(qp: number, pixels: number): number {
  return 0.1 * 2 ** ((28 - qp) / 6) * ((1920 * 1080) / pixels) ** 0.25;
}

/** The four components of the metric, in ms; `components` can add more. */
export const componentNames = ['captureDelta', 'presentDelta', 'roundTripDelay', 'stackLatency'] as const;

const POSITIVE = { type: 'number', exclusiveMinimum: 0 } as const;
const FRAMES = number([1, 1_000_000]);

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
    { samples: integer([1, 100_000]), sampleMs: POSITIVE },
    'Remote-input frequency: number and length of the input samples.',
  ),
  picture: object(['curve', 'deviation'], {
    curve: list({ type: 'array', items: NUMBER, minItems: 2, maxItems: 2 }, [2], 'Bits per pixel and score.'),
    deviation: { ...NUMBER, description: 'picture = mean − std · this.' },
    reference: PICTURE_REFERENCE,
  }),
  total: object(['scale', 'shift'], { scale: NUMBER, shift: NUMBER }, 'total = clamp(scale · raw + shift, 0, 100).'),
});

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
