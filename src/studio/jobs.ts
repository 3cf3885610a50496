import { randomUUID } from 'node:crypto';
import { messageOf, PlaybyplayError } from '../errors.ts';

/** Something that takes minutes: how far it is. */
export interface Job {
  readonly id: string;
  /** The name of the file that is written. */
  readonly name: string;
  readonly state: 'running' | 'done' | 'failed' | 'cancelled';
  readonly done: number;
  readonly total: number;
  /** The file as pages name it. */
  readonly path: string;
  readonly problem?: string;
  readonly hint?: string;
}

/** Progress of a job, in a unit of its own. */
export interface JobProgress {
  readonly done: number;
  readonly total: number;
}

/** Jobs that are remembered after their end. */
const MAX_JOBS = 50;
/** Jobs that run at the same time: each uses all cores. */
const MAX_RUNNING = 2;

interface Entry {
  job: Job;
  readonly controller: AbortController;
  ended: Promise<void>;
}

/** What is being done that takes minutes, and what was. */
export class Jobs implements AsyncDisposable {
  readonly #jobs = new Map<string, Entry>();

  /**
   * Begins a job.
   *
   * @param name The name of the file that is written.
   * @param path The file as pages name it.
   * @param run Does it. What it throws is kept for the page.
   * @throws PlaybyplayError `busy` while others are running.
   */
  start(
    name: string,
    path: string,
    run: (signal: AbortSignal, onProgress: (at: JobProgress) => void) => Promise<unknown>,
  ): Job {
    const running = this.running();
    if (running.length >= MAX_RUNNING)
      throw new PlaybyplayError(
        'busy',
        `${running.length} jobs are running: ${running.map((job) => job.name).join(', ')}`,
        {
          hint: 'Wait for one to be done, or cancel it.',
        },
      );
    const id = randomUUID();
    const controller = new AbortController();
    const job: Job = { id, name, path, state: 'running', done: 0, total: 0 };
    const entry: Entry = { job, controller, ended: Promise.resolve() };
    this.#jobs.set(id, entry);
    const [oldest] = this.#jobs.keys();
    if (this.#jobs.size > MAX_JOBS) this.#jobs.delete(oldest!);
    const onProgress = (at: JobProgress): void => {
      entry.job = { ...entry.job, ...at };
    };
    entry.ended = run(controller.signal, onProgress).then(
      () => {
        entry.job = { ...entry.job, state: 'done' };
      },
      (error: unknown) => {
        const hint = error instanceof PlaybyplayError ? error.hint : undefined;
        entry.job = controller.signal.aborted
          ? { ...entry.job, state: 'cancelled' }
          : { ...entry.job, state: 'failed', problem: messageOf(error), ...(hint !== undefined && { hint }) };
      },
    );
    return job;
  }

  /** How far a job is. Throws PlaybyplayError `no-such-job`. */
  get(id: string): Job {
    return this.#find(id).job;
  }

  /** The jobs that are running. */
  running(): readonly Job[] {
    return [...this.#jobs.values()].map(({ job }) => job).filter(({ state }) => state === 'running');
  }

  /** Stops a job. Returns whether it was running. Throws PlaybyplayError `no-such-job`. */
  cancel(id: string): boolean {
    const { job, controller } = this.#find(id);
    controller.abort();
    return job.state === 'running';
  }

  #find(id: string): Entry {
    const entry = this.#jobs.get(id);
    if (!entry)
      throw new PlaybyplayError('no-such-job', 'there is no such job: the studio was restarted since it began');
    return entry;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { controller } of this.#jobs.values()) controller.abort();
    await Promise.all([...this.#jobs.values()].map(({ ended }) => ended));
  }
}
