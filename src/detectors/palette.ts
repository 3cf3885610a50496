import type { ColorOption } from '../regions/step.ts';
import { parseColor } from '../regions/step.ts';

/** In which space colours are compared; see the `isolate` step. */
export type ColorSpaceName = 'rgb' | 'ycbcr' | 'chroma';

export type ColorTriple = readonly [number, number, number];

/** Names, each with the colours it stands for. */
export interface NamedColor {
  readonly name: string;
  /** In the space of comparison. */
  readonly colors: readonly ColorTriple[];
}

/** A colour in the space of comparison: BT.709 Y'CbCr of full range, chroma centred on 0; `chroma` leaves luma out. */
export function inSpace(r: number, g: number, b: number, space: ColorSpaceName): ColorTriple {
  if (space === 'rgb') return [r, g, b];
  const luma = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return [space === 'chroma' ? 0 : luma, (b - luma) / 1.8556, (r - luma) / 1.5748];
}

/** Named colours of a profile's options: a name has one colour or several. */
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

/** Euclidean distance to the nearest of the name's colours. */
export function distanceTo(color: ColorTriple, { colors }: NamedColor): number {
  let least = Number.POSITIVE_INFINITY;
  for (const [a, b, c] of colors) {
    least = Math.min(least, (color[0] - a) ** 2 + (color[1] - b) ** 2 + (color[2] - c) ** 2);
  }
  return Math.sqrt(least);
}

/** Levels by which the channels of a colour differ at least when it is more than a shade of grey. */
const COLOURFUL = 32;

/** Whether any of these colours is more than a shade of grey. */
export function areColourful(colors: readonly ColorOption[]): boolean {
  return colors.some((color) => {
    const channels = parseColor(color);
    return Math.max(...channels) - Math.min(...channels) >= COLOURFUL;
  });
}
