// Builds the pages of the studio where their sources have changed: `node tools/studio.ts`. In a checkout, the command
// `playbyplay studio` does so, too; the build of the package writes them to dist/.
import { existsSync, globSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const src = join(import.meta.dirname, '..', 'src');
const pages = join(src, 'studio', 'web');
/** What the pages consist of. */
const SOURCES = ['studio/web/**/*', 'studio/api/**/*.ts', 'schema/build.ts'];

/** Where a checkout keeps its pages: not in dist/, which the build of the package makes anew. */
const PAGES_FOLDER = join(import.meta.dirname, '..', 'node_modules', '.cache', 'playbyplay', 'studio');

/** Builds the pages into a folder. */
export async function buildPages(folder: string): Promise<void> {
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: pages,
    base: './',
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: 'es2024',
      modulePreload: { polyfill: false },
      // The code editor, which is loaded where scripts are written.
      chunkSizeWarningLimit: 700,
      // The content security policy allows no data addresses.
      assetsInlineLimit: 0,
      rolldownOptions: { input: [join(pages, 'index.html'), join(pages, 'locked.html')] },
    },
  });
}

/** Builds the pages where their sources are newer than what was built. Returns their folder. */
export async function updatePages(): Promise<string> {
  const built = join(PAGES_FOLDER, 'index.html');
  const changed = globSync(SOURCES, { cwd: src }).map((name) => statSync(join(src, name)).mtimeMs);
  if (existsSync(built) && Math.max(...changed) <= statSync(built).mtimeMs) return PAGES_FOLDER;
  // Another process may be serving, or building, the same pages.
  const fresh = `${PAGES_FOLDER}-${process.pid}`;
  await buildPages(fresh);
  rmSync(PAGES_FOLDER, { recursive: true, force: true });
  try {
    renameSync(fresh, PAGES_FOLDER);
  } catch {
    rmSync(fresh, { recursive: true, force: true });
  }
  return PAGES_FOLDER;
}

if (import.meta.main) process.stdout.write(`${await updatePages()}\n`);
