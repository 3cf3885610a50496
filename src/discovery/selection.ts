import { boundsOf, type Rect, type Size } from '../geometry.ts';
import { insideShare, isMostlyCovered, MAX_COMMON_AREA } from './areas.ts';
import { classifyField, type FieldReading, type FieldType, isCountedDown, simplify } from './classify.ts';
import type { TextElement } from './elements.ts';
import type { FollowedSample } from './follow.ts';
import { findFeedIcons } from './feed-icons.ts';
import { type Feed, readFeed } from './feeds.ts';
import type { Gauge } from './gauges.ts';
import { FIGURES, type RowPlace } from './hud-field.ts';
import { type CellRow, type ExtendedRow, findCellRow, findIcon, type Icon, type IconPicture } from './icons.ts';
import { findCaptions } from './names.ts';
import { type FollowedHud, type HudPlaces, MIN_ICON_SIDE, MIN_PART_INSIDE } from './places.ts';
import { findNameTags, findSceneLabels } from './scene-labels.ts';
import { type FollowedElement, splitCaption, splitSeries } from './split.ts';
import { overlap, shareInCommon } from './survey.ts';
import { splitTextRow, type TextRow } from './text-rows.ts';

/** An element of text, with what it showed and what that is. */
export interface IdentifiedText extends FollowedElement {
  readonly reading: FieldReading;
  /** The row that it is read with, since it moves in it. */
  readonly row?: RowPlace;
}

/** A feed, with the icons between the names of its rows. */
export interface IdentifiedFeed extends Feed {
  readonly pictures: readonly IconPicture[];
}

/** What is drawn and is no text. */
interface DrawnElements {
  readonly icons: readonly Icon[];
  /** Gauges of cells. */
  readonly rows: readonly CellRow[];
  readonly feeds: readonly IdentifiedFeed[];
}

/** The elements of a HUD, each of them once. */
export interface IdentifiedHud extends DrawnElements {
  readonly texts: readonly IdentifiedText[];
  readonly gauges: readonly Gauge[];
}

/** Types that count items. */
const COUNTS: ReadonlySet<FieldType> = new Set(['counter', 'fraction']);
/** Types of words. */
const TEXTS: ReadonlySet<FieldType> = new Set(['message', 'label', 'name']);
/** Types of several numbers, which a line with gaps can be. */
const COMPOSED: ReadonlySet<FieldType> = new Set(['fraction', 'clock', 'time']);
/** Certainty from which a field is reported. */
const MIN_CERTAINTY = 0.3;

/** Says what was followed: texts and what is drawn, without scenery and without what was found twice. */
export async function identifyHud(places: HudPlaces, followed: FollowedHud, reference: Size): Promise<IdentifiedHud> {
  const rings = places.gauges.filter(({ radii }) => radii !== undefined).map(({ rect }) => rect);
  const classified = withTextRows(classifyTexts(places, followed), places, followed).filter(
    (text) => !isRowOfRings(text, rings),
  );
  const written = classified.flatMap(({ element: { rect }, reading }) =>
    FIGURES.has(reading.type) && reading.behaviour.presence >= MIN_WRITTEN_PRESENCE ? [rect] : [],
  );
  // A part of large letters keeps its colours as a bar does.
  const lettered = classified.flatMap(({ element: { rect }, reading: { type, behaviour } }) =>
    (type === 'label' || type === 'name') && behaviour.presence >= MIN_WRITTEN_PRESENCE ? [rect] : [],
  );
  const found = await identifyDrawn(places, followed, reference);
  const rows = found.rows.filter(({ rect }) => !isInText(rect, written));
  const icons = found.icons.filter(({ rect }) => !isInText(rect, written));
  const feeds = found.feeds.map((feed) => withFirstRows(feed, classified));
  // Seconds on an icon belong to it, and lines to their feed; the number of items on an icon does not.
  const drawn = [...icons, ...rows, ...feeds].map(({ rect }) => rect);
  const texts = selectTexts(classified, { rows, icons, feeds });
  // Figures may stand on a bar or in a ring, but a digit is neither.
  const gauges = places.gauges.filter(
    ({ rect }) =>
      !isMostlyCovered(rect, drawn) &&
      !isInText(rect, [...written, ...lettered]) &&
      !texts.some(({ element }) => shareInCommon(rect, element.rect) > MAX_COMMON_AREA),
  );
  return { texts, gauges, rows, icons, feeds };
}

/** Rings in a text that never changes which were read as zeros. */
const MIN_RINGS = 2;

function isRowOfRings({ element, reading }: IdentifiedText, rings: readonly Rect[]): boolean {
  const inside = rings.filter((ring) => insideShare(ring, element.rect) >= MIN_INSIDE_TEXT);
  return inside.length >= MIN_RINGS && reading.behaviour.changes === 0;
}

/** Finds icons, rows of cells, and feeds. */
async function identifyDrawn(
  { elements, texts, outlineRows, symbolRows, feedAreas }: HudPlaces,
  followed: FollowedHud,
  reference: Size,
): Promise<DrawnElements> {
  const hidden = hiddenSamples(elements.map((element, i) => (element.comesAndGoes ? [] : followed.elements[i]!)));
  const isShown = (_: FollowedSample, n: number): boolean => !hidden.has(n);
  // The text finder takes icons for text, too, of which nothing can be read.
  const readable = texts.filter((text) => {
    const samples = followed.elements[elements.indexOf(text)] ?? [];
    return samples.filter(isRead).length >= MIN_READABLE_SHARE * samples.length;
  });
  const isText = (outline: Rect): boolean => readable.some(({ rect }) => shareInCommon(rect, outline) > MIN_TEXT_SHARE);
  const { icons, rows: framedRows } = await findIcons(
    outlineRows,
    (rect) => followed.outlines.get(rect)!.filter(isShown),
    (rect) =>
      !isText(rect) &&
      Math.min(rect.width, rect.height) >= MIN_ICON_SIDE * reference.height &&
      Math.max(rect.width, rect.height) <= MAX_ICON_SIDE * reference.height,
  );
  // An icon next to icons is one, too; next to cells nothing is.
  const isNextToIcon = (guess: Icon): boolean =>
    icons.some(({ rect }) => Math.abs(rect.y - guess.rect.y) <= MAX_ICON_SHIFT && liesNear(rect, guess.rect));
  const guesses = await Promise.all(followed.nextIcons.map((samples) => findIcon(samples.filter(isShown), true)));
  icons.push(...guesses.flatMap((icon) => (icon && isNextToIcon(icon) ? [icon] : [])));
  const framed = [...framedRows, ...icons].map(({ rect }) => rect);
  const symbolsOf = (rect: Rect): readonly FollowedSample[] => followed.symbols.get(rect)!.filter(isShown);
  const bareRows = symbolRows
    .flatMap((row) => findCellRow(row, row.cells.map(symbolsOf)) ?? [])
    .filter(
      ({ rect }) =>
        !isMostlyCovered(rect, framed) && !elements.some((one, i) => isNumberAt(rect, one, followed.elements[i]!)),
    );
  // Digits may be as closed as frames.
  const isWritten = (row: Rect): boolean =>
    elements.some(
      (one, i) => insideShare(row, one.rect) >= MIN_INSIDE_TEXT && isNumberAt(row, one, followed.elements[i]!),
    );
  const rows = [...framedRows.filter(({ rect }) => !isWritten(rect)), ...bareRows];
  const feeds = await Promise.all(
    feedAreas.flatMap(({ rect }, i) => {
      const [samples, feed] = [followed.feeds[i]!, readFeed(rect, followed.feeds[i]!)];
      return feed ? [withFeedIcons(feed, samples)] : [];
    }),
  );
  return { icons, rows, feeds };
}

/** Classifies what texts showed. */
function classifyTexts({ elements, acrossFrames }: HudPlaces, followed: FollowedHud): readonly IdentifiedText[] {
  const parts = elements.flatMap((element, i) =>
    acrossFrames.has(element) && !isLineText(followed.elements[i]!)
      ? []
      : splitSeries({ element, samples: followed.elements[i]! }).flatMap((part) => splitCaption(part)),
  );
  const hudPresence = Math.max(
    0,
    ...followed.elements.map((samples) => samples.filter(isRead).length / Math.max(1, samples.length)),
  );
  const hasStopwatch = parts.some(({ samples }) => classifyField(samples)?.isStopwatch === true);
  const classifiedParts = parts.flatMap(({ element: seen, samples }) => {
    // The text finder overlooks single characters, which are read wherever one was seen.
    const isCharacter = seen.character !== undefined && isOftenRead(samples);
    const element = isCharacter ? { ...seen, comesAndGoes: false } : seen;
    const isSteady = element.isSteady === true && element.isSlot !== true;
    const reading = classifyField(samples, { ...element, isSteady, hudPresence, isStopwatch: hasStopwatch });
    const isWanted =
      (element.isWhole !== true || (reading && isOneLine(reading))) &&
      (isCharacter ? reading?.type === 'counter' && reading.behaviour.changes > 0 : seen.character !== 'seldom');
    return reading && isWanted && reading.certainty >= MIN_CERTAINTY ? [{ element, reading, samples }] : [];
  });
  const partFigures = classifiedParts.flatMap(({ element: { rect, isWhole }, reading: { type } }) =>
    FIGURES.has(type) && isWhole !== true ? [rect] : [],
  );
  // Words with wide gaps are one line where no figure is among them.
  return classifiedParts.filter(
    ({ element: { rect, isWhole }, reading: { type } }) =>
      isWhole !== true || !TEXTS.has(type) || !partFigures.some((part) => overlap(part, rect) > MIN_PART_INSIDE),
  );
}

/** Replaces texts by the parts of a row in which they move, or of which they are too few. */
function withTextRows(
  classified: readonly IdentifiedText[],
  { textRows }: HudPlaces,
  followed: FollowedHud,
): readonly IdentifiedText[] {
  return textRows.reduce((texts, rect, i) => {
    const row = splitTextRow(rect, followed.textRows[i]!);
    const parts = row && identifyParts(row);
    if (!parts || !isNeeded(row, parts, texts)) return texts;
    const places = parts.map(({ element }) => element.rect);
    const whole = boundsOf(places);
    return [
      ...texts.filter(({ element }) => element.comesAndGoes || !isMostlyCovered(element.rect, [whole])),
      ...parts,
    ];
  }, classified);
}

/** Identifies the parts of a row; undefined where one of them is nothing. */
function identifyParts({ rect, parts }: TextRow): readonly IdentifiedText[] | undefined {
  const readings = parts.map(({ samples }) => classifyField(samples));
  const isOfKind = readings.every(
    (reading, i) => reading && FIGURES.has(reading.type) === (parts[i]!.kind === 'figure'),
  );
  if (!isOfKind) return undefined;
  const kinds = parts.map(({ kind }) => kind);
  return parts.map(({ element, samples }, i) => {
    const reading = isSide(parts, i) ? asName(readings[i]!) : readings[i]!;
    return { element, samples, reading, row: { rect, parts: kinds, part: i } };
  });
}

/** Whether words are one of two sides with a score between them: “LIONS 3 1 HAWKS”. */
function isSide(parts: TextRow['parts'], i: number): boolean {
  const [words, figure] = ['words', 'figure'];
  const form = (from: number): boolean =>
    [words, figure, figure, words].every((kind, n) => parts[from + n]?.kind === kind);
  return form(i) || form(i - 3);
}

/** A text that is another one in the next match. */
export function asName({ values, behaviour, certainty }: FieldReading): FieldReading {
  return { type: 'name', values, behaviour, certainty };
}

/** Whether elements of their own do not show all parts of a row, or parts move. */
function isNeeded(
  { parts }: TextRow,
  identified: readonly IdentifiedText[],
  texts: readonly IdentifiedText[],
): boolean {
  const partsIn = (rect: Rect): readonly IdentifiedText[] =>
    identified.filter(({ element }) => insideShare(element.rect, rect) > MAX_COMMON_AREA);
  const isFound = identified.every(({ element, reading }) =>
    texts.some((one) => {
      const { rect } = one.element;
      const isFigure = FIGURES.has(one.reading.type);
      const isInside = insideShare(element.rect, rect) > MIN_INSIDE_TEXT;
      // A figure with its caption is one element.
      if (isInside && isFigure && one.reading.caption !== undefined) return true;
      if (isFigure !== FIGURES.has(reading.type)) return false;
      // A part is only as wide as what it shows most of the time.
      return (isInside && partsIn(rect).length === 1) || shareInCommon(rect, element.rect) > MAX_COMMON_AREA;
    }),
  );
  return !isFound || parts.some(({ moves }) => moves) || parts.some((_, i) => isSide(parts, i));
}

/** Leaves out scenery, parts of what is drawn, and texts that were found twice. */
function selectTexts(
  classified: readonly IdentifiedText[],
  { rows, icons, feeds }: DrawnElements,
): readonly IdentifiedText[] {
  // Seconds on an icon belong to it, and lines to their feed; the number of items on an icon does not.
  const drawn = [...icons, ...rows, ...feeds].map(({ rect }) => rect);
  const filledPlaces = [...rows, ...feeds].map(({ rect }) => rect);
  const belongsToDrawn = (rect: Rect, reading: FieldReading): boolean =>
    isMostlyCovered(rect, filledPlaces) ||
    (isMostlyCovered(rect, drawn) && (!COUNTS.has(reading.type) || isCountedDown(reading)));
  // One thing may have been found twice, such as a line of text and by its edges. Messages may appear over others.
  const messages = classified.flatMap(({ element: { rect }, reading }) =>
    reading.type === 'message' ? [{ rect, reading }] : [],
  );
  const constant = classified.flatMap(({ element: { rect }, reading }) =>
    reading.type === 'label' ? [{ rect, reading }] : [],
  );
  const passingTexts = classified.flatMap(({ element: { rect, comesAndGoes }, reading }) =>
    comesAndGoes && (reading.type === 'message' || reading.caption !== undefined) ? [{ rect, reading }] : [],
  );
  const lastingTexts = classified.flatMap(({ element: { rect, comesAndGoes }, reading }) =>
    !comesAndGoes && reading.caption !== undefined && reading.behaviour.changes === 0 ? [{ rect, reading }] : [],
  );
  const inScene = new Set(
    [...findSceneLabels(messages, constant), ...findNameTags(passingTexts, lastingTexts)].map(({ reading }) => reading),
  );
  const figures = classified.flatMap(({ element: { rect }, reading }) => (FIGURES.has(reading.type) ? [rect] : []));
  const distinct = classified.filter(
    (one, i) =>
      !inScene.has(one.reading) &&
      !(one.reading.type === 'message' && saysNumbers(one.reading) && isMostlyCovered(one.element.rect, figures)) &&
      !messages.some(
        ({ rect, reading }) => isMostlyCovered(one.element.rect, [rect]) && saysTheSame(one.reading, reading.values),
      ) &&
      !classified.some((other) => isCaptionOf(one, other)) &&
      !belongsToDrawn(one.element.rect, one.reading) &&
      ((one.element.comesAndGoes && !FIGURES.has(one.reading.type)) ||
        !classified.some(
          (other, j) =>
            other !== one &&
            !other.element.comesAndGoes &&
            overlap(one.element.rect, other.element.rect) > MAX_COMMON_AREA &&
            (rankOf(other) > rankOf(one) || (rankOf(other) === rankOf(one) && j < i)),
        )),
  );
  const passing = distinct.flatMap(({ element: { rect }, reading }) =>
    FIGURES.has(reading.type) && reading.caption === undefined && reading.behaviour.presence < MIN_LASTING_PRESENCE
      ? [{ rect, reading }]
      : [],
  );
  return distinct.map((one) => ({ ...one, reading: asCaption(one.reading, one.element, passing) }));
}

/** Width of a part of a text, in widths of it, and share of its area in the text. */
const MAX_TEXT_PART_WIDTH = 0.75;
const MIN_INSIDE_TEXT = 0.7;
/** Share of the samples in which figures are read that are no other thing. */
const MIN_WRITTEN_PRESENCE = 0.6;

/** Whether something drawn is a part of a text, such as a digit that changes. */
function isInText(rect: Rect, texts: readonly Rect[]): boolean {
  return texts.some(
    (text) => rect.width <= MAX_TEXT_PART_WIDTH * text.width && insideShare(rect, text) >= MIN_INSIDE_TEXT,
  );
}

/** A feed with the icons between the names of its rows. */
async function withFeedIcons(feed: Feed, samples: readonly FollowedSample[]): Promise<IdentifiedFeed> {
  return { ...feed, pictures: feed.type === 'feed' ? await findFeedIcons(samples) : [] };
}

/** Share of the samples in which a figure is read that is always there. */
const MIN_LASTING_PRESENCE = 0.85;

/** Share of the samples with digits that make a place one of numbers. */
const MIN_DIGITS_SHARE = 0.6;

/** Whether a row of symbols is a line of figures: kills, deaths and assists are no cells. */
function isNumberAt(row: Rect, { rect, comesAndGoes }: TextElement, samples: readonly FollowedSample[]): boolean {
  if (comesAndGoes || overlap(row, rect) < MIN_PART_INSIDE) return false;
  const digits = samples.filter((sample) => isRead(sample) && /\d/.test(sample.reading!.text));
  return digits.length >= MIN_DIGITS_SHARE * samples.length;
}

/** Whether what is read of a line with gaps says that it is one: several numbers, words, or a number with its caption. */
function isOneLine({ type, caption }: FieldReading): boolean {
  return COMPOSED.has(type) || TEXTS.has(type) || (FIGURES.has(type) && caption !== undefined);
}

/** Share of the texts without letters that make them numbers. */
const MIN_NUMBERS_SHARE = 0.8;

/** Whether texts are numbers, such as two counters that are now and then taken for one line. */
function saysNumbers({ values }: FieldReading): boolean {
  return values.filter(({ text }) => !/\p{L}/u.test(text)).length >= MIN_NUMBERS_SHARE * values.length;
}

/** Share of the texts of a name that messages say, too, from which it is a row of them that is seldom empty. */
const MIN_SAID_SHARE = 0.5;
/** Distance of a row from the others, and of their edges, in heights of the row. */
const MAX_ROW_GAP = 1;
const MAX_ROW_SHIFT = 0.7;

function saysTheSame({ type, values }: FieldReading, said: readonly { readonly text: string }[]): boolean {
  const known = new Set(said.map(({ text }) => simplify(text)));
  const texts = new Set(values.map(({ text }) => simplify(text)));
  return type === 'name' && [...texts].filter((text) => known.has(text)).length >= MIN_SAID_SHARE * texts.size;
}

/** A log with the rows next to it that are seldom empty, and seemed to be names. */
function withFirstRows<One extends Feed>(feed: One, fields: readonly IdentifiedText[]): One {
  const rows = fields.flatMap(({ element: { rect }, reading }) => {
    const gap = Math.max(rect.y - feed.rect.y - feed.rect.height, feed.rect.y - rect.y - rect.height);
    const shifts = [rect.x - feed.rect.x, rect.x + rect.width - feed.rect.x - feed.rect.width].map(Math.abs);
    const isNext = gap <= MAX_ROW_GAP * rect.height && Math.min(...shifts) <= MAX_ROW_SHIFT * rect.height;
    return isNext && feed.type === 'message' && saysTheSame(reading, feed.examples) ? [rect] : [];
  });
  return { ...feed, rect: boundsOf([feed.rect, ...rows]) };
}

/** What seems to be a message that always says the same is the caption of a figure that comes and goes with it: “Hits” of a combo. */
function asCaption(
  reading: FieldReading,
  { rect }: TextElement,
  passing: readonly { readonly rect: Rect; readonly reading: FieldReading }[],
): FieldReading {
  const { type, constantText: text, ...rest } = reading;
  if (type !== 'message' || text === undefined) return reading;
  const together = passing.filter((one) => areTogether(reading, one.reading)).map((one) => one.rect);
  if (findCaptions(together, [{ rect, text }]).size === 0) return reading;
  return { ...rest, type: 'label', caption: text };
}

/** Share of the samples with a caption that show its figure, too: “WAIT” stands where a figure is not. */
const MIN_TOGETHER_SHARE = 0.6;

function areTogether(caption: FieldReading, figure: FieldReading): boolean {
  const times = new Set(figure.values.map(({ recording, t }) => `${recording} ${t}`));
  const common = caption.values.filter(({ recording, t }) => times.has(`${recording} ${t}`));
  return common.length >= MIN_TOGETHER_SHARE * caption.values.length;
}

/** Whether what seems to be a message is the caption in the line of a figure, which appears with it: “Last 0:14.49”. */
function isCaptionOf({ element, reading: { type, constantText } }: IdentifiedText, figure: IdentifiedText): boolean {
  const { caption } = figure.reading;
  return (
    type === 'message' &&
    constantText !== undefined &&
    caption !== undefined &&
    FIGURES.has(figure.reading.type) &&
    isMostlyCovered(element.rect, [figure.element.rect]) &&
    simplify(caption).includes(simplify(constantText))
  );
}

/**
 * How much is known of what an element shows: figures say more than texts, several of them more than one, those of a series
 * more than a part of it, a line with its caption more than its figures, and what was seen at its place most of the time more than what was seen there now and then.
 */
function rankOf({
  element,
  reading: { type, caption, certainty },
}: {
  readonly element: TextElement;
  readonly reading: FieldReading;
}): number {
  return (
    (element.isWhole === true ? 4 : 0) +
    (FIGURES.has(type) ? 2 : 0) +
    (COMPOSED.has(type) ? 0.5 : 0) +
    (element.isPart === true ? 1 : 0) +
    (caption === undefined ? 0 : 1) +
    certainty -
    (element.isSteady ? 0.01 : 0) -
    (element.comesAndGoes ? 0.5 : 0)
  );
}

/** Largest side of an icon, in heights of the frame: larger ones are cards, maps and windows. */
const MAX_ICON_SIDE = 0.14;
/** Share of both areas that a frame and a line of text have in common where the frame is that of letters. */
const MIN_TEXT_SHARE = 0.7;
/** Share of the samples in which something is read where a place is one of text. */
const MIN_READABLE_SHARE = 0.4;
const MAX_ICON_ASPECT = 1.7;

/** Pixels by which icons of a row may differ in height of place, and their distance at most, in widths. */
const MAX_ICON_SHIFT = 3;
const MAX_ICON_DISTANCE = 1.9;

function liesNear(one: Rect, other: Rect): boolean {
  return Math.abs(one.x - other.x) <= MAX_ICON_DISTANCE * one.width;
}

/** Finds icons and gauges of cells among rectangles that are drawn on the screen. */
async function findIcons(
  outlineRows: readonly ExtendedRow[],
  samplesOf: (outline: Rect) => readonly FollowedSample[],
  isIconPlace: (outline: Rect) => boolean,
): Promise<{ readonly icons: Icon[]; readonly rows: readonly CellRow[] }> {
  const grouped = outlineRows.map((row) => ({ row, cells: findCellRow(row, row.cells.map(samplesOf)) }));
  const single = grouped.flatMap(({ row, cells }) => (cells ? [] : row.cells.slice(row.from, row.to)));
  const icons = await Promise.all(
    single
      .filter((rect) => {
        const aspect = rect.width / rect.height;
        return Math.max(aspect, 1 / aspect) <= MAX_ICON_ASPECT && isIconPlace(rect);
      })
      .map((rect) => findIcon(samplesOf(rect))),
  );
  return { icons: icons.flatMap((icon) => icon ?? []), rows: grouped.flatMap(({ cells }) => cells ?? []) };
}

/** Share of the samples in which a text that always is on the HUD is read, and share of these texts at a time while it is shown. */
const MIN_ALWAYS_READ = 0.75;
const MIN_SHOWN = 0.34;
const MIN_SHOWN_TEXTS = 2;

/** The numbers of the samples in which the HUD is not shown: hardly any of its texts is read. */
function hiddenSamples(followed: readonly (readonly FollowedSample[])[]): ReadonlySet<number> {
  const always = followed.filter(
    (samples) => samples.length > 0 && samples.filter(isRead).length >= MIN_ALWAYS_READ * samples.length,
  );
  if (always.length < MIN_SHOWN_TEXTS) return new Set();
  return new Set(
    always[0]!.flatMap((_, n) =>
      always.filter((samples) => isRead(samples[n]!)).length < MIN_SHOWN * always.length ? [n] : [],
    ),
  );
}

/** Share of the readings that are those of a clock, or a word, which make a line one text. */
const MIN_LINE_SHARE = 0.6;

const CLOCK = /\d ?: ?\d\d/;
const WORD = /\p{L}{3}/u;

/** Whether a line is that of a clock or has words: its zeros or letters may be as closed as frames, but it is no row of figures on icons. */
function isLineText(samples: readonly FollowedSample[]): boolean {
  const read = samples.filter(({ reading }) => reading !== undefined);
  const lines = read.filter(
    (sample) => CLOCK.test(sample.reading!.text) || (isRead(sample) && WORD.test(sample.reading!.text)),
  );
  return lines.length >= Math.max(1, MIN_LINE_SHARE * read.length);
}

/** Share of the samples in which a single character is read that is a figure of the HUD, and confidence of the readings. */
const MIN_CHARACTER_SHARE = 0.3;
const MIN_CHARACTER_CONFIDENCE = 0.9;

/** Whether one character or two are read again and again. */
function isOftenRead(samples: readonly FollowedSample[]): boolean {
  const sure = samples.filter(({ reading }) => (reading?.confidence ?? 0) >= MIN_CHARACTER_CONFIDENCE);
  return sure.length >= MIN_CHARACTER_SHARE * samples.length;
}

/** Confidence from which a text is there. */
const CERTAIN_READING = 0.5;

function isRead({ reading }: FollowedSample): boolean {
  return (reading?.confidence ?? 0) >= CERTAIN_READING;
}
