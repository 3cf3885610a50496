import FFT from 'fft.js';

/**
 * A complex discrete Fourier transform on separate real and imaginary arrays. Wraps `fft.js` (radix 4, double precision),
 * which works on interleaved arrays.
 *
 * @example
 * const fft = new Fft(8);
 * const re = Float64Array.of(1, 0, 0, 0, 0, 0, 0, 0);
 * const im = new Float64Array(8);
 * fft.forward(re, im); // the spectrum of an impulse is flat: re is all ones
 */
export class Fft {
  readonly size: number;
  readonly #fft: FFT;
  readonly #input: Float64Array;
  readonly #output: Float64Array;

  /**
   * @param size Number of complex samples: a power of two, 2 or more.
   * @throws RangeError for any other size.
   */
  constructor(size: number) {
    assertPowerOfTwo(size, 2);
    this.size = size;
    this.#fft = new FFT(size);
    this.#input = new Float64Array(2 * size);
    this.#output = new Float64Array(2 * size);
  }

  /** Replaces `re` and `im` by their transform: X[k] = Σ x[n]·e^(−2πikn/N). */
  forward(re: Float64Array, im: Float64Array): void {
    this.#interleave(re, im);
    this.#fft.transform(this.#output, this.#input);
    this.#separate(re, im);
  }

  /** Replaces `re` and `im` by their inverse transform: x[n] = (1/N)·Σ X[k]·e^(2πikn/N). */
  inverse(re: Float64Array, im: Float64Array): void {
    this.#interleave(re, im);
    this.#fft.inverseTransform(this.#output, this.#input);
    this.#separate(re, im);
  }

  #interleave(re: Float64Array, im: Float64Array): void {
    for (let i = 0; i < this.size; i++) {
      this.#input[2 * i] = re[i]!;
      this.#input[2 * i + 1] = im[i]!;
    }
  }

  #separate(re: Float64Array, im: Float64Array): void {
    for (let i = 0; i < this.size; i++) {
      re[i] = this.#output[2 * i]!;
      im[i] = this.#output[2 * i + 1]!;
    }
  }
}

/** The power spectrum of real samples. */
export class PowerSpectrum {
  readonly size: number;
  readonly #fft: FFT;
  readonly #spectrum: Float64Array;

  /**
   * @param size Number of samples: a power of two, 4 or more.
   * @throws RangeError for any other size.
   */
  constructor(size: number) {
    assertPowerOfTwo(size, 4);
    this.size = size;
    this.#fft = new FFT(size);
    this.#spectrum = new Float64Array(2 * size);
  }

  /**
   * Computes |X[k]|² for k = 0 … size/2.
   *
   * @param samples `size` real samples.
   * @param out Receives size/2 + 1 values; also returned.
   */
  compute(samples: ArrayLike<number>, out: Float64Array): Float64Array {
    const spectrum = this.#spectrum;
    this.#fft.realTransform(spectrum, samples);
    for (let k = 0; k <= this.size / 2; k++) out[k] = spectrum[2 * k]! ** 2 + spectrum[2 * k + 1]! ** 2;
    return out;
  }
}

function assertPowerOfTwo(size: number, smallest: number): void {
  if (!Number.isInteger(size) || size < smallest || (size & (size - 1)) !== 0)
    throw new RangeError(`The transform size must be a power of two of at least ${smallest}, not ${size}`);
}
