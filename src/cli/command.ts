import { PlaybyplayError } from '../errors.ts';

/** Where a command reads and writes: data to `stdout`, everything else to `stderr`. */
export interface CommandIo {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  /** Whether stderr is a terminal: progress is shown only there. */
  readonly isTty: boolean;
  readonly signal: AbortSignal;
}

/** One command of the program: `playbyplay <name> …`. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** Usage, options, examples. */
  readonly help: string;
  /** Runs with the arguments behind the name; the exit code: 0 ok, 1 failure, 2 usage, 3 findings, 130 interrupted. */
  run(args: string[], io: CommandIo): Promise<number>;
}

/** An error of the command line itself: what is wrong with it, as a clause; what to write instead, as a sentence. */
export function usage(message: string, hint?: string): PlaybyplayError {
  return new PlaybyplayError('usage', message, { hint });
}
