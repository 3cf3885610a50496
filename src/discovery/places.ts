import type { Rect, Size } from '../geometry.ts';
import type { TextRecognizer } from '../recognition/text-recognizer.ts';
import { MAX_COMMON_AREA } from './areas.ts';
import {
  groupElements,
  groupMessages,
  mergeMessages,
  type TextElement,
  uncutElements,
  withoutMessages,
} from './elements.ts';
import { type FollowedSample, followPlaces } from './follow.ts';
import { CHARACTER_WIDTH, withLineMargin } from './grow.ts';
import { type ExtendedRow, extendRow, fillGaps, groupFrames, groupSymbols, nextIcons } from './icons.ts';
import { type FeedArea, findFeedAreas } from './feeds.ts';
import { findGauges, type Gauge } from './gauges.ts';
import { findSlotFigures } from './slots.ts';
import { findTextRows } from './text-rows.ts';
import { readSteadyPlaces } from './steady-text.ts';
import { overlap, type Recording, shareInCommon, type Survey } from './survey.ts';

/** What may belong to the HUD, as far as single frames show it. */
export interface HudPlaces {
  /** Lines of text at one place, and areas in which messages appear. */
  readonly elements: readonly TextElement[];
  /** Those that the text finder saw, without the lines that were cut and the numbers in slots. */
  readonly texts: readonly TextElement[];
  /** Lines that go across several frames: the seconds on icons in a row. */
  readonly acrossFrames: ReadonlySet<TextElement>;
  readonly gauges: readonly Gauge[];
  /** Rectangles drawn around something, in rows, and symbols without one. */
  readonly outlineRows: readonly ExtendedRow[];
  readonly symbolRows: readonly ExtendedRow[];
  /** Where rows of icons may go on, though no frame was seen there. */
  readonly nextIcons: readonly Rect[];
  readonly feedAreas: readonly FeedArea[];
  /** Where texts stand next to each other. */
  readonly textRows: readonly Rect[];
}

/** What places showed over time: by number of the element, by cell of the rows, by number of the feed. */
export interface FollowedHud {
  readonly elements: readonly (readonly FollowedSample[])[];
  readonly outlines: ReadonlyMap<Rect, readonly FollowedSample[]>;
  readonly symbols: ReadonlyMap<Rect, readonly FollowedSample[]>;
  readonly nextIcons: readonly (readonly FollowedSample[])[];
  readonly feeds: readonly (readonly FollowedSample[])[];
  readonly textRows: readonly (readonly FollowedSample[])[];
}

/**
 * Finds the places of a HUD in what a survey saw.
 *
 * @param surveyed What was seen.
 * @param cut The same with lines cut where elements of a row lie apart, and with what appeared while the HUD was hidden.
 * @param found The elements of `cut`.
 */
export async function findPlaces(
  recordings: readonly Recording[],
  { surveyed, cut, found }: { readonly surveyed: Survey; readonly cut: Survey; readonly found: readonly TextElement[] },
  recognizer: TextRecognizer,
): Promise<HudPlaces> {
  const reference = recordings[0]!.size;
  const kept = withoutMessages(found, cut);
  const uncut = uncutElements(groupElements(surveyed, reference), found);
  const lasting = [...kept, ...(await readSteadyPlaces(recordings, cut.steady, found, recognizer))];
  const gauges = findGauges(recordings, [...cut.shapes.slice(0, MAX_SHAPES), ...cut.steady]);
  const texts = lasting.filter(
    ({ rect, isSteady }) => !isSteady || !gauges.some((gauge) => shareInCommon(rect, gauge.rect) > MAX_COMMON_AREA),
  );
  const lines = [...mergeMessages([...texts, ...groupMessages(cut, texts, reference)]), ...uncut];
  const frameRows = groupFrames(fillGaps(cut.outlines.slice(0, MAX_OUTLINES)));
  // Seconds on neighbouring icons are no line, but zeros of a clock may be as closed as frames.
  const acrossFrames = new Set(lines.filter(({ rect }) => isAcrossFrames(rect, frameRows, reference)));
  const slotFigures = findSlotFigures(
    frameRows,
    lines.filter((line) => !acrossFrames.has(line)),
  );
  const elements = [...lines, ...slotFigures];
  const outlineRows = frameRows.map((row) => extendRow(row, reference));
  const symbolRows = groupSymbols(cut.symbols).map((row) => extendRow(row, reference));
  const feedAreas = findFeedAreas(surveyed, reference, found);
  const textRows = findTextRows(found, reference);
  const frames = frameRows.flat();
  const guessed = frameRows
    .flatMap((row) => nextIcons(row, reference))
    .filter((rect) => !frames.some((other) => overlap(rect, other) > 0));
  return {
    elements,
    texts,
    acrossFrames,
    gauges,
    outlineRows,
    symbolRows,
    nextIcons: guessed,
    feedAreas,
    textRows,
  };
}

/** Follows all places over the recordings. */
export async function followHud(
  recordings: readonly Recording[],
  { elements, outlineRows, symbolRows, nextIcons: guessed, feedAreas, textRows }: HudPlaces,
  recognizer: TextRecognizer,
  options: NonNullable<Parameters<typeof followPlaces>[3]>,
): Promise<FollowedHud> {
  const reference = recordings[0]!.size;
  const [outlines, symbols] = [outlineRows, symbolRows].map((rows) => rows.flatMap(({ cells }) => cells)) as [
    Rect[],
    Rect[],
  ];
  const followed = [
    ...(await followPlaces(
      recordings,
      [
        ...elements.map(({ rect, comesAndGoes, character, sightings }) =>
          comesAndGoes && character === undefined
            ? { rect: withLineMargin(rect, reference), find: true, near: sightings }
            : { rect, keep: Math.ceil(CHARACTER_WIDTH * rect.height) },
        ),
        ...[...outlines, ...symbols, ...guessed].map((rect) => ({ rect, keep: 0, isPicture: true })),
        ...feedAreas.map(({ rect, rowHeight, sightings }) => ({ rect, rowHeight, isFeed: true, near: sightings })),
        ...textRows.map((rect) => ({ rect })),
      ],
      recognizer,
      options,
    )),
  ];
  const take = <T>(places: readonly T[]): (readonly [T, readonly FollowedSample[]])[] =>
    followed.splice(0, places.length).map((samples, i) => [places[i]!, samples]);
  return {
    elements: take(elements).map(([, samples]) => samples),
    outlines: new Map(take(outlines)),
    symbols: new Map(take(symbols)),
    nextIcons: take(guessed).map(([, samples]) => samples),
    feeds: take(feedAreas).map(([, samples]) => samples),
    textRows: followed,
  };
}

/** Shapes that are tried as gauges. */
const MAX_SHAPES = 60;
/** Frames that are tried as icons. */
const MAX_OUTLINES = 40;

/** Frames in a line that make it a row of icons, and the height of each, in heights of the line. */
const MIN_FRAMES_IN_LINE = 2;
const MIN_FRAME_HEIGHT = 0.55;
/** Width of a frame in heights: letters that are as closed as a frame are narrower. */
const MIN_FRAME_ASPECT = 0.75;

/** Whether a line goes across several frames, as the seconds that are written on icons in a row seem to. */
function isAcrossFrames(line: Rect, rows: readonly (readonly Rect[])[], frame: Size): boolean {
  return rows.some((row) => {
    const inside = row.filter(
      (one) =>
        one.height >= Math.max(MIN_FRAME_HEIGHT * line.height, MIN_ICON_SIDE * frame.height) &&
        one.width >= MIN_FRAME_ASPECT * one.height &&
        one.width < MAX_PART_WIDTH * line.width &&
        overlap(one, line) > MIN_PART_INSIDE,
    );
    return inside.length >= MIN_FRAMES_IN_LINE;
  });
}

/** Width of a part of a line, in widths of the line. */
const MAX_PART_WIDTH = 0.7;
/** Share of a part of a line that lies in the line. */
export const MIN_PART_INSIDE = 0.6;

/** Least height of an icon, in heights of the frame: smaller ones are cells of a gauge. */
export const MIN_ICON_SIDE = 0.032;
