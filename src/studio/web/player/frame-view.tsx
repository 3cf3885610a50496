import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useSize } from '../components/use-size.ts';
import { clock, text } from '../strings.ts';
import type { Player } from './player.ts';

/** Where the picture lies in the view, in CSS pixels. */
export interface PicturePlace {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** What is drawn over the picture; it gets the picture's place, and is moved and scaled with it. */
export type Overlay = (place: PicturePlace) => ComponentChildren;

/** Zoom beyond which pixels are shown as squares. */
const PIXELATED_ZOOM = 3;
const MAX_ZOOM = 40;

/** The picture of a player, which can be enlarged to its pixels by the wheel and moved by dragging. */
export function FrameView({ player, overlay }: { readonly player: Player; readonly overlay?: Overlay }) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSize(box);
  /** Enlargement beyond fitting the view, and the point of the picture (fractions) in the middle of the view. */
  const view = useSignal({ zoom: 1, x: 0.5, y: 0.5 });
  const info = player.info.value;
  const shown = player.shown.value;
  const aspect = info ? (info.width * (info.pixelAspect ?? 1)) / info.height : 16 / 9;
  const fitted = Math.min(size.width, size.height * aspect);
  const { zoom, x, y } = view.value;
  const width = fitted * zoom;
  const height = width / aspect;
  const place: PicturePlace = {
    left: size.width / 2 - x * width,
    top: size.height / 2 - y * height,
    width,
    height,
  };

  useEffect(() => {
    const target = canvas.current;
    if (!target || !shown) return;
    const [wide, high] =
      shown.image instanceof HTMLVideoElement
        ? [shown.image.videoWidth, shown.image.videoHeight]
        : [shown.image.width, shown.image.height];
    if (wide === 0) return;
    if (target.width !== wide || target.height !== high) {
      target.width = wide;
      target.height = high;
    }
    target.getContext('2d')!.drawImage(shown.image, 0, 0);
  }, [shown]);

  const zoomBy = (factor: number, atX: number, atY: number): void => {
    const next = Math.max(1, Math.min(MAX_ZOOM, zoom * factor));
    // The point under the pointer stays where it is.
    const pointX = (atX - place.left) / width;
    const pointY = (atY - place.top) / height;
    const nextWidth = fitted * next;
    const nextHeight = nextWidth / aspect;
    view.value =
      next === 1
        ? { zoom: 1, x: 0.5, y: 0.5 }
        : {
            zoom: next,
            x: clamp(pointX - (atX - size.width / 2) / nextWidth),
            y: clamp(pointY - (atY - size.height / 2) / nextHeight),
          };
  };

  const drag = (event: PointerEvent): void => {
    if (event.button !== 0 || zoom === 1 || event.target !== canvas.current) return;
    const start = { x: event.clientX, y: event.clientY, view: view.value };
    const move = (moved: PointerEvent): void => {
      view.value = {
        zoom: start.view.zoom,
        x: clamp(start.view.x - (moved.clientX - start.x) / width),
        y: clamp(start.view.y - (moved.clientY - start.y) / height),
      };
    };
    const target = event.currentTarget as HTMLElement;
    target.setPointerCapture(event.pointerId);
    target.addEventListener('pointermove', move);
    target.addEventListener('pointerup', () => target.removeEventListener('pointermove', move), { once: true });
  };

  const t = text.player;
  return (
    <div
      class="frame-view"
      ref={box}
      onWheel={(event) => {
        event.preventDefault();
        const bounds = box.current!.getBoundingClientRect();
        zoomBy(1.2 ** (-event.deltaY / 100), event.clientX - bounds.left, event.clientY - bounds.top);
      }}
      onPointerDown={drag}
      onDblClick={() => {
        view.value = { zoom: 1, x: 0.5, y: 0.5 };
      }}
    >
      <canvas
        ref={canvas}
        role="img"
        aria-label={shown ? t.frameAt(clock(shown.t)) : t.noFrame}
        data-frame={shown?.frame}
        data-exact={shown?.isExact}
        class={zoom >= PIXELATED_ZOOM ? 'pixelated' : undefined}
        style={{ left: `${place.left}px`, top: `${place.top}px`, width: `${width}px`, height: `${height}px` }}
      />
      {overlay && size.width > 0 && overlay(place)}
      {zoom > 1 && (
        <button
          type="button"
          class="zoom-badge"
          onClick={() => {
            view.value = { zoom: 1, x: 0.5, y: 0.5 };
          }}
        >
          {t.zoom(Math.round(((zoom * fitted) / (info?.width ?? fitted)) * 100))}
        </button>
      )}
      {player.problem.value !== undefined && (
        <p class="frame-problem" role="alert">
          {player.problem.value}
        </p>
      )}
      {!shown && player.problem.value === undefined && <p class="frame-waiting">{text.loading}</p>}
      {shown && !shown.isExact && info && !info.index && <p class="frame-note">{t.indexing}</p>}
    </div>
  );
}

function clamp(value: number): number {
  return Math.max(0, Math.min(1, value));
}
