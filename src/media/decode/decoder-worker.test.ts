import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { DecoderWorker } from './decoder-worker.ts';
import { type DecodeGap, isGap, decodeFrames } from './decode-frames.ts';
import { splitIntoChunks, scanPackets } from '../packets/scan-packets.ts';
import type { Picture } from '../picture.ts';
import { damageFile, digest, makeVideo, mostFrames } from '../../../test/fixtures/videos.ts';
import { openVideo, type VideoFile } from '../video.ts';

const folder = mkdtempSync(join(tmpdir(), 'playbyplay-decoder-'));
afterAll(() => rmSync(folder, { recursive: true }));

function video(name: string, codec = 'libx264', more: object = {}): string {
  const path = join(folder, name);
  const pts = Array.from({ length: 60 }, (_, i) => i * 40);
  makeVideo({ timeBase: { num: 1, den: 1000 }, path, pts, codec, ...more });
  return path;
}

/** A picture's properties and digest, or a gap; disposes of the picture. */
function describeItem(item: Picture | DecodeGap): unknown {
  if (isGap(item)) return item;
  using picture = item;
  const { t, width, height, color, chromaShiftX, chromaShiftY } = picture;
  return { t, width, height, color, chromaShiftX, chromaShiftY, pixels: digest(picture) };
}

function fail(): never {
  throw new RangeError('enough');
}

/** Starts a worker. */
async function started(file: VideoFile): Promise<DecoderWorker> {
  const worker = new DecoderWorker(file);
  worker.start();
  await worker.opened;
  expect(worker.isReady).toBe(true);
  return worker;
}

/** What both ways of decoding give, every third frame left out; two pictures are held at a time. */
async function both(path: string) {
  using file = openVideo(path);
  await using worker = await started(file);
  const index = scanPackets(file);
  const [plain, other]: [unknown[], unknown[]] = [[], []];
  for (const chunk of splitIntoChunks(index, { minSeconds: 1 })) {
    const wanted = mostFrames(chunk);
    for (const item of decodeFrames(file, index, chunk, wanted)) plain.push(describeItem(item));
    let held: Picture | DecodeGap | undefined;
    for await (const item of worker.pictures(index, chunk, wanted)) {
      if (held) other.push(describeItem(held));
      held = item;
    }
    if (held) other.push(describeItem(held));
  }
  return { plain, other };
}

describe('DecoderWorker', () => {
  test.each([
    ['h264.mp4', 'libx264', {}],
    ['turned.mp4', 'libx264', { displayMatrix: [0, 65_536, 0, -65_536, 0, 0, 0, 0, 1 << 30] }],
    ['deep.mkv', 'libx264', { pixelFormat: 'yuv422p10le', width: 98, height: 62 }],
  ])('%s: the same pictures, also when there are more than may wait', async (name, codec, more) => {
    const { plain, other } = await both(video(name, codec, more));
    expect(plain).toHaveLength(40);
    expect(other).toEqual(plain);
  });

  test('damaged input gives the same pictures and gaps', async () => {
    const path = video('damaged.mkv');
    damageFile(path);
    const { plain, other } = await both(path);
    expect(plain.filter((one) => 'reason' in (one as object)).length).toBeGreaterThan(0);
    expect(other).toEqual(plain);
  });

  test('stopping early or throwing leaves it ready for the next call', async () => {
    using file = openVideo(video('stopped.mp4'));
    await using worker = await started(file);
    const index = scanPackets(file);
    const [chunk] = splitIntoChunks(index, { minSeconds: 60 });
    const wanted = Array.from({ length: 40 }, (_, i) => chunk!.firstFrame + i);
    const whole = [...decodeFrames(file, index, chunk!, wanted)].map(describeItem);
    const read = async (stop: number, leave: () => void): Promise<unknown[]> => {
      const seen: unknown[] = [];
      for await (const item of worker.pictures(index, chunk!, wanted)) {
        seen.push(describeItem(item));
        if (seen.length < stop) continue;
        leave();
        break;
      }
      return seen;
    };
    for (const stop of [1, 39]) expect(await read(stop, () => undefined)).toEqual(whole.slice(0, stop));
    await expect(read(7, fail)).rejects.toThrow('enough');
    const all: unknown[] = [];
    for await (const item of worker.pictures(index, chunk!, wanted)) all.push(describeItem(item));
    expect(all).toEqual(whole);
    // Motion vectors are not sent.
    file.exportMotionVectors();
    expect(worker.isReady).toBe(false);
    await using idle = new DecoderWorker(file);
    expect(idle.isReady).toBe(false);
  });

  test('an announced request may be read, replaced or never read', async () => {
    using file = openVideo(video('next.mp4'));
    await using worker = await started(file);
    const index = scanPackets(file);
    const chunks = splitIntoChunks(index, { minSeconds: 0.4 });
    expect(chunks.length).toBeGreaterThan(2);
    const whole = chunks.map((chunk) => [...decodeFrames(file, index, chunk, mostFrames(chunk))].map(describeItem));
    const wanted = (i: number) => ({ index, chunk: chunks[i]!, frames: mostFrames(chunks[i]!) });
    const read = async (n: number, next?: number, stop = Number.POSITIVE_INFINITY): Promise<unknown[]> => {
      const seen: unknown[] = [];
      const { chunk, frames } = wanted(n);
      for await (const item of worker.pictures(index, chunk, frames, next === undefined ? undefined : wanted(next))) {
        seen.push(describeItem(item));
        if (seen.length === stop) break;
      }
      return seen;
    };
    worker.announce(wanted(0));
    expect(await read(0, 1)).toEqual(whole[0]);
    expect(await read(1, 2)).toEqual(whole[1]);
    // Another one than was announced, and one that is left early with its next.
    expect(await read(0, 1)).toEqual(whole[0]);
    expect(await read(1, 2, 1)).toEqual(whole[1]!.slice(0, 1));
    expect(await read(2, 0)).toEqual(whole[2]);
  });

  test('a deleted file is reported', async () => {
    const path = video('gone.mp4');
    using file = openVideo(path);
    await using worker = await started(file);
    const index = scanPackets(file);
    const [chunk] = splitIntoChunks(index, { minSeconds: 60 });
    rmSync(path);
    const read = async (): Promise<void> => {
      for await (const item of worker.pictures(index, chunk!, [0])) describeItem(item);
    };
    await expect(read()).rejects.toMatchObject({ code: 'no-such-file' });
  });
});
