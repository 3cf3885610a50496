import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { MAX_WAITING_PICTURES, decodeFramesAhead } from './decode-ahead.ts';
import { type DecodeGap, isGap, decodeFrames } from './decode-frames.ts';
import { splitIntoChunks, scanPackets } from '../packets/scan-packets.ts';
import type { Picture } from '../picture.ts';
import { damageFile, digest, makeVideo, mostFrames } from '../../../test/fixtures/videos.ts';
import { openVideo } from '../video.ts';

const folder = mkdtempSync(join(tmpdir(), 'playbyplay-ahead-'));
afterAll(() => rmSync(folder, { recursive: true }));

function video(name: string, codec?: string): string {
  const path = join(folder, name);
  const pts = Array.from({ length: 60 }, (_, i) => i * 40);
  makeVideo({ timeBase: { num: 1, den: 1000 }, path, pts, ...(codec ? { codec } : {}) });
  return path;
}

/** A picture's time and digest, or a gap; disposes of the picture. */
function describeItem(item: Picture | DecodeGap): unknown {
  if (isGap(item)) return item;
  using picture = item;
  return [picture.t, digest(picture)];
}

/** What both ways of decoding give, every third frame; `pace` is what the caller does with each picture read ahead. */
async function both(path: string, pace: (n: number) => Promise<unknown> | undefined, most?: number) {
  using file = openVideo(path);
  const index = scanPackets(file);
  const [plain, ahead]: [unknown[], unknown[]] = [[], []];
  for (const chunk of splitIntoChunks(index, { minSeconds: 0.5 })) {
    const wanted = mostFrames(chunk);
    for (const item of decodeFrames(file, index, chunk, wanted)) plain.push(describeItem(item));
    for await (const item of decodeFramesAhead(file, index, chunk, wanted, most)) {
      await pace(ahead.length);
      ahead.push(describeItem(item));
    }
  }
  return { plain, ahead };
}

describe('decodeFramesAhead', () => {
  test.each([
    ['h264.mp4', 'libx264'],
    ['hevc.mkv', 'libx265'],
    ['vp9.webm', 'libvpx-vp9'],
  ])('%s: the same pictures, however slowly the caller reads', async (name, codec) => {
    const path = video(name, codec);
    for (const [most, pace] of [
      [2, () => undefined],
      [2, () => turn()],
      [MAX_WAITING_PICTURES, () => turn()],
      [MAX_WAITING_PICTURES, (n: number) => (n % 5 === 0 ? turn().then(() => turn()) : undefined)],
    ] as const) {
      const { plain, ahead } = await both(path, pace, most);
      expect(plain).toHaveLength(40);
      expect(ahead).toEqual(plain);
    }
  });

  test('damaged input gives the same pictures and gaps', async () => {
    const path = video('damaged.mkv');
    damageFile(path);
    const { plain, ahead } = await both(path, () => turn());
    expect(plain.filter((one) => !Array.isArray(one)).length).toBeGreaterThan(0);
    expect(ahead).toEqual(plain);
  });

  test('stopping early leaves the file ready for the next call', async () => {
    using file = openVideo(video('stopped.mp4'));
    const index = scanPackets(file);
    const [chunk] = splitIntoChunks(index, { minSeconds: 60 });
    const wanted = Array.from({ length: 40 }, (_, i) => chunk!.firstFrame + i);
    const whole = [...decodeFrames(file, index, chunk!, wanted)].map(describeItem);
    for (const [stop, most] of [
      [1, 2],
      [2, MAX_WAITING_PICTURES],
      [7, MAX_WAITING_PICTURES],
    ]) {
      const seen: unknown[] = [];
      for await (const item of decodeFramesAhead(file, index, chunk!, wanted, most)) {
        seen.push(describeItem(item));
        await turn();
        if (seen.length === stop) break;
      }
      expect(seen).toEqual(whole.slice(0, stop));
      expect([...decodeFrames(file, index, chunk!, wanted)].map(describeItem)).toEqual(whole);
    }
  });

  test('an error of the caller ends decoding', async () => {
    using file = openVideo(video('thrown.mp4'));
    const index = scanPackets(file);
    const [chunk] = splitIntoChunks(index, { minSeconds: 60 });
    const fail = async (): Promise<void> => {
      for await (const item of decodeFramesAhead(file, index, chunk!, [0, 1, 2, 3, 4, 5])) {
        describeItem(item);
        throw new RangeError('enough');
      }
    };
    await expect(fail()).rejects.toThrow('enough');
    expect([...decodeFrames(file, index, chunk!, [0, 5])].map(describeItem)).toHaveLength(2);
  });
});
