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

describe('FrameFilter', () => {
  it.each(['pad', 'crop', 'blur', 'hud'] as const)('keeps levels (%s)', (layout: Layout) => {
    using filter = new FrameFilter(36, 64, 'yuv420p', { layout, levels: limited });
    for (const level of [20, 41, 200]) {
      using frame = grey(level);
      expect(middleOf(filter.apply(frame))).toBe(level);
    }
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
