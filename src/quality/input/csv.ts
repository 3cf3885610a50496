import { splitRow } from '../../csv.ts';
import { PlaybyplayError } from '../../errors.ts';
import { didYouMean, findNearest } from '../../spelling.ts';
import type { Notes } from './session.ts';
import { readLines } from './text.ts';

/** Delimiter and number format of a table. */
export interface Dialect {
  readonly delimiter: ',' | ';' | '\t';
  /** Numbers may be written `16,7`. */
  readonly decimalComma: boolean;
}

/**
 * Detects the dialect by the most frequent delimiter of the header; with any other than the comma, numbers may have
 * decimal commas.
 */
export function detectDialect(header: string): Dialect {
  const delimiters = [',', ';', '\t'] as const;
  const counts = delimiters.map((delimiter) => splitRow(header, delimiter).length);
  const delimiter = delimiters[counts.indexOf(Math.max(...counts))]!;
  return { delimiter, decimalComma: delimiter !== ',' };
}

const absent = new Set(['', 'na', 'n/a', 'nan', '-nan', 'nan(ind)', '-nan(ind)', 'null', 'none', '-', 'undefined']);
const plainNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** Parses a number; undefined for an empty or missing value, NaN for anything else. */
export function parseNumber(cell: string | undefined, decimalComma: boolean): number | undefined {
  if (cell === undefined) return undefined;
  const text = cell.trim();
  if (absent.has(text.toLowerCase())) return undefined;
  const dotted = text.includes(',') && (decimalComma || !text.includes('.')) ? text.replace(',', '.') : text;
  return plainNumber.test(dotted) ? Number(dotted) : Number.NaN;
}

/** A row with access by the names of known columns. */
export interface Row {
  /** Line number, from 1. */
  readonly line: number;
  /** Numbers of the table may be written `16,7`. */
  readonly decimalComma: boolean;
  number(column: string): number | undefined;
  text(column: string): string | undefined;
}

/** Recognizes the header line: the first for which it returns true. */
export type IsHeader = (line: string) => boolean;

/**
 * Reads the rows of a table. Columns are found by name, regardless of order, case and additional columns. Rows that do
 * not fit the header are skipped and counted; invalid numbers count as missing and are reported.
 */
export async function* readRows(
  path: string,
  options: {
    readonly isHeader: IsHeader;
    readonly notes: Notes;
    /** Receives lines before the header, and comment lines after it. */
    readonly onOther?: (line: string) => void;
    readonly signal?: AbortSignal | undefined;
  },
): AsyncGenerator<{ readonly columns: readonly string[]; readonly rows: readonly Row[] }> {
  const { notes, isHeader, onOther } = options;
  let columns: string[] | undefined;
  let dialect: Dialect = { delimiter: ',', decimalComma: false };
  let index = new Map<string, number>();
  let lineNumber = 0;
  for await (const { lines, complete } of readLines(path, options.signal)) {
    const rows: Row[] = [];
    for (const line of lines) {
      lineNumber++;
      if (line.trim() === '') continue;
      if (!columns) {
        if (!isHeader(line)) {
          onOther?.(line);
          continue;
        }
        dialect = detectDialect(line);
        columns = splitRow(line, dialect.delimiter).map((name) => name.trim());
        index = new Map(columns.map((name, i) => [name.toLowerCase(), i] as const).toReversed());
        continue;
      }
      if (line.startsWith('#') || line.startsWith('//')) {
        onOther?.(line);
        continue;
      }
      notes.count('rows');
      const cells = splitRow(line, dialect.delimiter);
      if (isHeader(line)) {
        notes.add('header-repeated', 'skipped a repeated header', `${path}:${lineNumber}`);
      } else if (cells.length > columns.length && cells.slice(columns.length).some((cell) => cell.trim() !== '')) {
        notes.count('malformed');
        notes.add('row-too-long', 'skipped a row with more cells than the header', `${path}:${lineNumber}`, commaHint);
      } else if (!complete && cells.length < columns.length) {
        notes.count('malformed');
        notes.add('row-cut', 'skipped the incomplete last row', `${path}:${lineNumber}`);
      } else {
        rows.push(makeRow({ path, notes, decimalComma: dialect.decimalComma, index }, cells, lineNumber));
      }
    }
    if (columns && rows.length > 0) yield { columns, rows };
  }
  if (!columns) {
    throw new PlaybyplayError('no-header', `${path} has no header with the columns of its format`);
  }
}

const commaHint = 'Decimal commas need another delimiter than the comma, or quotes.';

/** What the rows of a table share. */
interface Table {
  readonly path: string;
  readonly notes: Notes;
  readonly decimalComma: boolean;
  /** Positions of the columns by lower-case name. */
  readonly index: ReadonlyMap<string, number>;
}

function makeRow({ path, notes, decimalComma, index }: Table, cells: readonly string[], line: number): Row {
  const cell = (column: string): string | undefined => cells[index.get(column.toLowerCase()) ?? -1];
  return {
    line,
    decimalComma,
    text: (column) => cell(column)?.trim(),
    number(column) {
      const value = parseNumber(cell(column), decimalComma);
      if (value === undefined || Number.isFinite(value)) return value;
      const message = `column ${column} has a value that is not a number; treated as missing`;
      notes.add('not-a-number', message, `${path}:${line}`);
      return undefined;
    },
  };
}

/** Reports columns that look like a misspelled known one. */
export function noteMisspelledColumns(
  columns: readonly string[],
  known: readonly string[],
  path: string,
  notes: Notes,
): void {
  const names = new Set(known.map((name) => name.toLowerCase()));
  for (const column of columns) {
    if (names.has(column.toLowerCase())) continue;
    const near = findNearest(column, known);
    if (near !== undefined && !columns.some((other) => other.toLowerCase() === near.toLowerCase())) {
      notes.add('unknown-column', `unknown column "${column}"`, path, didYouMean(near));
    }
  }
}
