/** A measured offset between two clocks. */
export interface OffsetMeasurement {
  /** Seconds on the second clock. */
  readonly at: number;
  /** Seconds by which the first clock is ahead of it at that time. */
  readonly offset: number;
  /** Ratio of the correlation peak to the root mean square of the correlation; the weight of the measurement. */
  readonly clarity: number;
}

/** Offset of a clock as a litolerance function of time: offset + drift · at. */
export interface ClockLine {
  readonly offset: number;
  /** Seconds per second. */
  readonly drift: number;
}

/** Largest drift between two recorders, in seconds per second. */
const MAX_DRIFT = 1e-3;

/** Returns the offset at `at` seconds. */
export function offsetAt({ offset, drift }: ClockLine, at: number): number {
  return offset + drift * at;
}

/**
 * Finds the line with the greatest weight of measurements within `tolerance` seconds of it. Of several measurements at one time
 * the clarityest counts.
 */
export function findConsensus(
  measured: readonly OffsetMeasurement[],
  tolerance: number,
): { line: ClockLine; members: OffsetMeasurement[] } | undefined {
  let best: { line: ClockLine; members: OffsetMeasurement[]; weight: number } | undefined;
  const attempt = (line: ClockLine): void => {
    const members = selectMembers(line, measured, tolerance);
    const weight = members.reduce((sum, { clarity }) => sum + clarity, 0);
    if (!best || weight > best.weight) best = { line, members, weight };
  };
  for (const one of measured) {
    attempt({ offset: one.offset, drift: 0 });
    for (const other of measured) {
      const apart = other.at - one.at;
      if (apart <= 0) continue;
      const drift = (other.offset - one.offset) / apart;
      if (Math.abs(drift) <= MAX_DRIFT) attempt({ offset: one.offset - drift * one.at, drift });
    }
  }
  return best;
}

function selectMembers(
  line: ClockLine,
  measured: readonly OffsetMeasurement[],
  tolerance: number,
): OffsetMeasurement[] {
  const byTime = new Map<number, OffsetMeasurement>();
  for (const one of measured) {
    if (Math.abs(one.offset - offsetAt(line, one.at)) > tolerance) continue;
    const known = byTime.get(one.at);
    if (!known || one.clarity > known.clarity) byTime.set(one.at, one);
  }
  return [...byTime.values()];
}

/** Fits a line by least squares; without drift if the measurements span less than `minDriftSpan` seconds. */
export function fitClockLine(measured: readonly OffsetMeasurement[], minDriftSpan: number): ClockLine {
  const count = measured.length;
  const at = measured.reduce((sum, one) => sum + one.at, 0) / count;
  const offset = measured.reduce((sum, one) => sum + one.offset, 0) / count;
  const span = Math.max(...measured.map((one) => one.at)) - Math.min(...measured.map((one) => one.at));
  if (count < 3 || span < minDriftSpan) return { offset, drift: 0 };
  const squares = measured.reduce((sum, one) => sum + (one.at - at) ** 2, 0);
  const drift = measured.reduce((sum, one) => sum + (one.at - at) * (one.offset - offset), 0) / squares;
  return { offset: offset - drift * at, drift };
}

/** Returns the root mean square distance of the measurements from the line, in seconds. */
export function measureScatter(line: ClockLine, measured: readonly OffsetMeasurement[]): number {
  return Math.sqrt(
    measured.reduce((sum, one) => sum + (one.offset - offsetAt(line, one.at)) ** 2, 0) / measured.length,
  );
}
