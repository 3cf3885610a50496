import { boundsOf as allBounds, type Rect, type Size } from '../geometry.ts';
import { upperMedian } from '../statistics.ts';
import { withoutMargin } from './steady-edges.ts';
import { overlap, type Sighting, type Survey } from './survey.ts';

/** Which of its edges a text keeps while it changes. */
export type Alignment = 'left' | 'right' | 'centre';

/** A place of the screen where text is seen again and again. */
export interface TextElement {
  /** The area that its texts cover, in pixels of the reference frame. */
  readonly rect: Rect;
  readonly align: Alignment;
  /** Share of the surveyed frames in which it was seen. */
  readonly presence: number;
  /** Texts appear there now and then, and may fill only a part of the area. */
  readonly comesAndGoes: boolean;
  readonly sightings: readonly Sighting[];
  /** Found by edges that stay, not by the text finder: it may be an icon that looks like a figure. */
  readonly isSteady?: boolean;
  /** The place of a number in a slot whose neighbours have one: it is a figure even if it never changes. */
  readonly isSlot?: boolean;
  /** A line that was cut into parts, as it was before. */
  readonly isWhole?: boolean;
  /** A part of a series of numbers, which must not grow beyond it. */
  readonly isPart?: boolean;
  /** Seen now and then, but so narrow that it is a single character, which the text finder overlooks: how often it was seen. */
  readonly character?: 'seldom' | 'often';
}

/** Shares of the height within which lines are at one place. */
const MAX_ROW_DISTANCE = 0.35;
const MAX_HEIGHT_RATIO = 1.5;
/** Share of the narrower line's width that two lines at one place share. */
const MIN_COMMON_WIDTH = 0.5;
/** Median distance from the usual place, in heights, up to which a text is drawn on the screen and not in the scene. */
const MAX_DRIFT = 0.16;
/** Pixels of drift, of a frame 720 high, that the finder's boxes have anyhow. */
const MIN_DRIFT_PIXELS = 2.5;
/** Frames in which an element must have been seen, and their share. */
const MIN_FRAMES = 3;
const MIN_PRESENCE = 0.06;
/** The same of a single character, its width in heights, and its height in heights of the frame. */
const MIN_CHARACTER_FRAMES = 2;
const MAX_CHARACTER_WIDTH = 1.1;
const MIN_CHARACTER_HEIGHT = 0.03;

/**
 * Groups sightings into elements of the HUD: lines that were found at the same place in many frames. Text in the scene moves with
 * the camera and is left out.
 */
export function groupElements({ sightings, frames }: Pick<Survey, 'sightings' | 'frames'>, frame: Size): TextElement[] {
  const groups: Sighting[][] = [];
  for (const sighting of sightings) {
    let best: Sighting[] | undefined;
    let bestDistance = Number.POSITIVE_INFINITY;
    for (const group of groups) {
      const usual = usualPlace(group);
      const distance = placeDistance(sighting, usual);
      if (distance < bestDistance) [best, bestDistance] = [group, distance];
    }
    if (best) best.push(sighting);
    else groups.push([sighting]);
  }
  return groups.flatMap((group) => elementOf(group, frames.length, frame));
}

/** Least height of a steady place in a line, and least share of it in the line's rows, where it is a part of the line. */
const MIN_PART_HEIGHT = 0.4;
const MIN_PART_INSIDE = 0.7;
/** Gap between parts of a line, in heights of the lower part: wider than a space. */
const MIN_PART_GAP = 0.52;
/** Where in a gap a line is cut: the last digit of a clock changes too often to be steady, and belongs to the left. */
const CUT_SHARE = 0.8;

/**
 * Cuts lines that the text finder saw as one, such as a score bar, where what stays on the screen has wide gaps.
 *
 * @param places Where edges stay.
 */
export function cutSightings(sightings: readonly Sighting[], places: readonly Rect[]): readonly Sighting[] {
  return sightings.flatMap((line): Sighting[] => {
    const parts = places
      .filter((place) => isPartOf(place, line))
      .map((place) => withoutMargin(place))
      .toSorted((a, b) => a.x - b.x);
    const cuts = parts.slice(1).flatMap((part, i): number[] => {
      const before = parts[i]!;
      const left = before.x + before.width;
      const gap = part.x - left;
      return gap < MIN_PART_GAP * Math.min(before.height, part.height) ? [] : [left + CUT_SHARE * gap];
    });
    const edges = [line.x, ...cuts, line.x + line.width];
    return edges.slice(1).map((right, i) => ({ ...line, x: edges[i]!, width: right - edges[i]! }));
  });
}

/** Overlap of neighbours in a row, in heights, that comes from boxes that were cut or found a little too wide. */
const MAX_NEIGHBOUR_OVERLAP = 0.6;
/** Share of the lower one's height that neighbours in a row have in common. */
const MIN_NEIGHBOUR_HEIGHT = 0.6;

/** Separates elements of one row that overlap a little, such as a score and the clock next to it: each ends where it usually does. */
export function separateNeighbors(elements: readonly TextElement[]): readonly TextElement[] {
  return elements.map((element) => {
    let { x, width } = element.rect;
    for (const other of elements) {
      if (other === element || element.comesAndGoes || other.comesAndGoes) continue;
      const border = borderBetween(element, other);
      if (border === undefined) continue;
      if (other.rect.x > element.rect.x) width = Math.min(width, border - x);
      else [x, width] = [Math.max(x, border), x + width - Math.max(x, border)];
    }
    return { ...element, rect: { ...element.rect, x, width } };
  });
}

/** Where one of two neighbours usually ends and the other begins; undefined where they do not overlap a little. */
function borderBetween(one: TextElement, other: TextElement): number | undefined {
  const [left, right] = one.rect.x < other.rect.x ? [one, other] : [other, one];
  const [a, b] = [left.rect, right.rect];
  const height = Math.min(a.height, b.height);
  const common = a.x + a.width - b.x;
  const rows = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  if (common <= 0 || common > MAX_NEIGHBOUR_OVERLAP * height || rows < MIN_NEIGHBOUR_HEIGHT * height) return undefined;
  if (a.x + a.width >= b.x + b.width) return undefined;
  const end = upperMedian(left.sightings.map(({ x, width }) => x + width))!;
  const start = upperMedian(right.sightings.map(({ x }) => x))!;
  return end <= start ? (end + start) / 2 : undefined;
}

/** Lines as they were before they were cut: a clock may have wide gaps, too. */
export function uncutElements(uncut: readonly TextElement[], cut: readonly TextElement[]): readonly TextElement[] {
  return uncut
    .filter(({ rect, comesAndGoes }) => {
      const parts = cut.filter((part) => overlap(part.rect, rect) > 0.5 && part.rect.width < 0.9 * rect.width);
      return (
        !comesAndGoes &&
        parts.length >= 1 &&
        !cut.some((other) => other.rect.width >= 0.9 * rect.width && overlap(other.rect, rect) > 0.9)
      );
    })
    .map((element) => ({ ...element, isWhole: true }));
}

/** Whether a place lies in the rows of a line, and mostly within it. */
function isPartOf(place: Rect, line: Rect): boolean {
  const common = Math.min(place.y + place.height, line.y + line.height) - Math.max(place.y, line.y);
  const across = Math.min(place.x + place.width, line.x + line.width) - Math.max(place.x, line.x);
  return (
    place.height >= MIN_PART_HEIGHT * line.height &&
    common >= MIN_PART_INSIDE * place.height &&
    across >= MIN_PART_INSIDE * place.width
  );
}

/** The median of a group's last lines. */
function usualPlace(group: readonly Sighting[], count = 9): Rect {
  const last = group.slice(-count);
  const median = (value: (one: Sighting) => number): number => upperMedian(last.map(value))!;
  return {
    x: median((one) => one.x),
    y: median((one) => one.y),
    width: median((one) => one.width),
    height: median((one) => one.height),
  };
}

/** How far two lines are apart, 0…1; infinite where they are not at one place. */
function placeDistance(a: Rect, b: Rect): number {
  const height = Math.min(a.height, b.height);
  const rows = Math.abs(a.y + a.height / 2 - b.y - b.height / 2) / height;
  if (rows > MAX_ROW_DISTANCE || Math.max(a.height, b.height) / height > MAX_HEIGHT_RATIO)
    return Number.POSITIVE_INFINITY;
  const common = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const share = common / Math.min(a.width, b.width);
  if (share < MIN_COMMON_WIDTH) return Number.POSITIVE_INFINITY;
  return rows + 1 - common / Math.max(a.width, b.width);
}

function elementOf(group: readonly Sighting[], frameCount: number, frame: Size): TextElement[] {
  const seenIn = new Set(group.map((one) => one.frame)).size;
  const presence = seenIn / frameCount;
  const height = upperMedian(group.map((one) => one.height))!;
  const isCharacter =
    presence < MIN_LASTING_PRESENCE &&
    height >= MIN_CHARACTER_HEIGHT * frame.height &&
    upperMedian(group.map((one) => one.width))! <= MAX_CHARACTER_WIDTH * height;
  const isSeldom = seenIn < MIN_FRAMES || presence < MIN_PRESENCE;
  const minFrames = isCharacter ? MIN_CHARACTER_FRAMES : MIN_FRAMES;
  if (seenIn < minFrames || (isSeldom && !isCharacter)) return [];
  const limit = Math.max(MAX_DRIFT * height, (MIN_DRIFT_PIXELS * frame.height) / 720);
  const edges: Record<Alignment, (one: Rect) => number> = {
    left: ({ x }) => x,
    right: ({ x, width }) => x + width,
    centre: ({ x, width }) => x + width / 2,
  };
  const drifts = (Object.keys(edges) as Alignment[]).map((align) => ({ align, drift: deviation(group, edges[align]) }));
  const best = drifts.reduce((one, other) => (other.drift < one.drift - 0.5 ? other : one));
  const vertical = deviation(group, ({ y, height: h }) => y + h / 2);
  if (best.drift > limit || vertical > limit) return [];
  // Boxes that lie elsewhere are something else that was found over it.
  const usual = upperMedian(group.map(edges[best.align]))!;
  const row = upperMedian(group.map(({ y, height: h }) => y + h / 2))!;
  const own = group.filter(
    (one) =>
      Math.abs(edges[best.align](one) - usual) <= 3 * limit && Math.abs(one.y + one.height / 2 - row) <= 2 * limit,
  );
  return own.length < minFrames
    ? []
    : [
        {
          rect: boundsOf(own),
          align: best.align,
          presence,
          comesAndGoes: presence < MIN_LASTING_PRESENCE,
          sightings: own,
          ...(isCharacter ? { character: isSeldom ? 'seldom' : 'often' } : {}),
        },
      ];
}

/** Median absolute deviation. */
function deviation(group: readonly Sighting[], value: (one: Rect) => number): number {
  const values = group.map(value);
  const middle = upperMedian(values)!;
  return upperMedian(values.map((one) => Math.abs(one - middle)))!;
}

/** Share of the frames in which what is always there is seen at least. */
const MIN_LASTING_PRESENCE = 0.3;

/** The value below which a share of the values lies. */
function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.round(share * (values.length - 1))]!;
}

/** The usual area of an element whose texts are all of one width: without what was now and then found with it, such as an icon. */
export function usualArea({ sightings }: TextElement): Rect {
  return usualPlace(sightings, sightings.length);
}

/** The area of nearly all boxes. */
function boundsOf(group: readonly Rect[]): Rect {
  const left = quantile(
    group.map(({ x }) => x),
    0.03,
  );
  const right = quantile(
    group.map(({ x, width }) => x + width),
    0.97,
  );
  const top = quantile(
    group.map(({ y }) => y),
    0.2,
  );
  const bottom = quantile(
    group.map(({ y, height }) => y + height),
    0.8,
  );
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** Presence below which messages may be shown one after the other at a place, of that of what is most often seen. */
const MAX_MESSAGES_PRESENCE = 0.6;
/** Times that lines of other widths appeared there, the widest in widths of the narrowest, and how long ago another one did. */
const MIN_APPEARANCES = 2;
const MIN_WIDTH_RATIO = 1.4;
const MIN_APPEARANCE_SECONDS = 2;
/** Ratio of heights up to which lines may be one, and gap between words, in heights. */
const MAX_WORD_HEIGHT_RATIO = 1.6;
const MAX_WORD_GAP = 0.9;
/** Share of a piece in its line, its width in widths of the line, and seconds between them. */
const MIN_PIECE_INSIDE = 0.6;
const MAX_PIECE_WIDTH = 0.85;
const MAX_PIECE_SECONDS = 1.2;
/** Share of the sightings of an element that are pieces of lines, from which it is one of them. */
const MIN_PIECES_SHARE = 0.5;

/**
 * Leaves out elements that are messages: where lines of several widths appear, however often some line is there; and pieces of lines
 * that appear now and then. `groupMessages` makes areas of them.
 */
export function withoutMessages(
  elements: readonly TextElement[],
  { appeared }: Pick<Survey, 'appeared'>,
): readonly TextElement[] {
  const most = Math.max(0, ...elements.map(({ presence }) => presence));
  const passing = elements.flatMap(({ comesAndGoes, sightings }) => (comesAndGoes ? sightings : []));
  return elements.filter((element) => {
    const { presence, comesAndGoes, character, sightings } = element;
    if (character !== undefined || presence > MAX_MESSAGES_PRESENCE * most) return true;
    const pieces = sightings.filter((one) => isPiece(one, appeared) || passing.some((next) => isNextWord(one, next)));
    return !appearsAnew(element, appeared) && !(comesAndGoes && pieces.length >= MIN_PIECES_SHARE * sightings.length);
  });
}

/** Whether lines of several widths appear at the place of an element. */
function appearsAnew({ rect, sightings }: TextElement, appeared: readonly Sighting[]): boolean {
  const own = appeared
    .filter((one) => overlap(one, rect) > MIN_PIECE_INSIDE && heightRatio(one, rect) <= MAX_WORD_HEIGHT_RATIO)
    .toSorted((a, b) => a.recording - b.recording || a.t - b.t);
  const times = own.filter(
    (one, i) => i === 0 || own[i - 1]!.recording !== one.recording || one.t - own[i - 1]!.t >= MIN_APPEARANCE_SECONDS,
  );
  const widths = [...sightings, ...own].map(({ width }) => width);
  return times.length >= MIN_APPEARANCES && Math.max(...widths) >= MIN_WIDTH_RATIO * Math.min(...widths);
}

function heightRatio(a: Rect, b: Rect): number {
  return Math.max(a.height, b.height) / Math.min(a.height, b.height);
}

/** Whether a line is a piece of one that appeared at the time. */
function isPiece(line: Sighting, appeared: readonly Sighting[]): boolean {
  return appeared.some(
    (whole) =>
      whole.recording === line.recording &&
      Math.abs(whole.t - line.t) <= MAX_PIECE_SECONDS &&
      line.width <= MAX_PIECE_WIDTH * whole.width &&
      heightRatio(line, whole) <= MAX_WORD_HEIGHT_RATIO &&
      overlapShare(line, whole) > MIN_PIECE_INSIDE,
  );
}

/** Whether two lines of a frame are words of one line: next to each other in a row. */
function isNextWord(a: Sighting, b: Sighting): boolean {
  if (a === b || a.frame !== b.frame || heightRatio(a, b) > MAX_WORD_HEIGHT_RATIO) return false;
  const height = Math.min(a.height, b.height);
  const [left, right] = a.x < b.x ? [a, b] : [b, a];
  const gap = right.x - left.x - left.width;
  const rows = Math.abs(a.y + a.height / 2 - b.y - b.height / 2);
  return rows <= MAX_ROW_DISTANCE * height && Math.abs(gap) <= MAX_WORD_GAP * height;
}

/** Joins lines that are words of one line, and leaves out pieces of lines that were seen whole. */
function joinWords(lines: readonly Sighting[], appeared: readonly Sighting[]): readonly Sighting[] {
  const joined: Sighting[] = [];
  for (const line of lines.filter((one) => !isPiece(one, appeared)).toSorted((a, b) => a.x - b.x)) {
    const at = joined.findIndex((one) => isNextWord(one, line));
    if (at < 0) joined.push(line);
    else joined[at] = { ...joined[at]!, ...allBounds([joined[at]!, line]) };
  }
  return joined;
}

/** Frames between which a message may be seen again without being new. */
const MAX_MESSAGE_GAP = 2;
/** Times that messages must have been seen at a place. */
const MIN_MESSAGES = 2;
/** Places of messages that are kept: those where most was seen. */
const MAX_MESSAGE_PLACES = 8;
/** Width of a message area, in widths of its widest text. */
const MESSAGE_MARGIN = 1.25;
/** Space before messages with the same left edge, in heights. */
const LEFT_MARGIN = 0.6;

/**
 * Groups sightings that belong to no lasting element into places where messages appear now and then: lines of one height in one
 * row, with the same middle or the same left edge. A line that was seen to appear is enough.
 */
export function groupMessages(
  { sightings, appeared, frames }: Pick<Survey, 'sightings' | 'appeared' | 'frames'>,
  lasting: readonly TextElement[],
  frame: Size,
): TextElement[] {
  const isKnown = new Set(lasting.flatMap((element) => element.sightings));
  const isAppeared = new Set(appeared);
  const unknown = [...appeared, ...sightings].filter(
    (one) => !isKnown.has(one) && !lasting.some(({ rect }) => overlapShare(one, rect) > 0.3),
  );
  const isOnTable = tableTest(
    unknown.filter((one) => !isAppeared.has(one)),
    frames.length,
  );
  const single = unknown.filter((one) => one.isTitle === true || !isOnTable(one));
  const rest = [
    ...single.filter((one) => isAppeared.has(one)),
    ...joinWords(
      single.filter((one) => !isAppeared.has(one)),
      appeared,
    ),
  ];
  const groups: { readonly align: Alignment; readonly members: Sighting[] }[] = [];
  for (const one of rest)
    for (const align of ['centre', 'left'] as const) {
      const group = groups.find((other) => other.align === align && isSameMessagePlace(one, other.members[0]!, align));
      if (group) group.members.push(one);
      else groups.push({ align, members: [one] });
    }
  const found: TextElement[] = [];
  const used = new Set<Sighting>();
  for (const { align, members } of groups.toSorted((a, b) => weightOf(b) - weightOf(a))) {
    const own = members.filter((one) => !used.has(one));
    if (found.length >= MAX_MESSAGE_PLACES) break;
    if (countAppearances(own, align) < MIN_MESSAGES && !own.some((one) => isAppeared.has(one))) continue;
    for (const one of own) used.add(one);
    const width = Math.max(...own.map((one) => one.width));
    // Boxes of the text finder are higher than letters.
    const close = own.filter((one) => isAppeared.has(one));
    const bounds = boundsOf(close.length > 0 ? close : own);
    const extra = width * (MESSAGE_MARGIN - 1);
    const [left, right] = [Math.min(...own.map(({ x }) => x)), Math.max(...own.map((one) => one.x + one.width))];
    const x = Math.max(0, left - (align === 'left' ? LEFT_MARGIN * bounds.height : extra / 2));
    found.push({
      rect: { ...bounds, x, width: Math.min(frame.width, right + extra / (align === 'left' ? 1 : 2)) - x },
      align,
      comesAndGoes: true,
      presence: new Set(own.map((one) => one.frame)).size / frames.length,
      sightings: own,
    });
  }
  return found;
}

/** How much was seen at a place of messages: a title stands once for a whole screen. */
function weightOf({ members }: { readonly members: readonly Sighting[] }): number {
  return members.length + (members.some(({ isTitle }) => isTitle === true) ? TITLE_WEIGHT : 0);
}

/** Sightings that the title of a screen counts as. */
const TITLE_WEIGHT = 1000;

/** Lines at a time from which they are a table or a menu, and seconds around it to which its lines belong. */
const MIN_TABLE_LINES = 12;
const TABLE_SECONDS = 2.5;
/** Share of the frames with so many lines beyond which the scene is full of text. */
const MAX_TABLE_SHARE = 0.25;

/** Finds out which lines are of a screen full of text, such as a score table: its cells are no messages. */
function tableTest(sightings: readonly Sighting[], frameCount: number): (one: Sighting) => boolean {
  const tables = [...Map.groupBy(sightings, ({ frame }) => frame).values()].flatMap((own) =>
    own.length >= MIN_TABLE_LINES ? [own[0]!] : [],
  );
  if (tables.length > MAX_TABLE_SHARE * frameCount) return () => false;
  return ({ recording, t }) =>
    tables.some((table) => table.recording === recording && Math.abs(table.t - t) <= TABLE_SECONDS);
}

/** Share of the smaller of two areas of messages in the other, from which both are one. */
const MIN_SAME_AREA = 0.5;

/** Joins areas of messages that overlap: texts with the same middle and texts with the same edge appear at one place. */
export function mergeMessages(elements: readonly TextElement[]): readonly TextElement[] {
  const merged: TextElement[] = [];
  for (const element of elements) {
    const at = element.comesAndGoes
      ? merged.findIndex((other) => other.comesAndGoes && overlap(other.rect, element.rect) > MIN_SAME_AREA)
      : -1;
    if (at < 0) merged.push(element);
    else merged[at] = joinMessages(merged[at]!, element);
  }
  return merged;
}

/** Ratio of the heights of two areas of messages of which one is too high, and share of the other one's rows in it. */
const MAX_MESSAGE_HEIGHT_RATIO = 1.3;
const MIN_ROWS_INSIDE = 0.8;

function rowsInCommon(a: Rect, b: Rect): number {
  return Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
}

function joinMessages(one: TextElement, other: TextElement): TextElement {
  const [a, b] = [one.rect, other.rect];
  const whole = allBounds([a, b]);
  const isLess =
    one.sightings.length === other.sightings.length
      ? a.height > b.height
      : one.sightings.length < other.sightings.length;
  const [less, more] = isLess ? [a, b] : [b, a];
  // A line that was once found with something above or below it is no higher for that.
  const isTooHigh =
    less.height > MAX_MESSAGE_HEIGHT_RATIO * more.height && rowsInCommon(less, more) >= MIN_ROWS_INSIDE * more.height;
  return {
    ...one,
    rect: isTooHigh ? { ...whole, y: more.y, height: more.height } : whole,
    presence: Math.max(one.presence, other.presence),
    sightings: [...one.sightings, ...other.sightings],
  };
}

function isSameMessagePlace(a: Rect, b: Rect, align: Alignment): boolean {
  const height = Math.min(a.height, b.height);
  if (Math.max(a.height, b.height) > 1.3 * height) return false;
  if (Math.abs(a.y + a.height / 2 - b.y - b.height / 2) > 0.25 * height) return false;
  const across = align === 'left' ? a.x - b.x : a.x + a.width / 2 - b.x - b.width / 2;
  return Math.abs(across) <= 0.3 * height;
}

/** Ratio of the widths of two lines with one middle that say different things: a piece of a line has another middle. */
const MIN_OTHER_WIDTH = 1.25;

/** How often something appeared: sightings in neighbouring frames are one, unless they are centred and of different widths. */
function countAppearances(group: readonly Sighting[], align: Alignment): number {
  const sorted = group.toSorted((a, b) => a.frame - b.frame);
  return sorted.filter((one, i) => {
    const before = sorted[i - 1];
    if (!before || one.frame - before.frame > MAX_MESSAGE_GAP) return true;
    const ratio = Math.max(one.width, before.width) / Math.min(one.width, before.width);
    return align === 'centre' && one.frame > before.frame && ratio >= MIN_OTHER_WIDTH;
  }).length;
}

function overlapShare(a: Rect, b: Rect): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return width > 0 && height > 0 ? (width * height) / (a.width * a.height) : 0;
}
