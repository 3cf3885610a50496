import { readdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { readInputText } from '../../files/input.ts';
import { checkOutput, writeOutput } from '../../files/output.ts';
import type { Atlas } from '../../detectors/text/atlas.ts';
import { atlasFromImages, type GlyphImage, glyphsOfSheet } from '../../detectors/text/import-font.ts';
import { type Label, type LearnedFont, learnAtlas, learnLight, parseLabels } from '../../pipeline/authoring/learn.ts';
import { type LoadedProfile, loadProfile } from '../../profile/load.ts';
import { splitGraphemes } from '../../language/text.ts';
import { collectSheet, drawSheet, formatSheetLabels } from '../../pipeline/authoring/label-sheet.ts';
import type { RunCommand } from '../command.ts';
import { formatCount } from '../describe-error.ts';
import { type OptionValues, usageError } from '../options.ts';
import type * as specs from '../specs.ts';

type GlyphOptions = OptionValues<(typeof specs.profileGlyphs)['options']>;

/** `playbyplay profile glyphs <game or path>` */
export const glyphs: RunCommand<typeof specs.profileGlyphs> = async (io, options, game) => {
  const { out, labels, light, source, width, height, overwrite } = options;
  const inputs = [labels, options.sheet].filter((path) => path !== undefined);
  await checkOutput(out, { kind: light === undefined ? 'atlas' : 'light', inputs, overwrite });
  if (light !== undefined) {
    if (labels === undefined || width === undefined || height === undefined)
      throw usageError('--light needs --labels, --width and --height');
    const loaded = await loadProfile(game);
    const learned = learnLight(loaded, parseLabels(readInputText(labels, 'bad-labels'), labels), labels, light, {
      width,
      height,
    });
    await writeOutput(out, `${JSON.stringify(learned)}\n`, { kind: 'light', inputs, overwrite });
    io.stdout.write(`${out}\n`);
    return 0;
  }
  const font = labels === undefined ? undefined : await learnFromLabels(game, labels, options);
  const { file } = font?.atlas ?? (await learnFromImages(options));
  const text = `${JSON.stringify({ ...file, ...(source !== undefined && { source }) })}\n`;
  await writeOutput(out, text, { kind: 'atlas', inputs, overwrite });
  io.stdout.write(`${out}: ${file.glyphs.length} glyphs: ${file.glyphs.map(({ char }) => char).join('')}\n`);
  if (font) io.stdout.write(formatReport(font));
  return 0;
};

/** `playbyplay profile sheet <game or path> <recording>` */
export const collectLabels: RunCommand<typeof specs.profileSheet> = async (io, options, game, media) => {
  const { detector: detectors, out, interval, rows: most, overwrite } = options;
  if (!detectors) throw usageError('missing option --detector', 'Name one or more text detectors of the profile.');
  const [picture, labels] = [join(out, 'sheet.png'), join(out, 'labels.ndjson')];
  const policy = { inputs: [media], overwrite };
  await checkOutput(picture, { kind: 'picture', ...policy });
  await checkOutput(labels, { kind: 'label file', ...policy });
  const rows = await collectSheet(await loadProfile(game), resolve(media), detectors, { interval, rows: most });
  await writeOutput(picture, await drawSheet(rows), { kind: 'picture', ...policy });
  const name = relative(resolve(out), resolve(media)).replaceAll('\\', '/');
  await writeOutput(labels, formatSheetLabels(rows, name), { kind: 'label file', ...policy });
  io.stdout.write(
    `${formatCount(rows.length, 'text')} → ${picture}, ${labels}\nCorrect the texts, then: playbyplay profile glyphs ${game} --labels ${labels} --detector ${detectors[0]} --out font.json\n`,
  );
  return rows.length === 0 ? 3 : 0;
};

const DIGITS = '0123456789';
const MAX_LISTED_LABELS = 8;

function locate({ media, t, text }: Label): string {
  return `${media} at ${t}, “${text}”`;
}

/** Characters that are read as others, most often first; of texts of one length, in which places correspond. */
function findConfusions(
  misread: LearnedFont['misread'],
): readonly { readonly was: string; readonly read: string; readonly count: number }[] {
  const pairs = misread.flatMap(({ label, text }) => {
    const [was, read] = [label.text, text].map((one) => splitGraphemes(one.normalize('NFC').trim()));
    return was!.length === read!.length
      ? was!.flatMap((char, i) => (char === read![i] ? [] : [[char, read![i]!]]))
      : [];
  });
  const counts = Map.groupBy(pairs, (pair) => pair.join(' '));
  return [...counts.values()]
    .map((own) => ({ was: own[0]![0]!, read: own[0]![1]!, count: own.length }))
    .filter(({ count }) => count > 1)
    .toSorted((a, b) => b.count - a.count);
}

/** How well a font reads its own labels, and what to do about those that it does not. */
function formatReport({ labels, noise, rare, uncut, misread, apart, lead, atlas }: LearnedFont): string {
  const { channel } = atlas.file;
  const chosen = noise === undefined ? '' : ` (--channel ${JSON.stringify(channel)} --noise ${noise})`;
  const lines = [`${labels - misread.length} of ${labels} labels are reproduced${chosen}`];
  for (const { label, text, confidence } of misread.slice(0, MAX_LISTED_LABELS))
    lines.push(
      `  ${locate(label)}: ${text === '' ? 'nothing is read' : `read as “${text}” (${confidence.toFixed(2)})`}`,
    );
  if (misread.length > MAX_LISTED_LABELS) lines.push(`  … and ${misread.length - MAX_LISTED_LABELS} more`);
  for (const { was, read, count } of findConfusions(misread))
    lines.push(`“${was}” reads as “${read}” in ${count} of them: add 3 or more examples of “${was}”.`);
  if (misread.length > 0)
    lines.push('Check these labels. If they are right, label more moments that show their characters.');
  if (apart.length > 0) {
    const each = apart.map((one) => `${one.labels - one.misread} of ${one.labels} labels of ${one.detector}`);
    lines.push(
      `Learned alone, a font reproduces ${each.join(', ')}: the detectors have different fonts, or labels are wrong. Learn an atlas for each (--detector).`,
    );
  }
  if (rare.length > 0) lines.push(`Only one example: ${rare.join(' ')}. Label more moments with these characters.`);
  const chars = new Set(atlas.file.glyphs.map(({ char }) => char));
  const lacking = [...DIGITS].filter((char) => !chars.has(char));
  if (lacking.length > 0 && lacking.length < DIGITS.length)
    lines.push(`No example: ${lacking.join(' ')}. Texts with these characters are not read, or misread.`);
  if (uncut.length > 0) {
    lines.push(
      `${uncut.length} labels could not be segmented: characters touch, or the background is as bright as they are:`,
    );
    lines.push(...uncut.slice(0, MAX_LISTED_LABELS).map((label) => `  ${locate(label)}`));
  }
  if (lead !== undefined)
    lines.push(
      `The text starts ${Math.round(lead)} pixels right of the region's left edge: set "align": "centre" on the detector, or start the region there.`,
    );
  return `${lines.join('\n')}\n`;
}

async function learnFromLabels(game: string, file: string, options: GlyphOptions): Promise<LearnedFont> {
  const { detector: detectors, align, pitch, noise } = options;
  if (!detectors) throw usageError('--labels needs --detector');
  if (options.inks !== undefined)
    throw usageError(
      '--inks is for fonts from --sheet or --images',
      'Labelled text is learned in the colors that it has: choose the --channel in which it stands out, or leave the choice to the program.',
    );
  const loaded = await loadProfile(game);
  const labels = parseLabels(readInputText(file, 'bad-labels'), file);
  const height = options.height ?? regionHeight(loaded, detectors, options);
  const common = { align, ...atlasShape(options, height), margin: 1, ...(noise !== undefined && { noise }) };
  if (pitch !== undefined) return learnAtlas(loaded, labels, file, detectors, { ...common, pitch });
  const { channel, ...free } = common;
  return learnAtlas(loaded, labels, file, detectors, options.channel === undefined ? free : { ...free, channel });
}

/** The height of the detectors' regions in atlas pixels. */
function regionHeight(
  { profile }: LoadedProfile,
  detectors: readonly string[],
  { pixels }: GlyphOptions,
): number | undefined {
  const heights = detectors.flatMap((name) => {
    const region = profile.regions[profile.detectors[name]?.region ?? ''];
    return region === undefined ? [] : [Math.round(region.height * profile.reference.height * pixels.y)];
  });
  if (new Set(heights).size > 1) throw usageError('the regions of these detectors differ in height: give --height');
  return heights[0];
}

async function learnFromImages(options: GlyphOptions): Promise<Atlas> {
  const { sheet, images, pitch, space = 4, jitter, shadow, noise = 15 } = options;
  const shape = atlasShape(options, options.height ?? (await imageHeight(images)));
  if (sheet === undefined && images === undefined) throw usageError('give --labels, --sheet or --images');
  const pictures =
    sheet === undefined
      ? await readImages(images!, options.chars, shape.height)
      : await readSheet(sheet, options, shape.height);
  if (pictures.length === 0) throw usageError('there are no characters to learn');
  return atlasFromImages(pictures, {
    ...shape,
    background: 50,
    noise,
    ...(jitter !== undefined && { jitter }),
    ...(shadow && { shadow }),
    ...(pitch === undefined ? { layout: 'proportional', space, gaps: [0, 0] } : { layout: 'fixed', pitch }),
  });
}

async function readPixels(path: string) {
  const { default: sharp } = await import('sharp');
  const { data, info } = await sharp(path).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return { rgba: data, width: info.width, height: info.height };
}

/** Cuts the characters out of a sheet of equal cells. */
async function readSheet(path: string, options: GlyphOptions, height: number): Promise<readonly GlyphImage[]> {
  const { columns, rows, first, chars } = options;
  const width = options.width ?? options.pitch;
  if (width === undefined) throw usageError('--sheet needs --width or --pitch');
  const printable = Array.from({ length: 94 }, (_, i) => String.fromCodePoint(33 + i)).join('');
  return glyphsOfSheet(await readPixels(path), { columns, rows, first }, { width, height }, chars ?? printable);
}

/** Reads a folder of one image per character. */
async function readImages(folder: string, chars: string | undefined, height: number): Promise<readonly GlyphImage[]> {
  const names = (await readdir(folder)).filter((name) => IMAGE_NAME.test(name)).toSorted();
  const wanted = chars === undefined ? undefined : new Set(splitGraphemes(chars.normalize('NFC')));
  const pictures: GlyphImage[] = [];
  for (const name of names) {
    const points = name.slice(1, -4).split(/[_-]/);
    const char = String.fromCodePoint(...points.map((point) => Number.parseInt(point, 16))).normalize('NFC');
    if (wanted && !wanted.has(char)) continue;
    const { width, rgba } = await readPixels(join(folder, name));
    pictures.push({ char, width, height, rgba: rgba.subarray(0, width * height * 4) });
  }
  return pictures;
}

/** Images are named by the code points of their character: u0041.png, u0065_0301.png. */
const IMAGE_NAME = /^u[0-9a-f]{4,6}(?:[_-][0-9a-f]{4,6})*\.png$/i;

/** The height of the images in a folder of characters. */
async function imageHeight(folder: string | undefined): Promise<number | undefined> {
  if (folder === undefined) return undefined;
  const { default: sharp } = await import('sharp');
  const first = (await readdir(folder)).find((name) => IMAGE_NAME.test(name));
  return first === undefined ? undefined : (await sharp(join(folder, first)).metadata()).height;
}

/** What atlases from labels and from images have in common. */
function atlasShape({ out, pixels, channel = 'luma', inks, gain, offset }: GlyphOptions, height: number | undefined) {
  if (height === undefined) throw usageError('missing option --height');
  return {
    name: out.replace(/^.*[\\/]/, '').replace(/\.json$/, ''),
    channel,
    ...(inks !== undefined && { inks: parseInks(inks) }),
    pixels,
    height,
    illumination: { gain, offset },
  };
}

function parseInks(list: string): string[] {
  const inks = list.split(',').map((ink) => ink.trim());
  if (!inks.every((ink) => /^#[0-9a-f]{6}$/i.test(ink)))
    throw usageError('--inks must be a list of colors such as #ffb000,#808080');
  return inks;
}
