import sharp from 'sharp';
import { expect, test } from 'vitest';
import type { FrameDetectorKind } from '../../src/detectors/kind.ts';
import { loadKind } from '../../src/detectors/registry.ts';
import { viewOfImage } from '../fixtures/views.ts';
import { openGame } from '../../src/pipeline/game.ts';
import { placeRegion } from '../../src/regions/place.ts';
import { fixture } from '../paths.ts';

test('openarena: a row of medals is read despite the name drawn over it', async () => {
  const { profile, assets } = await openGame('openarena');
  const { rect, inner } = placeRegion(profile.regions['medal']!, { width: 1280, height: 720 }, profile.reference!);
  const at = { ...inner, x: inner.x - rect.x, y: inner.y - rect.y };
  const kind = (await loadKind('icon')) as FrameDetectorKind;
  using detector = await kind.open(profile.detectors['medal']!, assets);
  // The region's crops from pictures of 1280 × 720.
  const seen = async (name: string): Promise<unknown> => {
    const file = fixture('openarena', `${name}.png`);
    const { data, info } = await sharp(file).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([rect.width, rect.height]);
    const observation = await detector.read(
      viewOfImage({ data, width: info.width, height: info.height, channels: 3 }, at),
    );
    return observation.state === 'seen' ? observation.value : observation.state;
  };
  expect(await seen('medals-4')).toBe('openarena:impressive');
  expect(await seen('medals-5')).toBe('openarena:impressive');
  expect(await seen('medals-none')).toBe('absent');
});
