/**
 * `playbyplay/library`: an index of many logs that answers queries without reading them.
 *
 * Open a {@link Library}, add logs and ask it.
 *
 * @example
 * ```ts
 * import { Library } from 'playbyplay/library';
 *
 * await using library = await Library.open('season.sqlite', { create: true });
 * await library.add(['season']);
 * const { matches } = await library.ask(await library.compile('my deaths by railgun'));
 * ```
 *
 * @module
 */
export {
  type AskOptions,
  DEFAULT_PAGE,
  defaultLibraryPath,
  Library,
  type LibraryAnswer,
} from './library.ts';
export { exportLibrary, type ExportFormat, type ExportOptions, type ExportResult } from './export.ts';
export type {
  LibrarySession,
  LibraryStore,
  NameExample,
  NewOccurrence,
  NewSession,
  StoredCount,
  StoredOccurrences,
  StoredShape,
  StoredTally,
  UsedDictionary,
} from './store.ts';
export { PostgresStore } from './postgres-store.ts';
export { SqliteStore } from './sqlite-store.ts';
export type { AddOptions, AddResult } from './update.ts';
export {
  type ActionStatistics,
  computePlayerStatistics,
  type DeathCause,
  type DefeatCounts,
  type Moment,
  type PlayedSession,
  type PlayerStatistics,
  type StatisticsSource,
} from './player-statistics.ts';
