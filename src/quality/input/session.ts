import type { FrameRecord } from '../frame.ts';
import type { Notes } from './notes.ts';

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
