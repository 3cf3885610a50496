import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { clearestFrameTime } from '../media/write/still.ts';
import { FrameFilter } from '../media/write/frame-filter.ts';
import { Recording } from '../media/write/recording.ts';
import { writeReel, type ReelOptions } from '../media/write/reel.ts';
import { readStill } from '../media/write/still.ts';
import { writeAtomically } from '../media/write/output-file.ts';
import { PlaybyplayError } from '../errors.ts';
import { formatClock } from '../time.ts';
import type { Choice } from './choice/choose.ts';
import { strongestOf, titleOfScene, type Scene, type Source } from './scene.ts';

/** Gives the path of a source's recording. */
export type MediaOf = (source: Source) => string;

export interface PreviewOptions {
  /** Width in pixels; default 400. */
  readonly width?: number;
  /** Pictures in a second; default 8. */
  readonly rate?: number;
  /** Seconds; default 4. */
  readonly longest?: number;
}

/** The time of a scene's strongest event. */
function peakOf(scene: Scene): number {
  return strongestOf(scene)?.event.t ?? scene.start;
}

/** Writes a moving picture (GIF, or WebP by the name) of the best scene around its strongest event. */
export async function writePreview(
  path: string,
  choice: Choice,
  sources: readonly Source[],
  media: MediaOf,
  options: PreviewOptions = {},
): Promise<void> {
  const { width = 400, rate = 8, longest = 4 } = options;
  const best = choice.scenes.toSorted((a, b) => b.score - a.score)[0]!;
  const start = Math.max(best.start, Math.min(peakOf(best) - longest * 0.6, best.end - longest));
  const end = Math.min(best.end, start + longest);
  using recording = new Recording(media(sources[best.source]!));
  const height = Math.round((width * recording.height) / recording.width / 2) * 2;
  using fitter = new FrameFilter(width, height, 'rgb24');
  const pictures: Buffer[] = [];
  let next = start;
  for (const { frame, pts } of recording.frames(recording.ticks(start), recording.ticks(end))) {
    if (recording.seconds(pts) < next - 1e-6) continue;
    next += 1 / rate;
    const fitted = fitter.fit(frame, recording.rotation);
    const [data, stride] = [fitted.data![0]!, fitted.linesize[0]!];
    const picture = Buffer.alloc(width * height * 3);
    for (let y = 0; y < height; y++) picture.set(data.subarray(y * stride, y * stride + width * 3), y * width * 3);
    pictures.push(picture);
  }
  if (pictures.length === 0)
    throw new PlaybyplayError('no-frame', `the recording has no picture at ${formatClock(start)}`);
  const moving = sharp(Buffer.concat(pictures), {
    raw: { width, height: height * pictures.length, channels: 3, pageHeight: height },
  });
  const delay = pictures.map(() => Math.round(1000 / rate));
  const preview = await (path.endsWith('.gif')
    ? moving.gif({ delay, loop: 0, effort: 4 })
    : moving.webp({ delay, loop: 0, quality: 70 })
  ).toBuffer();
  await writeAtomically(path, (part) => writeFile(part, preview));
}

/** Writes each scene's strongest moment as a JPEG; gives the paths in the order of the scenes. */
export async function writeThumbnails(
  folder: string,
  choice: Choice,
  sources: readonly Source[],
  media: MediaOf,
  width = 1280,
): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const paths: string[] = [];
  for (const [index, scene] of choice.scenes.entries()) {
    using recording = new Recording(media(sources[scene.source]!));
    const height = Math.round((width * recording.height) / recording.width);
    const path = join(folder, `${sceneName(scene, index)}.jpg`);
    const picture = readStill(recording, clearestFrameTime(recording, peakOf(scene)), width, height);
    if (!picture) continue;
    const jpeg = await picture.jpeg({ quality: 88 }).toBuffer();
    await writeAtomically(path, (part) => writeFile(part, jpeg));
    paths.push(path);
  }
  return paths;
}

/** Writes each scene as a file of its own; gives the paths in the order of the scenes. */
export async function writeClips(
  folder: string,
  choice: Choice,
  sources: readonly Source[],
  media: MediaOf,
  options: ReelOptions = {},
): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const paths: string[] = [];
  for (const [index, scene] of choice.scenes.entries()) {
    const path = join(folder, `${sceneName(scene, index)}.mp4`);
    await writeReel(path, [{ media: media(sources[scene.source]!), start: scene.start, end: scene.end }], options);
    paths.push(path);
  }
  return paths;
}

/** `01 player kills opponent Major with rocket launcher`: a file name that every system takes. */
function sceneName(scene: Scene, index: number): string {
  const plain = titleOfScene(scene)
    .replaceAll(/[^\p{L}\p{N} '-]/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return `${String(index + 1).padStart(2, '0')} ${[...plain].slice(0, 60).join('').trim()}`;
}
