/** One 8-bit plane of a picture. `data` may be a view of native memory and is valid until the picture is disposed of. */
export interface Plane {
  readonly data: Uint8Array;
  /** Bytes from one row to the next. */
  readonly stride: number;
  readonly width: number;
  readonly height: number;
}

/** How Y'CbCr becomes R'G'B'. */
export interface ColorEncoding {
  readonly matrix: 'bt601' | 'bt709' | 'bt2020';
  readonly fullRange: boolean;
}

/**
 * Motion of a picture's blocks as its encoder recorded it, one entry per vector. Blocks without prediction have no vector,
 * some have two.
 */
export interface MotionVectors {
  /** Center of the block, in pixels. */
  readonly x: Float32Array;
  readonly y: Float32Array;
  /** Area of the block, in pixels. */
  readonly area: Float32Array;
  /** Motion of its content, in pixels per second. */
  readonly acrossPerSecond: Float32Array;
  readonly downPerSecond: Float32Array;
  /** Seconds to the picture from which most of the area was predicted. */
  readonly over: number;
}

/**
 * A decoded video frame as 8-bit planar Y'CbCr, upright. Deeper or packed formats are already converted. Whoever receives
 * a picture disposes of it; its planes must not be used afterwards and cannot be sent between threads.
 */
export interface Picture extends Disposable {
  /** Presentation time in seconds from the first video frame. */
  readonly t: number;
  readonly width: number;
  readonly height: number;
  /** Width of a pixel divided by its height; undefined for square pixels. */
  readonly pixelAspect?: number | undefined;
  readonly y: Plane;
  readonly u: Plane;
  readonly v: Plane;
  /** log2 of the chroma subsampling: 1 and 1 for 4:2:0. */
  readonly chromaShiftX: number;
  readonly chromaShiftY: number;
  readonly color: ColorEncoding;
  /** If the file exports them (`VideoFile.exportMotionVectors`) and the picture has some; valid until it is disposed of. */
  readonly vectors?: MotionVectors | undefined;
}

/**
 * Copies a picture into its own memory; the copy needs no disposal.
 *
 * @param unused A copy that is not used any more, whose memory is used again where the planes have the same size.
 */
export function copyPicture(picture: Picture, unused?: Picture): Picture {
  const { t, width, height, pixelAspect, chromaShiftX, chromaShiftY, color } = picture;
  const y = copyPlane(picture.y, unused?.y);
  const u = copyPlane(picture.u, unused?.u);
  const v = copyPlane(picture.v, unused?.v);
  return { t, width, height, pixelAspect, chromaShiftX, chromaShiftY, color, y, u, v, [Symbol.dispose]() {} };
}

function copyPlane({ data, stride, width, height }: Plane, unused: Plane | undefined): Plane {
  const out = unused?.data.length === width * height ? unused.data : new Uint8Array(width * height);
  for (let row = 0; row < height; row++) out.set(data.subarray(row * stride, row * stride + width), row * width);
  return { data: out, stride: width, width, height };
}

/**
 * Copies the part of a picture around a rectangle into its own memory; the copy needs no disposal.
 *
 * @param rect In pixels of the picture; widened to whole chroma samples and clipped at the frame.
 * @returns The part, and where in the picture its upper left corner lies.
 */
export function copyPart(
  picture: Picture,
  rect: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
): { readonly part: Picture; readonly x: number; readonly y: number } {
  const { t, pixelAspect, chromaShiftX, chromaShiftY, color } = picture;
  const [stepX, stepY] = [1 << chromaShiftX, 1 << chromaShiftY];
  const x = Math.max(0, Math.floor(rect.x / stepX) * stepX);
  const y = Math.max(0, Math.floor(rect.y / stepY) * stepY);
  const width = Math.min(picture.width, Math.ceil((rect.x + rect.width) / stepX) * stepX) - x;
  const height = Math.min(picture.height, Math.ceil((rect.y + rect.height) / stepY) * stepY) - y;
  const cut = (plane: Plane, shiftX: number, shiftY: number): Plane => {
    const [left, top] = [x >> shiftX, y >> shiftY];
    const wide = Math.min(plane.width - left, -(-width >> shiftX));
    const high = Math.min(plane.height - top, -(-height >> shiftY));
    const data = new Uint8Array(wide * high);
    for (let row = 0; row < high; row++) {
      const from = (top + row) * plane.stride + left;
      data.set(plane.data.subarray(from, from + wide), row * wide);
    }
    return { data, stride: wide, width: wide, height: high };
  };
  const [u, v] = [cut(picture.u, chromaShiftX, chromaShiftY), cut(picture.v, chromaShiftX, chromaShiftY)];
  const planes = { y: cut(picture.y, 0, 0), u, v };
  return {
    part: { t, width, height, pixelAspect, chromaShiftX, chromaShiftY, color, ...planes, [Symbol.dispose]() {} },
    x,
    y,
  };
}
