import { isRightToLeft, isUnspaced, getScripts } from './tags.ts';

/** Invisible characters: directional, joining and breaking marks, and the byte order mark. */
const invisibleCharacters =
  /[\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF]|[\uFE0E\uFE0F]/gu;
const spaceRuns = /[\s\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]+/gu;

/**
 * Normalizes a text: composed characters (NFC), no invisible characters, single spaces. In languages without spaces, spaces
 * between ideographs, which text recognition inserts, are removed.
 */
export function normalizeText(text: string, languages: readonly string[] = []): string {
  const plain = text.normalize('NFC').replace(invisibleCharacters, '').replace(spaceRuns, ' ').trim();
  return isUnspaced(languages) ? plain.replace(ideographicSpace(), '') : plain;
}

const wideCharacters =
  '[\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}\u3000-\u303F\u30FC\uFF01-\uFF0F\uFF1A-\uFF20]';

// Compiling a pattern of whole scripts takes milliseconds and few texts need one, so it happens on first use.
let spaces: RegExp | undefined;

function ideographicSpace(): RegExp {
  return (spaces ??= new RegExp(`(?<=${wideCharacters}) (?=${wideCharacters})`, 'gu'));
}

/** Differences that folding removes. */
export interface FoldOptions {
  readonly case?: boolean;
  readonly diacritics?: boolean;
}

/**
 * Folds a text for comparison: compatibility forms (NFKC), one kind of hyphen, quote and apostrophe.
 *
 * Case follows the rules of the language (Turkish I is ı; ß is ss, final ς is σ). Diacritics that make a separate letter in the
 * language (ö in Swedish, й in Russian) stay.
 */
export function foldText(text: string, languages: readonly string[] = [], options: FoldOptions = {}): string {
  const [language = 'en'] = languages;
  let folded = normalizeText(text, languages).normalize('NFKC').replace(dashes, '-').replace(quotes, "'");
  if (options.case) {
    folded = folded.toLocaleLowerCase(language).replaceAll('ß', 'ss').replaceAll('ς', 'σ');
    // Languages without İ lower-case it to i with a combining dot.
    if (!/^(?:tr|az|lt)\b/.test(language)) folded = folded.replaceAll('i\u0307', 'i');
  }
  if (options.diacritics) folded = removeDiacritics(folded, language);
  return folded;
}

const dashes = /[\u058A\u2010-\u2015\u2212\uFE58\uFE63\uFF0D]/gu;
const quotes = /["\u00AB\u00BB\u2018-\u201F\u2032\u2033\u2039\u203A\u0060\u00B4\uFF02\uFF07]/gu;

function removeDiacritics(text: string, language: string): string {
  const letters = getCollator(language);
  return Array.from(text, (char) => {
    const parts = char.normalize('NFD');
    if (parts.length === char.length) return unstrokedLetters[char] ?? char;
    const bare = parts.replace(/\p{M}/gu, '');
    return bare !== '' && letters.compare(char, bare) === 0 ? bare : char;
  })
    .join('')
    .replace(/(?<=\p{sc=Latn}|\p{sc=Grek}|\p{sc=Cyrl})\p{M}+/gu, '');
}

/** Letters with a stroke, which Unicode does not decompose. */
const unstrokedLetters: Readonly<Record<string, string>> = {
  ł: 'l',
  Ł: 'L',
  ø: 'o',
  Ø: 'O',
  đ: 'd',
  Đ: 'D',
  ħ: 'h',
  Ħ: 'H',
};

const collators = new Map<string, Intl.Collator>();

/** A collator that treats letters as equal if only their diacritics or case differ. */
function getCollator(language: string): Intl.Collator {
  let known = collators.get(language);
  if (!known) {
    known = new Intl.Collator(language, { usage: 'search', sensitivity: 'base' });
    collators.set(language, known);
  }
  return known;
}

let segmenter: Intl.Segmenter | undefined;

/** Splits a text into user-perceived characters: a letter with its combining marks, a surrogate pair. */
export function splitGraphemes(text: string): string[] {
  if (/^[\u0020-\u024F]*$/.test(text)) return [...text];
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/**
 * Converts characters between visual order (left to right) and reading order; the conversion is its own inverse.
 *
 * In a right-to-left language everything but numbers and foreign words is reversed, and brackets are mirrored.
 */
export function convertReadingOrder(graphemes: readonly string[], languages: readonly string[]): string[] {
  if (!isRightToLeft(languages) && !graphemes.some(isRight)) return [...graphemes];
  if (!isRightToLeft(languages)) return reverseRuns(graphemes, isRight, isLeft);
  const reversed = graphemes.toReversed().map((one) => mirroredBrackets[one] ?? one);
  return reverseRuns(reversed, isLeft, isRight);
}

let [right, left]: RegExp[] = [];

function isRight(text: string): boolean {
  right ??= /[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Adlm}\uFB1D-\uFDFF\uFE70-\uFEFC]/u;
  return right.test(text);
}

function isLeft(text: string): boolean {
  left ??= /[\p{Nd}\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u;
  return left.test(text);
}

const mirroredBrackets: Readonly<Record<string, string>> = {
  '(': ')',
  ')': '(',
  '[': ']',
  ']': '[',
  '{': '}',
  '}': '{',
  '<': '>',
  '>': '<',
  '«': '»',
  '»': '«',
};

/** Reverses the runs that start and end with a character of `own` and contain none of `other`. */
function reverseRuns(
  list: readonly string[],
  own: (one: string) => boolean,
  other: (one: string) => boolean,
): string[] {
  const out = [...list];
  for (let at = 0; at < out.length; at++) {
    if (!own(out[at]!) || other(out[at]!)) continue;
    let last = at;
    for (let i = at; i < out.length && (!other(out[i]!) || own(out[i]!)); i++) if (own(out[i]!)) last = i;
    out.splice(at, last - at + 1, ...out.slice(at, last + 1).toReversed());
    at = last;
  }
  return out;
}

/**
 * Chooses between characters of several scripts that look the same (Latin A, Cyrillic А).
 *
 * A word with a letter that only one script has is in that script; any other word is in a script of the languages.
 *
 * @param classes Returns all characters that look like a character, itself included.
 */
export function resolveLookalikes(
  text: string,
  classes: (char: string) => readonly string[],
  languages: readonly string[],
): string {
  const wanted = getScripts(languages);
  return text.replace(wordPattern, (word) => {
    const letters = splitGraphemes(word).map((char) => ({ char, lookalikes: classes(char) }));
    const distinctive = letters.find(
      ({ char, lookalikes }) => letterPattern.test(char) && new Set(lookalikes.map(scriptOfChar)).size < 2,
    );
    const scripts = distinctive ? [scriptOfChar(distinctive.char)!] : wanted;
    return letters
      .map(({ char, lookalikes }) => {
        if (lookalikes.length < 2 || scripts.includes(scriptOfChar(char) ?? '')) return char;
        return lookalikes.find((one) => scripts.includes(scriptOfChar(one) ?? '')) ?? char;
      })
      .join('');
  });
}

const wordPattern = /[\p{L}\p{M}]+/gu;
const letterPattern = /\p{L}/u;

const scriptCodes = (
  'Latn Cyrl Grek Armn Geor Hebr Arab Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Thai Laoo Tibt Mymr Khmr Ethi Cher ' +
  'Hira Kana Hani Hang Bopo'
).split(' ');
let scripts: readonly (readonly [name: string, test: RegExp])[] | undefined;

/** The script of a letter; `undefined` for other characters. */
function scriptOfChar(char: string): string | undefined {
  scripts ??= scriptCodes.map((name) => [name, new RegExp(`\\p{sc=${name}}`, 'u')] as const);
  return scripts.find(([, test]) => test.test(char))?.[0];
}
