import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';
import { PlaybyplayError } from '../errors.ts';
import { LOG_NAME } from '../events/reader.ts';
import { readFileKind } from '../files/file-kind.ts';
import { isInside } from '../files/folder.ts';
import { type FileChange, FileHistory, type HistoryState, versionOf } from '../files/history.ts';

/** A folder that the studio was started in. */
interface OpenedFolder {
  /** Its name in the paths of pages, unique among the opened folders. */
  readonly name: string;
  /** Its real path. */
  readonly path: string;
  readonly history: FileHistory;
}

/** A recording in an opened folder. */
export interface WorkspaceRecording {
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
  readonly log?: string;
}

/** A game pack in an opened folder: a folder that contains `configs/<game>/profile.json`. */
export interface WorkspacePack {
  readonly path: string;
  readonly game: string;
}

/** What an opened folder contains. */
export interface WorkspaceContent {
  readonly recordings: readonly WorkspaceRecording[];
  readonly packs: readonly WorkspacePack[];
  readonly isComplete: boolean;
}

/** Where steps that can be undone are kept in each opened folder. */
const HISTORY_FOLDER = join('.playbyplay', 'history');
const MEDIA_NAME = /\.(?:mp4|m4v|mov|mkv|webm|avi|ts|m2ts|mts|mpg|mpeg|flv|ogv|3gp|wmv)$/i;
const IGNORED_FOLDERS = new Set(['node_modules', 'dist']);
const MAX_DEPTH = 6;
const MAX_ENTRIES = 20_000;

/**
 * The folders that the studio was started in. Pages name files by paths that begin with the name of an opened folder; nothing
 * outside these folders can be named, also not through symbolic links.
 */
export class Workspace {
  readonly folders: readonly OpenedFolder[];
  /** The recording that the studio was started with, as pages name it. */
  readonly initial: string | undefined;

  private constructor(folders: readonly OpenedFolder[], initial: string | undefined) {
    this.folders = folders;
    this.initial = initial;
  }

  /**
   * Opens folders, and the folders of recordings.
   *
   * @param paths Folders and recordings; none: the current folder.
   * @throws PlaybyplayError `no-such-file`.
   */
  static async open(paths: readonly string[]): Promise<Workspace> {
    const roots = new Map<string, string>();
    let initial: { readonly folder: string; readonly name: string } | undefined;
    for (const path of paths.length > 0 ? paths : ['.']) {
      const real = await realpath(path).catch(() => {
        throw new PlaybyplayError('no-such-file', `no such file or folder: ${path}`);
      });
      const isFolder = (await stat(real)).isDirectory();
      const folder = isFolder ? real : dirname(real);
      if (!isFolder) initial ??= { folder, name: basename(real) };
      if (![...roots.values()].includes(folder)) roots.set(uniqueName(basename(folder) || 'folder', roots), folder);
    }
    const folders = [...roots].map(([name, path]) => ({
      name,
      path,
      history: new FileHistory(path, join(path, HISTORY_FOLDER)),
    }));
    const first = initial && folders.find(({ path }) => path === initial.folder);
    return new Workspace(folders, first && `${first.name}/${initial!.name}`);
  }

  /** Lists recordings and packs. */
  async list(): Promise<WorkspaceContent> {
    const found = { recordings: [] as WorkspaceRecording[], packs: [] as WorkspacePack[] };
    let entriesLeft = MAX_ENTRIES;
    const visit = async (folder: OpenedFolder, path: string, depth: number): Promise<void> => {
      const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
      entries.sort((a, b) => (a.name < b.name ? -1 : 1));
      for (const entry of entries) {
        if (entriesLeft-- <= 0) return;
        if (entry.name.startsWith('.')) continue;
        const full = join(path, entry.name);
        if (entry.isFile() && MEDIA_NAME.test(entry.name)) {
          const bytes = (await stat(full)).size;
          const name = relative(folder.path, full).split(sep).join('/');
          const log = await this.#logOf(folder, full);
          found.recordings.push({ path: `${folder.name}/${name}`, name, bytes, ...(log !== undefined && { log }) });
        } else if (entry.isFile() && entry.name === 'profile.json' && basename(dirname(path)) === 'configs')
          found.packs.push({ path: this.#publicPath(folder, dirname(dirname(path))), game: basename(path) });
        else if (entry.isDirectory() && depth < MAX_DEPTH && !IGNORED_FOLDERS.has(entry.name))
          await visit(folder, full, depth + 1);
      }
    };
    for (const folder of this.folders) await visit(folder, folder.path, 0);
    return { ...found, isComplete: entriesLeft > 0 };
  }

  /** The log next to a recording, as pages name it; `undefined` where there is none. */
  async logOf(path: string): Promise<string | undefined> {
    const { folder, real } = await this.#find(path);
    return await this.#logOf(folder, real);
  }

  async #logOf(folder: OpenedFolder, recording: string): Promise<string | undefined> {
    const log = join(dirname(recording), `${basename(recording, extname(recording))}.playbyplay`, LOG_NAME);
    const info = await stat(log).catch(() => undefined);
    return info?.isFile() ? this.#publicPath(folder, log) : undefined;
  }

  /**
   * Finds an existing file or folder.
   *
   * @returns Its real path, which lies inside an opened folder.
   * @throws PlaybyplayError `outside-workspace`, `no-such-file`.
   */
  async resolve(path: string): Promise<string> {
    return (await this.#find(path)).real;
  }

  /**
   * Finds where a file would be written.
   *
   * @returns A path whose existing folders lie inside an opened folder.
   * @throws PlaybyplayError `outside-workspace`.
   */
  async resolveNew(path: string): Promise<string> {
    const { folder, full } = this.#locate(path);
    await checkParents(folder, full);
    return full;
  }

  /** The path of a file inside an opened folder, as pages name it. Throws PlaybyplayError `outside-workspace`. */
  publicPath(real: string): string {
    const folder = this.folders.find(({ path }) => isInside(real, path));
    if (!folder) throw outside(real);
    return this.#publicPath(folder, real);
  }

  #publicPath(folder: OpenedFolder, real: string): string {
    const inside = relative(folder.path, real).split(sep).join('/');
    return inside === '' ? folder.name : `${folder.name}/${inside}`;
  }

  /** Reads a file and its version; an empty version where there is none. Throws `outside-workspace`. */
  async read(path: string): Promise<{ readonly content: Buffer | undefined; readonly version: string }> {
    const full = await this.resolveNew(path);
    const info = await lstat(full).catch(() => undefined);
    if (info?.isSymbolicLink()) return this.read(this.publicPath(await this.resolve(path)));
    const content = info?.isFile() ? await readFile(full) : undefined;
    return { content, version: versionOf(content) };
  }

  /**
   * Changes files of one opened folder as one step that can be undone.
   *
   * @param label What is done, as undo names it.
   * @param changes Files by their public paths.
   * @returns The new versions of the files, in order.
   * @throws PlaybyplayError `file-changed`, `outside-workspace`, and as `writeOutput`.
   */
  async change(label: string, changes: readonly (Omit<FileChange, 'file'> & { readonly path: string })[]) {
    const [first] = changes;
    if (first === undefined) return [];
    const { folder } = this.#locate(first.path);
    const located = await Promise.all(
      changes.map(async ({ path, ...change }) => {
        const full = await this.resolveNew(path);
        if (!isInside(full, folder.path)) throw outside(path);
        return { ...change, file: relative(folder.path, full).split(sep).join('/') };
      }),
    );
    return await folder.history.change(label, located);
  }

  /**
   * Records a change of one file that `work` makes itself, so that it can be undone.
   *
   * @throws What `work` throws; nothing is recorded then.
   */
  async record(label: string, path: string, work: () => Promise<void>): Promise<void> {
    const { folder } = this.#locate(path);
    const full = await this.resolveNew(path);
    await folder.history.record(label, relative(folder.path, full).split(sep).join('/'), work);
  }

  /** What can be undone in the opened folder that contains a path. */
  async historyState(path: string): Promise<HistoryState> {
    await this.resolveNew(path);
    return await this.#locate(path).folder.history.state();
  }

  /** Undoes or redoes a change in the opened folder that contains a path. Returns the public paths of the changed files. */
  async stepHistory(path: string, step: 'undo' | 'redo'): Promise<readonly string[]> {
    await this.resolveNew(path);
    const { folder } = this.#locate(path);
    return (await folder.history[step]()).map((file) => `${folder.name}/${file}`);
  }

  /** Whether a path is a recording by its content. */
  async isRecording(path: string): Promise<boolean> {
    const real = await this.resolve(path);
    return (await stat(real)).isFile() && (await readFileKind(real)) === 'video';
  }

  /** Finds the folder that a path names, and the file in it, without looking at the disk. */
  #locate(path: string): { readonly folder: OpenedFolder; readonly full: string } {
    const [name = '', ...names] = path.split('/');
    const folder = this.folders.find((each) => each.name === name);
    if (!folder || path.includes('\0') || (sep === '\\' && path.includes(sep))) throw outside(path);
    const full = resolve(folder.path, ...names);
    // The history is written by the studio only.
    if (!isInside(full, folder.path) || isInside(full, join(folder.path, HISTORY_FOLDER))) throw outside(path);
    return { folder, full };
  }

  async #find(path: string): Promise<{ readonly folder: OpenedFolder; readonly real: string }> {
    const { folder, full } = this.#locate(path);
    await checkParents(folder, full);
    const real = await realpath(full).catch(() => {
      throw new PlaybyplayError('no-such-file', `no such file: ${path}`);
    });
    if (!isInside(real, folder.path)) throw outside(path);
    return { folder, real };
  }
}

/** Refuses a path whose folders lead out of the opened folder through a symbolic link. */
async function checkParents(folder: OpenedFolder, full: string): Promise<void> {
  for (let parent = full; parent !== folder.path; parent = dirname(parent)) {
    const real = await realpath(parent).catch(() => undefined);
    if (real === undefined) continue;
    if (!isInside(real, folder.path)) throw outside(full);
    return;
  }
}

function outside(path: string): PlaybyplayError {
  return new PlaybyplayError('outside-workspace', `${path} is not in an opened folder`, {
    hint: 'Start the studio with the folder that contains it.',
  });
}

function uniqueName(name: string, taken: ReadonlyMap<string, string>): string {
  for (let n = 1; ; n++) {
    const tried = n === 1 ? name : `${name} (${n})`;
    if (!taken.has(tried)) return tried;
  }
}
