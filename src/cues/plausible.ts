import type { CueValue } from '../events/log.ts';
import { Pattern } from '../pattern.ts';
import type { DetectorSpec, Plausibility } from '../profile/profile.ts';

/** `impossible`: can never be right. `doubtful`: right only if it is read again and again. */
export type Verdict = 'plausible' | 'doubtful' | 'impossible';

/**
 * Judges a value by its range, its pattern, and its distance from the value accepted before. Absence is always
 * plausible, and so is any step where nothing was accepted before. Ranges and steps apply to numbers; a text that
 * reads as a number counts as one.
 */
export function plausibility(
  rules: Plausibility | undefined,
): (value: CueValue | undefined, accepted: CueValue | undefined) => Verdict {
  if (rules === undefined) return () => 'plausible';
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = rules;
  const { rise = Number.POSITIVE_INFINITY, fall = Number.POSITIVE_INFINITY } = rules;
  const pattern = rules.pattern === undefined ? undefined : new Pattern(`^(?:${rules.pattern})$`);
  return (value, accepted) => {
    if (value === undefined) return 'plausible';
    if (pattern !== undefined && !pattern.test(String(value))) return 'impossible';
    const number = numberOf(value);
    if (number === undefined) return 'plausible';
    if (number < min || number > max) return 'impossible';
    const before = accepted === undefined ? undefined : numberOf(accepted);
    if (before !== undefined && (number - before > rise || before - number > fall)) return 'doubtful';
    return 'plausible';
  };
}

/**
 * The judge of a detector's values. A text detector that reads numbers or times tests `pattern` itself, on the text: the number of
 * “1:23.5” is 83.5.
 */
export function plausibilityOf(spec: Pick<DetectorSpec, 'kind' | 'plausible'>): ReturnType<typeof plausibility> {
  const { value = 'text' } = spec as { readonly value?: unknown };
  if (spec.kind !== 'text' || value === 'text' || spec.plausible === undefined) return plausibility(spec.plausible);
  const { pattern: _tested, ...rest } = spec.plausible;
  return plausibility(rest);
}

function numberOf(value: CueValue): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || !/^\s*[+-]?\d+(?:\.\d+)?\s*$/.test(value)) return undefined;
  return Number(value);
}
