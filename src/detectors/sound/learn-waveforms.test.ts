import { describe, expect, it } from 'vitest';
import { clusterVariants } from './learn-waveforms.ts';

function noise(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

/** Occurrences of some waveforms, a few samples late, each with as much noise. */
function occurrences(which: readonly number[], count: number): Float32Array[] {
  const next = noise(7);
  const waves = Array.from({ length: count }, () => Float32Array.from({ length: 500 }, next));
  return which.map((wave, i) =>
    Float32Array.from({ length: 500 }, (_, k) => (waves[wave]![k - (i % 5)] ?? 0) + next()),
  );
}

describe('variants of a sound', () => {
  it('are separated, however many, by what their occurrences have in common', () => {
    for (const count of [2, 4]) {
      const which = Array.from({ length: 16 }, (_, i) => (i * 7 + (i >> 2)) % count);
      const sorted = clusterVariants(occurrences(which, count));
      const pairs = new Set(sorted.map((one, i) => `${one} is ${which[i]}`));
      expect(pairs.size).toBe(count);
    }
  });

  it('are not made of one waveform in noise, nor of too few occurrences', () => {
    expect(
      new Set(
        clusterVariants(
          occurrences(
            Array.from({ length: 16 }, () => 0),
            1,
          ),
        ),
      ).size,
    ).toBe(1);
    expect(new Set(clusterVariants(occurrences([0, 1, 0, 1, 0], 2))).size).toBe(1);
  });
});
