import { basename } from 'node:path';
import { messageOf, PlaybyplayError, type Issue } from '../errors.ts';
import { readInputText } from '../files/input.ts';
import { parseStatement } from '../events/statement.ts';
import { foreignFormats, importForeign, recognizeForeign } from '../events/import/foreign/index.ts';
import { importLog } from '../events/import/import-log.ts';
import { loadMapping, recognizeMapping } from '../events/import/mapping.ts';
import type { Imported } from '../events/import/session-builder.ts';
import { loadBuiltin } from '../dictionary/files.ts';
import type { TruthLine } from './evaluate.ts';

/** Limit of the size of ground truth, which may be the log of another program. */
const MAX_TRUTH_BYTES = 256 << 20;

/**
 * Reads ground truth: NDJSON with lines `{"t": 12.3, "statement": {…}}` (further keys are ignored), or an event log.
 *
 * @throws PlaybyplayError `truth-missing`, `truth-broken` with an issue for every invalid line.
 */
export async function readTruth(path: string): Promise<readonly TruthLine[]> {
  const text = readInputText(path, 'truth-missing', { maxBytes: MAX_TRUTH_BYTES });
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

/** A ground truth that another program wrote. */
export interface ForeignTruth {
  /** One list per session of the file, in its clock. */
  readonly sessions: readonly (readonly TruthLine[])[];
  /** What the format is called. */
  readonly title: string;
  readonly issues: readonly Issue[];
}

/** Options of {@link readForeignTruth}. */
export interface ForeignTruthOptions {
  /** The name of who recorded, for files that do not say it. */
  readonly player?: string | undefined;
  /** A format or mapping, instead of the recognized one. */
  readonly format?: string | undefined;
}

/** How the lines of ground truth and event logs begin. */
const OWN_LINE = /^\s*\{\s*"(?:type|t|statement)"\s*:/;

/**
 * Reads a file of another program as ground truth: what `playbyplay import` reads.
 *
 * @returns `undefined` for ground truth of this program's own form, which {@link readTruth} reads.
 * @throws PlaybyplayError `truth-missing`, `unknown-log`, `log-not-json`.
 */
export async function readForeignTruth(
  path: string,
  { player, format: name }: ForeignTruthOptions = {},
): Promise<ForeignTruth | undefined> {
  const unreadable = (error: unknown): never => {
    if (error instanceof PlaybyplayError) throw error;
    throw new PlaybyplayError('truth-missing', `cannot read the ground truth ${path}: ${messageOf(error)}`, {
      cause: error,
    });
  };
  const named = foreignFormats.find((format) => format.name === name);
  const format = named ?? (await recognizeForeign(path).catch(unreadable));
  const session = basename(path);
  if (format) {
    const mapping = name === undefined || named ? undefined : await loadMapping(name);
    return toTruth(await importForeign(path, format, { player, session, mapping }), format.title);
  }
  const text = readInputText(path, 'truth-missing', { maxBytes: MAX_TRUTH_BYTES });
  if (name === undefined && (OWN_LINE.test(text) || text.trim() === '')) return undefined;
  const compiled = name === undefined ? await recognizeMapping(text) : await loadMapping(name);
  const { dictionary } = await loadBuiltin(compiled.mapping.dictionaries, { meaning: false });
  const imported = await importLog(text, compiled, dictionary, { session, ...(player !== undefined && { player }) });
  return toTruth(imported, compiled.mapping.title);
}

function toTruth({ sessions, issues }: Imported, title: string): ForeignTruth {
  return {
    sessions: sessions.map(({ events }) => events.map(({ t, statement }) => ({ t, statement }))),
    title,
    issues,
  };
}
