import { expect, it } from 'vitest';
import type { Channel } from '../detectors/text/line-image.ts';
import { type ColorPlanes, findInkChannels } from './ink.ts';

const [width, height] = [40, 20];

function plane(ink: number, ground: (i: number) => number) {
  return { width, height, data: Float32Array.from({ length: width * height }, (_, i) => (isInk(i) ? ink : ground(i))) };
}

/** A red stroke on scenery that changes from picture to picture, from dark to as bright as the ink and brighter. */
function pictureOf(n: number): ColorPlanes {
  return [
    plane(70, (i) => (i * 31 + n * 57) % 256),
    plane(-20, (i) => ((i * 7 + n * 13) % 21) - 10),
    plane(90, (i) => ((i * 11 + n * 5) % 21) - 10),
  ];
}

function isInk(i: number): boolean {
  return i % width >= 10 && i % width < 16;
}

it('finds a channel in which ink of any hue is brighter than all scenery', () => {
  const pictures = Array.from({ length: 8 }, (_, n) => pictureOf(n));
  const [channel] = findInkChannels(pictures) as [Exclude<Channel, string>];
  const { y, cb, cr, offset = 0 } = channel;
  const levels = pictures.flatMap(([luma, blue, red]) =>
    Array.from(luma.data, (level, i) => ({
      ink: isInk(i),
      level: y * level + cb * blue.data[i]! + cr * red.data[i]! + offset,
    })),
  );
  const darkest = Math.min(...levels.filter(({ ink }) => ink).map(({ level }) => level));
  const brightest = Math.max(...levels.filter(({ ink }) => !ink).map(({ level }) => level));
  expect(darkest).toBeGreaterThan(brightest + 40);
});
