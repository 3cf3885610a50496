import { mkdir } from 'node:fs/promises';
import { PlaybyplayError, messageOf } from '../errors.ts';

/** Makes a folder, and those that it lies in. Throws PlaybyplayError `no-folder` where that cannot be. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (cause) {
    const code = (cause as { code?: string }).code ?? '';
    const file = code === 'EEXIST' || code === 'ENOTDIR';
    const why = file ? 'a file of that name is there' : messageOf(cause);
    throw new PlaybyplayError('no-folder', `the folder ${path} cannot be made: ${why}`, {
      hint: 'Name another folder, in which you may write, with --out.',
      cause,
    });
  }
}
