import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import type { PreparedCrop } from '../../detectors/kind.ts';
import { PlaybyplayError } from '../../errors.ts';
import { suggestSpelling } from '../../spelling.ts';
import type { Rect } from '../../geometry.ts';
import { decodeFrames, isGap } from '../../media/decode/decode-frames.ts';
import { scanPackets } from '../../media/packets/scan-packets.ts';
import type { Picture } from '../../media/picture.ts';
import { openVideo } from '../../media/video.ts';
import type { LoadedProfile } from '../../profile/load.ts';
import { resolveReferenceSize } from '../../profile/defaults.ts';
import type { Profile } from '../../profile/profile.ts';
import { RegionSet } from '../../regions/regions.ts';
import { type Label, labelledPictures } from './learn.ts';
import { compileProfile } from '../compile-profile.ts';
import { CHUNK_SECONDS, indexChunks, planChunks } from '../reading/plan.ts';
import type { Plugins } from '../../detectors/plugins/load.ts';
import { SampleReader } from '../reading/sample-reader.ts';
import { readdir } from 'node:fs/promises';
import sharp from 'sharp';
import { toFileName } from '../../files/file-name.ts';
import { makeFolder } from '../../files/folder.ts';
import { writeOutput } from '../../files/output.ts';
import { cropRgb } from '../../regions/crop.ts';

/** A labelled region of one picture. */
interface LabelledRegion {
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
interface LabelledPicture {
  /** Path of the recording. */
  readonly media: string;
  /** Its name without folder and extension, with a number where two recordings share it. */
  readonly stem: string;
  readonly t: number;
  readonly picture: Picture;
  readonly regions: readonly LabelledRegion[];
}

/** Options of collecting labelled pictures. */
interface CollectOptions {
  /** The plug-ins that bring kinds of the profile. */
  readonly plugins?: Plugins | undefined;
  /** Whose readings are labels; default all that have a region. */
  readonly detectors?: readonly string[] | undefined;
  /** Seconds between pictures; default 0.5. */
  readonly interval?: number | undefined;
  /** Readings below are no labels; default 0.9. */
  readonly confidence?: number | undefined;
  /** Label of regions in which surely nothing is; default: they are left out. */
  readonly background?: string | undefined;
  /** The region to be cut out, instead of the detector's own. */
  readonly region?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
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
    throw new PlaybyplayError('unknown-media', 'the named detectors read different recordings', {
      hint: 'Export the detectors of a companion separately, from its recording.',
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
      from: options.from,
      to: options.to,
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

/** Layouts in which a data set can be written. */
const DATASET_FORMATS = ['folders', 'coco', 'yolo'] as const;
/** A layout of a data set. */
export type DatasetFormat = (typeof DATASET_FORMATS)[number];

/** Options of writing a data set. */
interface WriteOptions {
  readonly out: string;
  readonly format: DatasetFormat;
  /** Share of the time that is held back for validation; default 0.2. */
  readonly held?: number | undefined;
  /** Pictures of frames as PNG (default) or JPEG; crops are always PNG. */
  readonly image?: 'png' | 'jpg' | undefined;
  /** Regions of one label that are kept at most; default 2000. */
  readonly most?: number | undefined;
}

/** What was written into a data set. */
interface DatasetSummary {
  readonly pictures: number;
  /** Regions by label and part. */
  readonly labels: Readonly<Record<string, { readonly train: number; readonly val: number }>>;
}

type Part = 'train' | 'val';

/** Seconds assigned to one part together: neighboring frames are too similar to be split. */
const SPLIT_SECONDS = 5;
const MAX_REGIONS_PER_LABEL = 2000;

/** One line of `labels.ndjson`: enough to find the region again, and what `profile glyphs --labels` reads. */
interface Row {
  readonly file: string;
  readonly part: Part;
  /** The recording, seen from the data set's folder. */
  readonly media: string;
  readonly t: number;
  readonly detector: string;
  readonly region: string;
  readonly text: string;
  readonly confidence: number;
  /** x, y, width, height in pixels of the frame. */
  readonly box: readonly number[];
}

interface Frame {
  readonly file: string;
  readonly part: Part;
  readonly width: number;
  readonly height: number;
  readonly rows: readonly Row[];
}

/**
 * Writes pictures and their labels as a data set: `folders` (part/label/crop.png), `coco` (frames, instances_train.json
 * and instances_val.json) or `yolo` (images/, labels/, data.yaml), with labels.ndjson, a line a region. Equal inputs
 * give equal files. Throws PlaybyplayError `folder-not-empty`, `no-labels`.
 */
export async function writeDataset(
  pictures: AsyncIterable<LabelledPicture>,
  options: WriteOptions,
): Promise<DatasetSummary> {
  const { out, format, most = MAX_REGIONS_PER_LABEL } = options;
  await makeFolder(out);
  if ((await readdir(out)).length > 0)
    throw new PlaybyplayError('folder-not-empty', `${out} is not empty`, { hint: 'Name a new folder with --out.' });
  const counts = new Map<string, { train: number; val: number }>();
  const frames: Frame[] = [];
  const parts = createSplitter(options.held ?? 0.2);
  for await (const shown of pictures) {
    const part = parts(shown);
    const kept = shown.regions.filter(({ label }) => {
      let count = counts.get(label);
      if (!count) counts.set(label, (count = { train: 0, val: 0 }));
      if (count.train + count.val >= most) return false;
      count[part]++;
      return true;
    });
    if (kept.length === 0) continue;
    frames.push(
      format === 'folders' ? await writeCrops(shown, kept, part, out) : await writeFrame(shown, kept, part, options),
    );
  }
  if (frames.length === 0)
    throw new PlaybyplayError('no-labels', 'no region could be labelled', {
      hint: 'Lower --confidence, or name other detectors.',
    });
  const names = [...counts.keys()].toSorted();
  if (format === 'coco') await writeCoco(frames, names, out);
  if (format === 'yolo') await writeYolo(frames, names, out);
  const rows = frames.flatMap((frame) => frame.rows);
  await writeOutput(join(out, 'labels.ndjson'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''), {
    kind: 'JSON',
  });
  await writeOutput(join(out, 'labels.txt'), `${names.join('\n')}\n`, { kind: 'text' });
  return { pictures: frames.length, labels: Object.fromEntries(names.map((name) => [name, counts.get(name)!])) };
}

/** Assigns pictures to parts by periods spread evenly, so that every recording is in both. */
function createSplitter(held: number): (shown: LabelledPicture) => Part {
  return ({ stem, t }) => {
    const stretch = Math.floor(t / SPLIT_SECONDS);
    const phase = [...stem].reduce((sum, char) => (sum * 31 + char.codePointAt(0)!) % 997, 7) / 997;
    return Math.floor((stretch + 1 + phase) * held) > Math.floor((stretch + phase) * held) ? 'val' : 'train';
  };
}

function pictureName({ stem, t }: LabelledPicture): string {
  return `${stem}-${t.toFixed(3).padStart(9, '0')}`;
}

function toRow(shown: LabelledPicture, region: LabelledRegion, part: Part, file: string, out: string): Row {
  const { box, detector, label, confidence } = region;
  return {
    file,
    part,
    media: relative(out, resolve(shown.media)).replaceAll('\\', '/'),
    t: shown.t,
    detector,
    region: region.region,
    text: label,
    confidence: Math.round(1000 * confidence) / 1000,
    box: [box.x, box.y, box.width, box.height],
  };
}

async function writeCrops(
  shown: LabelledPicture,
  regions: readonly LabelledRegion[],
  part: Part,
  out: string,
): Promise<Frame> {
  const rows: Row[] = [];
  for (const region of regions) {
    const folder = `${part}/${toFileName(region.label)}`;
    const file = `${folder}/${pictureName(shown)}-${toFileName(region.detector)}.png`;
    const { data, width, height, channels } = await region.crop();
    const crop = await sharp(data, { raw: { width, height, channels } }).png().toBuffer();
    await writeOutput(join(out, file), crop, { kind: 'picture' });
    rows.push(toRow(shown, region, part, file, out));
  }
  const { width, height } = shown.picture;
  return { file: '', part, width, height, rows };
}

async function writeFrame(
  shown: LabelledPicture,
  regions: readonly LabelledRegion[],
  part: Part,
  { out, format, image = 'png' }: WriteOptions,
): Promise<Frame> {
  const { picture } = shown;
  const { width, height } = picture;
  const folder = format === 'yolo' ? `images/${part}` : part;
  const file = `${folder}/${pictureName(shown)}.${image}`;
  const pixels = cropRgb(picture, { x: 0, y: 0, width, height });
  const made = sharp(pixels, { raw: { width, height, channels: 3 } });
  const data = await (image === 'png' ? made.png({ compressionLevel: 3 }) : made.jpeg({ quality: 95 })).toBuffer();
  await writeOutput(join(out, file), data, { kind: 'picture' });
  return { file, part, width, height, rows: regions.map((region) => toRow(shown, region, part, file, out)) };
}

async function writeCoco(frames: readonly Frame[], names: readonly string[], out: string): Promise<void> {
  const categories = names.map((name, i) => ({ id: i + 1, name, supercategory: 'region' }));
  for (const part of ['train', 'val'] as const) {
    const own = frames.filter((frame) => frame.part === part);
    const images = own.map(({ file, width, height }, i) => ({ id: i + 1, file_name: file, width, height }));
    let id = 0;
    const annotations = own.flatMap(({ rows }, i) =>
      rows.map(({ box, text }) => ({
        id: ++id,
        image_id: i + 1,
        category_id: names.indexOf(text) + 1,
        bbox: box,
        area: box[2]! * box[3]!,
        iscrowd: 0,
        segmentation: [],
      })),
    );
    const info = { description: 'regions labelled by playbyplay', version: '1.0' };
    const file = { info, licenses: [], images, annotations, categories };
    await writeOutput(join(out, `instances_${part}.json`), `${JSON.stringify(file)}\n`, { kind: 'JSON' });
  }
}

async function writeYolo(frames: readonly Frame[], names: readonly string[], out: string): Promise<void> {
  for (const { file, width, height, rows } of frames) {
    const lines = rows.map(({ box: [x, y, w, h], text }) => {
      const numbers = [(x! + w! / 2) / width, (y! + h! / 2) / height, w! / width, h! / height];
      return `${names.indexOf(text)} ${numbers.map((each) => each.toFixed(6)).join(' ')}\n`;
    });
    const label = file.replace(/^images\//, 'labels/').replace(/\.\w+$/, '.txt');
    await writeOutput(join(out, label), lines.join(''), { kind: 'text' });
  }
  const list = names.map((name, i) => `  ${i}: ${JSON.stringify(name)}\n`).join('');
  await writeOutput(join(out, 'data.yaml'), `train: images/train\nval: images/val\nnames:\n${list}`, { kind: 'text' });
}
