// The glyph reader against tesseract on the same crops: exact-match rate and time a crop.
// `node bench/glyphs.ts <labels.ndjson> <game> [--crops 400]` (labels as for `playbyplay profile glyphs`).
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { loadAtlas, type TextOptions } from '../src/detectors/text/index.ts';
import { TesseractReader } from '../src/detectors/text/tesseract.ts';
import { SampleReader } from '../src/pipeline/sample-reader.ts';
import { labelledPictures, parseLabels } from '../src/pipeline/learn.ts';
import { loadProfile } from '../src/profile/load.ts';
import { cropRgb } from '../src/regions/crop.ts';
import { placeRegion } from '../src/regions/place.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { crops: { type: 'string', default: '400' } },
});
const [labelFile, game] = positionals;
if (labelFile === undefined || game === undefined)
  throw new Error('usage: node bench/glyphs.ts <labels.ndjson> <game>');
const loaded = await loadProfile(game);
const { profile, assets } = loaded;
const names = Object.keys(profile.detectors);
const all = parseLabels(await readFile(labelFile, 'utf8'), labelFile).filter((label) => label.text !== '');
const step = Math.max(1, Math.floor(all.length / Number(values.crops)));
const labels = all.filter((_, i) => i % step === 0);
const tesseracts = new Map<string, TesseractReader>();
const glyph = { right: 0, times: [] as number[] };
const ocr = { right: 0, times: [] as number[] };
let reader: SampleReader | undefined;
for (const { label, picture } of labelledPictures(labels, labelFile)) {
  reader ??= await SampleReader.open(profile, assets, picture);
  const due = Uint8Array.from(names, (name) => (name === label.detector ? 1 : 0));
  let start = performance.now();
  const observation = (await reader.read(picture, due))[names.indexOf(label.detector)];
  glyph.times.push(performance.now() - start);
  if (observation?.state === 'seen' && String(observation.value) === label.text) glyph.right++;
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
  start = performance.now();
  const { text } = await tesseract.read({
    data: cropRgb(picture, rect),
    width: rect.width,
    height: rect.height,
    channels: 3,
  });
  ocr.times.push(performance.now() - start);
  if (text.trim() === label.text) ocr.right++;
}
for (const tesseract of tesseracts.values()) await tesseract[Symbol.asyncDispose]();
const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1]!;
for (const [name, side] of [
  ['glyph reader', glyph],
  ['tesseract', ocr],
] as const)
  console.log(
    `${name.padEnd(13)} ${side.right}/${labels.length} exact (${((100 * side.right) / labels.length).toFixed(2)} %), median ${median(side.times).toFixed(3)} ms a crop`,
  );
