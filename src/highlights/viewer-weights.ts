import { readFileSync } from 'node:fs';
import { messageOf, PlaybyplayError, type Issue } from '../errors.ts';
import type { EventLine } from '../events/log.ts';
import type { Reason, Source } from './scene.ts';

/** A factor on the score of the events in a time span, from viewer reactions. */
export interface ViewerWeight {
  /** Session it applies to; default: any. */
  readonly session?: string;
  /** Seconds. */
  readonly t: number;
  readonly end: number;
  /** 0 (never show) to 10; 1 has no effect. */
  readonly weight: number;
  /** `40 messages in 5 s`, `clipped 12 times`. */
  readonly why?: string;
}

/**
 * Reads viewer weights from NDJSON, one `{"t", "end", "weight", "session"?, "why"?}` a line.
 *
 * @throws PlaybyplayError `viewers-invalid` with every issue.
 */
export function readViewerWeights(path: string): ViewerWeight[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new PlaybyplayError('viewers-invalid', `${path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
  const issues: Issue[] = [];
  const weights = text.split('\n').flatMap((line, index): ViewerWeight[] => {
    if (line.trim() === '') return [];
    const problem = validateLine(line);
    if (problem === undefined) return [JSON.parse(line) as ViewerWeight];
    issues.push({ code: 'viewers-invalid', path: `${path}:${index + 1}`, message: problem });
    return [];
  });
  if (issues.length > 0) throw new PlaybyplayError('viewers-invalid', `${path} has mistakes:`, { issues });
  return weights;
}

function validateLine(line: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return `is not JSON: ${messageOf(error)}`;
  }
  if (typeof value !== 'object' || value === null) return 'is not an object';
  const { t, end, weight } = value as Record<string, unknown>;
  if (typeof t !== 'number' || typeof end !== 'number' || end < t)
    return 'needs the numbers t and end, end not before t';
  return typeof weight === 'number' && weight >= 0 && weight <= 10 ? undefined : 'needs a weight from 0 to 10';
}

/** Makes a function that returns the factor on an event: of the spans that contain it, the weight farthest from 1. */
export function viewerFactors(weights: readonly ViewerWeight[], sources: readonly Source[]) {
  return (source: number, event: EventLine): Reason[] => {
    const { session } = sources[source]!.header;
    const found = weights
      .filter((each) => (each.session ?? session) === session && event.t >= each.t && event.t <= each.end)
      .toSorted((a, b) => Math.abs(Math.log(b.weight + 1e-9)) - Math.abs(Math.log(a.weight + 1e-9)))[0];
    return found ? [{ kind: 'viewer', value: found.weight, text: `viewers: ${found.why ?? `× ${found.weight}`}` }] : [];
  };
}
