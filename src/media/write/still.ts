import sharp, { type Sharp } from 'sharp';
import { Fitter } from './fit.ts';
import type { Recording } from './recording.ts';

/** The frame shown at `t` seconds, scaled to fit into the size, as an RGB picture; undefined where there is none. */
export function stillAt(recording: Recording, t: number, width: number, height: number): Sharp | undefined {
  const wanted = recording.ticks(t);
  const step = recording.ticksPerFrame();
  // The frame on screen at `t` began at most some frames before it, also where the rate varies.
  for (const reach of [step * 2n, step * 60n]) {
    let picture: Sharp | undefined;
    for (const { frame, pts } of recording.frames(wanted - reach, wanted + 1n)) {
      if (pts > wanted) break;
      using fitter = new Fitter(width, height, 'rgb24');
      const fitted = fitter.fit(frame, recording.rotation);
      picture = sharp(packRows(fitted.data![0]!, fitted.linesize[0]!, width * 3, height), {
        raw: { width, height, channels: 3 },
      });
    }
    if (picture) return picture;
  }
  return undefined;
}

function packRows(data: Uint8Array, stride: number, rowBytes: number, rows: number): Buffer {
  const packed = Buffer.alloc(rowBytes * rows);
  for (let y = 0; y < rows; y++) packed.set(data.subarray(y * stride, y * stride + rowBytes), y * rowBytes);
  return packed;
}
