/** Views of still pictures and of recorded frames, for the tests of detector kinds. */
import { readFile } from 'node:fs/promises';
import type { Rect, Size } from '../geometry.ts';
import { isGap, decodeFrames } from '../media/decode/decode-frames.ts';
import { splitIntoChunks, scanPackets } from '../media/packets/scan-packets.ts';
import type { Picture } from '../media/picture.ts';
import { openVideo } from '../media/video.ts';
import type { RegionSpec } from '../profile/profile.ts';
import { cropRgb } from '../regions/crop.ts';
import { placeRegion } from '../regions/place.ts';
import type { Assets, PreparedCrop, View } from './kind.ts';

/** A view of a region (no preprocessing: RGB) of a picture; the reference frame is the picture's own unless given. */
export function viewOf(picture: Picture, region: RegionSpec, reference: Size = picture): View {
  const placed = placeRegion(region, picture, reference);
  return {
    ...placed,
    picture,
    place: () => placed,
    once: (_, make) => make(),
    prepared: () => ({
      data: cropRgb(picture, placed.rect),
      width: placed.rect.width,
      height: placed.rect.height,
      channels: 3,
    }),
  };
}

/** A view of an RGB image all of which is the region, or the part `inner` of it, in pixels. */
export function viewOfImage(crop: PreparedCrop, inner?: Rect, scale = 1): View {
  const rect = { x: 0, y: 0, width: crop.width, height: crop.height };
  const placed = { rect, inner: inner ?? rect, scaleX: scale, scaleY: scale };
  return {
    ...placed,
    get picture(): Picture {
      throw new TypeError('this view has no picture');
    },
    place: () => placed,
    once: (_, make) => make(),
    prepared: () => crop,
  };
}

/** An RGB image drawn pixel by pixel. */
export function draw(
  width: number,
  height: number,
  color: (x: number, y: number) => readonly [number, number, number],
): PreparedCrop {
  const data = new Uint8Array(width * height * 3);
  for (let i = 0; i < width * height; i++) data.set(color(i % width, Math.floor(i / width)), 3 * i);
  return { data, width, height, channels: 3 };
}

/** A grey picture, drawn pixel by pixel. */
export function greyPicture(width: number, height: number, level: (x: number, y: number) => number): Picture {
  const plane = (data: Uint8Array) => ({ data, stride: width, width, height });
  const chroma = plane(new Uint8Array(width * height).fill(128));
  return {
    t: 0,
    width,
    height,
    y: plane(Uint8Array.from({ length: width * height }, (_, i) => level(i % width, Math.floor(i / width)))),
    u: chroma,
    v: chroma,
    chromaShiftX: 0,
    chromaShiftY: 0,
    color: { matrix: 'bt709', fullRange: true },
    [Symbol.dispose]() {},
  };
}

/** Calls `visit` with each wanted frame (ascending numbers) of a video. */
export function eachFrame(
  path: string,
  wanted: readonly number[],
  visit: (picture: Picture, frame: number) => void,
): void {
  using file = openVideo(path);
  const index = scanPackets(file);
  let next = 0;
  for (const item of decodeFrames(
    file,
    index,
    splitIntoChunks(index, { minSeconds: Number.POSITIVE_INFINITY })[0]!,
    wanted,
  )) {
    if (isGap(item)) throw new Error(item.reason);
    using picture = item;
    visit(picture, wanted[next++]!);
  }
}

/** Assets from files beside a test. */
export function assetsIn(folder: string): Assets {
  return { read: (path) => readFile(`${folder}/${path}`) };
}
