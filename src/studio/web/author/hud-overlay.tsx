import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { PicturePlace } from '../player/frame-view.tsx';
import type { Authoring, Box, Element, Reading } from './authoring.ts';
import { authorText } from './strings.ts';

/** What a click on the picture does besides choosing elements. */
export interface PictureClick {
  /** In fractions of the picture. */
  readonly onClick: (x: number, y: number) => void;
}

interface OverlayProps {
  readonly authoring: Authoring;
  readonly place: PicturePlace;
  /** Size of the frames of the recording. */
  readonly frame: { readonly width: number; readonly height: number };
  readonly isDrawing: boolean;
  readonly onDrawn: (box: Box) => void;
  readonly click?: PictureClick | undefined;
}

const HANDLES = ['nw', 'n', 'ne', 'e', 'se', 's', 'sw', 'w'] as const;
type Handle = (typeof HANDLES)[number];
const MIN_DRAWN_PIXELS = 4;

/** The boxes of the HUD over the picture: to be chosen, moved and resized by mouse and keyboard, or drawn. */
export function HudOverlay({ authoring, place, frame, isDrawing, onDrawn, click }: OverlayProps) {
  const drag = useSignal<Box | undefined>(undefined);
  const layer = useRef<HTMLDivElement>(null);
  const pack = authoring.pack.value;
  if (!pack) return null;
  const { reference } = pack;
  const isReference = frame.width === reference.width && frame.height === reference.height;
  const [scaleX, scaleY] = [place.width / reference.width, place.height / reference.height];
  const toCss = (box: Box) => ({
    left: `${place.left + box.x * scaleX}px`,
    top: `${place.top + box.y * scaleY}px`,
    width: `${box.width * scaleX}px`,
    height: `${box.height * scaleY}px`,
  });
  /** In recordings of another size: where the element was read, by its anchor and scale. */
  const toCssRead = ({ rect }: Reading) => ({
    left: `${place.left + (rect.x / frame.width) * place.width}px`,
    top: `${place.top + (rect.y / frame.height) * place.height}px`,
    width: `${(rect.width / frame.width) * place.width}px`,
    height: `${(rect.height / frame.height) * place.height}px`,
  });
  const pointAt = (event: PointerEvent | MouseEvent): { readonly x: number; readonly y: number } => {
    const bounds = layer.current!.getBoundingClientRect();
    return {
      x: (event.clientX - bounds.left - place.left) / scaleX,
      y: (event.clientY - bounds.top - place.top) / scaleY,
    };
  };
  const follow = (event: PointerEvent, update: (x: number, y: number) => Box, done: (box: Box) => void): void => {
    event.preventDefault();
    event.stopPropagation();
    const start = pointAt(event);
    const target = event.currentTarget as HTMLElement;
    target.setPointerCapture(event.pointerId);
    const move = (next: PointerEvent): void => {
      const { x, y } = pointAt(next);
      drag.value = update(x - start.x, y - start.y);
    };
    const end = (): void => {
      target.removeEventListener('pointermove', move);
      const box = drag.value;
      drag.value = undefined;
      if (box) done(box);
    };
    target.addEventListener('pointermove', move);
    target.addEventListener('pointerup', end, { once: true });
  };
  const save = (name: string, box: Box): void => {
    const drawn = authoring.drawn.value;
    if (name === '' && drawn) authoring.drawn.value = { ...drawn, box: whole(box) };
    else void authoring.edit({ op: 'move', name, box: whole(box) });
  };
  const draw = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const start = pointAt(event);
    follow(
      event,
      (dx, dy) => ({
        x: Math.min(start.x, start.x + dx),
        y: Math.min(start.y, start.y + dy),
        width: Math.abs(dx),
        height: Math.abs(dy),
      }),
      (box) => {
        if (box.width >= MIN_DRAWN_PIXELS && box.height >= MIN_DRAWN_PIXELS) onDrawn(whole(box));
      },
    );
  };
  const elements = pack.elements.filter(({ box, status }) => box && status !== 'refused');
  const { value: selected } = authoring.selected;
  const { value: drawn } = authoring.drawn;
  return (
    <div ref={layer} class="hud-layer">
      {elements.map((element) => (
        <ElementBox
          key={element.name}
          element={element}
          reading={authoring.readings.value.get(element.name)}
          isSelected={element.name === selected && !drawn}
          style={styleOf(element)}
          onSelect={() => {
            authoring.selected.value = element.name;
          }}
          onMove={(event) =>
            isReference &&
            follow(
              event,
              (dx, dy) => moved(element.box!, dx, dy),
              (box) => save(element.name, box),
            )
          }
          onResize={(event, handle) =>
            follow(
              event,
              (dx, dy) => resized(element.box!, handle, dx, dy),
              (box) => save(element.name, box),
            )
          }
          onKey={(box) => save(element.name, box)}
        />
      ))}
      {drawn && (
        <ElementBox
          element={{ name: drawn.name === '' ? authorText.newName : drawn.name, box: drawn.box, status: 'proposed' }}
          reading={authoring.detail.value}
          isSelected={true}
          style={toCss(drag.value ?? drawn.box)}
          onSelect={() => undefined}
          onMove={(event) =>
            follow(
              event,
              (dx, dy) => moved(drawn.box, dx, dy),
              (box) => save('', box),
            )
          }
          onResize={(event, handle) =>
            follow(
              event,
              (dx, dy) => resized(drawn.box, handle, dx, dy),
              (box) => save('', box),
            )
          }
          onKey={(box) => save('', box)}
        />
      )}
      {drag.value && isDrawing && <div class="hud-box hud-box-drawing" style={toCss(drag.value)} />}
      {isDrawing && <div class="hud-draw" onPointerDown={draw} />}
      {click && (
        <div
          class="hud-draw"
          onClick={(event) => {
            const { x, y } = pointAt(event);
            click.onClick(clamp(x / reference.width), clamp(y / reference.height));
          }}
        />
      )}
    </div>
  );

  function styleOf(element: Element) {
    const reading = authoring.readings.value.get(element.name);
    if (drag.value && element.name === selected && !drawn && !isDrawing) return toCss(drag.value);
    return isReference || !reading || reading.rect.width === 0 ? toCss(element.box!) : toCssRead(reading);
  }
}

interface BoxProps {
  readonly element: Pick<Element, 'name' | 'box' | 'status'>;
  readonly reading: Reading | undefined;
  readonly isSelected: boolean;
  readonly style: Readonly<Record<string, string>>;
  readonly onSelect: () => void;
  readonly onMove: (event: PointerEvent) => void;
  readonly onResize: (event: PointerEvent, handle: Handle) => void;
  readonly onKey: (box: Box) => void;
}

function ElementBox({ element, reading, isSelected, style, onSelect, onMove, onResize, onKey }: BoxProps) {
  const value = reading?.verdict === 'accepted' ? String(reading.value) : '';
  const key = (event: KeyboardEvent): void => {
    const step = event.altKey ? 10 : 1;
    const direction = ARROWS[event.key];
    if (!direction || !element.box || !isSelected) return;
    event.preventDefault();
    event.stopPropagation();
    const [dx, dy] = [direction[0] * step, direction[1] * step];
    onKey(event.shiftKey ? resized(element.box, 'se', dx, dy) : moved(element.box, dx, dy));
  };
  return (
    <button
      type="button"
      class="hud-box"
      data-status={element.status}
      data-verdict={reading?.verdict}
      aria-pressed={isSelected}
      title={isSelected ? authorText.boxKeys : element.name}
      style={style}
      onClick={onSelect}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        onSelect();
        if (isSelected) onMove(event);
      }}
      onKeyDown={key}
    >
      <span class="hud-box-name">
        <span>{element.name}</span> {value !== '' && <strong>{value}</strong>}
      </span>
      {isSelected &&
        HANDLES.map((handle) => (
          <span key={handle} class={`hud-handle ${handle}`} onPointerDown={(event) => onResize(event, handle)} />
        ))}
    </button>
  );
}

const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

function moved(box: Box, dx: number, dy: number): Box {
  return { ...box, x: box.x + dx, y: box.y + dy };
}

function resized({ x, y, width, height }: Box, handle: Handle, dx: number, dy: number): Box {
  const [left, right] = [handle.includes('w') ? dx : 0, handle.includes('e') ? dx : 0];
  const [top, bottom] = [handle.startsWith('n') ? dy : 0, handle.startsWith('s') ? dy : 0];
  return {
    x: x + Math.min(left, width - 2),
    y: y + Math.min(top, height - 2),
    width: Math.max(2, width - left + right),
    height: Math.max(2, height - top + bottom),
  };
}

function whole({ x, y, width, height }: Box): Box {
  const [left, top] = [Math.round(x), Math.round(y)];
  return {
    x: left,
    y: top,
    width: Math.max(2, Math.round(x + width) - left),
    height: Math.max(2, Math.round(y + height) - top),
  };
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value));
}
