import { expect, it } from 'vitest';
import { stillPicture } from '../../test/fixtures/still.ts';
import { SteadyEdges } from './steady-edges.ts';

const size = { width: 320, height: 180 };

/** A frame with blocks that scroll by, and a figure of strokes drawn over it that changes at half the time. */
function frameAt(n: number, speed: number) {
  const rgb = new Uint8Array(size.width * size.height * 3);
  for (let y = 0; y < size.height; y++)
    for (let x = 0; x < size.width; x++) {
      const [column, row] = [Math.floor((x + speed * n) / 23), Math.floor((y + 2 * speed * n) / 17)];
      const scene = speed === 0 ? 80 : 40 + 45 * ((column * 7 + row * 5) % 4);
      const [left, top] = [x - 200, y - 120];
      const inside = left >= 0 && left < 16 && top >= 0 && top < 24;
      const stroke = inside && (left < 4 || top < 4 || (n < 6 ? left >= 12 : top >= 20));
      rgb.fill(
        stroke ? 255 : inside && (left < 6 || top < 6) ? 0 : scene,
        3 * (y * size.width + x),
        3 * (y * size.width + x) + 3,
      );
    }
  return stillPicture(rgb, size, { t: 2 * n });
}

it('finds a single figure in front of a moving scene', () => {
  const edges = new SteadyEdges(size);
  for (let n = 0; n < 12; n++) edges.add(frameAt(n, 5), 0);
  const places = edges.findPlaces();
  expect(places).toHaveLength(1);
  const [{ x, y, width, height }] = places as [(typeof places)[number]];
  expect(x).toBeGreaterThan(190);
  expect(y).toBeGreaterThan(110);
  expect(x + width).toBeLessThan(226);
  expect(y + height).toBeLessThan(154);
});

it('finds a figure on a scene that stays, too', () => {
  const edges = new SteadyEdges(size);
  for (let n = 0; n < 12; n++) edges.add(frameAt(n, 0), 0);
  const places = edges.findPlaces();
  expect(places.some(({ x, y, width, height }) => x < 203 && y < 123 && x + width > 210 && y + height > 138)).toBe(
    true,
  );
});

it('finds frames around icons, and the cells of a row', () => {
  const edges = new SteadyEdges(size);
  const boxes = [
    { x: 40, y: 40, width: 24, height: 24 },
    ...[0, 1, 2].map((cell) => ({ x: 100 + 16 * cell, y: 120, width: 16, height: 12 })),
  ];
  for (let n = 0; n < 12; n++) {
    const picture = frameAt(n, 5);
    const luma = picture.y.data as Uint8Array;
    for (const { x, y, width, height } of boxes)
      for (let row = 0; row < height; row++)
        for (let column = 0; column < width; column++)
          luma[(y + row) * picture.y.stride + x + column] =
            Math.min(row, column, height - 1 - row, width - 1 - column) < 2 ? 235 : 16;
    edges.add(picture, 0);
  }
  // The figure of strokes has nearly a frame, too.
  const frames = edges.findFrames().filter(({ x }) => x < 160);
  expect(frames).toHaveLength(4);
  for (const [i, box] of boxes.entries()) {
    const found = frames.find(({ x, y }) => Math.abs(x - box.x) <= 3 && Math.abs(y - box.y) <= 3);
    expect(found, `frame ${i}`).toBeDefined();
    expect(Math.abs(found!.width - box.width)).toBeLessThanOrEqual(4);
  }
});

it('takes an icon with a bar in its middle for one frame', () => {
  const edges = new SteadyEdges(size);
  for (let n = 0; n < 12; n++) {
    const picture = frameAt(n, 5);
    const luma = picture.y.data as Uint8Array;
    for (let row = 0; row < 24; row++)
      for (let column = 0; column < 24; column++) {
        const isDrawn = Math.min(row, column, 23 - row, 23 - column) < 2 || (column >= 11 && column < 13);
        luma[(40 + row) * picture.y.stride + 40 + column] = isDrawn ? 235 : 16;
      }
    edges.add(picture, 0);
  }
  const frames = edges.findFrames().filter(({ x }) => x < 160);
  expect(frames).toHaveLength(1);
  expect(Math.abs(frames[0]!.width - 24)).toBeLessThanOrEqual(4);
});

it('finds symbols that have no frame', () => {
  const edges = new SteadyEdges(size);
  const centres = [60, 76, 92, 108].map((x) => ({ x, y: 140 }));
  for (let n = 0; n < 12; n++) {
    const picture = frameAt(n, 5);
    const luma = picture.y.data as Uint8Array;
    // The last one goes.
    for (const { x, y } of n < 10 ? centres : centres.slice(0, 3))
      for (let row = -6; row <= 6; row++)
        for (let column = -6; column <= 6; column++) {
          const distance = Math.hypot(row, column);
          if (distance <= 6) luma[(y + row) * picture.y.stride + x + column] = distance > 4.5 ? 16 : 235;
        }
    edges.add(picture, 0);
  }
  const found = edges.findSymbols().filter(({ y }) => y > 125);
  for (const { x, y } of centres)
    expect(
      found.some((one) => Math.abs(one.x + one.width / 2 - x) <= 2 && Math.abs(one.y + one.height / 2 - y) <= 2),
      `symbol at ${x}`,
    ).toBe(true);
});

it('finds a bar as bright as its scene, by its colour and by an outline of one pixel', () => {
  const edges = new SteadyEdges(size);
  for (let n = 0; n < 12; n++) {
    const picture = frameAt(n, 5);
    const planes = [picture.y, picture.u, picture.v].map(({ data, stride }) => ({ data: data as Uint8Array, stride }));
    for (let row = 0; row < 12; row++)
      for (let column = 0; column < 100; column++) {
        const isOutline = Math.min(row, column, 11 - row, 99 - column) < 1;
        const isFull = column < 20 + ((n * 31) % 70);
        // Yellow on light grey, dark where it is empty, with a light outline.
        const colour = isOutline ? [215, 128, 128] : isFull ? [190, 40, 140] : [100, 128, 128];
        for (const [i, { data, stride }] of planes.entries()) data[(20 + row) * stride + 40 + column] = colour[i]!;
      }
    edges.add(picture, 0);
  }
  const bar = edges.findShapes().find(({ y }) => y > 12 && y < 24);
  expect(bar?.x).toBeLessThan(44);
  expect(bar!.x + bar!.width).toBeGreaterThan(136);
});
