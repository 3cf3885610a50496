import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PlaybyplayError } from '../errors.ts';
import { fileKindOf } from './file-kind.ts';
import { makeFolder } from './folder.ts';
import { writeOutput } from './output.ts';

/** A file after a change. */
export interface FileChange {
  /** Relative to the folder of the history, with slashes. */
  readonly file: string;
  /** New content; `null` removes the file. */
  readonly content: string | Uint8Array | null;
  /**
   * Version of the content that the change was made from, as `versionOf` gives it; empty where there was no file. The change is
   * refused where the file has another one. Default: any.
   */
  readonly version?: string | undefined;
}

/** A file's content before and after a step, in base64; `null` where there was none. */
interface StoredChange {
  readonly file: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** A change of one or several files that is undone as a whole. */
interface StoredStep {
  readonly format: typeof FORMAT;
  readonly label: string;
  readonly changes: readonly StoredChange[];
}

/** What can be undone and redone. */
export interface HistoryState {
  /** Label of the step that `undo` would undo. */
  readonly undo: string | undefined;
  readonly redo: string | undefined;
}

const FORMAT = 'playbyplay/history/1';
/** Steps that are kept; the oldest are forgotten. */
const MAX_STEPS = 500;

/** The version of a file's content: its hash; empty for a file that does not exist. */
export function versionOf(content: Uint8Array | string | undefined): string {
  if (content === undefined) return '';
  return createHash('sha256').update(content).digest('hex').slice(0, 32);
}

/**
 * Changes files of a folder so that every change can be undone, also by a later process. Steps are kept in a folder of their own,
 * one file each. Files that were changed by others since are not overwritten.
 *
 * @example
 * ```ts
 * const history = new FileHistory('/games/pack', '/games/pack/.playbyplay/history');
 * await history.change('rename the timer', [{ file: 'profile.json', content: text, version }]);
 * await history.undo();
 * ```
 */
export class FileHistory {
  readonly #root: string;
  readonly #folder: string;
  /** One change after the other. */
  #last: Promise<unknown> = Promise.resolve();

  /**
   * @param root The folder of the files.
   * @param folder Where steps are kept; made with the first one.
   */
  constructor(root: string, folder: string) {
    this.#root = root;
    this.#folder = folder;
  }

  /** Says what can be undone and redone. */
  state(): Promise<HistoryState> {
    return this.#inTurn(() => this.#state());
  }

  /**
   * Changes files as one step.
   *
   * @returns The versions of the files, in the order of the changes.
   * @throws PlaybyplayError `file-changed` where a file has another version than the change was made from; as `writeOutput`.
   */
  change(label: string, changes: readonly FileChange[]): Promise<readonly string[]> {
    return this.#inTurn(async () => {
      const stored: StoredChange[] = [];
      for (const { file, content, version } of changes) {
        const before = await this.#read(file);
        if (version !== undefined && version !== versionOf(before)) throw changed(file);
        stored.push({ file, before: encode(before), after: content === null ? null : encode(Buffer.from(content)) });
      }
      for (const { file, after } of stored) await this.#write(file, after);
      await this.#append(label, stored);
      return stored.map(({ after }) => versionOf(decode(after)));
    });
  }

  /**
   * Records a change of one file that `work` makes itself.
   *
   * @throws What `work` throws; nothing is recorded then.
   */
  record(label: string, file: string, work: () => Promise<void>): Promise<void> {
    return this.#inTurn(async () => {
      const before = encode(await this.#read(file));
      await work();
      await this.#append(label, [{ file, before, after: encode(await this.#read(file)) }]);
    });
  }

  /** Undoes the last step. Returns the files that changed; none where there is nothing to undo. Throws `file-changed`. */
  undo(): Promise<readonly string[]> {
    return this.#inTurn(async () => {
      const { steps, position } = await this.#load();
      const number = steps[position - 1];
      if (number === undefined) return [];
      const files = await this.#apply(await this.#step(number), 'after', 'before');
      await this.#setPosition(steps[position - 2] ?? 0);
      return files;
    });
  }

  /** Does again what was undone last. Returns the files that changed. Throws `file-changed`. */
  redo(): Promise<readonly string[]> {
    return this.#inTurn(async () => {
      const { steps, position } = await this.#load();
      const number = steps[position];
      if (number === undefined) return [];
      const files = await this.#apply(await this.#step(number), 'before', 'after');
      await this.#setPosition(number);
      return files;
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #state(): Promise<HistoryState> {
    const { steps, position } = await this.#load();
    const label = async (number: number | undefined): Promise<string | undefined> =>
      number === undefined ? undefined : (await this.#step(number)).label;
    return { undo: await label(steps[position - 1]), redo: await label(steps[position]) };
  }

  /** Stores a step behind those that are done; those that were undone are forgotten. */
  async #append(label: string, changes: readonly StoredChange[]): Promise<void> {
    const { steps, position } = await this.#load();
    const forgotten = [...steps.slice(position), ...steps.slice(0, Math.max(0, position + 1 - MAX_STEPS))];
    for (const number of forgotten) await rm(this.#path(number), { force: true });
    const number = (steps[position - 1] ?? 0) + 1;
    const step: StoredStep = { format: FORMAT, label, changes };
    await makeFolder(this.#folder);
    await writeOutput(this.#path(number), JSON.stringify(step), { kind: 'history' });
    await this.#setPosition(number);
  }

  async #apply(step: StoredStep, from: 'before' | 'after', to: 'before' | 'after'): Promise<readonly string[]> {
    for (const change of step.changes)
      if (versionOf(await this.#read(change.file)) !== versionOf(decode(change[from]))) throw changed(change.file);
    for (const change of step.changes) await this.#write(change.file, change[to]);
    return step.changes.map(({ file }) => file);
  }

  /** The numbers of the stored steps, ascending, and how many of them are done. */
  async #load(): Promise<{ readonly steps: readonly number[]; readonly position: number }> {
    const names = await readdir(this.#folder).catch(() => []);
    const steps = names.flatMap((name) => (/^\d+\.json$/.test(name) ? [Number.parseInt(name, 10)] : []));
    steps.sort((a, b) => a - b);
    const done = Number((await readFile(join(this.#folder, 'position'), 'utf8').catch(() => '0')).trim());
    return { steps, position: steps.filter((number) => number <= done).length };
  }

  async #step(number: number): Promise<StoredStep> {
    const step = JSON.parse(await readFile(this.#path(number), 'utf8')) as StoredStep;
    if (step.format !== FORMAT)
      throw new PlaybyplayError('not-history', `${this.#path(number)} is not an entry of the history`);
    return step;
  }

  async #setPosition(number: number): Promise<void> {
    await writeOutput(join(this.#folder, 'position'), `${number}\n`, { kind: 'text' });
  }

  #path(number: number): string {
    return join(this.#folder, `${String(number).padStart(8, '0')}.json`);
  }

  async #read(file: string): Promise<Buffer | undefined> {
    const info = await lstat(join(this.#root, file)).catch(() => undefined);
    return info?.isFile() ? await readFile(join(this.#root, file)) : undefined;
  }

  async #write(file: string, content: string | null): Promise<void> {
    const path = join(this.#root, file);
    if (content === null) return await rm(path, { force: true });
    const data = decode(content)!;
    await makeFolder(dirname(path));
    // What is replaced was compared with what was expected there; a symbolic link is not followed.
    await writeOutput(path, data, { kind: fileKindOf(data.subarray(0, 4096)), overwrite: true });
  }
}

function encode(content: Buffer | undefined): string | null {
  return content === undefined ? null : content.toString('base64');
}

function decode(content: string | null): Buffer | undefined {
  return content === null ? undefined : Buffer.from(content, 'base64');
}

function changed(file: string): PlaybyplayError {
  return new PlaybyplayError('file-changed', `${file} was changed by another program`, {
    hint: 'Load it again; your change was not saved.',
  });
}
