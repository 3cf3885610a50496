import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { PlaybyplayError } from '../errors.ts';
import { readFileKind } from '../files/file-kind.ts';
import { readInput } from '../files/input.ts';

/** One of several machines that divide recordings among them, from 1. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** Files and folders whose names begin or end like this are not searched for recordings. */
const SKIPPED = /^\.|\.playbyplay$|^node_modules$/;
/** Recordings of a folder or list at most. */
const MAX_RECORDINGS = 1_000_000;
const MAX_LIST_BYTES = 256 << 20;

/**
 * Finds recordings, sorted by path.
 *
 * @param path A folder, which is searched with its folders; a recording; or a text file with a path per line (`#` begins a
 *   comment), relative to its folder.
 * @throws PlaybyplayError `no-recordings`, `no-such-file`.
 */
export async function findRecordings(path: string): Promise<readonly string[]> {
  const info = await stat(path).catch(() => undefined);
  if (!info) throw new PlaybyplayError('no-such-file', `no such folder or list: ${path}`);
  const found = info.isDirectory() ? await searchFolder(resolve(path)) : await readList(path);
  if (found.length === 0)
    throw new PlaybyplayError('no-recordings', `${path} holds no recording`, {
      hint: 'Name a folder with video files, or a text file with a path per line.',
    });
  return found.toSorted();
}

async function searchFolder(folder: string): Promise<string[]> {
  const found: string[] = [];
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    for (const entry of await readdir(next, { withFileTypes: true })) {
      if (SKIPPED.test(entry.name)) continue;
      const path = join(next, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      else if (entry.isFile() && (await readFileKind(path).catch(() => 'unknown')) === 'video') found.push(path);
      if (found.length > MAX_RECORDINGS)
        throw new PlaybyplayError('no-recordings', `${folder} holds more than ${MAX_RECORDINGS} recordings`);
    }
  return found;
}

async function readList(path: string): Promise<string[]> {
  const kind = await readFileKind(path);
  if (kind === 'video') return [resolve(path)];
  if (kind !== 'text')
    throw new PlaybyplayError('no-recordings', `${path} is neither a recording nor a list of recordings`);
  const list = await readInput(path, MAX_LIST_BYTES, 'list-too-large');
  const lines = list
    .toString()
    .split(/\r?\n/)
    .map((line) => line.trim());
  const named = lines.filter((line) => line !== '' && !line.startsWith('#'));
  return [...new Set(named.map((line) => resolve(dirname(path), line)))];
}

/** The recordings that fall to one of several machines, the same whichever others there are. */
export function selectShard(recordings: readonly string[], base: string, { index, count }: Shard): readonly string[] {
  return recordings.filter((path) => {
    const name = relative(resolve(base), path).replaceAll(sep, '/');
    return createHash('sha256').update(name).digest().readUInt32BE(0) % count === index - 1;
  });
}
