/**
 * playbyplay as a library: detects the events of recordings and reads event logs.
 *
 * Times are seconds from the first video frame. Further entry points: `playbyplay/dictionary` (words and sentences),
 * `playbyplay/query` (questions to logs), `playbyplay/highlights` (scenes and reels), `playbyplay/quality` (scores of streamed
 * sessions), `playbyplay/compute` (quantization, tiling, scheduling) and `playbyplay/detector` (plug-ins).
 *
 * @example
 * ```ts
 * import { detect, loadLog } from 'playbyplay';
 *
 * const { log } = await detect({ media: 'match.mp4', game: 'openarena' });
 * for (const { t, text } of (await loadLog(log)).events) console.log(t, text);
 * ```
 *
 * @module
 */
export { type Issue, PlaybyplayError } from './errors.ts';
export { formatClock, parseTime, type Rational } from './time.ts';
export { VERSION } from './version.ts';

export { detect, type DetectOptions, type DetectSummary } from './pipeline/detect.ts';
export { type LoadedProfile, loadProfile, type LoadOptions } from './profile/load.ts';
export type { DetectorSpec, EventMapping, Profile, RegionSpec } from './profile/profile.ts';

export type { EndLine, EventLine, Fingerprint, GapLine, HeaderLine, LoggedCue, LogLine } from './events/log.ts';
export { findLogs, loadLog, readLog, type ReadLogOptions } from './events/reader.ts';
export type {
  ActionStatement,
  Mention,
  PropertyStatement,
  PropertyValue,
  Slot,
  Statement,
  WordId,
} from './events/statement.ts';
export { type Imported, type ImportedSession, importLog, type ImportOptions } from './events/import/import-log.ts';
export { loadMapping, recognizeMapping } from './events/import/mapping.ts';

export { evaluate, type EvaluateOptions, type Evaluation, type Miss, type Score } from './evaluate/evaluate.ts';
export { readTruth } from './evaluate/truth.ts';
