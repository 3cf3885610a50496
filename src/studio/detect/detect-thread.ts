// A thread that detects the events of a recording, as `playbyplay detect` does.
import { resolveGame } from '../../discovery/resolve-game.ts';
import { defaultFolder, recordLog } from '../../pipeline/record-log.ts';
import { serve } from '../../threads/serve.ts';
import type { JobProgress } from '../jobs.ts';

/** What to detect. */
export interface DetectEventsRequest {
  /** Real path of the recording. */
  readonly media: string;
  /** Real paths of packs that may know its game. */
  readonly profiles: readonly string[];
}

serve(async (message, { signal, notify }) => {
  const { media, profiles } = message as DetectEventsRequest;
  const report = (at: JobProgress): void => notify(at);
  const { game, isDraft } = await resolveGame(media, {
    game: 'auto',
    profiles,
    folder: defaultFolder(media),
    signal,
    onProgress: (share) => report({ done: share, total: 1 }),
  });
  const { events, doubt } = await recordLog({
    media,
    game,
    signal,
    ...(isDraft && { place: 'default' as const }),
    onMessage: (each) => {
      if (each.type === 'progress' && each.total !== undefined) report({ done: each.done, total: each.total });
    },
  });
  return { events, doubt };
});
