import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Picture, Plane } from '../media/picture.ts';
import { RegionSet } from './regions.ts';

const SIZE = { width: 64, height: 36 };
const box = { x: 0.25, y: 0.25, width: 0.5, height: 0.5 };
const regions = RegionSet.open({ part: box, grey: { ...box, preprocess: [{ step: 'grayscale' }] } }, SIZE, SIZE);

type Level = (x: number, y: number) => number;

function plane(width: number, height: number, level: Level): Plane {
  const data = Uint8Array.from({ length: width * height }, (_, i) => level(i % width, Math.floor(i / width)));
  return { data, stride: width, width, height };
}

/** A picture of grey levels and one colour difference by place, in 4:2:0. */
function picture(
  luma: (x: number, y: number) => number,
  chroma: (x: number, y: number) => number = () => 128,
): Picture {
  const [width, height] = [SIZE.width / 2, SIZE.height / 2];
  return {
    t: 0,
    ...SIZE,
    y: plane(SIZE.width, SIZE.height, luma),
    u: plane(width, height, chroma),
    v: plane(width, height, () => 128),
    chromaShiftX: 1,
    chromaShiftY: 1,
    color: { matrix: 'bt709', fullRange: false },
    [Symbol.dispose]() {},
  };
}

/** Light bars on dark ground; the one at `bar` is missing. */
function bars(contrast: number, bar = -1): Level {
  return (x) => 40 + ((x >> 1) % 4 === 0 && x >> 3 !== bar ? contrast : 0);
}

function holds(before: Picture, after: Picture, region = 'part'): boolean {
  const likeness = regions.get(region).similarityGate();
  expect(likeness.matches(before)).toBe(false);
  likeness.remember(before);
  return likeness.matches(after);
}

describe('the similarity gate of a region', () => {
  it('holds over what an encoder adds, and not over a stroke that comes or goes, however dim it is', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 10, max: 200 }),
        fc.infiniteStream(fc.integer({ min: -3, max: 3 })),
        (contrast, noise) => {
          const share = Math.floor(Math.min(12, contrast / 6));
          const noisy = (level: number): number => level + Math.round((noise.next().value! / 3) * share);
          const shown = picture((x, y) => noisy(bars(contrast)(x, y)));
          expect(holds(picture(bars(contrast)), shown)).toBe(true);
          const gone = picture(bars(contrast, 4));
          expect(holds(shown, gone)).toBe(false);
          expect(holds(gone, shown)).toBe(false);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('counts colours only where they are read', () => {
    const [grey, tinted] = [picture(bars(100)), picture(bars(100), (x) => (x === 12 ? 200 : 128))];
    expect(holds(grey, tinted)).toBe(false);
    expect(holds(grey, tinted, 'grey')).toBe(true);
    // Beside the region.
    expect(
      holds(
        grey,
        picture(bars(100), (x) => (x === 2 ? 200 : 128)),
      ),
    ).toBe(true);
  });

  it('sees the last of an odd number of rows and columns', () => {
    const odd = RegionSet.open({ part: { x: 0, y: 0, width: 5 / 64, height: 3 / 36 } }, SIZE, SIZE);
    const likeness = odd.get('part').similarityGate();
    likeness.remember(picture((x, y) => (x === 0 && y === 0 ? 200 : 20)));
    expect(likeness.matches(picture((x, y) => (x === 0 && y === 0 ? 200 : 20)))).toBe(true);
    expect(likeness.matches(picture((x, y) => ((x === 0 && y === 0) || (x === 4 && y === 2) ? 200 : 20)))).toBe(false);
  });
});
