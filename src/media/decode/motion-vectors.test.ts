import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isGap, decodeFrames } from './decode-frames.ts';
import { splitIntoChunks, scanPackets } from '../packets/scan-packets.ts';
import { makeVideo, type VideoSpec } from '../../../test/fixtures/videos.ts';
import { parseVectors } from './motion-vectors.ts';
import type { MotionVectors } from '../picture.ts';
import { openVideo } from '../video.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vectors-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const FRAMES = 16;
const [WIDTH, HEIGHT] = [192, 128];
/** Pixels that the content goes from one picture to the next; 25 pictures a second. */
const [RIGHT, DOWN] = [3, -2];

/** A texture that no shift maps onto itself. */
function texture(x: number, y: number): number {
  const [a, b] = [x >> 2, y >> 2];
  return 60 + ((((a * 73856093) ^ (b * 19349663)) >>> 3) % 130);
}

function moving(name: string, more: Partial<VideoSpec> = {}): string {
  const path = join(folder, name);
  makeVideo({
    path,
    width: WIDTH,
    height: HEIGHT,
    pts: Array.from({ length: FRAMES }, (_, i) => i),
    timeBase: { num: 1, den: 25 },
    keyEvery: FRAMES,
    paint: (planes, strides, frame) => {
      for (let y = 0; y < HEIGHT; y++)
        for (let x = 0; x < WIDTH; x++)
          planes[0]![y * strides[0]! + x] = texture(x - frame * RIGHT + 1000, y - frame * DOWN + 1000);
      for (const plane of planes.slice(1)) plane.fill(128);
    },
    ...more,
  });
  return path;
}

function vectorsIn(path: string, asked = true): (MotionVectors | undefined)[] {
  using file = openVideo(path);
  if (asked) file.exportMotionVectors();
  const index = scanPackets(file);
  const chunk = splitIntoChunks(index, { minSeconds: 100 })[0]!;
  return Array.from(decodeFrames(file, index, chunk, [...index.t.keys()]), (item) => {
    if (isGap(item)) throw new Error(item.reason);
    using picture = item;
    return picture.vectors;
  });
}

function median(values: Float32Array): number {
  return values.toSorted()[values.length >> 1]!;
}

/** Picture by picture the usual way, in pixels a picture; left out where there is none. */
function ways(list: readonly (MotionVectors | undefined)[]): [number, number][] {
  return list.flatMap((one) => (one ? [[median(one.acrossPerSecond) / 25, median(one.downPerSecond) / 25]] : []));
}

describe('motion vectors', () => {
  it.each([
    ['x264 with B-pictures and pyramid', 'a.mkv', { options: { bf: 3, 'b-pyramid': 'normal' } }],
    ['x264 without', 'b.mp4', { options: { bf: 0 } }],
    ['MPEG-2 with B-pictures', 'c.ts', { codec: 'mpeg2video', options: { bf: 2, b: 4_000_000 } }],
    ['MPEG-4', 'd.mkv', { codec: 'mpeg4', options: { bf: 0, b: 4_000_000 } }],
  ] as const)(
    'give the motion of the content in pixels per second, whatever the reference distance: %s',
    (_, name, more) => {
      const list = vectorsIn(moving(name, more));
      expect(list).toHaveLength(FRAMES);
      expect(list[0]).toBeUndefined();
      const motions = ways(list);
      expect(motions.length).toBeGreaterThan(FRAMES / 2);
      for (const [x, y] of motions.slice(0, -1)) {
        expect(Math.abs(x - RIGHT)).toBeLessThan(0.3);
        expect(Math.abs(y - DOWN)).toBeLessThan(0.3);
      }
    },
  );

  it('are left out of MPEG-4 B-pictures, whose direct blocks FFmpeg exports as zero', () => {
    const motions = ways(vectorsIn(moving('e.mkv', { codec: 'mpeg4', options: { bf: 2, b: 4_000_000 } })));
    expect(motions.length).toBeGreaterThan(2);
    expect(motions.every(([x]) => Math.abs(x - RIGHT) < 0.5)).toBe(true);
  });

  it('rotate with the picture', () => {
    const turn = 65536;
    // A quarter clockwise.
    const path = moving('f.mp4', { options: { bf: 0 }, displayMatrix: [0, turn, 0, -turn, 0, 0, 0, 0, 1 << 30] });
    const motions = ways(vectorsIn(path));
    expect(motions.length).toBeGreaterThan(FRAMES / 2);
    for (const [x, y] of motions) expect(Math.hypot(x + DOWN, y - RIGHT)).toBeLessThan(0.5);
  });

  it('exist only on request and for predicted pictures', () => {
    expect(vectorsIn(moving('g.mp4'), false).every((one) => one === undefined)).toBe(true);
    expect(vectorsIn(moving('h.mp4', { keyEvery: 1 })).every((one) => one === undefined)).toBe(true);
    expect(vectorsIn(moving('i.mkv', { codec: 'libvpx-vp9' })).every((one) => one === undefined)).toBe(true);
  });

  it('are left out where the reference’s distance is unknown', () => {
    const data = Buffer.alloc(40);
    data.writeInt32LE(-1, 0);
    data.set([16, 16], 4);
    data.writeInt32LE(8, 24);
    data.writeUInt16LE(4, 32);
    expect(parseVectors(data, { before: undefined, after: 0.04 })).toBeUndefined();
    expect(parseVectors(data, { before: -0.04, after: undefined })).toMatchObject({
      acrossPerSecond: Float32Array.of(-50),
      over: 0.04,
    });
    expect(parseVectors(data.subarray(0, 30), { before: -0.04, after: undefined })).toBeUndefined();
  });
});
