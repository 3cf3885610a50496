import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import type { Observation } from '../detectors/kind.ts';
import type { Plugins } from '../detectors/plugins/load.ts';
import type { Rect } from '../geometry.ts';
import { cropRgb } from '../regions/crop.ts';
import type { Picture } from '../media/picture.ts';
import type { LoadedProfile } from '../profile/load.ts';
import { RegionSet } from '../regions/regions.ts';
import { labelledPictures } from './learn.ts';
import { SampleReader } from './sample-reader.ts';

/** What one detector reads in one picture. */
export interface Seen {
  readonly detector: string;
  readonly kind: string;
  readonly region: string | undefined;
  /** Undefined: it was not asked, because of its `when` or of a screen, or because it reads no single pictures. */
  readonly observation: Observation | undefined;
  /** How sure a reading must be to count. */
  readonly least: number;
  /** The detector that it waits for. */
  readonly when: string | undefined;
}

/** What a profile's detectors read at one moment of a recording. */
export interface Look {
  /** Of the picture nearest to the time asked for, in seconds. */
  readonly t: number;
  readonly seen: readonly Seen[];
  /** The pictures that were written, where a folder was given. */
  readonly files: readonly string[];
}

export interface LookOptions {
  /** Whose readings; default all. */
  readonly detectors?: readonly string[];
  readonly plugins?: Plugins;
  /** Where to write the frame with its regions drawn in, and each region as its detectors are shown it. */
  readonly out?: string;
}

/** The least confidence of readings that count, where a detector does not say. */
const LEAST = 0.8;

/** Reads single moments (seconds) of a recording with all detectors of a profile, each as if it were switched on. */
export async function* look(
  loaded: LoadedProfile,
  media: string,
  times: readonly number[],
  options: LookOptions = {},
): AsyncGenerator<Look> {
  const { profile, assets } = loaded;
  const names = Object.keys(profile.detectors);
  const wanted = options.detectors ?? names;
  const labels = times.map((t) => ({ media, t, detector: '', text: '' }));
  for (const { picture } of labelledPictures(labels, 'here')) {
    using reader = await SampleReader.open(profile, assets, picture, undefined, options.plugins, true);
    const observations = await reader.read(picture, new Uint8Array(names.length).fill(1));
    const seen = names.flatMap((detector, d): Seen[] => {
      if (!wanted.includes(detector)) return [];
      const spec = profile.detectors[detector]!;
      const least = spec.stability?.confidence ?? LEAST;
      const { kind, region, when } = spec;
      return [{ detector, kind, region, observation: observations[d], least, when: when?.detector }];
    });
    const files = options.out === undefined ? [] : await draw(loaded, picture, seen, options.out);
    yield { t: picture.t, seen, files };
  }
}

/** Writes the frame with its regions drawn in, and the regions as their detectors are shown them. */
async function draw(
  { profile }: LoadedProfile,
  picture: Picture,
  seen: readonly Seen[],
  out: string,
): Promise<string[]> {
  await mkdir(out, { recursive: true });
  const regions = await RegionSet.open(profile.regions, picture, profile.reference);
  const stem = picture.t.toFixed(2);
  const files: string[] = [];
  const boxes: { readonly name: string; readonly rect: Rect }[] = [];
  for (const name of new Set(seen.flatMap(({ region }) => region ?? []))) {
    if (profile.regions[name]?.relative) continue;
    const region = regions.get(name);
    if (region.rect.width === 0 || region.rect.height === 0) continue;
    boxes.push({ name, rect: region.rect });
    const { data, width, height, channels } = region.prepare(picture);
    const file = join(out, `${stem} ${name.replaceAll(/[^\p{L}\p{N}._ -]/gu, '_')}.png`);
    await sharp(data, { raw: { width, height, channels } }).png().toFile(file);
    files.push(file);
  }
  const { width, height } = picture;
  const file = join(out, `${stem}.png`);
  const pixels = cropRgb(picture, { x: 0, y: 0, width, height });
  await sharp(pixels, { raw: { width, height, channels: 3 } })
    .composite([{ input: Buffer.from(drawing(width, height, boxes)) }])
    .png()
    .toFile(file);
  return [file, ...files];
}

function drawing(
  width: number,
  height: number,
  boxes: readonly { readonly name: string; readonly rect: Rect }[],
): string {
  const shapes = boxes.map(({ name, rect }) => {
    const place = `x="${rect.x - 0.5}" y="${rect.y - 0.5}" width="${rect.width + 1}" height="${rect.height + 1}"`;
    const text = name.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    const y = rect.y > 14 ? rect.y - 4 : rect.y + rect.height + 12;
    return `<rect ${place} fill="none" stroke="#ff00ff"/><text x="${rect.x}" y="${y}" font-size="11" font-family="sans-serif" fill="#ff00ff">${text}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${shapes.join('')}</svg>`;
}
