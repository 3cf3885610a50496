import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { messageOf, PlaybyplayError } from '../errors.ts';

/** Without waiting for somebody to write to a pipe. */
const READ_WITHOUT_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
/** Limit of the size of a file that `readInputText` reads. */
const MAX_TEXT_BYTES = 16 << 20;

/**
 * Opens a file for reading. A pipe or device is refused, because it may never end.
 *
 * @throws PlaybyplayError `not-a-file`; errors of the system.
 */
export async function openInput(path: string): Promise<FileHandle> {
  const file = await open(path, READ_WITHOUT_WAITING);
  try {
    checkIsFile(path, await file.stat());
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
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
  checkSize(path, await file.stat(), maxBytes, code);
  return await file.readFile();
}

/**
 * Reads a small text file at once: settings, labels, placements.
 *
 * @param code Code of the error for a file that cannot be read or is too large.
 * @throws PlaybyplayError of the given code with the path and `hint`; `not-a-file` for a folder, pipe or device.
 * @example
 * const text = readInputText('settings.json', 'settings-missing');
 */
export function readInputText(
  path: string,
  code: string,
  { hint, maxBytes = MAX_TEXT_BYTES }: { readonly hint?: string; readonly maxBytes?: number } = {},
): string {
  let file: number | undefined;
  try {
    file = openSync(path, READ_WITHOUT_WAITING);
    const info = fstatSync(file);
    checkIsFile(path, info);
    checkSize(path, info, maxBytes, code);
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof PlaybyplayError) throw error;
    throw new PlaybyplayError(code, `${path} cannot be read: ${messageOf(error)}`, { hint, cause: error });
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function checkIsFile(path: string, info: Stats): void {
  if (info.isFile()) return;
  if (info.isDirectory()) throw new PlaybyplayError('not-a-file', `${path} is a folder, not a file`);
  throw new PlaybyplayError('not-a-file', `${path} is a pipe or device, not a file`, {
    hint: 'Save its content to a file first.',
  });
}

function checkSize(path: string, { size }: Stats, maxBytes: number, code: string): void {
  if (size <= maxBytes) return;
  throw new PlaybyplayError(code, `${path} is larger than ${Math.round(maxBytes / 2 ** 20)} MiB`, {
    hint: 'Split it, or remove what is not needed.',
  });
}
