import type { Size } from '../geometry.ts';
import type { DetectorSpec, Profile } from './profile.ts';

/** The companion recording that a detector looks at or listens to; undefined: the recording itself. */
export function mediaOf(spec: Pick<DetectorSpec, 'media'>): string | undefined {
  return spec.media;
}

/** The frame size on which the regions were measured that lie on a companion recording, or on the recording itself. */
export function referenceOf(profile: Profile, media: string | undefined): Size {
  return media === undefined ? profile.reference : (profile.media?.[media]?.reference ?? profile.reference);
}
