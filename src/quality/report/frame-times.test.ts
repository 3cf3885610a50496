import { expect, it } from 'vitest';
import { FrameTimeRecorder, frameTimeFigures, frameTimeHistogram } from './frame-times.ts';

it('computes average, lows and percentiles as worked out by hand', () => {
  // 990 frames of 10 ms, nine of 50 ms and one of 100 ms: 10,450 ms in all.
  const ms = [100, ...Array.from({ length: 990 }, () => 10), ...Array.from({ length: 9 }, () => 50)];
  const { average, low1, low01, ...percentiles } = frameTimeFigures(ms);
  expect(average).toBeCloseTo(1000 / 10.45, 9);
  // The slowest 1 % are ten frames that take 550 ms together; the slowest 0.1 % is one frame.
  expect(low1).toBeCloseTo(10_000 / 550, 9);
  expect(low01).toBe(10);
  // Rank 500, 950, 990 and 999 of 1000.
  expect(percentiles).toEqual({ p50: 10, p95: 10, p99: 10, p999: 50, longest: 100 });
});

it('takes a single frame as all its figures', () => {
  expect(frameTimeFigures([20])).toEqual({
    average: 50,
    low1: 50,
    low01: 50,
    p50: 20,
    p95: 20,
    p99: 20,
    p999: 20,
    longest: 20,
  });
});

it('counts each frame once in the histogram, those beyond the axis in the last bin', () => {
  const steady = Array.from({ length: 200 }, () => 16);
  const { edges, shares } = frameTimeHistogram([steady, [...steady.slice(1), 900]]);
  // P99 of both is 16 ms: the axis of 60 bins ends at 20 ms, so 16 ms lie in bin 48.
  expect(edges[1]).toBeCloseTo(20 / 60, 9);
  expect(shares[0]![48]).toBe(100);
  expect(shares[1]![48]).toBeCloseTo(99.5, 9);
  expect(shares[1]![59]).toBeCloseTo(0.5, 9);
});

it('records frames of capture where none are presented', () => {
  const recorder = new FrameTimeRecorder();
  recorder.add({ t: 0, captureDelta: undefined, presentDelta: undefined });
  expect(recorder.frames()).toBeUndefined();
  recorder.add({ t: 1, captureDelta: 17, presentDelta: undefined });
  expect(recorder.frames()).toEqual({ t: [1], ms: [17] });
  recorder.add({ t: 2, captureDelta: 17, presentDelta: 18 });
  expect(recorder.frames()).toEqual({ t: [2], ms: [18] });
});
