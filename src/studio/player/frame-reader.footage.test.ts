import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { footage } from '../../../test/paths.ts';
import { Recording } from '../../media/write/recording.ts';
import { FrameReader, type ReadFrame } from './frame-reader.ts';

const path = join(footage, 'freedoom-demo1.mp4');
/** Frames around two keyframes, and their times. */
const FIRST = 130;
const COUNT = 60;

/** Hash of the luma of a frame. */
function hashOf(read: ReadFrame): string {
  if ('problem' in read) return read.problem;
  const { data, stride, width, height } = read.picture.y;
  const hash = createHash('sha1');
  for (let row = 0; row < height; row++) hash.update(data.subarray(row * stride, row * stride + width));
  return hash.digest('hex');
}

describe('reading single frames', () => {
  const expected = new Map<number, { readonly hash: string; readonly t: number }>();
  let reader: FrameReader;

  beforeAll(async () => {
    reader = await FrameReader.open(path);
    // Another decoder, of the writer of reels, reads them in order.
    using recording = new Recording(path);
    const times = [...recording.index(recording.firstPts, recording.ticks(8)).times];
    for (const { frame, pts } of recording.frames(times[FIRST]!, times[FIRST + COUNT]!)) {
      const hash = createHash('sha1');
      const [luma] = frame.data!;
      for (let row = 0; row < frame.height; row++)
        hash.update(luma!.subarray(row * frame.linesize[0]!, row * frame.linesize[0]! + frame.width));
      expected.set(times.indexOf(pts), { hash: hash.digest('hex'), t: recording.seconds(pts) });
    }
  });
  afterAll(() => reader[Symbol.dispose]());

  it('gives the same pictures in any order: forwards, backwards, and in leaps', () => {
    const forwards = [...expected.keys()];
    expect(forwards).toHaveLength(COUNT);
    // A generator of Park and Miller: leaps that are the same in every run.
    let state = 7;
    const leap = (): number => (state = (state * 48_271) % 2_147_483_647) % COUNT;
    const leaps = Array.from({ length: 12 }, () => FIRST + leap());
    for (const frame of [...forwards, ...forwards.toReversed(), ...leaps]) {
      const read = reader.read({ frame });
      const { hash, t } = expected.get(frame)!;
      expect([read.frame, hashOf(read)]).toEqual([frame, hash]);
      expect(read.t).toBeCloseTo(t, 5);
    }
  });

  it('finds the frame that is shown at a time', () => {
    for (const [frame, { t }] of expected) {
      expect(reader.frameAt(t)).toBe(frame);
      expect(reader.frameAt(t + 0.02)).toBe(frame);
      expect(reader.frameAt(t - 1e-3)).toBe(frame - 1);
    }
    expect(reader.frameAt(-5)).toBe(0);
    expect(reader.frameAt(1e6)).toBe(reader.frameCount - 1);
    // 42 s at 35 frames a second.
    expect(reader.frameCount).toBe(1470);
    expect(reader.read({ frame: 99_999 }).frame).toBe(1469);
  });
});
