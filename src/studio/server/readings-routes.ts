import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { PlaybyplayError } from '../../errors.ts';
import { findChange, readReadings } from '../api/readings.ts';
import { readingsOfTest, STUDIO_FOLDER } from '../authoring/test-readings.ts';
import { readingsOfLog, StoredReadings } from '../readings/stored-readings.ts';
import { addRoute } from './add-route.ts';
import type { StudioContext } from './studio-server.ts';

const DEFAULT_COLUMNS = 400;

/** Routes of what detectors read along recordings. */
export function registerReadingsRoutes(app: FastifyInstance, { workspace }: StudioContext): void {
  const stored = new StoredReadings();
  app.addHook('onClose', async () => await stored[Symbol.asyncDispose]());

  const locate = async (query: {
    readonly log?: string;
    readonly pack?: string;
    readonly media?: string;
  }): Promise<string> => {
    if (query.log !== undefined) return readingsOfLog(await workspace.resolve(query.log));
    if (query.pack === undefined || query.media === undefined)
      throw new PlaybyplayError('bad-request', 'whose readings are wanted: “log”, or “pack” and “media”, is missing');
    const folder = join(await workspace.resolve(query.pack), STUDIO_FOLDER, 'readings');
    return await readingsOfTest(folder, await workspace.resolve(query.media));
  };

  addRoute(app, readReadings, async ({ query: { from, to, columns = DEFAULT_COLUMNS, ...query }, signal }) => {
    if (!(to > from)) throw new PlaybyplayError('bad-request', 'the stretch must end after it begins');
    const { lanes, isComplete } = await stored.lanes(await locate(query), { from, to, columns }, signal);
    return { lanes, isComplete };
  });

  addRoute(app, findChange, async ({ query: { t, direction, name, ...query }, signal }) => {
    const wanted = { t, direction: direction === 'next' ? 1 : -1, name } as const;
    const change = await stored.change(await locate(query), wanted, signal);
    return { ...(change && { change }) };
  });
}
