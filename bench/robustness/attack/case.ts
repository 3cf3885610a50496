/** What a run of the program came to. */
export interface Outcome {
  /** Exit code; null if it was ended by a signal. */
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly seconds: number;
  /** Largest resident memory, in MB. */
  readonly megabytes: number;
}

/** A command line on hostile input. */
export interface AttackCase {
  readonly group: string;
  /** What is attempted, in a few words. Unique in its group. */
  readonly name: string;
  /**
   * Writes the input into an empty folder, which is also the working directory of the run.
   *
   * @returns The command line after `playbyplay`.
   */
  make(folder: string): readonly string[] | Promise<readonly string[]>;
  /** Environment variables of the run. */
  readonly env?: Readonly<Record<string, string>>;
  readonly expect: Expectation;
}

/**
 * What the program must do. In any case it must end by itself within its limits, and without reporting an internal error.
 */
export interface Expectation {
  /** Allowed exit codes. Default: 1 (refused). An interrupted run may also end with 130 or by the signal. */
  readonly exit?: readonly number[];
  /** What stderr must say. */
  readonly says?: RegExp;
  /** Returns what is wrong after the run, such as a file that was written or an event of another recording. */
  readonly check?: (folder: string, outcome: Outcome) => string | undefined | Promise<string | undefined>;
  /** Seconds that the run may take. Default: 60. */
  readonly seconds?: number;
  /** Resident memory that the run may use, in MB. Default: 1500. */
  readonly megabytes?: number;
  /** Open files that the run may have at once. Default: 256. */
  readonly descriptors?: number;
  /** A signal to send to the program once it has run for so many seconds; it must end within two more. */
  readonly interrupt?: { readonly signal: 'SIGINT' | 'SIGTERM'; readonly after: number };
}
