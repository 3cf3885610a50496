import type { Template } from './template.ts';

/** What pixels that are alike under every name still count, relative to those that differ most. */
const FLOOR = 0.2;

/** Mean opacity from which on a name counts at a pixel. */
const OPAQUE = 0.5;

/** A template with the name of its icon. */
export interface NamedTemplate {
  readonly name: string;
  readonly template: Template;
}

/**
 * Templates whose masks weigh pixels by how much the names differ there: icons of one family share frame and ground, which would drown
 * the small mark that tells them apart. On the footage's ammunition icons this takes 16 wrong readings of 373 to none (bench/detectors/icons.ts).
 * The spread between the names' mean colours, up to its 95th percentile, becomes a factor from `FLOOR` to 1. Templates of different
 * sizes cannot be compared pixel by pixel and stay as they are.
 */
export function focused(icons: readonly NamedTemplate[]): readonly NamedTemplate[] {
  const names = [...new Set(icons.map(({ name }) => name))];
  const { width, height } = icons[0]?.template ?? { width: 0, height: 0 };
  if (names.length < 2 || icons.some(({ template }) => template.width !== width || template.height !== height))
    return icons;
  const means = names.map((name) => meanOf(icons.filter((icon) => icon.name === name)));
  const spread = Float64Array.from({ length: width * height }, (_, i) => spreadAt(means, i));
  const most = spread.toSorted()[Math.floor(0.95 * (spread.length - 1))]!;
  if (most === 0) return icons;
  return icons.map(({ name, template }) => {
    const mask = template.mask.map((weight, i) =>
      Math.round(weight * (FLOOR + (1 - FLOOR) * Math.min(1, spread[i]! / most))),
    );
    return { name, template: { ...template, mask } };
  });
}

/** Mean colour of a name's variants where they are not transparent, and how opaque they are (0…1, mean); pixel by pixel. */
interface Mean {
  readonly rgb: Float64Array;
  readonly alpha: Float64Array;
}

function meanOf(icons: readonly NamedTemplate[]): Mean {
  const { width, height } = icons[0]!.template;
  const rgb = new Float64Array(3 * width * height);
  const alpha = new Float64Array(width * height);
  // Plain loops: this is done for thousands of pixels at every start.
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

/** Standard deviation over the names that are not transparent there, channels added in squares. */
function spreadAt(means: readonly Mean[], pixel: number): number {
  let count = 0;
  for (let m = 0; m < means.length; m++) if (means[m]!.alpha[pixel]! >= OPAQUE) count++;
  if (count < 2) return 0;
  let squares = 0;
  for (let k = 3 * pixel; k < 3 * pixel + 3; k++) {
    let sum = 0;
    for (let m = 0; m < means.length; m++) if (means[m]!.alpha[pixel]! >= OPAQUE) sum += means[m]!.rgb[k]!;
    const mean = sum / count;
    let own = 0;
    for (let m = 0; m < means.length; m++)
      if (means[m]!.alpha[pixel]! >= OPAQUE) own += (means[m]!.rgb[k]! - mean) ** 2;
    squares += own / count;
  }
  return Math.sqrt(squares);
}
