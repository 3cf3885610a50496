import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  collectLabels,
  collectReadings,
  type DatasetFormat,
  writeDataset,
} from '../../src/pipeline/authoring/dataset.ts';
import { parseLabels } from '../../src/pipeline/authoring/learn.ts';
import { loadProfile } from '../../src/profile/load.ts';
import { clip } from '../paths.ts';

const detectors = ['health', 'armor'];
const text = (path: string): Promise<string> => readFile(path, 'utf8');
const json = async <T>(path: string): Promise<T> => JSON.parse(await text(path)) as T;

async function write(format: DatasetFormat): Promise<string> {
  const out = join(await mkdtemp(join(tmpdir(), 'playbyplay-dataset-')), format);
  const options = { detectors, to: 16, interval: 2, confidence: 0.8 };
  await writeDataset(collectReadings(await loadProfile('freedoom'), [clip], options), {
    out,
    format,
    held: 0.5,
  });
  return out;
}

interface Row {
  readonly file: string;
  readonly t: number;
  readonly detector: string;
  readonly text: string;
  readonly box: readonly [number, number, number, number];
}

const rowsOf = async (folder: string): Promise<Row[]> =>
  (await text(join(folder, 'labels.ndjson')))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);

interface Coco {
  readonly images: readonly { id: number; file_name: string; width: number; height: number }[];
  readonly annotations: readonly {
    id: number;
    image_id: number;
    category_id: number;
    bbox: Row['box'];
    area: number;
  }[];
  readonly categories: readonly { id: number; name: string }[];
}

/** All pixels of a picture, and those of a part of it. */
const pixels = (path: string) => sharp(path).raw().toBuffer();
const part = (path: string, [left, top, width, height]: Row['box']) =>
  sharp(path).extract({ left, top, width, height }).raw().toBuffer();

describe('a data set for training', () => {
  let folders: string;
  let coco: string;
  let yolo: string;
  beforeAll(async () => {
    [folders, coco, yolo] = await Promise.all([write('folders'), write('coco'), write('yolo')]);
  });

  it("has the labels of the recording's ground truth", async () => {
    const { series } = await json<{ series: { t: number; health: number | null; armor: number | null }[] }>(
      clip.replace('.mp4', '.truth.json'),
    );
    const rows = await rowsOf(folders);
    expect(rows.length).toBeGreaterThan(10);
    for (const { t, detector, text: label } of rows) {
      const shown = series.findLast((row) => row.t <= t + 1e-3)!;
      expect([t, detector, label]).toEqual([t, detector, String(shown[detector as 'health' | 'armor'])]);
    }
  });

  it('in the folder layout holds each crop under its label', async () => {
    for (const set of ['train', 'val'] as const) {
      const labels = await readdir(join(folders, set));
      const rows = (await rowsOf(folders)).filter(({ file }) => file.startsWith(`${set}/`));
      expect(rows.length).toBeGreaterThan(0);
      expect(labels).toEqual([...new Set(rows.map((row) => row.text))].toSorted());
      const files = (await Promise.all(labels.map((label) => readdir(join(folders, set, label))))).flat();
      expect(files.length).toBe(rows.length);
    }
  });

  it('in the COCO layout refers to frames whose boxes hold the pixels of the crops', async () => {
    const crops = new Map((await rowsOf(folders)).map((row) => [`${row.detector} ${row.t}`, row]));
    const rows = await rowsOf(coco);
    expect(rows.length).toBe(crops.size);
    let compared = 0;
    for (const set of ['train', 'val']) {
      const { images, annotations, categories } = await json<Coco>(join(coco, `instances_${set}.json`));
      expect(categories.map(({ id }) => id)).toEqual(categories.map((_, i) => i + 1));
      for (const { image_id, category_id, bbox, area } of annotations) {
        const image = images.find(({ id }) => id === image_id)!;
        const name = categories.find(({ id }) => id === category_id)!.name;
        const row = rows.find(
          ({ file, box, text: label }) => file === image.file_name && label === name && `${box}` === `${bbox}`,
        )!;
        expect(area).toBe(bbox[2] * bbox[3]);
        expect(bbox[0] + bbox[2] <= image.width && bbox[1] + bbox[3] <= image.height).toBe(true);
        if (++compared > 6) continue;
        const crop = crops.get(`${row.detector} ${row.t}`)!;
        expect(await part(join(coco, image.file_name), bbox)).toEqual(await pixels(join(folders, crop.file)));
      }
    }
    expect(compared).toBe(rows.length);
  });

  it('in the YOLO layout has the same boxes as fractions, and the labels in data.yaml', async () => {
    const yaml = await text(join(yolo, 'data.yaml'));
    const names = [...yaml.matchAll(/^ {2}(\d+): (".*")$/gm)].map(
      ([, i, name]) => [Number(i), JSON.parse(name!)] as const,
    );
    expect(names.map(([i]) => i)).toEqual(names.map((_, i) => i));
    const found: string[] = [];
    for (const set of ['train', 'val']) {
      for (const file of await readdir(join(yolo, 'images', set))) {
        const { width, height } = await sharp(join(yolo, 'images', set, file)).metadata();
        const lines = (await text(join(yolo, 'labels', set, file.replace('.png', '.txt')))).trim().split('\n');
        for (const line of lines) {
          const [label, cx, cy, w, h] = line.split(' ').map(Number) as [number, number, number, number, number];
          const box = [(cx - w / 2) * width, (cy - h / 2) * height, w * width, h * height].map(Math.round);
          found.push(`${file} ${names[label]![1]} ${box}`);
        }
      }
    }
    const wanted = (await rowsOf(coco)).map(({ file, text: label, box }) => `${file.split('/')[1]!} ${label} ${box}`);
    expect(found.toSorted()).toEqual(wanted.toSorted());
  });

  it('can be made from given labels, including its own', async () => {
    const file = join(folders, 'labels.ndjson');
    const labels = parseLabels(await text(file), file).filter(({ detector }) => detector === 'health');
    const out = join(await mkdtemp(join(tmpdir(), 'playbyplay-dataset-')), 'again');
    const pictures = collectLabels(await loadProfile('freedoom'), labels, file, { detectors: ['health'] });
    await writeDataset(pictures, { out, format: 'folders' });
    const again = await rowsOf(out);
    const before = (await rowsOf(folders)).filter(({ detector }) => detector === 'health');
    expect(again.map((row) => [row.t, row.text])).toEqual(before.map((row) => [row.t, row.text]));
    expect(await pixels(join(out, again[0]!.file))).toEqual(await pixels(join(folders, before[0]!.file)));
  });

  it('is refused for a folder that is not empty and for labels without classes', async () => {
    const loaded = await loadProfile('freedoom');
    const none = collectReadings(loaded, [clip], { detectors, to: 0.5 });
    await expect(writeDataset(none, { out: folders, format: 'folders' })).rejects.toMatchObject({
      code: 'folder-not-empty',
    });
    const out = join(await mkdtemp(join(tmpdir(), 'playbyplay-dataset-')), 'none');
    await expect(writeDataset(none, { out, format: 'folders' })).rejects.toMatchObject({ code: 'no-labels' });
    const wrong = collectReadings(loaded, [clip], { detectors: ['helth'] });
    await expect(wrong.next()).rejects.toMatchObject({ code: 'unknown-detector', hint: 'Did you mean "health"?' });
  });
});
