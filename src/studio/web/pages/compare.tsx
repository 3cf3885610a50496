import { effect, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { alignRecordings } from '../../api/compare.ts';
import { listWorkspace } from '../../api/workspace.ts';
import { call } from '../api-client.ts';
import { EmptyState, ErrorNotice, Loading } from '../components/basic.tsx';
import { useLoaded } from '../components/load.ts';
import { ChooseRecording, usePlayer } from '../components/recording-page.tsx';
import { Controls } from '../player/controls.tsx';
import { FrameView } from '../player/frame-view.tsx';
import { Timeline } from '../player/timeline.tsx';
import { goTo, place } from '../router.ts';
import { clock, text } from '../strings.ts';

/** Two recordings side by side, on the clock of the first. */
export function ComparePage() {
  const { recording, other } = place.value.parameters;
  if (recording === undefined) return <ChooseRecording />;
  return (
    <div class="compare-page">
      <ChooseOther recording={recording} other={other} />
      {other === undefined ? (
        <EmptyState title={text.compare.none}>
          <p class="hint">{text.compare.noneHint}</p>
        </EmptyState>
      ) : (
        <Comparison key={`${recording}\n${other}`} recording={recording} other={other} />
      )}
    </div>
  );
}

function ChooseOther({ recording, other }: { readonly recording: string; readonly other: string | undefined }) {
  const { value, error } = useLoaded((signal) => call(listWorkspace, { signal }), []);
  const t = text.compare;
  if (error !== undefined) return <ErrorNotice error={error} />;
  return (
    <div class="compare-choice">
      <h1>{t.title}</h1>
      <span class="recording-name">{recording}</span>
      <label>
        <span>{t.with}</span>
        <select
          value={other ?? ''}
          onChange={(event) => {
            const { value: chosen } = event.currentTarget;
            goTo('compare', { recording, other: chosen === '' ? undefined : chosen });
          }}
        >
          <option value="">{t.choose}</option>
          {value?.recordings
            .filter(({ path }) => path !== recording)
            .map(({ path }) => (
              <option key={path} value={path}>
                {path}
              </option>
            ))}
        </select>
      </label>
    </div>
  );
}

/** Time of the first recording = offset + rate · time of the second. */
interface Clock {
  readonly offset: number;
  readonly rate: number;
  /** What says so: the sound of both, with a confidence; the person; or nothing yet. */
  readonly by: 'sound' | 'person' | 'nothing';
  readonly confidence?: number | undefined;
}

function Comparison({ recording, other }: { readonly recording: string; readonly other: string }) {
  const t = text.compare;
  const first = usePlayer(recording);
  const second = usePlayer(other);
  const relation = useSignal<Clock | undefined>(undefined);
  const isLinked = useSignal(true);
  const found = useLoaded(
    (signal) => call(alignRecordings, { body: { path: recording, other }, signal }),
    [recording, other],
  );
  useEffect(() => {
    if (!found.value || relation.value) return;
    const { matched, offset = 0, drift = 0, confidence } = found.value;
    relation.value = matched
      ? { offset, rate: 1 + drift / 1e6, by: 'sound', confidence }
      : { offset: 0, rate: 1, by: 'nothing' };
  }, [found.value]);
  useEffect(() => {
    second.setVolume(0);
    // The second follows the first, on its own clock.
    const stopSeeking = effect(() => {
      const { value: at } = first.t;
      const { value: current } = relation;
      if (!isLinked.value || !current || first.isPlaying.value) return;
      second.seek((at - current.offset) / current.rate, true);
    });
    // So does its time line, on which the same moment lies below that of the first.
    const stopStretching = effect(() => {
      const { value: current } = relation;
      const { from, to } = first.visibleRange.value;
      const isKnown = second.info.value !== undefined;
      second.leader = undefined;
      if (!isLinked.value || !current || !isKnown) return;
      const { offset, rate } = current;
      second.leader = {
        seek: (at, isDragging) => first.seek(offset + rate * at, isDragging),
        setVisibleRange: (own) => first.setVisibleRange({ from: offset + rate * own.from, to: offset + rate * own.to }),
      };
      second.visibleRange.value = { from: (from - offset) / rate, to: (to - offset) / rate };
    });
    const stopPlaying = effect(() => {
      const { value: isPlaying } = first.isPlaying;
      const current = relation.peek();
      if (!isLinked.value || !current) return;
      if (isPlaying) {
        second.seek((first.t.peek() - current.offset) / current.rate);
        second.setRate(first.rate.peek());
        void second.play();
      } else second.pause();
    });
    return () => {
      stopSeeking();
      stopStretching();
      stopPlaying();
    };
  }, [first, second]);
  const sameMoment = (): void => {
    const at = first.shown.value?.t ?? first.t.value;
    const otherAt = second.shown.value?.t ?? second.t.value;
    const rate = relation.value?.rate ?? 1;
    relation.value = { offset: at - rate * otherAt, rate, by: 'person' };
    isLinked.value = true;
  };
  const players = [
    [first, recording],
    [second, other],
  ] as const;
  const current = relation.value;
  return (
    <>
      <div class="compare-views">
        {players.map(([player, path]) => (
          <figure key={path}>
            <FrameView player={player} />
            <figcaption>
              <strong>{path}</strong>
              <span class="numbers">
                {clock(player.shown.value?.t ?? 0)}
                {(player.shown.value?.frame ?? -1) >= 0 && ` · ${text.player.frame(player.shown.value!.frame)}`}
              </span>
            </figcaption>
          </figure>
        ))}
      </div>
      <div class="compare-clock">
        <button
          type="button"
          aria-pressed={isLinked.value}
          onClick={() => {
            isLinked.value = !isLinked.value;
          }}
        >
          {t.link}
        </button>
        {found.error !== undefined && <span class="problem">{t.failed}</span>}
        {!current ? (
          <Loading what={t.aligning} />
        ) : (
          <span class="hint">
            {current.by === 'sound'
              ? t.aligned(current.offset, Math.round((current.confidence ?? 0) * 100))
              : current.by === 'person'
                ? t.byHand(current.offset)
                : t.notAligned(current.offset)}
          </span>
        )}
        <span class="spacer" />
        {!isLinked.value && (
          <>
            <button type="button" onClick={() => second.step(-1)}>
              {t.otherBack}
            </button>
            <button type="button" onClick={() => second.step(1)}>
              {t.otherOn}
            </button>
          </>
        )}
        <button type="button" onClick={sameMoment}>
          {t.sameMoment}
        </button>
      </div>
      <Controls player={first} />
      <div class="compare-timelines">
        {players.map(([player, path]) => (
          <Timeline key={path} player={player} label={text.timeline.of(path)} log={player.info.value?.log} />
        ))}
      </div>
    </>
  );
}
