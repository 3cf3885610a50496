import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { messageOf, PlaybyplayError } from '../errors.ts';
import {
  type FollowingJobs,
  HEARTBEAT_TIMEOUT_SECONDS,
  type JobFailure,
  type JobQueue,
  type Lease,
  type ListedJob,
  MAX_ATTEMPTS,
  type NewJob,
  WORKER_LOST,
} from './queue.ts';

/** How long a worker waits for another one, in milliseconds. */
const BUSY_TIMEOUT_MS = 30_000;
/** Marks an SQLite file as a queue ("pbpq"), see sqlite.org/fileformat.html#application_id. */
const QUEUE_ID = 0x70627071;
const TABLES_VERSION = 1;

const TABLES = `
CREATE TABLE job (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, batch TEXT NOT NULL, name TEXT NOT NULL, work TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'waiting', attempt INTEGER NOT NULL DEFAULT 0, expires REAL, failure TEXT, result TEXT
);
CREATE INDEX job_state ON job (state, number);
CREATE INDEX job_batch ON job (batch, number);
`;

interface Row {
  readonly id: string;
  readonly batch: string;
  readonly name: string;
  readonly work: string;
  readonly state: ListedJob['state'];
  readonly attempt: number;
  readonly failure: string | null;
  readonly result: string | null;
}

/** A queue in an SQLite file, for the workers of one machine. */
export class SqliteQueue implements JobQueue {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #timeoutSeconds: number;
  readonly #now: () => number;

  private constructor(path: string, database: DatabaseSync, timeoutSeconds: number, now: () => number) {
    this.#path = path;
    this.#database = database;
    this.#timeoutSeconds = timeoutSeconds;
    this.#now = now;
  }

  /**
   * Opens the queue, creating it where there is none.
   *
   * @param options `timeoutSeconds`: after which a job without heartbeat is given to another worker; `now`: the time in seconds.
   * @throws PlaybyplayError `queue-invalid`.
   */
  static open(
    path: string,
    {
      timeoutSeconds = HEARTBEAT_TIMEOUT_SECONDS,
      now = () => Date.now() / 1000,
    }: { readonly timeoutSeconds?: number; readonly now?: () => number } = {},
  ): SqliteQueue {
    let database: DatabaseSync | undefined;
    try {
      database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
      prepareTables(database);
      return new SqliteQueue(path, database, timeoutSeconds, now);
    } catch (cause) {
      database?.close();
      throw new PlaybyplayError('queue-invalid', `${path} cannot be opened as a queue: ${messageOf(cause)}`, {
        hint: 'Name another file with --queue.',
        cause,
      });
    }
  }

  async add(jobs: readonly NewJob[]): Promise<number> {
    return this.#transaction(() => this.#insert(jobs));
  }

  async take(): Promise<Lease | undefined> {
    return this.#transaction(() => {
      const now = this.#now();
      // What killed its workers too often would kill this one, too.
      this.#prepare(
        `UPDATE job SET state = 'failed', failure = coalesce(failure, ?)
          WHERE state = 'running' AND expires < ? AND attempt >= ?`,
      ).run(JSON.stringify(lostFailure()), now, MAX_ATTEMPTS);
      const row = this.#prepare(
        `UPDATE job SET state = 'running', attempt = attempt + 1, expires = ? WHERE number = (
          SELECT number FROM job WHERE state = 'waiting' OR (state = 'running' AND expires < ?) ORDER BY number LIMIT 1
        ) RETURNING *`,
      ).get(now + this.#timeoutSeconds, now) as Row | undefined;
      return row && { job: toJob(row), attempt: row.attempt };
    });
  }

  async beat({ job, attempt }: Lease): Promise<boolean> {
    const sql = `UPDATE job SET expires = ? WHERE id = ? AND attempt = ? AND state = 'running'`;
    return this.#transaction(
      () => Number(this.#prepare(sql).run(this.#now() + this.#timeoutSeconds, job.id, attempt).changes) > 0,
    );
  }

  async complete({ job, attempt }: Lease, result: unknown, following?: FollowingJobs): Promise<boolean> {
    return this.#transaction(() => {
      const sql = `UPDATE job SET state = 'done', result = ?, failure = NULL
        WHERE id = ? AND attempt = ? AND state = 'running'`;
      const { changes } = this.#prepare(sql).run(JSON.stringify(result), job.id, attempt);
      if (Number(changes) === 0) return false;
      if (following) {
        const done = this.#prepare(`SELECT id FROM job WHERE batch = ? AND state = 'done'`).all(job.batch);
        this.#insert(following(new Set(done.map(({ id }) => String(id)))));
      }
      return true;
    });
  }

  async fail(
    { job, attempt }: Lease,
    failure: JobFailure,
    { isFinal = false, isFree = false }: { readonly isFinal?: boolean; readonly isFree?: boolean } = {},
  ): Promise<void> {
    const isOver = isFinal || (!isFree && attempt >= MAX_ATTEMPTS);
    const sql = `UPDATE job SET state = ?, failure = ?, attempt = attempt - ?, expires = NULL
      WHERE id = ? AND attempt = ? AND state = 'running'`;
    this.#transaction(() =>
      this.#prepare(sql).run(
        isOver ? 'failed' : 'waiting',
        isFree ? null : JSON.stringify(failure),
        isFree ? 1 : 0,
        job.id,
        attempt,
      ),
    );
  }

  async list(batch: string): Promise<readonly ListedJob[]> {
    const rows = this.#prepare('SELECT * FROM job WHERE batch = ? ORDER BY number').all(batch) as unknown as Row[];
    return rows.map((row) => ({
      ...toJob(row),
      state: row.state,
      attempt: row.attempt,
      failure: row.failure === null ? undefined : (JSON.parse(row.failure) as JobFailure),
      result: row.result === null ? undefined : JSON.parse(row.result),
    }));
  }

  async countOpen(batch: string): Promise<number> {
    const sql = `SELECT count(*) AS open FROM job WHERE batch = ? AND state IN ('waiting', 'running')`;
    return Number(this.#prepare(sql).get(batch)?.['open']);
  }

  async retry(ids: readonly string[]): Promise<void> {
    const sql = `UPDATE job SET state = 'waiting', attempt = 0, failure = NULL WHERE id = ? AND state = 'failed'`;
    this.#transaction(() => {
      for (const id of ids) this.#prepare(sql).run(id);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#database.close();
  }

  #insert(jobs: readonly NewJob[]): number {
    const insert = this.#prepare(
      'INSERT INTO job (id, batch, name, work) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
    );
    let count = 0;
    for (const { id, batch, name, work } of jobs)
      count += Number(insert.run(id, batch, name, JSON.stringify(work)).changes);
    return count;
  }

  #prepare(sql: string): StatementSync {
    return this.#database.prepare(sql);
  }

  #transaction<T>(run: () => T): T {
    try {
      this.#database.exec('BEGIN IMMEDIATE');
      const result = run();
      this.#database.exec('COMMIT');
      return result;
    } catch (cause) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw new PlaybyplayError('queue-failed', `the queue ${this.#path} cannot be written: ${messageOf(cause)}`, {
        cause,
      });
    }
  }
}

/** The failure of a job whose workers ended without saying why. */
export function lostFailure(): JobFailure {
  return {
    code: WORKER_LOST,
    message: `its worker ended without a word, ${MAX_ATTEMPTS} times`,
    hint: 'Run detect on this recording alone: a damaged file may crash a decoder, and a long one may need more memory.',
  };
}

function toJob({ id, batch, name, work }: Row): NewJob {
  return { id, batch, name, work: JSON.parse(work) };
}

function prepareTables(database: DatabaseSync): void {
  const pragma = (name: string): number => Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
  const tables = Number(database.prepare('SELECT count(*) AS tables FROM sqlite_schema').get()?.['tables']);
  if (tables > 0 && pragma('application_id') !== QUEUE_ID) throw new Error('it is another database');
  if (tables > 0 && pragma('user_version') !== TABLES_VERSION) throw new Error('another version of playbyplay made it');
  // What is committed survives the machine's end, too: a finished recording is not read again.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; BEGIN IMMEDIATE');
  if (Number(database.prepare('SELECT count(*) AS tables FROM sqlite_schema').get()?.['tables']) === 0)
    database.exec(`PRAGMA application_id = ${QUEUE_ID}; ${TABLES} PRAGMA user_version = ${TABLES_VERSION};`);
  database.exec('COMMIT');
}
