import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

import type { Atlas } from '../../detectors/text/atlas.ts';
import { atlasFromImages, type GlyphImage, glyphsOfSheet } from '../../detectors/text/import-font.ts';
import type { Channel } from '../../detectors/text/line-image.ts';
import { type Label, type LearntFont, learnAtlas, learnLight, parseLabels } from '../../pipeline/authoring/learn.ts';
import { type LoadedProfile, loadProfile } from '../../profile/load.ts';
import { graphemesOf } from '../../language/text.ts';
import { type CommandIo, usage } from '../command.ts';

export const glyphsHelp = `playbyplay profile glyphs <game or path> --out <atlas.json> (--labels … | --sheet … | --images …)

Learns a font for the text and feed detectors: from labelled moments of recordings, or from the game's own images.

  --labels <file>        NDJSON: {"media": "clip.mp4", "t": 12.3, "detector": "health", "text": "87"} a line
  --detector <name>      a detector of the profile whose labels to use; may be given several times
  --sheet <png>          an image with the characters in equal cells
  --columns, --rows <n>  its cells (default 16 and 16)
  --first <code>         character code of the first cell (default 0)
  --images <folder>      one PNG a character, named by its code points: u0041.png, u0065_0301.png; as wide as the way to the next character, opaque
                         where ink is (what is transparent may be anything); without --pitch the font is proportional
  --chars <text>         which characters (default: all printable ASCII of a sheet, all images)
  --pitch <n>            pixels from one character to the next, in a font of fixed pitch; without it every character has a width of its own:
                         labelled texts are then cut where no ink stands between the characters, so have a plain ground behind some
  --space <n>            width of a space, in a proportional font (from --images)
  --width, --height <n>  size of a character in atlas pixels (width: default the pitch; both: default the images'; height: default the region's)
  --pixels <x>,<y>       atlas pixels per pixel of the reference frame (0.25,0.25: a quarter of the size)
  --channel <name>       luma, red, green, blue, saturation red: where the ink stands out (default luma; of labels without --pitch what reads best)
  --inks <colours>       the colours a white font is drawn in: #ffb000,#ff3333; read by colour then, not by channel
  --align <side>         where the labelled text starts: left (default), right, centre
  --gain, --offset <n>   how far the text may be tinted or faded (default 0.15 and 15)
  --noise <n>            least deviation of a pixel, in grey levels (default: 15 for images; for labels 6 with --pitch, else what reads most of them)
  --jitter <n>           pixels by which edges may lie elsewhere than in the images (default 0.25)
  --shadow <x>,<y>       atlas pixels by which a black shadow lies right of and below the characters of the images
  --light <region>       instead of a font, learn this region's look in plain light

Examples:
  playbyplay profile glyphs ./my-game --labels labels.ndjson --detector timer --out my-game/configs/my-game/fonts/timer.json
  playbyplay profile glyphs freedoom --labels labels.ndjson --detector health --detector armor \\
    --pitch 13 --height 16 --pixels 0.3333,0.2778 --channel green --align right --out big.json
  playbyplay profile glyphs openarena --images numbers --pitch 16 --height 18 --pixels 0.25,0.25 \\
    --noise 8 --jitter 0.05 --inks '#ffb000,#ff3333,#808080,#ffffff' --gain 0.15 --offset 5 --out numbers.json
  playbyplay profile glyphs openarena --sheet bigchars.png --pitch 8 --height 16 --pixels 1,1 --out console.json
`;

const options = {
  out: { type: 'string', short: 'o' },
  labels: { type: 'string' },
  detector: { type: 'string', multiple: true },
  sheet: { type: 'string' },
  columns: { type: 'string', default: '16' },
  rows: { type: 'string', default: '16' },
  first: { type: 'string', default: '0' },
  images: { type: 'string' },
  chars: { type: 'string' },
  pitch: { type: 'string' },
  space: { type: 'string' },
  width: { type: 'string' },
  height: { type: 'string' },
  pixels: { type: 'string', default: '1,1' },
  channel: { type: 'string' },
  inks: { type: 'string' },
  align: { type: 'string', default: 'left' },
  gain: { type: 'string', default: '0.15' },
  offset: { type: 'string', default: '15' },
  noise: { type: 'string' },
  jitter: { type: 'string' },
  shadow: { type: 'string' },
  light: { type: 'string' },
  source: { type: 'string' },
} as const;

type Values = ReturnType<typeof parse>['values'];

function parse(args: string[]) {
  return parseArgs({ args, options, allowPositionals: true });
}

export async function glyphsCommand(args: string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parse(args);
  const [game] = positionals;
  if (game === undefined) throw usage('which game?', 'Give its name or the path of its profile.');
  const out = values.out ?? fail('where to?', 'Give --out.');
  if (values.light !== undefined) {
    const loaded = await loadProfile(game);
    const file = values.labels ?? fail('--light needs --labels');
    const size = { width: number(values, 'width'), height: number(values, 'height') };
    const light = learnLight(loaded, parseLabels(await readFile(file, 'utf8'), file), file, values.light, size);
    await writeFile(out, `${JSON.stringify(light)}\n`);
    io.stdout.write(`${out}\n`);
    return 0;
  }
  const font = values.labels === undefined ? undefined : await fromLabels(game, values);
  const { file } = font?.atlas ?? (await fromImages(values));
  await mkdir(dirname(out), { recursive: true });
  await writeFile(out, `${JSON.stringify({ ...file, ...(values.source ? { source: values.source } : {}) })}\n`);
  const { glyphs } = file;
  io.stdout.write(`${out}: ${glyphs.length} glyphs: ${glyphs.map(({ char }) => char).join('')}\n`);
  if (font) io.stdout.write(told(font));
  return 0;
}

const FIGURES = '0123456789';

/** Labels of each sort that are listed. */
const MOST_LISTED = 8;

function place({ media, t, text }: Label): string {
  return `${media} at ${t}, “${text}”`;
}

/** How well a font reads what it was learnt from, and what to do about what it does not. */
function told({ labels, noise, rare, uncut, misread, lead, atlas }: LearntFont): string {
  const { channel } = atlas.file;
  const chosen = noise === undefined ? '' : ` (--channel ${JSON.stringify(channel)} --noise ${noise})`;
  const lines = [`${labels - misread.length} of ${labels} labels are read back as they were given${chosen}`];
  for (const { label, text, confidence } of misread.slice(0, MOST_LISTED))
    lines.push(
      `  ${place(label)}: ${text === '' ? 'nothing is read' : `read as “${text}” (${confidence.toFixed(2)})`}`,
    );
  if (misread.length > MOST_LISTED) lines.push(`  … and ${misread.length - MOST_LISTED} more`);
  if (misread.length > 0)
    lines.push('Is each of these labels right? If so, label more moments that show their characters.');
  if (rare.length > 0)
    lines.push(`Seen only once, and so not known well: ${rare.join(' ')}. Label more moments with them.`);
  const chars = new Set(atlas.file.glyphs.map(({ char }) => char));
  const lacking = [...FIGURES].filter((char) => !chars.has(char));
  if (lacking.length > 0 && lacking.length <= 5)
    lines.push(`Not among the labels: ${lacking.join(' ')}. Texts with them cannot be read, or are taken for others.`);
  if (uncut.length > 0) {
    lines.push(
      `${uncut.length} labels could not be cut into their characters, as letters touch or scenery is as bright as they are:`,
    );
    lines.push(...uncut.slice(0, MOST_LISTED).map((label) => `  ${place(label)}`));
  }
  if (lead !== undefined)
    lines.push(
      `The text begins ${Math.round(lead)} pixels right of its region's left edge: give the detector "align": "centre", or let the region begin there.`,
    );
  return `${lines.join('\n')}\n`;
}

async function fromLabels(game: string, values: Values): Promise<LearntFont> {
  const file = values.labels!;
  const loaded = await loadProfile(game);
  const labels = parseLabels(await readFile(file, 'utf8'), file);
  const detectors = values.detector ?? fail('which detectors?', 'Give --detector.');
  const align = (['left', 'right', 'centre'] as const).find((side) => side === values.align);
  if (align === undefined) throw usage(`--align is left, right or centre, not ${values.align}`);
  const height = values.height ?? heightOfRegion(loaded, detectors, values);
  const common = {
    align,
    ...shape(height === undefined ? values : { ...values, height }),
    margin: 1,
    ...(values.noise === undefined ? {} : { noise: number(values, 'noise') }),
  };
  if (values.pitch !== undefined)
    return learnAtlas(loaded, labels, file, detectors, { ...common, pitch: number(values, 'pitch') });
  const { channel, ...free } = common;
  return learnAtlas(loaded, labels, file, detectors, values.channel === undefined ? free : { ...free, channel });
}

/** The height of the detectors' regions in atlas pixels. */
function heightOfRegion({ profile }: LoadedProfile, detectors: readonly string[], values: Values): string | undefined {
  const scale = Number(values.pixels.split(',')[1]);
  const heights = detectors.flatMap((name) => {
    const region = profile.regions[profile.detectors[name]?.region ?? ''];
    return region === undefined ? [] : [Math.round(region.height * profile.reference.height * scale)];
  });
  if (new Set(heights).size > 1) throw usage('the regions of these detectors differ in height: give --height');
  return heights[0] === undefined ? undefined : String(heights[0]);
}

async function fromImages(values: Values): Promise<Atlas> {
  const { default: sharp } = await import('sharp');
  const raw = async (path: string) => {
    const { data, info } = await sharp(path).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
    return { rgba: data, width: info.width, height: info.height };
  };
  const height = values.height ?? (await heightOf(values));
  const common = shape(height === undefined ? values : { ...values, height });
  let glyphs: GlyphImage[];
  if (values.sheet !== undefined) {
    const printable = Array.from({ length: 94 }, (_, i) => String.fromCodePoint(33 + i)).join('');
    const grid = { columns: number(values, 'columns'), rows: number(values, 'rows'), first: number(values, 'first') };
    const width = values.width === undefined ? number(values, 'pitch') : number(values, 'width');
    glyphs = glyphsOfSheet(await raw(values.sheet), grid, { width, height: common.height }, values.chars ?? printable);
  } else {
    const folder = values.images ?? fail('from what?', 'Give --labels, --sheet or --images.');
    const names = (await readdir(folder)).filter((name) => PICTURE.test(name)).toSorted();
    const wanted = values.chars === undefined ? undefined : new Set(graphemesOf(values.chars.normalize('NFC')));
    glyphs = [];
    for (const name of names) {
      const points = name.slice(1, -4).split(/[_-]/);
      const char = String.fromCodePoint(...points.map((point) => Number.parseInt(point, 16))).normalize('NFC');
      if (wanted && !wanted.has(char)) continue;
      const image = await raw(join(folder, name));
      glyphs.push({
        char,
        width: image.width,
        height: common.height,
        rgba: image.rgba.subarray(0, image.width * common.height * 4),
      });
    }
  }
  if (glyphs.length === 0) throw usage('there are no characters to learn');
  const noise = values.noise === undefined ? 15 : number(values, 'noise');
  const fixed = values.pitch !== undefined;
  return atlasFromImages(glyphs, {
    ...common,
    background: 50,
    noise,
    ...(values.jitter === undefined ? {} : { jitter: number(values, 'jitter') }),
    ...(values.shadow === undefined ? {} : { shadow: shadowOf(values.shadow) }),
    ...(fixed
      ? { layout: 'fixed', pitch: number(values, 'pitch') }
      : { layout: 'proportional', space: values.space === undefined ? 4 : number(values, 'space'), gaps: [0, 0] }),
  });
}

/** Pictures are named by the code points of their character: u0041.png, u0065_0301.png. */
const PICTURE = /^u[0-9a-f]{4,6}(?:[_-][0-9a-f]{4,6})*\.png$/i;

/** The height of the pictures of a folder of characters. */
async function heightOf({ images }: Values): Promise<string | undefined> {
  if (images === undefined) return undefined;
  const { default: sharp } = await import('sharp');
  const first = (await readdir(images)).find((name) => PICTURE.test(name));
  return first === undefined ? undefined : String((await sharp(join(images, first)).metadata()).height);
}

function shape(values: Values) {
  const [x, y] = values.pixels.split(',').map(Number);
  if (!(x! > 0 && y! > 0)) throw usage('--pixels needs two factors: 0.25,0.25');
  const channels = ['luma', 'red', 'green', 'blue', 'saturation red'];
  const { channel = 'luma' } = values;
  if (!channels.includes(channel)) throw usage(`--channel is one of ${channels.join(', ')}`);
  return {
    name: (values.out ?? 'font').replace(/^.*[\\/]/, '').replace(/\.json$/, ''),
    channel: channel as Channel,
    ...(values.inks === undefined ? {} : { inks: inksOf(values.inks) }),
    pixels: { x: x!, y: y! },
    height: number(values, 'height'),
    illumination: { gain: number(values, 'gain'), offset: number(values, 'offset') },
  };
}

function shadowOf(offset: string): { x: number; y: number } {
  const [x, y, ...rest] = offset.split(',').map(Number);
  if (!Number.isInteger(x) || !Number.isInteger(y) || x! < 0 || y! < 0 || rest.length > 0)
    throw usage('--shadow needs two whole numbers of pixels: 2,2');
  return { x: x!, y: y! };
}

function inksOf(list: string): string[] {
  const inks = list.split(',').map((ink) => ink.trim());
  if (!inks.every((ink) => /^#[0-9a-f]{6}$/i.test(ink))) throw usage('--inks is a list of colours: #ffb000,#808080');
  return inks;
}

function number(values: Values, name: keyof Values & string): number {
  const value = Number(values[name]);
  if (values[name] === undefined || !Number.isFinite(value) || value < 0) throw usage(`--${name} needs a number`);
  return value;
}

function fail(message: string, hint?: string): never {
  throw usage(message, hint);
}
