import sharp from 'sharp';
import type { Sharp } from 'sharp';
import { FrameFilter, type View } from './frame-filter.ts';
import type { Recording } from './recording.ts';
import { AV_PIX_FMT_YUV420P } from 'node-av/constants';
import { Frame, type Stream } from 'node-av/lib';
import type { Rational } from '../../time.ts';
import { VideoEncoder } from './encoder.ts';
import { Muxer } from './muxer.ts';
import { blendOverlay, renderOverlay } from './overlay.ts';

/** Reads the frame shown at `t` seconds, scaled to fit into the size, as an RGB image; undefined where there is none. */
export function readStill(recording: Recording, t: number, width: number, height: number): Sharp | undefined {
  const pixels = readPixels(recording, t, new FrameFilter(width, height, 'rgb24'));
  return pixels && sharp(pixels, { raw: { width, height, channels: 3 } });
}

/**
 * Reads the frame shown at `t` seconds through a filter.
 *
 * @param filter Of a format with one plane. It is disposed of.
 * @returns The plane without padding; undefined where there is no frame.
 */
export function readPixels(recording: Recording, t: number, filter: FrameFilter, view?: View): Buffer | undefined {
  using own = filter;
  const wanted = recording.ticks(t);
  // The frame shown at `t` starts at most some frames earlier, more where the rate varies.
  for (const frames of [2n, 60n]) {
    let pixels: Buffer | undefined;
    for (const { frame, pts } of recording.frames(wanted - recording.ticksPerFrame * frames, wanted + 1n)) {
      if (pts > wanted) break;
      pixels = own.pixels(frame, recording.rotation, view);
    }
    if (pixels) return pixels;
  }
  return undefined;
}

const SMALL = { width: 64, height: 36 };
/** How long after a moment to look for a clearer frame of it; before it, it has not happened yet. */
const SEARCH_SECONDS = 0.7;
const SEARCH_STEP_SECONDS = 0.1;
/** How much more contrast makes another frame clearer. */
const MIN_CONTRAST_RATIO = 1.25;

/**
 * Returns the time of the clearest frame of a moment: its own, unless a flash, a tint of the whole screen or darkness hides
 * what one soon after shows with a quarter more contrast.
 */
export function clearestFrameTime(recording: Recording, t: number): number {
  using filter = new FrameFilter(SMALL.width, SMALL.height, 'gray');
  let own: { t: number; contrast: number } | undefined;
  let best: { t: number; contrast: number } | undefined;
  for (const { frame, t: frameSeconds } of recording.framesEvery(SEARCH_STEP_SECONDS, t, t + SEARCH_SECONDS)) {
    const contrast = standardDeviation(filter.pixels(frame, recording.rotation));
    own ??= { t: frameSeconds, contrast };
    if (!best || contrast > best.contrast) best = { t: frameSeconds, contrast };
  }
  return own && best && best.contrast > own.contrast * MIN_CONTRAST_RATIO ? best.t : t;
}

function standardDeviation(levels: Uint8Array): number {
  let [sum, squares] = [0, 0];
  for (const level of levels) {
    sum += level;
    squares += level * level;
  }
  return Math.sqrt(Math.max(0, squares / levels.length - (sum / levels.length) ** 2));
}

/** A title or an end card of a reel. */
interface Card {
  /** What it shows, of its size. */
  readonly svg: string;
  readonly seconds: number;
  readonly width: number;
  readonly height: number;
  readonly timeBase: Rational;
  readonly frameRate: Rational;
}

/** How long the words fade in. */
const FADE_SECONDS = 0.4;
const PLAIN_BACKGROUND = { width: 16, height: 16, channels: 3, background: '#16181d' } as const;

/** Writes a card as a short silent mp4: the drawing over a blurred frame of a recording, at `t` seconds of it. */
export async function writeCard(path: string, card: Card, background: Recording, t: number): Promise<void> {
  const { width, height, timeBase, frameRate } = card;
  const still = await readStill(background, t, background.width, background.height)?.png().toBuffer();
  const blurred = await (still ? sharp(still) : sharp({ create: PLAIN_BACKGROUND }))
    .resize(width, height, { fit: 'cover' })
    .blur(Math.max(2, width / 60))
    .png()
    .toBuffer();
  const picture = await renderOverlay(blurred, 0, 0);
  const words = await renderOverlay(card.svg, 0, 0);
  using muxer = new Muxer(path);
  let stream: Stream | undefined;
  using encoder = new VideoEncoder({ width, height, timeBase, frameRate, quality: 16 }, (packet) =>
    muxer.write(packet, stream!, timeBase),
  );
  stream = muxer.addStream(encoder.context, timeBase, frameRate);
  muxer.start();
  const frames = Math.max(1, Math.round((card.seconds * frameRate.num) / frameRate.den));
  const ticks = (frameRate.den * timeBase.den) / (frameRate.num * timeBase.num);
  const pixels = width * height;
  for (let n = 0; n < frames; n++) {
    const data = Buffer.alloc((pixels * 3) / 2, 128).fill(16, 0, pixels);
    const planes = [data.subarray(0, pixels), data.subarray(pixels, (pixels * 5) / 4), data.subarray((pixels * 5) / 4)];
    const target = { width, height, planes, strides: [width, width / 2, width / 2] };
    blendOverlay(target, picture);
    blendOverlay(target, words, Math.min(1, (n * frameRate.den) / frameRate.num / FADE_SECONDS));
    using frame = Frame.fromVideoBuffer(data, { width, height, format: AV_PIX_FMT_YUV420P, timeBase });
    await encoder.encode(frame, BigInt(Math.round(n * ticks)));
  }
  await encoder.finish();
  muxer.finish();
}
