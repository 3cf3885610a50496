import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { differences, trueSession } from '../../../test/fixtures/quality/truth.ts';
import { type RawFrame, RawValueReader } from '../frame.ts';
import { scoreInput } from '../score.ts';
import { readSessions } from './read.ts';
import type { SessionInput } from './session.ts';

/** The sample files are written by tools/quality-samples.ts from the session that trueSession() makes. */
const sample = (name: string): string => new URL(`../../../test/fixtures/quality/${name}`, import.meta.url).pathname;
const truth = trueSession();

async function only(name: string): Promise<SessionInput> {
  const sessions = await readSessions([sample(name)]);
  expect(sessions).toHaveLength(1);
  return sessions[0]!;
}

async function raws(input: SessionInput): Promise<RawFrame[]> {
  const values = new RawValueReader();
  const frames: RawFrame[] = [];
  for await (const records of input.records()) for (const record of records) frames.push(values.next(record));
  return frames;
}

function known(frames: readonly RawFrame[], name: 'captureDelta' | 'presentDelta' | 'stackLatency'): number[] {
  return frames.map((frame) => frame[name]).filter((value) => value !== undefined);
}

function expectNear(actual: readonly number[], expected: readonly number[], tolerance: number): void {
  expect(actual).toHaveLength(expected.length);
  expect(Math.max(...actual.map((value, i) => Math.abs(value - expected[i]!)))).toBeLessThan(tolerance);
}

const presents = differences(truth.map((frame) => frame.present));
const starts = differences(truth.map((frame) => frame.start));
const shown = differences(truth.map((frame) => frame.shown));
const latencies = truth
  .filter((frame) => frame.input !== undefined && frame.shown !== undefined)
  .map((frame) => frame.shown! - frame.input!);

describe.each([
  { name: 'presentmon-1.csv', deltas: presents, format: 'presentmon', process: 'arena.exe' },
  { name: 'presentmon-2.csv', deltas: starts, format: 'presentmon', process: 'arena.exe' },
  { name: 'presentmon-2-decimal-comma.csv', deltas: starts, format: 'presentmon', process: 'arena.exe' },
  { name: 'presentmon-2.3.1.csv', deltas: presents, format: 'presentmon', process: 'arena.exe' },
  { name: 'capframex.csv', deltas: presents, format: 'capframex', process: 'Arena' },
  { name: 'capframex.json', deltas: presents, format: 'capframex', process: 'Arena' },
])('$name', ({ name, deltas, format, process }) => {
  it('reads the true frame times, display times and input latencies', async () => {
    const input = await only(name);
    const frames = await raws(input);
    expect(input).toMatchObject({ format, name: process });
    expect(frames).toHaveLength(300);
    expectNear(known(frames, 'captureDelta'), deltas, 1e-3);
    expectNear(known(frames, 'presentDelta'), shown, 1e-3);
    expectNear(known(frames, 'stackLatency'), latencies, 1e-3);
    expect(input.notes.counts).toMatchObject({ frames: 300, dropped: 3 });
  });

  it('reports derived and missing figures and estimates the frame rate', async () => {
    const scored = await scoreInput(await only(name));
    expect(Object.keys(scored.derived).toSorted()).toEqual(['captureDelta', 'presentDelta', 'stackLatency']);
    expect(Object.keys(scored.missing).toSorted()).toEqual(['picture', 'roundTripDelay']);
    expect(scored).toMatchObject({ fpsFrom: 'estimated', info: { fps: 60 } });
    expect(scored.issues.map((issue) => issue.code)).toContain('rate-estimated');
  });
});

it('selects the named process, else the game rather than the compositor', async () => {
  expect((await only('presentmon-1.csv')).name).toBe('arena.exe');
  const [desktop] = await readSessions([sample('presentmon-1.csv')], { process: 'dwm' });
  expect(desktop).toMatchObject({ name: 'dwm.exe', notes: { counts: { frames: 150, otherProcesses: 1 } } });
  await expect(readSessions([sample('presentmon-1.csv')], { process: 'chess' })).rejects.toMatchObject({
    code: 'no-process',
    hint: 'it has arena.exe, dwm.exe',
  });
});

describe('MangoHud', () => {
  it('reads the frame times after the version block and the system row', async () => {
    const input = await only('mangohud.csv');
    expectNear(known(await raws(input), 'captureDelta'), presents, 1e-3);
    expect(input.extra).toMatchObject({ info: { gpu: 'Radeon RX 7800 XT', kernel: '6.9.1-arch1' } });
    expect(Object.keys(input.missing)).toEqual(['presentDelta', 'roundTripDelay', 'stackLatency', 'picture']);
  });

  it('warns that a sampled log misses frames', async () => {
    const input = await only('mangohud-sampled.csv');
    expect(input.notes.issues).toMatchObject([{ code: 'sampled-log', hint: expect.stringContaining('log_interval') }]);
  });
});

describe('webrtc-internals', () => {
  // 30 seconds of 60 frames but for 37 in the frozen one and 30 in another: 1747 frames.
  it.each(['webrtc_internals_dump.txt', 'webrtc_internals_dump.gz', 'webrtc_internals_dump-before-117.txt'])(
    '%s: lays frames out so that count, freeze and round trip are those measured',
    async (name) => {
      const input = await only(name);
      const frames = await raws(input);
      const deltas = known(frames, 'presentDelta');
      expect(input).toMatchObject({ format: 'webrtc-internals', fps: 60, width: 1920, height: 1080 });
      expect(frames).toHaveLength(60 * 28 + 37 + 30);
      expect(Math.max(...deltas)).toBeCloseTo(400, 1);
      expect(deltas.filter((delta) => delta > 30)).toHaveLength(1 + 30);
      expect(frames.filter((frame) => frame.roundTripDelay !== undefined).map((frame) => frame.roundTripDelay)).toEqual(
        Array.from({ length: 30 }, () => 40),
      );
      expect(new Set(frames.map((frame) => frame.targetBitrate).filter((rate) => rate !== undefined))).toEqual(
        new Set([8e6, 4e6]),
      );
    },
  );
});

it('webrtc-internals: ordinary jitter makes no frame late, a slow stretch does', async () => {
  // Delays of 60 Hz with σ = 2 ms by the sum of twelve uniform numbers; seconds 20 to 22 have 20 frames each.
  let state = 1;
  const uniform = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const normal = (): number => Array.from({ length: 12 }, uniform).reduce((sum, one) => sum + one, -6);
  let [count, sum, squares] = [0, 0, 0];
  const series = { framesDecoded: [0], totalInterFrameDelay: [0], totalSquaredInterFrameDelay: [0] };
  for (let second = 0; second < 40; second++) {
    const frames = second >= 20 && second < 23 ? 20 : 60;
    for (let i = 0; i < frames; i++) {
      const delay = 1 / frames + 0.002 * normal();
      [count, sum, squares] = [count + 1, sum + delay, squares + delay * delay];
    }
    series.framesDecoded.push(count);
    series.totalInterFrameDelay.push(sum);
    series.totalSquaredInterFrameDelay.push(squares);
  }
  const stats = Object.fromEntries(
    Object.entries({ ...series, kind: series.framesDecoded.map(() => 'video') }).map(([metric, values]) => [
      `IT01V1-${metric}`,
      { startTime: '2026-01-01T00:00:00.000Z', statsType: 'inbound-rtp', values: JSON.stringify(values) },
    ]),
  );
  const folder = mkdtempSync(join(tmpdir(), 'webrtc-'));
  const path = join(folder, 'dump.txt');
  writeFileSync(path, JSON.stringify({ PeerConnections: { '1-1': { stats } } }));
  const [input] = await readSessions([path]);
  rmSync(folder, { recursive: true });
  const frames = await raws(input!);
  const late = frames.filter(({ presentDelta }) => presentDelta !== undefined && presentDelta > 25);
  expect(late).toHaveLength(60);
  expect(late.every(({ t }) => t > 19.9 && t < 23.1)).toBe(true);
});

describe('OBS', () => {
  it('reads settings and counts of each output, without stutter or latency scores', async () => {
    const scored = await scoreInput(await only('obs.txt'));
    // 6 Mbit/s over 1920 · 1080 · 60 pixels a second are 0.0482 bits a pixel, just under the point (0.05, 55).
    expect(scored.quality).toMatchObject({ total: null, stutterLatency: null, frames: 0, pictureFrom: 'bitrate' });
    expect(scored.quality.picture).toBeGreaterThan(53);
    expect(scored.quality.picture).toBeLessThan(55);
    expect(scored.extra).toEqual({
      outputs: [
        {
          name: 'adv_stream',
          frames: 216_000,
          drawn: 216_000,
          lagged: 1080,
          dropped: 3240,
          skipped: 432,
          share: { lagged: 0.005, dropped: 0.015, skipped: 0.002 },
        },
      ],
    });
    expect(Object.keys(scored.missing)).toEqual(['captureDelta', 'presentDelta', 'roundTripDelay', 'stackLatency']);
  });
});
