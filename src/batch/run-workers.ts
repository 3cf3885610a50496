import { setTimeout as sleep } from 'node:timers/promises';
import { PlaybyplayError } from '../errors.ts';
import type { RecordingStorage } from '../files/file-storage.ts';
import type { FollowingJobs, JobFailure, JobQueue, Lease } from './queue.ts';
import { RecordingProcess, type WorkOutcome } from './recording-process.ts';
import { followingJobs, type RecordingWork, type WorkResult } from './work.ts';

/** Milliseconds between two heartbeats. */
const HEARTBEAT_INTERVAL_MS = 5000;
/** Milliseconds after which a worker without a job asks again. */
const IDLE_INTERVAL_MS = 500;
/** Milliseconds until the next call of a queue that could not be reached, at first and at most. */
const MIN_RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;
/** Milliseconds before a recording is tried again whose log somebody else is writing. */
const IN_USE_DELAY_MS = 2000;

/** Codes of errors that pass. */
const OUTAGES: ReadonlySet<string> = new Set(['queue-unreachable', 'storage-unreachable']);

/** What happens to the jobs of a worker. */
export interface WorkerEvents {
  readonly onStart?: (worker: number, lease: Lease) => void;
  readonly onProgress?: (worker: number, lease: Lease, share: number) => void;
  readonly onDone?: (worker: number, lease: Lease, result: WorkResult) => void;
  readonly onFail?: (worker: number, lease: Lease, failure: JobFailure) => void;
  /** The queue or the storage cannot be reached; the worker goes on trying. */
  readonly onOutage?: (error: PlaybyplayError) => void;
}

/** Options of {@link runWorkers}. */
export interface WorkerOptions extends WorkerEvents {
  /** Recordings that are read at once, each by a process of its own. */
  readonly workers: number;
  /** Reading threads of each process. */
  readonly threads: number;
  /** Ends when all jobs of this batch are done or set aside. Default: never. */
  readonly batch?: string | undefined;
  /** Where recordings come from and logs go to. Default: the paths of jobs lead to files that are there. */
  readonly storage?: RecordingStorage | undefined;
  readonly signal: AbortSignal;
}

/** Does the jobs of a queue until those of a batch are done, or until the signal is aborted: jobs at hand are then given back. */
export async function runWorkers(queue: JobQueue, options: WorkerOptions): Promise<void> {
  await Promise.all(Array.from({ length: options.workers }, (_, worker) => runWorker(queue, worker, options)));
}

async function runWorker(queue: JobQueue, worker: number, options: WorkerOptions): Promise<void> {
  const { signal, batch, onOutage } = options;
  using child = new RecordingProcess();
  let delay = MIN_RETRY_MS;
  while (!signal.aborted)
    try {
      const lease = await queue.take();
      delay = MIN_RETRY_MS;
      if (lease) await doJob(queue, worker, lease, child, options);
      else if (batch !== undefined && (await queue.countOpen(batch)) === 0) return;
      else await sleep(IDLE_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    } catch (error) {
      if (!isOutage(error)) throw error;
      onOutage?.(error);
      await sleep(delay, undefined, { signal }).catch(() => undefined);
      delay = Math.min(2 * delay, MAX_RETRY_MS);
    }
}

async function doJob(
  queue: JobQueue,
  worker: number,
  lease: Lease,
  child: RecordingProcess,
  options: WorkerOptions,
): Promise<void> {
  const { threads, signal, onStart, onProgress, onDone, onFail, onOutage } = options;
  const { job, attempt } = lease;
  const work = job.work as RecordingWork;
  onStart?.(worker, lease);
  let isVoid = false;
  const heartbeat = setInterval(() => {
    queue.beat(lease).then(
      (isMine) => {
        if (isMine) return;
        // Somebody else does the job: this process was suspended, or cut off from the queue, for too long.
        isVoid = true;
        child.stop('another worker took the job');
      },
      () => undefined,
    );
  }, HEARTBEAT_INTERVAL_MS);
  const stop = (): void => child.stop('the worker stops');
  signal.addEventListener('abort', stop, { once: true });
  try {
    const outcome = await withStorage(work, options, {
      isMine: () => !isVoid && !signal.aborted,
      run: () => child.run({ work, attempt, threads }, (share) => onProgress?.(worker, lease, share)),
    });
    if (isVoid) return;
    const following: FollowingJobs = (done) => followingJobs(job, done);
    if ('result' in outcome) {
      const isStored = await persist(() => queue.complete(lease, outcome.result, following), signal, onOutage);
      if (isStored) onDone?.(worker, lease, outcome.result);
      return;
    }
    const { failure, isFinal } = outcome;
    if (signal.aborted) return await queue.fail(lease, failure, { isFree: true });
    if (failure.code === 'folder-in-use') {
      await sleep(IN_USE_DELAY_MS, undefined, { signal }).catch(() => undefined);
      await queue.fail(lease, failure);
    } else await persist(() => queue.fail(lease, failure, { isFinal }), signal, onOutage);
    onFail?.(worker, lease, failure);
  } finally {
    clearInterval(heartbeat);
    signal.removeEventListener('abort', stop);
  }
}

/** Brings the recording of a job to its path, and stores what the job makes of it. */
async function withStorage(
  { media, folder }: RecordingWork,
  { storage, signal, onOutage }: WorkerOptions,
  { isMine, run }: { readonly isMine: () => boolean; readonly run: () => Promise<WorkOutcome> },
): Promise<WorkOutcome> {
  if (!storage) return run();
  try {
    await persist(() => storage.fetch(media), signal, onOutage);
    const outcome = await run();
    // A job that was given back or taken over goes on with what is here.
    if (!isMine()) return outcome;
    if ('result' in outcome) await persist(() => storage.keep(folder), signal, onOutage);
    for (const path of [media, folder]) await storage.release(path);
    return outcome;
  } catch (error) {
    if (!(error instanceof PlaybyplayError)) throw error;
    return { failure: { code: error.code, message: error.message, hint: error.hint }, isFinal: true };
  }
}

/** Repeats a call while the queue or the storage cannot be reached: what was computed is not thrown away for a restart of the database. */
async function persist<T>(
  call: () => Promise<T>,
  signal: AbortSignal,
  onOutage: WorkerEvents['onOutage'],
): Promise<T | undefined> {
  for (let delay = MIN_RETRY_MS; !signal.aborted; delay = Math.min(2 * delay, MAX_RETRY_MS))
    try {
      return await call();
    } catch (error) {
      if (!isOutage(error)) throw error;
      onOutage?.(error);
      await sleep(delay, undefined, { signal }).catch(() => undefined);
    }
  return undefined;
}

function isOutage(error: unknown): error is PlaybyplayError {
  return error instanceof PlaybyplayError && OUTAGES.has(error.code);
}
