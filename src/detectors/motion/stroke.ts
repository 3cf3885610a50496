import type { Sketch } from '../kind.ts';
import { digits, type Finder, type Happening, type Step } from './series.ts';
import { UNITS } from './sketch.ts';
import { upperMedian } from '../../statistics.ts';

/** Cells of a sketch across and down a place of the picture whose level is kept. */
const PLACE = 4;
/** Grey levels that lie on top of all: dark places do not count for their noise. */
const FLOOR = 12;
/** Levels are logarithms in steps of this; a character each, from this code on. */
const STEP = 0.04;
const FIRST = 35;
const MIDDLE = 45;

/**
 * The levels of a picture's places, as a text: logarithms relative to their median, so that light that changes as a whole does not
 * matter. What patterns over more than two samples go by.
 */
export function levelsOf({ width, height, data }: Sketch): string {
  const [columns, rows] = [Math.floor(width / PLACE), Math.floor(height / PLACE)];
  const levels: number[] = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      let sum = 0;
      for (let y = 0; y < PLACE; y++) {
        const at = (row * PLACE + y) * width + column * PLACE;
        for (let x = 0; x < PLACE; x++) sum += data[at + x]!;
      }
      levels.push(Math.log(sum / (PLACE * PLACE * UNITS) + FLOOR));
    }
  }
  const median = upperMedian(levels) ?? 0;
  return String.fromCharCode(
    ...levels.map((level) => FIRST + MIDDLE + Math.max(-MIDDLE, Math.min(MIDDLE, Math.round((level - median) / STEP)))),
  );
}

/** Steps of a level within which a place looks the same, and beyond which it looks otherwise. */
const SAME = 3;
const OTHER = 7;
/** Share of the time away in which a place must look otherwise to belong to what moves. */
const AWAY = 0.6;
/** Seconds that it is away at least; seconds before, which tell how it usually looks. */
const SHORTEST = 0.3;
const USUAL = 3;
/** By how much the look in between may be more usual: of what is repeated it may be. */
const DOUBT = 0.2;
/** Share of the places from which a course begins with the look that the last one began with. */
const FAMILIAR = 0.3;

interface Sample {
  readonly t: number;
  readonly levels: Uint8Array;
}

/** Something that may have been away from one sample to another. */
interface Course {
  /** First and last sample in which it is away. */
  readonly t: number;
  readonly end: number;
  readonly share: number;
  readonly score: number;
  /** How it looked before, and the places that it is made of. */
  readonly before: Uint8Array;
  readonly moves: readonly number[];
}

/**
 * Something before the scene that goes away and is back soon after: the same picture of it before and after, another one in between. A
 * blow, a stroke, a weapon that is pumped. What it is made of nobody has to say: it is the places that look the same again although the
 * scene behind may have moved on, and did not meanwhile. Of courses that overlap the one counts that was away longest and largest from how it
 * usually looks, so a movement that is repeated counts once each time.
 */
export class StrokeFinder implements Finder {
  readonly #share: number;
  readonly #longest: number;
  #past: Sample[] = [];
  #open: Course[] = [];
  #last: Course | undefined;

  /** `share` of the region that moves at least; `longest` seconds. */
  constructor(share: number, longest: number) {
    this.#share = share;
    this.#longest = longest;
  }

  push({ t, levels = '' }: Step): Happening[] {
    const now = { t, levels: Uint8Array.from(levels, (letter) => letter.charCodeAt(0)) };
    if (this.#past[0]?.levels.length !== now.levels.length) this.#past = [];
    // A region smaller than a place shows nothing that moves.
    if (levels === '') return [];
    this.#past.push(now);
    while (t - this.#past[0]!.t > USUAL + this.#longest) this.#past.shift();
    for (let i = 0; i < this.#past.length; i++) {
      const before = t - this.#past[i]!.t;
      if (before > this.#longest || before <= SHORTEST) continue;
      const course = this.#course(i);
      if (course) this.#open.push(course);
    }
    return this.#settle(t - this.#longest);
  }

  /** What was away between the `i`-th sample that is known and the last. */
  #course(i: number): Course | undefined {
    const [before, after] = [this.#past[i]!.levels, this.#past.at(-1)!.levels];
    const same: number[] = [];
    for (let at = 0; at < after.length; at++) if (Math.abs(after[at]! - before[at]!) < SAME) same.push(at);
    const between = this.#past.slice(i + 1, -1);
    const shares = between.map(({ levels }) => {
      let count = 0;
      for (const at of same) if (Math.abs(levels[at]! - before[at]!) > OTHER) count++;
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
    if (end - t + step < SHORTEST - 1e-6) return undefined;
    const moves = same.filter(
      (at) => away.filter(({ levels }) => Math.abs(levels[at]! - before[at]!) > OTHER).length >= AWAY * away.length,
    );
    const share = moves.length / after.length;
    if (share < this.#share) return undefined;
    const past = this.#past.slice(0, Math.max(0, i - 1)).filter((one) => one.t >= this.#past[i]!.t - USUAL);
    if (past.length < 4) return undefined;
    const usual = likenessOf(before, past, moves);
    const quarters = [0.25, 0.5, 0.75].map((part) => away[Math.floor(part * (away.length - 1))]!.levels);
    const otherwise = Math.max(...quarters.map((levels) => likenessOf(levels, past, moves)));
    const clear = usual - otherwise + DOUBT;
    if (clear <= 0) return undefined;
    const area = shares.reduce((sum, one) => sum + one, 0);
    return { t, end, share, score: area * clear, before, moves };
  }

  /** Those that nothing can outdo any more, as nothing that ends before `until` overlaps with what is still to come. */
  #settle(until: number): Happening[] {
    const found: Course[] = [];
    for (let next = this.#next(until); next; next = this.#next(until)) {
      const { t, end } = next;
      found.push(next);
      this.#last = next;
      this.#open = this.#open.filter((other) => other.t > end || other.end < t);
    }
    // What is none beside the strokes so far may be one beside the next, but must not hold up for ever what comes after it.
    this.#open = this.#open.filter(({ end }) => end >= until - USUAL);
    return found
      .toSorted((a, b) => a.t - b.t)
      .map(({ t, end, share }) => ({
        t,
        value: 'stroke',
        confidence: 1 - 0.5 * (this.#share / share) ** 2,
        detail: { end, share: digits(share) },
      }));
  }

  /** The first course that is settled and that no other one outdoes. */
  #next(until: number): Course | undefined {
    const worth = new Map(this.#open.map((course) => [course, this.#worthOf(course)]));
    return this.#open
      .filter((course) => course.end < until && worth.get(course)! > 0)
      .toSorted((a, b) => a.t - b.t)
      .find((course) =>
        this.#open.every(
          (other) =>
            other === course || other.t > course.end || other.end < course.t || worth.get(other)! <= worth.get(course)!,
        ),
      );
  }

  #worthOf(course: Course): number {
    return course.score * this.#familiar(course);
  }

  /**
   * Whether it goes from where the last one went, 0 to 1: what is repeated could else begin anywhere in its round, and what lies between
   * two strokes is none.
   */
  #familiar({ t, before }: Course): number {
    const last = this.#last;
    if (!last || t - last.end > USUAL) return 1;
    const likeness = likenessOf(last.before, [{ t, levels: before }], last.moves);
    return likeness < FAMILIAR && t - last.end <= this.#longest ? 0 : FAMILIAR + likeness;
  }

  end(): Happening[] {
    const found = this.#settle(Number.POSITIVE_INFINITY);
    this.#past = [];
    this.#open = [];
    this.#last = undefined;
    return found;
  }

  since(): number | undefined {
    const { t } = this.#past.at(-1) ?? {};
    return t === undefined ? undefined : Math.min(t - this.#longest, ...this.#open.map((course) => course.t));
  }
}

/** Mean share of the places that look the same in samples of the past. */
function likenessOf(levels: Uint8Array, past: readonly Sample[], places: readonly number[]): number {
  let same = 0;
  for (const one of past) for (const at of places) if (Math.abs(one.levels[at]! - levels[at]!) < SAME) same++;
  return same / (past.length * places.length);
}
