import { writeFile } from 'node:fs/promises';
import { extname } from 'node:path';
import sharp, { type OverlayOptions } from 'sharp';
import { clearestFrameTime } from '../media/write/still.ts';
import { fontMetrics, outlineText, wrapText } from '../media/write/lettering.ts';
import { Recording } from '../media/write/recording.ts';
import { readStill } from '../media/write/still.ts';
import { writeAtomically } from '../media/write/output-file.ts';
import { formatClock } from '../time.ts';

/** One picture of a contact sheet. */
export interface SheetEntry {
  readonly media: string;
  /** Seconds from the first video frame. */
  readonly t: number;
  readonly caption: string;
}

export interface SheetOptions {
  readonly title?: string;
  readonly columns?: number;
  /** Width of one picture in pixels; default 320. */
  readonly width?: number;
  readonly signal?: AbortSignal;
}

const GAP = 12;
const TEXT = 14;

/** Writes a contact sheet (PNG, JPEG or WebP by the name): the frame at each entry with its time and caption. */
export async function writeSheet(
  path: string,
  entries: readonly SheetEntry[],
  options: SheetOptions = {},
): Promise<void> {
  const columns = Math.max(1, Math.min(options.columns ?? 4, entries.length));
  const width = options.width ?? 320;
  const height = Math.round((width * 9) / 16);
  const cell = { width: width + GAP, height: height + GAP + Math.round(TEXT * 2.9) };
  const top = GAP + (options.title ? 34 : 0);
  const sheet = {
    width: columns * cell.width + GAP,
    height: top + Math.ceil(entries.length / columns) * cell.height,
  };
  const pictures: OverlayOptions[] = [];
  let shapes = options.title
    ? text(options.title, { x: GAP, y: 30 }, { size: 20, fill: '#ffffff', width: sheet.width - 2 * GAP, lines: 1 })
    : '';
  using recordings = new Recordings();
  for (const [index, entry] of entries.entries()) {
    options.signal?.throwIfAborted();
    const left = GAP + (index % columns) * cell.width;
    const y = top + Math.floor(index / columns) * cell.height;
    const recording = recordings.open(entry.media);
    const picture = readStill(recording, clearestFrameTime(recording, entry.t), width, height);
    // A recording that ends before its log leaves a place without a picture.
    const input = await picture?.png({ compressionLevel: 1 }).toBuffer();
    if (input) pictures.push({ input, left, top: y });
    shapes += badge(formatClock(entry.t), left + 6, y + height - 8);
    shapes += text(
      entry.caption,
      { x: left, y: y + height + 4 + TEXT },
      { size: TEXT, fill: '#e8e8e8', width, lines: 2 },
    );
  }
  const lettering = `<svg xmlns="http://www.w3.org/2000/svg" width="${sheet.width}" height="${sheet.height}">${shapes}</svg>`;
  const whole = await sharp({ create: { ...sheet, channels: 3, background: '#16181d' } })
    .composite([...pictures, { input: Buffer.from(lettering), left: 0, top: 0 }])
    .toFormat(extname(path) === '.png' ? 'png' : 'jpeg')
    .toBuffer();
  await writeAtomically(path, (part) => writeFile(part, whole));
}

/** How words are set: in so many lines of this width, in pixels. */
interface Setting {
  readonly size: number;
  readonly fill: string;
  readonly width: number;
  readonly lines: number;
}

/** Words as outlines; `y` is the first line's baseline. */
function text(words: string, { x, y }: { x: number; y: number }, { size, fill, width, lines }: Setting): string {
  return wrapText(words, size, width, lines)
    .map(
      (line, row) =>
        `<path fill="${fill}" transform="translate(${x} ${y + row * size * 1.3})" d="${outlineText(line, size).path}"/>`,
    )
    .join('');
}

/** A time on a dark plate, readable on any picture. */
function badge(time: string, x: number, baseline: number): string {
  const { path, width } = outlineText(time, TEXT);
  const height = TEXT * (fontMetrics.capital + 0.6);
  return (
    `<rect x="${x}" y="${baseline - height + 4}" width="${width + 10}" height="${height}" rx="3" fill="#000000" fill-opacity="0.72"/>` +
    `<path fill="#ffd84d" transform="translate(${x + 5} ${baseline})" d="${path}"/>`
  );
}

class Recordings implements Disposable {
  readonly #open = new Map<string, Recording>();

  open(path: string): Recording {
    const recording = this.#open.get(path) ?? new Recording(path);
    this.#open.set(path, recording);
    return recording;
  }

  [Symbol.dispose](): void {
    for (const recording of this.#open.values()) recording[Symbol.dispose]();
  }
}
