import * as fc from 'fast-check';
import sharp from 'sharp';
import type { Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import type { PreprocessStep } from '../../profile/profile.ts';
import { compilePreprocess } from './compile.ts';
import type { Crop } from '../crop.ts';

/** Pseudo-random crop; `smooth` makes it look more like a picture than like noise. */
function random(width: number, height: number, channels: 1 | 3, seed = 7): Crop {
  let state = seed;
  const data = Uint8Array.from({ length: width * height * channels }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
  return { data, width, height, channels };
}

const clamp = (at: number, size: number): number => Math.min(size - 1, Math.max(0, at));

async function apply(crop: Crop, ...steps: PreprocessStep[]): Promise<Crop> {
  const { width, height } = crop;
  const compiled = compilePreprocess(steps, { width, height, scaleX: 1, scaleY: 1 });
  if (compiled.from === 'grey' && crop.channels === 3) throw new Error('this chain starts from grey');
  return compiled.run(crop);
}

function viaSharp(crop: Crop): Sharp {
  return sharp(crop.data, { raw: { width: crop.width, height: crop.height, channels: crop.channels } });
}

/** One grey channel of what sharp makes. */
async function greyOf(image: Sharp): Promise<Uint8Array> {
  return new Uint8Array(await image.extractChannel(0).raw().toBuffer());
}

function rgb(...pixels: readonly (readonly [number, number, number])[]): Crop {
  return { data: Uint8Array.from(pixels.flat()), width: pixels.length, height: 1, channels: 3 };
}

function grey(width: number, ...levels: number[]): Crop {
  return { data: Uint8Array.from(levels), width, height: levels.length / width, channels: 1 };
}

describe('levels and colours', () => {
  it('grayscale keeps grey, and weighs channels as BT.709 does', async () => {
    // An `if` in front keeps the chain in colour.
    const keep = { step: 'if', measure: 'mean' };
    const out = await apply(rgb([77, 77, 77], [255, 0, 0], [0, 255, 0], [0, 0, 255]), keep, { step: 'grayscale' });
    expect([...out.data]).toEqual([77, 54, 182, 18]);
    const darkest = await apply(rgb([200, 10, 90]), { step: 'grayscale', mode: 'darkest' });
    expect([...darkest.data]).toEqual([10]);
  });

  it('isolate is white within the tolerance, fades over the softness', async () => {
    // Distances from (200, 0, 0): 0, 5 (3-4-5), 50, 100.
    const crop = rgb([200, 0, 0], [203, 4, 0], [150, 0, 0], [100, 0, 0]);
    const hard = await apply(crop, { step: 'isolate', colors: ['#c80000'], tolerance: 5 });
    expect([...hard.data]).toEqual([255, 255, 0, 0]);
    // From 0 to 100: at 50 half of 255.
    const soft = await apply(crop, { step: 'isolate', colors: [[200, 0, 0]], tolerance: 0, softness: 100 });
    expect([...soft.data]).toEqual([255, Math.round(255 * 0.95), 128, 0]);
    // The same red, darker: near in chroma only relative to its brightness; grey is far.
    const chroma = await apply(rgb([200, 0, 0], [180, 0, 0], [120, 120, 120]), {
      step: 'isolate',
      colors: ['#c80000'],
      space: 'chroma',
      tolerance: 15,
    });
    expect([...chroma.data]).toEqual([255, 255, 0]);
  });

  it('hsv takes hue ranges through red', async () => {
    // Hues 0°, 350° (pinkish red), 120°, 60°.
    const crop = rgb([255, 0, 0], [240, 0, 40], [0, 255, 0], [255, 255, 0], [90, 90, 90]);
    const red = await apply(crop, { step: 'hsv', hue: [340, 20], saturation: [0.5, 1] });
    expect([...red.data]).toEqual([255, 255, 0, 0, 0]);
    const yellow = await apply(crop, { step: 'hsv', hue: [50, 70] });
    expect([...yellow.data]).toEqual([0, 0, 0, 255, 0]);
  });

  it('channel selects the named channel', async () => {
    const crop = rgb([10, 20, 30]);
    for (const [channel, level] of [
      ['red', 10],
      ['green', 20],
      ['blue', 30],
      ['value', 30],
      ['hue', Math.round((210 / 360) * 255)],
      ['saturation', 170],
    ] as const) {
      expect([...(await apply(crop, { step: 'channel', channel })).data]).toEqual([level]);
    }
    // Pure red: Cr at its most, (255 − 54.2) / 1.5748 + 128 = 255.5.
    expect([...(await apply(rgb([255, 0, 0]), { step: 'channel', channel: 'cr' })).data]).toEqual([255]);
  });

  it('invert subtracts from white, a fixed threshold is white from its level on', async () => {
    const crop = random(40, 30, 1);
    expect((await apply(crop, { step: 'invert' })).data).toEqual(Uint8Array.from(crop.data, (v) => 255 - v));
    expect((await apply(crop, { step: 'grayscale' }, { step: 'threshold', level: 90 })).data).toEqual(
      Uint8Array.from(crop.data, (v) => (v >= 90 ? 255 : 0)),
    );
  });

  it('stretch spreads given levels, or those it finds', async () => {
    const crop = grey(5, 50, 75, 100, 125, 150);
    expect([...(await apply(crop, { step: 'stretch', black: 50, white: 150 })).data]).toEqual([0, 64, 128, 191, 255]);
    expect([...(await apply(crop, { step: 'stretch', clip: 0 })).data]).toEqual([0, 64, 128, 191, 255]);
    // Gamma 2: 255 · √¼ at 75.
    expect([...(await apply(crop, { step: 'stretch', black: 50, white: 150, gamma: 2 })).data][1]).toBe(128);
    // sharp's normalise works on the L* of CIELAB and rounds there.
    const noise = random(64, 64, 1);
    const found = (await apply(noise, { step: 'stretch', clip: 0.01 })).data;
    const reference = await greyOf(viaSharp(noise).normalise({ lower: 1, upper: 99 }));
    expect(Math.max(...found.map((v, i) => Math.abs(v - reference[i]!)))).toBeLessThanOrEqual(6);
  });
});

function mean(list: readonly number[]): number {
  return list.reduce((a, b) => a + b) / list.length;
}

describe('threshold', () => {
  it('of Otsu maximises the variance between the classes', async () => {
    const levels = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 4, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(levels, async (values) => {
        const between = (t: number): number => {
          const [low, high] = [values.filter((v) => v < t), values.filter((v) => v >= t)];
          if (low.length === 0 || high.length === 0) return 0;
          return low.length * high.length * (mean(high) - mean(low)) ** 2;
        };
        const best = Math.max(...Array.from({ length: 256 }, (_, t) => between(t)));
        fc.pre(best > 0);
        const out = await apply(grey(values.length, ...values), { step: 'threshold', method: 'otsu' });
        const split = Math.min(...values.filter((_, i) => out.data[i] === 255));
        expect(between(split)).toBeCloseTo(best, 3);
      }),
    );
  });

  it('adaptive compares with the mean of the window inside the crop', async () => {
    const crop = random(23, 17, 1);
    const out = await apply(crop, { step: 'threshold', method: 'adaptive', window: 7, offset: 5 });
    const expected = Uint8Array.from(crop.data, (value, i) => {
      const [x, y] = [i % 23, Math.floor(i / 23)];
      let [sum, count] = [0, 0];
      for (let v = Math.max(0, y - 4); v <= Math.min(16, y + 4); v++) {
        for (let u = Math.max(0, x - 4); u <= Math.min(22, x + 4); u++) {
          sum += crop.data[v * 23 + u]!;
          count++;
        }
      }
      return value > sum / count + 5 ? 255 : 0;
    });
    expect(out.data).toEqual(expected);
  });
});

describe('neighbourhoods', () => {
  it.each([1, 3] as const)('denoise is the median of the square, edges continued (%i channels)', async (channels) => {
    const [width, height] = [31, 22];
    const crop = random(width, height, channels);
    for (const radius of [1, 2, 3]) {
      const expected = Uint8Array.from(crop.data, (_, i) => {
        const [x, y] = [Math.floor(i / channels) % width, Math.floor(i / channels / width)];
        const levels: number[] = [];
        for (let v = y - radius; v <= y + radius; v++)
          for (let u = x - radius; u <= x + radius; u++)
            levels.push(crop.data[(clamp(v, height) * width + clamp(u, width)) * channels + (i % channels)]!);
        return levels.toSorted((p, q) => p - q)[levels.length >> 1]!;
      });
      expect((await apply(crop, { step: 'denoise', radius })).data).toEqual(expected);
    }
  });

  it('erode and dilate are the least and greatest of the rectangle', async () => {
    const crop = random(29, 19, 1);
    const brute = (rx: number, ry: number, pick: (...levels: number[]) => number) =>
      Uint8Array.from(crop.data, (_, i) => {
        const [x, y] = [i % 29, Math.floor(i / 29)];
        const levels: number[] = [];
        for (let v = Math.max(0, y - ry); v <= Math.min(18, y + ry); v++) {
          for (let u = Math.max(0, x - rx); u <= Math.min(28, x + rx); u++) levels.push(crop.data[v * 29 + u]!);
        }
        return pick(...levels);
      });
    expect((await apply(crop, { step: 'morphology', operation: 'erode', radius: 1 })).data).toEqual(
      brute(1, 1, Math.min),
    );
    expect((await apply(crop, { step: 'morphology', operation: 'dilate', radius: { x: 3, y: 0 } })).data).toEqual(
      brute(3, 0, Math.max),
    );
  });

  it('open never brightens, close never darkens, both are done at once', async () => {
    for (const channels of [1, 3] as const) {
      const crop = random(24, 18, channels, 99);
      for (const [operation, sign] of [
        ['open', -1],
        ['close', 1],
      ] as const) {
        const step = { step: 'morphology', operation };
        const once = await apply(crop, step);
        expect(once.data.every((v, i) => sign * (v - crop.data[i]!) >= 0)).toBe(true);
        expect((await apply(crop, step, step)).data).toEqual(once.data);
      }
    }
  });
});

describe('geometry', () => {
  it('border surrounds the crop', async () => {
    const crop = random(7, 5, 3);
    const ours = await apply(crop, { step: 'border', size: 3, level: 9 });
    const theirs = await viaSharp(crop)
      .extend({ top: 3, bottom: 3, left: 3, right: 3, background: { r: 9, g: 9, b: 9 } })
      .raw()
      .toBuffer();
    expect([ours.width, ours.height]).toEqual([13, 11]);
    expect(ours.data).toEqual(new Uint8Array(theirs));
  });

  it.each([90, 180, 270, -90, 0])('rotates %i° exactly as sharp does', async (degrees) => {
    const crop = random(9, 6, 3);
    const ours = await apply(crop, { step: 'rotate', degrees });
    const { data, info } = await viaSharp(crop).rotate(degrees).raw().toBuffer({ resolveWithObject: true });
    expect([ours.width, ours.height]).toEqual([info.width, info.height]);
    expect(ours.data).toEqual(new Uint8Array(data));
  });

  it('rotates by any angle so that turning back finds the picture again', async () => {
    // A smooth picture: bilinear interpolation of a plane is exact.
    const [width, height] = [40, 30];
    const data = Uint8Array.from(
      { length: width * height },
      (_, i) => 20 + 3 * (i % width) + 2 * Math.floor(i / width),
    );
    const crop: Crop = { data, width, height, channels: 1 };
    const there = await apply(crop, { step: 'grayscale' }, { step: 'rotate', degrees: 17 });
    const back = await apply(there, { step: 'grayscale' }, { step: 'rotate', degrees: -17 });
    const [dx, dy] = [(back.width - width) / 2, (back.height - height) / 2];
    let worst = 0;
    for (let y = 6; y < height - 6; y++) {
      for (let x = 6; x < width - 6; x++) {
        // The plane at the true position of this pixel's centre, also where the margin is half a pixel.
        const plane = 20 + 3 * (x - (dx % 1)) + 2 * (y - (dy % 1));
        worst = Math.max(worst, Math.abs(plane - back.data[(y + Math.floor(dy)) * back.width + x + Math.floor(dx)]!));
      }
    }
    expect(worst).toBeLessThanOrEqual(5);
  });

  it('perspective straightens a trapezium', async () => {
    // Level = 100·u + 50·v, where (u, v) are the coordinates in the panel, drawn through the forward map of the corners.
    const corners = [
      [0.25, 0.25],
      [0.75, 0.1],
      [0.85, 0.95],
      [0.15, 0.75],
    ] as const;
    const [width, height] = [120, 100];
    const data = new Uint8Array(width * height);
    const inverse = inverseOf(corners);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const [u, v] = inverse((x + 0.5) / width, (y + 0.5) / height);
        data[y * width + x] = Math.min(255, Math.max(0, Math.round(60 + 100 * u + 50 * v)));
      }
    }
    const out = await apply(
      { data, width, height, channels: 1 },
      { step: 'grayscale' },
      { step: 'perspective', corners, width: 50, height: 40 },
    );
    let worst = 0;
    for (let y = 0; y < 40; y++) {
      for (let x = 0; x < 50; x++) {
        worst = Math.max(
          worst,
          Math.abs(out.data[y * 50 + x]! - (60 + (100 * (x + 0.5)) / 50 + (50 * (y + 0.5)) / 40)),
        );
      }
    }
    expect(worst).toBeLessThanOrEqual(1.5);
    await expect(
      apply(
        { data, width, height, channels: 1 },
        { step: 'grayscale' },
        {
          step: 'perspective',
          corners: [
            [0, 0],
            [1, 1],
            [1, 1],
            [0, 1],
          ],
        },
      ),
    ).rejects.toThrow(/quadrilateral/);
  });
});

/** Position in the panel of a point of the crop, by bisecting Newton steps on the bilinear-free projective map; for the test alone. */
function inverseOf(
  corners: readonly (readonly [number, number])[],
): (x: number, y: number) => readonly [number, number] {
  // Solve the eight equations of x = (a u + b v + c) / (g u + h v + 1) by Gauss–Jordan, independent of the program's closed form.
  const rows: number[][] = [];
  const square = [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 1],
  ] as const;
  for (const [n, [u, v]] of square.entries()) {
    const [x, y] = corners[n]!;
    rows.push([u, v, 1, 0, 0, 0, -u * x, -v * x, x], [0, 0, 0, u, v, 1, -u * y, -v * y, y]);
  }
  for (let i = 0; i < 8; i++) {
    const pivot = rows.slice(i).reduce((best, row) => (Math.abs(row[i]!) > Math.abs(best[i]!) ? row : best));
    rows.splice(rows.indexOf(pivot), 1);
    rows.splice(
      i,
      0,
      pivot.map((value) => value / pivot[i]!),
    );
    for (const [n, row] of rows.entries()) if (n !== i) rows[n] = row.map((value, k) => value - row[i]! * rows[i]![k]!);
  }
  const [a, b, c, d, e, f, g, h] = rows.map((row) => row[8]!) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return (x, y) => {
    // (a − g x) u + (b − h x) v = x − c, the same for y.
    const [p, q, r, s] = [a - g * x, b - h * x, d - g * y, e - h * y];
    const determinant = p * s - q * r;
    return [((x - c) * s - q * (y - f)) / determinant, (p * (y - f) - r * (x - c)) / determinant];
  };
}
