import { open } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { messageOf, PlaybyplayError } from '../errors.ts';
import { suggestSpelling } from '../spelling.ts';
import { normalizePath, MAX_FILE_BYTES, type Pack } from './pack.ts';

const MAX_ENTRIES = 10_000;
const MAX_ARCHIVE_BYTES = 512 << 20;
/** Limit of what all files of an archive come to. */
const MAX_CONTENT_BYTES = 512 << 20;
/** How many times larger a file may become; more is possible only for one that repeats a few bytes. */
const MAX_COMPRESSION_RATIO = 200;
/** Size up to which any ratio is accepted. */
const SMALL_FILE_BYTES = 1 << 20;

/**
 * Opens the pack in a ZIP archive. A single folder that holds everything else, as archives of repositories have it, is skipped.
 *
 * @throws PlaybyplayError `pack-broken` if it is no readable archive, `asset-outside-pack` if an entry's path leaves it.
 */
export async function zipPack(file: string): Promise<Pack> {
  const { fromBufferPromise } = await import('yauzl');
  const zip = await fromBufferPromise(await readArchive(file)).catch((error: unknown) => {
    throw broken(file, error);
  });
  const entries = await readEntries(zip, file);
  const root = commonFolder([...entries.keys()]);
  const find = (path: string): Entry | undefined => entries.get(root + normalizePath(path, file));
  return {
    name: file,
    locate: (path) => `${file}#${path}`,
    async read(path, maxBytes = MAX_FILE_BYTES) {
      const entry = find(path);
      if (entry === undefined) {
        const paths = [...entries.keys()].map((name) => name.slice(root.length));
        const hint = suggestSpelling(path, paths);
        throw new PlaybyplayError('asset-missing', `there is no file ${path} in ${file}`, { hint });
      }
      const size = entry.uncompressedSize;
      if (size > maxBytes)
        throw new PlaybyplayError('asset-too-large', `${file}#${path} has ${size} bytes; the limit is ${maxBytes}`);
      return readEntry(zip, entry, file);
    },
    async has(path) {
      try {
        return find(path) !== undefined;
      } catch {
        return false;
      }
    },
    async list(path) {
      const folder = `${root}${normalizePath(path, file)}/`;
      const inside = [...entries.keys()].filter((name) => name.startsWith(folder));
      return [...new Set(inside.map((name) => name.slice(folder.length).split('/')[0]!))].toSorted();
    },
  };
}

async function readArchive(file: string): Promise<Buffer> {
  await using handle = await open(file).catch((error: unknown) => {
    throw broken(file, error);
  });
  const { size } = await handle.stat();
  if (size > MAX_ARCHIVE_BYTES) throw broken(file, `it has ${size} bytes; the limit is ${MAX_ARCHIVE_BYTES}`);
  return handle.readFile();
}

/** The files of an archive by path; of two with one path, the later. */
async function readEntries(zip: ZipFile, file: string): Promise<ReadonlyMap<string, Entry>> {
  if (zip.entryCount > MAX_ENTRIES) throw broken(file, `it holds ${zip.entryCount} files; the limit is ${MAX_ENTRIES}`);
  const entries = new Map<string, Entry>();
  try {
    let total = 0;
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.endsWith('/')) continue;
      // The archive cannot state less than it holds: yauzl ends reading where an entry exceeds its stated size.
      const { uncompressedSize, compressedSize } = entry;
      total += uncompressedSize;
      if (total > MAX_CONTENT_BYTES) throw broken(file, `its files have more than ${MAX_CONTENT_BYTES} bytes`);
      if (uncompressedSize > Math.max(SMALL_FILE_BYTES, MAX_COMPRESSION_RATIO * compressedSize))
        throw broken(
          file,
          `${entry.fileName} is compressed to less than 1/${MAX_COMPRESSION_RATIO} of its size, as no file of a game is`,
        );
      entries.set(normalizePath(entry.fileName, file), entry);
    }
  } catch (error) {
    // yauzl itself refuses absolute paths and those with "..".
    const path = /^(?:invalid relative|absolute) path: (.*)/.exec(messageOf(error))?.[1];
    if (path !== undefined) normalizePath(path, file);
    throw error instanceof PlaybyplayError ? error : broken(file, error);
  }
  return entries;
}

async function readEntry(zip: ZipFile, entry: Entry, file: string): Promise<Uint8Array> {
  try {
    const content = await buffer(await zip.openReadStreamPromise(entry));
    if (crc32(content) === entry.crc32) return content;
  } catch (error) {
    throw broken(file, `${entry.fileName}: ${messageOf(error)}`);
  }
  throw broken(file, `${entry.fileName} is damaged`);
}

/** `folder/` where every path begins with it and no path is laid out like a pack already, else nothing. */
function commonFolder(paths: readonly string[]): string {
  const [first] = paths;
  const top = first?.includes('/') ? first.slice(0, first.indexOf('/') + 1) : '';
  if (top === '' || ['configs/', 'scripts/', 'dictionary/'].includes(top)) return '';
  return paths.every((path) => path.startsWith(top)) ? top : '';
}

function broken(file: string, reason: unknown): PlaybyplayError {
  const why = typeof reason === 'string' ? reason : messageOf(reason);
  return new PlaybyplayError('pack-broken', `cannot read the pack ${file}: ${why}`, { cause: reason });
}
