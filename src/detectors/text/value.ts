import { parseDuration, parseNumber, parseStopwatch, parseWholeNumber } from '../../language/numbers.ts';
import { Pattern } from '../../pattern.ts';
import type { Observation } from '../kind.ts';
import type { TextOptions, ValueKind } from './options.ts';

/** How the texts of a kind of value are read. */
const parseAs: Readonly<
  Record<Exclude<ValueKind, 'text'>, (text: string, languages: readonly string[]) => number | undefined>
> = {
  number: parseNumber,
  integer: parseWholeNumber,
  time: parseDuration,
  stopwatch: parseStopwatch,
};

/**
 * Parses a text as the detector's kind of value.
 *
 * @param hasColon Whether the font has a colon: three digits without one are then no time.
 * @param pattern What the whole text of a number or time must match.
 * @returns Unreadable where the text is no such value.
 */
export function parseValue(
  text: string,
  confidence: number,
  value: ValueKind,
  languages: readonly string[] = [],
  hasColon = false,
  pattern?: Pattern,
): Observation {
  if (value === 'text') return { state: 'seen', value: text, confidence };
  if (pattern?.test(text.trim()) === false) return { state: 'unreadable', confidence, detail: text };
  const number = parseAs[value](text, languages);
  // 2:06 whose colon was not read is not 206 seconds.
  if (number === undefined || (hasColon && value === 'time' && /^\d{3,}$/.test(text)))
    return { state: 'unreadable', confidence, detail: text };
  return { state: 'seen', value: number, confidence };
}

/** The expression that the texts of a detector must match, for those that read numbers or times. */
export function textPattern({
  value = 'text',
  plausible,
}: Pick<TextOptions, 'value' | 'plausible'>): Pattern | undefined {
  return value === 'text' || plausible?.pattern === undefined ? undefined : new Pattern(`^(?:${plausible.pattern})$`);
}
