import { refuseModel, type Values } from '../../compute/inference.ts';
import type { Observation } from '../kind.ts';
import { type Classes, clamp, probabilities } from './scores.ts';
import type { ClassifyOptions } from './options.ts';

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
