import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { ErrorNotice } from '../components/basic.tsx';
import { HistoryButtons } from '../components/history-buttons.tsx';
import { NoLog } from '../components/no-log.tsx';
import { ChooseRecording, usePlayer } from '../components/recording-page.tsx';
import { useKeys } from '../keys.ts';
import { Controls } from '../player/controls.tsx';
import { FrameView } from '../player/frame-view.tsx';
import { Readings } from '../player/readings.ts';
import { Timeline } from '../player/timeline.tsx';
import { EventDialog } from '../review/event-dialog.tsx';
import { EventList } from '../review/event-list.tsx';
import { QuestionBox } from '../review/question-box.tsx';
import { type Filter, Review } from '../review/review.ts';
import { place } from '../router.ts';
import { text } from '../strings.ts';

/** A recording with its time line, and its events to be reviewed. */
export function ReviewPage() {
  const { recording } = place.value.parameters;
  if (recording === undefined) return <ChooseRecording />;
  return <RecordingReview key={recording} path={recording} />;
}

function RecordingReview({ path }: { readonly path: string }) {
  const player = usePlayer(path);
  const log = player.info.value?.log;
  const review = useMemo(() => (log === undefined ? undefined : new Review(log, player)), [log, player]);
  useEffect(() => () => review?.close(), [review]);
  const readings = useMemo(() => (log === undefined ? undefined : new Readings({ log }, player)), [log, player]);
  useEffect(() => {
    // For measurements in a browser.
    Object.assign(globalThis, { playbyplay: { player, review, readings } });
  }, [player, review, readings]);
  if (player.error.value !== undefined) return <ErrorNotice error={player.error.value} />;
  return (
    <div class="review-page">
      <h1 class="visually-hidden">{path}</h1>
      <div class="viewer">
        <FrameView player={player} />
        <Controls player={player} />
        <Timeline
          player={player}
          log={log}
          version={review?.version.value}
          readings={readings}
          selected={review?.selected.value?.id}
          onSelect={(id, t) => void review?.selectById(id, t)}
        />
      </div>
      <aside class="review-panel" aria-label={text.review.panel}>
        {review ? <ReviewPanel review={review} /> : player.info.value && <NoLog player={player} />}
      </aside>
    </div>
  );
}

const FILTERS: readonly Filter[] = ['all', 'open', 'uncertain', 'corrected'];

function ReviewPanel({ review }: { readonly review: Review }) {
  const t = text.review;
  const dialog = useSignal<'change' | 'add' | undefined>(undefined);
  const { value: row } = review.selected;
  const { value: info } = review.info;
  const { value: list } = review.list;
  const { value: history } = review.history;
  const approve = (): void => void review.judge('approve', t.done.approved);
  const remove = (): void => void review.judge('delete', t.done.deleted);
  const revert = (): void => void review.judge('revert', t.done.reverted);
  const change = (): void => {
    // Not what was rendered last: keys may be faster.
    if (review.selected.peek()) dialog.value = 'change';
  };
  const add = (): void => {
    review.player.pause();
    dialog.value = 'add';
  };
  useKeys([
    { key: 'ArrowDown', does: t.keys.next, run: () => void review.step(1) },
    { key: 'ArrowUp', does: t.keys.previous, run: () => void review.step(-1) },
    { key: 'a', does: t.keys.approve, run: approve },
    { key: 'x', does: t.keys.delete, run: remove },
    { key: 'e', does: t.keys.change, run: change },
    { key: 'n', does: t.keys.add, run: add },
    { key: 'r', does: t.keys.revert, run: revert },
    { key: '/', does: t.keys.question, run: () => document.querySelector<HTMLElement>('#question')?.focus() },
    { key: 'Control+z', does: t.keys.undo, run: () => void review.stepHistory('undo') },
    { key: 'Control+y', does: t.keys.redo, run: () => void review.stepHistory('redo') },
  ]);
  return (
    <>
      <QuestionBox review={review} />
      <div class="list-tools">
        <div role="group" aria-label={t.filter} class="segments">
          {FILTERS.map((filter) => (
            <button
              key={filter}
              type="button"
              aria-pressed={review.filter.value === filter}
              onClick={() => review.setFilter(filter)}
            >
              {t.filters[filter]}
            </button>
          ))}
        </div>
        <span class="hint numbers">{list && t.shown(list.total, list.all)}</span>
      </div>
      {review.error.value !== undefined && <ErrorNotice error={review.error.value} retry={() => void review.ask()} />}
      <EventList review={review} />
      <div class="judge" role="group" aria-label={t.judge}>
        <button type="button" class="primary" disabled={!row} onClick={approve} title={t.keys.approve}>
          {t.approve} <kbd>A</kbd>
        </button>
        <button type="button" disabled={!row} onClick={change} title={t.keys.change}>
          {t.change} <kbd>E</kbd>
        </button>
        <button type="button" disabled={!row} onClick={remove} title={t.keys.delete}>
          {t.delete} <kbd>X</kbd>
        </button>
        <button type="button" onClick={add} title={t.keys.add}>
          {t.add} <kbd>N</kbd>
        </button>
        <button type="button" disabled={row?.status === undefined} onClick={revert} title={t.keys.revert}>
          {t.revert} <kbd>R</kbd>
        </button>
      </div>
      <div class="review-footer">
        <span class="hint numbers">{info && t.reviewed(info.corrected, info.events)}</span>
        <span class="spacer" />
        <HistoryButtons history={history} onStep={(step) => void review.stepHistory(step)} />
      </div>
      <p class="visually-hidden" role="status">
        {review.notice.value}
      </p>
      {dialog.value !== undefined && (
        <EventDialog
          review={review}
          row={dialog.value === 'change' ? review.selected.value : undefined}
          onClose={() => {
            dialog.value = undefined;
          }}
        />
      )}
    </>
  );
}
