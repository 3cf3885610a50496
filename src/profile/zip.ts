import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { crc32, inflateRaw } from 'node:zlib';
import { messageOf, PlaybyplayError } from '../errors.ts';
import { suggestSpelling } from '../spelling.ts';
import { cleanPath, type Pack } from './pack.ts';

const inflate = promisify(inflateRaw);

const MOST_ENTRIES = 10_000;
const LARGEST_ARCHIVE = 1 << 30;
const LARGEST_FILE = 256 << 20;

interface Entry {
  readonly path: string;
  readonly method: number;
  readonly flags: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly at: number;
}

/**
 * The pack in a ZIP archive (PKWARE APPNOTE 6.3: stored and deflated entries; neither encrypted nor ZIP64). A folder that
 * holds all the rest, as archives of repositories have it, is looked through. Throws PlaybyplayError `pack-broken`.
 */
export async function zipPack(file: string): Promise<Pack> {
  const bytes = await readAll(file);
  const entries = new Map(directoryOf(bytes, file).map((entry) => [entry.path, entry]));
  const top = commonFolder([...entries.keys()]);
  const find = (path: string): Entry | undefined => entries.get(top + cleanPath(path, file));
  return {
    name: file,
    locate: (path) => `${file}#${path}`,
    async read(path, most = LARGEST_FILE) {
      const entry = find(path);
      if (entry === undefined)
        throw missing(
          file,
          path,
          [...entries.keys()].map((name) => name.slice(top.length)),
        );
      if (entry.size > most) {
        throw new PlaybyplayError(
          'asset-too-large',
          `${file}#${path} has ${entry.size} bytes; at most ${most} are read`,
        );
      }
      return contentOf(bytes, entry, file);
    },
    has(path) {
      try {
        return Promise.resolve(find(path) !== undefined);
      } catch {
        return Promise.resolve(false);
      }
    },
    list(path) {
      const folder = `${top}${cleanPath(path, file)}/`;
      const names = [...entries.keys()]
        .filter((name) => name.startsWith(folder))
        .map((name) => name.slice(folder.length).split('/')[0]!);
      return Promise.resolve([...new Set(names)].toSorted());
    },
  };
}

async function readAll(file: string): Promise<Buffer> {
  await using handle = await open(file).catch((error: unknown) => {
    throw new PlaybyplayError('pack-broken', `cannot read ${file}: ${messageOf(error)}`, { cause: error });
  });
  const { size } = await handle.stat();
  if (size > LARGEST_ARCHIVE) throw broken(file, `it has ${size} bytes; at most ${LARGEST_ARCHIVE} are read`);
  return handle.readFile();
}

/** The entries named in the archive's central directory; of two of one name the later. */
function directoryOf(bytes: Buffer, file: string): Entry[] {
  const end = bytes.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  if (end < 0 || end + 22 > bytes.length) throw broken(file, 'it is not a ZIP archive, or cut off');
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  if (count === 0xffff || at === 0xffffffff) throw broken(file, 'ZIP64 is not supported');
  if (count > MOST_ENTRIES) throw broken(file, `it holds ${count} files; at most ${MOST_ENTRIES} are read`);
  const entries: Entry[] = [];
  for (let i = 0; i < count; i++) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== 0x02014b50) throw broken(file, 'its directory is damaged');
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset));
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength!);
    if (!name.endsWith('/')) {
      entries.push({
        path: cleanPath(name, file),
        flags: bytes.readUInt16LE(at + 8),
        method: bytes.readUInt16LE(at + 10),
        crc: bytes.readUInt32LE(at + 16),
        packed: bytes.readUInt32LE(at + 20),
        size: bytes.readUInt32LE(at + 24),
        at: bytes.readUInt32LE(at + 42),
      });
    }
    at += 46 + nameLength! + extraLength! + commentLength!;
  }
  return entries;
}

async function contentOf(bytes: Buffer, entry: Entry, file: string): Promise<Uint8Array> {
  const { at, flags, method, packed, size, crc, path } = entry;
  if ((flags & 1) !== 0) throw broken(file, `${path} is encrypted`);
  if (at + 30 > bytes.length || bytes.readUInt32LE(at) !== 0x04034b50) throw broken(file, `${path} is damaged`);
  const start = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
  const raw = bytes.subarray(start, start + packed);
  if (raw.length < packed) throw broken(file, `${path} is cut off`);
  if (method !== 0 && method !== 8) throw broken(file, `${path} is packed in a way that is not supported (${method})`);
  // The directory's size bounds the output: what inflates to more than it says is refused before it is in memory.
  const content =
    method === 0
      ? raw
      : await inflate(raw, { maxOutputLength: Math.max(size, 1) }).catch((error: unknown) => {
          throw broken(file, `${path} cannot be unpacked: ${messageOf(error)}`);
        });
  if (content.length !== size || crc32(content) !== crc) throw broken(file, `${path} is damaged`);
  return content;
}

/** `folder/` where every path begins with it and no path is laid out like a pack already, else nothing. */
function commonFolder(paths: readonly string[]): string {
  const [first] = paths;
  const top = first?.includes('/') ? first.slice(0, first.indexOf('/') + 1) : '';
  if (top === '' || ['configs/', 'scripts/', 'dictionary/'].includes(top)) return '';
  return paths.every((path) => path.startsWith(top)) ? top : '';
}

function missing(file: string, path: string, paths: readonly string[]): PlaybyplayError {
  return new PlaybyplayError('asset-missing', `there is no file ${path} in ${file}`, {
    hint: suggestSpelling(path, paths),
  });
}

function broken(file: string, why: string): PlaybyplayError {
  return new PlaybyplayError('pack-broken', `the pack ${file} cannot be used: ${why}`);
}
