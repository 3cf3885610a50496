import { describe, expect, it } from 'vitest';
import { cutIcon, pickColor } from './icon-mask.ts';

const [WIDTH, HEIGHT] = [12, 10];

/** A red ring of 6×6 pixels with a green middle, on a background of one level. */
function frame(background: number): { data: Uint8Array; width: number; height: number; channels: 3 } {
  const data = new Uint8Array(3 * WIDTH * HEIGHT).fill(background);
  for (let y = 2; y < 8; y++)
    for (let x = 3; x < 9; x++) {
      const isMiddle = x > 4 && x < 7 && y > 3 && y < 6;
      data.set(isMiddle ? [0, 200, 0] : [220, 10, 10], 3 * (y * WIDTH + x));
    }
  return { data, width: WIDTH, height: HEIGHT, channels: 3 };
}

describe('cutIcon', () => {
  it('finds the pixels that stay the same while the scene changes', () => {
    const icon = cutIcon([frame(20), frame(120), frame(250)], [{ x: 3, y: 2 }])!;
    expect(icon).toMatchObject({ x: 3, y: 2, width: 6, height: 6, pixels: 36 });
    expect([...icon.rgba.subarray(0, 4)]).toEqual([220, 10, 10, 255]);
  });

  it('leaves out crops that show something else where was clicked', () => {
    const empty = { ...frame(90), data: new Uint8Array(3 * WIDTH * HEIGHT).fill(90) };
    expect(cutIcon([frame(20), empty, frame(250)], [{ x: 5, y: 4 }])).toMatchObject({ pixels: 36 });
  });

  it('follows similar colours in a single crop, from several clicks', () => {
    expect(cutIcon([frame(20)], [{ x: 5, y: 4 }])).toMatchObject({ x: 5, y: 4, width: 2, height: 2, pixels: 4 });
    expect(
      cutIcon(
        [frame(20)],
        [
          { x: 5, y: 4 },
          { x: 3, y: 2 },
        ],
      ),
    ).toMatchObject({ pixels: 36 });
  });

  it('finds nothing where the scene was clicked', () => {
    const noisy = frame(20);
    noisy.data.set([250, 250, 250], 0);
    expect(cutIcon([frame(20), { ...noisy }, frame(20)], [{ x: 0, y: 0 }])).toBeUndefined();
  });
});

describe('pickColor', () => {
  it('gives the median colour as profiles write it', () => {
    const crop = frame(20);
    crop.data.set([255, 255, 255], 3 * (3 * WIDTH + 4));
    expect(pickColor(crop, { x: 4, y: 2 })).toBe('#dc0a0a');
    expect(pickColor(crop, { x: 0, y: 0 })).toBe('#141414');
  });
});
