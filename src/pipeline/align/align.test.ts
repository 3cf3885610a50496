import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { alignMoments, alignSound } from './align.ts';
import { wavFile } from '../../../test/fixtures/wav-file.ts';
import { BURST_RATE as RATE, session, times } from '../../../test/fixtures/sound-bursts.ts';

const folder = mkdtempSync(join(tmpdir(), 'playbyplay-align-'));
afterAll(() => rmSync(folder, { recursive: true }));

function wav(name: string, seconds: number, wave: (t: number) => number): string {
  const data = wavFile(
    Float32Array.from({ length: seconds * RATE }, (_, i) => wave(i / RATE)),
    RATE,
  );
  const path = join(folder, name);
  writeFileSync(path, data);
  return path;
}

function log(name: string, moments: readonly number[]): string {
  const path = join(folder, name);
  writeFileSync(path, `t,key\n${moments.map((t) => `${t.toFixed(3)},fire\n`).join('')}`);
  return path;
}

describe('aligning the clock of a second record', () => {
  const heard = session(1, 60);
  const recording = wav('recording.wav', 60, heard);

  it('is found by what both heard: its offset and drift, beneath another sound as loud', () => {
    const other = session(2, 60);
    const second = wav('second.wav', 45, (t) => 0.6 * heard(8.125 + (1 + 150e-6) * t) + 0.6 * other(t));
    const found = alignSound(recording, second);
    expect(found).toMatchObject({ matched: true, by: 'waveform' });
    expect(Math.abs(found.offset - 8.125)).toBeLessThan(0.002);
    expect(Math.abs(found.drift - 150)).toBeLessThan(15);
    expect(found.confidence).toBeGreaterThan(0.9);
  });

  it('is not claimed for a recording of something else', () => {
    const second = wav('unrelated.wav', 45, session(3, 45));
    expect(alignSound(recording, second)).toMatchObject({ matched: false, confidence: 0 });
  });

  it('is not claimed for a recording without a sample of sound', () => {
    const empty = wav('empty.wav', 0, () => 0);
    expect(alignSound(recording, empty)).toMatchObject({ matched: false, confidence: 0 });
    expect(alignSound(empty, recording)).toMatchObject({ matched: false, confidence: 0 });
  });

  it('is found for a log whose records fall together with sounds, others among them', async () => {
    const sounding = times(1, 60).filter((t, i) => t > 7 && i % 3 !== 0);
    const silent = times(9, 40).map((t) => t + 10);
    const keys = [...sounding, ...silent].toSorted((a, b) => a - b).map((t) => t - 6.5);
    const found = await alignMoments(recording, log('keys.csv', keys));
    expect(found).toMatchObject({ matched: true, by: 'moments' });
    expect(Math.abs(found.offset - 6.5)).toBeLessThan(0.03);
    const unrelated = await alignMoments(recording, log('others.csv', times(17, 50)));
    expect(unrelated.matched).toBe(false);
  });
});
