// Compares the glyph reader with Tesseract on the same labelled crops: exact matches, and median time per crop. The glyph reader's time is
// that of the whole detector: inks, crop and reading, without the detectors of screens.
//
//   node bench/detectors/glyphs.ts <labels.ndjson> <game> [--crops 400] [--tesseract 400] [--warm 600]
//
// Labels are those of `playbyplay profile glyphs` or `test/truth/labels.ts`. --crops: number of crops, evenly chosen; --tesseract: crops among
// them for Tesseract; --warm: crops that are read first and not timed.
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { loadAtlas } from '../../src/detectors/text/index.ts';
import type { TextOptions } from '../../src/detectors/text/options.ts';
import { TesseractReader } from '../../src/detectors/text/tesseract.ts';
import { compileProfile } from '../../src/pipeline/compile-profile.ts';
import { SampleReader } from '../../src/pipeline/reading/sample-reader.ts';
import { labelledPictures, parseLabels } from '../../src/pipeline/authoring/learn.ts';
import { loadProfile } from '../../src/profile/load.ts';
import type { Picture } from '../../src/media/picture.ts';
import { cropRgb } from '../../src/regions/crop.ts';
import { placeRegion } from '../../src/regions/place.ts';
import { upperMedian } from '../../src/statistics.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    crops: { type: 'string', default: '400' },
    tesseract: { type: 'string', default: '400' },
    warm: { type: 'string', default: '600' },
  },
});
const [labelFile, game] = positionals;
if (labelFile === undefined || game === undefined)
  throw new Error('usage: node bench/detectors/glyphs.ts <labels.ndjson> <game>');
const loaded = await loadProfile(game);
const { profile, assets } = loaded;
const names = Object.keys(profile.detectors);
// Detectors of screens are not part of reading a crop.
const detectors = Object.entries(profile.detectors).map(([name, spec]) => [name, { ...spec, screens: [] }]);
const alone = { ...profile, screens: {}, detectors: Object.fromEntries(detectors) as typeof profile.detectors };
const all = parseLabels(await readFile(labelFile, 'utf8'), labelFile).filter((label) => label.text !== '');
const step = Math.max(1, Math.floor(all.length / Number(values.crops)));
const labels = all.filter((_, i) => i % step === 0);
const tesseracts = new Map<string, TesseractReader>();
const every = Math.max(1, Math.floor(labels.length / Math.max(1, Number(values.tesseract))));

interface Side {
  readonly times: number[];
  crops: number;
  right: number;
}
const sides = { glyph: new Map<string, Side>(), tesseract: new Map<string, Side>() };
const sideOf = (of: Map<string, Side>, detector: string): Side => {
  const side = of.get(detector) ?? { times: [], crops: 0, right: 0 };
  of.set(detector, side);
  return side;
};
const misses: string[] = [];
const readers = new Map<string, SampleReader>();
const readerOf = async (picture: Picture): Promise<SampleReader> => {
  const size = `${picture.width}×${picture.height}`;
  const reader =
    readers.get(size) ?? (await SampleReader.open(await compileProfile({ profile: alone, assets }), picture));
  readers.set(size, reader);
  return reader;
};
const dueOf = (detector: string): Uint8Array => Uint8Array.from(names, (name) => (name === detector ? 1 : 0));
// A recording has thousands of crops: the compilation of hot functions is not part of a crop's time.
for (const { label, picture } of labelledPictures(labels.slice(0, Number(values.warm)), labelFile))
  await (await readerOf(picture)).read(picture, dueOf(label.detector));
let n = 0;
for (const { label, picture } of labelledPictures(labels, labelFile)) {
  const size = `${picture.width}×${picture.height}`;
  const reader = await readerOf(picture);
  const due = dueOf(label.detector);
  const side = sideOf(sides.glyph, label.detector);
  const start = performance.now();
  const observation = (await reader.read(picture, due))[names.indexOf(label.detector)];
  side.times.push(performance.now() - start);
  side.crops++;
  const read = observation?.state === 'seen' ? String(observation.value) : '';
  if (read === label.text) side.right++;
  else
    misses.push(
      `${label.detector} at ${label.t.toFixed(2)} s, ${size}: ${label.text} as ${read || 'nothing'} (${observation?.confidence.toFixed(2)})`,
    );
  if (n++ % every === 0) await byTesseract(label, picture);
}
for (const tesseract of tesseracts.values()) await tesseract[Symbol.asyncDispose]();

async function byTesseract(label: { readonly detector: string; readonly text: string }, picture: Picture) {
  const spec = profile.detectors[label.detector]! as unknown as TextOptions & { readonly region: string };
  const { rect } = placeRegion(profile.regions[spec.region]!, picture, profile.reference);
  const charset = (await loadAtlas(spec.atlas!, assets)).glyphs
    .map(({ char }) => char)
    .join('')
    .trim();
  const tesseract = tesseracts.get(charset) ?? new TesseractReader({ whitelist: charset });
  if (!tesseracts.has(charset)) {
    tesseracts.set(charset, tesseract);
    await tesseract.read({ data: new Uint8Array(3 * 64 * 32), width: 64, height: 32, channels: 3 });
  }
  const side = sideOf(sides.tesseract, label.detector);
  const data = cropRgb(picture, rect);
  const start = performance.now();
  const { text } = await tesseract.read({ data, width: rect.width, height: rect.height, channels: 3 });
  side.times.push(performance.now() - start);
  side.crops++;
  if (text.trim() === label.text) side.right++;
}

const median = (times: readonly number[]): number => upperMedian(times) ?? 0;

function line(name: string, { times, crops, right }: Side): string {
  return `| ${name} | ${right}/${crops} | ${((100 * right) / Math.max(1, crops)).toFixed(2)} % | ${median(times).toFixed(3)} ms |`;
}

console.log('| reader, detector | exact | | median a crop |\n|---|---|---|---|');
for (const [name, of] of Object.entries(sides)) {
  const read = [...of.values()];
  const sum = (pick: (side: Side) => number): number => read.reduce((total, side) => total + pick(side), 0);
  for (const [detector, side] of of) console.log(line(`${name}, ${detector}`, side));
  const times = read.flatMap((side) => side.times);
  console.log(line(`**${name}, all**`, { times, crops: sum((side) => side.crops), right: sum((side) => side.right) }));
}
for (const miss of misses.slice(0, 40)) console.log(miss);
