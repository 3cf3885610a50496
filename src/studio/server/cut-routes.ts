import { basename, dirname, posix } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { PlaybyplayError } from '../../errors.ts';
import { toFileName } from '../../files/file-name.ts';
import type { HighlightList } from '../../highlights/list.ts';
import { LOG_NAME } from '../../events/reader.ts';
import { chooseScenes, exportReel, renderReel, saveCut, showCut } from '../api/cut.ts';
import type { RouteResponse } from '../api/route.ts';
import { runCut } from '../cut/run-cut.ts';
import { type CutScene, listOf } from '../cut/cut-scenes.ts';
import { addRoute } from './add-route.ts';
import type { StudioContext } from './studio-server.ts';

/** The name of the list next to a log. */
const CUT_NAME = 'cut.json';

/** The list of the reel that is cut from a log, as pages name it. */
function cutOf(log: string): string {
  return posix.join(posix.dirname(log), CUT_NAME);
}

/** Routes of reels. */
export function registerCutRoutes(app: FastifyInstance, { workspace, logs, jobs }: StudioContext): void {
  const realPaths = async (names: readonly string[]): Promise<readonly string[]> =>
    await Promise.all(names.map((name) => workspace.resolve(name)));

  addRoute(app, chooseScenes, async ({ body: { logs: names, ...choose }, signal }) => {
    const paths = await realPaths(names);
    return await runCut<RouteResponse<typeof chooseScenes>>({ paths, logs: names, choose }, signal);
  });

  addRoute(app, showCut, async ({ query: { log } }) => {
    const path = cutOf(log);
    const { content, version } = await workspace.read(path);
    const list = content === undefined ? undefined : (JSON.parse(content.toString()) as StoredList);
    const scenes = (list?.scenes ?? []).map(({ log: own = log, start, end, title, because, kind, score, events }) => ({
      log: own,
      start,
      end,
      title,
      because,
      kind,
      score,
      events: events.map(({ id, t, text }) => ({ id, t, text })),
    }));
    return { path, version, scenes };
  });

  addRoute(app, saveCut, async ({ body: { log, version, label, scenes } }) => {
    checkScenes(scenes);
    const names = [...new Set([log, ...scenes.map((scene) => scene.log)])];
    const headers = new Map(
      await Promise.all(
        names.map(async (name) => [name, (await logs.get(await workspace.resolve(name))).header] as const),
      ),
    );
    const list = listOf(scenes, (name) => headers.get(name)!);
    const named = { ...list, scenes: list.scenes.map((scene, index) => ({ ...scene, log: scenes[index]!.log })) };
    const content = `${JSON.stringify(named, undefined, 2)}\n`;
    const [saved] = await workspace.change(label, [{ path: cutOf(log), content, version }]);
    return { version: saved! };
  });

  addRoute(app, renderReel, async ({ body }) => {
    const { logs: names, scenes, name, aspect, captions, style, title } = body;
    checkScenes(scenes);
    const paths = await realPaths(names);
    // Next to the recording: above the folder of its log.
    const folder = folderOf(names[0]!);
    const path = posix.join(folder, toFileName(basename(name)));
    const out = await workspace.resolveNew(path);
    const look = { aspect, captions, style, title };
    const request = { paths, logs: names, render: scenes, out, ...look };
    return jobs.start(basename(out), path, (signal, onProgress) => runCut(request, signal, onProgress));
  });

  addRoute(app, exportReel, async ({ body: { logs: names, scenes, format, title }, signal }) => {
    checkScenes(scenes);
    const paths = await realPaths(names);
    return await runCut<RouteResponse<typeof exportReel>>(
      { paths, logs: names, export: scenes, format, title },
      signal,
    );
  });
}

function checkScenes(scenes: readonly CutScene[]): void {
  const wrong = scenes.find(({ start, end }) => end <= start);
  if (wrong)
    throw new PlaybyplayError('bad-request', `the scene “${wrong.title}” ends at ${wrong.end} s, before it begins`);
}

/** A stored list; each scene names its log, which lists of the command line do not. */
type StoredList = Omit<HighlightList, 'scenes'> & {
  readonly scenes: readonly (HighlightList['scenes'][number] & { readonly log?: string })[];
};

/** The folder of a log's recording, as pages name it. */
function folderOf(log: string): string {
  const folder = dirname(log);
  return basename(log) === LOG_NAME && folder.endsWith('.playbyplay') ? dirname(folder) : folder;
}
