import { open, rename, type FileHandle } from 'node:fs/promises';
import { messageOf, PlaybyplayError } from '../errors.ts';

/** Least time (ms) between two waits for the disk itself; what was written survives the death of the process at once. */
const SYNC_EVERY_MS = 1000;

/** Error codes of a file system that takes no more. */
const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/**
 * A file that grows at its end by whole pieces: a piece is in it completely or not at all, also on a full disk, and is
 * safe from the death of the process once `append` has returned, from that of the machine about a second later.
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

  /** Opens `path` for growing from `size` bytes on; what lies beyond is cut off. Creates it where it does not exist. */
  static async open(path: string, size: number): Promise<AppendFile> {
    try {
      const file = await open(path, size === 0 ? 'w+' : 'r+');
      await file.truncate(size);
      return new AppendFile(path, file, size);
    } catch (error) {
      throw explain(error, path, '');
    }
  }

  get path(): string {
    return this.#path;
  }

  /** Gives the file, complete as it is, another name, in place of any file of that name. */
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

  /** `kept` says in an error message what the file holds without this piece. Throws PlaybyplayError `disk-full`, `write-failed`. */
  async append(piece: Uint8Array, kept = ''): Promise<void> {
    try {
      let done = 0;
      while (done < piece.length) {
        const { bytesWritten } = await this.#file.write(piece, done, piece.length - done, this.#size + done);
        done += bytesWritten;
      }
    } catch (error) {
      await this.#file.truncate(this.#size).catch(() => undefined);
      throw explain(error, this.#path, kept);
    }
    this.#size += piece.length;
    this.#dirty = true;
    if (performance.now() - this.#synced >= SYNC_EVERY_MS) await this.sync();
  }

  /** Cuts the file to `size` bytes. */
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

  /** Waits until everything is on the disk. */
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

function explain(error: unknown, path: string, kept: string): PlaybyplayError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (FULL.has(code)) {
    return new PlaybyplayError('disk-full', `no space left to write ${path}${kept === '' ? '' : `: ${kept}`}`, {
      hint: 'Free some space, then go on with --resume.',
      cause: error,
    });
  }
  const hint =
    code === 'EACCES' || code === 'EPERM' || code === 'EROFS'
      ? 'Choose a folder that you may write to with --out.'
      : undefined;
  return new PlaybyplayError('write-failed', `cannot write ${path}: ${messageOf(error)}`, { hint, cause: error });
}
