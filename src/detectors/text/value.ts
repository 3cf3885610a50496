import { parseDuration, parseNumber } from '../../language/numbers.ts';
import type { Observation } from '../kind.ts';
import type { ValueKind } from './options.ts';

/** An observation as the value kind wants it; `marked`: its font has a colon, which a clock's times are written with. */
export function valueOf(
  text: string,
  confidence: number,
  value: ValueKind,
  languages: readonly string[] = [],
  marked = false,
): Observation {
  if (value === 'text') return { state: 'seen', value: text, confidence };
  const number = value === 'time' ? parseDuration(text) : parseNumber(text, languages);
  // Three figures without a mark, of a clock that has one: 2:06 is not 206 seconds.
  if (number === undefined || (marked && value === 'time' && /^\d{3,}$/.test(text)))
    return { state: 'unreadable', confidence, detail: text };
  return { state: 'seen', value: number, confidence };
}
