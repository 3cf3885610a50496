import { FrameFilter } from './frame-filter.ts';
import type { Recording } from './recording.ts';

/** A part of a recording, in seconds. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** Size of the pictures that are compared, and seconds between them. */
const WIDTH = 64;
const HEIGHT = 36;
const STEP_SECONDS = 0.2;
/** Levels below which nearly all of a black picture lies; black is 16 in video. */
const BLACK_LEVEL = 28;
const BLACK_SHARE = 0.98;
const MIN_BLACK_SECONDS = 0.3;
/** Levels by which a sample of a still picture changes at most, apart from a small share: a clock, a cursor. */
const STILL_LEVELS = 3;
const STILL_SHARE = 0.99;
const MIN_STILL_SECONDS = 1;
/** Where more of a recording stands still, this is how the game looks. */
const MAX_STILL_SHARE = 0.4;

/**
 * Finds what nobody wants to watch in parts of a recording: black pictures, and pictures that stand still, such as menus, score
 * tables and loading screens. Stillness counts only where the recording moves most of the time.
 *
 * @param parts Parts to look at, ascending.
 */
export function findDullSpans(recording: Recording, parts: readonly Span[], signal?: AbortSignal): Span[] {
  using filter = new FrameFilter(WIDTH, HEIGHT, 'gray');
  const black: Span[] = [];
  const still: Span[] = [];
  let seconds = 0;
  for (const part of parts) {
    const [dark, stopped] = [new Run(MIN_BLACK_SECONDS), new Run(MIN_STILL_SECONDS)];
    let before: Uint8Array | undefined;
    let last = part.start;
    for (const { frame, t } of recording.framesEvery(STEP_SECONDS, part.start, part.end)) {
      signal?.throwIfAborted();
      const now = filter.pixels(frame, recording.rotation);
      dark.add(t, isBlack(now));
      // A still picture stands still since the sample before.
      stopped.add(last, before !== undefined && isStill(before, now));
      before = now;
      last = t;
    }
    seconds += part.end - part.start;
    black.push(...dark.finish(part.end));
    still.push(...stopped.finish(part.end));
  }
  const stillSeconds = still.reduce((sum, { start, end }) => sum + end - start, 0);
  const found = stillSeconds > seconds * MAX_STILL_SHARE ? black : [...black, ...still];
  return found.toSorted((a, b) => a.start - b.start);
}

/** Collects the spans in which a condition holds for long enough. */
class Run {
  readonly #shortest: number;
  readonly #spans: Span[] = [];
  #start: number | undefined;

  constructor(shortest: number) {
    this.#shortest = shortest;
  }

  add(t: number, holds: boolean): void {
    if (holds) this.#start ??= t;
    else this.#close(t);
  }

  finish(end: number): readonly Span[] {
    this.#close(end);
    return this.#spans;
  }

  #close(end: number): void {
    if (this.#start !== undefined && end - this.#start >= this.#shortest) this.#spans.push({ start: this.#start, end });
    this.#start = undefined;
  }
}

function isBlack(levels: Uint8Array): boolean {
  return levels.filter((level) => level <= BLACK_LEVEL).length >= levels.length * BLACK_SHARE;
}

function isStill(before: Uint8Array, now: Uint8Array): boolean {
  const same = now.filter((level, index) => Math.abs(level - before[index]!) <= STILL_LEVELS).length;
  return same >= now.length * STILL_SHARE;
}
