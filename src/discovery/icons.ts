import sharp from 'sharp';
import type { Rect, Size } from '../geometry.ts';
import { cropRgb } from '../regions/crop.ts';
import { upperMedian } from '../statistics.ts';
import type { FollowedSample, PictureArea } from './follow.ts';

/** One of the pictures that an icon shows. */
export interface IconPicture {
  /** PNG, base64; pixels that change while it is shown are transparent. */
  readonly png: string;
  /** The moment at which it was first shown. */
  readonly recording: number;
  readonly t: number;
  /** Samples that show it. */
  readonly count: number;
  /** In a feed: the texts on either side. */
  readonly between?: readonly [string, string];
}

/** An icon that shows one of some pictures. */
export interface Icon {
  /** In pixels of the reference frame. */
  readonly rect: Rect;
  readonly pictures: readonly IconPicture[];
  /** By sample that shows a known picture: its number. */
  readonly shown: readonly { readonly recording: number; readonly t: number; readonly picture: number }[];
  /** Share of the samples that show a known picture. */
  readonly presence: number;
}

/** A row of equal cells of which some are full: hearts, lives, charges. */
export interface CellRow {
  readonly rect: Rect;
  readonly cells: number;
  readonly direction: 'right' | 'left';
  readonly fill: string;
  /** Share of the cells that are full, 0…1, at the moments in which the row was seen. */
  readonly levels: readonly { readonly recording: number; readonly t: number; readonly level: number }[];
  readonly presence: number;
  /** Whether full cells keep their colour and empty ones do not. */
  readonly isConstant: boolean;
}

/** Change of a channel, in levels, that is one, and share of an icon's pixels with one in another picture. */
const MIN_LEVEL_CHANGE = 44;
const MIN_CHANGED_SHARE = 0.06;
/** The same for pictures that are shown for a moment only, such as each of the seconds that are counted down over an icon. */
const MIN_PASSING_SHARE = 0.3;
/** Samples in a row for which such a picture is shown at most. */
const MAX_PASSING_SAMPLES = 3;
/** Samples that show a picture of an icon, one after the other at least once. */
const MIN_SAMPLES = 3;
/** Share of the samples that show one of the pictures. */
const MIN_PRESENCE = 0.5;
const MAX_PICTURES = 12;
/** Different pictures from which a place shows scenery. */
const MAX_CLUSTERS = 40;
/** Share of the samples at which the picture changes at most. */
const MAX_SWITCH_SHARE = 0.35;
/** Share of a picture's pixels that stay the same while it is shown. */
const MIN_LASTING_SHARE = 0.4;

interface Cluster {
  readonly sums: Float64Array;
  /** Sums of squares. */
  readonly squares: Float64Array;
  /** By value: the least and the greatest. */
  readonly least: Uint8Array;
  readonly greatest: Uint8Array;
  readonly members: number[];
}

/**
 * Finds the pictures that a framed place shows: samples that differ in few pixels show the same one. What changes within a picture, such
 * as seconds that are counted down over it, does not matter.
 *
 * @param samples What was seen at the place, with pictures.
 * @param isGuess No frame was seen there: its pictures must have a border.
 * @returns Undefined where the place shows a single picture, or scenery.
 */
export async function findIcon(samples: readonly FollowedSample[], isGuess = false): Promise<Icon | undefined> {
  const seen = samples.flatMap(({ recording, t, area }) => (area ? [{ recording, t, area }] : []));
  const crops = new Map<PictureArea, Uint8Array>();
  const pixelsOf = (area: PictureArea): Uint8Array => {
    let pixels = crops.get(area);
    if (!pixels) crops.set(area, (pixels = cropArea(area)));
    return pixels;
  };
  const [first] = seen;
  if (!first) return undefined;
  const { width, height } = first.area.part;
  const clusters: Cluster[] = [];
  const rough = seen.map(({ area }, n): Cluster | undefined => {
    const pixels = pixelsOf(area);
    if (pixels.length !== 3 * width * height || clusters.length > MAX_CLUSTERS) return undefined;
    const ranked = clusters
      .map((cluster) => ({ cluster, share: changedShare(cluster, pixels) }))
      .toSorted((a, b) => a.share - b.share);
    let [best] = ranked;
    if (!best || best.share > MIN_CHANGED_SHARE) {
      const cluster = emptyCluster(pixels.length);
      clusters.push(cluster);
      best = { cluster, share: 0 };
    }
    addTo(best.cluster, pixels, n);
    return best.cluster;
  });
  if (clusters.length > MAX_CLUSTERS) return undefined;
  // Which of two like pictures a sample shows is known only when all samples were seen.
  const settled = assignToNearest(
    seen.map(({ area }, n) => (rough[n] ? pixelsOf(area) : undefined)),
    clusters,
  );
  const own = settled.bySample;
  const joined = joinPassing(settled.clusters);
  const repeated = [...new Set(joined.values())].filter(
    ({ members }) => members.length >= MIN_SAMPLES && longestRun(members) >= 2,
  );
  const steady = repeated.filter((cluster) => lastingShare(cluster) >= MIN_LASTING_SHARE);
  // The frame may have been found within its border, so that no picture shows it.
  const bordered = steady.filter((cluster) => hasBorder(cluster, width));
  const merged = mergeAlike(isGuess || bordered.length >= 2 ? bordered : steady);
  const lasting = [...new Set(merged.values())];
  if (lasting.length < 2 || lasting.length > MAX_PICTURES) return undefined;
  const shown = own.flatMap((cluster, n) => {
    const picture = cluster ? lasting.indexOf(merged.get(joined.get(cluster)!)!) : -1;
    return picture < 0 ? [] : [{ recording: seen[n]!.recording, t: seen[n]!.t, picture }];
  });
  const switches = shown.filter((one, i) => i > 0 && one.picture !== shown[i - 1]!.picture).length;
  const presence = shown.length / samples.length;
  if (presence < MIN_PRESENCE || switches > MAX_SWITCH_SHARE * shown.length) return undefined;
  const pictures = await Promise.all(
    lasting.map(async (cluster): Promise<IconPicture> => {
      const { recording, t } = seen[cluster.members[0]!]!;
      const png = await sharp(meanPicture(cluster), { raw: { width, height, channels: 4 } })
        .png()
        .toBuffer();
      return { png: png.toString('base64'), recording, t, count: cluster.members.length };
    }),
  );
  // Pictures are cut at whole chroma samples.
  const { x, y, scaleX, scaleY } = first.area;
  const rect = { x: x / scaleX, y: y / scaleY, width: width / scaleX, height: height / scaleY };
  return { rect, pictures, shown, presence };
}

function emptyCluster(length: number): Cluster {
  return {
    sums: new Float64Array(length),
    squares: new Float64Array(length),
    least: new Uint8Array(length).fill(255),
    greatest: new Uint8Array(length),
    members: [],
  };
}

/** Assigns each sample to the cluster whose mean it is nearest to. */
function assignToNearest(
  samples: readonly (Uint8Array | undefined)[],
  clusters: readonly Cluster[],
): { readonly clusters: readonly Cluster[]; readonly bySample: readonly (Cluster | undefined)[] } {
  const means = clusters.map(meanOf);
  const settled = clusters.map(({ sums }) => emptyCluster(sums.length));
  const bySample = samples.map((pixels, n): Cluster | undefined => {
    if (!pixels) return undefined;
    const differences = means.map((mean) => mean.reduce((sum, value, i) => sum + Math.abs(value - pixels[i]!), 0));
    const nearest = settled[differences.indexOf(Math.min(...differences))]!;
    addTo(nearest, pixels, n);
    return nearest;
  });
  return { clusters: settled.filter(({ members }) => members.length > 0), bySample };
}

/**
 * Joins pictures that are shown for a moment only with the picture that is most like them: what changes within a picture, such as
 * seconds that are counted down over it, does not matter.
 *
 * @returns By cluster: the one of which it is a part.
 */
function joinPassing(clusters: readonly Cluster[]): ReadonlyMap<Cluster, Cluster> {
  const isPassing = ({ members }: Cluster): boolean => longestRun(members) <= MAX_PASSING_SAMPLES;
  const joined = new Map<Cluster, Cluster>();
  const bases: Cluster[] = [];
  for (const cluster of clusters.toSorted(
    (a, b) => Number(isPassing(a)) - Number(isPassing(b)) || b.members.length - a.members.length,
  )) {
    const mean = meanOf(cluster);
    const [best] = bases
      .map((base) => ({ base, share: changedShare(base, mean) }))
      .toSorted((a, b) => a.share - b.share);
    if (isPassing(cluster) && best && best.share <= MIN_PASSING_SHARE) {
      joinInto(best.base, cluster);
      joined.set(cluster, best.base);
    } else {
      const base = copyCluster(cluster);
      bases.push(base);
      joined.set(cluster, base);
    }
  }
  for (const base of bases) base.members.sort((a, b) => a - b);
  return joined;
}

function copyCluster({ members, sums, squares, least, greatest }: Cluster): Cluster {
  return {
    members: [...members],
    sums: sums.slice(),
    squares: squares.slice(),
    least: least.slice(),
    greatest: greatest.slice(),
  };
}

/** Median distance of two pictures, in deviations of their pixels, below which they are one over which the scene changes. */
const MIN_SEPARATION = 1.75;
/** Levels by which compression changes a pixel. */
const PIXEL_NOISE = 2;

/**
 * Merges pictures that differ by what shines through them: where an icon is translucent its pixels vary over the scene as much as they
 * differ between two scenes.
 *
 * @returns By cluster: the one of which it is a part.
 */
function mergeAlike(clusters: readonly Cluster[]): ReadonlyMap<Cluster, Cluster> {
  const merged = new Map(clusters.map((cluster) => [cluster, copyCluster(cluster)]));
  for (;;) {
    const left = [...new Set(merged.values())];
    const pairs = left.flatMap((one, i) =>
      left.slice(i + 1).map((other) => ({ one, other, distance: separation(one, other) })),
    );
    const [nearest] = pairs.toSorted((a, b) => a.distance - b.distance);
    if (!nearest || nearest.distance >= MIN_SEPARATION) return merged;
    joinInto(nearest.one, nearest.other);
    nearest.one.members.sort((a, b) => a - b);
    for (const [cluster, base] of merged) if (base === nearest.other) merged.set(cluster, nearest.one);
  }
}

/** Median distance of the pixels in which two pictures differ, in deviations; 0 where hardly any differ. */
function separation(one: Cluster, other: Cluster): number {
  const distances: number[] = [];
  for (let i = 0; i < one.sums.length; i += 3) {
    const changes = [i, i + 1, i + 2].map((at) => Math.abs(meanAt(one, at) - meanAt(other, at)));
    const most = Math.max(...changes);
    if (most < MIN_LEVEL_CHANGE) continue;
    const at = i + changes.indexOf(most);
    distances.push(most / (deviationAt(one, at) + deviationAt(other, at) + PIXEL_NOISE));
  }
  return 3 * distances.length < MIN_CHANGED_SHARE * one.sums.length ? 0 : upperMedian(distances)!;
}

function meanAt({ sums, members }: Cluster, at: number): number {
  return sums[at]! / members.length;
}

function deviationAt(cluster: Cluster, at: number): number {
  return Math.sqrt(Math.max(0, cluster.squares[at]! / cluster.members.length - meanAt(cluster, at) ** 2));
}

function meanOf({ sums, members }: Cluster): Uint8Array {
  return Uint8Array.from(sums, (sum) => Math.round(sum / members.length));
}

function joinInto(base: Cluster, { sums, squares, least, greatest, members }: Cluster): void {
  base.members.push(...members);
  for (let i = 0; i < sums.length; i++) {
    base.sums[i]! += sums[i]!;
    base.squares[i]! += squares[i]!;
    base.least[i] = Math.min(base.least[i]!, least[i]!);
    base.greatest[i] = Math.max(base.greatest[i]!, greatest[i]!);
  }
}

function cropArea({ part }: PictureArea): Uint8Array {
  return cropRgb(part, { x: 0, y: 0, width: part.width, height: part.height });
}

/** Share of the pixels in which a picture differs from the mean of a cluster. */
function changedShare({ sums, members }: Cluster, pixels: Uint8Array): number {
  let changed = 0;
  for (let i = 0; i < pixels.length; i += 3) {
    const change = Math.max(
      Math.abs(pixels[i]! - sums[i]! / members.length),
      Math.abs(pixels[i + 1]! - sums[i + 1]! / members.length),
      Math.abs(pixels[i + 2]! - sums[i + 2]! / members.length),
    );
    if (change > MIN_LEVEL_CHANGE) changed++;
  }
  return (3 * changed) / pixels.length;
}

function addTo({ sums, squares, least, greatest, members }: Cluster, pixels: Uint8Array, n: number): void {
  members.push(n);
  for (let i = 0; i < pixels.length; i++) {
    const value = pixels[i]!;
    sums[i]! += value;
    squares[i]! += value * value;
    if (value < least[i]!) least[i] = value;
    if (value > greatest[i]!) greatest[i] = value;
  }
}

/** Whether a pixel stays the same in a cluster, by the range of its values. */
function isLasting({ least, greatest }: Cluster, pixel: number): boolean {
  return [0, 1, 2].every((k) => greatest[3 * pixel + k]! - least[3 * pixel + k]! <= 2 * MIN_LEVEL_CHANGE);
}

function lastingShare(cluster: Cluster): number {
  const count = cluster.sums.length / 3;
  let lasting = 0;
  for (let pixel = 0; pixel < count; pixel++) if (isLasting(cluster, pixel)) lasting++;
  return lasting / count;
}

/** The mean of a cluster as RGBA. */
function meanPicture(cluster: Cluster): Uint8Array {
  const { sums, members } = cluster;
  const count = sums.length / 3;
  const rgba = new Uint8Array(4 * count);
  for (let pixel = 0; pixel < count; pixel++) {
    for (let k = 0; k < 3; k++) rgba[4 * pixel + k] = Math.round(sums[3 * pixel + k]! / members.length);
    rgba[4 * pixel + 3] = isLasting(cluster, pixel) ? 255 : 0;
  }
  return rgba;
}

/** Pixels from the edge in which the border of an icon lies, its contrast in levels, and share of each side that must have it. */
const BORDER_DEPTH = 6;
const MIN_BORDER_CONTRAST = 20;
const MIN_BORDER_SHARE = 0.6;

/** Whether a picture has the border of its icon: scenery at its place, while the HUD is hidden, has none. */
function hasBorder({ sums, members }: Cluster, width: number): boolean {
  const height = sums.length / 3 / width;
  const levelAt = (x: number, y: number): number => sums[3 * (y * width + x) + 1]! / members.length;
  return [
    borderShare(width, (i, depth) => levelAt(i, depth)),
    borderShare(width, (i, depth) => levelAt(i, height - 1 - depth)),
    borderShare(height, (i, depth) => levelAt(depth, i)),
    borderShare(height, (i, depth) => levelAt(width - 1 - depth, i)),
  ].every((one) => one >= MIN_BORDER_SHARE);
}

/** Share of the pixels along a side from which the level changes towards the middle. */
function borderShare(length: number, at: (i: number, depth: number) => number): number {
  const marked = Array.from({ length }, (_, i) => {
    const levels = Array.from({ length: BORDER_DEPTH }, (_unused, depth) => at(i, depth));
    return Math.max(...levels) - Math.min(...levels) >= MIN_BORDER_CONTRAST;
  });
  return marked.filter(Boolean).length / length;
}

function longestRun(members: readonly number[]): number {
  let [longest, run] = [0, 0];
  for (const [i, n] of members.entries()) {
    run = i > 0 && members[i - 1] === n - 1 ? run + 1 : 1;
    longest = Math.max(longest, run);
  }
  return longest;
}

/** Pixels by which frames of one row may differ in place, size and distance. */
const MAX_ROW_DEVIATION = 2.5;
const MIN_CELLS = 3;

function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) <= MAX_ROW_DEVIATION;
}

/** Width of an icon or cell in heights: longer frames are those of bars. */
const MAX_FRAME_ASPECT = 4;

/** Distance of neighbouring icons, in widths. */
const [MIN_ICON_PITCH, MAX_ICON_PITCH] = [1.05, 1.8];

/** Adds frames that are missing in the middle between two of one size: the border of an icon may change with what it shows. */
export function fillGaps(frames: readonly Rect[]): readonly Rect[] {
  const added = frames.flatMap((one) =>
    frames.flatMap((other): Rect[] => {
      const isAlike = isNear(one.y, other.y) && isNear(one.width, other.width) && isNear(one.height, other.height);
      const pitch = (other.x - one.x) / 2;
      if (!isAlike || one.width > MAX_FRAME_ASPECT * one.height) return [];
      if (pitch < MIN_ICON_PITCH * one.width || pitch > MAX_ICON_PITCH * one.width) return [];
      const middle = { ...one, x: Math.round(one.x + pitch) };
      const isTaken = frames.some(
        ({ x, y, width, height }) =>
          x < middle.x + middle.width && middle.x < x + width && y < middle.y + middle.height && middle.y < y + height,
      );
      return isTaken ? [] : [middle];
    }),
  );
  return [...frames, ...added];
}

/** Width of an icon, in heights, that may have a neighbour whose border changes. */
const [MIN_SQUARE_ASPECT, MAX_SQUARE_ASPECT] = [0.8, 1.25];

/**
 * Where a row of icons may go on: the places before its first and behind its last one. The border of an icon may change with what it
 * shows, so that it does not stay.
 *
 * @param row Frames of one size with equal distances.
 */
export function nextIcons(row: readonly Rect[], frame: Size): readonly Rect[] {
  const [first, second] = row;
  const last = row.at(-1);
  if (!first || !second || !last || row.length > MAX_ICONS) return [];
  const aspect = first.width / first.height;
  if (aspect < MIN_SQUARE_ASPECT || aspect > MAX_SQUARE_ASPECT) return [];
  const pitch = (last.x - first.x) / (row.length - 1);
  return [first.x - pitch, last.x + pitch].flatMap((x) =>
    x < 0 || x + first.width > frame.width ? [] : [{ ...first, x: Math.round(x) }],
  );
}

/** Icons in a row that is continued at most. */
const MAX_ICONS = 6;

/** Groups frames of one size in rows with equal distances. */
export function groupFrames(frames: readonly Rect[]): readonly (readonly Rect[])[] {
  const left = new Set(frames.toSorted((a, b) => a.x - b.x));
  const rows: Rect[][] = [];
  for (const first of left) {
    left.delete(first);
    const row = [first];
    for (const next of left) {
      const last = row.at(-1)!;
      const pitch = next.x - last.x;
      const isAlike = isNear(next.y, first.y) && isNear(next.width, first.width) && isNear(next.height, first.height);
      if (!isAlike || pitch > 1.8 * first.width || first.width > MAX_FRAME_ASPECT * first.height) continue;
      if (row.length > 1 && !isNear(pitch, row[1]!.x - row[0]!.x)) continue;
      row.push(next);
      left.delete(next);
    }
    rows.push(row);
  }
  return rows;
}

/** Distance of two colours that count as one. */
const MAX_COLOUR_DISTANCE = 48;
/** Share of the moments in which a row of cells is full up to a cell and empty from there. */
const MIN_ORDERED_SHARE = 0.75;
/** How much less often a row with one more cell may be so. */
const MAX_ORDER_LOSS = 0.05;

/** Cells by which a row may go on to either side: those that are always full or empty may have no outline that stays. */
const MAX_MORE_CELLS = 12;

/** A row of frames, and those that would continue it. */
export interface ExtendedRow {
  /** From left to right. */
  readonly cells: readonly Rect[];
  /** The ones that were seen: the first, and the one after the last. */
  readonly from: number;
  readonly to: number;
}

/** Rows of symbols that are tried as gauges, those with the most first. */
const MAX_SYMBOL_ROWS = 6;

/** Groups symbols without frames in rows that may be gauges of cells. */
export function groupSymbols(symbols: readonly Rect[]): readonly (readonly Rect[])[] {
  return groupFrames(symbols)
    .filter((row) => row.length >= MIN_CELLS)
    .toSorted((a, b) => b.length - a.length)
    .slice(0, MAX_SYMBOL_ROWS);
}

/** Continues a row of cells to both sides, as far as the picture goes. */
export function extendRow(row: readonly Rect[], frame: Size): ExtendedRow {
  const [first, second] = row as [Rect, Rect | undefined];
  if (!second || row.length < MIN_CELLS) return { cells: row, from: 0, to: row.length };
  const pitch = (row.at(-1)!.x - first.x) / (row.length - 1);
  const more = (start: Rect, step: number): Rect[] =>
    Array.from({ length: MAX_MORE_CELLS }, (_, i) => ({ ...start, x: Math.round(start.x + (i + 1) * step) })).filter(
      ({ x, width }) => x >= 0 && x + width <= frame.width,
    );
  const before = more(first, -pitch).toReversed();
  return {
    cells: [...before, ...row, ...more(row.at(-1)!, pitch)],
    from: before.length,
    to: before.length + row.length,
  };
}

/** Least number of moments at which a cell that continues a row is full. */
const MIN_FULL_MOMENTS = 2;

/**
 * Finds out whether a row of frames is a gauge of cells.
 *
 * @param followed By cell of the extended row: its samples, with pictures.
 */
export function findCellRow(
  { cells, from, to }: ExtendedRow,
  followed: readonly (readonly FollowedSample[])[],
): CellRow | undefined {
  if (to - from < MIN_CELLS) return undefined;
  const moments = followed[0]!.flatMap(({ recording, t }, n): CellMoment[] => {
    const areas = followed.flatMap((samples) => samples[n]?.area ?? []);
    if (areas.length < followed.length) return [];
    return [{ recording, t, colours: areas.map((area) => innerColour(area)), areas }];
  });
  if (moments.length === 0) return undefined;
  const found = usualColours(moments.flatMap(({ colours }) => colours.slice(from, to))).flatMap(
    (fill) => readCells({ cells, from, to }, moments, fill, followed[0]!.length) ?? [],
  );
  // Scenery shows through empty cells, and rows fill from the left; else full cells are the most colourful ones.
  return found.find(({ isConstant }) => isConstant) ?? found.find(({ direction }) => direction === 'right') ?? found[0];
}

/** What a row of cells showed at a time: by cell, the colour of its middle and its picture. */
interface CellMoment {
  readonly recording: number;
  readonly t: number;
  readonly colours: readonly Colour[];
  readonly areas: readonly PictureArea[];
}

/** Reads a row of cells of which those of one colour are full; undefined where these are not in order. */
function readCells(
  { cells, from, to }: ExtendedRow,
  moments: readonly CellMoment[],
  fill: Colour,
  sampleCount: number,
): CellRow | undefined {
  const full = moments.map(({ colours }) => colours.map((colour) => distance(colour, fill) <= MAX_COLOUR_DISTANCE));
  const readOne = (n: number, first: number, end: number, isForward: boolean): number | undefined => {
    const own = isForward ? full[n]!.slice(first, end) : full[n]!.slice(first, end).toReversed();
    const count = own.filter(Boolean).length;
    return own.every((one, i) => one === i < count) ? count / own.length : undefined;
  };
  const orderOf = (first: number, end: number, isForward: boolean): number =>
    moments.filter((_, n) => readOne(n, first, end, isForward) !== undefined).length / moments.length;
  const isForward = orderOf(from, to, true) >= orderOf(from, to, false);
  const order = orderOf(from, to, isForward);
  if (order < MIN_ORDERED_SHARE) return undefined;
  let [first, end] = [from, to];
  const continues = (cell: number, a: number, b: number): boolean =>
    full.filter((own) => own[cell]).length >= MIN_FULL_MOMENTS &&
    orderOf(a, b, isForward) >= Math.max(MIN_ORDERED_SHARE, order - MAX_ORDER_LOSS);
  while (first > 0 && continues(first - 1, first - 1, end)) first--;
  while (end < cells.length && continues(end, first, end + 1)) end++;
  const levels = moments.flatMap(({ recording, t }, n) => {
    const level = readOne(n, first, end, isForward);
    return level === undefined ? [] : [{ recording, t, level }];
  });
  // A row that is only ever full or empty at once is scenery that shows through it.
  if (new Set(levels.map(({ level }) => level)).size < 2 || levels.every(({ level }) => level === 0 || level === 1))
    return undefined;
  const all = moments.flatMap(({ colours }, n) =>
    colours.slice(first, end).map((colour, i) => ({ colour, isFull: full[n]![first + i]! })),
  );
  const [fullColours, emptyColours] = [true, false].map((isFull) =>
    all.filter((one) => one.isFull === isFull).map(({ colour }) => colour),
  ) as [Colour[], Colour[]];
  // Full cells are drawn, empty ones are dark or show what is behind them.
  if (colourfulness(fill) < colourfulness(medianColour(emptyColours))) return undefined;
  const own = cells.slice(first, end);
  const halves = readHalves(moments, fill, { first, end, isForward });
  const [x, y] = [Math.min(...own.map((one) => one.x)), Math.min(...own.map((one) => one.y))];
  const [right, bottom] = [
    Math.max(...own.map((one) => one.x + one.width)),
    Math.max(...own.map((one) => one.y + one.height)),
  ];
  return {
    rect: { x, y, width: right - x, height: bottom - y },
    cells: halves ? 2 * own.length : own.length,
    direction: isForward ? 'right' : 'left',
    fill: `#${fill.map((one) => Math.round(one).toString(16).padStart(2, '0')).join('')}`,
    levels: halves ?? levels,
    presence: (halves ?? levels).length / Math.max(1, sampleCount),
    isConstant: spreadOf(fullColours) <= MAX_CONSTANT_SPREAD * spreadOf(emptyColours),
  };
}

/** Moments with a cell that is half full, and their share, from which cells have halves. */
const MIN_HALF_MOMENTS = 3;
const MIN_HALF_SHARE = 0.05;

/**
 * Reads a row of cells in halves, as of hearts.
 *
 * @returns Undefined where cells are full or empty only, or the two sides of full ones differ.
 */
function readHalves(
  moments: readonly CellMoment[],
  fill: Colour,
  { first, end, isForward }: { readonly first: number; readonly end: number; readonly isForward: boolean },
): CellRow['levels'] | undefined {
  const isFull = (colour: Colour): boolean => distance(colour, fill) <= MAX_COLOUR_DISTANCE;
  let half = 0;
  const levels = moments.flatMap(({ recording, t, areas }) => {
    const cells = areas.slice(first, end).map((area) => SIDES.map((side) => isFull(innerColour(area, side))));
    const sides = isForward ? cells.flat() : cells.flat().toReversed();
    const count = sides.filter(Boolean).length;
    if (!sides.every((one, i) => one === i < count)) return [];
    if (count % 2 === 1) half++;
    return [{ recording, t, level: count / sides.length }];
  });
  const isHalved = half >= Math.max(MIN_HALF_MOMENTS, MIN_HALF_SHARE * moments.length);
  return isHalved && levels.length >= MIN_ORDERED_SHARE * moments.length ? levels : undefined;
}

/** Deviation of the colours of full cells, compared with that of empty ones, where only full ones keep their colour. */
const MAX_CONSTANT_SPREAD = 0.6;

function medianColour(colours: readonly Colour[]): Colour {
  return [0, 1, 2].map((k) => upperMedian(colours.map((one) => one[k]!)) ?? 0) as unknown as Colour;
}

/** Median distance of colours from their median. */
function spreadOf(colours: readonly Colour[]): number {
  const middle = medianColour(colours);
  return upperMedian(colours.map((colour) => distance(colour, middle))) ?? 0;
}

type Colour = readonly [number, number, number];

function distance(a: Colour, b: Colour): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/** Shares of the width from where to where the middle of a cell reaches, and each side of it. */
const MIDDLE = [0.3, 0.7] as const;
const SIDES = [
  [0.2, 0.4],
  [0.6, 0.8],
] as const;

/** The median colour of the middle of a picture, or of a side of it. */
function innerColour({ part }: PictureArea, [from, to]: readonly [number, number] = MIDDLE): Colour {
  const { width, height } = part;
  const [x, y] = [Math.floor(width * from), Math.floor(height * 0.3)];
  const data = cropRgb(part, {
    x,
    y,
    width: Math.max(1, Math.ceil(width * to) - x),
    height: Math.max(1, height - 2 * y),
  });
  return [0, 1, 2].map(
    (k) => upperMedian(Array.from({ length: data.length / 3 }, (_, i) => data[3 * i + k]!))!,
  ) as unknown as Colour;
}

/** Share of the cells that must have a colour. */
const MIN_COLOUR_SHARE = 0.03;

/** The colours that cells often have, the most colourful first. */
function usualColours(colours: readonly Colour[]): readonly Colour[] {
  const step = Math.max(1, Math.floor(colours.length / 300));
  const tried = colours.filter((_, i) => i % step === 0);
  const counted = tried
    .map((colour) => ({
      colour,
      near: tried.filter((other) => distance(other, colour) <= MAX_COLOUR_DISTANCE / 2).length,
    }))
    .toSorted((a, b) => b.near - a.near);
  const usual: Colour[] = [];
  for (const { colour, near } of counted)
    if (
      near >= MIN_COLOUR_SHARE * tried.length &&
      usual.every((other) => distance(colour, other) > MAX_COLOUR_DISTANCE)
    )
      usual.push(colour);
  return usual.toSorted((a, b) => colourfulness(b) - colourfulness(a));
}

function colourfulness(colour: Colour): number {
  return Math.max(...colour) - Math.min(...colour) + 0.3 * Math.max(...colour);
}
