import { useSignal } from '@preact/signals';
import { createPack } from '../../api/authoring.ts';
import { listWorkspace } from '../../api/workspace.ts';
import { call } from '../api-client.ts';
import { ErrorNotice, Loading } from '../components/basic.tsx';
import { useLoaded } from '../components/load.ts';
import { goTo, linkTo, place } from '../router.ts';
import { trackProgress } from './authoring.ts';
import { Progress } from './png.tsx';
import { authorText } from './strings.ts';

/** Chooses a game of the opened folders, or begins a new one from a recording. */
export function AuthorStart({ page }: { readonly page: string }) {
  const { value, error, reload } = useLoaded((signal) => call(listWorkspace, { signal }), []);
  const title = useSignal('');
  const chosen = useSignal<string | undefined>(place.value.parameters['recording']);
  const share = useSignal<number | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const t = authorText.start;
  if (error !== undefined) return <ErrorNotice error={error} retry={reload} />;
  if (!value) return <Loading />;
  const recording = chosen.value ?? value.recordings[0]?.path;
  const create = async (isEmpty: boolean): Promise<void> => {
    if (recording === undefined || title.value.trim() === '') return;
    failure.value = undefined;
    share.value = 0;
    const progress = trackProgress({
      get value() {
        return share.value ?? 0;
      },
      set value(next: number) {
        if (share.value !== undefined) share.value = next;
      },
    });
    try {
      const folder = recording.split('/')[0]!;
      const body = { folder, title: title.value.trim(), media: [recording], isEmpty, job: progress.job };
      const made = await call(createPack, { body });
      goTo('author', { recording, pack: made.path, game: made.game });
    } catch (problem) {
      failure.value = problem;
    } finally {
      progress.stop();
      share.value = undefined;
    }
  };
  return (
    <section class="page author-start" aria-labelledby="author-title">
      <header class="page-header">
        <div>
          <h1 id="author-title">{t.title}</h1>
          <p class="hint">{t.explain}</p>
        </div>
      </header>
      {failure.value !== undefined && <ErrorNotice error={failure.value} />}
      <div class="author-start-columns">
        <form
          class="card"
          onSubmit={(event) => {
            event.preventDefault();
            void create(false);
          }}
        >
          <h2>{t.create}</h2>
          <label class="field">
            <span>{t.name}</span>
            <input
              id="new-game"
              required
              maxLength={60}
              placeholder={t.nameExample}
              value={title.value}
              onInput={(event) => {
                title.value = event.currentTarget.value;
              }}
            />
          </label>
          <label class="field">
            <span>{t.recording}</span>
            {value.recordings.length === 0 ? (
              <span class="hint">{t.noRecordings}</span>
            ) : (
              <select
                value={recording}
                onChange={(event) => {
                  chosen.value = event.currentTarget.value;
                }}
              >
                {value.recordings.map(({ path }) => (
                  <option key={path} value={path}>
                    {path}
                  </option>
                ))}
              </select>
            )}
          </label>
          {share.value === undefined ? (
            <div class="row">
              <button type="submit" class="primary" disabled={recording === undefined}>
                {t.find}
              </button>
              <button
                type="button"
                disabled={recording === undefined}
                onClick={(event) => {
                  if (event.currentTarget.form!.reportValidity()) void create(true);
                }}
              >
                {t.empty}
              </button>
            </div>
          ) : (
            <>
              <Progress share={share.value} label={t.finding} />
              <p class="hint">{t.findingHint}</p>
            </>
          )}
        </form>
        <div class="card">
          <h2>{t.existing}</h2>
          {value.packs.length === 0 ? (
            <p class="hint">{t.none}</p>
          ) : (
            <ul class="link-list">
              {value.packs.map(({ path, game }) => (
                <li key={path + game}>
                  <a href={linkTo(page, { recording, pack: path, game })}>
                    <strong>{game}</strong>
                    <span class="hint">{path}</span>
                  </a>
                </li>
              ))}
            </ul>
          )}
        </div>
      </div>
    </section>
  );
}
