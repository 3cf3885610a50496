/** A colour in a profile: `#rrggbb`, or red, green and blue levels 0…255. */
export type ColorOption = string | readonly [number, number, number];

/** Schema of a `ColorOption`. */
export const COLOR_SCHEMA = {
  oneOf: [
    { type: 'string', pattern: '^#[0-9a-fA-F]{6}$' },
    { type: 'array', items: { type: 'number', minimum: 0, maximum: 255 }, minItems: 3, maxItems: 3 },
  ],
} as const;

/** Three components of a colour, in the space that the context names. */
export type ColorTriple = readonly [number, number, number];

/**
 * Parses a colour option.
 *
 * @returns Red, green and blue levels, 0…255.
 * @throws TypeError for text that is not `#rrggbb`.
 */
export function parseColor(color: ColorOption): ColorTriple {
  if (typeof color !== 'string') return color;
  if (!/^#[0-9a-f]{6}$/i.test(color)) throw new TypeError(`"${color}" is not a colour of the form #rrggbb`);
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** Luma weights of red and blue (ITU-R BT.601, BT.709, BT.2020 non-constant luminance). */
export const LUMA_WEIGHTS = {
  bt601: { red: 0.299, blue: 0.114 },
  bt709: { red: 0.2126, blue: 0.0722 },
  bt2020: { red: 0.2627, blue: 0.0593 },
} as const;

/** Converts full-range RGB to full-range BT.709 Y'CbCr, with Cb and Cr centred on 0. */
export function toYCbCr(r: number, g: number, b: number): ColorTriple {
  const y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return [y, (b - y) / 1.8556, (r - y) / 1.5748];
}

/** Converts RGB levels to hue in degrees 0…360 (0 for greys), saturation and value 0…1 (Smith 1978). */
export function toHsv(r: number, g: number, b: number): ColorTriple {
  const brightest = Math.max(r, g, b);
  const spread = brightest - Math.min(r, g, b);
  if (spread === 0) return [0, 0, brightest / 255];
  let sector: number;
  if (brightest === r) sector = ((g - b) / spread + 6) % 6;
  else if (brightest === g) sector = (b - r) / spread + 2;
  else sector = (r - g) / spread + 4;
  return [sector * 60, spread / brightest, brightest / 255];
}

/** The space in which colours are compared: `chroma` is Cb and Cr alone, so that brightness does not count. */
export type ColorSpaceName = 'rgb' | 'ycbcr' | 'chroma';

/** Converts RGB levels to the space of comparison. */
export function inSpace(r: number, g: number, b: number, space: ColorSpaceName): ColorTriple {
  if (space === 'rgb') return [r, g, b];
  const [y, cb, cr] = toYCbCr(r, g, b);
  return [space === 'chroma' ? 0 : y, cb, cr];
}

/** A name and the colours it stands for, in the space of comparison. */
export interface NamedColor {
  readonly name: string;
  readonly colors: readonly ColorTriple[];
}

/** Parses the named colours of a detector's options; a name has one colour or several. */
export function namedColors(
  options: Readonly<Record<string, ColorOption | readonly ColorOption[]>>,
  space: ColorSpaceName,
): readonly NamedColor[] {
  return Object.entries(options).map(([name, given]) => {
    const list = isList(given) ? given : [given];
    return { name, colors: list.map((color) => inSpace(...parseColor(color), space)) };
  });
}

function isList(given: ColorOption | readonly ColorOption[]): given is readonly ColorOption[] {
  return Array.isArray(given) && typeof given[0] !== 'number';
}

/** Returns the Euclidean distance to the nearest of the name's colours. */
export function distanceTo([x, y, z]: ColorTriple, { colors }: NamedColor): number {
  let least = Number.POSITIVE_INFINITY;
  for (const [a, b, c] of colors) least = Math.min(least, (x - a) ** 2 + (y - b) ** 2 + (z - c) ** 2);
  return Math.sqrt(least);
}

/** Smallest spread of a colour's channels, in levels, that makes it more than a shade of grey. */
const MIN_COLORFUL_SPREAD = 32;

/** Whether any of the colours is more than a shade of grey. */
export function areColorful(colors: readonly ColorOption[]): boolean {
  return colors.some((color) => {
    const channels = parseColor(color);
    return Math.max(...channels) - Math.min(...channels) >= MIN_COLORFUL_SPREAD;
  });
}
