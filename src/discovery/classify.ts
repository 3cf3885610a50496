import { parseDuration, parseNumber, parseStopwatch, parseWholeNumber } from '../language/numbers.ts';
import { patternConstraint } from '../recognition/constraint.ts';
import { readLine } from '../recognition/text-recognizer.ts';
import { editDistance } from '../spelling.ts';
import { upperMedian } from '../statistics.ts';
import type { FollowedSample } from './follow.ts';

/** What an element of the HUD is. */
export type FieldType =
  | 'counter'
  | 'fraction'
  | 'percentage'
  | 'clock'
  | 'time'
  | 'name'
  | 'message'
  | 'label'
  | 'gauge'
  | 'icon'
  | 'feed';

/** A value of a field at a time. */
export interface FieldValue {
  readonly recording: number;
  /** Seconds. */
  readonly t: number;
  /** The text, and what it counts: a number, or seconds of a clock. */
  readonly text: string;
  readonly value: number | string;
  readonly confidence: number;
  /** All that is written there: `text`, and what is always the same. */
  readonly shown: string;
}

/** How the values of a field behave. */
export interface FieldBehavior {
  /** Least and greatest number. */
  readonly min?: number;
  readonly max?: number;
  /** The direction of nearly all changes. */
  readonly direction?: 'up' | 'down';
  /** Whether it jumps back against its direction. */
  readonly resets: boolean;
  /** Number of changes seen. */
  readonly changes: number;
  /** Values that were read once between two that are equal, as misreadings are. */
  readonly reversals?: number;
  /** Share of the samples in which it is read. */
  readonly presence: number;
}

/** What is known of an element from what it showed. */
export interface FieldReading {
  readonly type: FieldType;
  /** Words drawn with the figures: "Laps", "SCORE". */
  readonly caption?: string;
  /** Regular expression of its texts; the first group is the value. */
  readonly pattern?: string;
  /** Whether the digits of its numbers stand in groups of three: 6,350. */
  readonly isGrouped?: boolean;
  /** Whether a time is written in minutes, seconds and hundredths with colons: 01:23:45. */
  readonly isStopwatch?: boolean;
  /** Of a fraction: the expression whose first group is its second number, if that changes, too. */
  readonly secondPattern?: string;
  /** Of a message: the text, if it is always the same. */
  readonly constantText?: string;
  readonly values: readonly FieldValue[];
  readonly behaviour: FieldBehavior;
  /** How sure it is that this is right, 0…1. */
  readonly certainty: number;
}

/** Confidence from which a reading counts. */
const MIN_CONFIDENCE = 0.5;
/** Readings without which nothing is said. */
const MIN_READINGS = 3;
/** Share of the readings that have the form of a figure. */
const MIN_FORM_SHARE = 0.4;
/** Share of the readings that agree on a constant text. */
const MIN_LABEL_SHARE = 0.7;
/** Share of neighbouring samples that read the same, for texts that are not scenery. */
const MIN_STEADY_SHARE = 0.35;
/** Share of samples in which a text is there that never is away. */
const MIN_LASTING_PRESENCE = 0.85;
/** Confidence from which something is written, whatever it is, and share of sure readings of it that say what form it has. */
const MIN_WRITTEN_CONFIDENCE = 0.15;
const MIN_SURE_SHARE = 0.35;
/** Share of the samples at which a time changes at most that is a result and no clock. */
const MAX_RESULT_CHANGES = 0.1;
/** Change of a clock in seconds per second. */
const [MIN_CLOCK_RATE, MAX_CLOCK_RATE] = [0.75, 1.3];
/** The same of a time from which it is no clock. */
const MIN_FAST_RATE = 1.6;

/**
 * Says what an element is and how it behaves.
 *
 * @param options.comesAndGoes Texts appear at the place now and then: what is always the same there is a message, not a label.
 * @param options.hudPresence Share of the samples in which the HUD is shown: that of what is most often read.
 * @param options.isStopwatch Another clock of the game shows minutes, seconds and hundredths.
 * @param options.isSteady Nobody saw text there, only edges that stay.
 * @returns Undefined for what is nothing: scenery in which text was seen.
 */
export function classifyField(
  samples: readonly FollowedSample[],
  {
    comesAndGoes = false,
    isSteady = false,
    hudPresence = 1,
    isStopwatch = false,
  }: {
    readonly comesAndGoes?: boolean;
    readonly isSteady?: boolean;
    readonly hudPresence?: number;
    readonly isStopwatch?: boolean;
  } = {},
): FieldReading | undefined {
  const written = samples.flatMap(({ reading, ...rest }) =>
    reading && reading.confidence >= MIN_WRITTEN_CONFIDENCE ? [{ ...rest, ...reading }] : [],
  );
  const read = written.filter(({ confidence }) => confidence >= MIN_CONFIDENCE);
  // A unit that is read in several ways makes all of a line unsure, but not its figures.
  const isUnsure = read.length < MIN_SURE_SHARE * written.length;
  if ((isUnsure ? written : read).length < MIN_READINGS) return undefined;
  const figure = classifyFigure(samples, isUnsure ? written : read, isStopwatch);
  if (figure === 'several') return undefined;
  // An icon may look like a figure, but like the same always.
  if (isSteady && figure?.type === 'counter' && figure.behaviour.changes === 0) return undefined;
  return figure ?? classifyText(samples, read, { comesAndGoes, hudPresence });
}

/** A piece of a form: literal text, or a run of digits. */
type Piece =
  | { readonly literal: string }
  | { readonly min: number; readonly max: number; readonly padded: boolean }
  /** Characters that may stand there, but are no part of the text: an icon or a border that was read with it. */
  | { readonly noise: string };

/** Share of the texts in which a length is no misreading. */
const MIN_LENGTH_SHARE = 0.05;

/** Share of the numbers of one length with a zero before them from which they are padded, and the zero is no misread digit. */
const MIN_PADDED_SHARE = 0.05;

/** The numbers of digits that a run often has. */
function usualLengths(runs: readonly string[]): readonly number[] {
  const counts = Map.groupBy(runs, ({ length }) => length);
  return [...counts].flatMap(([length, members]) => (members.length >= MIN_LENGTH_SHARE * runs.length ? [length] : []));
}

/** Stands for the letters of 1st, 2nd, 3rd, 4th in a form. */
const ORDINAL = '\uE000';
/** Stands for the sign of a number of items in a form: x14, X 14, ×14. */
const TIMES = '\uE001';
const TIMES_PATTERN = '[xX×]';
/** Stands for degrees after a number in a form: 22°C, 7°; the small circle is read as many a sign. */
const DEGREES = '\uE002';
const DEGREES_TEXT = /(?<=\d) ?(?:['’"*^°º˚]{1,3} ?[CF]|[°º˚])$/;
const DEGREES_PATTERN = String.raw` ?['’"*^°º˚]{0,3} ?[CF]?`;
const ORDINAL_PATTERN = '(?:st|nd|rd|th|ST|ND|RD|TH)';

/** What an icon or a border before or after a text is read as; before a clock, a round icon is read as a digit. */
const NOISE_BEFORE = /^(?:[^\p{L}\p{N}$€£+×–-]+|[0-9OoQ](?= ?\d\d ?: ?\d\d))+/u;
const NOISE_AFTER = /(?<=\d)[+*|)(\]~_·]+$/u;

/**
 * Takes what is no part of a text off its ends, and writes colons, slashes and bars between figures in one way: blanks around them are
 * read now and then.
 */
function withoutNoise(text: string): { readonly text: string; readonly before: string; readonly after: string } {
  const before = NOISE_BEFORE.exec(text)?.[0] ?? '';
  const rest = text.slice(before.length);
  const after = NOISE_AFTER.exec(rest)?.[0] ?? '';
  const own = rest.slice(0, rest.length - after.length).trim();
  // The zero of some fonts is read as a letter; before a colon and two digits it stands for minutes.
  const figures = own
    .replaceAll(/(?<![\p{L}\p{N}])[DOoQ](?= ?: ?\d\d)/gu, '0')
    .replaceAll(/(?<=\d) ?: ?(?=\d)/g, ':')
    .replaceAll(/(?<=\d) ?\/ ?(?=\d)/g, ' / ')
    .replaceAll(/(?<=\d) ?\| ?(?=\d)/g, ' | ');
  return { text: figures, before, after };
}

/** The characters of noises. */
function noisePiece(noises: readonly string[]): readonly Piece[] {
  const noise = [...new Set(noises.join('').replaceAll(/\s/g, ''))].join('');
  return noise === '' ? [] : [{ noise }];
}

/** Finds the form in which most texts are written: runs of digits between constant characters. */
function commonForm(
  texts: readonly string[],
): { readonly pieces: readonly Piece[]; readonly share: number } | undefined {
  const forms = Map.groupBy(
    texts.flatMap((text) => (/\d/.test(text) ? [{ ...withoutNoise(text), whole: text }] : [])),
    ({ text }) =>
      text
        .replaceAll(/(\d)(?:st|nd|rd|th)\b/gi, `$1${ORDINAL}`)
        .replaceAll(/(?<!\p{L})[xX×](?= ?\d)/gu, TIMES)
        .replace(DEGREES_TEXT, DEGREES)
        .replaceAll(/\d+/g, '#')
        .replaceAll(/\s+/g, ' '),
  );
  const [form, members] = [...forms].toSorted((a, b) => b[1].length - a[1].length)[0] ?? [];
  if (form === undefined || !members) return undefined;
  // A form with too many runs is a text with figures in it.
  if (form.split('#').length > 5) return undefined;
  const runs = members.map(({ text }) => text.match(/\d+/g)!);
  const isSpaced = members.some(({ whole }) => /\d(?: :|: )/.test(whole));
  let run = 0;
  const inner = form.split(/(#)/).flatMap((part): Piece[] => {
    if (part === '') return [];
    if (part !== '#') return [{ literal: part === ':' && isSpaced ? ' : ' : part }];
    const own = runs.map((all) => all[run]!);
    run++;
    const lengths = usualLengths(own);
    const [min, max] = [Math.min(...lengths), Math.max(...lengths)];
    const zeros = own.filter((digits) => digits.startsWith('0')).length;
    const padded = min === max && max > 1 && zeros >= Math.max(2, MIN_PADDED_SHARE * own.length);
    return [{ min, max, padded }];
  });
  const pieces = [
    ...noisePiece(members.map(({ before }) => before)),
    ...inner,
    ...noisePiece(members.map(({ after }) => after)),
  ];
  return { pieces, share: members.length / texts.length };
}

function classifyFigure(
  samples: readonly FollowedSample[],
  read: readonly { readonly text: string; readonly t: number; readonly confidence: number }[],
  hasStopwatch: boolean,
): FieldReading | 'several' | undefined {
  const raw = read.map(({ text }) => text);
  const isGrouped = hasDigitGroups(raw);
  const texts = withBars(isGrouped ? raw.map(joinDigitGroups) : raw);
  const form = commonForm(texts);
  if (!form || hasOtherWords(read, captionOf(form.pieces))) return undefined;
  const figures = form.pieces.filter((piece) => 'min' in piece).length;
  const shape = form.pieces.map((piece) => ('literal' in piece ? piece.literal : 'noise' in piece ? '' : '#')).join('');
  const caption = captionOf(form.pieces);
  const core = shape
    .replaceAll(TIMES, '')
    .replaceAll(/\p{L}(?:[\p{L}.'’ -]|\/(?=\p{L}))*/gu, '')
    .replaceAll(/^[\s:=.-]+|[\s:=.-]+$/g, '');
  const isClock = /^#(?: ?: ?#){1,2}(?:[.,' ]#)?$/.test(core) || /^#['’]#(?:["”]#)?$/.test(core);
  const isFraction = /^# ?[/|] ?#$/.test(core);
  const isPercentage = /^# ?%$/.test(core);
  const isNumber = /^[+-]?[$€£]? ?#(?:[.,]#)*[\uE000\uE002°]?$/.test(core);
  if (!isClock && !isFraction && !isPercentage && !isNumber) return undefined;
  const group = isClock || isNumber ? [0, figures - 1] : [0, 0];
  const pieces = isClock ? withFixedEnd(form.pieces, texts) : form.pieces;
  const pattern = patternOf(pieces, group as [number, number], { mayGrow: !isClock, isGrouped });
  const isStopwatch = figures === 3 && isClock && (hasStopwatch || showsHundredths(texts));
  const parseTime = isStopwatch ? parseStopwatch : parseDuration;
  const constraint = patternConstraint(pattern);
  const capture = new RegExp(`^(?:${pattern})$`, 'u');
  const valueOf = (text: string): string => (capture.exec(text)?.[1] ?? text).replaceAll(' ', '');
  const values = samples.flatMap(({ recording, t, line }): FieldValue[] => {
    const found = readLine(line, constraint, valueOf);
    if (!found || found.confidence < MIN_CONFIDENCE) return [];
    const shown = isGrouped ? markDigitGroups(found.text) : found.text;
    const text = capture.exec(shown)?.[1] ?? shown;
    const plain = text.replaceAll('–', '-').replaceAll(/[^\d.,+-]/g, '');
    const value = isClock ? parseTime(text) : isGrouped ? parseWholeNumber(plain) : parseNumber(plain, ['en']);
    return value === undefined ? [] : [{ recording, t, text, value, confidence: found.confidence, shown }];
  });
  const share = values.length / Math.max(1, read.length);
  if (values.length < MIN_READINGS || share < MIN_FORM_SHARE || form.share < MIN_FORM_SHARE / 2) return undefined;
  if (isClock && isNextToFigure(values)) return 'several';
  const steady = steadyShare(values);
  const rate = clockRate(values);
  const isTicking = rate !== undefined && Math.abs(rate) >= MIN_CLOCK_RATE && Math.abs(rate) <= MAX_CLOCK_RATE;
  // A time that stands is a result: the last lap, the best one. One that runs fast is that of a day in the game, which does not halt.
  const isResult = isClock && !isTicking && countChanges(values) <= MAX_RESULT_CHANGES * values.length;
  const isFast = isClock && Math.abs(rate ?? 0) >= MIN_FAST_RATE;
  const type: FieldType =
    isResult || isFast
      ? 'time'
      : isClock || (isTicking && isNumber)
        ? 'clock'
        : isFraction
          ? 'fraction'
          : isPercentage
            ? 'percentage'
            : 'counter';
  // Figures that jump about without ever staying are misread scenery.
  if (type === 'counter' && steady < 0.1 && !isSmooth(values)) return undefined;
  const second = isFraction ? patternOf(form.pieces, [1, 1], { isGrouped }) : undefined;
  const varies = second !== undefined && countSteadyTotals(texts) > 1;
  const behaviour = behaviourOf(values, samples.length);
  // A number that stands in the middle of a sentence and never changes is a part of it: “Press F1 for help”.
  if (behaviour.changes === 0 && isInSentence(form.pieces)) return undefined;
  const middle = upperMedian(values.map(({ confidence }) => confidence))!;
  return {
    type,
    ...(caption === undefined ? {} : { caption }),
    pattern,
    ...(isGrouped && !isClock ? { isGrouped } : {}),
    ...(isStopwatch ? { isStopwatch } : {}),
    ...(varies ? { secondPattern: second } : {}),
    values,
    behaviour,
    certainty: Math.min(1, share) * middle,
  };
}

/** A bar between two numbers, in a pattern: the network takes it for a digit or a letter. */
export const BAR = '[|1Il]';
const BARRED = /^(\d+) ?\| ?(\d{2,})$/;
/** Share of the readings with a bar that make it one in the others. */
const MIN_BAR_SHARE = 0.08;

/** Writes the bar between two numbers where it was read as a digit or a letter: “9130” next to “10 | 30”. */
function withBars(texts: readonly string[]): readonly string[] {
  const barred = texts.flatMap((text) => {
    const [, first, second] = BARRED.exec(text) ?? [];
    return first === undefined || second === undefined ? [] : [{ first, second }];
  });
  const lengths = new Set(barred.map(({ second }) => second.length));
  if (barred.length < Math.max(MIN_READINGS, MIN_BAR_SHARE * texts.length) || lengths.size !== 1) return texts;
  const most = Math.max(...barred.map(({ first }) => first.length));
  const either = new RegExp(`^(\\d{1,${most}}) ?${BAR} ?(\\d{${[...lengths][0]}})$`);
  return texts.map((text) => text.replace(either, '$1 | $2'));
}

/** Share of the times that end in the fewest digits from which all do. */
const MIN_FIXED_SHARE = 0.2;

/** The last number of a clock always has as many digits: what now and then looks like another one is an icon next to it. */
function withFixedEnd(pieces: readonly Piece[], texts: readonly string[]): readonly Piece[] {
  const at = pieces.findLastIndex((piece) => 'min' in piece);
  const last = pieces[at];
  if (last === undefined || !('min' in last) || last.min === last.max || last.min < 2) return pieces;
  const ends = texts.flatMap((text) => /\d{2,}(?=\D*$)/.exec(text)?.[0] ?? []);
  if (ends.filter(({ length }) => length === last.min).length < MIN_FIXED_SHARE * ends.length) return pieces;
  return [
    ...pieces.slice(0, at),
    { ...last, max: last.min, padded: true },
    { noise: '0123456789' },
    ...pieces.slice(at + 1),
  ];
}

/** Share of the times with two colons whose last number is no second, from which it is a hundredth: two of five hundredths are none. */
const MIN_HUNDREDTHS_SHARE = 0.15;

/** Whether times with two colons show minutes, seconds and hundredths, not hours, minutes and seconds. */
function showsHundredths(texts: readonly string[]): boolean {
  const last = texts.flatMap((text) => /\d ?: ?[0-5]\d ?: ?(\d{2,3})(?!\d)/.exec(text)?.[1] ?? []);
  return (
    last.length >= MIN_READINGS &&
    last.filter((digits) => Number(digits) > 59).length >= MIN_HUNDREDTHS_SHARE * last.length
  );
}

/** A clock with figures after a space: a smaller fraction, or the score next to it. */
const SPACED_CLOCK = /^(.*\d ?: ?\d\d) (\d{1,3})$/;
/** Changes of such a clock without which nothing is said, and share of them at which figures stay that are no fraction. */
const MIN_CLOCK_CHANGES = 4;
const MIN_STAYING_SHARE = 0.6;
/** Seconds by which a time between samples may differ from whole seconds, at which a fraction shows the same again. */
const WHOLE_TOLERANCE = 0.12;

/** Whether the figures after a clock stay while it runs: a score bar was taken for one line. */
function isNextToFigure(values: readonly FieldValue[]): boolean {
  const parts = values.flatMap(({ text, t }) => {
    const [, clock, rest] = SPACED_CLOCK.exec(text) ?? [];
    return clock === undefined || rest === undefined ? [] : [{ t, clock, rest }];
  });
  const changes = parts.flatMap((after, i) => {
    const before = parts[i - 1];
    // After whole seconds a fraction is the same, too.
    const isConclusive = before !== undefined && !isNearlyWhole(after.t - before.t);
    return isConclusive && before.clock !== after.clock ? [{ stays: before.rest === after.rest }] : [];
  });
  const staying = changes.filter(({ stays }) => stays).length;
  return changes.length >= MIN_CLOCK_CHANGES && staying >= MIN_STAYING_SHARE * changes.length;
}

function isNearlyWhole(seconds: number): boolean {
  return Math.abs(seconds - Math.round(seconds)) < WHOLE_TOLERANCE;
}

/** Digits in a group, and a group with its separator in a pattern. */
const GROUP_LENGTH = 3;
const DIGIT_GROUP = "(?:[.,'’ ]?\\d{3})";
/** A number whose digits stand in groups of three, or one with three decimals. */
const GROUPED_NUMBER = /(?<![\d.,:])\d{1,3}(?:[.,'’ ]\d{3})+(?![\d.,:])/g;
/** A number that is a fraction in any case, and a whole number of up to three digits. */
const DECIMAL_NUMBER = /\d[.,](?:\d{1,2}|\d{4,})(?!\d)|(?<!\d)0+[.,]\d/;
const SHORT_NUMBER = /^\D*(?<!\d)\d{1,3}(?!\d)\D*$/;
/** Numbers like fractions among those with groups that are misreadings. */
const MAX_DECIMAL_SHARE = 0.1;
/** Share of numbers with groups among all, of those of them with commas, and of whole numbers below the first group. */
const MIN_COMMA_SHARE = 0.5;
const MIN_SHORT_SHARE = 0.05;
/** Different numbers that all end in zero. */
const MIN_ROUND_NUMBERS = 4;

/**
 * Whether points, commas or spaces in numbers separate groups of three digits. The network reads a comma as a point in some fonts, so
 * all that a field shows decides: numbers below a thousand stand without any, amounts of money have no thousandths, three decimals
 * would not all end in zero.
 */
function hasDigitGroups(texts: readonly string[]): boolean {
  const grouped = texts.filter((text) => text.search(GROUPED_NUMBER) >= 0);
  if (grouped.length < MIN_READINGS) return false;
  if (texts.filter((text) => DECIMAL_NUMBER.test(text)).length > MAX_DECIMAL_SHARE * grouped.length) return false;
  const numbers = [...new Set(grouped.flatMap((text) => text.match(GROUPED_NUMBER) ?? []))];
  const shareOf = (test: (text: string) => boolean): number => grouped.filter(test).length / grouped.length;
  return (
    shareOf((text) => /\d,\d/.test(text)) >= MIN_COMMA_SHARE ||
    shareOf((text) => /[$€£]/.test(text)) >= MIN_COMMA_SHARE ||
    shareOf((text) => /\d[.,'’ ]\d{3}[.,'’ ]\d{3}/.test(text)) >= MIN_COMMA_SHARE ||
    texts.filter((text) => SHORT_NUMBER.test(text)).length >=
      Math.max(MIN_READINGS, MIN_SHORT_SHARE * grouped.length) ||
    (numbers.length >= MIN_ROUND_NUMBERS && numbers.every((number) => number.endsWith('0')))
  );
}

function joinDigitGroups(text: string): string {
  return text.replaceAll(GROUPED_NUMBER, (number) => number.replaceAll(/\D/g, ''));
}

/** Writes a comma between groups of digits, whatever was read there: a font has one such glyph. */
function markDigitGroups(text: string): string {
  return text.replaceAll(GROUPED_NUMBER, (number) => number.replaceAll(/\D/g, ','));
}

/** Share of the readings that say other words than the usual ones, from which the words are what changes. */
const MIN_OTHER_WORDS_SHARE = 0.2;
/** Length of captions and of other words, in letters, that are compared, and share of them that differs in other words. */
const [MIN_CAPTION_LENGTH, MIN_WORD_LENGTH] = [2, 3];
const MIN_OTHER_LETTERS = 0.5;
/** Confidence of other words that are no misreading if they are read again and again. */
const MIN_OTHER_WORD_CONFIDENCE = 0.7;

/** Whether figures stand with words that change, as in the number and name of a player: all of it is a name. */
function hasOtherWords(
  read: readonly { readonly text: string; readonly confidence: number }[],
  caption: string | undefined,
): boolean {
  const own = lettersOf(caption ?? '');
  if (own.length < MIN_CAPTION_LENGTH) return false;
  const others = read.flatMap(({ text, confidence }) => {
    const letters = lettersOf(text);
    const length = Math.max(letters.length, own.length);
    // Digits that are read as letters stand next to a short caption.
    const isOther =
      letters.length >= MIN_WORD_LENGTH &&
      !letters.includes(own) &&
      editDistance(letters, own) >= MIN_OTHER_LETTERS * length;
    return isOther ? [{ letters, confidence }] : [];
  });
  // What is surely read again and again is no misreading, however seldom it is there.
  const sure = others.filter(({ confidence }) => confidence >= MIN_OTHER_WORD_CONFIDENCE);
  const lasting = [...Map.groupBy(sure, ({ letters }) => letters).values()].some(
    ({ length }) => length >= MIN_OTHER_READINGS,
  );
  return lasting || others.length >= MIN_OTHER_WORDS_SHARE * read.length;
}

function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}]/gu, '');
}

function countChanges(values: readonly FieldValue[]): number {
  return values.filter((one, i) => i > 0 && values[i - 1]!.value !== one.value).length;
}

/** Time between changes of seconds that are counted down, and share of the changes that are such seconds. */
const MAX_TICK_SECONDS = 2.5;
const MIN_TICK_SHARE = 0.5;

/**
 * Whether numbers are seconds that are counted down now and then, as over an icon of an ability. The number of items is not, even if
 * they are used up one by one: it stands in between, or stays there when none is used.
 */
export function isCountedDown({ values, behaviour }: FieldReading): boolean {
  if (behaviour.presence >= MIN_LASTING_PRESENCE) return false;
  const changes = values.filter((one, i) => i > 0 && values[i - 1]!.value !== one.value);
  const ticks = changes.slice(1).filter((one, i) => {
    const before = changes[i]!;
    const [seconds, step] = [one.t - before.t, Number(before.value) - Number(one.value)];
    return before.recording === one.recording && seconds <= MAX_TICK_SECONDS && step > 0 && step <= 2 * seconds;
  });
  return ticks.length > 0 && ticks.length >= MIN_TICK_SHARE * (changes.length - 1);
}

/** How many second numbers fractions have, each read several times. */
function countSteadyTotals(texts: readonly string[]): number {
  const counts = Map.groupBy(texts, (text) => /[/|] ?(\d+)/.exec(text)?.[1] ?? '');
  return [...counts].filter(([total, { length }]) => total !== '' && length >= MIN_READINGS).length;
}

/** Whether words stand before and after the figures of a form. */
function isInSentence(pieces: readonly Piece[]): boolean {
  const hasWord = (piece: Piece | undefined): boolean =>
    piece !== undefined && 'literal' in piece && /\p{L}{2}/u.test(piece.literal);
  return hasWord(pieces[0]) && hasWord(pieces.at(-1));
}

/** The words among the literal pieces. */
function captionOf(pieces: readonly Piece[]): string | undefined {
  const words = pieces.flatMap((piece) => ('literal' in piece ? [piece.literal] : [])).join(' ');
  const caption = words
    .replaceAll(/[^\p{L}\s.'’-]/gu, ' ')
    // Points that stand alone are those of figures.
    .replaceAll(/(?<!\S)[.'’-]+(?!\S)/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (/\p{L}{2}/u.test(caption)) return caption;
  return hasDegrees(pieces) ? '°C' : undefined;
}

function hasDegrees(pieces: readonly Piece[]): boolean {
  return pieces.some((piece) => 'literal' in piece && piece.literal.includes(DEGREES));
}

/** The sign of a number that may be below zero, in a pattern. */
export const SIGN = '[-–]?';

/** Characters of noise at most. */
const MAX_NOISE = 3;

/** Matches noise before or after a text, or none. */
function noisePattern(noise: string, isBefore: boolean): string {
  const some = `[${noise.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')}]{0,${MAX_NOISE}}`;
  return isBefore ? `${some} ?` : ` ?${some}`;
}

/** The regular expression of a form, with one group around the figures from `first` to `last`. */
function patternOf(
  pieces: readonly Piece[],
  [first, last]: readonly [number, number],
  { mayGrow = true, isGrouped = false }: { readonly mayGrow?: boolean; readonly isGrouped?: boolean } = {},
): string {
  let figure = 0;
  const firstPiece = pieces.find((piece) => !('noise' in piece));
  // A sign belongs to the number before which it stands; others have none.
  const hasSign = firstPiece !== undefined && 'literal' in firstPiece && /(?:^|\s)[-–]$/.test(firstPiece.literal);
  // A temperature may fall below zero.
  const isSigned = first === 0 && (hasSign || hasDegrees(pieces));
  return pieces
    .map((piece) => {
      if ('noise' in piece) return noisePattern(piece.noise, piece === pieces[0]);
      if ('literal' in piece && piece.literal.trim() === '|') return ` ?${BAR} ?`;
      if ('literal' in piece)
        return (hasSign && piece === firstPiece ? piece.literal.replace(/[-–]$/, '') : piece.literal)
          .replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
          .replaceAll(/ /g, ' ?')
          .replaceAll('\\/', '/')
          .replaceAll(TIMES, TIMES_PATTERN)
          .replaceAll(ORDINAL, ORDINAL_PATTERN)
          .replaceAll(DEGREES, DEGREES_PATTERN);
      const { min, max, padded } = piece;
      // Figures may grow by a digit, unless they are padded or minutes and seconds.
      const isInner = figure > 0;
      const isFixed = padded || (isInner && min === max && max > 1);
      const most = mayGrow ? max + 1 : Math.max(2, max);
      const digits =
        isGrouped && !padded && most > GROUP_LENGTH
          ? `\\d{1,${GROUP_LENGTH}}${DIGIT_GROUP}{0,${Math.ceil(most / GROUP_LENGTH) - 1}}`
          : `\\d${isFixed ? `{${max}}` : `{1,${most}}`}`;
      const own = `${figure === first ? (isSigned ? `(${SIGN}` : '(') : ''}${digits}${figure === last ? ')' : ''}`;
      figure++;
      return own;
    })
    .join('');
}

/** Share of neighbouring values that are the same. */
function steadyShare(values: readonly FieldValue[]): number {
  const same = values.filter((one, i) => i > 0 && values[i - 1]!.value === one.value).length;
  return same / Math.max(1, values.length - 1);
}

/** Whether neighbouring numbers are mostly near to each other, compared with their range. */
function isSmooth(values: readonly FieldValue[]): boolean {
  const numbers = values.map(({ value }) => Number(value));
  const range = Math.max(...numbers) - Math.min(...numbers);
  const steps = numbers.slice(1).map((one, i) => Math.abs(one - numbers[i]!));
  return (upperMedian(steps) ?? 0) <= 0.2 * range;
}

/** Usual change per second between neighbouring values that differ; undefined where too few do. */
function clockRate(values: readonly FieldValue[]): number | undefined {
  const rates = values.flatMap((one, i) => {
    const before = values[i - 1];
    if (!before || before.recording !== one.recording || typeof one.value !== 'number') return [];
    const step = one.value - Number(before.value);
    return one.t - before.t > 3 ? [] : [step / (one.t - before.t)];
  });
  const moving = rates.filter((rate) => rate !== 0);
  if (moving.length < 4 || moving.length < 0.2 * rates.length) return undefined;
  // A clock of whole seconds is sampled more often than it changes: its mean over the moving stretch counts.
  const sign = Math.sign(upperMedian(moving)!);
  const like = moving.filter((rate) => Math.sign(rate) === sign && Math.abs(rate) < 4);
  if (like.length < 0.8 * moving.length) return undefined;
  const first = rates.findIndex((rate) => rate !== 0);
  const last = rates.findLastIndex((rate) => rate !== 0);
  const stretch = rates.slice(first, last + 1).filter((rate) => Math.abs(rate) < 4);
  return stretch.reduce((sum, rate) => sum + rate, 0) / stretch.length;
}

function behaviourOf(values: readonly FieldValue[], sampleCount: number): FieldBehavior {
  const numbers = values.map(({ value }) => value).filter((value) => typeof value === 'number');
  const steps = values.flatMap((one, i) => {
    const before = values[i - 1];
    return before && before.recording === one.recording && before.value !== one.value
      ? [[before.value, one.value] as const]
      : [];
  });
  const ups = steps.filter(([from, to]) => Number(to) > Number(from)).length;
  const share = ups / Math.max(1, steps.length);
  const direction = steps.length < 2 ? undefined : share >= 0.8 ? 'up' : share <= 0.2 ? 'down' : undefined;
  return {
    ...(numbers.length > 0 ? { min: Math.min(...numbers), max: Math.max(...numbers) } : {}),
    ...(direction ? { direction } : {}),
    resets: direction !== undefined && share !== 0 && share !== 1,
    changes: steps.length,
    reversals: countReversals(values),
    presence: values.length / Math.max(1, sampleCount),
  };
}

/** Seconds between two equal values of which another one in between is a reversal. */
const MAX_REVERSAL_SECONDS = 2.5;

function countReversals(values: readonly FieldValue[]): number {
  return values.filter((one, i) => {
    const [before, after] = [values[i - 1], values[i + 1]];
    return (
      before !== undefined &&
      after !== undefined &&
      before.recording === after.recording &&
      after.t - before.t <= MAX_REVERSAL_SECONDS &&
      before.value === after.value &&
      one.value !== before.value
    );
  }).length;
}

function classifyText(
  samples: readonly FollowedSample[],
  read: readonly {
    readonly recording: number;
    readonly t: number;
    readonly text: string;
    readonly confidence: number;
  }[],
  { comesAndGoes, hudPresence }: { readonly comesAndGoes: boolean; readonly hudPresence: number },
): FieldReading | undefined {
  const texts = read.filter(({ text }) => (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= 2);
  if (texts.length < MIN_READINGS) return undefined;
  const values = texts.map(({ text, ...rest }) => ({ ...rest, text, value: text, shown: text }));
  const counts = Map.groupBy(texts, ({ text }) => simplify(text));
  const [, most] = [...counts].toSorted((a, b) => b[1].length - a[1].length)[0]!;
  const behaviour = behaviourOf(values, samples.length);
  const middle = upperMedian(texts.map(({ confidence }) => confidence))!;
  const steady = steadyShare(values.map((one) => ({ ...one, value: simplify(one.text) })));
  const { presence } = behaviour;
  // What cannot be read for certain is there, too.
  const written =
    samples.filter(({ reading }) => reading && reading.confidence >= MIN_WRITTEN_CONFIDENCE).length / samples.length;
  const isConstant = most.length >= MIN_LABEL_SHARE * texts.length;
  const text = most.toSorted((a, b) => b.confidence - a.confidence)[0]!.text;
  // A banner may be shown for a third of a recording: the winner, after every round.
  const isBanner =
    written <= MAX_BANNER_PRESENCE * hudPresence && middle >= MIN_BANNER_CONFIDENCE && steady >= MIN_REPEATED_SHARE;
  if (!comesAndGoes && !isBanner && isConstant && !isReplacedForGood(texts)) {
    return { type: 'label', caption: text, values, behaviour, certainty: (most.length / texts.length) * middle };
  }
  if (
    steady < MIN_STEADY_SHARE ||
    middle < (steady >= MIN_REPEATED_SHARE ? MIN_REPEATED_CONFIDENCE : MIN_TEXT_CONFIDENCE)
  )
    return undefined;
  const isAway = written < MAX_AWAY_PRESENCE * hudPresence;
  return {
    ...(isConstant ? { constantText: text } : {}),
    type:
      comesAndGoes || isAway || (written < MIN_LASTING_PRESENCE && !isReplaced(samples, values)) ? 'message' : 'name',
    values,
    behaviour: { resets: false, changes: behaviour.changes, presence },
    certainty: steady * middle,
  };
}

/** Share of the time of the HUD in which a constant text is there that is a banner, and median confidence of its readings. */
const MAX_BANNER_PRESENCE = 0.45;
const MIN_BANNER_CONFIDENCE = 0.85;

/** Share of the time of the HUD in which a text is there below which it comes and goes, even if others take its place at once. */
const MAX_AWAY_PRESENCE = 0.8;

/** Median confidence of texts; a lower one of those of which this share of neighbouring samples reads the same. */
const MIN_TEXT_CONFIDENCE = 0.7;
const MIN_REPEATED_CONFIDENCE = 0.55;
const MIN_REPEATED_SHARE = 0.7;

/** Readings of a text that makes a constant text a name, their confidence, and their share of those in its time. */
const MIN_OTHER_READINGS = 4;
const MIN_OTHER_CONFIDENCE = 0.85;
const MIN_OTHER_SHARE = 0.85;

/** Whether a text is constant but for a stretch in which another one is read as surely: the name of a level, say. */
function isReplacedForGood(texts: readonly { readonly text: string; readonly confidence: number }[]): boolean {
  const places = Map.groupBy(texts.keys(), (i) => simplify(texts[i]!.text));
  const lasting = [...places.values()].filter((own) => {
    const confidence = upperMedian(own.map((i) => texts[i]!.confidence))!;
    const span = own.at(-1)! - own[0]! + 1;
    return (
      own.length >= MIN_OTHER_READINGS && confidence >= MIN_OTHER_CONFIDENCE && own.length >= MIN_OTHER_SHARE * span
    );
  });
  return lasting.length >= 2;
}

/** Share of the changes of a name at which another text takes its place at once. */
const MIN_REPLACED_SHARE = 0.6;

/** Whether texts follow each other at once, as names do that are away only with the rest of the HUD. */
function isReplaced(samples: readonly FollowedSample[], values: readonly FieldValue[]): boolean {
  const places = new Map(samples.map(({ recording, t }, i) => [`${recording} ${t}`, i]));
  const changes = values.flatMap((one, i) => {
    const before = values[i - 1];
    if (!before || simplify(before.text) === simplify(one.text)) return [];
    const [from, to] = [before, one].map(({ recording, t }) => places.get(`${recording} ${t}`)!) as [number, number];
    return [to - from];
  });
  return changes.length > 0 && changes.filter((step) => step <= 3).length >= MIN_REPLACED_SHARE * changes.length;
}

/** A text without what is most often misread: case and punctuation. */
export function simplify(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .replaceAll(/[l|1]/g, 'i')
    .replaceAll('0', 'o');
}
