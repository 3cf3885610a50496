import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Dictionary } from '../dictionary/dictionary.ts';
import { messageOf, PlaybyplayError, type Issue } from '../errors.ts';

import { READING } from '../dictionary/sentences/function-words.ts';
import type { EventLine } from '../events/log.ts';
import { isPropertyStatement, type Statement } from '../events/statement.ts';
import { readEventAt } from '../events/reader.ts';
import { makeFolder } from '../files/folder.ts';
import { checkOutput } from '../files/output.ts';
import { type Group, groupMatches } from '../query/match/groups.ts';
import type { CompiledCondition, Match } from '../query/match/combinators.ts';
import { type EventTest, PatternCompiler } from '../query/match/patterns.ts';
import { loadLogDictionaries } from '../query/logs.ts';
import { type ActionPattern, alternativesOf, type Condition, type GroupKey, type Query } from '../query/query.ts';
import { AnswerTotals } from '../query/answers.ts';
import { groupBySession } from '../query/match/event-index.ts';
import {
  compileQuery,
  type CompiledQuery,
  divideGroups,
  groupRatio,
  matchEvents,
  type QueryResult,
  runQuery,
  selectGroups,
} from '../query/run.ts';
import { collectSessionNames, type SessionNames } from '../query/session-names.ts';
import { roundTime } from '../time.ts';
import { REBUILD_HINT } from './sql-store.ts';
import { countByValue, type Counts, RowCache, toCounts, Totals, type ValueCounts } from './counts.ts';
import { type Occurrence, OccurrenceReader, unpackOccurrences } from './occurrences.ts';
import { asEvent, findRelevance, findRequiredNames, dependsOnWordsOnly } from './relevance.ts';
import { type AddOptions, addLogs, type AddResult, removeLogs } from './update.ts';
import { SqliteStore } from './sqlite-store.ts';
import type { LibrarySession, LibraryStore, OpenOptions, StoredOccurrences, StoredShape } from './store.ts';
import {
  compileTemplate,
  countStatementValues,
  fillText,
  kindsOf,
  markOf,
  NAME_PLACEHOLDER,
  sentenceOf,
  type TemplateValue,
  type ValueKind,
} from './templates.ts';

/** Matches of an answer unless a caller asks for more. */
export const DEFAULT_PAGE = 50;
/** Sessions that are looked up at once: the first page of an answer often lies in one, others need all of them. */
const MAX_SESSIONS_AT_ONCE = 64;
/** Names and texts that are kept in memory. */
const MAX_CACHED_STRINGS = 500_000;

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

/**
 * The library that commands use unless another is named: `PLAYBYPLAY_LIBRARY` (a file, or the address of a PostgreSQL database),
 * else a file in the user's data folder.
 */
export function defaultLibraryPath(env: NodeJS.ProcessEnv = process.env): string {
  const named = env['PLAYBYPLAY_LIBRARY'];
  if (named !== undefined && named !== '') return isDatabaseUrl(named) ? named : resolve(named);
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
  readonly #strings = new Map<number, string>();
  readonly #tallies = new RowCache<number, ReadonlyMap<number, Counts>>((byValue) =>
    byValue.values().reduce((sum, { ids }) => sum + ids.length, 0),
  );
  readonly #counts = new RowCache<string, Counts>(({ ids }) => ids.length);
  readonly #values = new RowCache<number, ValueCounts | undefined>((counts) => counts?.all.length ?? 0);
  /** Where the lines of events that were handed out stand. */
  readonly #origins = new WeakMap<EventLine, { readonly path: string; readonly offset: number }>();
  #state: LibraryState | undefined;

  /** @param store Where the index is. The library disposes of it. */
  constructor(store: LibraryStore) {
    this.#store = store;
  }

  /**
   * Opens the library in a file or in a PostgreSQL database.
   *
   * @param path A file, or `postgres://user:password@host/database`, with `?library=name` for one of several libraries.
   *   Default: {@link defaultLibraryPath}.
   * @param options `create`: for adding and removing logs; the library is created if it does not exist. `empty`: empties a library
   *   that exists, of any version, so that {@link Library.add} rebuilds it from the logs that were added before.
   * @throws PlaybyplayError `library-missing`, `library-invalid`, `library-version`; `library-unreachable` of a database; of a
   *   file with `create` as `checkOutput`.
   */
  static async open(
    path: string = defaultLibraryPath(),
    { create = false, empty = false }: OpenOptions = {},
  ): Promise<Library> {
    if (isDatabaseUrl(path)) {
      const { PostgresStore } = await import('./postgres-store.ts');
      return new Library(await PostgresStore.open(path, { create, empty }));
    }
    if (create) {
      await checkOutput(path, { kind: 'library' });
      await makeFolder(dirname(resolve(path)));
    }
    return new Library(SqliteStore.open(path, { create, empty }));
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
   * Reads all events, session by session. They lack cues and ids, see {@link Library.readLines}.
   *
   * @param options `tentative`: also events whose evidence is thin.
   */
  async *readSessions({
    tentative = false,
  }: {
    readonly tentative?: boolean | undefined;
  } = {}): AsyncGenerator<
    { readonly session: LibrarySession; readonly events: readonly EventLine[] },
    void,
    undefined
  > {
    const scope: Scope = { candidates: undefined, needed: undefined, sessions: undefined };
    for await (const { session, events } of this.#eventsBySession({ scope, tentative, test: undefined }))
      yield { session, events: events.map(withText) };
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
    const { names, games, logs, sessionNames } = await this.#current();
    const { dictionary } = await this.dictionary(dictionaries);
    const events = await this.#exampleEvents();
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
    const test = isAboutOneEvent(compiled) ? compiled.condition.test : undefined;
    const answer = await this.#answer({ compiled, scope, tentative, test, signal }, limit);
    const matches = answer.matches.map((match) => ({
      ...match,
      events: match.events.map((event) => this.#show(event)),
    }));
    return { ...answer, matches };
  }

  async #answer(job: Job, limit: number): Promise<LibraryAnswer> {
    const { compiled, scope } = job;
    if (isListing(compiled.query)) return this.#list(job, limit);
    if (isListingOfLast(compiled.query)) return this.#listLast(job);
    const tally = isTally(compiled, scope) ? await this.#tally(job) : undefined;
    if (tally) return tally;
    if (isSum(compiled.query)) return this.#sum(job);
    const result = runQuery(compiled, await this.#collect(job), { durations: (await this.#current()).durations });
    return { ...result, hasMore: false };
  }

  /** Completes an event that is handed out. */
  #show(event: EventLine): EventLine {
    const { path, offset } = (event as IndexedEvent).indexed;
    const shown = withText(event as IndexedEvent);
    this.#origins.set(shown, { path, offset });
    return shown;
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
    this.#tallies.clear();
    this.#counts.clear();
    this.#values.clear();
    const shapes = (await this.#store.shapes()).map((shape): Shape => {
      const kinds = kindsOf(shape);
      return { ...shape, kinds, width: countStatementValues(shape, kinds), build: compileTemplate(shape) };
    });
    return (this.#state = {
      version,
      sessions,
      names: await this.#store.names(),
      shapes,
      shapesById: new Map(shapes.map((shape) => [shape.id, shape])),
      games: [...new Set(sessions.map(({ game }) => game))],
      paths: sessions.map(({ path }) => path),
      logs: new Map(sessions.map(({ session, path, name }) => [session, { path, name }])),
      sessionNames: collectSessionNames(new Map(sessions.map(({ session, name }) => [session, { name }]))),
      durations: new Map(sessions.map(({ session, duration }) => [session, duration])),
      byId: new Map(sessions.map((session) => [session.id, session])),
      dictionaries: new Map((await this.#store.dictionaries()).map(({ name, hash }) => [name, hash])),
      dictionary: undefined,
      examples: undefined,
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

  /** The sessions in which a query can find something, in order or backwards, a few at a time and then more. */
  async *#sessionsOf(
    { candidates, sessions }: Scope,
    isBackwards: boolean,
  ): AsyncGenerator<readonly LibrarySession[], void, undefined> {
    const { byId } = await this.#current();
    const ordered = isBackwards ? sessions?.toReversed() : sessions;
    let after: number | undefined;
    let done = 0;
    for (let most = 1; ; most = Math.min(4 * most, MAX_SESSIONS_AT_ONCE)) {
      const named = ordered?.slice(done, done + most);
      const ids =
        named?.map(({ id }) => id) ?? (await this.#store.sessionsWith(candidates, { after, most, isBackwards }));
      if (ids.length === 0) return;
      yield named ?? ids.flatMap((id) => byId.get(id) ?? []);
      done += ids.length;
      after = ids.at(-1);
    }
  }

  /**
   * The sessions in which a query can find something, each with the events that the query needs in the order of the log.
   */
  async *#eventsBySession(
    job: Pick<Job, 'scope' | 'tentative' | 'test'>,
    { isBackwards = false } = {},
  ): AsyncGenerator<{ readonly session: LibrarySession; readonly events: readonly IndexedEvent[] }, void, undefined> {
    for await (const sessions of this.#sessionsOf(job.scope, isBackwards)) {
      const ids = sessions.map(({ id }) => id);
      const stored = Map.groupBy(await this.#store.occurrences(ids, job.scope.needed), ({ session }) => session);
      for (const session of sessions)
        yield { session, events: await this.#readEvents(session, stored.get(session.id) ?? [], job) };
    }
  }

  /** Unpacks the events of a session. */
  async #readEvents(
    { session, game: ofSession, path, duration }: LibrarySession,
    stored: readonly StoredOccurrences[],
    { tentative, test }: Pick<Job, 'tentative' | 'test'>,
  ): Promise<readonly IndexedEvent[]> {
    const isFound = test?.({ session, duration, events: [], columns: undefined! });
    const found: IndexedEvent[] = [];
    for (const { shape: id, data } of stored) {
      // Another process may have added it since.
      const shape = this.#state!.shapesById.get(id) ?? (await this.#current()).shapesById.get(id);
      if (!shape) throw damaged(path);
      const game = shape.game ?? ofSession;
      const occurrences = unpack(data, shape, path).filter((one) => tentative || !one.isTentative);
      const isString = shape.kinds.map((kind) => kind !== 'number');
      const hasStrings = isString.includes(true);
      if (hasStrings)
        await this.#loadStrings(occurrences.flatMap(({ values }) => values.filter((_, i) => isString[i])));
      for (const { ordinal, offset, isTentative, values: packed, ...one } of occurrences) {
        const values = hasStrings
          ? packed.map((value, i) => (isString[i] ? this.#stringOf(value, path) : value))
          : packed;
        const event: IndexedEvent = {
          type: 'event',
          id: '',
          t: one.t / 1e6,
          end: one.end / 1e6,
          game,
          session,
          text: '',
          statement: shape.build(values),
          confidence: one.confidence / 1000,
          ...(isTentative && { tentative: true }),
          cues: NO_CUES,
          indexed: { shape, values, ordinal, path, offset },
        };
        if (!isFound || isFound(event)) found.push(event);
      }
    }
    return found.toSorted((a, b) => a.indexed.ordinal - b.indexed.ordinal);
  }

  #stringOf(id: number, path: string): string {
    const string = this.#strings.get(id);
    if (string === undefined) throw damaged(path);
    return string;
  }

  async #loadStrings(ids: Iterable<number>): Promise<void> {
    if (this.#strings.size > MAX_CACHED_STRINGS) this.#strings.clear();
    const missing = [...new Set(ids)].filter((id) => !this.#strings.has(id));
    if (missing.length === 0) return;
    for (const [id, string] of await this.#store.strings(missing)) this.#strings.set(id, string);
  }

  /** How many events of a template have each name, for each of its values. */
  async #talliesOf(shape: number): Promise<ReadonlyMap<number, Counts>> {
    return this.#tallies.get(shape, async () => {
      const byValue = Map.groupBy(await this.#store.tallies(shape), ({ value }) => value);
      return new Map([...byValue].map(([value, rows]) => [value, toCounts(rows, ({ string }) => string)]));
    });
  }

  /** How many events of some templates each session has. */
  async #countsOf(shapes: readonly number[]): Promise<Counts> {
    return this.#counts.get(shapes.join(), async () =>
      toCounts(await this.#store.counts(shapes), ({ session }) => session),
    );
  }

  /** Events with the words of all, and of each name two examples: questions may be about the only opponent. */
  async #exampleEvents(): Promise<readonly EventLine[]> {
    const state = await this.#current();
    if (state.examples) return state.examples;
    const names = Map.groupBy(await this.#store.nameExamples(), ({ shape }) => shape);
    const ids = [...names.values()].flat().flatMap(({ first, last }) => [first, last]);
    await this.#loadStrings(ids);
    const statements: Statement[] = [];
    for (const shape of state.shapes) {
      // What is displayed is known by its name, which shapes lack.
      if (isDisplay(shape)) {
        statements.push(...(await this.#namedStatements(shape)));
        continue;
      }
      for (const which of names.has(shape.id) ? (['first', 'last'] as const) : (['first'] as const)) {
        const values: (string | number)[] = shape.kinds.map((kind) => (kind === 'number' ? 0 : NAME_PLACEHOLDER));
        for (const example of names.get(shape.id) ?? [])
          values[example.value] = this.#strings.get(example[which]) ?? NAME_PLACEHOLDER;
        statements.push(shape.build(values));
      }
    }
    return (state.examples = statements.map((statement) => asEvent(statement)));
  }

  /** The statements of a template with each of its names. */
  async #namedStatements(shape: Shape): Promise<readonly Statement[]> {
    const tallies = await this.#talliesOf(shape.id);
    const statements: Statement[] = [];
    for (const [value, { ids }] of tallies) {
      await this.#loadStrings(ids);
      for (const id of ids) {
        const name = this.#strings.get(id) ?? NAME_PLACEHOLDER;
        const values = shape.kinds.map((kind, index) =>
          kind === 'number' ? 0 : index === value ? name : NAME_PLACEHOLDER,
        );
        statements.push(shape.build(values));
      }
    }
    return statements;
  }

  /** Reads matches session by session until there are enough. */
  async #list(job: Job, limit: number): Promise<LibraryAnswer> {
    const { compiled, signal } = job;
    const { durations } = await this.#current();
    const { first = Number.POSITIVE_INFINITY, find, whether } = compiled.query;
    const plain = { ...compiled, query: { find } };
    const wanted = Math.min(limit, first);
    const matches: Match[] = [];
    for await (const { events } of this.#eventsBySession(job)) {
      signal?.throwIfAborted();
      for (const match of matchEvents(plain, events, { durations })) matches.push(match);
      if (matches.length > wanted || matches.length >= first) break;
    }
    const shown = matches.slice(0, wanted);
    const answer = whether ? { value: shown.length > 0, unit: undefined } : undefined;
    const hasMore = matches.length > wanted && wanted < first;
    return { matches: shown, count: shown.length, groups: undefined, values: undefined, answer, hasMore };
  }

  /** Reads matches session by session, the last session first, until there are enough. */
  async #listLast({ compiled, signal, ...job }: Job): Promise<LibraryAnswer> {
    const { durations } = await this.#current();
    const { find, last = 1 } = compiled.query;
    const plain = { ...compiled, query: { find } };
    let matches: readonly Match[] = [];
    for await (const { events } of this.#eventsBySession(job, { isBackwards: true })) {
      signal?.throwIfAborted();
      matches = [...matchEvents(plain, events, { durations }), ...matches];
      if (matches.length >= last) break;
    }
    const shown = matches.slice(Math.max(0, matches.length - last));
    const count = shown.length;
    return { matches: shown, count, groups: undefined, values: undefined, answer: undefined, hasMore: false };
  }

  /**
   * Counts events without reading them, by what the index knows of each template: how many have it in all, by name and by
   * session. `undefined` where a group depends on more.
   */
  async #tally({ compiled, scope, tentative }: Job): Promise<LibraryAnswer | undefined> {
    const { query, condition } = compiled;
    const { shapes, sessions } = await this.#current();
    const candidates = scope.candidates && new Set(scope.candidates);
    const isFound = condition.test!({ session: '', duration: 0, events: [], columns: undefined! });
    const isAboutWords = dependsOnWordsOnly(query.find);
    const groups = new Map<string, CountedGroups>();
    let total = 0;
    for (const shape of shapes) {
      const events = shape.events + (tentative ? shape.tentative : 0);
      if (events === 0 || candidates?.has(shape.id) === false) continue;
      if (!isAboutWords && shape.width > 0) {
        const found = await this.#countValues(shape, isFound, tentative);
        if (found === undefined) return undefined;
        total += found;
        continue;
      }
      if (!isFound(asEvent(shape.statement))) continue;
      total += events;
      if (!query.by) continue;
      const grouping = findGrouping(shape, compiled);
      if (!grouping) return undefined;
      const key = JSON.stringify([grouping.of, grouping.labels]);
      let known = groups.get(key);
      if (!known) groups.set(key, (known = { of: grouping.of, labels: grouping.labels, shapes: [] }));
      known.shapes.push({ shape, value: grouping.value });
    }
    const selected = query.by && selectGroups(await this.#nameGroups([...groups.values()], tentative), query);
    const value = query.distinct && selected ? selected.length : divideCount(total, query.per, sessions);
    const unit = typeof query.per === 'string' ? `per ${query.per}` : undefined;
    const answer = query.count || query.distinct || query.per !== undefined ? { value, unit } : undefined;
    return { matches: [], count: total, groups: selected, answer, values: undefined, hasMore: false };
  }

  async *#occurrencesOf(shape: Shape): AsyncGenerator<Iterable<OccurrenceReader>, void, undefined> {
    const { byId } = await this.#current();
    for await (const { session, data } of this.#store.occurrencesOf(shape.id))
      yield readOccurrences(data, shape, byId.get(session)?.path ?? '');
  }

  /** How many events of a template fulfil a test of their values; `undefined` where too many values are different. */
  async #countValues(shape: Shape, isFound: EventTest, tentative: boolean): Promise<number | undefined> {
    const counts = await this.#values.get(
      shape.id,
      async () =>
        (await this.#store.valueCounts(shape.id)) ?? (await countByValue(this.#occurrencesOf(shape), shape.width)),
    );
    if (!counts) return undefined;
    const numbers = tentative ? counts.all : counts.certain;
    const values: TemplateValue[] = [];
    const areNumbers = shape.kinds.slice(0, shape.width).map((kind) => kind === 'number');
    for (const [index, column] of counts.columns.entries()) if (!areNumbers[index]) await this.#loadStrings(column);
    let total = 0;
    for (let row = 0; row < numbers.length; row++) {
      if (numbers[row] === 0) continue;
      for (let index = 0; index < areNumbers.length; index++) {
        const value = counts.columns[index]![row]!;
        values[index] = areNumbers[index] ? value : (this.#strings.get(value) ?? '');
      }
      if (isFound(asEvent(shape.build(values)))) total += numbers[row]!;
    }
    return total;
  }

  /** How many events there are by the id of what distinguishes the groups. */
  async #countMembers({ of, shapes }: CountedGroups, tentative: boolean): Promise<Totals> {
    const totals = new Totals();
    if (of === 'session') totals.add(await this.#countsOf(shapes.map(({ shape }) => shape.id)), tentative);
    for (const { shape, value } of of === 'session' ? [] : shapes) {
      if (value === undefined)
        totals.add(
          toCounts([shape], () => 0),
          tentative,
        );
      else totals.add((await this.#talliesOf(shape.id)).get(value) ?? toCounts([], () => 0), tentative);
    }
    return totals;
  }

  /** Puts names in the place of ids. The largest group first, equal ones by label, as `groupMatches` has them. */
  async #nameGroups(counted: readonly CountedGroups[], tentative: boolean): Promise<readonly Group[]> {
    const { byId } = await this.#current();
    const groups: GroupTotals = new Map();
    for (const each of counted) {
      const { of, labels } = each;
      const totals = await this.#countMembers(each, tentative);
      if (of === 'name') await this.#loadStrings(totals.entries().map(([id]) => id));
      for (const [id, count] of totals.entries()) {
        const session = of === 'session' ? byId.get(id) : undefined;
        if (of === 'session' && !session) continue;
        const known: Readonly<Record<string, string>> = session
          ? { [SESSION_MARK]: session.session, [GAME_MARK]: session.game }
          : {};
        const names = of === 'name' ? [this.#strings.get(id) ?? ''] : [];
        const filled = labels.map((text) => known[text] ?? fillText(text, names));
        addGroup(groups, filled, count);
      }
    }
    return inOrder(groups);
  }

  /** Sums up matches session by session, and keeps none of them. */
  async #sum(job: Job): Promise<LibraryAnswer> {
    const { compiled } = job;
    const { query, dictionary, condition } = compiled;
    const { durations } = await this.#current();
    const totals = new AnswerTotals(query, dictionary);
    const groups: GroupTotals = new Map();
    const divisors: GroupTotals = new Map();
    let total = 0;
    for await (const events of this.#neededEvents(job)) {
      const sessions = groupBySession(events, dictionary, { durations });
      for (const session of sessions) {
        const matches = condition.find(session);
        totals.add(session, matches);
        total += matches.length;
        if (!query.by) continue;
        for (const { labels, count } of groupMatches(matches, query.by, { dictionary, find: query.find, sessions }))
          addGroup(groups, labels, count);
        if (!query.ratio) continue;
        for (const { labels, count } of groupRatio(compiled, sessions)) addGroup(divisors, labels, count);
      }
    }
    const counted = query.by && inOrder(groups);
    const selected = counted && selectGroups(query.ratio ? divideGroups(counted, inOrder(divisors)) : counted, query);
    const answer = query.distinct && selected ? { value: selected.length, unit: undefined } : totals.answer();
    return { matches: [], count: total, groups: selected, answer, values: undefined, hasMore: false };
  }

  /** Reads all events that a query needs. */
  async #collect(job: Job): Promise<readonly EventLine[]> {
    const collected: EventLine[] = [];
    for await (const events of this.#neededEvents(job)) for (const event of events) collected.push(event);
    return collected;
  }

  /** Reads the events that a query needs, session by session. */
  async *#neededEvents(job: Job): AsyncGenerator<readonly EventLine[], void, undefined> {
    const { query } = job.compiled;
    const isAboutSessions = query.per !== undefined || query.at !== undefined;
    const everything: Scope = { candidates: undefined, needed: undefined, sessions: undefined };
    const scope = isAboutSessions ? { ...everything, needed: job.scope.needed } : job.scope;
    for await (const { session, events } of this.#eventsBySession({ ...job, scope })) {
      job.signal?.throwIfAborted();
      // A session in which nothing of it happens counts, too.
      yield events.length > 0 || !isAboutSessions
        ? events
        : (await this.#readEvents(session, await this.#store.occurrences([session.id], undefined), job)).slice(0, 1);
    }
  }
}

/** Groups by a text of their labels. */
type GroupTotals = Map<string, { readonly labels: readonly string[]; count: number }>;

function addGroup(groups: GroupTotals, labels: readonly string[], count: number): void {
  const key = labels.length === 1 ? labels[0]! : JSON.stringify(labels);
  const group = groups.get(key);
  if (group) group.count += count;
  else groups.set(key, { labels, count });
}

/** The largest group first, equal ones by label, as `groupMatches` has them. */
function inOrder(groups: ReadonlyMap<string, Group>): readonly Group[] {
  return [...groups.values()]
    .map((group) => ({ group, text: group.labels.join() }))
    .toSorted((a, b) => b.group.count - a.group.count || (a.text < b.text ? -1 : 1))
    .map(({ group }) => group);
}

function isDatabaseUrl(location: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(location);
}

/** What queries need of the index. */
interface LibraryState {
  readonly version: number;
  readonly sessions: readonly LibrarySession[];
  readonly names: readonly string[];
  readonly shapes: readonly Shape[];
  readonly shapesById: ReadonlyMap<number, Shape>;
  readonly games: readonly string[];
  readonly paths: readonly string[];
  readonly logs: ReadonlyMap<string, { readonly path: string; readonly name: string }>;
  readonly sessionNames: SessionNames;
  readonly durations: ReadonlyMap<string, number>;
  readonly byId: ReadonlyMap<number, LibrarySession>;
  readonly dictionaries: ReadonlyMap<string, string>;
  dictionary: { readonly dictionary: Dictionary; readonly issues: readonly Issue[] } | undefined;
  /** See `#exampleEvents`. */
  examples: readonly EventLine[] | undefined;
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
  /** Where a single event decides whether it is found: the test by which others are left out. */
  readonly test: CompiledCondition['test'];
  readonly signal: AbortSignal | undefined;
}

/** Whether events state what a display reads, as `detect` writes them for games that it does not know. */
function isDisplay({ statement }: StoredShape): boolean {
  return isPropertyStatement(statement) && statement.property === READING;
}

/** Stand for session and game in labels of groups until these are known. */
const [SESSION_MARK, GAME_MARK] = [markOf(-1), markOf(-2)];

/** A template with the kinds of its values and a function that builds its statements. */
interface Shape extends StoredShape {
  readonly kinds: readonly ValueKind[];
  /** How many of its values its statement has. */
  readonly width: number;
  readonly build: (values: readonly TemplateValue[]) => Statement;
}

/** An event of a log as the index has it, without its sentence. */
interface IndexedEvent extends EventLine {
  readonly indexed: {
    readonly shape: Shape;
    readonly values: readonly TemplateValue[];
    readonly ordinal: number;
    readonly path: string;
    readonly offset: number;
  };
}

const NO_CUES: EventLine['cues'] = [];

function withText({ indexed: { shape, values }, ...event }: IndexedEvent): EventLine {
  return { ...event, text: sentenceOf(shape, values) };
}

/** Groups whose labels differ in a name or a session alone. */
interface CountedGroups {
  readonly of: 'all' | 'name' | 'session';
  /** With a mark for what they differ in. */
  readonly labels: readonly string[];
  /** The templates of their events, each with the index of the value that is the name. */
  readonly shapes: { readonly shape: Shape; readonly value: number | undefined }[];
}

/**
 * The groups to which the events of a template belong. `undefined` where they depend on more than one name, or on a number.
 */
function findGrouping(
  shape: Shape,
  { query, dictionary }: CompiledQuery,
): (Omit<CountedGroups, 'shapes'> & { readonly value: number | undefined }) | undefined {
  const event = { ...asEvent(withMarks(shape)), session: SESSION_MARK, game: shape.game ?? GAME_MARK };
  const match: Match = { t: 0, end: 0, events: [event], first: 0, last: 0 };
  const { labels } = groupMatches([match], query.by!, { dictionary, find: query.find, sessions: [] })[0]!;
  const marked = shape.kinds.keys().filter((index) => labels.some((text) => text.includes(markOf(index))));
  const [value, ...more] = marked;
  const isBySession = labels.includes(SESSION_MARK) || labels.includes(GAME_MARK);
  if (value === undefined) return { of: isBySession ? 'session' : 'all', labels, value };
  if (more.length > 0 || isBySession || shape.kinds[value] !== 'name') return undefined;
  return { of: 'name', labels: labels.map((text) => text.replaceAll(markOf(value), markOf(0))), value };
}

/** The statement of a template with marks for its names, which labels of groups then contain. */
function withMarks(shape: Shape): Statement {
  return shape.build(shape.kinds.map((kind, index) => (kind === 'number' ? 0 : markOf(index))));
}

/** The seconds of a unit of time. */
const SECONDS_PER = { second: 1, minute: 60, hour: 3600 } as const;

function divideCount(count: number, per: Query['per'], sessions: readonly LibrarySession[]): number | null {
  if (per === undefined || per === 'life' || typeof per === 'object') return count;
  const seconds = sessions.reduce((sum, { duration }) => sum + duration, 0);
  const divisor = per === 'session' ? sessions.length : seconds / SECONDS_PER[per];
  return divisor === 0 ? null : count / divisor;
}

/** Reads packed events one after another; each is overwritten by the next. */
function* readOccurrences(data: unknown, shape: Shape, path: string): Generator<OccurrenceReader, void, undefined> {
  if (!(data instanceof Uint8Array)) throw damaged(path);
  const reader = new OccurrenceReader(data, shape.kinds);
  try {
    while (reader.next()) yield reader;
  } catch (error) {
    throw error instanceof RangeError ? damaged(path) : error;
  }
}

function unpack(data: unknown, { kinds }: Shape, path: string): readonly Occurrence[] {
  try {
    if (data instanceof Uint8Array) return unpackOccurrences(data, kinds);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw damaged(path);
}

function damaged(path: string): PlaybyplayError {
  return new PlaybyplayError('library-damaged', `the library is inconsistent: its entries of ${path} do not match`, {
    hint: REBUILD_HINT,
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

/** Does a query ask for its last matches alone? */
function isListingOfLast(query: Query): query is Query & { readonly last: number } {
  return query.last !== undefined && hasOnly(query, ['find', 'last']);
}

/** Can a query be answered session by session, without keeping its matches? */
function isSum(query: Query): boolean {
  if (query.measure?.take === 'each') return false;
  // The numbers of groups are counts, or ratios of counts.
  const members = query.by
    ? (['find', 'count', 'by', 'distinct', 'top', 'bottom', 'ratio'] as const)
    : (['find', 'count', 'whether', 'ratio', 'share', 'streak', 'measure', 'per'] as const);
  return hasOnly(query, members) && SUMMED.some((member) => query[member] !== undefined);
}

/** What is asked of matches, besides which they are. */
const SUMMED = ['count', 'by', 'distinct', 'whether', 'ratio', 'share', 'streak', 'measure', 'per'] as const;

/** Can a query be answered from the numbers of statements: no times, no sessions, no events together? */
function isTally({ query, dictionary }: CompiledQuery, { sessions }: Scope): boolean {
  if (!hasOnly(query, ['find', 'count', 'by', 'distinct', 'top', 'bottom', 'per'])) return false;
  if (query.per === 'life' || typeof query.per === 'object' || !(query.by ?? []).every(isOfStatement)) return false;
  // Names restrict sessions, which are then read; groups are counted by template.
  if (!dependsOnWordsOnly(query.find) && (sessions !== undefined || query.by)) return false;
  return isAboutEvent(query.find, new PatternCompiler(dictionary), ['statement']);
}

/** Does a single event decide whether a query finds it, and needs the answer no others? */
function isAboutOneEvent({ query, condition, dictionary }: CompiledQuery): boolean {
  const members = ['find', 'first', 'last', 'nth', 'whether', 'count', 'by', 'distinct', 'top', 'bottom'] as const;
  if (!condition.test || !hasOnly(query, members)) return false;
  if (query.by?.some((key) => 'period' in key || ('key' in key && key.key === 'life'))) return false;
  return isAboutEvent(query.find, new PatternCompiler(dictionary), ['statement', 'time', 'confidence', 'scope']);
}

function hasOnly(query: Query, members: readonly (keyof Query)[]): boolean {
  return Object.entries(query).every(([key, value]) => value === undefined || members.includes(key as keyof Query));
}

function isOfStatement(key: GroupKey): boolean {
  if ('period' in key) return false;
  return !('key' in key) || (key.key !== 'minute' && key.key !== 'life');
}

type EventPart = 'statement' | 'time' | 'confidence' | 'scope';

/** Do some parts of an event decide whether a condition holds for it, whatever happens besides? */
function isAboutEvent(condition: Condition, patterns: PatternCompiler, parts: readonly EventPart[]): boolean {
  const isAbout = (each: Condition): boolean => isAboutEvent(each, patterns, parts);
  if ('all' in condition) return condition.all.every(isAbout);
  if ('not' in condition) return isAbout(condition.not);
  // Whether a death and its cause are one event depends on their times.
  if ('action' in condition) return patterns.causing(condition as ActionPattern) === undefined;
  const alternatives = alternativesOf(condition);
  if (alternatives) return alternatives.every(isAbout);
  if ('property' in condition || 'mentions' in condition) return true;
  if ('game' in condition || 'session' in condition) return parts.includes('scope');
  return ('time' in condition && parts.includes('time')) || ('confidence' in condition && parts.includes('confidence'));
}
