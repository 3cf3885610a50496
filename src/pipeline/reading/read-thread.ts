import { serve } from '../../compute/scheduler/serve.ts';
import { now } from '../../compute/scheduler/trace.ts';
import { loadPlugins } from '../../detectors/plugins/load.ts';
import { type Cells, watch } from '../../detectors/plugins/watch.ts';
import { kindNames } from '../../detectors/registry.ts';
import { openVideo, type VideoDescription } from '../../media/video.ts';
import { loadProfile } from '../../profile/load.ts';
import type { HudSettings } from '../../regions/place.ts';
import { ReadingSession, type ReadRequest, type SettleRequest } from './session.ts';
import { type PassedSample, Sharer } from './sharing.ts';

/** What a reading thread is told first. */
export interface OpenRequest {
  readonly open: {
    readonly media: string;
    /** What opening the recording has told already. */
    readonly described: VideoDescription | undefined;
    /** Path of the profile. */
    readonly profile: string;
    readonly hud: HudSettings | undefined;
    /** The recording is this companion of the profile's. */
    readonly companion: string | undefined;
    /** Paths of the plug-ins' modules. */
    readonly plugins: readonly string[];
    readonly languages: readonly string[];
    /** Where calls into plug-ins are counted. */
    readonly cells: Cells;
    /** Plug-ins that are called no more, by their place in `plugins`, and why. */
    readonly silenced: readonly (readonly [plugin: number, reason: string])[];
  };
}

let session: ReadingSession | undefined;

/** What the thread notes while it reads: a sign of life, or what it leaves to others. */
export type ReadingNote = { readonly alive: true } | PassedSample;

serve(async (request, { signal, note }) => {
  const wanted = request as OpenRequest | ReadRequest | SettleRequest;
  if ('open' in wanted) {
    const { media, described, profile, hud, companion, languages } = wanted.open;
    watch.cells = wanted.open.cells;
    watch.silenced = new Map(wanted.open.silenced);
    const plugins = await loadPlugins(wanted.open.plugins, kindNames());
    const loaded = await loadProfile(profile, { language: languages.length > 0 ? languages : undefined });
    const game = { ...loaded, plugins };
    session = await ReadingSession.open(openVideo(media, described), game, { hud, companion, owned: true });
    return undefined;
  }
  if (!session) throw new TypeError('the reading thread has not been told what to open');
  if ('settle' in wanted) return session.settle(wanted.settle);
  let told = now();
  const alive = () => {
    if (now() - told < wanted.pulse) return;
    told = now();
    note({ alive: true } satisfies ReadingNote);
  };
  const { share } = wanted;
  const sharer = share && new Sharer(share.waiting, share.most, (passed, memory) => note(passed, memory));
  return session.read(wanted, { signal, share: sharer, alive });
});
