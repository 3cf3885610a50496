import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { listWorkspace } from '../../api/workspace.ts';
import { call } from '../api-client.ts';
import { EmptyState, ErrorNotice, Loading } from '../components/basic.tsx';
import { useLoaded } from '../components/load.ts';
import { goTo, linkTo, place } from '../router.ts';
import { bytes, text } from '../strings.ts';

/** Whether the recording that the studio was started with has been opened: going back to the list does not open it again. */
let hasOpenedInitial = false;

/** The recordings of the opened folders. */
export function RecordingsPage() {
  const { value, error, reload } = useLoaded((signal) => call(listWorkspace, { signal }), []);
  const search = useSignal('');
  const { recording: current } = place.value.parameters;
  useEffect(() => {
    if (value?.initial === undefined || hasOpenedInitial) return;
    hasOpenedInitial = true;
    if (current === undefined) goTo('review', { recording: value.initial });
  }, [value]);
  if (error !== undefined) return <ErrorNotice error={error} retry={reload} />;
  if (!value) return <Loading />;
  const wanted = search.value.trim().toLowerCase();
  const shown = value.recordings.filter(({ path }) => path.toLowerCase().includes(wanted));
  const t = text.recordings;
  return (
    <section class="page recordings-page" aria-labelledby="recordings-title">
      <header class="page-header">
        <div>
          <h1 id="recordings-title">{t.title}</h1>
          <p class="hint">
            {t.inFolders(value.folders.map(({ name }) => name))} · {t.count(value.recordings.length)}
          </p>
        </div>
        <label class="search">
          <span class="visually-hidden">{t.search}</span>
          <input
            type="search"
            placeholder={t.search}
            value={search.value}
            onInput={(event) => {
              search.value = event.currentTarget.value;
            }}
          />
        </label>
      </header>
      {!value.isComplete && <p class="hint">{t.cutOff}</p>}
      {value.recordings.length === 0 ? (
        <EmptyState title={t.none}>
          <p class="hint">{t.noneHint}</p>
        </EmptyState>
      ) : shown.length === 0 ? (
        <EmptyState title={t.noMatch} />
      ) : (
        <ul class="recording-list">
          {shown.map(({ path, name, bytes: size, log }) => (
            <li key={path}>
              <a href={linkTo('review', { recording: path })} aria-current={path === current ? 'true' : undefined}>
                <span class="recording-name">{name}</span>
                <span class="recording-size">{bytes(size)}</span>
                <span class={log === undefined ? 'tag' : 'tag tag-good'}>{log === undefined ? t.noLog : t.hasLog}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
