import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PlaybyplayError } from '../errors.ts';

/** SQLite's result code for a file that another connection has locked (sqlite.org/rescode.html#busy). */
const BUSY = 5;
const NAME = 'detect.lock';

/**
 * Keeps a folder for one writer at a time. The lock is the operating system's, taken through SQLite on an empty file, so it
 * ends with the process however that ends: there is no stale lock to recover. Dispose of it when the work is done.
 * Throws PlaybyplayError `folder-in-use`.
 */
export async function lockFolder(folder: string): Promise<AsyncDisposable> {
  const path = join(folder, NAME);
  for (;;) {
    const before = await touch(path);
    // A folder that takes no file is reported by whoever writes into it, in better words.
    if (before === undefined) return { [Symbol.asyncDispose]: async () => {} };
    const lock = take(path, folder);
    if (lock === undefined) return { [Symbol.asyncDispose]: async () => {} };
    // The holder before may have removed the file between our looking at it and our locking it.
    if ((await inode(path)) !== before) {
      lock.close();
      continue;
    }
    return {
      [Symbol.asyncDispose]: async () => {
        // Where an open file can be removed this leaves no moment in which another could lock what is about to vanish.
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

/** The locked file; undefined on file systems without locks. */
function take(path: string, folder: string): DatabaseSync | undefined {
  let file: DatabaseSync | undefined;
  try {
    file = new DatabaseSync(path);
    file.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return file;
  } catch (error) {
    file?.close();
    if ((error as { errcode?: number }).errcode !== BUSY) return undefined;
    throw new PlaybyplayError('folder-in-use', `another run is writing to ${folder}`, {
      hint: 'Wait until it has ended, or give this run a folder of its own with --out.',
    });
  }
}
