import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Dictionary } from '../dictionary/dictionary.ts';
import { messageOf, PlaybyplayError, type Issue } from '../errors.ts';

import { READING } from '../dictionary/sentences/function-words.ts';
import type { EventLine } from '../events/log.ts';
import { isPropertyStatement } from '../events/statement.ts';
import { readEventAt } from '../events/reader.ts';
import { makeFolder } from '../files/folder.ts';
import { checkOutput } from '../files/output.ts';
import { groupMatches } from '../query/match/groups.ts';
import type { Match } from '../query/match/combinators.ts';
import { PatternCompiler } from '../query/match/patterns.ts';
import { loadLogDictionaries } from '../query/logs.ts';
import { type ActionPattern, alternativesOf, type Condition, type GroupKey, type Query } from '../query/query.ts';
import {
  compileQuery,
  type CompiledQuery,
  matchEvents,
  type QueryResult,
  runQuery,
  selectGroups,
} from '../query/run.ts';
import { collectSessionNames, type SessionNames } from '../query/session-names.ts';
import { roundTime } from '../time.ts';
import { type Occurrence, unpackOccurrences } from './occurrences.ts';
import { asEvent, findRelevance, findRequiredNames, knowsWordsOnly } from './relevance.ts';
import { type AddOptions, addLogs, type AddResult, removeLogs } from './update.ts';
import { SqliteStore } from './sqlite-store.ts';
import type { LibrarySession, LibraryStore, StoredShape, StoredStatement } from './store.ts';

/** Matches of an answer unless a caller asks for more. */
export const DEFAULT_PAGE = 50;
/** Sessions that are looked up at once. */
const SESSIONS_AT_ONCE = 16;
/** Statements that are kept in memory. */
const MAX_CACHED_STATEMENTS = 500_000;
/** Options of {@link Library.ask}. */
export interface AskOptions {
  /** At most so many matches. Default: {@link DEFAULT_PAGE}. */
  readonly limit?: number | undefined;
  /** Also finds events whose evidence is thin. */
  readonly tentative?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The answer to a query of a library. */
export interface LibraryAnswer extends QueryResult {
  /** There are more matches than `matches` holds; `count` is then the number of those that it holds. */
  readonly hasMore: boolean;
}

/** The library that commands use unless another is named: `PLAYBYPLAY_LIBRARY`, else a file in the user's data folder. */
export function defaultLibraryPath(env: NodeJS.ProcessEnv = process.env): string {
  const named = env['PLAYBYPLAY_LIBRARY'];
  if (named !== undefined && named !== '') return resolve(named);
  const data =
    process.platform === 'win32'
      ? (env['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local'))
      : process.platform === 'darwin'
        ? join(homedir(), 'Library', 'Application Support')
        : (env['XDG_DATA_HOME'] ?? join(homedir(), '.local', 'share'));
  return join(data, 'playbyplay', 'library.sqlite');
}

/**
 * An index of many logs that answers queries without reading them: a season of ten million events is opened at once, and the
 * first page of an answer takes milliseconds. The logs stay the truth: the index holds nothing that they do not, and
 * {@link Library.add} brings it up to date.
 *
 * @example
 * ```ts
 * await using library = await Library.open('season.sqlite', { create: true });
 * await library.add(['season/']);
 * const { matches } = await library.ask(await library.compile('kills with railgun'));
 * for (const { t, events: [event] } of matches) console.log(event?.session, t, event?.text);
 * ```
 */
export class Library implements AsyncDisposable {
  readonly #store: LibraryStore;
  readonly #statements = new Map<number, StoredStatement>();
  readonly #byShape = new Map<number, readonly StoredStatement[]>();
  /** Where the lines of events that were handed out stand. */
  readonly #origins = new WeakMap<EventLine, { readonly path: string; readonly offset: number }>();
  #state: LibraryState | undefined;

  /** @param store Where the index is. The library disposes of it. */
  constructor(store: LibraryStore) {
    this.#store = store;
  }

  /**
   * Opens the library in a file.
   *
   * @param path Default: {@link defaultLibraryPath}.
   * @param options `create`: for adding and removing logs; the file is created if it does not exist.
   * @throws PlaybyplayError `library-missing`, `library-invalid`, `library-version`; with `create` as `checkOutput`.
   */
  static async open(
    path: string = defaultLibraryPath(),
    { create = false }: { readonly create?: boolean } = {},
  ): Promise<Library> {
    if (create) {
      await checkOutput(path, { kind: 'library' });
      await makeFolder(dirname(resolve(path)));
    }
    return new Library(SqliteStore.open(path, { create }));
  }

  /** The sessions of the library, in the order in which they were added. */
  async sessions(): Promise<readonly LibrarySession[]> {
    return (await this.#current()).sessions;
  }

  /** The proper names that its events mention. */
  async names(): Promise<readonly string[]> {
    return (await this.#current()).names;
  }

  /**
   * Adds the logs under some paths and brings those up to date that have changed or no longer exist. A log that has not
   * changed is not read.
   *
   * @param paths Logs, log folders, or folders of those. Without paths: all that were added before.
   * @throws PlaybyplayError `log-missing` for a path without logs that was not added before.
   */
  async add(paths: readonly string[] = [], options: AddOptions = {}): Promise<AddResult> {
    const result = await addLogs(this.#store, paths, options);
    this.#state = undefined;
    return result;
  }

  /**
   * Removes the logs under some paths from the library; the logs themselves stay.
   *
   * @returns How many sessions were removed.
   */
  async remove(paths: readonly string[]): Promise<number> {
    const removed = await removeLogs(this.#store, paths);
    this.#state = undefined;
    return removed;
  }

  /**
   * Compiles a query with the words, names and sessions of the library.
   *
   * @param dictionaries Paths of further dictionary files.
   * @throws PlaybyplayError `bad-query`.
   */
  async compile(query: string | Query, dictionaries: readonly string[] = []): Promise<CompiledQuery> {
    const { names, games, logs, shapes, sessionNames } = await this.#current();
    const { dictionary } = await this.dictionary(dictionaries);
    // What is displayed is known by its name, which shapes lack.
    const displays = shapes.filter(({ statement }) => isPropertyStatement(statement) && statement.property === READING);
    const statements = [...shapes, ...(await this.#statementsOf(displays.map(({ id }) => id)))];
    const events = statements.map(({ statement }) => asEvent(statement));
    return compileQuery(query, dictionary, { logs: { events, games, logs }, names, sessions: sessionNames });
  }

  /**
   * The dictionary that queries are compiled for: those of the logs, merged.
   *
   * @param further Paths of further dictionary files.
   */
  async dictionary(
    further: readonly string[] = [],
  ): Promise<{ readonly dictionary: Dictionary; readonly issues: readonly Issue[] }> {
    const state = await this.#current();
    if (further.length > 0) return loadLogDictionaries(state.dictionaries, state.paths, further);
    return (state.dictionary ??= await loadLogDictionaries(state.dictionaries, state.paths));
  }

  /**
   * Answers a query. Its matches are read up to a limit; counts, groups and values are those of all events.
   *
   * The events of the answer lack cues and ids, see {@link Library.readLines}.
   */
  async ask(
    compiled: CompiledQuery,
    { limit = DEFAULT_PAGE, tentative = false, signal }: AskOptions = {},
  ): Promise<LibraryAnswer> {
    const scope = await this.#scope(compiled);
    const job: Job = { compiled, scope, tentative, signal };
    if (isListing(compiled.query)) return this.#list(job, limit);
    if (isTally(compiled)) return this.#tally(job);
    const result = runQuery(compiled, await this.#collect(job), { durations: (await this.#current()).durations });
    return { ...result, hasMore: false };
  }

  /**
   * Reads the lines of events in their logs, with cues and ids.
   *
   * @throws PlaybyplayError `library-stale` where a log has changed since it was added.
   */
  async readLines(events: readonly EventLine[]): Promise<readonly EventLine[]> {
    const lines = new Map<EventLine, EventLine>();
    for (const [path, ofLog] of Map.groupBy(events, (event) => this.#origins.get(event)?.path)) {
      if (path === undefined) throw new RangeError('the event is not one of this library');
      for (const event of ofLog) {
        const line = await readEventAt(path, this.#origins.get(event)!.offset, event).catch((error: unknown) => {
          throw stale(path, messageOf(error));
        });
        if (!line || roundTime(line.t) !== event.t || line.text !== event.text)
          throw stale(path, 'the log has changed');
        // An approved event is no longer tentative; its line in the log still says so.
        const { tentative: _, ...certain } = line;
        lines.set(event, { ...(event.tentative ? line : certain), session: event.session, game: event.game });
      }
    }
    return events.map((event) => lines.get(event)!);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store[Symbol.asyncDispose]();
  }

  /** What queries need of the index, read again when another process has changed it. */
  async #current(): Promise<LibraryState> {
    const version = await this.#store.version();
    if (this.#state?.version === version) return this.#state;
    const sessions = await this.#store.sessions();
    this.#statements.clear();
    this.#byShape.clear();
    return (this.#state = {
      version,
      sessions,
      names: await this.#store.names(),
      shapes: await this.#store.shapes(),
      games: [...new Set(sessions.map(({ game }) => game))],
      paths: sessions.map(({ path }) => path),
      logs: new Map(sessions.map(({ session, path, name }) => [session, { path, name }])),
      sessionNames: collectSessionNames(new Map(sessions.map(({ session, name }) => [session, { name }]))),
      durations: new Map(sessions.map(({ session, duration }) => [session, duration])),
      byId: new Map(sessions.map((session) => [session.id, session])),
      dictionaries: new Map((await this.#store.dictionaries()).map(({ name, hash }) => [name, hash])),
      dictionary: undefined,
    });
  }

  async #scope({ query, dictionary }: CompiledQuery): Promise<Scope> {
    const { shapes } = await this.#current();
    const { isCandidate, isNeeded } = findRelevance(query, dictionary);
    const tested = shapes.map(({ id, statement }) => ({ id, event: asEvent(statement) }));
    const candidates = tested.filter(({ event }) => isCandidate(event)).map(({ id }) => id);
    const needed = new Set(tested.filter(({ event }) => isNeeded(event)).map(({ id }) => id));
    const isAll = (size: number): boolean => size === shapes.length;
    return {
      candidates: isAll(candidates.length) ? undefined : candidates,
      needed: isAll(needed.size) ? undefined : needed,
      sessions: await this.#namedSessions(query.find),
    };
  }

  /** The sessions that a condition names, or in which somebody appears whom it names; `undefined`: all. */
  async #namedSessions(find: Condition): Promise<readonly LibrarySession[] | undefined> {
    const { sessions, byId } = await this.#current();
    const scoped = findSessions(find, sessions);
    const names = findRequiredNames(find);
    if (!names) return scoped;
    const ids = await this.#store.sessionsNaming(names);
    if (scoped) return scoped.filter(({ id }) => ids.includes(id));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  /** The sessions in which a query can find something, in order. */
  async *#sessionsOf({ candidates, sessions }: Scope): AsyncGenerator<LibrarySession, void, undefined> {
    if (sessions) return yield* sessions;
    const { byId } = await this.#current();
    for (let after = 0, isFirst = true; ; isFirst = false) {
      // The first page of an answer often lies in one session.
      const ids = await this.#store.sessionsWith(candidates, after, isFirst ? 1 : SESSIONS_AT_ONCE);
      if (ids.length === 0) return;
      for (const id of ids) {
        const session = byId.get(id);
        if (session) yield session;
        after = id;
      }
    }
  }

  /** The events of a session that a query needs, in the order of the log. */
  async #eventsOf(
    { id, session, game, path }: LibrarySession,
    { scope, tentative }: Job,
    needed: ReadonlySet<number> | undefined = scope.needed,
  ): Promise<readonly EventLine[]> {
    const packed = await this.#store.occurrences(id, needed);
    const occurrences = packed
      .flatMap(({ data }) => unpack(data, path))
      .filter(({ isTentative }) => tentative || !isTentative)
      .toSorted((a, b) => a.ordinal - b.ordinal);
    await this.#load(occurrences.map(({ statement }) => statement));
    return occurrences.map((one): EventLine => {
      const stored = this.#statements.get(one.statement);
      if (!stored) throw damaged(path);
      const { statement, text, game: ownGame = game } = stored;
      const event: EventLine = {
        type: 'event',
        id: '',
        t: one.t / 1e6,
        end: one.end / 1e6,
        game: ownGame,
        session,
        text,
        statement,
        confidence: one.confidence / 1000,
        ...(one.isTentative && { tentative: true }),
        cues: [],
      };
      this.#origins.set(event, { path, offset: one.offset });
      return event;
    });
  }

  async #load(ids: readonly number[]): Promise<void> {
    const missing = [...new Set(ids)].filter((id) => !this.#statements.has(id));
    if (missing.length === 0) return;
    if (this.#statements.size > MAX_CACHED_STATEMENTS) {
      this.#statements.clear();
      this.#byShape.clear();
      return this.#load(ids);
    }
    for (const statement of await this.#store.statements(missing)) this.#statements.set(statement.id, statement);
  }

  /** The statements of some shapes, which stay in memory for further questions. */
  async #statementsOf(shapes: readonly number[]): Promise<readonly StoredStatement[]> {
    const missing = shapes.filter((shape) => !this.#byShape.has(shape));
    if (this.#statements.size > MAX_CACHED_STATEMENTS) {
      this.#statements.clear();
      this.#byShape.clear();
    }
    for (const shape of missing) {
      const statements = await this.#store.statementsOf([shape]);
      this.#byShape.set(shape, statements);
      for (const statement of statements) this.#statements.set(statement.id, statement);
    }
    return shapes.flatMap((shape) => this.#byShape.get(shape) ?? []);
  }

  /** Reads matches session by session until there are enough. */
  async #list(job: Job, limit: number): Promise<LibraryAnswer> {
    const { compiled, scope, signal } = job;
    const { durations } = await this.#current();
    const { first = Number.POSITIVE_INFINITY, find, whether } = compiled.query;
    const plain = { ...compiled, query: { find } };
    const wanted = Math.min(limit, first);
    const matches: Match[] = [];
    for await (const session of this.#sessionsOf(scope)) {
      signal?.throwIfAborted();
      for (const match of matchEvents(plain, await this.#eventsOf(session, job), { durations })) matches.push(match);
      if (matches.length > wanted || matches.length >= first) break;
    }
    const shown = matches.slice(0, wanted);
    const answer = whether ? { value: shown.length > 0, unit: undefined } : undefined;
    const hasMore = matches.length > wanted && wanted < first;
    return { matches: shown, count: shown.length, groups: undefined, values: undefined, answer, hasMore };
  }

  /** Counts events by their statements, of which a library has few. */
  async #tally({ compiled, scope, tentative }: Job): Promise<LibraryAnswer> {
    const { query, dictionary, condition } = compiled;
    const { shapes } = await this.#current();
    const candidates = scope.candidates ?? shapes.map(({ id }) => id);
    const test = condition.test!({ session: '', duration: 0, events: [], columns: undefined! });
    const counts = new Map<EventLine, number>();
    const isByWords = query.by === undefined && knowsWordsOnly(query.find);
    const rows = isByWords ? shapes.filter(({ id }) => candidates.includes(id)) : await this.#statementsOf(candidates);
    for (const { statement, events, tentative: uncertain } of rows) {
      const event = asEvent(statement);
      const number = events + (tentative ? uncertain : 0);
      if (number > 0 && test(event)) counts.set(event, number);
    }
    const matches = [...counts.keys()].map((event, i): Match => ({ t: 0, end: 0, events: [event], first: i, last: i }));
    const weigh = ({ events: [event] }: Match): number => counts.get(event!)!;
    const groups =
      query.by &&
      selectGroups(groupMatches(matches, query.by, { dictionary, find: query.find, sessions: [], weigh }), query);
    const count = [...counts.values()].reduce((sum, each) => sum + each, 0);
    const value = query.distinct && groups ? groups.length : count;
    const answer = query.count || query.distinct ? { value, unit: undefined } : undefined;
    return { matches: [], count, groups, answer, values: undefined, hasMore: count > 0 };
  }

  /** Reads all events that a query needs. */
  async #collect(job: Job): Promise<readonly EventLine[]> {
    const { query } = job.compiled;
    const isAboutSessions = query.per !== undefined || query.at !== undefined;
    const scope = isAboutSessions ? { ...job.scope, candidates: undefined, sessions: undefined } : job.scope;
    const collected: EventLine[] = [];
    for await (const session of this.#sessionsOf(scope)) {
      job.signal?.throwIfAborted();
      const events = await this.#eventsOf(session, job);
      // A session in which nothing of it happens counts, too.
      const shown =
        events.length > 0 || !isAboutSessions ? events : (await this.#eventsOf(session, job, undefined)).slice(0, 1);
      for (const event of shown) collected.push(event);
    }
    return collected;
  }
}

/** What queries need of the index. */
interface LibraryState {
  readonly version: number;
  readonly sessions: readonly LibrarySession[];
  readonly names: readonly string[];
  readonly shapes: readonly StoredShape[];
  readonly games: readonly string[];
  readonly paths: readonly string[];
  readonly logs: ReadonlyMap<string, { readonly path: string; readonly name: string }>;
  readonly sessionNames: SessionNames;
  readonly durations: ReadonlyMap<string, number>;
  readonly byId: ReadonlyMap<number, LibrarySession>;
  readonly dictionaries: ReadonlyMap<string, string>;
  dictionary: { readonly dictionary: Dictionary; readonly issues: readonly Issue[] } | undefined;
}

/** Where a query looks. */
interface Scope {
  /** Shapes of events that it can find; `undefined`: all. */
  readonly candidates: readonly number[] | undefined;
  /** Shapes of events on which its answer depends; `undefined`: all. */
  readonly needed: ReadonlySet<number> | undefined;
  /** The sessions outside of which it finds nothing; `undefined`: it can find something in any. */
  readonly sessions: readonly LibrarySession[] | undefined;
}

interface Job {
  readonly compiled: CompiledQuery;
  readonly scope: Scope;
  readonly tentative: boolean;
  readonly signal: AbortSignal | undefined;
}

function unpack(data: unknown, path: string): Occurrence[] {
  try {
    if (data instanceof Uint8Array) return [...unpackOccurrences(data)];
  } catch {
    // Thrown below, as for bytes that are none.
  }
  throw damaged(path);
}

function damaged(path: string): PlaybyplayError {
  return new PlaybyplayError('library-damaged', `the library contradicts itself about ${path}`, {
    hint: 'Delete it and add the logs again: everything in it comes from them.',
  });
}

function stale(path: string, problem: string): PlaybyplayError {
  return new PlaybyplayError('library-stale', `${path}: ${problem}`, {
    hint: 'Bring the library up to date with: playbyplay library add',
  });
}

/** The sessions that the conditions of a query name; `undefined` if they name none. */
function findSessions(find: Condition, sessions: readonly LibrarySession[]): readonly LibrarySession[] | undefined {
  const scopes = [find, ...('all' in find ? find.all : [])].filter((each) => 'session' in each && !('game' in each));
  if (scopes.length === 0) return undefined;
  return sessions.filter(({ session }) =>
    scopes.every((scope) => (scope as { readonly session: readonly string[] }).session.includes(session)),
  );
}

/** Does a query ask for its matches alone, in the order of sessions and time? */
function isListing(query: Query): boolean {
  return hasOnly(query, ['find', 'first', 'whether']);
}

/** Can a query be answered from the numbers of statements: no times, no sessions, no events together? */
function isTally({ query, dictionary }: CompiledQuery): boolean {
  if (!hasOnly(query, ['find', 'count', 'by', 'distinct', 'top', 'bottom'])) return false;
  return (query.by ?? []).every(isOfStatement) && isAboutStatement(query.find, new PatternCompiler(dictionary));
}

function hasOnly(query: Query, members: readonly (keyof Query)[]): boolean {
  return Object.entries(query).every(([key, value]) => value === undefined || members.includes(key as keyof Query));
}

function isOfStatement(key: GroupKey): boolean {
  if ('period' in key) return false;
  return !('key' in key) || key.key === 'action' || key.key === 'name';
}

function isAboutStatement(condition: Condition, patterns: PatternCompiler): boolean {
  if ('all' in condition) return condition.all.every((each) => isAboutStatement(each, patterns));
  if ('not' in condition) return isAboutStatement(condition.not, patterns);
  // Whether a death and its cause are one event depends on their times.
  if ('action' in condition) return patterns.causing(condition as ActionPattern) === undefined;
  const alternatives = alternativesOf(condition);
  if (alternatives) return alternatives.every((each) => isAboutStatement(each, patterns));
  return 'property' in condition || 'mentions' in condition;
}
