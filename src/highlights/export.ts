import type { Dictionary } from '../dictionary/dictionary.ts';
import { PlaybyplayError, type Issue } from '../errors.ts';
import { suggestSpelling } from '../spelling.ts';
import { editOf, recordingEdit, type Edit } from './editors/edit.ts';
import { edl, resolveCsv, resolveEdl } from './editors/edl.ts';
import { fcpxml } from './editors/fcpxml.ts';
import { losslessCut, losslessCutCsv } from './editors/losslesscut.ts';
import { mlt } from './editors/mlt.ts';
import { otio } from './editors/otio.ts';
import { xmeml } from './editors/xmeml.ts';
import { listOf } from './list.ts';
import type { Choice } from './choice/choose.ts';
import type { Source } from './scene.ts';
import { markdownSummary, plainSummary, summarize } from './summary.ts';
import { narrative, playByPlay, reelChapters, reelNarrative, srt, webvtt, youtubeChapters } from './reel/tracks.ts';
import type { Rational } from '../time.ts';

export interface ExportRequest {
  readonly choice: Choice;
  readonly sources: readonly Source[];
  readonly dictionary: Dictionary;
  readonly title: string;
  /** The folder that media paths are relative to; without it they are absolute. */
  readonly relativeTo?: string;
  readonly rate?: Rational;
  /** Whether a recording has sound; default all have. */
  readonly hasSound?: (source: Source) => boolean;
}

/** Text of a format, and what a person should know about it. */
export interface Exported {
  readonly text: string;
  readonly issues: readonly Issue[];
}

interface Format {
  /** Usual ending of the name, with its dot. */
  readonly extension: string;
  readonly summary: string;
  readonly write: (request: ExportRequest) => string | Exported;
}

/** Everything a choice of scenes, or a log, can be handed over as. */
export const formats: Readonly<Record<string, Format>> = {
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
    write: (r) => losslessCut(one(r), r.sources[0]!),
  },
  'losslesscut-csv': {
    extension: '.csv',
    summary: 'LosslessCut segments (one recording)',
    write: (r) => losslessCutCsv(one(r)),
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
    write: (r) => otio(recordingEdit(r.sources, options(r)), r.relativeTo),
  },
  vtt: { extension: '.vtt', summary: 'the narrative as WebVTT, beside the recording', write: (r) => webvtt(told(r)) },
  srt: { extension: '.srt', summary: 'the narrative as SubRip', write: (r) => srt(told(r)) },
  'reel-vtt': {
    extension: '.reel.vtt',
    summary: 'captions of the reel as WebVTT',
    write: (r) => webvtt(reelNarrative(listOf(r.choice, r.sources))),
  },
  'reel-srt': {
    extension: '.reel.srt',
    summary: 'captions of the reel as SubRip',
    write: (r) => srt(reelNarrative(listOf(r.choice, r.sources))),
  },
  youtube: {
    extension: '.chapters.txt',
    summary: 'chapters for a video description',
    write: (r) => {
      const list = listOf(r.choice, r.sources);
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
    write: (r) => `${JSON.stringify(listOf(r.choice, r.sources), undefined, 2)}\n`,
  },
};

/** Writes one format. Throws PlaybyplayError `usage` for an unknown one, with the nearest name. */
export function exportAs(format: string, request: ExportRequest): Exported {
  const known = formats[format];
  if (!known) {
    throw new PlaybyplayError('usage', `there is no format "${format}"`, {
      hint: suggestSpelling(format, Object.keys(formats)) ?? `Formats are ${Object.keys(formats).join(', ')}.`,
    });
  }
  const written = known.write(request);
  return typeof written === 'string' ? { text: written, issues: [] } : written;
}

function edit(request: ExportRequest): Edit {
  return editOf(request.choice.scenes, request.sources, options(request));
}

function options({ title, dictionary, rate, hasSound }: ExportRequest) {
  return { title, dictionary, ...(rate && { rate }), ...(hasSound && { hasSound }) };
}

/** Scenes of the only recording: for formats that know no more. */
function one({ choice, sources }: ExportRequest) {
  if (sources.length === 1) return choice.scenes;
  throw new PlaybyplayError('one-recording', 'this format holds the segments of one recording', {
    hint: 'Export each log by itself.',
  });
}

function told({ sources, dictionary }: ExportRequest) {
  const [first, second] = sources;
  if (first && !second) return narrative(first.events, dictionary, first.header.media.duration);
  throw new PlaybyplayError('one-recording', 'this format tells of one recording', {
    hint: 'Export each log by itself, or captions of the reel (reel-vtt, reel-srt).',
  });
}
