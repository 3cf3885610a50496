import type { Rect, Size } from '../geometry.ts';
import type { FieldType } from './classify.ts';
import type { Alignment } from './elements.ts';

/** Width of a character, in heights, by which a figure may grow. */
export const CHARACTER_WIDTH = 0.55;
/** The same in a wide font. */
const MAX_CHARACTER_WIDTH = 0.8;

/** What the region of a field depends on. */
export interface FieldArea {
  readonly rect: Rect;
  readonly align: Alignment;
  readonly type: FieldType;
  readonly pattern?: string | undefined;
  /** What lies between its neighbours and must not be left. */
  readonly bounds?: Rect | undefined;
  /** Of messages: rows with one edge, which may be longer than those that were seen. */
  readonly isLog?: boolean | undefined;
}

/**
 * The region of a field, wider by a character on the sides on which its figure may grow or move, where nothing else lies there.
 *
 * @param symbols What is drawn besides the fields, such as an icon in front of a figure.
 */
export function growRegion(
  field: FieldArea,
  fields: readonly FieldArea[],
  frame: Size,
  symbols: readonly Rect[] = [],
): Rect {
  const { rect, align, pattern, type, bounds, isLog = false } = field;
  if (type === 'message') {
    const wide = isLog
      ? withRowMargin(rect, frame, LOG_MARGIN)
      : isBanner(rect, frame) || align === 'centre'
        ? widen(field, fields, frame, sideMargins(rect, frame))
        : rect;
    return withLineMargin(wide, frame);
  }
  if (type === 'feed') return withLineMargin(withRowMargin(rect, frame, NAME_MARGIN), frame);
  // The figures of a clock are as wide at any time, but in the middle of a row they move when their neighbours grow.
  const isClock = type === 'clock' || type === 'time';
  if (pattern === undefined || (!isClock && !/\{1,\d+\}/.test(pattern))) return rect;
  if (bounds) return isClock ? rect : growWithin(rect, bounds);
  // Where one digit was seen nothing says how wide the characters of the font are.
  const share = /\\d\{1,2\}/.test(pattern) && !isClock ? MAX_CHARACTER_WIDTH : CHARACTER_WIDTH;
  const step = Math.round(share * rect.height);
  const [left, right] = (
    isClock ? [step, step] : { left: [0, step], right: [step, 0], centre: [step / 2, step / 2] }[align]
  ) as [number, number];
  const grown = widen(field, [...fields, ...symbols.map((symbol) => ({ rect: symbol }))], frame, [left, right]);
  // A clock is not centred where one side has no space.
  return isClock && grown.width < Math.floor(rect.width + left + right) ? rect : grown;
}

/** An area that is wider on either side as far as nothing else lies there. */
function widen(
  { rect }: FieldArea,
  fields: readonly Pick<FieldArea, 'rect'>[],
  frame: Size,
  [before, after]: readonly [number, number],
): Rect {
  const [from, to] = [rect.x, rect.x + rect.width];
  const row = fields.flatMap(({ rect: other }) =>
    other.y < rect.y + rect.height && rect.y < other.y + other.height ? [other] : [],
  );
  // What lies on the area, such as the bar behind a figure, is no neighbour.
  const ends = row.flatMap(({ x, width }) => (x + width / 2 <= from ? [Math.min(from, x + width)] : []));
  const starts = row.flatMap(({ x, width }) => (x + width / 2 >= to ? [Math.max(to, x)] : []));
  const x = Math.floor(Math.max(0, from - before, ...ends));
  return { ...rect, x, width: Math.ceil(Math.min(frame.width, to + after, ...starts)) - x };
}

/** Margin above and below messages, in heights of their area at most: the text finder wants to see what is around a line. */
const MESSAGE_MARGIN = 0.5;
/** The same in heights of the frame. */
const MAX_MESSAGE_MARGIN = 0.03;

/** An area of messages with a margin. */
export function withLineMargin({ x, y, width, height }: Rect, frame: Size): Rect {
  const margin = Math.min(MESSAGE_MARGIN * height, MAX_MESSAGE_MARGIN * frame.height);
  const top = Math.max(0, Math.floor(y - margin));
  return { x, y: top, width, height: Math.min(frame.height, Math.ceil(y + height + margin)) - top };
}

/** Space for longer names and messages, in widths of a feed, and between its rows and the edge of the screen, in pixels. */
const NAME_MARGIN = 0.25;
const LOG_MARGIN = 0.6;
const EDGE_MARGIN = 6;

/** Space for longer messages on either side, in widths of those that were seen. */
const SIDE_MARGIN = 0.25;
/** Distance from the middle of the screen, in widths of it, of messages that are centred there, and width of their area at least. */
const MAX_BANNER_SHIFT = 0.01;
const MIN_BANNER_WIDTH = 0.42;

/** Whether messages are written around the middle of the screen, whichever of their edges those that were seen had in common. */
function isBanner({ x, width }: Rect, frame: Size): boolean {
  return Math.abs(x + width / 2 - frame.width / 2) <= MAX_BANNER_SHIFT * frame.width;
}

function sideMargins(rect: Rect, frame: Size): readonly [number, number] {
  const least = isBanner(rect, frame) ? (MIN_BANNER_WIDTH * frame.width - rect.width) / 2 : 0;
  const margin = Math.max(SIDE_MARGIN * rect.width, least);
  return [margin, margin];
}

/** A feed with space for longer rows on the side that is away from the edge of the screen. */
function withRowMargin({ x, width, ...rest }: Rect, frame: Size, margin: number): Rect {
  const isRight = x + width / 2 > frame.width / 2;
  const left = Math.max(0, Math.floor(x - (isRight ? margin * width : EDGE_MARGIN)));
  const right = Math.min(frame.width, Math.ceil(x + width + (isRight ? EDGE_MARGIN : margin * width)));
  return { ...rest, x: left, width: right - left };
}

/** Height of a figure, as a share, by which it may grow on either side between its neighbours. */
const PART_GROWTH = 0.3;

function growWithin({ x, y, width, height }: Rect, bounds: Rect): Rect {
  const step = PART_GROWTH * height;
  const left = Math.floor(Math.max(bounds.x, x - step));
  return { x: left, y, width: Math.ceil(Math.min(bounds.x + bounds.width, x + width + step)) - left, height };
}
