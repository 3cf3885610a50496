import { statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { messageOf, PlaybyplayError } from '../errors.ts';
import { LIBRARY_ID } from '../files/file-kind.ts';
import { sqlViews } from './sql-views.ts';
import {
  createTables,
  damaged,
  diskFull,
  type Insertion,
  inUse,
  occurrenceKey,
  otherVersion,
  type SqlDatabase,
  type SqlRow,
  SqlStore,
  type SqlValue,
  TABLES_VERSION,
} from './sql-store.ts';
import type { OpenOptions } from './store.ts';

/** How long a writer waits for another one, in milliseconds. */
const BUSY_TIMEOUT_MS = 10_000;

const TABLES = createTables({
  serial: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  long: 'INTEGER',
  number: 'REAL',
  bytes: 'BLOB',
  clustered: 'WITHOUT ROWID',
  equality: '',
});

const SQL_VIEWS = sqlViews('CREATE VIEW IF NOT EXISTS', (...path) => `json_extract(json, '$.${path.join('.')}')`);

/** An index in an SQLite file. Readers and one writer at a time can use it; a killed writer leaves the last commit. */
export class SqliteStore extends SqlStore {
  /**
   * Opens the index, creating it if `create` is given.
   *
   * @throws PlaybyplayError `library-missing`, `library-invalid`, `library-version`.
   */
  static open(path: string, { create = false, empty = false }: OpenOptions = {}): SqliteStore {
    const info = statSync(path, { throwIfNoEntry: false });
    if (!info && (!create || empty))
      throw new PlaybyplayError('library-missing', `there is no library ${path}`, {
        hint: 'Create one with: playbyplay library add <folder of logs>',
      });
    if (info && !info.isFile()) throw invalid(`${path} is not a file`);
    try {
      const database = new DatabaseSync(path, { readOnly: !create && !empty, timeout: BUSY_TIMEOUT_MS });
      try {
        if (info) checkTables(database, path, empty);
        if (create || empty) prepareTables(database, empty);
      } catch (error) {
        database.close();
        throw error;
      }
      return new SqliteStore(new SqliteDatabase(path, database));
    } catch (error) {
      if (error instanceof PlaybyplayError) throw error;
      throw invalid(`${path} cannot be opened as a library: ${messageOf(error)}`);
    }
  }
}

/** `node:sqlite` for the store. Its calls are synchronous. */
class SqliteDatabase implements SqlDatabase {
  readonly shown: string;
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(path: string, database: DatabaseSync) {
    this.shown = path;
    this.#database = database;
  }

  async version(): Promise<number> {
    const [row] = await this.all('PRAGMA data_version');
    return row!['data_version'] as number;
  }

  async all(sql: string, ...values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return this.#describeFailure(() => this.#prepare(sql).all(...values) as SqlRow[]);
  }

  async allIn(
    select: string,
    column: string,
    values: readonly (string | number)[],
    rest = '',
  ): Promise<readonly SqlRow[]> {
    return this.all(`${select} WHERE ${column} IN (SELECT value FROM json_each(?)) ${rest}`, JSON.stringify(values));
  }

  async sessionsOfEach(
    shapes: readonly number[],
    next: string,
    start: number,
    most: number,
  ): Promise<readonly number[]> {
    const found: number[] = [];
    for (const shape of shapes)
      for (const { session } of await this.all(
        `SELECT session FROM occurrence WHERE shape = ? AND ${next}`,
        shape,
        start,
        most,
      ))
        found.push(session as number);
    return found;
  }

  async occurrences(sessions: readonly number[], shapes: readonly number[] | undefined): Promise<readonly SqlRow[]> {
    const select = 'SELECT session, shape, data FROM occurrence';
    const rows: SqlRow[] = [];
    for (const session of sessions) {
      const found = shapes
        ? await this.allIn(
            select,
            'id',
            shapes.map((shape) => occurrenceKey(session, shape)),
          )
        : await this.all(
            `${select} WHERE id >= ? AND id < ?`,
            occurrenceKey(session, 0),
            occurrenceKey(session + 1, 0),
          );
      for (const row of found) rows.push(row);
    }
    return rows;
  }

  async insert({ table, columns, onConflict = '' }: Insertion, rows: readonly (readonly SqlValue[])[]): Promise<void> {
    if (rows.length === 0) return;
    const places = columns.map(() => '?').join(', ');
    this.#describeFailure(() => {
      const statement = this.#prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places}) ${onConflict}`);
      for (const row of rows) statement.run(...row);
    });
  }

  async begin(): Promise<void> {
    this.#describeFailure(() => this.#database.exec('BEGIN IMMEDIATE'));
  }

  async commit(): Promise<void> {
    this.#describeFailure(() => this.#database.exec('COMMIT'));
  }

  async rollback(): Promise<void> {
    this.#database.exec('ROLLBACK');
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  #prepare(sql: string): StatementSync {
    let prepared = this.#prepared.get(sql);
    if (!prepared) this.#prepared.set(sql, (prepared = this.#database.prepare(sql)));
    return prepared;
  }

  /** Calls SQLite; throws a PlaybyplayError that says what is wrong with the library. */
  #describeFailure<T>(call: () => T): T {
    try {
      return call();
    } catch (cause) {
      const code = (cause as { readonly errcode?: number }).errcode;
      if (code === SQLITE_BUSY) throw inUse(this.shown, cause);
      if (code === SQLITE_FULL) throw diskFull(this.shown, cause);
      throw damaged(this.shown, messageOf(cause), cause);
    }
  }
}

/** Result codes of SQLite (sqlite.org/rescode.html) that a user can do something about. */
const SQLITE_BUSY = 5;
const SQLITE_FULL = 13;

function checkTables(database: DatabaseSync, path: string, isAnyVersion: boolean): void {
  const { application_id: id } = database.prepare('PRAGMA application_id').get() as SqlRow;
  const { user_version: version } = database.prepare('PRAGMA user_version').get() as SqlRow;
  const { tables } = database.prepare('SELECT count(*) AS tables FROM sqlite_schema').get() as SqlRow;
  // A writer that was killed before its first commit leaves no tables.
  if (tables === 0 && (id === 0 || id === LIBRARY_ID)) return;
  if (id !== LIBRARY_ID) throw invalid(`${path} is not a library of playbyplay`);
  if (version !== TABLES_VERSION && !isAnyVersion) throw otherVersion(path);
}

function invalid(message: string): PlaybyplayError {
  return new PlaybyplayError('library-invalid', message, { hint: 'Name another file with --library.' });
}

/** @param isEmptied Whether what is there is removed, except the paths that were added. */
function prepareTables(database: DatabaseSync, isEmptied: boolean): void {
  // The file is known as a library before anything else stands in it. Readers go on while a writer writes, and what is
  // committed survives a kill.
  database.exec(
    `PRAGMA application_id = ${LIBRARY_ID}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE`,
  );
  const sql = "SELECT type, name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'";
  const there = database.prepare(sql).all() as SqlRow[];
  const isKept = there.length > 0 && !isEmptied;
  const roots = isKept || there.length === 0 ? [] : (database.prepare('SELECT path FROM root').all() as SqlRow[]);
  if (!isKept) {
    for (const { type, name } of there) database.exec(`DROP ${String(type)} ${String(name)}`);
    database.exec(`${TABLES} PRAGMA user_version = ${TABLES_VERSION};`);
    const insert = database.prepare('INSERT INTO root (path) VALUES (?)');
    for (const { path } of roots) insert.run(path!);
  }
  database.exec(SQL_VIEWS);
  database.exec('COMMIT');
}
