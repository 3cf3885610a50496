import type { Size } from '../geometry.ts';
import type { Profile } from './profile.ts';

/** Seconds between samples if neither the detector nor the profile says. */
export const DEFAULT_INTERVAL_SECONDS = 0.1;

/** Assumed duration of a frame in seconds, for detectors that count frames. */
const NOMINAL_FRAME_SECONDS = 1 / 30;

/**
 * Resolves the frame step of a detector, from its own options or the profile's sampling.
 *
 * @returns n for a detector that samples every n-th frame; `undefined` for one that samples at fixed times.
 */
export function resolveFrameStep(profile: Profile, detector: string): number | undefined {
  const { interval, every } = profile.detectors[detector]!;
  if (every !== undefined || interval !== undefined) return every;
  return profile.sampling?.all ? 1 : profile.sampling?.every;
}

/** Resolves the seconds between the samples of a detector; an estimate for a detector that counts frames. */
export function resolveInterval(profile: Profile, detector: string): number {
  const step = resolveFrameStep(profile, detector);
  if (step !== undefined) return step * NOMINAL_FRAME_SECONDS;
  return profile.detectors[detector]!.interval ?? profile.sampling?.interval ?? DEFAULT_INTERVAL_SECONDS;
}

/**
 * Resolves the spacing of a detector's sampling grid in seconds. Samples further apart than this mean that some are missing; 0
 * for a detector that counts frames, because their distance is unknown.
 */
export function resolveGridSpacing(profile: Profile, detector: string): number {
  return resolveFrameStep(profile, detector) === undefined ? resolveInterval(profile, detector) : 0;
}

/**
 * Resolves the frame size on which regions were measured.
 *
 * @param media The companion recording; `undefined`: the recording itself.
 */
export function resolveReferenceSize(profile: Profile, media: string | undefined): Size {
  return (media === undefined ? undefined : profile.media?.[media]?.reference) ?? profile.reference;
}
