import { rename, rm } from 'node:fs/promises';
import { PlaybyplayError } from '../../errors.ts';

let written = 0;

/**
 * Writes a file that appears under its name only when it is complete. A failure leaves nothing behind, and its message
 * names the file itself.
 *
 * @param write Writes the temporary file whose path it is given.
 * @returns What `write` returns.
 * @throws PlaybyplayError `unwritable`, and what `write` throws.
 */
export async function writeAtomically<T>(path: string, write: (temporaryPath: string) => Promise<T>): Promise<T> {
  // Process id and count keep two that write the same file apart.
  const temporaryPath = `${path}.${process.pid}-${written++}.part`;
  try {
    const result = await write(temporaryPath);
    await rename(temporaryPath, path);
    return result;
  } catch (error) {
    throw renameInError(error, path, temporaryPath);
  } finally {
    await rm(temporaryPath, { force: true });
  }
}

const DISK_FULL_CODES = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** Replaces the temporary path by the file's own in an error. */
function renameInError(error: unknown, path: string, temporaryPath: string): unknown {
  if (error instanceof PlaybyplayError) {
    if (!error.message.includes(temporaryPath)) return error;
    const { code, hint, issues } = error;
    const message = error.message.replaceAll(`${temporaryPath}.frames`, path).replaceAll(temporaryPath, path);
    return new PlaybyplayError(code, message, { hint, issues, cause: error });
  }
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return error;
  const isFull = DISK_FULL_CODES.includes(code);
  const reason = isFull ? 'the disk is full' : (error as Error).message.replaceAll(temporaryPath, path);
  return new PlaybyplayError('unwritable', `${path} cannot be written: ${reason}`, {
    hint: isFull ? 'Free some space, or write to another disk.' : undefined,
    cause: error,
  });
}
