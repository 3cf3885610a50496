import type { Rect } from '../../geometry.ts';
import { gaussianTaps, separableFilter } from '../../regions/filter.ts';
import { roundTo } from '../../statistics.ts';
import type {
  Assets,
  Detector,
  FrameDetectorKind,
  Landmark,
  Observation,
  Placement,
  PreparedCrop,
  View,
} from '../kind.ts';
import { decide } from './decide.ts';
import { halve, Matcher } from './matcher.ts';
import { ICON_SCHEMA, type IconOptions, type MatchOptions } from './options.ts';
import { countRow, splitRow } from './row.ts';
import { addVariants, type IconMatch, type SearchWindow, searchAll, type Variant } from './search.ts';
import { type NamedTemplate, readTemplate, type Template } from './template.ts';

/**
 * Reads which of some icons a region shows: the weapon in hand, keys, power-ups, medals, warning marks.
 *
 * Each name has one or several PNG files (turned, lit, pressed). Alpha is the mask, so that the background may move behind the icon. A
 * template has the size that it has on the reference frame times `zoom`, and is resampled to the frame in each of the relative `scales`.
 *
 * The search covers the whole region, or `search` pixels of the reference frame around the centre of the unpadded region. With `pitch`
 * icons appear only at whole multiples of a distance from that centre, as in a centred row.
 *
 * `correlation` (default) is masked normalised cross-correlation, which ignores brightness, contrast and tint. `difference` compares the
 * colours themselves, for flat icons without texture. `likeness` combines both: the best match by correlation must also reach that score
 * by difference.
 *
 * Crop and templates are blurred by `soften`, which makes the score tolerant of subpixel shifts and slight turns. If all icons have one
 * size, `focus` gives more weight to pixels in which the names differ.
 *
 * The value is the best name if its score reaches `threshold` and leads the next name by `margin`; with a smaller lead the region is
 * unreadable, below the threshold absent. Names under `none` read as absent. With `cells` the region is a row of equal cells, and the
 * value is the number of cells that show the icon (`detail.icon`), counted from the first.
 */
export const kind: FrameDetectorKind<IconOptions> = {
  input: 'frame',
  name: 'icon',
  description:
    'Which of some icons a region shows, by masked template matching over a small search window in color: PNG templates with alpha as mask, several variants and scales each. Reads the name of the best one.',
  schema: ICON_SCHEMA,
  places: () => true,
  // In a grayscale picture correlation still finds the pattern of brightness, with lower confidence.
  byColour: ({ color = true }) => color,
  async open(options, assets) {
    return openIcons(options, await readIcons(options, assets));
  },
  async landmarks(options, assets) {
    const { zoom = 1, region = '' } = options as IconOptions & { readonly region?: string };
    return (await readIcons(options, assets)).map(({ template }) => toLandmark(template, zoom, region));
  },
};

/** Turns a template into a landmark in the centre of its region. */
function toLandmark({ width, height, rgb, mask }: Template, zoom: number, region: string): Landmark {
  const levels = mask.map((_, i) => (13933 * rgb[3 * i]! + 46871 * rgb[3 * i + 1]! + 4732 * rgb[3 * i + 2]!) >> 16);
  return { region, width: width / zoom, height: height / zoom, columns: width, rows: height, levels, weights: mask };
}

async function readIcons({ icons }: IconOptions, assets: Assets): Promise<readonly NamedTemplate[]> {
  const files = Object.entries(icons).flatMap(([name, given]) =>
    (typeof given === 'string' ? [given] : given).map((path) => ({ name, path })),
  );
  return await Promise.all(
    files.map(async ({ name, path }) => ({ name, template: await readTemplate(await assets.read(path), path) })),
  );
}

/** Templates at the scale of one frame size, and how its crops are prepared for them. */
interface ScaledIcons {
  readonly matcher: Matcher;
  readonly variants: readonly Variant[];
  /** How often crops are halved: large icons need no full resolution, and each halving quarters the cost. */
  readonly halvings: number;
  readonly soften: (crop: PreparedCrop) => PreparedCrop;
}

/** Opens a detector for templates in memory; `kind.open` reads them from the pack. */
export function openIcons(options: MatchOptions, templates: readonly NamedTemplate[]): Detector {
  const { zoom = 1, color = true } = options;
  // Usually one: all frames of a video have the same size.
  const bySize = new Map<string, ScaledIcons>();
  const matchIcon = (whole: PreparedCrop, view: Placement): Observation => {
    if (whole.width === 0 || whole.height === 0) return { state: 'unreadable', confidence: 1 };
    const channels = color && whole.channels === 3 ? 3 : 1;
    // Pixels of the prepared crop per pixel of the template.
    const scaleX = ((whole.width / view.rect.width) * view.scaleX) / zoom;
    const scaleY = ((whole.height / view.rect.height) * view.scaleY) / zoom;
    const key = [scaleX, scaleY, channels, whole.width, whole.height].join(' ');
    let scaled = bySize.get(key);
    if (!scaled) {
      scaled = scaleIcons(templates, options, whole, scaleX, scaleY, channels);
      bySize.set(key, scaled);
    }
    let crop = whole;
    for (let n = 0; n < scaled.halvings; n++) crop = halve(crop);
    const found = searchAll(
      scaled.matcher,
      scaled.soften(crop),
      scaled.variants,
      options.measure ?? 'correlation',
      searchWindow(crop, view, options),
      options.likeness !== undefined,
    );
    const unit = 2 ** scaled.halvings;
    const at = found.map((match) => ({ ...match, x: match.x * unit, y: match.y * unit }));
    return decide(at, options, placeOnFrame(at[0], view, whole, unit));
  };
  const { cells, zero = false } = options;
  const observe = (whole: PreparedCrop, view: View): Observation => {
    if (cells === undefined) return matchIcon(whole, view);
    return countRow(
      splitRow(whole, view, cells).map((cell) => matchIcon(cell.crop, cell.place)),
      zero,
    );
  };
  return {
    read(view) {
      const crop = view.prepared();
      return crop instanceof Promise ? crop.then((made) => observe(made, view)) : observe(crop, view);
    },
    [Symbol.dispose]() {
      bySize.clear();
    },
  };
}

/** The smaller side of icons, in pixels, below which halving would cost accuracy. */
const MIN_MATCHED_SIDE = 24;
/** A Gaussian narrower than this, in pixels, has no noticeable effect. */
const MIN_SIGMA = 0.4;

function scaleIcons(
  templates: readonly NamedTemplate[],
  { scales = [1], zoom = 1, soften, focus }: MatchOptions,
  crop: PreparedCrop,
  scaleX: number,
  scaleY: number,
  channels: 1 | 3,
): ScaledIcons {
  const side = Math.min(
    ...templates.map(({ template }) => Math.min(template.width * scaleX, template.height * scaleY)),
  );
  const halvings = Math.max(0, Math.floor(Math.log2((side * Math.min(...scales)) / MIN_MATCHED_SIDE)));
  const unit = 2 ** halvings;
  const sigma = (soften === undefined ? side / 40 : soften * zoom * Math.sqrt(scaleX * scaleY)) / unit;
  const isBlurred = sigma >= MIN_SIGMA;
  const matcher = new Matcher(channels);
  const [first] = templates;
  const isOneSize = templates.every(
    ({ template: { width, height } }) => width === first?.template.width && height === first.template.height,
  );
  const variants = addVariants(matcher, templates, {
    scaleX: scaleX / unit,
    scaleY: scaleY / unit,
    scales,
    sigma: isBlurred ? sigma : 0,
    isFocused: focus !== false && isOneSize,
  });
  if (!isBlurred) return { matcher, variants, halvings, soften: (sharp) => sharp };
  const [width, height] = [crop.width >> halvings, crop.height >> halvings];
  const filter = separableFilter(
    { width, height, channels: crop.channels },
    gaussianTaps(width, sigma),
    gaussianTaps(height, sigma),
  );
  return { matcher, variants, halvings, soften: (sharp) => filter.run(sharp) };
}

/** Tolerance of the positions given by `pitch`, in pixels of the reference frame; at least one pixel of the picture. */
const PITCH_TOLERANCE = 1.5;

/** The part of the prepared crop in which the centre of an icon may be. */
function searchWindow(
  crop: PreparedCrop,
  { rect, inner, scaleX, scaleY }: Placement,
  { search, pitch }: MatchOptions,
): SearchWindow | undefined {
  if (search === undefined && pitch === undefined) return undefined;
  const [fx, fy] = [crop.width / rect.width, crop.height / rect.height];
  const [x, y] = typeof search === 'object' ? [search.x, search.y] : [search ?? Infinity, search ?? Infinity];
  return {
    x: (inner.x + inner.width / 2 - rect.x) * fx,
    y: (inner.y + inner.height / 2 - rect.y) * fy,
    reachX: x * scaleX * fx,
    reachY: y * scaleY * fy,
    pitchX: (pitch?.x ?? 0) * scaleX * fx,
    pitchY: (pitch?.y ?? 0) * scaleY * fy,
    slack: Math.max(1, PITCH_TOLERANCE * Math.max(scaleX * fx, scaleY * fy)),
  };
}

/**
 * The place of a found icon on the frame.
 *
 * @param unit Pixels of the crop per pixel that was searched.
 */
function placeOnFrame(
  found: IconMatch | undefined,
  { rect }: Placement,
  crop: PreparedCrop,
  unit: number,
): Rect | undefined {
  if (!found) return undefined;
  const [fx, fy] = [rect.width / crop.width, rect.height / crop.height];
  return {
    x: roundTo(rect.x + found.x * fx, 1),
    y: roundTo(rect.y + found.y * fy, 1),
    width: roundTo(found.width * unit * fx, 1),
    height: roundTo(found.height * unit * fy, 1),
  };
}
