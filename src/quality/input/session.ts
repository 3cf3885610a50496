import type { FrameRecord } from '../frame.ts';
import type { Issue } from '../../errors.ts';

/** Supported formats. */
export const formats = [
  'playbyplay',
  'presentmon',
  'capframex',
  'mangohud',
  'webrtc-internals',
  'obs-log',
  'video',
] as const;
/** A supported format. */
export type Format = (typeof formats)[number];

/** A session read from a file. Records come in batches in frame order. */
export interface SessionInput {
  readonly format: Format;
  /** Process, connection or run within the file; the file name if it holds one session. */
  readonly name: string;
  /** Target frame rate, if the file has it. */
  readonly fps?: number | undefined;
  /** Pixels. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  /** Bits per second. */
  readonly targetBitrate?: number | undefined;
  /** Whether `targetBitrate` is measured rather than configured. */
  readonly measuredRate?: boolean;
  /** Frames may repeat a picture; repeated ones have no `captured`, so captures mark new pictures. */
  readonly repeats?: boolean;
  /** Available figures, each with how it is derived. */
  readonly derived: Readonly<Record<string, string>>;
  /** Unavailable figures, each with the reason. */
  readonly missing: Readonly<Record<string, string>>;
  /** Issues and counts; complete once all records are read. */
  readonly notes: Notes;
  /** Further figures of the format (lagged, skipped, dropped …). */
  readonly extra?: Readonly<Record<string, unknown>>;
  records(): AsyncIterable<readonly FrameRecord[]>;
}

/** Options of reading a session. */
export interface ReadOptions {
  /** Selects one of several processes by a part of its name. */
  readonly process?: string | undefined;
  /** Seconds of a recording in which the picture stands still by nature, such as deaths and menus (see `findStillSpans`). */
  readonly still?: readonly { readonly start: number; readonly end: number }[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Yields records that are in memory already. */
export async function* inMemory(records: readonly FrameRecord[]): AsyncGenerator<readonly FrameRecord[]> {
  if (records.length > 0) yield records;
}

/**
 * Collects the issues of a file while it is read: repeated faults become one issue with a count and the first place.
 */
export class Notes {
  readonly #found = new Map<string, { issue: Issue; count: number }>();
  /** Counts by name (`lines`, `malformed`, `outOfOrder` …). */
  readonly counts: Record<string, number> = {};

  /** Adds an issue; only the first `path` is kept. */
  add(code: string, message: string, path?: string, hint?: string): void {
    const key = `${code}\n${message}`;
    const known = this.#found.get(key);
    if (known) known.count++;
    else this.#found.set(key, { issue: { code, message, ...(path && { path }), ...(hint && { hint }) }, count: 1 });
  }

  count(name: string, by = 1): void {
    this.counts[name] = (this.counts[name] ?? 0) + by;
  }

  has(code: string): boolean {
    return this.issues.some((issue) => issue.code === code);
  }

  /** Issues in order of first appearance. */
  get issues(): readonly Issue[] {
    return [...this.#found.values()].map(({ issue, count }) =>
      count === 1 ? issue : { ...issue, message: `${issue.message} (${count} times)` },
    );
  }
}
