import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ColorEncoding, Picture } from '../media/picture.ts';
import { convertInPlainCode, cropGrey, cropLuma, cropPlanes, cropRgb, sameLuma, samePixels } from './crop.ts';
import { stillPicture } from '../../test/fixtures/still.ts';

/** A 4:2:0 picture of pseudo-random planes with padded rows. */
function noise(width: number, height: number, color: ColorEncoding, seed = 1): Picture {
  let state = seed;
  const plane = (w: number, h: number) => {
    const stride = w + 13;
    const data = Uint8Array.from(
      { length: stride * h },
      () => (state = (state * 1103515245 + 12345) & 0x7fffffff) >> 16,
    );
    return { data, stride, width: w, height: h };
  };
  const [w2, h2] = [(width + 1) >> 1, (height + 1) >> 1];
  return {
    t: 0,
    width,
    height,
    y: plane(width, height),
    u: plane(w2, h2),
    v: plane(w2, h2),
    chromaShiftX: 1,
    chromaShiftY: 1,
    color,
    [Symbol.dispose]() {},
  };
}

const limited709: ColorEncoding = { matrix: 'bt709', fullRange: false };
const encodings: ColorEncoding[] = [
  limited709,
  { matrix: 'bt601', fullRange: false },
  { matrix: 'bt601', fullRange: true },
  { matrix: 'bt2020', fullRange: false },
];

/** The inverse matrices as the standards print them: R = Y + a·V, G = Y − b·U − c·V, B = Y + d·U, U and V in ±½. */
const published = {
  bt601: [1.402, 0.344136, 0.714136, 1.772],
  bt709: [1.5748, 0.187324, 0.468124, 1.8556],
  bt2020: [1.4746, 0.164553, 0.571353, 1.8814],
} as const;

const rect = fc
  .record({
    x: fc.nat(150),
    y: fc.nat(60),
    width: fc.integer({ min: 1, max: 120 }),
    height: fc.integer({ min: 1, max: 40 }),
  })
  .map((r) => ({ ...r, width: Math.min(r.width, 200 - r.x), height: Math.min(r.height, 81 - r.y) }));

describe('crops', () => {
  it('copies luma row by row, narrow and wide', () => {
    const picture = noise(200, 81, limited709);
    fc.assert(
      fc.property(rect, (r) => {
        const crop = cropLuma(picture, r);
        expect(crop.length).toBe(r.width * r.height);
        for (let i = 0; i < crop.length; i++) {
          const [cx, cy] = [r.x + (i % r.width), r.y + Math.floor(i / r.width)];
          if (crop[i] !== picture.y.data[cy * picture.y.stride + cx]) return false;
        }
        return true;
      }),
    );
  });

  it('converts colours with SIMD exactly as in plain code for any subsampling', () => {
    const picture = noise(200, 81, limited709);
    const finer = { ...picture, u: noise(200, 81, limited709, 2).y, v: noise(200, 81, limited709, 3).y };
    const pictures: Picture[] = [
      picture,
      { ...finer, chromaShiftX: 0, chromaShiftY: 0 },
      { ...finer, chromaShiftX: 1, chromaShiftY: 0, color: encodings[2]! },
    ];
    fc.assert(
      fc.property(rect, fc.constantFrom(...pictures), (r, one) => {
        const plain = new Uint8Array(3 * r.width * r.height);
        convertInPlainCode(one, r, plain);
        expect(Buffer.compare(cropRgb(one, r), plain)).toBe(0);
      }),
    );
  });

  it('spreads limited range to 0…255', () => {
    const picture = noise(256, 1, limited709);
    for (let i = 0; i < 256; i++) picture.y.data[i] = i;
    const grey = cropGrey(picture, { x: 0, y: 0, width: 256, height: 1 });
    // (126 − 16) · 255 / 219 = 128.08
    expect([grey[0], grey[16], grey[126], grey[235], grey[255]]).toEqual([0, 0, 128, 255, 255]);
    expect(
      cropGrey({ ...picture, color: { matrix: 'bt601', fullRange: true } }, { x: 0, y: 0, width: 256, height: 1 }),
    ).toEqual(Uint8Array.from({ length: 256 }, (_, i) => i));
  });

  it.each(encodings)('converts to RGB within 1 of the published matrix ($matrix, full range $fullRange)', (color) => {
    const picture = noise(200, 81, color);
    const r = { x: 3, y: 5, width: 190, height: 70 };
    const rgb = cropRgb(picture, r);
    const [a, b, c, d] = published[color.matrix];
    let worst = 0;
    for (let i = 0; i < r.width * r.height; i++) {
      const [x, y] = [r.x + (i % r.width), r.y + Math.floor(i / r.width)];
      const code = picture.y.data[y * picture.y.stride + x]!;
      const [cu, cv] = [picture.u, picture.v].map((p) => p.data[(y >> 1) * p.stride + (x >> 1)]! - 128) as [
        number,
        number,
      ];
      const luma = color.fullRange ? code : ((code - 16) * 255) / 219;
      const [u, v] = color.fullRange ? [cu, cv] : [(cu * 255) / 224, (cv * 255) / 224];
      const expected = [luma + a * v, luma - b * u - c * v, luma + d * u];
      for (let k = 0; k < 3; k++)
        worst = Math.max(worst, Math.abs(rgb[3 * i + k]! - Math.min(255, Math.max(0, expected[k]!))));
    }
    expect(worst).toBeLessThanOrEqual(0.51);
  });

  it('keeps grey grey', () => {
    const grey = Uint8Array.from({ length: 256 * 3 }, (_, i) => Math.floor(i / 3));
    const picture = stillPicture(grey, { width: 256, height: 1 }, { color: { matrix: 'bt709', fullRange: true } });
    expect(cropRgb(picture, { x: 0, y: 0, width: 256, height: 1 })).toEqual(grey);
  });

  it('refuses rectangles that are not whole pixels of the picture', () => {
    const picture = noise(20, 20, limited709);
    expect(() => cropLuma(picture, { x: 1, y: 1, width: 20, height: 2 })).toThrow(RangeError);
    expect(() => cropRgb(picture, { x: 0.5, y: 1, width: 2, height: 2 })).toThrow(RangeError);
  });
});

describe('change gate', () => {
  it('detects every single changed sample inside, none outside', () => {
    const picture = noise(200, 81, limited709);
    fc.assert(
      fc.property(rect, fc.nat(199), fc.nat(80), (r, x, y) => {
        const [luma, planes] = [cropLuma(picture, r), cropPlanes(picture, r)];
        expect(sameLuma(picture, r, luma) && samePixels(picture, r, planes)).toBe(true);
        const inside = x >= r.x && x < r.x + r.width && y >= r.y && y < r.y + r.height;
        const at = y * picture.y.stride + x;
        picture.y.data[at]! ^= 1;
        const [same, samePlanes] = [sameLuma(picture, r, luma), samePixels(picture, r, planes)];
        picture.y.data[at]! ^= 1;
        expect([same, samePlanes]).toEqual([!inside, !inside]);
        if (!inside) return;
        for (const plane of [picture.u, picture.v]) {
          const chroma = (y >> 1) * plane.stride + (x >> 1);
          plane.data[chroma]! ^= 1;
          const seen = [sameLuma(picture, r, luma), samePixels(picture, r, planes)];
          plane.data[chroma]! ^= 1;
          expect(seen).toEqual([true, false]);
        }
      }),
    );
  });
});
