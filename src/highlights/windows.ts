import type { EventLine } from '../events/log.ts';
import type { Dictionary } from '../dictionary/dictionary.ts';
import { isPropertyStatement } from '../events/statement.ts';
import { isAnyOf, isPlayerDefeat, wordOf } from './weights.ts';

/** Seconds shown before and after an event. */
export interface Margin {
  readonly before: number;
  readonly after: number;
}

/** A time span of a recording and the events it was built from. Seconds. */
export interface Window {
  readonly start: number;
  readonly end: number;
  readonly events: readonly EventLine[];
}

/** Options of `eventWindows`. */
export interface WindowOptions {
  /** Margins of an event. */
  readonly eventMargin: (event: EventLine) => Margin;
  /** Seconds; windows closer together than this are merged. Default 1. */
  readonly gap?: number;
  /** Duration of the recording; later events are ignored and windows end there. */
  readonly duration?: number;
  /** Maximum seconds of a merged window; default 30. */
  readonly longest?: number;
}

/** Minimum length, so that an event without margins still shows some frames. */
const MIN_WINDOW_SECONDS = 0.2;

/**
 * Builds windows around events and merges overlapping and neighbouring ones while they stay within `longest`. Where two
 * windows still overlap, they are cut in the middle of the overlap.
 */
export function eventWindows(events: readonly EventLine[], options: WindowOptions): Window[] {
  const gap = options.gap ?? 1;
  const longest = options.longest ?? 30;
  const limit = options.duration ?? Number.POSITIVE_INFINITY;
  const windows: { start: number; end: number; events: EventLine[] }[] = [];
  for (const event of events.toSorted((a, b) => a.t - b.t || a.end - b.end)) {
    const { before, after } = options.eventMargin(event);
    const latest = Math.max(event.t, event.end) + after;
    if (event.t > limit || latest < 0) continue;
    const start = Math.max(0, Math.min(event.t - before, limit - MIN_WINDOW_SECONDS));
    const end = Math.min(limit, Math.max(latest, start + MIN_WINDOW_SECONDS));
    const last = windows.at(-1);
    if (last && start <= last.end + gap && Math.max(end, last.end) - last.start <= longest) {
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

/** Seconds shown of a defeat that ends a scene. */
const SHOWN_DEFEAT_SECONDS = 0.3;
const MIN_TAIL_SECONDS = 0.8;

/**
 * Limits a window to one life of the player: it starts at a respawn before its first event and ends shortly after a
 * defeat that is not one of its events, instead of running into the score table.
 */
export function limitToOneLife(window: Window, events: readonly EventLine[], dictionary: Dictionary): Window {
  const first = window.events[0]!.t;
  const last = Math.max(...window.events.map(({ end }) => end));
  const respawn = events.findLast(
    ({ t, statement }) =>
      t > window.start &&
      t <= first &&
      !isPropertyStatement(statement) &&
      wordOf(statement.subject) === 'player' &&
      isAnyOf(dictionary, statement.action, 'action', 'spawn'),
  );
  const defeat = events.find(
    (event) =>
      event.t > last &&
      event.t < window.end &&
      !window.events.includes(event) &&
      isPlayerDefeat(event.statement, dictionary),
  );
  const start = respawn?.t ?? window.start;
  const end = defeat
    ? Math.min(window.end, Math.max(defeat.t + SHOWN_DEFEAT_SECONDS, last + MIN_TAIL_SECONDS))
    : window.end;
  return { ...window, start, end };
}
