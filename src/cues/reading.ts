import type { CueValue } from '../events/log.ts';

/**
 * What one detector sees in one sample. `absent`: it is sure that nothing is there; `unreadable`: something may be there
 * but cannot be read, which neither confirms nor breaks a run. Confidence is a probability that the reading is right, 0…1.
 */
export type Observation =
  | { readonly state: 'seen'; readonly value: CueValue; readonly confidence: number; readonly detail?: unknown }
  | { readonly state: 'absent'; readonly confidence: number }
  | {
      readonly state: 'unreadable';
      readonly confidence: number;
      readonly detail?: unknown;
      /** Why a plug-in could not read: its own mistake, which is counted among the run's problems. */
      readonly failure?: string;
    };

/** One detector's observation of one sample: the unit that workers hand over. Times in seconds. */
export interface Reading {
  readonly detector: string;
  readonly t: number;
  readonly observation: Observation;
}
