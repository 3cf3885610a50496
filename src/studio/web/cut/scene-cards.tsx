import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { readPreview } from '../../api/recording.ts';
import { addressOf } from '../api-client.ts';
import { clock, text } from '../strings.ts';
import type { Cut, CutScene } from './cut.ts';

/** The scenes of the reel as cards, which are dragged or moved by keys. */
export function SceneCards({ cut }: { readonly cut: Cut }) {
  const dragged = useSignal(-1);
  const over = useSignal(-1);
  const list = useRef<HTMLOListElement>(null);
  const scenes = cut.scenes.value ?? [];
  const { value: selected } = cut.selected;
  useEffect(() => {
    list.current?.children[selected]?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  let at = 0;
  return (
    <ol class="scene-cards" ref={list} aria-label={text.cut.scenes}>
      {scenes.map((scene, index) => {
        const begins = at;
        at += scene.end - scene.start;
        return (
          <li
            key={`${scene.log} ${scene.start} ${scene.title}`}
            class={[
              'scene-card',
              index === selected ? 'is-selected' : '',
              index === cut.playing.value ? 'is-playing' : '',
              index === over.value && dragged.value >= 0 ? 'is-target' : '',
            ].join(' ')}
            draggable
            onDragStart={(event) => {
              dragged.value = index;
              event.dataTransfer?.setData('text/plain', scene.title);
            }}
            onDragOver={(event) => {
              event.preventDefault();
              over.value = index;
            }}
            onDragEnd={() => {
              dragged.value = -1;
              over.value = -1;
            }}
            onDrop={(event) => {
              event.preventDefault();
              cut.move(dragged.value, index);
              dragged.value = -1;
              over.value = -1;
            }}
          >
            <Card cut={cut} scene={scene} index={index} begins={begins} />
          </li>
        );
      })}
    </ol>
  );
}

interface CardProps {
  readonly cut: Cut;
  readonly scene: CutScene;
  readonly index: number;
  /** Where it begins in the reel, in seconds. */
  readonly begins: number;
}

function Card({ cut, scene, index, begins }: CardProps) {
  const t = text.cut;
  const { start, end, title, because, events } = scene;
  const isSelected = index === cut.selected.value;
  const shownAt = events.find((event) => event.text === title)?.t ?? (start + end) / 2;
  const query = { path: cut.player.path, t: Math.round(shownAt * 100) / 100, width: 320 };
  return (
    <>
      <button
        type="button"
        class="scene-picture"
        aria-pressed={isSelected}
        aria-label={`${t.open(index + 1, title)}, ${(end - start).toFixed(1)} s`}
        onClick={() => cut.select(index)}
        onKeyDown={(event) => {
          if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
          event.preventDefault();
          event.stopPropagation();
          cut.move(index, index + (event.key === 'ArrowUp' ? -1 : 1));
        }}
      >
        <img src={addressOf(readPreview, query)} alt="" loading="lazy" draggable={false} />
        <span class="scene-length">{(end - start).toFixed(1)} s</span>
      </button>
      <div class="scene-facts">
        <p class="scene-title">
          <span class="hint numbers">{clock(begins, 1)}</span> {title}
        </p>
        {because !== '' && !isSelected && <p class="hint">{because}</p>}
      </div>
      <div class="scene-tools">
        <button type="button" class="icon-button" title={t.up} onClick={() => cut.move(index, index - 1)}>
          <span aria-hidden="true">↑</span>
          <span class="visually-hidden">{t.up}</span>
        </button>
        <button type="button" class="icon-button" title={t.down} onClick={() => cut.move(index, index + 1)}>
          <span aria-hidden="true">↓</span>
          <span class="visually-hidden">{t.down}</span>
        </button>
        <button type="button" class="icon-button" title={t.remove} onClick={() => cut.remove(index)}>
          <span aria-hidden="true">✕</span>
          <span class="visually-hidden">{t.remove}</span>
        </button>
      </div>
      {isSelected && <Editor cut={cut} scene={scene} index={index} />}
    </>
  );
}

function Editor({ cut, scene, index }: Omit<CardProps, 'begins'>) {
  const t = text.cut;
  return (
    <div class="scene-editor">
      <label>
        {t.caption}
        <input
          value={scene.title}
          onChange={(event) => cut.update(index, { title: event.currentTarget.value }, t.labels.captioned)}
        />
      </label>
      {(['start', 'end'] as const).map((edge) => (
        <div class="trim" key={edge}>
          <span>{t[edge]}</span>
          <button type="button" title={t.frameBack} onClick={() => void cut.trim(index, edge, -1)}>
            <span aria-hidden="true">−1</span>
            <span class="visually-hidden">{`${t[edge]}: ${t.frameBack}`}</span>
          </button>
          <button
            type="button"
            class="trim-time numbers"
            title={t.showEdge}
            onClick={() => cut.player.seek(scene[edge])}
          >
            {clock(scene[edge])}
          </button>
          <button type="button" title={t.frameOn} onClick={() => void cut.trim(index, edge, 1)}>
            <span aria-hidden="true">+1</span>
            <span class="visually-hidden">{`${t[edge]}: ${t.frameOn}`}</span>
          </button>
          <button type="button" title={t.here} onClick={() => cut.trimHere(edge)}>
            {t.here} <kbd>{edge === 'start' ? '[' : ']'}</kbd>
          </button>
        </div>
      ))}
    </div>
  );
}
