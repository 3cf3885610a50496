import { Pool, type PoolClient } from 'pg';
import { type Db, PgBoss } from 'pg-boss';
import { messageOf, PlaybyplayError } from '../errors.ts';
import { inTransaction } from './postgres-transaction.ts';
import {
  type FollowingJobs,
  HEARTBEAT_TIMEOUT_SECONDS,
  type JobFailure,
  type JobQueue,
  type Lease,
  type ListedJob,
  MAX_ATTEMPTS,
  type NewJob,
} from './queue.ts';
import { lostFailure } from './sqlite-queue.ts';

/** The queue within pg-boss. */
const QUEUE = 'recordings';
const BOSS_SCHEMA = 'playbyplay_boss';
/** Seconds between two searches for jobs whose heartbeats stopped. */
const SUPERVISE_INTERVAL_SECONDS = 10;
/** pg-boss gives up a job that is active for longer: its limit, as long recordings take hours. */
const EXPIRE_SECONDS = 24 * 3600 - 1;
/** Attempts are counted here, where those that a stopping worker gives back do not count. */
const BOSS_RETRIES = 10_000;
const MAX_CONNECTIONS = 4;
const CONNECT_TIMEOUT_MS = 10_000;

const TABLES = `
CREATE SCHEMA IF NOT EXISTS playbyplay_queue;
CREATE TABLE IF NOT EXISTS playbyplay_queue.job (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id uuid NOT NULL UNIQUE, batch text NOT NULL, name text NOT NULL,
  work jsonb NOT NULL, state text NOT NULL DEFAULT 'waiting', attempt integer NOT NULL DEFAULT 0, failure jsonb, result jsonb
);
CREATE INDEX IF NOT EXISTS job_batch ON playbyplay_queue.job (batch, number);
`;

const JOBS = 'playbyplay_queue.job';

interface Row extends NewJob {
  readonly state: ListedJob['state'];
  readonly attempt: number;
  readonly failure: JobFailure | null;
  readonly result: unknown;
}

/** A lease with what pg-boss calls the attempt. */
interface BossLease extends Lease {
  readonly claim: { readonly id: string; readonly retryCount: number };
}

/**
 * A queue in a PostgreSQL database, for workers on any number of machines. pg-boss delivers the jobs and notices workers that
 * are gone; what is to be done and what came of it stands in a table next to it and changes in the same transactions.
 */
export class PostgresQueue implements JobQueue {
  readonly #pool: Pool;
  readonly #boss: PgBoss;

  private constructor(pool: Pool, boss: PgBoss) {
    this.#pool = pool;
    this.#boss = boss;
  }

  /**
   * Opens the queue, creating it where there is none.
   *
   * @param url `postgres://user:password@host/database`
   * @param options `timeoutSeconds`: after which a job without heartbeat is given to another worker; at least 10.
   * @throws PlaybyplayError `queue-unreachable`.
   */
  static async open(
    url: string,
    { timeoutSeconds = HEARTBEAT_TIMEOUT_SECONDS }: { readonly timeoutSeconds?: number } = {},
  ): Promise<PostgresQueue> {
    const pool = new Pool({
      connectionString: url,
      max: MAX_CONNECTIONS,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      application_name: 'playbyplay',
    });
    // A connection that is lost while nobody uses it is replaced by the next call.
    pool.on('error', () => undefined);
    const boss = new PgBoss({
      db: { executeSql: (text, values) => pool.query(text, values) },
      schema: BOSS_SCHEMA,
      schedule: false,
      superviseIntervalSeconds: SUPERVISE_INTERVAL_SECONDS,
      monitorIntervalSeconds: SUPERVISE_INTERVAL_SECONDS,
    });
    // Its timers go on after an error; calls that need an answer throw.
    boss.on('error', () => undefined);
    try {
      await inTransaction(pool, async (client) => {
        // Two processes that start at one time would both create schemas and tables.
        await client.query("SELECT pg_advisory_xact_lock(hashtext('playbyplay_queue'))");
        await client.query(TABLES);
        await boss.start();
        await boss.createQueue(QUEUE, {
          policy: 'standard',
          retryLimit: BOSS_RETRIES,
          expireInSeconds: EXPIRE_SECONDS,
          heartbeatSeconds: timeoutSeconds,
        });
        await boss.updateQueue(QUEUE, { heartbeatSeconds: timeoutSeconds });
      });
      return new PostgresQueue(pool, boss);
    } catch (cause) {
      await boss.stop({ graceful: false }).catch(() => undefined);
      await pool.end();
      throw unreachable(cause);
    }
  }

  async add(jobs: readonly NewJob[]): Promise<number> {
    return this.#transaction((client, db) => this.#insert(client, db, jobs));
  }

  async take(): Promise<Lease | undefined> {
    for (;;) {
      const [claim] = await this.#call(() => this.#boss.fetch<{ id: string }>(QUEUE, { includeMetadata: true }));
      if (!claim) return undefined;
      const lease = await this.#transaction((client, db) => this.#begin(client, db, claim));
      if (lease) return lease;
    }
  }

  async beat(lease: Lease): Promise<boolean> {
    const response: { readonly affected?: number } = await this.#call(() =>
      this.#boss.touch(QUEUE, (lease as BossLease).claim),
    );
    return response.affected === 1;
  }

  async complete(lease: Lease, result: unknown, following?: FollowingJobs): Promise<boolean> {
    const { job, attempt } = lease;
    return this.#transaction(async (client, db) => {
      // Of two last parts of a recording, the second must see the first.
      await client.query('SELECT pg_advisory_xact_lock(hashtext($1))', [job.batch]);
      const sql = `UPDATE ${JOBS} SET state = 'done', result = $3, failure = NULL
        WHERE id = $1 AND attempt = $2 AND state = 'running'`;
      const { rowCount } = await client.query(sql, [job.id, attempt, JSON.stringify(result)]);
      if (rowCount === 0) return false;
      if (following) {
        const done = await client.query<{ id: string }>(`SELECT id FROM ${JOBS} WHERE batch = $1 AND state = 'done'`, [
          job.batch,
        ]);
        await this.#insert(client, db, following(new Set(done.rows.map(({ id }) => id))));
      }
      // Where pg-boss has given it up meanwhile, it delivers the job again, and `take` finds that it is done.
      await this.#boss.complete(QUEUE, (lease as BossLease).claim, null, { db });
      return true;
    });
  }

  async fail(
    lease: Lease,
    failure: JobFailure,
    { isFinal = false, isFree = false }: { readonly isFinal?: boolean; readonly isFree?: boolean } = {},
  ): Promise<void> {
    const { job, attempt } = lease;
    const { claim } = lease as BossLease;
    const isOver = isFinal || (!isFree && attempt >= MAX_ATTEMPTS);
    await this.#transaction(async (client, db) => {
      const sql = `UPDATE ${JOBS} SET state = $3, failure = $4, attempt = attempt - $5
        WHERE id = $1 AND attempt = $2 AND state = 'running'`;
      const failed = isFree ? null : JSON.stringify(failure);
      const { rowCount } = await client.query(sql, [
        job.id,
        attempt,
        isOver ? 'failed' : 'waiting',
        failed,
        isFree ? 1 : 0,
      ]);
      if (rowCount === 0) return;
      if (isOver) await this.#boss.complete(QUEUE, claim, null, { db });
      else await this.#boss.fail(QUEUE, claim, null, { db });
    });
  }

  async list(batch: string): Promise<readonly ListedJob[]> {
    const sql = `SELECT id, batch, name, work, state, attempt, failure, result FROM ${JOBS} WHERE batch = $1 ORDER BY number`;
    const { rows } = await this.#call(() => this.#pool.query<Row>(sql, [batch]));
    return rows.map((row) => ({ ...row, failure: row.failure ?? undefined, result: row.result ?? undefined }));
  }

  async countOpen(batch: string): Promise<number> {
    const sql = `SELECT count(*)::integer AS open FROM ${JOBS} WHERE batch = $1 AND state IN ('waiting', 'running')`;
    const { rows } = await this.#call(() => this.#pool.query<{ open: number }>(sql, [batch]));
    return rows[0]!.open;
  }

  async retry(ids: readonly string[]): Promise<void> {
    await this.#transaction(async (client, db) => {
      const sql = `UPDATE ${JOBS} SET state = 'waiting', attempt = 0, failure = NULL
        WHERE id = ANY($1) AND state = 'failed' RETURNING id`;
      const { rows } = await client.query<{ id: string }>(sql, [ids]);
      await this.#deliver(db, rows);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#boss.stop({ graceful: false }).catch(() => undefined);
    await this.#pool.end();
  }

  /** Notes that a delivered job is begun; `undefined` where it is done, set aside, or has to be. */
  async #begin(
    client: PoolClient,
    db: Db,
    {
      id: bossId,
      retryCount,
      data,
    }: { readonly id: string; readonly retryCount: number; readonly data: { readonly id: string } },
  ): Promise<BossLease | undefined> {
    const claim = { id: bossId, retryCount };
    const { rows } = await client.query<Row>(
      `SELECT id, batch, name, work, state, attempt FROM ${JOBS} WHERE id = $1 FOR UPDATE`,
      [data.id],
    );
    const [row] = rows;
    if (!row || row.state === 'done' || row.state === 'failed' || row.attempt >= MAX_ATTEMPTS) {
      const sql = `UPDATE ${JOBS} SET state = 'failed', failure = coalesce(failure, $2) WHERE id = $1 AND state = 'running'`;
      await client.query(sql, [data.id, JSON.stringify(lostFailure())]);
      await this.#boss.complete(QUEUE, claim, null, { db });
      return undefined;
    }
    await client.query(`UPDATE ${JOBS} SET state = 'running', attempt = attempt + 1 WHERE id = $1`, [data.id]);
    const { id, batch, name, work } = row;
    return { job: { id, batch, name, work }, attempt: row.attempt + 1, claim };
  }

  async #insert(client: PoolClient, db: Db, jobs: readonly NewJob[]): Promise<number> {
    const added: { readonly id: string }[] = [];
    for (const { id, batch, name, work } of jobs) {
      const sql = `INSERT INTO ${JOBS} (id, batch, name, work) VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO NOTHING`;
      const { rowCount } = await client.query(sql, [id, batch, name, JSON.stringify(work)]);
      if (rowCount === 1) added.push({ id });
    }
    await this.#deliver(db, added);
    return added.length;
  }

  async #deliver(db: Db, jobs: readonly { readonly id: string }[]): Promise<void> {
    if (jobs.length > 0)
      await this.#boss.insert(
        QUEUE,
        jobs.map(({ id }) => ({ data: { id } })),
        { db },
      );
  }

  async #transaction<T>(run: (client: PoolClient, db: Db) => Promise<T>): Promise<T> {
    return this.#call(() =>
      inTransaction(this.#pool, (client) => run(client, { executeSql: (text, values) => client.query(text, values) })),
    );
  }

  async #call<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (cause) {
      throw unreachable(cause);
    }
  }
}

function unreachable(cause: unknown): PlaybyplayError {
  const [first] = (cause as { readonly errors?: readonly unknown[] }).errors ?? [cause];
  return new PlaybyplayError('queue-unreachable', `the queue cannot be used: ${messageOf(first)}`, {
    hint: 'Check the address, user and password of its database, and whether the server runs.',
    cause,
  });
}
