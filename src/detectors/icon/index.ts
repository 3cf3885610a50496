import type { Rect } from '../../geometry.ts';
import { gaussianTaps, separableFilter } from '../../regions/filter.ts';
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
import { absence, certainty } from './calibration.ts';
import { focused } from './focus.ts';
import type { NamedTemplate } from './focus.ts';
import { halved, Matcher } from './matcher.ts';
import { addVariants, searchAll } from './search.ts';
import type { Found, SearchWindow, Variant } from './search.ts';
import { cellsOf, countRow } from './row.ts';
import { readTemplate, type Template } from './template.ts';
import type { FromSchema, Schema } from '../../schema/from-schema.ts';

const schema = {
  type: 'object',
  required: ['region', 'icons'],
  properties: {
    icons: {
      description:
        'PNG files by what they show; several of one name where it is drawn in several ways. Transparent pixels do not count.',
      type: 'object',
      minProperties: 1,
      maxProperties: 256,
      additionalProperties: {
        oneOf: [
          { type: 'string', format: 'asset' },
          { type: 'array', items: { type: 'string', format: 'asset' }, minItems: 1, maxItems: 32 },
        ],
      },
    },
    measure: {
      enum: ['correlation', 'difference'],
      default: 'correlation',
      description:
        '`correlation`: the pattern counts, whatever the brightness or tint. `difference`: the colours themselves, for flat icons.',
    },
    color: { type: 'boolean', default: true, description: 'Whether colours count, or light and dark alone.' },
    zoom: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 16,
      default: 1,
      description:
        'Pixels of the PNGs per pixel of the reference frame: 2 where they were cut from a frame twice as large.',
    },
    scales: {
      type: 'array',
      items: { type: 'number', minimum: 0.25, maximum: 4 },
      minItems: 1,
      maxItems: 9,
      description: 'How many times as large it may be drawn; each is tried.',
    },
    focus: {
      type: 'boolean',
      default: true,
      description: 'Pixels in which icons of one size differ count most: those of a family share their frame.',
    },
    soften: {
      type: 'number',
      minimum: 0,
      maximum: 16,
      description:
        'Blur, in pixels of the reference frame, against shifts by part of a pixel; default a fortieth of the smallest side.',
    },
    search: {
      description:
        'Pixels of the reference frame by which it may be off the middle of its region (without the padding); default: anywhere in it.',
      oneOf: [
        { type: 'number', minimum: 0, maximum: 256 },
        {
          type: 'object',
          properties: {
            x: { type: 'number', minimum: 0, maximum: 256 },
            y: { type: 'number', minimum: 0, maximum: 256 },
          },
          required: ['x', 'y'],
          additionalProperties: false,
        },
      ],
    },
    pitch: {
      description:
        'Icons stand only at whole multiples of so many pixels of the reference frame from the middle of the region.',
      type: 'object',
      properties: {
        x: { type: 'number', minimum: 4, maximum: 1024 },
        y: { type: 'number', minimum: 4, maximum: 1024 },
      },
      minProperties: 1,
      additionalProperties: false,
    },
    threshold: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      default: 0.7,
      description: 'The least score; below it nothing is there.',
    },
    likeness: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      description:
        'The least likeness by colour, besides the score by correlation: scenery with the same edges is none.',
    },
    margin: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      default: 0.04,
      description: 'By how much the best icon must be ahead of the next; less, and the region is unreadable.',
    },
    none: {
      type: 'array',
      items: { type: 'string' },
      description: 'Names of icons that stand for the empty place: where one of them is best, nothing is there.',
    },
    cells: {
      type: 'integer',
      minimum: 2,
      maximum: 100,
      description:
        'A row of so many equal cells, which the region divides among them (hearts, lives, cartridges): reads how many show the icon, from the first on.',
    },
    zero: {
      type: 'boolean',
      default: false,
      description: 'Of `cells`: a row without any reads 0, not that nothing is there.',
    },
  },
} as const satisfies Schema;

/** Options of the kind. */
type IconOptions = FromSchema<typeof schema>;

/**
 * Which of some icons a region shows: the weapon in hand, keys, power-ups, medals, "you are being attacked" marks.
 *
 * Each name has one PNG or several variants of it (turned, lit, pressed). Alpha is the mask: transparent pixels do not count,
 * so scenery may move behind the icon. A template is drawn at the size that it has on the reference frame times `zoom`
 * (default 1), and is resampled to the frame at hand, in each of the relative `scales` (default just 1).
 *
 * It is looked for in the whole region (its padding is the room to move), or within `search` pixels of the reference frame around the place
 * where it sits in the middle of the unpadded region.
 *
 * With `pitch`, icons stand only at whole multiples of so many pixels of the reference frame from that middle, as in a row that is centred:
 * what looks like one elsewhere is none.
 *
 * `correlation` (default) is masked normalised cross-correlation: brightness, contrast and a tint of the screen do not matter, the
 * pattern of colours does (with `color: false`: of light and dark). `difference` compares colours themselves; use it for
 * flat, untextured icons. Or ask for both: with `likeness` the best match by correlation must reach so much by difference, too, so that
 * scenery with the same edges in other colours is none.
 *
 * Crop and templates are both softened by a Gaussian of `soften` pixels of the reference frame (default a fortieth of the smallest
 * icon's side), so that a shift by part of a pixel, or a slight turn, costs little.
 *
 * Where all icons have one size, pixels in which the names differ count most (`focus`, default on): icons of a family share their frame.
 *
 * The reading is the best name when its score reaches `threshold` (default 0.7) and is `margin` (default 0.04) above the
 * best other name's; between two names it is unreadable, below the threshold absent. Names under `none` stand for the empty place.
 * Confidence is calibrated from score and margin (calibration.ts).
 *
 * With `cells` the region is a row of so many equal cells, and the reading is how many of them, from the first on, show the icon
 * (`detail.icon` says which, where there are several): hearts, lives, cartridges.
 */
export const kind: FrameDetectorKind<IconOptions> = {
  input: 'frame',
  name: 'icon',
  description:
    'Which of some icons a region shows, by masked template matching over a small search window in colour: PNG templates with alpha as mask, several variants and scales each. Reads the name of the best one.',
  schema,
  places: () => true,
  // Correlation finds the pattern of light and dark in a grey picture, too, but is less sure of it.
  byColour: ({ color = true }) => color,
  async open(options, assets) {
    return openIcons(options, await readIcons(options, assets));
  },
  async landmarks(options, assets) {
    const { zoom = 1, region = '' } = options as IconOptions & { readonly region?: string };
    return (await readIcons(options, assets)).map(({ template }) => landmarkOf(template, zoom, region));
  },
};

/** A template as a landmark in the middle of its region. */
function landmarkOf({ width, height, rgb, mask }: Template, zoom: number, region: string): Landmark {
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

/** Templates at the size of one frame, and what is done to crops before they are searched. */
interface Ready {
  readonly matcher: Matcher;
  readonly variants: readonly Variant[];
  /** How often crops are halved: large icons are told apart at half or quarter size as well, for a quarter of the work each. */
  readonly halvings: number;
  readonly soften: (crop: PreparedCrop) => PreparedCrop;
}

/** A detector of templates that are already in memory; `kind.open` reads them from the pack. */
export function openIcons(options: Omit<IconOptions, 'icons'>, templates: readonly NamedTemplate[]): Detector {
  const { zoom = 1, color = true } = options;
  // Templates are resampled once per size of frame and crop; a video has one.
  const sizes = new Map<string, Ready>();
  const one = (whole: PreparedCrop, view: Placement): Observation => {
    if (whole.width === 0 || whole.height === 0) return { state: 'unreadable', confidence: 1 };
    const channels = color && whole.channels === 3 ? 3 : 1;
    // Pixels of the prepared crop per pixel of the template.
    const scaleX = ((whole.width / view.rect.width) * view.scaleX) / zoom;
    const scaleY = ((whole.height / view.rect.height) * view.scaleY) / zoom;
    const key = [scaleX, scaleY, channels, whole.width, whole.height].join(' ');
    let ready = sizes.get(key);
    if (!ready) {
      ready = makeReady(templates, options, whole, scaleX, scaleY, channels);
      sizes.set(key, ready);
    }
    let crop = whole;
    for (let n = 0; n < ready.halvings; n++) crop = halved(crop);
    const found = searchAll(
      ready.matcher,
      ready.soften(crop),
      ready.variants,
      options.measure ?? 'correlation',
      windowIn(crop, view, options),
      options.likeness !== undefined,
    );
    const unit = 2 ** ready.halvings;
    const at = found.map((match) => ({ ...match, x: match.x * unit, y: match.y * unit }));
    return decide(at, options, placeIn(at[0], view, whole, unit));
  };
  const { cells, zero = false } = options;
  const observe = (whole: PreparedCrop, view: View): Observation => {
    if (cells === undefined) return one(whole, view);
    return countRow(
      cellsOf(whole, view, cells).map((cell) => one(cell.crop, cell.place)),
      zero,
    );
  };
  return {
    read(view) {
      const crop = view.prepared();
      return crop instanceof Promise ? crop.then((made) => observe(made, view)) : observe(crop, view);
    },
    [Symbol.dispose]() {
      sizes.clear();
    },
  };
}

/** The smaller side, in pixels, at which icons are still told apart as well as at full size. */
const ENOUGH = 24;
/** A Gaussian below this many pixels changes nothing to speak of. */
const LEAST_SIGMA = 0.4;

function makeReady(
  templates: readonly NamedTemplate[],
  { scales = [1], zoom = 1, soften, focus }: Omit<IconOptions, 'icons'>,
  crop: PreparedCrop,
  scaleX: number,
  scaleY: number,
  channels: 1 | 3,
): Ready {
  const icons = focus === false ? templates : focused(templates);
  const side = Math.min(
    ...templates.map(({ template }) => Math.min(template.width * scaleX, template.height * scaleY)),
  );
  const halvings = Math.max(0, Math.floor(Math.log2((side * Math.min(...scales)) / ENOUGH)));
  const unit = 2 ** halvings;
  const sigma = (soften === undefined ? side / 40 : soften * zoom * Math.sqrt(scaleX * scaleY)) / unit;
  const softly = sigma >= LEAST_SIGMA;
  const matcher = new Matcher(channels);
  const variants = icons.flatMap(({ name, template }) =>
    addVariants(matcher, name, template, scaleX / unit, scaleY / unit, scales, softly ? sigma : 0),
  );
  if (!softly) return { matcher, variants, halvings, soften: (sharp) => sharp };
  const [width, height] = [crop.width >> halvings, crop.height >> halvings];
  const filter = separableFilter(
    { width, height, channels: crop.channels },
    gaussianTaps(width, sigma),
    gaussianTaps(height, sigma),
  );
  return { matcher, variants, halvings, soften: (sharp) => filter.run(sharp) };
}

/** Pixels of the reference frame by which an icon may be off its place in a row; at least a pixel of the picture. */
const SLACK = 1.5;

/** The middle of the unpadded region in the prepared crop, and how far the middle of an icon may be from it. */
function windowIn(
  crop: PreparedCrop,
  { rect, inner, scaleX, scaleY }: Placement,
  { search, pitch }: Omit<IconOptions, 'icons'>,
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
    slack: Math.max(1, SLACK * Math.max(scaleX * fx, scaleY * fy)),
  };
}

function tenth(pixels: number): number {
  return Math.round(10 * pixels) / 10;
}

/** Where an icon that was found lies on the frame; `unit`: how often the crop was halved. */
function placeIn(found: Found | undefined, { rect }: Placement, crop: PreparedCrop, unit: number): Rect | undefined {
  if (!found) return undefined;
  const [fx, fy] = [rect.width / crop.width, rect.height / crop.height];
  return {
    x: tenth(rect.x + found.x * fx),
    y: tenth(rect.y + found.y * fy),
    width: tenth(found.width * unit * fx),
    height: tenth(found.height * unit * fy),
  };
}

function decide(
  found: readonly Found[],
  { threshold = 0.7, likeness, margin = 0.04, none = [] }: IconOptions | Omit<IconOptions, 'icons'>,
  place: Rect | undefined,
): Observation {
  const [best] = found;
  // Not one template fits into the crop.
  if (!best) return { state: 'unreadable', confidence: 1 };
  const ahead = best.score - (found[1]?.score ?? 0);
  if (best.score < threshold) return { state: 'absent', confidence: absence(best.score, threshold) };
  if (likeness !== undefined && best.likeness! < likeness)
    return { state: 'absent', confidence: absence(best.likeness!, likeness) };
  const confidence = certainty(best.score, found[1] && ahead, threshold);
  const detail = {
    score: Math.round(best.score * 1000) / 1000,
    margin: Math.round(ahead * 1000) / 1000,
    ...(best.likeness === undefined ? {} : { likeness: Math.round(best.likeness * 1000) / 1000 }),
    x: best.x,
    y: best.y,
    ...(found[1] ? { other: found[1].name } : {}),
    ...(place ? { place } : {}),
  };
  if (found[1] && ahead < margin) return { state: 'unreadable', confidence: 1 - confidence, detail };
  if (none.includes(best.name)) return { state: 'absent', confidence };
  return { state: 'seen', value: best.name, confidence, detail };
}
