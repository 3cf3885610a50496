import { serve } from '../compute/scheduler/threads.ts';
import { loadPlugins } from '../detectors/plugins/load.ts';
import { kindNames } from '../detectors/registry.ts';
import { openVideo } from '../media/video.ts';
import { loadProfile } from '../profile/load.ts';
import type { HudSettings } from '../regions/place.ts';
import { ReadingSession, type ReadRequest } from './session.ts';

/** What a reading thread is told first. */
export interface OpenRequest {
  readonly open: {
    readonly media: string;
    /** Path of the profile. */
    readonly profile: string;
    readonly hud: HudSettings | undefined;
    /** Paths of the plug-ins' modules. */
    readonly plugins: readonly string[];
  };
}

let session: ReadingSession | undefined;

serve(async (request, { signal }) => {
  const wanted = request as OpenRequest | ReadRequest;
  if ('open' in wanted) {
    const { media, profile, hud } = wanted.open;
    const plugins = await loadPlugins(wanted.open.plugins, kindNames());
    const game = { ...(await loadProfile(profile)), plugins };
    session = await ReadingSession.open(openVideo(media), game, { hud, owned: true });
    return undefined;
  }
  if (!session) throw new TypeError('the reading thread has not been told what to open');
  return session.read(wanted, signal);
});
