import { pluginsUsed } from '../detectors/plugins/load.ts';
import type { JournalKey } from '../events/journal.ts';
import type { HeaderLine } from '../events/log.ts';
import { DEFAULT_INTERVAL_SECONDS } from '../profile/defaults.ts';
import type { Profile } from '../profile/profile.ts';
import type { HudSettings } from '../geometry.ts';
import type { VideoInfo } from '../media/container/info.ts';
import { VERSION } from '../version.ts';
import type { Game } from './game.ts';
import type { MediaIdentity } from './source.ts';

/** What the header of a log is made from. */
interface HeaderParts {
  /** File name of the recording. */
  readonly name: string;
  readonly identity: MediaIdentity;
  readonly info: Pick<VideoInfo, 'width' | 'height' | 'frameRate' | 'startOffset'>;
  readonly plan: {
    readonly kind: 'full' | 'adaptive';
    readonly from: number | undefined;
    readonly to: number | undefined;
  };
  readonly streams: NonNullable<HeaderLine['streams']>;
  readonly companions: NonNullable<HeaderLine['companions']>;
  readonly placement: HeaderLine['placement'];
  readonly live?: HeaderLine['live'];
}

/** Creates the first line of a log: what its events are derived from. */
export function createHeader(
  game: Game,
  { name, identity, info, plan, streams, companions, placement, live }: HeaderParts,
): HeaderLine {
  const plugins = pluginsUsed(
    game.plugins,
    game.detectors.map(({ kind }) => kind.name),
  );
  return {
    type: 'header',
    format: 'playbyplay/1',
    game: game.profile.game,
    session: `${game.profile.game}-${identity.hash.slice(0, 12)}`,
    media: {
      name,
      hash: identity.hash,
      bytes: identity.bytes,
      duration: identity.duration ?? 0,
      width: info.width,
      height: info.height,
      ...(info.frameRate.num > 0 ? { frameRate: info.frameRate } : {}),
      start: info.startOffset,
    },
    profile: game.fingerprint,
    ...(game.languages.length > 0 ? { languages: game.languages } : {}),
    ...(game.script ? { script: game.script.fingerprint } : {}),
    dictionaries: game.dictionaries,
    plan: {
      kind: plan.kind,
      ...samplingOf(game.profile),
      ...(plan.from === undefined ? {} : { from: plan.from }),
      ...(plan.to === undefined ? {} : { to: plan.to }),
    },
    ...(placement ? { placement } : {}),
    ...(streams.length > 0 ? { streams } : {}),
    ...(companions.length > 0 ? { companions } : {}),
    ...(plugins.length > 0 ? { plugins } : {}),
    ...(live ? { live } : {}),
    program: VERSION,
  };
}

/** How detectors are sampled unless they say it themselves. */
function samplingOf({ sampling }: Profile): { readonly interval: number } | { readonly every: number } {
  const every = sampling?.all ? 1 : sampling?.every;
  return every === undefined ? { interval: sampling?.interval ?? DEFAULT_INTERVAL_SECONDS } : { every };
}

/**
 * What readings depend on. Script and dictionary are not among it, so a changed script can run on stored readings.
 *
 * @param detectors Their names in the order of the stored readings; {@link detectorsOfKey} gives them back.
 */
export function journalKey(
  { media, profile, plan, plugins, companions, program }: HeaderLine,
  hud: HudSettings | undefined,
  detectors: readonly string[],
): Record<string, string> {
  return {
    media: media.hash,
    profile: profile.hash,
    detectors: JSON.stringify(detectors),
    plan: JSON.stringify(plan),
    program,
    hud: JSON.stringify(hud ?? {}),
    ...(plugins ? { plugins: JSON.stringify(plugins) } : {}),
    ...(companions ? { companions: JSON.stringify(companions) } : {}),
  };
}

/** The names of the detectors whose readings a journal holds, in their order; undefined where its key does not say. */
export function detectorsOfKey({ detectors }: JournalKey): readonly string[] | undefined {
  if (detectors === undefined) return undefined;
  const names: unknown = JSON.parse(detectors);
  return Array.isArray(names) ? names.map(String) : undefined;
}
