import { createHash, timingSafeEqual } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { once } from 'node:events';
import { isIP, type AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import rateLimit from '@fastify/rate-limit';
import swagger from '@fastify/swagger';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  fastify,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteOptions,
} from 'fastify';
import type { JobQueue } from '../batch/queue.ts';
import { PlaybyplayError } from '../errors.ts';
import { FileStorage, type RecordingStorage } from '../files/file-storage.ts';
import { makeFolder } from '../files/folder.ts';
import { useProjectSchemas } from '../http/requests.ts';
import type { Query } from '../query/query.ts';
import { VERSION } from '../version.ts';
import { answerQuestion, explainQuestion, MAX_PAGE, statisticsOf } from './answers.ts';
import { type Database, openDatabase } from './database.ts';
import { Libraries } from './libraries.ts';
import { createMcpServer } from './mcp.ts';
import { Pipeline } from './pipeline.ts';
import { type Recording, Recordings } from './recordings.ts';
import { describePublicly } from './status.ts';
import { Telemetry } from './telemetry.ts';
import { type Caller, type Scope, SCOPES, type Tenant, Tenants } from './tenants.ts';
import { registerUploads } from './uploads.ts';
import { Webhooks } from './webhooks.ts';

/** Options of {@link startService}. */
export interface ServiceOptions {
  /** Folder for uploads, recordings and logs; of a service without `database` for everything. */
  readonly data: string;
  /** Address of a PostgreSQL database for tenants, jobs and libraries. Default: files in `data`. */
  readonly database?: string | undefined;
  /** Address of a bucket for recordings and logs, `s3://bucket/prefix`. Default: files in `data`. */
  readonly storage?: string | undefined;
  /** Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** Default: a free port. */
  readonly port?: number | undefined;
  /** Recordings that this process reads at once; 0: it only answers. */
  readonly workers: number;
  /** Bytes of an upload at most. */
  readonly maxUploadBytes?: number | undefined;
  /** Requests of a key within a minute. */
  readonly requestsPerMinute?: number | undefined;
  /** Whether webhooks may call private addresses. */
  readonly allowPrivateWebhooks?: boolean | undefined;
  /** See `WebhookOptions`. */
  readonly webhookRetrySeconds?: readonly number[] | undefined;
  /** Whether the addresses of clients stand in headers that a proxy sets. */
  readonly trustProxy?: boolean | undefined;
  /** The token with which `/metrics` is read. Without, only this machine reads it. */
  readonly metricsToken?: string | undefined;
  readonly log?: (message: string) => void;
}

/** A running service. Disposing of it answers what was asked, gives jobs back and closes everything. */
export interface Service extends AsyncDisposable {
  readonly address: string;
  readonly tenants: Tenants;
}

const DEFAULT_MAX_UPLOAD_BYTES = 50 * 2 ** 30;
const DEFAULT_REQUESTS_PER_MINUTE = 1200;
const MAX_BODY_BYTES = 1 << 20;
/** Milliseconds between two looks at a recording whose progress somebody follows. */
const PROGRESS_INTERVAL_MS = 300;
/** Requests of a tenant that may follow progress at one time. */
const MAX_WATCHERS = 50;
/** Milliseconds after which a stream without news is kept open by a comment. */
const KEEP_ALIVE_MS = 15_000;

declare module 'fastify' {
  interface FastifyRequest {
    /** Who makes the request; set where a key is needed. */
    caller: Caller | undefined;
  }
  interface FastifyContextConfig {
    /** What the key of a request must be allowed; `open`: no key is needed. Every route says it. */
    scope?: Scope | 'open';
  }
}

/** Opens what `startService` and the commands about tenants need. */
export async function openServiceDatabase({
  data,
  database,
}: Pick<ServiceOptions, 'data' | 'database'>): Promise<Database> {
  if (database !== undefined) return openDatabase(database);
  await makeFolder(resolve(data));
  return openDatabase(join(resolve(data), 'service.sqlite'));
}

/**
 * Starts the HTTP service: uploads, recordings, questions and webhooks of several tenants, see `/openapi.json`.
 *
 * @throws PlaybyplayError `service-database`, `queue-unreachable`, `port-in-use`.
 *
 * @example
 * ```ts
 * await using service = await startService({ data: 'data', workers: 2 });
 * const { key } = await service.tenants.add('studio');
 * ```
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { workers, log = () => undefined, maxUploadBytes = DEFAULT_MAX_UPLOAD_BYTES } = options;
  const data = resolve(options.data);
  await using resources = new AsyncDisposableStack();
  const database = resources.use(await openServiceDatabase(options));
  const queue = resources.use(await openQueue(options, data));
  await makeFolder(join(data, 'libraries'));
  const uploads = join(data, 'uploads');
  await makeFolder(uploads);
  const libraries = resources.use(new Libraries(options.database ?? join(data, 'libraries')));
  const telemetry = new Telemetry();
  const tenants = new Tenants(database);
  const recordings = new Recordings(database);
  const storage = await openStorage(options, data, resources);
  const webhooks = new Webhooks(database, {
    allowPrivate: options.allowPrivateWebhooks ?? false,
    retrySeconds: options.webhookRetrySeconds,
    onAttempt: (outcome) => telemetry.webhooks.inc({ outcome }),
  });
  const pipeline = new Pipeline({ database, queue, recordings, storage, libraries, webhooks, telemetry, log });
  const stop = new AbortController();
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    trustProxy: options.trustProxy ?? false,
    forceCloseConnections: 'idle',
  });
  const context: RouteContext = {
    database,
    tenants,
    recordings,
    storage,
    libraries,
    webhooks,
    pipeline,
    telemetry,
    signal: stop.signal,
  };
  await prepareApp(app, context, options.requestsPerMinute ?? DEFAULT_REQUESTS_PER_MINUTE);
  registerOperations(app, context, options.metricsToken);
  registerRecordings(app, context);
  registerQuestions(app, context);
  registerTenant(app, context);
  const settleUploads = registerUploads(app, {
    folder: uploads,
    storage,
    recordings,
    pipeline,
    telemetry,
    maxBytes: maxUploadBytes,
    tenantOf,
  });
  try {
    await app.listen({ host: options.host ?? '127.0.0.1', port: options.port ?? 0 });
  } catch (error) {
    await app.close();
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new PlaybyplayError('port-in-use', `port ${options.port} is used by another program`, {
      hint: 'Choose another with --port.',
    });
  }
  const threads = Math.max(1, Math.floor(availableParallelism() / Math.max(1, workers)));
  const running = [
    pipeline.follow(settleUploads, stop.signal),
    workers > 0 ? pipeline.work({ workers, threads, signal: stop.signal }) : Promise.resolve(),
  ];
  const owned = resources.move();
  const { port, address: host } = app.server.address() as AddressInfo;
  return {
    address: `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`,
    tenants,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await app.close();
      await Promise.allSettled(running);
      await owned[Symbol.asyncDispose]();
    },
  };
}

/** Reads recordings for a service whose other processes answer, until the signal is aborted. */
export async function runServiceWorkers(
  options: Pick<ServiceOptions, 'data' | 'database' | 'storage' | 'log'> & { readonly workers: number },
  signal: AbortSignal,
): Promise<void> {
  const { workers, log = () => undefined } = options;
  const data = resolve(options.data);
  await using resources = new AsyncDisposableStack();
  const database = resources.use(await openServiceDatabase(options));
  const queue = resources.use(await openQueue(options, data));
  const libraries = resources.use(new Libraries(options.database ?? join(data, 'libraries')));
  const recordings = new Recordings(database);
  const webhooks = new Webhooks(database);
  const storage = await openStorage(options, data, resources);
  const telemetry = new Telemetry();
  const pipeline = new Pipeline({ database, queue, recordings, storage, libraries, webhooks, telemetry, log });
  const threads = Math.max(1, Math.floor(availableParallelism() / workers));
  await pipeline.work({ workers, threads, signal });
}

async function openQueue({ database }: Pick<ServiceOptions, 'database'>, data: string): Promise<JobQueue> {
  if (database !== undefined) {
    const { PostgresQueue } = await import('../batch/postgres-queue.ts');
    return PostgresQueue.open(database);
  }
  const { SqliteQueue } = await import('../batch/sqlite-queue.ts');
  return SqliteQueue.open(join(data, 'jobs.sqlite'));
}

async function openStorage(
  { storage }: Pick<ServiceOptions, 'storage'>,
  data: string,
  resources: AsyncDisposableStack,
): Promise<RecordingStorage> {
  if (storage === undefined) return new FileStorage(data);
  const { S3Storage } = await import('../files/s3-storage.ts');
  return resources.use(await S3Storage.open(storage, data));
}

/** What routes share. */
interface RouteContext {
  readonly database: Database;
  readonly tenants: Tenants;
  readonly recordings: Recordings;
  readonly storage: RecordingStorage;
  readonly libraries: Libraries;
  readonly webhooks: Webhooks;
  readonly pipeline: Pipeline;
  readonly telemetry: Telemetry;
  /** Aborted when the service stops. */
  readonly signal: AbortSignal;
}

async function prepareApp(app: FastifyInstance, { tenants, telemetry }: RouteContext, max: number): Promise<void> {
  useProjectSchemas(app);
  app.decorateRequest('caller', undefined);
  app.setErrorHandler<FastifyError>((error, _request, reply) => {
    const { status, body } = describePublicly(error);
    return reply.status(status).send(body);
  });
  app.setNotFoundHandler((_request, reply) =>
    reply.status(404).send({ code: 'no-such-page', message: 'there is nothing at this address' }),
  );
  telemetry.observe(app);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'playbyplay service',
        version: VERSION,
        description:
          'Upload recordings by tus 1.0 at /v1/uploads (metadata: filename, game), then ask what happened in them.',
      },
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'An API key: pbp_…' } } },
      security: [{ key: [] }],
    },
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
    const [, key] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (key !== undefined) request.caller = await tenants.authenticate(key);
  });
  await app.register(rateLimit, {
    max,
    timeWindow: '1 minute',
    hook: 'preValidation',
    keyGenerator: (request) => request.caller?.key ?? request.ip,
    allowList: (request) => request.url.startsWith('/health/'),
    errorResponseBuilder: (_request, { after }) =>
      new PlaybyplayError('too-many-requests', `too many requests; try again in ${after}`),
  });
  app.addHook('onRoute', ({ url, config, schema }) => {
    if (config?.scope === undefined) throw new RangeError(`the route ${url} does not say who may use it`);
    if (schema?.hide && config.scope !== 'open') throw new RangeError(`the route ${url} is not described`);
  });
  app.addHook('preValidation', async (request) => {
    // What is not found has no route.
    const { scope = 'open' } = request.routeOptions.config;
    if (scope !== 'open') checkCaller(request, scope);
  });
}

/** @throws PlaybyplayError `not-authenticated`, `not-allowed`. */
function checkCaller({ caller }: FastifyRequest, scope: Scope): void {
  if (!caller)
    throw new PlaybyplayError('not-authenticated', 'a valid API key is needed', {
      hint: 'Send it as "Authorization: Bearer pbp_…".',
    });
  if (!caller.scopes.has(scope)) throw new PlaybyplayError('not-allowed', `this API key lacks the scope ${scope}`);
}

/** The tenant of a request whose route has a scope. */
function tenantOf({ caller }: FastifyRequest): Tenant {
  return caller!.tenant;
}

/** Adds a route. */
function addRoute(
  app: FastifyInstance,
  method: 'GET' | 'POST' | 'DELETE',
  url: string,
  options: Pick<RouteOptions, 'config' | 'schema'>,
  handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
): void {
  app.route({ method, url, ...options, handler });
}

const ID = { type: 'object', required: ['id'], properties: { id: { type: 'string', maxLength: 64 } } } as const;
const QUESTION = {
  oneOf: [
    { type: 'string', minLength: 1, maxLength: 2000, description: 'A question in English.' },
    { type: 'object', required: ['find'], description: 'The structured form of a query.' },
  ],
} as const;

function registerOperations(
  app: FastifyInstance,
  { database, storage, telemetry, signal }: RouteContext,
  metricsToken: string | undefined,
): void {
  app.get(
    '/health/live',
    {
      config: { scope: 'open' },
      schema: { summary: 'Whether the process runs', tags: ['operations'], security: [] },
    },
    () => ({ status: 'ok' }),
  );
  addRoute(
    app,
    'GET',
    '/health/ready',
    {
      config: { scope: 'open' },
      schema: { summary: 'Whether requests can be answered', tags: ['operations'], security: [] },
    },
    async (_request, reply) => {
      const checks = {
        running: !signal.aborted,
        database: await database.all('SELECT 1 AS one').then(
          () => true,
          () => false,
        ),
        storage: await storage.isReady(),
      };
      const isReady = Object.values(checks).every(Boolean);
      return reply.status(isReady ? 200 : 503).send({ status: isReady ? 'ok' : 'unavailable', checks });
    },
  );
  addRoute(
    app,
    'GET',
    '/metrics',
    {
      config: { scope: 'open' },
      schema: { summary: 'Metrics in the text format of Prometheus', tags: ['operations'] },
    },
    async (request, reply) => {
      const { authorization = '' } = request.headers;
      const isAllowed =
        metricsToken === undefined
          ? isLoopback(request.socket.remoteAddress) && request.headers['x-forwarded-for'] === undefined
          : isSame(authorization, `Bearer ${metricsToken}`);
      if (!isAllowed)
        throw new PlaybyplayError('not-allowed', 'metrics need their own token, or a request from this machine');
      return reply.type(telemetry.registry.contentType).send(await telemetry.registry.metrics());
    },
  );
  app.get('/openapi.json', { config: { scope: 'open' }, schema: { hide: true } }, () => app.swagger());
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(?:::1$|(?:::ffff:)?127\.)/.test(address);
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Compares secrets in a time that says nothing about where they differ. */
function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(sha256(given), sha256(expected));
}

function registerRecordings(
  app: FastifyInstance,
  { recordings, storage, libraries, pipeline, signal }: RouteContext,
): void {
  const tags = ['recordings'];
  /** How many requests of each tenant follow progress. */
  const watchers = new Map<string, number>();
  const show = (recording: Recording): object => describeRecording(recording, pipeline.progressOf(recording.id));
  const find = (request: FastifyRequest): Promise<Recording> =>
    recordings.get(tenantOf(request).id, (request.params as { readonly id: string }).id);
  addRoute(
    app,
    'GET',
    '/v1/recordings',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'The recordings, the newest first',
        tags,
        querystring: {
          type: 'object',
          additionalProperties: false,
          properties: {
            limit: { type: 'integer', minimum: 1, maximum: MAX_PAGE, description: 'Default: 50.' },
            before: { type: 'number', description: 'Only older ones: `created` of the last of a page.' },
          },
        },
      },
    },
    async (request) => {
      const { limit = 50, before } = request.query as { readonly limit?: number; readonly before?: number };
      return { recordings: (await recordings.list(tenantOf(request).id, { limit, before })).map(show) };
    },
  );
  addRoute(
    app,
    'GET',
    '/v1/recordings/:id',
    { config: { scope: 'read' }, schema: { summary: 'A recording and what came of it', tags, params: ID } },
    async (request) => show(await find(request)),
  );
  addRoute(
    app,
    'DELETE',
    '/v1/recordings/:id',
    {
      config: { scope: 'write' },
      schema: { summary: 'Deletes a recording, its log and its events', tags, params: ID },
    },
    async (request, reply) => {
      const { id, folder, tenant } = await find(request);
      await libraries.remove(tenant, folder);
      await recordings.remove(tenant, id);
      await storage.remove(tenant, id);
      return reply.status(204).send();
    },
  );
  addRoute(
    app,
    'POST',
    '/v1/recordings/:id/retry',
    { config: { scope: 'write' }, schema: { summary: 'Reads a recording again that failed', tags, params: ID } },
    async (request, reply) => {
      await pipeline.retry(await find(request));
      return reply.status(202).send(show(await find(request)));
    },
  );
  addRoute(
    app,
    'GET',
    '/v1/recordings/:id/log',
    { config: { scope: 'read' }, schema: { summary: 'The event log, a JSON object a line', tags, params: ID } },
    async (request, reply) => {
      const { result } = await find(request);
      if (!result?.recording) throw new PlaybyplayError('no-log', 'the recording has no log yet');
      await storage.fetch(result.recording.log);
      return reply.type('application/x-ndjson').send(createReadStream(result.recording.log));
    },
  );
  addRoute(
    app,
    'GET',
    '/v1/recordings/:id/progress',
    {
      config: { scope: 'read' },
      schema: { summary: 'Progress as server-sent events, until the recording is done or failed', tags, params: ID },
    },
    async (request, reply) => {
      let recording = await find(request);
      const { id: tenant } = tenantOf(request);
      const watching = watchers.get(tenant) ?? 0;
      if (watching >= MAX_WATCHERS)
        throw new PlaybyplayError(
          'too-many-requests',
          `${watching} requests watch the progress of recordings already`,
          {
            hint: 'End some of them, or list the recordings instead.',
          },
        );
      watchers.set(tenant, watching + 1);
      reply.hijack();
      const stream = reply.raw;
      const closed = new AbortController();
      stream.once('close', () => {
        watchers.set(tenant, watchers.get(tenant)! - 1);
        closed.abort();
      });
      const either = AbortSignal.any([signal, closed.signal]);
      stream.writeHead(200, {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      });
      let last = '';
      let written = 0;
      for (;;) {
        const text = JSON.stringify(show(recording));
        const isNews = text !== last;
        if (isNews || performance.now() - written > KEEP_ALIVE_MS) {
          const isFree = stream.write(isNews ? `event: ${recording.state}\ndata: ${text}\n\n` : ': still here\n\n');
          if (!isFree) await once(stream, 'drain', { signal: either }).catch(() => undefined);
          written = performance.now();
        }
        last = text;
        if (recording.state === 'done' || recording.state === 'failed' || signal.aborted || stream.destroyed) break;
        await sleep(PROGRESS_INTERVAL_MS, undefined, { signal: either }).catch(() => undefined);
        const next = await find(request).catch(() => undefined);
        if (!next) break;
        recording = next;
      }
      stream.end();
    },
  );
}

function describeRecording(
  { id, name, game, bytes, state, failure, result, created }: Recording,
  progress: number | undefined,
): object {
  const { events, gaps, duration, doubt } = result?.recording ?? {};
  return {
    id,
    name,
    game,
    bytes,
    state: state === 'queued' && progress !== undefined ? 'reading' : state,
    created,
    ...(progress !== undefined && { progress: Number(progress.toFixed(3)) }),
    ...(failure && { failure: { code: failure.code, message: failure.message, hint: failure.hint } }),
    ...(result?.recording && { events, gaps, duration, doubt, cpuSeconds: result.cpuSeconds }),
  };
}

function registerQuestions(app: FastifyInstance, { libraries }: RouteContext): void {
  const tags = ['questions'];
  const libraryOf = (request: FastifyRequest) => libraries.get(tenantOf(request).id);
  addRoute(
    app,
    'POST',
    '/v1/questions',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'Answers a question about all recordings',
        tags,
        body: {
          type: 'object',
          required: ['question'],
          additionalProperties: false,
          properties: {
            question: QUESTION,
            limit: { type: 'integer', minimum: 1, maximum: MAX_PAGE, description: 'Matches at most. Default: 50.' },
            tentative: { type: 'boolean', description: 'Include events with weak evidence.' },
          },
        },
      },
    },
    async (request) => {
      const { question, ...settings } = request.body as {
        question: string | Query;
        limit?: number;
        tentative?: boolean;
      };
      return answerQuestion(await libraryOf(request), question, settings);
    },
  );
  addRoute(
    app,
    'POST',
    '/v1/questions/explain',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'Says how a question is understood, without asking it',
        tags,
        body: {
          type: 'object',
          required: ['question'],
          additionalProperties: false,
          properties: { question: QUESTION },
        },
      },
    },
    async (request) =>
      explainQuestion(await libraryOf(request), (request.body as { question: string | Query }).question),
  );
  addRoute(
    app,
    'GET',
    '/v1/sessions',
    { config: { scope: 'read' }, schema: { summary: 'The sessions that questions are about', tags } },
    async (request) => ({
      sessions: (await (await libraryOf(request)).sessions()).map(({ session, name, game, duration, events }) => ({
        session,
        name,
        game,
        duration,
        events,
      })),
    }),
  );
  addRoute(
    app,
    'GET',
    '/v1/statistics',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'What a player did over all recordings',
        tags,
        querystring: {
          type: 'object',
          additionalProperties: false,
          properties: {
            player: { type: 'string', maxLength: 200, description: 'Default: who played.' },
            game: { type: 'string', maxLength: 200 },
          },
        },
      },
    },
    async (request) => {
      const { player, game } = request.query as { readonly player?: string; readonly game?: string };
      return statisticsOf(await libraryOf(request), { player, games: game === undefined ? undefined : [game] });
    },
  );
  addRoute(
    app,
    'POST',
    '/mcp',
    { config: { scope: 'read' }, schema: { summary: 'Model Context Protocol for assistants (streamable HTTP)', tags } },
    async (request, reply) => {
      const server = createMcpServer(await libraryOf(request));
      const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
      reply.hijack();
      reply.raw.once('close', () => void server.close());
      await server.connect(transport as Parameters<typeof server.connect>[0]);
      await transport.handleRequest(request.raw, reply.raw, request.body);
    },
  );
}

function registerTenant(app: FastifyInstance, { tenants, recordings, webhooks }: RouteContext): void {
  addRoute(
    app,
    'GET',
    '/v1/usage',
    { config: { scope: 'read' }, schema: { summary: 'What is used of the quotas', tags: ['tenant'] } },
    (request) => recordings.usage(tenantOf(request)),
  );
  addRoute(
    app,
    'GET',
    '/v1/keys',
    { config: { scope: 'admin' }, schema: { summary: 'The API keys', tags: ['tenant'] } },
    async (request) => ({
      keys: await tenants.listKeys(tenantOf(request).id),
    }),
  );
  addRoute(
    app,
    'POST',
    '/v1/keys',
    {
      config: { scope: 'admin' },
      schema: {
        summary: 'Adds an API key, which is shown this once',
        tags: ['tenant'],
        body: {
          type: 'object',
          required: ['name', 'scopes'],
          additionalProperties: false,
          properties: {
            name: { type: 'string', minLength: 1, maxLength: 100 },
            scopes: { type: 'array', minItems: 1, maxItems: SCOPES.length, uniqueItems: true, items: { enum: SCOPES } },
          },
        },
      },
    },
    async (request, reply) => {
      const { name, scopes } = request.body as { readonly name: string; readonly scopes: readonly Scope[] };
      return reply.status(201).send(await tenants.addKey(tenantOf(request).id, name, scopes));
    },
  );
  addRoute(
    app,
    'DELETE',
    '/v1/keys/:id',
    { config: { scope: 'admin' }, schema: { summary: 'Revokes an API key', tags: ['tenant'], params: ID } },
    async (request, reply) => {
      const isGone = await tenants.removeKey(tenantOf(request).id, (request.params as { readonly id: string }).id);
      if (!isGone) throw new PlaybyplayError('no-such-key', 'there is no such API key');
      return reply.status(204).send();
    },
  );
  addRoute(
    app,
    'GET',
    '/v1/webhooks',
    { config: { scope: 'admin' }, schema: { summary: 'The webhooks', tags: ['webhooks'] } },
    async (request) => ({
      webhooks: await webhooks.list(tenantOf(request).id),
    }),
  );
  addRoute(
    app,
    'POST',
    '/v1/webhooks',
    {
      config: { scope: 'admin' },
      schema: {
        summary: 'Adds a webhook; its secret, with which calls are signed, is shown this once',
        tags: ['webhooks'],
        body: {
          type: 'object',
          required: ['url'],
          additionalProperties: false,
          properties: { url: { type: 'string', minLength: 1, maxLength: 2000 } },
        },
      },
    },
    async (request, reply) =>
      reply.status(201).send(await webhooks.add(tenantOf(request).id, (request.body as { readonly url: string }).url)),
  );
  addRoute(
    app,
    'GET',
    '/v1/webhooks/:id/deliveries',
    { config: { scope: 'admin' }, schema: { summary: 'The last calls of a webhook', tags: ['webhooks'], params: ID } },
    async (request) => ({
      deliveries: await webhooks.deliveries(tenantOf(request).id, (request.params as { readonly id: string }).id),
    }),
  );
  addRoute(
    app,
    'DELETE',
    '/v1/webhooks/:id',
    { config: { scope: 'admin' }, schema: { summary: 'Removes a webhook', tags: ['webhooks'], params: ID } },
    async (request, reply) => {
      await webhooks.remove(tenantOf(request).id, (request.params as { readonly id: string }).id);
      return reply.status(204).send();
    },
  );
}
