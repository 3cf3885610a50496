import type { FastifyInstance } from 'fastify';
import { PlaybyplayError } from '../../errors.ts';
import * as routes from '../api/compare.ts';
import { alignRecordings } from '../compare/align-recordings.ts';
import { addRoute } from './add-route.ts';
import type { StudioContext } from './studio-server.ts';

/** Routes of comparisons. */
export function registerCompareRoutes(app: FastifyInstance, { workspace }: StudioContext): void {
  addRoute(app, routes.alignRecordings, async ({ body, signal }) => {
    const [path, other] = await Promise.all([workspace.resolve(body.path), workspace.resolve(body.other)]);
    try {
      const found = await alignRecordings({ path, other }, signal);
      if (!found.matched) return { matched: false };
      const { offset, drift, confidence } = found;
      return { matched: true, offset, drift, confidence };
    } catch (error) {
      // One of them has no sound: a person says which moments are the same.
      if (error instanceof PlaybyplayError && error.code === 'no-such-audio-track') return { matched: false };
      throw error;
    }
  });
}
