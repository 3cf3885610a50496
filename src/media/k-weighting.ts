/**
 * Converts power to loudness in LUFS (ITU-R BS.1770-4).
 *
 * @param power Mean square after K-weighting, summed over channels.
 */
export function lufs(power: number): number {
  return -0.691 + 10 * Math.log10(power);
}

/** A second-order filter section, transposed direct form II. */
export class Biquad {
  readonly #b: readonly [number, number, number];
  readonly #a: readonly [number, number];
  #s1 = 0;
  #s2 = 0;

  constructor(b: readonly [number, number, number], a: readonly [number, number]) {
    this.#b = b;
    this.#a = a;
  }

  /** Filters the next sample. */
  next(x: number): number {
    const y = this.#b[0] * x + this.#s1;
    this.#s1 = this.#b[1] * x - this.#a[0] * y + this.#s2;
    this.#s2 = this.#b[2] * x - this.#a[1] * y;
    return y;
  }
}

/**
 * Creates the two filters of K-weighting for a sample rate: a shelf of +4 dB above 1.7 kHz and a high pass at 38 Hz, by
 * bilinear transform from the analogue parameters behind the standard's 48 kHz coefficients.
 */
export function kWeighting(rate: number): Biquad[] {
  const shelf = (() => {
    const k = Math.tan((Math.PI * 1681.974450955533) / rate);
    const q = 0.7071752369554196;
    const vh = 10 ** (3.999843853973347 / 20);
    const vb = vh ** 0.4996667741545416;
    const a0 = 1 + k / q + k * k;
    return new Biquad(
      [(vh + (vb * k) / q + k * k) / a0, (2 * (k * k - vh)) / a0, (vh - (vb * k) / q + k * k) / a0],
      [(2 * (k * k - 1)) / a0, (1 - k / q + k * k) / a0],
    );
  })();
  const k = Math.tan((Math.PI * 38.13547087602444) / rate);
  const q = 0.5003270373238773;
  const a0 = 1 + k / q + k * k;
  const high = new Biquad([1, -2, 1], [(2 * (k * k - 1)) / a0, (1 - k / q + k * k) / a0]);
  return [shelf, high];
}
