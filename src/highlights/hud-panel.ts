import type { EventLine } from '../events/log.ts';
import type { Point, Rect, Size } from '../geometry.ts';
import type { HudPanel } from '../media/write/frame-filter.ts';
import { clamp, median, sum } from '../statistics.ts';
import { mapToReel, type ScreenLayout } from './hud.ts';

// Arranges the figures that a crop would cut off on a panel below the picture.

/** Largest share of the reel's height that the panel takes, and how many rows of figures it has. */
const MAX_PANEL_SHARE = 0.17;
const MAX_ROWS = 2;
/** Height of the regions of figures on the panel, in shares of the reel's height: text fills more than 0.6 of its region. */
const [MIN_FIGURE_HEIGHT, MAX_FIGURE_HEIGHT, FIGURE_STEP] = [0.034, 0.055, 0.003];
/** How much figures are enlarged at most. */
const MAX_ENLARGEMENT = 4;
/** Space at the sides of the panel and between figures, in shares of the reel's width. */
const [SIDE, GAP] = [0.03, 0.025];
/** Space around a region, in shares of its height. */
const PADDING = 0.12;
/** Figures lower than this share of the highest one are fine print, such as a maximum. */
const MIN_HEIGHT_SHARE = 0.5;
/** How much less a figure counts that no event mentions. */
const UNMENTIONED = 0.6;
/** Figures that are closer together than this share of the frame's width are shown as one part. */
const MAX_PART_DISTANCE = 0.03;
/** What ends below this line reaches down to the edge of the frame, where names of figures are. */
const BOTTOM_EDGE = 0.9;
/** The top and the bottom of a frame where the picture may end so that no HUD is cut through. */
const [TOP_BAND, BOTTOM_BAND] = [0.17, 0.75];
/** How much one region may be higher than another in the same row. */
const MAX_HEIGHT_RATIO = 2;
/** How far a part grows to hold whole text, in shares of the frame's width, and the quiet space at which text ends, by its height. */
const MAX_GROWTH = 0.08;
const QUIET = 0.35;
/** Levels by which text differs from what is next to it, and by which a pixel of a HUD changes at most between frames. */
const [TEXT_CONTRAST, MAX_CHANGE] = [60, 24];

/** A figure of the HUD. */
interface Figure {
  readonly region: Rect;
  /** Events of the scenes that mention it. */
  readonly mentions: number;
}

/** Inputs of `arrangePanel`. */
interface PanelInput {
  readonly screen: ScreenLayout;
  /** Size of the frame and of the reel. */
  readonly frame: Size;
  readonly reel: Size;
  /** Events of the log and of the scenes shown. */
  readonly events: readonly EventLine[];
  readonly shown: readonly EventLine[];
  /** Centre of the crop; without one, it moves. */
  readonly center?: Point;
  /** Frames in RGB, in which text that stands still is found. */
  readonly frames: readonly Uint8Array[];
  /** Shows figures also where the crop cuts none of them off, or the scenes mention none. */
  readonly isWanted?: boolean;
}

/**
 * Arranges the figures that events of the scenes mention, and those in the same row of the screen, on a panel.
 *
 * @returns Undefined where the crop cuts none of them off, or where they would be too small to be read.
 */
export function arrangePanel(input: PanelInput): HudPanel | undefined {
  const { screen, frame, reel, center, isWanted = false } = input;
  const mentions = countChanges(input.shown, screen);
  const read = [...countChanges(input.events, screen).keys()].flatMap((name) => {
    const region = screen.hud.get(name);
    return region ? [{ region, mentions: mentions.get(name) ?? 0 }] : [];
  });
  const across = (region: Rect) => mapToReel(region, frame, reel, { layout: 'crop' }, center);
  const isCut = ({ region }: Figure): boolean => {
    const { x, width } = across(region);
    return center === undefined || x < 0 || x + width > 1;
  };
  const mentioned = read.filter((figure) => figure.mentions > 0);
  if (!isWanted && !mentioned.some(isCut)) return undefined;
  const visible = visibleLines(
    read.filter(isCut).map(({ region }) => region),
    across,
  );
  const isLeftOut = ({ region: { y, height } }: Figure): boolean =>
    y + height > visible.y + visible.height || y < visible.y;
  const highest = Math.max(0, ...(isWanted ? read : mentioned).map(({ region }) => region.height));
  const wanted = read
    .filter((figure) => isCut(figure) || isLeftOut(figure))
    .filter((figure) => isWanted || mentioned.some((other) => isSameRow(figure.region, other.region)))
    .filter(({ region }) => region.height >= MIN_HEIGHT_SHARE * highest)
    .toSorted((a, b) => worthOf(b) - worthOf(a));
  // The smallest figures are left out where there is no place for all.
  for (let count = wanted.length; count > 0; count--) {
    const figures = wanted.slice(0, count).map(({ region }) => region);
    const parts = joinNear(figures, frame, input.frames);
    const panel = packParts(parts, frame, reel);
    if (panel) return { ...panel, visible };
  }
  return undefined;
}

/** A value that is a figure, such as `87`, `2:31` or `3/12`, and no message. */
const FIGURE = /^[\d\s:./%+-]+$/u;

/** Whether a value that was read is a figure, and no message. */
export function isFigure(value: unknown): boolean {
  return FIGURE.test(String(value));
}

/** How much a figure is worth being shown: large ones are made to be seen. */
function worthOf({ region, mentions }: Figure): number {
  return region.height * (mentions > 0 ? 1 : UNMENTIONED);
}

/** By region: how many events come from a change of a figure there. */
function countChanges(events: readonly EventLine[], { regions }: ScreenLayout): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { cues } of events) {
    const changed = cues.filter(({ trigger, value }) => trigger === 'changed' && isFigure(value));
    for (const name of new Set(changed.flatMap(({ detector }) => regions.get(detector) ?? [])))
      counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

function isSameRow(a: Rect, b: Rect): boolean {
  const overlap = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  const [low, high] = [Math.min(a.height, b.height), Math.max(a.height, b.height)];
  return overlap >= low / 2 && high <= MAX_HEIGHT_RATIO * low;
}

/** The lines above the figures at the bottom, and below those at the top that a crop would cut through. */
function visibleLines(cut: readonly Rect[], across: (region: Rect) => Rect): { y: number; height: number } {
  const isCutThrough = (region: Rect): boolean => {
    const { x, width } = across(region);
    return x < 1 && x + width > 0;
  };
  const tops = cut
    .filter((region) => region.y + region.height <= TOP_BAND && isCutThrough(region))
    .map((each) => each.y + each.height + PADDING * each.height);
  const bottoms = cut.filter(({ y }) => y >= BOTTOM_BAND).map((each) => each.y - PADDING * each.height);
  const [top, bottom] = [Math.max(0, ...tops), Math.min(1, ...bottoms)];
  return { y: top, height: bottom - top };
}

/** A part of the frame on the panel. */
interface PanelPart {
  readonly rect: Rect;
  /** Height of its figures in shares of the frame's. */
  readonly text: number;
}

/** Joins regions that are near each other to parts that hold whole text. */
function joinNear(regions: readonly Rect[], frame: Size, frames: readonly Uint8Array[]): PanelPart[] {
  const ordered = regions.map((region) => ({ rect: wholeText(region, frame, frames), text: region.height }));
  const parts: PanelPart[] = [];
  for (const part of ordered.toSorted((a, b) => a.rect.x - b.rect.x)) {
    const near = parts.findIndex(
      ({ rect }) => isSameRow(rect, part.rect) && part.rect.x <= rect.x + rect.width + MAX_PART_DISTANCE,
    );
    if (near < 0) parts.push(part);
    else parts[near] = { rect: union(parts[near]!.rect, part.rect), text: Math.min(parts[near]!.text, part.text) };
  }
  // As they are read on the screen.
  return parts.toSorted((a, b) => (isSameRow(a.rect, b.rect) ? a.rect.x - b.rect.x : a.rect.y - b.rect.y));
}

/** The smallest rectangle around two. */
export function union(a: Rect, b: Rect): Rect {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  const [right, bottom] = [Math.max(a.x + a.width, b.x + b.width), Math.max(a.y + a.height, b.y + b.height)];
  return { x, y, width: right - x, height: bottom - y };
}

/** Widens a region until text that stands still, such as a unit after a figure, is not cut through. */
function wholeText(region: Rect, frame: Size, frames: readonly Uint8Array[]): Rect {
  const pad = PADDING * region.height;
  const y = Math.max(0, region.y - pad);
  const bottom = region.y + region.height > BOTTOM_EDGE ? 1 : region.y + region.height + pad;
  const [first, last] = [Math.round(region.y * frame.height), Math.round((region.y + region.height) * frame.height)];
  const quiet = Math.max(2, Math.round(QUIET * (last - first)));
  const farthest = Math.round(MAX_GROWTH * frame.width);
  const hasText = (column: number): boolean => {
    let count = 0;
    for (let line = first; line < last; line++) if (isTextEdge(frames, line * frame.width + column)) count++;
    return count > 1;
  };
  const grow = (edge: number, step: 1 | -1): number => {
    let seen = edge;
    for (let column = edge; Math.abs(column - edge) <= farthest; column += step) {
      if (column < 1 || column >= frame.width) break;
      if (hasText(column)) seen = column;
      else if (Math.abs(column - seen) >= quiet) break;
    }
    return clamp(seen + step * Math.round(quiet / 2), 0, frame.width);
  };
  const left = grow(Math.round(region.x * frame.width), -1);
  const right = grow(Math.round((region.x + region.width) * frame.width), 1);
  return { x: left / frame.width, y, width: (right - left) / frame.width, height: Math.min(1, bottom) - y };
}

/** Whether a pixel differs from the one before it, in all frames alike but one: a flash or a fade may tint the HUD in that one. */
function isTextEdge(frames: readonly Uint8Array[], at: number): boolean {
  const pairs = frames.map((pixels) => [brightest(pixels, at - 1), brightest(pixels, at)] as const);
  if (pairs.length === 0) return false;
  const [before, here] = [median(pairs.map(([level]) => level)), median(pairs.map(([, level]) => level))];
  if (Math.abs(here - before) < TEXT_CONTRAST) return false;
  const changed = pairs.filter(([, level]) => Math.abs(level - here) > MAX_CHANGE);
  return changed.length <= (pairs.length > 2 ? 1 : 0);
}

/** The level of the brightest of a pixel's colours: text is bright in its own colour. */
export function brightest(pixels: Uint8Array, at: number): number {
  return Math.max(pixels[3 * at]!, pixels[3 * at + 1]!, pixels[3 * at + 2]!);
}

/** Lays parts out in rows, as large as they fit; undefined where they would be too small. */
function packParts(parts: readonly PanelPart[], frame: Size, reel: Size): Omit<HudPanel, 'visible'> | undefined {
  for (let height = MAX_FIGURE_HEIGHT; height >= MIN_FIGURE_HEIGHT; height -= FIGURE_STEP) {
    const sized = parts.map(({ rect, text }) => {
      const scale = Math.min(MAX_ENLARGEMENT, (height * reel.height) / (text * frame.height));
      return {
        rect,
        width: (rect.width * frame.width * scale) / reel.width,
        height: (rect.height * frame.height * scale) / reel.height,
      };
    });
    const rows = rowsOf(sized);
    const gap = (GAP * reel.width) / reel.height / 2;
    const heights = rows.map((row) => Math.max(...row.map((part) => part.height)));
    const total = sum(heights) + gap * (rows.length + 1);
    const isTooWide = rows.some((row) => widthOf(row) > 1 - 2 * SIDE);
    if (isTooWide || rows.length > MAX_ROWS || total > MAX_PANEL_SHARE) continue;
    let y = 1 - total + gap;
    const placed = rows.flatMap((row, index) => {
      let x = (1 - widthOf(row)) / 2;
      const laid = row.map((part) => {
        const to = { x, y: y + (heights[index]! - part.height) / 2, width: part.width, height: part.height };
        x += part.width + GAP;
        return { from: part.rect, to };
      });
      y += heights[index]! + gap;
      return laid;
    });
    return { height: total, parts: placed };
  }
  return undefined;
}

/** Breaks parts into rows that fit the reel's width. */
function rowsOf<T extends { readonly width: number }>(parts: readonly T[]): T[][] {
  const rows: T[][] = [];
  for (const part of parts) {
    const row = rows.at(-1);
    if (row && widthOf([...row, part]) <= 1 - 2 * SIDE) row.push(part);
    else rows.push([part]);
  }
  return rows;
}

function widthOf(row: readonly { readonly width: number }[]): number {
  return sum(row.map(({ width }) => width)) + GAP * (row.length - 1);
}
