import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readAudio } from './audio.ts';
import type { AudioBlock, AudioOptions } from './audio.ts';
import { originSeconds } from './packets/packet-index.ts';
import { scanPackets } from './packets/scan-packets.ts';
import { makeVideo } from '../../test/fixtures/videos.ts';
import { openVideo } from './video.ts';

const folder = mkdtempSync(join(tmpdir(), 'playbyplay-audio-'));
afterAll(() => rmSync(folder, { recursive: true }));

const pts = Array.from({ length: 75 }, (_, i) => i * 40);
const timeBase = { num: 1, den: 1000 };
const tones = [
  { frequency: 440, from: 1, to: 2, length: 3 },
  { frequency: 1000, from: 0.5, to: 0.7, length: 3, sampleRate: 44_100 },
];

function clip(name: string, codec?: string) {
  const path = join(folder, name);
  const audio = tones.map((tone) => (codec === 'libopus' ? { ...tone, codec, sampleRate: 48_000 } : tone));
  makeVideo({ path, pts, timeBase, audio, ...(codec === 'libopus' ? { codec: 'libvpx-vp9' } : {}) });
  return path;
}

function listen(path: string, options: Partial<AudioOptions> = {}) {
  using file = openVideo(path);
  const origin = originSeconds(scanPackets(file));
  return [...readAudio(path, { sampleRate: 16_000, origin, ...options })];
}

/** Seconds of the first and last sample louder than a fifth of the tone's peak. */
function heard(blocks: readonly AudioBlock[], sampleRate = 16_000) {
  let first = Number.NaN;
  let last = Number.NaN;
  for (const { t, samples } of blocks) {
    for (const [i, sample] of samples.entries()) {
      if (Math.abs(sample) < 0.1) continue;
      if (Number.isNaN(first)) first = t + i / sampleRate;
      last = t + i / sampleRate;
    }
  }
  return { first, last };
}

/** Energy of one frequency (Goertzel's algorithm), relative to all energy. */
function purity(samples: Float32Array, frequency: number, sampleRate: number) {
  const k = 2 * Math.cos((2 * Math.PI * frequency) / sampleRate);
  let [a, b, energy] = [0, 0, 0];
  for (const sample of samples) {
    [a, b] = [sample + k * a - b, a];
    energy += sample * sample;
  }
  return (2 * (a * a + b * b - k * a * b)) / (energy * samples.length);
}

describe('readAudio', () => {
  test.each([
    ['sound.mp4', 'aac'],
    ['sound.mkv', 'aac'],
    ['sound.ts', 'aac'],
    ['sound.webm', 'libopus'],
  ])('%s: every track plays at the encoded time on the video’s clock', (name, codec) => {
    const path = clip(name, codec);
    for (const [track, tone] of tones.entries()) {
      const { first, last } = heard(listen(path, { track }));
      expect(Math.abs(first - tone.from)).toBeLessThan(0.004);
      expect(Math.abs(last - tone.to)).toBeLessThan(0.004);
    }
  });

  test('blocks are contiguous', () => {
    const blocks = listen(clip('gapless.mp4'));
    for (const [i, block] of blocks.slice(1).entries()) {
      const before = blocks[i]!;
      expect(Math.abs(block.t - before.t - before.samples.length / 16_000)).toBeLessThan(2e-6);
    }
    expect(blocks[0]!.t).toBe(0);
  });

  test.each([8000, 16_000, 44_100, 48_000])('resampling to %i Hz keeps the pitch', (sampleRate) => {
    const blocks = listen(clip(`pitch${sampleRate}.mp4`), { sampleRate, from: 1.2, to: 1.8 });
    const samples = Float32Array.from(blocks.flatMap((block) => [...block.samples]));
    expect(Math.abs(samples.length - 0.6 * sampleRate)).toBeLessThanOrEqual(1);
    expect(purity(samples, 440, sampleRate)).toBeGreaterThan(0.98);
    expect(purity(samples, 470, sampleRate)).toBeLessThan(0.02);
  });

  test('a range contains the same audio at the same times', () => {
    const path = clip('stretch.mp4');
    const { first } = heard(listen(path, { from: 1.5, to: 2.5 }));
    const { last } = heard(listen(path, { from: 0.2, to: 2.5 }));
    expect(Math.abs(first - 1.5)).toBeLessThan(0.002);
    expect(Math.abs(last - 2)).toBeLessThan(0.004);
  });

  test('a missing track is reported with the number of tracks', () => {
    const path = clip('tracks.mp4');
    expect(() => listen(path, { track: 2 })).toThrow(
      expect.objectContaining({ code: 'no-such-audio-track', message: expect.stringContaining('2 audio tracks') }),
    );
  });
});
