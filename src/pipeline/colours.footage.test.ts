import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeshiftProfile } from '../../test/fixtures/cues.ts';
import { NO_PLUGINS } from '../detectors/plugins/load.ts';
import { scanPackets } from '../media/packets/scan-packets.ts';
import { makeVideo } from '../media/testing.ts';
import { openVideo } from '../media/video.ts';
import { withoutColours } from './colours.ts';
import type { Game } from './game.ts';

const regions = { all: { x: 0, y: 0, width: 1, height: 1 } };
const bar = (fill: string): object => ({ kind: 'bar', region: 'all', fill: [fill] });
const tint = (color: string): object => ({ kind: 'color', region: 'all', colors: { hurt: color, white: '#ffffff' } });

async function told(media: string, detectors: object): Promise<string | undefined> {
  const { profile } = await makeshiftProfile(regions, detectors as Record<string, unknown>);
  using file = openVideo(media);
  return (await withoutColours({ profile, plugins: NO_PLUGINS } as Game, file, scanPackets(file)))?.message;
}

/** Grey stripes that move. */
const paint = ([y, u, v]: readonly Uint8Array[], _: readonly number[], frame: number): void => {
  for (let i = 0; i < y!.length; i++) y![i] = 60 + ((i * 7 + frame * 20) % 120);
  for (const plane of [u!, v!]) plane.fill(128);
};

it('says of a grey recording which detectors tell things by colour, and nothing of others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'colours-'));
  try {
    const grey = join(folder, 'grey.mp4');
    makeVideo({ path: grey, pts: [0, 1, 2, 3, 4, 5], timeBase: { num: 1, den: 25 }, keyEvery: 1, paint });
    const detectors = { health: bar('#c02020'), smoke: bar('#808080'), tint: tint('#ff0000'), flash: tint('#eeeeee') };
    const message = await told(grey, detectors);
    expect(message).toContain('(all 5 pictures looked at are grey), by which 2 of the 4 detectors');
    expect(message).toMatch(/: health, tint$/);
    expect(await told(grey, { smoke: bar('#808080'), flash: tint('#eeeeee') })).toBeUndefined();
    const colourful = join(import.meta.dirname, '../../test/footage/freedoom-demo1.mp4');
    expect(await told(colourful, detectors)).toBeUndefined();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
