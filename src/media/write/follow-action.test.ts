import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AV_PIX_FMT_YUV420P } from 'node-av/constants';
import { Frame, type Stream } from 'node-av/lib';
import { afterAll, describe, expect, it } from 'vitest';
import { actionAt, followAction } from './follow-action.ts';
import { VideoEncoder } from './encoder.ts';
import { Muxer } from './muxer.ts';
import { Recording } from './recording.ts';

const folder = mkdtempSync(join(tmpdir(), 'action-'));
afterAll(() => rmSync(folder, { recursive: true }));

const [WIDTH, HEIGHT, RATE] = [320, 180, 20];

/** Makes a clip of a grey scene in which a bright box shakes around `place(t)`, a fraction of the width. */
async function boxClip(name: string, seconds: number, place: (t: number) => number): Promise<string> {
  const path = join(folder, name);
  const timeBase = { num: 1, den: RATE };
  const frameRate = { num: RATE, den: 1 };
  using muxer = new Muxer(path);
  const made: { video?: Stream } = {};
  using encoder = new VideoEncoder({ width: WIDTH, height: HEIGHT, timeBase, frameRate }, (packet) =>
    muxer.write(packet, made.video!, timeBase),
  );
  made.video = muxer.addStream(encoder.context, timeBase, frameRate);
  muxer.start();
  for (let n = 0; n < seconds * RATE; n++) {
    const data = Buffer.alloc((WIDTH * HEIGHT * 3) / 2, 128);
    data.fill(60, 0, WIDTH * HEIGHT);
    const left = Math.round(place(n / RATE) * WIDTH - 15 + ((n >> 2) % 2) * 12);
    for (let y = 70; y < 110; y++) data.fill(220, y * WIDTH + left, y * WIDTH + left + 30);
    using frame = Frame.fromVideoBuffer(data, { width: WIDTH, height: HEIGHT, format: AV_PIX_FMT_YUV420P, timeBase });
    await encoder.encode(frame, BigInt(n));
  }
  await encoder.finish();
  muxer.finish();
  return path;
}

describe('followAction', () => {
  it('follows motion from one side to the other at limited speed', async () => {
    using recording = new Recording(await boxClip('sides.mp4', 10, (t) => (t < 5 ? 0.3 : 0.7)));
    const path = followAction(recording, 0, 10);
    // Far enough for the whole box to be seen.
    expect(actionAt(path, 3)).toBeLessThan(0.42);
    expect(actionAt(path, 9)).toBeGreaterThan(0.6);
    for (let t = 0.1; t < 10; t += 0.1)
      expect(Math.abs(actionAt(path, t) - actionAt(path, t - 0.1))).toBeLessThan(0.0155);
  });

  it('stays in the middle where nothing moves', async () => {
    using recording = new Recording(await boxClip('still.mp4', 3, () => 0.8));
    const path = followAction(recording, 0, 0.15);
    expect(actionAt(path, 0.1)).toBe(0.5);
  });
});
