import type { Picture, Plane } from '../picture.ts';

/** A picture in memory of its own, which nobody has to dispose of. */
export function copyPicture(picture: Picture): Picture {
  const { t, width, height, pixelAspect, chromaShiftX, chromaShiftY, color } = picture;
  const [y, u, v] = [picture.y, picture.u, picture.v].map(copied) as [Plane, Plane, Plane];
  return { t, width, height, pixelAspect, chromaShiftX, chromaShiftY, color, y, u, v, [Symbol.dispose]() {} };
}

function copied({ data, stride, width, height }: Plane): Plane {
  const out = new Uint8Array(width * height);
  for (let row = 0; row < height; row++) out.set(data.subarray(row * stride, row * stride + width), row * width);
  return { data: out, stride: width, width, height };
}

/** Bytes of pictures kept at most. */
const KEPT_BYTES = 64 << 20;

/** Pictures that were decoded already, as far as there is room, for whoever reads the same frames afterwards. */
export class PictureCache {
  readonly #pictures = new Map<number, Picture>();
  #room = KEPT_BYTES;

  /** Keeps a copy of a frame's picture. */
  keep(frame: number, picture: Picture): void {
    const bytes = bytesOf(picture);
    if (bytes > this.#room || this.#pictures.has(frame)) return;
    this.#room -= bytes;
    this.#pictures.set(frame, copyPicture(picture));
  }

  has(frame: number): boolean {
    return this.#pictures.has(frame);
  }

  /** The picture of a frame, which the cache gives up. */
  take(frame: number): Picture | undefined {
    const picture = this.#pictures.get(frame);
    this.#pictures.delete(frame);
    if (picture) this.#room += bytesOf(picture);
    return picture;
  }
}

function bytesOf({ y, u, v }: Picture): number {
  return [y, u, v].reduce((sum, { width, height }) => sum + width * height, 0);
}
