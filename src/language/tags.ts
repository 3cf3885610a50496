/** Languages as BCP 47 tags: canonical form, script, writing direction, and matching of available languages. Uses CLDR data of `Intl`. */

/** The language of a profile that names none. */
export const DEFAULT_LANGUAGE = 'en';

const maxTagLength = 35;

/** Canonicalizes a tag (`pt-br` → `pt-BR`, `deu` → `de`); `undefined` for text that is no tag of a known language. */
export function canonicalLanguageTag(text: string): string | undefined {
  if (text.length > maxTagLength) return undefined;
  try {
    const [tag] = Intl.getCanonicalLocales(text.trim().replaceAll('_', '-'));
    if (tag === undefined) return undefined;
    const { language } = new Intl.Locale(tag);
    return getDisplayNames().of(language) === undefined ? undefined : tag;
  } catch {
    return undefined;
  }
}

let displayNames: Intl.DisplayNames | undefined;

function getDisplayNames(): Intl.DisplayNames {
  displayNames ??= new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
  return displayNames;
}

/** The English name of a language: "Brazilian Portuguese". */
export function languageName(tag: string): string {
  return getDisplayNames().of(tag) ?? tag;
}

/** Canonicalizes a tag or a list of tags; removes duplicates and what is no tag. */
export function toLanguageTags(value: string | readonly string[] | undefined): readonly string[] {
  const list = value === undefined ? [] : typeof value === 'string' ? [value] : value;
  return [...new Set(list.flatMap((text) => canonicalLanguageTag(text) ?? []))];
}

/** A tag and its generalizations, the most specific first (RFC 4647 lookup): `zh-Hant-TW`, `zh-Hant`, `zh`. */
export function lookupRange(tag: string): readonly string[] {
  const parts = tag.split('-');
  const tags: string[] = [];
  while (parts.length > 0) {
    tags.push(parts.join('-'));
    parts.pop();
    if (parts.at(-1)?.length === 1) parts.pop();
  }
  return tags;
}

/**
 * Finds the best match among the available tags: the same tag, a more general one, or one of the same language and script
 * (`zh-TW` matches `zh-Hant`; `pt` matches `pt-BR` if there is no other).
 */
export function matchLanguage(wanted: string, available: readonly string[]): string | undefined {
  const script = getScript(wanted);
  for (const tag of lookupRange(wanted)) {
    const found = available.find((each) => each.toLowerCase() === tag.toLowerCase());
    if (found !== undefined && getScript(found) === script) return found;
  }
  const { language } = new Intl.Locale(wanted);
  return available.find((tag) => new Intl.Locale(tag).language === language && getScript(tag) === script);
}

/** The usual script of a language (ISO 15924): `Cyrl` for `ru`, `Hant` for `zh-TW`. */
function getScript(tag: string): string {
  return new Intl.Locale(tag).maximize().script ?? 'Latn';
}

/** Composite scripts as Unicode script properties. */
const scriptParts: Readonly<Record<string, readonly string[]>> = {
  Jpan: ['Hira', 'Kana', 'Hani'],
  Kore: ['Hang', 'Hani'],
  Hans: ['Hani'],
  Hant: ['Hani'],
};

/** The Unicode scripts that texts in these languages use; Japanese uses three. */
export function getScripts(tags: readonly string[]): readonly string[] {
  const scripts = tags.map((tag) => getScript(tag));
  return [...new Set(scripts.flatMap((script) => scriptParts[script] ?? [script]))];
}

const rightToLeftScripts: ReadonlySet<string> = new Set('Arab Hebr Thaa Syrc Nkoo Adlm Rohg Mand Samr'.split(' '));

/** Is the first of the languages written from right to left? */
export function isRightToLeft(tags: readonly string[]): boolean {
  return tags[0] !== undefined && rightToLeftScripts.has(getScript(tags[0]));
}

const unspacedScripts: ReadonlySet<string> = new Set('Jpan Hans Hant Hani Hira Kana Thai Laoo Khmr Mymr'.split(' '));

/** Is the first of the languages written without spaces between words? */
export function isUnspaced(tags: readonly string[]): boolean {
  return tags[0] !== undefined && unspacedScripts.has(getScript(tags[0]));
}

/** The file of a language next to a file: `feed.json` in German is `feed.de.json`. */
export function localizedPath(path: string, tag: string): string {
  return path.replace(/(\.[^./]+)?$/, `.${tag}$1`);
}
