import type { Dictionary } from '../../dictionary/dictionary.ts';
import type { EventLine } from '../../events/log.ts';
import type { Issue } from '../../errors.ts';
import { formatClock, roundTime } from '../../time.ts';
import type { HighlightList } from '../list.ts';
import { statementWeight } from '../settings/weights.ts';

/** A text shown from `start` to `end` seconds. */
export interface Caption {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

export interface CaptionOptions {
  /** Least seconds a caption stays; default 1.2. */
  readonly shortest?: number;
  /** Most seconds; default 5. */
  readonly longest?: number;
  /** Characters a person reads in a second; default 17. */
  readonly readingSpeed?: number;
  /** Where the recording ends. */
  readonly duration?: number;
  /** Most lines at a time; default 3. Of more the earliest go. */
  readonly lines?: number;
}

/**
 * Captions of happenings: each stays as long as it takes to read. Happenings within a quarter of a second share one
 * caption; where one comes while another is still shown, both stand together, older above, so that captions never
 * overlap.
 */
export function captionsOf(
  events: readonly { readonly t: number; readonly text: string }[],
  options: CaptionOptions = {},
): Caption[] {
  const { shortest = 1.2, longest = 5, readingSpeed = 17, lines: most = 3 } = options;
  const limit = options.duration ?? Number.POSITIVE_INFINITY;
  const spans = events
    .toSorted((a, b) => a.t - b.t)
    .map(({ t, text }) => ({
      start: t,
      end: t + Math.min(longest, Math.max(shortest, text.length / readingSpeed)),
      text,
    }));
  const starts = spans.map(({ start }) => start);
  // A change of what is shown happens only where something begins, or where nothing more is shown.
  const captions: Caption[] = [];
  for (const [index, start] of starts.entries()) {
    if (index > 0 && start - (captions.at(-1)?.start ?? -1) < 0.25) {
      const last = captions.at(-1)!;
      captions[captions.length - 1] = {
        ...last,
        end: Math.max(last.end, spans[index]!.end),
        lines: [...last.lines, spans[index]!.text].slice(-most),
      };
      continue;
    }
    const still = spans.slice(0, index).filter(({ end }) => end > start + 0.25);
    const previous = captions.at(-1);
    if (previous && previous.end > start) captions[captions.length - 1] = { ...previous, end: start };
    captions.push({
      start,
      end: spans[index]!.end,
      lines: [...still.map(({ text }) => text), spans[index]!.text].slice(-most),
    });
  }
  return captions
    .map((caption) => ({ ...caption, end: Math.min(caption.end, limit) }))
    .filter(({ start, end }) => end > start);
}

/** Weight from which an event is told in a caption: not every round that is fired. */
const TOLD = 0.5;

/** Seconds within which a changed value says no more than the deed beside it: health falls to 0, the player dies. */
const ECHO = 0.35;

/** The events without those that only echo a deed. */
export function withoutEchoes<T extends { readonly t: number; readonly kind: string }>(
  events: readonly T[],
): readonly T[] {
  const deeds = events.filter(({ kind }) => kind === 'action');
  return events.filter(({ t, kind }) => kind === 'action' || !deeds.some((deed) => Math.abs(deed.t - t) <= ECHO));
}

/** The narrative of a whole recording: its events worth telling. */
export function narrative(events: readonly EventLine[], dictionary: Dictionary, duration?: number): Caption[] {
  const told = events.filter(({ statement }) => statementWeight(statement, dictionary).weight >= TOLD);
  return captionsOf(told, duration === undefined ? {} : { duration });
}

/** The narrative of a reel: its scenes' events at their places in it. */
export function reelNarrative(list: HighlightList): Caption[] {
  return list.scenes.flatMap((scene) => {
    const end = scene.at + scene.end - scene.start;
    const events = scene.events.map(({ at, text, kind }) => ({ t: Math.max(scene.at, at), text, kind }));
    return captionsOf(withoutEchoes(events), { duration: end });
  });
}

/** WebVTT (W3C): cues in order, `<`, `&` and `-->` escaped. */
export function webvtt(captions: readonly Caption[]): string {
  const cues = captions.map(
    ({ start, end, lines }, index) =>
      `${index + 1}\n${vttTime(start)} --> ${vttTime(end)}\n${lines.map(escapeVtt).join('\n')}\n`,
  );
  return ['WEBVTT\n', ...cues].join('\n');
}

function vttTime(seconds: number): string {
  return clock(seconds, '.');
}

function escapeVtt(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll(/\s+/g, ' ');
}

/** SubRip: numbered, comma before the milliseconds, lines ended by CR LF as its players expect. */
export function srt(captions: readonly Caption[]): string {
  return captions
    .map(({ start, end, lines }, index) => {
      const words = lines.map((line) => line.replaceAll(/\s+/g, ' ').replaceAll('<', '‹').replaceAll('-->', '→'));
      return [index + 1, `${clock(start, ',')} --> ${clock(end, ',')}`, ...words, ''].join('\r\n');
    })
    .join('\r\n');
}

/** `hh:mm:ss` and milliseconds. */
function clock(seconds: number, point: string): string {
  const ms = Math.max(0, Math.round(seconds * 1000));
  const parts = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60];
  return `${parts.map((part) => String(part).padStart(2, '0')).join(':')}${point}${String(ms % 1000).padStart(3, '0')}`;
}

/** A named place in a video. */
export interface Chapter {
  /** Seconds. */
  readonly start: number;
  readonly end: number;
  readonly title: string;
}

/** A chapter per scene of a reel. */
export function reelChapters(list: HighlightList): Chapter[] {
  return list.scenes.map(({ at, start, end, title }) => ({ start: at, end: roundTime(at + end - start), title }));
}

/**
 * The chapters as lines for a video's description, obeying the rules without which the site ignores them all: the
 * first at 0:00, at least three, ascending, each at least ten seconds. Chapters too short are joined with the next one
 * (or the last with the one before); if fewer than three are left there are none, and an issue says why.
 */
export function youtubeChapters(
  chapters: readonly Chapter[],
  duration: number,
): { text: string; issues: readonly Issue[] } {
  const least = 10;
  const kept: { start: number; titles: string[] }[] = [];
  for (const { start, title } of chapters.toSorted((a, b) => a.start - b.start)) {
    const second = Math.floor(start);
    const last = kept.at(-1);
    if (last && second - last.start < least) last.titles.push(title);
    else if (!last && second > 0 && second < least) kept.push({ start: 0, titles: [title] });
    else {
      if (!last && second > 0) kept.push({ start: 0, titles: ['Start'] });
      kept.push({ start: second, titles: [title] });
    }
  }
  const last = kept.at(-1);
  if (last && kept.length > 1 && Math.floor(duration) - last.start < least) {
    kept.pop();
    kept.at(-1)!.titles.push(...last.titles);
  }
  if (kept.length < 3) {
    const message = `${kept.length} chapters of ten seconds or more are too few: three are needed`;
    return { text: '', issues: [{ code: 'too-few-chapters', message, hint: 'Make the reel longer.' }] };
  }
  const long = duration >= 3600;
  const lines = kept.map(({ start, titles }) => `${youtubeTime(start, long)} ${titleOf(titles)}`);
  return { text: `${lines.join('\n')}\n`, issues: [] };
}

function titleOf(titles: readonly string[]): string {
  const [first, ...more] = titles;
  const title = first!.replaceAll(/\s+/g, ' ').slice(0, 90);
  return more.length > 0 ? `${title} (+${more.length})` : title;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

/** `0:00`, `12:03`, in videos of an hour and more `1:02:03`. */
function youtubeTime(seconds: number, long: boolean): string {
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return long ? `${h}:${two(m)}:${two(s)}` : `${h * 60 + m}:${two(s)}`;
}

/** A log in words: `00:06.8  opponent Gargoyle kills player with railgun`. */
export function playByPlay(events: readonly EventLine[]): string {
  return events.map(({ t, text }) => `${formatClock(t)}  ${text}\n`).join('');
}
