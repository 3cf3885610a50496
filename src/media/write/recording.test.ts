import { mkdtempSync, rmSync } from 'node:fs';
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
