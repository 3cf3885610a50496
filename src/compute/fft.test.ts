import { array, assert, double, integer, property, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fft, PowerSpectrum } from './fft.ts';

/** The definition, term by term. */
function slow(re: Float64Array, im: Float64Array): { re: number[]; im: number[] } {
  const n = re.length;
  const out = { re: [] as number[], im: [] as number[] };
  for (let k = 0; k < n; k++) {
    let [a, b] = [0, 0];
    for (let i = 0; i < n; i++) {
      const angle = (-2 * Math.PI * k * i) / n;
      a += re[i]! * Math.cos(angle) - im[i]! * Math.sin(angle);
      b += re[i]! * Math.sin(angle) + im[i]! * Math.cos(angle);
    }
    out.re.push(a);
    out.im.push(b);
  }
  return out;
}

const signal = integer({ min: 1, max: 7 })
  .chain((bits) =>
    tuple(
      ...[0, 1].map(() =>
        array(double({ min: -1, max: 1, noNaN: true }), { minLength: 1 << bits, maxLength: 1 << bits }),
      ),
    ),
  )
  .map(([re, im]) => ({ re: Float64Array.from(re!), im: Float64Array.from(im!) }));

function apart(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return Math.max(...Array.from(a, (value, i) => Math.abs(value - b[i]!)));
}

describe('Fft', () => {
  it('is the transform of the definition, and its inverse undoes it', () => {
    assert(
      property(signal, ({ re, im }) => {
        const fft = new Fft(re.length);
        const [a, b] = [re.slice(), im.slice()];
        fft.forward(a, b);
        const wanted = slow(re, im);
        expect(apart(a, wanted.re) + apart(b, wanted.im)).toBeLessThan(1e-9);
        fft.inverse(a, b);
        expect(apart(a, re) + apart(b, im)).toBeLessThan(1e-9);
      }),
      { numRuns: 60 },
    );
  });

  it('refuses a size that is no power of two', () => {
    expect(() => new Fft(12)).toThrow(RangeError);
  });
});

describe('PowerSpectrum', () => {
  it('is the squared magnitude of the transform', () => {
    assert(
      property(
        signal.filter(({ re }) => re.length >= 4),
        ({ re }) => {
          const wanted = slow(re, new Float64Array(re.length));
          const power = new PowerSpectrum(re.length).compute(re, new Float64Array(re.length / 2 + 1));
          const squares = Array.from(power, (_, k) => wanted.re[k]! ** 2 + wanted.im[k]! ** 2);
          expect(apart(power, squares)).toBeLessThan(1e-8);
        },
      ),
      { numRuns: 60 },
    );
  });
});
