import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { isGap, decodeFrames } from './decode/decode-frames.ts';
import { splitIntoChunks, scanPackets } from './packets/scan-packets.ts';
import { rotatePlane } from './decode/picture-factory.ts';
import { makeAudioFile, makeVideo, numberOn } from '../../test/fixtures/videos.ts';
import { openVideo } from './video.ts';

const folder = mkdtempSync(join(tmpdir(), 'playbyplay-video-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);

const pts = Array.from({ length: 12 }, (_, i) => i * 40);
const timeBase = { num: 1, den: 1000 };

describe('openVideo', () => {
  test('describes the file', () => {
    makeVideo({
      path: at('clip.mp4'),
      pts,
      timeBase: { num: 1, den: 16_000 },
      options: { colorspace: 'bt709', color_range: 'tv' },
      audio: [{ frequency: 440, from: 0, to: 1, length: 0.5, sampleRate: 44_100 }],
    });
    using file = openVideo(at('clip.mp4'));
    expect(file.info).toEqual({
      container: 'mov,mp4,m4a,3gp,3g2,mj2',
      codec: 'h264',
      width: 128,
      height: 96,
      pixelFormat: 'yuv420p',
      timeBase: { num: 1, den: 16_000 },
      frameRate: { num: 400, den: 1 },
      startOffset: 0,
      duration: 0.03,
      durationOfPictures: true,
      rotation: 0,
      color: { matrix: 'bt709', fullRange: false },
      audio: [{ index: 1, track: 0, codec: 'aac', sampleRate: 44_100, channels: 1 }],
    });
  });

  test.each([
    ['missing.mp4', () => {}, 'no-such-file'],
    ['folder.mp4', () => mkdirSync(at('folder.mp4')), 'not-a-video'],
    ['empty.mp4', () => writeFileSync(at('empty.mp4'), ''), 'not-a-video'],
    ['notes.mp4', () => writeFileSync(at('notes.mp4'), 'These are notes.\n'.repeat(500)), 'not-a-video'],
    ['notes.txt', () => writeFileSync(at('notes.txt'), 'These are notes.\n'.repeat(500)), 'not-a-video'],
    ['events.ndjson', () => writeFileSync(at('events.ndjson'), '{"type":"header"}\n'.repeat(50)), 'not-a-video'],
    [
      'subtitles.srt',
      () => writeFileSync(at('subtitles.srt'), '1\n00:00:01,000 --> 00:00:02,000\nHello\n\n'),
      'not-a-video',
    ],
    ['zeros.mp4', () => writeFileSync(at('zeros.mp4'), new Uint8Array(10_000)), 'not-a-video'],
    [
      'sound.m4a',
      () => makeAudioFile(at('sound.m4a'), { frequency: 440, from: 0, to: 1, length: 1 }),
      'no-video-stream',
    ],
  ])('%s is rejected with a reason', (name, make, code) => {
    make();
    expect(() => openVideo(at(name))).toThrow(
      expect.objectContaining({ name: 'PlaybyplayError', code, message: expect.stringContaining(name) }),
    );
  });

  test.each([
    ['-', /standard input is not read/],
    ['https://example.org/match.mp4', /download it first/],
  ])('%s is not a file, and the hint says what to do', (path, hint) => {
    expect(() => openVideo(path)).toThrow(
      expect.objectContaining({ code: 'no-such-file', hint: expect.stringMatching(hint) }),
    );
  });

  test('a cover not marked as one does not count as a video', () => {
    makeVideo({ path: at('one.mkv'), pts, timeBase, cover: { width: 64, height: 64 } });
    using file = openVideo(at('one.mkv'));
    expect(file.info).toMatchObject({ width: 128, codec: 'h264' });
    expect(file.info).not.toHaveProperty('otherVideos');
  });

  test('the first of two videos is read where the container says no length', () => {
    makeVideo({ path: at('live.mkv'), pts, timeBase, muxer: { live: 1 } });
    const bytes = readFileSync(at('live.mkv'));
    // Tracks and its size in as many bytes as the first says (RFC 8794 §4.3); its only TrackEntry is repeated as number 2.
    const start = bytes.lastIndexOf(Buffer.from('1654ae6b', 'hex'));
    const sizeBytes = Math.clz32(bytes[start + 4]!) - 23;
    const marked = bytes.subarray(start + 4, start + 4 + sizeBytes).toString('hex');
    const size = Number(BigInt.asUintN(7 * sizeBytes, BigInt(`0x${marked}`)));
    const from = start + 4 + sizeBytes;
    const track = bytes.subarray(from, from + size);
    const second = Buffer.from(track);
    second[second.indexOf(Buffer.from('d781', 'hex')) + 2] = 2;
    const header = Buffer.alloc(8);
    header.writeUInt32BE(0x1654ae6b);
    header.writeUInt32BE((0x10000000 | (2 * track.length)) >>> 0, 4);
    const rest = bytes.subarray(from + track.length);
    writeFileSync(at('two.mkv'), Buffer.concat([bytes.subarray(0, start), header, track, second, rest]));
    using file = openVideo(at('two.mkv'));
    expect(file.info).toMatchObject({ width: 128, duration: undefined, otherVideos: 1 });
  });

  test('a name that looks like a protocol is a file name', () => {
    const path = 'concat:a.mp4';
    expect(() => openVideo(path)).toThrow(expect.objectContaining({ code: 'no-such-file' }));
  });
});

describe('rotation', () => {
  // Display matrices of ISO/IEC 14496-12 §8.5.2.3: (x, y) is shown at (ax + cy, bx + dy).
  const turns = { 90: [0, 1, -1, 0], 180: [-1, 0, 0, -1], 270: [0, -1, 1, 0] } as const;

  test.each([90, 180, 270] as const)('%i° clockwise: the picture is upright', (rotation) => {
    const [a, b, c, d] = turns[rotation];
    const displayMatrix = [a << 16, b << 16, 0, c << 16, d << 16, 0, 0, 0, 1 << 30];
    makeVideo({ path: at('turned.mp4'), pts, timeBase, displayMatrix });
    makeVideo({ path: at('plain.mp4'), pts, timeBase });
    using turned = openVideo(at('turned.mp4'));
    using plain = openVideo(at('plain.mp4'));
    expect(turned.info.rotation).toBe(rotation);
    expect([turned.info.width, turned.info.height]).toEqual(rotation === 180 ? [128, 96] : [96, 128]);
    const [upright, coded] = [turned, plain].map((file) => {
      const index = scanPackets(file);
      const [item] = decodeFrames(file, index, splitIntoChunks(index, { minSeconds: 9 })[0]!, [11]);
      if (!item || isGap(item)) throw new Error('no picture');
      return item;
    });
    expect(numberOn(coded!)).toBe(11);
    expect([upright!.width, upright!.height]).toEqual([turned.info.width, turned.info.height]);
    // Each shown pixel is the coded one that the matrix sends there.
    for (let y = 0; y < 96; y += 7) {
      for (let x = 0; x < 128; x += 5) {
        const shownX = a * x + c * y + (a + c < 0 ? upright!.width - 1 : 0);
        const shownY = b * x + d * y + (b + d < 0 ? upright!.height - 1 : 0);
        expect(upright!.y.data[shownY * upright!.y.stride + shownX]).toBe(coded!.y.data[y * coded!.y.stride + x]);
      }
    }
    coded![Symbol.dispose]();
  });

  test('four quarter turns restore the plane', () => {
    const plane = { data: Uint8Array.from({ length: 35 }, (_, i) => i), stride: 7, width: 6, height: 5 };
    const visible = rotatePlane(plane, 0);
    expect(rotatePlane(rotatePlane(rotatePlane(rotatePlane(plane, 90), 90), 90), 90)).toEqual(visible);
    expect(rotatePlane(rotatePlane(plane, 90), 90)).toEqual(rotatePlane(plane, 180));
    expect(rotatePlane(rotatePlane(plane, 180), 90)).toEqual(rotatePlane(plane, 270));
  });
});
