import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { wavFile } from '../../../test/fixtures/wav-file.ts';
import { findBeats } from './beats.ts';

const folder = mkdtempSync(join(tmpdir(), 'beats-'));
afterAll(() => rmSync(folder, { recursive: true }));

const RATE = 22_050;

/** A drum on every beat from `first` on and a quieter one between two, over a chord and noise. */
function drums(tempo: number, first: number, seconds: number): Float32Array {
  const period = 60 / tempo;
  let seed = 1;
  return Float32Array.from({ length: seconds * RATE }, (_, i) => {
    const t = i / RATE;
    seed = (seed * 48_271) % 2_147_483_647;
    const noise = seed / 1_073_741_824 - 1;
    const since = (((t - first) % period) + period) % period;
    const half = (((t - first - period / 2) % period) + period) % period;
    const chord = 0.05 * (Math.sin(2 * Math.PI * 220 * t) + Math.sin(2 * Math.PI * 277 * t));
    return chord + 0.01 * noise + 0.6 * noise * Math.exp(-since * 60) + 0.2 * noise * Math.exp(-half * 90);
  });
}

it.each([
  [128, 0.3],
  [97, 0.1],
  [150, 0.25],
])('finds the beats of drums at %d beats per minute', (tempo, first) => {
  const path = join(folder, `${tempo}.wav`);
  writeFileSync(path, wavFile(drums(tempo, first, 20), RATE));
  const beats = findBeats(path, 20)!;
  expect(beats.tempo).toBeGreaterThan(tempo * 0.99);
  expect(beats.tempo).toBeLessThan(tempo * 1.01);
  const inside = beats.times.filter((t) => t > 1 && t < 19);
  expect(inside.length).toBeGreaterThan((17 * tempo) / 60);
  for (const t of inside) {
    const off = Math.abs((((t - first) * tempo) / 60) % 1);
    expect(Math.min(off, 1 - off) * (60 / tempo)).toBeLessThan(0.03);
  }
});

it('finds none in silence', () => {
  const path = join(folder, 'silence.wav');
  writeFileSync(path, wavFile(new Float32Array(5 * RATE), RATE));
  expect(findBeats(path, 5)).toBeUndefined();
});
