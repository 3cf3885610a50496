import type { FastifyInstance } from 'fastify';
import { VERSION } from '../../version.ts';
import { fileVersion, listWorkspace, showHistory, stepHistory } from '../api/workspace.ts';
import { addRoute } from './add-route.ts';
import type { StudioContext } from './studio-server.ts';

/** Routes of the opened folders. */
export function registerWorkspaceRoutes(app: FastifyInstance, { workspace }: StudioContext): void {
  const state = async (path: string) => {
    const { undo, redo } = await workspace.historyState(path);
    return {
      canUndo: undo !== undefined,
      canRedo: redo !== undefined,
      ...(undo !== undefined && { undo }),
      ...(redo !== undefined && { redo }),
    };
  };
  addRoute(app, listWorkspace, async () => ({
    version: VERSION,
    folders: workspace.folders.map(({ name }) => ({ name })),
    ...(workspace.initial !== undefined && { initial: workspace.initial }),
    ...(await workspace.list()),
  }));
  addRoute(app, showHistory, async ({ query }) => await state(query.path));
  addRoute(app, stepHistory, async ({ body }) => {
    const files = await workspace.stepHistory(body.path, body.step);
    return { ...(await state(body.path)), files };
  });
  addRoute(app, fileVersion, async ({ query }) => ({ version: (await workspace.read(query.path)).version }));
}
