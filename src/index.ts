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

export { loadSources, makeQueryFilter, type LoadedSources, type LoadSourcesOptions } from './highlights/sources.ts';
export { chooseScenes, type SceneChoice, type ChooseOptions } from './highlights/choose.ts';
export type { Reason, Scene, ScoredEvent, Source } from './highlights/scene.ts';
export { makeReel, type HighlightReel, type HighlightReelOptions } from './highlights/reel.ts';
export { makeHighlightList, type HighlightList } from './highlights/list.ts';
export { writeSheet, type SheetEntry, type SheetOptions } from './highlights/images.ts';
export { summarize, type Summary } from './highlights/summary.ts';
export { exportAs, type ExportResult, type ExportRequest } from './highlights/export.ts';
export { writeReel, type Cut, type ReelOptions, type WrittenReel } from './media/write/reel.ts';

export { defaultConstants, type ConstantsInput, type QualityConstants } from './quality/constants.ts';
export { RawValueReader, type FrameRecord, type RawFrame, type SessionInfo } from './quality/frame.ts';
export {
  QualityMeter,
  scoreSession,
  type ComponentQuality,
  type FrameQuality,
  type ScoredSession,
  type SessionQuality,
} from './quality/meter.ts';
export { SessionCollector, type CollectorOptions, type FramePart } from './quality/collector.ts';
export { scoreFiles, type FileOptions as ScoreFilesOptions, type ScoredInput } from './quality/score.ts';
export { readVideo } from './quality/input/video.ts';
export { IncidentDetector, type StreamIncident, type IncidentOptions } from './quality/incidents.ts';
export { mergeIntoLog, type MergedLog } from './quality/gameplay.ts';
export { QualityController, type ControllerOptions, type Decision } from './quality/control/controller.ts';
export { StreamObserver, type Observation } from './quality/control/observer.ts';
export { advise, type Advice, type AdviseOptions } from './quality/control/advise.ts';
export type { SettingsBounds, StreamSettings } from './quality/control/settings.ts';
export { sessionReport, type SessionAnalysis } from './quality/report/session.ts';
export { sessionsReport } from './quality/report/sessions.ts';
export { analyzeFiles, type AnalyzeOptions } from './quality/analyze.ts';
