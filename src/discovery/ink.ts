import type { Channel, LineImage } from '../detectors/text/line-image.ts';
import { roundTo } from '../statistics.ts';

/** The same part of the screen at one time, as luma and colour differences. */
export type ColorPlanes = readonly [y: LineImage, cb: LineImage, cr: LineImage];

type Vector = readonly [number, number, number];

/** Levels of luma and of colour differences that count as one colour. */
const COLOUR_STEPS: Vector = [24, 16, 16];
/** Share of the pictures that may lack a colour that always is there. */
const MAX_LACKING = 0.2;
/** Share of the pixels that a colour needs. */
const MIN_SHARE = 0.02;
const MAX_COLOURS = 3;
/** Levels of ground and ink in a made channel. */
const [GROUND_LEVEL, INK_LEVEL] = [70, 200];
/** Variance that every level has anyhow, by compression. */
const NOISE_VARIANCE = 36;

/**
 * Finds channels in which the ink of a text stands out: scenery changes from picture to picture, ink (and what is always behind it)
 * keeps its colour. For each such colour the channel is the linear combination of luma and colour differences that separates it best
 * from all other pixels (Fisher's linear discriminant).
 *
 * @returns The channels, that of the most frequent colour first.
 */
export function findInkChannels(pictures: readonly ColorPlanes[]): readonly Channel[] {
  if (pictures.length === 0) return [];
  const shares = pictures.map(colourShares);
  const colours = new Set(shares.flatMap((share) => [...share.keys()]));
  const lasting = [...colours].flatMap((colour) => {
    const sorted = shares.map((share) => share.get(colour) ?? 0).toSorted((a, b) => a - b);
    const share = sorted[Math.floor(MAX_LACKING * sorted.length)]!;
    return share >= MIN_SHARE ? [{ colour, share }] : [];
  });
  lasting.sort((a, b) => b.share - a.share);
  return lasting.slice(0, MAX_COLOURS).flatMap(({ colour }) => discriminant(pictures, colour) ?? []);
}

function colourOf([y, cb, cr]: ColorPlanes, i: number): string {
  return `${Math.round(y.data[i]! / COLOUR_STEPS[0])} ${Math.round(cb.data[i]! / COLOUR_STEPS[1])} ${Math.round(cr.data[i]! / COLOUR_STEPS[2])}`;
}

function colourShares(picture: ColorPlanes): ReadonlyMap<string, number> {
  const shares = new Map<string, number>();
  const count = picture[0].data.length;
  for (let i = 0; i < count; i++) {
    const colour = colourOf(picture, i);
    shares.set(colour, (shares.get(colour) ?? 0) + 1 / count);
  }
  return shares;
}

/** Fisher's discriminant of the pixels of one colour and all others. */
function discriminant(pictures: readonly ColorPlanes[], colour: string): Channel | undefined {
  const [ink, ground] = [new Moments(), new Moments()];
  for (const picture of pictures) {
    const count = picture[0].data.length;
    for (let i = 0; i < count; i++)
      (colourOf(picture, i) === colour ? ink : ground).add([
        picture[0].data[i]!,
        picture[1].data[i]!,
        picture[2].data[i]!,
      ]);
  }
  const [inkMean, groundMean] = [ink.mean, ground.mean];
  const apart = inkMean.map((one, k) => one - groundMean[k]!) as unknown as Vector;
  const covariance = ground.covariance.map((row, j) => row.map((value, k) => value + (j === k ? NOISE_VARIANCE : 0)));
  const direction = solve(covariance, apart);
  if (!direction) return undefined;
  const length = direction.reduce((sum, one, k) => sum + one * apart[k]!, 0);
  if (!(length > 0)) return undefined;
  const [y, cb, cr] = direction.map((one) => (one * (INK_LEVEL - GROUND_LEVEL)) / length) as unknown as Vector;
  const offset = GROUND_LEVEL - (y * groundMean[0] + cb * groundMean[1] + cr * groundMean[2]);
  return { y: roundTo(y, 3), cb: roundTo(cb, 3), cr: roundTo(cr, 3), offset: roundTo(offset, 3) };
}

/** Mean and covariance of three values. */
class Moments {
  #count = 0;
  readonly #sums = new Float64Array(3);
  readonly #products = new Float64Array(9);

  add(values: Vector): void {
    this.#count++;
    for (let j = 0; j < 3; j++) {
      this.#sums[j]! += values[j]!;
      for (let k = 0; k < 3; k++) this.#products[3 * j + k]! += values[j]! * values[k]!;
    }
  }

  get mean(): Vector {
    return Array.from(this.#sums, (sum) => sum / Math.max(1, this.#count)) as unknown as Vector;
  }

  get covariance(): readonly (readonly number[])[] {
    const { mean } = this;
    return [0, 1, 2].map((j) =>
      [0, 1, 2].map((k) => this.#products[3 * j + k]! / Math.max(1, this.#count) - mean[j]! * mean[k]!),
    );
  }
}

/** Solves a 3 × 3 system by Cramer's rule; undefined where it is singular. */
function solve(matrix: readonly (readonly number[])[], right: Vector): Vector | undefined {
  const whole = determinant(matrix);
  if (Math.abs(whole) < 1e-9) return undefined;
  return [0, 1, 2].map(
    (column) => determinant(matrix.map((row, j) => row.map((one, k) => (k === column ? right[j]! : one)))) / whole,
  ) as unknown as Vector;
}

function determinant(m: readonly (readonly number[])[]): number {
  return (
    m[0]![0]! * (m[1]![1]! * m[2]![2]! - m[1]![2]! * m[2]![1]!) -
    m[0]![1]! * (m[1]![0]! * m[2]![2]! - m[1]![2]! * m[2]![0]!) +
    m[0]![2]! * (m[1]![0]! * m[2]![1]! - m[1]![1]! * m[2]![0]!)
  );
}
