import { counted } from '../explain.ts';
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { PlaybyplayError } from '../../errors.ts';
import { suggestSpelling } from '../../spelling.ts';
import { collectLabels, collectReadings } from '../../pipeline/authoring/dataset/collect.ts';
import { DATASET_FORMATS, type DatasetFormat, writeDataset } from '../../pipeline/authoring/dataset/write.ts';
import { parseLabels } from '../../pipeline/authoring/learn.ts';
import { loadKindCatalog } from '../../pipeline/schemas.ts';
import { loadProfile } from '../../profile/load.ts';
import { type CommandIo, usage } from '../command.ts';
import { loadPlugins } from '../../detectors/plugins/load.ts';
import { kindNames } from '../../detectors/registry.ts';
import { namedPlugins } from '../plugins.ts';
import { ProgressBar } from '../progress.ts';

export const exportHelp = `playbyplay profile export <game or path> <media>… --out <folder> [--format folders|coco|yolo]

Writes pictures to train a network with: the regions of a profile's samples, labelled with what its detectors
read there. Train in the framework of your choice, save as ONNX, and name it in a detector of kind "onnx".

  --format <name>        folders: crops by label, as image classifiers want them (default); coco, yolo: frames with boxes
  --detector <name>      whose readings; may be given several times (default: all that have a region)
  --region <name>        cut out this region instead of the detector's own
  --confidence <0…1>     readings below are no labels (default 0.9)
  --background <label>   also take regions in which nothing is seen, under this label
  --labels <file>        labels by a person instead of readings: {"media": "clip.mp4", "t": 12.3, "detector": "weapon", "text": "railgun"} a line
  --interval <s>         seconds between pictures (default 0.5)
  --from, --to <s>       only this part of each recording
  --held <0…1>           share held back for validation, in stretches of five seconds (default 0.2)
  --most <n>             regions of one label at most (default 2000)
  --plugin <name>        a plug-in that brings kinds of the profile (see playbyplay detectors --help)
  --image png|jpg        how frames are saved (default png)

labels.ndjson lists every region with its recording, time, box, label and confidence; labels.txt the labels in the
order that coco and yolo number them, and that a detector's "labels" can name.

Example:
  playbyplay profile export openarena *.mp4 --detector weapon --background none --out weapons
`;

export async function exportCommand(args: string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      out: { type: 'string', short: 'o' },
      format: { type: 'string', default: 'folders' },
      detector: { type: 'string', multiple: true },
      region: { type: 'string' },
      confidence: { type: 'string' },
      background: { type: 'string' },
      labels: { type: 'string' },
      interval: { type: 'string' },
      from: { type: 'string' },
      to: { type: 'string' },
      held: { type: 'string' },
      most: { type: 'string' },
      image: { type: 'string', default: 'png' },
      plugin: { type: 'string', multiple: true },
      json: { type: 'boolean' },
    },
  });
  const [game, ...media] = positionals;
  if (game === undefined || (media.length === 0) === (values.labels === undefined))
    throw usage('which game, and which recordings (or --labels)?');
  if (values.out === undefined) throw usage('where to?', 'Give --out.');
  const { image } = values;
  if (image !== 'png' && image !== 'jpg') throw usage(`--image is png or jpg, not ${image}`);
  const format = formatNamed(values.format);
  const plugins = await loadPlugins(await namedPlugins(values.plugin), kindNames());
  const loaded = await loadProfile(game, { kinds: (used, steps) => loadKindCatalog(used, steps, plugins) });
  const bar = new ProgressBar(io, 'exporting');
  const options = {
    plugins,
    ...(values.detector ? { detectors: values.detector } : {}),
    ...(values.region === undefined ? {} : { region: values.region }),
    ...(values.background === undefined ? {} : { background: values.background }),
    ...numbers(values, { confidence: 1, interval: 3600, from: Number.MAX_VALUE, to: Number.MAX_VALUE }),
    signal: io.signal,
    onProgress: (done: number, total: number) => bar.show(done, total),
  };
  const pictures =
    values.labels === undefined
      ? collectReadings(loaded, media, options)
      : collectLabels(
          loaded,
          parseLabels(await readFile(values.labels, 'utf8'), values.labels),
          values.labels,
          options,
        );
  const summary = await writeDataset(pictures, {
    out: values.out,
    format,
    image,
    ...numbers(values, { held: 1, most: 1e9 }),
  });
  bar.clear();
  if (values.json) io.stdout.write(`${JSON.stringify({ out: values.out, format, ...summary })}\n`);
  else {
    const lines = Object.entries(summary.labels).map(
      ([label, { train, val }]) => `  ${label}: ${train} + ${val} held back`,
    );
    io.stdout.write(`${values.out}: ${counted(summary.pictures, 'picture')}\n${lines.join('\n')}\n`);
  }
  return 0;
}

function formatNamed(name: string): DatasetFormat {
  const found = DATASET_FORMATS.find((one) => one === name);
  if (found) return found;
  throw new PlaybyplayError('usage', `there is no format “${name}”`, {
    hint: suggestSpelling(name, DATASET_FORMATS) ?? `There are ${DATASET_FORMATS.join(', ')}.`,
  });
}

/** Those of some options that were given, as numbers from 0 to the most that each may be. */
function numbers<K extends string>(
  values: Readonly<Record<string, unknown>>,
  most: Readonly<Record<K, number>>,
): Partial<Record<K, number>> {
  const found: Partial<Record<K, number>> = {};
  for (const key of Object.keys(most) as K[]) {
    const text = values[key];
    if (text === undefined) continue;
    const value = Number(text);
    if (text === '' || !(value >= 0 && value <= most[key])) throw usage(`--${key} cannot be ${String(text)}`);
    found[key] = value;
  }
  return found;
}
