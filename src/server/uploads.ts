import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { FileStore } from '@tus/file-store';
import { Server as TusServer } from '@tus/server';
import type { FastifyInstance, FastifyRequest, HTTPMethods } from 'fastify';
import { messageOf, PlaybyplayError } from '../errors.ts';
import { toFileName } from '../files/file-name.ts';
import type { RecordingStorage } from '../files/file-storage.ts';
import { removeFiles } from '../files/output.ts';
import type { Pipeline } from './pipeline.ts';
import type { Recordings } from './recordings.ts';
import { describePublicly } from './status.ts';
import type { Telemetry } from './telemetry.ts';
import type { Tenant } from './tenants.ts';

/** Path of the uploads. */
const UPLOADS_PATH = '/v1/uploads';
const ROUTES: readonly (readonly [method: HTTPMethods, url: string, summary: string])[] = [
  ['OPTIONS', UPLOADS_PATH, 'What of tus is supported'],
  ['POST', UPLOADS_PATH, 'Creates an upload'],
  ['OPTIONS', `${UPLOADS_PATH}/:id`, 'What of tus is supported'],
  ['HEAD', `${UPLOADS_PATH}/:id`, 'How much of an upload has arrived'],
  ['PATCH', `${UPLOADS_PATH}/:id`, 'Sends a part'],
  ['DELETE', `${UPLOADS_PATH}/:id`, 'Gives an upload up'],
];
/** An upload that nobody continues is removed after this time. */
const EXPIRATION_SECONDS = 24 * 3600;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** What uploads work with. */
export interface UploadContext {
  readonly folder: string;
  readonly storage: RecordingStorage;
  readonly recordings: Recordings;
  readonly pipeline: Pipeline;
  readonly telemetry: Telemetry;
  readonly maxBytes: number;
  /** Who makes a request. */
  readonly tenantOf: (request: FastifyRequest) => Tenant;
}

/**
 * Adds resumable uploads by the tus protocol (tus.io). The id of an upload is that of its recording. Metadata: `filename`, and
 * `game` (default `auto`).
 *
 * @returns Goes on with uploads that were complete when the service was killed or could not store them, and removes what nobody
 *   continued.
 */
export function registerUploads(app: FastifyInstance, context: UploadContext): () => Promise<void> {
  const { folder, storage, recordings, pipeline, telemetry, maxBytes, tenantOf } = context;
  const caller = new AsyncLocalStorage<Tenant>();
  const tus = new TusServer({
    path: UPLOADS_PATH,
    relativeLocation: true,
    maxSize: maxBytes,
    datastore: new FileStore({ directory: folder, expirationPeriodInMilliseconds: EXPIRATION_SECONDS * 1000 }),
    namingFunction: () => randomUUID(),
    // Whose an upload is, is asked before anything of it is read.
    async onIncomingRequest(request, id) {
      if (request.method === 'POST' || request.method === 'OPTIONS') return;
      const tenant = caller.getStore()!;
      const isOwn = UUID.test(id) && (await recordings.get(tenant.id, id).catch(() => undefined)) !== undefined;
      if (!isOwn) throw refusal(new PlaybyplayError('no-such-recording', 'there is no such recording'));
    },
    async onUploadCreate(_request, { id, size, metadata }) {
      const tenant = caller.getStore()!;
      try {
        if (size === undefined)
          throw new PlaybyplayError('bad-request', 'the length of an upload must be known (Upload-Length)');
        const name = toFileName((metadata?.['filename'] ?? 'recording').slice(0, 200));
        const own = storage.folderOf(tenant.id, id);
        const extension = /^\.[a-z\d]{1,8}$/i.test(extname(name)) ? '' : '.bin';
        const game = metadata?.['game'] ?? 'auto';
        if (!/^[\w-]{1,60}$/.test(game)) throw new PlaybyplayError('bad-request', 'the game must be a name or auto');
        await recordings.add(tenant, {
          id,
          name,
          game,
          media: join(own, `${name}${extension}`),
          folder: own,
          bytes: size,
        });
        return {};
      } catch (error) {
        throw refusal(error);
      }
    },
    async onUploadFinish(_request, { id, size }) {
      const tenant = caller.getStore()!;
      try {
        const recording = await recordings.get(tenant.id, id);
        await storage.adopt(join(folder, id), recording.media);
        await pipeline.enqueue(recording);
        await removeFiles([join(folder, `${id}.json`)]);
        telemetry.uploadedBytes.inc(size ?? 0);
        return {};
      } catch (error) {
        throw refusal(error);
      }
    },
    onResponseError: (_request, error) => ('status_code' in error ? error : refusal(error)),
  });
  // The body goes to tus as it comes.
  app.addContentTypeParser('application/offset+octet-stream', (_request, _body, done) => done(null));
  for (const [method, url, summary] of ROUTES)
    app.route({
      method,
      url,
      // Requests of this kind are described only where it is asked for.
      config: { scope: 'write', ...(method === 'HEAD' && { swagger: { exposeHeadRoute: true } }) },
      schema: { summary, tags: ['uploads'] },
      handler: async (request, reply) => {
        const tenant = tenantOf(request);
        reply.hijack();
        await caller.run(tenant, () => tus.handle(request.raw, reply.raw));
      },
    });
  return async () => {
    for (const recording of await recordings.uploading()) {
      const path = join(folder, recording.id);
      const uploaded = await stat(path).catch(() => undefined);
      if (uploaded?.size === recording.bytes) await storage.adopt(path, recording.media);
      else if (!(await storage.has(recording.media))) continue;
      await pipeline.enqueue(recording);
    }
    await tus.cleanUpExpiredUploads();
    await recordings.removeUnfinished(EXPIRATION_SECONDS);
  };
}

/** What tus answers instead. */
function refusal(error: unknown): { status_code: number; body: string } {
  const known = error instanceof Error ? error : new Error(messageOf(error));
  const { status, body } = describePublicly(known);
  return { status_code: status, body: JSON.stringify(body) };
}
