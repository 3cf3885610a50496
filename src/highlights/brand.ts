import { dirname, join, relative, resolve, sep } from 'node:path';
import { realpath } from 'node:fs/promises';
import { messageOf, PlaybyplayError } from '../errors.ts';
import { readInput, readInputText } from '../files/input.ts';
import { openRasterImage } from '../media/raster-image.ts';
import { type Typeface, typeface, typefaceOf } from '../media/write/overlay.ts';
import type { FromSchema, Schema } from '../schema/from-schema.ts';
import { parseJsonFile } from '../schema/parse.ts';

const COLOR = { type: 'string', pattern: '^#[0-9a-fA-F]{6}$', $comment: 'must be a color such as #ffd84d' } as const;
const FILE = { type: 'string', minLength: 1, maxLength: 500 } as const;

/** JSON Schema of a brand kit. */
export const brandSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:playbyplay:brand:1',
  title: 'playbyplay brand kit',
  description: 'fonts, colours and logo of reels; files are in the folder of the kit',
  type: 'object',
  properties: {
    $schema: { type: 'string' },
    format: { const: 'playbyplay/brand/1' },
    name: { type: 'string', maxLength: 100, description: 'shown on the end card' },
    displayFont: { ...FILE, description: 'font of titles, banners and the counter: TrueType, OpenType or WOFF' },
    textFont: { ...FILE, description: 'font of captions' },
    logo: { ...FILE, description: 'PNG, JPEG, WebP or GIF, shown in a corner' },
    colors: {
      type: 'object',
      properties: {
        accent: { ...COLOR, description: 'what matters: banners, emphasized words, the progress bar' },
        text: COLOR,
        ground: { ...COLOR, description: 'behind text' },
      },
      additionalProperties: false,
    },
  },
  required: ['format'],
  additionalProperties: false,
} as const satisfies Schema;

/** A brand kit as it is written. */
export interface BrandKit extends Omit<FromSchema<typeof brandSchema>, '$schema'> {}

/** How a reel's overlays look. */
export interface Brand {
  readonly name?: string;
  readonly display: Typeface;
  readonly text: Typeface;
  readonly logo?: Buffer;
  readonly colors: { readonly accent: string; readonly text: string; readonly ground: string };
}

/** Largest font and logo files, in bytes, and pixels of a logo. */
const MAX_FONT_BYTES = 8 << 20;
const MAX_LOGO_BYTES = 16 << 20;
const MAX_LOGO_PIXELS = 4096 * 4096;

/** The look of reels without a brand kit. */
export function defaultBrand(): Brand {
  return {
    display: typeface('display'),
    text: typeface('text'),
    colors: { accent: '#ffd21f', text: '#ffffff', ground: '#0b0d12' },
  };
}

/**
 * Reads a brand kit. Fonts and logo must be in its folder.
 *
 * @throws PlaybyplayError `brand-invalid` with every issue.
 *
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 *
 * await writeFile('brand.json', '{"format": "playbyplay/brand/1", "colors": {"accent": "#00e5a8"}}');
 * const brand = await readBrand('brand.json');
 * ```
 */
export async function readBrand(path: string): Promise<Brand> {
  const text = readInputText(path, 'brand-invalid');
  const kit: BrandKit = parseJsonFile(brandSchema, text, { source: path, code: 'brand-invalid' });
  const plain = defaultBrand();
  const font = async (name: string | undefined, role: 'display' | 'text'): Promise<Typeface> => {
    if (name === undefined) return plain[role];
    const file = await readPart(path, name, MAX_FONT_BYTES);
    return attempt(path, name, () => typefaceOf(file, role));
  };
  const logo = kit.logo === undefined ? undefined : await readPart(path, kit.logo, MAX_LOGO_BYTES);
  return {
    ...(kit.name !== undefined && { name: kit.name }),
    display: await font(kit.displayFont, 'display'),
    text: await font(kit.textFont, 'text'),
    ...(logo && {
      logo: await attempt(path, kit.logo!, async () => (await openRasterImage(logo, MAX_LOGO_PIXELS)).png().toBuffer()),
    }),
    colors: { ...plain.colors, ...kit.colors },
  };
}

/** Reads a file of the kit's folder, wherever links lead. */
async function readPart(kit: string, name: string, maxBytes: number): Promise<Buffer> {
  return attempt(kit, name, async () => {
    const folder = await realpath(dirname(resolve(kit)));
    const file = await realpath(join(folder, name));
    const way = relative(folder, file);
    if (way.startsWith('..') || way.startsWith(sep) || resolve(way) === way)
      throw new RangeError('it is not in the folder of the kit');
    return readInput(file, maxBytes, 'brand-invalid');
  });
}

async function attempt<T>(kit: string, name: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new PlaybyplayError('brand-invalid', `${kit}: ${name} cannot be used: ${messageOf(error)}`, { cause: error });
  }
}
