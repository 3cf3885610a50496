import type { EventLine } from '../../events/log.ts';

/** Seconds shown before and after an event. */
export interface Margin {
  readonly before: number;
  readonly after: number;
}

/** A stretch of a recording and the events that asked for it. */
export interface Window {
  readonly start: number;
  readonly end: number;
  readonly events: readonly EventLine[];
}

export interface WindowOptions {
  /** Margins of an event: by its kind, game or profile. */
  readonly marginOf: (event: EventLine) => Margin;
  /** Windows with less than this between them are merged; seconds, default 1. */
  readonly gap?: number;
  /** Length of the recording: windows end there, and what is said to happen later is left out. */
  readonly duration?: number;
  /** A merged window does not grow beyond this many seconds; default 30. */
  readonly longest?: number;
}

/** A window is at least so long, in seconds: also of a moment with nothing around it, some frames can be seen. */
const LEAST = 0.2;

/**
 * The stretches around events: overlapping and neighbouring windows become one, as long as it stays within `longest`.
 * Two windows that still overlap then share their overlap: the cut lies in its middle.
 */
export function windowsOf(events: readonly EventLine[], options: WindowOptions): Window[] {
  const gap = options.gap ?? 1;
  const longest = options.longest ?? 30;
  const limit = options.duration ?? Number.POSITIVE_INFINITY;
  const windows: { start: number; end: number; events: EventLine[] }[] = [];
  for (const event of events.toSorted((a, b) => a.t - b.t || a.end - b.end)) {
    const { before, after } = options.marginOf(event);
    const latest = Math.max(event.t, event.end) + after;
    if (event.t > limit || latest < 0) continue;
    const start = Math.max(0, Math.min(event.t - before, limit - LEAST));
    const end = Math.min(limit, Math.max(latest, start + LEAST));
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
