import { parseDuration, parseNumber } from '../../language/numbers.ts';
import type { Observation } from '../kind.ts';
import type { ValueKind } from './options.ts';

/**
 * Parses a text as the detector's kind of value.
 *
 * @param hasColon Whether the font has a colon: three digits without one are then no time.
 * @returns Unreadable where the text is no such value.
 */
export function parseValue(
  text: string,
  confidence: number,
  value: ValueKind,
  languages: readonly string[] = [],
  hasColon = false,
): Observation {
  if (value === 'text') return { state: 'seen', value: text, confidence };
  const number = value === 'time' ? parseDuration(text) : parseNumber(text, languages);
  // 2:06 whose colon was not read is not 206 seconds.
  if (number === undefined || (hasColon && value === 'time' && /^\d{3,}$/.test(text)))
    return { state: 'unreadable', confidence, detail: text };
  return { state: 'seen', value: number, confidence };
}
