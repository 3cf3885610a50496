import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { DecoderWorker } from './decoder-worker.ts';
import { type DecodeGap, isGap, decodeFrames } from './decode-frames.ts';
import { splitIntoChunks, scanPackets } from '../packets/scan-packets.ts';
import type { Picture } from '../picture.ts';
import { damageFile, digest, makeVideo, mostFrames } from '../testing.ts';
import { openVideo, type VideoFile } from '../video.ts';

const folder = mkdtempSync(join(tmpdir(), 'playbyplay-beside-'));
afterAll(() => rmSync(folder, { recursive: true }));

function video(name: string, codec = 'libx264', more: object = {}): string {
  const path = join(folder, name);
  const pts = Array.from({ length: 60 }, (_, i) => i * 40);
  makeVideo({ timeBase: { num: 1, den: 1000 }, path, pts, codec, ...more });
  return path;
}

/** Everything that a picture tells, or a problem; the picture is done with. */
function noted(item: Picture | DecodeGap): unknown {
  if (isGap(item)) return item;
  using picture = item;
  const { t, width, height, color, chromaShiftX, chromaShiftY } = picture;
  return { t, width, height, color, chromaShiftX, chromaShiftY, pixels: digest(picture) };
}

function fail(): never {
  throw new RangeError('enough');
}

/** A decoder beside that has started. */
async function started(file: VideoFile): Promise<DecoderWorker> {
  const beside = new DecoderWorker(file);
  beside.start();
  await beside.opened;
  expect(beside.isReady).toBe(true);
  return beside;
}

/** What both ways of decoding give, every third frame left out; two pictures are held at a time. */
async function both(path: string) {
  using file = openVideo(path);
  await using beside = await started(file);
  const index = scanPackets(file);
  const [plain, other]: [unknown[], unknown[]] = [[], []];
  for (const chunk of splitIntoChunks(index, { minSeconds: 1 })) {
    const wanted = mostFrames(chunk);
    for (const item of decodeFrames(file, index, chunk, wanted)) plain.push(noted(item));
    let held: Picture | DecodeGap | undefined;
    for await (const item of beside.pictures(index, chunk, wanted)) {
      if (held) other.push(noted(held));
      held = item;
    }
    if (held) other.push(noted(held));
  }
  return { plain, other };
}

describe('the decoder on a thread of its own', () => {
  test.each([
    ['h264.mp4', 'libx264', {}],
    ['turned.mp4', 'libx264', { displayMatrix: [0, 65_536, 0, -65_536, 0, 0, 0, 0, 1 << 30] }],
    ['deep.mkv', 'libx264', { pixelFormat: 'yuv422p10le', width: 98, height: 62 }],
  ])('%s: the same pictures, more of them than have room', async (name, codec, more) => {
    const { plain, other } = await both(video(name, codec, more));
    expect(plain).toHaveLength(40);
    expect(other).toEqual(plain);
  });

  test('damaged input: the same pictures and the same problems', async () => {
    const path = video('damaged.mkv');
    damageFile(path);
    const { plain, other } = await both(path);
    expect(plain.filter((one) => 'reason' in (one as object)).length).toBeGreaterThan(0);
    expect(other).toEqual(plain);
  });

  test('whoever stops early, or throws, finds it fit for the next reading', async () => {
    using file = openVideo(video('stopped.mp4'));
    await using beside = await started(file);
    const index = scanPackets(file);
    const [chunk] = splitIntoChunks(index, { minSeconds: 60 });
    const wanted = Array.from({ length: 40 }, (_, i) => chunk!.firstFrame + i);
    const whole = [...decodeFrames(file, index, chunk!, wanted)].map(noted);
    const look = async (stop: number, leave: () => void): Promise<unknown[]> => {
      const seen: unknown[] = [];
      for await (const item of beside.pictures(index, chunk!, wanted)) {
        seen.push(noted(item));
        if (seen.length < stop) continue;
        leave();
        break;
      }
      return seen;
    };
    for (const stop of [1, 39]) expect(await look(stop, () => undefined)).toEqual(whole.slice(0, stop));
    await expect(look(7, fail)).rejects.toThrow('enough');
    const all: unknown[] = [];
    for await (const item of beside.pictures(index, chunk!, wanted)) all.push(noted(item));
    expect(all).toEqual(whole);
    // Motion vectors are not sent.
    file.exportMotionVectors();
    expect(beside.isReady).toBe(false);
    await using idle = new DecoderWorker(file);
    expect(idle.isReady).toBe(false);
  });

  test('what comes next may be begun before it is asked for, or never be asked for', async () => {
    using file = openVideo(video('next.mp4'));
    await using beside = await started(file);
    const index = scanPackets(file);
    const chunks = splitIntoChunks(index, { minSeconds: 0.4 });
    expect(chunks.length).toBeGreaterThan(2);
    const whole = chunks.map((chunk) => [...decodeFrames(file, index, chunk, mostFrames(chunk))].map(noted));
    const wanted = (i: number) => ({ index, chunk: chunks[i]!, frames: mostFrames(chunks[i]!) });
    const read = async (n: number, next?: number, stop = Number.POSITIVE_INFINITY): Promise<unknown[]> => {
      const seen: unknown[] = [];
      const { chunk, frames } = wanted(n);
      for await (const item of beside.pictures(index, chunk, frames, next === undefined ? undefined : wanted(next))) {
        seen.push(noted(item));
        if (seen.length === stop) break;
      }
      return seen;
    };
    beside.announce(wanted(0));
    expect(await read(0, 1)).toEqual(whole[0]);
    expect(await read(1, 2)).toEqual(whole[1]);
    // Another one than was announced, and one that is left early with its next.
    expect(await read(0, 1)).toEqual(whole[0]);
    expect(await read(1, 2, 1)).toEqual(whole[1]!.slice(0, 1));
    expect(await read(2, 0)).toEqual(whole[2]);
  });

  test('a file that has gone meanwhile is told of', async () => {
    const path = video('gone.mp4');
    using file = openVideo(path);
    await using beside = await started(file);
    const index = scanPackets(file);
    const [chunk] = splitIntoChunks(index, { minSeconds: 60 });
    rmSync(path);
    const look = async (): Promise<void> => {
      for await (const item of beside.pictures(index, chunk!, [0])) noted(item);
    };
    await expect(look()).rejects.toMatchObject({ code: 'no-such-file' });
  });
});
