import { type Anchor, boundsOf, type Rect, type Size } from '../geometry.ts';
import { charactersOf, TextRecognizer } from '../recognition/text-recognizer.ts';
import {
  type Behaviour,
  classifyField,
  type FieldReading,
  type FieldType,
  type FieldValue,
  isCountedDown,
  simplify,
} from './classify.ts';
import {
  type Alignment,
  cutSightings,
  groupElements,
  groupMessages,
  mergeMessages,
  separateNeighbours,
  uncutElements,
  type TextElement,
  usualArea,
} from './elements.ts';
import { type FollowedSample, followPlaces } from './follow.ts';
import {
  type CellRow,
  type ExtendedRow,
  extendRow,
  fillGaps,
  findCellRow,
  findIcon,
  groupFrames,
  groupSymbols,
  type Icon,
  type IconPicture,
} from './icons.ts';
import {
  cleanName,
  displayWord,
  findCaptions,
  findTable,
  type Label,
  nameOfCaption,
  placeOnScreen,
  uniqueName,
} from './names.ts';
import { findFeedIcons } from './feed-icons.ts';
import { type Feed, findFeedAreas, readFeed } from './feeds.ts';
import { findGauges, type Gauge } from './gauges.ts';
import { findNameTags, findSceneLabels } from './scene-labels.ts';
import { CHARACTER_WIDTH, growRegion, withLineMargin } from './grow.ts';
import { readHiddenFrames } from './hidden-lines.ts';
import { findSlotFigures } from './slots.ts';
import { readSteadyPlaces } from './steady-text.ts';
import { splitCaption, splitSeries } from './split.ts';
import { withoutMargin } from './steady-edges.ts';
import { NETWORK_THREADS, openRecordings, overlap, shareInCommon, type Survey, surveyText } from './survey.ts';
import { figureArea, type TaughtFont, teachFont } from './teach.ts';

/** An element of the HUD that was found. */
export interface HudField {
  /** Stands for it in questions and answers. */
  readonly id: string;
  readonly type: FieldType;
  /** Its caption, or its place on the screen. */
  readonly name: string;
  readonly isCaptioned: boolean;
  /** In pixels of the reference frame. */
  readonly rect: Rect;
  readonly align: Alignment;
  /** Where it may grow: between the separators of a series. */
  readonly bounds?: Rect;
  readonly place: Anchor;
  readonly pattern?: string;
  readonly secondPattern?: string;
  /** Whether the digits of its numbers stand in groups of three. */
  readonly isGrouped?: boolean;
  /** Whether a time is written in minutes, seconds and hundredths with colons: 01:23:45. */
  readonly isStopwatch?: boolean;
  /** Of a gauge: how it fills, and its colours. */
  readonly gauge?: Pick<Gauge, 'direction' | 'fill' | 'shades' | 'otherFill' | 'empty' | 'radii'>;
  /** Of a gauge: in how many equal cells it is divided. */
  readonly cells?: number;
  /** Of an icon: what it shows; of a feed: the icons between two names. */
  readonly pictures?: readonly IconPicture[];
  /** Of messages: rows that appear, move and vanish. */
  readonly isLog?: boolean;
  /** The font of its figures, where its readings taught one. */
  readonly font?: TaughtFont;
  readonly behaviour: Behaviour;
  /** How sure it is that this is right, 0…1. */
  readonly certainty: number;
  /** Some of its values. */
  readonly examples: readonly Pick<FieldValue, 'recording' | 't' | 'text'>[];
}

/** The HUD of a game as far as recordings show it. */
export interface Discovery {
  readonly format: 'playbyplay/discovery/1';
  /** Frame size of the first recording, in whose pixels the fields lie. */
  readonly reference: Size;
  readonly recordings: readonly { readonly path: string; readonly duration: number }[];
  /** The surveyed frame that shows most text. */
  readonly moment: { readonly recording: number; readonly t: number };
  readonly fields: readonly HudField[];
  /** Languages of its texts, as BCP 47 tags, if others than English. */
  readonly languages?: readonly string[];
  /** Answers that were given, by id of the question. */
  readonly answers?: Readonly<Record<string, string>>;
}

/** Options of `discoverHud`. */
export interface DiscoverOptions {
  readonly signal?: AbortSignal | undefined;
  /** Bytes for the text finder's features and weights: it runs in tiles where it needs more. */
  readonly memoryBudget?: number | undefined;
  /** Called with the share that is done, 0…1. */
  readonly onProgress?: ((share: number) => void) | undefined;
}

/** Languages of a game that writes Chinese: names and some words are in Latin script. */
const CHINESE: readonly string[] = ['en', 'zh'];
/** Types whose font is learnt. */
const FIGURES: ReadonlySet<FieldType> = new Set(['counter', 'fraction', 'percentage', 'clock', 'time']);
/** Types that count items. */
const COUNTS: ReadonlySet<FieldType> = new Set(['counter', 'fraction']);
/** Types of words. */
const TEXTS: ReadonlySet<FieldType> = new Set(['message', 'label', 'name']);
/** Types of several numbers, which a line with gaps can be. */
const COMPOSED: ReadonlySet<FieldType> = new Set(['fraction', 'clock', 'time']);
/** Share of the work that the survey is. */
const SURVEY_SHARE = 0.7;
/** Values that are kept as examples. */
const MAX_EXAMPLES = 8;
/** Certainty from which a field is reported. */
const MIN_CERTAINTY = 0.3;

/**
 * Finds the HUD of a game that nobody has described: lines of text are searched in frames spread over the recordings; those that
 * stay at one place belong to the HUD. Each is then read over time, which says what it is: a counter, a clock, a message.
 *
 * @throws PlaybyplayError if a recording cannot be read, or a package is missing (`no-text-models`, `runtime-missing`).
 *
 * @example
 * const { fields } = await discoverHud(['race.mp4']);
 * for (const { type, name, behaviour } of fields) console.log(type, name, behaviour);
 */
export async function discoverHud(paths: readonly string[], options: DiscoverOptions = {}): Promise<Discovery> {
  const { signal, memoryBudget, onProgress } = options;
  using resources = new DisposableStack();
  const recordings = await openRecordings(paths, signal);
  for (const { file } of recordings) resources.use(file);
  const reference = recordings[0]!.size;
  const threads = NETWORK_THREADS;
  const latin = resources.use(await TextRecognizer.open({ threads }));
  const chinese = resources.use(await TextRecognizer.open({ allows: charactersOf(CHINESE), threads }));
  const surveyed = await surveyText(
    recordings,
    { latin, chinese },
    {
      signal,
      memoryBudget,
      onFrame: (done, total) => onProgress?.((SURVEY_SHARE * done) / total),
    },
  );
  const recognizer = surveyed.isChinese ? chinese : latin;
  const cut = { ...surveyed, sightings: cutSightings(surveyed.sightings, surveyed.steady) };
  const found = separateNeighbours(groupElements(cut, reference));
  const hiddenMessages = await readHiddenFrames(recordings, surveyed, found, recognizer);
  const survey = { ...cut, appeared: [...surveyed.appeared, ...hiddenMessages] };
  const uncut = uncutElements(groupElements(surveyed, reference), found);
  const lasting = [...found, ...(await readSteadyPlaces(recordings, survey.steady, found, recognizer))];
  const gauges = findGauges(recordings, [...survey.shapes.slice(0, MAX_SHAPES), ...survey.steady]);
  const texts = lasting.filter(
    ({ rect, isSteady }) => !isSteady || !gauges.some((gauge) => shareInCommon(rect, gauge.rect) > MAX_COMMON_AREA),
  );
  const lines = [...mergeMessages([...texts, ...groupMessages(survey, texts, reference)]), ...uncut];
  const frameRows = groupFrames(fillGaps(survey.outlines.slice(0, MAX_OUTLINES)));
  // Seconds on neighbouring icons are no line, but zeros of a clock may be as closed as frames.
  const acrossFrames = new Set(lines.filter(({ rect }) => isAcrossFrames(rect, frameRows, reference)));
  const slotFigures = findSlotFigures(
    frameRows,
    lines.filter((line) => !acrossFrames.has(line)),
  );
  const elements = [...lines, ...slotFigures];
  const outlineRows = frameRows.map((row) => extendRow(row, reference));
  const outlines = outlineRows.flatMap(({ cells }) => cells);
  const symbolRows = groupSymbols(survey.symbols).map((row) => extendRow(row, reference));
  const symbols = symbolRows.flatMap(({ cells }) => cells);
  const feedAreas = findFeedAreas(surveyed, reference, found);
  const followedPlaces = await followPlaces(
    recordings,
    [
      ...elements.map(({ rect, comesAndGoes, character, sightings }) =>
        comesAndGoes && character === undefined
          ? { rect: withLineMargin(rect, reference), find: true, near: sightings }
          : { rect, keep: Math.ceil(CHARACTER_WIDTH * rect.height) },
      ),
      ...[...outlines, ...symbols].map((rect) => ({ rect, keep: 0, isPicture: true })),
      ...feedAreas.map(({ rect, rowHeight, sightings }) => ({ rect, rowHeight, isFeed: true, near: sightings })),
    ],
    recognizer,
    { signal, onSample: (share) => onProgress?.(SURVEY_SHARE + (1 - SURVEY_SHARE) * share) },
  );
  const rest = [...followedPlaces];
  const take = ({ length }: { readonly length: number }): typeof followedPlaces => rest.splice(0, length);
  const [followed, followedOutlines, followedSymbols] = [take(elements), take(outlines), take(symbols)];
  const followedFeeds = rest;
  const hidden = hiddenSamples(elements.map((element, i) => (element.comesAndGoes ? [] : followed[i]!)));
  const isShown = (_: FollowedSample, n: number): boolean => !hidden.has(n);
  // The text finder takes icons for text, too, of which nothing can be read.
  const readable = texts.filter((text) => {
    const samples = followed[elements.indexOf(text)] ?? [];
    return samples.filter(isRead).length >= MIN_READABLE_SHARE * samples.length;
  });
  const isText = (outline: Rect): boolean => readable.some(({ rect }) => shareInCommon(rect, outline) > MIN_TEXT_SHARE);
  const { icons: foundIcons, rows: framedRows } = await findIcons(
    outlineRows,
    outlines,
    followedOutlines.map((samples) => samples.filter(isShown)),
    (rect) =>
      !isText(rect) &&
      Math.min(rect.width, rect.height) >= MIN_ICON_SIDE * reference.height &&
      Math.max(rect.width, rect.height) <= MAX_ICON_SIDE * reference.height,
  );
  const framed = [...framedRows, ...foundIcons].map(({ rect }) => rect);
  const symbolsOf = (rect: Rect): readonly FollowedSample[] => followedSymbols[symbols.indexOf(rect)]!.filter(isShown);
  const bareRows = symbolRows
    .flatMap((row) => findCellRow(row, row.cells.map(symbolsOf)) ?? [])
    .filter(({ rect }) => !liesOn(rect, framed) && !elements.some((one, i) => isNumberAt(rect, one, followed[i]!)));
  // Digits may be as closed as frames.
  const isWritten = (row: Rect): boolean =>
    elements.some((one, i) => insideShare(row, one.rect) >= MIN_INSIDE_TEXT && isNumberAt(row, one, followed[i]!));
  const foundRows = [...framedRows.filter(({ rect }) => !isWritten(rect)), ...bareRows];
  const foundFeeds = await Promise.all(
    feedAreas.flatMap(({ rect }, i) => {
      const [samples, feed] = [followedFeeds[i]!, readFeed(rect, followedFeeds[i]!)];
      return feed ? [withFeedIcons(feed, samples)] : [];
    }),
  );
  const parts = elements.flatMap((element, i) =>
    acrossFrames.has(element) && !isClockText(followed[i]!)
      ? []
      : splitSeries({ element, samples: followed[i]! }).flatMap((part) => splitCaption(part)),
  );
  const hudPresence = Math.max(
    0,
    ...followed.map((samples) => samples.filter(isRead).length / Math.max(1, samples.length)),
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
  const classified = classifiedParts.filter(
    ({ element: { rect, isWhole }, reading: { type } }) =>
      isWhole !== true || !TEXTS.has(type) || !partFigures.some((part) => overlap(part, rect) > MIN_PART_INSIDE),
  );
  const written = classified.flatMap(({ element: { rect }, reading }) =>
    FIGURES.has(reading.type) && reading.behaviour.presence >= MIN_WRITTEN_PRESENCE ? [rect] : [],
  );
  // A part of large letters keeps its colours as a bar does.
  const lettered = classified.flatMap(({ element: { rect }, reading: { type, behaviour } }) =>
    (type === 'label' || type === 'name') && behaviour.presence >= MIN_WRITTEN_PRESENCE ? [rect] : [],
  );
  const rows = foundRows.filter(({ rect }) => !isInText(rect, written));
  const icons = foundIcons.filter(({ rect }) => !isInText(rect, written));
  const feeds = foundFeeds.map((feed) => withFirstRows(feed, classified));
  // Seconds on an icon belong to it, and lines to their feed; the number of items on an icon does not.
  const drawn = [...icons, ...rows, ...feeds].map(({ rect }) => rect);
  const filledPlaces = [...rows, ...feeds].map(({ rect }) => rect);
  const belongsToDrawn = (rect: Rect, reading: FieldReading): boolean =>
    liesOn(rect, filledPlaces) || (liesOn(rect, drawn) && (!COUNTS.has(reading.type) || isCountedDown(reading)));
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
      !(one.reading.type === 'message' && saysNumbers(one.reading) && liesOn(one.element.rect, figures)) &&
      !messages.some(
        ({ rect, reading }) => liesOn(one.element.rect, [rect]) && saysTheSame(one.reading, reading.values),
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
  const read = distinct.map((one) => ({ ...one, reading: asCaption(one.reading, one.element, passing) }));
  const labels = read.flatMap(({ element: { rect }, reading }): Label[] =>
    reading.type === 'label' ? [{ rect, text: reading.caption! }] : [],
  );
  const rects = read.map(({ element, reading, samples }): Rect => {
    const whole = reading.type === 'clock' ? usualArea(element) : element.rect;
    const isBare = FIGURES.has(reading.type) && reading.caption === undefined;
    return trimRows(isBare ? figureArea(samples, reading, element.rect, whole) : whole, survey.steady);
  });
  // Figures may stand on a bar or in a ring, but a digit is neither.
  const unwritten = gauges.filter(
    ({ rect }) =>
      !liesOn(rect, drawn) &&
      !isInText(rect, [...written, ...lettered]) &&
      !read.some(({ element }) => shareInCommon(rect, element.rect) > MAX_COMMON_AREA),
  );
  const uncaptioned = rects.filter(
    (_, i) => FIGURES.has(read[i]!.reading.type) && read[i]!.reading.caption === undefined,
  );
  const heads = read.flatMap(({ element: { rect }, reading }, i) => {
    const isConstant = reading.type === 'counter' && reading.caption !== undefined && reading.behaviour.changes === 0;
    if (reading.type !== 'label' && !isConstant) return [];
    return [{ rect, text: isConstant ? reading.values[0]!.shown : reading.caption!, field: i }];
  });
  const table = findTable(uncaptioned, heads);
  const inTable = new Set(heads.flatMap((head) => (table.rowHeads.has(head) ? [head.field] : [])));
  const captions = new Map(
    [uncaptioned, [...unwritten, ...rows].map(({ rect }) => rect), icons.map(({ rect }) => rect)].flatMap((own) => [
      ...findCaptions(own, labels),
    ]),
  );
  /** Names of each kind, and identifiers: a gauge and a counter may both be called “Food”. */
  const taken = new Map<string, Set<string>>();
  const ids = new Set<string>();
  const nameField = (
    type: FieldType,
    rect: Rect,
    own: string | undefined,
  ): Pick<HudField, 'id' | 'type' | 'name' | 'isCaptioned' | 'place'> => {
    const place = placeOnScreen(rect, reference);
    const caption =
      type === 'label'
        ? cleanName(own ?? '')
        : nameOfCaption(own ?? table.names.get(rect) ?? captions.get(rect)?.text ?? '');
    const word = type === 'label' ? type : displayWord(type);
    const names = taken.get(word) ?? new Set();
    taken.set(word, names);
    const name = uniqueName(caption === '' ? `${place}` : caption, names);
    const plain = name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-');
    return { id: uniqueName(plain, ids, '-'), type, name, isCaptioned: caption !== '', place };
  };
  const untaught = read.map(({ element, reading: own }, i): HudField => {
    const { align } = element;
    // The caption of a row may have a number: “Player 1”.
    const reading: FieldReading =
      inTable.has(i) && own.type !== 'label' ? { ...own, type: 'label', caption: own.values[0]!.shown } : own;
    const { type, pattern, secondPattern, isGrouped = false, isStopwatch = false, behaviour, certainty } = reading;
    return {
      ...nameField(type, rects[i]!, reading.caption),
      rect: roundRect(rects[i]!),
      align,
      ...(element.isPart === true ? { bounds: roundRect(element.rect) } : {}),
      ...(pattern === undefined ? {} : { pattern }),
      ...(secondPattern === undefined ? {} : { secondPattern }),
      ...(isGrouped ? { isGrouped } : {}),
      ...(isStopwatch ? { isStopwatch } : {}),
      behaviour,
      certainty: Math.round(1000 * certainty) / 1000,
      examples: pickExamples(reading),
    };
  });
  const fields = untaught.map((field, i): HudField => {
    const { element, reading, samples } = read[i]!;
    if (!FIGURES.has(field.type)) return field;
    const font = teachFont(samples, reading, element.rect, growRegion(field, untaught, reference), field.id);
    return font ? { ...field, font } : field;
  });
  const filled = unwritten.map((gauge): HudField => {
    const { rect, direction, fill, shades, otherFill, empty, radii } = gauge;
    return {
      ...nameField('gauge', rect, undefined),
      rect,
      align: 'left',
      gauge: {
        direction,
        fill,
        ...(shades === undefined ? {} : { shades }),
        ...(otherFill === undefined ? {} : { otherFill }),
        ...(empty === undefined ? {} : { empty }),
        ...(radii ? { radii } : {}),
      },
      ...describeGauge(gauge),
    };
  });
  const cellRows = rows.map(
    (row): HudField => ({
      ...nameField('gauge', row.rect, undefined),
      rect: row.rect,
      align: 'left',
      gauge: { direction: row.direction, fill: row.fill },
      cells: row.cells,
      ...describeGauge(row),
    }),
  );
  const feedFields = feeds.map(
    ({ rect, type, examples, presence, certainty, pictures }): HudField => ({
      ...nameField(type, rect, undefined),
      rect: roundRect(rect),
      align: 'left',
      ...(pictures.length > 0 ? { pictures } : {}),
      ...(type === 'message' ? { isLog: true } : {}),
      behaviour: { resets: false, changes: examples.length, presence },
      certainty,
      examples: examples.filter((_, i) => i % Math.ceil(examples.length / MAX_EXAMPLES) === 0),
    }),
  );
  const iconFields = icons.map(
    (icon): HudField => ({
      ...nameField('icon', icon.rect, undefined),
      rect: icon.rect,
      align: 'left',
      pictures: icon.pictures,
      ...describeIcon(icon),
    }),
  );
  return {
    format: 'playbyplay/discovery/1',
    reference,
    recordings: recordings.map(({ path, index }) => ({ path, duration: index.t.at(-1) ?? 0 })),
    moment: fullestFrame(survey),
    ...(surveyed.isChinese ? { languages: CHINESE } : {}),
    fields: [...fields, ...filled, ...cellRows, ...iconFields, ...feedFields],
  };
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

/** Share of a rectangle that lies in another. */
function insideShare({ x, y, width, height }: Rect, other: Rect): number {
  const across = Math.min(x + width, other.x + other.width) - Math.max(x, other.x);
  const down = Math.min(y + height, other.y + other.height) - Math.max(y, other.y);
  return (Math.max(0, across) * Math.max(0, down)) / Math.max(1e-9, width * height);
}

/** A feed with the icons between the names of its rows. */
async function withFeedIcons(feed: Feed, samples: readonly FollowedSample[]) {
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
function withFirstRows<One extends Feed>(feed: One, fields: readonly ClassifiedElement[]): One {
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

type ClassifiedElement = { readonly element: TextElement; readonly reading: FieldReading };

/** Whether what seems to be a message is the caption in the line of a figure, which appears with it: “Last 0:14.49”. */
function isCaptionOf(
  { element, reading: { type, constantText } }: ClassifiedElement,
  figure: ClassifiedElement,
): boolean {
  const { caption } = figure.reading;
  return (
    type === 'message' &&
    constantText !== undefined &&
    caption !== undefined &&
    FIGURES.has(figure.reading.type) &&
    liesOn(element.rect, [figure.element.rect]) &&
    simplify(caption).includes(simplify(constantText))
  );
}

/** How much is known of what an element shows: figures say more than texts, a line with its caption more than its figures. */
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
    (caption === undefined ? 0 : 1) +
    certainty -
    (element.isSteady ? 0.01 : 0)
  );
}

/** Share of a place that two elements may have in common. */
const MAX_COMMON_AREA = 0.4;
/** Percent to which drafted profiles round the levels of gauges. */
export const LEVEL_STEP = 5;
/** Change of a gauge, as a share, that is one, and share of neighbouring moments with one for a gauge that never rests. */
const MIN_GAUGE_CHANGE = 0.03;
const RESTLESS_SHARE = 0.6;

function percent(level: number): number {
  return Math.round(100 * level);
}

/** How a gauge behaves, from the moments in which it was seen. */
function describeGauge({
  levels,
  presence,
}: Pick<Gauge, 'levels' | 'presence'>): Pick<HudField, 'behaviour' | 'certainty' | 'examples'> {
  const steps = levels.filter((one, i) => i > 0 && Math.abs(one.level - levels[i - 1]!.level) >= MIN_GAUGE_CHANGE);
  // A gauge that differs from moment to moment changes between these samples, too: by so many of the steps that make events.
  const way = levels.reduce((sum, { level }, i) => sum + (i > 0 ? Math.abs(level - levels[i - 1]!.level) : 0), 0);
  const isRestless = steps.length > RESTLESS_SHARE * (levels.length - 1);
  return {
    behaviour: {
      min: percent(Math.min(...levels.map(({ level }) => level))),
      max: percent(Math.max(...levels.map(({ level }) => level))),
      resets: false,
      changes: isRestless ? Math.max(steps.length, Math.round((100 * way) / LEVEL_STEP)) : steps.length,
      presence,
    },
    certainty: Math.round(1000 * presence) / 1000,
    examples: [levels[0]!, ...steps]
      .filter((_, i, all) => i % Math.ceil(all.length / MAX_EXAMPLES) === 0)
      .map(({ recording, t, level }) => ({ recording, t, text: `${percent(level)} %` })),
  };
}

/** Shapes that are tried as gauges. */
const MAX_SHAPES = 60;
/** Frames that are tried as icons. */
const MAX_OUTLINES = 40;
/** Sides of an icon, in heights of the frame: smaller ones are cells of a gauge, larger ones cards, maps and windows. */
const [MIN_ICON_SIDE, MAX_ICON_SIDE] = [0.032, 0.14];
/** Share of both areas that a frame and a line of text have in common where the frame is that of letters. */
const MIN_TEXT_SHARE = 0.7;
/** Share of the samples in which something is read where a place is one of text. */
const MIN_READABLE_SHARE = 0.4;
const MAX_ICON_ASPECT = 1.7;

/** Finds icons and gauges of cells among rectangles that are drawn on the screen. */
async function findIcons(
  outlineRows: readonly ExtendedRow[],
  outlines: readonly Rect[],
  followed: readonly (readonly FollowedSample[])[],
  isIconPlace: (outline: Rect) => boolean,
): Promise<{ readonly icons: readonly Icon[]; readonly rows: readonly CellRow[] }> {
  const samplesOf = (rect: Rect): readonly FollowedSample[] => followed[outlines.indexOf(rect)]!;
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

/** Share of the readings with a colon between digits that make a text a clock. */
const MIN_COLON_SHARE = 0.6;

/** Whether a text is that of a clock. */
function isClockText(samples: readonly FollowedSample[]): boolean {
  const texts = samples.flatMap(({ reading }) => reading?.text ?? []);
  return texts.filter((text) => /\d ?: ?\d\d/.test(text)).length >= Math.max(1, MIN_COLON_SHARE * texts.length);
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

/** Width of a part of a line, in widths of the line, and share of it that lies in the line. */
const MAX_PART_WIDTH = 0.7;
const MIN_PART_INSIDE = 0.6;

/** Whether most of a rectangle lies on others. */
function liesOn({ x, y, width, height }: Rect, others: readonly Rect[]): boolean {
  const common = others.reduce((sum, other) => {
    const across = Math.min(x + width, other.x + other.width) - Math.max(x, other.x);
    const down = Math.min(y + height, other.y + other.height) - Math.max(y, other.y);
    return sum + Math.max(0, across) * Math.max(0, down);
  }, 0);
  return common > MAX_COMMON_AREA * width * height;
}

/** How an icon behaves. */
function describeIcon({ shown, presence }: Icon): Pick<HudField, 'behaviour' | 'certainty' | 'examples'> {
  const steps = shown.filter((one, i) => i === 0 || one.picture !== shown[i - 1]!.picture);
  return {
    behaviour: { resets: false, changes: steps.length - 1, presence },
    certainty: Math.round(1000 * presence) / 1000,
    examples: steps
      .filter((_, i) => i % Math.ceil(steps.length / MAX_EXAMPLES) === 0)
      .map(({ recording, t, picture }) => ({ recording, t, text: `picture ${picture + 1}` })),
  };
}

/** The frame in which most lines were seen. */
function fullestFrame({ sightings, frames }: Survey): Discovery['moment'] {
  const counts = Map.groupBy(sightings, ({ frame }) => frame);
  const [fullest] = [...counts].toSorted((a, b) => b[1].length - a[1].length);
  return frames[fullest?.[0] ?? 0] ?? { recording: 0, t: 0 };
}

/** Pixels that stay above and below a line of text, in heights of its letters. */
const ROW_MARGIN = 0.05;

/** A line without the empty rows around its letters, where their edges stay. */
function trimRows(rect: Rect, places: readonly Rect[]): Rect {
  const parts = places.map(withoutMargin).filter((place) => isInLine(place, rect));
  if (parts.length === 0) return rect;
  const [top, bottom] = [Math.min(...parts.map(({ y }) => y)), Math.max(...parts.map(({ y, height }) => y + height))];
  const margin = ROW_MARGIN * (bottom - top);
  const y = Math.max(rect.y, top - margin);
  return { ...rect, y, height: Math.min(rect.y + rect.height, bottom + margin) - y };
}

/** Whether a place has nearly the height of a line, and lies in it. */
function isInLine(place: Rect, line: Rect): boolean {
  return (
    place.height >= MIN_LETTER_HEIGHT * line.height && place.height <= 1.2 * line.height && overlap(place, line) > 0.6
  );
}

/** Height of letters in a box of the text finder, as a share. */
const MIN_LETTER_HEIGHT = 0.55;

function roundRect({ x, y, width, height }: Rect): Rect {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  return { x: left, y: top, width: Math.ceil(x + width) - left, height: Math.ceil(y + height) - top };
}

/** Values spread over the recordings, different ones where there are. */
function pickExamples({ values }: FieldReading): HudField['examples'] {
  const changes = values.filter((one, i) => i === 0 || values[i - 1]!.text !== one.text);
  const step = Math.max(1, Math.ceil(changes.length / MAX_EXAMPLES));
  return changes.filter((_, i) => i % step === 0).map(({ recording, t, text }) => ({ recording, t, text }));
}
