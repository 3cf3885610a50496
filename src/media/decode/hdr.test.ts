import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { isGap, decodeFrames } from './decode-frames.ts';
import { splitIntoChunks, scanPackets } from '../packets/scan-packets.ts';
import { makeVideo } from '../../../test/fixtures/videos.ts';
import { openVideo } from '../video.ts';

const folder = mkdtempSync(join(tmpdir(), 'playbyplay-hdr-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Y, Cb and Cr (0 … 1, −½ … ½) of a video that shows nothing else, as they are read: 8 bits each. */
function shown(name: string, transfer: string, [y, cb, cr]: readonly [number, number, number], format = 'yuv420p10le') {
  const unit = format.includes('12') ? 16 : 4;
  const codes = [16 * unit + 219 * unit * y, 128 * unit + 224 * unit * cb, 128 * unit + 224 * unit * cr];
  const path = join(folder, name);
  makeVideo({
    path,
    codec: 'ffv1',
    pixelFormat: format,
    pts: [0, 40],
    timeBase: { num: 1, den: 1000 },
    options: { color_trc: transfer, color_primaries: 'bt2020', colorspace: 'bt2020nc' },
    paint: (planes) => {
      for (const [i, plane] of planes.slice(0, 3).entries()) {
        const words = new Uint16Array(plane.buffer, plane.byteOffset, plane.byteLength >> 1);
        words.fill(Math.round(codes[i]!));
      }
    },
  });
  using file = openVideo(path);
  const index = scanPackets(file);
  const [item] = decodeFrames(file, index, splitIntoChunks(index, { minSeconds: 1 })[0]!, [0]);
  if (!item || isGap(item)) throw new Error('no picture');
  using picture = item;
  return { levels: [picture.y, picture.u, picture.v].map(({ data }) => data[5]!), color: picture.color };
}

/** The quantized signal of so much light (candela a square metre), SMPTE ST 2084 §5.1. */
function quantized(light: number): number {
  const power = (light / 10_000) ** 0.1593017578125;
  return ((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power)) ** 78.84375;
}

const near = (levels: readonly number[]) => levels.map((level) => expect.closeTo(level, -0.4));

test('graphics white of PQ and HLG is white, and so is brighter light', () => {
  const { color, levels } = shown('white.mkv', 'smpte2084', [quantized(203), 0, 0]);
  expect(color).toEqual({ matrix: 'bt709', fullRange: false });
  expect(levels).toEqual(near([235, 128, 128]));
  expect(shown('bright.mkv', 'smpte2084', [quantized(1000), 0, 0]).levels).toEqual(near([235, 128, 128]));
  // BT.2408: 75 % of a log-gamma signal.
  expect(shown('log.mkv', 'arib-std-b67', [0.75, 0, 0], 'yuv422p12le').levels).toEqual(near([235, 128, 128]));
});

test('half the light of white has the level of sRGB', () => {
  expect(shown('half.mkv', 'smpte2084', [quantized(101.5), 0, 0]).levels).toEqual(near([16 + 219 * 0.7354, 128, 128]));
});

test('BT.709 red stays red', () => {
  // ITU-R BT.2087: its light in the primaries of BT.2020.
  const [r, g, b] = [0.627404, 0.069097, 0.016391].map((light) => quantized(light * 203)) as [number, number, number];
  const y = 0.2627 * r + 0.678 * g + 0.0593 * b;
  const { levels } = shown('red.mkv', 'smpte2084', [y, (b - y) / 1.8814, (r - y) / 1.4746]);
  expect(levels).toEqual(near([16 + 219 * 0.2126, 128 - (224 * 0.2126) / 1.8556, 240]));
});

test('10-bit video of ordinary range is not tone-mapped', () => {
  expect(shown('plain.mkv', 'bt709', [0.5, 0, 0]).levels).toEqual(near([16 + 219 * 0.5, 128, 128]));
});
