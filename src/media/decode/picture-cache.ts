import type { Picture, Plane } from '../picture.ts';

/** Copies a picture into memory of its own; nobody has to dispose of the copy. */
export function copyPicture(picture: Picture): Picture {
  const { t, width, height, pixelAspect, chromaShiftX, chromaShiftY, color } = picture;
  const [y, u, v] = [picture.y, picture.u, picture.v].map(copyPlane) as [Plane, Plane, Plane];
  return { t, width, height, pixelAspect, chromaShiftX, chromaShiftY, color, y, u, v, [Symbol.dispose]() {} };
}

function copyPlane({ data, stride, width, height }: Plane): Plane {
  const out = new Uint8Array(width * height);
  for (let row = 0; row < height; row++) out.set(data.subarray(row * stride, row * stride + width), row * width);
  return { data: out, stride: width, width, height };
}

const MAX_CACHE_BYTES = 64 << 20;

/** Keeps copies of decoded pictures, as far as there is room, for whoever reads the same frames next. */
export class PictureCache {
  readonly #pictures = new Map<number, Picture>();
  #freeBytes = MAX_CACHE_BYTES;

  /** Adds a copy of a frame's picture unless there is one, or no room. */
  keep(frame: number, picture: Picture): void {
    const bytes = pictureBytes(picture);
    if (bytes > this.#freeBytes || this.#pictures.has(frame)) return;
    this.#freeBytes -= bytes;
    this.#pictures.set(frame, copyPicture(picture));
  }

  has(frame: number): boolean {
    return this.#pictures.has(frame);
  }

  /** Removes and returns the picture of a frame. */
  take(frame: number): Picture | undefined {
    const picture = this.#pictures.get(frame);
    this.#pictures.delete(frame);
    if (picture) this.#freeBytes += pictureBytes(picture);
    return picture;
  }
}

function pictureBytes({ y, u, v }: Picture): number {
  return [y, u, v].reduce((sum, { width, height }) => sum + width * height, 0);
}
