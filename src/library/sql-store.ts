import { createHash } from 'node:crypto';
import { PlaybyplayError } from '../errors.ts';
import { parseStatement } from '../events/statement.ts';
import { namesOf } from '../query/names.ts';
import { packValueCounts, unpackValueCounts, ValueCounter, type ValueCounts } from './counts.ts';
import { type Occurrence, packOccurrences, unpackOccurrences } from './occurrences.ts';
import type {
  LibrarySession,
  LibraryStore,
  NameExample,
  NewOccurrence,
  NewSession,
  SessionPage,
  StoredCount,
  StoredOccurrences,
  StoredShape,
  StoredTally,
  UsedDictionary,
} from './store.ts';
import { countStatementValues, kindsOf, type Template, toTemplate, type ValueKind } from './templates.ts';

/** A value of a row. */
export type SqlValue = string | number | Uint8Array | null;
/** A row by its columns. */
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** A table, its columns and what happens to rows that are there already. */
export interface Insertion {
  readonly table: keyof typeof COLUMN_TYPES;
  readonly columns: readonly string[];
  /** `ON CONFLICT …` */
  readonly onConflict?: string;
}

/** What {@link SqlStore} needs of a database. Parameters of statements are written `?`. */
export interface SqlDatabase {
  /** A number that differs whenever another writer has changed the index. */
  version(): Promise<number>;
  all(sql: string, ...values: readonly SqlValue[]): Promise<readonly SqlRow[]>;
  /**
   * The rows of a `SELECT … FROM …` in which a column has one of the values.
   *
   * @param rest What follows the condition, such as `ORDER BY …`.
   */
  allIn(
    select: string,
    column: string,
    values: readonly (string | number)[],
    rest?: string,
  ): Promise<readonly SqlRow[]>;
  /**
   * Sessions that have events of each of some shapes.
   *
   * @param next Condition, order and limit of the column `session`, with two parameters.
   */
  sessionsOfEach(shapes: readonly number[], next: string, start: number, most: number): Promise<readonly number[]>;
  /** `session`, `shape` and `data` of the events of some sessions; of all shapes unless some are given. */
  occurrences(sessions: readonly number[], shapes: readonly number[] | undefined): Promise<readonly SqlRow[]>;
  insert(insertion: Insertion, rows: readonly (readonly SqlValue[])[]): Promise<void>;
  /** Begins a transaction and waits for other writers. */
  begin(): Promise<void>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
  close(): Promise<void>;
  /** How messages name the library. */
  readonly shown: string;
}

/** What databases write differently in the definition of the tables. */
export interface SqlDialect {
  /** A primary key that the database counts up and never uses twice. */
  readonly serial: string;
  /** A whole number of up to 53 bits. */
  readonly long: string;
  readonly number: string;
  readonly bytes: string;
  /** What follows the definition of a table whose rows stand in its primary key. */
  readonly clustered: string;
  /** How an index finds equal values alone. */
  readonly equality: string;
}

/** Version of the tables. Libraries of another version are rebuilt from their logs. */
export const TABLES_VERSION = 4;

/** The statements that create the tables. */
export function createTables({ serial, long, number, bytes, clustered, equality }: SqlDialect): string {
  return `
CREATE TABLE root (path text PRIMARY KEY) ${clustered};
CREATE TABLE session (
  id ${serial}, path text NOT NULL UNIQUE, name text NOT NULL, session text NOT NULL, game text NOT NULL,
  duration ${number} NOT NULL, events integer NOT NULL, size ${long} NOT NULL, modified ${number} NOT NULL
);
CREATE TABLE dictionary (name text, hash text, PRIMARY KEY (name, hash)) ${clustered};
CREATE TABLE string (id ${serial}, hash ${long} NOT NULL, string text NOT NULL, folded text NOT NULL);
CREATE INDEX string_hash ON string (hash);
CREATE INDEX string_folded ON string ${equality} (folded);
CREATE TABLE mention (string integer, session integer, PRIMARY KEY (string, session)) ${clustered};
CREATE INDEX mention_session ON mention (session);
CREATE TABLE shape (
  id ${serial}, hash ${long} NOT NULL, json text NOT NULL, text text NOT NULL, game text,
  events integer NOT NULL DEFAULT 0, tentative integer NOT NULL DEFAULT 0
);
CREATE INDEX shape_hash ON shape (hash);
CREATE TABLE occurrence (
  id ${long} PRIMARY KEY,
  shape integer NOT NULL, session integer NOT NULL, events integer NOT NULL, tentative integer NOT NULL,
  data ${bytes} NOT NULL
);
CREATE INDEX occurrence_shape ON occurrence (shape, session, events, tentative);
CREATE TABLE tally (
  shape integer, value integer, string integer, events integer NOT NULL, tentative integer NOT NULL,
  PRIMARY KEY (shape, value, string)
) ${clustered};
CREATE TABLE distribution (shape integer PRIMARY KEY, data ${bytes});
`;
}

/** Another writer keeps the library for too long. */
export function inUse(shown: string, cause: unknown): PlaybyplayError {
  return new PlaybyplayError('library-in-use', `another process is writing to the library ${shown}`, {
    hint: 'Wait for it to end.',
    cause,
  });
}

/** No space is left for the library. */
export function diskFull(shown: string, cause: unknown): PlaybyplayError {
  return new PlaybyplayError('disk-full', `the disk of the library ${shown} is full`, {
    hint: 'Make space and run the command again; what was added before is kept.',
    cause,
  });
}

/** The file of the library is damaged. */
export function damaged(shown: string, problem: string, cause?: unknown): PlaybyplayError {
  return new PlaybyplayError('library-damaged', `the library ${shown} cannot be read: ${problem}`, {
    hint: REBUILD_HINT,
    cause,
  });
}

/** The library has the tables of another version. */
export function otherVersion(shown: string): PlaybyplayError {
  return new PlaybyplayError('library-version', `${shown} was made by another version of playbyplay`, {
    hint: REBUILD_HINT,
  });
}

/** The tables of an index and the types of their columns, which databases write differently. */
export const COLUMN_TYPES = {
  root: { path: 'text' },
  dictionary: { name: 'text', hash: 'text' },
  string: { hash: 'number', string: 'text', folded: 'text' },
  mention: { string: 'id', session: 'id' },
  shape: { hash: 'number', json: 'text', text: 'text', game: 'text' },
  occurrence: { id: 'number', shape: 'id', session: 'id', events: 'id', tentative: 'id', data: 'bytes' },
  tally: { shape: 'id', value: 'id', string: 'id', events: 'id', tentative: 'id' },
  distribution: { shape: 'id', data: 'bytes' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, 'id' | 'number' | 'text' | 'bytes'>>>>;

/** Keys of a session's events are so far apart: there are fewer templates. */
const KEYS_PER_SESSION = 2 ** 24;

/** The key of the events of a template in a session; those of one session follow each other. */
export function occurrenceKey(session: number, shape: number): number {
  return session * KEYS_PER_SESSION + shape;
}

/** What a user can do where an index is damaged or of another version. */
export const REBUILD_HINT =
  'Rebuild it from its logs with: playbyplay library rebuild. Delete it if that fails, and add them again.';

/** Names and texts whose ids a writer remembers instead of looking them up. */
const MAX_REMEMBERED = 200_000;
/** Rows of packed events, about a kilobyte each, that are read at once. */
const ROWS_AT_ONCE = 1000;
/** Above the ids of all sessions, in either database. */
const MAX_SESSION = 2 ** 31 - 1;

const ADD_TALLIES = `ON CONFLICT (shape, value, string) DO UPDATE SET
  events = tally.events + excluded.events, tentative = tally.tentative + excluded.tentative`;

/** Different values of a template up to which its distribution is stored: each commit reads and writes it. */
const MAX_STORED_VALUES = 2 ** 16;

/** How many events something gains or loses. */
interface Change {
  events: number;
  tentative: number;
}

/** A template that a writer knows. */
interface KnownShape {
  readonly id: number;
  readonly kinds: readonly ValueKind[];
  /** How many of its values its statement has. */
  readonly width: number;
}

/** The index in an SQL database: the same tables and statements, whichever it is. */
export class SqlStore implements LibraryStore {
  readonly #database: SqlDatabase;
  readonly #stringIds = new Map<string, number>();
  readonly #shapes = new Map<string, KnownShape>();
  readonly #shapesById = new Map<number, KnownShape>();
  /** What the distributions of templates gain or lose with the next commit. */
  readonly #changes = new Map<KnownShape, ValueCounter>();
  #isWriting = false;
  #hasRemoved = false;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async version(): Promise<number> {
    return this.#database.version();
  }

  async sessions(): Promise<readonly LibrarySession[]> {
    return (await this.#database.all('SELECT * FROM session ORDER BY id')) as unknown as LibrarySession[];
  }

  async dictionaries(): Promise<readonly UsedDictionary[]> {
    return (await this.#database.all('SELECT name, hash FROM dictionary')) as unknown as UsedDictionary[];
  }

  async names(): Promise<readonly string[]> {
    const sql = 'SELECT string FROM string WHERE id IN (SELECT string FROM mention)';
    return (await this.#database.all(sql)).map(({ string }) => string as string);
  }

  async roots(): Promise<readonly string[]> {
    return (await this.#database.all('SELECT path FROM root')).map(({ path }) => path as string);
  }

  async addRoots(paths: readonly string[]): Promise<void> {
    await this.#begin();
    await this.#database.insert(
      { table: 'root', columns: ['path'], onConflict: 'ON CONFLICT DO NOTHING' },
      paths.map((path) => [path]),
    );
    await this.commit();
  }

  async removeRoots(paths: readonly string[]): Promise<void> {
    await this.#begin();
    for (const path of paths) await this.#database.all('DELETE FROM root WHERE path = ?', path);
    await this.commit();
  }

  async shapes(): Promise<readonly StoredShape[]> {
    const rows = await this.#database.all('SELECT * FROM shape WHERE events + tentative > 0 ORDER BY id');
    return rows.map((row) => ({
      ...this.#readTemplate(row),
      id: row['id'] as number,
      game: (row['game'] as string | null) ?? undefined,
      events: row['events'] as number,
      tentative: row['tentative'] as number,
    }));
  }

  async strings(ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const rows = await this.#database.allIn('SELECT id, string FROM string', 'id', ids);
    return new Map(rows.map(({ id, string }) => [id as number, string as string]));
  }

  async nameExamples(): Promise<readonly NameExample[]> {
    const sql = `SELECT shape, value, min(string) AS first, max(string) AS last FROM tally
      WHERE events + tentative > 0 GROUP BY shape, value`;
    return (await this.#database.all(sql)) as unknown as NameExample[];
  }

  async tallies(shape: number): Promise<readonly StoredTally[]> {
    const sql = 'SELECT * FROM tally WHERE shape = ? AND events + tentative > 0 ORDER BY value, string';
    return (await this.#database.all(sql, shape)) as unknown as StoredTally[];
  }

  async counts(shapes: readonly number[]): Promise<readonly StoredCount[]> {
    const sums = 'CAST(sum(events) AS integer) AS events, CAST(sum(tentative) AS integer) AS tentative';
    const rest = 'GROUP BY session ORDER BY session';
    const rows = await this.#database.allIn(`SELECT session, ${sums} FROM occurrence`, 'shape', shapes, rest);
    return rows as unknown as StoredCount[];
  }

  async valueCounts(shape: number): Promise<ValueCounts | undefined> {
    return (await this.#distributions([await this.#shapeById(shape)])).get(shape);
  }

  /** The stored distributions of some templates; `undefined` where too many values are different. */
  async #distributions(shapes: readonly KnownShape[]): Promise<ReadonlyMap<number, ValueCounts | undefined>> {
    const ids = shapes.map(({ id }) => id);
    const rows = await this.#database.allIn('SELECT shape, data FROM distribution', 'shape', ids);
    return new Map(
      rows.map(({ shape: id, data }) => {
        const { kinds, width } = shapes.find((shape) => shape.id === id)!;
        return [
          id as number,
          data === null ? undefined : this.#read(data!, (bytes) => unpackValueCounts(bytes, kinds, width)),
        ];
      }),
    );
  }

  async sessionsWith(
    shapes: readonly number[] | undefined,
    { after, most, isBackwards }: SessionPage,
  ): Promise<readonly number[]> {
    const next = (column: string): string =>
      `${column} ${isBackwards ? '<' : '>'} ? ORDER BY ${column} ${isBackwards ? 'DESC' : 'ASC'} LIMIT ?`;
    const start = after ?? (isBackwards ? MAX_SESSION : 0);
    if (!shapes) {
      const rows = await this.#database.all(`SELECT id FROM session WHERE ${next('id')}`, start, most);
      return rows.map(({ id }) => id as number);
    }
    const found = new Set(await this.#database.sessionsOfEach(shapes, next('session'), start, most));
    return [...found].toSorted((a, b) => (isBackwards ? b - a : a - b)).slice(0, most);
  }

  async sessionsNaming(names: readonly string[]): Promise<readonly number[]> {
    const folded = names.map((name) => name.toLowerCase());
    const join = 'SELECT DISTINCT session FROM mention JOIN string ON string.id = mention.string';
    const rows = await this.#database.allIn(join, 'folded', folded);
    return rows.map(({ session }) => session as number).toSorted((a, b) => a - b);
  }

  async occurrences(
    sessions: readonly number[],
    shapes: ReadonlySet<number> | undefined,
  ): Promise<readonly StoredOccurrences[]> {
    return (await this.#database.occurrences(sessions, shapes && [...shapes])) as unknown as StoredOccurrences[];
  }

  async *occurrencesOf(shape: number): AsyncGenerator<StoredOccurrences, void, undefined> {
    const sql = 'SELECT session, shape, data FROM occurrence WHERE shape = ? AND session > ? ORDER BY session LIMIT ?';
    for (let after = 0; ; ) {
      const rows = await this.#database.all(sql, shape, after, ROWS_AT_ONCE);
      yield* rows as unknown as readonly StoredOccurrences[];
      if (rows.length < ROWS_AT_ONCE) return;
      after = rows.at(-1)!['session'] as number;
    }
  }

  async put(
    session: NewSession,
    dictionaries: readonly UsedDictionary[],
    events: readonly NewOccurrence[],
  ): Promise<void> {
    await this.#begin();
    const id = await this.#putSession(session);
    await this.#database.insert(
      { table: 'dictionary', columns: ['name', 'hash'], onConflict: 'ON CONFLICT DO NOTHING' },
      dictionaries.map(({ name, hash }) => [name, hash]),
    );
    const split = events.map((event) => ({ event, ...toTemplate(event.statement, event.text) }));
    const texts = split.flatMap(({ values }) => values.filter((value) => typeof value === 'string'));
    const stringIds = await this.#idsOfStrings([...new Set(texts)]);
    const byShape = new Map<KnownShape, Occurrence[]>();
    for (const { event, template, values } of split) {
      const shape = await this.#shapeOf(template, event.game);
      const { ordinal, t, end, confidence, isTentative, offset } = event;
      const numbers = values.map((value) => (typeof value === 'number' ? value : stringIds.get(value)!));
      const list = byShape.get(shape);
      const occurrence = { ordinal, t, end, confidence, isTentative, offset, values: numbers };
      if (list) list.push(occurrence);
      else byShape.set(shape, [occurrence]);
    }
    const rows = [...byShape].map(([shape, list]) => {
      const tentative = list.filter(({ isTentative }) => isTentative).length;
      const key = occurrenceKey(id, shape.id);
      return [key, shape.id, id, list.length - tentative, tentative, packOccurrences(list, shape.kinds)] as const;
    });
    // In the order of keys, pages are filled one after another.
    await this.#database.insert(
      { table: 'occurrence', columns: ['id', 'shape', 'session', 'events', 'tentative', 'data'] },
      rows.toSorted(([a], [b]) => a - b),
    );
    const names = new Set(events.flatMap(({ statement }) => namesOf(statement)));
    await this.#database.insert(
      { table: 'mention', columns: ['string', 'session'] },
      [...names].map((name) => [stringIds.get(name)!, id]),
    );
    await this.#count(byShape, 1);
  }

  async remove(paths: readonly string[]): Promise<void> {
    await this.#begin();
    for (const path of paths) {
      const id = await this.#findSession(path);
      if (id === undefined) continue;
      await this.#removeOccurrences(id);
      await this.#database.all('DELETE FROM session WHERE id = ?', id);
    }
    await this.commit();
  }

  async rename(names: ReadonlyMap<number, string>): Promise<void> {
    await this.#begin();
    for (const [id, name] of names) await this.#database.all('UPDATE session SET name = ? WHERE id = ?', name, id);
    await this.commit();
  }

  async commit(): Promise<void> {
    if (!this.#isWriting) return;
    if (this.#hasRemoved) await this.#database.all('DELETE FROM tally WHERE events = 0 AND tentative = 0');
    this.#hasRemoved = false;
    await this.#storeDistributions();
    await this.#database.commit();
    this.#isWriting = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isWriting) await this.#database.rollback();
    await this.#database.close();
  }

  async #begin(): Promise<void> {
    if (this.#isWriting) return;
    await this.#database.begin();
    this.#isWriting = true;
    // Another writer may have rolled back what was remembered.
    this.#stringIds.clear();
    this.#shapes.clear();
    this.#shapesById.clear();
    this.#changes.clear();
  }

  async #findSession(path: string): Promise<number | undefined> {
    const [row] = await this.#database.all('SELECT id FROM session WHERE path = ?', path);
    return row?.['id'] as number | undefined;
  }

  /** Stores what is known of a session, without its events, and returns its id. */
  async #putSession({ path, name, session, game, duration, events, size, modified }: NewSession): Promise<number> {
    const known = await this.#findSession(path);
    const values = [name, session, game, duration, events, size, modified];
    if (known === undefined) {
      const sql = `INSERT INTO session (name, session, game, duration, events, size, modified, path)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`;
      const [row] = await this.#database.all(sql, ...values, path);
      return row!['id'] as number;
    }
    await this.#removeOccurrences(known);
    const sql = `UPDATE session SET name = ?, session = ?, game = ?, duration = ?, events = ?, size = ?, modified = ?
      WHERE id = ?`;
    await this.#database.all(sql, ...values, known);
    return known;
  }

  async #removeOccurrences(session: number): Promise<void> {
    const byShape = new Map<KnownShape, readonly Occurrence[]>();
    for (const { shape, data } of await this.occurrences([session], undefined)) {
      const known = await this.#shapeById(shape);
      byShape.set(
        known,
        this.#read(data, (bytes) => unpackOccurrences(bytes, known.kinds)),
      );
    }
    await this.#count(byShape, -1);
    await this.#database.all('DELETE FROM occurrence WHERE session = ?', session);
    await this.#database.all('DELETE FROM mention WHERE session = ?', session);
    this.#hasRemoved = true;
  }

  #read<T>(data: unknown, unpack: (bytes: Uint8Array) => T): T {
    try {
      if (data instanceof Uint8Array) return unpack(data);
    } catch {
      // Thrown below, as for bytes that are none.
    }
    throw damaged(this.#database.shown, 'events cannot be read');
  }

  /** Adds events to the numbers of their templates and names (`sign` 1), or takes them away (-1). */
  async #count(byShape: ReadonlyMap<KnownShape, readonly Occurrence[]>, sign: 1 | -1): Promise<void> {
    const rows: number[][] = [];
    for (const [shape, occurrences] of byShape) {
      const { id, kinds, width } = shape;
      let change = this.#changes.get(shape);
      if (!change && width > 0) this.#changes.set(shape, (change = new ValueCounter(width)));
      const total: Change = { events: 0, tentative: 0 };
      const tallies = new Map<string, Change & { readonly value: number; readonly string: number }>();
      for (const { values, isTentative } of occurrences) {
        const counter = isTentative ? 'tentative' : 'events';
        total[counter] += sign;
        change?.add(values, isTentative ? 0 : sign, sign);
        for (const [value, kind] of kinds.entries()) {
          if (kind !== 'name') continue;
          const string = values[value]!;
          const key = `${value} ${string}`;
          let tally = tallies.get(key);
          if (!tally) tallies.set(key, (tally = { events: 0, tentative: 0, value, string }));
          tally[counter] += sign;
        }
      }
      for (const { value, string, events, tentative } of tallies.values())
        rows.push([id, value, string, events, tentative]);
      await this.#database.all(
        'UPDATE shape SET events = events + ?, tentative = tentative + ? WHERE id = ?',
        total.events,
        total.tentative,
        id,
      );
    }
    const columns = ['shape', 'value', 'string', 'events', 'tentative'];
    await this.#database.insert({ table: 'tally', columns, onConflict: ADD_TALLIES }, rows);
  }

  async #storeDistributions(): Promise<void> {
    const stored = await this.#distributions([...this.#changes.keys()]);
    const rows: [number, Uint8Array | null][] = [];
    for (const [{ id, kinds }, change] of this.#changes) {
      const before = stored.get(id);
      // There are too many different values.
      if (stored.has(id) && !before) continue;
      if (before) change.addAll(before);
      rows.push([id, change.size > MAX_STORED_VALUES ? null : packValueCounts(change.toCounts(), kinds)]);
    }
    this.#changes.clear();
    const onConflict = 'ON CONFLICT (shape) DO UPDATE SET data = excluded.data';
    await this.#database.insert({ table: 'distribution', columns: ['shape', 'data'], onConflict }, rows);
  }

  /** The ids of names and texts; stores those that are new. */
  async #idsOfStrings(strings: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (this.#stringIds.size > MAX_REMEMBERED) this.#stringIds.clear();
    await this.#rememberStrings(strings.filter((string) => !this.#stringIds.has(string)));
    const missing = strings.filter((string) => !this.#stringIds.has(string));
    await this.#database.insert(
      { table: 'string', columns: ['hash', 'string', 'folded'] },
      missing.map((string) => [hashOf(string), string, string.toLowerCase()]),
    );
    await this.#rememberStrings(missing);
    return new Map(strings.map((string) => [string, this.#stringIds.get(string)!]));
  }

  async #rememberStrings(strings: readonly string[]): Promise<void> {
    if (strings.length === 0) return;
    const rows = await this.#database.allIn('SELECT id, string FROM string', 'hash', strings.map(hashOf));
    for (const { id, string } of rows) this.#stringIds.set(string as string, id as number);
  }

  async #shapeOf(template: Template, game: string | undefined): Promise<KnownShape> {
    const json = JSON.stringify(template.statement);
    const key = keyOf(template, game);
    const known = this.#shapes.get(key);
    if (known) return known;
    const hash = hashOf(key);
    const stored = (await this.#database.all('SELECT * FROM shape WHERE hash = ?', hash)).find(
      (row) => row['json'] === json && row['text'] === template.text && row['game'] === (game ?? null),
    );
    const insert = 'INSERT INTO shape (hash, json, text, game) VALUES (?, ?, ?, ?) RETURNING id';
    const row = stored ?? (await this.#database.all(insert, hash, json, template.text, game ?? null))[0]!;
    return this.#remember(key, row['id'] as number, template);
  }

  async #shapeById(id: number): Promise<KnownShape> {
    const known = this.#shapesById.get(id);
    if (known) return known;
    const [row] = await this.#database.all('SELECT * FROM shape WHERE id = ?', id);
    if (!row) throw damaged(this.#database.shown, 'events without a template');
    const template = this.#readTemplate(row);
    return this.#remember(keyOf(template, (row['game'] as string | null) ?? undefined), id, template);
  }

  #remember(key: string, id: number, template: Template): KnownShape {
    const kinds = kindsOf(template);
    const shape = this.#shapesById.get(id) ?? { id, kinds, width: countStatementValues(template, kinds) };
    this.#shapes.set(key, shape);
    this.#shapesById.set(id, shape);
    return shape;
  }

  #readTemplate({ json, text }: SqlRow): Template {
    let parsed: ReturnType<typeof parseStatement> | undefined;
    try {
      parsed = parseStatement(JSON.parse(String(json)));
    } catch {
      // Refused below, as a statement that is none.
    }
    if (!parsed || 'issues' in parsed) throw damaged(this.#database.shown, 'a statement is none');
    return { statement: parsed.statement, text: String(text) };
  }
}

function keyOf({ statement, text }: Template, game: string | undefined): string {
  return `${JSON.stringify(statement)}\n${text}\n${game ?? ''}`;
}

/** A number of 48 bits by which a long text is found. */
function hashOf(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, 6);
}
