import sharp from 'sharp';
import { describeIconShape, type IconShape, correlateShapes } from '../recognition/row-icon.ts';
import type { Crop } from '../regions/crop.ts';
import type { FollowedSample } from './follow.ts';
import type { IconPicture } from './icons.ts';

/** Likeness from which two pictures are of one icon. */
const MIN_ALIKE = 0.72;
/** Samples that show an icon, and icons of a feed that are kept: those that are shown most. */
const MIN_SAMPLES = 3;
const MAX_ICONS = 12;

interface Seen {
  readonly recording: number;
  readonly t: number;
  readonly gap: Crop;
  readonly shape: IconShape;
  readonly between: readonly [string, string];
}

/** Finds the icons between the two texts of a feed's rows: pictures that are alike show one. */
export async function findFeedIcons(samples: readonly FollowedSample[]): Promise<readonly IconPicture[]> {
  const seen = samples.flatMap(({ recording, t, rows = [] }) =>
    rows.flatMap(({ gap, parts }): Seen[] => {
      const shape = gap && describeIconShape(gap);
      return shape ? [{ recording, t, gap, shape, between: [parts[0]!.text, parts.at(-1)!.text] }] : [];
    }),
  );
  const kinds = mergeAlike(groupAlike(seen))
    .filter(({ length }) => length >= MIN_SAMPLES)
    .toSorted((a, b) => b.length - a.length)
    .slice(0, MAX_ICONS);
  return await Promise.all(
    kinds.map(async (own): Promise<IconPicture> => {
      const { gap, recording, t, between } = mostUsual(own);
      const { data, width, height, channels } = gap;
      const png = await sharp(data, { raw: { width, height, channels } }).png().toBuffer();
      return { png: png.toString('base64'), recording, t, count: own.length, between };
    }),
  );
}

/** Groups pictures with the most alike group before them. */
function groupAlike(seen: readonly Seen[]): Seen[][] {
  const groups: Seen[][] = [];
  for (const one of seen) {
    const [best] = groups
      .map((group) => ({ group, likeness: correlateShapes(one.shape, meanShape(group)) }))
      .toSorted((a, b) => b.likeness - a.likeness);
    if (best && best.likeness >= MIN_ALIKE) best.group.push(one);
    else groups.push([one]);
  }
  return groups;
}

/** Merges groups whose means are alike: the first pictures of a group may be unusual ones. */
function mergeAlike(groups: readonly Seen[][]): readonly (readonly Seen[])[] {
  const merged: Seen[][] = [];
  for (const group of groups.toSorted((a, b) => b.length - a.length)) {
    const base = merged.find((other) => correlateShapes(meanShape(group), meanShape(other)) >= MIN_ALIKE);
    if (base) base.push(...group);
    else merged.push([...group]);
  }
  return merged;
}

function meanShape(group: readonly Seen[]): IconShape {
  const sums = group[0]!.shape.levels.map((_, i) => group.reduce((sum, { shape }) => sum + shape.levels[i]!, 0));
  const norm = Math.hypot(...sums);
  const aspect = group.reduce((sum, { shape }) => sum + shape.aspect, 0) / group.length;
  return { aspect, levels: sums.map((sum) => (norm === 0 ? 0 : sum / norm)) };
}

/** The picture that is most like all of its group. */
function mostUsual(group: readonly Seen[]): Seen {
  const mean = meanShape(group);
  return group.reduce((best, one) =>
    correlateShapes(one.shape, mean) > correlateShapes(best.shape, mean) ? one : best,
  );
}
