import { object } from '../schema/build.ts';
import type { FromSchema } from '../schema/from-schema.ts';

/** Rates a raw value (ms): a score of 0–100 and a weight above 0. */
export interface Transfer {
  score(raw: number): number;
  weight(raw: number): number;
}

const NUMBER = { type: 'number' } as const;

/** The JSON Schema of a {@link StutterTransfer}. */
export const stutterSchema = object(['kind'], {
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
export const latencySchema = object(['kind'], {
  kind: { const: 'latency' },
  deltaMin: { ...NUMBER, description: 'ms up to which the score is 100; default 0 (16 to 32 are also sensible).' },
  deltaMax: { ...NUMBER, description: 'ms at which the score reaches 0; default 100.' },
  weightDivisor: { ...NUMBER, description: 'weight = raw / this; default 10.' },
  weightMin: NUMBER,
  weightMax: NUMBER,
});

/** Transfer of a time between frames: score 100 below the smallest stutter, then linear from `scoreLinearMax` to 0. */
export interface StutterTransfer extends FromSchema<typeof stutterSchema> {}

/** Transfer of a delay: score linear from 100 at `deltaMin` to 0 at `deltaMax`. */
export interface LatencyTransfer extends FromSchema<typeof latencySchema> {}

/** Transfer functions, or the parameters of the built-in ones. */
export type TransferSpec = Transfer | StutterTransfer | LatencyTransfer;

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
export type CurvePoints = readonly (readonly [x: number, y: number])[];

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
