import { rename, rm } from 'node:fs/promises';
import { PlaybyplayError } from '../../errors.ts';

let written = 0;

/**
 * A file that appears under its name only when it is complete: `write` fills the one whose path it is given. What goes
 * wrong leaves nothing behind, and is told of the file's own name. Throws PlaybyplayError `unwritable`, and what `write`
 * throws.
 */
export async function writeAtomically<T>(path: string, write: (part: string) => Promise<T>): Promise<T> {
  // Named by process and count: two that write the same file must not write into one.
  const part = `${path}.${process.pid}-${written++}.part`;
  try {
    const result = await write(part);
    await rename(part, path);
    return result;
  } catch (error) {
    throw toldOf(path, part, error);
  } finally {
    await rm(part, { force: true });
  }
}

const FULL = ['ENOSPC', 'EDQUOT', 'EFBIG'];

function toldOf(path: string, part: string, error: unknown): unknown {
  if (error instanceof PlaybyplayError) {
    if (!error.message.includes(part)) return error;
    const { code, hint, issues } = error;
    return new PlaybyplayError(code, error.message.replaceAll(`${part}.frames`, path).replaceAll(part, path), {
      hint,
      issues,
      cause: error,
    });
  }
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return error;
  const full = FULL.includes(code);
  const reason = full ? 'no space is left for it' : (error as Error).message.replaceAll(part, path);
  return new PlaybyplayError('unwritable', `${path} cannot be written: ${reason}`, {
    hint: full ? 'Free some space, or write it elsewhere.' : undefined,
    cause: error,
  });
}
