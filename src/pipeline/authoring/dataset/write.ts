import { readdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import sharp from 'sharp';
import { PlaybyplayError } from '../../../errors.ts';
import { toFileName } from '../../../files/file-name.ts';
import { makeFolder } from '../../../files/folder.ts';
import { writeOutput } from '../../../files/output.ts';
import { cropRgb } from '../../../regions/crop.ts';
import type { LabelledPicture, LabelledRegion } from './collect.ts';

/** Layouts in which a data set can be written. */
export const DATASET_FORMATS = ['folders', 'coco', 'yolo'] as const;
/** A layout of a data set. */
export type DatasetFormat = (typeof DATASET_FORMATS)[number];

/** Options of writing a data set. */
export interface WriteOptions {
  readonly out: string;
  readonly format: DatasetFormat;
  /** Share of the time that is held back for validation; default 0.2. */
  readonly held?: number;
  /** Pictures of frames as PNG (default) or JPEG; crops are always PNG. */
  readonly image?: 'png' | 'jpg';
  /** Regions of one label that are kept at most; default 2000. */
  readonly most?: number;
}

/** What was written into a data set. */
export interface DatasetSummary {
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
    throw new PlaybyplayError('folder-not-empty', `${out} is not empty`, { hint: 'Name a new folder by --out.' });
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
