import * as fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { Observation, PreparedCrop } from '../kind.ts';
import type { Picture } from '../../media/picture.ts';
import { cropRgb } from '../../regions/crop.ts';
import { draw, eachFrame, viewOf, viewOfImage } from '../../../test/fixtures/views.ts';
import { focusOnDifferences } from './template.ts';
import { kind, openIcons } from './index.ts';
import { Matcher } from './matcher.ts';
import { learnTemplate, readTemplate, scaleTemplate } from './template.ts';
import type { Template } from './template.ts';

type Paint = Parameters<typeof draw>[2];

/** An arrow pointing right. */
const arrow = (x: number, y: number): boolean => (x > 10 ? Math.abs(y - 12) < 22 - x : Math.abs(y - 12) < 4);

/** Three marks on a disc of 24 pixels, transparent outside: same shape, other colours or other pattern. */
const marks = {
  red: (x, y) => (arrow(x, y) ? [220, 40, 40] : [40, 30, 30]),
  green: (x, y) => (arrow(x, y) ? [40, 220, 40] : [30, 40, 30]),
  rings: (x, y) => (Math.round(Math.hypot(x - 12, y - 12)) % 5 < 2 ? [220, 40, 40] : [40, 30, 30]),
} satisfies Record<string, Paint>;
type Name = keyof typeof marks;

const disc = (x: number, y: number): boolean => Math.hypot(x - 11.5, y - 11.5) < 11;

function template(name: Name): Template {
  const { data } = draw(24, 24, marks[name]);
  return {
    width: 24,
    height: 24,
    rgb: data,
    mask: Uint8Array.from({ length: 576 }, (_, i) => (disc(i % 24, Math.floor(i / 24)) ? 255 : 0)),
  };
}

const templates = (Object.keys(marks) as Name[]).map((name) => ({ name, template: template(name) }));

/** A crop with scenery that varies with `seed`, and a mark at (x, y). */
function scene(
  name: Name | undefined,
  x: number,
  y: number,
  seed: number,
  light: (level: number) => number = (level) => level,
): PreparedCrop {
  return draw(60, 50, (px, py) => {
    const noise = ((px * 31 + py * 17 + seed * 7) * 2654435761) >>> 24;
    const scenery = [90 + 40 * Math.sin((px + seed) / 5), 80 + 40 * Math.cos((py + seed) / 7), 60 + noise / 8] as const;
    const inside = name !== undefined && px >= x && py >= y && px < x + 24 && py < y + 24 && disc(px - x, py - y);
    const [r, g, b] = inside ? (marks[name](px - x, py - y) as readonly [number, number, number]) : scenery;
    return [Math.min(255, light(r)), Math.min(255, light(g)), Math.min(255, light(b))];
  });
}

function observe(crop: PreparedCrop, options: Parameters<typeof openIcons>[0] = {}): Observation {
  using detector = openIcons(options, templates);
  return detector.read(viewOfImage(crop)) as Observation;
}

/** The red mark at a place, looked for within 3 pixels of the middle. */
function at(x: number, y: number): Observation {
  return observe(scene('red', x, y, 5), { search: 3 });
}

/** The red mark at a place, looked for in a row whose places are 12 pixels apart. */
function inRow(x: number, y: number, options: Parameters<typeof openIcons>[0] = {}): Observation {
  return observe(scene('red', x, y, 5), { search: { x: 18, y: 2 }, pitch: { x: 12 }, ...options });
}

function flat(color: readonly [number, number, number]): Template {
  return { width: 10, height: 10, rgb: draw(10, 10, () => color).data, mask: new Uint8Array(100).fill(255) };
}

describe('icon', () => {
  it('finds each mark wherever it lies, over any scenery, in any light', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<Name>('red', 'green', 'rings'),
        fc.nat(36),
        fc.nat(26),
        fc.nat(1000),
        fc.constantFrom(1, 0.6),
        fc.constantFrom(0, 40),
        (name, x, y, seed, gain, offset) => {
          const observation = observe(scene(name, x, y, seed, (level) => level * gain + offset));
          expect(observation).toMatchObject({ state: 'seen', value: name, detail: { x, y } });
          expect(observation.confidence).toBeGreaterThan(0.9);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('is absent where there is none', () => {
    for (let seed = 0; seed < 20; seed++) {
      const observation = observe(scene(undefined, 0, 0, seed * 13));
      expect(observation.state).toBe('absent');
      expect(observation.confidence).toBeGreaterThan(0.7);
    }
  });

  it('keeps a tint of the whole screen apart from a change of colour', () => {
    // Doom's damage tint: every colour moves half way to pure red.
    const crop = scene('green', 10, 10, 3);
    const tinted = { ...crop, data: crop.data.map((level, i) => level + ((i % 3 === 0 ? 255 : 0) - level) / 2) };
    expect(observe(tinted)).toMatchObject({ state: 'seen', value: 'green' });
  });

  it('in grey sees patterns only, and says when two names are alike', () => {
    expect(observe(scene('rings', 8, 8, 1), { color: false })).toMatchObject({ state: 'seen', value: 'rings' });
    // The red and the green arrow differ in hue alone.
    expect(observe(scene('red', 8, 8, 1), { color: false })).toMatchObject({ state: 'unreadable' });
  });

  it('looks only within the search window', () => {
    expect(at(18, 13)).toMatchObject({ state: 'seen', detail: { x: 18, y: 13 } });
    expect(at(20, 11)).toMatchObject({ state: 'seen', detail: { x: 20, y: 11 } });
    expect(at(30, 20).state).toBe('absent');
  });

  it('finds icons of a row only where the row has its places', () => {
    // The middle of the crop is (30, 25); a mark of 24 pixels stands in the middle at (18, 13), and 12 pixels to both sides.
    for (const x of [6, 18, 30])
      expect(inRow(x, 13)).toMatchObject({ state: 'seen', value: 'red', detail: { x, y: 13 } });
    for (const x of [10, 12, 14, 22, 24, 26]) expect(inRow(x, 13).state).not.toBe('seen');
    // Up and down, too.
    expect(inRow(18, 21, { search: 16, pitch: { x: 12, y: 8 } })).toMatchObject({
      state: 'seen',
      detail: { x: 18, y: 21 },
    });
    expect(inRow(18, 17, { search: 16, pitch: { x: 12, y: 8 } }).state).not.toBe('seen');
  });

  it('finds icons at both ends of a row without a search window, also in a small picture', () => {
    // Pictures are an eighth of the reference frame.
    const large = templates.map(({ name, template: one }) => ({ name, template: scaleTemplate(one, 192, 192) }));
    using detector = openIcons({ pitch: { x: 96 } }, large);
    for (const x of [6, 30])
      expect(detector.read(viewOfImage(scene('red', x, 13, 5), undefined, 1 / 8))).toMatchObject({
        state: 'seen',
        value: 'red',
        detail: { x, y: 13 },
      });
  });

  it('with likeness wants the colours themselves as well as the pattern', () => {
    const likeness = 0.6;
    const own = observe(scene('red', 8, 8, 1), { likeness });
    expect(own).toMatchObject({ state: 'seen', value: 'red' });
    expect((own as { detail?: { likeness?: number } }).detail?.likeness).toBeGreaterThan(0.9);
    // The same edges, as pale as behind fog: correlation does not mind.
    const pale = scene('red', 8, 8, 1, (level) => 180 + level * 0.25);
    expect(observe(pale)).toMatchObject({ state: 'seen', value: 'red' });
    expect(observe(pale, { likeness }).state).toBe('absent');
  });

  it('matches at the size of the frame, and at several relative sizes', () => {
    const shown = scaleTemplate(template('rings'), 36, 36);
    const crop = draw(70, 60, (x, y) => {
      const cell = (y - 12) * 36 + x - 15;
      const inside = x >= 15 && y >= 12 && x < 51 && y < 48 && shown.mask[cell]! > 127;
      return inside ? [shown.rgb[3 * cell]!, shown.rgb[3 * cell + 1]!, shown.rgb[3 * cell + 2]!] : [70, 70, 70];
    });
    using detector = openIcons({}, templates);
    const view = viewOfImage(crop, undefined, 1.5);
    expect(detector.read(view)).toMatchObject({ state: 'seen', value: 'rings', detail: { x: 15, y: 12 } });
    expect(observe(crop, { scales: [1, 1.25, 1.5] })).toMatchObject({ state: 'seen', value: 'rings' });
    expect(observe(crop).state).toBe('absent');
  });

  it('by difference tells flat icons apart, which have no pattern to correlate', () => {
    const options = { measure: 'difference', threshold: 0.85 } as const;
    using detector = openIcons(options, [
      { name: 'red', template: flat([200, 30, 30]) },
      { name: 'blue', template: flat([30, 30, 200]) },
    ]);
    expect(detector.read(viewOfImage(draw(14, 14, () => [190, 35, 40])))).toMatchObject({
      state: 'seen',
      value: 'red',
    });
    expect(detector.read(viewOfImage(draw(14, 14, () => [110, 110, 110])))).toMatchObject({ state: 'absent' });
  });

  it('takes a name for nothing where the profile says so, and cannot read crops smaller than every icon', () => {
    expect(observe(scene('rings', 5, 5, 2), { none: ['rings'] }).state).toBe('absent');
    expect(observe(draw(10, 10, () => [1, 2, 3])).state).toBe('unreadable');
  });

  it('reads PNG files with alpha from the pack, and says which one it cannot use', async () => {
    const { rgb, mask } = template('red');
    const rgba = Uint8Array.from({ length: 576 * 4 }, (_, i) =>
      i % 4 === 3 ? mask[i >> 2]! : rgb[3 * (i >> 2) + (i % 4)]!,
    );
    const png = await sharp(rgba, { raw: { width: 24, height: 24, channels: 4 } })
      .png()
      .toBuffer();
    expect(await readTemplate(png, 'red.png')).toEqual({ width: 24, height: 24, rgb, mask });
    const files = new Map([
      ['icons/red.png', png],
      ['icons/bad.png', Buffer.from('no picture')],
    ]);
    const assets = { read: async (path: string) => files.get(path)! };
    using detector = await kind.open({ icons: { red: 'icons/red.png' } }, assets);
    expect(await detector.read(viewOfImage(scene('red', 9, 4, 8)))).toMatchObject({ state: 'seen', value: 'red' });
    await expect(kind.open({ icons: { red: 'icons/bad.png' } }, assets)).rejects.toMatchObject({
      code: 'invalid-icon',
      message: expect.stringContaining('icons/bad.png'),
    });
  });
});

/** Cells of the arms panel in frames of 1280×720. */
const cell = (column: number) => ({
  x: (474 + 36 * column) / 1280,
  y: 606 / 720,
  width: 40 / 1280,
  height: 38 / 720,
});

/** The number in a cell, as a template. */
const cut = (picture: Picture, column: number): Template => {
  const rgb = cropRgb(picture, { x: 478 + 36 * column, y: 610, width: 32, height: 30 });
  return { width: 32, height: 30, rgb, mask: new Uint8Array(32 * 30).fill(255) };
};

describe('on footage', () => {
  it("tells weapons owned from weapons not owned on Freedoom's status bar, through damage and pick-up tints", () => {
    // The shotgun, number 3 of the arms panel, is picked up at frame 92 (the message in the lossless capture); number 2 is always owned.
    const footage = `${import.meta.dirname}/../../../test/footage/freedoom-demo1`;
    const icons: { name: string; template: Template }[] = [];
    const frames = [50, ...Array.from({ length: 28 }, (_, i) => 60 + 8 * i)];
    const wrong: unknown[] = [];
    const seen: Record<string, number> = {};
    eachFrame(`${footage}.mp4`, frames, (picture, frame) => {
      if (frame === 50) {
        icons.push({ name: '2 owned', template: cut(picture, 0) }, { name: '3 missing', template: cut(picture, 1) });
        return;
      }
      if (frame === 100) icons.push({ name: '3 owned', template: cut(picture, 1) });
      if (frame >= 88 && frame <= 100) return;
      for (const column of [0, 1]) {
        const expected = column === 0 ? '2 owned' : frame < 92 ? '3 missing' : '3 owned';
        using fresh = openIcons({}, icons);
        const observation = fresh.read(viewOf(picture, cell(column))) as Observation;
        const value = observation.state === 'seen' ? String(observation.value) : observation.state;
        seen[value] = (seen[value] ?? 0) + 1;
        if (value !== expected) wrong.push({ frame, column, observation });
      }
    });
    expect(wrong).toEqual([]);
    expect(Object.keys(seen).toSorted()).toEqual(['2 owned', '3 missing', '3 owned']);
  });
});

describe('Matcher', () => {
  const size = fc.integer({ min: 1, max: 21 });

  it('computes masked scores as the definition has them', () => {
    fc.assert(
      fc.property(
        size,
        size,
        fc.nat(6),
        fc.nat(6),
        fc.constantFrom<1 | 3>(1, 3),
        fc.integer(),
        (width, height, x, y, channels, seed) => {
          let state = seed >>> 0;
          const byte = (): number => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 24;
          const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, byte);
          const crop: PreparedCrop = {
            data: bytes((width + 6) * (height + 6) * channels),
            width: width + 6,
            height: height + 6,
            channels,
          };
          const grey = bytes(width * height);
          const rgb =
            channels === 3
              ? bytes(width * height * 3)
              : Uint8Array.from({ length: width * height * 3 }, (_, i) => grey[Math.floor(i / 3)]!);
          // Masks of whole 31sts, so that the program's rounding of weights does not show.
          const weights = Array.from({ length: width * height }, (_, i) => (i === 0 ? 31 : byte() % 32));
          const mask = Uint8Array.from(weights, (weight) => Math.round((weight * 255) / 31));
          const matcher = new Matcher(channels);
          const pattern = matcher.add({ width, height, rgb, mask });
          const planes = matcher.load(crop);
          const score = (measure: 'correlation' | 'difference') =>
            matcher.scan(planes, pattern, measure, [0, 6], [0, 6])[y * 7 + x]!;
          const pixels = weights.flatMap((weight, i) =>
            Array.from({ length: channels }, (_, k) => {
              const [px, py] = [x + (i % width), y + Math.floor(i / width)];
              return { weight, k, shown: crop.data[(py * crop.width + px) * channels + k]!, wanted: rgb[3 * i + k]! };
            }),
          );
          const total = weights.reduce((a, b) => a + b, 0);
          const mean = (of: (pixel: (typeof pixels)[number]) => number) =>
            pixels.reduce((sum, pixel) => sum + pixel.weight * of(pixel), 0) / total;
          const means = (of: 'shown' | 'wanted') =>
            Array.from({ length: channels }, (_, k) => mean((p) => (p.k === k ? p[of] : 0)));
          const [shown, wanted] = [means('shown'), means('wanted')];
          const covariance = mean((p) => (p.shown - shown[p.k]!) * (p.wanted - wanted[p.k]!));
          const deviation = (of: 'shown' | 'wanted', around: number[]) =>
            Math.max(2 * Math.sqrt(channels), Math.sqrt(mean((p) => (p[of] - around[p.k]!) ** 2)));
          expect(score('correlation')).toBeCloseTo(
            covariance / deviation('shown', shown) / deviation('wanted', wanted),
            8,
          );
          expect(score('difference')).toBeCloseTo(
            Math.max(0, 1 - Math.sqrt(mean((p) => (p.shown - p.wanted) ** 2) / channels) / 128),
            8,
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  it('is exact for the largest icons too', () => {
    // 512×512 white on white: Σ weight · level² = 31 · 255² · 2^18, far beyond 32 bits.
    const white = {
      width: 512,
      height: 512,
      rgb: new Uint8Array(512 * 512 * 3).fill(255),
      mask: new Uint8Array(512 * 512).fill(255),
    };
    const matcher = new Matcher(3);
    const pattern = matcher.add(white);
    const planes = matcher.load({ data: white.rgb, width: 512, height: 512, channels: 3 });
    expect([...matcher.scan(planes, pattern, 'difference', [0, 0], [0, 0])]).toEqual([1]);
  });
});

/** A gradient with a mark in its lower right corner. */
const mark = (level: number): Template => ({
  width: 10,
  height: 10,
  rgb: draw(10, 10, (x, y) => (x > 6 && y > 6 ? [level, 0, 0] : [(x * 20) % 90, y * 20, 80])).data,
  mask: new Uint8Array(100).fill(255),
});

/** Score of a picture that differs from its template only by how the two were halved. */
const LIKE_ITSELF = 0.8;

/** A symbol of stripes of its own width in a frame that all symbols share. */
const framed =
  (stripes: number): Paint =>
  (x, y) => {
    if (x < 3 || y < 3 || x > 50 || y > 50) return [250, 250, 250];
    return Math.floor(x / stripes) % 2 === 0 ? [240, 200, 40] : [10, 10, 20];
  };

describe('icons that are compared at half of their size', () => {
  it('are like their own picture, though only what distinguishes them counts', () => {
    const icons = [3, 5, 9].map((stripes) => ({
      name: String(stripes),
      template: {
        width: 54,
        height: 54,
        rgb: draw(54, 54, framed(stripes)).data,
        mask: new Uint8Array(54 * 54).fill(255),
      },
    }));
    using detector = openIcons({ measure: 'difference', soften: 0 }, icons);
    for (const { name, template: own } of icons) {
      const crop = { data: own.rgb, width: 54, height: 54, channels: 3 } as const;
      const observation = detector.read(viewOfImage(crop)) as Observation;
      expect(observation).toMatchObject({ state: 'seen', value: name });
      expect((observation as { detail?: { score?: number } }).detail?.score).toBeGreaterThan(LIKE_ITSELF);
    }
  });
});

describe('focusOnDifferences', () => {
  it('weighs the pixels in which names differ', () => {
    const icons = focusOnDifferences([
      { name: 'a', template: mark(60) },
      { name: 'b', template: mark(200) },
    ]);
    for (const {
      template: { mask },
    } of icons) {
      expect([mask[99], mask[77], mask[0], mask[66]]).toEqual([255, 255, 51, 51]);
    }
    // One name, or different sizes: nothing to weigh.
    const single = [{ name: 'a', template: mark(60) }];
    expect(focusOnDifferences(single)).toBe(single);
  });
});

describe('learnTemplate', () => {
  it('finds the icon and its mask from crops over different scenery', () => {
    const crops = Array.from({ length: 12 }, (_, n) => scene('red', 18, 13, n * 37));
    const learnt = learnTemplate(crops);
    let [inside, outside] = [0, 0];
    for (let i = 0; i < 60 * 50; i++) {
      const [x, y] = [(i % 60) - 18, Math.floor(i / 60) - 13];
      if (x >= 0 && y >= 0 && x < 24 && y < 24 && disc(x, y)) inside = Math.max(inside, 255 - learnt.mask[i]!);
      else outside = Math.max(outside, learnt.mask[i]!);
    }
    expect(inside).toBeLessThan(10);
    expect(outside).toBeLessThan(200);
  });
});
