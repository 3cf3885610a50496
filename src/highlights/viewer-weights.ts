import { number } from '../schema/build.ts';
import { readFileSync } from 'node:fs';
import { messageOf, PlaybyplayError, type Issue } from '../errors.ts';
import type { EventLine } from '../events/log.ts';
import { checkSchema } from '../schema/check.ts';
import type { FromSchema } from '../schema/from-schema.ts';
import type { Reason, Source } from './scene.ts';

/** The JSON Schema of a line of a file of viewer weights. */
export const viewerWeightSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:playbyplay:viewer-weight:1',
  title: 'A viewer weight of playbyplay',
  description: 'A factor on the score of the events in a time span, from viewer reactions.',
  type: 'object',
  required: ['t', 'end', 'weight'],
  properties: {
    session: { type: 'string', description: 'Session it applies to; default: any.' },
    t: number([], 'Start in seconds.'),
    end: number([], 'End in seconds.'),
    weight: number([0, 10], '0: never show; 1: no effect.'),
    why: { type: 'string', description: '`40 messages in 5 s`, `clipped 12 times`.' },
  },
} as const;

/** A factor on the score of the events in a time span, from viewer reactions. */
export interface ViewerWeight extends FromSchema<typeof viewerWeightSchema> {}

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
  const parsed = text
    .split('\n')
    .flatMap((line, index) => (line.trim() === '' ? [] : [parseLine(line, `${path}:${index + 1}`)]));
  const issues = parsed.flatMap((line) => ('issues' in line ? line.issues : []));
  if (issues.length > 0) throw new PlaybyplayError('viewers-invalid', `${path} has mistakes`, { issues });
  return parsed.flatMap((line) => ('weight' in line ? [line] : []));
}

function parseLine(line: string, place: string): ViewerWeight | { readonly issues: readonly Issue[] } {
  const refuse = (message: string) => ({ issues: [{ code: 'viewers-invalid', path: place, message }] });
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return refuse(`is not JSON: ${messageOf(error)}`);
  }
  const issues = checkSchema(viewerWeightSchema, value, { source: place });
  if (issues.length > 0) return { issues };
  const weight = value as ViewerWeight;
  return weight.end < weight.t ? refuse('"end" is before "t"') : weight;
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
