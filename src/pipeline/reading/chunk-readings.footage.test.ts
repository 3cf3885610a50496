import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Reading } from '../../detectors/kind.ts';
import { createChunk, groupEnd } from '../../media/packets/packet-index.ts';
import { scanPackets } from '../../media/packets/scan-packets.ts';
import { openVideo } from '../../media/video.ts';
import { compileTestProfile } from '../../../test/fixtures/games.ts';
import { ChunkReader } from './chunk-reader.ts';
import { ChunkStitcher, readingsOf } from './chunk-readings.ts';

const media = join(import.meta.dirname, '../../../test/footage/freedoom-demo1.mp4');

it('readings that compare samples do not depend on where the recording is cut into chunks', async () => {
  const way = { kind: 'motion', region: 'view', of: 'movement', directions: true, interval: 0.4 };
  const game = await compileTestProfile({
    regions: { view: { x: 0, y: 0, width: 1, height: 0.8 } },
    detectors: { way, coded: { ...way, vectors: 'codec' } },
  });
  using file = openVideo(media);
  const index = scanPackets(file);
  const groups = Math.min(3, groupEnd(index));
  const read = async (size: number): Promise<Reading[]> => {
    using reader = await ChunkReader.open(file, game, { plan: 'full' });
    const stitcher = new ChunkStitcher(game);
    const readings: Reading[] = [];
    for (let group = 0; group < groups; group += size) {
      const chunk = createChunk(index, group, Math.min(groups, group + size));
      const frames = [...index.t.keys()].filter((i) => i >= chunk.firstFrame && i < chunk.lastFrame && i % 14 === 0);
      const samples = { frames, due: frames.map(() => Uint8Array.of(1, 1)) };
      const chunkReadings = await reader.read({ number: group / size, chunk, index, samples });
      const stitched = stitcher.stitch(JSON.parse(JSON.stringify(chunkReadings)));
      for (let i = 0; i < stitched.t.length; i++) readings.push(...readingsOf(stitched, i, ['way', 'coded']));
    }
    return readings;
  };
  const whole = await read(groups);
  expect(whole.length).toBeGreaterThan(10);
  expect(whole.filter(({ observation }) => observation.state === 'unreadable').length).toBeLessThan(whole.length / 2);
  expect(await read(1)).toEqual(whole);
  expect(await read(2)).toEqual(whole);
});
