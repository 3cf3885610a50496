import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { actionAt } from './follow-action.ts';
import { cropAround, sizeFor } from './frame-filter.ts';
import { blendOverlay, outlineText, renderOverlay, wrapText } from './overlay.ts';

function grayFrame(width: number, height: number) {
  const planes = [
    new Uint8Array(width * height).fill(100),
    new Uint8Array((width * height) / 4).fill(90),
    new Uint8Array((width * height) / 4).fill(170),
  ];
  return { width, height, planes, strides: [width, width / 2, width / 2] };
}

function rectangle(fill: string, opacity: number): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8" fill="${fill}" fill-opacity="${opacity}"/></svg>`;
}

describe('blendOverlay', () => {
  // BT.709 in limited range: white is (235, 128, 128), red (63, 102, 240).
  it.each([
    ['#ffffff', [235, 128, 128]],
    ['#ff0000', [63, 102, 240]],
    ['#000000', [16, 128, 128]],
  ] as const)('lays %s over a frame as its colour in BT.709', async (fill, expected) => {
    const frame = grayFrame(16, 16);
    blendOverlay(frame, await renderOverlay(rectangle(fill, 1), 4, 4));
    const at = [frame.planes[0]![8 * 16 + 8]!, frame.planes[1]![4 * 8 + 4]!, frame.planes[2]![4 * 8 + 4]!];
    for (const [index, value] of at.entries()) expect(Math.abs(value - expected[index]!)).toBeLessThanOrEqual(1);
    expect([frame.planes[0]![0], frame.planes[1]![0], frame.planes[2]![0]]).toEqual([100, 90, 170]);
  });

  it('combines its own opacity with the given one', async () => {
    const frame = grayFrame(16, 16);
    blendOverlay(frame, await renderOverlay(rectangle('#ffffff', 0.5), 4, 4), 0.5);
    // A quarter of 235 and three quarters of 100.
    expect(Math.abs(frame.planes[0]![8 * 16 + 8]! - 133.75)).toBeLessThanOrEqual(2);
  });

  it('stays inside the frame', async () => {
    const overlay = await renderOverlay(rectangle('#ffffff', 1), -4, 12);
    const frame = grayFrame(16, 16);
    blendOverlay(frame, overlay);
    const white = frame.planes[0]!.filter((value) => value === 235).length;
    expect(white).toBe(4 * 4);
  });
});

describe('lettering', () => {
  it('breaks lines at spaces and truncates what does not fit', () => {
    const width = outlineText('player kills opponent', 20).width + 1;
    const lines = wrapText('player kills opponent Gargoyle with rocket launcher and more', 20, width, 2);
    expect(lines[0]).toBe('player kills opponent');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(/^Gargoyle.*…$/);
    for (const line of lines) expect(outlineText(line, 20).width).toBeLessThanOrEqual(width);
  });

  it('has a distinct outline for each Latin, Greek and Cyrillic character', () => {
    const paths = [...'aéßΩЖ★…'].map((character) => outlineText(character, 20).path);
    expect(new Set(paths).size).toBe(paths.length);
    expect(paths.every((path) => /^M[-\d. MLQCZ]+$/.test(path))).toBe(true);
  });
});

describe('layouts', () => {
  it('sizes portrait, square and wide reels by the recording’s lines', () => {
    const source = { width: 1280, height: 720 };
    expect(sizeFor('9:16', source)).toEqual({ width: 720, height: 1280 });
    expect(sizeFor('1:1', source)).toEqual({ width: 720, height: 720 });
    expect(sizeFor('16:9', { width: 1024, height: 768 })).toEqual({ width: 1366, height: 768 });
    expect(sizeFor('source', { width: 853, height: 479 })).toEqual({ width: 854, height: 480 });
  });

  it('crops the target’s shape inside the source, around any point', () => {
    const side = fc.integer({ min: 8, max: 1000 }).map((n) => n * 2);
    fc.assert(
      fc.property(side, side, side, side, fc.double({ min: 0, max: 1, noNaN: true }), (w, h, tw, th, x) => {
        const rect = cropAround(x, 0.5, { width: w, height: h }, { width: tw, height: th });
        expect(rect.x).toBeGreaterThanOrEqual(0);
        expect(rect.x + rect.width).toBeLessThanOrEqual(w);
        expect(rect.y + rect.height).toBeLessThanOrEqual(h);
        expect(rect.width === w || rect.height === h).toBe(true);
      }),
    );
  });

  it('interpolates between points of the action path', () => {
    const path = { times: [0, 1, 2], xs: [0.5, 0.6, 0.6] };
    expect([-1, 0, 0.5, 1.5, 9].map((t) => actionAt(path, t))).toEqual([0.5, 0.5, 0.55, 0.6, 0.6]);
  });
});
