import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { isGap, decodeFrames } from './decode/decode-frames.ts';
import type { DecodeGap } from './decode/decode-frames.ts';
import { fieldPair } from '../../test/fixtures/bit-writer.ts';
import { findMissingFrames } from './decode/missing-frames.ts';
import { splitIntoChunks, scanPackets } from './packets/scan-packets.ts';
import { makeVideo, numberOn } from '../../test/fixtures/videos.ts';
import type { VideoSpec } from '../../test/fixtures/videos.ts';
import { openVideo } from './video.ts';

const folder = mkdtempSync(join(tmpdir(), 'playbyplay-oddities-'));
afterAll(() => rmSync(folder, { recursive: true }));

const timeBase = { num: 1, den: 1000 };
const steady = (count: number, start = 0) => Array.from({ length: count }, (_, i) => start + i * 40);

function video(name: string, spec: Partial<VideoSpec> = {}): string {
  const path = join(folder, name);
  makeVideo({ path, pts: steady(40), timeBase, ...spec });
  return path;
}

function readAll(path: string) {
  using file = openVideo(path);
  const index = scanPackets(file);
  const frames: { number: number; t: number; width: number }[] = [];
  const problems: DecodeGap[] = [];
  for (const chunk of splitIntoChunks(index, { minSeconds: 0.5 })) {
    const wanted = Array.from({ length: chunk.lastFrame - chunk.firstFrame }, (_, i) => chunk.firstFrame + i);
    for (const item of decodeFrames(file, index, chunk, wanted)) {
      if (isGap(item)) problems.push(item);
      else {
        using picture = item;
        frames.push({ number: numberOn(picture), t: picture.t, width: picture.width });
      }
    }
  }
  return { index, frames, problems, holes: findMissingFrames(index, file.info) };
}

test('joined recordings with a clock that restarts and larger pictures: time continues', () => {
  const first = video('first.ts');
  const second = video('second.ts', { width: 192, height: 144 });
  const path = join(folder, 'joined.ts');
  writeFileSync(path, Buffer.concat([readFileSync(first), readFileSync(second)]));
  const { frames, problems } = readAll(path);
  // The transport stream's continuity counters break at the joint, so the packet before it may be incomplete.
  expect(problems).toEqual([{ t: 1.48, end: 1.6, reason: 'packets are missing' }]);
  const whole = steady(80).map((tick, i) => ({ number: i % 40, t: tick / 1000, width: i < 40 ? 128 : 192 }));
  expect(frames).toEqual(whole.filter(({ t }) => t <= 1.48 || t >= 1.6));
});

test('joined recordings with pictures of another shape: a gap says so', () => {
  const path = join(folder, 'shapes.ts');
  const parts = [video('wide.ts'), video('narrow.ts', { width: 96 })];
  writeFileSync(path, Buffer.concat(parts.map((part) => readFileSync(part))));
  const { frames, problems } = readAll(path);
  expect(frames.every(({ width, t }) => width === 128 && t < 1.6)).toBe(true);
  const shapes = problems.filter(({ reason }) => reason === 'the picture changes its shape here, to 96×96');
  expect(shapes.map(({ t }) => t)).toEqual([1.6, 2, 2.4, 2.8]);
  expect(shapes.at(-1)!.end).toBe(3.16);
});

test('joined recordings with a clock hours ahead: time continues', () => {
  const path = join(folder, 'ahead.ts');
  const parts = [video('before.ts'), video('after.ts', { pts: steady(40, 5_000_000) })];
  writeFileSync(path, Buffer.concat(parts.map((part) => readFileSync(part))));
  const { index, frames, problems, holes } = readAll(path);
  expect(index.t.at(-1)).toBe(3.16);
  expect(problems).toEqual([{ t: 1.48, end: 1.6, reason: 'packets are missing' }]);
  expect(holes).toEqual([]);
  expect(frames.slice(-40).map(({ number, t }) => [number, t])).toEqual(
    steady(40, 1600).map((tick, i) => [i, tick / 1000]),
  );
});

test('gradual refresh without a second keyframe: every picture is decoded', () => {
  const path = video('refresh.mkv', {
    options: { 'x264-params': 'intra-refresh=1:keyint=10:bframes=0' },
    keyEvery: 1000,
  });
  const { frames, problems } = readAll(path);
  expect(problems).toEqual([]);
  expect(frames.map(({ number, t }) => [number, t])).toEqual(steady(40).map((tick, i) => [i, tick / 1000]));
});

test('a larger still image not marked as a cover: the video is read', () => {
  const path = video('cover.mkv', { cover: { width: 640, height: 480 } });
  const { frames } = readAll(path);
  expect(frames.map(({ number, width }) => [number, width])).toEqual(steady(40).map((_, i) => [i, 128]));
});

test('packed B-frames of Xvid in an avi: every picture is in its place', () => {
  const spec = {
    codec: 'mpeg4',
    pts: Array.from({ length: 40 }, (_, i) => i),
    timeBase: { num: 1, den: 25 },
    keyEvery: 12,
    options: { bf: 2, qmax: 4 },
  };
  const plain = makeVideo({ path: join(folder, 'unpacked.avi'), ...spec });
  // I P+B B' - P+B B' -: the first B-picture shares a packet with the picture before it, the next takes its packet, then a placeholder.
  const isB = (packet: number): boolean => plain[packet] !== undefined && plain[packet].pts === plain[packet].dts;
  const placeholder = Buffer.from([0, 0, 1, 0xb6, 0x5c, 0, 0]);
  const path = video('packed.avi', {
    ...spec,
    alter: (packet, position) => {
      const own = isB(position) ? (isB(position + 1) ? plain[position + 1]!.data : placeholder) : plain[position]!.data;
      const packed = !isB(position) && isB(position + 1) ? plain[position + 1]!.data : new Uint8Array();
      const { pts, dts, flags, streamIndex, duration } = packet;
      packet.data = Buffer.concat([own, packed]);
      Object.assign(packet, { pts, dts, flags, streamIndex, duration });
      return true;
    },
  });
  const { frames, problems } = readAll(path);
  expect(problems).toEqual([]);
  expect(frames.map(({ number, t }) => [number, t])).toEqual(spec.pts.map((i) => [i, i / 25]));
});

test('a recording that does not start with a keyframe: the beginning is reported as a gap', () => {
  const path = video('headless.ts', { alter: (_, position) => position >= 4 });
  const { index, frames, problems } = readAll(path);
  expect(index.t[0]).toBe(0);
  expect(frames.map(({ number }) => number)).toEqual(steady(30).map((_, i) => i + 10));
  expect(problems.map(({ t }) => t)).toEqual([0]);
  expect(problems[0]!.end).toBe(frames[0]!.t);
});

test('frames cut away by an edit list are decoded where needed but not shown', () => {
  const path = video('edited.mp4', { pts: steady(40, -600) });
  const { frames, problems } = readAll(path);
  expect(problems).toEqual([]);
  expect(frames.map(({ number, t }) => [number, t])).toEqual(steady(25).map((tick, i) => [i + 15, tick / 1000]));
});

test('two frames with the same timestamp: both are decoded, in decode order', () => {
  const path = video('twins.mkv', {
    options: { bf: 0 },
    alter: (packet) => {
      if (packet.pts === 160n) packet.pts = 200n;
      return true;
    },
  });
  const { frames } = readAll(path);
  expect(frames.map(({ number }) => number)).toEqual(steady(40).map((_, i) => i));
  expect(frames.slice(3, 7).map(({ t }) => t)).toEqual([0.12, 0.2, 0.2, 0.24]);
});

test.each(['stray.mkv', 'stray.ts'])('%s: a single stray timestamp does not move other frames', (name) => {
  const path = video(name, {
    options: { bf: 0 },
    alter: (packet, position) => {
      if (position === 13) packet.pts += 90_000n * 3600n;
      return true;
    },
  });
  const { frames } = readAll(path);
  const others = frames.filter(({ number }) => number !== 13);
  const expected = steady(40).map((tick, i) => [i, tick / 1000]);
  expect(others.map(({ number, t }) => [number, t])).toEqual(expected.filter(([number]) => number !== 13));
});

test('an elementary stream without timestamps is read at its frame rate', () => {
  const path = video('raw.h264', { format: 'h264' });
  const { frames } = readAll(path);
  expect(frames.map(({ number, t }) => [number, t])).toEqual(steady(40).map((tick, i) => [i, tick / 1000]));
});

test('an aborted scan throws the signal’s reason', () => {
  using file = openVideo(video('aborted.mp4'));
  const reason = new Error('enough');
  expect(() => scanPackets(file, { signal: AbortSignal.abort(reason) })).toThrow(reason);
});

test('MPEG-4 with B-frames in an avi without presentation times: every picture is in its place', () => {
  const path = video('mpeg4.avi', {
    codec: 'mpeg4',
    pts: Array.from({ length: 60 }, (_, i) => i),
    timeBase: { num: 1, den: 25 },
    keyEvery: 12,
    options: { bf: 2, qmax: 4 },
  });
  const { frames, problems } = readAll(path);
  expect(problems).toEqual([]);
  expect(frames.map(({ number, t }) => [number, t])).toEqual(Array.from({ length: 60 }, (_, i) => [i, i / 25]));
});

test('a stream cut at an open group: undecodable leading pictures are neither frames nor gaps', () => {
  let keys = 0;
  const path = video('cut.mkv', {
    codec: 'libx265',
    options: { 'x265-params': 'log-level=none:bframes=3:scenecut=0:open-gop=1:keyint=10:min-keyint=10:b-adapt=0' },
    alter: (packet) => {
      if (packet.isKeyframe) keys++;
      return keys > 1;
    },
  });
  const { frames, problems } = readAll(path);
  expect(problems).toEqual([]);
  expect(frames.map(({ number }) => number)).toEqual(Array.from({ length: 30 }, (_, i) => i + 10));
});

test.each(['fields.ts', 'fields.mkv'])(
  'pictures of two fields, a packet each (PAFF): one frame, both fields (%s)',
  (name) => {
    const fields = Array.from({ length: 20 }, (_, i) => fieldPair(i % 10, 30 + i * 4, 32 + i * 4)).flat();
    const path = video(name, {
      options: { bf: 0 },
      alter: (packet, position) => {
        const { pts, dts, duration, streamIndex } = packet;
        packet.data = fields[position] ?? null;
        Object.assign(packet, { pts, dts, duration, streamIndex });
        return true;
      },
    });
    using file = openVideo(path);
    const index = scanPackets(file);
    expect([...index.t]).toEqual(Array.from({ length: 20 }, (_, i) => (i * 80) / 1000));
    const seen: (number | string)[][] = [];
    // Some of them, so that fields are left out and begun with.
    for (const chunk of splitIntoChunks(index, { minSeconds: 100 })) {
      for (const item of decodeFrames(file, index, chunk, [0, 3, 4, 9, 10, 19])) {
        if (isGap(item)) seen.push([item.reason]);
        else seen.push([item.t, item.height, item.y.data[0]!, item.y.data[item.y.stride]!]);
      }
    }
    expect(seen).toEqual([0, 3, 4, 9, 10, 19].map((i) => [(i * 80) / 1000, 32, 30 + i * 4, 32 + i * 4]));
  },
);
