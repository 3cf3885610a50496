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
import { openRasterImage } from '../../media/raster-image.ts';

/** An image to search for: RGB and the weight of each pixel. */
export interface Template {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
  /** Weight of each pixel, from 0 (transparent) to 255. */
  readonly mask: Uint8Array;
}

/** Maximum width and height of an icon file. */
const MAX_ICON_PIXELS = 512;

/**
 * Decodes an image file as a template; the alpha channel of a PNG is its mask.
 *
 * @throws PlaybyplayError `invalid-icon` if it is no image, too large, or fully transparent.
 */
export async function readTemplate(file: Uint8Array, path: string): Promise<Template> {
  try {
    const { data, width, height } = decodePng(file, MAX_ICON_PIXELS) ?? (await decodeImage(file));
    const count = width * height;
    const rgb = new Uint8Array(count * 3);
    const mask = new Uint8Array(count);
    for (let i = 0; i < count; i++) {
      for (let k = 0; k < 3; k++) rgb[3 * i + k] = data[4 * i + k]!;
      mask[i] = data[4 * i + 3]!;
    }
    if (mask.every((alpha) => alpha === 0)) throw new RangeError('it is fully transparent');
    return { width, height, rgb, mask };
  } catch (error) {
    throw new PlaybyplayError('invalid-icon', `the icon ${path} cannot be used: ${messageOf(error)}`, {
      hint: `Icons are PNG files of at most ${MAX_ICON_PIXELS}×${MAX_ICON_PIXELS} pixels; transparent pixels are ignored.`,
      cause: error,
    });
  }
}

/** Decodes image files that `decodePng` leaves to an image library. */
async function decodeImage(file: Uint8Array): Promise<RgbaImage> {
  const image = await openRasterImage(file, MAX_ICON_PIXELS * MAX_ICON_PIXELS);
  const { data, info } = await image.toColourspace('srgb').ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** Resamples a template; colours of transparent pixels do not bleed in. */
export function scaleTemplate(template: Template, width: number, height: number): Template {
  const { width: from, height: rows } = template;
  if (width === from && height === rows) return template;
  const filters = filtersFor(`${from}×${rows} to ${width}×${height}`, template, () => ({
    across: resamplingTaps(from, width, from / width, 'linear'),
    down: resamplingTaps(rows, height, rows / height, 'linear'),
  }));
  return applyFilters(template, filters, true);
}

/** Blurs a template with a Gaussian of `sigma` pixels; the mask stays unchanged. */
export function softenTemplate(template: Template, sigma: number): Template {
  const { width, height } = template;
  const filters = filtersFor(`${width}×${height} σ ${sigma}`, template, () => ({
    across: gaussianTaps(width, sigma),
    down: gaussianTaps(height, sigma),
  }));
  return applyFilters(template, filters, false);
}

/** One filter for the colours and for the mask of templates of one size. */
interface Filters {
  readonly colors: SeparableFilter;
  readonly mask: SeparableFilter;
}

/** Most icons of a detector have one size and share a few filters. */
const MAX_CACHED_FILTERS = 32;
const cachedFilters = new Map<string, Filters>();

function filtersFor(key: string, { width, height }: Template, taps: () => { across: Taps; down: Taps }): Filters {
  const known = cachedFilters.get(key);
  if (known) return known;
  const { across, down } = taps();
  const filters = {
    colors: separableFilter({ width, height, channels: 3 }, across, down),
    mask: separableFilter({ width, height, channels: 1 }, across, down),
  };
  if (cachedFilters.size >= MAX_CACHED_FILTERS) cachedFilters.clear();
  cachedFilters.set(key, filters);
  return filters;
}

/** Filters colours premultiplied by the mask, so that transparent pixels have no weight. */
function applyFilters({ width, height, rgb, mask }: Template, filters: Filters, withMask: boolean): Template {
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
 * Learns a template from crops that show one icon at the same place over different backgrounds: the mean colour, and a mask of the
 * pixels that stay the same.
 *
 * @param crops At least two RGB crops of equal size, over backgrounds that differ as much as possible.
 * @param spread Standard deviation, in levels, at which a pixel has half its weight.
 */
export function learnTemplate(crops: readonly Crop[], spread = 16): Template {
  const [first] = crops;
  if (!first || crops.length < 2) throw new RangeError('learning a template needs at least two crops');
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

/** Weight of pixels that are the same for all names, relative to those that differ most. */
const MIN_FOCUS_WEIGHT = 0.2;

/** Mean opacity from which a name has a colour at a pixel. */
const MIN_OPACITY = 0.5;

/** A template with the name of its icon. */
export interface NamedTemplate {
  readonly name: string;
  readonly template: Template;
}

/**
 * Weights the pixels of masks by how much the names differ there: icons of one set share frame and background, which outweigh the small
 * symbol that distinguishes them. On the recorded ammunition icons this reduces wrong readings from 16 of 373 to none
 * (bench/detectors/icons.ts). The deviation between the names' mean colours, up to its 95th percentile, becomes a factor from
 * `MIN_FOCUS_WEIGHT` to 1. Templates of different sizes stay unchanged, as they cannot be compared pixel by pixel.
 */
export function focusOnDifferences(icons: readonly NamedTemplate[]): readonly NamedTemplate[] {
  const names = [...new Set(icons.map(({ name }) => name))];
  const { width, height } = icons[0]?.template ?? { width: 0, height: 0 };
  if (names.length < 2 || icons.some(({ template }) => template.width !== width || template.height !== height))
    return icons;
  const means = names.map((name) => meanColor(icons.filter((icon) => icon.name === name)));
  const spread = Float64Array.from({ length: width * height }, (_, i) => deviationAt(means, i));
  const high = spread.toSorted()[Math.floor(0.95 * (spread.length - 1))]!;
  if (high === 0) return icons;
  return icons.map(({ name, template }) => {
    const mask = template.mask.map((weight, i) =>
      Math.round(weight * (MIN_FOCUS_WEIGHT + (1 - MIN_FOCUS_WEIGHT) * Math.min(1, spread[i]! / high))),
    );
    return { name, template: { ...template, mask } };
  });
}

/** Mean colour and mean opacity (0…1) of the variants of a name, per pixel. */
interface Mean {
  readonly rgb: Float64Array;
  readonly alpha: Float64Array;
}

function meanColor(icons: readonly NamedTemplate[]): Mean {
  const { width, height } = icons[0]!.template;
  const rgb = new Float64Array(3 * width * height);
  const alpha = new Float64Array(width * height);
  // Plain loops: start-up does this for thousands of pixels.
  for (const { template } of icons) {
    const { mask, rgb: own } = template;
    for (let i = 0, k = 0; i < alpha.length; i++) {
      const weight = mask[i]!;
      alpha[i]! += weight;
      for (const end = k + 3; k < end; k++) rgb[k]! += weight * own[k]!;
    }
  }
  for (let i = 0, k = 0; i < alpha.length; i++) {
    const weight = alpha[i]!;
    alpha[i] = weight / 255 / icons.length;
    for (const end = k + 3; k < end; k++) if (weight !== 0) rgb[k]! /= weight;
  }
  return { rgb, alpha };
}

/** Standard deviation of the colour at a pixel over the names that are opaque there. */
function deviationAt(means: readonly Mean[], pixel: number): number {
  let count = 0;
  for (let m = 0; m < means.length; m++) if (means[m]!.alpha[pixel]! >= MIN_OPACITY) count++;
  if (count < 2) return 0;
  let squares = 0;
  for (let k = 3 * pixel; k < 3 * pixel + 3; k++) {
    let sum = 0;
    for (let m = 0; m < means.length; m++) if (means[m]!.alpha[pixel]! >= MIN_OPACITY) sum += means[m]!.rgb[k]!;
    const mean = sum / count;
    let own = 0;
    for (let m = 0; m < means.length; m++)
      if (means[m]!.alpha[pixel]! >= MIN_OPACITY) own += (means[m]!.rgb[k]! - mean) ** 2;
    squares += own / count;
  }
  return Math.sqrt(squares);
}
