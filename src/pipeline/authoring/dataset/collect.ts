import { basename, dirname, extname, resolve } from 'node:path';
import type { PreparedCrop } from '../../../detectors/kind.ts';
import { PlaybyplayError } from '../../../errors.ts';
import { suggestSpelling } from '../../../spelling.ts';
import type { Rect } from '../../../geometry.ts';
import { isGap, decodeFrames } from '../../../media/decode/decode-frames.ts';
import { scanPackets } from '../../../media/packets/scan-packets.ts';
import type { Picture } from '../../../media/picture.ts';
import { openVideo } from '../../../media/video.ts';
import type { LoadedProfile } from '../../../profile/load.ts';
import { resolveReferenceSize } from '../../../profile/defaults.ts';
import type { Profile } from '../../../profile/profile.ts';
import { RegionSet } from '../../../regions/regions.ts';
import { type Label, labelledPictures } from '../learn.ts';
import { compileProfile } from '../../compile-profile.ts';
import { CHUNK_SECONDS, indexChunks, planChunks } from '../../reading/plan.ts';
import type { Plugins } from '../../../detectors/plugins/load.ts';
import { SampleReader } from '../../reading/sample-reader.ts';

/** A labelled region of one picture. */
export interface LabelledRegion {
  readonly detector: string;
  readonly region: string;
  readonly label: string;
  /** 1 for labels from a file. */
  readonly confidence: number;
  /** Pixels of the frame. */
  readonly box: Rect;
  /** The region as detectors are shown it, after its preprocessing. */
  crop(): PreparedCrop | Promise<PreparedCrop>;
}

/** A picture with what is known of its regions; valid until the next one is asked for. */
export interface LabelledPicture {
  /** Path of the recording. */
  readonly media: string;
  /** Its name without folder and extension, with a number where two recordings share it. */
  readonly stem: string;
  readonly t: number;
  readonly picture: Picture;
  readonly regions: readonly LabelledRegion[];
}

/** Options of collecting labelled pictures. */
export interface CollectOptions {
  /** The plug-ins that bring kinds of the profile. */
  readonly plugins?: Plugins;
  /** Whose readings are labels; default all that have a region. */
  readonly detectors?: readonly string[];
  /** Seconds between pictures; default 0.5. */
  readonly interval?: number;
  /** Readings below are no labels; default 0.9. */
  readonly confidence?: number;
  /** Label of regions in which surely nothing is; default: they are left out. */
  readonly background?: string;
  /** The region to be cut out, instead of the detector's own. */
  readonly region?: string;
  readonly from?: number;
  readonly to?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

const DEFAULT_INTERVAL_SECONDS = 0.5;
const DEFAULT_CONFIDENCE = 0.9;

/** Throws PlaybyplayError `unknown-detector`, `unknown-region`. */
function checkNames({ profile }: LoadedProfile, { detectors, region }: CollectOptions): readonly string[] {
  const names = Object.keys(profile.detectors);
  for (const name of detectors ?? []) {
    if (!names.includes(name)) throw unknown('detector', name, names);
    if (region === undefined && profile.detectors[name]!.region === undefined)
      throw new PlaybyplayError('unknown-region', `the detector “${name}” has no region`);
  }
  if (region !== undefined && !Object.hasOwn(profile.regions, region))
    throw unknown('region', region, Object.keys(profile.regions));
  const own =
    detectors ??
    names.filter((name) => {
      const spec = profile.detectors[name]!;
      return spec.media === undefined && (region !== undefined || spec.region !== undefined);
    });
  if (new Set(own.map((name) => profile.detectors[name]!.media)).size > 1)
    throw new PlaybyplayError('unknown-media', 'the detectors named look at different recordings', {
      hint: 'Export those of a companion by themselves, from its recording.',
    });
  for (const name of own) {
    const used = region ?? profile.detectors[name]!.region!;
    if (!profile.regions[used]?.relative) continue;
    const message = `the region “${used}” follows another detector and has no fixed place to crop`;
    throw new PlaybyplayError('unknown-region', message, { hint: 'Name other detectors, or another region.' });
  }
  return own;
}

function unknown(what: string, name: string, names: readonly string[]): PlaybyplayError {
  return new PlaybyplayError(`unknown-${what}`, `the profile has no ${what} “${name}”`, {
    hint: suggestSpelling(name, names) ?? `There are ${names.join(', ')}.`,
  });
}

/** Labels pictures of recordings by the readings of the profile's detectors. Throws as `SampleReader` and the media do. */
export async function* collectReadings(
  loaded: LoadedProfile,
  media: readonly string[],
  options: CollectOptions,
): AsyncGenerator<LabelledPicture> {
  const { profile, assets } = loaded;
  const wanted = checkNames(loaded, options);
  const companion = wanted[0] === undefined ? undefined : profile.detectors[wanted[0]]!.media;
  const { interval = DEFAULT_INTERVAL_SECONDS, confidence: minConfidence = DEFAULT_CONFIDENCE, background } = options;
  const game = await compileProfile({ profile: withInterval(profile, interval), assets }, options.plugins);
  const names = Object.keys(profile.detectors);
  const due = Uint8Array.from(names, (name) => (wanted.includes(name) ? 1 : 0));
  const stems = listStems(media);
  for (const [m, path] of media.entries()) {
    using file = openVideo(path);
    const index = scanPackets(file, options.signal ? { signal: options.signal } : {});
    const range = {
      ...(options.from === undefined ? {} : { from: options.from }),
      ...(options.to === undefined ? {} : { to: options.to }),
    };
    using reader = await SampleReader.open(game, file.info, { media: companion });
    const regions = await RegionSet.open(profile.regions, file.info, resolveReferenceSize(profile, companion));
    const chunks = indexChunks(index, CHUNK_SECONDS.full);
    for await (const { chunk, samples } of planChunks(chunks, game, { range, companion })) {
      options.signal?.throwIfAborted();
      for (const item of decodeFrames(file, index, chunk, samples.frames)) {
        if (isGap(item)) continue;
        using picture = item;
        const seen = await reader.read(picture, due);
        const found = seen.flatMap((observation, d): LabelledRegion[] => {
          const detector = names[d]!;
          if (!observation || !wanted.includes(detector) || observation.confidence < minConfidence) return [];
          const label = observation.state === 'seen' ? String(observation.value) : background;
          if (observation.state === 'unreadable' || label === undefined) return [];
          const name = options.region ?? profile.detectors[detector]!.region!;
          return toLabelledRegions(regions, picture, detector, name, label, observation.confidence);
        });
        if (found.length > 0) yield { media: path, stem: stems[m]!, t: picture.t, picture, regions: found };
      }
      options.onProgress?.(m + chunk.end / Math.max(1e-6, index.t.at(-1) ?? 1), media.length);
    }
  }
}

/** Collects the pictures of a label file with its labels. */
export async function* collectLabels(
  loaded: LoadedProfile,
  labels: readonly Label[],
  labelFile: string,
  options: CollectOptions,
): AsyncGenerator<LabelledPicture> {
  const { profile } = loaded;
  const wanted = checkNames(loaded, options);
  const companion = wanted[0] === undefined ? undefined : profile.detectors[wanted[0]]!.media;
  const own = labels.filter(({ detector }) => wanted.includes(detector));
  const media = [...new Set(own.map((label) => label.media))];
  const stems = listStems(media);
  for (const { label, picture } of labelledPictures(own, labelFile)) {
    options.signal?.throwIfAborted();
    const text = label.text === '' ? options.background : label.text;
    if (text === undefined) continue;
    const regions = await RegionSet.open(profile.regions, picture, resolveReferenceSize(profile, companion));
    const name = options.region ?? profile.detectors[label.detector]!.region!;
    const found = toLabelledRegions(regions, picture, label.detector, name, text, 1);
    const stem = stems[media.indexOf(label.media)]!;
    if (found.length > 0)
      yield { media: resolve(dirname(labelFile), label.media), stem, t: picture.t, picture, regions: found };
  }
}

/** Returns the profile with the same sampling interval for all detectors. */
function withInterval(profile: Profile, interval: number): Profile {
  const detectors = Object.fromEntries(
    Object.entries(profile.detectors).map(([name, spec]) => [name, { ...spec, interval }]),
  );
  return { ...profile, detectors };
}

function toLabelledRegions(
  regions: RegionSet,
  picture: Picture,
  detector: string,
  name: string,
  label: string,
  confidence: number,
): LabelledRegion[] {
  const region = regions.get(name);
  const { rect } = region;
  if (rect.width === 0 || rect.height === 0) return [];
  return [{ detector, region: name, label, confidence, box: rect, crop: () => region.prepare(picture) }];
}

function listStems(media: readonly string[]): string[] {
  const taken = new Map<string, number>();
  return media.map((path) => {
    const stem = basename(resolve(path), extname(path)).replaceAll(/[^\p{L}\p{N}._-]/gu, '_');
    const count = (taken.get(stem) ?? 0) + 1;
    taken.set(stem, count);
    return count === 1 ? stem : `${stem}-${count}`;
  });
}
