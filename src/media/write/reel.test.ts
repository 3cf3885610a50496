import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBeeps, readFrames, writeFlashClip } from '../../../test/fixtures/flash-clip.ts';
import { Recording } from './recording.ts';
import { writeReel } from './reel.ts';

// Every frame of the clips carries its number, so a reel can be compared with what was asked for frame by frame.
const folder = mkdtempSync(join(tmpdir(), 'reel-'));
const thirty = join(folder, 'thirty.mp4');
const fifty = join(folder, 'fifty large.mp4');
const uneven = join(folder, 'uneven ünïcode.mp4');

/** Milliseconds between frames that a recorder under load leaves: 16 to 50. */
const unevenTimes = Array.from({ length: 150 }, (_, i) => i).reduce<number[]>(
  (times, i) => [...times, (times.at(-1) ?? -1500) + 1500 + ((i * 7919) % 34) * 90],
  [],
);

beforeAll(async () => {
  await writeFlashClip(thirty, { seconds: 8, noise: 20 });
  await writeFlashClip(fifty, { seconds: 4, frameRate: { num: 50, den: 1 }, width: 640, height: 480 });
  await writeFlashClip(uneven, { times: unevenTimes });
});
afterAll(() => rmSync(folder, { recursive: true }));

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}

describe.each(['smart', 'full'] as const)('a reel (%s)', (method) => {
  const path = join(folder, `${method}.mp4`);

  it('contains exactly the frames of its cuts, at their times', async () => {
    const reel = await writeReel(
      path,
      [
        { media: thirty, start: 0.5, end: 3.45 },
        { media: thirty, start: 4, end: 6.2 },
        { media: thirty, start: 7.1, end: 7.99 },
      ],
      { method },
    );
    const seen = readFrames(path);
    // Frame n is shown from n/30 s on: the first at or after 0.5 s is 15, the last before 3.45 s is 103.
    expect(seen.map(({ number }) => number)).toEqual([...range(15, 104), ...range(120, 186), ...range(213, 240)]);
    for (const [index, { t }] of seen.entries()) expect(t).toBeCloseTo(index / 30, 5);
    expect(reel.duration).toBeCloseTo((89 + 66 + 27) / 30, 9);
    expect(reel.cuts.map(({ offset }) => offset)).toEqual([0, 89 / 30, 155 / 30].map((t) => expect.closeTo(t, 9)));
    expect(reel.copied + reel.encoded).toBe(182);
  });

  it('keeps audio and video in sync to 20 ms', () => {
    const flashes = readFrames(path).filter(({ flash }) => flash);
    const beeps = readBeeps(path, 6.2);
    // The clip flashes at 1, 2, 3 | 4, 5, 6 | none of 7.1 … 7.99.
    expect(flashes.map(({ number }) => number)).toEqual([30, 60, 90, 120, 150, 180]);
    expect(beeps.length).toBe(6);
    for (const [index, { t }] of flashes.entries()) expect(Math.abs(beeps[index]! - t)).toBeLessThan(0.02);
  });
});

it('copies the right packets when a cut starts with a group', async () => {
  const path = join(folder, 'group.mp4');
  using recording = new Recording(thirty);
  const { packets } = recording.index(recording.ticks(2.5), recording.ticks(5.5));
  const first = packets.filter(({ key }) => key)[1]!.pts;
  const number = Math.round(recording.seconds(first) * 30);
  // A little before it: the frame is the first of the cut, and the group before it is where reading begins.
  const reel = await writeReel(path, [{ media: thirty, start: number / 30 - 0.01, end: 6.5 }]);
  expect(reel.copied).toBeGreaterThan(20);
  expect(readFrames(path).map((frame) => frame.number)).toEqual(range(number, 195));
});

it('copies most packets of a cut, bit for bit', async () => {
  const path = join(folder, 'copied.mp4');
  const reel = await writeReel(path, [{ media: thirty, start: 0.5, end: 7.5 }], { quality: 40 });
  // Groups of 2 s begin at frames 60, 120 and 180; of the last one only its very end can need encoding.
  expect(reel.copied).toBeGreaterThanOrEqual(240 - 60 - 15 - 4);
  const own = new Set(packetsOf(thirty));
  expect(packetsOf(path).filter((packet) => own.has(packet)).length).toBe(reel.copied);
});

function packetsOf(path: string): string[] {
  using recording = new Recording(path);
  const list: string[] = [];
  for (const { packet } of recording.packets(recording.firstPts, 1n << 60n)) list.push(packet.data!.toString('base64'));
  return list;
}

it('joins recordings of different sizes and rates in sync', async () => {
  const path = join(folder, 'mixed.mp4');
  const reel = await writeReel(path, [
    { media: thirty, start: 0.9, end: 2.5 },
    { media: fifty, start: 0.9, end: 2.5 },
  ]);
  expect([reel.width, reel.height]).toEqual([320, 180]);
  const seen = readFrames(path);
  expect(seen.length).toBe(160);
  for (const [index, { t }] of seen.entries()) expect(t).toBeCloseTo(index / 50, 5);
  // The larger clip stands between black bars: its flash is seen, its number is not.
  const flashes = seen.filter(({ flash }, index) => flash && !seen[index - 1]?.flash);
  const beeps = readBeeps(path, reel.duration);
  expect(flashes.length).toBe(4);
  for (const [index, { t }] of flashes.entries()) expect(Math.abs(beeps[index]! - t)).toBeLessThan(0.02);
});

it('keeps frame times of a variable rate', async () => {
  const path = join(folder, 'variable.mp4');
  await writeReel(path, [
    { media: uneven, start: 0.95, end: 2.2 },
    { media: uneven, start: 2.9, end: 4 },
  ]);
  const seconds = unevenTimes.map((ticks) => ticks / 90_000);
  const first = seconds.flatMap((t, n) => (t >= 0.95 && t < 2.2 ? [n] : []));
  const second = seconds.flatMap((t, n) => (t >= 2.9 && t < 4 ? [n] : []));
  const seen = readFrames(path);
  expect(seen.map(({ number }) => number)).toEqual([...first, ...second]);
  const join2 = seconds[first.at(-1)! + 1]! - seconds[first[0]!]!;
  const expected = [
    ...first.map((n) => seconds[n]! - seconds[first[0]!]!),
    ...second.map((n) => join2 + seconds[n]! - seconds[second[0]!]!),
  ];
  for (const [index, { t }] of seen.entries()) expect(t).toBeCloseTo(expected[index]!, 4);
});

it('writes HEVC with the tag that Apple’s players want', async () => {
  const path = join(folder, 'hevc.mp4');
  const { encoder } = await writeReel(path, [{ media: thirty, start: 1, end: 2 }], { codec: 'hevc' });
  expect(encoder).toBe('libx265');
  expect(readFrames(path).map(({ number }) => number)).toEqual(range(30, 60));
  expect(readFileSync(path).includes('hvc1')).toBe(true);
});

it('keeps within a size, and says where it cannot', async () => {
  const path = join(folder, 'small.mp4');
  const cuts = [{ media: thirty, start: 0, end: 7.9 }];
  const { size: free } = statSync((await writeReel(path, cuts, { method: 'full' })).path);
  const maxBytes = Math.round(free * 0.6);
  await writeReel(path, cuts, { maxBytes });
  expect(statSync(path).size).toBeLessThanOrEqual(maxBytes);
  expect(statSync(path).size).toBeGreaterThan(maxBytes / 3);
  expect(readFrames(path)).toHaveLength(237);
  await expect(writeReel(join(folder, 'tiny.mp4'), cuts, { maxBytes: 20_000 })).rejects.toMatchObject({
    code: 'too-large',
  });
});

it('shows slow motion at half speed, with its sound in sync', async () => {
  const path = join(folder, 'slow.mp4');
  const reel = await writeReel(path, [
    { media: thirty, start: 0.5, end: 1.5 },
    { media: thirty, start: 1.5, end: 2.5, speed: 0.5 },
    { media: thirty, start: 2.5, end: 3.5 },
  ]);
  const seen = readFrames(path);
  expect(seen.map(({ number }) => number)).toEqual([
    ...range(15, 45),
    ...range(45, 75).flatMap((n) => [n, n]),
    ...range(75, 105),
  ]);
  expect(reel.duration).toBeCloseTo(4, 9);
  // The second of the recording that begins at 2 s is shown at 1 + 2 · 0.5 s.
  const beeps = readBeeps(path, 4);
  expect(beeps).toHaveLength(3);
  for (const [index, t] of [0.5, 2, 3.5].entries()) expect(Math.abs(beeps[index]! - t)).toBeLessThan(0.025);
});

it('does not overwrite its own recording', async () => {
  const linked = join(folder, 'link.mp4');
  symlinkSync(thirty, linked);
  await expect(writeReel(linked, [{ media: thirty, start: 1, end: 2 }])).rejects.toMatchObject({
    code: 'output-is-input',
  });
  expect(readFrames(thirty)).toHaveLength(240);
});

it('leaves no file behind when it is interrupted', async () => {
  const path = join(folder, 'interrupted.mp4');
  const controller = new AbortController();
  const writing = writeReel(path, [{ media: thirty, start: 0.5, end: 6 }], {
    signal: controller.signal,
    onProgress: (written) => {
      if (written > 2) controller.abort();
    },
  });
  await expect(writing).rejects.toThrow(/abort/i);
  expect(readdirSync(folder).filter((name) => name.startsWith('interrupted'))).toEqual([]);
});
