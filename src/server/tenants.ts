import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { PlaybyplayError } from '../errors.ts';
import type { Database, Queries, Row } from './database.ts';

/** What a key may do: `read` asks, `write` uploads and deletes, `admin` manages keys and webhooks. */
export const SCOPES = ['read', 'write', 'admin'] as const;

/** What a key may do. */
export type Scope = (typeof SCOPES)[number];

/** A customer of a service, who sees nothing of others. */
export interface Tenant {
  readonly id: string;
  readonly name: string;
  /** Bytes of recordings that may be stored. */
  readonly maxBytes: number;
  readonly maxRecordingsPerDay: number;
}

/** Who makes a request. */
export interface Caller {
  readonly tenant: Tenant;
  /** Id of the key. */
  readonly key: string;
  readonly scopes: ReadonlySet<Scope>;
}

/** A key without its secret. */
export interface ListedKey {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Seconds since 1970. */
  readonly created: number;
}

/** What tenants may store unless it is said otherwise. */
export const DEFAULT_QUOTA = { maxBytes: 100 * 2 ** 30, maxRecordingsPerDay: 1000 } as const;

/** Keys begin like this, so that scanners for leaked secrets know them. */
const KEY_PREFIX = 'pbp';
const SECRET_BYTES = 32;

/** Tenants and their keys. */
export class Tenants {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Adds a tenant with a key that may do everything, which is returned this once. Throws PlaybyplayError `tenant-exists`. */
  async add(
    name: string,
    quota: { readonly maxBytes: number; readonly maxRecordingsPerDay: number } = DEFAULT_QUOTA,
  ): Promise<{ readonly tenant: Tenant; readonly key: string }> {
    return this.#database.transaction(async (queries) => {
      const [known] = await queries.all('SELECT id FROM tenant WHERE name = ?', name);
      if (known) throw new PlaybyplayError('tenant-exists', `there is a tenant called ${name}`);
      const tenant = { id: randomUUID(), name, ...quota };
      await queries.all(
        'INSERT INTO tenant (id, name, created, max_bytes, max_recordings_per_day) VALUES (?, ?, ?, ?, ?)',
        tenant.id,
        name,
        now(),
        quota.maxBytes,
        quota.maxRecordingsPerDay,
      );
      const { key } = await insertKey(queries, tenant.id, 'first', SCOPES);
      return { tenant, key };
    });
  }

  async list(): Promise<readonly Tenant[]> {
    return (await this.#database.all('SELECT * FROM tenant ORDER BY name')).map(toTenant);
  }

  /** Adds a key, which is returned this once. */
  async addKey(
    tenant: string,
    name: string,
    scopes: readonly Scope[],
  ): Promise<{ readonly id: string; readonly key: string }> {
    return insertKey(this.#database, tenant, name, scopes);
  }

  async listKeys(tenant: string): Promise<readonly ListedKey[]> {
    const rows = await this.#database.all('SELECT * FROM api_key WHERE tenant = ? ORDER BY created', tenant);
    return rows.map(({ id, name, scopes, created }) => ({
      id: String(id),
      name: String(name),
      scopes: String(scopes).split(' ') as Scope[],
      created: Number(created),
    }));
  }

  /** Revokes a key; false if the tenant has none of that id. */
  async removeKey(tenant: string, id: string): Promise<boolean> {
    const rows = await this.#database.all('DELETE FROM api_key WHERE tenant = ? AND id = ? RETURNING id', tenant, id);
    return rows.length > 0;
  }

  /** Who has a key; `undefined` if it is none. */
  async authenticate(key: string): Promise<Caller | undefined> {
    const [, id, secret] = /^pbp_([\da-f]{16})_([\w-]{43})$/.exec(key) ?? [];
    if (id === undefined || secret === undefined) return undefined;
    const sql = `SELECT tenant.*, api_key.hash, api_key.scopes FROM api_key JOIN tenant ON tenant.id = api_key.tenant
      WHERE api_key.id = ?`;
    const [row] = await this.#database.all(sql, id);
    if (!row || !timingSafeEqual(Buffer.from(String(row['hash'])), Buffer.from(hashSecret(secret)))) return undefined;
    return { tenant: toTenant(row), key: id, scopes: new Set(String(row['scopes']).split(' ') as Scope[]) };
  }
}

async function insertKey(
  queries: Queries,
  tenant: string,
  name: string,
  scopes: readonly Scope[],
): Promise<{ readonly id: string; readonly key: string }> {
  const id = randomBytes(8).toString('hex');
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  await queries.all(
    'INSERT INTO api_key (id, tenant, name, hash, scopes, created) VALUES (?, ?, ?, ?, ?, ?)',
    id,
    tenant,
    name,
    hashSecret(secret),
    scopes.join(' '),
    now(),
  );
  return { id, key: `${KEY_PREFIX}_${id}_${secret}` };
}

/** A secret of 256 random bits cannot be found by trying: a plain hash suffices, unlike for passwords. */
function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

function toTenant({ id, name, max_bytes: maxBytes, max_recordings_per_day: perDay }: Row): Tenant {
  return { id: String(id), name: String(name), maxBytes: Number(maxBytes), maxRecordingsPerDay: Number(perDay) };
}

/** Seconds since 1970. */
export function now(): number {
  return Date.now() / 1000;
}
