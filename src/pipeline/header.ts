import { basename } from 'node:path';
import { pluginsUsed } from '../detectors/plugins/load.ts';
import type { HeaderLine } from '../events/log.ts';
import { INTERVAL } from '../profile/interval.ts';
import type { Profile } from '../profile/profile.ts';
import type { HudSettings } from '../regions/place.ts';
import type { Rational } from '../time.ts';
import { VERSION } from '../version.ts';
import type { Game } from './game.ts';

/** What of it was to be read, and how. */
interface Asked {
  readonly media: string;
  readonly plan?: 'full' | 'adaptive';
  readonly from?: number;
  readonly to?: number;
}

/** What was found in the files that are read. */
interface Found {
  /** Of the recording's content. */
  readonly print: { readonly hash: string; readonly bytes: number };
  readonly info: {
    readonly width: number;
    readonly height: number;
    readonly frameRate: Rational;
    readonly startOffset: number;
  };
  /** Seconds. */
  readonly duration: number;
  readonly streams: NonNullable<HeaderLine['streams']>;
  readonly companions: NonNullable<HeaderLine['companions']>;
  readonly placement: HeaderLine['placement'];
}

/** The log's first line: what its events come from. */
export function headerOf(
  game: Game,
  { media, plan = 'full', from, to }: Asked,
  { print, info, duration, streams, companions, placement }: Found,
): HeaderLine {
  const plugins = pluginsUsed(
    game.plugins,
    Object.values(game.profile.detectors).map(({ kind }) => kind),
  );
  return {
    type: 'header',
    format: 'playbyplay/1',
    game: game.profile.game,
    session: `${game.profile.game}-${print.hash.slice(0, 12)}`,
    media: {
      name: basename(media),
      ...print,
      duration,
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
      kind: plan,
      ...rhythmOf(game.profile),
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
    },
    ...(placement ? { placement } : {}),
    ...(streams.length > 0 ? { streams } : {}),
    ...(companions.length > 0 ? { companions } : {}),
    ...(plugins.length > 0 ? { plugins } : {}),
    program: VERSION,
  };
}

/** How detectors are sampled that do not say it themselves. */
function rhythmOf({ sampling }: Profile): { readonly interval: number } | { readonly every: number } {
  const every = sampling?.all ? 1 : sampling?.every;
  return every === undefined ? { interval: sampling?.interval ?? INTERVAL } : { every };
}

/** What readings depend on: not on script and dictionary, so that a changed script is run again on the old readings. */
export function journalKey(
  { media, profile, plan, plugins, companions, program }: HeaderLine,
  hud: HudSettings | undefined,
): Record<string, string> {
  return {
    media: media.hash,
    profile: profile.hash,
    plan: JSON.stringify(plan),
    program,
    hud: JSON.stringify(hud ?? {}),
    ...(plugins ? { plugins: JSON.stringify(plugins) } : {}),
    ...(companions ? { companions: JSON.stringify(companions) } : {}),
  };
}
