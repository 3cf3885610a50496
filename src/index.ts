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

export { detect, type DetectOptions, type DetectSummary } from './pipeline/detect.ts';
export { loadProfile, type LoadedProfile, type LoadOptions } from './profile/load.ts';
export type { DetectorSpec, EventMapping, Profile, RegionSpec } from './profile/profile.ts';
export { evaluate, type Evaluation, type EvaluateOptions, type Miss, type Score } from './evaluate/evaluate.ts';
export { readTruth } from './evaluate/truth.ts';

export { gather, queryTest, type Gathered, type GatherOptions } from './highlights/load.ts';
export { chooseScenes, type Choice, type ChooseOptions } from './highlights/choose.ts';
export type { Reason, Scene, ScoredEvent, Source } from './highlights/scene.ts';
export { makeReel, type HighlightReel, type HighlightReelOptions } from './highlights/reel.ts';
export { listOf, type HighlightList } from './highlights/list.ts';
export { writeSheet, type SheetEntry, type SheetOptions } from './highlights/sheet.ts';
export { summarize, type Summary } from './highlights/summary.ts';
export { exportAs, type Exported, type ExportRequest } from './highlights/export.ts';
export { writeReel, type Cut, type ReelOptions, type WrittenReel } from './media/write/reel.ts';
