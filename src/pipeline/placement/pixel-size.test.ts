import { expect, it } from 'vitest';
import { sizesOf } from './pixel-size.ts';

it('takes a wide picture for one of the modes of Quake III made wide, or for a larger one made smaller', () => {
  const sizes = sizesOf(1280, 720);
  // 960 × 720 and 1280 × 960 at 1280 × 720; 1920 × 1080 made smaller. As it is needs no search.
  expect(sizes).toContainEqual({ pixel: 1, aspect: 0.75 });
  expect(sizes).toContainEqual({ pixel: 0.75, aspect: 0.75 });
  expect(sizes).toContainEqual({ pixel: 0.6667 });
  expect(sizes).not.toContainEqual({ pixel: 1 });
});
