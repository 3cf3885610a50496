import { expect, it } from 'vitest';
import { randomSession } from '../../test/fixtures/quality/sessions.ts';
import { RawValueReader } from './frame.ts';
import { QualityMeter } from './meter.ts';
import { downsample, MinuteRecorder, TimelineRecorder } from './timeline.ts';

/** The same session followed by tracks of different fineness. */
function follow(
  frames: number,
  tracks: readonly TimelineRecorder[],
  minutes = new MinuteRecorder(),
): { cws: number; frames: number; longest: number } {
  const meter = new QualityMeter({ fps: 60 });
  const values = new RawValueReader();
  let sum = 0;
  let scored = 0;
  let longest = 0;
  for (const record of randomSession(frames, 11)) {
    const raw = values.next(record);
    meter.push(raw);
    for (const track of tracks) track.add(meter, raw);
    minutes.add(meter, raw);
    longest = Math.max(longest, raw.presentDelta ?? 0);
    const { cws } = meter.latest;
    if (cws === undefined) continue;
    sum += cws;
    scored++;
  }
  return { cws: sum / scored, frames, longest };
}

it('keeps frame counts, extremes and means at any resolution', () => {
  const fine = new TimelineRecorder(10_000);
  const coarse = new TimelineRecorder(16);
  const truth = follow(12_000, [fine, coarse]);
  for (const points of [fine.points(), coarse.points(), downsample(fine.points(), 7)]) {
    expect(points.reduce((sum, point) => sum + point.frames, 0)).toBe(truth.frames);
    expect(Math.max(...points.map((point) => point.raw['presentDelta']?.max ?? 0))).toBe(truth.longest);
    const mean = points.reduce((sum, point) => sum + (point.cws ?? 0) * point.frames, 0) / truth.frames;
    // The first frames have no score; they are counted here and not in the truth.
    expect(mean).toBeCloseTo(truth.cws, 1);
  }
  expect(coarse.points().length).toBeLessThanOrEqual(16);
  expect(downsample(fine.points(), 7)).toHaveLength(7);
});

it('finds the worst minutes', () => {
  const minutes = new MinuteRecorder();
  follow(15_000, [], minutes);
  const all = minutes.all();
  expect(all.map(({ minute }) => minute)).toEqual([0, 1, 2, 3, 4]);
  expect(all.reduce((sum, { frames }) => sum + frames, 0)).toBe(15_000);
  expect(minutes.worst(2).map(({ cws }) => cws)).toEqual(
    all
      .map(({ cws }) => cws)
      .toSorted((a, b) => a - b)
      .slice(0, 2),
  );
});
