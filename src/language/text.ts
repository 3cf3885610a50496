import { isRightToLeft, isUnspaced, scriptsOf } from './tags.ts';

/** Marks that are not seen: of direction, joining and breaking, and the byte order mark. */
const INVISIBLE =
  /[\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF]|[\uFE0E\uFE0F]/gu;
const SPACES = /[\s\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]+/gu;

/**
 * A text as it is kept: characters composed (NFC), marks that are not seen left out, one kind of space. Between characters of a
 * script without spaces (where a recogniser puts some) none are left.
 */
export function normalizeText(text: string, languages: readonly string[] = []): string {
  const plain = text.normalize('NFC').replace(INVISIBLE, '').replace(SPACES, ' ').trim();
  return isUnspaced(languages) ? plain.replace(ideographicSpace(), '') : plain;
}

const WIDE =
  '[\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}\u3000-\u303F\u30FC\uFF01-\uFF0F\uFF1A-\uFF20]';

// Patterns of whole scripts are made when they are first wanted: making one takes milliseconds, and few texts need any.
let spaces: RegExp | undefined;

function ideographicSpace(): RegExp {
  return (spaces ??= new RegExp(`(?<=${WIDE}) (?=${WIDE})`, 'gu'));
}

/** In what two texts may differ and still be the same. */
export interface Ignoring {
  readonly case?: boolean;
  readonly diacritics?: boolean;
}

/**
 * A text in the form in which it is compared: full-width and other compatible forms made plain (NFKC), kinds of hyphens, quotes and
 * apostrophes made one. Case goes by the language's own rules (Turkish I is ı; ß is ss, a final ς is σ); diacritics that make a
 * letter of their own there (ö in Swedish, й in Russian) stay.
 */
export function foldText(text: string, languages: readonly string[] = [], ignoring: Ignoring = {}): string {
  const [language = 'en'] = languages;
  let folded = normalizeText(text, languages).normalize('NFKC').replace(DASHES, '-').replace(QUOTES, "'");
  if (ignoring.case) {
    folded = folded.toLocaleLowerCase(language).replaceAll('ß', 'ss').replaceAll('ς', 'σ');
    // What is left of a capital İ where the language has no such letter.
    if (!/^(?:tr|az|lt)\b/.test(language)) folded = folded.replaceAll('i\u0307', 'i');
  }
  if (ignoring.diacritics) folded = withoutDiacritics(folded, language);
  return folded;
}

const DASHES = /[\u058A\u2010-\u2015\u2212\uFE58\uFE63\uFF0D]/gu;
const QUOTES = /["\u00AB\u00BB\u2018-\u201F\u2032\u2033\u2039\u203A\u0060\u00B4\uFF02\uFF07]/gu;

function withoutDiacritics(text: string, language: string): string {
  const letters = collatorOf(language);
  return Array.from(text, (char) => {
    const parts = char.normalize('NFD');
    if (parts.length === char.length) return PLAIN[char] ?? char;
    const bare = parts.replace(/\p{M}/gu, '');
    return bare !== '' && letters.compare(char, bare) === 0 ? bare : char;
  })
    .join('')
    .replace(/(?<=\p{sc=Latn}|\p{sc=Grek}|\p{sc=Cyrl})\p{M}+/gu, '');
}

/** Letters with a stroke through them, which Unicode does not take apart. */
const PLAIN: Readonly<Record<string, string>> = { ł: 'l', Ł: 'L', ø: 'o', Ø: 'O', đ: 'd', Đ: 'D', ħ: 'h', Ħ: 'H' };

const collators = new Map<string, Intl.Collator>();

/** Says which letters are the same but for their diacritics (and case). */
function collatorOf(language: string): Intl.Collator {
  let known = collators.get(language);
  if (!known) {
    known = new Intl.Collator(language, { usage: 'search', sensitivity: 'base' });
    collators.set(language, known);
  }
  return known;
}

let segmenter: Intl.Segmenter | undefined;

/** What people take for one character each: a letter with its combining marks, a surrogate pair. */
export function graphemesOf(text: string): string[] {
  if (/^[\u0020-\u024F]*$/.test(text)) return [...text];
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/**
 * Characters in the order in which they are read, given from left to right, or the other way round: where the language is written
 * from right to left all but numbers and foreign words is turned round, and so are brackets.
 */
export function readingOrder(graphemes: readonly string[], languages: readonly string[]): string[] {
  if (!isRightToLeft(languages) && !graphemes.some(isRight)) return [...graphemes];
  if (!isRightToLeft(languages)) return turnRuns(graphemes, isRight, isLeft);
  const turned = graphemes.toReversed().map((one) => MIRRORED[one] ?? one);
  return turnRuns(turned, isLeft, isRight);
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

const MIRRORED: Readonly<Record<string, string>> = {
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

/** Turns every run round that begins and ends with one of the `own` and holds none of the `other`. */
function turnRuns(list: readonly string[], own: (one: string) => boolean, other: (one: string) => boolean): string[] {
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
 * Of characters that look the same in several scripts those that the text means. `classes` gives all that look like one. A word
 * with a letter that only one script has is in that script; any other is in one of the languages'.
 */
export function inScript(
  text: string,
  classes: (char: string) => readonly string[],
  languages: readonly string[],
): string {
  const wanted = scriptsOf(languages);
  return text.replace(WORD, (word) => {
    const letters = graphemesOf(word).map((char) => ({ char, like: classes(char) }));
    const telling = letters.find(({ char, like }) => LETTER.test(char) && new Set(like.map(scriptOfChar)).size < 2);
    const scripts = telling ? [scriptOfChar(telling.char)!] : wanted;
    return letters
      .map(({ char, like }) => {
        if (like.length < 2 || scripts.includes(scriptOfChar(char) ?? '')) return char;
        return like.find((one) => scripts.includes(scriptOfChar(one) ?? '')) ?? char;
      })
      .join('');
  });
}

const WORD = /[\p{L}\p{M}]+/gu;
const LETTER = /\p{L}/u;

const SCRIPTS = (
  'Latn Cyrl Grek Armn Geor Hebr Arab Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Thai Laoo Tibt Mymr Khmr Ethi Cher ' +
  'Hira Kana Hani Hang Bopo'
).split(' ');
let scripts: readonly (readonly [name: string, test: RegExp])[] | undefined;

/** The script of a letter; undefined for what belongs to none. */
function scriptOfChar(char: string): string | undefined {
  scripts ??= SCRIPTS.map((name) => [name, new RegExp(`\\p{sc=${name}}`, 'u')] as const);
  return scripts.find(([, test]) => test.test(char))?.[0];
}
