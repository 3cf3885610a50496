import type { Observation } from '../../detectors/kind.ts';
import { ASLEEP, type Observations } from './chunk-readings.ts';

/** When two probes of a detector tell what lies between them. */
export interface ProbeRule {
  /** Seconds for which a changed reading does not come back: probes further apart prove nothing. */
  readonly persists: number;
  /** The confidence that a reading needs to count; a probe below it proves nothing. */
  readonly confidence: number;
}

/** What all detectors see on one picture. */
export interface Probe {
  readonly t: number;
  readonly seen: Observations;
}

/** The last keyframe of a chunk, which is the first of the next. */
export interface Carried {
  frame: number;
  probe: Probe | undefined;
}

/** Whether two probes of a detector say the same for certain. Unreadable ones prove nothing. */
export function agree(a: Observation | undefined, b: Observation | undefined, confidence: number): boolean {
  // Not read: another screen was shown, or it seemed to be switched off.
  if (!a || !b || a === ASLEEP || b === ASLEEP) return a === b;
  if (a.state === 'unreadable' || a.state !== b.state) return false;
  if (Math.min(a.confidence, b.confidence) < confidence) return false;
  return a.state !== 'seen' || b.state !== 'seen' || a.value === b.value;
}
