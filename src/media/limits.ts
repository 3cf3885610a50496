import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { PlaybyplayError } from '../errors.ts';

/** What a recording may have at most. Recordings come from strangers; work and memory must not grow without a bound. */
export interface MediaLimits {
  /** Pixels of a picture. */
  readonly pixels: number;
  /** Hours from the first picture to the last, by the timestamps. */
  readonly hours: number;
  /** Streams in the file. */
  readonly streams: number;
  /** Video packets a second, on average over the recording; the first minute's worth is always read. */
  readonly rate: number;
  /** Video packets, each of which takes about 100 bytes of memory. */
  readonly packets: number;
}

/** The limits unless `setMediaLimits` changes them: 8K pictures, a week, 46 hours at 60 pictures a second. */
export const DEFAULT_MEDIA_LIMITS: MediaLimits = {
  pixels: 8192 * 4320,
  hours: 168,
  streams: 100,
  rate: 1000,
  packets: 10_000_000,
};

/** Key under which threads find the limits of the thread that started them. */
const KEY = 'playbyplay media limits';

/** The limits in this thread. */
export function mediaLimits(): MediaLimits {
  return { ...DEFAULT_MEDIA_LIMITS, ...(getEnvironmentData(KEY) as Partial<MediaLimits> | undefined) };
}

/**
 * Changes limits for all recordings that this thread, and threads that it starts afterwards, open from now on.
 *
 * @example
 * setMediaLimits({ pixels: 16_384 * 8640 });
 */
export function setMediaLimits(limits: Partial<MediaLimits>): void {
  setEnvironmentData(KEY, { ...mediaLimits(), ...limits });
}

const UNITS: Readonly<Record<keyof MediaLimits, string>> = {
  pixels: 'pixels in a picture',
  hours: 'hours by its timestamps',
  streams: 'streams',
  rate: 'packets a second',
  packets: 'packets',
};

/**
 * Checks a recording against one of the limits.
 *
 * @throws PlaybyplayError `over-limit`.
 */
export function checkLimit(name: keyof MediaLimits, amount: number, path: string): void {
  const limit = mediaLimits()[name];
  if (amount <= limit) return;
  const rounded = Math.ceil(amount);
  throw new PlaybyplayError('over-limit', `${path} has ${rounded} ${UNITS[name]}, more than ${limit}`, {
    hint: `If that is right, raise the limit: --limit ${name}=${rounded}`,
  });
}
