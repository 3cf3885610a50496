import { mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { isGap, decodeFrames } from './decode-frames.ts';
import { splitIntoChunks, scanPackets, sliceIndex } from '../packets/scan-packets.ts';
import type { PacketIndex } from '../packets/scan-packets.ts';
import { decodeAll, digest, makeVideo, numberOn } from '../../../test/fixtures/videos.ts';
import type { VideoSpec } from '../../../test/fixtures/videos.ts';
import { openVideo } from '../video.ts';

const folder = mkdtempSync(join(tmpdir(), 'playbyplay-media-'));
afterAll(() => rmSync(folder, { recursive: true }));

const steady = (count: number) => Array.from({ length: count }, (_, i) => i * 40);
const MILLISECONDS = { num: 1, den: 1000 };

function video(name: string, spec: Partial<VideoSpec> = {}) {
  const path = join(folder, name);
  const pts = spec.pts ?? steady(45);
  const packets = makeVideo({ timeBase: MILLISECONDS, ...spec, pts, path });
  return {
    path,
    packets,
    seconds: pts.map((tick) => ((tick - pts[0]!) * (spec.timeBase?.num ?? 1)) / (spec.timeBase?.den ?? 1000)),
  };
}

/** Every picture's painted number, time and digest; problems as they are. */
function readAll(path: string, minSeconds = 0.5) {
  using file = openVideo(path);
  const index = scanPackets(file);
  const frames = [];
  const problems = [];
  for (const chunk of splitIntoChunks(index, { minSeconds })) {
    const wanted = Array.from({ length: chunk.lastFrame - chunk.firstFrame }, (_, i) => chunk.firstFrame + i);
    for (const item of decodeFrames(file, index, chunk, wanted)) {
      if (isGap(item)) problems.push(item);
      else
        frames.push({
          number: numberOn(item),
          t: item.t,
          digest: digest(item),
          width: item.width,
          height: item.height,
        });
      if (!isGap(item)) item[Symbol.dispose]();
    }
  }
  return { index, frames, problems };
}

const rounded = (seconds: number) => Math.round(seconds * 1e6) / 1e6;

describe('containers and codecs', () => {
  test.each([
    ['h264.mp4', 'libx264'],
    ['h264.mov', 'libx264'],
    ['h264.mkv', 'libx264'],
    ['h264.ts', 'libx264'],
    ['h264.flv', 'libx264'],
    ['hevc.mp4', 'libx265'],
    ['hevc.mkv', 'libx265'],
    ['hevc.ts', 'libx265'],
    ['hevc.flv', 'libx265'],
    ['vp9.webm', 'libvpx-vp9'],
    ['vp9.mp4', 'libvpx-vp9'],
    ['vp8.webm', 'libvpx'],
    ['av1.webm', 'libsvtav1'],
    ['av1.mp4', 'libsvtav1'],
    ['mpeg2.ts', 'mpeg2video'],
  ])('%s: every frame has exactly the encoded time', (name, codec) => {
    const timeBase = codec === 'mpeg2video' ? { num: 1, den: 25 } : MILLISECONDS;
    const pts = codec === 'mpeg2video' ? steady(45).map((tick) => tick / 40) : steady(45);
    const { path, seconds } = video(name, { codec, pts, timeBase });
    const { frames, problems } = readAll(path);
    expect(problems).toEqual([]);
    expect(frames.map(({ number, t }) => [number, t])).toEqual(seconds.map((s, i) => [i, rounded(s)]));
    expect(frames.map((frame) => frame.digest)).toEqual(decodeAll(path));
  });

  test('h264.avi: without presentation times, frames come in the bitstream’s output order', () => {
    const { path } = video('h264.avi', { pts: Array.from({ length: 45 }, (_, i) => i), timeBase: { num: 1, den: 25 } });
    const { frames } = readAll(path);
    expect(frames.map(({ number, t }) => [number, t])).toEqual(frames.map((_, i) => [i, rounded(i / 25)]));
    expect(frames).toHaveLength(45);
  });
});

describe('presentation times', () => {
  const uneven = [
    0, 40, 45, 120, 121, 122, 200, 333, 334, 335, 336, 500, 1000, 1016, 1033, 1500, 1501, 1502, 1503, 1600,
  ];

  test.each(['vfr.mp4', 'vfr.mkv', 'vfr.ts', 'vfr.flv'])('%s: variable frame rate with reordered frames', (name) => {
    const { path } = video(name, { pts: uneven });
    const { frames } = readAll(path);
    expect(frames.map(({ number, t }) => [number, t])).toEqual(uneven.map((tick, i) => [i, tick / 1000]));
  });

  test.each([
    ['offset.mkv', 5],
    ['offset.mp4', 5],
    ['offset.ts', 5],
  ])('%s: times count from the first frame, and the offset is known', (name, offset) => {
    const { path } = video(name, { pts: steady(30).map((tick) => tick + 5000) });
    using file = openVideo(path);
    expect(file.info.startOffset).toBeCloseTo(offset, 6);
    expect(readAll(path).frames.map(({ t }) => t)).toEqual(steady(30).map((tick) => tick / 1000));
  });

  test('a time base of a third of a millisecond is rounded without accumulating', () => {
    const pts = Array.from({ length: 40 }, (_, i) => i * 100);
    const { path } = video('thirds.mp4', { pts, timeBase: { num: 1, den: 3000 } });
    expect(readAll(path).frames.map(({ t }) => t)).toEqual(pts.map((tick) => rounded(tick / 3000)));
  });
});

describe('reference frames', () => {
  test.each([
    ['refs.mp4', 'libx264', {}],
    ['refs.ts', 'libx264', {}],
    ['refs-pyramid.mkv', 'libx264', { bf: 7, 'x264-params': 'b-pyramid=normal:b-adapt=0' }],
    ['refs-hevc.mp4', 'libx265', {}],
    ['refs-hevc.ts', 'libx265', { 'x265-params': 'log-level=none:bframes=3:b-pyramid=1:b-adapt=0' }],
  ])('%s: the same frames that FFmpeg’s decoder keeps with skip_frame', (name, codec, options) => {
    const { path, packets } = video(name, { codec, options });
    using file = openVideo(path);
    const index = scanPackets(file);
    const kept = new Set(decodeAll(path, { skip_frame: 'noref' }));
    expect([...index.reference]).toEqual(decodeAll(path).map((picture) => (kept.has(picture) ? 1 : 0)));
    expect(kept.size).toBeLessThan(index.t.length);
    const inOrder = packets.toSorted((a, b) => a.pts - b.pts);
    expect([...index.key]).toEqual(inOrder.map(({ key }) => (key ? 1 : 0)));
  });

  test('in AV1 and VP9 every frame counts as a reference', () => {
    const { path } = video('refs.webm', { codec: 'libvpx-vp9' });
    using file = openVideo(path);
    expect(scanPackets(file).reference.every((flag) => flag === 1)).toBe(true);
  });
});

describe('partial decoding', () => {
  const closed = video('parts.mp4', { pts: steady(80), options: { bf: 3 } });
  const open = video('open.mkv', { pts: steady(80), options: { bf: 3, 'x264-params': 'open-gop=1:b-adapt=0' } });
  const hevc = video('open.mp4', {
    pts: steady(80),
    codec: 'libx265',
    options: { 'x265-params': 'log-level=none:bframes=3:scenecut=0:open-gop=1:keyint=10:min-keyint=10:b-adapt=0' },
  });
  const ts = video('parts.ts', { pts: steady(80), options: { bf: 3 } });
  const all = { closed, open, hevc, ts };
  const digests = Object.fromEntries(Object.entries(all).map(([name, { path }]) => [name, decodeAll(path)]));

  test('the open-GOP clips have leading pictures', () => {
    for (const { packets } of [open, hevc]) {
      const leading = packets.filter(({ pts }, i) => {
        const keys = packets.slice(0, i).filter(({ key }) => key);
        return keys.length > 0 && pts < keys.at(-1)!.pts;
      });
      expect(leading.length).toBeGreaterThan(3);
    }
  });

  test.each(Object.keys(all))('%s: every frame is the same picture for any selection and chunking', (name) => {
    using file = openVideo(all[name as keyof typeof all].path);
    const index = scanPackets(file);
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(79), { minLength: 1 }),
        fc.double({ min: 0, max: 3, noNaN: true }),
        (picks, minSeconds) => {
          const wanted = picks.toSorted((a, b) => a - b);
          const seen: [number, string][] = [];
          for (const chunk of splitIntoChunks(index, { minSeconds })) {
            const part = wanted.filter((frame) => frame >= chunk.firstFrame && frame < chunk.lastFrame);
            for (const item of decodeFrames(file, index, chunk, part)) {
              if (isGap(item)) throw new Error(item.reason);
              seen.push([Math.round(item.t * 25), digest(item)]);
              item[Symbol.dispose]();
            }
          }
          expect(seen).toEqual(wanted.map((frame) => [frame, digests[name]![frame]]));
        },
      ),
      { numRuns: 15 },
    );
  });

  test.each(Object.keys(all))('%s: an interrupted call does not affect later ones', (name) => {
    using file = openVideo(all[name as keyof typeof all].path);
    const index = scanPackets(file);
    const chunk = splitIntoChunks(index, { minSeconds: 100 })[0]!;
    const wanted = Array.from({ length: 30 }, (_, i) => i);
    for (let stop = 1; stop < 25; stop++) {
      let taken = 0;
      for (const item of decodeFrames(file, index, chunk, wanted)) {
        if (!isGap(item)) item[Symbol.dispose]();
        if (++taken === stop) break;
      }
      // Not broken off but never asked again.
      const idle = decodeFrames(file, index, chunk, wanted);
      for (let i = 0; i < stop; i++) (idle.next().value as Disposable)[Symbol.dispose]();
      const first = decodeFrames(file, index, chunk, [0]).next().value!;
      if (isGap(first)) throw new Error(first.reason);
      using picture = first;
      expect(digest(picture)).toBe(digests[name]![0]);
    }
  });

  test.each(Object.keys(all))('%s: a chunk can be decoded with its slice of the index', (name) => {
    const { path } = all[name as keyof typeof all];
    using file = openVideo(path);
    const whole = scanPackets(file);
    const chunks = splitIntoChunks(whole, { minSeconds: 0.7 }).map((chunk) => ({
      ...chunk,
      index: sliceIndex(whole, chunk),
    }));
    // As in a thread of its own: without looking through the file where that has been done already.
    using other = openVideo(path, structuredClone(file.description));
    const seen = chunks.toReversed().flatMap((chunk) => {
      const wanted = Array.from({ length: chunk.lastFrame - chunk.firstFrame }, (_, i) => chunk.firstFrame + i);
      return decodeFrames(other, structuredClone(chunk.index), chunk, wanted)
        .map((item) => {
          if (isGap(item)) throw new Error(item.reason);
          using picture = item;
          return [Math.round(picture.t * 25), digest(picture)] as const;
        })
        .toArray();
    });
    const sorted = seen.toSorted((a, b) => a[0] - b[0]);
    expect(sorted).toEqual(digests[name]!.map((value, frame) => [frame, value]));
  });
});

describe('packets read by offset', () => {
  test.each([
    ['placed.mp4', {}],
    ['placed.mov', {}],
    ['placed-hevc.mp4', { codec: 'libx265' }],
    ['placed-vp9.mp4', { codec: 'libvpx-vp9' }],
  ] as const)('%s: the same pictures as through the demuxer, which is not opened again', (name, spec) => {
    const { path } = video(name, spec);
    using scanned = openVideo(path);
    const index = scanPackets(scanned);
    expect(index.packets.offset.length).toBe(index.packets.size.length);
    const pictures = (through: PacketIndex) => {
      using file = openVideo(path, structuredClone(scanned.description));
      const [chunk] = splitIntoChunks(through, { minSeconds: 100 });
      const wanted = Array.from({ length: chunk!.lastFrame }, (_, i) => i);
      const digests = decodeFrames(file, through, chunk!, wanted).map((item) => {
        if (isGap(item)) throw new Error(item.reason);
        using picture = item;
        return digest(picture);
      });
      return { digests: digests.toArray(), position: file.position };
    };
    const byPlace = pictures(index);
    const demuxed = pictures({ ...index, packets: { ...index.packets, offset: new Float64Array(0) } });
    expect(byPlace.digests).toEqual(demuxed.digests);
    // A demuxer that has been read from is positioned after the last packet.
    expect([byPlace.position, demuxed.position]).toEqual([0, index.packets.size.length]);
  });

  test('a file that becomes shorter gives a gap, not a wrong picture', () => {
    const { path } = video('shorter.mp4');
    using file = openVideo(path);
    const index = scanPackets(file);
    truncateSync(path, index.packets.offset[20]!);
    const [chunk] = splitIntoChunks(index, { minSeconds: 100 });
    const items = decodeFrames(file, index, chunk!, [0, 40]).toArray();
    expect(items.map((item) => isGap(item) && item.reason)).toContain('the file has become shorter');
    for (const item of items) if (!isGap(item)) item[Symbol.dispose]();
  });

  test('a deleted file is reported', () => {
    const { path } = video('gone.mp4');
    using file = openVideo(path);
    const index = scanPackets(file);
    rmSync(path);
    const [chunk] = splitIntoChunks(index, { minSeconds: 100 });
    expect(() => decodeFrames(file, index, chunk!, [0]).toArray()).toThrow(
      expect.objectContaining({ code: 'no-such-file', message: expect.stringContaining(path) }),
    );
  });
});

const white = (planes: readonly Uint8Array[]): void => void planes[0]!.fill(255);

/** Of a video that says that it has full range and BT.709. */
function firstPicture(name: string, spec: Partial<VideoSpec>) {
  const { path } = video(name, { ...spec, options: { color_range: 'pc', colorspace: 'bt709' } });
  using file = openVideo(path);
  const index = scanPackets(file);
  const [item] = decodeFrames(file, index, splitIntoChunks(index, { minSeconds: 100 })[0]!, [0]);
  if (!item || isGap(item)) throw new Error('no picture');
  using picture = item;
  return { color: picture.color, level: picture.y.data[0] };
}

describe('picture formats', () => {
  test.each([
    ['deep.mp4', { codec: 'libx265', pixelFormat: 'yuv420p10le' }, 1, 1],
    ['deep.mkv', { pixelFormat: 'yuv422p10le' }, 1, 0],
    ['odd.webm', { codec: 'libvpx-vp9', width: 129, height: 97 }, 1, 1],
    ['odd.mp4', { pixelFormat: 'yuv444p', width: 129, height: 97 }, 0, 0],
    ['full.mp4', { pixelFormat: 'yuvj420p' }, 1, 1],
  ] as const)('%s', (name, spec, shiftX, shiftY) => {
    const { path } = video(name, spec);
    using file = openVideo(path);
    const index = scanPackets(file);
    const chunk = splitIntoChunks(index, { minSeconds: 100 })[0]!;
    const items = decodeFrames(file, index, chunk, [0, 7, 33]).map((item) => {
      if (isGap(item)) throw new Error(item.reason);
      using picture = item;
      expect([picture.width, picture.height]).toEqual([file.info.width, file.info.height]);
      expect([picture.chromaShiftX, picture.chromaShiftY]).toEqual([shiftX, shiftY]);
      expect(picture.u.width).toBe(Math.ceil(picture.width / 2 ** shiftX));
      expect(picture.v.height).toBe(Math.ceil(picture.height / 2 ** shiftY));
      expect(picture.color.fullRange).toBe(name === 'full.mp4');
      // Chroma was painted as 128 ± 20 + 0…15.
      expect(Math.abs(picture.u.data[5 * picture.u.stride + 5]! - 155)).toBeLessThan(14);
      expect(Math.abs(picture.v.data[5 * picture.v.stride + 5]! - 115)).toBeLessThan(14);
      return numberOn(picture);
    });
    expect(items.toArray()).toEqual([0, 7, 33]);
  });

  test('keep range and matrix in a conversion', () => {
    expect(firstPicture('tagged.mkv', { pixelFormat: 'yuv422p10le' }).color).toEqual({
      matrix: 'bt709',
      fullRange: true,
    });
  });

  test('RGB is converted to the declared range and matrix', () => {
    const first = firstPicture('rgb.mkv', { codec: 'ffv1', pixelFormat: 'bgr0', paint: white });
    expect(first).toEqual({ color: { matrix: 'bt601', fullRange: false }, level: 235 });
  });
});
