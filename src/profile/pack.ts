import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, posix, relative, sep } from 'node:path';
import { messageOf, PlaybyplayError } from '../errors.ts';
import { suggestSpelling } from '../spelling.ts';

/** Default limit of the size of a file in a pack. */
export const MAX_FILE_BYTES = 256 << 20;

/**
 * Files laid out like this repository: `configs/<game>/`, `scripts/<game>.js`, `dictionary/<game>.json`. Paths are
 * relative to the pack, with forward slashes; none leaves it, not by `..`, not by a symbolic link.
 */
export interface Pack {
  /** How errors call it. */
  readonly name: string;
  /**
   * The bytes of a file of at most `most` bytes (default 256 MiB). Throws PlaybyplayError `asset-missing` (with the
   * nearest name), `asset-outside-pack`, `asset-too-large`.
   */
  read(path: string, most?: number): Promise<Uint8Array>;
  has(path: string): Promise<boolean>;
  /** Names in a folder, sorted; none where there is no such folder. */
  list(path: string): Promise<readonly string[]>;
  /** How a person finds a file of it. */
  locate(path: string): string;
}

/** The pack in a folder. */
export function folderPack(root: string): Pack {
  const inside = async (path: string): Promise<string> => {
    const clean = cleanPath(path, root);
    const base = await realpath(root);
    const real = await realpath(join(root, clean)).catch(async (error: unknown) => {
      throw await missing(root, clean, error);
    });
    const way = relative(base, real);
    if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) throw outside(path, root);
    return real;
  };
  return {
    name: root,
    locate: (path) => join(root, path),
    async read(path, most = MAX_FILE_BYTES) {
      const real = await inside(path);
      const info = await stat(real);
      if (!info.isFile()) throw new PlaybyplayError('asset-missing', `${join(root, path)} is not a file`);
      if (info.size > most) {
        throw new PlaybyplayError(
          'asset-too-large',
          `${join(root, path)} has ${info.size} bytes; at most ${most} are read`,
        );
      }
      return readFile(real);
    },
    async has(path) {
      try {
        return (await stat(await inside(path))).isFile();
      } catch {
        return false;
      }
    },
    async list(path) {
      try {
        return (await readdir(await inside(path))).toSorted();
      } catch {
        return [];
      }
    },
  };
}

/** `path` without detours; throws where it leaves its pack. */
export function cleanPath(path: string, pack: string): string {
  const clean = posix.normalize(path.replaceAll('\\', '/'));
  if (
    clean === '..' ||
    clean.startsWith('../') ||
    clean.startsWith('/') ||
    /^[a-z]:/i.test(clean) ||
    clean.includes('\0')
  ) {
    throw outside(path, pack);
  }
  return clean;
}

function outside(path: string, pack: string): PlaybyplayError {
  return new PlaybyplayError('asset-outside-pack', `${JSON.stringify(path)} lies outside its pack, ${pack}`, {
    hint: 'A pack must hold every file that it uses.',
  });
}

async function missing(root: string, path: string, cause: unknown): Promise<PlaybyplayError> {
  const folder = posix.dirname(path);
  const names = await readdir(join(root, folder)).catch(() => []);
  const hint = suggestSpelling(posix.basename(path), names);
  const gone = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
  const message = gone
    ? `there is no file ${join(root, path)}`
    : `cannot read ${join(root, path)}: ${messageOf(cause)}`;
  return new PlaybyplayError('asset-missing', message, { hint, cause });
}
