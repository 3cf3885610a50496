import { setTimeout as sleep } from 'node:timers/promises';
import type { JobFailure, JobQueue, ListedJob } from '../batch/queue.ts';
import { runWorkers } from '../batch/run-workers.ts';
import { createJobs, type RecordingWork, type WorkResult } from '../batch/work.ts';
import { messageOf, PlaybyplayError } from '../errors.ts';
import type { RecordingStorage } from '../files/file-storage.ts';
import type { Span } from '@opentelemetry/api';
import type { Database } from './database.ts';
import type { Libraries } from './libraries.ts';
import type { Recording, Recordings } from './recordings.ts';
import type { Telemetry } from './telemetry.ts';
import type { Webhooks } from './webhooks.ts';

/** Milliseconds between two looks at the queue. */
const POLL_INTERVAL_MS = 300;
/** Milliseconds between two searches for what was left over. */
const CLEANING_INTERVAL_MS = 600_000;
/** Milliseconds until the next try where the database could not be reached. */
const OUTAGE_INTERVAL_MS = 3000;

/** What the pipeline works with. */
export interface PipelineContext {
  readonly database: Database;
  readonly queue: JobQueue;
  readonly recordings: Recordings;
  readonly storage: RecordingStorage;
  readonly libraries: Libraries;
  readonly webhooks: Webhooks;
  readonly telemetry: Telemetry;
  /** For messages to the operator. */
  readonly log: (message: string) => void;
}

/**
 * Turns uploads into answers: an upload becomes a job, a finished job a log in the library of its tenant, and webhooks are
 * called. Every step is found again in the database after an interruption.
 */
export class Pipeline {
  readonly #context: PipelineContext;
  readonly #progress = new Map<string, number>();

  constructor(context: PipelineContext) {
    this.#context = context;
  }

  /** How much of a recording this process has read, from 0 to 1; `undefined` where it does not read it. */
  progressOf(recording: string): number | undefined {
    return this.#progress.get(recording);
  }

  /** Makes a job of a complete upload, and says so. */
  async enqueue(recording: Recording): Promise<void> {
    const { queue, database, recordings, webhooks } = this.#context;
    // Adding the job first, and twice if interrupted, loses nothing: its id follows from the recording.
    await this.#addJobs(recording, queue);
    await database.transaction(async (queries) => {
      if (await recordings.move(recording.id, 'uploading', 'queued', {}, queries))
        await webhooks.announce(
          recording.tenant,
          'recording.queued',
          { id: recording.id, name: recording.name },
          queries,
        );
    });
  }

  /** Makes a recording that failed wait again. */
  async retry(recording: Recording): Promise<void> {
    const { queue, recordings } = this.#context;
    const jobs = await queue.list(recording.id);
    if (!(await recordings.move(recording.id, 'failed', 'queued')))
      throw new PlaybyplayError(
        'not-failed',
        `the recording is ${recording.state}: only one that failed can be tried again`,
      );
    await queue.retry(jobs.flatMap(({ id, state }) => (state === 'failed' ? [id] : [])));
    await this.#addJobs(recording, queue);
  }

  /** Reads recordings, `workers` at a time. */
  async work({
    workers,
    threads,
    signal,
  }: {
    readonly workers: number;
    readonly threads: number;
    readonly signal: AbortSignal;
  }): Promise<void> {
    const { queue, storage, telemetry, log } = this.#context;
    const spans = new Map<number, Span>();
    const end = (worker: number): void => {
      telemetry.busyWorkers.dec();
      spans.get(worker)?.end();
    };
    await runWorkers(queue, {
      workers,
      threads,
      storage,
      signal,
      onStart: (worker, { job, attempt }) => {
        telemetry.busyWorkers.inc();
        spans.set(worker, telemetry.startJob(job.name, attempt));
        this.#progress.set(job.batch, 0);
      },
      onProgress: (_worker, { job }, share) => this.#progress.set(job.batch, share),
      onDone: (worker) => end(worker),
      onFail: (worker, { job }, failure) => {
        spans.get(worker)?.recordException(failure.message);
        end(worker);
        log(`${job.name}: ${failure.message}`);
      },
      onOutage: (error) => log(error.message),
    });
  }

  /**
   * Follows jobs until the signal is aborted: settles recordings, adds logs to libraries, makes the calls of webhooks.
   *
   * @param settleUploads Called now and then, see `registerUploads`.
   */
  async follow(settleUploads: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const { webhooks, recordings, log } = this.#context;
    let cleaned = Number.NEGATIVE_INFINITY;
    while (!signal.aborted) {
      let wait = POLL_INTERVAL_MS;
      try {
        if (performance.now() - cleaned > CLEANING_INTERVAL_MS) {
          await settleUploads();
          cleaned = performance.now();
        }
        await this.#settleAll(await recordings.queued());
        await webhooks.deliverDue();
      } catch (error) {
        log(`the service cannot go on for now: ${messageOf(error)}`);
        wait = OUTAGE_INTERVAL_MS;
      }
      await sleep(wait, undefined, { signal }).catch(() => undefined);
    }
  }

  async #addJobs({ id, media, game, folder, bytes }: Recording, queue: JobQueue): Promise<void> {
    const settings = { game, plan: 'full' as const, profiles: [], plugins: [] };
    const jobs = await createJobs(media, { batch: id, settings, out: folder, state: String(bytes) });
    await queue.add(jobs);
  }

  /** Settles the recordings whose jobs are done, or of which one is set aside. */
  async #settleAll(all: readonly Recording[]): Promise<void> {
    const { queue, storage, libraries } = this.#context;
    const ended: Ended[] = [];
    for (const recording of all) {
      const jobs = await queue.list(recording.id);
      const failure = jobs.find(({ state }) => state === 'failed')?.failure;
      const result = jobs.find(isFinished)?.result as WorkResult | undefined;
      if (failure) ended.push({ recording, failure: withoutPaths(failure, recording) });
      else if (result) ended.push({ recording, result });
    }
    // Questions find them before anybody learns that they are done.
    for (const [tenant, own] of Map.groupBy(ended, ({ recording }) => recording.tenant)) {
      const logs = own.flatMap(({ result }) => result?.recording?.log ?? []);
      for (const log of logs) await storage.fetch(log);
      if (logs.length > 0) await libraries.add(tenant, logs);
    }
    for (const one of ended) await this.#settle(one);
  }

  async #settle({ recording, failure, result }: Ended): Promise<void> {
    const { database, recordings, webhooks, telemetry } = this.#context;
    const { id, tenant, name } = recording;
    const state = failure ? 'failed' : 'done';
    const isSettled = await database.transaction(async (queries) => {
      if (!(await recordings.move(id, 'queued', state, { failure, result }, queries))) return false;
      const data = failure
        ? { id, name, code: failure.code, message: failure.message }
        : { id, name, events: result?.recording?.events, duration: result?.recording?.duration };
      await webhooks.announce(tenant, `recording.${state}`, data, queries);
      return true;
    });
    this.#progress.delete(id);
    if (!isSettled) return;
    telemetry.recordings.inc({ state });
    telemetry.recordedSeconds.inc(result?.recording?.duration ?? 0);
    telemetry.cpuSeconds.inc(result?.cpuSeconds ?? 0);
  }
}

/** A failure as its tenant may see it: paths of the server are replaced by the name of the recording. */
function withoutPaths({ code, message, hint }: JobFailure, { media, folder, name }: Recording): JobFailure {
  const show = (text: string): string => text.replaceAll(folder, `${name}.playbyplay`).replaceAll(media, name);
  return { code, message: show(message), hint: hint && show(hint) };
}

/** A recording whose jobs are over, and how they ended. */
interface Ended {
  readonly recording: Recording;
  readonly failure?: JobFailure;
  readonly result?: WorkResult;
}

/** Whether a job made the log of its recording. */
function isFinished({ state, work }: ListedJob): boolean {
  return state === 'done' && (work as RecordingWork).kind !== 'read';
}
