/**
 * Highlights of recorded games: scenes worth seeing, reels, summaries and files for editing programs.
 *
 * @example
 * ```ts
 * import { chooseScenes, exportAs, loadSources, makeReel } from 'playbyplay/highlights';
 *
 * const { sources, dictionary } = await loadSources(['match.playbyplay']);
 * const choice = chooseScenes(sources, { dictionary, duration: 30 });
 * await makeReel('reel.mp4', choice, sources, (source) => source.media!, { captions: 'burn' });
 * const { text } = exportAs('otio', { choice, sources, dictionary, title: 'Match' });
 * ```
 *
 * @module
 */
export { chooseScenes, type ChooseOptions, type SceneChoice } from './choose.ts';
export { exportAs, exportFormats, type ExportRequest, type ExportResult } from './export.ts';
export {
  writeClips,
  writePreview,
  writeSheet,
  writeThumbnails,
  type PreviewOptions,
  type SheetEntry,
  type SheetOptions,
} from './images.ts';
export {
  type HighlightList,
  type ListedScene,
  makeHighlightList,
  type Reason,
  type Scene,
  type ScoredEvent,
  type Source,
} from './list.ts';
export { type Brand, readBrand } from './brand.ts';
export type { HighlightReelOptions } from './design.ts';
export { learnPreferences, noPreferences, preferenceFactors, type Preferences } from './preferences.ts';
export { type PlannedReel, planReel, writeReelPreview, type ReelPreviewOptions } from './preview.ts';
export { makeReel, type HighlightReel } from './reel.ts';
export type { Storyboard } from './storyboard.ts';
export { reelStyle, type ReelStyle } from './style.ts';
export { readSubtitles, type Subtitle } from './subtitles.ts';
export { type HighlightSettings, type Margins, readSettings, settingsFor } from './settings.ts';
export { loadSources, makeQueryFilter, type LoadedSources, type LoadSourcesOptions } from './sources.ts';
export { markdownSummary, plainSummary, summarize, type Summary, type SummaryLine } from './summary.ts';
export { chooseWatchableScenes } from './watchable.ts';
export type { Weights } from './weights.ts';
