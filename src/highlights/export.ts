import type { Dictionary } from '../dictionary/dictionary.ts';
import { PlaybyplayError, type Issue } from '../errors.ts';
import { suggestSpelling } from '../spelling.ts';
import { recordingTimeline, sceneTimeline, type Timeline } from './editors/timeline.ts';
import { edl, losslessCut, losslessCutCsv, resolveCsv, resolveEdl } from './editors/edl.ts';
import { fcpxml } from './editors/fcpxml.ts';
import { mlt } from './editors/mlt.ts';
import { otio } from './editors/otio.ts';
import { xmeml } from './editors/xmeml.ts';
import { makeHighlightList, type Source } from './list.ts';
import type { SceneChoice } from './choose.ts';
import type { PlannedShot } from './storyboard.ts';
import { markdownSummary, plainSummary, summarize } from './summary.ts';
import { recordingCaptions, playByPlay, reelChapters, reelCaptions, srt, webvtt, youtubeChapters } from './captions.ts';
import type { Rational } from '../time.ts';

/** What to export. */
export interface ExportRequest {
  readonly choice: SceneChoice;
  readonly sources: readonly Source[];
  readonly dictionary: Dictionary;
  readonly title: string;
  /** Folder that media paths are made relative to; default: absolute paths. */
  readonly relativeTo?: string;
  readonly rate?: Rational;
  /** The shots of each scene, for editing programs; default: each scene as it was recorded. */
  readonly shots?: readonly (readonly PlannedShot[])[] | undefined;
  /** Whether a recording has sound; default: all have. */
  readonly hasSound?: (source: Source) => boolean;
}

/** The written text and warnings about it. */
export interface ExportResult {
  readonly text: string;
  readonly issues: readonly Issue[];
}

/** Writers of the formats, by name. */
const WRITERS: Readonly<Record<string, (request: ExportRequest) => string | ExportResult>> = {
  // Editing programs.
  otio: (r) => otio(edit(r), r.relativeTo),
  edl: (r) => edl(edit(r), r.relativeTo),
  fcpxml: (r) => fcpxml(edit(r), r.relativeTo),
  xmeml: (r) => xmeml(edit(r), r.relativeTo),
  mlt: (r) => mlt(edit(r), r.relativeTo),
  losslesscut: (r) => losslessCut(singleRecording(r), r.sources[0]!),
  'losslesscut-csv': (r) => losslessCutCsv(singleRecording(r)),
  'resolve-edl': (r) => resolveEdl(edit(r)),
  'resolve-csv': (r) => resolveCsv(edit(r)),
  'recording-otio': (r) => otio(recordingTimeline(r.sources, options(r)), r.relativeTo),
  // Captions and chapters.
  vtt: (r) => webvtt(captionsOfRecording(r)),
  srt: (r) => srt(captionsOfRecording(r)),
  'reel-vtt': (r) => webvtt(reelCaptions(makeHighlightList(r.choice, r.sources))),
  'reel-srt': (r) => srt(reelCaptions(makeHighlightList(r.choice, r.sources))),
  youtube(r) {
    const list = makeHighlightList(r.choice, r.sources);
    return youtubeChapters(reelChapters(list), list.duration);
  },
  // Texts.
  markdown: (r) => markdownSummary(summarize(r.sources, r.choice.scenes, r.dictionary)),
  text: (r) => plainSummary(summarize(r.sources, r.choice.scenes, r.dictionary)),
  'play-by-play': (r) => r.sources.map(({ events }) => playByPlay(events)).join('\n'),
  json: (r) => `${JSON.stringify(makeHighlightList(r.choice, r.sources), undefined, 2)}\n`,
};

/** Names of the formats that scenes or a log can be exported to. */
export const exportFormats: readonly string[] = Object.keys(WRITERS);

/**
 * Exports scenes in one format.
 *
 * @throws PlaybyplayError `usage` for an unknown format, `one-recording` if the format holds only one recording.
 *
 * @example
 * ```ts
 * const { sources, dictionary } = await loadSources(['match.playbyplay']);
 * const choice = chooseScenes(sources, { dictionary, duration: 5 });
 * const { text } = exportAs('otio', { choice, sources, dictionary, title: 'Best moments' });
 * ```
 */
export function exportAs(format: string, request: ExportRequest): ExportResult {
  const write = Object.hasOwn(WRITERS, format) ? WRITERS[format] : undefined;
  if (!write) {
    const hint = suggestSpelling(format, exportFormats) ?? `Formats are ${exportFormats.join(', ')}.`;
    throw new PlaybyplayError('usage', `there is no format "${format}"`, { hint });
  }
  const written = write(request);
  return typeof written === 'string' ? { text: written, issues: [] } : written;
}

function edit(request: ExportRequest): Timeline {
  return sceneTimeline(request.choice.scenes, request.sources, options(request));
}

function options({ title, dictionary, rate, hasSound, shots }: ExportRequest) {
  return { title, dictionary, shots, ...(rate && { rate }), ...(hasSound && { hasSound }) };
}

/** Scenes of the only recording, for formats that hold one. */
function singleRecording({ choice, sources }: ExportRequest) {
  if (sources.length === 1) return choice.scenes;
  throw new PlaybyplayError('one-recording', 'this format holds the segments of one recording', {
    hint: 'Export each log separately.',
  });
}

function captionsOfRecording({ sources, dictionary }: ExportRequest) {
  const [first, second] = sources;
  if (first && !second) return recordingCaptions(first.events, dictionary, first.header.media.duration);
  throw new PlaybyplayError('one-recording', 'this format holds the captions of one recording', {
    hint: 'Export each log separately, or captions of the reel (reel-vtt, reel-srt).',
  });
}
