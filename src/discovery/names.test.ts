import { expect, it } from 'vitest';
import { findCaptions } from './names.ts';

const box = (x: number, y: number, width: number) => ({ x, y, width, height: 20 });

it('gives a label to the figure that is nearest to it', () => {
  // LIONS 13 | 9 RAVENS, and a clock after it.
  const [home, away, clock] = [box(100, 10, 24), box(140, 10, 14), box(250, 10, 60)];
  const labels = [
    { rect: box(30, 10, 62), text: 'LIONS' },
    { rect: box(158, 10, 80), text: 'RAVENS' },
  ];
  const captions = findCaptions([home, away, clock], labels);
  expect([home, away, clock].map((one) => captions.get(one)?.text)).toEqual(['LIONS', 'RAVENS', undefined]);
});

it('takes a label above or below, but none from elsewhere', () => {
  const [figure, other] = [box(100, 40, 30), box(400, 300, 30)];
  const captions = findCaptions([figure, other], [{ rect: box(95, 18, 50), text: 'Gold' }]);
  expect(captions.get(figure)?.text).toBe('Gold');
  expect(captions.has(other)).toBe(false);
});
