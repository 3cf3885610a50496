import { useEffect, useRef } from 'preact/hooks';
import type { readLanes } from '../../api/log.ts';
import type { readStream } from '../../api/recording.ts';
import type { RouteResponse } from '../../api/route.ts';
import { clock, text } from '../strings.ts';
import { shownTheme } from '../theme.ts';
import { prepareCanvas, tokenColor } from './draw.ts';
import type { Player, TimeRange } from './player.ts';
import type { ReadingLane } from './readings.ts';

/** A lane of what happens. */
export type Lane = RouteResponse<typeof readLanes>['lanes'][number];
type Stream = RouteResponse<typeof readStream>;

/** What every lane is drawn with. */
export interface DrawProps {
  readonly player: Player;
  /** The time range at rest. */
  readonly timeRange: TimeRange;
  readonly width: number;
}

/** Height of a lane of events. */
export const EVENT_HEIGHT = 20;
/** Height of the strip that shows the confidence of readings. */
const STRIP_HEIGHT = 3;
/** Confidence from which a reading is drawn as sure; below 0.8, readings do not count. */
const GOOD_CONFIDENCE = 0.95;
/** A picture that stays longer than so many usual ones, and by so many milliseconds, is marked. */
const LONG_STAY = { factor: 2.5, milliseconds: 30 };
/** Pixels from a mark at which the pointer is on it. */
const NEAR_PIXELS = 6;

interface LaneProps extends DrawProps {
  readonly lane: Lane;
  readonly height: number;
  /** The time range of its bins. */
  readonly read: TimeRange;
  readonly selected: string | undefined;
  readonly onSelect: ((id: string, t: number) => void) | undefined;
}

/** A lane of events, numbers or gaps. */
export function LaneView({ player, width, height, lane, read, selected, onSelect }: LaneProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { from, to } = player.visibleRange.value;
  const scale = width / (to - from);
  useEffect(() => {
    const context = prepareCanvas(canvas.current, width, height);
    if (!context) return;
    const x = (t: number): number => (t - from) * scale;
    if (lane.kind === 'values') drawValues(context, lane, { x, width, height, to });
    else if (lane.bins)
      drawBins(context, lane.bins, read, { x, height, color: lane.kind === 'gaps' ? 'bad' : 'accent' });
    else
      for (const { id, t, end } of lane.marks ?? []) {
        const isSelected = id !== undefined && id === selected;
        context.fillStyle = tokenColor(lane.kind === 'gaps' ? 'bad' : isSelected ? 'warn' : 'accent');
        const wide = Math.max(isSelected ? 5 : 3, (end - t) * scale);
        context.beginPath();
        context.roundRect(x(t) - 1, isSelected ? 1 : 4, wide, height - (isSelected ? 2 : 8), 2);
        context.fill();
      }
  }, [lane, from, to, width, selected, shownTheme.value]);
  const markAt = (clientX: number): NonNullable<Lane['marks']>[number] | undefined => {
    const at = clientX - canvas.current!.getBoundingClientRect().left;
    const distance = ({ t, end }: { readonly t: number; readonly end: number }): number => {
      const [left, right] = [(t - from) * scale, (end - from) * scale];
      return at < left ? left - at : at > right ? at - right : 0;
    };
    const near = (lane.marks ?? []).toSorted((a, b) => distance(a) - distance(b))[0];
    return near && distance(near) <= NEAR_PIXELS ? near : undefined;
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
  drawScale(context, low, high, { width, height });
}

/** Writes the ends of a scale at the right of a lane. */
function drawScale(
  context: CanvasRenderingContext2D,
  low: number | string,
  high: number | string,
  { width, height }: { readonly width: number; readonly height: number },
): void {
  context.font = `10px ${getComputedStyle(document.body).fontFamily}`;
  context.textAlign = 'right';
  context.textBaseline = 'alphabetic';
  for (const [label, y] of [
    [String(high), 10],
    [String(low), height - 5],
  ] as const) {
    if (label === '') continue;
    // Readable on whatever is drawn below.
    const wide = context.measureText(label).width;
    context.fillStyle = tokenColor('surface');
    context.globalAlpha = 0.8;
    context.fillRect(width - wide - 6, y - 9, wide + 6, 11);
    context.globalAlpha = 1;
    context.fillStyle = tokenColor('text-soft');
    context.fillText(label, width - 3, y);
  }
  context.textAlign = 'left';
}

function drawBins(
  context: CanvasRenderingContext2D,
  bins: readonly number[],
  { from, to }: TimeRange,
  { x, height, color }: { x: (t: number) => number; height: number; color: string },
): void {
  const most = Math.max(1, ...bins);
  context.fillStyle = tokenColor(color);
  for (const [index, count] of bins.entries()) {
    if (count === 0) continue;
    const left = x(from + (index / bins.length) * (to - from));
    const right = x(from + ((index + 1) / bins.length) * (to - from));
    const tall = Math.max(2, (count / most) * (height - 4));
    context.fillRect(left, height - 2 - tall, Math.max(1, right - left), tall);
  }
}

/** Parts of the recording with their names: chapters of the file, or what the log says begins. */
export function ChapterLane({
  player,
  width,
  marks,
  height,
  onSelect,
}: DrawProps & {
  readonly marks: NonNullable<Lane['marks']>;
  readonly height: number;
  readonly onSelect?: ((id: string, t: number) => void) | undefined;
}) {
  const { from, to } = player.visibleRange.value;
  const scale = width / (to - from);
  return (
    <div class="chapters" style={{ height: `${height}px` }}>
      {marks
        .filter(({ t, end }) => end > from && t < to)
        .map(({ id, t, end, text: title }) => {
          // The name of what began earlier stays in sight.
          const left = Math.max(0, (t - from) * scale);
          return (
            <button
              key={`${t} ${title}`}
              type="button"
              title={`${clock(t)}  ${title}`}
              style={{ left: `${left}px`, width: `${Math.max(3, Math.min(width, (end - from) * scale) - left)}px` }}
              onClick={() => {
                if (id !== undefined && onSelect) onSelect(id, t);
                else player.seek(t);
              }}
            >
              {title}
            </button>
          );
        })}
    </div>
  );
}

/** The rate of the stream, and pictures that stay too long. */
export function StreamView({
  player,
  width,
  stream,
  read,
  height,
}: DrawProps & { readonly stream: Stream; readonly read: TimeRange; readonly height: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { from, to } = player.visibleRange.value;
  const { rates, stays, usualStay } = stream;
  const columnWidth = (read.to - read.from) / rates.length;
  useEffect(() => {
    const context = prepareCanvas(canvas.current, width, height);
    if (!context) return;
    const scale = width / (to - from);
    const x = (column: number): number => (read.from + column * columnWidth - from) * scale;
    const most = Math.max(1, ...rates);
    context.fillStyle = tokenColor('accent');
    context.globalAlpha = 0.45;
    for (const [column, rate] of rates.entries()) {
      const tall = (rate / most) * (height - 6);
      context.fillRect(x(column), height - tall, Math.max(1, columnWidth * scale), tall);
    }
    context.globalAlpha = 1;
    context.fillStyle = tokenColor('bad');
    for (const [column, stay] of stays.entries())
      if (isLong(stay, usualStay)) {
        // A second of the same picture is as tall as the lane.
        const tall = Math.max(5, Math.min(1, stay / 1000) * height);
        context.fillRect(x(column), 0, Math.max(2, columnWidth * scale), tall);
      }
    drawScale(context, '', text.timeline.rate(most), { width, height });
  }, [stream, from, to, width, shownTheme.value]);
  return (
    <canvas
      ref={canvas}
      class="track-canvas"
      aria-hidden="true"
      onPointerMove={(event) => {
        const target = event.currentTarget as HTMLCanvasElement;
        const t = from + (event.offsetX / width) * (to - from);
        const column = Math.floor((t - read.from) / columnWidth);
        const [rate, stay] = [rates[column], stays[column]];
        if (rate === undefined || stay === undefined) return;
        target.title = [
          `${clock(t)}  ${text.timeline.rate(rate)}`,
          ...(isLong(stay, usualStay) ? [text.timeline.stays(stay)] : []),
        ].join('\n');
      }}
    />
  );
}

function isLong(stay: number, usual: number): boolean {
  return stay > usual * LONG_STAY.factor && stay > usual + LONG_STAY.milliseconds;
}

/** What a detector read: a number by its height, anything else as text, with where it was doubtful or could not be read. */
export function ReadingView({
  player,
  width,
  lane,
  height,
  read,
}: DrawProps & { readonly lane: ReadingLane; readonly height: number; readonly read: TimeRange }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { from, to } = player.visibleRange.value;
  const scale = width / (to - from);
  useEffect(() => {
    const context = prepareCanvas(canvas.current, width, height);
    if (!context) return;
    const place: LanePlace = { x: (t) => (t - from) * scale, width, height };
    if (lane.columns) drawColumns(context, lane, read, place);
    else drawRuns(context, lane, place);
    if (lane.isNumber && lane.low !== undefined && lane.high !== undefined)
      drawScale(context, lane.low, lane.high, { width, height });
  }, [lane, from, to, width, shownTheme.value]);
  return (
    <canvas
      ref={canvas}
      class="track-canvas"
      aria-hidden="true"
      onPointerMove={(event) => {
        const t = from + event.offsetX / scale;
        (event.currentTarget as HTMLCanvasElement).title = describeAt(lane, t, read);
      }}
    />
  );
}

/** Says what a lane reads at a time. */
function describeAt({ name, runs, columns }: ReadingLane, t: number, read: TimeRange): string {
  const words = text.timeline;
  if (runs) {
    const run = runs.find((one) => one.t <= t && t < one.end);
    if (!run) return `${clock(t)}  ${name}: ${words.states.none}`;
    const value = run.value === undefined ? words.states[run.state] : String(run.value);
    const doubt = run.state === 'doubtful' ? ` · ${words.states.doubtful}` : '';
    return `${clock(run.t)}–${clock(run.end)}  ${name}: ${value}${doubt} · ${words.confidence(Math.floor(100 * run.confidence))}`;
  }
  if (!columns) return '';
  const column = Math.floor(((t - read.from) / (read.to - read.from)) * columns.changes.length);
  const [low, high] = [columns.low[column], columns.high[column]];
  const values = typeof low === 'number' ? (low === high ? String(low) : `${low}–${high}`) : words.states.none;
  return `${clock(t)}  ${name}: ${values} · ${words.changes(columns.changes[column] ?? 0)} · ${words.unreadable(columns.unreadable[column] ?? 0)}`;
}

interface LanePlace {
  readonly x: (t: number) => number;
  readonly width: number;
  readonly height: number;
}

function drawRuns(
  context: CanvasRenderingContext2D,
  { isNumber, runs = [], low = 0, high = 0 }: ReadingLane,
  { x, width, height }: LanePlace,
): void {
  const y = heightOf(low, high, height);
  const body = height - STRIP_HEIGHT - 1;
  let before: number | undefined;
  context.font = `11px ${getComputedStyle(document.body).fontFamily}`;
  context.textBaseline = 'middle';
  for (const { t, end, state, value, confidence } of runs) {
    const left = Math.max(-2, x(t));
    const right = Math.min(width + 2, x(end));
    if (right < 0 || left > width) {
      before = undefined;
      continue;
    }
    const wide = Math.max(1, right - left);
    if (state === 'unreadable') hatch(context, left, wide, body);
    else if (state === 'absent') {
      context.fillStyle = tokenColor('border');
      context.fillRect(left, isNumber ? body - 1 : body / 2, wide, 1);
    } else if (isNumber && value !== undefined) {
      const at = y(Number(value));
      context.fillStyle = tokenColor(state === 'read' ? 'good' : 'warn');
      if (before !== undefined) context.fillRect(left - 0.75, Math.min(before, at), 1.5, Math.abs(before - at) + 1.5);
      context.fillRect(left, at, wide, state === 'read' ? 1.5 : 1);
      before = at;
    } else drawText(context, String(value), { left, wide, height: body, isSure: state === 'read' });
    if (state !== 'read' && state !== 'doubtful') before = undefined;
    context.fillStyle = confidenceColor(state, confidence);
    if (state !== 'absent') context.fillRect(left, height - STRIP_HEIGHT, wide, STRIP_HEIGHT);
  }
}

function drawText(
  context: CanvasRenderingContext2D,
  value: string,
  { left, wide, height, isSure }: { left: number; wide: number; height: number; isSure: boolean },
): void {
  context.fillStyle = tokenColor(isSure ? 'accent-soft' : 'warn-soft');
  context.beginPath();
  context.roundRect(left + 0.5, 2, Math.max(1, wide - 1), height - 3, 2);
  context.fill();
  if (wide < 12) return;
  context.save();
  context.beginPath();
  context.rect(left + 2, 0, wide - 4, height);
  context.clip();
  context.fillStyle = tokenColor('text');
  context.fillText(value, Math.max(4, left + 4), height / 2 + 1);
  context.restore();
}

function drawColumns(
  context: CanvasRenderingContext2D,
  { isNumber, columns, low = 0, high = 0 }: ReadingLane,
  read: TimeRange,
  { x, width, height }: LanePlace,
): void {
  const { changes, covered, read: surely, unreadable, confidence } = columns!;
  const count = changes.length;
  const seconds = (read.to - read.from) / count;
  const y = heightOf(low, high, height);
  const body = height - STRIP_HEIGHT - 1;
  const most = Math.max(1, ...changes);
  const isUnreadable = (column: number): boolean => covered[column]! > 0 && unreadable[column]! >= 50;
  for (let column = 0; column < count; ) {
    if (!isUnreadable(column)) {
      column++;
      continue;
    }
    const first = column;
    while (column < count && isUnreadable(column)) column++;
    const [left, right] = [first, column].map((at) => Math.max(-8, Math.min(width + 8, x(read.from + at * seconds))));
    if (right! > left!) hatch(context, left!, right! - left!, body);
  }
  for (let column = 0; column < count; column++) {
    const left = x(read.from + column * seconds);
    const wide = Math.max(1, x(read.from + (column + 1) * seconds) - left);
    if (left + wide < 0 || left > width || covered[column] === 0) continue;
    const [bottom, top] = [columns!.low[column], columns!.high[column]];
    if (isNumber && typeof bottom === 'number' && typeof top === 'number') {
      context.fillStyle = tokenColor('good');
      context.fillRect(left, y(top), wide, Math.max(1.5, y(bottom) - y(top) + 1));
    } else if (!isNumber) {
      context.fillStyle = tokenColor('accent-soft');
      if (surely[column]! > 0) context.fillRect(left, 2, wide, body - 3);
      const tall = (changes[column]! / most) * (body - 3);
      context.fillStyle = tokenColor('accent');
      context.fillRect(left, body - 1 - tall, wide, tall);
    }
    const state = unreadable[column]! >= 50 ? 'unreadable' : confidence[column]! < 80 ? 'doubtful' : 'read';
    if (surely[column] === 0 && state === 'read') continue;
    context.fillStyle = confidenceColor(state, confidence[column]! / 100);
    context.fillRect(left, height - STRIP_HEIGHT, wide, STRIP_HEIGHT);
  }
}

function heightOf(low: number, high: number, height: number): (value: number) => number {
  const range = Math.max(high - low, 1e-9);
  const body = height - STRIP_HEIGHT - 6;
  return (value) => 2 + (high === low ? body / 2 : (1 - (value - low) / range) * body);
}

function confidenceColor(state: ReadingState, confidence: number): string {
  if (state === 'unreadable') return tokenColor('bad');
  if (state === 'doubtful' || confidence < GOOD_CONFIDENCE) return tokenColor('warn');
  return tokenColor('good');
}

type ReadingState = NonNullable<ReadingLane['runs']>[number]['state'];

/** Fills with slanting lines what could not be read: it is seen without colours, too. */
function hatch(context: CanvasRenderingContext2D, left: number, wide: number, height: number): void {
  context.fillStyle = tokenColor('bad-soft');
  context.fillRect(left, 0, wide, height);
  context.save();
  context.beginPath();
  context.rect(left, 0, wide, height);
  context.clip();
  context.strokeStyle = tokenColor('bad');
  context.globalAlpha = 0.5;
  context.lineWidth = 1;
  context.beginPath();
  // The lines of neighbouring parts meet.
  for (let at = Math.floor((left - height) / 6) * 6; at < left + wide; at += 6) {
    context.moveTo(at, height);
    context.lineTo(at + height, 0);
  }
  context.stroke();
  context.restore();
}
