import { GeneralReader } from '../../detectors/text/general-reader.ts';
import { PlaybyplayError } from '../../errors.ts';
import { toLanguageTags } from '../../language/tags.ts';
import { escapeText } from '../../markup.ts';
import { scanPackets } from '../../media/packets/scan-packets.ts';
import { openVideo } from '../../media/video.ts';
import type { LoadedProfile } from '../../profile/load.ts';
import { cropDetector, type Label, labelledPictures } from './learn.ts';

/** Crops of a detector's region that look alike. */
export interface SheetRow {
  readonly detector: string;
  /** Seconds of the crops, the shown one first. */
  readonly times: readonly number[];
  /** What the general reader reads; empty where it reads nothing, or is not installed. */
  readonly text: string;
  /** Grey levels, in pixels of the reference frame. */
  readonly crop: { readonly data: Uint8Array; readonly width: number; readonly height: number };
}

/** Options of `collectSheet`. */
export interface SheetOptions {
  /** Seconds between crops. */
  readonly interval: number;
  /** Rows of each detector at most: those of which there are most crops. */
  readonly rows: number;
}

/** Correlation of two crops from which they show the same. */
const MIN_LIKENESS = 0.96;
/** Times of alike crops that a row keeps: more teach a font nothing new. */
const MAX_TIMES = 6;

/**
 * Collects crops of text detectors over a recording, alike ones in one row, each with a suggested text.
 *
 * @throws PlaybyplayError `unknown-detector`, `unknown-region`, or if the recording cannot be read.
 */
export async function collectSheet(
  loaded: LoadedProfile,
  media: string,
  detectors: readonly string[],
  { interval, rows }: SheetOptions,
): Promise<readonly SheetRow[]> {
  const moments: Label[] = [];
  {
    using file = openVideo(media);
    const end = scanPackets(file).t.at(-1) ?? 0;
    for (let t = interval / 2; t <= end; t += interval)
      for (const detector of detectors) moments.push({ media, t: Math.round(1000 * t) / 1000, detector, text: '' });
  }
  const clusters = new Map<string, Cluster[]>(detectors.map((name) => [name, []]));
  for (const { label, picture } of labelledPictures(moments, media)) {
    const { data, width, height } = cropDetector(picture, loaded, label.detector);
    const crop = { data: Uint8Array.from(data, (level) => Math.min(255, Math.max(0, level))), width, height };
    const pattern = normalize(crop.data);
    const own = clusters.get(label.detector)!;
    const like = own.find((one) => correlate(one.pattern, pattern) >= MIN_LIKENESS);
    if (like) like.times.push(label.t);
    else own.push({ pattern, crop, times: [label.t] });
  }
  const found: SheetRow[] = [];
  for (const [detector, own] of clusters) {
    const kept = own.toSorted((a, b) => b.times.length - a.times.length).slice(0, rows);
    const texts = await suggestTexts(
      loaded,
      detector,
      kept.map(({ crop }) => crop),
    );
    for (const [i, { crop, times }] of kept.entries()) {
      const step = Math.max(1, Math.ceil(times.length / MAX_TIMES));
      found.push({ detector, times: times.filter((_, k) => k % step === 0), text: texts[i] ?? '', crop });
    }
  }
  return found;
}

interface Cluster {
  readonly pattern: Float32Array;
  readonly crop: SheetRow['crop'];
  readonly times: number[];
}

/** Levels with mean 0 and length 1. */
function normalize(levels: Uint8Array): Float32Array {
  const mean = levels.reduce((sum, level) => sum + level, 0) / levels.length;
  const centred = Float32Array.from(levels, (level) => level - mean);
  const length = Math.hypot(...centred) || 1;
  return centred.map((level) => level / length);
}

function correlate(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return 0;
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** What the general reader reads in crops; nothing where it is not installed or does not know the script. */
async function suggestTexts(
  { profile }: LoadedProfile,
  detector: string,
  crops: readonly SheetRow['crop'][],
): Promise<readonly string[]> {
  const { charset, language } = profile.detectors[detector] as {
    readonly charset?: string;
    readonly language?: string | readonly string[];
  };
  try {
    const languages = toLanguageTags(language ?? profile.language);
    using reader = await GeneralReader.open({ languages, charset });
    const read = await reader.read(crops.map((crop) => ({ ...crop, channels: 1 as const })));
    return read.map((one) => ('text' in one ? one.text : ''));
  } catch (error) {
    if (error instanceof PlaybyplayError) return [];
    throw error;
  }
}

const ROW_HEIGHT = 44;
const TEXT_WIDTH = 420;

/** Draws the rows of a sheet below each other, with the number of the line that labels each. */
export async function drawSheet(rows: readonly SheetRow[]): Promise<Buffer> {
  const { default: sharp } = (await import('sharp')) as typeof import('sharp');
  const crops = await Promise.all(
    rows.map(({ crop: { data, width, height } }) =>
      sharp(data, { raw: { width, height, channels: 1 } })
        .resize({ height: ROW_HEIGHT - 6 })
        .normalise()
        .png()
        .toBuffer({ resolveWithObject: true }),
    ),
  );
  const width = TEXT_WIDTH + Math.max(1, ...crops.map(({ info }) => info.width)) + 12;
  const height = Math.max(1, rows.length) * ROW_HEIGHT;
  const lines = rows.map(({ detector, times, text }, i) => {
    const said = escapeText(`${i + 1}  ${detector} at ${times[0]} s (${times.length}): ${text === '' ? '–' : text}`);
    return `<text x="8" y="${(i + 0.62) * ROW_HEIGHT}" font-size="16" font-family="sans-serif" fill="#fff">${said}</text>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${lines.join('')}</svg>`;
  return await sharp({ create: { width, height, channels: 3, background: '#303438' } })
    .composite([
      { input: Buffer.from(svg), left: 0, top: 0 },
      ...crops.map(({ data }, i) => ({ input: data, left: TEXT_WIDTH, top: i * ROW_HEIGHT + 3 })),
    ])
    .png()
    .toBuffer();
}

/** The rows as labels, in the order of the sheet. */
export function formatSheetLabels(rows: readonly SheetRow[], media: string): string {
  return rows
    .map(({ detector, times, text }) => `${JSON.stringify({ media, t: times[0], times, detector, text })}\n`)
    .join('');
}
