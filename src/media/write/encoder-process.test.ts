import { AV_PIX_FMT_YUV420P, AV_PKT_FLAG_KEY } from 'node-av/constants';
import { Frame } from 'node-av/lib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { STUCK_CODE, STUCK_VARIABLE } from '../../threads/watchdog.ts';
import { VideoEncoder, type VideoEncoding } from './encoder.ts';
import { type EncodedFrame, EncoderProcess } from './encoder-process.ts';

afterEach(() => vi.unstubAllEnvs());

const encoding: VideoEncoding = {
  width: 64,
  height: 48,
  timeBase: { num: 1, den: 30 },
  frameRate: { num: 30, den: 1 },
  color: { primaries: 1, transfer: 1, space: 1, range: 1 },
};
const COUNT = 12;

/** Pictures of noise that changes. */
function* frames(): Generator<Frame> {
  const { width, height } = encoding;
  for (let n = 0; n < COUNT; n++) {
    const bytes = Buffer.from(
      Array.from({ length: (width * height * 3) / 2 }, (_, i) => (i * i * 7 + n * 13 * (i % 5)) & 255),
    );
    using frame = Frame.fromVideoBuffer(bytes, { width, height, format: AV_PIX_FMT_YUV420P });
    yield frame;
  }
}

describe('an encoder in a process of its own', () => {
  it('encodes as one in this process', async () => {
    const expected: EncodedFrame[] = [];
    using inside = new VideoEncoder(encoding, ({ data, pts, flags }) => {
      expected.push({ data: Uint8Array.from(data!), pts, isKey: (flags & AV_PKT_FLAG_KEY) !== 0 });
    });
    const encoded: EncodedFrame[] = [];
    const { encoder, parameters } = await EncoderProcess.open(encoding, (frame) => encoded.push(frame));
    using outside = encoder;
    let pts = 0n;
    for (const frame of frames()) {
      await outside.encode(frame, pts, pts === 5n);
      await inside.encode(frame, pts, pts === 5n);
      pts++;
    }
    await outside.finish();
    await inside.finish();
    expect(encoded).toHaveLength(COUNT);
    expect(encoded.filter(({ isKey }) => isKey).map((frame) => frame.pts)).toEqual([0n, 5n]);
    expect(encoded).toEqual(expected);
    expect(parameters).toMatchObject({ width: 64, height: 48, codecId: inside.context.codecId, colorTrc: 1 });
    expect(parameters.extradata).toEqual(inside.context.extraData);
    parameters.free();
  });

  it('is ended when it does not respond', async () => {
    vi.stubEnv(STUCK_VARIABLE, '0.001');
    await expect(EncoderProcess.open(encoding, () => {})).rejects.toMatchObject({
      code: STUCK_CODE,
      message: expect.stringContaining('libx264') as string,
      hint: expect.stringContaining('--codec') as string,
    });
  });

  it('says what an encoder that cannot be opened says', async () => {
    const opened = EncoderProcess.open({ ...encoding, encoder: 'libnothing' }, () => {});
    await expect(opened).rejects.toMatchObject({ code: 'no-encoder' });
  });
});
