/**
 * Quality of streamed sessions, 0–100: stutter, delay and picture, from the timestamps of each frame.
 *
 * @example
 * ```ts
 * import { scoreSession } from 'playbyplay/quality';
 *
 * const records = Array.from({ length: 600 }, (_, frame) => ({ frame, captured: (frame * 1000) / 60 }));
 * const { quality } = scoreSession(records, { fps: 60, width: 1280, height: 720, targetBitrate: 8e6 });
 * quality.total; // 93.2
 * ```
 *
 * @module
 */
export { analyzeFiles, type AnalyzeOptions } from './timeline.ts';
export { SessionCollector, type CollectorOptions, type FramePart } from './collector.ts';
export { type ConstantsInput, defaultConstants, type QualityConstants } from './constants.ts';
export { advise, type Advice, type AdviseOptions } from './control/advise.ts';
export { QualityController, type ControllerOptions, type Decision } from './control/controller.ts';
export { StreamObserver, type Observation } from './control/observer.ts';
export type { SettingsBounds, StreamSettings } from './control/settings.ts';
export { RawValueReader, type FrameRecord, type RawFrame, type SessionInfo } from './frame.ts';
export { mergeIntoLog, type MergedLog } from './gameplay.ts';
export { IncidentDetector, type IncidentOptions, type StreamIncident } from './incidents.ts';
export { readVideo } from './input/video.ts';
export {
  QualityMeter,
  scoreSession,
  type ComponentQuality,
  type FrameQuality,
  type ScoredSession,
  type SessionQuality,
} from './meter.ts';
export { sessionReport, type SessionAnalysis } from './report/session.ts';
export { sessionsReport } from './report/sessions.ts';
export { scoreFiles, type FileOptions as ScoreFilesOptions, type ScoredInput } from './score.ts';
