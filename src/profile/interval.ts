import type { Profile } from './profile.ts';

/** The default distance of samples, in seconds. */
export const INTERVAL = 0.1;

/** Seconds between the samples of a detector. */
export function intervalOf(profile: Profile, detector: string): number {
  return profile.detectors[detector]!.interval ?? profile.sampling?.interval ?? INTERVAL;
}
