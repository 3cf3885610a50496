import { isIP, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import cookie from '@fastify/cookie';
import files from '@fastify/static';
import swagger from '@fastify/swagger';
import { fastify, type FastifyError } from 'fastify';
import { PlaybyplayError } from '../../errors.ts';
import { describeFailure, useProjectSchemas } from '../../http/requests.ts';
import { VERSION } from '../../version.ts';
import type { RouteError } from '../api/route.ts';
import { OpenRecordings } from '../player/open-recording.ts';
import type { Workspace } from '../workspace.ts';
import { ReviewedLogs } from '../review/reviewed-log.ts';
import { registerCompareRoutes } from './compare-routes.ts';
import { registerCutRoutes } from './cut-routes.ts';
import { Jobs } from '../jobs.ts';
import { registerJobRoutes } from './job-routes.ts';
import { registerLogRoutes } from './log-routes.ts';
import { registerAuthoringRoutes } from './authoring-routes.ts';
import { registerReadingsRoutes } from './readings-routes.ts';
import { registerRecordingRoutes } from './recording-routes.ts';
import { Security } from './security.ts';
import { registerWorkspaceRoutes } from './workspace-routes.ts';

/** Options of {@link startStudio}. */
export interface StudioOptions {
  readonly workspace: Workspace;
  /** The folder with the built pages. */
  readonly pages: string;
  /** Address to listen on. Default: 127.0.0.1. Any other needs a password. */
  readonly host?: string | undefined;
  /** Default: a free port. */
  readonly port?: number | undefined;
  readonly password?: string | undefined;
}

/** A running studio. */
export interface Studio extends AsyncDisposable {
  /** Address without token. */
  readonly address: string;
  /** An address that opens one session. */
  createLink(): string;
}

/** What routes share. */
export interface StudioContext {
  readonly workspace: Workspace;
  readonly recordings: OpenRecordings;
  readonly logs: ReviewedLogs;
  readonly jobs: Jobs;
}

/** HTTP status of errors; others are mistakes in what was asked: 400. */
const STATUS: Readonly<Record<string, number>> = {
  'not-signed-in': 401,
  'wrong-password': 401,
  'wrong-host': 403,
  'wrong-origin': 403,
  'outside-workspace': 403,
  'no-such-file': 404,
  'log-missing': 404,
  'no-such-event': 404,
  'file-changed': 409,
  'output-exists': 409,
  'folder-in-use': 409,
  'no-such-job': 404,
  busy: 429,
};
const MAX_BODY_BYTES = 1 << 20;
/** What is longer is not a path of the studio. */
const MAX_URL_CHARACTERS = 16_000;

/**
 * Starts the server of the studio.
 *
 * @throws PlaybyplayError `password-missing`, `port-in-use`.
 *
 * @example
 * ```ts
 * await using studio = await startStudio({ workspace: await Workspace.open(['recordings']), pages });
 * console.log(studio.createLink());
 * ```
 */
export async function startStudio(options: StudioOptions): Promise<Studio> {
  const { host = '127.0.0.1', workspace } = options;
  const security = new Security({
    port: () => (app.server.address() as AddressInfo).port,
    isRemote: !isLoopback(host),
    password: options.password,
  });
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    routerOptions: { maxParamLength: MAX_URL_CHARACTERS },
    forceCloseConnections: true,
  });
  const recordings = new OpenRecordings();
  const context: StudioContext = { workspace, recordings, logs: new ReviewedLogs(), jobs: new Jobs() };
  useProjectSchemas(app);
  app.setErrorHandler<FastifyError>((error, _request, reply) => {
    const { status, body } = describeFailure(error, STATUS);
    return reply.status(status).send(body);
  });
  app.setNotFoundHandler((_request, reply) =>
    reply.status(404).send({ code: 'no-such-page', message: 'there is nothing at this address' } satisfies RouteError),
  );
  await app.register(cookie);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'playbyplay studio', version: VERSION, description: 'The interface between server and pages.' },
    },
  });
  security.register(app);
  await app.register(files, { root: options.pages, serve: false, dotfiles: 'allow' });
  app.get('/', { schema: { hide: true } }, (_request, reply) => reply.sendFile('index.html', options.pages));
  app.get('/locked', { schema: { hide: true } }, (_request, reply) => reply.sendFile('locked.html', options.pages));
  app.get('/assets/:name', { schema: { hide: true } }, (request, reply) => {
    const { name } = request.params as { readonly name: string };
    // Names contain a hash of the content.
    return reply.sendFile(name, join(options.pages, 'assets'), { maxAge: '365d', immutable: true });
  });
  app.get('/api', { schema: { hide: true } }, () => app.swagger());
  registerWorkspaceRoutes(app, context);
  registerRecordingRoutes(app, context);
  registerLogRoutes(app, context);
  registerReadingsRoutes(app, context);
  registerAuthoringRoutes(app, context);
  registerJobRoutes(app, context);
  registerCutRoutes(app, context);
  registerCompareRoutes(app, context);
  try {
    await app.listen({ host, port: options.port ?? 0 });
  } catch (error) {
    await app.close();
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new PlaybyplayError('port-in-use', `port ${options.port} is used by another program`, {
      hint: 'Choose another with --port, or leave it out.',
    });
  }
  const { port } = app.server.address() as AddressInfo;
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : isIP(host) === 6 ? `[${host}]` : host;
  const address = `http://${name}:${port}/`;
  return {
    address,
    createLink: () => `${address}open?token=${security.createToken()}`,
    [Symbol.asyncDispose]: async () => {
      await context.jobs[Symbol.asyncDispose]();
      await app.close();
      await recordings[Symbol.asyncDispose]();
    },
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
