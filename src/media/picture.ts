/** One 8-bit plane of a picture; `data` may alias native memory and is valid until the picture is disposed. */
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
 * How the blocks of a picture moved, as its encoder wrote it down: for each vector the block's middle in pixels, its area in
 * pixels, and the way of its content in pixels a second. Blocks that the encoder did not predict have none, some have two.
 */
export interface MotionVectors {
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly area: Float32Array;
  readonly acrossPerSecond: Float32Array;
  readonly downPerSecond: Float32Array;
  /** Seconds to the pictures that most of the area was predicted from. */
  readonly over: number;
}

/**
 * A decoded video frame as 8-bit planar Y'CbCr, upright (rotation already applied). Deeper or packed formats are
 * converted by the decoder. Whoever receives a picture disposes of it; its planes must not be used afterwards, and
 * cannot be sent between threads.
 */
export interface Picture extends Disposable {
  /** Presentation time in seconds from the first video frame. */
  readonly t: number;
  readonly width: number;
  readonly height: number;
  /** How many times as wide as high a pixel is shown, if not as wide as high. */
  readonly pixelAspect?: number | undefined;
  readonly y: Plane;
  readonly u: Plane;
  readonly v: Plane;
  /** log2 of the chroma subsampling: 1 and 1 for 4:2:0. */
  readonly chromaShiftX: number;
  readonly chromaShiftY: number;
  readonly color: ColorEncoding;
  /** Where the file was asked for them (`VideoFile.exportVectors`) and this picture has some; valid until it is disposed. */
  readonly vectors?: MotionVectors | undefined;
}
