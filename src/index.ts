/** playbyplay as a library: what the command line does, for programs. Times are seconds everywhere. */
export { PlaybyplayError, type Issue } from './errors.ts';
export { formatClock, parseTime, type Rational } from './time.ts';
export { VERSION } from './version.ts';

export type { EndLine, EventLine, Fingerprint, GapLine, HeaderLine, LoggedCue, LogLine } from './events/log.ts';
export type {
  ActionStatement,
  Mention,
  PropertyStatement,
  PropertyValue,
  Slot,
  Statement,
  WordId,
} from './events/statement.ts';
export { findLogs, loadLog, readLog, type ReadLogOptions } from './events/reader.ts';

export {
  Dictionary,
  type DictionaryInfo,
  type EventDefinition,
  type SlotRule,
  type SlotRules,
  type Word,
} from './dictionary/dictionary.ts';
export { diffDictionaries, type Change, type DictionaryDiff } from './dictionary/diff.ts';
export { dictionaryNames, loadBuiltin, readSources } from './dictionary/files.ts';
export type { DictionaryFile, EventEntry, SlotName, StepEntry, WordEntry, WordKind } from './dictionary/format.ts';
export { issueCodes } from './dictionary/issues.ts';
export { parse, type Parsed, type ParseOptions } from './dictionary/sentences/parse.ts';
export type { SentenceIssue } from './dictionary/sentences/parse-errors.ts';
export { render, type Style } from './dictionary/sentences/render.ts';
export type { Person, Tense } from './dictionary/inflection.ts';
export { isStatement, validateStatement } from './dictionary/statements.ts';
export {
  loadDictionary,
  type DictionarySource,
  type LoadedDictionary,
  type LoadOptions as DictionaryOptions,
} from './dictionary/load.ts';
export { searchWords } from './dictionary/search.ts';

export type { Match } from './query/match/combinators.ts';
export type { MatchOptions } from './query/match/event-index.ts';
export { deriveEvents, type DerivedEvent } from './query/composite-events.ts';
export { explainQuery, type ExplainedWord, type Explanation } from './query/explain.ts';
export { loadMapping, recognizeMapping } from './events/import/mapping.ts';
export { importLog, type Imported, type ImportedSession, type ImportOptions } from './events/import/import-log.ts';
export type { Group } from './query/match/groups.ts';
export { loadLogs, type LoadedLogs, type LoadLogsOptions } from './query/logs.ts';
export type { Condition, GroupKey, Query } from './query/query.ts';
export {
  compileQuery,
  createEventTest,
  matchEvents,
  runQuery,
  type CompiledQuery,
  type QueryOptions,
  type QueryResult,
} from './query/run.ts';

export type {
  Assets,
  AudioListenerKind,
  Comparer,
  Detector,
  DetectorKind,
  FrameComparerKind,
  FrameDetectorKind,
  Heard,
  JsonSchema,
  Listener,
  Observation as DetectorObservation,
  Placement,
  PreparedCrop,
  RecordFollowerKind,
  Sketch,
  SoundFrame,
  StreamEntry,
  View,
} from './detectors/kind.ts';
export type { Cue } from './cues/cue.ts';
export type { Tracker } from './cues/tracker.ts';
export type { Rect, Size } from './geometry.ts';
export type { ColorEncoding, Picture, Plane } from './media/picture.ts';
export { detect, type DetectOptions, type DetectSummary } from './pipeline/detect.ts';
export { loadProfile, type LoadedProfile, type LoadOptions } from './profile/load.ts';
export type { DetectorSpec, EventMapping, Profile, RegionSpec } from './profile/profile.ts';
export { evaluate, type Evaluation, type EvaluateOptions, type Miss, type Score } from './evaluate/evaluate.ts';
export { readTruth } from './evaluate/truth.ts';

export * from './highlights/index.ts';
export { writeReel, type Cut, type ReelOptions, type WrittenReel } from './media/write/reel.ts';

export * from './quality/index.ts';
