import type pg from 'pg';
import type { SqlValue } from './sql-store.ts';

/** What `pg` gives a query that sends rows: its connection, of which it uses this. */
interface CopyConnection {
  query(sql: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** Characters that PostgreSQL's text format writes in another way (its manual, "COPY", File Formats). */
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
/** Rows are sent in pieces of about this many characters. */
const CHUNK_CHARACTERS = 1 << 20;

/** `COPY … FROM STDIN` as `pg` runs queries of its own kind: a great many rows without a statement for each. */
export class CopyIn {
  readonly #sql: string;
  readonly #rows: readonly (readonly SqlValue[])[];
  readonly #done = Promise.withResolvers<void>();
  #error: Error | undefined;
  /** Called by `pg` at the end, in the place of a result. */
  callback = (error: Error | null | undefined): void => {
    if (error) this.#done.reject(error);
    else this.#done.resolve();
  };

  private constructor(sql: string, rows: readonly (readonly SqlValue[])[]) {
    this.#sql = sql;
    this.#rows = rows;
  }

  /** Sends rows and waits until they are stored. */
  static async run(client: pg.ClientBase, sql: string, rows: readonly (readonly SqlValue[])[]): Promise<void> {
    const copy = new CopyIn(sql, rows);
    client.query(copy as unknown as pg.Submittable);
    await copy.#done.promise;
  }

  submit(connection: CopyConnection): void {
    connection.query(this.#sql);
  }

  handleCopyInResponse(connection: CopyConnection): void {
    let chunk = '';
    for (const row of this.#rows) {
      chunk += `${row.map(formatValue).join('\t')}\n`;
      if (chunk.length < CHUNK_CHARACTERS) continue;
      connection.sendCopyFromChunk(Buffer.from(chunk));
      chunk = '';
    }
    connection.sendCopyFromChunk(Buffer.from(chunk));
    connection.endCopyFrom();
  }

  handleCommandComplete(): void {}

  handleError(error: Error): void {
    this.#error = error;
    this.callback(error);
  }

  handleReadyForQuery(): void {
    if (!this.#error) this.callback(undefined);
  }
}

function formatValue(value: SqlValue): string {
  if (value === null) return '\\N';
  if (typeof value === 'string') return value.replaceAll(/[\\\t\n\r]/g, (character) => ESCAPES[character]!);
  if (typeof value === 'number') return String(value);
  return `\\\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}`;
}
