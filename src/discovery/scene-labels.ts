import type { Rect } from '../geometry.ts';
import { type FieldReading, simplify } from './classify.ts';

/** A place where texts appear, with what was read there. */
export interface MessagePlace {
  readonly rect: Rect;
  readonly reading: FieldReading;
}

/** Seconds without a text after which the next one has appeared, and within which two appear together. */
const MIN_PAUSE_SECONDS = 1.2;
const TOGETHER_SECONDS = 0.6;
/** Other places whose texts appear with those of a place, and share of its texts, that make them parts of a scene. */
const MIN_TOGETHER = 3;
const MIN_TOGETHER_SHARE = 0.6;
/** Distance, in heights, of places between which a text may have moved, and by which it has. */
const MAX_DRIFT = 4;
const MIN_DRIFT = 0.3;
/** Share of the readings that two places have in common, and letters of each. */
const MIN_COMMON_SHARE = 0.5;
const MIN_LETTERS = 2;

/** Distance, in heights, of a constant text of which another place shows a part now and then. */
const MAX_LABEL_DISTANCE = 2;
/** Labels that one place shows, from which they stand on one surface. */
const MIN_SURFACE_LABELS = 2;

/**
 * Finds places of messages that show labels of the scene, such as the names of other players: several appear at once with each new
 * view, or one text stands at places that lie near each other, but neither in a row nor in a column. A place that shows the constant
 * texts around it shows what sways in front of a camera that follows it, such as the letters on a car. A place that shows now this and now
 * that part of a word is too narrow for what moves through it.
 *
 * @param labels Constant texts.
 */
export function findSceneLabels(
  places: readonly MessagePlace[],
  labels: readonly MessagePlace[] = [],
): ReadonlySet<MessagePlace> {
  const onsets = new Map(places.map((place) => [place, onsetsOf(place.reading)]));
  const shownLabels = new Map(places.map((place) => [place, labelsShown(place, labels)]));
  const moving = new Set(
    places.filter((place) => {
      const own = onsets.get(place)!;
      const shared = own.filter(
        (onset) =>
          places.filter((other) => other !== place && onsets.get(other)!.some((one) => isTogether(one, onset)))
            .length >= MIN_TOGETHER,
      );
      return (
        (own.length >= 2 && shared.length >= MIN_TOGETHER_SHARE * own.length) ||
        places.some((other) => other !== place && hasMoved(place.rect, other.rect) && showSame(place, other)) ||
        shownLabels.get(place)!.length > 0 ||
        showsFragments(place.reading)
      );
    }),
  );
  // A place that shows several labels belongs to a surface on which they stand, and they do.
  const onSurface = [...shownLabels.values()].filter(({ length }) => length >= MIN_SURFACE_LABELS).flat();
  return new Set([...moving, ...onSurface]);
}

/** Letters of a text that is no chance, and share of what a place shows. */
const MIN_TAG_LETTERS = 4;
const MIN_TAG_SHARE = 0.6;

/**
 * Finds places that show now and then what the HUD shows elsewhere all the time, whole or cut within a word: the name of a player that
 * floats above a car or a ball.
 *
 * @param labels Constant texts, with or without a number.
 */
export function findNameTags(
  places: readonly MessagePlace[],
  labels: readonly MessagePlace[],
): ReadonlySet<MessagePlace> {
  return new Set(
    places.filter(({ reading }) => {
      const elsewhere = labels.flatMap((label) =>
        label.reading === reading ? [] : label.reading.values.map(({ shown }) => shown),
      );
      const [whole, words] = [new Set(elsewhere.map(simplify)), [...new Set(elsewhere.map(lowerWords))]];
      const own = reading.values.map(({ shown }) => shown);
      const known = own.filter((text) => {
        const plain = lowerWords(text);
        return (
          simplify(text).length >= MIN_TAG_LETTERS &&
          (whole.has(simplify(text)) || words.some((other) => isCutFrom(plain, other)))
        );
      });
      return own.length > 0 && known.length >= MIN_TAG_SHARE * own.length;
    }),
  );
}

/** A text in lower-case letters and digits with single spaces between its words. */
function lowerWords(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** The constant texts near a place that make up most of what it shows, whole or in part. */
function labelsShown({ rect, reading }: MessagePlace, labels: readonly MessagePlace[]): readonly MessagePlace[] {
  const near = labels
    .filter((label) => isNear(rect, label.rect))
    .map((label) => ({ label, text: simplify(label.reading.caption ?? '') }));
  const own = reading.values.map(({ text }) => simplify(text));
  const shown = own.filter((text) => near.some((label) => isShownBy(label.text, text)));
  if (shown.length < MIN_COMMON_SHARE * own.length) return [];
  return near.flatMap(({ label, text }) => (own.some((one) => isShownBy(text, one)) ? [label] : []));
}

/** Different parts of words that a place shows, and share of its texts that are such parts or have some. */
const MIN_FRAGMENTS = 2;
const MIN_FRAGMENT_SHARE = 0.5;

/** Whether most texts of a place are words cut at different letters. */
function showsFragments({ values }: FieldReading): boolean {
  const texts = values.map(({ text }) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L} ]/gu, '')
      .trim(),
  );
  const distinct = [...new Set(texts)].filter(({ length }) => length >= MIN_LETTERS);
  const pairs = distinct.flatMap((part) =>
    distinct.flatMap((whole) => (isCutFrom(part, whole) ? [[part, whole]] : [])),
  );
  const involved = new Set(pairs.flat());
  return (
    new Set(pairs.map(([part]) => part)).size >= MIN_FRAGMENTS &&
    texts.filter((text) => involved.has(text)).length >= MIN_FRAGMENT_SHARE * texts.length
  );
}

/** Whether a text is the beginning or end of a longer one, cut within a word. */
function isCutFrom(part: string, whole: string): boolean {
  if (part.length >= whole.length) return false;
  return (
    (whole.endsWith(part) && whole.at(-part.length - 1) !== ' ') ||
    (whole.startsWith(part) && whole[part.length] !== ' ')
  );
}

/** Whether a text is a part of another one, at least of so many letters that it is no chance. */
function isShownBy(text: string, part: string): boolean {
  return part.length >= MIN_LETTERS && text.includes(part);
}

function isNear(one: Rect, other: Rect): boolean {
  const across = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
  const down = Math.abs(one.y + one.height / 2 - other.y - other.height / 2);
  return across > 0 && down <= MAX_LABEL_DISTANCE * Math.min(one.height, other.height);
}

interface Moment {
  readonly recording: number;
  readonly t: number;
}

function onsetsOf({ values }: FieldReading): readonly Moment[] {
  return values.filter((one, i) => {
    const before = values[i - 1];
    return !before || before.recording !== one.recording || one.t - before.t > MIN_PAUSE_SECONDS;
  });
}

function isTogether(one: Moment, other: Moment): boolean {
  return one.recording === other.recording && Math.abs(one.t - other.t) <= TOGETHER_SECONDS;
}

/** Whether a text that is at both places has moved from one to the other, in no direction in which lists grow. */
function hasMoved(one: Rect, other: Rect): boolean {
  const height = Math.max(one.height, other.height);
  const across = [
    one.x - other.x,
    one.x + one.width / 2 - other.x - other.width / 2,
    one.x + one.width - other.x - other.width,
  ].map((distance) => Math.abs(distance) / height);
  const down = Math.abs(one.y + one.height / 2 - other.y - other.height / 2) / height;
  const [least, middle] = [Math.min(...across), across[1]!];
  return least > MIN_DRIFT && down > MIN_DRIFT && middle <= MAX_DRIFT && down <= MAX_DRIFT;
}

/** Whether two places show the same text most of the time, or a part of it. */
function showSame(one: MessagePlace, other: MessagePlace): boolean {
  const [a, b] = [one, other].map(({ reading }) => reading.values.map(({ text }) => simplify(text)));
  return shareIn(a!, b!) >= MIN_COMMON_SHARE && shareIn(b!, a!) >= MIN_COMMON_SHARE;
}

/** Share of texts that are others, or parts of them. */
function shareIn(texts: readonly string[], others: readonly string[]): number {
  return texts.filter((text) => isLike(text, others)).length / texts.length;
}

function isLike(text: string, texts: readonly string[]): boolean {
  return (
    text.length >= MIN_LETTERS &&
    texts.some((own) => own.length >= MIN_LETTERS && (own.includes(text) || text.includes(own)))
  );
}
