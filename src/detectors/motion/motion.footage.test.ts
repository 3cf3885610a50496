import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Picture } from '../../media/picture.ts';
import type { Cue } from '../../cues/cue.ts';
import { createTracker, type Tracker } from '../../cues/tracker.ts';
import type { Observation, Sketch } from '../kind.ts';
import { eachFrame, greyPicture, viewOf } from '../../../test/fixtures/views.ts';
import { brightness, createSketch, measureMovement, type Movement } from './block-motion.ts';
import { kind, type MotionOptions } from './index.ts';
import { StrokeFinder } from './patterns.ts';

const footage = join(import.meta.dirname, '../../../test/footage/freedoom-demo1.mp4');

/** Luma of two frames of a recording that show different places, in memory of their own. */
const scenes: { data: Uint8Array; width: number; height: number }[] = [];

beforeAll(() => {
  eachFrame(footage, [140, 700], (picture) => {
    const { data, stride, width, height } = picture.y;
    const copy = new Uint8Array(width * height);
    for (let y = 0; y < height; y++) copy.set(data.subarray(y * stride, y * stride + width), y * width);
    scenes.push({ data: copy, width, height });
  });
});

interface Shot {
  /** Middle of the part that is seen, as a fraction of the scene, and its size. */
  readonly x?: number;
  readonly y?: number;
  readonly size?: number;
  readonly light?: (level: number) => number;
}

/** What a camera sees of a scene: a part of it, enlarged or reduced to 640 × 360 by the nearest pixel. */
function shot(
  t: number,
  scene: number,
  { x = 0.5, y = 0.45, size = 0.6, light = (level) => level }: Shot = {},
): Picture {
  const { data, width, height } = scenes[scene]!;
  const [columns, rows] = [640, 360];
  const step = (size * width) / columns;
  const luma = new Uint8Array(columns * rows);
  for (let row = 0; row < rows; row++) {
    const from = Math.min(height - 1, Math.max(0, Math.round(y * height + (row - rows / 2) * step))) * width;
    for (let column = 0; column < columns; column++) {
      const at = Math.min(width - 1, Math.max(0, Math.round(x * width + (column - columns / 2) * step)));
      luma[row * columns + column] = Math.max(0, Math.min(255, Math.round(light(data[from + at]!))));
    }
  }
  const chroma = { data: new Uint8Array(0), stride: 0, width: 0, height: 0 };
  return {
    t,
    width: columns,
    height: rows,
    y: { data: luma, stride: columns, width: columns, height: rows },
    u: chroma,
    v: chroma,
    chromaShiftX: 1,
    chromaShiftY: 1,
    color: { matrix: 'bt709', fullRange: true },
    [Symbol.dispose]() {},
  };
}

const view = { x: 0, y: 0, width: 1, height: 1 };

function sketch(picture: Picture): Sketch {
  return createSketch(picture, { x: 0, y: 0, width: picture.width, height: picture.height });
}

function between(a: Picture, b: Picture): Movement {
  return measureMovement(sketch(a), sketch(b));
}

/** The cues of a detector on a series of pictures. */
async function cuesOn(options: Omit<MotionOptions, 'region'>, pictures: readonly Picture[]): Promise<Cue[]> {
  const spec = { kind: 'motion', region: 'view', ...options };
  const comparer = kind.compare!(spec);
  const tracker: Tracker = (await kind.track?.('m', spec, 0.1, { read: never })) ?? createTracker('m', spec, 0.1);
  const cues: Cue[] = [];
  let before: Sketch | undefined;
  for (const picture of pictures) {
    const now = comparer.sketch(viewOf(picture, view))!;
    cues.push(...tracker.push({ detector: 'm', t: picture.t, observation: comparer.compare(before, now) }));
    before = now;
  }
  return [...cues, ...tracker.end(pictures.at(-1)!.t)];
}

function never(): Promise<never> {
  return Promise.reject(new Error('no assets'));
}

/** Ten pictures a second: `at(i)` says what the i-th shows. */
function film(count: number, at: (i: number) => { readonly scene?: number } & Shot): Picture[] {
  return Array.from({ length: count }, (_, i) => {
    const { scene = 0, ...part } = at(i);
    return shot(i / 10, scene, part);
  });
}

function brightened(from: number, to: number): Picture[] {
  return film(30, (i) => (i >= from && i < to ? { light: (level: number) => level + 60 } : {}));
}

/** Three seconds, or so many pictures, of a camera that turns. */
function along(at: (i: number) => number, count = 30): Picture[] {
  return film(count, (i) => ({ x: at(i) }));
}

function blow(i: number): number {
  return 0.4 + 0.05 * Math.max(0, Math.min(i, 15) - 12);
}

describe('movement between two samples', () => {
  it.each([
    ['to the left', 0.03, 0],
    ['to the right', -0.045, 0],
    ['far to the left', 0.14, 0],
    ['up', 0, 0.05],
    ['aslant', -0.03, -0.04],
  ])('of a camera that turns shows the picture going %s', (_, dx, dy) => {
    const moved = between(shot(0, 0), shot(0.1, 0, { x: 0.5 + dx, y: 0.45 + dy }));
    // 0.6 of the scene's width is seen, at 16 : 9; the content goes against the camera. Heights a second.
    expect(moved.x).toBeCloseTo(((-dx / 0.6) * (16 / 9)) / 0.1, 0);
    expect(moved.y).toBeCloseTo(-dy / 0.6 / 0.1, 0);
    expect(Math.abs(moved.x! - ((-dx / 0.6) * (16 / 9)) / 0.1)).toBeLessThan(0.12);
    expect(moved.lost).toBeLessThan(0.35);
  });

  it('distinguishes zoom from translation', () => {
    const { zoom, x, y } = between(shot(0, 0, { size: 0.6 }), shot(0.1, 0, { size: 0.55 }));
    expect(zoom).toBeGreaterThan(0.6);
    expect(zoom).toBeLessThan(1.2);
    expect(Math.hypot(x!, y!)).toBeLessThan(0.2);
  });

  it('is zero for the same picture at any brightness', () => {
    const same = between(shot(0, 0), shot(0.1, 0));
    expect(same).toMatchObject({ difference: 0, x: 0, y: 0, zoom: 0, parts: 0, lost: 0 });
    const brighter = between(shot(0, 0), shot(0.1, 0, { light: (level) => 0.8 * level + 40 }));
    expect(Math.hypot(brighter.x!, brighter.y!)).toBeLessThan(0.02);
    expect(brighter.lost).toBeLessThan(0.1);
    expect(brighter.difference).toBeGreaterThan(10);
  });

  it('counts all structure of another scene as lost', () => {
    expect(between(shot(0, 0), shot(0.1, 1)).lost).toBeGreaterThan(0.7);
  });

  it('measures the brightness of a region', () => {
    const grey = brightness(sketch(shot(0, 0, { light: () => 100 })));
    expect(grey.level).toBeCloseTo(100, 5);
    expect(grey.contrast).toBeCloseTo(0, 5);
  });
});

describe('a motion detector', () => {
  it('finds movement with its direction, and loses it when the picture stops', async () => {
    const pictures = film(30, (i) => ({ x: 0.4 + 0.015 * Math.max(0, Math.min(i, 20) - 8) }));
    const cues = await cuesOn({ of: 'movement', directions: true }, pictures);
    expect(cues.map(({ t, trigger, value }) => [t, trigger, value])).toEqual([
      [0.9, 'found', 'left'],
      [2.1, 'lost', undefined],
    ]);
  });

  it('distinguishes parts that move from the whole', async () => {
    const still = shot(0, 0);
    const moving = Array.from({ length: 6 }, (_, i): Picture => {
      const part = shot(i / 10, 0, { x: 0.5 - 0.012 * i });
      const data = still.y.data.slice();
      for (let y = 160; y < 340; y++) data.set(part.y.data.subarray(y * 640, y * 640 + 360), y * 640);
      return { ...part, y: { ...part.y, data } };
    });
    const of = { of: 'movement', directions: true } as const;
    expect(await cuesOn({ ...of, what: 'parts' }, moving)).toMatchObject([{ trigger: 'found', value: 'parts' }]);
    expect(await cuesOn({ ...of, what: 'whole' }, moving)).toEqual([]);
  });

  it('finds a cut to another scene, but not in a fast turn of the camera', async () => {
    const cut = film(20, (i) => ({ scene: i < 11 ? 0 : 1, x: 0.4 + 0.01 * i }));
    expect(await cuesOn({ of: 'cut' }, cut)).toMatchObject([{ t: 1.1, trigger: 'found', value: 'cut' }]);
    const turn = film(20, (i) => ({ x: 0.3 + 0.05 * Math.max(0, Math.min(i, 14) - 6) }));
    expect(await cuesOn({ of: 'cut' }, turn)).toEqual([]);
  });

  it('finds fades to and from any colour', async () => {
    for (const level of [0, 255]) {
      const fade = film(40, (i) => {
        const share = Math.min(1, Math.max(0, i <= 20 ? (15 - i) / 8 : (i - 22) / 8));
        return { light: (pixel) => share * pixel + (1 - share) * level };
      });
      const cues = await cuesOn({ of: 'fade' }, fade);
      expect(cues.map(({ value }) => value)).toEqual(['out', 'in']);
      expect(Math.abs(cues[0]!.t - 0.7)).toBeLessThan(0.2);
      expect(Math.abs(cues[1]!.t - 2.2)).toBeLessThan(0.2);
    }
  });

  it('finds flashes, but no lasting change of brightness', async () => {
    expect(await cuesOn({ of: 'flash' }, brightened(12, 14))).toMatchObject([{ t: 1.2, value: 'bright' }]);
    expect(await cuesOn({ of: 'flash' }, brightened(12, 30))).toEqual([]);
  });

  it('finds a burst after calm, and a swing only after a movement in the opposite direction', async () => {
    const swing = (i: number): number => blow(i) - 0.012 * Math.max(0, Math.min(i, 12) - 8);
    const options = { of: 'burst', speed: 1 } as const;
    expect(await cuesOn(options, along(blow))).toMatchObject([{ t: 1.3, value: 'burst' }]);
    expect(await cuesOn({ ...options, swing: true }, along(blow))).toEqual([]);
    expect(await cuesOn({ ...options, swing: true }, along(swing))).toMatchObject([{ t: 1.3, value: 'burst' }]);
    expect(
      await cuesOn(
        options,
        along((i) => 0.3 + 0.02 * i),
      ),
    ).toEqual([]);
  });

  it('finds no strokes in a region that is smaller than a place', async () => {
    const tiny = Array.from({ length: 40 }, (_, i) => ({
      ...greyPicture(9, 3, (x) => 20 * x + 10 * (i % 7)),
      t: i / 10,
    }));
    expect(await cuesOn({ of: 'stroke' }, tiny)).toEqual([]);
  });

  it('does not delay later cues forever for a possible stroke', () => {
    // A figure of four postures in forty places, in turn or at random; noise of less than a step of the levels.
    let state = 1;
    const random = (): number => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
    const postures = Array.from({ length: 4 }, () => Array.from({ length: 40 }, () => 40 + 50 * random()));
    const still = between(shot(0, 0), shot(0, 0));
    const finder = new StrokeFinder({ region: 'x', of: 'stroke', share: 0.15, longest: 1.2 });
    let [posture, found, known] = [0, 0, 0];
    for (let i = 0; i < 600; i++) {
      if (i % 6 === 0) posture = i % 120 < 60 ? (posture + 1) % 3 : Math.floor(4 * random());
      const t = i / 10;
      const levels = String.fromCharCode(...postures[posture]!.map((level) => Math.floor(level + random())));
      for (const happening of finder.push({ ...still, t, levels })) {
        expect(happening.t).toBeGreaterThanOrEqual(known);
        found++;
      }
      known = finder.pendingSince()!;
      // Twice the longest stroke, and for how long one is compared with those before it.
      expect(t - known).toBeLessThan(2 * 1.2 + 3);
    }
    expect(found).toBeGreaterThan(5);
  });

  it('finds each stroke of a foreground object over a moving scene, but not an object that stays away', async () => {
    const before = shot(0, 1, { x: 0.3 });
    const held = (count: number, away: (i: number) => boolean): Picture[] =>
      along((i) => 0.3 + 0.004 * i, count).map((picture, i) => {
        const data = picture.y.data.slice();
        // Two fifths of the picture: a piece of another scene, or that upside down and brighter.
        for (let y = 90; y < 360; y++) {
          const from = (away(i) ? 449 - y : y) * 640 + 100;
          const piece = before.y.data.subarray(from, from + 340);
          data.set(away(i) ? piece.map((level) => Math.min(255, 2 * level + 40)) : piece, y * 640 + 150);
        }
        return { ...picture, y: { ...picture.y, data } };
      });
    const options = { of: 'stroke' } as const;
    const twice = await cuesOn(
      options,
      held(46, (i) => (i >= 14 && i < 19) || (i >= 33 && i < 38)),
    );
    expect(twice.map(({ t, value, trigger }) => [t, value, trigger])).toEqual([
      [1.4, 'stroke', 'found'],
      [3.3, 'stroke', 'found'],
    ]);
    expect(twice[0]).toMatchObject({ detail: { end: 1.8 } });
    const repeated = await cuesOn(
      options,
      held(46, (i) => i >= 14 && i < 44 && (i - 14) % 10 < 5),
    );
    expect(repeated.map(({ t }) => t)).toEqual([1.4, 2.4, 3.4]);
    expect(
      await cuesOn(
        options,
        held(32, (i) => i >= 14),
      ),
    ).toEqual([]);
  });

  it('finds black and frozen pictures', async () => {
    const dark = film(20, (i) => (i < 8 || i >= 14 ? {} : { light: () => 8 }));
    expect((await cuesOn({ of: 'black' }, dark)).map(({ t, trigger }) => [t, trigger])).toEqual([
      [0.8, 'found'],
      [1.4, 'lost'],
    ]);
    const stuck = film(20, (i) => ({ x: 0.4 + 0.01 * (i < 8 ? i : i < 14 ? 7 : i) }));
    expect((await cuesOn({ of: 'freeze' }, stuck)).map(({ t, trigger }) => [t, trigger])).toEqual([
      [0.8, 'found'],
      [1.4, 'lost'],
    ]);
  });

  it('is unreadable for a single picture and across a gap in the recording', () => {
    const comparer = kind.compare!({ region: 'view', of: 'movement' });
    const [first, later] = [0, 3].map((t) => sketch(shot(t, 0))) as [Sketch, Sketch];
    const states = [comparer.compare(undefined, first), comparer.compare(first, later)];
    expect(states.map(({ state }: Observation) => state)).toEqual(['unreadable', 'unreadable']);
  });
});
