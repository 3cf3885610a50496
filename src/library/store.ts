import type { Statement } from '../events/statement.ts';
import type { ValueCounts } from './counts.ts';
import type { Template } from './templates.ts';

/** A session whose log is in the library. */
export interface LibrarySession {
  /** Number within the library; sessions are in the order in which they were added. */
  readonly id: number;
  /** Absolute path of the log. */
  readonly path: string;
  /** Display name, see `nameLogs`. */
  readonly name: string;
  /** The session's own name, distinct within the library. */
  readonly session: string;
  readonly game: string;
  /** Seconds. */
  readonly duration: number;
  /** Events whose evidence is not thin. */
  readonly events: number;
  /** Size in bytes and modification time in milliseconds of the log when it was read. */
  readonly size: number;
  readonly modified: number;
}

/** How an index is opened. */
export interface OpenOptions {
  /** For writing; the index is created if it does not exist. */
  readonly create?: boolean;
  /** Empties an index that exists, of any version, for writing. It keeps which folders and files were added. */
  readonly empty?: boolean;
}

/** A session to be stored. */
export type NewSession = Omit<LibrarySession, 'id'>;

/** The dictionary of a log: name and content hash. */
export interface UsedDictionary {
  readonly name: string;
  readonly hash: string;
}

/** A template that events of the library have, with how many have it. */
export interface StoredShape extends Template {
  readonly id: number;
  /** The game of the events, where it is not that of their session: in a log of a reel. */
  readonly game: string | undefined;
  readonly events: number;
  readonly tentative: number;
}

/** How many events of a template have a name or text as one of their values. */
export interface StoredTally {
  readonly shape: number;
  /** Index of the value. */
  readonly value: number;
  /** The name or text by id. */
  readonly string: number;
  readonly events: number;
  readonly tentative: number;
}

/** Two names that a value of a template has in some events, by id; the same one if it has no other. */
export interface NameExample {
  readonly shape: number;
  /** Index of the value. */
  readonly value: number;
  readonly first: number;
  readonly last: number;
}

/** How many events of some templates a session has. */
export interface StoredCount {
  readonly session: number;
  readonly events: number;
  readonly tentative: number;
}

/** An event to be stored: times in microseconds, confidence in thousandths, offset of its line in bytes. */
export interface NewOccurrence {
  readonly statement: Statement;
  readonly text: string;
  readonly game: string | undefined;
  readonly ordinal: number;
  readonly t: number;
  readonly end: number;
  readonly confidence: number;
  readonly isTentative: boolean;
  readonly offset: number;
}

/** Which sessions come next. */
export interface SessionPage {
  /** Only sessions after this one in the order. Default: from the first. */
  readonly after: number | undefined;
  readonly most: number;
  /** By descending id. */
  readonly isBackwards: boolean;
}

/** The events of one shape in one session, packed by `packOccurrences`. */
export interface StoredOccurrences {
  readonly session: number;
  readonly shape: number;
  readonly data: Uint8Array;
}

/**
 * Where a library keeps its index: `SqliteStore` in a file, `PostgresStore` in a database server.
 *
 * What is stored is derived from logs alone and can be rebuilt from them at any time.
 */
export interface LibraryStore extends AsyncDisposable {
  /** A number that differs whenever another writer has changed the index. */
  version(): Promise<number>;
  sessions(): Promise<readonly LibrarySession[]>;
  dictionaries(): Promise<readonly UsedDictionary[]>;
  /** The proper names that statements mention. */
  names(): Promise<readonly string[]>;
  /** The folders and files that were added. */
  roots(): Promise<readonly string[]>;
  addRoots(paths: readonly string[]): Promise<void>;
  removeRoots(paths: readonly string[]): Promise<void>;
  shapes(): Promise<readonly StoredShape[]>;
  /** Names and texts by their ids. */
  strings(ids: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** Of each value of a template that is a name, two of the names that events have, as far as there are two. */
  nameExamples(): Promise<readonly NameExample[]>;
  /** How many events of a template have which names. */
  tallies(shape: number): Promise<readonly StoredTally[]>;
  /** How many events of some templates each session has, by ascending session. */
  counts(shapes: readonly number[]): Promise<readonly StoredCount[]>;
  /** How many events of a template have the same values; `undefined` where too many are different. */
  valueCounts(shape: number): Promise<ValueCounts | undefined>;
  /**
   * The next sessions that have events of one of the shapes, in order.
   *
   * @param shapes Ids of shapes; `undefined`: all sessions.
   */
  sessionsWith(shapes: readonly number[] | undefined, page: SessionPage): Promise<readonly number[]>;
  /** The events of a shape, session by session. */
  occurrencesOf(shape: number): AsyncIterable<StoredOccurrences>;
  /** The sessions whose events mention one of the names, in any case, ascending. */
  sessionsNaming(names: readonly string[]): Promise<readonly number[]>;
  /** The events of some sessions, by session and shape; only of the given shapes, if any are given. */
  occurrences(
    sessions: readonly number[],
    shapes: ReadonlySet<number> | undefined,
  ): Promise<readonly StoredOccurrences[]>;
  /**
   * Stores the events of a session, in place of those of the session with the same path.
   *
   * What was stored is seen by others after `commit`.
   */
  put(session: NewSession, dictionaries: readonly UsedDictionary[], events: readonly NewOccurrence[]): Promise<void>;
  remove(paths: readonly string[]): Promise<void>;
  rename(names: ReadonlyMap<number, string>): Promise<void>;
  /** Commits what `put` stored since the last call. */
  commit(): Promise<void>;
}
