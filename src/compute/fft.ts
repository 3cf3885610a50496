/**
 * The discrete Fourier transform of complex numbers in place: radix 2, decimation in time, tables made once. Doubles
 * throughout, so that the result is the same on every platform whose sine is.
 */
export class Fft {
  readonly size: number;
  readonly #cosines: Float64Array;
  readonly #sines: Float64Array;
  readonly #reversed: Uint32Array;

  /** `size` must be a power of two, 2 or more. */
  constructor(size: number) {
    if (!Number.isInteger(size) || size < 2 || (size & (size - 1)) !== 0)
      throw new RangeError(`the size of a transform is a power of two, not ${size}`);
    this.size = size;
    this.#cosines = Float64Array.from({ length: size / 2 }, (_, i) => Math.cos((2 * Math.PI * i) / size));
    this.#sines = Float64Array.from({ length: size / 2 }, (_, i) => -Math.sin((2 * Math.PI * i) / size));
    this.#reversed = new Uint32Array(size);
    for (let i = 1, j = 0; i < size; i++) {
      let bit = size >> 1;
      for (; j & bit; bit >>= 1) j ^= bit;
      j ^= bit;
      this.#reversed[i] = j;
    }
  }

  /** X[k] = Σ x[n]·e^(−2πikn/N). */
  forward(re: Float64Array, im: Float64Array): void {
    this.#transform(re, im);
  }

  /** x[n] = (1/N)·Σ X[k]·e^(2πikn/N). */
  inverse(re: Float64Array, im: Float64Array): void {
    // Swapping real and imaginary parts conjugates the transform.
    this.#transform(im, re);
    for (let i = 0; i < this.size; i++) {
      re[i]! /= this.size;
      im[i]! /= this.size;
    }
  }

  #transform(re: Float64Array, im: Float64Array): void {
    const { size } = this;
    const [cosines, sines, reversed] = [this.#cosines, this.#sines, this.#reversed];
    for (let i = 1; i < size; i++) {
      const j = reversed[i]!;
      if (j <= i) continue;
      const [real, imaginary] = [re[i]!, im[i]!];
      re[i] = re[j]!;
      im[i] = im[j]!;
      re[j] = real;
      im[j] = imaginary;
    }
    for (let half = 1; half < size; half <<= 1) {
      const step = size / (2 * half);
      for (let start = 0; start < size; start += 2 * half) {
        for (let k = 0, at = start, turn = 0; k < half; k++, at++, turn += step) {
          const c = cosines[turn]!;
          const s = sines[turn]!;
          const far = at + half;
          const real = re[far]! * c - im[far]! * s;
          const imaginary = re[far]! * s + im[far]! * c;
          re[far] = re[at]! - real;
          im[far] = im[at]! - imaginary;
          re[at]! += real;
          im[at]! += imaginary;
        }
      }
    }
  }
}

/** The power spectrum of real samples, by a complex transform of half the size. */
export class PowerSpectrum {
  readonly size: number;
  readonly #fft: Fft;
  readonly #re: Float64Array;
  readonly #im: Float64Array;
  readonly #cosines: Float64Array;
  readonly #sines: Float64Array;

  /** `size` must be a power of two, 4 or more. */
  constructor(size: number) {
    this.size = size;
    const half = size / 2;
    this.#fft = new Fft(half);
    this.#re = new Float64Array(half);
    this.#im = new Float64Array(half);
    this.#cosines = Float64Array.from({ length: half + 1 }, (_, i) => Math.cos((2 * Math.PI * i) / size));
    this.#sines = Float64Array.from({ length: half + 1 }, (_, i) => Math.sin((2 * Math.PI * i) / size));
  }

  /** |X[k]|² for k = 0 … size/2 of `size` samples, into `out`. */
  of(samples: ArrayLike<number>, out: Float64Array): Float64Array {
    const half = this.size / 2;
    const [re, im] = [this.#re, this.#im];
    for (let i = 0; i < half; i++) {
      re[i] = samples[2 * i]!;
      im[i] = samples[2 * i + 1]!;
    }
    this.#fft.forward(re, im);
    for (let k = 0; k <= half; k++) {
      const a = k === half ? 0 : k;
      const b = k === 0 ? 0 : half - k;
      const evenRe = (re[a]! + re[b]!) / 2;
      const evenIm = (im[a]! - im[b]!) / 2;
      const oddRe = (im[a]! + im[b]!) / 2;
      const oddIm = (re[b]! - re[a]!) / 2;
      const c = this.#cosines[k]!;
      const s = this.#sines[k]!;
      const real = evenRe + oddRe * c + oddIm * s;
      const imaginary = evenIm + oddIm * c - oddRe * s;
      out[k] = real * real + imaginary * imaginary;
    }
    return out;
  }
}
