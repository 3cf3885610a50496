import { PlaybyplayError } from '../errors.ts';
import type { JobFailure } from '../batch/queue.ts';
import type { WorkResult } from '../batch/work.ts';
import type { Database, Queries, Row } from './database.ts';
import { now, type Tenant } from './tenants.ts';

/** `uploading` → `queued` → `done` or `failed`. */
export type RecordingState = 'uploading' | 'queued' | 'done' | 'failed';

/** A recording of a tenant. */
export interface Recording {
  readonly id: string;
  readonly tenant: string;
  /** Name of the file, as it was uploaded. */
  readonly name: string;
  /** Name of a game, or `auto`. */
  readonly game: string;
  /** Where the file is. */
  readonly media: string;
  /** Where the folder of its log is made. */
  readonly folder: string;
  readonly bytes: number;
  readonly state: RecordingState;
  readonly failure: JobFailure | undefined;
  readonly result: WorkResult | undefined;
  /** Seconds since 1970. */
  readonly created: number;
}

/** How much a tenant uses of what it may. */
export interface Usage {
  readonly bytes: number;
  readonly maxBytes: number;
  /** Of the last 24 hours. */
  readonly recordingsPerDay: number;
  readonly maxRecordingsPerDay: number;
}

const DAY_SECONDS = 24 * 3600;

/** The recordings of a service. Whoever reads or changes one for a caller names the tenant, and sees those of no other. */
export class Recordings {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Adds a recording that is going to be uploaded.
   *
   * @throws PlaybyplayError `quota-exceeded`.
   */
  async add(
    tenant: Tenant,
    recording: Pick<Recording, 'id' | 'name' | 'game' | 'media' | 'folder' | 'bytes'>,
  ): Promise<void> {
    await this.#database.transaction(async (queries) => {
      const usage = await usageOf(queries, tenant);
      if (usage.bytes + recording.bytes > usage.maxBytes)
        throw new PlaybyplayError('quota-exceeded', `the recordings would take more than ${usage.maxBytes} bytes`, {
          hint: 'Delete recordings, or ask for a larger quota.',
        });
      if (usage.recordingsPerDay >= usage.maxRecordingsPerDay)
        throw new PlaybyplayError(
          'quota-exceeded',
          `the limit of ${usage.maxRecordingsPerDay} recordings per day is reached`,
          {
            hint: 'Try again later, or ask for a larger quota.',
          },
        );
      const { id, name, game, media, folder, bytes } = recording;
      await queries.all(
        `INSERT INTO recording (id, tenant, name, game, media, folder, bytes, state, created)
          VALUES (?, ?, ?, ?, ?, ?, ?, 'uploading', ?)`,
        id,
        tenant.id,
        name,
        game,
        media,
        folder,
        bytes,
        now(),
      );
    });
  }

  async usage(tenant: Tenant): Promise<Usage> {
    return usageOf(this.#database, tenant);
  }

  /** The recordings of a tenant, the newest first. */
  async list(
    tenant: string,
    { limit, before = Number.MAX_SAFE_INTEGER }: { readonly limit: number; readonly before?: number | undefined },
  ): Promise<readonly Recording[]> {
    const sql = 'SELECT * FROM recording WHERE tenant = ? AND created < ? ORDER BY created DESC, id LIMIT ?';
    return (await this.#database.all(sql, tenant, before, limit)).map(toRecording);
  }

  /** @throws PlaybyplayError `no-such-recording`, also for one of another tenant. */
  async get(tenant: string, id: string): Promise<Recording> {
    const [row] = await this.#database.all('SELECT * FROM recording WHERE tenant = ? AND id = ?', tenant, id);
    if (!row) throw new PlaybyplayError('no-such-recording', 'there is no such recording');
    return toRecording(row);
  }

  /** Recordings of all tenants that wait or are being read. */
  async queued(): Promise<readonly Recording[]> {
    return (await this.#database.all("SELECT * FROM recording WHERE state = 'queued' ORDER BY created")).map(
      toRecording,
    );
  }

  /** Recordings of all tenants that are being uploaded. */
  async uploading(): Promise<readonly Recording[]> {
    return (await this.#database.all("SELECT * FROM recording WHERE state = 'uploading'")).map(toRecording);
  }

  /** Removes recordings whose upload began so many seconds ago and did not end. */
  async removeUnfinished(seconds: number): Promise<void> {
    await this.#database.all("DELETE FROM recording WHERE state = 'uploading' AND created < ?", now() - seconds);
  }

  /** Sets the state; false where the recording is not in the state that it is expected to be in. */
  async move(
    id: string,
    from: RecordingState,
    to: RecordingState,
    { failure, result }: { readonly failure?: JobFailure | undefined; readonly result?: WorkResult | undefined } = {},
    queries: Queries = this.#database,
  ): Promise<boolean> {
    const sql = 'UPDATE recording SET state = ?, failure = ?, result = ? WHERE id = ? AND state = ? RETURNING id';
    const values = [toJson(failure), toJson(result), id, from];
    return (await queries.all(sql, to, ...values)).length > 0;
  }

  async remove(tenant: string, id: string): Promise<void> {
    await this.#database.all('DELETE FROM recording WHERE tenant = ? AND id = ?', tenant, id);
  }
}

async function usageOf(queries: Queries, { id, maxBytes, maxRecordingsPerDay }: Tenant): Promise<Usage> {
  const sql = `SELECT coalesce(sum(bytes), 0) AS bytes, count(CASE WHEN created > ? THEN 1 END) AS recordings
    FROM recording WHERE tenant = ?`;
  const [row] = await queries.all(sql, now() - DAY_SECONDS, id);
  return { bytes: Number(row!['bytes']), maxBytes, recordingsPerDay: Number(row!['recordings']), maxRecordingsPerDay };
}

function toJson(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

function fromJson<T>(value: Row[string] | undefined): T | undefined {
  return typeof value === 'string' ? (JSON.parse(value) as T) : undefined;
}

function toRecording(row: Row): Recording {
  return {
    id: String(row['id']),
    tenant: String(row['tenant']),
    name: String(row['name']),
    game: String(row['game']),
    media: String(row['media']),
    folder: String(row['folder']),
    bytes: Number(row['bytes']),
    state: row['state'] as RecordingState,
    failure: fromJson(row['failure']),
    result: fromJson(row['result']),
    created: Number(row['created']),
  };
}
