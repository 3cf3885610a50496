import { join } from 'node:path';
import { fileWriter, parquetWriteRows } from 'hyparquet-writer';
import type { EventLine } from '../events/log.ts';
import { isPropertyStatement, type PropertyValue, type Slot } from '../events/statement.ts';
import { AppendFile } from '../files/append-file.ts';
import { type OutputPolicy, produceOutput } from '../files/output.ts';
import { csvField } from '../markup.ts';
import type { Library } from './library.ts';
import type { LibrarySession } from './store.ts';

/** What files a library is exported to. */
export type ExportFormat = 'parquet' | 'csv';

/** Options of {@link exportLibrary}. */
export interface ExportOptions extends OutputPolicy {
  readonly formats: readonly ExportFormat[];
  /** Also events whose evidence is thin. */
  readonly tentative?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called after each session. */
  readonly onProgress?: ((progress: { readonly done: number; readonly total: number }) => void) | undefined;
}

/** What was written. */
export interface ExportResult {
  readonly files: readonly string[];
  readonly sessions: number;
  readonly events: number;
}

type Cell = string | number | boolean | null;
type Row = Readonly<Record<string, Cell>>;
interface Column {
  readonly name: string;
  readonly type: 'STRING' | 'DOUBLE' | 'INT32' | 'BOOLEAN';
}

/** Columns of `sessions`: what is known of each session. Times are seconds. */
const SESSION_COLUMNS: readonly Column[] = [
  { name: 'session', type: 'STRING' },
  { name: 'name', type: 'STRING' },
  { name: 'game', type: 'STRING' },
  { name: 'duration', type: 'DOUBLE' },
  { name: 'events', type: 'INT32' },
  { name: 'log', type: 'STRING' },
];

/** Slots of actions with a column for the word and one for the proper name. */
const SLOTS = ['subject', 'object', 'with', 'to', 'from', 'at', 'manner'] as const;

/** Columns of `events`: one event a row, in the order of the session. Times are seconds. */
const EVENT_COLUMNS: readonly Column[] = [
  { name: 'session', type: 'STRING' },
  { name: 'game', type: 'STRING' },
  { name: 'number', type: 'INT32' },
  { name: 't', type: 'DOUBLE' },
  { name: 'end', type: 'DOUBLE' },
  { name: 'sentence', type: 'STRING' },
  { name: 'action', type: 'STRING' },
  { name: 'property', type: 'STRING' },
  ...SLOTS.flatMap((slot): Column[] => [
    { name: slot, type: 'STRING' },
    { name: `${slot}_name`, type: 'STRING' },
  ]),
  { name: 'amount', type: 'DOUBLE' },
  { name: 'unit', type: 'STRING' },
  { name: 'value_before', type: 'STRING' },
  { name: 'value', type: 'STRING' },
  { name: 'number_before', type: 'DOUBLE' },
  { name: 'number_value', type: 'DOUBLE' },
  { name: 'confidence', type: 'DOUBLE' },
  { name: 'tentative', type: 'BOOLEAN' },
  { name: 'statement', type: 'STRING' },
];

/** Rows of a Parquet row group: so many are held in memory. */
const ROWS_PER_GROUP = 50_000;

/**
 * Writes all sessions and events of a library as tables, which other programs (DuckDB, pandas, Spark, spreadsheets) read. Memory
 * does not grow with the library.
 *
 * @param folder Where `sessions` and `events` are written, one file for each format.
 * @throws PlaybyplayError as `produceOutput`.
 */
export async function exportLibrary(library: Library, folder: string, options: ExportOptions): Promise<ExportResult> {
  const sessions = await library.sessions();
  const files: string[] = [];
  let events = 0;
  for (const format of options.formats) {
    const write = format === 'parquet' ? writeParquet : writeCsv;
    const policy = { kind: format === 'parquet' ? 'Parquet' : 'text', overwrite: options.overwrite } as const;
    const save = async (
      name: string,
      columns: readonly Column[],
      rows: AsyncIterable<Row> | Iterable<Row>,
    ): Promise<void> => {
      const path = join(folder, `${name}.${format}`);
      await produceOutput(path, (temporaryPath) => write(temporaryPath, columns, rows), policy);
      files.push(path);
    };
    events = 0;
    const counted = async function* (): AsyncGenerator<Row, void, undefined> {
      let done = 0;
      for await (const { session, events: list } of library.readSessions(options)) {
        options.signal?.throwIfAborted();
        for (const [number, event] of list.entries()) yield eventRow(session, event, number);
        events += list.length;
        options.onProgress?.({ done: ++done, total: sessions.length });
      }
    };
    await save('sessions', SESSION_COLUMNS, sessions.map(sessionRow));
    await save('events', EVENT_COLUMNS, counted());
  }
  return { files, sessions: sessions.length, events };
}

function sessionRow({ session, name, game, duration, events, path }: LibrarySession): Row {
  return { session, name, game, duration, events, log: path };
}

function eventRow({ session }: LibrarySession, event: EventLine, number: number): Row {
  const { game, t, end, text, statement, confidence, tentative = false } = event;
  const row: Record<string, Cell> = { session, game, number, t, end, sentence: text, confidence, tentative };
  const fill = (name: string, slot: Slot | undefined): void => {
    if (slot === undefined) return;
    const { word, name: proper } = typeof slot === 'string' ? { word: slot, name: undefined } : slot;
    row[name] = word;
    if (proper !== undefined) row[`${name}_name`] = proper;
  };
  if (isPropertyStatement(statement)) {
    row['property'] = statement.property;
    fill('subject', statement.subject);
    fillValue(row, 'value_before', 'number_before', statement.from);
    fillValue(row, 'value', 'number_value', statement.to);
  } else {
    row['action'] = statement.action;
    for (const slot of SLOTS) fill(slot, statement[slot]);
    if (statement.amount !== undefined) row['amount'] = statement.amount;
    if (statement.unit !== undefined) row['unit'] = statement.unit;
  }
  row['statement'] = JSON.stringify(statement);
  return row;
}

/** A value as text, and as a number if it is one. */
function fillValue(row: Record<string, Cell>, text: string, number: string, value: PropertyValue | undefined): void {
  if (value === undefined) return;
  if (typeof value === 'number') row[number] = value;
  row[text] = typeof value === 'object' ? (value.name ?? value.word) : String(value);
}

async function writeParquet(
  path: string,
  columns: readonly Column[],
  rows: AsyncIterable<Row> | Iterable<Row>,
): Promise<void> {
  const schema = [
    { name: 'root', num_children: columns.length },
    ...columns.map(({ name, type }) => ({
      name,
      repetition_type: 'OPTIONAL' as const,
      ...(type === 'STRING' ? { type: 'BYTE_ARRAY' as const, converted_type: 'UTF8' as const } : { type }),
    })),
  ];
  await parquetWriteRows({
    writer: fileWriter(path),
    rows: withNulls(rows, columns),
    columns: columns.map(({ name, type }) => ({ name, type })),
    schema,
    rowGroupSize: ROWS_PER_GROUP,
    createdBy: 'playbyplay',
  });
}

async function* withNulls(
  rows: AsyncIterable<Row> | Iterable<Row>,
  columns: readonly Column[],
): AsyncGenerator<Row, void, undefined> {
  for await (const row of rows) yield Object.fromEntries(columns.map(({ name }) => [name, row[name] ?? null]));
}

async function writeCsv(
  path: string,
  columns: readonly Column[],
  rows: AsyncIterable<Row> | Iterable<Row>,
): Promise<void> {
  await using file = await AppendFile.open(path, 0, { kind: 'text' });
  let text = line(columns.map(({ name }) => name));
  for await (const row of rows) {
    text += line(columns.map(({ name }) => row[name] ?? null));
    if (text.length < 1 << 16) continue;
    await file.append(Buffer.from(text));
    text = '';
  }
  await file.append(Buffer.from(text));
}

/** A line of CSV (RFC 4180). */
function line(cells: readonly Cell[]): string {
  const fields = cells.map((cell) => (cell === null ? '' : csvField(typeof cell === 'boolean' ? String(cell) : cell)));
  return `${fields.join(',')}\r\n`;
}
