import { open, rename, type FileHandle } from 'node:fs/promises';
import { constants } from 'node:fs';
import { messageOf, PlaybyplayError } from '../errors.ts';
import { checkOutput, type OutputOptions } from './output.ts';

/** Minimum time between two syncs. Written data survives the end of the process at once, that of the machine after a sync. */
const SYNC_INTERVAL_MS = 1000;

/** Reads and writes, creates a missing file, follows no symbolic link. */
const OPEN_FLAGS = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

/** Error codes of a full file system. */
const DISK_FULL_CODES = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/**
 * A file to which whole pieces are appended: a piece is written completely or not at all, also on a full disk. It survives the
 * end of the process once `append` has returned, and that of the machine about a second later.
 */
export class AppendFile implements AsyncDisposable {
  #path: string;
  readonly #file: FileHandle;
  #size: number;
  #synced = performance.now();
  #dirty = false;
  #open = true;

  private constructor(path: string, file: FileHandle, size: number) {
    this.#path = path;
    this.#file = file;
    this.#size = size;
  }

  /**
   * Opens or creates a file for appending after its first `size` bytes; anything beyond is truncated.
   *
   * @param options What the file contains, and what it must not replace.
   * @throws PlaybyplayError `write-failed`, and as `checkOutput`.
   */
  static async open(path: string, size: number, options: OutputOptions): Promise<AppendFile> {
    await checkOutput(path, options);
    try {
      const file = await open(path, OPEN_FLAGS);
      await file.truncate(size);
      return new AppendFile(path, file, size);
    } catch (error) {
      throw explain(error, path, '');
    }
  }

  get path(): string {
    return this.#path;
  }

  /** Renames the file, replacing any file of that name. */
  async rename(path: string): Promise<void> {
    await this.sync();
    await rename(this.#path, path).catch((error: unknown) => {
      throw explain(error, path, '');
    });
    this.#path = path;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Appends a piece.
   *
   * @param saved Says in an error message what the file contains without this piece.
   * @throws PlaybyplayError `disk-full`, `write-failed`.
   */
  async append(piece: Uint8Array, saved = ''): Promise<void> {
    try {
      let done = 0;
      while (done < piece.length) {
        const { bytesWritten } = await this.#file.write(piece, done, piece.length - done, this.#size + done);
        done += bytesWritten;
      }
    } catch (error) {
      await this.#file.truncate(this.#size).catch(() => undefined);
      throw explain(error, this.#path, saved);
    }
    this.#size += piece.length;
    this.#dirty = true;
    if (performance.now() - this.#synced >= SYNC_INTERVAL_MS) await this.sync();
  }

  /** Truncates the file to `size` bytes. */
  async truncate(size: number): Promise<void> {
    await this.#file.truncate(size);
    this.#size = size;
  }

  /** Reads up to `length` bytes at `position`; fewer at the end of the file. */
  async read(position: number, length: number): Promise<Uint8Array> {
    const buffer = Buffer.allocUnsafe(length);
    let done = 0;
    while (done < length) {
      const { bytesRead } = await this.#file.read(buffer, done, length - done, position + done);
      if (bytesRead === 0) break;
      done += bytesRead;
    }
    return buffer.subarray(0, done);
  }

  /** Waits until all data is on the disk. */
  async sync(): Promise<void> {
    if (!this.#dirty) return;
    await this.#file.datasync().catch((error: unknown) => {
      throw explain(error, this.#path, '');
    });
    this.#dirty = false;
    this.#synced = performance.now();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    try {
      await this.sync();
    } finally {
      await this.#file.close();
    }
  }
}

function explain(error: unknown, path: string, saved: string): PlaybyplayError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (DISK_FULL_CODES.has(code)) {
    return new PlaybyplayError('disk-full', `no space left to write ${path}${saved === '' ? '' : `: ${saved}`}`, {
      hint: 'Free some space, then run the command again (detect: with --resume): it goes on from there.',
      cause: error,
    });
  }
  const hint =
    code === 'EACCES' || code === 'EPERM' || code === 'EROFS' ? 'Choose a writable folder with --out.' : undefined;
  return new PlaybyplayError('write-failed', `cannot write ${path}: ${messageOf(error)}`, { hint, cause: error });
}
