import { Pool, type PoolClient } from 'pg';
import { messageOf, PlaybyplayError } from '../errors.ts';
import { CopyIn } from './postgres-copy.ts';
import {
  COLUMN_TYPES,
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
import { sqlViews } from './sql-views.ts';
import type { OpenOptions } from './store.ts';

/** How long a writer waits for another one. */
const LOCK_TIMEOUT = '60s';
const CONNECT_TIMEOUT_MS = 10_000;
/** Connections of one store. */
const MAX_CONNECTIONS = 4;

// Long numbers are doubles: "pg" reads bigint as text.
const TABLES = `CREATE TABLE library (version integer NOT NULL, changes double precision NOT NULL);
INSERT INTO library VALUES (${TABLES_VERSION}, 0);
${createTables({
  serial: 'integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
  long: 'double precision',
  number: 'double precision',
  bytes: 'bytea',
  clustered: '',
  equality: 'USING hash',
})}`;

const SQL_VIEWS = sqlViews('CREATE OR REPLACE VIEW', (...path) => `json::jsonb #>> '{${path.join(',')}}'`);

/** Types of columns in PostgreSQL. */
const TYPES = { id: 'integer', number: 'double precision', text: 'text', bytes: 'bytea' } as const;

/**
 * An index in a schema of a PostgreSQL database. Readers and one writer at a time can use it, from any machine; a killed writer
 * leaves the last commit.
 */
export class PostgresStore extends SqlStore {
  /**
   * Opens the index, creating it if `create` is given.
   *
   * @param url `postgres://user:password@host/database`, with `?library=name` for one of several libraries of a database: each
   *   has a schema of its own.
   * @throws PlaybyplayError `library-missing`, `library-invalid`, `library-version`, `library-unreachable`.
   */
  static async open(url: string, { create = false, empty = false }: OpenOptions = {}): Promise<PostgresStore> {
    const { connectionString, schema, shown } = parseUrl(url);
    const pool = new Pool({
      connectionString,
      max: MAX_CONNECTIONS,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      options: `-c search_path=${schema}`,
      application_name: 'playbyplay',
    });
    // A connection that is lost while nobody uses it is replaced by the next call.
    pool.on('error', () => undefined);
    const database = new PostgresDatabase(pool, schema, shown);
    try {
      if (create && !empty) await database.prepare();
      if (empty) await database.empty();
      await database.check();
      return new PostgresStore(database);
    } catch (error) {
      await database.close();
      throw error;
    }
  }
}

/** Separates what PostgreSQL is given from the name of the library. */
function parseUrl(url: string): {
  readonly connectionString: string;
  readonly schema: string;
  readonly shown: string;
} {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw new PlaybyplayError('library-invalid', 'the address of the library is not a URL', {
      hint: 'Write postgres://user:password@host:5432/database.',
    });
  }
  const name = parsed.searchParams.get('library');
  parsed.searchParams.delete('library');
  if (name !== null && !/^[a-z\d_]{1,50}$/.test(name))
    throw new PlaybyplayError('library-invalid', 'the name of a library has 1 to 50 lower-case letters, digits and _');
  // Never the password, which messages must not repeat.
  const shown = `${parsed.protocol}//${parsed.host}${parsed.pathname}${name === null ? '' : `?library=${name}`}`;
  return { connectionString: parsed.href, schema: name === null ? 'playbyplay' : `playbyplay_${name}`, shown };
}

/** Error codes of PostgreSQL (appendix A of its manual) that a user can do something about. */
const LOCK_NOT_AVAILABLE = '55P03';
const DISK_FULL = '53100';
/** Classes of those that concern the connection, not the data: 08 connection, 28 authorization, 3D catalog, 57P shutdown. */
const CONNECTION_ERROR = /^(?:08|28|3D|57P|53)/;
const UNDEFINED_TABLE = '42P01';

/** `pg` for the store. */
class PostgresDatabase implements SqlDatabase {
  readonly #pool: Pool;
  readonly #schema: string;
  readonly shown: string;
  /** The connection of the open transaction. */
  #writer: PoolClient | undefined;

  constructor(pool: Pool, schema: string, shown: string) {
    this.#pool = pool;
    this.#schema = schema;
    this.shown = shown;
  }

  /** Creates the tables if there are none. */
  async prepare(): Promise<void> {
    await this.begin();
    try {
      await this.all(`CREATE SCHEMA IF NOT EXISTS ${this.#schema}`);
      if (!(await this.#exists())) await this.#call(() => this.#writer!.query(`${TABLES} ${SQL_VIEWS} COMMIT`));
    } finally {
      await this.rollback();
    }
  }

  /** Removes everything except the paths that were added. Throws `library-missing`. */
  async empty(): Promise<void> {
    await this.begin();
    try {
      await this.#checkExistence();
      const roots = await this.all('SELECT path FROM root');
      const [library] = await this.all('SELECT changes FROM library');
      await this.#call(() =>
        this.#writer!.query(
          `DROP SCHEMA ${this.#schema} CASCADE; CREATE SCHEMA ${this.#schema}; ${TABLES} ${SQL_VIEWS}`,
        ),
      );
      await this.insert(
        { table: 'root', columns: ['path'] },
        roots.map(({ path }) => [path!]),
      );
      // Readers notice that it has changed.
      await this.all('UPDATE library SET changes = ?', library!['changes']!);
      await this.commit();
    } finally {
      await this.rollback();
    }
  }

  /** Throws `library-missing` or `library-version`. */
  async check(): Promise<void> {
    await this.#checkExistence();
    const [library] = await this.all('SELECT version FROM library');
    if (library?.['version'] !== TABLES_VERSION) throw otherVersion(this.shown);
  }

  async #exists(): Promise<boolean> {
    const [row] = await this.all("SELECT to_regclass('library') IS NOT NULL AS exists");
    return (row?.['exists'] as unknown) === true;
  }

  async #checkExistence(): Promise<void> {
    if (await this.#exists()) return;
    throw new PlaybyplayError('library-missing', `there is no library in ${this.shown}`, {
      hint: 'Create one with: playbyplay library add <folder of logs> --library <address>',
    });
  }

  async version(): Promise<number> {
    const [row] = await this.all('SELECT changes FROM library');
    return row!['changes'] as number;
  }

  async all(sql: string, ...values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return this.#query({ text: numberParameters(sql), values: [...values] });
  }

  async allIn(
    select: string,
    column: string,
    values: readonly (string | number)[],
    rest = '',
  ): Promise<readonly SqlRow[]> {
    if (values.length === 0) return [];
    return this.#query({ text: `${select} WHERE ${column} = ANY($1) ${rest}`, values: [values] });
  }

  async sessionsOfEach(
    shapes: readonly number[],
    next: string,
    start: number,
    most: number,
  ): Promise<readonly number[]> {
    const sql = `SELECT DISTINCT session FROM unnest(?::integer[]) AS wanted (shape), LATERAL (
      SELECT session FROM occurrence WHERE occurrence.shape = wanted.shape AND ${next}) AS found`;
    const rows = await this.#query({
      text: numberParameters(sql),
      values: [shapes, start, most],
    });
    return rows.map(({ session }) => session as number);
  }

  async occurrences(sessions: readonly number[], shapes: readonly number[] | undefined): Promise<readonly SqlRow[]> {
    const select = 'SELECT session, shape, data FROM occurrence';
    if (!shapes) {
      const text = `${select} JOIN unnest($1::double precision[], $2::double precision[]) AS wanted (low, high) ON id >= low AND id < high`;
      const lows = sessions.map((session) => occurrenceKey(session, 0));
      return this.#query({ text, values: [lows, sessions.map((session) => occurrenceKey(session + 1, 0))] });
    }
    const keys = sessions.flatMap((session) => shapes.map((shape) => occurrenceKey(session, shape)));
    return this.#query({ text: `${select} WHERE id = ANY($1::double precision[])`, values: [keys] });
  }

  async insert({ table, columns, onConflict }: Insertion, rows: readonly (readonly SqlValue[])[]): Promise<void> {
    if (rows.length === 0) return;
    const names = columns.join(', ');
    if (onConflict === undefined) {
      await this.#call(() => CopyIn.run(this.#writer!, `COPY ${table} (${names}) FROM STDIN`, rows));
      return;
    }
    const types: Readonly<Record<string, keyof typeof TYPES>> = COLUMN_TYPES[table];
    const lists = columns.map((column, index) => `$${index + 1}::${TYPES[types[column]!]}[]`);
    const text = `INSERT INTO ${table} (${names}) SELECT * FROM unnest(${lists.join(', ')}) ${onConflict}`;
    await this.#query({ text, values: columns.map((_, index) => rows.map((row) => row[index])) });
  }

  async begin(): Promise<void> {
    this.#writer = await this.#call(() => this.#pool.connect());
    // An error of a connection that is in use also rejects the query that is running.
    this.#writer.on('error', ignore);
    try {
      await this.all('BEGIN');
      await this.all(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
      await this.all('SELECT pg_advisory_xact_lock(hashtext(?))', this.#schema);
    } catch (error) {
      await this.rollback();
      throw error;
    }
  }

  async commit(): Promise<void> {
    await this.all('UPDATE library SET changes = changes + 1');
    await this.all('COMMIT');
    this.#release();
  }

  async rollback(): Promise<void> {
    if (!this.#writer) return;
    const failed = await this.#writer.query('ROLLBACK').then(
      () => undefined,
      (error: unknown) => error as Error,
    );
    this.#release(failed);
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  #release(error?: Error): void {
    this.#writer?.off('error', ignore);
    this.#writer?.release(error);
    this.#writer = undefined;
  }

  async #query(query: { readonly text: string; readonly values: unknown[] }): Promise<readonly SqlRow[]> {
    const { rows } = await this.#call(() => (this.#writer ?? this.#pool).query<SqlRow>(query));
    return rows;
  }

  /** Calls PostgreSQL; throws a PlaybyplayError that says what is wrong with the library. */
  async #call<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (cause) {
      const { code = '' } = cause as { readonly code?: string };
      if (code === LOCK_NOT_AVAILABLE) throw inUse(this.shown, cause);
      if (code === DISK_FULL) throw diskFull(this.shown, cause);
      const isAboutData = /^[\dA-Z]{5}$/.test(code) && !CONNECTION_ERROR.test(code);
      if (isAboutData) {
        const problem = code === UNDEFINED_TABLE ? 'a table is missing' : messageOf(cause);
        throw damaged(this.shown, problem, cause);
      }
      const [first] = (cause as { readonly errors?: readonly unknown[] }).errors ?? [cause];
      throw new PlaybyplayError(
        'library-unreachable',
        `the library ${this.shown} cannot be reached: ${messageOf(first)}`,
        {
          hint: 'Check its address, user and password, and whether the server runs.',
          cause,
        },
      );
    }
  }
}

/** Writes parameters as PostgreSQL has them. */
function numberParameters(sql: string): string {
  let count = 0;
  return sql.replaceAll('?', () => `$${++count}`);
}

function ignore(): void {}
