import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SamplePlanner, planSamples } from './plan.ts';
import type { FrameTimes, Sample } from './plan.ts';

const micro = (seconds: number) => Math.round(seconds * 1e6);

/** Times in whole microseconds, ascending, some equal; about half are reference frames. */
const videos: fc.Arbitrary<FrameTimes> = fc
  .array(fc.tuple(fc.oneof(fc.constant(33_333), fc.nat(250_000), fc.constantFrom(0, 50_000, 100_000)), fc.boolean()), {
    maxLength: 60,
  })
  .map((steps) => {
    let t = 0;
    return {
      t: Float64Array.from(steps, ([step], i) => (t += i === 0 ? 0 : step) / 1e6),
      reference: Uint8Array.from(steps, ([, reference]) => (reference ? 1 : 0)),
    };
  });

/**
 * "Tick k at k · interval. The sample of a tick is the eligible frame nearest to it (the earlier on a tie), at most half an
 * interval away. Eligible: reference frames, where one lies within half an interval of the tick; else any frame."
 */
function naive({ t, reference }: FrameTimes, interval: number): Sample[] {
  const samples: Sample[] = [];
  const last = t.length > 0 ? micro(t[t.length - 1]!) : -1;
  for (let tick = 0; tick * micro(interval) <= last + micro(interval); tick++) {
    const at = tick * micro(interval);
    const within = Array.from(t, (_, frame) => frame).filter(
      (frame) => Math.abs(micro(t[frame]!) - at) * 2 <= micro(interval),
    );
    const references = within.filter((frame) => reference[frame] === 1);
    const eligible = references.length > 0 ? references : within;
    let best = -1;
    for (const frame of eligible) {
      if (best < 0 || Math.abs(micro(t[frame]!) - at) < Math.abs(micro(t[best]!) - at)) best = frame;
    }
    if (best >= 0) samples.push({ tick, frame: best });
  }
  return samples;
}

describe('planSamples', () => {
  test('by interval: follows the rule tick by tick', () => {
    fc.assert(
      fc.property(videos, fc.constantFrom(0.1, 0.2, 1 / 3, 0.05, 0.016, 1), (video, interval) => {
        expect(planSamples(video, { interval })).toEqual(naive(video, interval));
      }),
      { numRuns: 400 },
    );
  });

  test('30 frames a second at 100 ms, worked by hand', () => {
    // Ticks 0, 100, 200 ms fall on frames 0, 3, 6; frame 3 is no reference, 2 and 4 are equally near: the earlier.
    const video = {
      t: [0, 0.033333, 0.066667, 0.1, 0.133333, 0.166667, 0.2],
      reference: [1, 0, 1, 0, 1, 0, 1],
    };
    expect(planSamples(video, { interval: 0.1 })).toEqual([
      { tick: 0, frame: 0 },
      { tick: 1, frame: 2 },
      { tick: 2, frame: 6 },
    ]);
  });

  test('a pause of hours costs nothing', () => {
    const video = { t: [0, 0.1, 1e7], reference: [1, 1, 1] };
    expect(planSamples(video, { interval: 0.001 })).toEqual([
      { tick: 0, frame: 0 },
      { tick: 100, frame: 1 },
      { tick: 1e10, frame: 2 },
    ]);
  });

  test('every n-th frame, and all', () => {
    const video = { t: [0, 0.1, 0.2, 0.3, 0.4], reference: [1, 0, 0, 0, 0] };
    expect(planSamples(video, { every: 2 })).toEqual([0, 2, 4].map((frame, tick) => ({ tick, frame })));
    expect(planSamples(video, { all: true })).toEqual([0, 1, 2, 3, 4].map((frame) => ({ tick: frame, frame })));
  });

  test('a range cuts away and moves nothing', () => {
    fc.assert(
      fc.property(
        videos,
        fc.double({ min: 0, max: 3, noNaN: true }),
        fc.double({ min: 0, max: 6, noNaN: true }),
        (video, from, to) => {
          const whole = planSamples(video, { interval: 0.1 });
          const inside = whole.filter(({ frame }) => video.t[frame]! >= from && video.t[frame]! < to);
          expect(planSamples(video, { interval: 0.1 }, { from, to })).toEqual(inside);
        },
      ),
    );
  });

  test('found piece by piece, the plan is the same', () => {
    fc.assert(
      fc.property(
        videos,
        fc.constantFrom({ interval: 0.1 }, { interval: 0.05 }, { every: 3 }),
        fc.nat(20),
        (video, sampling, size) => {
          const planner = new SamplePlanner(sampling);
          const samples: Sample[] = [];
          for (let from = 0; from < video.t.length; from += size + 1) {
            const cut = (values: ArrayLike<number>) => Array.from(values).slice(from, from + size + 1);
            samples.push(...planner.add({ t: cut(video.t), reference: cut(video.reference) }));
          }
          expect([...samples, ...planner.end()]).toEqual(planSamples(video, sampling));
        },
      ),
    );
  });

  test('no frames, no samples; impossible samplings are refused', () => {
    expect(planSamples({ t: [], reference: [] }, { interval: 0.1 })).toEqual([]);
    expect(() => planSamples({ t: [0], reference: [1] }, { interval: 0 })).toThrow(RangeError);
    expect(() => planSamples({ t: [0], reference: [1] }, { interval: Number.NaN })).toThrow(RangeError);
    expect(() => planSamples({ t: [0], reference: [1] }, { every: 1.5 })).toThrow(RangeError);
  });
});
