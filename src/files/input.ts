import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { PlaybyplayError } from '../errors.ts';

/**
 * Opens a file for reading. A pipe or device is refused, because it may never end.
 *
 * @throws PlaybyplayError `not-a-file`; errors of the system.
 */
export async function openInput(path: string): Promise<FileHandle> {
  const { O_RDONLY, O_NONBLOCK = 0 } = constants;
  // Without waiting for somebody to write to a pipe.
  const file = await open(path, O_RDONLY | O_NONBLOCK);
  const info = await file.stat();
  if (info.isFile()) return file;
  await file.close();
  if (info.isDirectory()) throw new PlaybyplayError('not-a-file', `${path} is a folder, not a file`);
  throw new PlaybyplayError('not-a-file', `${path} is a pipe or device, not a file`, {
    hint: 'Save its content to a file first.',
  });
}

/**
 * Reads a whole file of limited size.
 *
 * @param maxBytes The limit, which is checked before anything is read.
 * @param code Code of the error for a file that is too large.
 * @throws PlaybyplayError of the given code, and as `openInput`.
 */
export async function readInput(path: string, maxBytes: number, code: string): Promise<Buffer> {
  await using file = await openInput(path);
  if ((await file.stat()).size > maxBytes)
    throw new PlaybyplayError(code, `${path} is larger than ${Math.round(maxBytes / 2 ** 20)} MiB`, {
      hint: 'Split it, or remove what is not needed.',
    });
  return await file.readFile();
}
