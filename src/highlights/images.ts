import sharp from 'sharp';
import { join, extname } from 'node:path';
import type { OverlayOptions } from 'sharp';
import { clearestFrameTime, readStill } from '../media/write/still.ts';
import { fontMetrics, outlineText, wrapText } from '../media/write/overlay.ts';
import { Recording } from '../media/write/recording.ts';
import { RecordingPool } from '../media/write/timeline.ts';
import { type OutputPolicy, writeOutput } from '../files/output.ts';
import { formatClock } from '../time.ts';
import { FrameFilter } from '../media/write/frame-filter.ts';
import { type ReelOptions, writeReel } from '../media/write/reel.ts';
import { PlaybyplayError } from '../errors.ts';
import type { SceneChoice } from './choose.ts';
import { inputsOf, type Scene, sceneTitle, type Source, strongestEvent } from './list.ts';

/** One picture of a contact sheet. */
export interface SheetEntry {
  readonly media: string;
  /** Seconds from the first video frame. */
  readonly t: number;
  readonly caption: string;
}

/** Options of `writeSheet`. */
export interface SheetOptions extends OutputPolicy {
  readonly title?: string;
  readonly columns?: number;
  /** Width of a picture in pixels; default 320. */
  readonly width?: number;
  readonly signal?: AbortSignal;
}

const GAP_PIXELS = 12;
const CAPTION_PIXELS = 14;

/**
 * Writes a contact sheet (PNG or JPEG, by extension): the frame of each entry with its time and caption.
 *
 * @example
 * ```ts
 * await writeSheet('sheet.png', [{ media: 'match.mp4', t: 2, caption: 'The start' }]);
 * ```
 */
export async function writeSheet(
  path: string,
  entries: readonly SheetEntry[],
  options: SheetOptions = {},
): Promise<void> {
  const columns = Math.max(1, Math.min(options.columns ?? 4, entries.length));
  const width = options.width ?? 320;
  const height = Math.round((width * 9) / 16);
  const cell = { width: width + GAP_PIXELS, height: height + GAP_PIXELS + Math.round(CAPTION_PIXELS * 2.9) };
  const top = GAP_PIXELS + (options.title ? 34 : 0);
  const sheet = {
    width: columns * cell.width + GAP_PIXELS,
    height: top + Math.ceil(entries.length / columns) * cell.height,
  };
  const pictures: OverlayOptions[] = [];
  let shapes = options.title
    ? text(
        options.title,
        { x: GAP_PIXELS, y: 30 },
        { size: 20, fill: '#ffffff', width: sheet.width - 2 * GAP_PIXELS, lines: 1 },
      )
    : '';
  using recordings = new RecordingPool();
  for (const [index, entry] of entries.entries()) {
    options.signal?.throwIfAborted();
    const left = GAP_PIXELS + (index % columns) * cell.width;
    const y = top + Math.floor(index / columns) * cell.height;
    const recording = recordings.open(entry.media);
    const picture = readStill(recording, clearestFrameTime(recording, entry.t), width, height);
    // A recording that ends before its log leaves the cell empty.
    const input = await picture?.png({ compressionLevel: 1 }).toBuffer();
    if (input) pictures.push({ input, left, top: y });
    shapes += timeBadge(formatClock(entry.t), left + 6, y + height - 8);
    shapes += text(
      entry.caption,
      { x: left, y: y + height + 4 + CAPTION_PIXELS },
      { size: CAPTION_PIXELS, fill: '#e8e8e8', width, lines: 2 },
    );
  }
  const lettering = `<svg xmlns="http://www.w3.org/2000/svg" width="${sheet.width}" height="${sheet.height}">${shapes}</svg>`;
  const whole = await sharp({ create: { ...sheet, channels: 3, background: '#16181d' } })
    .composite([...pictures, { input: Buffer.from(lettering), left: 0, top: 0 }])
    .toFormat(extname(path) === '.png' ? 'png' : 'jpeg')
    .toBuffer();
  const inputs = [...(options.inputs ?? []), ...entries.map(({ media }) => media)];
  await writeOutput(path, whole, { kind: 'picture', inputs, overwrite: options.overwrite });
}

/** Typesetting: number of lines of this width in pixels. */
interface Setting {
  readonly size: number;
  readonly fill: string;
  readonly width: number;
  readonly lines: number;
}

/** Renders text as outlines; `y` is the baseline of the first line. */
function text(words: string, { x, y }: { x: number; y: number }, { size, fill, width, lines }: Setting): string {
  return wrapText(words, size, width, lines)
    .map(
      (line, row) =>
        `<path fill="${fill}" transform="translate(${x} ${y + row * size * 1.3})" d="${outlineText(line, size).path}"/>`,
    )
    .join('');
}

/** Time label on a dark background, readable on any picture. */
function timeBadge(time: string, x: number, baseline: number): string {
  const { path, width } = outlineText(time, CAPTION_PIXELS);
  const height = CAPTION_PIXELS * (fontMetrics.capital + 0.6);
  return (
    `<rect x="${x}" y="${baseline - height + 4}" width="${width + 10}" height="${height}" rx="3" fill="#000000" fill-opacity="0.72"/>` +
    `<path fill="#ffd84d" transform="translate(${x + 5} ${baseline})" d="${path}"/>`
  );
}

/** Returns the path of a source's recording. */
export type MediaOf = (source: Source) => string;

/** Options of `writePreview`. */
export interface PreviewOptions extends Pick<OutputPolicy, 'overwrite'> {
  /** Width in pixels; default 400. */
  readonly width?: number;
  /** Frames per second; default 8. */
  readonly rate?: number;
  /** Seconds; default 4. */
  readonly longest?: number;
}

/** Time of a scene's strongest event. */
function peakTime(scene: Scene): number {
  return strongestEvent(scene)?.event.t ?? scene.start;
}

/**
 * Writes an animated preview (GIF or WebP, by extension) of the best scene around its strongest event.
 *
 * @example
 * ```ts
 * const { sources, dictionary } = await loadSources(['match.playbyplay']);
 * const choice = chooseScenes(sources, { dictionary, duration: 5 });
 * await writePreview('preview.gif', choice, sources, (source) => source.media!);
 * ```
 */
export async function writePreview(
  path: string,
  choice: SceneChoice,
  sources: readonly Source[],
  media: MediaOf,
  options: PreviewOptions = {},
): Promise<void> {
  const { width = 400, rate = 8, longest = 4 } = options;
  const best = choice.scenes.toSorted((a, b) => b.score - a.score)[0]!;
  const start = Math.max(best.start, Math.min(peakTime(best) - longest * 0.6, best.end - longest));
  const end = Math.min(best.end, start + longest);
  using recording = new Recording(media(sources[best.source]!));
  const height = Math.round((width * recording.height) / recording.width / 2) * 2;
  using fitter = new FrameFilter(width, height, 'rgb24');
  const pictures: Buffer[] = [];
  let next = start;
  for (const { frame, pts } of recording.frames(recording.ticks(start), recording.ticks(end))) {
    if (recording.seconds(pts) < next - 1e-6) continue;
    next += 1 / rate;
    pictures.push(fitter.pixels(frame, recording.rotation));
  }
  if (pictures.length === 0)
    throw new PlaybyplayError('no-frame', `the recording has no frame at ${formatClock(start)}`);
  const moving = sharp(Buffer.concat(pictures), {
    raw: { width, height: height * pictures.length, channels: 3, pageHeight: height },
  });
  const delay = pictures.map(() => Math.round(1000 / rate));
  const preview = await (path.endsWith('.gif')
    ? moving.gif({ delay, loop: 0, effort: 4 })
    : moving.webp({ delay, loop: 0, quality: 70 })
  ).toBuffer();
  await writeOutput(path, preview, { kind: 'picture', inputs: inputsOf(sources), overwrite: options.overwrite });
}

/**
 * Writes each scene's strongest moment as a JPEG.
 *
 * @returns The paths in the order of the scenes.
 *
 * @example
 * ```ts
 * const { sources, dictionary } = await loadSources(['match.playbyplay']);
 * const choice = chooseScenes(sources, { dictionary, duration: 5 });
 * const paths = await writeThumbnails('thumbnails', choice, sources, (source) => source.media!);
 * ```
 */
export async function writeThumbnails(
  folder: string,
  choice: SceneChoice,
  sources: readonly Source[],
  media: MediaOf,
  width = 1280,
  { overwrite }: Pick<OutputPolicy, 'overwrite'> = {},
): Promise<string[]> {
  const paths: string[] = [];
  for (const [index, scene] of choice.scenes.entries()) {
    using recording = new Recording(media(sources[scene.source]!));
    const height = Math.round((width * recording.height) / recording.width);
    const path = join(folder, `${sceneName(scene, index)}.jpg`);
    const picture = readStill(recording, clearestFrameTime(recording, peakTime(scene)), width, height);
    if (!picture) continue;
    const jpeg = await picture.jpeg({ quality: 88 }).toBuffer();
    await writeOutput(path, jpeg, { kind: 'picture', inputs: inputsOf(sources), overwrite });
    paths.push(path);
  }
  return paths;
}

/**
 * Writes each scene as an MP4 file.
 *
 * @returns The paths in the order of the scenes.
 *
 * @example
 * ```ts
 * const { sources, dictionary } = await loadSources(['match.playbyplay']);
 * const choice = chooseScenes(sources, { dictionary, duration: 5 });
 * const paths = await writeClips('clips', choice, sources, (source) => source.media!);
 * ```
 */
export async function writeClips(
  folder: string,
  choice: SceneChoice,
  sources: readonly Source[],
  media: MediaOf,
  options: ReelOptions = {},
): Promise<string[]> {
  const paths: string[] = [];
  for (const [index, scene] of choice.scenes.entries()) {
    const path = join(folder, `${sceneName(scene, index)}.mp4`);
    await writeReel(path, [{ media: media(sources[scene.source]!), start: scene.start, end: scene.end }], {
      ...options,
      inputs: inputsOf(sources),
    });
    paths.push(path);
  }
  return paths;
}

/** File name that is valid on every system: `01 player kills opponent Major with rocket launcher`. */
function sceneName(scene: Scene, index: number): string {
  const plain = sceneTitle(scene)
    .replaceAll(/[^\p{L}\p{N} '-]/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return `${String(index + 1).padStart(2, '0')} ${[...plain].slice(0, 60).join('').trim()}`;
}
