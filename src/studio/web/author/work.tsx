import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { listWorkspace } from '../../api/workspace.ts';
import { call } from '../api-client.ts';
import { ErrorNotice, Loading } from '../components/basic.tsx';
import { useLoaded } from '../components/load.ts';
import { useKeys } from '../keys.ts';
import { goTo, linkTo, place } from '../router.ts';
import { text } from '../strings.ts';
import { type Authoring, authoringOf, openedPack } from './authoring.ts';
import { AuthorStart } from './start.tsx';
import { authorText } from './strings.ts';

/** A page on which a pack is written: it is chosen first. */
export function withPack(
  page: string,
  Page: (props: { readonly authoring: Authoring; readonly recording: string }) => ComponentChildren,
) {
  return function AuthorPage() {
    const { recording, pack, choose } = place.value.parameters;
    // Whoever comes back from another page goes on with the same game.
    const last = choose === undefined ? openedPack() : undefined;
    const path = pack ?? last?.path;
    const game = place.value.parameters['game'] ?? last?.game;
    if (path === undefined || game === undefined) return <AuthorStart page={page} />;
    return <Opened key={`${path} ${game}`} page={page} path={path} game={game} recording={recording} Page={Page} />;
  };
}

function Opened({
  page,
  path,
  game,
  recording,
  Page,
}: {
  readonly page: string;
  readonly path: string;
  readonly game: string;
  readonly recording: string | undefined;
  readonly Page: (props: { readonly authoring: Authoring; readonly recording: string }) => ComponentChildren;
}) {
  const authoring = authoringOf(path, game);
  const { value: pack } = authoring.pack;
  const first = recording ?? pack?.recordings[0]?.media;
  useEffect(() => {
    if (recording === undefined && first !== undefined) goTo(page, { recording: first, pack: path, game });
  }, [first]);
  useKeys([
    { key: 'Control+z', does: authorText.keys.undo, run: () => void authoring.step('undo') },
    { key: 'Control+y', does: authorText.keys.redo, run: () => void authoring.step('redo') },
  ]);
  if (!pack)
    return authoring.error.value === undefined ? (
      <Loading />
    ) : (
      <ErrorNotice error={authoring.error.value} retry={() => void authoring.load()} />
    );
  if (first === undefined) return <AuthorStart page={page} />;
  return <Page authoring={authoring} recording={first} />;
}

/** The bar above an author's page: game, recording, score, undo. */
export function AuthorBar({
  authoring,
  page,
  recording,
}: {
  readonly authoring: Authoring;
  readonly page: string;
  readonly recording: string;
}) {
  const { value: workspace } = useLoaded((signal) => call(listWorkspace, { signal }), []);
  const { path, game } = authoring;
  const pack = authoring.pack.value!;
  const { value: history } = authoring.history;
  const uses = new Map(pack.recordings.map(({ media, use }) => [media, use]));
  const t = authorText;
  return (
    <div class="author-bar">
      <a class="author-game" href={linkTo(page, { recording, choose: 'yes' })} title={t.otherGame}>
        {pack.title}
      </a>
      <label class="compact">
        <span class="visually-hidden">{t.recording}</span>
        <select
          id="author-recording"
          value={recording}
          onChange={(event) => goTo(page, { recording: event.currentTarget.value, pack: path, game })}
        >
          {[...new Set([recording, ...(workspace?.recordings.map((one) => one.path) ?? [])])].map((one) => (
            <option key={one} value={one}>
              {one.split('/').slice(1).join('/')}
              {uses.has(one) ? ` (${uses.get(one) === 'learn' ? t.learn : t.held})` : ''}
            </option>
          ))}
        </select>
      </label>
      <span class="spacer" />
      <Score authoring={authoring} />
      <button
        type="button"
        class="icon-button"
        disabled={!history.canUndo}
        title={text.undo(history.undo)}
        onClick={() => void authoring.step('undo')}
      >
        <span aria-hidden="true">↶</span>
        <span class="visually-hidden">{text.undo(history.undo)}</span>
      </button>
      <button
        type="button"
        class="icon-button"
        disabled={!history.canRedo}
        title={text.redo(history.redo)}
        onClick={() => void authoring.step('redo')}
      >
        <span aria-hidden="true">↷</span>
        <span class="visually-hidden">{text.redo(history.redo)}</span>
      </button>
    </div>
  );
}

/** Precision and recall of the last test, on all pages. */
function Score({ authoring }: { readonly authoring: Authoring }) {
  const { value: tested } = authoring.tested;
  const t = authorText.score;
  const score = tested?.run.held ?? tested?.run.all;
  if (!tested || !score || score.truth === 0) return <span class="tag">{t.none}</span>;
  const isGood = (score.precision ?? 0) >= 0.95 && (score.recall ?? 0) >= 0.95;
  return (
    <span class={`tag ${tested.isStale ? 'tag-warn' : isGood ? 'tag-good' : 'tag-bad'}`} title={t.title}>
      {t.precision} {authorText.percent(score.precision)} · {t.recall} {authorText.percent(score.recall)}
      {authoring.isScoring.value ? ` · ${t.running}` : tested.isStale && ` · ${t.stale}`}
    </span>
  );
}

/** What went wrong last, until the next change; else what was just found out. */
export function AuthorProblem({ authoring }: { readonly authoring: Authoring }) {
  const { value: error } = authoring.error;
  const { value: notice } = authoring.notice;
  if (error !== undefined) return <ErrorNotice error={error} retry={() => void reload(authoring)} />;
  return (
    <p class={notice === '' ? 'visually-hidden' : 'author-notice'} role="status">
      {notice}
    </p>
  );
}

async function reload(authoring: Authoring): Promise<void> {
  authoring.error.value = undefined;
  await authoring.load();
}

/** What the last edit changed in the files, and mistakes in them. */
export function FilesNotice({ authoring }: { readonly authoring: Authoring }) {
  const { diff, elements, ...found } = authoring.pack.value!;
  // A game that was just begun has no elements: that is no mistake yet.
  const { issues, warnings } = elements.length === 0 ? { issues: [], warnings: [] } : found;
  const t = authorText;
  return (
    <>
      {issues.length + warnings.length > 0 && (
        <details class="panel-details" open={issues.length > 0}>
          <summary>
            {issues.length > 0 ? t.issues : t.warnings}{' '}
            <span class={`tag ${issues.length > 0 ? 'tag-bad' : 'tag-warn'}`}>{issues.length + warnings.length}</span>
          </summary>
          <ul class="issue-list">
            {[...issues, ...warnings].map(({ path, message, hint }) => (
              <li key={`${path} ${message}`}>
                {message}
                {hint !== undefined && <span class="hint"> {hint}</span>}
              </li>
            ))}
          </ul>
        </details>
      )}
      <details class="panel-details">
        <summary>{t.diff}</summary>
        {diff.length === 0 ? (
          <p class="hint">{t.noDiff}</p>
        ) : (
          diff.map(({ path, lines }) => (
            <div key={path} class="diff">
              <p>
                <code>{path}</code>
              </p>
              {lines.length > 0 && (
                <pre tabIndex={0}>
                  {lines.map(({ kind, text: line }, i) => (
                    <span key={i} data-kind={kind}>
                      {MARKS[kind]}
                      {line}
                      {'\n'}
                    </span>
                  ))}
                </pre>
              )}
            </div>
          ))
        )}
      </details>
    </>
  );
}

const MARKS = { same: '  ', added: '+ ', removed: '− ', skipped: '  ' } as const;
