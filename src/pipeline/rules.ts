import { activationsOf } from '../cues/activation.ts';
import { acceptedFrom } from '../cues/tracker.ts';
import type { Plugins } from '../detectors/plugins/load.ts';
import { loadKind } from '../detectors/registry.ts';
import { mediaOf } from '../profile/media.ts';
import type { Profile } from '../profile/profile.ts';
import { intervalOf } from './interpreter.ts';
import type { ProbeRule } from './adaptive.ts';

/** For every detector, in the profile's order, when two probes of it tell what lies between them. */
export async function probeRules(profile: Profile, plugins?: Plugins, media?: string): Promise<ProbeRule[]> {
  const switched = activationsOf(profile);
  return Promise.all(
    Object.entries(profile.detectors).map(async ([name, spec]) => {
      const kind = await loadKind(spec.kind, plugins);
      // What is heard or told is not probed, nor what lies in another recording, nor what others switch on: that is read where it is on.
      const persists =
        kind.listen || kind.follow || mediaOf(spec) !== media || (switched.get(name)?.length ?? 0) > 0
          ? Number.POSITIVE_INFINITY
          : (spec.persists ?? intervalOf(profile, name));
      // Kinds with a tracker of their own judge confidence by other rules.
      return { persists, confidence: kind.track ? 0 : acceptedFrom(spec) };
    }),
  );
}
