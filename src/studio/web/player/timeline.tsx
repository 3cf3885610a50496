import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { readLanes } from '../../api/log.ts';
import { readPeaks, readPreview, readStream } from '../../api/recording.ts';
import { addressOf, call, send } from '../api-client.ts';
import { useLoaded } from '../components/load.ts';
import { useSize } from '../components/use-size.ts';
import { useKeys } from '../keys.ts';
import { clock, text } from '../strings.ts';
import { shownTheme } from '../theme.ts';
import { prepareCanvas, tokenColor } from './draw.ts';
import { ChapterLane, type DrawProps, EVENT_HEIGHT, type Lane, LaneView, ReadingView, StreamView } from './lanes.tsx';
import { LaneMenu, shownLanes } from './lane-menu.tsx';
import type { Player, TimeRange } from './player.ts';
import type { ReadingLane, Readings } from './readings.ts';

const LABEL_WIDTH = 148;
const RULER_HEIGHT = 22;
const FILM_HEIGHT = 46;
const SOUND_HEIGHT = 34;
const MARKED_SOUND_HEIGHT = 72;
/** Pixels that must be dragged over for a mark. */
const MIN_MARK_PIXELS = 3;
const STREAM_HEIGHT = 30;
const VALUE_HEIGHT = 34;
const TEXT_HEIGHT = 24;
const OVERVIEW_HEIGHT = 16;
/** Steps of the ruler in seconds. */
const STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200];
/** Milliseconds without a change of the time range before anything is read for it. */
const SETTLE_MS = 90;
const FILM_WIDTH = 160;
/** What is read on both sides of what is shown, as a share of it: there is something to see while a person moves it. */
const MARGIN = 0.5;
const MAX_COLUMNS = 4096;
const POLL_MS = 700;

interface TimelineProps {
  readonly player: Player;
  /** What it is called where there are several. */
  readonly label?: string;
  /** The log whose events are shown. */
  readonly log?: string | undefined;
  /** Changes when the log was corrected. */
  readonly version?: string | undefined;
  /** Further lanes, such as what an author marked. */
  readonly marked?: readonly Lane[];
  /** What detectors read. */
  readonly readings?: Readings | undefined;
  /** Changes when there are other readings. */
  readonly readingsVersion?: unknown;
  readonly selected?: string | undefined;
  readonly onSelect?: (id: string, t: number) => void;
  /** Parts of the sound that are marked; dragging over the waveform then marks another. */
  readonly soundMarks?: SoundMarks;
}

/** What is marked on the waveform, in seconds. */
interface SoundMarks {
  readonly ranges: readonly TimeRange[];
  /** Where else the sound is heard. */
  readonly found: readonly number[];
  readonly onMark: (range: TimeRange) => void;
}

/** The time line below the picture: ruler, film strip, sound, stream, readings, and lanes of what happens. */
export function Timeline(props: TimelineProps) {
  const { player, label = text.timeline.title, log, version, readings, readingsVersion, selected, onSelect } = props;
  const { marked = [], soundMarks } = props;
  const box = useRef<HTMLDivElement>(null);
  const { width: full } = useSize(box);
  const width = Math.max(0, full - LABEL_WIDTH);
  const timeRange = useSettled(player.visibleRange.value);
  const again = useSignal(0);
  const info = player.info.value;
  const shown = shownLanes.value;
  const wide = { from: timeRange.from - MARGIN * lengthOf(timeRange), to: timeRange.to + MARGIN * lengthOf(timeRange) };
  const read = { from: Math.max(0, wide.from), to: Math.min(Math.max(timeRange.to, player.duration.value), wide.to) };
  const columns = Math.max(1, Math.min(MAX_COLUMNS, Math.floor((width / 2) * (lengthOf(read) / lengthOf(timeRange)))));
  const isReady = width > 0 && lengthOf(read) > 0;
  const lanes = useLoaded(
    async (signal) =>
      log === undefined || !isReady
        ? undefined
        : { ...(await call(readLanes, { query: { log, ...read, bins: columns }, signal })), timeRange: read },
    [log, version, read.from, read.to, columns],
  );
  const fields = useLoaded(
    async (signal) => {
      if (!readings || !isReady || !shown.has('readings')) return undefined;
      const answer = await readings.lanes(read, columns, signal);
      if (!answer.isComplete)
        setTimeout(() => {
          if (!signal.aborted) again.value += 1;
        }, POLL_MS);
      return { ...answer, timeRange: read };
    },
    [readings, readingsVersion, read.from, read.to, columns, shown.has('readings'), again.value],
  );
  const t = text.timeline;
  const hasReadings = (fields.value?.lanes.length ?? 0) > 0;
  useKeys(
    readings
      ? [
          { key: '.', does: t.nextChange(readings.field.value), run: () => void readings.step('next') },
          { key: ',', does: t.previousChange(readings.field.value), run: () => void readings.step('previous') },
        ]
      : [],
  );

  const wheel = (event: WheelEvent): void => {
    const bounds = box.current!.getBoundingClientRect();
    const { from, to } = player.visibleRange.value;
    const at = from + ((event.clientX - bounds.left - LABEL_WIDTH) / width) * (to - from);
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      const by = ((event.deltaX || event.deltaY) / width) * (to - from);
      player.setVisibleRange({ from: from + by, to: to + by });
    } else if (event.ctrlKey || event.metaKey || event.altKey) {
      event.preventDefault();
      player.zoom(1.2 ** (-event.deltaY / 60), at);
    }
  };

  const scrub = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const target = event.currentTarget as HTMLElement;
    const bounds = target.getBoundingClientRect();
    const { from, to } = player.visibleRange.value;
    const timeAt = (x: number): number => from + ((x - bounds.left) / bounds.width) * (to - from);
    const move = (moved: PointerEvent): void => player.scrub(timeAt(moved.clientX), true);
    const end = (ended: PointerEvent): void => {
      target.removeEventListener('pointermove', move);
      player.scrub(timeAt(ended.clientX));
    };
    target.setPointerCapture(event.pointerId);
    target.addEventListener('pointermove', move);
    target.addEventListener('pointerup', end, { once: true });
    player.scrub(timeAt(event.clientX), true);
  };

  const shared = { player, timeRange, width };
  const ofLog = (lanes.value?.lanes ?? []).filter(({ kind }) => shown.has(kind));
  const marks = [...(info?.chapters ?? [])].map(({ t: start, title }, i, all) => ({
    t: start,
    end: all[i + 1]?.t ?? player.duration.value,
    text: title,
  }));
  return (
    <section class="timeline" aria-label={label} ref={box} onWheel={wheel}>
      <div class="timeline-rows">
        <Row
          label={<TimelineTools player={player} hasReadings={hasReadings} />}
          height={RULER_HEIGHT}
          onPointerDown={scrub}
          className="timeline-ruler"
        >
          <Ruler {...shared} />
        </Row>
        {shown.has('film') && (
          <Row label={t.film} height={FILM_HEIGHT} onPointerDown={scrub}>
            <FilmStrip {...shared} />
          </Row>
        )}
        {info?.hasSound === true && (shown.has('sound') || soundMarks) && (
          <Row
            label={t.sound}
            height={soundMarks ? MARKED_SOUND_HEIGHT : SOUND_HEIGHT}
            onPointerDown={soundMarks ? undefined : scrub}
          >
            <Waveform {...shared} height={soundMarks ? MARKED_SOUND_HEIGHT : SOUND_HEIGHT} />
            {soundMarks && <SoundMarking player={player} width={width} marks={soundMarks} />}
          </Row>
        )}
        {info?.index && shown.has('stream') && (
          <Row label={t.stream} height={STREAM_HEIGHT} onPointerDown={scrub}>
            <StreamLane {...shared} read={read} columns={columns} />
          </Row>
        )}
        {marks.length > 0 && shown.has('chapters') && (
          <Row label={t.chapters} height={EVENT_HEIGHT}>
            <ChapterLane {...shared} marks={marks} height={EVENT_HEIGHT} />
          </Row>
        )}
        {ofLog
          // Readings show the same numbers, and where they could not be read.
          .filter(({ kind }) => kind !== 'values' || !hasReadings || !shown.has('readings'))
          .map((lane) => (
            <Row
              key={`${lane.kind} ${lane.name}`}
              label={lane.kind === 'gaps' ? t.gaps : lane.kind === 'chapters' ? t.sections : lane.name}
              height={lane.kind === 'values' ? VALUE_HEIGHT : EVENT_HEIGHT}
              onPointerDown={lane.kind === 'values' ? scrub : undefined}
            >
              {lane.kind === 'chapters' && lane.marks ? (
                <ChapterLane {...shared} marks={lane.marks} height={EVENT_HEIGHT} onSelect={onSelect} />
              ) : (
                <LaneView
                  {...shared}
                  lane={lane}
                  height={lane.kind === 'values' ? VALUE_HEIGHT : EVENT_HEIGHT}
                  read={lanes.value!.timeRange}
                  selected={selected}
                  onSelect={onSelect}
                />
              )}
            </Row>
          ))}
        {marked.map((lane) => (
          <Row key={`marked ${lane.name}`} label={lane.name} height={EVENT_HEIGHT}>
            <LaneView
              {...shared}
              lane={lane}
              height={EVENT_HEIGHT}
              read={timeRange}
              selected={undefined}
              onSelect={undefined}
            />
          </Row>
        ))}
        {readings &&
          shown.has('readings') &&
          fields.value?.lanes.map((lane) => {
            const height = lane.isNumber ? VALUE_HEIGHT : TEXT_HEIGHT;
            return (
              <Row
                key={`reading ${lane.name}`}
                label={<FieldLabel lane={lane} readings={readings} player={player} />}
                height={height}
                onPointerDown={scrub}
              >
                <ReadingView {...shared} lane={lane} height={height} read={fields.value!.timeRange} />
              </Row>
            );
          })}
        <Playhead player={player} width={width} />
      </div>
      <Row label={<ChangeNotice readings={readings} />} height={OVERVIEW_HEIGHT} className="timeline-overview">
        <Overview player={player} />
      </Row>
    </section>
  );
}

function lengthOf({ from, to }: TimeRange): number {
  return to - from;
}

/** What stands next to a field's name where there is no value: words do not fit. */
const STATE_SIGNS = { read: '', doubtful: '?', unreadable: '?', absent: '–', none: '' } as const;

/** The name of a field, which chooses it, and what it reads where the player is. */
function FieldLabel({
  lane,
  readings,
  player,
}: {
  readonly lane: ReadingLane;
  readonly readings: Readings;
  readonly player: Player;
}) {
  const at = player.t.value;
  const run = lane.runs?.find(({ t, end }) => t <= at + 1e-4 && at < end);
  const t = text.timeline;
  return (
    <button
      type="button"
      class="field-label"
      title={t.chooseField(lane.name)}
      aria-pressed={readings.field.value === lane.name}
      onClick={() => readings.choose(lane.name)}
    >
      <span>{lane.name}</span>
      {/* The value of a text stands in its lane. */}
      {run && lane.isNumber && (
        <strong class="numbers" data-state={run.state}>
          {run.value === undefined ? (
            <>
              <span aria-hidden="true">{STATE_SIGNS[run.state]}</span>
              <span class="visually-hidden">{t.states[run.state]}</span>
            </>
          ) : (
            String(run.value)
          )}
        </strong>
      )}
    </button>
  );
}

/** The change that was stepped to. */
function ChangeNotice({ readings }: { readonly readings: Readings | undefined }) {
  const change = readings?.change.value;
  if (change === undefined) return null;
  const said = change === 'none' ? text.timeline.noChange(readings?.field.value) : text.timeline.change(change);
  return (
    <span class="change-notice" role="status" title={said}>
      {said}
    </span>
  );
}

/** The stream of what is shown. */
function StreamLane({ read, columns, ...shared }: DrawProps & { readonly read: TimeRange; readonly columns: number }) {
  const { player } = shared;
  const loaded = useLoaded(
    async (signal) => ({
      ...(await call(readStream, { query: { path: player.path, ...read, columns }, signal })),
      timeRange: read,
    }),
    [player, read.from, read.to, columns],
  );
  return loaded.value ? (
    <StreamView {...shared} stream={loaded.value} read={loaded.value.timeRange} height={STREAM_HEIGHT} />
  ) : null;
}

/** A value that follows another once that rests. */
function useSettled(timeRange: TimeRange): TimeRange {
  const settled = useSignal(timeRange);
  useEffect(() => {
    const timer = setTimeout(() => {
      settled.value = timeRange;
    }, SETTLE_MS);
    return () => clearTimeout(timer);
  }, [timeRange.from, timeRange.to]);
  return settled.value;
}

function Row(props: {
  readonly label: ComponentChildren;
  readonly height: number;
  readonly children: ComponentChildren;
  readonly onPointerDown?: ((event: PointerEvent) => void) | undefined;
  readonly className?: string;
}) {
  const { label, height, children, onPointerDown, className = '' } = props;
  return (
    <div class={`timeline-row ${className}`} style={{ height: `${height}px` }}>
      <div class="timeline-label" title={typeof label === 'string' ? label : undefined}>
        {label}
      </div>
      <div class="timeline-track" onPointerDown={onPointerDown}>
        {children}
      </div>
    </div>
  );
}

function TimelineTools({ player, hasReadings }: { readonly player: Player; readonly hasReadings: boolean }) {
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
      <button
        type="button"
        title={t.zoomAll}
        onClick={() => player.setVisibleRange({ from: 0, to: player.duration.value })}
      >
        <span aria-hidden="true">⇔</span>
        <span class="visually-hidden">{t.zoomAll}</span>
      </button>
      <LaneMenu hasReadings={hasReadings} />
    </span>
  );
}

function Ruler({ player, width }: DrawProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { from, to } = player.visibleRange.value;
  const { value: duration } = player.duration;
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
    const end = Math.min(to, duration > 0 ? duration : to);
    // A mark that is less than a pixel outside is shown.
    for (let n = Math.ceil(Math.max(0, from - 1 / scale) / step); n * step <= end; n++) {
      const x = Math.round((n * step - from) * scale) + 0.5;
      context.beginPath();
      context.moveTo(x, RULER_HEIGHT - 7);
      context.lineTo(x, RULER_HEIGHT);
      context.stroke();
      context.fillText(clock(n * step, decimals), x + 4, RULER_HEIGHT / 2);
    }
  }, [from, to, duration, width, shownTheme.value]);
  return <canvas ref={canvas} class="track-canvas" aria-hidden="true" />;
}

function FilmStrip({ player, timeRange, width }: DrawProps) {
  const info = player.info.value;
  if (!info || width === 0) return null;
  const aspect = (info.width * (info.pixelAspect ?? 1)) / info.height;
  const wide = Math.max(24, FILM_HEIGHT * aspect);
  const count = Math.max(1, Math.ceil(width / wide));
  const step = ((timeRange.to - timeRange.from) * wide) / width;
  const current = player.visibleRange.value;
  const scale = width / (current.to - current.from);
  return (
    <div class="film-strip" aria-hidden="true">
      {Array.from({ length: count }, (_, i) => {
        const t = timeRange.from + i * step;
        // A time line that follows another one may show more than there is.
        if (t + step <= 0 || t >= (info.duration ?? Number.POSITIVE_INFINITY)) return undefined;
        const middle = Math.max(0, Math.min(t + step / 2, info.duration ?? t));
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

function Waveform({ player, timeRange, width, height }: DrawProps & { readonly height: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const again = useSignal(0);
  const heard = {
    from: Math.max(0, timeRange.from),
    to: Math.min(timeRange.to, player.duration.value || timeRange.to),
  };
  const count = Math.max(1, Math.min(8192, Math.floor((width * lengthOf(heard)) / lengthOf(timeRange))));
  const loaded = useLoaded(
    async (signal) => {
      if (width === 0 || lengthOf(heard) <= 0) return undefined;
      const response = await send(readPeaks, { query: { path: player.path, ...heard, count }, signal });
      if (response.headers.get('x-complete') === '0')
        setTimeout(() => {
          if (!signal.aborted) again.value += 1;
        }, 1000);
      return { peaks: new Int8Array(await response.arrayBuffer()), timeRange: heard };
    },
    [player, heard.from, heard.to, count, again.value],
  );
  const { from, to } = player.visibleRange.value;
  useEffect(() => {
    const context = prepareCanvas(canvas.current, width, height);
    if (!context || !loaded.value) return;
    const { peaks, timeRange: read } = loaded.value;
    const parts = peaks.length / 2;
    const scale = width / (to - from);
    context.fillStyle = tokenColor('accent');
    context.globalAlpha = 0.75;
    const wide = Math.max(1, ((read.to - read.from) / parts) * scale);
    for (let i = 0; i < parts; i++) {
      const x = (read.from + (i / parts) * (read.to - read.from) - from) * scale;
      const [low, high] = [peaks[2 * i]! / 127, peaks[2 * i + 1]! / 127];
      const top = (height / 2) * (1 - high);
      context.fillRect(x, top, wide, Math.max(1, (height / 2) * (1 - low) - top));
    }
    context.globalAlpha = 1;
  }, [loaded.value, from, to, width, height, shownTheme.value]);
  return <canvas ref={canvas} class="track-canvas" aria-hidden="true" />;
}

/** What is marked on the waveform; dragging marks another part. */
function SoundMarking({
  player,
  width,
  marks,
}: {
  readonly player: Player;
  readonly width: number;
  readonly marks: SoundMarks;
}) {
  const drawn = useSignal<TimeRange | undefined>(undefined);
  const { from, to } = player.visibleRange.value;
  const scale = width / (to - from);
  const drag = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const target = event.currentTarget as HTMLElement;
    const { left } = target.getBoundingClientRect();
    const timeAt = (x: number): number => Math.max(0, from + Math.max(0, Math.min(width, x - left)) / scale);
    const start = timeAt(event.clientX);
    const rangeTo = (x: number): TimeRange => {
      const other = timeAt(x);
      return { from: Math.min(start, other), to: Math.max(start, other) };
    };
    const move = (moved: PointerEvent): void => {
      drawn.value = rangeTo(moved.clientX);
    };
    target.setPointerCapture(event.pointerId);
    target.addEventListener('pointermove', move);
    target.addEventListener(
      'pointerup',
      (ended) => {
        target.removeEventListener('pointermove', move);
        drawn.value = undefined;
        const range = rangeTo(ended.clientX);
        if (lengthOf(range) * scale >= MIN_MARK_PIXELS) marks.onMark(range);
        else player.seek(range.from);
      },
      { once: true },
    );
  };
  const ranges = drawn.value ? [...marks.ranges, drawn.value] : marks.ranges;
  return (
    <div class="sound-marking" onPointerDown={drag}>
      {marks.found.map((t) => (
        <i key={t} class="sound-found" style={{ left: `${(t - from) * scale}px` }} title={clock(t)} />
      ))}
      {ranges.map((range) => (
        <span
          key={range.from}
          class="sound-range"
          style={{ left: `${(range.from - from) * scale}px`, width: `${Math.max(2, lengthOf(range) * scale)}px` }}
        />
      ))}
    </div>
  );
}

/** The whole recording, with the time range that the time line covers as a window that can be moved. */
function Overview({ player }: { readonly player: Player }) {
  const { from, to } = player.visibleRange.value;
  const duration = Math.max(player.duration.value, 1e-3);
  const drag = (event: PointerEvent): void => {
    const target = event.currentTarget as HTMLElement;
    const bounds = target.getBoundingClientRect();
    const length = to - from;
    const place = (x: number): void => {
      const middle = ((x - bounds.left) / bounds.width) * duration;
      player.setVisibleRange({ from: middle - length / 2, to: middle + length / 2 });
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
  const { from, to } = player.visibleRange.value;
  const x = ((player.t.value - from) / (to - from)) * width;
  if (x < 0 || x > width) return null;
  return <div class="playhead" style={{ left: `${LABEL_WIDTH + x}px` }} aria-hidden="true" />;
}
