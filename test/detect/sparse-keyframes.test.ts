// A recording whose keyframes lie further apart than readings persist: between two of them anything may have come and gone.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadLog } from '../../src/events/reader.ts';
import { isGap, decodeFrames } from '../../src/media/decode/decode-frames.ts';
import { splitIntoChunks, scanPackets } from '../../src/media/packets/scan-packets.ts';
import { halved, makeVideo } from '../fixtures/videos.ts';
import { openVideo } from '../../src/media/video.ts';
import { openGame } from '../../src/pipeline/game.ts';
import { recordLog } from '../../src/pipeline/record-log.ts';
import { clip } from '../paths.ts';

/** Frames that are encoded anew, every other of the recording's 35 a second. */
const FRAMES = 160;
const SECONDS = FRAMES / 17.5;

let folder: string;

/** The recording's beginning with a keyframe every so many frames. */
function encoded(keyEvery: number): string {
  const path = join(folder, `every-${keyEvery}.mp4`);
  using video = openVideo(clip);
  const index = scanPackets(video);
  const pictures = (function* (): Generator<readonly Uint8Array[]> {
    for (const chunk of splitIntoChunks(index, { minSeconds: 1 })) {
      const even = Array.from({ length: chunk.lastFrame - chunk.firstFrame }, (_, i) => chunk.firstFrame + i);
      for (const picture of decodeFrames(
        video,
        index,
        chunk,
        even.filter((frame) => frame % 2 === 0),
      )) {
        if (isGap(picture)) throw new Error(picture.reason);
        using one = picture;
        yield [one.y, one.u, one.v].map(halved);
      }
    }
  })();
  makeVideo({
    path,
    width: 640,
    height: 360,
    pts: Array.from({ length: FRAMES }, (_, i) => 2 * i),
    timeBase: { num: 1, den: 35 },
    keyEvery,
    options: { preset: 'veryfast', sc_threshold: 0, crf: 20 },
    paint: (planes, strides) => {
      const picture = pictures.next().value as readonly Uint8Array[];
      for (const [i, plane] of picture.entries()) {
        const width = i === 0 ? 640 : 320;
        for (let y = 0; y * width < plane.length; y++)
          planes[i]!.set(plane.subarray(y * width, (y + 1) * width), y * strides[i]!);
      }
    },
  });
  pictures.return(undefined);
  return path;
}

/** The greatest distance of neighbouring keyframes, or of the last and the end. */
function sparsest(path: string): number {
  using video = openVideo(path);
  const { t, key } = scanPackets(video);
  const keys = [...t].filter((_, frame) => key[frame] === 1);
  return Math.max(...keys.map((at, i) => (keys[i + 1] ?? SECONDS) - at));
}

async function said(media: string, plan: 'full' | 'adaptive'): Promise<readonly unknown[]> {
  const out = join(folder, plan);
  await recordLog({ media, game: 'freedoom', out, plan, workers: 1 });
  return (await loadLog(out)).events.map(({ t, statement }) => ({ t, statement }));
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sparse-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a recording with few keyframes', () => {
  it('gives the same events with both plans', async () => {
    const media = encoded(60);
    const { profile } = await openGame('freedoom');
    const persists = Object.values(profile.detectors).flatMap((spec) => spec.persists ?? []);
    expect(sparsest(media)).toBeGreaterThan(Math.max(...persists));
    const full = await said(media, 'full');
    expect(full.length).toBeGreaterThan(8);
    expect(await said(media, 'adaptive')).toEqual(full);
  });
});
