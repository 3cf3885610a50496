import { expect, it } from 'vitest';
import { listPixelSizes } from './pixel-size.ts';

it('lists sizes of a 16:9 picture stretched from a mode of Quake III or reduced from a larger resolution', () => {
  const sizes = listPixelSizes(1280, 720);
  // 960 × 720 and 1280 × 960 at 1280 × 720; 1920 × 1080 reduced. Size 1 is the default and not listed.
  expect(sizes).toContainEqual({ pixel: 1, aspect: 0.75 });
  expect(sizes).toContainEqual({ pixel: 0.75, aspect: 0.75 });
  expect(sizes).toContainEqual({ pixel: 0.6667 });
  expect(sizes).not.toContainEqual({ pixel: 1 });
});
