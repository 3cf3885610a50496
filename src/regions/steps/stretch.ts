import type { StepKind } from '../step.ts';
import { histogram, levelStep } from '../step.ts';

interface StretchOptions {
  readonly black?: number;
  readonly white?: number;
  readonly gamma?: number;
  readonly clip?: number;
}

export const step: StepKind<StretchOptions> = {
  name: 'stretch',
  description:
    'Spreads levels `black`…`white` over 0…255 (linear, or with `gamma`: below 1 darkens, above 1 brightens). Where one of the two is not given it is found in each crop: the level that the share `clip` of the pixels does not reach (default 0.01).',
  options: {
    black: { type: 'number', minimum: 0, maximum: 255 },
    white: { type: 'number', minimum: 0, maximum: 255 },
    gamma: { type: 'number', exclusiveMinimum: 0, maximum: 10, default: 1 },
    clip: { type: 'number', minimum: 0, exclusiveMaximum: 0.5, default: 0.01 },
  },
  input: 'grey',
  compile({ black, white, gamma = 1, clip = 0.01 }, shape) {
    if (black !== undefined && white !== undefined) return levelStep(shape, curve(black, white, gamma));
    return {
      shape,
      run(crop) {
        const counts = histogram(crop);
        const skipped = clip * crop.data.length;
        const low = black ?? passing(counts, skipped);
        const high = white ?? 255 - passing(counts.toReversed(), skipped);
        return levelStep(shape, curve(low, high, gamma)).run(crop);
      },
    };
  },
};

/** The first level at which more than `count` pixels have been passed. */
function passing(counts: Uint32Array, count: number): number {
  let passed = 0;
  for (let level = 0; level < 256; level++) {
    passed += counts[level]!;
    if (passed > count) return level;
  }
  return 255;
}

/** Levels up to `black` to 0, from `white` to 255; a flat crop (white ≤ black) keeps its levels. */
function curve(black: number, white: number, gamma: number): (level: number) => number {
  if (white <= black) return (level) => level;
  return (level) => 255 * Math.min(1, Math.max(0, (level - black) / (white - black))) ** (1 / gamma);
}
