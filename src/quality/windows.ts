// Sliding windows with constant cost per value and no drift: a window is the suffix of a finished block plus the prefix
// of the current one. Nothing is ever subtracted, so no rounding error outlives `size` values.

/** Weighted mean of the last `size` values. */
export class WeightedWindow {
  readonly size: number;
  /** Below `#at` the current block's products, from `#at` on the previous block's suffix sums. */
  readonly #products: Float64Array;
  readonly #weights: Float64Array;
  #at = 0;
  #product = 0;
  #weight = 0;
  #full = false;

  /** `size` ≥ 1, in values. */
  constructor(size: number) {
    this.size = windowSize(size);
    this.#products = new Float64Array(this.size);
    this.#weights = new Float64Array(this.size);
  }

  /** Adds a value with its weight (> 0) and returns the weighted mean of the window including it. */
  push(value: number, weight: number): number {
    const product = value * weight;
    this.#products[this.#at] = product;
    this.#weights[this.#at] = weight;
    this.#product += product;
    this.#weight += weight;
    this.#at++;
    if (this.#at === this.size) return this.#close();
    if (!this.#full) return this.#product / this.#weight;
    return (this.#products[this.#at]! + this.#product) / (this.#weights[this.#at]! + this.#weight);
  }

  #close(): number {
    const mean = this.#product / this.#weight;
    for (let i = this.size - 2; i >= 0; i--) {
      this.#products[i]! += this.#products[i + 1]!;
      this.#weights[i]! += this.#weights[i + 1]!;
    }
    this.#at = 0;
    this.#product = 0;
    this.#weight = 0;
    this.#full = true;
    return mean;
  }
}

/** Mean and population standard deviation of the last `size` values. */
export class MomentWindow {
  readonly size: number;
  readonly #means: Float64Array;
  readonly #squares: Float64Array;
  #at = 0;
  #blockMean = 0;
  #blockSquares = 0;
  #full = false;
  mean = 0;
  std = 0;

  /** `size` ≥ 1, in values. */
  constructor(size: number) {
    this.size = windowSize(size);
    this.#means = new Float64Array(this.size);
    this.#squares = new Float64Array(this.size);
  }

  /** Adds a value; `mean` and `std` then include it. */
  push(value: number): void {
    const at = this.#at;
    this.#means[at] = value;
    const count = at + 1;
    const delta = value - this.#blockMean;
    this.#blockMean += delta / count;
    this.#blockSquares += delta * (value - this.#blockMean);
    this.#at = count;
    const rest = this.#full ? this.size - count : 0;
    if (rest === 0) {
      this.mean = this.#blockMean;
      this.std = Math.sqrt(Math.max(0, this.#blockSquares) / count);
    } else {
      const apart = this.#means[count]! - this.#blockMean;
      const total = count + rest;
      this.mean = this.#blockMean + (apart * rest) / total;
      const squares = this.#blockSquares + this.#squares[count]! + (apart * apart * count * rest) / total;
      this.std = Math.sqrt(Math.max(0, squares) / total);
    }
    if (count === this.size) this.#close();
  }

  #close(): void {
    let mean = 0;
    let squares = 0;
    for (let i = this.size - 1, count = 1; i >= 0; i--, count++) {
      const value = this.#means[i]!;
      const delta = value - mean;
      mean += delta / count;
      squares += delta * (value - mean);
      this.#means[i] = mean;
      this.#squares[i] = squares;
    }
    this.#at = 0;
    this.#blockMean = 0;
    this.#blockSquares = 0;
    this.#full = true;
  }
}

/**
 * Weighted mean and population standard deviation of all values in constant memory. Partial results of equal length are
 * merged in pairs, so the rounding error grows with the logarithm of the count.
 */
export class Moments {
  readonly #count = new Float64Array(64);
  readonly #weight = new Float64Array(64);
  readonly #mean = new Float64Array(64);
  readonly #squares = new Float64Array(64);
  #height = 0;
  #pushed = 0;

  /** Number of values. */
  get count(): number {
    return this.#pushed;
  }

  /** `weight` > 0. */
  push(value: number, weight = 1): void {
    let top = this.#height++;
    this.#count[top] = 1;
    this.#weight[top] = weight;
    this.#mean[top] = value;
    this.#squares[top] = 0;
    this.#pushed++;
    while (top > 0 && this.#count[top - 1] === this.#count[top]) this.#merge(--top);
    this.#height = top + 1;
  }

  /** Merges level `at + 1` into `at`. */
  #merge(at: number): void {
    const a = this.#weight[at]!;
    const b = this.#weight[at + 1]!;
    const apart = this.#mean[at + 1]! - this.#mean[at]!;
    this.#mean[at]! += (apart * b) / (a + b);
    this.#squares[at]! += this.#squares[at + 1]! + (apart * apart * a * b) / (a + b);
    this.#weight[at] = a + b;
    this.#count[at]! += this.#count[at + 1]!;
  }

  /** Weighted mean; undefined without values. */
  get mean(): number | undefined {
    return this.#total()?.mean;
  }

  /** Weighted population standard deviation; undefined without values. */
  get std(): number | undefined {
    return this.#total()?.std;
  }

  #total(): { mean: number; std: number } | undefined {
    if (this.#height === 0) return undefined;
    let weight = 0;
    let mean = 0;
    let squares = 0;
    for (let i = this.#height - 1; i >= 0; i--) {
      const w = this.#weight[i]!;
      const apart = this.#mean[i]! - mean;
      squares += this.#squares[i]! + (apart * apart * weight * w) / (weight + w);
      mean += (apart * w) / (weight + w);
      weight += w;
    }
    return { mean, std: Math.sqrt(Math.max(0, squares) / weight) };
  }
}

/** Maximum number of samples kept for inputs later than the window's end. */
const MAX_PENDING_INPUTS = 1000;

/**
 * Remote-input frequency: how many of the last `samples` stretches of `sampleMs` contain an input. Stretches are
 * aligned to multiples of `sampleMs`; the first and the last one contain the first and the latest time given to
 * `advance`. Fewer than `samples` stretches have passed at the start: then the share is of those.
 */
export class InputActivity {
  readonly #active: Uint8Array;
  readonly #sampleMs: number;
  /** Active samples after the window's end, from frames that were never presented. */
  readonly #ahead = new Set<number>();
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(samples = 100, sampleMs = 100) {
    this.#active = new Uint8Array(windowSize(samples));
    if (!(sampleMs > 0)) throw new RangeError(`sampleMs must be positive, got ${sampleMs}`);
    this.#sampleMs = sampleMs;
  }

  /** Marks an input at `time` (ms). One after the window's end counts once the window has reached it. */
  mark(time: number): void {
    const sample = Math.floor(time / this.#sampleMs);
    if (sample <= this.#last) this.#set(sample);
    else if (this.#ahead.size < MAX_PENDING_INPUTS) this.#ahead.add(sample);
  }

  #set(sample: number): void {
    if (sample < this.#first || sample <= this.#last - this.#active.length) return;
    const slot = this.#slot(sample);
    if (this.#active[slot] === 0) {
      this.#active[slot] = 1;
      this.#count++;
    }
  }

  /** Moves the window's end to the sample of `time` (ms); earlier times have no effect. */
  advance(time: number): void {
    const sample = Math.floor(time / this.#sampleMs);
    if (!(sample > this.#last)) return;
    this.#first = Math.min(this.#first, sample);
    if (sample - this.#last >= this.#active.length) {
      this.#active.fill(0);
      this.#count = 0;
    } else {
      for (let i = this.#last + 1; i <= sample; i++) {
        const slot = this.#slot(i);
        this.#count -= this.#active[slot]!;
        this.#active[slot] = 0;
      }
    }
    this.#last = sample;
    for (const ahead of this.#ahead) {
      if (ahead > sample) continue;
      this.#ahead.delete(ahead);
      this.#set(ahead);
    }
  }

  #slot(sample: number): number {
    const length = this.#active.length;
    return ((sample % length) + length) % length;
  }

  /** Share of active stretches among those that have passed, as an integer from 0 to 100. */
  get frequency(): number {
    if (this.#count === 0) return 0;
    return Math.round((100 * this.#count) / Math.min(this.#active.length, this.#last - this.#first + 1));
  }
}

function windowSize(size: number): number {
  if (!Number.isInteger(size) || size < 1) throw new RangeError(`a window holds a whole number of values, got ${size}`);
  return size;
}
