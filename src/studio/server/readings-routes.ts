import { realpath } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
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
    if (query.log !== undefined) {
      const log = await workspace.resolve(query.log);
      return await within(dirname(log), readingsOfLog(log));
    }
    if (query.pack === undefined || query.media === undefined)
      throw new PlaybyplayError('bad-request', 'whose readings are wanted: “log”, or “pack” and “media”, is missing');
    const pack = await workspace.resolve(query.pack);
    const folder = join(pack, STUDIO_FOLDER, 'readings');
    return await within(pack, await readingsOfTest(folder, await workspace.resolve(query.media)));
  };

  addRoute(app, readReadings, async ({ query: { from, to, columns = DEFAULT_COLUMNS, ...query }, signal }) => {
    if (!(to > from)) throw new PlaybyplayError('bad-request', 'the time range must end after it begins');
    const { lanes, isComplete } = await stored.lanes(await locate(query), { from, to, columns }, signal);
    return { lanes, isComplete };
  });

  addRoute(app, findChange, async ({ query: { t, direction, name, ...query }, signal }) => {
    const wanted = { t, direction: direction === 'next' ? 1 : -1, name } as const;
    const change = await stored.change(await locate(query), wanted, signal);
    return { ...(change && { change }) };
  });
}

/**
 * Checks that no symbolic link leads out of a folder.
 *
 * @throws PlaybyplayError `outside-workspace`.
 */
async function within(folder: string, path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  if (real !== undefined && !real.startsWith(join(await realpath(folder), sep)))
    throw new PlaybyplayError('outside-workspace', `${basename(path)} is a link that leads out of its folder`);
  return path;
}
