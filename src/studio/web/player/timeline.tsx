import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { readLanes } from '../../api/log.ts';
import { readPeaks, readPreview } from '../../api/recording.ts';
import type { RouteResponse } from '../../api/route.ts';
import { addressOf, call, send } from '../api-client.ts';
import { useLoaded } from '../components/load.ts';
import { useSize } from '../components/use-size.ts';
import { clock, text } from '../strings.ts';
import { theme } from '../theme.ts';
import { prepareCanvas, tokenColor } from './draw.ts';
import type { Player, Stretch } from './player.ts';

type Lane = RouteResponse<typeof readLanes>['lanes'][number];

const LABEL_WIDTH = 148;
const RULER_HEIGHT = 22;
const FILM_HEIGHT = 46;
const SOUND_HEIGHT = 34;
const EVENT_HEIGHT = 20;
const VALUE_HEIGHT = 34;
const OVERVIEW_HEIGHT = 16;
/** Steps of the ruler in seconds. */
const STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200];
/** Milliseconds without a change of the stretch before anything is read for it. */
const SETTLE_MS = 90;
const FILM_WIDTH = 160;

interface TimelineProps {
  readonly player: Player;
  /** What it is called where there are several. */
  readonly label?: string;
  /** The log whose events are shown. */
  readonly log?: string | undefined;
  /** Changes when the log was corrected. */
  readonly version?: string | undefined;
  readonly selected?: string | undefined;
  readonly onSelect?: (id: string, t: number) => void;
}

/** The time line below the picture: ruler, film strip, sound, and lanes of what happens. */
export function Timeline({ player, label = text.timeline.title, log, version, selected, onSelect }: TimelineProps) {
  const box = useRef<HTMLDivElement>(null);
  const { width: full } = useSize(box);
  const width = Math.max(0, full - LABEL_WIDTH);
  const stretch = useSettled(player.stretch.value);
  const info = player.info.value;
  const lanes = useLoaded(
    async (signal) =>
      log === undefined || width === 0
        ? undefined
        : await call(readLanes, {
            query: { log, ...stretch, bins: Math.max(1, Math.min(4096, Math.floor(width / 2))) },
            signal,
          }),
    [log, version, stretch.from, stretch.to, width],
  );
  const t = text.timeline;

  const wheel = (event: WheelEvent): void => {
    const bounds = box.current!.getBoundingClientRect();
    const { from, to } = player.stretch.value;
    const at = from + ((event.clientX - bounds.left - LABEL_WIDTH) / width) * (to - from);
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      const by = ((event.deltaX || event.deltaY) / width) * (to - from);
      player.setStretch({ from: from + by, to: to + by });
    } else if (event.ctrlKey || event.metaKey || event.altKey) {
      event.preventDefault();
      player.zoom(1.2 ** (-event.deltaY / 60), at);
    }
  };

  const scrub = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const target = event.currentTarget as HTMLElement;
    const bounds = target.getBoundingClientRect();
    const { from, to } = player.stretch.value;
    const timeAt = (x: number): number => from + ((x - bounds.left) / bounds.width) * (to - from);
    const move = (moved: PointerEvent): void => player.seek(timeAt(moved.clientX), true);
    const end = (ended: PointerEvent): void => {
      target.removeEventListener('pointermove', move);
      player.seek(timeAt(ended.clientX));
    };
    target.setPointerCapture(event.pointerId);
    target.addEventListener('pointermove', move);
    target.addEventListener('pointerup', end, { once: true });
    player.seek(timeAt(event.clientX), true);
  };

  const shared = { player, stretch, width };
  return (
    <section class="timeline" aria-label={label} ref={box} onWheel={wheel}>
      <Row label={<TimelineTools player={player} />} height={RULER_HEIGHT} onPointerDown={scrub}>
        <Ruler {...shared} />
      </Row>
      <Row label={t.film} height={FILM_HEIGHT} onPointerDown={scrub}>
        <FilmStrip {...shared} />
      </Row>
      {info?.hasSound === true && (
        <Row label={t.sound} height={SOUND_HEIGHT} onPointerDown={scrub}>
          <Waveform {...shared} />
        </Row>
      )}
      {lanes.value?.lanes.map((lane) => (
        <Row
          key={`${lane.kind} ${lane.name}`}
          label={lane.kind === 'gaps' ? t.gaps : lane.name}
          height={lane.kind === 'values' ? VALUE_HEIGHT : EVENT_HEIGHT}
          onPointerDown={lane.kind === 'values' ? scrub : undefined}
        >
          <LaneView {...shared} lane={lane} selected={selected} onSelect={onSelect} />
        </Row>
      ))}
      <Row label="" height={OVERVIEW_HEIGHT}>
        <Overview player={player} />
      </Row>
      <Playhead player={player} width={width} />
    </section>
  );
}

/** A value that follows another once that rests. */
function useSettled(stretch: Stretch): Stretch {
  const settled = useSignal(stretch);
  useEffect(() => {
    const timer = setTimeout(() => {
      settled.value = stretch;
    }, SETTLE_MS);
    return () => clearTimeout(timer);
  }, [stretch.from, stretch.to]);
  return settled.value;
}

function Row(props: {
  readonly label: ComponentChildren;
  readonly height: number;
  readonly children: ComponentChildren;
  readonly onPointerDown?: ((event: PointerEvent) => void) | undefined;
}) {
  const { label, height, children, onPointerDown } = props;
  return (
    <div class="timeline-row" style={{ height: `${height}px` }}>
      <div class="timeline-label" title={typeof label === 'string' ? label : undefined}>
        {label}
      </div>
      <div class="timeline-track" onPointerDown={onPointerDown}>
        {children}
      </div>
    </div>
  );
}

function TimelineTools({ player }: { readonly player: Player }) {
  const t = text.timeline;
  return (
    <span class="timeline-tools">
      <button type="button" title={t.zoomOut} onClick={() => player.zoom(0.5, player.t.value)}>
        <span aria-hidden="true">−</span>
        <span class="visually-hidden">{t.zoomOut}</span>
      </button>
      <button type="button" title={t.zoomIn} onClick={() => player.zoom(2, player.t.value)}>
        <span aria-hidden="true">+</span>
        <span class="visually-hidden">{t.zoomIn}</span>
      </button>
      <button type="button" title={t.zoomAll} onClick={() => player.setStretch({ from: 0, to: player.duration.value })}>
        <span aria-hidden="true">⇔</span>
        <span class="visually-hidden">{t.zoomAll}</span>
      </button>
    </span>
  );
}

interface DrawProps {
  readonly player: Player;
  /** What is read from the server: the stretch at rest. */
  readonly stretch: Stretch;
  readonly width: number;
}

function Ruler({ player, width }: DrawProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { from, to } = player.stretch.value;
  useEffect(() => {
    const context = prepareCanvas(canvas.current, width, RULER_HEIGHT);
    if (!context) return;
    const scale = width / (to - from);
    const step = STEPS.find((each) => each * scale >= 84) ?? 7200;
    context.fillStyle = tokenColor('text-soft');
    context.strokeStyle = tokenColor('border-strong');
    context.font = `11px ${getComputedStyle(document.body).fontFamily}`;
    context.textBaseline = 'middle';
    const decimals = step < 0.1 ? 2 : step < 1 ? 1 : 0;
    for (let n = Math.ceil(from / step); n * step <= to; n++) {
      const x = Math.round((n * step - from) * scale) + 0.5;
      context.beginPath();
      context.moveTo(x, RULER_HEIGHT - 7);
      context.lineTo(x, RULER_HEIGHT);
      context.stroke();
      context.fillText(clock(n * step, decimals), x + 4, RULER_HEIGHT / 2);
    }
  }, [from, to, width, theme.value]);
  return <canvas ref={canvas} class="track-canvas" aria-hidden="true" />;
}

function FilmStrip({ player, stretch, width }: DrawProps) {
  const info = player.info.value;
  if (!info || width === 0) return null;
  const aspect = (info.width * (info.pixelAspect ?? 1)) / info.height;
  const wide = Math.max(24, FILM_HEIGHT * aspect);
  const count = Math.max(1, Math.ceil(width / wide));
  const step = ((stretch.to - stretch.from) * wide) / width;
  const current = player.stretch.value;
  const scale = width / (current.to - current.from);
  return (
    <div class="film-strip" aria-hidden="true">
      {Array.from({ length: count }, (_, i) => {
        const t = stretch.from + i * step;
        const middle = Math.min(t + step / 2, info.duration ?? t);
        const query = {
          path: player.path,
          t: Math.round(middle * 100) / 100,
          width: FILM_WIDTH,
          version: info.version,
        };
        return (
          <img
            key={`${i}`}
            src={addressOf(readPreview, query)}
            alt=""
            loading="lazy"
            draggable={false}
            style={{ left: `${(t - current.from) * scale}px`, width: `${step * scale}px` }}
          />
        );
      })}
    </div>
  );
}

function Waveform({ player, stretch, width }: DrawProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const again = useSignal(0);
  const count = Math.max(1, Math.min(8192, Math.floor(width)));
  const loaded = useLoaded(
    async (signal) => {
      if (width === 0) return undefined;
      const response = await send(readPeaks, { query: { path: player.path, ...stretch, count }, signal });
      if (response.headers.get('x-complete') === '0')
        setTimeout(() => {
          if (!signal.aborted) again.value += 1;
        }, 1000);
      return { peaks: new Int8Array(await response.arrayBuffer()), stretch };
    },
    [player, stretch.from, stretch.to, count, again.value],
  );
  const { from, to } = player.stretch.value;
  useEffect(() => {
    const context = prepareCanvas(canvas.current, width, SOUND_HEIGHT);
    if (!context || !loaded.value) return;
    const { peaks, stretch: read } = loaded.value;
    const parts = peaks.length / 2;
    const scale = width / (to - from);
    context.fillStyle = tokenColor('accent');
    context.globalAlpha = 0.75;
    const wide = Math.max(1, ((read.to - read.from) / parts) * scale);
    for (let i = 0; i < parts; i++) {
      const x = (read.from + (i / parts) * (read.to - read.from) - from) * scale;
      const [low, high] = [peaks[2 * i]! / 127, peaks[2 * i + 1]! / 127];
      const top = (SOUND_HEIGHT / 2) * (1 - high);
      context.fillRect(x, top, wide, Math.max(1, (SOUND_HEIGHT / 2) * (1 - low) - top));
    }
    context.globalAlpha = 1;
  }, [loaded.value, from, to, width, theme.value]);
  return <canvas ref={canvas} class="track-canvas" aria-hidden="true" />;
}

interface LaneProps extends DrawProps {
  readonly lane: Lane;
  readonly selected: string | undefined;
  readonly onSelect: ((id: string, t: number) => void) | undefined;
}

function LaneView({ player, stretch, width, lane, selected, onSelect }: LaneProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const height = lane.kind === 'values' ? VALUE_HEIGHT : EVENT_HEIGHT;
  const { from, to } = player.stretch.value;
  const scale = width / (to - from);
  useEffect(() => {
    const context = prepareCanvas(canvas.current, width, height);
    if (!context) return;
    const x = (t: number): number => (t - from) * scale;
    if (lane.kind === 'values') drawValues(context, lane, { x, width, height, to });
    else if (lane.bins) drawBins(context, lane.bins, stretch, { x, height });
    else
      for (const { id, t, end } of lane.marks ?? []) {
        const isSelected = id !== undefined && id === selected;
        context.fillStyle = tokenColor(lane.kind === 'gaps' ? 'bad' : isSelected ? 'warn' : 'accent');
        const wide = Math.max(isSelected ? 5 : 3, (end - t) * scale);
        context.beginPath();
        context.roundRect(x(t) - 1, isSelected ? 1 : 4, wide, height - (isSelected ? 2 : 8), 2);
        context.fill();
      }
  }, [lane, from, to, width, selected, theme.value]);
  const markAt = (clientX: number): NonNullable<Lane['marks']>[number] | undefined => {
    const at = clientX - canvas.current!.getBoundingClientRect().left;
    const distance = ({ t, end }: { readonly t: number; readonly end: number }): number => {
      const [left, right] = [(t - from) * scale, (end - from) * scale];
      return at < left ? left - at : at > right ? at - right : 0;
    };
    const near = (lane.marks ?? []).toSorted((a, b) => distance(a) - distance(b))[0];
    return near && distance(near) <= 6 ? near : undefined;
  };
  return (
    <canvas
      ref={canvas}
      class="track-canvas"
      aria-hidden="true"
      onPointerMove={(event) => {
        const mark = markAt(event.clientX);
        const target = event.currentTarget as HTMLCanvasElement;
        target.title = mark ? `${clock(mark.t)}  ${mark.text}` : '';
        target.style.cursor = mark ? 'pointer' : '';
      }}
      onClick={(event) => {
        if (lane.kind === 'values') return;
        const mark = markAt(event.clientX);
        if (mark?.id !== undefined) onSelect?.(mark.id, mark.t);
        else {
          const bounds = canvas.current!.getBoundingClientRect();
          player.seek(mark?.t ?? from + (event.clientX - bounds.left) / scale);
        }
      }}
    />
  );
}

function drawValues(
  context: CanvasRenderingContext2D,
  { points = [] }: Lane,
  { x, width, height, to }: { x: (t: number) => number; width: number; height: number; to: number },
): void {
  if (points.length === 0) return;
  const values = points.map(({ value }) => value);
  const low = Math.min(...values);
  const high = Math.max(...values, low + 1);
  const y = (value: number): number => height - 4 - ((value - low) / (high - low)) * (height - 8);
  context.strokeStyle = tokenColor('good');
  context.lineWidth = 1.5;
  context.beginPath();
  for (const [index, { t, value }] of points.entries()) {
    if (index === 0) context.moveTo(x(t), y(value));
    else context.lineTo(x(t), y(points[index - 1]!.value));
    context.lineTo(x(t), y(value));
  }
  context.lineTo(Math.min(width, x(to)), y(values.at(-1)!));
  context.stroke();
  context.fillStyle = tokenColor('text-soft');
  context.font = `10px ${getComputedStyle(document.body).fontFamily}`;
  context.textAlign = 'right';
  context.fillText(String(high), width - 3, 10);
  context.fillText(String(low), width - 3, height - 3);
  context.textAlign = 'left';
}

function drawBins(
  context: CanvasRenderingContext2D,
  bins: readonly number[],
  { from, to }: Stretch,
  { x, height }: { x: (t: number) => number; height: number },
): void {
  const most = Math.max(1, ...bins);
  context.fillStyle = tokenColor('accent');
  for (const [index, count] of bins.entries()) {
    if (count === 0) continue;
    const left = x(from + (index / bins.length) * (to - from));
    const right = x(from + ((index + 1) / bins.length) * (to - from));
    const tall = Math.max(2, (count / most) * (height - 4));
    context.fillRect(left, height - 2 - tall, Math.max(1, right - left), tall);
  }
}

/** The whole recording, with the stretch that the time line covers as a window that can be moved. */
function Overview({ player }: { readonly player: Player }) {
  const { from, to } = player.stretch.value;
  const duration = Math.max(player.duration.value, 1e-3);
  const drag = (event: PointerEvent): void => {
    const target = event.currentTarget as HTMLElement;
    const bounds = target.getBoundingClientRect();
    const length = to - from;
    const place = (x: number): void => {
      const middle = ((x - bounds.left) / bounds.width) * duration;
      player.setStretch({ from: middle - length / 2, to: middle + length / 2 });
    };
    const move = (moved: PointerEvent): void => place(moved.clientX);
    target.setPointerCapture(event.pointerId);
    target.addEventListener('pointermove', move);
    target.addEventListener('pointerup', () => target.removeEventListener('pointermove', move), { once: true });
    place(event.clientX);
  };
  return (
    <div class="overview" onPointerDown={drag} title={text.timeline.overview}>
      <div
        class="overview-window"
        style={{ left: `${(from / duration) * 100}%`, width: `${((to - from) / duration) * 100}%` }}
      />
      <div class="overview-head" style={{ left: `${(player.t.value / duration) * 100}%` }} />
    </div>
  );
}

function Playhead({ player, width }: { readonly player: Player; readonly width: number }) {
  const { from, to } = player.stretch.value;
  const x = ((player.t.value - from) / (to - from)) * width;
  if (x < 0 || x > width) return null;
  return <div class="playhead" style={{ left: `${LABEL_WIDTH + x}px` }} aria-hidden="true" />;
}
