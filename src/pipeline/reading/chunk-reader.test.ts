import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Deferred, DetectorKind, Observation } from '../../detectors/kind.ts';
import { scanPackets } from '../../media/packets/scan-packets.ts';
import { makeVideo } from '../../../test/fixtures/videos.ts';
import { openVideo } from '../../media/video.ts';
import { compileTestProfile } from '../../../test/fixtures/games.ts';
import { ChunkReader } from './chunk-reader.ts';
import { indexChunks, planChunks } from './plan.ts';

const FPS = 10;

const seen = (deferred: Deferred): Observation => ({ state: 'seen', value: Number(deferred.deferred), confidence: 1 });

it('makes readings in batches, each in its place, and none of another chunk', async () => {
  const batches: number[] = [];
  const glow: DetectorKind = {
    input: 'frame',
    name: 'glow',
    description: 'How light it is.',
    schema: { type: 'object' },
    open: async () => ({
      together: 3,
      read: () => ({ state: 'unreadable', confidence: 0 }),
      defer: async ({ picture }) => ({ deferred: Math.round(picture.y.data[0]! / 40) }),
      settleAll: async (all) => {
        batches.push(all.length);
        return all.map(seen);
      },
      [Symbol.dispose]() {},
    }),
  };
  const game = await compileTestProfile(
    {
      sampling: { every: 1 },
      regions: { all: { x: 0, y: 0, width: 1, height: 1 } },
      detectors: { glow: { kind: 'glow', region: 'all' } },
    },
    [glow],
  );
  // The fourth frame shows what the third does, and the second chunk begins with what the first ends with.
  const levels = [1, 2, 3, 3, 4, 5, 5, 1, 2, 2];
  const folder = mkdtempSync(join(tmpdir(), 'chunk-reader-'));
  try {
    const path = join(folder, 'levels.mp4');
    makeVideo({
      path,
      pts: levels.map((_, i) => i),
      timeBase: { num: 1, den: FPS },
      keyEvery: 6,
      options: { crf: 0 },
      paint: ([y, u, v], _, frame) => {
        y!.fill(40 * levels[frame]!);
        for (const plane of [u!, v!]) plane.fill(128);
      },
    });
    using file = openVideo(path);
    const index = scanPackets(file);
    using reader = await ChunkReader.open(file, game, { plan: 'full' });
    const values: unknown[] = [];
    for await (const request of planChunks(indexChunks(index, 0.1), game)) {
      const { seen: rows, observations } = await reader.read(request);
      for (const [number] of rows) values.push((observations[number!] as { value?: unknown }).value);
    }
    expect(values).toEqual(levels);
    expect(batches).toEqual([3, 2, 3]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('places regions anew where the size of the pictures changes', async () => {
  const game = await compileTestProfile({
    sampling: { every: 1 },
    // The right half of the lower half.
    regions: { corner: { x: 0.5, y: 0.5, width: 0.5, height: 0.5 } },
    detectors: { corner: { kind: 'color', region: 'corner', colors: { light: '#e0e0e0', dark: '#303030' } } },
  });
  const folder = mkdtempSync(join(tmpdir(), 'chunk-reader-'));
  try {
    const sizes = [
      { width: 160, height: 120 },
      { width: 320, height: 240 },
      { width: 80, height: 60 },
    ];
    const parts = sizes.map(({ width, height }, part) => {
      const path = join(folder, `${part}.ts`);
      makeVideo({
        path,
        width,
        height,
        pts: Array.from({ length: 20 }, (_, i) => i),
        timeBase: { num: 1, den: FPS },
        // Only the corner is light, in every other picture.
        paint: ([y, u, v], strides, frame) => {
          for (const plane of [u!, v!]) plane.fill(128);
          y!.fill(frame % 2 === 0 ? 48 : 210);
          if (frame % 2 === 0)
            for (let row = height / 2; row < height; row++)
              y!.fill(210, row * strides[0]! + width / 2, row * strides[0]! + width);
          else
            for (let row = height / 2; row < height; row++)
              y!.fill(48, row * strides[0]! + width / 2, row * strides[0]! + width);
        },
      });
      return readFileSync(path);
    });
    const path = join(folder, 'joined.ts');
    writeFileSync(path, Buffer.concat(parts));
    using file = openVideo(path);
    const index = scanPackets(file);
    using reader = await ChunkReader.open(file, game, { plan: 'full' });
    const values: (readonly [t: number, value: unknown])[] = [];
    for await (const request of planChunks(indexChunks(index, 0.1), game)) {
      const { t, seen: rows, observations } = await reader.read(request);
      for (const [i, [number]] of rows.entries())
        values.push([t[i]!, (observations[number!] as { value?: unknown }).value]);
    }
    // At a joint, the packets before and after it may be incomplete.
    expect(values.length).toBeGreaterThan(50);
    expect(values).toEqual(values.map(([t]) => [t, Math.round(t * 10) % 2 === 0 ? 'light' : 'dark']));
    expect(values.at(-1)![0]).toBeCloseTo(5.9);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
