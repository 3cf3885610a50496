import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../version.ts';

/** Finds the folder of the built pages. In a checkout, they are built first where their sources have changed. */
export async function locatePages(): Promise<string> {
  const inPackage = join(import.meta.dirname, 'studio');
  if (!import.meta.filename.endsWith('.ts') && existsSync(inPackage)) return inPackage;
  // Not a part of the package: it is found at run time, and only in a checkout.
  const tool = pathToFileURL(join(ROOT, 'tools', 'studio.ts')).href;
  const { updatePages } = (await import(tool)) as { readonly updatePages: () => Promise<string> };
  return await updatePages();
}
