import { digits, type Finder, type Happening, medianOf, type Step } from './series.ts';

/** Seconds before a burst that tell how fast things usually move. */
const USUAL = 1;

interface Lobe {
  readonly steps: Step[];
  peak: number;
}

/**
 * A sudden fast movement that is soon over: a swing, a blow, a dash. Fast is both a speed and a multiple of what moved
 * before. With `swing` it must go one way first and then, faster, the other way (drawing back, then striking).
 */
export class BurstFinder implements Finder {
  readonly #speed: number;
  readonly #times: number;
  readonly #longest: number;
  readonly #swing: boolean;
  #before: Step[] = [];
  #open: Lobe | undefined;

  constructor(speed: number, times: number, longest: number, swing: boolean) {
    this.#speed = speed;
    this.#times = times;
    this.#longest = longest;
    this.#swing = swing;
  }

  push(step: Step): Happening[] {
    const speed = speedOf(step);
    const open = this.#open;
    if (!open) {
      const usual = medianOf(this.#before.map(speedOf));
      if (this.#before.length >= 2 && speed >= Math.max(this.#speed, this.#times * usual)) {
        this.#open = { steps: [step], peak: speed };
        return [];
      }
      this.#remember(step);
      return [];
    }
    open.peak = Math.max(open.peak, speed);
    if (step.t - open.steps[0]!.t > this.#longest) {
      // Too long: it moves for good.
      this.#open = undefined;
      this.#before = [...open.steps, step];
      return [];
    }
    open.steps.push(step);
    if (speed > Math.max(0.3 * open.peak, 0.5 * this.#speed)) return [];
    this.#open = undefined;
    this.#remember(step);
    return this.#judge(open.steps);
  }

  #remember(step: Step): void {
    this.#before.push(step);
    while (step.t - this.#before[0]!.t > USUAL) this.#before.shift();
  }

  #judge(steps: readonly Step[]): Happening[] {
    const speeds = steps.map(speedOf);
    const at = speeds.indexOf(Math.max(...speeds));
    const peak = steps[at]!;
    const { x = 0, y = 0 } = peak;
    if (this.#swing) {
      const drawn = steps.slice(0, at).some((step) => against(step, peak) && speedOf(step) >= 0.15 * speeds[at]!);
      const earlier = this.#before.some((step) => against(step, peak) && speedOf(step) >= 0.15 * speeds[at]!);
      if (!drawn && !earlier) return [];
    }
    const confidence = 1 - 0.5 * (this.#speed / speeds[at]!) ** 2;
    const detail = { end: steps.at(-1)!.t, speed: digits(speeds[at]!), x, y };
    return [{ t: steps[0]!.t, value: 'burst', confidence, detail }];
  }

  end(): Happening[] {
    this.#open = undefined;
    this.#before = [];
    return [];
  }

  since(): number | undefined {
    return this.#open?.steps[0]!.t;
  }
}

/** The whole's speed, or that of the parts that go their own way if it is greater. */
function speedOf({ x = 0, y = 0, zoom = 0, parts = 0, speed = 0 }: Step): number {
  return Math.max(Math.hypot(x, y), 0.5 * Math.abs(zoom), parts >= 0.1 ? speed : 0);
}

/** Whether two samples move in opposite ways. */
function against(a: Step, b: Step): boolean {
  const dot = (a.x ?? 0) * (b.x ?? 0) + (a.y ?? 0) * (b.y ?? 0);
  return dot < -0.5 * Math.hypot(a.x ?? 0, a.y ?? 0) * Math.hypot(b.x ?? 0, b.y ?? 0);
}
