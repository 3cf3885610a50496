import { mkdir, rmdir, stat } from 'node:fs/promises';
import { dirname, resolve, sep } from 'node:path';
import { messageOf, PlaybyplayError } from '../errors.ts';

/**
 * Creates a folder and its parents.
 *
 * @throws PlaybyplayError `no-folder` if that is impossible.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await make(resolve(path));
  } catch (cause) {
    throw new PlaybyplayError('no-folder', `cannot create the folder ${path}: ${messageOf(cause)}`, {
      hint: 'Choose a writable folder with --out.',
      cause,
    });
  }
}

/** Removes a folder if nothing is in it. */
export async function removeEmptyFolder(path: string): Promise<void> {
  await rmdir(path).catch(() => undefined);
}

/** Node's own `recursive` option never returns in file systems that accept no folders (/proc). */
async function make(path: string, above = true): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as { readonly code?: string };
    if (code === 'ENOENT' && above && dirname(path) !== path) {
      await make(dirname(path));
      return make(path, false);
    }
    const there = await stat(path).catch(() => undefined);
    if (there?.isDirectory()) return;
    throw there ? new Error('a file has that name', { cause: error }) : error;
  }
}

/** Returns whether a path is a folder or inside it; both are absolute. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
