import { scanPackets } from '../../src/media/packets/scan-packets.ts';
import { openVideo } from '../../src/media/video.ts';
import type { Profile } from '../../src/profile/profile.ts';
import { planSamples } from '../../src/sampling/plan.ts';
import { roundTime } from '../../src/time.ts';
import type { Rules } from './truth.ts';

/** The sampling and stability that the profile declares, with the frames that this recording's samples take. */
export function declaredRules(video: string, profile: Profile): Rules {
  using file = openVideo(video);
  const index = scanPackets(file);
  const timesOf = (interval: number): number[] =>
    planSamples(index, { interval }).map((sample) => roundTime(index.t[sample.frame]!));
  const interval = profile.sampling?.interval ?? 0.1;
  const rules = Object.entries(profile.detectors).map(([name, spec]) => {
    const samples = spec.stability?.samples ?? 2;
    const times = timesOf(spec.interval ?? interval);
    return [name, { samples, lost: spec.stability?.lost ?? samples, times }] as const;
  });
  return { ...Object.fromEntries(rules), default: { samples: 2, times: timesOf(interval) } };
}
