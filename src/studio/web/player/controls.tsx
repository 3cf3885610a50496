import { useSignal } from '@preact/signals';
import { useKeys } from '../keys.ts';
import { clock, text } from '../strings.ts';
import type { Player } from './player.ts';

const RATES = [0.25, 0.5, 1, 2, 4];

/** Reads times such as `1:02.5`, and frame numbers such as `#1200`. */
function parsePlace(input: string): { readonly t: number } | { readonly frame: number } | undefined {
  const frame = /^#(\d+)$/.exec(input.trim());
  if (frame) return { frame: Number(frame[1]) };
  const parts = input.trim().split(':').map(Number);
  if (input.trim() === '' || parts.some((part) => !Number.isFinite(part) || part < 0)) return undefined;
  return { t: parts.reduce((sum, part) => sum * 60 + part, 0) };
}

/** Buttons and keys of a player. */
export function Controls({ player, hasKeys = true }: { readonly player: Player; readonly hasKeys?: boolean }) {
  const t = text.player;
  const entry = useSignal<string | undefined>(undefined);
  const { value: isPlaying } = player.isPlaying;
  const info = player.info.value;
  const shown = player.shown.value;
  useKeys(
    hasKeys
      ? [
          { key: 'Space', does: t.playPause, run: () => player.togglePlay() },
          { key: 'ArrowRight', does: t.nextFrame, run: () => player.step(1) },
          { key: 'ArrowLeft', does: t.previousFrame, run: () => player.step(-1) },
          { key: 'Shift+ArrowRight', does: t.nextSample, run: () => player.stepSample(1) },
          { key: 'Shift+ArrowLeft', does: t.previousSample, run: () => player.stepSample(-1) },
          { key: 'l', does: t.forwards, run: () => player.seek(player.t.value + 5) },
          { key: 'j', does: t.backwards, run: () => player.seek(player.t.value - 5) },
          { key: 'Home', does: t.toStart, run: () => player.seek(0) },
          { key: 'End', does: t.toEnd, run: () => player.seek(player.duration.value) },
          { key: '+', does: t.zoomIn, run: () => player.zoom(2, player.t.value) },
          { key: '-', does: t.zoomOut, run: () => player.zoom(0.5, player.t.value) },
          { key: '0', does: t.zoomAll, run: () => player.setVisibleRange({ from: 0, to: player.duration.value }) },
        ]
      : [],
  );
  const submit = (event: Event): void => {
    event.preventDefault();
    const wanted = parsePlace(entry.value ?? '');
    // The keys of the page work again.
    (event.currentTarget as HTMLFormElement).querySelector('input')?.blur();
    entry.value = undefined;
    if (!wanted) return;
    if ('frame' in wanted) player.goToFrame(wanted.frame);
    else {
      player.seek(wanted.t);
      player.reveal(wanted.t);
    }
  };
  return (
    <div class="controls" role="group" aria-label={t.controls}>
      <button type="button" class="icon-button" title={t.previousFrame} onClick={() => player.step(-1)}>
        <span aria-hidden="true">◂|</span>
        <span class="visually-hidden">{t.previousFrame}</span>
      </button>
      <button
        type="button"
        class="icon-button primary"
        title={isPlaying ? t.pause : t.play}
        onClick={() => player.togglePlay()}
      >
        <span aria-hidden="true">{isPlaying ? '❚❚' : '▶'}</span>
        <span class="visually-hidden">{isPlaying ? t.pause : t.play}</span>
      </button>
      <button type="button" class="icon-button" title={t.nextFrame} onClick={() => player.step(1)}>
        <span aria-hidden="true">|▸</span>
        <span class="visually-hidden">{t.nextFrame}</span>
      </button>
      <form class="time-entry" onSubmit={submit}>
        <input
          aria-label={t.goTo}
          title={t.goTo}
          value={entry.value ?? clock(player.t.value)}
          onFocus={(event) => {
            entry.value = clock(player.t.value);
            event.currentTarget.select();
          }}
          onInput={(event) => {
            entry.value = event.currentTarget.value;
          }}
          onBlur={() => {
            entry.value = undefined;
          }}
        />
      </form>
      <span class="hint numbers">
        / {clock(player.duration.value)}
        {shown && shown.frame >= 0 && ` · ${t.frame(shown.frame)}`}
        {info?.index && ` / ${info.index.frames.toLocaleString('en')}`}
      </span>
      <span class="spacer" />
      {info && (
        <span class="hint media-facts">
          {info.width}×{info.height} · {info.codec} · {info.frameRate.toFixed(2).replace(/\.?0+$/, '')} fps
        </span>
      )}
      <label class="compact">
        <span class="visually-hidden">{t.volume}</span>
        <input
          type="range"
          min="0"
          max="1"
          step="0.05"
          title={t.volume}
          value={player.volume.value}
          onInput={(event) => player.setVolume(Number(event.currentTarget.value))}
        />
      </label>
      <label class="compact">
        <span class="visually-hidden">{t.speed}</span>
        <select
          title={t.speed}
          value={player.rate.value}
          onChange={(event) => player.setRate(Number(event.currentTarget.value))}
        >
          {RATES.map((rate) => (
            <option key={rate} value={rate}>
              {rate}×
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
