import type { Dictionary } from '../dictionary/dictionary.ts';
import { type Issue, PlaybyplayError } from '../errors.ts';
import { usageError } from './options.ts';
import type { EventLine } from '../events/log.ts';
import { loadLogs } from '../query/logs.ts';
import type { Query } from '../query/query.ts';
import { compileQuery, type CompiledQuery, type QueryResult, runQuery } from '../query/run.ts';
import { collectSessionNames, type SessionNames } from '../query/session-names.ts';
import {
  type BroaderWord,
  type ExcludingPart,
  findAbsentWords,
  findExcludingParts,
  findUnknownNames,
  suggestBroaderWords,
} from '../query/suggestions.ts';
import type { UnknownName } from '../query/session-names.ts';
import type { PlayedSession } from '../library/player-statistics.ts';

/** What is asked: logs that were read, or a library. */
export interface QuerySource extends AsyncDisposable {
  readonly issues: readonly Issue[];
  /** Path and display name of each session. */
  readonly logs: ReadonlyMap<string, { readonly path: string; readonly name: string }>;
  readonly sessions: SessionNames;
  /** The sessions in order. */
  readonly played: readonly PlayedSession[];
  readonly eventCount: number;
  readonly dictionary: Dictionary;
  /** Throws PlaybyplayError `bad-query`. */
  compile(query: string | Query): CompiledQuery | Promise<CompiledQuery>;
  ask(compiled: CompiledQuery): Promise<QueryResult & { readonly hasMore: boolean }>;
  /** The events with cues and ids, as their lines have them. */
  readLines(events: readonly EventLine[]): Promise<readonly EventLine[]>;
  findUnknownNames(query: Query): readonly UnknownName[];
  /** Words that would find something; a library is not searched for them. */
  suggestBroaderWords(compiled: CompiledQuery): readonly BroaderWord[];
  /** The actions and properties that no event mentions. */
  findAbsentWords(compiled: CompiledQuery): readonly string[];
  /** The parts that exclude every match. */
  findExcludingParts(compiled: CompiledQuery): readonly ExcludingPart[];
}

/** Options of {@link openLogs} and {@link openLibrary}. */
export interface SourceOptions {
  readonly dictionaries: readonly string[];
  readonly tentative: boolean;
  readonly signal: AbortSignal;
}

/**
 * Reads the logs of a command, or opens a library if it has none.
 *
 * @param library The file of the library that an option names.
 * @throws PlaybyplayError `usage` where nothing says where to look, and as `loadLogs` and `Library.open`.
 */
export async function openSource(
  paths: readonly string[],
  library: string | undefined,
  settings: Parameters<typeof openLogs>[1] & Parameters<typeof openLibrary>[1],
): Promise<QuerySource> {
  if (paths.length > 0 && library !== undefined)
    throw usageError('--library cannot be combined with logs', 'Leave the logs out, or the option.');
  if (paths.length > 0) return openLogs(paths, settings);
  try {
    return await openLibrary(library, settings);
  } catch (error) {
    if (library !== undefined || !(error instanceof PlaybyplayError) || error.code !== 'library-missing') throw error;
    throw usageError(
      'missing argument <log or folder>',
      'Give an events.ndjson or its folder, or add logs to a library: playbyplay library add <folder>',
    );
  }
}

/** Reads logs. Throws as `loadLogs`. */
export async function openLogs(
  paths: readonly string[],
  { withoutCues, ...options }: SourceOptions & { readonly withoutCues: boolean },
): Promise<QuerySource> {
  const logs = await loadLogs(paths, { ...options, withoutCues });
  const { events, durations } = logs;
  const gameOf = new Map(events.map(({ session, game }) => [session, game]));
  return {
    issues: logs.issues,
    logs: logs.logs,
    sessions: collectSessionNames(logs.logs),
    played: logs.sessions.map((session) => ({
      session,
      name: logs.logs.get(session)!.name,
      game: gameOf.get(session) ?? '',
      duration: durations.get(session)!,
    })),
    eventCount: events.length,
    dictionary: logs.dictionary,
    compile: (query) => compileQuery(query, logs.dictionary, { logs }),
    ask: async (compiled) => ({ ...runQuery(compiled, events, { durations }), hasMore: false }),
    readLines: async (lines) => lines,
    findUnknownNames: (query) => findUnknownNames(query, events),
    suggestBroaderWords: (compiled) => suggestBroaderWords(compiled, events, { durations }),
    findAbsentWords: (compiled) => findAbsentWords(compiled, events),
    findExcludingParts: (compiled) => findExcludingParts(compiled, events, { durations }),
    [Symbol.asyncDispose]: async () => {},
  };
}

/**
 * Opens a library. Throws as `Library.open`.
 *
 * @param path Default: the user's library.
 * @param limit At most so many matches.
 */
async function openLibrary(
  path: string | undefined,
  { dictionaries, tentative, signal, limit }: SourceOptions & { readonly limit: number },
): Promise<QuerySource> {
  // SQLite is not loaded for questions to logs.
  const { Library } = await import('../library/library.ts');
  const library = await Library.open(path);
  try {
    const sessions = await library.sessions();
    const names = await library.names();
    const { dictionary, issues } = await library.dictionary(dictionaries);
    const logs = new Map(sessions.map(({ session, path: log, name }) => [session, { path: log, name }]));
    return {
      issues,
      logs,
      sessions: collectSessionNames(logs),
      played: sessions,
      eventCount: sessions.reduce((sum, { events }) => sum + events, 0),
      dictionary,
      compile: (query) => library.compile(query, dictionaries),
      ask: (compiled) => library.ask(compiled, { limit, tentative, signal }),
      readLines: (events) => library.readLines(events),
      findUnknownNames: (query) => findUnknownNames(query, names),
      suggestBroaderWords: () => [],
      findAbsentWords: () => [],
      findExcludingParts: () => [],
      [Symbol.asyncDispose]: () => library[Symbol.asyncDispose](),
    };
  } catch (error) {
    await library[Symbol.asyncDispose]();
    throw error;
  }
}
