import { describe, expect, it } from 'vitest';
import { checkProfile } from './check.ts';
import type { Profile } from './profile.ts';
import { withFractionalRegions } from './units.ts';

const box = { x: 128, y: 72, width: 256, height: 36 };

function profile(regions: object, more: object = {}): Profile {
  return {
    format: 'playbyplay/profile/1',
    game: 'test-game',
    title: 'Test Game',
    version: '1',
    reference: { width: 1280, height: 720 },
    unit: 'pixel',
    regions,
    detectors: {},
    ...more,
  } as Profile;
}

const following = (unit: string): object => ({ ...box, x: -64, relative: { detector: 'arrow', unit } });

const said = (value: unknown): readonly string[] =>
  checkProfile(value, 'p').issues.map(({ code, message, hint }) => [code, message, hint].join(' | '));

describe('regions in pixels', () => {
  it('equal the same regions in fractions', () => {
    const { regions, ...rest } = withFractionalRegions(profile({ health: box }));
    expect(regions['health']).toEqual({ x: 0.1, y: 0.1, width: 0.2, height: 0.05 });
    expect(rest).not.toHaveProperty('unit');
    expect(said(profile({ health: box }))).toEqual([]);
  });

  it('count from the frame of the companion recording that is looked at', () => {
    const camera = { media: { camera: { reference: { width: 640, height: 360 } } } };
    const detectors = { lamp: { kind: 'color', media: 'camera', region: 'lamp' } };
    expect(withFractionalRegions(profile({ lamp: box }, { ...camera, detectors })).regions['lamp']!.x).toBe(0.2);
  });

  it('may follow a find by its sizes, or by pixels', () => {
    const { regions } = withFractionalRegions(profile({ found: following('found'), frame: following('frame') }));
    expect([regions['found']!.x, regions['frame']!.x]).toEqual([-64, -0.05]);
  });

  it('are reported in pixels if they extend beyond the frame', () => {
    expect(said(profile({ health: { ...box, x: 1100 } }))).toEqual([
      'region-outside-frame | region "health" extends outside the frame on the right: 1100 + 256 > 1280 | Its width can be at most 180.',
    ]);
  });

  it('are suggested if pixels are given instead of fractions', () => {
    expect(said({ ...profile({ health: { ...box, y: 0.1, height: 0.1, width: 0.1 } }), unit: 'fraction' })).toEqual([
      'schema-range | "x" must be at most 1, not 128 | As a fraction of 1280 pixels: 0.1. To write pixels, set "unit": "pixel" in the profile.',
    ]);
  });
});

describe('a canvas', () => {
  it('is refused if the scale is not "whole"', () => {
    const canvas = { width: 320, height: 200 };
    const code = 'canvas-without-whole | the canvas of region "health" has no effect with scale';
    const hint = 'Set "scale": "whole", or remove the canvas.';
    expect(said(profile({ health: { ...box, canvas } }))).toEqual([`${code} "height" | ${hint}`]);
    expect(said(profile({ health: { ...box, canvas, scale: 'fit' } }))).toEqual([`${code} "fit" | ${hint}`]);
    expect(said(profile({ health: { ...box, canvas, scale: 'whole' } }))).toEqual([]);
  });
});
