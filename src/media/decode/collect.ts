import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { READING } from '../../compute/flags.js';
import { tune } from '../../compute/tuning.ts';

/**
 * Bytes by which the heap of each thread may grow between two collections of garbage, which take 50 ms: without what is short-lived, which
 * has room of its own, and most of which V8 collects by itself for next to nothing.
 */
const ROOM = 8 << 20;
/** Pictures after which the heap is measured. */
const PICTURES = 16;
/** Pictures after which there is as much room for what is short-lived as the start gave it, and everything is loaded. */
const STARTED = 64;
/** Pictures after which garbage is collected in any case: views of them hold memory that is not the heap's. */
const MOST = 512;

type Collect = (options: { readonly type: 'major'; readonly execution: 'sync'; readonly flavor: 'regular' }) => void;

let collect: Collect | undefined;
let pictures = 0;
/** Of these, how many whose views hold memory that is not the heap's. */
let views = 0;
let looks = 0;
/** What the heap held after the last collection. */
let held: number | undefined;

/**
 * To be told of every picture that was looked at, and of other work now and then. V8 counts a view of a picture as if
 * the picture's bytes were its own: left to itself it marks the whole heap twice a second of work, on threads of its own,
 * for a sixth of all processor time. Here it is told to let the heap grow, and to collect when the heap has grown by so
 * much, which keeps the memory of an hour at that of a minute.
 */
export function lookedAt(): void {
  views++;
  measureHeap();
}

/** To be told of every picture that was looked at in memory which this thread always has. */
export function measureHeap(): void {
  collect ??= takeOver();
  // Compiled code that was kept is refused under other flags: this one would be the wrong one while modules are loaded.
  if (++looks === STARTED) tune('--semi-space-growth-factor=1');
  if (++pictures % PICTURES !== 0) return;
  const used = lasting();
  held ??= used;
  if (used < held + ROOM && views < MOST) return;
  collectNow();
}

/** Collects garbage at once: after work that leaves much of it, before pictures are looked at. */
export function collectNow(): void {
  collect ??= takeOver();
  pictures = 0;
  views = 0;
  collect({ type: 'major', execution: 'sync', flavor: 'regular' });
  held = lasting();
}

/** Bytes of the heap, but for what is short-lived. */
function lasting(): number {
  let bytes = 0;
  for (const { space_name: name, space_used_size: used } of getHeapSpaceStatistics())
    if (!name.startsWith('new_')) bytes += used;
  return bytes;
}

function takeOver(): Collect {
  setFlagsFromString('--expose-gc');
  const found: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof found !== 'function') return () => {};
  tune(...READING);
  return found as Collect;
}
