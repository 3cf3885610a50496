import type { Dictionary } from '../dictionary/dictionary.ts';
import type { Issue } from '../errors.ts';
import type { EventLine } from '../events/log.ts';
import { escapeText, plainText } from '../markup.ts';
import { clamp } from '../statistics.ts';
import { formatClock, roundTime } from '../time.ts';
import { clockTime } from './editors/timeline.ts';
import type { HighlightList } from './list.ts';
import { statementWeight } from './weights.ts';

/** Text shown from `start` to `end` seconds. */
export interface Caption {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

const MIN_CAPTION_SECONDS = 1.2;
const MAX_CAPTION_SECONDS = 5;
/** Characters per second. */
const READING_SPEED = 17;

/** Options of `makeCaptions`. */
export interface CaptionOptions {
  /** Duration of the recording. */
  readonly duration?: number;
  /** Maximum number of lines; default 3. The earliest are dropped. */
  readonly lines?: number;
}

/**
 * Makes captions that never overlap. Each stays as long as it takes to read; events within a quarter of a second share
 * a caption, and an event during an earlier caption is added below it.
 */
export function makeCaptions(
  events: readonly { readonly t: number; readonly text: string }[],
  options: CaptionOptions = {},
): Caption[] {
  const { duration: limit = Number.POSITIVE_INFINITY, lines: maxLines = 3 } = options;
  const spans = events
    .toSorted((a, b) => a.t - b.t)
    .map(({ t, text }) => ({
      start: t,
      end: t + clamp(text.length / READING_SPEED, MIN_CAPTION_SECONDS, MAX_CAPTION_SECONDS),
      text,
    }));
  const starts = spans.map(({ start }) => start);
  // Captions change only where an event begins, or where none is left to show.
  const captions: Caption[] = [];
  for (const [index, start] of starts.entries()) {
    if (index > 0 && start - (captions.at(-1)?.start ?? -1) < 0.25) {
      const last = captions.at(-1)!;
      captions[captions.length - 1] = {
        ...last,
        end: Math.max(last.end, spans[index]!.end),
        lines: [...last.lines, spans[index]!.text].slice(-maxLines),
      };
      continue;
    }
    const still = spans.slice(0, index).filter(({ end }) => end > start + 0.25);
    const previous = captions.at(-1);
    if (previous && previous.end > start) captions[captions.length - 1] = { ...previous, end: start };
    captions.push({
      start,
      end: spans[index]!.end,
      lines: [...still.map(({ text }) => text), spans[index]!.text].slice(-maxLines),
    });
  }
  return captions
    .map((caption) => ({ ...caption, end: Math.min(caption.end, limit) }))
    .filter(({ start, end }) => end > start);
}

/** Minimum weight of an event for a caption: not every shot fired. */
const MIN_CAPTION_WEIGHT = 0.5;

/** A changed value within this many seconds of an action usually repeats it: health falls to 0, the player dies. */
const REDUNDANT_CHANGE_SECONDS = 0.35;

/** Removes changes of values that repeat an action. */
export function dropRedundantChanges<T extends { readonly t: number; readonly kind: string }>(
  events: readonly T[],
): readonly T[] {
  const actions = events.filter(({ kind }) => kind === 'action');
  return events.filter(
    ({ t, kind }) => kind === 'action' || !actions.some((action) => Math.abs(action.t - t) <= REDUNDANT_CHANGE_SECONDS),
  );
}

/** Captions of a whole recording. */
export function recordingCaptions(events: readonly EventLine[], dictionary: Dictionary, duration?: number): Caption[] {
  const captioned = events.filter(
    ({ statement }) => statementWeight(statement, dictionary).weight >= MIN_CAPTION_WEIGHT,
  );
  return makeCaptions(captioned, duration === undefined ? {} : { duration });
}

/**
 * Captions of a reel, at the times of the reel.
 *
 * @param texts Other texts than the log's, by event id.
 */
export function reelCaptions(list: HighlightList, texts?: ReadonlyMap<string, string>): Caption[] {
  return list.scenes.flatMap((scene) => {
    const end = scene.at + scene.duration;
    const events = scene.events.map(({ id, at, text, kind }) => {
      return { t: Math.max(scene.at, at), text: texts?.get(id) ?? text, kind };
    });
    return makeCaptions(dropRedundantChanges(events), { duration: end });
  });
}

/** Writes WebVTT (W3C), with `<`, `&` and `-->` escaped. */
export function webvtt(captions: readonly Caption[]): string {
  const cues = captions.map(
    ({ start, end, lines }, index) =>
      `${index + 1}\n${clock(start, '.')} --> ${clock(end, '.')}\n${lines.map(escapeVtt).join('\n')}\n`,
  );
  return ['WEBVTT\n', ...cues].join('\n');
}

function escapeVtt(text: string): string {
  return escapeText(plainText(text));
}

/** Writes SubRip: numbered cues, comma before the milliseconds, CRLF line ends. */
export function srt(captions: readonly Caption[]): string {
  return captions
    .map(({ start, end, lines }, index) => {
      return [index + 1, `${clock(start, ',')} --> ${clock(end, ',')}`, ...lines.map(subtitleLine), ''].join('\r\n');
    })
    .join('\r\n');
}

/** A line of a subtitle in which no player finds HTML tags, the override codes of Advanced SubStation Alpha or another cue. */
export function subtitleLine(text: string): string {
  return plainText(text)
    .replaceAll('-->', '→')
    .replaceAll('<', '‹')
    .replaceAll(/\{(?=\s*\\)|\\(?=[Nnh])/g, (match) => (match === '{' ? '❴' : '∖'));
}

function clock(seconds: number, point: '.' | ','): string {
  return clockTime(Math.max(0, Math.round(seconds * 1000)), point);
}

/** A chapter of a video. */
export interface Chapter {
  /** Seconds. */
  readonly start: number;
  readonly end: number;
  readonly title: string;
}

/** One chapter per scene of a reel. */
export function reelChapters(list: HighlightList): Chapter[] {
  return list.scenes.map(({ at, duration, title }) => ({ start: at, end: roundTime(at + duration), title }));
}

/**
 * Writes chapters for a YouTube description: the first at 0:00, at least three, each at least ten seconds. Shorter
 * chapters are merged with the next one, the last with the one before. With fewer than three the text is empty and an
 * issue explains why.
 */
export function youtubeChapters(
  chapters: readonly Chapter[],
  duration: number,
): { text: string; issues: readonly Issue[] } {
  const minSeconds = 10;
  const merged: { start: number; titles: string[] }[] = [];
  for (const { start, title } of chapters.toSorted((a, b) => a.start - b.start)) {
    const second = Math.floor(start);
    const last = merged.at(-1);
    if (last && second - last.start < minSeconds) last.titles.push(title);
    else if (!last && second > 0 && second < minSeconds) merged.push({ start: 0, titles: [title] });
    else {
      if (!last && second > 0) merged.push({ start: 0, titles: ['Start'] });
      merged.push({ start: second, titles: [title] });
    }
  }
  const last = merged.at(-1);
  if (last && merged.length > 1 && Math.floor(duration) - last.start < minSeconds) {
    merged.pop();
    merged.at(-1)!.titles.push(...last.titles);
  }
  if (merged.length < 3) {
    const message = `YouTube needs three chapters of ten seconds or more, but there are ${merged.length}`;
    return { text: '', issues: [{ code: 'too-few-chapters', message, hint: 'Choose a longer --duration.' }] };
  }
  const long = duration >= 3600;
  const lines = merged.map(({ start, titles }) => `${youtubeTime(start, long)} ${joinTitles(titles)}`);
  return { text: `${lines.join('\n')}\n`, issues: [] };
}

function joinTitles(titles: readonly string[]): string {
  const [first, ...more] = titles;
  const title = plainText(first!, 90);
  return more.length > 0 ? `${title} (+${more.length})` : title;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

function youtubeTime(seconds: number, long: boolean): string {
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return long ? `${h}:${two(m)}:${two(s)}` : `${h * 60 + m}:${two(s)}`;
}

/** Writes a log as text: `00:06.8  opponent Gargoyle kills player with railgun`. */
export function playByPlay(events: readonly EventLine[]): string {
  return events.map(({ t, text }) => `${formatClock(t)}  ${plainText(text)}\n`).join('');
}
