import type { Size } from '../geometry.ts';
import type { ColorEncoding, Picture } from '../media/picture.ts';
import { LUMA_WEIGHTS } from './color.ts';

/** How a still is encoded; defaults are those of 720p video. */
export interface StillOptions {
  readonly t?: number;
  readonly color?: ColorEncoding;
  /** log2 of the chroma subsampling, both ways; default 0 (4:4:4). */
  readonly chromaShift?: 0 | 1;
}

/**
 * Makes a picture of interleaved 8-bit RGB, so that screenshots and labelled crops pass through the same regions and detectors as
 * video. Subsampled chroma is the mean of the pixels that it covers.
 *
 * @param rgb `size.width · size.height · 3` bytes.
 * @throws RangeError if `rgb` has another length.
 */
export function stillPicture(rgb: Uint8Array, size: Size, options: StillOptions = {}): Picture {
  const { width, height } = size;
  if (rgb.length !== width * height * 3) throw new RangeError(`${rgb.length} bytes are not ${width}×${height} RGB`);
  const color = options.color ?? { matrix: 'bt709', fullRange: false };
  const shift = options.chromaShift ?? 0;
  const [chromaWidth, chromaHeight] = [(width + shift) >> shift, (height + shift) >> shift];
  const luma = new Uint8ClampedArray(width * height);
  const sums = [0, 1, 2].map(() => new Float64Array(chromaWidth * chromaHeight));
  const [sumU, sumV, count] = [sums[0]!, sums[1]!, sums[2]!];
  const { red: kr, blue: kb } = LUMA_WEIGHTS[color.matrix];
  const [lumaScale, lumaZero, chromaScale] = color.fullRange ? [1, 0, 255] : [219 / 255, 16, 224];
  for (let i = 0; i < luma.length; i++) {
    const [r, g, b] = [rgb[3 * i]!, rgb[3 * i + 1]!, rgb[3 * i + 2]!];
    const y = kr * r + (1 - kr - kb) * g + kb * b;
    luma[i] = lumaZero + lumaScale * y;
    const at = (Math.floor(i / width) >> shift) * chromaWidth + ((i % width) >> shift);
    sumU[at]! += ((b - y) / (2 * (1 - kb)) / 255) * chromaScale;
    sumV[at]! += ((r - y) / (2 * (1 - kr)) / 255) * chromaScale;
    count[at]! += 1;
  }
  const chroma = (sum: Float64Array): Uint8Array =>
    new Uint8Array(Uint8ClampedArray.from(sum, (value, i) => 128 + value / count[i]!).buffer);
  return {
    t: options.t ?? 0,
    width,
    height,
    y: { data: new Uint8Array(luma.buffer), stride: width, width, height },
    u: { data: chroma(sumU), stride: chromaWidth, width: chromaWidth, height: chromaHeight },
    v: { data: chroma(sumV), stride: chromaWidth, width: chromaWidth, height: chromaHeight },
    chromaShiftX: shift,
    chromaShiftY: shift,
    color,
    [Symbol.dispose]() {},
  };
}
