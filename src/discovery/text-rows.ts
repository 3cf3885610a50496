import { boundsOf, type Rect, type Size } from '../geometry.ts';
import type { LineSteps } from '../recognition/decode.ts';
import { cutPart, findParts, findRow, type PartKind, type PlacedPart } from '../recognition/row-parts.ts';
import { readText } from '../recognition/text-recognizer.ts';
import { upperMedian } from '../statistics.ts';
import type { TextElement } from './elements.ts';
import type { FollowedSample } from './follow.ts';
import type { FollowedElement } from './split.ts';

/** Gap between neighbours of a row, in heights of the lower one, and texts of a row at least. */
const MAX_GAP = 2.2;
const MIN_TEXTS = 3;
/** Distance of the middles of neighbours, in heights, and ratio of their heights. */
const MAX_SHIFT = 0.35;
const MAX_HEIGHT_RATIO = 1.7;
/** Rows that are tried: the widest. */
const MAX_ROWS = 3;
/** Space on either side of a row, in widths of it: longer names make it wider. */
const ROW_MARGIN = 0.25;

/** Finds where texts stand next to each other in a row, with space on both sides as far as there is no other text. */
export function findTextRows(elements: readonly TextElement[], frame: Size): readonly Rect[] {
  const lasting = elements.filter(({ comesAndGoes }) => !comesAndGoes).toSorted((a, b) => a.rect.x - b.rect.x);
  const rows: Rect[][] = [];
  for (const { rect } of lasting) {
    const row = rows.find((one) => isNext(boundsOf(one), one.at(-1)!, rect));
    if (row) row.push(rect);
    else rows.push([rect]);
  }
  const found = rows.filter(({ length }) => length >= MIN_TEXTS).map(boundsOf);
  return found
    .toSorted((a, b) => b.width - a.width)
    .slice(0, MAX_ROWS)
    .map((row) => withMargins(row, [...lasting.map(({ rect }) => rect), ...found], frame));
}

function isNext(row: Rect, last: Rect, { x, y, width, height }: Rect): boolean {
  const [low, high] = [Math.min(last.height, height), Math.max(last.height, height)];
  return (
    high <= MAX_HEIGHT_RATIO * low &&
    Math.abs(last.y + last.height / 2 - y - height / 2) <= MAX_SHIFT * low &&
    x - row.x - row.width <= MAX_GAP * low &&
    x + width > row.x + row.width
  );
}

function withMargins(row: Rect, others: readonly Rect[], frame: Size): Rect {
  const margin = ROW_MARGIN * row.width;
  const besides = others.filter(({ y, height }) => y < row.y + row.height && row.y < y + height);
  const ends = besides.map(({ x, width }) => x + width).filter((end) => end <= row.x);
  const starts = besides.map(({ x }) => x).filter((start) => start >= row.x + row.width);
  const left = Math.floor(Math.max(0, row.x - margin, ...ends));
  const right = Math.ceil(Math.min(frame.width, row.x + row.width + margin, ...starts));
  return { ...row, x: left, width: right - left };
}

/** A row of texts, such as a score bar, whose parts move when others get wider: which part it is matters, not where. */
export interface TextRow {
  readonly rect: Rect;
  readonly parts: readonly RowPart[];
}

/** A part of a row, with its place in every sample. */
export interface RowPart extends FollowedElement {
  readonly kind: PartKind;
  /** Whether it is not always at one place. */
  readonly moves: boolean;
}

/** Samples that show the same parts at least, their share of those that show anything, and figures among the parts. */
const MIN_SAMPLES = 6;
const MIN_SHARE = 0.5;
const MIN_FIGURES = 2;
/** From the middle of the first or last character of a part to its end, in heights of the row. */
const CHARACTER_REACH = 0.36;
/** Distance of a part from its usual place, in heights of the row, from which it is elsewhere, and share of such samples of a part that moves. */
const MAX_DRIFT = 0.2;
const MIN_MOVED_SHARE = 0.1;
const EMPTY_LINE: LineSteps = { blank: new Float64Array(0), candidates: [] };

/**
 * Splits a row into words and figures by what most samples show: each part is an element of its own, wherever in the row it stands.
 *
 * @returns Undefined where the parts of the row are not always the same, or no figures.
 */
export function splitTextRow(rect: Rect, samples: readonly FollowedSample[]): TextRow | undefined {
  const found = new Map<LineSteps, readonly PlacedPart[]>();
  for (const { line, reading } of samples) if (reading && !found.has(line)) found.set(line, findParts(line));
  const read = samples.flatMap(({ line }) => {
    const own = found.get(line) ?? [];
    return own.length === 0 ? [] : [own];
  });
  const kinds = mostFrequent(read);
  if (kinds.length < MIN_TEXTS || kinds.filter((kind) => kind === 'figure').length < MIN_FIGURES) return undefined;
  const rows = new Map(
    [...found].flatMap(([line, own]) => {
      const start = findRow(own, kinds);
      return start === undefined ? [] : [[line, own.slice(start, start + kinds.length)] as const];
    }),
  );
  const alike = samples.flatMap(({ line }) => {
    const own = rows.get(line);
    return own ? [own] : [];
  });
  if (alike.length < MIN_SAMPLES || alike.length < MIN_SHARE * read.length) return undefined;
  const aspect = rect.width / rect.height;
  const parts = kinds.map((kind, i): RowPart => {
    const places = alike.map((row) => ({
      from: row[i]!.first - CHARACTER_REACH / aspect,
      to: row[i]!.last + CHARACTER_REACH / aspect,
    }));
    const middleOf = (value: (place: (typeof places)[number]) => number): number => upperMedian(places.map(value))!;
    const [from, to] = [middleOf((one) => one.from), middleOf((one) => one.to)];
    const away = places.filter(
      (one) => Math.min(Math.abs(one.from - from), Math.abs(one.to - to)) * aspect > MAX_DRIFT,
    );
    const box = { ...rect, x: rect.x + from * rect.width, width: (to - from) * rect.width };
    const slices = new Map<LineSteps, Pick<FollowedSample, 'line' | 'reading'>>();
    const own = samples.map((sample): FollowedSample => {
      const row = rows.get(sample.line);
      if (!row) return { ...sample, line: EMPTY_LINE, reading: undefined };
      let slice = slices.get(sample.line);
      if (!slice) {
        const line = cutPart(sample.line, row, i, aspect);
        slices.set(sample.line, (slice = { line, reading: readText(line) }));
      }
      return { ...sample, ...slice };
    });
    const sightings = own.flatMap(({ recording, t, reading }) => (reading ? [{ ...box, recording, t, frame: 0 }] : []));
    const element = {
      rect: box,
      align: 'left',
      presence: alike.length / samples.length,
      comesAndGoes: false,
      sightings,
    } as const;
    return { kind, element, samples: own, moves: away.length >= MIN_MOVED_SHARE * places.length };
  });
  return { rect, parts };
}

/** The kinds of the parts that most samples show. */
function mostFrequent(read: readonly (readonly PlacedPart[])[]): readonly PartKind[] {
  const counts = Map.groupBy(read, (parts) => parts.map(({ kind }) => kind).join(' '));
  const [most] = [...counts.values()].toSorted((a, b) => b.length - a.length);
  return most?.[0]!.map(({ kind }) => kind) ?? [];
}
