import { AV_PIX_FMT_YUV420P, AVCOL_RANGE_JPEG, AVCOL_RANGE_MPEG, AVCOL_SPC_BT709 } from 'node-av/constants';
import { Frame } from 'node-av/lib';
import { describe, expect, it } from 'vitest';
import { FrameFilter } from './frame-filter.ts';
import type { Layout } from './frame-filter.ts';

const limited = { space: AVCOL_SPC_BT709, range: AVCOL_RANGE_MPEG };

/** A frame of one grey. */
function grey(level: number, range = AVCOL_RANGE_MPEG): Frame {
  const [width, height] = [64, 36];
  const data = Buffer.alloc((width * height * 3) / 2, 128);
  data.fill(level, 0, width * height);
  const timeBase = { num: 1, den: 30 };
  const frame = Frame.fromVideoBuffer(data, { width, height, format: AV_PIX_FMT_YUV420P, timeBase });
  frame.colorSpace = AVCOL_SPC_BT709;
  frame.colorRange = range;
  return frame;
}

function middleOf({ data, linesize, width, height }: Frame): number {
  return data![0]![(height >> 1) * linesize[0]! + (width >> 1)]!;
}

/** A frame of 64 × 36 whose level is twice the column. */
function ramp(): Frame {
  const data = Buffer.alloc((64 * 36 * 3) / 2, 128);
  for (let i = 0; i < 64 * 36; i++) data[i] = 2 * (i % 64);
  const timeBase = { num: 1, den: 30 };
  return Frame.fromVideoBuffer(data, { width: 64, height: 36, format: AV_PIX_FMT_YUV420P, timeBase });
}

describe('FrameFilter', () => {
  it.each(['pad', 'crop', 'blur', 'hud', 'split'] as const)('keeps levels (%s)', (layout: Layout) => {
    using filter = new FrameFilter(36, 64, 'yuv420p', { layout, levels: limited });
    for (const level of [20, 41, 200]) {
      using frame = grey(level);
      expect(middleOf(filter.apply(frame))).toBe(level);
    }
  });

  it('crops around a point, enlarged', () => {
    using filter = new FrameFilter(36, 36, 'yuv420p', { layout: 'crop' });
    using frame = ramp();
    // The middle of the result is the level at the point: column 40, then 32.
    expect(middleOf(filter.apply(frame, 0, { x: 40 / 64, y: 0.5 }))).toBeCloseTo(80, -1);
    expect(middleOf(filter.apply(frame, 0, { x: 0.5, y: 0.5, zoom: 2 }))).toBeCloseTo(64, -1);
    const row = (x: number) => filter.apply(frame, 0, { x: 0.5, y: 0.5, zoom: 2 }).data![0]![x]!;
    // Half as many columns: 18 instead of 36, two levels each.
    expect(row(35) - row(0)).toBeGreaterThan(28);
    expect(row(35) - row(0)).toBeLessThan(40);
  });

  it('darkens, and shows a part again where it is asked to', () => {
    using filter = new FrameFilter(64, 36, 'yuv420p', { layout: 'crop', levels: limited });
    using frame = grey(216);
    expect(middleOf(filter.apply(frame, 0, { x: 0.5, y: 0.5, brightness: 0.5 }))).toBe(116);
    using columns = ramp();
    const lifted = [
      { from: { x: 0.75, y: 0, width: 0.25, height: 1 }, to: { x: 0.25, y: 0.25, width: 0.5, height: 0.5 } },
    ];
    // The middle of the lifted part is column 56 of the frame.
    expect(middleOf(filter.apply(columns, 0, { x: 0.5, y: 0.5, lifted }))).toBeCloseTo(112, -1);
  });

  it('keeps levels when it rotates', () => {
    using filter = new FrameFilter(36, 64, 'yuv420p', { levels: limited });
    using frame = grey(41);
    expect(middleOf(filter.apply(frame, 90))).toBe(41);
  });

  it('converts full range to the reel’s range, also where the size fits', () => {
    using filter = new FrameFilter(64, 36, 'yuv420p', { levels: limited });
    using frame = grey(255, AVCOL_RANGE_JPEG);
    expect(middleOf(filter.apply(frame))).toBe(235);
    using plain = grey(235);
    expect(middleOf(filter.apply(plain))).toBe(235);
  });
});
