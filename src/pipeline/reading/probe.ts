import type { Observation } from '../../detectors/kind.ts';
import { ASLEEP } from './chunk-readings.ts';

/** When two probes of a detector tell what lies between them. */
export interface ProbeRule {
  /** Seconds for which a changed reading does not come back: probes further apart prove nothing. */
  readonly persists: number;
  /** The confidence that a reading needs to count; a probe below it proves nothing. */
  readonly confidence: number;
}

/** Whether two probes of a detector say the same for certain. Unreadable ones prove nothing. */
export function agree(a: Observation | undefined, b: Observation | undefined, confidence: number): boolean {
  // Not read: another screen was shown, or it seemed to be switched off.
  if (!a || !b || a === ASLEEP || b === ASLEEP) return a === b;
  if (a.state === 'unreadable' || a.state !== b.state) return false;
  if (Math.min(a.confidence, b.confidence) < confidence) return false;
  return a.state !== 'seen' || b.state !== 'seen' || a.value === b.value;
}
