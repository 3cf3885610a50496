import type { Cue } from '../cues/cue.ts';

/** The features of a detector in one tick; their order is part of the published format (docs/games/networks.md). */
export const FEATURES = ['found', 'changed', 'lost', 'confidence', 'step', 'value', 'seen', 'nought'] as const;

/** Divisor of log(1 + |step|). */
const STEP_SCALE = 5;
const VALUE_SCALE = 100;
const MAX_VALUE = 10;

/**
 * Converts cues to a table of features: one row per tick of `tick` seconds (row k holds times in [k, k + 1) · tick) with, for
 * each detector, the numbers of `FEATURES`: whether there is a cue of each trigger, the confidence of the last one, the change
 * of a number (sign · log(1 + |change|) / 5), the current value (number / 100, at most ±10; 0 for text), whether there is one,
 * and whether it is zero (dead, empty).
 */
export class CueTable {
  readonly #detectors: readonly string[];
  readonly #tick: number;
  /** Rows from `#first` on. */
  #rows: Float32Array[] = [];
  #first = 0;
  readonly #value: Float32Array;
  readonly #seen: Float32Array;
  readonly #nought: Float32Array;

  constructor(detectors: readonly string[], tick: number) {
    this.#detectors = detectors;
    this.#tick = tick;
    this.#value = new Float32Array(detectors.length);
    this.#seen = new Float32Array(detectors.length);
    this.#nought = new Float32Array(detectors.length);
  }

  get width(): number {
    return this.#detectors.length * FEATURES.length;
  }

  /** The row of a time. Times are whole microseconds; the offset compensates rounding in the division. */
  tickOf(t: number): number {
    return Math.floor(t / this.#tick + 1e-6);
  }

  /** Adds a cue; calls must be in order of time. */
  add(cue: Cue): void {
    const d = this.#detectors.indexOf(cue.detector);
    if (d < 0) return;
    const tick = this.tickOf(cue.t);
    this.#extendTo(tick);
    const row = this.#rows[tick - this.#first];
    if (!row) throw new RangeError(`the row of the cue at ${cue.t} s was already dropped`);
    const at = d * FEATURES.length;
    row[at + ['found', 'changed', 'lost'].indexOf(cue.trigger)] = 1;
    row[at + 3] = cue.confidence;
    const change = Number(cue.value) - Number(cue.previous);
    const step = Number.isFinite(change) && cue.trigger === 'changed' ? change : 0;
    row[at + 4] = (Math.sign(step) * Math.log1p(Math.abs(step))) / STEP_SCALE;
    const number = cue.trigger === 'lost' ? 0 : Number(cue.value);
    this.#value[d] = Math.max(-MAX_VALUE, Math.min(MAX_VALUE, Number.isFinite(number) ? number / VALUE_SCALE : 0));
    this.#seen[d] = cue.trigger === 'lost' ? 0 : 1;
    this.#nought[d] = cue.trigger !== 'lost' && number === 0 && cue.value !== '' ? 1 : 0;
    this.#writeState(row, d);
  }

  /** Returns rows `from` to `to` (exclusive), concatenated; rows after the last cue repeat the current values. */
  take(from: number, to: number): Float32Array {
    this.#extendTo(to - 1);
    const out = new Float32Array((to - from) * this.width);
    for (let tick = Math.max(from, 0); tick < to; tick++) {
      const row = this.#rows[tick - this.#first];
      if (row) out.set(row, (tick - from) * this.width);
    }
    return out;
  }

  /** Drops the rows before a tick. */
  drop(before: number): void {
    const count = Math.min(this.#rows.length, Math.max(0, before - this.#first));
    this.#rows.splice(0, count);
    this.#first += count;
  }

  #writeState(row: Float32Array, d: number): void {
    row.set([this.#value[d]!, this.#seen[d]!, this.#nought[d]!], d * FEATURES.length + 5);
  }

  /** Adds rows up to a tick, which repeat the current values. */
  #extendTo(tick: number): void {
    while (this.#first + this.#rows.length <= tick) {
      const row = new Float32Array(this.width);
      for (let d = 0; d < this.#detectors.length; d++) this.#writeState(row, d);
      this.#rows.push(row);
    }
  }
}
