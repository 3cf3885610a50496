/**
 * Decoding times for packets in the order of decoding, from their presentation times alone. With frames shown at most
 * `depth` places after they are decoded, the i-th packet decodes when the frame shown `depth` places earlier is due:
 * times ascend and none lies behind its own presentation (the scheme of ISO/IEC 14496-12 with a constant shift).
 */
export class DecodingTimes {
  readonly #depth: number;
  readonly #step: bigint;
  readonly #waiting: bigint[] = [];
  #count = 0;
  #first = 0n;

  /** `step` ticks lie between the decoding times before the first frame is due. */
  constructor(depth: number, step: bigint) {
    this.#depth = depth;
    this.#step = step;
  }

  next(pts: bigint): bigint {
    if (this.#count === 0) this.#first = pts;
    let place = this.#waiting.length;
    while (place > 0 && this.#waiting[place - 1]! > pts) place--;
    this.#waiting.splice(place, 0, pts);
    const index = this.#count++;
    return index < this.#depth ? this.#first - BigInt(this.#depth - index) * this.#step : this.#waiting.shift()!;
  }
}

/** How many places at most a frame is decoded before frames that are shown earlier: what `depth` must be. */
export function reorderDepth(times: readonly bigint[]): number {
  const shown = new Map(times.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)).map((time, rank) => [time, rank]));
  return times.reduce((depth, time, index) => Math.max(depth, index - shown.get(time)!), 0);
}
