/**
 * playbyplay as a library: detects the events of recordings and reads event logs.
 *
 * Times are seconds from the first video frame. Further entry points: `playbyplay/dictionary` (words and sentences),
 * `playbyplay/query` (questions to logs), `playbyplay/highlights` (scenes and reels), `playbyplay/quality` (scores of streamed
 * sessions), `playbyplay/compute` (quantization, tiling, scheduling) and `playbyplay/detector` (plug-ins).
 *
 * @example
 * ```ts
 * import { detect, openGame, openSource } from 'playbyplay';
 *
 * using source = await openSource('match.mp4');
 * for await (const message of detect(source, await openGame('openarena')))
 *   if (message.type === 'event') console.log(message.t, message.text);
 * ```
 *
 * @module
 */
export { type Issue, PlaybyplayError } from './errors.ts';
export { formatClock, parseTime, type Rational } from './time.ts';
export { VERSION } from './version.ts';

export { DEFAULT_MEDIA_LIMITS, type MediaLimits, setMediaLimits } from './media/limits.ts';
export { detect, type DetectOptions } from './pipeline/detect.ts';
export { type Game, openGame } from './pipeline/game.ts';
export type { DetectMessage, NoteMessage, ProgressMessage, WarningMessage } from './pipeline/messages.ts';
export { recordLog, type RecordOptions, type RecordSummary } from './pipeline/record-log.ts';
export { type MediaIdentity, openSource, type Source } from './pipeline/source.ts';
export { type LoadedProfile, loadProfile, type LoadOptions } from './profile/load.ts';
export type { DetectorSpec, EventMapping, Profile, RegionSpec } from './profile/profile.ts';

export type { EndLine, EventLine, Fingerprint, GapLine, HeaderLine, LoggedCue, LogLine } from './events/log.ts';
export {
  addCorrections,
  additionOf,
  type CorrectedEvent,
  type Correction,
  correctionsPath,
  readCorrections,
} from './events/corrections.ts';
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
export { importLog, type ImportOptions } from './events/import/import-log.ts';
export type { Imported, ImportedSession } from './events/import/session-builder.ts';
export { loadMapping, recognizeMapping } from './events/import/mapping.ts';
export { importForeign, type ForeignOptions, recognizeForeign } from './events/import/foreign/index.ts';

export { evaluate, type EvaluateOptions, type Evaluation, type Miss, type Score } from './evaluate/evaluate.ts';
export { readForeignTruth, readTruth } from './evaluate/truth.ts';
export { type RecordingScore, scoreRecording, type ScoreRecordingOptions } from './evaluate/score-recording.ts';
