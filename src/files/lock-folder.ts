import { lstat, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PlaybyplayError } from '../errors.ts';
import { checkOutput } from './output.ts';

/** SQLite's result code for a file that another connection has locked (sqlite.org/rescode.html#busy). */
const SQLITE_BUSY = 5;

/**
 * Locks a folder for one writer. The lock is the operating system's, taken by SQLite on an empty file, so it ends with the
 * process, however that ends: there are no stale locks. The caller disposes of it.
 *
 * @param name The lock's file; writers of different files use different ones.
 * @throws PlaybyplayError `folder-in-use` if another process holds the lock; `output-exists` if the lock's name is taken.
 */
export async function lockFolder(folder: string, name = 'detect.lock'): Promise<AsyncDisposable> {
  const path = join(folder, name);
  for (;;) {
    const before = await touch(path);
    // Writing the log reports a folder that is not writable, with a better message.
    if (before === undefined) return { [Symbol.asyncDispose]: async () => {} };
    const lock = lockFile(path, folder);
    if (lock === undefined) return { [Symbol.asyncDispose]: async () => {} };
    // The previous holder may have removed the file before it was locked here.
    if ((await inode(path)) !== before) {
      lock.close();
      continue;
    }
    return {
      [Symbol.asyncDispose]: async () => {
        // Removing the open file first leaves no time in which another process could lock a file that is about to be removed.
        await rm(path, { force: true }).catch(() => undefined);
        lock.close();
        if (process.platform === 'win32') await rm(path, { force: true }).catch(() => undefined);
      },
    };
  }
}

/** Creates the file, or opens an existing one; never what a symbolic link points to. */
async function touch(path: string): Promise<bigint | undefined> {
  await checkOutput(path, { kind: 'empty' });
  try {
    await using file = await open(path, 'a');
    return (await file.stat({ bigint: true })).ino;
  } catch {
    return undefined;
  }
}

async function inode(path: string): Promise<bigint | undefined> {
  const info = await lstat(path, { bigint: true }).catch(() => undefined);
  return info?.ino;
}

/** Locks the file; `undefined` on file systems without locks. */
function lockFile(path: string, folder: string): DatabaseSync | undefined {
  let file: DatabaseSync | undefined;
  try {
    file = new DatabaseSync(path);
    file.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return file;
  } catch (error) {
    file?.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) return undefined;
    throw new PlaybyplayError('folder-in-use', `another run is writing to ${folder}`, {
      hint: 'Wait for it to end, or choose another folder with --out.',
    });
  }
}
