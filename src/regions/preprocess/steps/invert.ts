import { defineStep } from '../step.ts';

/** The step `invert` of a preprocessing chain. */
export const step = defineStep({
  name: 'invert',
  description: 'Negative: level v becomes 255 − v. Makes light text on dark into dark text on light.',
  options: {},
  input: 'any',
  compile: (_, shape) => ({ shape, sharp: { operation: 'negate', apply: (image) => image.negate() } }),
});
