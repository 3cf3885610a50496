import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeshiftProfile } from '../../test/fixtures/cues.ts';
import { createChunk, groupEnd } from '../media/packets/packet-index.ts';
import { scanPackets } from '../media/packets/scan-packets.ts';
import { openVideo } from '../media/video.ts';
import { readingsOf } from './reading/chunk-readings.ts';
import { readFully } from './reading/read-chunk.ts';
import { SampleReader } from './reading/sample-reader.ts';
import { Seams } from './seams.ts';

const media = join(import.meta.dirname, '../../test/footage/freedoom-demo1.mp4');

it('readings that compare samples do not depend on where the recording is cut', async () => {
  const way = { kind: 'motion', region: 'view', of: 'movement', directions: true, interval: 0.4 };
  const loaded = await makeshiftProfile(
    { view: { x: 0, y: 0, width: 1, height: 0.8 } },
    { way, coded: { ...way, vectors: 'codec' } },
  );
  using file = openVideo(media);
  const index = scanPackets(file);
  file.exportMotionVectors();
  const groups = Math.min(3, groupEnd(index));
  const read = async (size: number) => {
    using reader = await SampleReader.open(loaded.profile, loaded.assets, file.info);
    const seams = await Seams.open(loaded.profile);
    const readings = [];
    for (let group = 0; group < groups; group += size) {
      const chunk = createChunk(index, group, Math.min(groups, group + size));
      const frames = [...index.t.keys()].filter((i) => i >= chunk.firstFrame && i < chunk.lastFrame && i % 14 === 0);
      const plan = { frames, due: frames.map(() => Uint8Array.of(1, 1)) };
      const context = { file, index, reader, detectors: 2 };
      const mended = seams.mend(JSON.parse(JSON.stringify(await readFully(context, chunk, plan))));
      for (let i = 0; i < mended.t.length; i++) readings.push(...readingsOf(mended, i, ['way', 'coded']));
    }
    return readings;
  };
  const whole = await read(groups);
  expect(whole.length).toBeGreaterThan(10);
  expect(whole.filter(({ observation }) => observation.state === 'unreadable').length).toBeLessThan(whole.length / 2);
  expect(await read(1)).toEqual(whole);
  expect(await read(2)).toEqual(whole);
});
