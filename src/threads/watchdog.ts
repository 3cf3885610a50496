import { PlaybyplayError } from '../errors.ts';
import type { RpcWorker } from './rpc-worker.ts';
import { now } from './trace.ts';

/** Environment variable with the seconds after which a thread without a sign of life is given up. */
export const STUCK_VARIABLE = 'PLAYBYPLAY_STUCK_SECONDS';
const DEFAULT_SECONDS = 120;
/** Native code that takes longer than this share of the time without a sign does not return. */
const SHARE_OF_A_CALL = 0.25;

/** Returns the seconds after which a thread without a sign of life is given up: the default, or what the environment says. */
export function stuckSeconds(environment: NodeJS.ProcessEnv = process.env): number {
  const value = Number(environment[STUCK_VARIABLE]);
  return value > 0 ? value : DEFAULT_SECONDS;
}

/** Code of the error of a thread that does not return. */
export const STUCK_CODE = 'stuck-in-library';

/** A thread that is being watched. Disposing of it ends the watch. */
export interface Watch extends Disposable {
  /** Call it whenever the thread shows that it works. */
  readonly onSign: () => void;
}

/**
 * Watches a thread that works on something. After `seconds` without a sign it is ended by `endLoop` if it runs JavaScript. Native code
 * that does not return cannot be ended without the process: the thread is abandoned, and its calls fail with `stuck-in-library`.
 *
 * @param task What the thread does, for the message: "reading 12.0–24.0 s".
 * @param endLoop Called where the thread runs JavaScript, or waits.
 */
export function watchThread(thread: RpcWorker, seconds: number, task: string, endLoop: () => void): Watch {
  let last = now();
  let isAsking = false;
  let isOver = false;
  const check = async (): Promise<void> => {
    if (isAsking || now() - last <= 1000 * seconds) return;
    isAsking = true;
    const seen = last;
    const answers = await thread.answers(SHARE_OF_A_CALL * 1000 * seconds);
    isAsking = false;
    if (isOver || last !== seen) return;
    if (answers) endLoop();
    else thread.abandon(stuckError(thread.name, task, seconds));
  };
  const timer = setInterval(() => void check(), Math.min(1000, 100 * seconds));
  return {
    onSign: () => {
      last = now();
    },
    [Symbol.dispose]() {
      isOver = true;
      clearInterval(timer);
    },
  };
}

function stuckError(name: string, task: string, seconds: number): PlaybyplayError {
  return new PlaybyplayError(STUCK_CODE, `${name} has not responded for ${seconds} s while ${task}`, {
    hint: `What was found before is kept; continue with --resume. If it stops at the same place again, convert the recording first: ffmpeg -i <recording> converted.mkv. For a slow disk, set ${STUCK_VARIABLE}=${Math.ceil(10 * seconds)}.`,
  });
}
