import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeVideo } from '../../test/fixtures/videos.ts';
import { DEFAULT_MEDIA_LIMITS, type MediaLimits, setMediaLimits } from './limits.ts';
import { scanPackets } from './packets/scan-packets.ts';
import { openVideo } from './video.ts';

const folder = mkdtempSync(join(tmpdir(), 'playbyplay-limits-'));
const short = join(folder, 'short.mkv');
const late = join(folder, 'late.mkv');
const dense = join(folder, 'dense.mkv');
const timeBase = { num: 1, den: 1000 };

beforeAll(() => {
  const pts = Array.from({ length: 20 }, (_, i) => i * 40);
  const audio = [{ frequency: 440, from: 0, to: 1, length: 0.8 }];
  makeVideo({ path: short, pts, timeBase, audio });
  // The last picture is shown after 200 hours.
  makeVideo({ path: late, pts: [...pts, 720_000_000], timeBase });
  // 5,000 pictures in 5 seconds.
  const size = { codec: 'mpeg4', width: 32, height: 32 };
  makeVideo({ path: dense, pts: Array.from({ length: 5000 }, (_, i) => i), timeBase, ...size });
});
afterEach(() => setMediaLimits(DEFAULT_MEDIA_LIMITS));
afterAll(() => rmSync(folder, { recursive: true }));

function scan(path: string): number {
  using file = openVideo(path);
  return scanPackets(file).t.length;
}

describe('a recording', () => {
  it('within the limits is read', () => {
    expect(scan(short)).toBe(20);
    expect(scan(dense)).toBe(5000);
  });

  it.each<readonly [string, Partial<MediaLimits>, Partial<MediaLimits>, RegExp]>([
    [short, { pixels: 128 * 96 - 1 }, { pixels: 128 * 96 }, /has 12288 pixels in a picture, more than 12287/],
    [short, { streams: 1 }, { streams: 2 }, /has 2 streams, more than 1/],
    [late, {}, { hours: 200 }, /has 200 hours by its timestamps, more than 168/],
    [dense, { packets: 4000 }, { packets: 5000 }, /has 4096 packets, more than 4000/],
    // 4,096 packets in 4 s, to which a minute is added.
    [dense, { rate: 63 }, { rate: 64 }, /has 64 packets a second, more than 63/],
  ])('above a limit is refused, with the option that raises it (%s, %o)', (path, limits, raised, message) => {
    setMediaLimits(limits);
    const [[name, amount]] = Object.entries(raised) as [[string, number]];
    const hint = name === 'packets' ? /--limit packets=4096$/ : new RegExp(`--limit ${name}=${amount}$`);
    expect(() => scan(path)).toThrow(
      expect.objectContaining({
        code: 'over-limit',
        message: expect.stringMatching(message),
        hint: expect.stringMatching(hint),
      }),
    );
    setMediaLimits(raised);
    expect(scan(path)).toBeGreaterThan(0);
  });
});
