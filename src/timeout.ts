import { Script } from 'node:vm';

/** A function did not return in time. */
export class CallTimeout extends Error {
  override readonly name = 'CallTimeout';
}

const CALL_SLOT = Symbol.for('playbyplay.call');
const slot = globalThis as { [CALL_SLOT]?: () => unknown };
const callScript = new Script("globalThis[Symbol.for('playbyplay.call')]()");

/**
 * Runs a function, also one that loops in WebAssembly. Only `node:vm` can interrupt the thread that runs it. A call costs some
 * 0.1 ms more.
 *
 * @throws CallTimeout if it does not return in time. What it was working on is then in an undefined state.
 */
export function runWithTimeout<T>(run: () => T, seconds: number): T {
  slot[CALL_SLOT] = run;
  try {
    return callScript.runInThisContext({ timeout: Math.ceil(1000 * seconds), displayErrors: false }) as T;
  } catch (error) {
    const { code } = (error ?? {}) as { code?: unknown };
    if (code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new CallTimeout(`it did not answer within ${seconds} s`, { cause: error });
  }
}
