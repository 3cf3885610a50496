import { AV_PIX_FMT_YUV420P } from 'node-av/constants';
import { Frame } from 'node-av/lib';
import { describe, expect, it } from 'vitest';
import { PlaybyplayError } from '../../errors.ts';
import { findHardwareEncoder, hardwareEncoders, VideoEncoder, type VideoEncoding } from './encoder.ts';

const encoding: VideoEncoding = {
  width: 64,
  height: 48,
  timeBase: { num: 1, den: 30 },
  frameRate: { num: 30, den: 1 },
  quality: 10,
};

/** Packets of five frames of moving slopes, all planes different. */
async function encoded(planes: 3 | 2): Promise<Buffer> {
  const packets: Buffer[] = [];
  using encoder = new VideoEncoder({ ...encoding, planes }, ({ data }) => packets.push(Buffer.from(data!)));
  for (let n = 0; n < 5; n++) {
    const data = Buffer.from(
      Array.from({ length: (64 * 48 * 3) / 2 }, (_, i) => 40 + ((i * (i > 3072 ? 3 : 1) + 7 * n) % 150)),
    );
    using frame = Frame.fromVideoBuffer(data, {
      width: 64,
      height: 48,
      format: AV_PIX_FMT_YUV420P,
      timeBase: { num: 1, den: 30 },
    });
    await encoder.encode(frame, BigInt(n));
  }
  await encoder.finish();
  return Buffer.concat(packets);
}

describe('VideoEncoder', () => {
  it('gives the same packets for yuv420p and nv12 input', async () => {
    const [three, two] = [await encoded(3), await encoded(2)];
    expect(two.length).toBeGreaterThan(500);
    expect(Buffer.compare(two, three)).toBe(0);
  });

  it.each(hardwareEncoders())('%s opens, or its error says what it needs', (name) => {
    let message = '';
    try {
      new VideoEncoder({ ...encoding, width: 320, height: 240, encoder: name }, () => {})[Symbol.dispose]();
    } catch (error) {
      message = error instanceof PlaybyplayError ? `${error.code}: ${error.hint}` : `${error}`;
    }
    expect(message).toMatch(/^$|^(?:no-encoder|encoder-failed): It needs an? .+; x264 runs everywhere\.$/);
  });

  it('names a hardware encoder only if it opens', () => {
    const found = findHardwareEncoder({ ...encoding, width: 320, height: 240 });
    expect([undefined, ...hardwareEncoders()]).toContain(found);
  });
});
