import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { lookup as resolveName } from 'node:dns';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { messageOf, PlaybyplayError } from '../errors.ts';
import { VERSION } from '../version.ts';
import type { Database, Queries } from './database.ts';
import { now } from './tenants.ts';

/** An address that is called when something happens. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  /** Seconds since 1970. */
  readonly created: number;
}

/** A call of a webhook. */
export interface Delivery {
  readonly id: string;
  readonly event: string;
  /** `waiting` calls are made or repeated when they are due. */
  readonly state: 'waiting' | 'done' | 'failed';
  readonly attempt: number;
  /** What the last attempt came to: an HTTP status or an error. */
  readonly status: string | undefined;
  readonly created: number;
}

const DEFAULT_RETRY_SECONDS: readonly number[] = [5, 30, 120, 600, 1800, 7200, 14_400, 28_800];
const TIMEOUT_MS = 10_000;
const MAX_WEBHOOKS = 20;
/** Calls made at once. */
const CALLS_AT_ONCE = 8;
const SECRET_BYTES = 32;

/** Addresses that are not of the internet (IANA special-purpose registries, RFC 6890): a service must not be made to call them. */
const PRIVATE = new BlockList();
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  PRIVATE.addSubnet(net, prefix, 'ipv4');
for (const [net, prefix] of [
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  PRIVATE.addSubnet(net, prefix, 'ipv6');

/** Whether an IP address is not one of the internet. */
export function isPrivateAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 0) return true;
  // ::ffff:127.0.0.1 is checked as the IPv4 address that it contains.
  return PRIVATE.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

/**
 * The signature of a call: `t=<seconds since 1970>,v1=<HMAC-SHA256 of "t.body" by the webhook's secret, in hex>`. A receiver
 * computes it again, and refuses calls whose time is long past.
 */
function signBody(secret: string, body: string, seconds: number): string {
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}

/** Options of {@link Webhooks}. */
export interface WebhookOptions {
  /** Whether addresses of private networks and plain HTTP are allowed, as within a company. */
  readonly allowPrivate?: boolean;
  /** Seconds after which a call that failed is repeated, once for each. Default: 5 s to 8 hours, 14 hours in all. */
  readonly retrySeconds?: readonly number[] | undefined;
  readonly onAttempt?: (outcome: 'done' | 'retry' | 'failed') => void;
}

/** The webhooks of tenants, and the calls that are to be made. */
export class Webhooks {
  readonly #database: Database;
  readonly #options: WebhookOptions;

  constructor(database: Database, options: WebhookOptions = {}) {
    this.#database = database;
    this.#options = options;
  }

  /** Adds a webhook; its secret is returned this once. Throws PlaybyplayError `bad-webhook`. */
  async add(tenant: string, url: string): Promise<Webhook & { readonly secret: string }> {
    this.#check(url);
    const webhook = { id: randomUUID(), url, created: now() };
    const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64url')}`;
    return this.#database.transaction(async (queries) => {
      const [row] = await queries.all('SELECT count(*) AS number FROM webhook WHERE tenant = ?', tenant);
      if (Number(row!['number']) >= MAX_WEBHOOKS)
        throw new PlaybyplayError('bad-webhook', `there are ${MAX_WEBHOOKS} webhooks already`);
      const sql = 'INSERT INTO webhook (id, tenant, url, secret, created) VALUES (?, ?, ?, ?, ?)';
      await queries.all(sql, webhook.id, tenant, url, secret, webhook.created);
      return { ...webhook, secret };
    });
  }

  async list(tenant: string): Promise<readonly Webhook[]> {
    const sql = 'SELECT id, url, created FROM webhook WHERE tenant = ? ORDER BY created';
    const rows = await this.#database.all(sql, tenant);
    return rows.map(({ id, url, created }) => ({ id: String(id), url: String(url), created: Number(created) }));
  }

  /** @throws PlaybyplayError `no-such-webhook`, also for one of another tenant. */
  async remove(tenant: string, id: string): Promise<void> {
    const rows = await this.#database.all('DELETE FROM webhook WHERE tenant = ? AND id = ? RETURNING id', tenant, id);
    if (rows.length === 0) throw noSuchWebhook();
  }

  /** The last calls of a webhook. Throws as `remove`. */
  async deliveries(tenant: string, id: string): Promise<readonly Delivery[]> {
    const [webhook] = await this.#database.all('SELECT id FROM webhook WHERE tenant = ? AND id = ?', tenant, id);
    if (!webhook) throw noSuchWebhook();
    const sql = 'SELECT * FROM delivery WHERE webhook = ? ORDER BY created DESC LIMIT 100';
    return (await this.#database.all(sql, id)).map((row) => ({
      id: String(row['id']),
      event: String(row['event']),
      state: row['state'] as Delivery['state'],
      attempt: Number(row['attempt']),
      status: (row['status'] as string | null) ?? undefined,
      created: Number(row['created']),
    }));
  }

  /** Stores calls about an event, in the transaction that makes it true. */
  async announce(tenant: string, event: string, data: object, queries: Queries): Promise<void> {
    const sql = `INSERT INTO delivery (id, webhook, event, body, state, attempt, due, created)
      VALUES (?, ?, ?, ?, 'waiting', 0, ?, ?)`;
    for (const { id } of await queries.all('SELECT id FROM webhook WHERE tenant = ?', tenant)) {
      const delivery = randomUUID();
      const body = JSON.stringify({ id: delivery, event, created: now(), data });
      await queries.all(sql, delivery, id!, event, body, now(), now());
    }
  }

  /** Makes the calls that are due. Each is made at least once; receivers know repetitions by the id. */
  async deliverDue(): Promise<void> {
    const due = await this.#database.transaction(async (queries) => {
      const sql = `SELECT delivery.id, body, attempt, url, secret FROM delivery JOIN webhook ON webhook.id = delivery.webhook
        WHERE state = 'waiting' AND due <= ? ORDER BY due LIMIT ?`;
      const rows = await queries.all(sql, now(), CALLS_AT_ONCE);
      // Another server does not make them meanwhile; if this one is killed, they are due again.
      for (const { id } of rows)
        await queries.all('UPDATE delivery SET due = ? WHERE id = ?', now() + (2 * TIMEOUT_MS) / 1000, id!);
      return rows;
    });
    await Promise.all(
      due.map(async ({ id, body, attempt, url, secret }) => {
        const status = await this.#call(String(url), String(secret), String(id), String(body));
        const isDone = /^2\d\d$/.test(status);
        const wait = (this.#options.retrySeconds ?? DEFAULT_RETRY_SECONDS)[Number(attempt)];
        const state = isDone ? 'done' : wait === undefined ? 'failed' : 'waiting';
        this.#options.onAttempt?.(state === 'waiting' ? 'retry' : state);
        const sql = 'UPDATE delivery SET state = ?, status = ?, attempt = attempt + 1, due = ? WHERE id = ?';
        await this.#database.all(sql, state, status, now() + (wait ?? 0), id!);
      }),
    );
  }

  #check(text: string): void {
    let url: URL;
    try {
      url = new URL(text);
    } catch {
      throw badWebhook('the address of a webhook must be a URL');
    }
    const { allowPrivate = false } = this.#options;
    if (url.username !== '' || url.password !== '')
      throw badWebhook('the address of a webhook must not contain a password');
    if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:'))
      throw badWebhook('the address of a webhook must begin with https://');
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const isPrivate =
      isIP(host) === 0 ? /^localhost$|\.(?:localhost|local|internal)$/i.test(host) : isPrivateAddress(host);
    if (isPrivate && !allowPrivate) throw badWebhook('the address of a webhook must be one of the internet');
  }

  /** Calls an address once; returns the HTTP status or what went wrong. */
  async #call(url: string, secret: string, id: string, body: string): Promise<string> {
    const request = url.startsWith('https:') ? requestHttps : requestHttp;
    const { allowPrivate = false } = this.#options;
    const { promise, resolve } = Promise.withResolvers<string>();
    try {
      this.#check(url);
      const call = request(url, {
        method: 'POST',
        // The address that was checked is the one that is called: a name may mean another one a moment later.
        ...(!allowPrivate && { lookup: publicLookup }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'user-agent': `playbyplay/${VERSION}`,
          'playbyplay-delivery': id,
          'playbyplay-signature': signBody(secret, body, Math.floor(now())),
        },
      });
      call.on('response', (response) => {
        // What it says is of no interest, and a redirection is not followed.
        response.destroy();
        resolve(String(response.statusCode));
      });
      call.on('error', (error) => resolve(messageOf(error)));
      call.end(body);
    } catch (error) {
      resolve(messageOf(error));
    }
    return promise;
  }
}

/** Resolves names to addresses of the internet only. */
const publicLookup: LookupFunction = (name, options, callback) => {
  resolveName(name, { ...options, all: true }, (error, found) => {
    if (error) return callback(error, []);
    const bad = found.find(({ address }) => isPrivateAddress(address));
    if (bad) return callback(new Error(`${name} is not on the internet`), []);
    if (options.all === true) return callback(null, found);
    const [first] = found;
    callback(null, first!.address, first!.family);
  });
};

function badWebhook(message: string): PlaybyplayError {
  return new PlaybyplayError('bad-webhook', message);
}

function noSuchWebhook(): PlaybyplayError {
  return new PlaybyplayError('no-such-webhook', 'there is no such webhook');
}
