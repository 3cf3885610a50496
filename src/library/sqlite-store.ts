import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { messageOf, PlaybyplayError } from '../errors.ts';
import { LIBRARY_ID } from '../files/file-kind.ts';
import { parseStatement, type Statement } from '../events/statement.ts';
import { packOccurrences, type Occurrence, unpackOccurrences } from './occurrences.ts';
import { namesOf } from '../query/names.ts';
import { shapeOf } from './relevance.ts';
import type {
  LibrarySession,
  LibraryStore,
  NewOccurrence,
  NewSession,
  StoredOccurrences,
  StoredShape,
  StoredStatement,
  UsedDictionary,
} from './store.ts';

/** Version of the tables. Libraries of another version are rebuilt from their logs. */
const TABLES_VERSION = 2;
/** How long a writer waits for another one, in milliseconds. */
const BUSY_TIMEOUT_MS = 10_000;
/** Ids of statements that a writer remembers instead of looking them up. */
const MAX_REMEMBERED = 200_000;

const TABLES = `
CREATE TABLE root (path TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE session (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  path TEXT NOT NULL UNIQUE, name TEXT NOT NULL, session TEXT NOT NULL, game TEXT NOT NULL,
  duration REAL NOT NULL, events INTEGER NOT NULL, size INTEGER NOT NULL, modified REAL NOT NULL
);
CREATE TABLE dictionary (name TEXT, hash TEXT, PRIMARY KEY (name, hash)) WITHOUT ROWID;
CREATE TABLE name (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, folded TEXT NOT NULL);
CREATE INDEX name_folded ON name (folded);
CREATE TABLE mention (name INTEGER, session INTEGER, PRIMARY KEY (name, session)) WITHOUT ROWID;
CREATE INDEX mention_session ON mention (session);
CREATE TABLE shape (
  id INTEGER PRIMARY KEY, json TEXT NOT NULL UNIQUE,
  events INTEGER NOT NULL DEFAULT 0, tentative INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE statement (
  id INTEGER PRIMARY KEY, shape INTEGER NOT NULL, hash INTEGER NOT NULL, json TEXT NOT NULL, text TEXT NOT NULL, game TEXT,
  events INTEGER NOT NULL DEFAULT 0, tentative INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX statement_hash ON statement (hash);
CREATE INDEX statement_shape ON statement (shape);
CREATE TABLE occurrence (
  shape INTEGER, session INTEGER, data BLOB NOT NULL, PRIMARY KEY (shape, session)
) WITHOUT ROWID;
CREATE INDEX occurrence_session ON occurrence (session);
`;

type Row = Record<string, string | number | Uint8Array | null>;

/** How many events a statement or shape gains or loses. */
interface Change {
  events: number;
  tentative: number;
}

/** An index in an SQLite file. Readers and one writer at a time can use it; a killed writer leaves the last commit. */
export class SqliteStore implements LibraryStore {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  readonly #statementIds = new Map<string, { readonly id: number; readonly shape: number }>();
  readonly #shapeIds = new Map<string, number>();
  #isWriting = false;

  private constructor(path: string, database: DatabaseSync) {
    this.#path = path;
    this.#database = database;
  }

  /**
   * Opens the index, creating it if `create` is given.
   *
   * @throws PlaybyplayError `library-missing`, `library-invalid`, `library-version`.
   */
  static open(path: string, { create = false }: { readonly create?: boolean } = {}): SqliteStore {
    const info = statSync(path, { throwIfNoEntry: false });
    if (!info && !create)
      throw new PlaybyplayError('library-missing', `there is no library ${path}`, {
        hint: 'Create one with: playbyplay library add <folder of logs>',
      });
    if (info && !info.isFile()) throw invalid(`${path} is not a file`);
    try {
      const database = new DatabaseSync(path, { readOnly: !create, timeout: BUSY_TIMEOUT_MS });
      try {
        if (info) checkTables(database, path);
        if (create) prepareTables(database);
      } catch (error) {
        database.close();
        throw error;
      }
      return new SqliteStore(path, database);
    } catch (error) {
      if (error instanceof PlaybyplayError) throw error;
      throw invalid(`${path} cannot be opened as a library: ${messageOf(error)}`);
    }
  }

  async version(): Promise<number> {
    return this.#get('PRAGMA data_version')!['data_version'] as number;
  }

  async sessions(): Promise<readonly LibrarySession[]> {
    return this.#all('SELECT * FROM session ORDER BY id') as unknown as LibrarySession[];
  }

  async dictionaries(): Promise<readonly UsedDictionary[]> {
    return this.#all('SELECT name, hash FROM dictionary') as unknown as UsedDictionary[];
  }

  async names(): Promise<readonly string[]> {
    return this.#all('SELECT name FROM name WHERE id IN (SELECT name FROM mention)').map(({ name }) => name as string);
  }

  async roots(): Promise<readonly string[]> {
    return this.#all('SELECT path FROM root').map(({ path }) => path as string);
  }

  async addRoots(paths: readonly string[]): Promise<void> {
    this.#begin();
    for (const path of paths) this.#run('INSERT OR IGNORE INTO root VALUES (?)', path);
    await this.commit();
  }

  async removeRoots(paths: readonly string[]): Promise<void> {
    this.#begin();
    for (const path of paths) this.#run('DELETE FROM root WHERE path = ?', path);
    await this.commit();
  }

  async shapes(): Promise<readonly StoredShape[]> {
    return this.#all('SELECT * FROM shape WHERE events + tentative > 0').map(({ id, json, events, tentative }) => ({
      id: id as number,
      statement: readStatement(this.#path, json),
      events: events as number,
      tentative: tentative as number,
    }));
  }

  async statementsOf(shapes: readonly number[]): Promise<readonly StoredStatement[]> {
    const ofShape = 'SELECT * FROM statement WHERE shape = ? AND events + tentative > 0';
    return shapes.flatMap((shape) => this.#all(ofShape, shape).map((row) => toStatement(this.#path, row)));
  }

  async statements(ids: readonly number[]): Promise<readonly StoredStatement[]> {
    return ids.flatMap((id) =>
      this.#all('SELECT * FROM statement WHERE id = ?', id).map((row) => toStatement(this.#path, row)),
    );
  }

  async sessionsWith(shapes: readonly number[] | undefined, after: number, most: number): Promise<readonly number[]> {
    if (!shapes)
      return this.#all('SELECT id FROM session WHERE id > ? ORDER BY id LIMIT ?', after, most).map(
        ({ id }) => id as number,
      );
    // The next session of each shape. Taking the first of all and advancing its shapes merges them in order.
    const next = 'SELECT session FROM occurrence WHERE shape = ? AND session > ? ORDER BY session LIMIT 1';
    const advance = (shape: number, from: number): number =>
      (this.#get(next, shape, from)?.['session'] as number | undefined) ?? Number.POSITIVE_INFINITY;
    const cursors = shapes.map((shape) => ({ shape, session: advance(shape, after) }));
    const found: number[] = [];
    while (found.length < most) {
      const session = cursors.reduce((least, cursor) => Math.min(least, cursor.session), Number.POSITIVE_INFINITY);
      if (session === Number.POSITIVE_INFINITY) break;
      found.push(session);
      for (const cursor of cursors) if (cursor.session === session) cursor.session = advance(cursor.shape, session);
    }
    return found;
  }

  async sessionsNaming(names: readonly string[]): Promise<readonly number[]> {
    const sql =
      'SELECT DISTINCT session FROM mention JOIN name ON name.id = mention.name WHERE folded = ? ORDER BY session';
    const found = names.flatMap((name) => this.#all(sql, name.toLowerCase()).map(({ session }) => session as number));
    return [...new Set(found)].toSorted((a, b) => a - b);
  }

  async occurrences(session: number, shapes: ReadonlySet<number> | undefined): Promise<readonly StoredOccurrences[]> {
    if (!shapes)
      return this.#all(
        'SELECT shape, data FROM occurrence WHERE session = ?',
        session,
      ) as unknown as StoredOccurrences[];
    return this.#all('SELECT shape FROM occurrence WHERE session = ?', session).flatMap(({ shape }) =>
      shapes.has(shape as number)
        ? (this.#all(
            'SELECT shape, data FROM occurrence WHERE shape = ? AND session = ?',
            shape as number,
            session,
          ) as unknown as StoredOccurrences[])
        : [],
    );
  }

  async put(
    session: NewSession,
    dictionaries: readonly UsedDictionary[],
    events: readonly NewOccurrence[],
  ): Promise<void> {
    this.#begin();
    const known = this.#get('SELECT id FROM session WHERE path = ?', session.path)?.['id'] as number | undefined;
    if (known !== undefined) this.#removeOccurrences(known);
    const { path, name, game, duration, size, modified } = session;
    const values = [name, session.session, game, duration, session.events, size, modified];
    const id =
      known ??
      (this.#run(
        'INSERT INTO session (name, session, game, duration, events, size, modified, path) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
        ...values,
        path,
      ).lastInsertRowid as number);
    if (known !== undefined)
      this.#run(
        'UPDATE session SET name = ?, session = ?, game = ?, duration = ?, events = ?, size = ?, modified = ? WHERE id = ?',
        ...values,
        known,
      );
    for (const dictionary of dictionaries)
      this.#run('INSERT OR IGNORE INTO dictionary VALUES (?, ?)', dictionary.name, dictionary.hash);
    const names = new Set<string>();
    const byShape = new Map<number, Occurrence[]>();
    for (const { statement, text, game: ownGame, ...rest } of events) {
      const found = this.#idsOf(statement, text, ownGame);
      for (const each of namesOf(statement)) names.add(each);
      const list = byShape.get(found.shape);
      const occurrence = { ...rest, statement: found.id };
      if (list) list.push(occurrence);
      else byShape.set(found.shape, [occurrence]);
    }
    for (const [shape, occurrences] of byShape)
      this.#run('INSERT INTO occurrence VALUES (?, ?, ?)', shape, id, packOccurrences(occurrences));
    for (const each of names) this.#run('INSERT INTO mention VALUES (?, ?)', this.#nameId(each), id);
    this.#count(byShape, 1);
  }

  async remove(paths: readonly string[]): Promise<void> {
    this.#begin();
    for (const path of paths) {
      const id = this.#get('SELECT id FROM session WHERE path = ?', path)?.['id'] as number | undefined;
      if (id === undefined) continue;
      this.#removeOccurrences(id);
      this.#run('DELETE FROM session WHERE id = ?', id);
    }
    await this.commit();
  }

  async rename(names: ReadonlyMap<number, string>): Promise<void> {
    this.#begin();
    for (const [id, name] of names) this.#run('UPDATE session SET name = ? WHERE id = ?', name, id);
    await this.commit();
  }

  async commit(): Promise<void> {
    if (!this.#isWriting) return;
    describeFailure(this.#path, () => this.#database.exec('COMMIT'));
    this.#isWriting = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isWriting) this.#database.exec('ROLLBACK');
    this.#database.close();
  }

  #removeOccurrences(session: number): void {
    const byShape = new Map<number, Occurrence[]>();
    for (const { shape, data } of this.#all('SELECT shape, data FROM occurrence WHERE session = ?', session))
      byShape.set(shape as number, [...unpackOccurrences(data as Uint8Array)]);
    this.#count(byShape, -1);
    this.#run('DELETE FROM occurrence WHERE session = ?', session);
    this.#run('DELETE FROM mention WHERE session = ?', session);
  }

  /** Adds events to the numbers of their statements and shapes (`sign` 1), or takes them away (-1). */
  #count(byShape: ReadonlyMap<number, readonly Occurrence[]>, sign: 1 | -1): void {
    for (const [shape, occurrences] of byShape) {
      const total: Change = { events: 0, tentative: 0 };
      const changes = new Map<number, Change>();
      for (const { statement, isTentative } of occurrences) {
        let change = changes.get(statement);
        if (!change) changes.set(statement, (change = { events: 0, tentative: 0 }));
        for (const each of [change, total]) each[isTentative ? 'tentative' : 'events'] += sign;
      }
      const add = (table: string, id: number, { events, tentative }: Change): unknown =>
        this.#run(
          `UPDATE ${table} SET events = events + ?, tentative = tentative + ? WHERE id = ?`,
          events,
          tentative,
          id,
        );
      for (const [id, change] of changes) add('statement', id, change);
      add('shape', shape, total);
    }
  }

  #idsOf(
    statement: Statement,
    text: string,
    game: string | undefined,
  ): { readonly id: number; readonly shape: number } {
    const json = JSON.stringify(statement);
    const key = `${json}\n${text}\n${game ?? ''}`;
    const remembered = this.#statementIds.get(key);
    if (remembered) return remembered;
    const hash = createHash('sha256').update(key).digest().readUIntBE(0, 6);
    const known = this.#all('SELECT * FROM statement WHERE hash = ?', hash).find(
      (row) => row['json'] === json && row['text'] === text && row['game'] === (game ?? null),
    );
    const ids = known
      ? { id: known['id'] as number, shape: known['shape'] as number }
      : this.#addStatement(statement, { json, text, game, hash });
    if (this.#statementIds.size >= MAX_REMEMBERED) this.#statementIds.clear();
    this.#statementIds.set(key, ids);
    return ids;
  }

  #addStatement(
    statement: Statement,
    row: { readonly json: string; readonly text: string; readonly game: string | undefined; readonly hash: number },
  ): { readonly id: number; readonly shape: number } {
    const shape = this.#shapeId(JSON.stringify(shapeOf(statement)));
    const insert = 'INSERT INTO statement (shape, hash, json, text, game) VALUES (?, ?, ?, ?, ?)';
    const { lastInsertRowid } = this.#run(insert, shape, row.hash, row.json, row.text, row.game ?? null);
    return { id: lastInsertRowid as number, shape };
  }

  #shapeId(json: string): number {
    let id = this.#shapeIds.get(json) ?? (this.#get('SELECT id FROM shape WHERE json = ?', json)?.['id'] as number);
    id ??= this.#run('INSERT INTO shape (json) VALUES (?)', json).lastInsertRowid as number;
    this.#shapeIds.set(json, id);
    return id;
  }

  #nameId(name: string): number {
    const known = this.#get('SELECT id FROM name WHERE name = ?', name)?.['id'] as number | undefined;
    const insert = 'INSERT INTO name (name, folded) VALUES (?, ?)';
    return known ?? (this.#run(insert, name, name.toLowerCase()).lastInsertRowid as number);
  }

  #begin(): void {
    if (this.#isWriting) return;
    describeFailure(this.#path, () => this.#database.exec('BEGIN IMMEDIATE'));
    this.#isWriting = true;
    // Another writer may have removed what was remembered.
    this.#statementIds.clear();
    this.#shapeIds.clear();
  }

  #prepare(sql: string): StatementSync {
    let prepared = this.#prepared.get(sql);
    if (!prepared) this.#prepared.set(sql, (prepared = this.#database.prepare(sql)));
    return prepared;
  }

  #all(sql: string, ...values: readonly (string | number)[]): Row[] {
    return describeFailure(this.#path, () => this.#prepare(sql).all(...values) as Row[]);
  }

  #get(sql: string, ...values: readonly (string | number)[]): Row | undefined {
    return describeFailure(this.#path, () => this.#prepare(sql).get(...values) as Row | undefined);
  }

  #run(sql: string, ...values: readonly (string | number | null | Uint8Array)[]): ReturnType<StatementSync['run']> {
    return describeFailure(this.#path, () => this.#prepare(sql).run(...values));
  }
}

function readStatement(path: string, json: Row[string] | undefined): Statement {
  return describeFailure(path, () => {
    const parsed = parseStatement(JSON.parse(String(json)));
    if ('issues' in parsed) throw new Error(parsed.issues.map(({ message }) => message).join('; '));
    return parsed.statement;
  });
}

function toStatement(path: string, { id, shape, json, text, game, events, tentative }: Row): StoredStatement {
  return {
    id: id as number,
    shape: shape as number,
    statement: readStatement(path, json),
    text: text as string,
    game: (game as string | null) ?? undefined,
    events: events as number,
    tentative: tentative as number,
  };
}

/** Result codes of SQLite (sqlite.org/rescode.html) that a user can do something about. */
const SQLITE_BUSY = 5;
const SQLITE_FULL = 13;

/** Calls SQLite; throws a PlaybyplayError that says what is wrong with the library. */
function describeFailure<T>(path: string, call: () => T): T {
  try {
    return call();
  } catch (cause) {
    const code = (cause as { readonly errcode?: number }).errcode;
    if (code === SQLITE_BUSY)
      throw new PlaybyplayError('library-in-use', `another process is writing to the library ${path}`, {
        hint: 'Wait for it to end.',
        cause,
      });
    if (code === SQLITE_FULL)
      throw new PlaybyplayError('disk-full', `the disk of the library ${path} is full`, {
        hint: 'Make space and run the command again; what was added before is kept.',
        cause,
      });
    throw new PlaybyplayError('library-damaged', `the library ${path} cannot be read: ${messageOf(cause)}`, {
      hint: 'Delete it and add the logs again: everything in it comes from them.',
      cause,
    });
  }
}

function checkTables(database: DatabaseSync, path: string): void {
  const { application_id: id } = database.prepare('PRAGMA application_id').get() as Row;
  const { user_version: version } = database.prepare('PRAGMA user_version').get() as Row;
  const { tables } = database.prepare('SELECT count(*) AS tables FROM sqlite_schema').get() as Row;
  // A writer that was killed before its first commit leaves no tables.
  if (tables === 0 && (id === 0 || id === LIBRARY_ID)) return;
  if (id !== LIBRARY_ID) throw invalid(`${path} is not a library of playbyplay`);
  if (version !== TABLES_VERSION)
    throw new PlaybyplayError('library-version', `${path} was made by another version of playbyplay`, {
      hint: 'Delete it and add the logs again: everything in it comes from them.',
    });
}

function invalid(message: string): PlaybyplayError {
  return new PlaybyplayError('library-invalid', message, { hint: 'Name another file with --library.' });
}

function prepareTables(database: DatabaseSync): void {
  // The file is known as a library before anything else stands in it. Readers go on while a writer writes, and what is
  // committed survives a kill.
  database.exec(
    `PRAGMA application_id = ${LIBRARY_ID}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE`,
  );
  const { tables } = database.prepare('SELECT count(*) AS tables FROM sqlite_schema').get() as Row;
  if (tables === 0) database.exec(`${TABLES} PRAGMA user_version = ${TABLES_VERSION};`);
  database.exec('COMMIT');
}
