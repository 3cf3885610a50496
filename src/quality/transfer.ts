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
export function transferOf(spec: TransferSpec, fps: number): Transfer {
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
