import type { AtlasFile } from '../detectors/text/atlas.ts';
import { learnChecked } from '../detectors/text/learn-checked.ts';
import { CB, type Channel, CR, type LineImage, sampleLine } from '../detectors/text/line-image.ts';
import type { Rect } from '../geometry.ts';
import { locateCharacters } from '../recognition/decode.ts';
import { upperMedian } from '../statistics.ts';
import { BAR, type FieldReading, type FieldValue, SIGN } from './classify.ts';
import type { FollowedSample, PictureArea } from './follow.ts';
import { type ColorPlanes, findInkChannels } from './ink.ts';

/** A font that a field's own readings have taught. */
export interface LearnedFieldFont {
  readonly file: AtlasFile;
  /** The part of the field in which the figures are, in pixels of the reference frame, and the expression of what they say. */
  readonly region: Rect;
  readonly pattern: string;
  /** Held-back pictures, and how many of them it reads as the general reader does. */
  readonly checked: number;
  readonly exact: number;
}

/** Height of a font's glyphs, in pixels, beyond which it is reduced. */
const MAX_GLYPH_HEIGHT = 28;
/** Pixels around a line within which it may be displaced. */
const MARGIN = 1;
/** Lines that a font is learnt from. */
const MAX_LINES = 120;
/** Confidence of the general reader from which its reading may be a label. */
const MIN_LABEL_CONFIDENCE = 0.6;
/** Seconds by which a clock's readings may deviate from its run: a unit of its last figure, and what sampling adds. */
const CLOCK_TOLERANCE = 0.25;
/** Share of the range of a figure by which it may deviate from its neighbours. */
const MAX_JUMP_SHARE = 0.15;
/** How much text on a HUD may be tinted and faded. */
const ILLUMINATION = { gain: 0.15, offset: 15 } as const;

/**
 * Learns the font of a field from what the general reader read in it. Labels are the readings that are consistent over time: a clock
 * advances with the recording, a counter stays the same or changes by a step.
 *
 * @param rect What was followed, in pixels of the reference frame.
 * @param whole The region of the field, wider where its text may grow.
 * @returns Undefined where there are too few consistent readings, or the font does not read them reliably.
 */
export function learnFieldFont(
  samples: readonly FollowedSample[],
  reading: FieldReading,
  rect: Rect,
  whole: Rect,
  name: string,
): LearnedFieldFont | undefined {
  // Fonts are of figures, without signs and bars.
  if ([SIGN, BAR].some((sign) => reading.pattern?.includes(sign) === true)) return undefined;
  const labels = selectLabels(samples, reading);
  if (labels.length === 0) return undefined;
  const region = withoutCaption(labels, reading.pattern!, rect, whole);
  const scale = Math.min(1, MAX_GLYPH_HEIGHT / region.height);
  const height = Math.max(1, Math.round(region.height * scale));
  const pixels = { x: scale, y: height / region.height };
  const sample = (area: PictureArea, channel: Channel): LineImage =>
    sampleRegion(area, region, pixels, height, channel);
  const planes = labels.map(({ area }): ColorPlanes => [sample(area, 'luma'), sample(area, CB), sample(area, CR)]);
  const channels: readonly Channel[] = ['luma', ...findInkChannels(planes)];
  const pattern = figurePattern(reading.pattern!);
  const possible = new RegExp(`^(?:${pattern})$`, 'u');
  const byChannel = new Map(
    channels.map((channel) => [channel, labels.map(({ area, text }) => ({ text, image: sample(area, channel) }))]),
  );
  const font = learnChecked(byChannel, {
    name,
    source: 'Learnt from recordings, labelled by the general reader (PP-OCRv4).',
    pixels,
    height,
    margin: MARGIN,
    illumination: ILLUMINATION,
    isPossible: (text) => possible.test(text),
  });
  return font && { region, pattern, file: font.atlas.file, checked: font.lines, exact: font.exact };
}

/** Samples a region of the reference frame as a detector with an atlas does. */
function sampleRegion(
  { part, x, y, scaleX, scaleY }: PictureArea,
  region: Rect,
  pixels: { readonly x: number; readonly y: number },
  height: number,
  channel: Channel,
): LineImage {
  const [stepX, stepY] = [scaleX / pixels.x, scaleY / pixels.y];
  const columns = Math.max(1, Math.round((region.width * scaleX) / stepX)) + 2 * MARGIN;
  const rows = height + 2 * MARGIN;
  const box = {
    x: region.x * scaleX - x - MARGIN * stepX,
    y: region.y * scaleY - y - MARGIN * stepY,
    width: columns * stepX,
    height: rows * stepY,
  };
  return sampleLine(part, box, columns, rows, channel);
}

interface FontLabel {
  readonly area: PictureArea;
  readonly text: string;
  /** By character, without spaces: where in the crop its middle is. */
  readonly shares: readonly number[];
}

/** Selects pictures whose readings are consistent with those before and after, so that every character has examples. */
function selectLabels(samples: readonly FollowedSample[], { type, values }: FieldReading): readonly FontLabel[] {
  const byTime = new Map(samples.map((sample) => [`${sample.recording} ${sample.t}`, sample]));
  const isConsistent = type === 'clock' ? clockConsistency(values) : stepConsistency(values);
  const spaced = usualSpacing(values);
  const seen = new Set<PictureArea>();
  const labels = values.flatMap((value, i): FontLabel[] => {
    const sample = byTime.get(`${value.recording} ${value.t}`);
    const area = sample?.area;
    if (!sample || !area || seen.has(area) || value.confidence < MIN_LABEL_CONFIDENCE || !isConsistent(i)) return [];
    seen.add(area);
    const shares = locateCharacters(sample.line, value.shown);
    if (!shares) return [];
    const chars = Array.from(value.shown);
    const [first, last] = [chars.findIndex(isDigit), chars.findLastIndex(isDigit)];
    const own = shares.filter((_, n) => n >= first && n <= last && chars[n] !== ' ');
    return [{ area, text: spaced(value.shown.slice(first, last + 1)), shares: own }];
  });
  return labels.length <= MAX_LINES ? labels : balanceLabels(labels);
}

/** Takes labels in turns, those with the characters that have the fewest examples first. */
function balanceLabels(labels: readonly FontLabel[]): readonly FontLabel[] {
  const counts = new Map<string, number>();
  const left = new Set(labels.keys());
  const taken: number[] = [];
  while (taken.length < MAX_LINES) {
    let [best, least] = [-1, Number.POSITIVE_INFINITY];
    for (const i of left) {
      const rarest = Math.min(...Array.from(labels[i]!.text, (char) => counts.get(char) ?? 0));
      if (rarest < least) [best, least] = [i, rarest];
    }
    left.delete(best);
    taken.push(best);
    for (const char of new Set(labels[best]!.text)) counts.set(char, (counts.get(char) ?? 0) + 1);
  }
  return taken.toSorted((a, b) => a - b).map((i) => labels[i]!);
}

function isDigit(char: string): boolean {
  return char >= '0' && char <= '9';
}

/** A run of digits in a field's expression, with groups where it has such. */
const FIGURE = /\(?\\d(?:\{[\d,]+\})?(?:\(\?:\[[^\]]*\]\?\\d\{3\}\)\{[\d,]+\})?\)?/g;

/** The part of a field's expression from its first to its last figure, without the caption around them. */
export function figurePattern(pattern: string): string {
  const figures = [...pattern.matchAll(FIGURE)];
  const [first, last] = [figures[0], figures.at(-1)];
  return first && last ? pattern.slice(first.index, last.index + last[0].length) : pattern;
}

/** Widths of a character, in heights, around the figures of a region. */
const FIGURE_MARGIN = 0.36;
/** The same around a single digit, which may be as wide as it is high, and around one of a series, which grows between separators. */
const DIGIT_MARGIN = 0.42;
const SERIES_DIGIT_MARGIN = 0.32;

/**
 * The part of a place in which figures are written, without icons that the text finder took for a part of the line.
 *
 * @param rect What was followed, in pixels of the reference frame.
 * @param whole The usual area of the field, from which the part is cut.
 * @param isPart Whether it is a part of a series.
 */
export function figureArea(
  samples: readonly FollowedSample[],
  reading: FieldReading,
  rect: Rect,
  whole: Rect,
  isPart = false,
): Rect {
  const span = spanOf(selectLabels(samples, reading), rect, whole, isPart ? SERIES_DIGIT_MARGIN : DIGIT_MARGIN);
  // What is written before or after the figures, such as a sign or “rd”, belongs to them.
  const left = startsWithFigure(reading.pattern!) ? span.x : whole.x;
  const right = endsWithFigure(reading.pattern!) ? span.x + span.width : whole.x + whole.width;
  return { ...whole, x: left, width: right - left };
}

function startsWithFigure(pattern: string): boolean {
  // An icon that is read as noise before the figures is no part of them.
  return /^(?:\[(?:\\.|[^\]])*\]\{0,\d\} \?)?\(?\\d/.test(pattern);
}

function endsWithFigure(pattern: string): boolean {
  return /\}\)?$/.test(pattern);
}

/** A region without the captions before and after its figures; where there is none, figures may grow. */
function withoutCaption(labels: readonly FontLabel[], pattern: string, rect: Rect, whole: Rect): Rect {
  const span = spanOf(labels, rect, whole);
  const left = startsWithFigure(pattern) ? whole.x : span.x;
  const right = endsWithFigure(pattern) ? whole.x + whole.width : span.x + span.width;
  return { ...whole, x: left, width: right - left };
}

/** The part of a region from the first figure to the last. */
function spanOf(labels: readonly FontLabel[], rect: Rect, region: Rect, digitMargin = DIGIT_MARGIN): Rect {
  if (labels.length === 0) return region;
  const firsts = labels.map(({ shares }) => shares[0]!).toSorted((a, b) => a - b);
  const lasts = labels.map(({ shares }) => shares.at(-1)!).toSorted((a, b) => a - b);
  // Where there is but one digit, the network says now and then that it is elsewhere.
  const isSingle = labels.every(({ shares }) => shares.length === 1);
  const margin = (isSingle ? digitMargin : FIGURE_MARGIN) * rect.height;
  const share = isSingle ? 0.5 : 0.02;
  const low = rect.x + rect.width * firsts[Math.floor(share * firsts.length)]! - margin;
  const high = rect.x + rect.width * lasts[Math.floor((1 - share) * (lasts.length - 1))]! + margin;
  const left = Math.max(region.x, Math.floor(low));
  const right = Math.min(region.x + region.width, Math.ceil(high));
  return right - left > margin ? { ...region, x: left, width: right - left } : region;
}

function shapeOf(text: string): string {
  return text.replaceAll(/\d/g, '#');
}

/** Writes texts of one form with the spaces that most of them have. */
function usualSpacing(values: readonly FieldValue[]): (text: string) => string {
  const figures = values.map(({ shown }) => shown.slice(shown.search(/\d/), shown.search(/\d(?=\D*$)/) + 1));
  const byForm = Map.groupBy(figures, (text) => shapeOf(text).replaceAll(' ', ''));
  const usual = new Map(
    Array.from(byForm, ([form, members]) => {
      const shapes = Map.groupBy(members, shapeOf);
      return [form, [...shapes].toSorted((a, b) => b[1].length - a[1].length)[0]![0]];
    }),
  );
  return (text) => {
    const digits = text.match(/\d/g) ?? [];
    let next = 0;
    return usual.get(shapeOf(text).replaceAll(' ', ''))!.replaceAll('#', () => digits[next++]!);
  };
}

/** Whether a clock's value lies on the line through its neighbours: it runs with the recording, forwards or backwards. */
function clockConsistency(values: readonly FieldValue[]): (i: number) => boolean {
  const hasFraction = values.some(({ value }) => Number(value) % 1 !== 0);
  const tolerance = CLOCK_TOLERANCE + (hasFraction ? 0 : 1);
  return (i) =>
    [-1, 1].some((step) => {
      const [one, other] = [values[i]!, values[i + step]];
      if (!other || other.recording !== one.recording) return false;
      const [elapsed, shown] = [Math.abs(one.t - other.t), Math.abs(Number(one.value) - Number(other.value))];
      return shown === 0 || Math.abs(shown - elapsed) <= tolerance;
    });
}

/** Whether a figure is the same in a neighbouring sample, or near the median of those around it. */
function stepConsistency(values: readonly FieldValue[]): (i: number) => boolean {
  const numbers = values.map(({ value }) => Number(value));
  const range = Math.max(...numbers) - Math.min(...numbers);
  return (i) => {
    const { shown } = values[i]!;
    if (values[i - 1]?.shown === shown || values[i + 1]?.shown === shown) return true;
    const around = numbers.slice(Math.max(0, i - 2), i + 3);
    return Math.abs(numbers[i]! - upperMedian(around)!) <= MAX_JUMP_SHARE * range;
  };
}
