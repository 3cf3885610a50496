import sharp from 'sharp';
import type { Rect } from '../geometry.ts';
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
}

/** Change of a channel, in levels, that is one, and share of an icon's pixels with one in another picture. */
const MIN_LEVEL_CHANGE = 44;
const MIN_CHANGED_SHARE = 0.3;
/** Samples that show a picture of an icon, one after the other at least once. */
const MIN_SAMPLES = 3;
/** Share of the samples that show one of the pictures. */
const MIN_PRESENCE = 0.5;
const MAX_PICTURES = 12;
/** Share of the samples at which the picture changes at most. */
const MAX_SWITCH_SHARE = 0.35;
/** Share of a picture's pixels that stay the same while it is shown. */
const MIN_LASTING_SHARE = 0.4;

interface Cluster {
  readonly sums: Float64Array;
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
 * @returns Undefined where the place shows a single picture, or scenery.
 */
export async function findIcon(samples: readonly FollowedSample[]): Promise<Icon | undefined> {
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
  const own = seen.map(({ area }, n): Cluster | undefined => {
    const pixels = pixelsOf(area);
    if (pixels.length !== 3 * width * height) return undefined;
    const ranked = clusters
      .map((cluster) => ({ cluster, share: changedShare(cluster, pixels) }))
      .toSorted((a, b) => a.share - b.share);
    let [best] = ranked;
    if (!best || best.share > MIN_CHANGED_SHARE) {
      const cluster = {
        sums: new Float64Array(pixels.length),
        least: Uint8Array.from(pixels),
        greatest: Uint8Array.from(pixels),
        members: [],
      };
      clusters.push(cluster);
      best = { cluster, share: 0 };
    }
    addTo(best.cluster, pixels, n);
    return best.cluster;
  });
  const lasting = clusters.filter((cluster) => {
    const runs = longestRun(cluster.members);
    return cluster.members.length >= MIN_SAMPLES && runs >= 2 && lastingShare(cluster) >= MIN_LASTING_SHARE;
  });
  if (lasting.length < 2 || lasting.length > MAX_PICTURES) return undefined;
  const shown = own.flatMap((cluster, n) => {
    const picture = cluster ? lasting.indexOf(cluster) : -1;
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

function addTo({ sums, least, greatest, members }: Cluster, pixels: Uint8Array, n: number): void {
  members.push(n);
  for (let i = 0; i < pixels.length; i++) {
    const value = pixels[i]!;
    sums[i]! += value;
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
      if (!isAlike || pitch > 1.8 * first.width) continue;
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

/**
 * Finds out whether a row of frames is a gauge of cells.
 *
 * @param followed By frame: its samples, with pictures.
 */
export function findCellRow(
  row: readonly Rect[],
  followed: readonly (readonly FollowedSample[])[],
): CellRow | undefined {
  if (row.length < MIN_CELLS) return undefined;
  const moments = followed[0]!.flatMap(({ recording, t }, n) => {
    const colours = followed.map((samples) => samples[n]?.area && innerColour(samples[n].area));
    return colours.every((colour) => colour !== undefined) ? [{ recording, t, colours }] : [];
  });
  const all = moments.flatMap(({ colours }) => colours);
  const fill = mostFrequent(all);
  if (fill === undefined) return undefined;
  const read = (isForward: boolean): CellRow['levels'] =>
    moments.flatMap(({ recording, t, colours }) => {
      const full = (isForward ? colours : colours.toReversed()).map(
        (colour) => distance(colour, fill) <= MAX_COLOUR_DISTANCE,
      );
      const count = full.filter(Boolean).length;
      return full.every((one, i) => one === i < count) ? [{ recording, t, level: count / row.length }] : [];
    });
  const [forward, backward] = [read(true), read(false)];
  const levels = forward.length >= backward.length ? forward : backward;
  if (moments.length === 0 || levels.length < MIN_ORDERED_SHARE * moments.length) return undefined;
  if (new Set(levels.map(({ level }) => level)).size < 2) return undefined;
  const [x, y] = [Math.min(...row.map((one) => one.x)), Math.min(...row.map((one) => one.y))];
  const [right, bottom] = [
    Math.max(...row.map((one) => one.x + one.width)),
    Math.max(...row.map((one) => one.y + one.height)),
  ];
  return {
    rect: { x, y, width: right - x, height: bottom - y },
    cells: row.length,
    direction: levels === forward ? 'right' : 'left',
    fill: `#${fill.map((one) => Math.round(one).toString(16).padStart(2, '0')).join('')}`,
    levels,
    presence: levels.length / Math.max(1, followed[0]!.length),
  };
}

type Colour = readonly [number, number, number];

function distance(a: Colour, b: Colour): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/** The median colour of the middle of a picture, if that is of one colour. */
function innerColour({ part }: PictureArea): Colour {
  const { width, height } = part;
  const [x, y] = [Math.floor(width * 0.3), Math.floor(height * 0.3)];
  const data = cropRgb(part, { x, y, width: Math.max(1, width - 2 * x), height: Math.max(1, height - 2 * y) });
  return [0, 1, 2].map(
    (k) => upperMedian(Array.from({ length: data.length / 3 }, (_, i) => data[3 * i + k]!))!,
  ) as unknown as Colour;
}

/** The colour with the most others near it. */
function mostFrequent(colours: readonly Colour[]): Colour | undefined {
  const step = Math.max(1, Math.floor(colours.length / 200));
  const tried = colours.filter((_, i) => i % step === 0);
  const counted = tried.map((colour) => ({
    colour,
    near: tried.filter((other) => distance(other, colour) <= MAX_COLOUR_DISTANCE / 2).length,
  }));
  // An empty cell shows dark scenery: of colours that are about as frequent, the more colourful one is full.
  const [best] = counted.toSorted((a, b) => b.near - a.near);
  const likely = counted.filter(({ near }) => near >= 0.3 * best!.near);
  return likely.toSorted((a, b) => colourfulness(b.colour) - colourfulness(a.colour))[0]?.colour;
}

function colourfulness(colour: Colour): number {
  return Math.max(...colour) - Math.min(...colour) + 0.3 * Math.max(...colour);
}
