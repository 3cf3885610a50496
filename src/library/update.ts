import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Issue, PlaybyplayError } from '../errors.ts';
import { correctionsPath } from '../events/corrections.ts';
import type { HeaderLine } from '../events/log.ts';
import { nameLogs, uniqueSessionName } from '../events/log-names.ts';
import { findLogs, locateLog, readLogWithOffsets } from '../events/reader.ts';
import { isInside } from '../files/folder.ts';
import type { LibraryStore, NewOccurrence } from './store.ts';

/** How long added logs may wait for their commit, in milliseconds: so much work is lost by a kill. */
const COMMIT_INTERVAL_MS = 1000;

/** Options of `Library.add`. */
export interface AddOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called before each log is looked at. */
  readonly onProgress?:
    | ((progress: { readonly done: number; readonly total: number; readonly path: string }) => void)
    | undefined;
}

/** What `Library.add` did, in numbers of logs. */
export interface AddResult {
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  /** Logs that no longer exist. */
  readonly removed: number;
  /** Logs that could not be read, and why; the library keeps what it knew of them. */
  readonly issues: readonly Issue[];
}

/** Adds logs to an index, as `Library.add` does. */
export async function addLogs(
  store: LibraryStore,
  paths: readonly string[],
  { signal, onProgress }: AddOptions,
): Promise<AddResult> {
  const roots = paths.length === 0 ? await store.roots() : paths.map((path) => resolve(path));
  const issues: Issue[] = [];
  const files = new Set<string>();
  for (const root of roots) for (const file of await findLogsOf(root, paths.length === 0, issues)) files.add(file);
  const sessions = await store.sessions();
  const known = new Map(sessions.map((session) => [session.path, session]));
  const taken = new Set(sessions.map(({ session }) => session));
  const result = { added: 0, updated: 0, unchanged: 0, removed: 0 };
  if (paths.length > 0) await store.addRoots(roots);
  let committed = performance.now();
  let done = 0;
  for (const path of files) {
    signal?.throwIfAborted();
    onProgress?.({ done: done++, total: files.size, path });
    const { size, modified } = await stateOf(path);
    const before = known.get(path);
    if (before?.size === size && before.modified === modified) result.unchanged++;
    else {
      try {
        if (before) taken.delete(before.session);
        await addLog(store, path, { size, modified }, taken, signal);
        result[before ? 'updated' : 'added']++;
      } catch (error) {
        if (!(error instanceof PlaybyplayError)) throw error;
        if (before) taken.add(before.session);
        issues.push({ code: error.code, path, message: error.message });
      }
    }
    if (performance.now() - committed < COMMIT_INTERVAL_MS) continue;
    await store.commit();
    committed = performance.now();
  }
  await store.commit();
  const gone = [...known.keys()].filter((path) => !files.has(path) && roots.some((root) => isInside(path, root)));
  await store.remove(gone);
  result.removed = gone.length;
  await nameSessions(store);
  return { ...result, issues };
}

/** Removes logs from an index, as `Library.remove` does. */
export async function removeLogs(store: LibraryStore, paths: readonly string[]): Promise<number> {
  const roots = paths.map((path) => resolve(path));
  const sessions = await store.sessions();
  const gone = sessions.map(({ path }) => path).filter((path) => roots.some((root) => isInside(path, root)));
  await store.remove(gone);
  await store.removeRoots((await store.roots()).filter((path) => roots.some((root) => isInside(path, root))));
  await nameSessions(store);
  return gone.length;
}

/** What changes when a log or its corrections change. */
async function stateOf(log: string): Promise<{ readonly size: number; readonly modified: number }> {
  const own = await stat(log);
  const corrections = await stat(correctionsPath(log)).catch(() => undefined);
  if (!corrections) return { size: own.size, modified: own.mtimeMs };
  return { size: own.size + corrections.size, modified: Math.max(own.mtimeMs, corrections.mtimeMs) };
}

async function findLogsOf(root: string, wasAdded: boolean, issues: Issue[]): Promise<readonly string[]> {
  try {
    const found: string[] = [];
    for (const file of await findLogs(root)) {
      const { path, embedded } = await locateLog(file);
      if (embedded === undefined) found.push(path);
      else
        issues.push({
          code: 'log-embedded',
          path,
          message: 'the log inside a reel repeats events of its recordings and was left out',
        });
    }
    return found;
  } catch (error) {
    // A folder that was added before may be gone, with all its logs.
    if (wasAdded && error instanceof PlaybyplayError && error.code === 'log-missing') return [];
    throw error;
  }
}

async function addLog(
  store: LibraryStore,
  path: string,
  file: { readonly size: number; readonly modified: number },
  taken: Set<string>,
  signal: AbortSignal | undefined,
): Promise<void> {
  let header: HeaderLine | undefined;
  const events: NewOccurrence[] = [];
  let certain = 0;
  for await (const { line, offset } of readLogWithOffsets(path, signal ? { signal } : {})) {
    if (line.type === 'header') header = line;
    if (line.type !== 'event') continue;
    if (!line.tentative) certain++;
    events.push({
      statement: line.statement,
      text: line.text,
      game: line.game === header!.game ? undefined : line.game,
      ordinal: events.length,
      t: Math.round(line.t * 1e6),
      end: Math.round(line.end * 1e6),
      confidence: Math.round(line.confidence * 1000),
      isTentative: line.tentative === true,
      offset,
    });
  }
  const session = uniqueSessionName(header!.session, path, taken);
  const { game, media, dictionaries } = header!;
  const stored = { ...file, path, name: session, session, game, duration: media.duration, events: certain };
  await store.put(stored, dictionaries, events);
}

/** Names sessions after their logs, as far as needed to distinguish them. */
async function nameSessions(store: LibraryStore): Promise<void> {
  const sessions = await store.sessions();
  const names = nameLogs(sessions.map(({ path }) => path));
  const changed = sessions.flatMap(({ id, name }, i) => (name === names[i] ? [] : [[id, names[i]!] as const]));
  if (changed.length > 0) await store.rename(new Map(changed));
}
