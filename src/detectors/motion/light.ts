import { digits, type Finder, type Happening, medianOf, type Step } from './series.ts';

/** Deviation of the levels, in grey levels, of a picture that shows nothing, and of one that shows something. */
const PLAIN = 2.5;
const SCENE = 10;
/** What moves in a scene that fades makes its contrast waver by this. */
const WAVER = 1.06;
/** A fade has at least so many samples between its ends, and no step makes more than this of it. */
const BETWEEN = 2;
const STEEPEST = 0.6;

/** A scene that comes out of a plain picture (black, white, any colour) or goes into one, gradually. */
export class FadeFinder implements Finder {
  readonly #longest: number;
  /** Samples of falling contrast up to now, and of rising contrast since the last plain picture. */
  #falling: Step[] = [];
  #rising: Step[] = [];

  constructor(longest: number) {
    this.#longest = longest;
  }

  push(step: Step): Happening[] {
    return [...this.#out(step), ...this.#in(step)];
  }

  #out(step: Step): Happening[] {
    const last = this.#falling.at(-1);
    const falls = last && step.contrast <= last.contrast * WAVER;
    // What wavers upwards for long is no fade: a fade's beginning is its highest contrast.
    if (!falls) this.#falling = [];
    if (this.#falling[0] && step.contrast >= this.#falling[0].contrast * 0.98) this.#falling = [];
    this.#falling.push(step);
    while (step.t - this.#falling[0]!.t > this.#longest) this.#falling.shift();
    if (step.contrast > PLAIN) return [];
    const run = this.#falling;
    this.#falling = [];
    return fadeOf(run, 'out');
  }

  #in(step: Step): Happening[] {
    if (step.contrast <= PLAIN) {
      const found = this.#settleIn();
      this.#rising = [step];
      return found;
    }
    const last = this.#rising.at(-1);
    if (!last) return [];
    if (step.contrast < last.contrast / WAVER || step.t - this.#rising[0]!.t > this.#longest) return this.#settleIn();
    this.#rising.push(step);
    // It is over when the contrast has risen by little for three samples.
    const [before] = this.#rising.slice(-4);
    return this.#rising.length > 4 && step.contrast < before!.contrast * WAVER ? this.#settleIn() : [];
  }

  #settleIn(): Happening[] {
    const run = this.#rising;
    this.#rising = [];
    const top = Math.max(0, ...run.map(({ contrast }) => contrast));
    const end = run.findIndex(({ contrast }) => contrast >= 0.95 * top);
    return fadeOf(run.slice(0, end + 1), 'in');
  }

  end(): Happening[] {
    this.#falling = [];
    return this.#settleIn();
  }

  since(): number | undefined {
    const known = [this.#falling[0]?.t, this.#rising[0]?.t].filter((t) => t !== undefined);
    return known.length === 0 ? undefined : Math.min(...known);
  }
}

/** The fade that a run of samples makes, if it does. */
function fadeOf(run: readonly Step[], value: 'in' | 'out'): Happening[] {
  const contrasts = run.map(({ contrast }) => contrast);
  const most = Math.max(0, ...contrasts);
  if (most < SCENE) return [];
  // Of a scene that stood before it fell, the fade is only the falling part.
  const first = value === 'out' ? beginningOf(contrasts, most) : 0;
  const part = run.slice(first);
  const steps = part.slice(1).map(({ contrast }, i) => Math.abs(contrast - part[i]!.contrast) / most);
  if (part.length < BETWEEN + 2 || Math.max(...steps) > STEEPEST) return [];
  const [start, end] = [part[0]!, part.at(-1)!];
  const even = 1 - Math.max(...steps);
  return [
    { t: start.t, value, confidence: Math.min(1, 0.5 + even / 2), detail: { end: end.t, contrast: digits(most) } },
  ];
}

/** Share of a fade's mean slope below which it has not begun yet, and of the greatest contrast below which it has. */
const FLAT = 0.25;
const BEGUN = 0.3;

/** Where a falling run begins to fall for good: before that it may have wavered, or lost a bright thing long ago. */
function beginningOf(contrasts: readonly number[], most: number): number {
  const last = contrasts.length - 1;
  for (let i = last - 1; i > 0; i--) {
    if (contrasts[i]! < BEGUN * most) continue;
    const from = Math.max(0, i - 3);
    const [slope, before] = [
      (contrasts[i]! - contrasts[last]!) / (last - i),
      (contrasts[from]! - contrasts[i]!) / (i - from),
    ];
    if (before < FLAT * slope) return i;
  }
  return 0;
}

/** Samples before a flash that tell the usual light. */
const USUAL = 5;

/** The picture becomes much brighter or darker at once, and as it was soon after. */
export class FlashFinder implements Finder {
  readonly #rise: number;
  readonly #longest: number;
  #before: Step[] = [];
  #open: { readonly start: Step; readonly usual: number; peak: number } | undefined;

  constructor(rise: number, longest: number) {
    this.#rise = rise;
    this.#longest = longest;
  }

  push(step: Step): Happening[] {
    const open = this.#open;
    if (!open) {
      const usual = medianOf(this.#before.map(({ level }) => level));
      const last = this.#before.at(-1);
      this.#before.push(step);
      if (this.#before.length > USUAL) this.#before.shift();
      const change = step.level - usual;
      // A rise at once: the sample before was still in the usual light.
      if (!last || Math.abs(change) < this.#rise || Math.abs(last.level - usual) > 0.5 * Math.abs(change)) return [];
      this.#open = { start: step, usual, peak: change };
      return [];
    }
    const change = step.level - open.usual;
    if (Math.abs(change) > Math.abs(open.peak) && change * open.peak > 0) open.peak = change;
    if (step.t - open.start.t > this.#longest) {
      this.#open = undefined;
      this.#before = [step];
      return [];
    }
    if (Math.abs(change) > 0.4 * Math.abs(open.peak)) return [];
    this.#open = undefined;
    this.#before = [step];
    const confidence = 1 - 0.5 * (this.#rise / Math.abs(open.peak)) ** 2;
    const value = open.peak > 0 ? 'bright' : 'dark';
    return [{ t: open.start.t, value, confidence, detail: { end: step.t, peak: digits(open.peak) } }];
  }

  end(): Happening[] {
    this.#open = undefined;
    this.#before = [];
    return [];
  }

  since(): number | undefined {
    return this.#open?.start.t;
  }
}
