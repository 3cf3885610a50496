import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RegionSpec } from '../profile/profile.ts';
import { placeRegion } from './place.ts';

const HD = { width: 1280, height: 720 };
/** Doom's status bar: 320×32 of a 320×200 screen stretched to 4:3, that is 960×115.2 of 720 lines, bottom centre. */
const bar: RegionSpec = { x: 0.125, y: 0.84, width: 0.75, height: 0.16, anchor: 'bottom' };

const at = (width: number, height: number) => placeRegion(bar, { width, height }, HD);

describe('placeRegion', () => {
  it('scales a centred bottom bar with the height of the frame', () => {
    // 115.2 lines of 720: rows 604.8 … 720, rounded outwards.
    expect(at(1280, 720)).toEqual({
      rect: { x: 160, y: 604, width: 960, height: 116 },
      inner: { x: 160, y: expect.closeTo(604.8, 9), width: 960, height: expect.closeTo(115.2, 9) },
      scaleX: 1,
      scaleY: 1,
    });
    // × 1.5: 240 … 1680, 907.2 … 1080.
    expect(at(1920, 1080).rect).toEqual({ x: 240, y: 907, width: 1440, height: 173 });
    // 21:9, same height as above: 1440 wide around the centre 1280.
    expect(at(2560, 1080).rect).toEqual({ x: 560, y: 907, width: 1440, height: 173 });
    // 4:3: 768/720 = 1.0667; 960 · 1.0667 = 1024, the whole width; 115.2 · 1.0667 = 122.88.
    expect(at(1024, 768).rect).toEqual({ x: 0, y: 645, width: 1024, height: 123 });
  });

  it('lays a HUD that is drawn at another size, stretched otherwise than the picture', () => {
    // 0.8333 as high, 1.2 times as wide as that: 960 × 96 at the bottom's middle.
    const { inner, scaleX, scaleY } = placeRegion(bar, HD, HD, { scale: 5 / 6, stretch: 1.2 });
    expect([scaleX, scaleY]).toEqual([expect.closeTo(1, 9), expect.closeTo(5 / 6, 9)]);
    expect(inner).toEqual({
      x: 160,
      y: expect.closeTo(624, 9),
      width: expect.closeTo(960, 9),
      height: expect.closeTo(96, 9),
    });
  });

  it('keeps the distance to a corner', () => {
    const message: RegionSpec = { x: 0, y: 0, width: 0.6, height: 0.035, anchor: 'top left' };
    // 768 × 25.2 of 1280×720.
    expect(placeRegion(message, { width: 2560, height: 1080 }, HD).inner).toEqual({
      x: 0,
      y: 0,
      width: 1152,
      height: expect.closeTo(37.8, 9),
    });
    const clock: RegionSpec = { x: 0.875, y: 0.05, width: 0.1, height: 0.05, anchor: 'top right' };
    // Right edge 0.025 · 1280 = 32 px from the frame's; 48 px at 1080 lines.
    const { inner } = placeRegion(clock, { width: 2560, height: 1080 }, HD);
    expect(inner.x + inner.width).toBeCloseTo(2560 - 48, 9);
    expect(inner.y).toBeCloseTo(54, 9);
  });

  it('stretches a 640×480 HUD over the frame and leaves console text in pixels', () => {
    // Quake III: health digits 32×48 units at (185, 432) of 640×480.
    const health: RegionSpec = {
      x: 185 / 640,
      y: 0.9,
      width: 96 / 640,
      height: 0.1,
      anchor: 'top left',
      scale: 'stretch',
    };
    const wide = placeRegion(health, { width: 2560, height: 1080 }, HD);
    expect(wide.inner.x).toBeCloseTo(740, 9);
    expect(wide.inner.width).toBeCloseTo(384, 9);
    expect(wide.inner.height).toBeCloseTo(108, 9);
    expect([wide.scaleX, wide.scaleY]).toEqual([2, 1.5]);
    // 40 columns and 4 lines of 8×16 characters.
    const feed: RegionSpec = { x: 0, y: 0, width: 320 / 1280, height: 64 / 720, anchor: 'top left', scale: 'none' };
    for (const frame of [{ width: 1920, height: 1080 }, { width: 1024, height: 768 }, HD]) {
      expect(placeRegion(feed, frame, HD).rect).toEqual({ x: 0, y: 0, width: 320, height: 64 });
    }
  });

  it('grows with the width, or with the lesser of both', () => {
    const map: RegionSpec = { x: 0.9, y: 0.1, width: 0.1, height: 0.1, anchor: 'right' };
    // 1024/1280 = 0.8: 128 × 72 becomes 102.4 × 57.6; its centre line keeps 0.35 · 720 · 0.8 = 201.6 above the middle (384).
    const width = placeRegion({ ...map, scale: 'width' }, { width: 1024, height: 768 }, HD).inner;
    expect(width).toEqual({
      x: expect.closeTo(921.6, 9),
      y: expect.closeTo(384 - 230.4, 9),
      width: expect.closeTo(102.4, 9),
      height: expect.closeTo(57.6, 9),
    });
    expect(placeRegion({ ...map, scale: 'fit' }, { width: 1024, height: 768 }, HD).inner).toEqual(width);
    expect(placeRegion({ ...map, scale: 'fit' }, { width: 2560, height: 1080 }, HD).scaleX).toBe(1.5);
  });

  it('grows in whole steps if the game scales a canvas by integers', () => {
    // Figures 6 and 48 canvas pixels from the lower left corner, 15 × 7 of them: 320 × 200 fits 3 times into 1280 × 720.
    const spec: RegionSpec = {
      x: 18 / 1280,
      y: 1 - 48 / 720,
      width: 45 / 1280,
      height: 21 / 720,
      anchor: 'bottom left',
      scale: 'whole',
    };
    const size = (width: number, height: number) => placeRegion(spec, { width, height }, HD).inner;
    expect(size(1280, 720)).toMatchObject({ x: expect.closeTo(18, 6), width: expect.closeTo(45, 6) });
    // 1080 / 200 = 5.4: 5 times; 768 rows hold 3.84, 1024 columns 3.2: 3 times; 640 × 480: twice.
    expect(size(1920, 1080)).toMatchObject({
      x: expect.closeTo(30, 6),
      y: expect.closeTo(1000, 6),
      height: expect.closeTo(35, 6),
    });
    expect(size(1024, 768)).toMatchObject({ y: expect.closeTo(720, 6), height: expect.closeTo(21, 6) });
    expect(size(640, 480)).toMatchObject({ width: expect.closeTo(30, 6), height: expect.closeTo(14, 6) });
    // Of a canvas of 320 × 240 three fit into 1280 × 720, four into 1280 × 960.
    const other: RegionSpec = { ...spec, canvas: { width: 320, height: 240 } };
    expect(placeRegion(other, { width: 1280, height: 960 }, HD).scaleX).toBeCloseTo(4 / 3, 6);
  });

  it('adds padding in fractions of the element and clips to the frame', () => {
    const spec: RegionSpec = {
      x: 0.5,
      y: 0.9,
      width: 0.1,
      height: 0.1,
      anchor: 'bottom',
      padding: { x: 0.25, y: 0.5 },
    };
    // 128×72 at (640, 648); ± 32 and ± 36, cut at 720.
    expect(placeRegion(spec, HD, HD).rect).toEqual({ x: 608, y: 612, width: 192, height: 108 });
    expect(placeRegion({ ...spec, padding: 0 }, HD, HD).rect).toEqual({ x: 640, y: 648, width: 128, height: 72 });
  });

  it('follows HUD scale, safe-area margins and letterboxing', () => {
    const ammo: RegionSpec = { x: 0.8, y: 0.9, width: 0.1, height: 0.05, anchor: 'bottom right' };
    // Reference: 256 and 72 from the corner. Scale 0.5: 128 and 36.
    expect(placeRegion(ammo, HD, HD, { scale: 0.5 }).rect).toEqual({ x: 1152, y: 684, width: 64, height: 18 });
    // A margin of 5 %: 64 and 36 further in.
    expect(placeRegion(ammo, HD, HD, { x: 0.05, y: 0.05 }).rect).toEqual({ x: 960, y: 612, width: 128, height: 36 });
    // 4:3 game in the middle of a 16:9 video: 960×720 from x = 160.
    const content = { x: 0.125, y: 0, width: 0.75, height: 1 };
    expect(placeRegion(ammo, HD, HD, { content }).rect).toEqual({ x: 1120 - 256, y: 648, width: 128, height: 36 });
  });

  it('is empty outside the frame, and refuses invalid sizes', () => {
    const far: RegionSpec = { x: 0.9, y: 0.1, width: 0.05, height: 0.1, anchor: 'left' };
    expect(placeRegion(far, { width: 640, height: 720 }, HD).rect.width).toBe(0);
    expect(() => placeRegion(far, { width: 0, height: 720 }, HD)).toThrow(RangeError);
  });

  it('on the reference frame equals the fractions for any anchor and scale', () => {
    const fraction = fc.double({ min: 0, max: 0.5, noNaN: true });
    const anchors = [
      'top left',
      'top',
      'top right',
      'left',
      'centre',
      'right',
      'bottom left',
      'bottom',
      'bottom right',
    ] as const;
    const modes = ['height', 'width', 'fit', 'stretch', 'whole', 'none'] as const;
    fc.assert(
      fc.property(fraction, fraction, fc.constantFrom(...anchors), fc.constantFrom(...modes), (x, y, anchor, scale) => {
        const { inner, rect } = placeRegion({ x, y, width: 0.25, height: 0.5, anchor, scale }, HD, HD);
        expect(inner.x).toBeCloseTo(x * 1280, 6);
        expect(inner.y).toBeCloseTo(y * 720, 6);
        expect(rect.x).toBeLessThanOrEqual(inner.x + 1e-5);
        expect(rect.y + rect.height).toBeGreaterThanOrEqual(inner.y + inner.height - 1e-5);
      }),
    );
  });
});
