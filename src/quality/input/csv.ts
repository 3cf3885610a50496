import { PlaybyplayError } from '../../errors.ts';
import { didYouMean, findNearest } from '../../spelling.ts';
import type { Notes } from './session.ts';
import { readLines } from './text.ts';

/** How the cells of a table are separated and its numbers written. */
export interface Dialect {
  readonly delimiter: ',' | ';' | '\t';
  /** Numbers may be written `16,7`. */
  readonly decimalComma: boolean;
}

/** The delimiter that a header line uses most; with another one than the comma, commas may be decimal. */
export function detectDialect(header: string): Dialect {
  const delimiters = [',', ';', '\t'] as const;
  const counts = delimiters.map((delimiter) => splitRow(header, delimiter).length);
  const delimiter = delimiters[counts.indexOf(Math.max(...counts))]!;
  return { delimiter, decimalComma: delimiter !== ',' };
}

/** The cells of a row; a cell in double quotes may hold the delimiter, and `""` stands for a quote. */
export function splitRow(line: string, delimiter: string): string[] {
  if (!line.includes('"')) return line.split(delimiter);
  const cells: string[] = [];
  let at = 0;
  while (at <= line.length) {
    if (line[at] !== '"') {
      const end = line.indexOf(delimiter, at);
      cells.push(line.slice(at, end < 0 ? undefined : end));
      if (end < 0) break;
      at = end + 1;
      continue;
    }
    let end = line.indexOf('"', at + 1);
    while (end >= 0 && line[end + 1] === '"') end = line.indexOf('"', end + 2);
    const stop = end < 0 ? line.length : end;
    cells.push(line.slice(at + 1, stop).replaceAll('""', '"'));
    const next = line.indexOf(delimiter, stop);
    if (next < 0) break;
    at = next + 1;
    if (at === line.length) {
      cells.push('');
      break;
    }
  }
  return cells;
}

const absent = new Set(['', 'na', 'n/a', 'nan', '-nan', 'nan(ind)', '-nan(ind)', 'null', 'none', '-', 'undefined']);
const plainNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** A cell's number; undefined where the cell says that there is none, NaN where it holds something else. */
export function parseNumber(cell: string | undefined, decimalComma: boolean): number | undefined {
  if (cell === undefined) return undefined;
  const text = cell.trim();
  if (absent.has(text.toLowerCase())) return undefined;
  const dotted = text.includes(',') && (decimalComma || !text.includes('.')) ? text.replace(',', '.') : text;
  return plainNumber.test(dotted) ? Number(dotted) : Number.NaN;
}

/** One row of a table: its numbers and texts by the names of the columns that the reader knows. */
export interface Row {
  /** Line of the file, from 1. */
  readonly line: number;
  /** Numbers of the table may be written `16,7`. */
  readonly decimalComma: boolean;
  number(column: string): number | undefined;
  text(column: string): string | undefined;
}

/** Which line is the header: the first one for which this holds. */
export type IsHeader = (line: string) => boolean;

/**
 * Rows of a table whose columns are found by name, whatever their order, their case and what stands between them. Rows
 * that do not fit the header are skipped and counted; a cell that is no number counts as missing and is noted.
 */
export async function* readRows(
  path: string,
  options: {
    readonly isHeader: IsHeader;
    readonly notes: Notes;
    /** Lines before the header, and comment lines after it. */
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
        notes.add('header-repeated', 'the header stands again among the rows; skipped', `${path}:${lineNumber}`);
      } else if (cells.length > columns.length && cells.slice(columns.length).some((cell) => cell.trim() !== '')) {
        notes.count('malformed');
        notes.add('row-too-long', 'a row has more cells than the header; skipped', `${path}:${lineNumber}`, commaHint);
      } else if (!complete && cells.length < columns.length) {
        notes.count('malformed');
        notes.add('row-cut', 'the last row is cut; skipped', `${path}:${lineNumber}`);
      } else {
        rows.push(new CellRow(cells, index, dialect.decimalComma, lineNumber, path, notes));
      }
    }
    if (columns && rows.length > 0) yield { columns, rows };
  }
  if (!columns) {
    throw new PlaybyplayError('no-header', `${path} has no header line with the columns of its format`);
  }
}

const commaHint = 'decimal commas need another delimiter than the comma, or quotes';

class CellRow implements Row {
  readonly line: number;
  readonly #cells: readonly string[];
  readonly #index: ReadonlyMap<string, number>;
  readonly decimalComma: boolean;
  readonly #path: string;
  readonly #notes: Notes;

  constructor(
    cells: readonly string[],
    index: ReadonlyMap<string, number>,
    decimalComma: boolean,
    line: number,
    path: string,
    notes: Notes,
  ) {
    this.line = line;
    this.#cells = cells;
    this.#index = index;
    this.decimalComma = decimalComma;
    this.#path = path;
    this.#notes = notes;
  }

  text(column: string): string | undefined {
    const at = this.#index.get(column.toLowerCase());
    return at === undefined ? undefined : this.#cells[at]?.trim();
  }

  number(column: string): number | undefined {
    const at = this.#index.get(column.toLowerCase());
    if (at === undefined) return undefined;
    const value = parseNumber(this.#cells[at], this.decimalComma);
    if (value === undefined || Number.isFinite(value)) return value;
    this.#notes.add(
      'not-a-number',
      `column ${column} holds a value that is no number; taken as missing`,
      `${this.#path}:${this.line}`,
    );
    return undefined;
  }
}

/** Notes columns that look like a known one misspelt. */
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
      notes.add('unknown-column', `there is no column "${column}"`, path, didYouMean(near));
    }
  }
}
