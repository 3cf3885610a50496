import sharp from 'sharp';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import { refuseModel, type Values } from '../../compute/inference.ts';
import type { Assets, Observation, PreparedCrop } from '../kind.ts';
import { clamp, sigmoid } from './scores.ts';
import type { EmbedOptions } from './options.ts';

/** A label and its unit vector. */
export interface Prototype {
  readonly name: string;
  readonly vector: Float64Array;
}

/** Largest prototype image: prototypes are icons, not photographs. */
const MAX_PROTOTYPE_PIXELS = 1 << 20;

/** Reads the images of prototypes; transparent parts become gray. @throws PlaybyplayError `invalid-icon`. */
export async function readPrototypes(
  given: NonNullable<EmbedOptions['prototypes']>,
  assets: Assets,
): Promise<readonly { readonly name: string; readonly crop: PreparedCrop }[]> {
  const files = Object.entries(given).flatMap(([name, paths]) =>
    (typeof paths === 'string' ? [paths] : paths).map((path) => ({ name, path })),
  );
  return await Promise.all(
    files.map(async ({ name, path }) => {
      const bytes = await assets.read(path);
      try {
        const { data, info } = await sharp(bytes, { limitInputPixels: MAX_PROTOTYPE_PIXELS })
          .flatten({ background: '#808080' })
          .toColourspace('srgb')
          .removeAlpha()
          .raw()
          .toBuffer({ resolveWithObject: true });
        return { name, crop: { data, width: info.width, height: info.height, channels: info.channels === 1 ? 1 : 3 } };
      } catch (error) {
        throw new PlaybyplayError('invalid-icon', `the picture ${path} cannot be used: ${messageOf(error)}`, {
          cause: error,
        });
      }
    }),
  );
}

/** Returns batch item `n` as a unit vector. */
export function unitVector({ dims, data }: Values, n: number, file: string): Float64Array {
  const length = data.length / Math.max(1, dims[0] ?? 1);
  const vector = Float64Array.from({ length }, (_, i) => data[n * length + i]!);
  const norm = Math.hypot(...vector);
  if (!(norm > 0)) throw refuseModel(file, 'its output is a vector of nothing but zeros');
  return vector.map((each) => each / norm);
}

/** Finds the prototype with the largest cosine similarity. */
export function nearestPrototype(
  vector: Float64Array,
  prototypes: readonly Prototype[],
  { threshold = 0.7, margin = 0.02, temperature = 0.05, background = [] }: EmbedOptions,
): Observation {
  const best = new Map<string, number>();
  for (const { name, vector: other } of prototypes) {
    const likeness = vector.reduce((sum, each, i) => sum + each * other[i]!, 0);
    best.set(name, Math.max(best.get(name) ?? -1, likeness));
  }
  const [first, second] = [...best].toSorted((a, b) => b[1] - a[1]);
  const [name, likeness] = first!;
  if (likeness < threshold)
    return { state: 'absent', confidence: clamp(sigmoid((threshold - likeness) / temperature)) };
  const ahead = second ? likeness - second[1] : 2;
  const sum = [...best.values()].reduce((total, each) => total + Math.exp((each - likeness) / temperature), 0);
  const detail = {
    likeness: Math.round(1000 * likeness) / 1000,
    ...(second ? { other: second[0], margin: Math.round(1000 * ahead) / 1000 } : {}),
  };
  if (ahead < margin) return { state: 'unreadable', confidence: clamp(1 / sum), detail };
  if ((typeof background === 'string' ? [background] : background).includes(name))
    return { state: 'absent', confidence: clamp(1 / sum) };
  return { state: 'seen', value: name, confidence: clamp(1 / sum), detail };
}
