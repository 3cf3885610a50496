import { PlaybyplayError } from '../errors.ts';
import { checkSchema } from '../schema/check.ts';
import type { Schema } from '../schema/from-schema.ts';
import type { CurvePoints, TransferSpec } from './transfer.ts';

/** The four components of the metric, in ms; `components` can add more. */
export const componentNames = ['captureDelta', 'presentDelta', 'roundTripDelay', 'stackLatency'] as const;

/** A pair of windows in frames at 60 Hz (scaled to the target frame rate) and the weight of the deviation. */
export interface WindowConstants {
  /** Frames of the rolling weighted mean of a component. */
  readonly x: number;
  /** Frames of the rolling mean and deviation of the combined weighted score. */
  readonly y: number;
  /** combined = mean − z · std. */
  readonly z: number;
}

/** The picture without loss, and how much a smaller or slower one is worth relative to it. */
export interface PictureReference {
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  /** Exponent of the share of pixels. */
  readonly size: number;
  /** Exponent of the share of frames. */
  readonly rate: number;
}

/** All constants of the metric; the defaults are those of the published design. */
export interface QualityConstants {
  /**
   * Transfer functions of each component by name; a name beyond the four reads its raw value from a frame's `extra`.
   */
  readonly components: Readonly<Record<string, TransferSpec>>;
  /** Rates the level of quality: 10 s and 1 min at 60 Hz. */
  readonly base: WindowConstants;
  /** Rates the instability that is subtracted: 1 min and 10 s at 60 Hz. */
  readonly offset: WindowConstants;
  /** Frame rate that the windows are given for. */
  readonly windowRate: number;
  /** Remote-input frequency: number and length of the input samples. */
  readonly input: { readonly samples: number; readonly sampleMs: number };
  readonly picture: {
    /** Bits per pixel → score. */
    readonly curve: CurvePoints;
    /** picture = mean − std · this. */
    readonly deviation: number;
    /**
     * Optional reference size and rate. Bits per pixel alone rate a small or slow picture as high as a large or fast
     * one; with a reference the score is multiplied by (pixels / reference)^size · (fps / reference)^rate. Not part of
     * the published design.
     */
    readonly reference?: PictureReference;
  };
  /** total = clamp(scale · raw + shift, 0, 100). */
  readonly total: { readonly scale: number; readonly shift: number };
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

const number: Schema = { type: 'number' };
const positive: Schema = { type: 'number', exclusiveMinimum: 0 };
const frames: Schema = { type: 'number', minimum: 1 };
const record = (properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema => {
  return { type: 'object', properties, required, additionalProperties: false };
};
const windows = record({ x: frames, y: frames, z: number });
const weights = { weightMin: number, weightMax: number };
const stutterSchema = record(
  {
    kind: { const: 'stutter' },
    scoreLinearMax: number,
    deltaMinFrames: number,
    deltaMin: number,
    deltaMax: number,
    ...weights,
  },
  ['kind'],
);
const latencySchema = record(
  { kind: { const: 'latency' }, deltaMin: number, deltaMax: number, weightDivisor: number, ...weights },
  ['kind'],
);

/** JSON Schema of a constants file. */
const constantsSchema = record({
  components: { type: 'object', additionalProperties: { oneOf: [stutterSchema, latencySchema] } },
  base: windows,
  offset: windows,
  windowRate: positive,
  input: record({ samples: { type: 'integer', minimum: 1 }, sampleMs: positive }),
  picture: record({
    curve: { type: 'array', minItems: 2, items: { type: 'array', items: number, minItems: 2, maxItems: 2 } },
    deviation: number,
    reference: record({ width: positive, height: positive, fps: positive, size: number, rate: number }, [
      'width',
      'height',
      'fps',
      'size',
      'rate',
    ]),
  }),
  total: record({ scale: number, shift: number }),
});

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
