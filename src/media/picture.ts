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

/** Copies a picture into its own memory; the copy needs no disposal. */
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
