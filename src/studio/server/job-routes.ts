import { basename } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { LOG_NAME } from '../../events/reader.ts';
import * as routes from '../api/job.ts';
import { detectEvents } from '../detect/detect-events.ts';
import { addRoute } from './add-route.ts';
import type { StudioContext } from './studio-server.ts';

/** Routes of what takes minutes. */
export function registerJobRoutes(app: FastifyInstance, { workspace, jobs }: StudioContext): void {
  addRoute(app, routes.detectEvents, async ({ body: { path } }) => {
    const media = await workspace.resolve(path);
    const { packs } = await workspace.list();
    const profiles = await Promise.all(
      [...new Set(packs.map((pack) => pack.path))].map((pack) => workspace.resolve(pack)),
    );
    const log = `${path.replace(/\.[^./]*$/, '')}.playbyplay/${LOG_NAME}`;
    return jobs.start(basename(path), log, (signal, onProgress) =>
      detectEvents({ media, profiles }, signal, onProgress),
    );
  });
  addRoute(app, routes.listJobs, () => ({ jobs: jobs.running() }));
  addRoute(app, routes.showJob, ({ query: { id } }) => jobs.get(id));
  addRoute(app, routes.cancelJob, ({ query: { id } }) => ({ wasRunning: jobs.cancel(id) }));
}
