/**
 * Corrections of a log by a person. They are in a file of their own next to the log, one a line, in the order in which they were
 * made; the log is never edited. Readers of the log apply them.
 */
import { open, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { messageOf, PlaybyplayError, type Issue } from '../errors.ts';
import { AppendFile } from '../files/append-file.ts';
import { lockFolder } from '../files/lock-folder.ts';
import { findProblems } from '../schema/check.ts';
import type { FromSchema, Schema } from '../schema/from-schema.ts';
import { roundTime } from '../time.ts';
import { eventId } from './log-lines.ts';
import type { EventLine, LogLine } from './log.ts';
import { MAX_CHARACTERS, parseStatement, type Statement } from './statement.ts';

/** The file name of the corrections of `events.ndjson`. */
const CORRECTIONS_NAME = 'corrections.ndjson';

const FORMAT = 'playbyplay/corrections/1';
const HEADER = `{"format":"${FORMAT}"}\n`;
/** A person makes a few hundred corrections a recording. */
const MAX_BYTES = 64 << 20;
const MAX_TEXT = 10 * MAX_CHARACTERS;
const MAX_SECONDS = 1e9;

const ID = { type: 'string', minLength: 1, maxLength: MAX_CHARACTERS } as const;
const SECONDS = { type: 'number', minimum: -MAX_SECONDS, maximum: MAX_SECONDS } as const;

const CORRECTED_EVENT = {
  type: 'object',
  description: 'What happened.',
  required: ['t', 'end', 'text', 'statement'],
  properties: {
    t: { ...SECONDS, description: 'Start in seconds from the first video frame.' },
    end: { ...SECONDS, description: 'End in seconds.' },
    text: { type: 'string', minLength: 1, maxLength: MAX_TEXT },
    statement: { type: 'object' },
  },
  additionalProperties: false,
} as const;

/** The JSON Schema of a line of a file of corrections, except the first. */
export const correctionSchema = {
  $id: 'urn:playbyplay:correction:1',
  type: 'object',
  required: ['type', 'id'],
  properties: {
    type: {
      enum: ['approve', 'change', 'delete', 'add', 'revert'],
      description:
        '`approve`: the event happened as the log says. `change`: it was `event` instead. `delete`: it did not happen. `add`: `event` is missing in the log. `revert`: what was said of the event before no longer holds.',
    },
    id: { ...ID, description: 'The id of the event; that of an added event begins with "+".' },
    event: CORRECTED_EVENT,
  },
  if: { properties: { type: { enum: ['change', 'add'] } } },
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
  then: { required: ['event'] },
  additionalProperties: false,
} as const satisfies Schema;

/** Time in seconds, text and statement of an event as a person corrected it. */
export interface CorrectedEvent extends Omit<FromSchema<typeof CORRECTED_EVENT>, 'statement'> {
  readonly statement: Statement;
}

/** What a person says of an event of a log. The last correction of an event holds. */
export type Correction =
  | { readonly type: 'approve' | 'delete' | 'revert'; readonly id: string }
  | { readonly type: 'change' | 'add'; readonly id: string; readonly event: CorrectedEvent };

/** A correction that holds, and where its line begins in the file. */
interface StoredCorrection {
  readonly correction: Correction;
  /** In bytes. */
  readonly offset: number;
}

/** A line of a log and the byte at which it begins. In the file of corrections, byte `n` is `-n`. */
export interface LocatedLine {
  readonly line: LogLine;
  readonly offset: number;
}

/**
 * Returns where the corrections of a log stand, whether there are any or not: `corrections.ndjson` next to `events.ndjson`,
 * `match.corrections.ndjson` next to `match.ndjson`.
 */
export function correctionsPath(log: string): string {
  const name = basename(log, extname(log));
  return join(dirname(log), name === 'events' ? CORRECTIONS_NAME : `${name}.${CORRECTIONS_NAME}`);
}

/**
 * Reads the corrections of a log that hold.
 *
 * @param log The log's file.
 * @returns By event id, in the order in which they were made; empty where there are none.
 * @throws PlaybyplayError `corrections-invalid`, with the line.
 */
export async function readCorrections(log: string): Promise<ReadonlyMap<string, Correction>> {
  const { corrections } = await readFile(correctionsPath(log));
  return new Map([...corrections].map(([id, { correction }]) => [id, correction]));
}

/**
 * Adds corrections to those of a log. A kill leaves all of them or none.
 *
 * @param log The log's file.
 * @throws PlaybyplayError `corrections-invalid`, `folder-in-use` if another process is writing them, `write-failed`, `disk-full`.
 * @example
 * await addCorrections('match.playbyplay/events.ndjson', [{ type: 'delete', id: '5f0c…' }]);
 */
export async function addCorrections(log: string, corrections: readonly Correction[]): Promise<void> {
  const path = correctionsPath(log);
  const lines = corrections.map((correction) => {
    const problem = findProblem(correction);
    if (problem !== undefined) throw new TypeError(`not a correction: ${problem}`);
    return `${JSON.stringify(correction)}\n`;
  });
  await using stack = new AsyncDisposableStack();
  stack.use(await lockFolder(dirname(path)));
  // An incomplete last line is what a kill has left of corrections that were never reported as saved.
  const { size } = await readFile(path);
  const file = stack.use(await AppendFile.open(path, size, { kind: 'corrections' }));
  await file.append(Buffer.from((size === 0 ? HEADER : '') + lines.join('')));
}

/**
 * Makes the correction that adds an event.
 *
 * @param known The corrections that hold: events that are equal get different ids.
 */
export function additionOf(event: CorrectedEvent, known: ReadonlyMap<string, Correction>): Correction {
  const t = roundTime(event.t);
  let repeat = 0;
  const nextId = (): string => `+${eventId(t, event.statement, repeat)}`;
  while (known.has(nextId())) repeat++;
  return { type: 'add', id: nextId(), event: { ...event, t, end: roundTime(event.end) } };
}

/** Options of {@link correctLines}. */
export interface CorrectLinesOptions {
  /** Called for corrections of events that the log does not have. */
  readonly onIssue?: ((issue: Issue) => void) | undefined;
}

/**
 * Applies the corrections of a log to its lines, in order of time.
 *
 * @param log The log's file.
 * @param read Reads the lines of the log from its start. It is called twice if there are changes.
 */
export async function* correctLines(
  log: string,
  read: () => AsyncIterable<LocatedLine>,
  { onIssue }: CorrectLinesOptions = {},
): AsyncGenerator<LocatedLine, void, undefined> {
  const path = correctionsPath(log);
  const { corrections } = await readFile(path);
  if (corrections.size === 0) return yield* read();
  const inserted = await findInserted(corrections, read);
  const applied = new Set(inserted.map(({ correction }) => correction.id));
  let [header, events, next] = [undefined as Extract<LogLine, { type: 'header' }> | undefined, 0, 0];
  const place = function* (until: number): Generator<LocatedLine> {
    for (; next < inserted.length && inserted[next]!.correction.event.t < until; next++) {
      const { correction, offset } = inserted[next]!;
      events++;
      yield { line: toLine(correction, header!), offset: -offset };
    }
  };
  for await (const { line, offset } of read()) {
    if (line.type === 'header') header = line;
    else yield* place(line.type === 'end' ? Number.POSITIVE_INFINITY : line.t);
    const correction = line.type === 'event' ? corrections.get(line.id)?.correction : undefined;
    if (correction && correction.type !== 'add') applied.add(correction.id);
    if (correction?.type === 'delete' || correction?.type === 'change') continue;
    if (line.type === 'event') events++;
    if (line.type === 'end') yield { line: { ...line, events }, offset };
    else yield { line: line.type === 'event' && correction ? approve(line) : line, offset };
  }
  yield* place(Number.POSITIVE_INFINITY);
  const missed = corrections.size - applied.size;
  if (missed > 0)
    onIssue?.({
      code: 'corrections-unmatched',
      path,
      message: `${missed} of ${corrections.size} corrections are about events that the log does not have, and were ignored`,
      hint: 'The log was detected again since then. List the corrections that still apply: playbyplay correct <log> --list',
    });
}

/** Returns the event that a correction puts into a log; `undefined` for a line that is none. */
export function parseCorrectedLine(text: string, header: EventNames): EventLine | undefined {
  const parsed = parseCorrection(text);
  return 'correction' in parsed && 'event' in parsed.correction ? toLine(parsed.correction, header) : undefined;
}

/** Game and session, which a log's header gives to its events. */
type EventNames = Pick<EventLine, 'game' | 'session'>;

type Insertion = StoredCorrection & { readonly correction: Extract<Correction, { readonly event: unknown }> };

/** The additions, and the changes of events that exist, in order of time. */
async function findInserted(
  corrections: ReadonlyMap<string, StoredCorrection>,
  read: () => AsyncIterable<LocatedLine>,
): Promise<readonly Insertion[]> {
  const all = [...corrections.values()].filter((stored): stored is Insertion => 'event' in stored.correction);
  const ids = new Set<string>();
  if (all.some(({ correction }) => correction.type === 'change'))
    for await (const { line } of read()) if (line.type === 'event' && corrections.has(line.id)) ids.add(line.id);
  return all
    .filter(({ correction: { type, id } }) => type === 'add' || ids.has(id))
    .toSorted((a, b) => a.correction.event.t - b.correction.event.t);
}

function approve(event: EventLine): EventLine {
  const { tentative: _, ...approved } = event;
  return { ...approved, corrected: 'approved' };
}

function toLine({ type, id, event }: Insertion['correction'], { game, session }: EventNames): EventLine {
  const { t, end, text, statement } = event;
  const corrected = type === 'add' ? 'added' : 'changed';
  return { type: 'event', id, t, end, game, session, text, statement, confidence: 1, corrected, cues: [] };
}

interface CorrectionFile {
  readonly corrections: ReadonlyMap<string, StoredCorrection>;
  /** Bytes of the complete lines. */
  readonly size: number;
}

async function readFile(path: string): Promise<CorrectionFile> {
  const info = await stat(path).catch(() => undefined);
  if (!info?.isFile() || info.size === 0) return { corrections: new Map(), size: 0 };
  if (info.size > MAX_BYTES) throw invalid(path, `longer than ${MAX_BYTES >> 20} MiB`);
  await using file = await open(path, 'r');
  const bytes = await file.readFile();
  const corrections = new Map<string, StoredCorrection>();
  const size = bytes.lastIndexOf(0x0a) + 1;
  for (let [offset, number] = [0, 1]; offset < size; number++) {
    const end = bytes.indexOf(0x0a, offset);
    const text = bytes.toString('utf8', offset, end);
    if (number === 1) checkHeader(path, text);
    else if (text !== '') {
      const parsed = parseCorrection(text);
      if ('problem' in parsed) throw invalid(`${path}:${number}`, parsed.problem);
      const { correction } = parsed;
      corrections.delete(correction.id);
      if (correction.type !== 'revert') corrections.set(correction.id, { correction, offset });
    }
    offset = end + 1;
  }
  return { corrections, size };
}

function checkHeader(path: string, text: string): void {
  const format = text.startsWith('{') ? /"format"\s*:\s*"([^"]{0,100})"/.exec(text)?.[1] : undefined;
  if (format === FORMAT) return;
  const found = format === undefined ? 'names no format' : `has the format "${format}"`;
  throw invalid(`${path}:1`, `its first line ${found}, not "${FORMAT}"`);
}

function parseCorrection(text: string): { readonly correction: Correction } | { readonly problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `not JSON: ${messageOf(error)}` };
  }
  const problem = findProblem(value);
  return problem === undefined ? { correction: value as Correction } : { problem };
}

function findProblem(value: unknown): string | undefined {
  const problems = findProblems(correctionSchema, value);
  if (problems.length > 0) return problems.map(({ message }) => message).join('; ');
  const correction = value as Correction;
  if (!('event' in correction)) return undefined;
  const { t, end, statement } = correction.event;
  if (end < t) return `the event ends at ${end} s, before it begins at ${t} s`;
  const parsed = parseStatement(statement);
  return 'issues' in parsed ? parsed.issues.map(({ message }) => message).join('; ') : undefined;
}

function invalid(path: string, problem: string): PlaybyplayError {
  return new PlaybyplayError('corrections-invalid', `${path}: the corrections cannot be read: ${problem}`, {
    hint: 'Correct the line, or move the file away to read the log without corrections.',
  });
}
