/** How a raw value (ms) is judged: a score from 0 to 100 and a weight above 0 on a scale of the component's own. */
export interface Transfer {
  score(raw: number): number;
  weight(raw: number): number;
}

/** Time between frames. Score 100 below the least stutter, then from `scoreLinearMax` in a line down to 0. */
export interface StutterTransfer {
  readonly kind: 'stutter';
  /** Score at the least stutter; 50. */
  readonly scoreLinearMax?: number;
  /** Least stutter in expected frame times; 1.5. */
  readonly deltaMinFrames?: number;
  /** Least stutter in ms, in place of `deltaMinFrames`. */
  readonly deltaMin?: number;
  /** ms from which the score is 0 and the weight is full; 116. At low frame rates twice the least stutter. */
  readonly deltaMax?: number;
  readonly weightMin?: number;
  readonly weightMax?: number;
}

/** A delay. Score from 100 at `deltaMin` in a line down to 0 at `deltaMax`. */
export interface LatencyTransfer {
  readonly kind: 'latency';
  /** ms up to which the score is 100; 0 (16 to 32 are sensible too). */
  readonly deltaMin?: number;
  /** ms from which the score is 0; 100. */
  readonly deltaMax?: number;
  /** weight = raw / this; 10. */
  readonly weightDivisor?: number;
  readonly weightMin?: number;
  readonly weightMax?: number;
}

export type TransferSpec = Transfer | StutterTransfer | LatencyTransfer;

/** The functions that a specification stands for at a frame rate. */
export function resolveTransfer(spec: TransferSpec, fps: number): Transfer {
  if ('score' in spec) return spec;
  return spec.kind === 'stutter' ? stutterTransfer(spec, fps) : latencyTransfer(spec);
}

function stutterTransfer(spec: StutterTransfer, fps: number): Transfer {
  const linear = spec.scoreLinearMax ?? 50;
  const least = spec.deltaMin ?? ((spec.deltaMinFrames ?? 1.5) * 1000) / fps;
  const most = least >= (spec.deltaMax ?? 116) ? 2 * least : (spec.deltaMax ?? 116);
  const light = spec.weightMin ?? 1;
  const heavy = spec.weightMax ?? 100;
  const slope = linear / (most - least);
  const rise = (heavy - light) / (most - least);
  return {
    score: (raw) => (raw < least ? 100 : Math.max(0, linear - slope * (raw - least))),
    weight: (raw) => Math.min(heavy, Math.max(light, light + rise * (raw - least))),
  };
}

function latencyTransfer(spec: LatencyTransfer): Transfer {
  const least = spec.deltaMin ?? 0;
  const most = spec.deltaMax ?? 100;
  const divisor = spec.weightDivisor ?? 10;
  const light = spec.weightMin ?? 1;
  const heavy = spec.weightMax ?? 200;
  return {
    score: (raw) => Math.min(100, Math.max(0, (100 * (most - raw)) / (most - least))),
    weight: (raw) => Math.min(heavy, Math.max(light, raw / divisor)),
  };
}

/** A function given by points, x rising. */
export type CurvePoints = readonly (readonly [x: number, y: number])[];

/**
 * Monotone cubic through the points (Fritsch–Butland tangents, the "PCHIP" of the numerical libraries): between two
 * points it never leaves the range of their values. Outside the points it keeps the value of the nearest one.
 */
export function monotoneCubic(points: CurvePoints): (x: number) => number {
  const n = points.length;
  if (n < 2) throw new RangeError('a curve needs two points or more');
  for (let i = 1; i < n; i++) {
    if (!(points[i]![0] > points[i - 1]![0])) throw new RangeError('the points of a curve must rise in x');
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

/** Three-point estimate at an end, limited so that the curve stays monotone there. */
function endTangent(h0: number, h1: number, d0: number, d1: number): number {
  const tangent = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
  if (Math.sign(tangent) !== Math.sign(d0)) return 0;
  if (Math.sign(d0) !== Math.sign(d1) && Math.abs(tangent) > 3 * Math.abs(d0)) return 3 * d0;
  return tangent;
}

/**
 * Bits per pixel that an H.264 stream of game pictures spends at a quantization parameter: six steps of QP halve the
 * rate (the quantizer's step doubles), anchored at 0.1 bits per pixel for QP 28 at 1080 lines; larger pictures of the
 * same scene need fewer bits a pixel (fourth root of the area). An estimate for logs that tell no bitrate.
 */
export function estimateBitsPerPixel(qp: number, pixels: number): number {
  return 0.1 * 2 ** ((28 - qp) / 6) * ((1920 * 1080) / pixels) ** 0.25;
}
