import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { exportFormatList, reelAspects, reelStyleNames } from '../../api/cut-choices.ts';
import { EmptyState, ErrorNotice, Loading } from '../components/basic.tsx';
import { HistoryButtons } from '../components/history-buttons.tsx';
import { NoLog } from '../components/no-log.tsx';
import { JobStatus } from '../components/job.tsx';
import { ChooseRecording, usePlayer } from '../components/recording-page.tsx';
import { Cut, type ReelSettings } from '../cut/cut.ts';
import { SceneCards } from '../cut/scene-cards.tsx';
import { useKeys } from '../keys.ts';
import { Controls } from '../player/controls.tsx';
import { FrameView } from '../player/frame-view.tsx';
import type { Player } from '../player/player.ts';
import { Readings } from '../player/readings.ts';
import { Timeline } from '../player/timeline.tsx';
import { place } from '../router.ts';
import { clock, text } from '../strings.ts';

/** The page on which a reel is cut. */
export function CutPage() {
  const { recording } = place.value.parameters;
  return recording === undefined ? <ChooseRecording /> : <RecordingCut key={recording} path={recording} />;
}

function RecordingCut({ path }: { readonly path: string }) {
  const player = usePlayer(path);
  const log = player.info.value?.log;
  const readings = useMemo(() => (log === undefined ? undefined : new Readings({ log }, player)), [log, player]);
  const cut = useMemo(() => (log === undefined ? undefined : new Cut(log, player)), [log, player]);
  useEffect(() => () => cut?.close(), [cut]);
  if (player.error.value !== undefined) return <ErrorNotice error={player.error.value} />;
  return (
    <div class="review-page cut-page">
      <h1 class="visually-hidden">{text.pages.cut}</h1>
      <div class="viewer">
        <FrameView player={player} overlay={() => cut && <CaptionPreview cut={cut} />} />
        <Controls player={player} />
        <Timeline player={player} log={log} readings={readings} />
      </div>
      <aside class="review-panel" aria-label={text.cut.panel}>
        {cut ? <CutPanel cut={cut} player={player} /> : player.info.value && <NoLog player={player} />}
      </aside>
    </div>
  );
}

/** The caption of the scene that is played, where it will be burnt in. */
function CaptionPreview({ cut }: { readonly cut: Cut }) {
  const scene = cut.scenes.value?.[cut.playing.value];
  const isShown = scene !== undefined && cut.look.value.captions !== 'none';
  return <>{isShown && <p class="caption-preview">{scene.title}</p>}</>;
}

function CutPanel({ cut, player }: { readonly cut: Cut; readonly player: Player }) {
  const t = text.cut;
  const scenes = cut.scenes.value;
  const isPlaying = cut.playing.value >= 0;
  // Not what was rendered last: keys may be faster.
  const selected = (): number => cut.selected.peek();
  const toggle = (): void => {
    if (cut.playing.peek() >= 0) cut.stop();
    else cut.play(Math.max(0, selected()));
  };
  useKeys([
    { key: 'p', does: t.keys.play, run: toggle },
    {
      key: 'ArrowDown',
      does: t.keys.next,
      run: () => cut.select(Math.min((cut.scenes.peek()?.length ?? 0) - 1, selected() + 1)),
    },
    { key: 'ArrowUp', does: t.keys.previous, run: () => cut.select(Math.max(0, selected() - 1)) },
    { key: 'Alt+ArrowDown', does: t.down, run: () => cut.move(selected(), selected() + 1) },
    { key: 'Alt+ArrowUp', does: t.up, run: () => cut.move(selected(), selected() - 1) },
    { key: '[', does: t.keys.startHere, run: () => cut.trimHere('start') },
    { key: ']', does: t.keys.endHere, run: () => cut.trimHere('end') },
    { key: 'n', does: t.addHere, run: () => cut.addHere() },
    { key: 'Delete', does: t.remove, run: () => cut.remove(selected()) },
    { key: 'Control+z', does: text.review.keys.undo, run: () => void cut.stepHistory('undo') },
    { key: 'Control+y', does: text.review.keys.redo, run: () => void cut.stepHistory('redo') },
  ]);
  if (!scenes) return cut.error.value === undefined ? <Loading /> : <ErrorNotice error={cut.error.value} />;
  return (
    <>
      <ChooseScenes cut={cut} />
      {cut.error.value !== undefined && <ErrorNotice error={cut.error.value} retry={() => void cut.load()} />}
      <div class="scenes-summary">
        <span class="hint numbers">{t.summary(scenes.length, clock(cut.length.value, 1))}</span>
        <HistoryButtons history={cut.history.value} onStep={(step) => void cut.stepHistory(step)} />
      </div>
      {scenes.length === 0 ? (
        <EmptyState title={t.none}>
          <p class="hint">{t.noneHint}</p>
        </EmptyState>
      ) : (
        <SceneCards cut={cut} />
      )}
      <div class="cut-bar">
        <button type="button" disabled={scenes.length === 0} onClick={toggle}>
          {isPlaying ? t.stop : t.play} <kbd>P</kbd>
        </button>
        <button type="button" disabled={player.duration.value === 0} onClick={() => cut.addHere()}>
          {t.addHere} <kbd>N</kbd>
        </button>
      </div>
      <Output cut={cut} />
    </>
  );
}

function ChooseScenes({ cut }: { readonly cut: Cut }) {
  const t = text.cut;
  const seconds = useSignal(60);
  const question = useSignal('');
  return (
    <form
      class="choose-scenes"
      onSubmit={(event) => {
        event.preventDefault();
        void cut.choose(seconds.value, question.value);
      }}
    >
      <label class="grows">
        {t.question}
        <input
          value={question.value}
          placeholder={t.questionExample}
          onInput={(event) => {
            question.value = event.currentTarget.value;
          }}
        />
      </label>
      <label>
        {t.seconds}
        <input
          type="number"
          min="1"
          max="36000"
          value={seconds.value}
          onInput={(event) => {
            seconds.value = Number(event.currentTarget.value);
          }}
        />
      </label>
      <button type="submit" disabled={cut.isChoosing.value || !(seconds.value >= 1)}>
        {cut.isChoosing.value ? t.choosing : t.choose}
      </button>
    </form>
  );
}

/** How the reel looks, and where it goes. */
function Output({ cut }: { readonly cut: Cut }) {
  const t = text.cut;
  const { value: look } = cut.look;
  const isRunning = cut.job.state.value?.state === 'running';
  const isEmpty = (cut.scenes.value?.length ?? 0) === 0;
  const set = (change: Partial<ReelSettings>): void => {
    cut.look.value = { ...look, ...change };
  };
  return (
    <section class="output" aria-label={t.output}>
      <div class="output-fields">
        <Select
          label={t.aspect}
          value={look.aspect!}
          of={reelAspects}
          names={t.aspects}
          onChange={(aspect) => set({ aspect })}
        />
        <Select
          label={t.captions}
          value={look.captions!}
          of={['none', 'track', 'burn'] as const}
          names={t.captionKinds}
          onChange={(captions) => set({ captions })}
        />
        <Select
          label={t.style}
          value={look.style!}
          of={reelStyleNames}
          names={t.styles}
          onChange={(style) => set({ style })}
        />
        <label>
          {t.title}
          <input
            value={look.title}
            placeholder={t.noTitle}
            onInput={(event) => set({ title: event.currentTarget.value })}
          />
        </label>
      </div>
      <form
        class="render-form"
        onSubmit={(event) => {
          event.preventDefault();
          void cut.render();
        }}
      >
        <input
          aria-label={t.file}
          title={t.file}
          value={cut.name.value}
          pattern=".+\.(mp4|mkv|webm|mov)"
          onInput={(event) => {
            cut.name.value = event.currentTarget.value;
          }}
        />
        <button type="submit" class="primary" disabled={isRunning || isEmpty}>
          {t.render}
        </button>
        <label class="export-menu">
          <span class="visually-hidden">{t.export}</span>
          <select
            disabled={isEmpty}
            value=""
            onChange={(event) => {
              const format = exportFormatList.find(([name]) => name === event.currentTarget.value);
              event.currentTarget.value = '';
              if (format) void cut.export(format[0]);
            }}
          >
            <option value="">{t.export}</option>
            {exportFormatList.map(([name, , program]) => (
              <option key={name} value={name}>
                {program}
              </option>
            ))}
          </select>
        </label>
      </form>
      <JobStatus job={cut.job} />
    </section>
  );
}

function Select<T extends string>(props: {
  readonly label: string;
  readonly value: T;
  readonly of: readonly T[];
  readonly names: Readonly<Record<T, string>>;
  readonly onChange: (value: T) => void;
}) {
  const { label, value, of, names, onChange } = props;
  return (
    <label>
      {label}
      <select
        value={value}
        onChange={(event) => {
          const chosen = of.find((each) => each === event.currentTarget.value);
          if (chosen !== undefined) onChange(chosen);
        }}
      >
        {of.map((each) => (
          <option key={each} value={each}>
            {names[each]}
          </option>
        ))}
      </select>
    </label>
  );
}
