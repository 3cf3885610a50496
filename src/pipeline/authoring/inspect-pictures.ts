import { join } from 'node:path';
import sharp from 'sharp';
import { plausibilityOf } from '../../cues/plausible.ts';
import { minConfidenceOf } from '../../cues/tracker.ts';
import { type Observation, placeOf } from '../../detectors/kind.ts';
import type { Plugins } from '../../detectors/plugins/load.ts';
import { toFileName } from '../../files/file-name.ts';
import { writeOutput } from '../../files/output.ts';
import type { Rect } from '../../geometry.ts';
import { parsePointer } from '../../json.ts';
import { escapeText } from '../../markup.ts';
import type { Picture } from '../../media/picture.ts';
import { resolveReferenceSize } from '../../profile/defaults.ts';
import type { LoadedProfile } from '../../profile/load.ts';
import { cropRgb } from '../../regions/crop.ts';
import { RegionSet } from '../../regions/regions.ts';
import { compileProfile } from '../compile-profile.ts';
import { SampleReader } from '../reading/sample-reader.ts';
import { labelledPictures } from './learn.ts';

/** A rectangle to draw on a frame, in its pixels. */
interface DrawnRegion extends Rect {
  /** As SVG has it. */
  readonly color: string;
  /** Written above it, or below where there is no room. */
  readonly name?: string;
}

/** A frame (interleaved RGB) with rectangles drawn on it, as PNG. */
export function drawRegions(
  { width, height, rgb }: { readonly width: number; readonly height: number; readonly rgb: Uint8Array },
  regions: readonly DrawnRegion[],
): Promise<Buffer> {
  const line = Math.max(1, Math.round(height / 480));
  const shapes = regions.map(({ x, y, width: w, height: h, color, name }) => {
    const box = `<rect x="${x}" y="${y}" width="${w}" height="${h}" fill="none" stroke="${color}" stroke-width="${line}"/>`;
    if (name === undefined) return box;
    const words = escapeText(name);
    const below = y > 14 ? y - 4 : y + h + 12;
    return `${box}<text x="${x}" y="${below}" font-size="11" font-family="sans-serif" fill="${color}">${words}</text>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${shapes.join('')}</svg>`;
  return sharp(rgb, { raw: { width, height, channels: 3 } })
    .composite([{ input: Buffer.from(svg), left: 0, top: 0 }])
    .png()
    .toBuffer();
}

/** What one detector reads in one picture. */
export interface InspectedReading {
  readonly detector: string;
  readonly kind: string;
  readonly region: string | undefined;
  /** Undefined if the detector is inactive or does not read single pictures. */
  readonly observation: Observation | undefined;
  /** Lowest confidence that counts. */
  readonly least: number;
  /** The detector's `plausible` (range or pattern) excludes the value. */
  readonly implausible: boolean;
  /** The detector of its `when` condition. */
  readonly when: string | undefined;
  /** Message about a missing asset, without which it reads nothing. */
  readonly lacks: string | undefined;
}

/** What a profile's detectors read at one moment of a recording. */
export interface PictureInspection {
  /** Time of the picture nearest to the requested time, in seconds. */
  readonly t: number;
  readonly seen: readonly InspectedReading[];
  /** Files written to the folder `out`. */
  readonly files: readonly string[];
}

/** Options of inspecting pictures of a recording. */
interface InspectOptions {
  /** Detectors to read; default all. */
  readonly detectors?: readonly string[] | undefined;
  readonly plugins?: Plugins | undefined;
  /** The recording is this companion of the profile's. */
  readonly companion?: string | undefined;
  /** Folder for the frame with its regions drawn in and for each preprocessed region. */
  readonly out?: string | undefined;
}

/** Reads single pictures of a recording with all detectors of a profile, active or not; `times` in seconds. */
export async function* inspectPictures(
  loaded: LoadedProfile,
  media: string,
  times: readonly number[],
  options: InspectOptions = {},
): AsyncGenerator<PictureInspection> {
  const { profile } = loaded;
  const game = await compileProfile(loaded, options.plugins);
  const names = Object.keys(profile.detectors);
  const wanted = options.detectors ?? names;
  const lacks = findMissingAssets(loaded);
  const labels = times.map((t) => ({ media, t, detector: '', text: '' }));
  for (const { picture } of labelledPictures(labels, 'here')) {
    using reader = await SampleReader.open(game, picture, {
      media: options.companion,
      closed: new Set(lacks.keys()),
    });
    const observations = await reader.read(picture, new Uint8Array(names.length).fill(1));
    const seen = names.flatMap((detector, d): InspectedReading[] => {
      if (!wanted.includes(detector)) return [];
      const spec = profile.detectors[detector]!;
      if (spec.media !== options.companion) return [];
      const least = minConfidenceOf(spec);
      const { kind, region, when } = spec;
      const observation = observations[d];
      const value = observation?.state === 'seen' ? observation.value : undefined;
      const implausible = plausibilityOf(spec)(value, undefined) === 'impossible';
      return [
        { detector, kind, region, observation, least, implausible, when: when?.detector, lacks: lacks.get(detector) },
      ];
    });
    const shown = options.detectors || options.companion !== undefined ? [] : Object.keys(profile.regions);
    const regions = [...new Set([...seen.flatMap(({ region }) => region ?? []), ...shown])];
    const found = new Map(names.map((name, d) => [name, observations[d]]));
    const files =
      options.out === undefined
        ? []
        : await writePictures(loaded, picture, regions, found, options.out, options.companion);
    yield { t: picture.t, seen, files };
  }
}

/** Maps detectors to messages about their missing assets. */
function findMissingAssets({ missing: issues }: LoadedProfile): ReadonlyMap<string, string> {
  return new Map(
    issues.map(({ path = '', message }) => {
      const [, name = ''] = parsePointer(path.slice(path.indexOf('#') + 1));
      return [name, message];
    }),
  );
}

/** Writes the frame with its regions drawn in, and the preprocessed regions. */
async function writePictures(
  { profile }: LoadedProfile,
  picture: Picture,
  names: readonly string[],
  found: ReadonlyMap<string, Observation | undefined>,
  out: string,
  companion: string | undefined,
): Promise<string[]> {
  const regions = await RegionSet.open(profile.regions, picture, resolveReferenceSize(profile, companion));
  const stem = picture.t.toFixed(2);
  const files: string[] = [];
  const boxes: DrawnRegion[] = [];
  for (const name of names) {
    const following = regions.following(name);
    const leader = following && found.get(following.detector);
    const at = leader && placeOf(leader);
    // A region that follows a detector without a reading has no place.
    if (following && !at) continue;
    const region = following ? await following.at(at!) : regions.get(name);
    if (region.rect.width === 0 || region.rect.height === 0) continue;
    boxes.push({ name, ...region.rect, color: '#ff00ff' });
    const { data, width, height, channels } = await region.prepare(picture);
    const file = join(out, `${stem} ${toFileName(name)}.png`);
    const crop = await sharp(data, { raw: { width, height, channels } }).png().toBuffer();
    await writeOutput(file, crop, { kind: 'picture' });
    files.push(file);
  }
  const { width, height } = picture;
  const file = join(out, `${stem}.png`);
  const rgb = cropRgb(picture, { x: 0, y: 0, width, height });
  await writeOutput(file, await drawRegions({ width, height, rgb }, boxes), { kind: 'picture' });
  return [file, ...files];
}
