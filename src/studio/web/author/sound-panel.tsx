import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { learnSound } from '../../api/authoring.ts';
import { call } from '../api-client.ts';
import { useKeys } from '../keys.ts';
import type { Player, TimeRange } from '../player/player.ts';
import { SoundPlayer } from '../player/sound-player.ts';
import { clock } from '../strings.ts';
import { type Authoring, trackProgress } from './authoring.ts';
import { Progress } from './png.tsx';
import { authorText } from './strings.ts';

/** Seconds of the time line on which a sound can be marked well. */
const MARKING_SECONDS = 12;
/** Seconds of a found sound that are played. */
const PLAYED_SECONDS = 1.5;

/** Begins to mark a sound: the time line shows a few seconds around where the player is. */
export function beginSound(authoring: Authoring, player: Player): void {
  const { from, to } = player.visibleRange.value;
  if (to - from > 2 * MARKING_SECONDS) {
    const { value: t } = player.t;
    player.setVisibleRange({ from: t - MARKING_SECONDS / 2, to: t + MARKING_SECONDS / 2 });
  }
  authoring.sound.value ??= { name: '', ranges: [] };
}

/** Marks another part in which the sound is heard. */
export function markSound(authoring: Authoring, { from, to }: TimeRange): void {
  const { value: sound } = authoring.sound;
  if (!sound) return;
  const exact = { from: Math.round(from * 1000) / 1000, to: Math.round(to * 1000) / 1000 };
  const others = sound.ranges.filter((one) => one.to <= exact.from || one.from >= exact.to);
  const ranges = [...others, exact].toSorted((a, b) => a.from - b.from);
  authoring.sound.value = { name: sound.name, ranges };
}

/** The parts of a sound that are marked, where else it is heard, and its name. */
export function SoundPanel({
  authoring,
  player,
  onClose,
}: {
  readonly authoring: Authoring;
  readonly player: Player;
  readonly onClose: () => void;
}) {
  const { name, ranges, learnt } = authoring.sound.value!;
  const share = useSignal<number | undefined>(undefined);
  const start = useSignal<number | undefined>(undefined);
  const playing = useRef<SoundPlayer | undefined>(undefined);
  const t = authorText.sound;
  useEffect(() => () => playing.current?.stop(), []);
  const play = ({ from, to }: TimeRange): void => {
    playing.current?.stop();
    const sound = new SoundPlayer(player.path, from, 1, true, player.volume.value);
    playing.current = sound;
    const timer = setInterval(() => {
      if (playing.current === sound && sound.t < to) return;
      clearInterval(timer);
      if (playing.current !== sound) return;
      sound.stop();
      playing.current = undefined;
    }, 20);
  };
  const now = (): number => player.shown.value?.t ?? player.t.value;
  const startHere = (): void => {
    start.value = now();
  };
  const endHere = (): void => {
    if (start.value === undefined || now() <= start.value) return;
    markSound(authoring, { from: start.value, to: now() });
    start.value = undefined;
  };
  useKeys([
    { key: '[', does: t.start, run: startHere },
    { key: ']', does: t.end, run: endHere },
  ]);
  const listen = async (): Promise<void> => {
    share.value = 0;
    const progress = trackProgress(share as { value: number });
    try {
      const body = { ...authoring.id, media: player.path, label: name.trim(), ranges, job: progress.job };
      const found = await call(learnSound, { body });
      authoring.error.value = undefined;
      // Others may have been marked meanwhile.
      const { value: sound } = authoring.sound;
      if (sound?.ranges === ranges) authoring.sound.value = { ...sound, learnt: found };
    } catch (error) {
      authoring.error.value = error;
    } finally {
      progress.stop();
      share.value = undefined;
    }
  };
  const save = async (): Promise<void> => {
    if (!learnt) return;
    const edit = { op: 'sound', name: name.trim(), sound: learnt.sound } as const;
    if (!(await authoring.edit(edit, t.saved(name.trim())))) return;
    onClose();
  };
  const canListen = name.trim() !== '' && ranges.length > 0;
  return (
    <form
      class="new-element"
      onSubmit={(event) => {
        event.preventDefault();
        if (learnt) void save();
        else if (canListen) void listen();
      }}
    >
      <h2>{t.title}</h2>
      <p class="hint">{t.explain}</p>
      <label class="field">
        <span>{t.name}</span>
        <input
          id="sound-name"
          placeholder={t.nameExample}
          value={name}
          onInput={(event) => {
            authoring.sound.value = { name: event.currentTarget.value, ranges };
          }}
        />
      </label>
      <div class="row">
        <button type="button" aria-pressed={start.value !== undefined} onClick={startHere}>
          {t.start} <kbd>[</kbd>
        </button>
        <button type="button" disabled={start.value === undefined} onClick={endHere}>
          {t.end} <kbd>]</kbd>
        </button>
      </div>
      <h3>
        {t.ranges} <span class="tag">{ranges.length}</span>
      </h3>
      {ranges.length === 0 ? (
        <p class="hint">{t.noRanges}</p>
      ) : (
        <ul class="mark-list">
          {ranges.map((range, i) => (
            <li key={range.from}>
              <button type="button" class="icon-button" title={t.play(i + 1)} onClick={() => play(range)}>
                <span aria-hidden="true">▶</span>
                <span class="visually-hidden">{t.play(i + 1)}</span>
              </button>
              <button
                type="button"
                class="link"
                onClick={() => {
                  player.seek(range.from);
                  player.reveal(range.from);
                }}
              >
                <span class="numbers">{clock(range.from, 2)}</span>{' '}
                <span class="hint numbers">{t.length(range.to - range.from)}</span>
              </button>
              <button
                type="button"
                class="icon-button"
                title={t.remove(i + 1)}
                onClick={() => {
                  authoring.sound.value = { name, ranges: ranges.toSpliced(i, 1) };
                }}
              >
                <span aria-hidden="true">×</span>
                <span class="visually-hidden">{t.remove(i + 1)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {learnt && (
        <>
          <p class="hint">{learnt.isByWaveform ? t.byWaveform : t.bySpectrogram}</p>
          <p role="status">{t.found(learnt.found.length)}</p>
          <ul class="found-list">
            {learnt.found.map(({ t: at, confidence }) => (
              <li key={at}>
                <button
                  type="button"
                  title={authorText.percent(confidence)}
                  onClick={() => {
                    player.seek(at);
                    player.reveal(at);
                    play({ from: at, to: at + PLAYED_SECONDS });
                  }}
                >
                  {clock(at, 1)}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      {share.value === undefined ? (
        <div class="row">
          <button type="submit" class="primary" id="save-sound" disabled={!canListen}>
            {learnt ? t.save : t.listen}
          </button>
          <button type="button" onClick={onClose}>
            {authorText.cancel}
          </button>
        </div>
      ) : (
        <Progress share={share.value} label={t.listening} />
      )}
    </form>
  );
}
