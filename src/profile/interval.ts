import type { DetectorSpec, Profile } from './profile.ts';

/** The default distance of samples, in seconds. */
export const INTERVAL = 0.1;

/** About how long a frame is shown, in seconds: what detectors that count frames go by where a time is asked for. */
const FRAME = 1 / 30;

/** n of a detector that looks at every n-th frame; undefined of those whose samples lie in a grid of times. */
export function everyOf(profile: Profile, detector: string): number | undefined {
  const { interval, every } = profile.detectors[detector]!;
  if (every !== undefined || interval !== undefined) return every;
  return profile.sampling?.all ? 1 : profile.sampling?.every;
}

/** Seconds between the samples of a detector: of one that counts frames, about. */
export function intervalOf(profile: Profile, detector: string): number {
  const every = everyOf(profile, detector);
  if (every !== undefined) return every * FRAME;
  return profile.detectors[detector]!.interval ?? profile.sampling?.interval ?? INTERVAL;
}

/**
 * Seconds between the ticks of a detector's grid, between which no more can lie unless samples are missing; 0 where frames are
 * counted: however far apart those are, none is missing.
 */
export function gridOf(profile: Profile, detector: string): number {
  return everyOf(profile, detector) === undefined ? intervalOf(profile, detector) : 0;
}

/** What a detector is opened with: as in the profile, with the interval that holds for it. */
export function withInterval(profile: Profile, detector: string): DetectorSpec {
  return { ...profile.detectors[detector]!, interval: intervalOf(profile, detector) };
}
