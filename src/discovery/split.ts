import type { Rect } from '../geometry.ts';
import { type LineSteps, locateCharacters, sliceLine } from '../recognition/decode.ts';
import { readText } from '../recognition/text-recognizer.ts';
import { upperMedian } from '../statistics.ts';
import type { TextElement } from './elements.ts';
import type { FollowedSample } from './follow.ts';

/** An element with what it showed over time. */
export interface FollowedElement {
  readonly element: TextElement;
  readonly samples: readonly FollowedSample[];
}

/**
 * Numbers between separators: three or more with slashes or bars, two with a hyphen. Words may stand before and after them, as the teams
 * of a score do. After a separator at the end the next number is an element of its own.
 */
const SERIES =
  /^(?:\p{L}[^\d]*? ?)?(\d+(?:(?: ?[/|] ?\d+){2,}|(?: ?[/|] ?\d+)+ ?[/|]| ?[-–] ?\d+))(?: ?[^\d/|]*\p{L}[^\d]*)?$/u;
/** Share of the readings that are such a series. */
const MIN_SERIES_SHARE = 0.5;
const MIN_READINGS = 6;
/** Median distance between a separator and its usual place, in heights of the line, where it stays. */
const MAX_SEPARATOR_DRIFT = 0.15;
/** Distance between the middles of a digit and a separator, in heights of the line, where they are drawn apart. */
const MIN_SEPARATOR_DISTANCE = 0.36;
/** Space around each part of a series, in heights of the line. */
const PART_MARGIN = 0.2;

/**
 * Splits a series of numbers, such as `3 / 2 / 6` for kills, deaths and assists, where the separators stay: each number is an element
 * of its own, and so are words around them. A series drawn closely moves when a number grows, and stays whole.
 */
export function splitSeries(followed: FollowedElement): readonly FollowedElement[] {
  const { element, samples } = followed;
  const { width, height } = element.rect;
  const read = samples.flatMap(({ line, reading }) => (reading ? [{ line, text: reading.text }] : []));
  const series = read.filter(({ text }) => SERIES.test(text));
  if (series.length < MIN_READINGS || series.length < MIN_SERIES_SHARE * read.length) return [followed];
  const located = series.flatMap(({ line, text }) => {
    const shares = locateCharacters(line, text);
    if (!shares) return [];
    const numbers = SERIES.exec(text)![1]!;
    const [first, last] = [text.indexOf(numbers), text.indexOf(numbers) + numbers.length - 1];
    const inside = Array.from(numbers, (char, i) => ({ char, share: shares[first + i]! }));
    const digits = inside.filter(({ char }) => /\d/.test(char));
    const separators = inside.filter(({ char }) => /[/|–-]/.test(char)).map(({ share }) => share);
    // Where words end and numbers begin, and the other way round.
    const before = text.slice(0, first).trimEnd().length - 1;
    const after = text.slice(last + 1).search(/\S/) + last + 1;
    return [
      {
        separators,
        gap: Math.min(...separators.map((one) => Math.min(...digits.map(({ share }) => Math.abs(share - one))))),
        ...(before < 0 ? {} : { start: (shares[before]! + shares[first]!) / 2 }),
        ...(after <= last ? {} : { end: (shares[last]! + shares[after]!) / 2 }),
      },
    ];
  });
  const isOpen = series.filter(({ text }) => /[/|]$/.test(text)).length > series.length / 2;
  const count = upperMedian(located.map(({ separators }) => separators.length)) ?? 0;
  const alike = located.filter(({ separators }) => separators.length === count);
  if (count === 0 || alike.length < MIN_READINGS) return [followed];
  const places = Array.from({ length: count }, (_, i) => upperMedian(alike.map(({ separators }) => separators[i]!))!);
  const drifts = places.map(
    (place, i) => upperMedian(alike.map(({ separators }) => Math.abs(separators[i]! - place)))!,
  );
  if (Math.max(...drifts) * width > MAX_SEPARATOR_DRIFT * height) return [followed];
  if (upperMedian(alike.map(({ gap }) => gap))! * width < MIN_SEPARATOR_DISTANCE * height) return [followed];
  const margin = (PART_MARGIN * height) / width;
  const edgeOf = (edges: readonly number[]): number | undefined =>
    edges.length >= MIN_SERIES_SHARE * alike.length ? upperMedian(edges) : undefined;
  const start = edgeOf(alike.flatMap((one) => one.start ?? []));
  const end = edgeOf(alike.flatMap((one) => one.end ?? []));
  const edges = [start ?? -margin, ...places, ...(isOpen ? [] : [end ?? 1 + margin])];
  const numbers = edges.slice(1).map((right, i) => {
    const isFirst = i === 0 && start !== undefined;
    const isLast = i === places.length && end !== undefined;
    const [from, to] = [edges[i]! + (isFirst ? 0 : margin), right - (isLast ? 0 : margin)];
    return slice(followed, Math.max(0, from), Math.min(1, to));
  });
  return [
    ...(start === undefined ? [] : [slice(followed, 0, start, false)]),
    ...numbers,
    ...(end === undefined ? [] : [slice(followed, end, 1, false)]),
  ];
}

/** What is no caption: figures of a clock before its smaller fraction, and an icon before them that is read as a bracket. */
const FIGURES_ONLY = /^[^\p{L}]+$/u;
/** A number after a caption. */
const CAPTIONED = /^(.*[^\d\s].*?) (\d[\d.,:/]*)$/u;
/** A number before the caption of another one, which ends with a colon. */
const BEFORE_CAPTION = /^(\d[\d.,/]*) ?([^\d:]*\p{L}[^\d:]*:)$/u;
/** Share of the readings that agree on a caption that can be read. */
const MAX_CAPTION_SHARE = 0.6;
/** Median distance between the start of a number and its usual place, in heights of the line, where it stays. */
const MAX_START_DRIFT = 0.3;

/**
 * Splits a number from a caption in a script that is not known, which reads differently from time to time; the caption is left out. A
 * caption with a colon after the number is that of another one, and becomes an element.
 */
export function splitCaption(followed: FollowedElement): readonly FollowedElement[] {
  const { element, samples } = followed;
  const read = samples.flatMap(({ line, reading }) => (reading ? [{ line, text: reading.text }] : []));
  const ends = read.flatMap(({ line, text }) => {
    const figure = BEFORE_CAPTION.exec(text)?.[1];
    const shares = figure === undefined ? undefined : locateCharacters(line, text);
    const next = text.slice(figure?.length ?? 0).search(/\S/) + (figure?.length ?? 0);
    return figure === undefined || !shares ? [] : [(shares[figure.length - 1]! + shares[next]!) / 2];
  });
  if (ends.length >= MIN_READINGS && ends.length >= MIN_SERIES_SHARE * read.length) {
    const end = upperMedian(ends)!;
    return [slice({ element: { ...element, align: 'right' }, samples }, 0, end, false), slice(followed, end, 1, false)];
  }
  const captioned = read.flatMap(({ line, text }) => {
    const [, caption, figure] = CAPTIONED.exec(text) ?? [];
    if (caption === undefined || figure === undefined || FIGURES_ONLY.test(caption)) return [];
    return [{ line, text, caption, figure }];
  });
  if (captioned.length < MIN_READINGS || captioned.length < MIN_SERIES_SHARE * read.length) return [followed];
  const counts = Map.groupBy(captioned, ({ caption }) => caption.replaceAll(/[^\p{L}\p{N}]/gu, ''));
  const most = Math.max(...[...counts.values()].map(({ length }) => length));
  if (most > MAX_CAPTION_SHARE * captioned.length) return [followed];
  const starts = captioned.flatMap(({ line, text, figure }) => {
    const shares = locateCharacters(line, text);
    if (!shares) return [];
    const first = text.length - figure.length;
    const before = Array.from(text).findLastIndex((char, i) => i < first && char !== ' ');
    return [(shares[first]! + shares[before]!) / 2];
  });
  const start = upperMedian(starts);
  if (start === undefined) return [followed];
  const drift = upperMedian(starts.map((one) => Math.abs(one - start)))!;
  return drift * element.rect.width > MAX_START_DRIFT * element.rect.height
    ? [followed]
    : [slice({ element: { ...element, align: 'left' }, samples }, start, 1, false)];
}

/** The part of an element from one share of its width to another. */
function slice({ element, samples }: FollowedElement, from: number, to: number, isPart = true): FollowedElement {
  const cut = <T extends Rect>(rect: T): T => ({
    ...rect,
    x: rect.x + from * rect.width,
    width: (to - from) * rect.width,
  });
  const lines = new Map<LineSteps, Pick<FollowedSample, 'line' | 'reading'>>();
  const read = (whole: LineSteps): Pick<FollowedSample, 'line' | 'reading'> => {
    const line = sliceLine(whole, from, to);
    return { line, reading: readText(line) };
  };
  return {
    element: { ...element, isPart, rect: cut(element.rect), sightings: element.sightings.map(cut) },
    samples: samples.map((sample) => {
      let own = lines.get(sample.line);
      if (!own) lines.set(sample.line, (own = read(sample.line)));
      return { ...sample, ...own };
    }),
  };
}
