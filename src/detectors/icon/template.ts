import {
  gaussianTaps,
  resamplingTaps,
  type SeparableFilter,
  separableFilter,
  type Taps,
} from '../../regions/filter.ts';
import { PlaybyplayError, messageOf } from '../../errors.ts';
import type { Crop } from '../../regions/crop.ts';
import { decodePng, type RgbaImage } from '../../media/png.ts';

/** A picture to look for: RGB, and how much each pixel counts. */
export interface Template {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
  /** 0 (the background shows) … 255, one per pixel. */
  readonly mask: Uint8Array;
}

/** No icon is larger than this, whatever a pack says. */
const MAX_SIDE = 512;

/**
 * An image file (PNG, with alpha as mask) as a template.
 * @throws PlaybyplayError `invalid-icon` for what is no image, is too large, or is transparent all over.
 */
export async function readTemplate(file: Uint8Array, path: string): Promise<Template> {
  try {
    const { data, width, height } = decodePng(file, MAX_SIDE) ?? (await decoded(file));
    const count = width * height;
    const rgb = new Uint8Array(count * 3);
    const mask = new Uint8Array(count);
    for (let i = 0; i < count; i++) {
      for (let k = 0; k < 3; k++) rgb[3 * i + k] = data[4 * i + k]!;
      mask[i] = data[4 * i + 3]!;
    }
    if (mask.every((alpha) => alpha === 0)) throw new RangeError('it is transparent all over');
    return { width, height, rgb, mask };
  } catch (error) {
    throw new PlaybyplayError('invalid-icon', `the icon ${path} cannot be used: ${messageOf(error)}`, {
      hint: `Icons are PNG files of at most ${MAX_SIDE}×${MAX_SIDE} pixels; transparent pixels do not count.`,
      cause: error,
    });
  }
}

/** Any other image file. The library for it is loaded with the first of them. */
async function decoded(file: Uint8Array): Promise<RgbaImage> {
  const { default: sharp } = await import('sharp');
  const image = sharp(file, { limitInputPixels: MAX_SIDE * MAX_SIDE })
    .toColourspace('srgb')
    .ensureAlpha();
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** The template at another size; colours under the mask do not bleed in from outside it. */
export function scaleTemplate(template: Template, width: number, height: number): Template {
  const { width: from, height: rows } = template;
  if (width === from && height === rows) return template;
  const filters = filtersFor(`${from}×${rows} to ${width}×${height}`, template, () => ({
    across: resamplingTaps(from, width, from / width, 'linear'),
    down: resamplingTaps(rows, height, rows / height, 'linear'),
  }));
  return filtered(template, filters, true);
}

/** The template through a Gaussian of `sigma` pixels; the mask stays as it is. */
export function softenTemplate(template: Template, sigma: number): Template {
  const { width, height } = template;
  const filters = filtersFor(`${width}×${height} σ ${sigma}`, template, () => ({
    across: gaussianTaps(width, sigma),
    down: gaussianTaps(height, sigma),
  }));
  return filtered(template, filters, false);
}

/** The same filter for colours and for masks. */
interface Filters {
  readonly colors: SeparableFilter;
  readonly mask: SeparableFilter;
}

/** A detector's icons mostly have one size, and so the same few filters. */
const MOST_FILTERS = 32;
const made = new Map<string, Filters>();

function filtersFor(key: string, { width, height }: Template, taps: () => { across: Taps; down: Taps }): Filters {
  const known = made.get(key);
  if (known) return known;
  const { across, down } = taps();
  const filters = {
    colors: separableFilter({ width, height, channels: 3 }, across, down),
    mask: separableFilter({ width, height, channels: 1 }, across, down),
  };
  if (made.size >= MOST_FILTERS) made.clear();
  made.set(key, filters);
  return filters;
}

/** Filters colours premultiplied by the mask, so that transparent pixels weigh nothing. */
function filtered({ width, height, rgb, mask }: Template, filters: Filters, withMask: boolean): Template {
  const weighted = new Uint8Array(rgb.length);
  for (let i = 0, k = 0; i < mask.length; i++) {
    const alpha = mask[i]!;
    for (const end = k + 3; k < end; k++) weighted[k] = Math.round((rgb[k]! * alpha) / 255);
  }
  const colors = filters.colors.run({ data: weighted, width, height, channels: 3 });
  const soft = filters.mask.run({ data: mask, width, height, channels: 1 }).data;
  const straight = new Uint8Array(colors.data.length);
  for (let i = 0, k = 0; i < soft.length; i++) {
    const alpha = soft[i]!;
    for (const end = k + 3; k < end; k++)
      straight[k] = alpha === 0 ? 0 : Math.min(255, Math.round((colors.data[k]! * 255) / alpha));
  }
  return { width: colors.width, height: colors.height, rgb: straight, mask: withMask ? soft : mask };
}

/**
 * A template from crops that show the same icon at the same place over different scenery: the mean colour, and a mask that
 * counts the pixels which stay the same. `spread` is the standard deviation (levels) at which a pixel counts half.
 * @param crops RGB, all of one size; at least two, over scenery as different as can be had.
 */
export function learnTemplate(crops: readonly Crop[], spread = 16): Template {
  const [first] = crops;
  if (!first || crops.length < 2) throw new RangeError('a template is learnt from two crops at least');
  const { width, height } = first;
  const count = width * height;
  const rgb = new Uint8Array(count * 3);
  const mask = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    let variance = 0;
    for (let k = 0; k < 3; k++) {
      let [sum, squares] = [0, 0];
      for (const { data } of crops) {
        sum += data[3 * i + k]!;
        squares += data[3 * i + k]! ** 2;
      }
      const mean = sum / crops.length;
      rgb[3 * i + k] = Math.round(mean);
      variance += (squares / crops.length - mean * mean) / 3;
    }
    mask[i] = Math.round(255 / (1 + (Math.max(0, variance) / spread ** 2) ** 2));
  }
  return { width, height, rgb, mask };
}
