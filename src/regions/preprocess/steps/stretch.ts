import { number, positive } from '../../../schema/build.ts';
import { defineStep, histogram, mapLevels } from '../step.ts';

// A kernel of its own: sharp's `normalise` rounds in CIELAB, its `gamma` is limited to 1…3.
/** The step `stretch` of a preprocessing chain. */
export const step = defineStep({
  name: 'stretch',
  description:
    'Spreads levels `black`…`white` over 0…255 (linear, or with `gamma`: below 1 darkens, above 1 brightens). Where one of the two is not given it is found in each crop: the level that the share `clip` of the pixels does not reach (default 0.01).',
  options: {
    black: number([0, 255]),
    white: number([0, 255]),
    gamma: positive(10, undefined, 1),
    clip: { type: 'number', minimum: 0, exclusiveMaximum: 0.5, default: 0.01 },
  },
  input: 'grey',
  compile({ black, white, gamma = 1, clip = 0.01 }, shape) {
    return {
      shape,
      kernel(crop) {
        const counts = black === undefined || white === undefined ? histogram(crop) : undefined;
        const clipped = clip * crop.data.length;
        const low = black ?? percentile(counts!, clipped);
        const high = white ?? 255 - percentile(counts!.toReversed(), clipped);
        return mapLevels(crop, curve(low, high, gamma));
      },
    };
  },
});

/** Returns the first level up to which there are more than `count` pixels. */
function percentile(counts: Uint32Array, count: number): number {
  let passed = 0;
  for (let level = 0; level < 256; level++) {
    passed += counts[level]!;
    if (passed > count) return level;
  }
  return 255;
}

/** Maps levels up to `black` to 0, from `white` to 255; a flat crop (white ≤ black) keeps its levels. */
function curve(black: number, white: number, gamma: number): (level: number) => number {
  if (white <= black) return (level) => level;
  return (level) => 255 * Math.min(1, Math.max(0, (level - black) / (white - black))) ** (1 / gamma);
}
