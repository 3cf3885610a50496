import { expect, it } from 'vitest';
import { stillPicture } from '../../test/fixtures/still.ts';
import { AppearingLines } from './appearing-lines.ts';

const size = { width: 320, height: 180 };

/** A scene of blocks that scroll by; a row of eight bars, 12 pixels high, is drawn over it in samples 4 to 8. */
function frameAt(n: number, speed: number) {
  const rgb = new Uint8Array(size.width * size.height * 3);
  for (let y = 0; y < size.height; y++)
    for (let x = 0; x < size.width; x++) {
      const [column, row] = [Math.floor((x + speed * n) / 41), Math.floor((y + 2 * speed * n) / 37)];
      const scene = 40 + 45 * ((column * 7 + row * 5) % 4);
      const [left, top] = [x - 120, y - 60];
      const isBar = left >= 0 && left < 64 && top >= 0 && top < 12 && left % 8 < 4;
      rgb.fill(isBar && n >= 4 && n <= 8 ? 255 : scene, 3 * (y * size.width + x), 3 * (y * size.width + x) + 3);
    }
  return stillPicture(rgb, size, { t: n / 2 });
}

it.each([7, 0])('finds a line once, when it appears in front of a scene that moves by %i pixels', (speed) => {
  const lines = new AppearingLines(size);
  const found = Array.from({ length: 12 }, (_, n) =>
    lines
      .add(frameAt(n, speed), 0)
      .filter(({ x, y, width, height }) => x > 112 && x + width < 192 && y > 54 && y + height < 78 && width > 56),
  );
  // It is known to stay in the sample after that in which it appears.
  expect(found.map(({ length }) => length)).toEqual([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
});
