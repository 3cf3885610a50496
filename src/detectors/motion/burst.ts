import { roundDigits, type PatternFinder, type PatternMatch, medianOrZero, type MotionSample } from './patterns.ts';

/** The usual speed is the median over this time before a burst. */
const USUAL_SECONDS = 1;

/** A burst that has not ended yet. */
interface OpenBurst {
  readonly samples: MotionSample[];
  /** Highest speed so far. */
  peak: number;
}

/**
 * Finds bursts: sudden fast movements that are soon over, such as a swing, a blow or a dash. Their speed exceeds both a minimum and a
 * multiple of the usual speed. With `swing` the movement must go in one direction first and then, faster, in the opposite one.
 */
export class BurstFinder implements PatternFinder {
  readonly #speed: number;
  readonly #times: number;
  readonly #longest: number;
  readonly #swing: boolean;
  #before: MotionSample[] = [];
  #open: OpenBurst | undefined;

  constructor(speed: number, times: number, longest: number, swing: boolean) {
    this.#speed = speed;
    this.#times = times;
    this.#longest = longest;
    this.#swing = swing;
  }

  push(sample: MotionSample): PatternMatch[] {
    const speed = fastest(sample);
    const open = this.#open;
    if (!open) {
      const usual = medianOrZero(this.#before.map(fastest));
      if (this.#before.length >= 2 && speed >= Math.max(this.#speed, this.#times * usual)) {
        this.#open = { samples: [sample], peak: speed };
        return [];
      }
      this.#remember(sample);
      return [];
    }
    open.peak = Math.max(open.peak, speed);
    if (sample.t - open.samples[0]!.t > this.#longest) {
      // Too long: lasting movement is no burst.
      this.#open = undefined;
      this.#before = [...open.samples, sample];
      return [];
    }
    open.samples.push(sample);
    if (speed > Math.max(0.3 * open.peak, 0.5 * this.#speed)) return [];
    this.#open = undefined;
    this.#remember(sample);
    return this.#judge(open.samples);
  }

  #remember(sample: MotionSample): void {
    this.#before.push(sample);
    while (sample.t - this.#before[0]!.t > USUAL_SECONDS) this.#before.shift();
  }

  #judge(samples: readonly MotionSample[]): PatternMatch[] {
    const speeds = samples.map(fastest);
    const at = speeds.indexOf(Math.max(...speeds));
    const peak = samples[at]!;
    const { x = 0, y = 0 } = peak;
    if (this.#swing) {
      const drawn = samples
        .slice(0, at)
        .some((sample) => areOpposite(sample, peak) && fastest(sample) >= 0.15 * speeds[at]!);
      const earlier = this.#before.some((sample) => areOpposite(sample, peak) && fastest(sample) >= 0.15 * speeds[at]!);
      if (!drawn && !earlier) return [];
    }
    const confidence = 1 - 0.5 * (this.#speed / speeds[at]!) ** 2;
    const detail = { end: samples.at(-1)!.t, speed: roundDigits(speeds[at]!), x, y };
    return [{ t: samples[0]!.t, value: 'burst', confidence, detail }];
  }

  end(): PatternMatch[] {
    this.#open = undefined;
    this.#before = [];
    return [];
  }

  pendingSince(): number | undefined {
    return this.#open?.samples[0]!.t;
  }
}

/** The speed of the whole or of the parts that move differently, whichever is greater. */
function fastest({ x = 0, y = 0, zoom = 0, parts = 0, speed = 0 }: MotionSample): number {
  return Math.max(Math.hypot(x, y), 0.5 * Math.abs(zoom), parts >= 0.1 ? speed : 0);
}

/** Whether two samples move in opposite directions. */
function areOpposite(a: MotionSample, b: MotionSample): boolean {
  const dot = (a.x ?? 0) * (b.x ?? 0) + (a.y ?? 0) * (b.y ?? 0);
  return dot < -0.5 * Math.hypot(a.x ?? 0, a.y ?? 0) * Math.hypot(b.x ?? 0, b.y ?? 0);
}
