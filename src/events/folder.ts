import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { PlaybyplayError, messageOf } from '../errors.ts';

/** Makes a folder, and those that it lies in. Throws PlaybyplayError `no-folder` where that cannot be. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await make(resolve(path));
  } catch (cause) {
    throw new PlaybyplayError('no-folder', `the folder ${path} cannot be made: ${messageOf(cause)}`, {
      hint: 'Name another folder, in which you may write, with --out.',
      cause,
    });
  }
}

/** Node's own `recursive` tries for ever where a folder takes none (/proc). */
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
    throw there ? new Error('there is a file of that name', { cause: error }) : error;
  }
}
