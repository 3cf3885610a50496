import type { RawFrame } from './frame.ts';
import type { QualityMeter } from './meter.ts';

/** How one minute of a session was. Scores 0–100. */
export interface Minute {
  /** Minute of the session, from 0. */
  readonly minute: number;
  readonly frames: number;
  /** Mean combined weighted score. */
  readonly cws: number;
  /** Mean base, which counts unrest; can be below 0. */
  readonly base: number;
  /** Longest time without a new picture, ms. */
  readonly longest: number;
}

/** Follows a session minute by minute. */
export class Minutes {
  readonly #minutes: { minute: number; frames: number; scored: number; cws: number; base: number; longest: number }[] =
    [];

  add(meter: QualityMeter, raw: RawFrame): void {
    const minute = Math.floor(raw.t / 60);
    let last = this.#minutes.at(-1);
    if (last?.minute !== minute) {
      last = { minute, frames: 0, scored: 0, cws: 0, base: 0, longest: 0 };
      this.#minutes.push(last);
    }
    last.frames++;
    last.longest = Math.max(last.longest, raw.pictureDelta ?? 0);
    const { cws, base } = meter.latest;
    if (cws === undefined || base === undefined) return;
    last.scored++;
    last.cws += cws;
    last.base += base;
  }

  /** All minutes of which a frame was scored, in order. */
  all(): Minute[] {
    return this.#minutes
      .filter(({ scored }) => scored > 0)
      .map(({ minute, frames, scored, cws, base, longest }) => ({
        minute,
        frames,
        cws: cws / scored,
        base: base / scored,
        longest,
      }));
  }

  /** The worst ones by their mean combined weighted score. */
  worst(count = 5): Minute[] {
    return this.all()
      .toSorted((a, b) => a.cws - b.cws || a.base - b.base)
      .slice(0, count);
  }
}
