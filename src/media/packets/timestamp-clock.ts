/** How long the clock may run on while packets with stray timestamps lie between, in tolerances. */
const MAX_STRAY_TOLERANCES = 20;

/** State of the clock before a jump. */
interface BeforeJump {
  /** Last decoding time, in ticks. */
  readonly dts: number;
  /** What was added to presentation times. */
  readonly shift: number;
  /** Position of the first packet after the jump. */
  readonly position: number;
  /** 1: ahead, -1: back. */
  readonly direction: number;
  readonly latest: number;
  readonly lastStart: number;
  readonly restarts: number;
}

/**
 * Maps stored timestamps to presentation times, in ticks, on one clock. A packet without a timestamp takes its decoding
 * time or follows the latest. Where the stored clock restarts (joined recordings: back, or ahead by more than can have been
 * lost), times continue after those before. Where it jumps and returns (damaged timestamps), the packets between are strays.
 */
export class TimestampClock {
  readonly #tolerance: number;
  readonly #maxLoss: number;
  #shift = 0;
  #step: number;
  #latest = Number.NaN;
  #lastStart = Number.NEGATIVE_INFINITY;
  #lastDts = Number.NaN;
  #beforeJump: BeforeJump | undefined;
  #restarts = 0;
  #strays: [position: number, time: number][] = [];

  /**
   * @param tolerance Ticks by which decoding times may step back or ahead without a jump.
   * @param step Usual distance of frames in ticks, until packets show it.
   * @param maxLoss Ticks ahead from which a jump is a restart.
   */
  constructor(tolerance: number, step: number, maxLoss: number) {
    this.#tolerance = tolerance;
    this.#maxLoss = maxLoss;
    this.#step = step;
  }

  /** Whether the clock has restarted, so that the container's duration does not hold. */
  get hasRestarted(): boolean {
    return this.#restarts > 0;
  }

  /** Packets that the last `read` found to be strays, with times between their neighbours. */
  get strays(): readonly (readonly [position: number, time: number])[] {
    return this.#strays;
  }

  /**
   * Returns the presentation time of the next packet.
   *
   * @param position Its decode position.
   * @param isStart Decoding can start there.
   */
  read(position: number, pts: number, dts: number, isStart: boolean): number {
    if (this.#strays.length > 0) this.#strays = [];
    const step = dts - this.#lastDts;
    if (Math.abs(step) > this.#tolerance && !this.#returnFromJump(position, dts, Math.sign(step))) {
      this.#beforeJump = {
        dts: this.#lastDts,
        shift: this.#shift,
        position,
        direction: Math.sign(step),
        latest: this.#latest,
        lastStart: this.#lastStart,
        restarts: this.#restarts,
      };
    }
    if (step > 0 && step <= this.#tolerance) this.#step = step;
    this.#lastDts = dts;
    const stored = Number.isNaN(pts) ? dts : pts;
    const next = Number.isNaN(this.#latest) ? 0 : this.#latest + this.#step;
    let time = Number.isNaN(stored) ? next : stored + this.#shift;
    const restarted = (step < -this.#tolerance || step > this.#maxLoss) && this.#beforeJump?.position === position;
    if (restarted) this.#restarts++;
    if (restarted || (isStart && time <= this.#lastStart)) {
      this.#shift += next - time;
      time = next;
    }
    if (isStart) this.#lastStart = time;
    if (!(time <= this.#latest)) this.#latest = time;
    return time;
  }

  /**
   * Checks whether the clock is back where it would be without the jump; then the packets since are strays. A second jump in the same
   * direction is no return: a recording may pause twice.
   */
  #returnFromJump(position: number, dts: number, direction: number): boolean {
    const before = this.#beforeJump;
    if (!before || before.direction === direction) return false;
    if (dts < before.dts || dts > before.dts + MAX_STRAY_TOLERANCES * this.#tolerance) return false;
    this.#strays = [];
    for (let stray = before.position; stray < position; stray++) {
      this.#strays.push([stray, before.latest + this.#step * (stray - before.position + 1)]);
    }
    this.#shift = before.shift;
    this.#restarts = before.restarts;
    this.#latest = before.latest;
    this.#lastStart = before.lastStart;
    this.#beforeJump = undefined;
    return true;
  }
}
