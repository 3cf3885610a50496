import { mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
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

/** SQLite's result code for a file that another connection has locked (sqlite.org/rescode.html#busy). */
const SQLITE_BUSY = 5;
const LOCK_NAME = 'detect.lock';

/**
 * Locks a folder for one writer. The lock is the operating system's, taken by SQLite on an empty file, so it ends with the
 * process, however that ends: there are no stale locks. The caller disposes of it.
 *
 * @throws PlaybyplayError `folder-in-use` if another process holds the lock.
 */
export async function lockFolder(folder: string): Promise<AsyncDisposable> {
  const path = join(folder, LOCK_NAME);
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

async function touch(path: string): Promise<bigint | undefined> {
  try {
    await using file = await open(path, 'a');
    return (await file.stat({ bigint: true })).ino;
  } catch {
    return undefined;
  }
}

async function inode(path: string): Promise<bigint | undefined> {
  const info = await stat(path, { bigint: true }).catch(() => undefined);
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
