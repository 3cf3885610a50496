import sharp from 'sharp';
import type { Size } from '../geometry.ts';
import { plainText } from '../markup.ts';
import { outlineText, type Overlay, renderOverlay, type Typeface, wrapText } from '../media/write/overlay.ts';
import type { Brand } from './brand.ts';
import { type Obstacle, placeOverlay } from './hud.ts';
import type { OverlayItem } from './storyboard.ts';

// Draws the items of a storyboard: each once, as pictures that are then blended into frames.

/** A picture and where it lies in the reel, in pixels. */
interface Placed {
  readonly picture: string | Buffer;
  readonly x: number;
  readonly y: number;
}

/** An item with its pictures. */
export interface DrawnItem {
  readonly item: OverlayItem;
  /** The picture at rest, and those of its first moments. */
  readonly overlay: Overlay;
  readonly entrance: readonly Overlay[];
}

/** What all drawings of a reel share: frame size, brand and what they avoid. */
export interface DrawingContext extends Size {
  readonly brand: Brand;
  /** HUD regions in fractions of the reel. */
  readonly hud: readonly Obstacle[];
  /** The icon of a word in a game, if its profile has one. */
  readonly icon: (game: string, word: string) => Buffer | undefined;
}

/** Enlargements with which banners appear, one a step. */
const ENTRANCE_SCALES = [1.5, 1.22, 1.08];
/** Seconds of each. */
export const ENTRANCE_STEP_SECONDS = 0.04;

/** Draws all items that have a picture; the progress bar has none. Equal ones share theirs. */
export async function drawItems(items: readonly OverlayItem[], context: DrawingContext): Promise<DrawnItem[]> {
  const drawn: DrawnItem[] = [];
  const known = new Map<string, Pick<DrawnItem, 'overlay' | 'entrance'>>();
  // Subtitles keep clear of captions and banners, which keep clear of the HUD.
  const rooms = (['caption', 'banner'] as const).flatMap((kind) =>
    items.some((item) => item.kind === kind) ? [roomOf(kind, context)] : [],
  );
  for (const item of items) {
    const key = JSON.stringify({ ...item, start: 0, end: 0 });
    const hud = item.kind === 'subtitle' ? [...context.hud, ...rooms] : context.hud;
    const pictures = known.get(key) ?? (await drawItem(item, { ...context, hud }));
    if (!pictures) continue;
    known.set(key, pictures);
    drawn.push({ item, ...pictures });
  }
  return drawn;
}

async function drawItem(item: OverlayItem, context: DrawingContext) {
  const place = (scale = 1): Placed | Promise<Placed | undefined> | undefined => {
    if (item.kind === 'caption') return drawCaption(item, context);
    if (item.kind === 'subtitle') return drawSubtitle(item, context);
    if (item.kind === 'banner') return drawBanner(item, context, scale);
    if (item.kind === 'counter') return drawCounter(item, context, scale);
    if (item.kind === 'sticker') return drawSticker(item, context, scale);
    return item.kind === 'logo' ? drawLogo(context) : undefined;
  };
  const render = async (scale: number): Promise<Overlay | undefined> => {
    const placed = await place(scale);
    return placed && renderOverlay(placed.picture, placed.x, placed.y);
  };
  const overlay = await render(1);
  if (!overlay) return undefined;
  const isLively = item.kind === 'banner' || item.kind === 'sticker' || (item.kind === 'counter' && item.value > 0);
  const entrance: Overlay[] = [];
  for (const scale of isLively ? ENTRANCE_SCALES : []) entrance.push((await render(scale))!);
  return { overlay, entrance };
}

/** Unit of all sizes: a hundredth of the frame's shorter side. */
function unitOf({ width, height }: Size): number {
  return Math.min(width, height) / 100;
}

/** Whether a frame is upright, where phones cover its top and bottom. */
function isUpright({ width, height }: Size): boolean {
  return height > width;
}

/** A piece of text in one colour on a line. */
interface TextRun {
  readonly text: string;
  readonly fill: string;
}

/** Outlined lines of text with an outline of their own, centred; the origin is the top left corner. */
function textBlock(
  lines: readonly (readonly TextRun[])[],
  {
    size,
    face,
    pad,
    leading = 1.16,
    stroke,
  }: {
    readonly size: number;
    readonly face: Typeface;
    readonly pad: number;
    readonly leading?: number;
    readonly stroke: string;
  },
): { readonly shapes: string; readonly width: number; readonly height: number } {
  const rows = lines.map((runs) => {
    let x = 0;
    const parts = runs.map(({ text, fill }) => {
      const { path, width } = outlineText(text, size, face);
      const part = { path, fill, x };
      x += width;
      return part;
    });
    return { parts, width: x };
  });
  const width = Math.max(2, ...rows.map((row) => row.width)) + 2 * pad;
  const step = size * face.capital * leading * 1.35;
  const height = (rows.length - 1) * step + size * face.capital + 2 * pad;
  const placed = rows.flatMap((row, index) =>
    row.parts.map(({ path, fill, x }) => {
      const at = `translate(${((width - row.width) / 2 + x).toFixed(1)} ${(pad + size * face.capital + index * step).toFixed(1)})`;
      return { fill, at, path };
    }),
  );
  // All outlines lie below all letters.
  const outlines = placed.map(({ at, path }) => `<path transform="${at}" d="${path}"/>`).join('');
  const letters = placed.map(({ at, path, fill }) => `<path transform="${at}" fill="${fill}" d="${path}"/>`).join('');
  const shapes = `<g fill="none" stroke="${stroke}" stroke-width="${(size / 6.5).toFixed(1)}" stroke-linejoin="round">${outlines}</g>${letters}`;
  return { shapes, width, height };
}

function svg(width: number, height: number, shapes: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.ceil(width)}" height="${Math.ceil(height)}">${shapes}</svg>`;
}

/** Font size of captions in units. */
const CAPTION_UNITS = 6.2;
const UPRIGHT_CAPTION_UNITS = 7.4;
/** Share of the width that a caption takes at most. */
const CAPTION_WIDTH = 0.88;
/** Margin around a caption by its font size. */
const CAPTION_PAD = 0.42;

/** How many characters of average width fit on a line of a caption. */
export function captionCharacters(frame: Size, brand: Brand): number {
  const size = captionSize(frame);
  const sample = 'The player fragged Gargoyle with the rocket launcher';
  return Math.floor((frame.width * CAPTION_WIDTH) / (outlineText(sample, size, brand.text).width / sample.length));
}

function captionSize(frame: Size): number {
  return unitOf(frame) * (isUpright(frame) ? UPRIGHT_CAPTION_UNITS : CAPTION_UNITS);
}

function drawCaption({ lines, emphasis }: OverlayItem & { kind: 'caption' }, context: DrawingContext): Placed {
  const { brand } = context;
  const { size, rows } = fitCaption(
    lines.map((line) => plainText(line)),
    context,
  );
  return placeLines(
    rows.map((line) => colored(line, emphasis, brand)),
    size,
    0.45,
    context,
  );
}

/** Sizes of a caption whose lines are too long, by its usual size. */
const CAPTION_SCALES = [1, 0.9, 0.8];

/** The size at which a caption fits, and its lines: its own, else the text in two lines, of which the end may be left out. */
function fitCaption(lines: readonly string[], context: DrawingContext): { size: number; rows: readonly string[] } {
  const { brand } = context;
  const widest = context.width * CAPTION_WIDTH;
  const sizes = CAPTION_SCALES.map((scale) => scale * captionSize(context));
  const fits = (size: number): boolean => lines.every((line) => outlineText(line, size, brand.text).width <= widest);
  const size = lines.length > 2 ? undefined : sizes.find(fits);
  if (size !== undefined) return { size, rows: lines };
  const smallest = sizes.at(-1)!;
  return { size: smallest, rows: wrapText(lines.join(' '), smallest, widest, 2, brand.text) };
}

/** Lines on a plate of this opacity, where captions are. */
function placeLines(
  rows: readonly (readonly TextRun[])[],
  size: number,
  opacity: number,
  context: DrawingContext,
): Placed {
  const { brand, hud } = context;
  const pad = size * CAPTION_PAD;
  const { shapes, width, height } = textBlock(rows, { size, face: brand.text, pad, stroke: brand.colors.ground });
  const plate = `<rect width="${width}" height="${height}" rx="${size * 0.3}" fill="${brand.colors.ground}" fill-opacity="${opacity}"/>`;
  const middle = placeOverlay('caption', hud, height / context.height, isUpright(context)) * context.height;
  return { picture: svg(width, height, plate + shapes), x: (context.width - width) / 2, y: middle - height / 2 };
}

/** Text over text cannot be read; over the HUD or a camera's picture, it can. */
const ROOM_WEIGHT = 5;

/** Where captions of two lines, or banners, are, in fractions of the frame. */
function roomOf(kind: 'caption' | 'banner', context: DrawingContext): Obstacle {
  const { text, display } = context.brand;
  const row = [{ text: 'M', fill: 'none' }];
  const [size, banner] = [captionSize(context), bannerSize(context)];
  const { height } =
    kind === 'caption'
      ? textBlock([row, row], { size, face: text, pad: size * CAPTION_PAD, stroke: 'none' })
      : textBlock([row], { size: banner, face: display, pad: banner * BANNER_PAD, stroke: 'none' });
  const share = height / context.height;
  const middle = placeOverlay(kind, context.hud, share, isUpright(context));
  return { x: 0, y: middle - share / 2, width: 1, height: share, weight: ROOM_WEIGHT };
}

/** Size of subtitles by that of captions. */
const SUBTITLE_SCALE = 0.8;

/** Divides what is said into lines that fit into a frame. */
export function wrapSubtitle(text: string, frame: Size, brand: Brand): string[] {
  const size = captionSize(frame) * SUBTITLE_SCALE;
  return wrapText(plainText(text), size, frame.width * CAPTION_WIDTH, Number.POSITIVE_INFINITY, brand.text);
}

function drawSubtitle({ lines }: OverlayItem & { kind: 'subtitle' }, context: DrawingContext): Placed {
  const rows = lines.map((text) => [{ text, fill: context.brand.colors.text }]);
  return placeLines(rows, captionSize(context) * SUBTITLE_SCALE, 0.65, context);
}

/** Divides a line into runs: emphasized words in the accent colour. */
function colored(line: string, emphasis: readonly string[], { colors }: Brand): TextRun[] {
  const found = emphasis
    .map((word) => ({ word, at: line.toLowerCase().indexOf(word.toLowerCase()) }))
    .filter(({ at }) => at >= 0)
    .toSorted((a, b) => a.at - b.at);
  const runs: TextRun[] = [];
  let from = 0;
  for (const { word, at } of found) {
    if (at < from) continue;
    runs.push({ text: line.slice(from, at), fill: colors.text });
    runs.push({ text: line.slice(at, at + word.length), fill: colors.accent });
    from = at + word.length;
  }
  return [...runs, { text: line.slice(from), fill: colors.text }].filter(({ text }) => text !== '');
}

/** Margin around a banner by its font size. */
const BANNER_PAD = 0.2;

function bannerSize(frame: Size): number {
  return unitOf(frame) * (isUpright(frame) ? 17 : 14);
}

function drawBanner(
  { text, detail }: OverlayItem & { kind: 'banner' },
  context: DrawingContext,
  scale: number,
): Placed {
  const { brand, hud } = context;
  let size = bannerSize(context);
  const widest = context.width * 0.9;
  const length = outlineText(text, size, brand.display).width;
  if (length > widest) size *= widest / length;
  // Nothing of it is cut off while it appears.
  const room = context.width / Math.min(length, widest) - 1;
  const growth = 1 + (scale - 1) * Math.min(1, room / (Math.max(...ENTRANCE_SCALES) - 1));
  size *= growth;
  const title = textBlock([[{ text: plainText(text), fill: brand.colors.accent }]], {
    size,
    face: brand.display,
    pad: size * BANNER_PAD,
    stroke: brand.colors.ground,
  });
  const small = size * 0.36;
  const below =
    detail === undefined
      ? undefined
      : textBlock([[{ text: plainText(detail), fill: brand.colors.text }]], {
          size: small,
          face: brand.display,
          pad: small * 0.2,
          stroke: brand.colors.ground,
        });
  const width = Math.max(title.width, below?.width ?? 0);
  const height = title.height + (below?.height ?? 0);
  const shapes = [
    `<g transform="translate(${(width - title.width) / 2} 0)">${title.shapes}</g>`,
    below ? `<g transform="translate(${(width - below.width) / 2} ${title.height})">${below.shapes}</g>` : '',
  ].join('');
  const middle = placeOverlay('banner', hud, height / growth / context.height, isUpright(context)) * context.height;
  return { picture: svg(width, height, shapes), x: (context.width - width) / 2, y: middle - height / 2 };
}

/** Corner in which least of the HUD is covered, at a distance from the edges. */
function freeCorner({ hud, ...frame }: DrawingContext, box: Size): { readonly x: number; readonly y: number } {
  const margin = unitOf(frame) * 4;
  // Phones show buttons at the right and the bottom, and names at the top.
  const [top, bottom] = isUpright(frame)
    ? [frame.height * 0.09, frame.height * 0.775]
    : [margin, frame.height - margin - box.height];
  const corners = [
    { x: margin, y: top },
    { x: frame.width - margin - box.width, y: top },
    { x: margin, y: bottom },
    { x: frame.width - margin - box.width, y: bottom },
  ];
  const covered = corners.map(({ x, y }) =>
    hud.reduce((sum, rect) => {
      const across = Math.min(x + box.width, (rect.x + rect.width) * frame.width) - Math.max(x, rect.x * frame.width);
      const down = Math.min(y + box.height, (rect.y + rect.height) * frame.height) - Math.max(y, rect.y * frame.height);
      return sum + Math.max(0, across) * Math.max(0, down);
    }, 0),
  );
  return corners[covered.indexOf(Math.min(...covered))]!;
}

/** Size of the counter: that of the widest value, so that it does not move. */
function counterBox(label: string, context: DrawingContext): Size & { readonly digits: number } {
  const { brand } = context;
  const unit = unitOf(context);
  const digits = outlineText('00', unit * COUNTER_UNITS, brand.display).width;
  const name = outlineText(plainText(label), unit * COUNTER_LABEL_UNITS, brand.display);
  const pad = unit * COUNTER_PAD_UNITS;
  return {
    digits,
    width: digits + name.width + 3 * pad,
    height: unit * COUNTER_UNITS * brand.display.capital + 2 * pad,
  };
}

const COUNTER_UNITS = 9;
const COUNTER_LABEL_UNITS = 4.2;
const COUNTER_PAD_UNITS = 1.8;

function drawCounter(
  { value, label }: OverlayItem & { kind: 'counter' },
  context: DrawingContext,
  scale: number,
): Placed {
  const { brand } = context;
  const unit = unitOf(context);
  const [big, small] = [unit * COUNTER_UNITS, unit * COUNTER_LABEL_UNITS];
  const number = outlineText(String(value), big, brand.display);
  const name = outlineText(plainText(label), small, brand.display);
  const pad = unit * COUNTER_PAD_UNITS;
  const { digits, ...box } = counterBox(label, context);
  const numberX = pad + (digits - number.width) / 2;
  const shapes =
    `<rect width="${box.width}" height="${box.height}" rx="${unit * 1.4}" fill="${brand.colors.ground}" fill-opacity="0.62"/>` +
    `<rect width="${unit * 0.9}" height="${box.height}" fill="${brand.colors.accent}"/>` +
    `<path transform="translate(${numberX} ${box.height - pad})" fill="${brand.colors.accent}" d="${number.path}"/>` +
    `<path transform="translate(${digits + 2 * pad} ${box.height - pad})" fill="${brand.colors.text}" d="${name.path}"/>`;
  const { x, y } = freeCorner(context, box);
  const grown = `<g transform="scale(${scale})">${shapes}</g>`;
  return {
    picture: svg(box.width * scale, box.height * scale, grown),
    x: x - (x > context.width / 2 ? (scale - 1) * box.width : 0),
    y: y - ((scale - 1) * box.height) / 2,
  };
}

/** At the counter's side. */
async function drawSticker(
  { game, word, label }: OverlayItem & { kind: 'sticker' },
  context: DrawingContext,
  scale: number,
): Promise<Placed | undefined> {
  const icon = context.icon(game, word);
  if (!icon) return undefined;
  const box = counterBox(label, context);
  const height = Math.round(box.height * 1.15 * scale);
  const picture = await sharp(icon).resize({ height, kernel: 'lanczos3' }).png().toBuffer();
  const { width = height } = await sharp(picture).metadata();
  const { x, y } = freeCorner(context, box);
  const gap = unitOf(context) * 2;
  const isLeft = x < context.width / 2;
  return {
    picture,
    x: isLeft ? x + box.width + gap : x - gap - width,
    y: y + (box.height - height) / 2,
  };
}

async function drawLogo(context: DrawingContext): Promise<Placed | undefined> {
  const { logo } = context.brand;
  if (!logo) return undefined;
  const unit = unitOf(context);
  const { data, info } = await sharp(logo)
    .resize({ width: Math.round(unit * 22), height: Math.round(unit * 10), fit: 'inside' })
    .png()
    .toBuffer({ resolveWithObject: true });
  const y = isUpright(context) ? context.height * 0.04 : unit * 4;
  return { picture: data, x: context.width - info.width - unit * 4, y };
}

/** Breaks a text into at most three lines, after commas where that is enough: the comma at the end of a line is left out. */
function wrapList(text: string, size: number, widest: number, face: Typeface): string[] {
  const lines: string[] = [];
  for (const part of text.split(/,\s+/)) {
    const longer = `${lines.at(-1)}, ${part}`;
    if (lines.length > 0 && outlineText(longer, size, face).width <= widest) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  const isEnough = lines.length <= 3 && lines.every((line) => outlineText(line, size, face).width <= widest);
  return isEnough ? lines : wrapText(text, size, widest, 3, face);
}

/** Draws a title or an end card as SVG of the frame's size: a title in capitals, a rule, and a line below. */
export function cardSvg(title: string, subtitle: string, frame: Size, brand: Brand): string {
  const { width, height } = frame;
  const unit = unitOf(frame);
  const widest = width * 0.86;
  let size = unit * (isUpright(frame) ? 17 : 16);
  const words = plainText(title).toUpperCase();
  const rows = (): string[] => wrapList(words, size, widest, brand.display);
  // Long words become smaller rather than cut.
  const longest = Math.max(1, ...words.split(/\s+/).map((word) => outlineText(word, size, brand.display).width));
  if (longest > widest) size *= widest / longest;
  const titleBlock = textBlock(
    rows().map((text) => [{ text, fill: brand.colors.text }]),
    { size, face: brand.display, pad: size * 0.1, leading: 1, stroke: 'none' },
  );
  const small = unit * 5;
  const below = wrapText(plainText(subtitle), small, widest, 3, brand.text);
  const textBelow = textBlock(
    below.map((text) => [{ text, fill: brand.colors.text }]),
    { size: small, face: brand.text, pad: small * 0.2, stroke: 'none' },
  );
  const rule = { width: unit * 22, height: unit * 1.3, gap: unit * 4 };
  const total = titleBlock.height + rule.height + 2 * rule.gap + (below.length > 0 ? textBelow.height : 0);
  const top = (height - total) / 2;
  const ruleTop = top + titleBlock.height + rule.gap;
  return svg(
    width,
    height,
    `<rect width="${width}" height="${height}" fill="${brand.colors.ground}" fill-opacity="0.6"/>` +
      `<g transform="translate(${(width - titleBlock.width) / 2} ${top})">${titleBlock.shapes}</g>` +
      `<rect x="${(width - rule.width) / 2}" y="${ruleTop}" width="${rule.width}" height="${rule.height}" fill="${brand.colors.accent}"/>` +
      (below.length > 0
        ? `<g transform="translate(${(width - textBelow.width) / 2} ${ruleTop + rule.height + rule.gap})">${textBelow.shapes}</g>`
        : ''),
  );
}
