import { activationsOf, sameSample } from '../../cues/activation.ts';
import type { Profile } from '../../profile/profile.ts';

/** Detectors whose readings decide whether, or where, others are read. */
export function awaitedIn(profile: Profile): Set<string> {
  const names = Object.keys(profile.detectors);
  const switches = [...activationsOf(profile).values()].flat(2);
  return new Set([
    ...names.flatMap((name) => sameSample(profile, name).filter((other) => other !== name)),
    ...switches.flatMap(({ sources }) => sources),
    ...Object.values(profile.screens ?? {}).map(({ detector }) => detector),
  ]);
}
