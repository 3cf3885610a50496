// Builds the pages of the studio: `node tools/studio.ts`. The build of the package does so, too; in a checkout, the command
// `playbyplay studio` builds them when their sources have changed.
import { existsSync, globSync, statSync } from 'node:fs';
import { join } from 'node:path';

const src = join(import.meta.dirname, '..', 'src');
const pages = join(src, 'studio', 'web');
/** What the pages consist of. */
const SOURCES = ['studio/web/**/*', 'studio/api/**/*.ts', 'schema/build.ts'];

/** Where the package has its pages. */
export const PAGES_FOLDER = join(import.meta.dirname, '..', 'dist', 'studio');

/** Builds the pages into a folder. */
export async function buildPages(folder = PAGES_FOLDER): Promise<void> {
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
  if (!existsSync(built) || Math.max(...changed) > statSync(built).mtimeMs) await buildPages();
  return PAGES_FOLDER;
}

if (import.meta.main) await buildPages();
