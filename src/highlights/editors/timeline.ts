import { relative } from 'node:path';
import type { Dictionary } from '../../dictionary/dictionary.ts';
import type { EventLine } from '../../events/log.ts';
import { isPropertyStatement, type Statement } from '../../events/statement.ts';
import type { Rational } from '../../time.ts';
import { sceneTitle, type Scene, type Source } from '../scene.ts';
import { isPlayerVictory, isPlayerDefeat, isAnyOf } from '../weights.ts';
import { frameAt, standardRate } from './timecode.ts';
import { escapeAttribute } from '../../markup.ts';

/** What an event means to the player; each class has a marker colour. */
export type MarkerClass = 'victory' | 'defeat' | 'gain' | 'change' | 'other';

/** Marker colours per format; `kdenlive` is the number of a guide category. */
export const markerStyles: Readonly<
  Record<MarkerClass, { locator: string; resolve: string; otio: string; mlt: string; kdenlive: number }>
> = {
  victory: { locator: 'GREEN', resolve: 'Green', otio: 'GREEN', mlt: '#00aa44', kdenlive: 3 },
  defeat: { locator: 'RED', resolve: 'Red', otio: 'RED', mlt: '#d02020', kdenlive: 0 },
  gain: { locator: 'YELLOW', resolve: 'Yellow', otio: 'YELLOW', mlt: '#e0b000', kdenlive: 1 },
  change: { locator: 'BLUE', resolve: 'Blue', otio: 'BLUE', mlt: '#2070d0', kdenlive: 5 },
  other: { locator: 'MAGENTA', resolve: 'Purple', otio: 'PURPLE', mlt: '#8040c0', kdenlive: 8 },
};

/** An edit as every format needs it: clips end to end with their markers. Frames count at `rate`. */
export interface Timeline {
  readonly title: string;
  readonly rate: Rational;
  readonly width: number;
  readonly height: number;
  readonly media: readonly TimelineMedia[];
  readonly clips: readonly TimelineClip[];
  /** Frames. */
  readonly duration: number;
}

/** A recording used by the timeline. */
export interface TimelineMedia {
  /** Absolute path, or the file name if the recording was not found. */
  readonly path: string;
  readonly name: string;
  readonly rate: Rational;
  /** Frames at the timeline's rate. */
  readonly duration: number;
  readonly width: number;
  readonly height: number;
  readonly hasSound: boolean;
}

/** A part of a recording on the timeline. */
export interface TimelineClip {
  /** Index into `media`. */
  readonly media: number;
  readonly name: string;
  readonly note: string;
  /** First frame of the recording, at the timeline's rate. */
  readonly source: number;
  /** First frame in the timeline. */
  readonly at: number;
  readonly length: number;
  readonly markers: readonly TimelineMarker[];
}

/** An event marked on a clip. */
export interface TimelineMarker {
  /** Frame of the recording, at the timeline's rate. */
  readonly source: number;
  /** Frame in the timeline. */
  readonly at: number;
  readonly text: string;
  readonly class: MarkerClass;
}

/** Options of `sceneTimeline` and `recordingTimeline`. */
export interface TimelineOptions {
  readonly title: string;
  readonly dictionary: Dictionary;
  /** Frame rate; default: the standard rate of the first recording. */
  readonly rate?: Rational;
  /** Whether a recording has sound; default: all have. */
  readonly hasSound?: (source: Source) => boolean;
}

/** Timeline of chosen scenes. */
export function sceneTimeline(
  scenes: readonly Scene[],
  sources: readonly Source[],
  options: TimelineOptions,
): Timeline {
  const rate =
    options.rate ?? standardRate(sources[scenes[0]?.source ?? 0]!.header.media.frameRate ?? { num: 30, den: 1 });
  let at = 0;
  const clips = scenes.map((scene): TimelineClip => {
    const source = frameAt(scene.start, rate);
    const length = Math.max(1, frameAt(scene.end, rate) - source);
    const markers = scene.events
      .map(({ event }) => makeMarker(event, rate, at - source, options.dictionary))
      .filter((marker) => marker.source >= source && marker.source < source + length);
    const clip = {
      media: scene.source,
      name: sceneTitle(scene),
      note: scene.because,
      source,
      at,
      length,
      markers,
    };
    at += length;
    return clip;
  });
  return { ...timelineFormat(sources, rate, options), clips, duration: at };
}

/** Timeline of whole recordings with every event as a marker. */
export function recordingTimeline(sources: readonly Source[], options: TimelineOptions): Timeline {
  const rate = options.rate ?? standardRate(sources[0]!.header.media.frameRate ?? { num: 30, den: 1 });
  let at = 0;
  const clips = sources.map(({ header, events }, media): TimelineClip => {
    const length = Math.max(1, frameAt(header.media.duration, rate));
    const markers = events.map((event) => makeMarker(event, rate, at, options.dictionary));
    const clip = { media, name: header.media.name, note: '', source: 0, at, length, markers };
    at += length;
    return clip;
  });
  return { ...timelineFormat(sources, rate, options), clips, duration: at };
}

function timelineFormat(
  sources: readonly Source[],
  rate: Rational,
  options: TimelineOptions,
): Omit<Timeline, 'clips' | 'duration'> {
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

function makeMarker(event: EventLine, rate: Rational, shift: number, dictionary: Dictionary): TimelineMarker {
  const source = frameAt(event.t, rate);
  return { source, at: source + shift, text: event.text, class: markerClass(event.statement, dictionary) };
}

function markerClass(statement: Statement, dictionary: Dictionary): MarkerClass {
  if (isPropertyStatement(statement)) return 'change';
  if (isPlayerVictory(statement, dictionary)) return 'victory';
  if (isPlayerDefeat(statement, dictionary)) return 'defeat';
  return isAnyOf(dictionary, statement.action, 'action', 'obtain', 'achieve', 'win', 'complete', 'capture')
    ? 'gain'
    : 'other';
}

/** Path of a recording: absolute, or relative to the folder of the exported file. */
export function mediaPath(media: TimelineMedia, relativeTo?: string): string {
  if (relativeTo === undefined || !media.path.startsWith('/')) return media.path;
  return relative(relativeTo, media.path).replaceAll('\\', '/');
}

/** URL-encoded path of a recording: `file:///…`, or a relative reference. */
export function mediaUrl(media: TimelineMedia, relativeTo?: string, prefix = 'file://'): string {
  const path = mediaPath(media, relativeTo);
  const escaped = path.split('/').map(encodeURIComponent).join('/');
  if (/^[A-Za-z]:/.test(path)) return `${prefix}/${escaped.replace('%3A', ':')}`;
  return path.startsWith('/') ? `${prefix}${escaped}` : escaped;
}

/** Escapes text for XML and removes control characters that XML cannot represent. */
export function xml(text: string): string {
  return escapeAttribute(text.replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')).replaceAll(
    '\n',
    ' ',
  );
}
