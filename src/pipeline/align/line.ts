/** An offset that was measured at a time. */
export interface Measured {
  /** Seconds on the second clock. */
  readonly at: number;
  /** Seconds by which the first clock is ahead of it there. */
  readonly offset: number;
  /** How much it counts. */
  readonly clear: number;
}

/** offset + drift · at. */
export interface Line {
  readonly offset: number;
  /** Seconds a second. */
  readonly drift: number;
}

/** Clocks that differ by more belong to no two recorders of one session. */
const MOST_DRIFT = 1e-3;

/** The value of a line at `at`. */
export function on({ offset, drift }: Line, at: number): number {
  return offset + drift * at;
}

/** The line that most of what was measured lies on, within `near` seconds; for every time of measuring only the best counts. */
export function consensus(
  measured: readonly Measured[],
  near: number,
): { line: Line; members: Measured[] } | undefined {
  let best: { line: Line; members: Measured[]; weight: number } | undefined;
  const attempt = (line: Line): void => {
    const members = membersOf(line, measured, near);
    const weight = members.reduce((sum, { clear }) => sum + clear, 0);
    if (!best || weight > best.weight) best = { line, members, weight };
  };
  for (const one of measured) {
    attempt({ offset: one.offset, drift: 0 });
    for (const other of measured) {
      const apart = other.at - one.at;
      if (apart <= 0) continue;
      const drift = (other.offset - one.offset) / apart;
      if (Math.abs(drift) <= MOST_DRIFT) attempt({ offset: one.offset - drift * one.at, drift });
    }
  }
  return best;
}

function membersOf(line: Line, measured: readonly Measured[], near: number): Measured[] {
  const byTime = new Map<number, Measured>();
  for (const one of measured) {
    if (Math.abs(one.offset - on(line, one.at)) > near) continue;
    const known = byTime.get(one.at);
    if (!known || one.clear > known.clear) byTime.set(one.at, one);
  }
  return [...byTime.values()];
}

/** Least squares; without drift where the times lie too close to each other to tell it. */
export function fitted(measured: readonly Measured[], shortest: number): Line {
  const count = measured.length;
  const at = measured.reduce((sum, one) => sum + one.at, 0) / count;
  const offset = measured.reduce((sum, one) => sum + one.offset, 0) / count;
  const span = Math.max(...measured.map((one) => one.at)) - Math.min(...measured.map((one) => one.at));
  if (count < 3 || span < shortest) return { offset, drift: 0 };
  const squares = measured.reduce((sum, one) => sum + (one.at - at) ** 2, 0);
  const drift = measured.reduce((sum, one) => sum + (one.at - at) * (one.offset - offset), 0) / squares;
  return { offset: offset - drift * at, drift };
}

/** Root mean square of what lies beside the line. */
export function scatter(line: Line, measured: readonly Measured[]): number {
  return Math.sqrt(measured.reduce((sum, one) => sum + (one.offset - on(line, one.at)) ** 2, 0) / measured.length);
}
