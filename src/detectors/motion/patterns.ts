import type { Cue } from '../../cues/cue.ts';
import type { Tracker } from '../../cues/tracker.ts';
import { roundTo, upperMedian } from '../../statistics.ts';
import type { Reading, Sketch } from '../kind.ts';
import { BLOCKS, type Movement, UNITS_PER_LEVEL } from './block-motion.ts';
import type { MotionOptions } from './index.ts';

/** A sample of the series in which patterns are found. */
interface MotionSample extends Movement {
  readonly t: number;
}

/** An occurrence of a pattern. */
interface PatternMatch {
  readonly t: number;
  readonly value: string;
  readonly confidence: number;
  readonly detail: Readonly<Record<string, number>>;
}

/** Finds the occurrences of one pattern in a series of samples. */
interface PatternFinder {
  /** Takes the next sample; returns the occurrences that it completes. */
  push(step: MotionSample): PatternMatch[];
  /** Ends the series, as samples are missing or the recording is over; returns the occurrences known without more samples. */
  end(): PatternMatch[];
  /** Time in seconds of the earliest occurrence that a later sample may complete. */
  pendingSince(): number | undefined;
}

/** Median of the values; 0 if there are none. */
function medianOrZero(values: readonly number[]): number {
  return upperMedian(values) ?? 0;
}

/** Samples before and after a cut that it is compared with. */
const SAMPLES_BEFORE = 6;
const SAMPLES_AFTER = 2;
/** Minimum change, in grey levels, at a cut. */
const MIN_CHANGE = 6;
/** Minimum ratio of the change at a cut to the usual change around it. */
const MIN_CHANGE_RATIO = 1.7;
/** Minimum ratio to the change of each adjacent sample: a fast turn of the camera lasts for several samples. */
const MIN_ADJACENT_RATIO = 1.2;
/** Lower bound of the usual change, in grey levels. */
const MIN_USUAL_CHANGE = 4;
/** Speed, in heights per second, from which two samples in the same direction are a turn of the camera. */
const MIN_TURN_SPEED = 4;

/** Change, in grey levels, from which a sample distinguishes the overlay from the scene. */
const MIN_OVERLAY_CHANGE = 3;
/** Number of such samples from which a block can belong to the overlay, and how many are remembered. */
const MIN_OVERLAY_SAMPLES = 10;
const MAX_OVERLAY_SAMPLES = 60;
/** Minimum share of the samples in which a block of the overlay is in place. */
const MIN_STILL_SHARE = 0.8;
/** Minimum number of blocks outside the overlay. */
const MIN_SCENE_BLOCKS = 6;

/**
 * Learns which blocks belong to the overlay (numbers, names, the weapon in hand). They survive every cut and would lower the share of
 * lost structure.
 */
class Overlay {
  /** For each block, whether it was in place (1) in the latest samples. */
  readonly #past = new Map<number, (0 | 1)[]>();

  /** Share of the structure outside the overlay that is lost; of all structure if there is too little outside. */
  lostShare({ blocks = '', lost }: MotionSample): number {
    let [scene, gone] = [0, 0];
    for (let i = 0; i < blocks.length; i++) {
      if (blocks[i] === BLOCKS.plain || this.#isOverlay(i)) continue;
      scene++;
      if (blocks[i] === BLOCKS.lost) gone++;
    }
    return scene < MIN_SCENE_BLOCKS ? lost : gone / scene;
  }

  learn({ blocks = '', change }: MotionSample): void {
    if (change < MIN_OVERLAY_CHANGE) return;
    for (let i = 0; i < blocks.length; i++) {
      if (blocks[i] === BLOCKS.plain) continue;
      const past = this.#past.get(i) ?? [];
      past.push(blocks[i] === BLOCKS.still ? 1 : 0);
      if (past.length > MAX_OVERLAY_SAMPLES) past.shift();
      this.#past.set(i, past);
    }
  }

  #isOverlay(block: number): boolean {
    const past = this.#past.get(block) ?? [];
    const still = past.reduce((sum: number, one) => sum + one, 0);
    return past.length >= MIN_OVERLAY_SAMPLES && still >= MIN_STILL_SHARE * past.length;
  }
}

/**
 * Finds cuts: nearly all structure outside the overlay is new, and the picture changes much more than in the samples around. A fast turn
 * of the camera also loses structure, but over several samples in the same direction.
 */
class CutFinder implements PatternFinder {
  readonly #minimumLost: number;
  readonly #overlay = new Overlay();
  #window: MotionSample[] = [];
  /** Number of samples of the window that have been judged. */
  #judged = 0;

  constructor({ least = 0.8 }: MotionOptions) {
    this.#minimumLost = least;
  }

  push(sample: MotionSample): PatternMatch[] {
    this.#window.push({ ...sample, lost: this.#overlay.lostShare(sample) });
    this.#overlay.learn(sample);
    const found: PatternMatch[] = [];
    while (this.#judged + SAMPLES_AFTER < this.#window.length) found.push(...this.#judge());
    return found;
  }

  end(): PatternMatch[] {
    const found: PatternMatch[] = [];
    while (this.#judged < this.#window.length) found.push(...this.#judge());
    this.#window = [];
    this.#judged = 0;
    return found;
  }

  pendingSince(): number | undefined {
    return this.#window.slice(this.#judged).find((sample) => this.#isCandidate(sample))?.t;
  }

  #isCandidate({ lost, change }: MotionSample): boolean {
    return lost >= this.#minimumLost && change >= MIN_CHANGE;
  }

  #judge(): PatternMatch[] {
    const at = this.#judged++;
    const sample = this.#window[at]!;
    const before = this.#window.slice(Math.max(0, at - SAMPLES_BEFORE), at);
    const after = this.#window.slice(at + 1, at + 1 + SAMPLES_AFTER);
    if (at > SAMPLES_BEFORE) {
      this.#window.shift();
      this.#judged--;
    }
    if (!this.#isCandidate(sample)) return [];
    const usual = Math.max(MIN_USUAL_CHANGE, medianOrZero([...before, ...after].map(({ change }) => change)));
    const ratio = sample.change / usual;
    const near = [...before.slice(-SAMPLES_AFTER), ...after];
    if (ratio < MIN_CHANGE_RATIO || near.some(({ change }) => change * MIN_ADJACENT_RATIO >= sample.change)) return [];
    if ([before.at(-1), after[0]].some((next) => next && isTurn(next, sample))) return [];
    const confidence = Math.max(0, 1 - 0.5 * (MIN_CHANGE_RATIO / ratio) ** 2 - 0.5 * (1 - sample.lost));
    const detail = { lost: roundTo(sample.lost, 4), usual: roundTo(usual, 4), change: roundTo(sample.change, 4) };
    return [{ t: sample.t, value: 'cut', confidence, detail }];
  }
}

/** Whether two adjacent samples belong to a fast turn of the camera within one scene. */
function isTurn(next: MotionSample, sample: MotionSample): boolean {
  const [x, y] = [sample.x ?? 0, sample.y ?? 0];
  const [nextX, nextY] = [next.x ?? 0, next.y ?? 0];
  const [fast, nextFast] = [Math.hypot(x, y), Math.hypot(nextX, nextY)];
  if (Math.min(fast, nextFast) < MIN_TURN_SPEED || next.lost > 0.85) return false;
  return x * nextX + y * nextY > 0.5 * fast * nextFast;
}

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
class FadeFinder implements PatternFinder {
  readonly #longest: number;
  /** Samples of falling contrast up to now. */
  #falling: MotionSample[] = [];
  /** Samples of rising contrast since the last plain picture. */
  #rising: MotionSample[] = [];

  constructor({ longest = 5 }: MotionOptions) {
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
      detail: { end: end.t, contrast: roundTo(highest, 4) },
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
class FlashFinder implements PatternFinder {
  readonly #options: Required<Pick<MotionOptions, 'rise' | 'longest'>>;
  #before: MotionSample[] = [];
  #open: { readonly start: MotionSample; readonly usual: number; peak: number } | undefined;

  constructor({ rise = 24, longest = 0.6 }: MotionOptions) {
    this.#options = { rise, longest };
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
      if (!last || Math.abs(change) < this.#options.rise || Math.abs(last.level - usual) > 0.5 * Math.abs(change))
        return [];
      this.#open = { start: sample, usual, peak: change };
      return [];
    }
    const change = sample.level - open.usual;
    if (Math.abs(change) > Math.abs(open.peak) && change * open.peak > 0) open.peak = change;
    if (sample.t - open.start.t > this.#options.longest) {
      this.#open = undefined;
      this.#before = [sample];
      return [];
    }
    if (Math.abs(change) > 0.4 * Math.abs(open.peak)) return [];
    this.#open = undefined;
    this.#before = [sample];
    const confidence = 1 - 0.5 * (this.#options.rise / Math.abs(open.peak)) ** 2;
    const value = open.peak > 0 ? 'bright' : 'dark';
    return [{ t: open.start.t, value, confidence, detail: { end: sample.t, peak: roundTo(open.peak, 4) } }];
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

/** The usual speed is the median over this time before a burst. */
const BURST_USUAL_SECONDS = 1;

/**
 * Finds bursts: sudden fast movements that are soon over, such as a swing, a blow or a dash. Their speed exceeds both a minimum and a
 * multiple of the usual speed. With `swing` the movement must go in one direction first and then, faster, in the opposite one.
 */
class BurstFinder implements PatternFinder {
  readonly #options: Required<Pick<MotionOptions, 'speed' | 'times' | 'longest' | 'swing'>>;
  #before: MotionSample[] = [];
  /** The samples of a burst that has not ended yet, and their highest speed. */
  #open: { readonly samples: MotionSample[]; peak: number } | undefined;

  constructor({ speed = 0.5, times = 3, longest = 1, swing = false }: MotionOptions) {
    this.#options = { speed, times, longest, swing };
  }

  push(sample: MotionSample): PatternMatch[] {
    const { speed: least, times, longest } = this.#options;
    const speed = fastest(sample);
    const open = this.#open;
    if (!open) {
      const usual = medianOrZero(this.#before.map(fastest));
      if (this.#before.length >= 2 && speed >= Math.max(least, times * usual)) {
        this.#open = { samples: [sample], peak: speed };
        return [];
      }
      this.#remember(sample);
      return [];
    }
    open.peak = Math.max(open.peak, speed);
    if (sample.t - open.samples[0]!.t > longest) {
      // Too long: lasting movement is no burst.
      this.#open = undefined;
      this.#before = [...open.samples, sample];
      return [];
    }
    open.samples.push(sample);
    if (speed > Math.max(0.3 * open.peak, 0.5 * least)) return [];
    this.#open = undefined;
    this.#remember(sample);
    return this.#judge(open.samples);
  }

  #remember(sample: MotionSample): void {
    this.#before.push(sample);
    while (sample.t - this.#before[0]!.t > BURST_USUAL_SECONDS) this.#before.shift();
  }

  #judge(samples: readonly MotionSample[]): PatternMatch[] {
    const speeds = samples.map(fastest);
    const at = speeds.indexOf(Math.max(...speeds));
    const peak = samples[at]!;
    const { x = 0, y = 0 } = peak;
    if (this.#options.swing) {
      const drawn = samples
        .slice(0, at)
        .some((sample) => areOpposite(sample, peak) && fastest(sample) >= 0.15 * speeds[at]!);
      const earlier = this.#before.some((sample) => areOpposite(sample, peak) && fastest(sample) >= 0.15 * speeds[at]!);
      if (!drawn && !earlier) return [];
    }
    const confidence = 1 - 0.5 * (this.#options.speed / speeds[at]!) ** 2;
    const detail = { end: samples.at(-1)!.t, speed: roundTo(speeds[at]!, 4), x, y };
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

/** Side of a place, in cells of the sketch. */
const PLACE_SIZE = 4;
/** Added to grey levels before taking logarithms, so that noise in dark places does not count. */
const LEVEL_OFFSET = 12;
/** Levels are encoded as one character each: logarithms in steps of this, `MEDIAN_STEPS` for the median. */
const LOG_STEP = 0.04;
const FIRST_CHARACTER_CODE = 35;
const MEDIAN_STEPS = 45;

/** Encodes the levels of a picture's places as a string: logarithms relative to their median, so that overall brightness cancels out. */
export function encodeLevels({ width, height, data }: Sketch): string {
  const [columns, rows] = [Math.floor(width / PLACE_SIZE), Math.floor(height / PLACE_SIZE)];
  const levels: number[] = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      let sum = 0;
      for (let y = 0; y < PLACE_SIZE; y++) {
        const at = (row * PLACE_SIZE + y) * width + column * PLACE_SIZE;
        for (let x = 0; x < PLACE_SIZE; x++) sum += data[at + x]!;
      }
      levels.push(Math.log(sum / (PLACE_SIZE * PLACE_SIZE * UNITS_PER_LEVEL) + LEVEL_OFFSET));
    }
  }
  const median = upperMedian(levels) ?? 0;
  return String.fromCharCode(
    ...levels.map(
      (level) =>
        FIRST_CHARACTER_CODE +
        MEDIAN_STEPS +
        Math.max(-MEDIAN_STEPS, Math.min(MEDIAN_STEPS, Math.round((level - median) / LOG_STEP))),
    ),
  );
}

/** Difference in steps below which a place is unchanged. */
const UNCHANGED_STEPS = 3;
/** Difference in steps above which a place has changed. */
const CHANGED_STEPS = 7;
/** Minimum share of the time away in which a place of the moving object has changed. */
const MIN_CHANGED_SHARE = 0.6;
/** Minimum duration of a stroke. */
const MIN_STROKE_SECONDS = 0.3;
/** The usual appearance is that of this time before a stroke. */
const USUAL_SECONDS = 3;
/** By how much the appearance during a stroke may be more usual than the one before it, as in repeated strokes. */
const USUAL_MARGIN = 0.2;
/** Minimum similarity of the starts of two consecutive strokes. */
const MIN_START_SIMILARITY = 0.3;

interface Sample {
  readonly t: number;
  readonly levels: Uint8Array;
}

/** A possible stroke. */
interface Candidate {
  /** Times of the first and last sample in which the object is away. */
  readonly t: number;
  readonly end: number;
  readonly share: number;
  readonly score: number;
  /** Levels before the stroke. */
  readonly before: Uint8Array;
  /** The places of the moving object. */
  readonly places: readonly number[];
}

/**
 * Finds strokes: an object in the foreground moves away and soon returns, such as a blow or a weapon that is pumped. The object is the set
 * of places that look the same before and after, although the scene behind may have moved on, and different in between. Of overlapping
 * candidates the longest and largest deviation from the usual appearance counts, so that a repeated movement counts once each time.
 */
export class StrokeFinder implements PatternFinder {
  readonly #share: number;
  readonly #longest: number;
  #past: Sample[] = [];
  #open: Candidate[] = [];
  #last: Candidate | undefined;

  constructor({ share = 0.15, longest = 1.2 }: MotionOptions) {
    this.#share = share;
    this.#longest = longest;
  }

  push({ t, levels = '' }: MotionSample): PatternMatch[] {
    const now = { t, levels: Uint8Array.from(levels, (letter) => letter.charCodeAt(0)) };
    if (this.#past[0]?.levels.length !== now.levels.length) this.#past = [];
    // The region is smaller than a place.
    if (levels === '') return [];
    this.#past.push(now);
    while (t - this.#past[0]!.t > USUAL_SECONDS + this.#longest) this.#past.shift();
    for (let i = 0; i < this.#past.length; i++) {
      const before = t - this.#past[i]!.t;
      if (before > this.#longest || before <= MIN_STROKE_SECONDS) continue;
      const candidate = this.#findCandidate(i);
      if (candidate) this.#open.push(candidate);
    }
    return this.#complete(t - this.#longest);
  }

  /** The candidate between the `i`-th remembered sample and the last one. */
  #findCandidate(i: number): Candidate | undefined {
    const [before, after] = [this.#past[i]!.levels, this.#past.at(-1)!.levels];
    const same: number[] = [];
    for (let at = 0; at < after.length; at++) if (Math.abs(after[at]! - before[at]!) < UNCHANGED_STEPS) same.push(at);
    const between = this.#past.slice(i + 1, -1);
    const shares = between.map(({ levels }) => {
      let count = 0;
      for (const at of same) if (Math.abs(levels[at]! - before[at]!) > CHANGED_STEPS) count++;
      return count / after.length;
    });
    const half = 0.5 * Math.max(...shares);
    if (2 * half < this.#share) return undefined;
    const away = between.slice(
      shares.findIndex((share) => share >= half),
      1 + shares.findLastIndex((share) => share >= half),
    );
    const [t, end] = [away[0]!.t, away.at(-1)!.t];
    const step = (end - t) / Math.max(1, away.length - 1);
    if (end - t + step < MIN_STROKE_SECONDS - 1e-6) return undefined;
    const places = same.filter(
      (at) =>
        away.filter(({ levels }) => Math.abs(levels[at]! - before[at]!) > CHANGED_STEPS).length >=
        MIN_CHANGED_SHARE * away.length,
    );
    const share = places.length / after.length;
    if (share < this.#share) return undefined;
    const past = this.#past.slice(0, Math.max(0, i - 1)).filter((one) => one.t >= this.#past[i]!.t - USUAL_SECONDS);
    if (past.length < 4) return undefined;
    const usual = meanSimilarity(before, past, places);
    const quarters = [0.25, 0.5, 0.75].map((part) => away[Math.floor(part * (away.length - 1))]!.levels);
    const during = Math.max(...quarters.map((levels) => meanSimilarity(levels, past, places)));
    const clear = usual - during + USUAL_MARGIN;
    if (clear <= 0) return undefined;
    const area = shares.reduce((sum, one) => sum + one, 0);
    return { t, end, share, score: area * clear, before, places };
  }

  /** Takes out the strokes that end before `until`, which no later candidate can overlap. */
  #complete(until: number): PatternMatch[] {
    const found: Candidate[] = [];
    for (let next = this.#next(until); next; next = this.#next(until)) {
      const { t, end } = next;
      found.push(next);
      this.#last = next;
      this.#open = this.#open.filter((other) => other.t > end || other.end < t);
    }
    // A rejected candidate may still count after the next stroke, but must not delay later ones forever.
    this.#open = this.#open.filter(({ end }) => end >= until - USUAL_SECONDS);
    return found
      .toSorted((a, b) => a.t - b.t)
      .map(({ t, end, share }) => ({
        t,
        value: 'stroke',
        confidence: 1 - 0.5 * (this.#share / share) ** 2,
        detail: { end, share: roundTo(share, 4) },
      }));
  }

  /** The first complete candidate that has no better one overlapping it. */
  #next(until: number): Candidate | undefined {
    const weights = new Map(this.#open.map((candidate) => [candidate, this.#weigh(candidate)]));
    return this.#open
      .filter((candidate) => candidate.end < until && weights.get(candidate)! > 0)
      .toSorted((a, b) => a.t - b.t)
      .find((candidate) =>
        this.#open.every(
          (other) =>
            other === candidate ||
            other.t > candidate.end ||
            other.end < candidate.t ||
            weights.get(other)! <= weights.get(candidate)!,
        ),
      );
  }

  #weigh(candidate: Candidate): number {
    return candidate.score * this.#startSimilarity(candidate);
  }

  /**
   * Weight from 0 by the similarity of its start to that of the last stroke: a repeated movement could otherwise begin anywhere in its
   * cycle, and the time between two strokes would be one.
   */
  #startSimilarity({ t, before }: Candidate): number {
    const last = this.#last;
    if (!last || t - last.end > USUAL_SECONDS) return 1;
    const similarity = meanSimilarity(last.before, [{ t, levels: before }], last.places);
    return similarity < MIN_START_SIMILARITY && t - last.end <= this.#longest ? 0 : MIN_START_SIMILARITY + similarity;
  }

  end(): PatternMatch[] {
    const found = this.#complete(Number.POSITIVE_INFINITY);
    this.#past = [];
    this.#open = [];
    this.#last = undefined;
    return found;
  }

  pendingSince(): number | undefined {
    const { t } = this.#past.at(-1) ?? {};
    return t === undefined ? undefined : Math.min(t - this.#longest, ...this.#open.map((candidate) => candidate.t));
  }
}

/** Mean share of the places that are unchanged compared with past samples. */
function meanSimilarity(levels: Uint8Array, past: readonly Sample[], places: readonly number[]): number {
  let same = 0;
  for (const one of past)
    for (const at of places) if (Math.abs(one.levels[at]! - levels[at]!) < UNCHANGED_STEPS) same++;
  return same / (past.length * places.length);
}

/** Turns the readings of a motion detector into one `found` cue for each cut, fade, flash, burst or stroke. */
export class PatternTracker implements Tracker {
  readonly #detector: string;
  readonly #region: string;
  readonly #finder: PatternFinder;
  readonly #threshold: number;
  #last: number | undefined;

  constructor(
    detector: string,
    options: MotionOptions & { readonly stability?: { readonly confidence?: number | undefined } },
  ) {
    this.#detector = detector;
    this.#region = options.region;
    this.#threshold = options.stability?.confidence ?? 0.5;
    this.#finder = new FINDERS[options.of]!(options);
  }

  push({ t, observation }: Reading): Cue[] {
    if (t === this.#last) return [];
    this.#last = t;
    if (observation.state !== 'seen') return this.#cues(this.#finder.end());
    return this.#cues(this.#finder.push({ t, ...(observation.detail as Movement) }));
  }

  end(): Cue[] {
    return this.#cues(this.#finder.end());
  }

  pendingSince(): number | undefined {
    return this.#finder.pendingSince();
  }

  #cues(matches: readonly PatternMatch[]): Cue[] {
    return matches
      .filter(({ confidence }) => confidence >= this.#threshold)
      .map(({ t, value, confidence, detail }) => ({
        t,
        detector: this.#detector,
        region: this.#region,
        trigger: 'found' as const,
        value,
        confidence,
        detail,
      }));
  }
}

/** The finders of patterns, by what `of` selects. */
const FINDERS: Readonly<Record<string, new (options: MotionOptions) => PatternFinder>> = {
  cut: CutFinder,
  fade: FadeFinder,
  flash: FlashFinder,
  burst: BurstFinder,
  stroke: StrokeFinder,
};
