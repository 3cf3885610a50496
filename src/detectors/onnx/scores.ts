import { refuseModel } from '../../compute/inference.ts';
import type { ClassOptions } from './options.ts';

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
    for (let i = 0; i < count; i++) out[i] = sigmoid(data[from + i]! / temperature);
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

/** The logistic function. */
export function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
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
