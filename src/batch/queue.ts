/** What a queue keeps of a job besides its state. */
export interface NewJob {
  /** A UUID that follows from the work: the same work has the same id, so that adding it twice is adding it once. */
  readonly id: string;
  /** What groups jobs: those of one call of `process`, or of one tenant. */
  readonly batch: string;
  /** Name for people: the path of the recording. */
  readonly name: string;
  /** What is to be done, as JSON. */
  readonly work: unknown;
}

/** Why a job failed, and how often it was tried. */
export interface JobFailure {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** `waiting` jobs may have been tried before; `failed` ones are set aside. */
export type JobState = 'waiting' | 'running' | 'done' | 'failed';

/** A job as a queue lists it. */
export interface ListedJob extends NewJob {
  readonly state: JobState;
  /** How often it was begun. */
  readonly attempt: number;
  /** Of a job that is set aside, or that failed before. */
  readonly failure: JobFailure | undefined;
  /** Of a job that is done. */
  readonly result: unknown;
}

/** A job that a worker has taken, until it settles it or its heartbeats stop. */
export interface Lease {
  readonly job: NewJob;
  /** From 1. A later attempt makes this lease void. */
  readonly attempt: number;
}

/** Seconds after its last heartbeat at which a job is given to another worker. */
export const HEARTBEAT_TIMEOUT_SECONDS = 30;
/** How often a job is begun before it is set aside: what kills its worker so often would go on killing workers. */
export const MAX_ATTEMPTS = 3;
/** Code of the failure of a job whose workers ended without a word. */
export const WORKER_LOST = 'worker-lost';

/**
 * A queue of jobs that several workers share. Every job is done at least once; its result is stored together with its completion,
 * once. A worker that is killed, stalls or loses its connection loses its lease, and another one takes the job.
 */
export interface JobQueue extends AsyncDisposable {
  /** Adds jobs that are not there yet and returns how many those are. */
  add(jobs: readonly NewJob[]): Promise<number>;
  /** Takes the next job; `undefined` where none is waiting. */
  take(): Promise<Lease | undefined>;
  /** Says that a job is still being worked on. Returns false where the lease is void: its work should stop. */
  beat(lease: Lease): Promise<boolean>;
  /**
   * Stores a result, the completion of the job and the jobs that follow from it, in one transaction.
   *
   * @param following The jobs to add, given the results of the batch's jobs including this one.
   * @returns False where the lease is void; nothing is stored then.
   */
  complete(lease: Lease, result: unknown, following?: FollowingJobs): Promise<boolean>;
  /**
   * Ends an attempt.
   *
   * @param options `isFinal`: sets the job aside instead of trying it again. `isFree`: the attempt does not count, because the
   *   worker stops.
   */
  fail(
    lease: Lease,
    failure: JobFailure,
    options?: { readonly isFinal?: boolean; readonly isFree?: boolean },
  ): Promise<void>;
  /** Jobs of a batch in the order in which they were added. */
  list(batch: string): Promise<readonly ListedJob[]>;
  /** How many jobs of a batch are neither done nor set aside. */
  countOpen(batch: string): Promise<number>;
  /** Makes jobs that are set aside wait again. */
  retry(ids: readonly string[]): Promise<void>;
}

/** Decides which jobs follow from a completed one, by the jobs of its batch that are done. */
export type FollowingJobs = (done: ReadonlySet<string>) => readonly NewJob[];
