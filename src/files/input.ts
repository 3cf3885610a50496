import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { PlaybyplayError } from '../errors.ts';

/**
 * Reads a whole file of limited size. A pipe or device is refused, because it may never end.
 *
 * @param maxBytes The limit, which is checked before anything is read.
 * @param code Code of the error for a file that is too large.
 * @throws PlaybyplayError `not-a-file`, and of the given code; errors of the system.
 */
export async function readInput(path: string, maxBytes: number, code: string): Promise<Buffer> {
  const { O_RDONLY, O_NONBLOCK = 0 } = constants;
  // Without waiting for somebody to write to a pipe.
  await using file = await open(path, O_RDONLY | O_NONBLOCK);
  const info = await file.stat();
  if (info.isDirectory()) throw new PlaybyplayError('not-a-file', `${path} is a folder, not a file`);
  if (!info.isFile())
    throw new PlaybyplayError('not-a-file', `${path} is a pipe or device, not a file`, {
      hint: 'Save its content to a file first.',
    });
  if (info.size > maxBytes)
    throw new PlaybyplayError(code, `${path} is larger than ${Math.round(maxBytes / 2 ** 20)} MiB`, {
      hint: 'Split it, or remove what is not needed.',
    });
  return await file.readFile();
}
