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
  /** The evidence is thin: it may be a misreading, say of a name that nothing else in the recording shows. */
  readonly tentative?: true;
  /** Found in the first reading of all: whether it was there before the recording (or what is read of it) began is not known. */
  readonly first?: true;
  /** What the detector said beyond the value (a feed line's alternatives, a bar's raw fill). */
  readonly detail?: unknown;
}
