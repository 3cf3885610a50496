import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { toFileName } from './file-name.ts';

/**
 * Where a service keeps recordings and logs. Decoders and readers of logs open files, so that recordings and logs are named by paths:
 * what lies elsewhere is brought to its path when it is needed.
 */
export interface RecordingStorage {
  /** The folder of a recording; nothing of another recording is in it. */
  folderOf(tenant: string, recording: string): string;
  /** Moves a complete upload into the folder of a recording. */
  adopt(path: string, target: string): Promise<void>;
  /** Whether a file is stored. */
  has(path: string): Promise<boolean>;
  /**
   * Brings a stored file to its path.
   *
   * @throws PlaybyplayError `recording-gone`, `storage-unreachable`.
   */
  fetch(path: string): Promise<void>;
  /**
   * Stores what a job made in a folder.
   *
   * @throws PlaybyplayError `storage-unreachable`.
   */
  keep(folder: string): Promise<void>;
  /** Removes what `fetch` brought, and what is stored elsewhere. */
  release(path: string): Promise<void>;
  /** Removes a recording with everything that was made of it. */
  remove(tenant: string, recording: string): Promise<void>;
  /** Whether it can be written to. */
  isReady(): Promise<boolean>;
}

/** Keeps recordings in a folder, which several machines may share: `<root>/tenants/<tenant>/<recording>/`. */
export class FileStorage implements RecordingStorage {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  folderOf(tenant: string, recording: string): string {
    return join(this.#root, 'tenants', toFileName(tenant), toFileName(recording));
  }

  async adopt(path: string, target: string): Promise<void> {
    if (!target.startsWith(this.#root + sep)) throw new RangeError('the target is not in the storage');
    await mkdir(dirname(target), { recursive: true });
    await rename(path, target);
  }

  async has(path: string): Promise<boolean> {
    return (await stat(path).catch(() => undefined)) !== undefined;
  }

  async fetch(): Promise<void> {
    // Paths lead to the files themselves.
  }

  async keep(): Promise<void> {
    // Jobs write where it is kept.
  }

  async release(): Promise<void> {
    // There is no second copy.
  }

  async remove(tenant: string, recording: string): Promise<void> {
    await rm(this.folderOf(tenant, recording), { recursive: true, force: true });
  }

  async isReady(): Promise<boolean> {
    return (await stat(this.#root).catch(() => undefined))?.isDirectory() ?? false;
  }
}
