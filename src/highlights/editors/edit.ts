import { relative } from 'node:path';
import type { Dictionary } from '../../dictionary/dictionary.ts';
import type { EventLine } from '../../events/log.ts';
import { isPropertyStatement, type Statement } from '../../events/statement.ts';
import type { Rational } from '../../time.ts';
import { titleOfScene, type Scene, type Source } from '../scene.ts';
import { isDeed, isDownfall, isOneOf } from '../settings/weights.ts';
import { frameAt, standardRate } from './timecode.ts';

/** What sort of happening a marker tells of; each has a colour. */
export type MarkerClass = 'deed' | 'downfall' | 'gain' | 'change' | 'other';

/** An edit as all formats see it: clips end to end, and markers on them. Frames count at `rate`. */
export interface Edit {
  readonly title: string;
  readonly rate: Rational;
  readonly width: number;
  readonly height: number;
  readonly media: readonly EditMedia[];
  readonly clips: readonly EditClip[];
  /** Frames. */
  readonly duration: number;
}

export interface EditMedia {
  /** Absolute path, or the name alone where the file was not found. */
  readonly path: string;
  readonly name: string;
  readonly rate: Rational;
  /** Frames of the edit. */
  readonly duration: number;
  readonly width: number;
  readonly height: number;
  readonly hasSound: boolean;
}

export interface EditClip {
  /** Index into `media`. */
  readonly media: number;
  readonly name: string;
  readonly note: string;
  /** First frame of the recording, at the edit's rate. */
  readonly source: number;
  /** First frame in the edit. */
  readonly at: number;
  readonly length: number;
  readonly markers: readonly EditMarker[];
}

export interface EditMarker {
  /** Frame of the recording, at the edit's rate. */
  readonly source: number;
  /** Frame in the edit. */
  readonly at: number;
  readonly text: string;
  readonly class: MarkerClass;
}

export interface EditOptions {
  readonly title: string;
  readonly dictionary: Dictionary;
  /** The edit's rate; default the standard rate of the first recording. */
  readonly rate?: Rational;
  /** Whether a recording has sound; default all have. */
  readonly hasSound?: (source: Source) => boolean;
}

/** The edit of chosen scenes. */
export function editOf(scenes: readonly Scene[], sources: readonly Source[], options: EditOptions): Edit {
  const rate =
    options.rate ?? standardRate(sources[scenes[0]?.source ?? 0]!.header.media.frameRate ?? { num: 30, den: 1 });
  let at = 0;
  const clips = scenes.map((scene): EditClip => {
    const source = frameAt(scene.start, rate);
    const length = Math.max(1, frameAt(scene.end, rate) - source);
    const markers = scene.events
      .map(({ event }) => markerOf(event, rate, at - source, options.dictionary))
      .filter((marker) => marker.source >= source && marker.source < source + length);
    const clip = {
      media: scene.source,
      name: titleOfScene(scene),
      note: scene.because,
      source,
      at,
      length,
      markers,
    };
    at += length;
    return clip;
  });
  return { ...frame(sources, rate, options), clips, duration: at };
}

/** The edit of whole recordings, every event a marker. */
export function recordingEdit(sources: readonly Source[], options: EditOptions): Edit {
  const rate = options.rate ?? standardRate(sources[0]!.header.media.frameRate ?? { num: 30, den: 1 });
  let at = 0;
  const clips = sources.map(({ header, events }, media): EditClip => {
    const length = Math.max(1, frameAt(header.media.duration, rate));
    const markers = events.map((event) => markerOf(event, rate, at, options.dictionary));
    const clip = { media, name: header.media.name, note: '', source: 0, at, length, markers };
    at += length;
    return clip;
  });
  return { ...frame(sources, rate, options), clips, duration: at };
}

function frame(sources: readonly Source[], rate: Rational, options: EditOptions): Omit<Edit, 'clips' | 'duration'> {
  const { width, height } = sources[0]!.header.media;
  return {
    title: options.title,
    rate,
    width,
    height,
    media: sources.map((source) => ({
      path: source.media ?? source.header.media.name,
      name: source.header.media.name,
      rate: standardRate(source.header.media.frameRate ?? rate),
      duration: frameAt(source.header.media.duration, rate),
      width: source.header.media.width,
      height: source.header.media.height,
      hasSound: options.hasSound?.(source) ?? true,
    })),
  };
}

function markerOf(event: EventLine, rate: Rational, shift: number, dictionary: Dictionary): EditMarker {
  const source = frameAt(event.t, rate);
  return { source, at: source + shift, text: event.text, class: markerClass(event.statement, dictionary) };
}

/** What a statement is to the player. */
function markerClass(statement: Statement, dictionary: Dictionary): MarkerClass {
  if (isPropertyStatement(statement)) return 'change';
  if (isDeed(statement, dictionary)) return 'deed';
  if (isDownfall(statement, dictionary)) return 'downfall';
  return isOneOf(dictionary, statement.action, 'action', 'obtain', 'achieve', 'win', 'complete', 'capture')
    ? 'gain'
    : 'other';
}

/** How a recording is named in an exchange file: absolute, or relative to the folder the file will lie in. */
export function mediaPath(media: EditMedia, relativeTo?: string): string {
  if (relativeTo === undefined || !media.path.startsWith('/')) return media.path;
  return relative(relativeTo, media.path).replaceAll('\\', '/');
}

/** The same as a URL with spaces and other characters escaped: `file:///…`, or a relative reference. */
export function mediaUrl(media: EditMedia, relativeTo?: string, prefix = 'file://'): string {
  const path = mediaPath(media, relativeTo);
  const escaped = path.split('/').map(encodeURIComponent).join('/');
  if (/^[A-Za-z]:/.test(path)) return `${prefix}/${escaped.replace('%3A', ':')}`;
  return path.startsWith('/') ? `${prefix}${escaped}` : escaped;
}

/** Text as it may stand in XML, without the control characters that XML has no form for. */
export function xml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', ' ');
}
