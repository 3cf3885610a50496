import type { Sketch } from '../kind.ts';
import { roundDigits, type PatternFinder, type PatternMatch, type MotionSample } from './patterns.ts';
import { UNITS_PER_LEVEL } from './sketch.ts';
import { upperMedian } from '../../statistics.ts';

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

  /**
   * @param share Minimum share of the region that moves.
   * @param longest Maximum duration in seconds.
   */
  constructor(share: number, longest: number) {
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
        detail: { end, share: roundDigits(share) },
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
