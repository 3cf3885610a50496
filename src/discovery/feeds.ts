import { PART_SEPARATOR, RowTracker } from '../detectors/feed/row-tracker.ts';
import { boundsOf, type Rect, type Size } from '../geometry.ts';
import { groupRows } from '../recognition/text-finder.ts';
import { upperMedian } from '../statistics.ts';
import type { FieldValue } from './classify.ts';
import type { TextElement } from './elements.ts';
import type { FollowedSample } from './follow.ts';
import { overlap, type Sighting, type Survey } from './survey.ts';

/** Rows that appear, move and vanish: of kills, with two names and an icon between them, or messages. */
export interface Feed {
  readonly type: 'feed' | 'message';
  /** In pixels of the reference frame. */
  readonly rect: Rect;
  /** The rows with their times. */
  readonly examples: readonly Pick<FieldValue, 'recording' | 't' | 'text'>[];
  /** Share of the samples with a row. */
  readonly presence: number;
  readonly certainty: number;
}

/** An area that may be a feed, and what was seen in it. */
export interface FeedArea {
  /** In pixels of the reference frame. */
  readonly rect: Rect;
  readonly sightings: readonly Sighting[];
  /** Usual height of a row. */
  readonly rowHeight: number;
}

/** Width of a gap between the texts of a row, in heights. */
const MAX_ROW_GAP = 4;
/** Width of a row, in heights; rows at several heights may be shorter, as in a log of what was picked up. */
const MIN_ROW_WIDTH = 4.5;
const MIN_SHORT_WIDTH = 2.2;
/** Difference between the widths of rows that do not say the same, in heights. */
const MIN_WIDTH_CHANGE = 0.35;
/** By how much rows of one feed may differ: edges in heights, heights as a ratio. */
const MAX_EDGE_DISTANCE = 0.7;
const MAX_HEIGHT_RATIO = 1.35;
/** Distance of neighbouring rows, in heights. */
const MAX_ROW_DISTANCE = 2.4;
/** Times that rows were seen. */
const MIN_SEEN = 3;
/** Areas that are read, those with the most rows first. */
const MAX_AREAS = 4;
/** Height of rows, in fractions of the frame's. */
const MAX_ROW_HEIGHT = 0.06;

interface Row extends Rect {
  readonly frame: number;
}

/**
 * Finds areas in which rows of text have one edge in common, and different widths: a feed, a chat, a column of figures. What they say
 * decides.
 *
 * @param lasting What stays at its place: a line of it that hardly changes its width is no row of a feed.
 */
export function findFeedAreas(
  { sightings }: Pick<Survey, 'sightings'>,
  frame: Size,
  lasting: readonly TextElement[] = [],
): readonly FeedArea[] {
  const steady = lasting.filter(isSteadyLine);
  const moving = sightings.filter((one) => !steady.some(({ rect }) => overlap(one, rect) > MAX_STEADY_OVERLAP));
  const byFrame = Map.groupBy(moving, (one) => one.frame);
  const rows = [...byFrame.values()].flatMap((own) => joinRows(own)).filter((row) => isRow(row, frame));
  const areas = (['left', 'right'] as const).flatMap((edge) => groupByEdge(rows, edge)).flatMap(splitByDistance);
  const found: { readonly rect: Rect; readonly rowHeight: number }[] = [];
  for (const members of areas.toSorted((a, b) => b.length - a.length)) {
    const widths = members.map(({ width }) => width).toSorted((a, b) => a - b);
    const height = upperMedian(members.map((one) => one.height))!;
    // Rows that are all of one width say the same.
    if (members.length < MIN_SEEN || widths.at(-1)! - widths[0]! < MIN_WIDTH_CHANGE * height) continue;
    const isShort = upperMedian(widths)! < MIN_ROW_WIDTH * height;
    if (isShort && members.at(-1)!.y - members[0]!.y < MIN_MOVE * height) continue;
    const rect = withMargin(boundsOf(members), 0.25 * height, frame);
    if (!found.some((other) => overlap(other.rect, rect) > 0.4)) found.push({ rect, rowHeight: height });
  }
  return found
    .slice(0, MAX_AREAS)
    .map(({ rect, rowHeight }) => ({ rect, rowHeight, sightings: moving.filter((one) => overlap(one, rect) > 0.5) }));
}

/** Presence, and deviation of the width in heights, of a line that is no row of a feed. */
const MIN_STEADY_PRESENCE = 0.75;
const MAX_STEADY_DEVIATION = 0.35;
/** Share of the sightings of such a line that may have another width: the names of the top row of a feed often have. */
const MAX_OTHER_WIDTHS = 0.15;
/** Share of a sighting in such a line. */
const MAX_STEADY_OVERLAP = 0.6;

function isSteadyLine({ rect, presence, sightings }: TextElement): boolean {
  const widths = sightings.map(({ width }) => width);
  const usual = upperMedian(widths)!;
  const others = widths.filter((width) => Math.abs(width - usual) > MAX_STEADY_DEVIATION * rect.height);
  return presence >= MIN_STEADY_PRESENCE && others.length <= MAX_OTHER_WIDTHS * widths.length;
}

function isRow({ width, height }: Rect, frame: Size): boolean {
  return width >= MIN_SHORT_WIDTH * height && height <= MAX_ROW_HEIGHT * frame.height;
}

/** Joins the texts of one frame that lie in a row. */
function joinRows(own: readonly Sighting[]): readonly Row[] {
  return groupRows(own).flatMap((row) => {
    const joined: Row[] = [];
    for (const { x, y, width, height, frame } of row) {
      const last = joined.at(-1);
      const gap = last ? x - last.x - last.width : 0;
      if (last && gap <= MAX_ROW_GAP * Math.min(height, last.height))
        joined[joined.length - 1] = { ...boundsOf([last, { x, y, width, height }]), frame };
      else joined.push({ x, y, width, height, frame });
    }
    return joined;
  });
}

function groupByEdge(rows: readonly Row[], edge: 'left' | 'right'): readonly (readonly Row[])[] {
  const edgeOf = ({ x, width }: Rect): number => (edge === 'left' ? x : x + width);
  const groups: Row[][] = [];
  for (const row of rows) {
    const group = groups.find(([first]) => {
      const ratio = Math.max(first!.height, row.height) / Math.min(first!.height, row.height);
      return (
        ratio <= MAX_HEIGHT_RATIO &&
        Math.abs(edgeOf(first!) - edgeOf(row)) <= MAX_EDGE_DISTANCE * Math.min(first!.height, row.height)
      );
    });
    if (group) group.push(row);
    else groups.push([row]);
  }
  return groups;
}

/** Splits rows with one edge where a gap between them is too wide for one feed. */
function splitByDistance(rows: readonly Row[]): readonly (readonly Row[])[] {
  const sorted = rows.toSorted((a, b) => a.y - b.y);
  const groups: Row[][] = [];
  for (const row of sorted) {
    const last = groups.at(-1)?.at(-1);
    if (last && row.y - last.y <= MAX_ROW_DISTANCE * Math.min(row.height, last.height)) groups.at(-1)!.push(row);
    else groups.push([row]);
  }
  return groups;
}

function withMargin({ x, y, width, height }: Rect, margin: number, frame: Size): Rect {
  const [left, top] = [Math.max(0, Math.floor(x - margin)), Math.max(0, Math.floor(y - margin))];
  const right = Math.min(frame.width, Math.ceil(x + width + margin));
  const bottom = Math.min(frame.height, Math.ceil(y + height + margin));
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** Rows with two names, and their share of all rows, that make a feed of kills. */
const MIN_KILLS = 3;
const MIN_KILL_SHARE = 0.5;
/** Rows that are enough where all rows are such, four names are in them, each read surely, and nothing is shown most of the time. */
const MIN_SURE_KILLS = 2;
const MIN_SURE_CONFIDENCE = 0.9;
const MAX_SURE_PRESENCE = 0.4;
/** Share of the samples in which a row of kills may be shown: others are a part of the HUD. */
const MAX_ROW_SHARE = 0.5;
const WORD = /\p{L}.*\p{L}/u;
/** Names: letters first, seldom spaces. */
const NAME = /^[\p{L}][^>]*[\p{L}\p{N}][^>]*$/u;

/** Rows that move, of all, that make a log of messages, and distance in heights from which a row has moved. */
const MIN_MESSAGES = 4;
const MIN_MOVED_SHARE = 0.3;
/** Share of the samples with a row up to which one row that moved is enough: rows that come and go seldom push each other. */
const MAX_PASSING_SHARE = 0.8;
const MIN_MOVE = 0.7;
/** Letters of a message. */
const MESSAGE = /\p{L}.*\p{L}.*\p{L}/u;

/**
 * Reads an area as a feed.
 *
 * @param samples What was seen there, with rows.
 * @returns Undefined where it is none: its rows stay, or they neither have two names nor move.
 */
export function readFeed(rect: Rect, samples: readonly FollowedSample[]): Feed | undefined {
  const tracker = new RowTracker('feed', undefined, { samples: 2, gaps: 3, confidence: 0.3, enough: 1e6 });
  const { cues, recording } = trackRows(tracker, samples);
  const byText = Map.groupBy(
    samples.flatMap(({ rows = [] }) =>
      rows.map((row) => ({ text: row.parts.map(({ text }) => text).join(' '), rect: row.rect })),
    ),
    ({ text }) => text,
  );
  const written = [...byText].flatMap(([text, own]) => (WORD.test(text) ? [own] : []));
  const longest = Math.max(0, ...written.map(({ length }) => length));
  const stays = longest > MAX_ROW_SHARE * samples.length;
  // Figures above or below a feed are no rows of it.
  const lines = cues.filter(({ value }) => WORD.test(String(value)));
  const kills = lines.filter(({ value }) => isKill(String(value)));
  const messages = lines.filter(({ value }) => MESSAGE.test(String(value)));
  // A log may have one row that nothing pushes out for long; where rows do not move it is a caption.
  const seen = samples.filter(({ rows: own = [] }) => own.length > 0).length;
  const isSure =
    kills.length === lines.length &&
    kills.every(({ confidence }) => confidence >= MIN_SURE_CONFIDENCE) &&
    new Set(kills.flatMap(({ value }) => String(value).split(PART_SEPARATOR))).size === 2 * kills.length &&
    seen <= MAX_SURE_PRESENCE * samples.length;
  const minKills = isSure ? MIN_SURE_KILLS : MIN_KILLS;
  const isKills =
    !stays &&
    kills.length >= minKills &&
    kills.length >= MIN_KILL_SHARE * lines.length &&
    new Set(kills.map(({ value }) => value)).size >= minKills &&
    // In a column of a table one side is always the same.
    [0, 1].every((side) => new Set(kills.map(({ value }) => String(value).split(PART_SEPARATOR)[side])).size > 1);
  const repeated = [...byText.values()].filter(({ length }) => length >= 2);
  const moved = repeated.filter((own) => {
    const tops = own.map((one) => one.rect.y);
    return Math.max(...tops) - Math.min(...tops) > MIN_MOVE * own[0]!.rect.height;
  });
  const isLog =
    messages.length >= MIN_MESSAGES &&
    messages.length >= MIN_KILL_SHARE * lines.length &&
    (moved.length >= MIN_MOVED_SHARE * repeated.length ||
      (moved.length > 0 && seen <= MAX_PASSING_SHARE * samples.length));
  if (!isKills && !isLog) return undefined;
  const rows = isKills ? kills : messages;
  const confidence = upperMedian(rows.map((cue) => cue.confidence))!;
  return {
    type: isKills ? 'feed' : 'message',
    rect: isKills ? rowsOf(rect, written) : rect,
    examples: rows.map(({ t, value }) => ({ recording: recording(t), t, text: String(value) })),
    presence: seen / Math.max(1, samples.length),
    certainty: Math.round(1000 * Math.min(1, rows.length / lines.length) * confidence) / 1000,
  };
}

/** Share of the rows that may reach beyond their area above and below: two rows that were read as one. */
const MAX_BEYOND = 0.05;

/** The part of an area in which rows with words were read. */
function rowsOf(area: Rect, rows: readonly (readonly { readonly rect: Rect }[])[]): Rect {
  const rects = rows.flat().map(({ rect }) => rect);
  const beyond = Math.round(MAX_BEYOND * (rects.length - 1));
  const top = rects.map(({ y }) => y).toSorted((a, b) => a - b)[beyond]!;
  const bottom = rects.map(({ y, height }) => y + height).toSorted((a, b) => b - a)[beyond]!;
  const left = Math.min(...rects.map(({ x }) => x));
  const right = Math.max(...rects.map(({ x, width }) => x + width));
  return { x: area.x + left, y: area.y + top, width: right - left, height: bottom - top };
}

function isKill(row: string): boolean {
  const names = row.split(PART_SEPARATOR);
  return names.length === 2 && names.every((name) => NAME.test(name)) && names[0] !== names[1];
}

/** The rows of all recordings, one after the other: times go on from recording to recording. */
function trackRows(tracker: RowTracker, samples: readonly FollowedSample[]) {
  const offsets = new Map<number, number>();
  let end = 0;
  for (const { recording, t } of samples) {
    if (!offsets.has(recording)) offsets.set(recording, end === 0 ? 0 : end + 60);
    end = offsets.get(recording)! + t;
  }
  const cues = samples.flatMap(({ recording, t, rows = [] }) =>
    tracker.push({
      detector: 'feed',
      t: offsets.get(recording)! + t,
      observation:
        rows.length === 0
          ? { state: 'absent', confidence: 1 }
          : { state: 'seen', value: '', confidence: 1, detail: { rows } },
    }),
  );
  const all = [...cues, ...tracker.end()].map((cue) => {
    const [number, offset] = [...offsets].findLast(([, from]) => from <= cue.t)!;
    return { ...cue, t: cue.t - offset, number };
  });
  const numbers = new Map(all.map(({ t, number }) => [t, number]));
  return { cues: all, recording: (t: number): number => numbers.get(t) ?? 0 };
}
