import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readAudio } from '../audio.ts';
import { makeVideo } from '../../../test/fixtures/videos.ts';
import { Recording } from './recording.ts';

const folder = mkdtempSync(join(tmpdir(), 'recorded-sound-'));
afterAll(() => rmSync(folder, { recursive: true }));

const RATE = 16_000;

/** Root mean square of a stretch of samples. */
function power(samples: Float32Array): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
}

/** Times and hashes of the frames from one second to another. */
function framesOf(recording: Recording, from: number, to: number): (readonly [t: string, luma: string])[] {
  const frames: (readonly [t: string, luma: string])[] = [];
  for (const { pts: at, frame } of recording.frames(recording.ticks(from), recording.ticks(to)))
    frames.push([recording.seconds(at).toFixed(2), createHash('sha256').update(frame.data![0]!).digest('hex')]);
  return frames;
}

it('reads audio from the first sample where an edit list shortens the track', () => {
  // As `ffmpeg -ss … -c copy` leaves it: the sound begins with the packets since the last keyframe, which are not shown.
  const path = join(folder, 'trimmed.mp4');
  const tone = { frequency: 440, from: 0, to: 5, length: 5, shift: -0.8 };
  const muxer = { avoid_negative_ts: 'disabled', use_editlist: 1 };
  const pts = Array.from({ length: 100 }, (_, i) => i * 40);
  makeVideo({ path, pts, timeBase: { num: 1, den: 1000 }, audio: [tone], muxer });
  using recording = new Recording(path);
  const { left } = recording.readAudio(2, 3, RATE);
  expect(power(left.subarray(0, RATE / 10))).toBeCloseTo(power(left.subarray(RATE / 2)), 2);
  const [block] = readAudio(path, { sampleRate: RATE, from: 2, to: 3 });
  expect(block!.t).toBeCloseTo(2, 3);
  expect(power(block!.samples)).toBeGreaterThan(0.2);
});

it('reads frames and sound of joined recordings, whose clock restarts, at their times in the whole', () => {
  const [part, joined] = [join(folder, 'part.ts'), join(folder, 'joined.ts')];
  const pts = Array.from({ length: 50 }, (_, i) => i * 40);
  const tone = { frequency: 440, from: 0.5, to: 1, length: 2 };
  makeVideo({ path: part, pts, timeBase: { num: 1, den: 1000 }, audio: [tone] });
  writeFileSync(joined, Buffer.concat([readFileSync(part), readFileSync(part)]));
  using one = new Recording(part);
  using both = new Recording(joined);
  const moved = framesOf(one, 0.6, 1.4).map(([t, luma]) => [(Number(t) + 2).toFixed(2), luma]);
  expect(moved).toHaveLength(20);
  expect(framesOf(both, 2.6, 3.4)).toEqual(moved);
  // Earlier parts are found again after later ones.
  expect(framesOf(both, 0.6, 1.4)).toEqual(framesOf(one, 0.6, 1.4));
  for (const start of [0, 2]) {
    const { left } = both.readAudio(start, start + 1.5, RATE);
    const [before, during, after] = [0.1, 0.6, 1.1].map((t) => power(left.subarray(t * RATE, (t + 0.3) * RATE)));
    expect(during).toBeGreaterThan(0.2);
    expect(Math.max(before!, after!)).toBeLessThan(0.05);
  }
});
