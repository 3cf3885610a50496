import { describe, expect, it } from 'vitest';
import { Limiter, normalizeLoudness } from './audio-mix.ts';
import { LoudnessMeter } from './loudness-meter.ts';

const RATE = 48_000;

function tone(frequency: number, amplitude: number, seconds: number, rate = RATE): Float32Array {
  return Float32Array.from(
    { length: seconds * rate },
    (_, i) => amplitude * Math.sin((2 * Math.PI * frequency * i) / rate),
  );
}

describe('LoudnessMeter', () => {
  // EBU Tech 3341, test 1: a stereo 1 kHz sine at −23 dBFS measures −23 LUFS (±0.1).
  it.each([48_000, 44_100])('measures the sine of EBU Tech 3341 as −23 LUFS at %i Hz', (rate) => {
    const meter = new LoudnessMeter(rate);
    const sine = tone(1000, 10 ** (-23 / 20), 20, rate);
    meter.add({ left: sine, right: sine });
    expect(meter.integrated).toBeGreaterThan(-23.1);
    expect(meter.integrated).toBeLessThan(-22.9);
  });

  // Test 3: −36, −23, −36 dBFS for 10, 60, 10 s: the quiet parts fall under the relative gate.
  it('ignores blocks below the relative gate', () => {
    const meter = new LoudnessMeter(RATE);
    for (const [level, seconds] of [
      [-36, 10],
      [-23, 60],
      [-36, 10],
    ] as const) {
      const part = tone(1000, 10 ** (level / 20), seconds);
      meter.add({ left: part, right: part });
    }
    expect(Math.abs(meter.integrated! + 23)).toBeLessThan(0.1);
  });

  it('is undefined for silence', () => {
    const meter = new LoudnessMeter(RATE);
    meter.add({ left: new Float32Array(RATE), right: new Float32Array(RATE) });
    expect(meter.integrated).toBeUndefined();
  });
});

describe('Limiter', () => {
  it('limits peaks and leaves quiet parts unchanged', () => {
    const quiet = tone(440, 0.1, 1);
    const loud = tone(440, 0.9, 1);
    const limiter = new Limiter(RATE, 2, 0.8);
    const parts = [quiet, loud, quiet].map((part) => limiter.push({ left: part, right: part }));
    const out = [...parts, limiter.flush()].flatMap(({ left }) => [...left]);
    expect(out.length).toBe(3 * RATE);
    expect(Math.max(...out.slice(RATE, 2 * RATE).map(Math.abs))).toBeLessThanOrEqual(0.8 + 1e-6);
    expect(out[RATE / 2 + 27]).toBeCloseTo(quiet[RATE / 2 + 27]! * 2, 6);
    // Half a second after the loud part the gain is back.
    expect(out[Math.round(2.7 * RATE) + 27]).toBeCloseTo(quiet[Math.round(0.7 * RATE) + 27]! * 2, 2);
  });
});

it('normalizeLoudness reaches the target with limited peaks', () => {
  const bursts = [0.02, 0.05, 0.3, 0.02].map((level) => ({ left: tone(700, level, 3), right: tone(900, level, 3) }));
  const meter = new LoudnessMeter(RATE);
  let samples = 0;
  for (const part of normalizeLoudness(() => bursts, RATE, -14)) {
    meter.add(part);
    samples += part.left.length;
  }
  expect(samples).toBe(12 * RATE);
  expect(Math.abs(meter.integrated! + 14)).toBeLessThan(0.3);
  expect(meter.peak).toBeLessThan(10 ** (-1.4 / 20));
});
