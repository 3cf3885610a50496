import { type Issue, PlaybyplayError } from '../errors.ts';
import { suggestSpelling } from '../spelling.ts';
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

/**
 * Merges `changes` into the defaults, group by group; components are replaced whole, by name.
 *
 * @throws PlaybyplayError `quality-constants` with an issue per value out of range.
 */
export function withDefaults(changes: ConstantsInput = {}): QualityConstants {
  const constants: QualityConstants = {
    components: { ...defaultConstants.components, ...(changes.components as QualityConstants['components']) },
    base: { ...defaultConstants.base, ...changes.base },
    offset: { ...defaultConstants.offset, ...changes.offset },
    windowRate: changes.windowRate ?? defaultConstants.windowRate,
    input: { ...defaultConstants.input, ...changes.input },
    picture: { ...defaultConstants.picture, ...changes.picture },
    total: { ...defaultConstants.total, ...changes.total },
  };
  const issues = checkConstants(constants);
  if (issues.length > 0) {
    throw new PlaybyplayError(
      'quality-constants',
      issues.map((issue) => `${issue.path}: ${issue.message}`).join('; '),
      {
        issues,
      },
    );
  }
  return constants;
}

/**
 * Validates constants from a user's JSON file.
 *
 * @throws PlaybyplayError `quality-constants` with an issue per unknown key or value out of range.
 */
export function parseConstants(json: unknown, path: string): QualityConstants {
  const issues: Issue[] = [];
  const known: Readonly<Record<string, readonly string[] | undefined>> = {
    components: undefined,
    base: ['x', 'y', 'z'],
    offset: ['x', 'y', 'z'],
    windowRate: undefined,
    input: ['samples', 'sampleMs'],
    picture: ['curve', 'deviation', 'reference'],
    total: ['scale', 'shift'],
  };
  if (!isObject(json)) {
    throw new PlaybyplayError('quality-constants', `${path} does not contain a JSON object`);
  }
  const unknown = (key: string, names: readonly string[], at: string): void => {
    issues.push({
      code: 'unknown-key',
      path: at,
      message: `there is no constant "${key}"`,
      hint: suggestSpelling(key, names) ?? `known: ${names.join(', ')}`,
    });
  };
  for (const [key, value] of Object.entries(json)) {
    if (!(key in known)) {
      unknown(key, Object.keys(known), `${path}#/${key}`);
      continue;
    }
    if (key === 'windowRate') continue;
    if (!isObject(value)) {
      issues.push({ code: 'wrong-type', path: `${path}#/${key}`, message: 'must be an object' });
      continue;
    }
    const names = known[key];
    if (names) {
      for (const inner of Object.keys(value))
        if (!names.includes(inner)) unknown(inner, names, `${path}#/${key}/${inner}`);
    }
  }
  if (issues.length > 0) {
    throw new PlaybyplayError('quality-constants', `${path} has invalid constants`, { issues });
  }
  return withDefaults(json as ConstantsInput);
}

function checkConstants(constants: QualityConstants): Issue[] {
  const issues: Issue[] = [];
  const need = (ok: boolean, path: string, message: string): void => {
    if (!ok) issues.push({ code: 'constant-out-of-range', path, message });
  };
  for (const name of ['base', 'offset'] as const) {
    const { x, y, z } = constants[name];
    need(number(x) && x >= 1, `${name}/x`, 'must be a number of frames, 1 or more');
    need(number(y) && y >= 1, `${name}/y`, 'must be a number of frames, 1 or more');
    need(number(z), `${name}/z`, 'must be a number');
  }
  need(number(constants.windowRate) && constants.windowRate > 0, 'windowRate', 'must be a frame rate above 0');
  need(Number.isInteger(constants.input.samples) && constants.input.samples >= 1, 'input/samples', 'must be 1 or more');
  need(number(constants.input.sampleMs) && constants.input.sampleMs > 0, 'input/sampleMs', 'must be above 0');
  need(number(constants.picture.deviation), 'picture/deviation', 'must be a number');
  need(number(constants.total.scale) && number(constants.total.shift), 'total', 'scale and shift must be numbers');
  const { curve } = constants.picture;
  const rising =
    Array.isArray(curve) &&
    curve.length >= 2 &&
    curve.every((point, i) => point.length === 2 && point.every(number) && (i === 0 || point[0]! > curve[i - 1]![0]!));
  need(rising, 'picture/curve', 'must be two or more points [bits per pixel, score], rising in bits per pixel');
  const { reference } = constants.picture;
  const values = reference && [reference.width, reference.height, reference.fps];
  need(
    !values || values.every((value) => number(value) && value > 0),
    'picture/reference',
    'must have width, height, fps',
  );
  need(!reference || [reference.size, reference.rate].every(number), 'picture/reference', 'must have size and rate');
  for (const [name, spec] of Object.entries(constants.components)) {
    for (const message of transferProblems(spec)) need(false, `components/${name}`, message);
  }
  return issues;
}

function transferProblems(spec: TransferSpec): string[] {
  if (typeof spec !== 'object' || spec === null) return ['must be an object'];
  if ('score' in spec) {
    return typeof spec.score === 'function' && typeof spec.weight === 'function'
      ? []
      : ['score and weight must be functions of the raw value'];
  }
  const problems: string[] = [];
  if (spec.kind !== 'stutter' && spec.kind !== 'latency') problems.push('kind must be "stutter" or "latency"');
  for (const [key, value] of Object.entries(spec)) {
    if (key !== 'kind' && !(typeof value === 'number' && Number.isFinite(value)))
      problems.push(`${key} must be a number`);
  }
  return problems;
}

function number(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
