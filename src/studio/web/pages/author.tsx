import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { draftElements, pickColor, identifyElement } from '../../api/authoring.ts';
import { call } from '../api-client.ts';
import { EmptyState, ErrorNotice } from '../components/basic.tsx';
import { useKeys } from '../keys.ts';
import { type Authoring, type Edit, trackProgress } from '../author/authoring.ts';
import { ElementPanel, type PictureUse, ReadingView } from '../author/element-panel.tsx';
import { HudOverlay, type PictureClick } from '../author/hud-overlay.tsx';
import { Progress } from '../author/png.tsx';
import { SheetDialog } from '../author/sheet-dialog.tsx';
import { beginSound, SoundPanel } from '../author/sound-panel.tsx';
import { authorText } from '../author/strings.ts';
import { PackTimeline, usePackReadings } from '../author/pack-timeline.tsx';
import { AuthorBar, AuthorProblem, FilesNotice, withPack } from '../author/work.tsx';
import { Controls } from '../player/controls.tsx';
import { FrameView } from '../player/frame-view.tsx';
import type { Player } from '../player/player.ts';
import { usePlayer } from '../components/recording-page.tsx';

/** The elements of a HUD over the picture, with what they read. */
export const AuthorPage = withPack('author', ({ authoring, recording }) => (
  <AuthorWork key={recording} authoring={authoring} recording={recording} />
));

function AuthorWork({ authoring, recording }: { readonly authoring: Authoring; readonly recording: string }) {
  const player = usePlayer(recording);
  const isDrawing = useSignal(false);
  const isTeaching = useSignal(false);
  const use = useSignal<PictureUse | undefined>(undefined);
  const click = useSignal<PictureClick | undefined>(undefined);
  const readings = usePackReadings(authoring, player);
  useEffect(() => authoring.follow(player), [authoring, player]);
  useEffect(() => {
    // The element that is chosen is the field that is stepped by.
    readings.field.value = authoring.selected.value;
  }, [readings, authoring.selected.value]);
  useEffect(() => {
    // For measurements in a browser.
    Object.assign(globalThis, { playbyplay: { player, authoring } });
  }, [player, authoring]);
  const pack = authoring.pack.value!;
  const element = authoring.element.value;
  const info = player.info.value;
  const t = authorText;
  const startDrawing = (): void => {
    player.pause();
    isDrawing.value = true;
  };
  const startMarking = (): void => {
    if (info?.hasSound !== true) return;
    player.pause();
    isDrawing.value = false;
    authoring.drawn.value = undefined;
    beginSound(authoring, player);
  };
  const stop = (): void => {
    isDrawing.value = false;
    authoring.sound.value = undefined;
    authoring.drawn.value = undefined;
    setUse(undefined);
  };
  function setUse(next: PictureUse | undefined, onPicture?: PictureClick): void {
    use.value = next;
    click.value =
      next?.kind === 'color'
        ? { onClick: (x, y) => void pick(x, y, next.option) }
        : next === undefined
          ? undefined
          : onPicture;
  }
  const pick = async (x: number, y: number, option: 'fill' | 'empty'): Promise<void> => {
    const one = authoring.element.value;
    if (!one) return;
    const { color } = await call(pickColor, { query: { media: recording, t: player.shown.value?.t ?? 0, x, y } });
    if (color === undefined) return;
    const colors = (one.detector[option] ?? []) as readonly string[];
    await authoring.edit({
      op: 'set-detector',
      name: one.name,
      options: { [option]: [...new Set([...colors, color])] },
    });
  };
  const choose = (step: number): void => {
    const names = pack.elements.map(({ name }) => name);
    const at = names.indexOf(authoring.selected.value ?? '');
    authoring.selected.value = names[(at + step + names.length + (at < 0 && step < 0 ? 1 : 0)) % names.length];
  };
  useKeys([
    { key: 'd', does: t.keys.draw, run: startDrawing },
    { key: 's', does: t.keys.sound, run: startMarking },
    { key: 'ArrowDown', does: t.keys.next, run: () => choose(1) },
    { key: 'ArrowUp', does: t.keys.previous, run: () => choose(-1) },
    {
      key: 'a',
      does: t.keys.accept,
      run: () => element && void authoring.edit({ op: 'accept', names: [element.name] }),
    },
    { key: 'x', does: t.keys.refuse, run: () => element && void authoring.edit({ op: 'refuse', name: element.name }) },
    {
      key: 'f',
      does: t.keys.teach,
      run: () => {
        if (element?.kind === 'text') isTeaching.value = true;
      },
    },
    { key: 'Escape', does: t.cancel, run: stop },
  ]);
  if (player.error.value !== undefined) return <ErrorNotice error={player.error.value} />;
  return (
    <div class="author-page">
      <h1 class="visually-hidden">
        {pack.title}: {t.elements}
      </h1>
      <AuthorBar authoring={authoring} page="author" recording={recording} />
      <div class="viewer">
        <FrameView
          player={player}
          overlay={(place) =>
            info && (
              <HudOverlay
                authoring={authoring}
                place={place}
                frame={info}
                isDrawing={isDrawing.value}
                click={click.value}
                onDrawn={(box) => {
                  isDrawing.value = false;
                  authoring.drawn.value = { box, name: '', detector: { kind: 'text', reader: 'general' } };
                }}
              />
            )
          }
        />
        <Controls player={player} />
        <PackTimeline authoring={authoring} player={player} readings={readings} />
      </div>
      <aside class="author-panel" aria-label={t.elements}>
        <AuthorProblem authoring={authoring} />
        {authoring.drawn.value ? (
          <NewElement authoring={authoring} recording={recording} player={player} onClose={stop} />
        ) : authoring.sound.value ? (
          <SoundPanel authoring={authoring} player={player} onClose={stop} />
        ) : (
          <>
            <ElementTools
              authoring={authoring}
              isDrawing={isDrawing.value}
              onDraw={startDrawing}
              onSound={info?.hasSound === true ? startMarking : undefined}
              recording={recording}
            />
            <ElementList authoring={authoring} />
            {element && (
              <ElementPanel
                key={element.name}
                authoring={authoring}
                element={element}
                player={player}
                use={use.value}
                setUse={setUse}
                onTeach={() => {
                  isTeaching.value = true;
                }}
              />
            )}
            <FilesNotice authoring={authoring} />
          </>
        )}
      </aside>
      {isTeaching.value && element && (
        <SheetDialog
          authoring={authoring}
          name={element.name}
          recording={recording}
          onClose={() => {
            isTeaching.value = false;
          }}
        />
      )}
    </div>
  );
}

function ElementTools({
  authoring,
  isDrawing,
  onDraw,
  onSound,
  recording,
}: {
  readonly authoring: Authoring;
  readonly isDrawing: boolean;
  readonly onDraw: () => void;
  readonly onSound: (() => void) | undefined;
  readonly recording: string;
}) {
  const share = useSignal<number | undefined>(undefined);
  const proposed = authoring.pack.value!.elements.filter(({ status }) => status === 'proposed');
  const t = authorText;
  // An empty list says itself what to do.
  const isEmpty = authoring.pack.value!.elements.length === 0;
  const hint = isEmpty ? '' : proposed.length > 0 ? t.proposedHint : t.acceptedHint;
  const draft = async (): Promise<void> => {
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
      authoring.take(await call(draftElements, { body: { ...authoring.id, media: [recording], job: progress.job } }));
    } catch (error) {
      authoring.error.value = error;
    } finally {
      progress.stop();
      share.value = undefined;
    }
  };
  if (share.value !== undefined) return <Progress share={share.value} label={t.start.finding} />;
  return (
    <div class="panel-tools">
      <button type="button" id="draw-box" aria-pressed={isDrawing} onClick={onDraw}>
        {t.draw} <kbd>D</kbd>
      </button>
      {onSound && (
        <button type="button" id="mark-sound" onClick={onSound}>
          {t.sound.mark} <kbd>S</kbd>
        </button>
      )}
      <button type="button" onClick={() => void draft()}>
        {t.redraft}
      </button>
      <button
        type="button"
        id="accept-all"
        disabled={proposed.length === 0}
        onClick={() => void authoring.edit({ op: 'accept', names: proposed.map(({ name }) => name) })}
      >
        {t.acceptAll}
      </button>
      <p class="hint">{isDrawing ? t.drawing : hint}</p>
    </div>
  );
}

/** The elements with what they read now. */
function ElementList({ authoring }: { readonly authoring: Authoring }) {
  const { elements } = authoring.pack.value!;
  const t = authorText;
  if (elements.length === 0)
    return (
      <EmptyState title={t.noElements}>
        <p class="hint">{t.noElementsHint}</p>
      </EmptyState>
    );
  return (
    <ul class="element-list" aria-label={t.elements}>
      {elements.map(({ name, kind, status }) => {
        const reading = authoring.readings.value.get(name);
        return (
          <li key={name}>
            <button
              type="button"
              data-status={status}
              aria-pressed={name === authoring.selected.value}
              onClick={() => {
                authoring.selected.value = name;
              }}
            >
              <span class="element-name">
                <strong>{name}</strong>
                <span class="hint">
                  {t.kinds[kind] ?? kind}
                  {status !== 'accepted' && ` · ${t.status[status]}`}
                </span>
              </span>
              {reading && status !== 'refused' && (
                <span class="element-value numbers" data-verdict={reading.verdict}>
                  {reading.value === undefined ? t.verdicts[reading.verdict] : String(reading.value)}
                </span>
              )}
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** Names a box that was drawn; what it shows over time is found out meanwhile. */
function NewElement({
  authoring,
  recording,
  player,
  onClose,
}: {
  readonly authoring: Authoring;
  readonly recording: string;
  readonly player: Player;
  readonly onClose: () => void;
}) {
  const drawn = authoring.drawn.value!;
  const kind = useSignal<string>('text');
  const share = useSignal<number | undefined>(undefined);
  const t = authorText;
  const reading = authoring.detail.value;
  const setKind = (next: string): void => {
    kind.value = next;
    const detector =
      // A single row is a text; the feed that it belongs to is found afterwards.
      next === 'text' || next === 'feed' ? { kind: 'text', reader: 'general' } : { kind: next };
    authoring.drawn.value = { ...drawn, detector };
  };
  const add = async (): Promise<void> => {
    const name = drawn.name.trim();
    if (name === '') return;
    let { detector, box } = drawn;
    let notice = '';
    let found: Partial<Pick<Extract<Edit, { readonly op: 'add' }>, 'events' | 'font' | 'examples'>> = {};
    if (kind.value === 'text' || kind.value === 'feed') {
      share.value = 0;
      const progress = trackProgress(share as { value: number });
      try {
        const media = [recording];
        const row = kind.value === 'feed' ? { rowAt: player.shown.value?.t ?? player.t.value } : {};
        const body = { ...authoring.id, media, box: drawn.box, name, job: progress.job, ...row };
        const studied = await call(identifyElement, { body });
        if (studied.isFound) {
          const { region: _, ...spec } = studied.detector ?? {};
          detector = spec;
          box = studied.box ?? box;
          found = {
            events: studied.events ?? [],
            examples: studied.examples ?? [],
            ...(studied.font ? { font: studied.font } : {}),
          };
          notice = t.studied(studied.type ?? '', Math.round(100 * (studied.certainty ?? 0)));
        } else {
          notice = t.notStudied;
          if (kind.value === 'feed') detector = { kind: 'feed' };
        }
      } catch (error) {
        authoring.error.value = error;
      } finally {
        progress.stop();
        share.value = undefined;
      }
    } else if (kind.value === 'icon') detector = { kind: 'text', reader: 'general' };
    const before = new Set(authoring.pack.value!.elements.map((one) => one.name));
    const element = { op: 'add', name, box, detector: detector as { readonly kind: unknown }, ...found } as const;
    const isSaved = await authoring.edit(element, notice);
    if (!isSaved) return;
    authoring.drawn.value = undefined;
    authoring.selected.value = authoring.pack.value!.elements.find((one) => !before.has(one.name))?.name;
    onClose();
  };
  return (
    <form
      class="new-element"
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <label class="field">
        <span>{t.newName}</span>
        <input
          id="drawn-name"
          ref={(input) => input?.focus()}
          placeholder={t.newNameExample}
          value={drawn.name}
          onInput={(event) => {
            authoring.drawn.value = { ...drawn, name: event.currentTarget.value };
          }}
        />
      </label>
      <label class="field">
        <span>{t.kind}</span>
        <select value={kind.value} onChange={(event) => setKind(event.currentTarget.value)}>
          {(['text', 'bar', 'feed'] as const).map((one) => (
            <option key={one} value={one}>
              {t.kinds[one]}
            </option>
          ))}
        </select>
      </label>
      {kind.value === 'feed' && <p class="hint">{t.feedHint}</p>}
      {reading && <ReadingView reading={reading} milliseconds={authoring.milliseconds.value} />}
      {share.value === undefined ? (
        <div class="row">
          <button type="submit" class="primary" disabled={drawn.name.trim() === ''}>
            {t.add}
          </button>
          <button type="button" onClick={onClose}>
            {t.cancel}
          </button>
        </div>
      ) : (
        <Progress share={share.value} label={t.studying} />
      )}
    </form>
  );
}
