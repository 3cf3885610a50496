import { activationsOf } from '../../cues/activation.ts';
import { acceptedFrom } from '../../cues/tracker.ts';
import type { Plugins } from '../../detectors/plugins/load.ts';
import { loadKind } from '../../detectors/registry.ts';
import { mediaOf } from '../../profile/media.ts';
import type { Profile } from '../../profile/profile.ts';
import { INTERVAL, intervalOf } from '../../profile/interval.ts';
import type { BetweenRules } from './between.ts';
import type { ProbeRule } from './probe.ts';

/**
 * The rules of an adaptive plan; undefined where it is not worth probing: some detector persists for less than two of its samples,
 * so that no sample could be left out, and every probe would be one more reading of all the others.
 */
export async function adaptiveRules(
  profile: Profile,
  plugins?: Plugins,
  media?: string,
): Promise<ProbeRule[] | undefined> {
  const rules = await probeRules(profile, plugins, media);
  const fleeting = Object.keys(profile.detectors).some((name, d) => rules[d]!.persists < 2 * intervalOf(profile, name));
  return fleeting ? undefined : rules;
}

/** For every detector, in the profile's order, when two probes of it tell what lies between them. */
export async function probeRules(profile: Profile, plugins?: Plugins, media?: string): Promise<ProbeRule[]> {
  const switched = activationsOf(profile);
  return Promise.all(
    Object.entries(profile.detectors).map(async ([name, spec]) => {
      const kind = await loadKind(spec.kind, plugins);
      // What is heard or told is not probed, nor what lies in another recording, nor what others switch on: that is read where it is on.
      const persists =
        kind.input === 'audio' ||
        kind.input === 'records' ||
        mediaOf(spec) !== media ||
        (switched.get(name)?.length ?? 0) > 0
          ? Number.POSITIVE_INFINITY
          : (spec.persists ?? intervalOf(profile, name));
      // Kinds with a tracker of their own judge confidence by other rules.
      return { persists, confidence: kind.track ? 0 : acceptedFrom(spec) };
    }),
  );
}

/**
 * When a full plan need not read a sample: of detectors that are sampled more often than the profile as a whole, and whose readings
 * persist, those between two samples that agree. Undefined where there are none, or where some are switched or placed by others,
 * which looks at every sample in turn.
 */
export async function betweenRules(
  profile: Profile,
  plugins?: Plugins,
  media?: string,
): Promise<BetweenRules | undefined> {
  const specs = Object.entries(profile.detectors);
  const switched = activationsOf(profile);
  if ([...switched.values()].some((causes) => causes.length > 0)) return undefined;
  if (Object.values(profile.regions).some((region) => region.relative)) return undefined;
  const usual = profile.sampling?.interval ?? INTERVAL;
  const often = await Promise.all(
    specs.map(async ([name, spec]) => {
      const kind = await loadKind(spec.kind, plugins);
      const judged = kind.track || kind.input !== 'frame' || !TOLD.has(kind.name);
      return !judged && spec.persists !== undefined && intervalOf(profile, name) < usual ? 1 : 0;
    }),
  );
  if (!often.includes(1)) return undefined;
  return { probes: await probeRules(profile, plugins, media), often: Uint8Array.from(often) };
}

/** Kinds that read a picture in the thread that has it: others may leave it to another one. */
const TOLD: ReadonlySet<string> = new Set(['text', 'icon', 'color', 'bar']);
