import { defineStep, identityStep, pixelStep } from '../step.ts';

/** Weighs channels as BT.709 does, in 16-bit fixed point; the weights sum to 65536, so that grey keeps its exact level. */
export function luma(r: number, g: number, b: number): number {
  return (13933 * r + 46871 * g + 4732 * b + 32768) >> 16;
}

const modes = {
  luma,
  mean: (r: number, g: number, b: number): number => Math.round((r + g + b) / 3),
  brightest: (r: number, g: number, b: number): number => Math.max(r, g, b),
  darkest: (r: number, g: number, b: number): number => Math.min(r, g, b),
} as const;

/** The step `grayscale` of a preprocessing chain. */
export const step = defineStep({
  name: 'grayscale',
  description:
    'One gray level per pixel: its luma (default), the mean of the channels, the brightest one (colored text on black) or the darkest one (white text over colored scenery).',
  options: { mode: { enum: ['luma', 'mean', 'brightest', 'darkest'], default: 'luma' } },
  input: 'any',
  compile: ({ mode = 'luma' }, shape) => (shape.channels === 1 ? identityStep(shape) : pixelStep(shape, modes[mode])),
});
