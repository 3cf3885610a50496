import { array, assert, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OverloadControl } from './overload.ts';

interface Load {
  readonly seconds: number;
  /** Samples a second. */
  readonly rate: number;
  /** Milliseconds to read the sample at `t` seconds, and to decode any. */
  readonly reading: (t: number) => number;
  readonly decoding: number;
}

interface Run {
  readonly read: readonly number[];
  readonly lags: readonly { readonly t: number; readonly lag: number }[];
  readonly planned: readonly { readonly t: number; readonly end: number }[];
  readonly skipped: number;
}

/** Every so many seconds there is a keyframe. */
const KEYFRAME_SECONDS = 2;

/** Plays a recording in real time to a reader that takes so long, on a clock of its own. */
function play({ seconds, rate, reading, decoding }: Load): Run {
  const control = new OverloadControl();
  const read: number[] = [];
  const lags: { t: number; lag: number }[] = [];
  const planned: { t: number; end: number }[] = [];
  let skipped = 0;
  let now = 0;
  for (let k = 0; k < seconds * rate; k++) {
    const t = k / rate;
    if (now < 1000 * t) {
      now = 1000 * t;
      control.arrived(t, now);
    } else control.began(t, now);
    if (control.skips(t, now, k % (KEYFRAME_SECONDS * rate) === 0)) {
      skipped++;
      continue;
    }
    now += decoding;
    const { isRead, gap } = control.decide(t, now);
    if (gap) planned.push(gap);
    const cost = reading(t);
    if (isRead) {
      now += cost;
      read.push(t);
    }
    control.took({ reading: isRead ? cost : undefined, other: decoding });
    lags.push({ t, lag: control.lag(t, now) });
  }
  return { read, lags, planned, skipped };
}

function maxLag({ lags }: Run, from = 0): number {
  return Math.max(...lags.filter(({ t }) => t >= from).map(({ lag }) => lag));
}

describe('OverloadControl', () => {
  it('leaves out nothing where reading is fast enough, though the first samples take long', () => {
    const run = play({ seconds: 20, rate: 20, reading: (t) => (t === 0 ? 1500 : t < 0.2 ? 300 : 8), decoding: 4 });
    expect(run.planned).toEqual([]);
    expect(run.read).toHaveLength(400);
    // 12 of 50 ms are busy, so 2.4 s of delay are made up for within 2.4 / (1 - 12 / 50) s.
    expect(maxLag(run, 4)).toBeLessThan(0.2);
  });

  it.each([80, 160, 640])('reads what there is time for where each 50 ms take %d ms', (reading) => {
    const run = play({ seconds: 120, rate: 20, reading: () => reading, decoding: 10 });
    expect(maxLag(run)).toBeLessThan(4 + reading / 1000);
    // Of 50 ms, 40 are left for reading, or all while nothing is decoded.
    const share = run.read.length / 2400;
    expect(share).toBeLessThanOrEqual((1.05 * 50) / reading);
    expect(share).toBeGreaterThan((0.5 * 40) / reading);
  });

  it('states every sample that is left out beforehand', () => {
    const { read, planned } = play({ seconds: 60, rate: 20, reading: () => 130, decoding: 5 });
    const isPlanned = (t: number): boolean => planned.some((plan) => plan.t <= t && t < plan.end);
    const left = Array.from({ length: 1200 }, (_, k) => k / 20).filter((t) => !read.includes(t));
    expect(left.length).toBeGreaterThan(500);
    expect(left.filter((t) => !isPlanned(t))).toEqual([]);
  });

  it('reads everything again soon after the load is gone', () => {
    const run = play({ seconds: 90, rate: 20, reading: (t) => (t > 20 && t < 50 ? 200 : 8), decoding: 4 });
    expect(run.planned.length).toBeGreaterThan(10);
    expect(Math.max(...run.planned.map(({ end }) => end))).toBeLessThan(56);
    expect(maxLag(run, 56)).toBeLessThan(0.2);
  });

  it('is never more than some seconds behind, whatever reading costs', () => {
    const cost = array(integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 12 });
    assert(
      property(cost, integer({ min: 0, max: 30 }), (costs, decoding) => {
        const reading = (t: number): number => costs[Math.floor(t / 5) % costs.length]!;
        expect(maxLag(play({ seconds: 60, rate: 20, reading, decoding }))).toBeLessThan(8);
      }),
    );
  });

  it('goes on at a keyframe where even decoding takes too long', () => {
    const run = play({ seconds: 120, rate: 20, reading: () => 5, decoding: 100 });
    expect(run.skipped).toBeGreaterThan(0);
    expect(run.read.length).toBeGreaterThan(20);
    expect(maxLag(run)).toBeLessThan(8);
  });
});
