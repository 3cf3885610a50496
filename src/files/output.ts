/**
 * Every file that the program writes is written here or by an `AppendFile`: never over a file that it reads, never through a
 * symbolic link, and under its name only when it is complete.
 */
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { copyFile, lstat, mkdtemp, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { threadId } from 'node:worker_threads';
import { messageOf, PlaybyplayError } from '../errors.ts';
import { type FileKind, readFileKind } from './file-kind.ts';
import { makeFolder } from './folder.ts';

/** What may be replaced by an output. */
export interface OutputPolicy {
  /** Files that are read meanwhile: they are never replaced, by whatever name. Missing ones are ignored. */
  readonly inputs?: readonly string[] | undefined;
  /** Replaces an existing file of another kind, and a symbolic link (not what it points to). */
  readonly overwrite?: boolean | undefined;
}

/** Options of `writeOutput`. */
export interface OutputOptions extends OutputPolicy {
  /** What is written. Without `overwrite`, an existing file is replaced only if it is of this kind. */
  readonly kind: FileKind;
  /** Whether an existing file of this kind may be replaced; default: any. For kinds that are not only written by this program. */
  readonly mayReplace?: ((path: string) => Promise<boolean>) | undefined;
}

/**
 * Decides whether a file may be written. Call it before long work, so that a refusal comes at once.
 *
 * @throws PlaybyplayError `output-is-input`, `output-exists` (with what to do).
 *
 * @example
 * await checkOutput('report.html', { kind: 'HTML', inputs: ['session.ndjson'] });
 */
export async function checkOutput(
  path: string,
  { kind, mayReplace, inputs = [], overwrite = false }: OutputOptions,
): Promise<void> {
  await checkNotInput(path, inputs);
  const own = await lstat(path).catch(ignoreMissing);
  if (own === undefined) return;
  const target = own.isSymbolicLink() ? await stat(path).catch(ignoreMissing) : own;
  if (isStream(target)) return;
  if (target?.isDirectory())
    throw new PlaybyplayError('output-exists', `${path} is a folder`, { hint: 'Name a file.' });
  if (overwrite) return;
  if (own.isSymbolicLink())
    throw new PlaybyplayError('output-exists', `${path} is a symbolic link`, {
      hint: 'Name the file that it points to, or replace the link with --overwrite.',
    });
  const existing = await readFileKind(path);
  if (existing === 'empty') return;
  if (existing === kind && ((await mayReplace?.(path)) ?? true)) return;
  const what = existing === kind ? 'which playbyplay did not write' : `not ${describeKind(kind)}`;
  throw new PlaybyplayError('output-exists', `${path} exists and is ${describeKind(existing)}, ${what}`, {
    hint: 'Choose another name, or replace it with --overwrite.',
  });
}

/**
 * Refuses to write to a file that is read, whatever links lead to it.
 *
 * @throws PlaybyplayError `output-is-input`.
 */
export async function checkNotInput(path: string, inputs: readonly string[]): Promise<void> {
  const target = await stat(path, { bigint: true }).catch(ignoreMissing);
  if (!target?.isFile()) return;
  for (const input of inputs) {
    const info = await stat(input, { bigint: true }).catch(() => undefined);
    if (info === undefined || info.ino !== target.ino || info.dev !== target.dev) continue;
    const name = resolve(input) === resolve(path) ? '' : `, as ${input}`;
    throw new PlaybyplayError('output-is-input', `${path} cannot be written: it is also an input${name}`, {
      hint: 'Give the output another name.',
    });
  }
}

/**
 * Writes a file. It appears under its name only when it is complete; folders that contain it are made. A pipe or device, such
 * as /dev/stdout, is written directly.
 *
 * @throws PlaybyplayError `unwritable`, and as `checkOutput`.
 */
export async function writeOutput(path: string, data: string | Uint8Array, options: OutputOptions): Promise<void> {
  if (isStream(await stat(path).catch(() => undefined))) {
    await checkOutput(path, options);
    await writeFile(path, data);
  } else await produceOutput(path, (temporaryPath) => writeFile(temporaryPath, data), options);
}

/**
 * As `writeOutput`, of a file that `produce` writes. A failure leaves nothing behind, and its message names the file itself.
 *
 * @param produce Writes the temporary file whose path it is given, in the folder of the file; it exists and is empty.
 * @returns What `produce` returns.
 * @throws PlaybyplayError `unwritable`, as `checkOutput`, and what `produce` throws.
 */
export async function produceOutput<T>(
  path: string,
  produce: (temporaryPath: string) => Promise<T>,
  options: OutputOptions,
): Promise<T> {
  await checkOutput(path, options);
  await makeFolder(dirname(resolve(path)));
  await using temporary = await TemporaryFile.create(path);
  try {
    const result = await produce(temporary.path);
    // What was there may have changed meanwhile.
    await checkOutput(path, options);
    await rename(temporary.path, path);
    return result;
  } catch (error) {
    throw renameInError(error, path, temporary.path);
  }
}

/** Copies a file, as `writeOutput` writes one. */
export async function copyOutput(from: string, to: string, options: OutputOptions): Promise<void> {
  await produceOutput(to, (temporaryPath) => copyFile(from, temporaryPath), { ...options, inputs: [from] });
}

/** Removes files that this program wrote. Missing ones are ignored. */
export async function removeFiles(paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(path, { force: true });
}

/** Temporary files and folders of this process, removed when it ends. */
const temporaries = new Set<string>();
let count = 0;
let removesAtExit = false;

/** Distinguishes the process ids of different machines on one file system. */
const HOST = createHash('sha256').update(hostname()).digest('hex').slice(0, 6);
/** Age at which a temporary file is left over, whoever wrote it. */
const MAX_TEMPORARY_AGE_MS = 24 * 3600 * 1000;

/** `<name>.<host>-<process id>-<thread id>-<count>.part`, possibly of another temporary file; of folders with random characters behind it. */
const TEMPORARY_NAME = /\.(?<host>[\da-f]{6})-(?<pid>\d+)-\d+-\d+\.part(?:-\w{6})?$/;
const TEMPORARY_NAMES = /\.[\da-f]{6}-\d+-\d+-\d+\.part/g;
/** Folders searched for what interrupted runs left: once per process. */
const searchedFolders = new Set<string>();

/** An empty file next to another one, to be written and renamed to it. Disposing of it removes what was not renamed. */
export class TemporaryFile implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /**
   * Creates the file. Removes those that interrupted runs left in its folder.
   *
   * @param path The file that is being written.
   * @throws PlaybyplayError `unwritable`.
   */
  static async create(path: string): Promise<TemporaryFile> {
    const file = await TemporaryFile.reserve(path);
    try {
      // Exclusively: never through a link that somebody put there.
      await (await open(file.path, 'wx')).close();
    } catch (error) {
      throw renameInError(error, path, file.path);
    }
    return file;
  }

  /** As `create`, without creating the file. Its user must not follow symbolic links. */
  static async reserve(path: string): Promise<TemporaryFile> {
    await removeLeftovers(dirname(resolve(path)));
    const temporaryPath = `${path}.${HOST}-${process.pid}-${threadId}-${count++}.part`;
    remember(temporaryPath);
    return new TemporaryFile(temporaryPath);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { force: true });
    temporaries.delete(this.path);
  }
}

/** A folder for intermediate files outside the user's folders. Disposing of it removes it. */
export class TemporaryFolder implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Creates the folder. Removes those that interrupted runs left. */
  static async create(): Promise<TemporaryFolder> {
    await removeLeftovers(tmpdir());
    const path = await mkdtemp(join(tmpdir(), `playbyplay.${HOST}-${process.pid}-${threadId}-${count++}.part-`));
    remember(path);
    return new TemporaryFolder(path);
  }

  /** Writes a file into the folder and returns its path. */
  async write(name: string, data: Uint8Array): Promise<string> {
    const path = join(this.path, name);
    await writeFile(path, data, { flag: 'wx' });
    return path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
    temporaries.delete(this.path);
  }
}

function remember(path: string): void {
  // A second interruption ends the process without disposing of anything.
  if (!removesAtExit) process.once('exit', removeTemporaries);
  removesAtExit = true;
  temporaries.add(path);
}

function removeTemporaries(): void {
  for (const path of temporaries) rmSync(path, { recursive: true, force: true });
  temporaries.clear();
}

/** Removes temporary files of processes that have ended, and those that nobody has changed for a day. */
async function removeLeftovers(folder: string): Promise<void> {
  if (searchedFolders.has(folder)) return;
  searchedFolders.add(folder);
  for (const name of await readdir(folder).catch(() => [])) {
    const { host, pid } = TEMPORARY_NAME.exec(name)?.groups ?? {};
    if (host === undefined) continue;
    const path = join(folder, name);
    const info = await lstat(path).catch(() => undefined);
    if (info === undefined) continue;
    const isOld = Date.now() - info.mtimeMs > MAX_TEMPORARY_AGE_MS;
    if (isOld || (host === HOST && !isRunning(Number(pid))))
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether a path is a pipe, terminal or other device: what is written to it replaces nothing. */
function isStream(info: { isFIFO(): boolean; isCharacterDevice(): boolean } | undefined): boolean {
  return info !== undefined && (info.isFIFO() || info.isCharacterDevice());
}

function ignoreMissing(error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return undefined;
  throw error;
}

/** Kinds that are adjectives: an HTML file. */
const FILE_KINDS: readonly FileKind[] = ['text', 'HTML', 'XML', 'JSON', 'video'];

function describeKind(kind: FileKind): string {
  if (kind === 'unknown') return 'a file of unknown kind';
  const noun = FILE_KINDS.includes(kind) ? `${kind} file` : kind;
  return `${/^(?:[aeio]|HTML|XML)/.test(noun) ? 'an' : 'a'} ${noun}`;
}

const DISK_FULL_CODES = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** Replaces the temporary path by the file's own in an error. */
function renameInError(error: unknown, path: string, temporaryPath: string): unknown {
  // The temporary file may have had one of its own.
  const withName = (text: string): string => text.replaceAll(temporaryPath, path).replaceAll(TEMPORARY_NAMES, '');
  if (error instanceof PlaybyplayError) {
    if (!error.message.includes(temporaryPath)) return error;
    const { code, hint, issues } = error;
    return new PlaybyplayError(code, withName(error.message), { hint, issues, cause: error });
  }
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return error;
  const isFull = DISK_FULL_CODES.includes(code);
  const reason = isFull ? 'the disk is full' : withName(messageOf(error));
  return new PlaybyplayError('unwritable', `${path} cannot be written: ${reason}`, {
    hint: isFull ? 'Free some space, or write to another disk.' : undefined,
    cause: error,
  });
}
