import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { Pool, type PoolClient } from 'pg';
import { inTransaction } from '../batch/postgres-transaction.ts';
import { messageOf, PlaybyplayError } from '../errors.ts';

/** A value of a row. */
export type Value = string | number | null;
/** A row by its columns. */
export type Row = Readonly<Record<string, Value>>;

/** Runs statements; parameters are written `?`. */
export interface Queries {
  all<R extends Row = Row>(sql: string, ...values: readonly Value[]): Promise<readonly R[]>;
}

/** The database of a service. */
export interface Database extends Queries, AsyncDisposable {
  /** Runs statements of which all or none take effect. Transactions of one database run one after the other. */
  transaction<T>(run: (queries: Queries) => Promise<T>): Promise<T>;
}

/**
 * The tables, step by step. A step that was released never changes: a service that is updated runs the steps that its database
 * lacks. The statements are understood by SQLite and PostgreSQL.
 */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE tenant (
    id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, created DOUBLE PRECISION NOT NULL,
    max_bytes DOUBLE PRECISION NOT NULL, max_recordings_per_day INTEGER NOT NULL
  );
  CREATE TABLE api_key (
    id TEXT PRIMARY KEY, tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE, name TEXT NOT NULL,
    hash TEXT NOT NULL, scopes TEXT NOT NULL, created DOUBLE PRECISION NOT NULL
  );
  CREATE INDEX api_key_tenant ON api_key (tenant);
  CREATE TABLE recording (
    id TEXT PRIMARY KEY, tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE, name TEXT NOT NULL,
    game TEXT NOT NULL, media TEXT NOT NULL, folder TEXT NOT NULL, bytes DOUBLE PRECISION NOT NULL, state TEXT NOT NULL,
    failure TEXT, result TEXT, created DOUBLE PRECISION NOT NULL
  );
  CREATE INDEX recording_tenant ON recording (tenant, created);
  CREATE INDEX recording_state ON recording (state);
  CREATE TABLE webhook (
    id TEXT PRIMARY KEY, tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE, url TEXT NOT NULL,
    secret TEXT NOT NULL, created DOUBLE PRECISION NOT NULL
  );
  CREATE INDEX webhook_tenant ON webhook (tenant);
  CREATE TABLE delivery (
    id TEXT PRIMARY KEY, webhook TEXT NOT NULL REFERENCES webhook (id) ON DELETE CASCADE, event TEXT NOT NULL,
    body TEXT NOT NULL, state TEXT NOT NULL, attempt INTEGER NOT NULL, due DOUBLE PRECISION NOT NULL, status TEXT,
    created DOUBLE PRECISION NOT NULL
  );
  CREATE INDEX delivery_due ON delivery (state, due);
  CREATE INDEX delivery_webhook ON delivery (webhook, created);`,
];

/**
 * Opens the database of a service and runs the migrations that it lacks.
 *
 * @param location A file, or the address of a PostgreSQL database, where the tables stand in the schema `playbyplay_service`.
 * @throws PlaybyplayError `service-database`.
 */
export async function openDatabase(location: string): Promise<Database> {
  try {
    const isPostgres = /^postgres(?:ql)?:\/\//i.test(location);
    const database = isPostgres ? await PostgresDatabase.open(location) : new SqliteDatabase(location);
    await migrate(database);
    return database;
  } catch (cause) {
    if (cause instanceof PlaybyplayError) throw cause;
    const [first] = (cause as { readonly errors?: readonly unknown[] }).errors ?? [cause];
    throw new PlaybyplayError('service-database', `the database of the service cannot be opened: ${messageOf(first)}`, {
      hint: 'Check --database, and whether its server runs.',
      cause,
    });
  }
}

async function migrate(database: Database): Promise<void> {
  await database.transaction(async (queries) => {
    await queries.all('CREATE TABLE IF NOT EXISTS migration (step INTEGER PRIMARY KEY, hash TEXT NOT NULL)');
    const done = await queries.all<{ step: number; hash: string }>('SELECT step, hash FROM migration ORDER BY step');
    if (done.length > MIGRATIONS.length)
      throw new PlaybyplayError('service-database', 'the database of the service was made by a later version', {
        hint: 'Update playbyplay.',
      });
    for (const [step, sql] of MIGRATIONS.entries()) {
      const hash = createHash('sha256').update(sql).digest('hex').slice(0, 16);
      if (done[step]) continue;
      for (const statement of sql.split(';').filter((text) => text.trim() !== '')) await queries.all(statement);
      await queries.all('INSERT INTO migration (step, hash) VALUES (?, ?)', step, hash);
    }
  });
}

/** How long a writer waits for another one, in milliseconds. */
const BUSY_TIMEOUT_MS = 10_000;

class SqliteDatabase implements Database {
  readonly #database: DatabaseSync;
  /** Ends when the transaction at hand does. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string) {
    this.#database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON');
  }

  async all<R extends Row>(sql: string, ...values: readonly Value[]): Promise<readonly R[]> {
    // A statement alone must not become part of somebody else's transaction.
    await this.#last;
    return this.#run<R>(sql, values);
  }

  async transaction<T>(run: (queries: Queries) => Promise<T>): Promise<T> {
    const previous = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await previous;
    try {
      this.#database.exec('BEGIN IMMEDIATE');
      const result = await run({ all: async (sql, ...values) => this.#run(sql, values) });
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    } finally {
      resolve();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#last;
    this.#database.close();
  }

  #run<R extends Row>(sql: string, values: readonly Value[]): readonly R[] {
    return this.#database.prepare(sql).all(...values) as R[];
  }
}

const MAX_CONNECTIONS = 8;
const SCHEMA = 'playbyplay_service';

class PostgresDatabase implements Database {
  readonly #pool: Pool;

  private constructor(pool: Pool) {
    this.#pool = pool;
  }

  static async open(url: string): Promise<PostgresDatabase> {
    const pool = new Pool({
      connectionString: url,
      max: MAX_CONNECTIONS,
      connectionTimeoutMillis: BUSY_TIMEOUT_MS,
      options: `-c search_path=${SCHEMA}`,
      application_name: 'playbyplay',
    });
    pool.on('error', () => undefined);
    const database = new PostgresDatabase(pool);
    // Under the lock of transactions: of two processes that start at one time, one would fail.
    await database.transaction(({ all }) => all(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`));
    return database;
  }

  async all<R extends Row>(sql: string, ...values: readonly Value[]): Promise<readonly R[]> {
    return runQuery<R>(this.#pool, sql, values);
  }

  async transaction<T>(call: (queries: Queries) => Promise<T>): Promise<T> {
    return inTransaction(this.#pool, async (client) => {
      // One after the other, as in SQLite: what a transaction read still holds when it writes.
      await client.query('SELECT pg_advisory_xact_lock(hashtext($1))', [SCHEMA]);
      return await call({ all: (sql, ...values) => runQuery(client, sql, values) });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.end();
  }
}

async function runQuery<R extends Row>(
  client: Pool | PoolClient,
  sql: string,
  values: readonly Value[],
): Promise<readonly R[]> {
  let count = 0;
  const { rows } = await client.query<R>(
    sql.replaceAll('?', () => `$${++count}`),
    [...values],
  );
  return rows;
}
