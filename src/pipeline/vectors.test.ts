import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeshiftProfile } from '../../test/fixtures/cues.ts';
import { scanPackets } from '../media/packets/scan-packets.ts';
import { makeVideo } from '../media/testing.ts';
import { openVideo } from '../media/video.ts';
import { checkSchema } from '../schema/check.ts';
import { kind as motion } from '../detectors/motion/index.ts';
import { NO_PLUGINS } from '../detectors/plugins/load.ts';
import type { Game } from './game.ts';
import { withoutVectors } from './vectors.ts';

const view = { view: { x: 0, y: 0, width: 1, height: 1 } };
const way = { kind: 'motion', region: 'view', of: 'movement' };

it('says of a recording without motion vectors what compares blocks instead', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vectors-'));
  try {
    const told = async (keyEvery: number, detectors: object): Promise<string | undefined> => {
      const path = join(folder, `${keyEvery}.mp4`);
      makeVideo({ path, pts: [0, 1, 2, 3, 4, 5], timeBase: { num: 1, den: 25 }, keyEvery });
      const { profile } = await makeshiftProfile(view, detectors as Record<string, unknown>);
      using file = openVideo(path);
      return (await withoutVectors({ profile, plugins: NO_PLUGINS } as Game, file, scanPackets(file)))?.message;
    };
    expect(await told(1, { a: { ...way, vectors: 'codec' }, b: way, c: { ...way, vectors: 'codec' } })).toBe(
      "the video's motion vectors are not told (h264): a, c compare blocks of pixels instead",
    );
    expect(await told(1, { b: way })).toBeUndefined();
    expect(await told(10, { a: { ...way, vectors: 'codec' } })).toBeUndefined();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('refuses motion vectors for what they do not tell', () => {
  const cut = { ...way, of: 'cut', vectors: 'codec' };
  expect(
    checkSchema(motion.schema, cut)
      .map(({ message }) => message)
      .join(),
  ).toContain('must be one of movement, burst');
  expect(checkSchema(motion.schema, { ...cut, of: 'burst' })).toEqual([]);
});
