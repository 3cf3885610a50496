import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { wavFile } from '../../../test/fixtures/wav-file.ts';
import { prepareMusic } from './music.ts';
import type { StereoAudio } from './recording.ts';

const folder = mkdtempSync(join(tmpdir(), 'music-'));
afterAll(() => rmSync(folder, { recursive: true }));

const RATE = 48_000;
const tune = join(folder, 'tune.wav');
// Two seconds, so that it is repeated.
writeFileSync(
  tune,
  wavFile(
    Float32Array.from({ length: 2 * RATE }, (_, i) => 0.3 * Math.sin((2 * Math.PI * 440 * i) / RATE)),
    RATE,
  ),
);

/** A game of 8 s at 1000 Hz: quiet, but loud from 3 to 5 s. */
function* game(): Generator<StereoAudio> {
  for (let part = 0; part < 8; part++) {
    const level = part >= 3 && part < 5 ? 0.4 : 0.02;
    const left = Float32Array.from({ length: RATE }, (_, i) => level * Math.sin((2 * Math.PI * 1000 * i) / RATE));
    yield { left, right: left.slice() };
  }
}

/** Amplitude of a frequency from `from` to `to` seconds. */
function amplitude(samples: readonly number[], hertz: number, from: number, to: number): number {
  let [re, im] = [0, 0];
  for (let i = from * RATE; i < to * RATE; i++) {
    re += samples[i]! * Math.cos((2 * Math.PI * hertz * i) / RATE);
    im += samples[i]! * Math.sin((2 * Math.PI * hertz * i) / RATE);
  }
  return (2 * Math.hypot(re, im)) / ((to - from) * RATE);
}

function mixed(priority: 'game' | 'music'): number[] {
  return [...prepareMusic(game, { path: tune, priority }, 8, RATE)()].flatMap(({ left }) => [...left]);
}

it('lowers the music by 10 dB where the game is loud, and repeats it', () => {
  const samples = mixed('game');
  expect(samples).toHaveLength(8 * RATE);
  const [quiet, loud, later] = [
    amplitude(samples, 440, 1, 2),
    amplitude(samples, 440, 4, 5),
    amplitude(samples, 440, 6.5, 6.75),
  ];
  expect(20 * Math.log10(quiet / loud)).toBeCloseTo(10, 0);
  expect(20 * Math.log10(later / quiet)).toBeCloseTo(0, 0);
  // The game is left as it is, and the music ends with the reel.
  expect(amplitude(samples, 1000, 4, 5)).toBeCloseTo(0.4, 2);
  expect(Math.abs(samples.at(-1)!)).toBeLessThan(0.03);
});

it('lowers the game throughout where the music is in front', () => {
  const samples = mixed('music');
  expect(20 * Math.log10(0.4 / amplitude(samples, 1000, 4, 5))).toBeCloseTo(9, 1);
  expect(amplitude(samples, 440, 1, 2)).toBeGreaterThan(amplitude(mixed('game'), 440, 1, 2));
});
