import { AV_PIX_FMT_YUV420P } from 'node-av/constants';
import { Frame, type Stream } from 'node-av/lib';
import sharp from 'sharp';
import type { Rational } from '../../time.ts';
import { VideoEncoder } from './encoder.ts';
import { Muxer } from './muxer.ts';
import { blendOverlay, renderOverlay, titleSvg } from './overlay.ts';
import type { Recording } from './recording.ts';
import { readStill } from './still.ts';

/** A title shown before a reel's scenes. */
export interface TitleCard {
  readonly title: string;
  readonly subtitle: string;
  readonly seconds: number;
  readonly width: number;
  readonly height: number;
  readonly timeBase: Rational;
  readonly frameRate: Rational;
}

/** How long the words fade in. */
const FADE_SECONDS = 0.4;
const PLAIN_BACKGROUND = { width: 16, height: 16, channels: 3, background: '#16181d' } as const;

/** Writes a title card as a short silent mp4: the words over a blurred frame of a recording, at `t` seconds of it. */
export async function writeTitleCard(path: string, card: TitleCard, background: Recording, t: number): Promise<void> {
  const { width, height, timeBase, frameRate } = card;
  const still = await readStill(background, t, background.width, background.height)?.png().toBuffer();
  const blurred = await (still ? sharp(still) : sharp({ create: PLAIN_BACKGROUND }))
    .resize(width, height, { fit: 'cover' })
    .blur(Math.max(2, width / 60))
    .png()
    .toBuffer();
  const picture = await renderOverlay(blurred, 0, 0);
  const words = await renderOverlay(titleSvg(card.title, card.subtitle, width, height), 0, 0);
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
