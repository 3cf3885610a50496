import { parseDuration, parseNumber } from '../../language/numbers.ts';
import type { Observation } from '../kind.ts';

/** What a text detector's value is: the text itself, the number that it is, or the seconds of a clock. */
export type ValueKind = 'text' | 'number' | 'time';

/** An observation as the value kind wants it. */
export function valueOf(
  text: string,
  confidence: number,
  value: ValueKind,
  languages: readonly string[] = [],
): Observation {
  if (value === 'text') return { state: 'seen', value: text, confidence };
  const number = value === 'time' ? parseDuration(text) : parseNumber(text, languages);
  if (number === undefined) return { state: 'unreadable', confidence, detail: text };
  return { state: 'seen', value: number, confidence };
}
