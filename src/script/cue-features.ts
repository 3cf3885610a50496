import type { Cue } from '../cues/cue.ts';

/** Numbers that describe one detector in one tick; their order is part of the published form (docs/networks.md). */
export const FEATURES = ['found', 'changed', 'lost', 'confidence', 'step', 'value', 'seen', 'nought'] as const;

/** Logarithm of one more than a size: steps of one and of a hundred both stay readable. */
const STEP_UNIT = 5;
const VALUE_UNIT = 100;
const MOST = 10;

/**
 * Cues as a table: a row a tick of `tick` seconds (row k holds times in [k, k + 1) · tick), for each detector in order the
 * numbers of `FEATURES`: whether a cue of each trigger lies in it, the last one's confidence, how much a number changed
 * (sign · log(1 + size) / 5), what stands since then (number / 100, at most ±10; 0 for texts), whether anything does, and
 * whether that is nought: dead, empty.
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

  /** The row in which a time lies. Times are whole microseconds: what rounding does to the division is undone. */
  tickOf(t: number): number {
    return Math.floor(t / this.#tick + 1e-6);
  }

  /** Takes the next cue; cues come in order of time. */
  add(cue: Cue): void {
    const d = this.#detectors.indexOf(cue.detector);
    if (d < 0) return;
    const tick = this.tickOf(cue.t);
    this.#reach(tick);
    const row = this.#rows[tick - this.#first];
    if (!row) throw new RangeError(`a cue at ${cue.t} s comes after its row was taken`);
    const at = d * FEATURES.length;
    row[at + ['found', 'changed', 'lost'].indexOf(cue.trigger)] = 1;
    row[at + 3] = cue.confidence;
    const change = Number(cue.value) - Number(cue.previous);
    const step = Number.isFinite(change) && cue.trigger === 'changed' ? change : 0;
    row[at + 4] = (Math.sign(step) * Math.log1p(Math.abs(step))) / STEP_UNIT;
    const number = cue.trigger === 'lost' ? 0 : Number(cue.value);
    this.#value[d] = Math.max(-MOST, Math.min(MOST, Number.isFinite(number) ? number / VALUE_UNIT : 0));
    this.#seen[d] = cue.trigger === 'lost' ? 0 : 1;
    this.#nought[d] = cue.trigger !== 'lost' && number === 0 && cue.value !== '' ? 1 : 0;
    this.#stand(row, d);
  }

  /** Rows `from` to `to` (not included) one after the other; those before the start and behind the last cue as they stand. */
  take(from: number, to: number): Float32Array {
    this.#reach(to - 1);
    const out = new Float32Array((to - from) * this.width);
    for (let tick = Math.max(from, 0); tick < to; tick++) {
      const row = this.#rows[tick - this.#first];
      if (row) out.set(row, (tick - from) * this.width);
    }
    return out;
  }

  /** Forgets the rows before a tick. */
  drop(before: number): void {
    const count = Math.min(this.#rows.length, Math.max(0, before - this.#first));
    this.#rows.splice(0, count);
    this.#first += count;
  }

  #stand(row: Float32Array, d: number): void {
    row.set([this.#value[d]!, this.#seen[d]!, this.#nought[d]!], d * FEATURES.length + 5);
  }

  /** Makes rows up to a tick: what stands goes on standing. */
  #reach(tick: number): void {
    while (this.#first + this.#rows.length <= tick) {
      const row = new Float32Array(this.width);
      for (let d = 0; d < this.#detectors.length; d++) this.#stand(row, d);
      this.#rows.push(row);
    }
  }
}
