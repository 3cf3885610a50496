import { AV_PIX_FMT_NV12 } from 'node-av/constants';
import { FFmpegError, Frame } from 'node-av/lib';

/** Brings 4:2:0 frames of three planes to two, both chroma values side by side: what some graphics cards want. */
export class Interleaver implements Disposable {
  readonly #output = new Frame();

  /** The frame in its other form, valid until the next call. */
  interleave(frame: Frame): Frame {
    const { width, height, colorRange, colorSpace } = frame;
    const output = this.#output;
    output.unref();
    Object.assign(output, { width, height, format: AV_PIX_FMT_NV12, colorRange, colorSpace });
    FFmpegError.throwIfError(output.getBuffer(), 'frame for the graphics card');
    const [luma, chroma] = output.data!;
    const [lumaStride, chromaStride] = output.linesize;
    const [y, u, v] = frame.data!;
    const [yStride, uStride, vStride] = frame.linesize;
    for (let row = 0; row < height; row++)
      luma!.set(y!.subarray(row * yStride!, row * yStride! + width), row * lumaStride!);
    for (let row = 0; row < height / 2; row++) {
      let at = row * chromaStride!;
      for (let column = 0; column < width / 2; column++) {
        chroma![at++] = u![row * uStride! + column]!;
        chroma![at++] = v![row * vStride! + column]!;
      }
    }
    return output;
  }

  constructor() {
    this.#output.alloc();
  }

  [Symbol.dispose](): void {
    this.#output.free();
  }
}
