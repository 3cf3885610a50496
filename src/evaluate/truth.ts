import { readFile } from 'node:fs/promises';
import { messageOf, PlaybyplayError, type Issue } from '../errors.ts';
import { parseStatement } from '../events/statement.ts';
import type { TruthLine } from './evaluate.ts';

/**
 * Reads ground truth: NDJSON with lines `{"t": 12.3, "statement": {…}}` (further keys are ignored), or an event log.
 *
 * @throws PlaybyplayError `truth-missing`, `truth-broken` with an issue for every invalid line.
 */
export async function readTruth(path: string): Promise<readonly TruthLine[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new PlaybyplayError('truth-missing', `cannot read the ground truth ${path}: ${messageOf(error)}`, {
      cause: error,
    });
  });
  const issues: Issue[] = [];
  const lines: TruthLine[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const parsed = parseLine(line);
    if (typeof parsed === 'string') issues.push({ code: 'truth-line', path: `${path}:${index + 1}`, message: parsed });
    else if (parsed !== undefined) lines.push(parsed);
  }
  if (issues.length === 0) return lines;
  throw new PlaybyplayError('truth-broken', `${path} is not a ground-truth file`, {
    issues,
    hint: 'Each line is {"t": seconds, "statement": {…}}.',
  });
}

/** Returns a truth, an error message, or `undefined` for a line of a log that is no event. */
function parseLine(text: string): TruthLine | string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `not JSON: ${messageOf(error)}`;
  }
  if (typeof value !== 'object' || value === null) return 'not an object';
  const { type, t, statement, repeat } = value as Record<string, unknown>;
  if (type !== undefined && type !== 'event' && type !== 'truth') return undefined;
  if (typeof t !== 'number' || !Number.isFinite(t)) return '"t" must be a number of seconds';
  const shaped = parseStatement(statement);
  if ('issues' in shaped) return shaped.issues.map(({ message }) => message).join('; ');
  return { t, statement: shaped.statement, ...(repeat === true ? { repeat } : {}) };
}
