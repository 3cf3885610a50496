/** Sound for tests: a session in which something sets in about once a second, always something else. */

/** Numbers of a linear congruential generator, −1…1: the same every time. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

/** Seconds at which something sounds: irregular, about one a second. */
export function times(seed: number, seconds: number): number[] {
  const next = random(seed);
  return Array.from({ length: seconds }, (_, i) => i + 0.5 + 0.45 * next());
}

/** Samples a second of the bursts. */
export const BURST_RATE = 12_000;

/** A session: at each time a burst of noise that dies away, always another one. */
export function session(seed: number, seconds: number): (t: number) => number {
  const starts = times(seed, seconds);
  const bursts = starts.map((_, i) => {
    const next = random(seed * 1000 + i);
    return Float32Array.from(
      { length: BURST_RATE / 2 },
      (_unused, k) => 0.3 * next() * Math.exp((-8 * k) / BURST_RATE),
    );
  });
  return (t) => {
    let sum = 0;
    for (let i = Math.max(0, Math.floor(t) - 1); i <= Math.min(seconds - 1, Math.floor(t)); i++) {
      const at = (t - starts[i]!) * BURST_RATE;
      if (at < 0 || at >= BURST_RATE / 2 - 1) continue;
      const [k, part] = [Math.floor(at), at % 1];
      sum += bursts[i]![k]! * (1 - part) + bursts[i]![k + 1]! * part;
    }
    return sum;
  };
}
