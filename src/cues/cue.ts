import type { CueValue } from '../events/log.ts';

/** A stable change of a detector's reading. Times in seconds. */
export interface Cue {
  /** Time of the first sample of the stable run. */
  readonly t: number;
  readonly detector: string;
  readonly region?: string;
  readonly trigger: 'found' | 'changed' | 'lost';
  readonly value?: CueValue;
  readonly previous?: CueValue;
  readonly confidence: number;
  /** What the detector said beyond the value (a feed line's alternatives, a bar's raw fill). */
  readonly detail?: unknown;
}
