/** Numbers and times as screens show them in different languages. Uses CLDR data of `Intl`. */

interface NumberFormat {
  readonly decimal: string;
  /** The group separator; `undefined` for any space. */
  readonly group: string | undefined;
  /** The number of digits in the last group and in the others. */
  readonly groups: readonly [last: number, others: number];
}

// English is built in, because loading ICU data takes ten milliseconds.
const numberFormats = new Map<string, NumberFormat>([['en', { decimal: '.', group: ',', groups: [3, 3] }]]);

function getNumberFormat(language: string): NumberFormat {
  let format = numberFormats.get(language);
  if (!format) {
    const parts = new Intl.NumberFormat(language, { useGrouping: 'always', numberingSystem: 'latn' }).formatToParts(
      1234567890.5,
    );
    const of = (type: string): string => parts.find((part) => part.type === type)?.value ?? '';
    const sizes = parts.filter(({ type }) => type === 'integer').map(({ value }) => value.length);
    const group = of('group');
    format = {
      decimal: of('decimal') || '.',
      group: /^\s$/u.test(group) ? undefined : group || ',',
      groups: [sizes.at(-1) ?? 3, sizes.at(-2) ?? 3],
    };
    numberFormats.set(language, format);
  }
  return format;
}

let digits: ReadonlyMap<string, string> | undefined;

/** The digits of all scripts, including full-width digits and ideographs. */
function getDigits(): ReadonlyMap<string, string> {
  digits ??= new Map(
    Intl.supportedValuesOf('numberingSystem').flatMap((numberingSystem) => {
      const shown = [...new Intl.NumberFormat('en', { numberingSystem, useGrouping: false }).format(9876543210)];
      return shown.length === 10 ? shown.map((char, i): [string, string] => [char, String(9 - i)]) : [];
    }),
  );
  return digits;
}

const directionalMarks = /[\u061C\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/gu;

/** Converts digits and signs to ASCII and removes directional marks. */
function toAscii(text: string): string {
  const ascii = text.replace(directionalMarks, '').trim();
  if (/^[\x20-\x7E]*$/.test(ascii)) return ascii;
  const table = getDigits();
  return Array.from(ascii, (char) => table.get(char) ?? asciiForms[char] ?? char).join('');
}

const asciiForms: Readonly<Record<string, string>> = {
  '−': '-',
  '–': '-',
  '‐': '-',
  '‑': '-',
  '‒': '-',
  '﹣': '-',
  '－': '-',
  '＋': '+',
  '．': '.',
  '，': ',',
  '：': ':',
  '٫': '.',
  '٬': ',',
  '％': '%',
  '٪': '%',
  '﹪': '%',
  '’': "'",
  '‘': "'",
  '′': "'",
  '＇': "'",
  '”': '"',
  '“': '"',
  '″': '"',
  '＂': '"',
};

/**
 * Parses a number in the first of the languages in which the text is one.
 *
 * Group separators must be where the language has them, or absent: `1,23` is no English number. `45 %` is 45.
 *
 * @returns `undefined` for text that is no number.
 */
export function parseNumber(text: string, languages: readonly string[] = []): number | undefined {
  const native = /[٫٬]/.test(text);
  const found = /^([+-]?) ?(.*?)(-?) ?%?$/u.exec(
    toAscii(text)
      .replace(/[\u00A0\u2000-\u200A\u202F\u3000]/gu, ' ')
      .replace(/^% ?/, ''),
  );
  const [, before = '', amount = '', after = ''] = found ?? [];
  if (before !== '' && after !== '') return undefined;
  const sign = before === '-' || after === '-' ? -1 : 1;
  for (const language of languages.length === 0 ? ['en'] : languages) {
    const value = parseAmount(amount, native ? getNumberFormat('en') : getNumberFormat(language));
    if (value !== undefined) return value === 0 ? 0 : sign * value;
  }
  const value = languages.some((tag) => /^(?:ja|zh|ko|yue)\b/.test(tag)) ? parseIdeographs(amount) : undefined;
  return value === undefined ? undefined : sign * value;
}

/** What separates groups of three digits, in whatever language. */
const GROUP_MARK = "[.,'’ ]";

/**
 * Parses a whole number, whatever separates its groups of three digits: `6,350`, `6.350`, `6 350` and `6350` are the same.
 *
 * @returns `undefined` for text that is no such number, or has several kinds of separators.
 */
export function parseWholeNumber(text: string): number | undefined {
  const found = new RegExp(`^([+-]?)(\\d+|\\d{1,3}(${GROUP_MARK})\\d{3}(?:\\3\\d{3})*)$`).exec(
    toAscii(text).replaceAll(/[\u00A0\u2000-\u200A\u202F\u3000]/gu, ' '),
  );
  if (!found) return undefined;
  const value = Number(found[2]!.replaceAll(/\D/g, ''));
  return found[1] === '-' && value > 0 ? -value : value;
}

function parseAmount(text: string, { decimal, group, groups: [last, others] }: NumberFormat): number | undefined {
  const [whole = '', fraction, ...rest] = text.split(decimal);
  if (rest.length > 0 || (fraction !== undefined && !/^\d+$/.test(fraction))) return undefined;
  if (whole === '' && fraction !== undefined) return Number(`0.${fraction}`);
  const mark = group ?? ' ';
  const pieces = whole.split(mark);
  if (!pieces.every((piece) => /^\d+$/.test(piece))) return undefined;
  if (pieces.length > 1) {
    const [first = '', ...inner] = pieces.slice(0, -1);
    const fits =
      pieces.at(-1)!.length === last && inner.every(({ length }) => length === others) && first.length <= others;
    if (!fits) return undefined;
  }
  return Number(`${pieces.join('')}.${fraction ?? '0'}`);
}

const UNITS: Readonly<Record<string, number>> = { 十: 10, 百: 100, 千: 1000 };
const MYRIADS: Readonly<Record<string, number>> = { 万: 1e4, 萬: 1e4, 億: 1e8, 亿: 1e8, 兆: 1e12 };

/** Parses a number with ideographs of powers of ten (3万5千); its digits are already ASCII. */
function parseIdeographs(text: string): number | undefined {
  if (!/[十百千万萬億亿兆]/u.test(text)) return undefined;
  let [total, section, current] = [0, 0, ''];
  for (const char of text) {
    if (/[0-9]/.test(char)) current += char;
    else if (UNITS[char] !== undefined) {
      section += UNITS[char] * Number(current || 1);
      current = '';
    } else if (MYRIADS[char] !== undefined) {
      total += MYRIADS[char] * (section + Number(current || 0) || 1);
      [section, current] = [0, ''];
    } else return undefined;
  }
  return total + section + Number(current || 0);
}

const HOURS = 'h|hrs?|hours?|std?|ч|час|時間|小时|小時|ώ|時|时';
const MINUTES = "m|min|mins?|minutes?|мин|м|'|分钟|分鐘|分|λ";
const SECONDS = `s|sec|secs?|seconds?|sek|с|сек|"|''|秒|δ`;
const UNIT_TIME = `^(?:(\\d+) ?(?:${HOURS}) ?)?(?:(\\d+) ?(?:${MINUTES}) ?)?(?:(\\d+)(?:[.,](\\d+))? ?(?:${SECONDS})? ?(\\d+)?)?$`;
let unitTime: RegExp | undefined;

/**
 * Parses a clock or a duration: `1:23`, `1:02:03.4`, `1:23,4`, `1'23"4`, `2h05`, `12.5 s`, `1分23秒4`.
 *
 * @returns Seconds, or `undefined` for text that is neither.
 */
export function parseDuration(text: string): number | undefined {
  const clean = toAscii(text).replace(/\s+/gu, ' ');
  const [, minus, body = ''] = /^([+-]?)(.*)$/u.exec(clean) ?? [];
  const value = parseClock(body) ?? parseUnits(body);
  return value === undefined ? undefined : minus === '-' && value > 0 ? -value : value;
}

function parseClock(text: string): number | undefined {
  // Many games draw the fraction smaller and without a point: 1:23 45, also read as 1:2345.
  const found = /^(?:(\d+):)?(\d+) ?: ?(\d{2})(?:[.,](\d+)| (\d{1,3})|(\d{2,3}))?$/.exec(text);
  if (!found) return undefined;
  const [, hours = '0', minutes = '0', seconds = '0', decimals, small, joined] = found;
  const fraction = decimals ?? small ?? joined ?? '0';
  if (Number(seconds) > 59 || (found[1] !== undefined && Number(minutes) > 59)) return undefined;
  return toSeconds(hours, minutes, seconds, fraction);
}

/**
 * Reads minutes, seconds and hundredths or thousandths of a second with colons between them, as race clocks write them: 01:23:45 is
 * 83.45 seconds.
 *
 * @returns Undefined where the text is no such time.
 */
export function parseStopwatch(text: string): number | undefined {
  const [, minutes, seconds, fraction] = /^(\d+) ?: ?([0-5]\d) ?: ?(\d{2,3})$/.exec(toAscii(text).trim()) ?? [];
  return minutes === undefined ? undefined : toSeconds('0', minutes, seconds!, fraction!);
}

function parseUnits(text: string): number | undefined {
  unitTime ??= new RegExp(UNIT_TIME, 'iu');
  const found = unitTime.exec(text);
  if (!found || text === '') return undefined;
  const [, hours, minutes, last, decimals, rest] = found;
  if (hours === undefined && minutes === undefined && last === undefined) return undefined;
  // In "2h05" the last number is minutes.
  if (hours !== undefined && minutes === undefined && last !== undefined && /\d$/.test(text) && rest === undefined)
    return decimals === undefined ? toSeconds(hours, last, '0', '0') : undefined;
  if (decimals !== undefined && rest !== undefined) return undefined;
  return toSeconds(hours ?? '0', minutes ?? '0', last ?? '0', decimals ?? rest ?? '0');
}

function toSeconds(hours: string, minutes: string, seconds: string, fraction: string): number {
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(`${seconds}.${fraction}`);
}
