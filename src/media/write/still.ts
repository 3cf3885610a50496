import sharp, { type Sharp } from 'sharp';
import { FrameFilter } from './frame-filter.ts';
import type { Recording } from './recording.ts';

/** The frame shown at `t` seconds, scaled to fit into the size, as an RGB picture; undefined where there is none. */
export function readStill(recording: Recording, t: number, width: number, height: number): Sharp | undefined {
  const wanted = recording.ticks(t);
  const step = recording.ticksPerFrame;
  // The frame on screen at `t` began at most some frames before it, also where the rate varies.
  for (const reach of [step * 2n, step * 60n]) {
    let picture: Sharp | undefined;
    for (const { frame, pts } of recording.frames(wanted - reach, wanted + 1n)) {
      if (pts > wanted) break;
      using fitter = new FrameFilter(width, height, 'rgb24');
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

const SIZE = { width: 64, height: 36 };
/** Seconds after a moment in which a better picture of it may lie (before it, what is told has not happened yet), and between those that are looked at. */
const AFTER = 0.7;
const STEP = 0.1;
/** How much more contrast makes another picture better than that of the moment itself. */
const BETTER = 1.25;

/**
 * The time of the picture that shows a moment best: its own frame, unless a flash, a tint of the whole screen or darkness
 * hides what one soon after shows with a quarter more contrast.
 */
export function clearestFrameTime(recording: Recording, t: number): number {
  using fitter = new FrameFilter(SIZE.width, SIZE.height, 'gray');
  let next = t;
  let own: { t: number; contrast: number } | undefined;
  let best: { t: number; contrast: number } | undefined;
  for (const { frame, pts } of recording.frames(recording.ticks(t), recording.ticks(t + AFTER))) {
    const at = recording.seconds(pts);
    if (at < next - 1e-6) continue;
    next = at + STEP;
    const fitted = fitter.fit(frame, recording.rotation);
    const contrast = deviation(fitted.data![0]!, fitted.linesize[0]!);
    own ??= { t: at, contrast };
    if (!best || contrast > best.contrast) best = { t: at, contrast };
  }
  return own && best && best.contrast > own.contrast * BETTER ? best.t : t;
}

/** Standard deviation of a small picture's levels. */
function deviation(data: Uint8Array, stride: number): number {
  let [sum, squares] = [0, 0];
  for (let y = 0; y < SIZE.height; y++) {
    for (let x = 0; x < SIZE.width; x++) {
      const level = data[y * stride + x]!;
      sum += level;
      squares += level * level;
    }
  }
  const count = SIZE.width * SIZE.height;
  return Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2));
}
