import type { Dictionary } from '../dictionary/dictionary.ts';
import type { EventLine } from '../events/log.ts';
import { isPropertyStatement, wordOf } from '../events/statement.ts';
import { endsPlayerLife, isAnyOf, isPlayerVictory, unqualified } from './weights.ts';

/** Seconds shown before and after an event. */
export interface Margin {
  readonly before: number;
  readonly after: number;
}

/** A part of a recording, in seconds. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A part of a recording and the events it was built from. */
export interface Window extends Span {
  readonly events: readonly EventLine[];
}

/** Options of `eventWindows`. */
export interface WindowOptions {
  /** Margins of an event. */
  readonly eventMargin: (event: EventLine) => Margin;
  /** Seconds; windows closer together than this are merged. Default 1. */
  readonly gap?: number | undefined;
  /** Duration of the recording; later events are ignored and windows end there. */
  readonly duration?: number | undefined;
  /** Maximum seconds of a merged window; default 30. */
  readonly longest?: number | undefined;
  /** Parts that no window shows, ascending and without overlaps; events in them are ignored. */
  readonly hidden?: readonly Span[] | undefined;
  /** Whether an event continues what the one before it began, so that both belong to one window however far apart. */
  readonly continues?: ((event: EventLine, before: EventLine) => boolean) | undefined;
}

/** Seconds that an event must be seen before a hidden part. */
const MIN_SHOWN_SECONDS = 0.25;
/** Minimum length, so that an event without margins still shows some frames. */
const MIN_WINDOW_SECONDS = 0.2;

/**
 * Builds windows around events and merges overlapping and neighbouring ones while they stay within `longest` and no hidden
 * part lies between them. Where two windows still overlap, they are cut in the middle of the overlap.
 */
export function eventWindows(events: readonly EventLine[], options: WindowOptions): Window[] {
  const limit = options.duration ?? Number.POSITIVE_INFINITY;
  const spans = shownSpans(options.hidden ?? [], limit);
  return spans.flatMap((span, index) => {
    // What happens with the defeat is not seen any more; what happens with the respawn belongs to the next life.
    const last = span.end < limit ? span.end - MIN_SHOWN_SECONDS : limit;
    const own = events.filter(({ t }) => t >= span.start && t <= last && t !== spans[index + 1]?.start);
    // Before the first frame there is nothing, but an event that lasts can reach into the recording.
    const early = span.start === 0 ? events.filter(({ t }) => t < 0) : [];
    return windowsWithin(span, [...early, ...own], options);
  });
}

/** The parts between the hidden ones. */
function shownSpans(hidden: readonly Span[], limit: number): Span[] {
  const starts = [0, ...hidden.map(({ end }) => end)];
  const ends = [...hidden.map(({ start }) => start), limit];
  return starts
    .map((start, index) => ({ start, end: Math.min(limit, ends[index]!) }))
    .filter(({ start, end }) => end > start);
}

function windowsWithin(span: Span, events: readonly EventLine[], options: WindowOptions): Window[] {
  const { gap = 1, longest = 30, continues } = options;
  const windows: { start: number; end: number; events: EventLine[] }[] = [];
  for (const event of events.toSorted((a, b) => a.t - b.t || a.end - b.end)) {
    const { before, after } = options.eventMargin(event);
    const latest = Math.max(event.t, event.end) + after;
    if (latest < 0) continue;
    const start = Math.max(span.start, Math.min(event.t - before, span.end - MIN_WINDOW_SECONDS));
    const end = Math.min(span.end, Math.max(latest, start + MIN_WINDOW_SECONDS));
    const last = windows.at(-1);
    const isNear = last && (start <= last.end + gap || continues?.(event, last.events.at(-1)!) === true);
    if (isNear && Math.max(end, last.end) - last.start <= longest) {
      last.end = Math.max(last.end, end);
      last.events.push(event);
    } else if (last && start < last.end) {
      const middle = Math.min(Math.max((start + last.end) / 2, last.events.at(-1)!.t), event.t);
      last.end = middle;
      windows.push({ start: middle, end: Math.max(end, middle), events: [event] });
    } else {
      windows.push({ start, end, events: [event] });
    }
  }
  return windows.filter((window) => window.end > window.start);
}

/** Seconds shown after a defeat that a scene is about. Others end their scene at once: score tables appear with them. */
const WANTED_DEFEAT_SECONDS = 1.2;
/** Seconds after a defeat within which an event can still be its consequence: a rocket that was in flight. */
const AFTERMATH_SECONDS = 3;
/** Seconds shown of such an event. */
const SHOWN_AFTERMATH_SECONDS = 0.5;

/**
 * Finds the parts of a session in which the player is dead: from a defeat to the respawn or, in a log without respawns, to the
 * first sign of life. Score tables, kill cameras and menus lie there.
 *
 * @param wanted Events that are asked for: shown even if they happen in such a part, shortly after the defeat.
 */
export function deadSpans(
  events: readonly EventLine[],
  dictionary: Dictionary,
  wanted: (event: EventLine) => boolean = () => false,
): Span[] {
  const spans: Span[] = [];
  const ordered = events.toSorted((a, b) => a.t - b.t);
  const hasRespawns = ordered.some((event) => isRespawn(event, dictionary));
  for (const defeat of ordered.filter(({ statement }) => endsPlayerLife(statement, dictionary))) {
    if (defeat.t < (spans.at(-1)?.end ?? 0)) continue;
    const alive = ordered.find(
      (event) =>
        event.t > defeat.t && (hasRespawns ? isRespawn(event, dictionary) : isSignOfLife(event, defeat, dictionary)),
    );
    const end = alive?.t ?? Number.POSITIVE_INFINITY;
    const aftermath = ordered.filter(
      (event) => event.t >= defeat.t && event.t < Math.min(end, defeat.t + AFTERMATH_SECONDS) && wanted(event),
    );
    const shown = aftermath.map((event) =>
      endsPlayerLife(event.statement, dictionary)
        ? event.t + WANTED_DEFEAT_SECONDS
        : event.end + SHOWN_AFTERMATH_SECONDS,
    );
    const start = Math.max(defeat.t, ...shown);
    if (start <= end) spans.push({ start, end });
  }
  // A respawn whose defeat nothing shows ends a scene, too.
  const respawns = ordered.filter((event) => isRespawn(event, dictionary)).map(({ t }) => ({ start: t, end: t }));
  return joinSpans([...spans, ...respawns]);
}

function isRespawn({ statement }: EventLine, dictionary: Dictionary): boolean {
  return (
    !isPropertyStatement(statement) &&
    wordOf(statement.subject) === 'player' &&
    isAnyOf(dictionary, statement.action, 'action', 'spawn')
  );
}

/** Whether an event shows that the player lives again after a defeat. */
function isSignOfLife({ t, statement }: EventLine, defeat: EventLine, dictionary: Dictionary): boolean {
  if (isPropertyStatement(statement)) {
    const { property, subject, from, to } = statement;
    const rises = typeof to === 'number' && to > (typeof from === 'number' ? from : 0);
    return wordOf(subject) === 'player' && unqualified(property) === 'health' && rises;
  }
  if (isAnyOf(dictionary, statement.action, 'action', 'begin')) return true;
  if (wordOf(statement.subject) !== 'player' || endsPlayerLife(statement, dictionary)) return false;
  return t > defeat.t + AFTERMATH_SECONDS || !isPlayerVictory(statement, dictionary);
}

/** Joins overlapping parts; the result is ascending. */
export function joinSpans(spans: readonly Span[]): Span[] {
  const joined: { start: number; end: number }[] = [];
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else joined.push({ start, end });
  }
  return joined;
}
