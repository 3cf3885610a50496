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
  /** Whether a recording has sound; default: all have. */
  readonly hasSound?: (source: Source) => boolean;
}

/** The written text and warnings about it. */
export interface ExportResult {
  readonly text: string;
  readonly issues: readonly Issue[];
}

interface Format {
  /** Usual file extension, with its dot. */
  readonly extension: string;
  readonly summary: string;
  readonly write: (request: ExportRequest) => string | ExportResult;
}

/** Formats that scenes or a log can be exported to, by name. */
export const exportFormats: Readonly<Record<string, Format>> = {
  otio: { extension: '.otio', summary: 'OpenTimelineIO', write: (r) => otio(edit(r), r.relativeTo) },
  edl: { extension: '.edl', summary: 'CMX3600 edit decision list', write: (r) => edl(edit(r), r.relativeTo) },
  fcpxml: {
    extension: '.fcpxml',
    summary: 'Final Cut Pro X, DaVinci Resolve',
    write: (r) => fcpxml(edit(r), r.relativeTo),
  },
  xmeml: {
    extension: '.xml',
    summary: 'Premiere Pro (Final Cut Pro 7 XML)',
    write: (r) => xmeml(edit(r), r.relativeTo),
  },
  mlt: { extension: '.mlt', summary: 'Shotcut, Kdenlive, melt', write: (r) => mlt(edit(r), r.relativeTo) },
  losslesscut: {
    extension: '.llc',
    summary: 'LosslessCut project (one recording)',
    write: (r) => losslessCut(singleRecording(r), r.sources[0]!),
  },
  'losslesscut-csv': {
    extension: '.csv',
    summary: 'LosslessCut segments (one recording)',
    write: (r) => losslessCutCsv(singleRecording(r)),
  },
  'resolve-edl': {
    extension: '.markers.edl',
    summary: 'DaVinci Resolve markers to import',
    write: (r) => resolveEdl(edit(r)),
  },
  'resolve-csv': {
    extension: '.markers.csv',
    summary: 'DaVinci Resolve marker list',
    write: (r) => resolveCsv(edit(r)),
  },
  'recording-otio': {
    extension: '.markers.otio',
    summary: 'whole recordings, every event a marker',
    write: (r) => otio(recordingTimeline(r.sources, options(r)), r.relativeTo),
  },
  vtt: {
    extension: '.vtt',
    summary: 'captions of the recording as WebVTT',
    write: (r) => webvtt(captionsOfRecording(r)),
  },
  srt: { extension: '.srt', summary: 'captions of the recording as SubRip', write: (r) => srt(captionsOfRecording(r)) },
  'reel-vtt': {
    extension: '.reel.vtt',
    summary: 'captions of the reel as WebVTT',
    write: (r) => webvtt(reelCaptions(makeHighlightList(r.choice, r.sources))),
  },
  'reel-srt': {
    extension: '.reel.srt',
    summary: 'captions of the reel as SubRip',
    write: (r) => srt(reelCaptions(makeHighlightList(r.choice, r.sources))),
  },
  youtube: {
    extension: '.chapters.txt',
    summary: 'chapters for a video description',
    write: (r) => {
      const list = makeHighlightList(r.choice, r.sources);
      return youtubeChapters(reelChapters(list), list.duration);
    },
  },
  markdown: {
    extension: '.md',
    summary: 'summary as Markdown',
    write: (r) => markdownSummary(summarize(r.sources, r.choice.scenes, r.dictionary)),
  },
  text: {
    extension: '.txt',
    summary: 'summary as plain text',
    write: (r) => plainSummary(summarize(r.sources, r.choice.scenes, r.dictionary)),
  },
  'play-by-play': {
    extension: '.play.txt',
    summary: 'every event as a line of text',
    write: (r) => r.sources.map(({ events }) => playByPlay(events)).join('\n'),
  },
  json: {
    extension: '.json',
    summary: 'the highlight list',
    write: (r) => `${JSON.stringify(makeHighlightList(r.choice, r.sources), undefined, 2)}\n`,
  },
};

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
  const known = exportFormats[format];
  if (!known) {
    throw new PlaybyplayError('usage', `there is no format "${format}"`, {
      hint:
        suggestSpelling(format, Object.keys(exportFormats)) ?? `Formats are ${Object.keys(exportFormats).join(', ')}.`,
    });
  }
  const written = known.write(request);
  return typeof written === 'string' ? { text: written, issues: [] } : written;
}

function edit(request: ExportRequest): Timeline {
  return sceneTimeline(request.choice.scenes, request.sources, options(request));
}

function options({ title, dictionary, rate, hasSound }: ExportRequest) {
  return { title, dictionary, ...(rate && { rate }), ...(hasSound && { hasSound }) };
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
