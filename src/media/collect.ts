import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { tune } from '../compute/tuning.ts';

/** Bytes of pictures looked at between two collections of garbage. */
const EVERY = 512 << 20;
/** What reading a picture leaves behind in the way of garbage does not depend on its size. */
const LEAST = 1 << 20;

type Collect = (options: { readonly type: 'major'; readonly execution: 'sync'; readonly flavor: 'regular' }) => void;

let collect: Collect | undefined;
let looked = 0;

/**
 * To be told of every picture that was looked at, and of other work as if it were pictures. V8 counts a view of a picture as if
 * the picture's bytes were its own: left to itself it marks the whole heap twice a second of work, on threads of its own,
 * for a sixth of all processor time. Here it is told to let the heap grow, and to collect after so many bytes, which keeps
 * the memory of an hour at that of a minute.
 */
export function lookedAt(bytes: number): void {
  looked += Math.max(bytes, LEAST);
  collect ??= takeOver();
  if (looked < EVERY) return;
  looked = 0;
  collect({ type: 'major', execution: 'sync', flavor: 'regular' });
}

function takeOver(): Collect {
  setFlagsFromString('--expose-gc');
  const found: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof found !== 'function') return () => {};
  // Without the second, the bytes of pictures alone, which are none of its own, let it mark the heap.
  tune('--heap-growing-percent=3000', '--external-memory-accounted-in-global-limit');
  return found as Collect;
}
