// A thread that chooses, renders and exports scenes: it may take minutes, and the server goes on answering.
import { chooseScenes } from '../../highlights/choose.ts';
import { exportAs } from '../../highlights/export.ts';
import { makeHighlightList } from '../../highlights/list.ts';
import { makeReel } from '../../highlights/reel.ts';
import { loadSources, makeQueryFilter } from '../../highlights/sources.ts';
import { reelStyle, type ReelStyleName } from '../../highlights/style.ts';
import { measureAudioLevels } from '../../media/write/audio-levels.ts';
import { PlaybyplayError } from '../../errors.ts';
import { openVideo } from '../../media/video.ts';
import { serve } from '../../threads/serve.ts';
import type { JobProgress } from '../jobs.ts';
import { type CutScene, fromCutScenes, toCutScenes } from './cut-scenes.ts';

interface CutInput {
  /** Real paths of the logs. */
  readonly paths: readonly string[];
  /** The logs as pages name them, in the same order. */
  readonly logs: readonly string[];
}

/** What the thread is asked for. */
export type CutRequest = CutInput &
  (
    | { readonly choose: { readonly duration: number; readonly question?: string | undefined } }
    | {
        readonly render: readonly CutScene[];
        readonly out: string;
        readonly aspect?: 'source' | '16:9' | '9:16' | '1:1' | undefined;
        readonly captions?: 'none' | 'track' | 'burn' | undefined;
        readonly style?: ReelStyleName | undefined;
        readonly title?: string | undefined;
      }
    | { readonly export: readonly CutScene[]; readonly format: string; readonly title: string }
  );

serve(async (message, { signal, notify }) => {
  const request = message as CutRequest;
  const { paths, logs } = request;
  const loaded = await loadSources(paths, { signal });
  const { sources, dictionary } = loaded;
  if ('choose' in request) {
    const { duration, question = '' } = request.choose;
    const envelopes = await Promise.all(
      sources.map(({ media, header }) =>
        media === undefined ? undefined : measureAudioLevels(media, header.media.duration, signal),
      ),
    );
    const include = question.trim() === '' ? {} : { include: makeQueryFilter([question], loaded) };
    const choice = chooseScenes(sources, { dictionary, duration, envelopes, ...include });
    return { scenes: toCutScenes(makeHighlightList(choice, sources), choice, logs), available: choice.available };
  }
  if ('export' in request) {
    const { choice } = fromCutScenes(request.export, sources, logs);
    const { text, issues } = exportAs(request.format, { choice, sources, dictionary, title: request.title, hasSound });
    return { text, issues: issues.map((issue) => issue.message) };
  }
  const { choice, captionTexts } = fromCutScenes(request.render, sources, logs);
  const { out, aspect = 'source', captions = 'track', style = 'plain', title = '' } = request;
  const { reel } = await makeReel(
    out,
    choice,
    sources,
    (source) => {
      if (source.media !== undefined) return source.media;
      throw new PlaybyplayError('no-media', `the recording ${source.header.media.name} is not next to its log`);
    },
    {
      aspect,
      captions,
      captionTexts,
      style: reelStyle(style),
      dictionary,
      ...(title !== '' && { title }),
      signal,
      onProgress: (done, total) => notify({ done, total } satisfies JobProgress),
    },
  );
  return { duration: reel.duration };
});

/** Whether a recording has sound; one that was not found is assumed to have it. */
function hasSound({ media }: { readonly media?: string }): boolean {
  if (media === undefined) return true;
  using file = openVideo(media);
  return file.info.audio.length > 0;
}
