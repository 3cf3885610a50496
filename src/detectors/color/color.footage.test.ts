import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Observation } from '../kind.ts';
import { draw, eachFrame, viewOf, viewOfImage } from '../../../test/fixtures/views.ts';
import { kind } from './index.ts';

const assets = { read: () => Promise.reject(new Error('no assets')) };

async function observe(
  options: Parameters<typeof kind.open>[0],
  color: Parameters<typeof draw>[2],
  size = 20,
): Promise<Observation> {
  using detector = await kind.open(options, assets);
  return await detector.read(viewOfImage(draw(size, size, color)));
}

const teams = { red: '#c81e1e', blue: '#1e1ec8', gold: '#c8aa28' };

const badge = (x: number, y: number) => (x % 3 === 0 && y > 4 ? ([250, 250, 250] as const) : ([28, 33, 195] as const));

const ragged = (x: number, y: number) => ((x * 7 + y * 3) % 5 < 2 ? ([200, 30, 30] as const) : ([60, 80, 60] as const));

describe('color', () => {
  it('names the nearest colour, surer the further the next one is', async () => {
    const near = await observe({ colors: teams }, () => [195, 35, 35]);
    expect(near).toMatchObject({ state: 'seen', value: 'red', detail: { color: [195, 35, 35] } });
    // Between red and gold (distance 140): 65 from red, 75 from gold.
    const between = await observe({ colors: teams, tolerance: 80 }, () => [200, 95, 35]);
    expect(between).toMatchObject({ state: 'seen', value: 'red' });
    expect(near.confidence).toBeGreaterThan(0.95);
    expect(between.confidence).toBeGreaterThan(0.5);
    expect(between.confidence).toBeLessThan(0.7);
  });

  it('is absent beyond the tolerance, and for names that mean nothing', async () => {
    expect((await observe({ colors: teams }, () => [90, 90, 90])).state).toBe('absent');
    expect((await observe({ colors: teams, absent: ['gold'] }, () => [200, 170, 40])).state).toBe('absent');
  });

  it('finds the dominant colour under text and other marks', async () => {
    expect(await observe({ colors: teams, measure: 'dominant' }, badge)).toMatchObject({
      state: 'seen',
      value: 'blue',
    });
    expect((await observe({ colors: teams }, badge)).state).toBe('absent');
  });

  it('measures the share of pixels near each colour', async () => {
    expect(await observe({ colors: teams, measure: 'share', minimum: 0.3 }, ragged)).toMatchObject({
      value: 'red',
      detail: { share: 0.4 },
    });
    expect((await observe({ colors: teams, measure: 'share', minimum: 0.5 }, ragged)).state).toBe('absent');
  });

  it('compares hue and saturation alone in chroma', async () => {
    const dark = { colors: teams, space: 'chroma', tolerance: 30 } as const;
    expect(await observe(dark, () => [170, 5, 5])).toMatchObject({ value: 'red' });
    expect((await observe({ colors: teams, tolerance: 30 }, () => [170, 5, 5])).state).toBe('absent');
  });

  it("reads the tint of Freedoom's status bar as the lossless capture has it", async () => {
    // The stone around the words AMMO and HEALTH, in each palette: normal 0, damage 1–8, pick-up 9–12.
    const options = {
      region: 'stone',
      colors: { none: '#474747', gold: ['#525252', '#585858'], red: ['#6f3635', '#842f2e', '#982726', '#ad1f1f'] },
      absent: ['none'],
      tolerance: 16,
    } as const;
    using detector = await kind.open(options, assets);
    const footage = `${import.meta.dirname}/../../../test/footage/freedoom-demo1`;
    const { series } = JSON.parse(readFileSync(`${footage}.truth.json`, 'utf8')) as {
      series: { frame: number; palette: number }[];
    };
    const frames = Array.from({ length: 90 }, (_, i) => 60 + 5 * i);
    const wrong: unknown[] = [];
    const seen = new Set<unknown>();
    eachFrame(`${footage}.mp4`, frames, (picture, frame) => {
      const { palette } = series.findLast((row) => row.frame <= frame)!;
      const expected = palette === 0 ? undefined : palette < 9 ? 'red' : 'gold';
      const region = { x: 0.129, y: 0.953, width: 0.242, height: 0.042 };
      const observation = detector.read(viewOf(picture, region)) as Observation;
      const value = observation.state === 'seen' ? observation.value : undefined;
      seen.add(value);
      if (value !== expected) wrong.push({ frame, palette, observation });
    });
    expect(wrong).toEqual([]);
    expect(seen).toEqual(new Set([undefined, 'gold', 'red']));
  });
});
