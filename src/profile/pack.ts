import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, posix, relative, sep } from 'node:path';
import { messageOf, PlaybyplayError } from '../errors.ts';
import { suggestSpelling } from '../spelling.ts';

/** Default limit of the size of a file in a pack. */
export const MAX_FILE_BYTES = 256 << 20;

/**
 * The files of one or several games, laid out like this repository: `configs/<game>/`, `scripts/<game>.js`,
 * `dictionary/<game>.json`. Paths are relative to the pack, with forward slashes, and cannot leave it, neither by `..` nor by a
 * symbolic link.
 */
export interface Pack {
  /** The pack's path, for messages. */
  readonly name: string;
  /**
   * Reads a file.
   *
   * @param maxBytes Limit of the file's size; default 256 MiB.
   * @throws PlaybyplayError `asset-missing` (with the nearest name), `asset-outside-pack`, `asset-too-large`.
   */
  read(path: string, maxBytes?: number): Promise<Uint8Array>;
  /** Whether the pack has a file at this path. */
  has(path: string): Promise<boolean>;
  /** Lists the names in a folder, sorted; none if the folder does not exist. */
  list(path: string): Promise<readonly string[]>;
  /** Returns the path of a file for messages. */
  locate(path: string): string;
}

/** Creates a pack of the files in a folder. */
export function folderPack(root: string): Pack {
  const resolveInside = async (path: string): Promise<string> => {
    const clean = normalizePath(path, root);
    const base = await realpath(root);
    const real = await realpath(join(root, clean)).catch(async (error: unknown) => {
      throw await missingError(root, clean, error);
    });
    const fromBase = relative(base, real);
    if (fromBase === '..' || fromBase.startsWith(`..${sep}`) || isAbsolute(fromBase)) throw outsideError(path, root);
    return real;
  };
  return {
    name: root,
    locate: (path) => join(root, path),
    async read(path, maxBytes = MAX_FILE_BYTES) {
      const real = await resolveInside(path);
      const info = await stat(real);
      if (!info.isFile()) throw new PlaybyplayError('asset-missing', `${join(root, path)} is not a file`);
      if (info.size > maxBytes) {
        throw new PlaybyplayError(
          'asset-too-large',
          `${join(root, path)} has ${info.size} bytes; the limit is ${maxBytes}`,
        );
      }
      return readFile(real);
    },
    async has(path) {
      try {
        return (await stat(await resolveInside(path))).isFile();
      } catch {
        return false;
      }
    },
    async list(path) {
      try {
        return (await readdir(await resolveInside(path))).toSorted();
      } catch {
        return [];
      }
    },
  };
}

/**
 * Normalizes a path within a pack.
 *
 * @param pack Names the pack in messages.
 * @throws PlaybyplayError `asset-outside-pack` if the path leaves the pack.
 */
export function normalizePath(path: string, pack: string): string {
  const clean = posix.normalize(path.replaceAll('\\', '/'));
  if (
    clean === '..' ||
    clean.startsWith('../') ||
    clean.startsWith('/') ||
    /^[a-z]:/i.test(clean) ||
    clean.includes('\0')
  ) {
    throw outsideError(path, pack);
  }
  return clean;
}

function outsideError(path: string, pack: string): PlaybyplayError {
  return new PlaybyplayError('asset-outside-pack', `${JSON.stringify(path)} is outside its pack, ${pack}`, {
    hint: 'A pack must hold every file that it uses.',
  });
}

async function missingError(root: string, path: string, cause: unknown): Promise<PlaybyplayError> {
  const folder = posix.dirname(path);
  const names = await readdir(join(root, folder)).catch(() => []);
  const hint = suggestSpelling(posix.basename(path), names);
  const isAbsent = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
  const message = isAbsent
    ? `there is no file ${join(root, path)}`
    : `cannot read ${join(root, path)}: ${messageOf(cause)}`;
  return new PlaybyplayError('asset-missing', message, { hint, cause });
}
