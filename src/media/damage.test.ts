import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { PlaybyplayError } from '../errors.ts';
import { isGap, decodeFrames } from './decode/decode-frames.ts';
import type { DecodeGap } from './decode/decode-frames.ts';
import { findMissingFrames } from './decode/missing-frames.ts';
import { splitIntoChunks, scanPackets } from './packets/scan-packets.ts';
import { digest, makeVideo } from '../../test/fixtures/videos.ts';
import type { VideoSpec } from '../../test/fixtures/videos.ts';
import { openVideo } from './video.ts';

const folder = mkdtempSync(join(tmpdir(), 'playbyplay-damage-'));
afterAll(() => rmSync(folder, { recursive: true }));

const FRAMES = 50;
const pts = Array.from({ length: FRAMES }, (_, i) => i * 40);
const FASTSTART = { muxer: { movflags: 'faststart' } };
const FRAGMENTED = { muxer: { movflags: 'frag_keyframe+empty_moov+default_base_moof' } };

function video(name: string, spec: Partial<VideoSpec> = {}) {
  const path = join(folder, name);
  return { path, packets: makeVideo({ path, pts, timeBase: { num: 1, den: 1000 }, ...spec }) };
}

interface Outcome {
  readonly pictures: ReadonlyMap<number, string>;
  /** What could not be read, and why. */
  readonly problems: readonly DecodeGap[];
}

/** Digests by time of all frames that can be read, with what is said about the rest; a refusal in its code. */
function readAll(path: string, minSeconds = 0, backwards = false): Outcome | string {
  try {
    using file = openVideo(path);
    const index = scanPackets(file);
    const pictures = new Map<number, string>();
    const problems = findMissingFrames(index, file.info);
    const chunks = splitIntoChunks(index, { minSeconds });
    for (const chunk of backwards ? chunks.toReversed() : chunks) {
      const wanted = Array.from({ length: chunk.lastFrame - chunk.firstFrame }, (_, i) => chunk.firstFrame + i);
      for (const item of decodeFrames(file, index, chunk, wanted)) {
        if (isGap(item)) problems.push(item);
        else pictures.set(item.t, digest(item));
        if (!isGap(item)) item[Symbol.dispose]();
      }
    }
    const inOrder = new Map([...pictures].toSorted((a, b) => a[0] - b[0]));
    return { pictures: inOrder, problems: problems.toSorted((a, b) => a.t - b.t || a.end - b.end) };
  } catch (error) {
    if (error instanceof PlaybyplayError) return error.code;
    throw error;
  }
}

/** Missing frames that are not reported, unless the pause around them is too short to detect. */
function untold(intact: Outcome, outcome: Outcome): number[] {
  const present = [...outcome.pictures.keys()];
  return [...intact.pictures.keys()].filter((t) => {
    if (outcome.pictures.has(t)) return false;
    const before = present.findLast((time) => time < t) ?? 0;
    const after = present.find((time) => time > t) ?? 2;
    if (after - before <= 0.25) return false;
    return !outcome.problems.some((problem) => problem.t <= t && t <= problem.end);
  });
}

function read(path: string): Outcome {
  const outcome = readAll(path);
  if (typeof outcome === 'string') throw new Error(outcome);
  return outcome;
}

describe('missing reference packets', () => {
  test.each(['drop.mp4', 'drop.mkv', 'drop.ts', 'drop.flv'])(
    '%s: the group ends at the loss and the next group is complete',
    (name) => {
      const intact = read(video(`intact-${name}`).path);
      // The second picture of the third group (frames 20 to 29), in decode order, is a P frame.
      const { path, packets } = video(name, { alter: (_, position) => position !== 21 });
      const lost = packets[21]!.pts / 1000;
      const { pictures, problems } = read(path);
      expect(problems.filter(({ reason }) => reason === 'packets are missing')).toEqual([
        { t: expect.any(Number), end: 1.2, reason: 'packets are missing' },
      ]);
      for (const [t, picture] of pictures) expect(picture).toBe(intact.pictures.get(t));
      const missing = [...intact.pictures.keys()].filter((t) => !pictures.has(t));
      expect(missing).toContain(lost);
      expect(Math.min(...missing)).toBeGreaterThanOrEqual(0.8);
      expect(Math.max(...missing)).toBeLessThan(1.2);
    },
  );

  test('a lost keyframe is found whatever frame_num follows', () => {
    const keyEvery = 25;
    const { pictures: intact } = read(video('intact-long.mp4', { keyEvery }).path);
    for (const from of [21, 24]) {
      for (const until of [26, 28, 31]) {
        const { path } = video('hole.mp4', { keyEvery, alter: (_, i) => i < from || i >= until });
        const { pictures, problems } = read(path);
        expect(problems, `${from} to ${until}`).not.toEqual([]);
        for (const [t, picture] of pictures) expect(picture, `${from} to ${until}, ${t}`).toBe(intact.get(t));
      }
    }
  });

  test('a lost non-reference frame affects no other frame', () => {
    const intact = read(video('intact.mp4').path);
    const { packets } = video('probe.mp4');
    using file = openVideo(join(folder, 'probe.mp4'));
    const index = scanPackets(file);
    const position = index.packet[index.reference.indexOf(0)]!;
    const { path } = video('dropped.mp4', { alter: (_, i) => i !== position });
    const { pictures, problems } = read(path);
    expect(problems).toEqual([]);
    expect([...intact.pictures.keys()].filter((t) => !pictures.has(t))).toEqual([packets[position]!.pts / 1000]);
  });
});

describe('truncated files', () => {
  test.each([
    ['short.mp4', FASTSTART],
    ['short.mkv', {}],
    ['short.flv', {}],
    ['short.ts', {}],
  ])('%s: the remaining frames are read and the end is reported', (name, spec) => {
    const { path } = video(name, spec);
    const intact = read(path);
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.subarray(0, Math.floor(bytes.length * 0.45)));
    const { pictures, problems } = read(path);
    expect(pictures.size).toBeGreaterThan(5);
    for (const [t, picture] of pictures) expect(picture).toBe(intact.pictures.get(t));
    // A transport stream does not declare its length.
    const declared = name.endsWith('.ts') ? 0 : 1.96;
    expect(problems.at(-1)?.end ?? 0).toBeGreaterThanOrEqual(declared);
  });

  test('a truncated fragmented mp4 is reported', () => {
    const { path } = video('fragments.mp4', FRAGMENTED);
    const intact = read(path);
    expect(intact.problems).toEqual([]);
    const bytes = readFileSync(path);
    // Within the pictures of the third fragment of five.
    let end = 0;
    for (let fragment = 0; fragment < 3; fragment++) end = bytes.indexOf('mdat', end + 1);
    writeFileSync(path, bytes.subarray(0, end + 300));
    const { pictures, problems } = read(path);
    const last = Math.max(...pictures.keys());
    for (const [t, picture] of pictures) expect(picture).toBe(intact.pictures.get(t));
    expect(last).toBeGreaterThanOrEqual(0.8);
    expect(problems.at(-1)!.reason).toBe('the file is cut off here');
    expect(problems.at(-1)!.t).toBeGreaterThanOrEqual(last);
  });

  test('an mp4 without an index is rejected with a hint', () => {
    const { path } = video('unfinished.mp4');
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.subarray(0, Math.floor(bytes.length * 0.45)));
    expect(() => openVideo(path)).toThrow(
      expect.objectContaining({ code: 'not-a-video', hint: expect.stringContaining('cut off') }),
    );
  });
});

describe('zeroed ranges', () => {
  test.each([
    ['zero.mp4', FASTSTART],
    ['zero.mkv', {}],
    ['zero.flv', {}],
    ['zero-hevc.mp4', { codec: 'libx265', ...FASTSTART }],
  ])('%s: no picture is decoded from zeros and every loss is reported', (name, spec) => {
    const { path } = video(name, { ...spec, width: 256, height: 192 });
    const intact = read(path);
    const bytes = readFileSync(path);
    const damaged = join(folder, `damaged-${name}`);
    fc.assert(
      fc.property(
        fc.double({ min: 0.2, max: 0.95, noNaN: true }),
        fc.integer({ min: 16, max: 600 }),
        (place, length) => {
          const from = Math.floor(place * bytes.length);
          const copy = Buffer.from(bytes);
          copy.fill(0, from, from + length);
          writeFileSync(damaged, copy);
          const outcome = readAll(damaged);
          if (typeof outcome === 'string') return;
          for (const [t, picture] of outcome.pictures) expect(picture).toBe(intact.pictures.get(t));
          expect(untold(intact, outcome)).toEqual([]);
        },
      ),
      { numRuns: 15 },
    );
  });
});

describe('randomly changed bytes', () => {
  test.each([
    ['noise.mp4', FASTSTART],
    ['noise.mkv', {}],
    ['noise.ts', {}],
    ['noise.flv', {}],
    ['noise.avi', { pts: pts.map((tick) => tick / 40), timeBase: { num: 1, den: 25 } }],
    ['noise-hevc.mkv', { codec: 'libx265' }],
    ['noise.webm', { codec: 'libvpx-vp9' }],
    ['noise-av1.mp4', { codec: 'libsvtav1', ...FASTSTART }],
  ])('%s: the result does not depend on chunks and their order', (name, spec) => {
    const { path } = video(name, spec);
    const bytes = readFileSync(path);
    const damaged = join(folder, `damaged-${name}`);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.nat(255)), {
          minLength: 1,
          maxLength: 30,
        }),
        (changes) => {
          const copy = Buffer.from(bytes);
          for (const [place, value] of changes) copy[Math.floor(place * copy.length)] = value;
          writeFileSync(damaged, copy);
          const once = readAll(damaged, 0);
          expect(readAll(damaged, 0.9, true)).toEqual(once);
        },
      ),
      { numRuns: 15 },
    );
  });
});

test('a VP8 picture that breaks off shows nothing that the decoder held before', () => {
  const { path } = video('ones.webm', { codec: 'libvpx', width: 256, height: 192 });
  const bytes = readFileSync(path);
  const damaged = join(folder, 'damaged-ones.webm');
  for (let place = 0.1; place < 0.95; place += 0.05) {
    const from = Math.floor(place * bytes.length);
    const copy = Buffer.from(bytes);
    copy.fill(255, from, from + 300);
    writeFileSync(damaged, copy);
    const once = readAll(damaged, 0);
    expect(readAll(damaged, 0.9, true)).toEqual(once);
  }
});
