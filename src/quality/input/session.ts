import type { FrameRecord } from '../frame.ts';
import type { Issue } from '../../errors.ts';

export const formats = [
  'playbyplay',
  'presentmon',
  'capframex',
  'mangohud',
  'webrtc-internals',
  'obs-log',
  'video',
] as const;
export type Format = (typeof formats)[number];

/** One session as a file tells it. Records come in batches, in the order of their frames. */
export interface SessionInput {
  readonly format: Format;
  /** Process, connection or run within the file; the file's name where it holds one. */
  readonly name: string;
  /** What the file says of the target frame rate; undefined where it says nothing. */
  readonly fps?: number | undefined;
  /** Pixels. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  /** Bits per second. */
  readonly targetBitrate?: number | undefined;
  /** `targetBitrate` is what was measured and not what was set. */
  readonly measuredRate?: boolean;
  /** Frames may repeat a picture; those that do have no capture, so that captures tell when a new one was shown. */
  readonly repeats?: boolean;
  /** Of which figures the file can tell something, and how it was worked out. */
  readonly derived: Readonly<Record<string, string>>;
  /** Of which it cannot, and why. */
  readonly missing: Readonly<Record<string, string>>;
  /** Complete once all records were read. */
  readonly notes: Notes;
  /** Figures that the format tells beside the frames (lagged, skipped, dropped …). */
  readonly extra?: Readonly<Record<string, unknown>>;
  records(): AsyncIterable<readonly FrameRecord[]>;
}

export interface ReadOptions {
  /** Of several processes in one file, the one whose name contains this. */
  readonly process?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Records that lie in memory already. */
export async function* inMemory(records: readonly FrameRecord[]): AsyncGenerator<readonly FrameRecord[]> {
  if (records.length > 0) yield records;
}

/**
 * What was wrong in a file, gathered while it is read: the same fault in a thousand lines is one issue with a count and
 * the place where it was first met.
 */
export class Notes {
  readonly #found = new Map<string, { issue: Issue; count: number }>();
  /** Figures of the reading, by name (`lines`, `malformed`, `outOfOrder` …). */
  readonly counts: Record<string, number> = {};

  /** Records a fault; `path` is kept of the first one only. */
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

  /** In the order of their first appearance. */
  get issues(): readonly Issue[] {
    return [...this.#found.values()].map(({ issue, count }) =>
      count === 1 ? issue : { ...issue, message: `${issue.message} (${count} times)` },
    );
  }
}
