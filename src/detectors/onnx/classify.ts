import { refuseModel, type Values } from '../../compute/inference.ts';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import { openRasterImage } from '../../media/raster-image.ts';
import { logistic } from '../../statistics.ts';
import type { Assets, Observation, PreparedCrop } from '../kind.ts';
import type { ClassifyOptions, ClassOptions, EmbedOptions } from './options.ts';

/** How a network's outputs become probabilities: `log`: they are logarithms of them, `none`: they are them already. */
export type Activation = 'softmax' | 'sigmoid' | 'log' | 'none';

/** Probabilities of `count` classes from the numbers at `from` on, made flatter (over 1) or sharper by `temperature`. */
export function probabilities(
  data: ArrayLike<number>,
  from: number,
  count: number,
  activation: Activation,
  temperature = 1,
): Float64Array {
  const out = new Float64Array(count);
  if (activation === 'sigmoid') {
    for (let i = 0; i < count; i++) out[i] = logistic(data[from + i]! / temperature);
    return out;
  }
  if (activation === 'none' && temperature === 1) {
    for (let i = 0; i < count; i++) out[i] = Math.min(1, Math.max(0, data[from + i]!));
    return out;
  }
  const logit = (value: number): number =>
    (activation === 'none' ? Math.log(Math.max(1e-30, value)) : value) / temperature;
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < count; i++) most = Math.max(most, (out[i] = logit(data[from + i]!)));
  let sum = 0;
  for (let i = 0; i < count; i++) sum += out[i] = Math.exp(out[i]! - most);
  for (let i = 0; i < count; i++) out[i]! /= sum;
  return out;
}

/** The classes of a network: what each is called in the profile's words, and which mean that nothing is there. */
export interface Classes {
  /** By class; null: nothing is there. */
  readonly words: readonly (string | null)[];
}

/** Throws `model-refused` for names among `words` and `background` that no label has. */
export function toClasses(
  labels: readonly string[],
  { words = {}, background = [] }: ClassOptions,
  file: string,
): Classes {
  const none = new Set(typeof background === 'string' ? [background] : background);
  for (const name of [...Object.keys(words), ...none]) {
    if (!labels.includes(name))
      throw refuseModel(file, `“${name}” is none of its labels (${labels.slice(0, 12).join(', ')}…)`);
  }
  return {
    words: labels.map((label) => (none.has(label) ? null : Object.hasOwn(words, label) ? words[label]! : label)),
  };
}

/** Confidence as it stands in readings: what rounding made of it must not decide anything. */
export function clamp(confidence: number): number {
  return Math.min(1, Math.max(0, confidence));
}

/** Which class item `n` of a batch is: scores are `batch × classes`, trailing dimensions of 1 left out. */
export function classify(
  { dims, data }: Values,
  n: number,
  classes: Classes,
  { activation = 'softmax', temperature = 1, threshold = 0.5 }: ClassifyOptions,
  file: string,
): Observation {
  const { words } = classes;
  const batch = dims[0] ?? 1;
  const count = data.length / Math.max(1, batch);
  if (count !== words.length)
    throw refuseModel(file, `it has ${count} classes, and the profile has ${words.length} labels for them`);
  const p = probabilities(data, n * count, count, activation, temperature);
  const byWord = new Map<string | null, number>();
  for (const [i, word] of words.entries()) {
    const before = byWord.get(word) ?? 0;
    // Probabilities of exclusive classes add up; of independent ones, the highest counts.
    byWord.set(word, activation === 'sigmoid' ? Math.max(before, p[i]!) : before + p[i]!);
  }
  const sortByScore = [...byWord].toSorted((a, b) => b[1] - a[1]);
  const [best, second] = sortByScore;
  const [word, confidence] = best!;
  if (activation === 'sigmoid' && confidence < threshold) return { state: 'absent', confidence: clamp(1 - confidence) };
  const detail = second?.[0] == null ? undefined : { other: second[0], otherwise: Math.round(1000 * second[1]) / 1000 };
  if (word === null) return { state: 'absent', confidence: clamp(confidence) };
  if (confidence < threshold)
    return { state: 'unreadable', confidence: clamp(confidence), detail: { best: word, ...detail } };
  return { state: 'seen', value: word, confidence: clamp(confidence), ...(detail ? { detail } : {}) };
}

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
        const image = await openRasterImage(bytes, MAX_PROTOTYPE_PIXELS);
        const { data, info } = await image
          .flatten({ background: '#808080' })
          .toColourspace('srgb')
          .removeAlpha()
          .raw()
          .toBuffer({ resolveWithObject: true });
        return { name, crop: { data, width: info.width, height: info.height, channels: info.channels === 1 ? 1 : 3 } };
      } catch (error) {
        throw new PlaybyplayError('invalid-icon', `the picture ${path} cannot be used: ${messageOf(error)}`, {
          hint: 'Prototypes are PNG files; JPEG, WebP and GIF are read, too.',
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
    return { state: 'absent', confidence: clamp(logistic((threshold - likeness) / temperature)) };
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
