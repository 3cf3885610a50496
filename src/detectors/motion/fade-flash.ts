import { roundDigits, type PatternFinder, type PatternMatch, medianOrZero, type MotionSample } from './patterns.ts';

/** Contrast, in grey levels, up to which a picture is plain. */
const MAX_PLAIN_CONTRAST = 2.5;
/** Contrast from which a picture shows a scene. */
const MIN_SCENE_CONTRAST = 10;
/** Ratio by which movement in a fading scene may change its contrast against the fade. */
const CONTRAST_JITTER = 1.06;
/** Minimum number of samples between the ends of a fade. */
const MIN_INNER_SAMPLES = 2;
/** Maximum share of a fade between two samples. */
const MAX_STEP_SHARE = 0.6;

/** Finds fades: gradual transitions between a scene and a plain picture of any colour. */
export class FadeFinder implements PatternFinder {
  readonly #longest: number;
  /** Samples of falling contrast up to now. */
  #falling: MotionSample[] = [];
  /** Samples of rising contrast since the last plain picture. */
  #rising: MotionSample[] = [];

  constructor(longest: number) {
    this.#longest = longest;
  }

  push(sample: MotionSample): PatternMatch[] {
    return [...this.#out(sample), ...this.#in(sample)];
  }

  #out(sample: MotionSample): PatternMatch[] {
    const last = this.#falling.at(-1);
    const falls = last && sample.contrast <= last.contrast * CONTRAST_JITTER;
    // A fade-out begins with its highest contrast.
    if (!falls) this.#falling = [];
    if (this.#falling[0] && sample.contrast >= this.#falling[0].contrast * 0.98) this.#falling = [];
    this.#falling.push(sample);
    while (sample.t - this.#falling[0]!.t > this.#longest) this.#falling.shift();
    if (sample.contrast > MAX_PLAIN_CONTRAST) return [];
    const run = this.#falling;
    this.#falling = [];
    return matchFade(run, 'out');
  }

  #in(sample: MotionSample): PatternMatch[] {
    if (sample.contrast <= MAX_PLAIN_CONTRAST) {
      const found = this.#completeFadeIn();
      this.#rising = [sample];
      return found;
    }
    const last = this.#rising.at(-1);
    if (!last) return [];
    if (sample.contrast < last.contrast / CONTRAST_JITTER || sample.t - this.#rising[0]!.t > this.#longest)
      return this.#completeFadeIn();
    this.#rising.push(sample);
    // The fade-in is over when the contrast has hardly risen for three samples.
    const [before] = this.#rising.slice(-4);
    return this.#rising.length > 4 && sample.contrast < before!.contrast * CONTRAST_JITTER
      ? this.#completeFadeIn()
      : [];
  }

  #completeFadeIn(): PatternMatch[] {
    const run = this.#rising;
    this.#rising = [];
    const top = Math.max(0, ...run.map(({ contrast }) => contrast));
    const end = run.findIndex(({ contrast }) => contrast >= 0.95 * top);
    return matchFade(run.slice(0, end + 1), 'in');
  }

  end(): PatternMatch[] {
    this.#falling = [];
    return this.#completeFadeIn();
  }

  pendingSince(): number | undefined {
    const known = [this.#falling[0]?.t, this.#rising[0]?.t].filter((t) => t !== undefined);
    return known.length === 0 ? undefined : Math.min(...known);
  }
}

/** Returns the fade in a run of samples, if there is one. */
function matchFade(run: readonly MotionSample[], value: 'in' | 'out'): PatternMatch[] {
  const contrasts = run.map(({ contrast }) => contrast);
  const highest = Math.max(0, ...contrasts);
  if (highest < MIN_SCENE_CONTRAST) return [];
  // Leaves out the time before the contrast begins to fall.
  const first = value === 'out' ? findFadeStart(contrasts, highest) : 0;
  const part = run.slice(first);
  const steps = part.slice(1).map(({ contrast }, i) => Math.abs(contrast - part[i]!.contrast) / highest);
  if (part.length < MIN_INNER_SAMPLES + 2 || Math.max(...steps) > MAX_STEP_SHARE) return [];
  const [start, end] = [part[0]!, part.at(-1)!];
  const even = 1 - Math.max(...steps);
  return [
    {
      t: start.t,
      value,
      confidence: Math.min(1, 0.5 + even / 2),
      detail: { end: end.t, contrast: roundDigits(highest) },
    },
  ];
}

/** Share of the mean slope of a fade below which it has not begun yet. */
const FLAT_SLOPE_SHARE = 0.25;
/** Share of the highest contrast below which a fade has begun. */
const BEGUN_CONTRAST_SHARE = 0.3;

/** Index from which the contrast falls steadily; it may have varied before. */
function findFadeStart(contrasts: readonly number[], highest: number): number {
  const last = contrasts.length - 1;
  for (let i = last - 1; i > 0; i--) {
    if (contrasts[i]! < BEGUN_CONTRAST_SHARE * highest) continue;
    const from = Math.max(0, i - 3);
    const [slope, before] = [
      (contrasts[i]! - contrasts[last]!) / (last - i),
      (contrasts[from]! - contrasts[i]!) / (i - from),
    ];
    if (before < FLAT_SLOPE_SHARE * slope) return i;
  }
  return 0;
}

/** The usual brightness is the median of this many samples before a flash. */
const USUAL_SAMPLES = 5;

/** Finds flashes: the picture becomes much brighter or darker at once and soon returns to the usual brightness. */
export class FlashFinder implements PatternFinder {
  readonly #rise: number;
  readonly #longest: number;
  #before: MotionSample[] = [];
  #open: { readonly start: MotionSample; readonly usual: number; peak: number } | undefined;

  constructor(rise: number, longest: number) {
    this.#rise = rise;
    this.#longest = longest;
  }

  push(sample: MotionSample): PatternMatch[] {
    const open = this.#open;
    if (!open) {
      const usual = medianOrZero(this.#before.map(({ level }) => level));
      const last = this.#before.at(-1);
      this.#before.push(sample);
      if (this.#before.length > USUAL_SAMPLES) this.#before.shift();
      const change = sample.level - usual;
      // The change must be sudden: the sample before still has the usual brightness.
      if (!last || Math.abs(change) < this.#rise || Math.abs(last.level - usual) > 0.5 * Math.abs(change)) return [];
      this.#open = { start: sample, usual, peak: change };
      return [];
    }
    const change = sample.level - open.usual;
    if (Math.abs(change) > Math.abs(open.peak) && change * open.peak > 0) open.peak = change;
    if (sample.t - open.start.t > this.#longest) {
      this.#open = undefined;
      this.#before = [sample];
      return [];
    }
    if (Math.abs(change) > 0.4 * Math.abs(open.peak)) return [];
    this.#open = undefined;
    this.#before = [sample];
    const confidence = 1 - 0.5 * (this.#rise / Math.abs(open.peak)) ** 2;
    const value = open.peak > 0 ? 'bright' : 'dark';
    return [{ t: open.start.t, value, confidence, detail: { end: sample.t, peak: roundDigits(open.peak) } }];
  }

  end(): PatternMatch[] {
    this.#open = undefined;
    this.#before = [];
    return [];
  }

  pendingSince(): number | undefined {
    return this.#open?.start.t;
  }
}
