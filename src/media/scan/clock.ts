/** How far a clock may run on while packets with stray timestamps lie between, in tolerances. */
const RUN_ON = 20;

/** The clock as it was before a jump: the last decoding time (ticks) and what was added to presentation times. */
interface Anchor {
  readonly dts: number;
  readonly shift: number;
  /** Position of the first packet after the jump. */
  readonly position: number;
  readonly latest: number;
  readonly lastStart: number;
  readonly jumps: number;
}

/**
 * Presentation times in ticks on one clock. A packet without one takes its decoding time, or follows the latest. Where the
 * stored clock is set anew for good (joined recordings: back, or ahead by more than can have been lost), what comes continues after
 * what came before; where it jumps and comes back (damaged timestamps), the packets between are strays.
 */
export class Clock {
  readonly #tolerance: number;
  readonly #leap: number;
  #shift = 0;
  #step: number;
  #latest = Number.NaN;
  #lastStart = Number.NEGATIVE_INFINITY;
  #lastDts = Number.NaN;
  #anchor: Anchor | undefined;
  #jumps = 0;
  #strays: [position: number, time: number][] = [];

  /**
   * `tolerance`: how many ticks decoding times may step back or ahead without meaning a jump. `step`: the usual distance of
   * frames, for as long as the packets do not tell. `leap`: from how many ticks ahead on it is another clock.
   */
  constructor(tolerance: number, step: number, leap: number) {
    this.#tolerance = tolerance;
    this.#leap = leap;
    this.#step = step;
  }

  /** What the container says of the length no longer holds. */
  get setAnew(): boolean {
    return this.#jumps > 0;
  }

  /** The packets that the last reading showed to be strays, with times between their neighbours. */
  strays(): readonly (readonly [position: number, time: number])[] {
    return this.#strays;
  }

  /** The time of the packet at a decode position; `start` says that decoding can start there. */
  read(position: number, pts: number, dts: number, start: boolean): number {
    if (this.#strays.length > 0) this.#strays = [];
    const step = dts - this.#lastDts;
    if (Math.abs(step) > this.#tolerance && !this.#comeBack(position, dts)) {
      this.#anchor = {
        dts: this.#lastDts,
        shift: this.#shift,
        position,
        latest: this.#latest,
        lastStart: this.#lastStart,
        jumps: this.#jumps,
      };
    }
    if (step > 0 && step <= this.#tolerance) this.#step = step;
    this.#lastDts = dts;
    const stored = Number.isNaN(pts) ? dts : pts;
    const next = Number.isNaN(this.#latest) ? 0 : this.#latest + this.#step;
    let time = Number.isNaN(stored) ? next : stored + this.#shift;
    const jumped = (step < -this.#tolerance || step > this.#leap) && this.#anchor?.position === position;
    if (jumped) this.#jumps++;
    if (jumped || (start && time <= this.#lastStart)) {
      this.#shift += next - time;
      time = next;
    }
    if (start) this.#lastStart = time;
    if (!(time <= this.#latest)) this.#latest = time;
    return time;
  }

  /** After a jump, is the clock where it would be without it? Then the packets since are strays. */
  #comeBack(position: number, dts: number): boolean {
    const anchor = this.#anchor;
    if (!anchor || dts < anchor.dts || dts > anchor.dts + RUN_ON * this.#tolerance) return false;
    this.#strays = [];
    for (let stray = anchor.position; stray < position; stray++) {
      this.#strays.push([stray, anchor.latest + this.#step * (stray - anchor.position + 1)]);
    }
    this.#shift = anchor.shift;
    this.#jumps = anchor.jumps;
    this.#latest = anchor.latest;
    this.#lastStart = anchor.lastStart;
    this.#anchor = undefined;
    return true;
  }
}
