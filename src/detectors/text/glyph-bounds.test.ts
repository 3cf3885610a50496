import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Atlas, parseAtlas } from './atlas.ts';
import { GlyphScorer } from './glyph-scorer.ts';
import type { LineImage } from './line-image.ts';

function atlasOf(path: string): Atlas {
  return parseAtlas(readFileSync(`${import.meta.dirname}/../../../configs/${path}`, 'utf8'), path);
}

/** Numbers in [0, 1), the same in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A line of random glyphs, as bright as `gain` says, over scenery that is `rough`, between smooth and noisy. */
function lineOf(atlas: Atlas, width: number, rough: number, gain: number, next: () => number): LineImage {
  const height = atlas.file.height + 2;
  const [ground, slope] = [255 * next(), 4 * next() - 2];
  const data = Float32Array.from({ length: width * height }, (_, i) => {
    const level = ground + slope * (i % width) + rough * (next() - 0.5);
    return Math.min(255, Math.max(0, level));
  });
  for (let x = 1; x < width; ) {
    const glyph = atlas.glyphs[Math.floor(next() * atlas.glyphs.length)]!;
    if (x + glyph.width >= width) break;
    if (next() < 0.7)
      for (const [i, level] of glyph.level.entries())
        data[(glyph.dy[i]! + 1) * width + x + glyph.dx[i]!] = gain * level + 10 * (next() - 0.5);
    x += glyph.width;
  }
  return { data, width, height };
}

/** Log likelihood ratio of every glyph beyond which `mayExceedLimit` must tell. */
const LIMIT = 10;

describe.each(['openarena/fonts/items.json', 'openarena/fonts/console.json', 'freedoom/fonts/message.json'])(
  'bounds of scores of %s',
  (path) => {
    const atlas = atlasOf(path);
    const scorer = new GlyphScorer(atlas);
    const all = atlas.glyphs.map((_, i) => i);
    const bounds = scorer.bounds(
      all,
      all.map(() => LIMIT),
    )!;
    const widest = Math.max(...atlas.glyphs.map(({ width }) => width));

    it.each([0, 20, 200])('hold what is scored, on scenery of roughness %i', (rough) => {
      const next = random(rough + 1);
      for (let round = 0; round < 12; round++) {
        const image = lineOf(atlas, 6 * widest + 2, rough, 0.1 + next(), next);
        scorer.look(image);
        const xs = atlas.file.layout === 'fixed' ? all.slice(0, 5).map((i) => 1 + i * atlas.file.pitch!) : [];
        bounds.look(image);
        bounds.boundCells(xs, round % 3, new Uint8Array(xs.length));
        expect(xs.flatMap((x, place) => outside(x, round % 3, place))).toEqual([]);
        bounds.boundPlaces(4 * round, 1);
        expect([0, 1, 2, 3].flatMap((place) => outside(4 * round + place, 1, place, image.width))).toEqual([]);
      }
    });

    /** Glyphs whose score is not within its bounds, or exceeds the limit unannounced. */
    function outside(x: number, y: number, place: number, end = Number.POSITIVE_INFINITY): number[] {
      return all.filter((index) => {
        if (x + atlas.glyphs[index]!.width > end) return false;
        const { llr } = scorer.score(index, x, y);
        if (llr > LIMIT && !bounds.mayExceedLimit(place)) return true;
        return !(bounds.lower(index, place) <= llr && llr <= bounds.upper(index, place));
      });
    }
  },
);
