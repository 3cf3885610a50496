// A worker thread that reads chunks for ReaderPool.
import { serve } from '../../threads/serve.ts';
import { loadPlugins } from '../../detectors/plugins/load.ts';
import { kindNames } from '../../detectors/registry.ts';
import type { HudSettings } from '../../geometry.ts';
import { openVideo, type VideoDescription } from '../../media/video.ts';
import { openCheckedProfile } from '../../profile/checked.ts';
import { compileProfile } from '../compile-profile.ts';
import { ChunkReader } from './chunk-reader.ts';
import type { PlannedChunk } from './plan.ts';

/** What a thread opens first. */
export interface OpenRequest {
  readonly open: {
    readonly media: string;
    /** What opening the recording has found already. */
    readonly description: VideoDescription | undefined;
    /** Path of the profile. */
    readonly profile: string;
    readonly languages: readonly string[];
    readonly plan: 'full' | 'adaptive';
    readonly hud: HudSettings | undefined;
    readonly companion: string | undefined;
    /** Paths of the plug-ins' modules. */
    readonly plugins: readonly string[];
  };
}

/** Milliseconds between two signs of life. */
const SIGN_OF_LIFE_MS = 250;

let reader: ChunkReader | undefined;

serve(async (request, { signal, notify }) => {
  const wanted = request as OpenRequest | { readonly read: PlannedChunk };
  if ('open' in wanted) {
    const { media, description, profile, languages, plan, hud, companion } = wanted.open;
    const plugins = await loadPlugins(wanted.open.plugins, kindNames());
    const loaded = await openCheckedProfile(profile, languages.length > 0 ? languages : undefined);
    const game = await compileProfile(loaded, plugins);
    reader = await ChunkReader.open(openVideo(media, description), game, { plan, hud, companion });
    return undefined;
  }
  if (!reader) throw new TypeError('the reader thread has not opened a recording');
  let last = performance.now();
  const giveSign = (): void => {
    if (performance.now() - last < SIGN_OF_LIFE_MS) return;
    last = performance.now();
    notify('alive');
  };
  return await reader.read(wanted.read, { signal, onPicture: giveSign, onPacket: giveSign });
});
