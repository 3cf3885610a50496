import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { MediaLimits } from '../media/limits.ts';
import { defaultFolder } from '../pipeline/record-log.ts';
import type { NewJob } from './queue.ts';

/** How recordings are read, as `detect` has it. */
export interface ReadSettings {
  /** Name of a game, path of a profile, or `auto`. */
  readonly game: string;
  readonly plan: 'full' | 'adaptive';
  readonly profiles: readonly string[];
  readonly plugins: readonly string[];
  readonly language?: string | undefined;
  /** Limits on recordings that are not the default ones. */
  readonly limits?: Partial<MediaLimits>;
}

/** What is to be done with a recording: its log is made at once, or shares of it are read and then combined. */
export interface RecordingWork {
  readonly kind: 'record' | 'read' | 'finish';
  /** Absolute path. */
  readonly media: string;
  /** Folder of the log. */
  readonly folder: string;
  readonly settings: ReadSettings;
  /** Of `read`: which share, from 0. */
  readonly index?: number;
  /** Of `read` and `finish`: how many shares. */
  readonly count?: number;
}

/** What came of a job. */
export interface WorkResult {
  /** Processor time and elapsed time of the attempt that succeeded. */
  readonly cpuSeconds: number;
  readonly seconds: number;
  /** Of a finished recording. */
  readonly recording?: {
    readonly log: string;
    readonly events: number;
    readonly gaps: number;
    /** Seconds of video. */
    readonly duration: number;
    /** SHA-256 of the log: every attempt makes the same. */
    readonly hash: string;
    /** Why the log should be checked: another game, a hidden HUD. */
    readonly doubt?: string;
  };
}

/** A recording as it was found. */
export interface FoundRecording {
  readonly media: string;
  /** Seconds; `undefined` if the file does not say. */
  readonly duration: number | undefined;
}

/**
 * Makes the first jobs of a recording: one, or one for each share of a long one.
 *
 * @param out Folder in which the folder of the log is made; default next to the recording.
 * @param count Shares.
 * @param state Distinguishes a recording from others of the same path. Default: its size and time of change.
 */
export async function createJobs(
  media: string,
  {
    batch,
    settings,
    out,
    count = 1,
    state,
  }: {
    readonly batch: string;
    readonly settings: ReadSettings;
    readonly out?: string | undefined;
    readonly count?: number;
    readonly state?: string;
  },
): Promise<readonly NewJob[]> {
  const path = resolve(media);
  const next = defaultFolder(path);
  const folder = out === undefined ? next : resolve(out, basename(next));
  const version = state ?? (await stateOf(path));
  const work = { media: path, folder, settings };
  if (count === 1) return [createJob(batch, version, { kind: 'record', ...work })];
  return Array.from({ length: count }, (_, index) =>
    createJob(batch, version, { kind: 'read', ...work, index, count }),
  );
}

/** What changes when a recording does: then it is another job. */
async function stateOf(path: string): Promise<string> {
  const { size, mtimeMs } = await stat(path);
  return `${size} ${mtimeMs}`;
}

function createJob(batch: string, state: string, work: RecordingWork): NewJob {
  const share = work.kind === 'read' ? ` (${work.index! + 1}/${work.count})` : '';
  return {
    id: uuidOf(stringify([batch, state, work])),
    batch,
    name: `${work.media}${share}`,
    work: { ...work, state },
  };
}

/**
 * What follows from a completed job: when all shares of a recording are read, its log is made.
 *
 * @param done Ids of the batch's jobs that are done.
 */
export function followingJobs(job: NewJob, done: ReadonlySet<string>): readonly NewJob[] {
  const { state, ...work } = job.work as RecordingWork & { readonly state: string };
  if (work.kind !== 'read') return [];
  const { index: _, ...rest } = work;
  const shares = Array.from({ length: work.count! }, (_unused, index) =>
    createJob(job.batch, state, { ...workOf(rest), kind: 'read', index, count: work.count! }),
  );
  if (!shares.every(({ id }) => done.has(id))) return [];
  return [createJob(job.batch, state, { ...workOf(rest), kind: 'finish', count: work.count! })];
}

function workOf({
  media,
  folder,
  settings,
}: Omit<RecordingWork, 'index'>): Pick<RecordingWork, 'media' | 'folder' | 'settings'> {
  return { media, folder, settings };
}

/** JSON with keys in the order of the alphabet: databases keep none. */
function stringify(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

/** A UUID of version 8 (RFC 9562 §5.8) that follows from a text. */
function uuidOf(text: string): string {
  const hash = createHash('sha256').update(text).digest('hex');
  const variant = ((Number.parseInt(hash[16]!, 16) & 0x3) | 0x8).toString(16);
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-${variant}${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}
