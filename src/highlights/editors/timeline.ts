import type { Size } from '../../geometry.ts';
import type { Rational } from '../../time.ts';
import { relative } from 'node:path';
import type { Dictionary } from '../../dictionary/dictionary.ts';
import type { EventLine } from '../../events/log.ts';
import { isPropertyStatement, type Statement } from '../../events/statement.ts';
import { type Scene, sceneTitle, type Source } from '../list.ts';
import type { PlannedShot } from '../storyboard.ts';
import { isAnyOf, isPlayerDefeat, isPlayerVictory } from '../weights.ts';
import { escapeAttribute, plainText } from '../../markup.ts';

/** Frame rates that editing programs support. */
export const standardRates: readonly Rational[] = [
  { num: 24_000, den: 1001 },
  { num: 24, den: 1 },
  { num: 25, den: 1 },
  { num: 30_000, den: 1001 },
  { num: 30, den: 1 },
  { num: 48, den: 1 },
  { num: 50, den: 1 },
  { num: 60_000, den: 1001 },
  { num: 60, den: 1 },
];

/**
 * Returns the exact rate behind a measured or rounded one (29.97, 59.9402), else the next higher standard rate, at most
 * 60.
 */
export function standardRate(rate: Rational): Rational {
  const value = rate.num / rate.den;
  const near = standardRates.find((each) => Math.abs(each.num / each.den - value) < 0.005);
  const DEFAULT_MARGIN = standardRates.filter(({ num, den }) => den === 1 && num !== 48);
  return near ?? DEFAULT_MARGIN.find((each) => each.num >= value) ?? { num: 60, den: 1 };
}

/** Frames per second as timecode counts them: 30 for 30000/1001. */
export function nominal(rate: Rational): number {
  return Math.round(rate.num / rate.den);
}

/** Whether timecode at this rate has a drop-frame form: 30000/1001 and 60000/1001. */
export function dropsFrames(rate: Rational): boolean {
  return rate.den === 1001 && nominal(rate) % 30 === 0;
}

/**
 * Formats a frame number as SMPTE timecode `hh:mm:ss:ff`. Drop-frame (`hh:mm:ss;ff`) skips the first two numbers of
 * every minute (four at 59.94) except every tenth, so that the clock follows real time (SMPTE ST 12-1).
 */
export function timecode(frame: number, rate: Rational, drop = dropsFrames(rate)): string {
  const fps = nominal(rate);
  let number = frame;
  if (drop) {
    const skipped = fps / 15;
    const perMinute = fps * 60 - skipped;
    const perTen = perMinute * 10 + skipped;
    const tens = Math.floor(frame / perTen);
    const rest = frame % perTen;
    number += skipped * 9 * tens + (rest >= skipped ? skipped * Math.floor((rest - skipped) / perMinute) : 0);
  }
  const parts = [
    Math.floor(number / (fps * 3600)) % 24,
    Math.floor(number / (fps * 60)) % 60,
    Math.floor(number / fps) % 60,
  ].map((part) => String(part).padStart(2, '0'));
  return `${parts.join(':')}${drop ? ';' : ':'}${String(number % fps).padStart(2, '0')}`;
}

/** Frame nearest to `t` seconds of a recording with frames at multiples of 1/rate. */
function frameAt(t: number, rate: Rational): number {
  return Math.round((t * rate.num) / rate.den);
}

/** First frame at or after `t` seconds: where reels begin a scene, and what follows the last frame of one that ends there. */
function frameFrom(t: number, rate: Rational): number {
  // Times of scenes are rounded to microseconds.
  return Math.ceil((t * rate.num) / rate.den - MAX_ROUNDING_SECONDS * (rate.num / rate.den));
}

const MAX_ROUNDING_SECONDS = 1e-6;

/** Formats frames as a fraction of seconds, as Final Cut writes time: `1001/30000s`, `5s`. */
export function rationalSeconds(frames: number, rate: Rational): string {
  const num = frames * rate.den;
  const divisor = gcd(num, rate.num);
  const [n, d] = divisor === 0 ? [0, 1] : [num / divisor, rate.num / divisor];
  return d === 1 ? `${n}s` : `${n}/${d}s`;
}

/** Greatest common divisor. */
export function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

/** Formats milliseconds as `hh:mm:ss` with three decimals behind `point`. */
export function clockTime(milliseconds: number, point: '.' | ','): string {
  const seconds = Math.floor(milliseconds / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${parts.map((part) => String(part).padStart(2, '0')).join(':')}${point}${String(milliseconds % 1000).padStart(3, '0')}`;
}

/** What an event means to the player; each class has a marker colour. */
type MarkerClass = 'victory' | 'defeat' | 'gain' | 'change' | 'other';

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
interface TimelineMedia {
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
  /** Frames of the recording. */
  readonly sourceLength: number;
  /** Seconds of the recording per second of the timeline: 0.5 is slow motion at half speed. */
  readonly speed: number;
  /** First frame in the timeline. */
  readonly at: number;
  /** Frames in the timeline. */
  readonly length: number;
  readonly markers: readonly TimelineMarker[];
}

/** An event marked on a clip. */
interface TimelineMarker {
  /** Frame of the recording, at the timeline's rate. */
  readonly source: number;
  /** Frame in the timeline. */
  readonly at: number;
  readonly text: string;
  readonly class: MarkerClass;
}

/** Options of `sceneTimeline` and `recordingTimeline`. */
interface TimelineOptions {
  readonly title: string;
  readonly dictionary: Dictionary;
  /** Frame rate; default: the standard rate of the first recording. */
  readonly rate?: Rational;
  /** Whether a recording has sound; default: all have. */
  readonly hasSound?: (source: Source) => boolean;
  /** The shots of each scene, for other speeds; default: each scene as it was recorded. */
  readonly shots?: readonly (readonly PlannedShot[])[] | undefined;
}

/** Timeline of chosen scenes. A scene is one clip, or one for each of its shots. */
export function sceneTimeline(
  scenes: readonly Scene[],
  sources: readonly Source[],
  options: TimelineOptions,
): Timeline {
  const rate =
    options.rate ?? standardRate(sources[scenes[0]?.source ?? 0]!.header.media.frameRate ?? { num: 30, den: 1 });
  let at = 0;
  const clips = scenes.flatMap((scene, index) => {
    const shots = options.shots?.[index] ?? [{ start: scene.start, end: scene.end, speed: 1 }];
    return shots.map(({ start, end, speed }): TimelineClip => {
      const source = frameFrom(start, rate);
      const sourceLength = Math.max(1, frameFrom(end, rate) - source);
      const length = Math.round(sourceLength / speed);
      const from = at;
      const markers = scene.events
        .map(({ event }) =>
          makeMarker(event, rate, (frame) => from + Math.round((frame - source) / speed), options.dictionary),
        )
        .filter((marker) => marker.source >= source && marker.source < source + sourceLength);
      at += length;
      const name = sceneTitle(scene);
      return { media: scene.source, name, note: scene.because, source, sourceLength, speed, at: from, length, markers };
    });
  });
  return { ...timelineFormat(sources, rate, options), clips, duration: at };
}

/** Timeline of whole recordings with every event as a marker. */
export function recordingTimeline(sources: readonly Source[], options: TimelineOptions): Timeline {
  const rate = options.rate ?? standardRate(sources[0]!.header.media.frameRate ?? { num: 30, den: 1 });
  let at = 0;
  const clips = sources.map(({ header, events }, media): TimelineClip => {
    const length = Math.max(1, frameAt(header.media.duration, rate));
    const from = at;
    const markers = events.map((event) => makeMarker(event, rate, (frame) => from + frame, options.dictionary));
    at += length;
    const { name } = header.media;
    return { media, name, note: '', source: 0, sourceLength: length, speed: 1, at: from, length, markers };
  });
  return { ...timelineFormat(sources, rate, options), clips, duration: at };
}

function timelineFormat(
  sources: readonly Source[],
  rate: Rational,
  options: TimelineOptions,
): Omit<Timeline, 'clips' | 'duration'> {
  return {
    title: options.title,
    rate,
    ...pictureSize(sources[0]!),
    media: sources.map((source) => ({
      path: source.media ?? source.header.media.name,
      name: source.header.media.name,
      rate: standardRate(source.header.media.frameRate ?? rate),
      duration: frameAt(source.header.media.duration, rate),
      ...pictureSize(source),
      hasSound: options.hasSound?.(source) ?? true,
    })),
  };
}

/** The size of a recording's pictures; Full HD where its log, perhaps of another program, does not say it. */
function pictureSize({ header }: Source): Size {
  const { width, height }: Partial<Size> = header.media;
  return width === undefined || height === undefined ? { width: 1920, height: 1080 } : { width, height };
}

function makeMarker(
  event: EventLine,
  rate: Rational,
  placeOf: (frame: number) => number,
  dictionary: Dictionary,
): TimelineMarker {
  const source = frameAt(event.t, rate);
  return { source, at: placeOf(source), text: event.text, class: markerClass(event.statement, dictionary) };
}

function markerClass(statement: Statement, dictionary: Dictionary): MarkerClass {
  if (isPropertyStatement(statement)) return 'change';
  if (isPlayerVictory(statement, dictionary)) return 'victory';
  if (isPlayerDefeat(statement, dictionary)) return 'defeat';
  return isAnyOf(dictionary, statement.action, 'action', 'obtain', 'achieve', 'win', 'complete', 'capture')
    ? 'gain'
    : 'other';
}

/** A frame of a recording, counted in frames of the recording at the speed of a clip. */
export function retimed(frame: number, { speed }: TimelineClip): number {
  return Math.round(frame / speed);
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

/** Writes text on one line of XML. */
export function xml(text: string): string {
  return escapeAttribute(plainText(text));
}
