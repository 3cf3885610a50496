/**
 * The languages of a screen, as BCP 47 tags: which one is meant, in which script it is written and which way, and which of several
 * files is the one for it. What is known of languages comes from the CLDR data of `Intl`.
 */

/** What a profile is in unless it says otherwise. */
export const DEFAULT_LANGUAGE = 'en';

/** The canonical form of a tag (`pt-br` → `pt-BR`, `deu` → `de`); undefined where it is none, or no language is called so. */
export function languageTag(text: string): string | undefined {
  if (text.length > 35) return undefined;
  try {
    const [tag] = Intl.getCanonicalLocales(text.trim().replaceAll('_', '-'));
    if (tag === undefined) return undefined;
    const { language } = new Intl.Locale(tag);
    return namesOf().of(language) === undefined ? undefined : tag;
  } catch {
    return undefined;
  }
}

let names: Intl.DisplayNames | undefined;

/** Knows what languages are called in English; of what is no language it knows nothing. */
function namesOf(): Intl.DisplayNames {
  names ??= new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
  return names;
}

/** What a language is called in English: “Brazilian Portuguese”. */
export function languageName(tag: string): string {
  return namesOf().of(tag) ?? tag;
}

/** The canonical tags of one tag or a list, without repetitions; what is no tag is left out. */
export function languagesOf(value: string | readonly string[] | undefined): readonly string[] {
  const list = value === undefined ? [] : typeof value === 'string' ? [value] : value;
  return [...new Set(list.flatMap((text) => languageTag(text) ?? []))];
}

/** A tag and what it is a kind of, the most exact first (RFC 4647 lookup): `zh-Hant-TW`, `zh-Hant`, `zh`. */
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
 * The one of `available` tags that is meant by `wanted`: the same, or a more general one, or one of the same language and script
 * (`zh-TW` means `zh-Hant`, `pt` means `pt-BR` where there is no other).
 */
export function matchLanguage(wanted: string, available: readonly string[]): string | undefined {
  for (const tag of lookupRange(wanted)) {
    const found = available.find((one) => one.toLowerCase() === tag.toLowerCase());
    if (found !== undefined && scriptOf(found) === scriptOf(wanted)) return found;
  }
  const alike = (tag: string): boolean =>
    new Intl.Locale(tag).language === new Intl.Locale(wanted).language && scriptOf(tag) === scriptOf(wanted);
  return available.find(alike);
}

/** The script in which a language is mainly written (ISO 15924): `Cyrl` for `ru`, `Hant` for `zh-TW`. */
function scriptOf(tag: string): string {
  return new Intl.Locale(tag).maximize().script ?? 'Latn';
}

/** The scripts whose letters a text in one of these may hold, as Unicode knows them: Japanese uses three. */
export function scriptsOf(tags: readonly string[]): readonly string[] {
  const all = tags.flatMap((tag) => {
    const script = scriptOf(tag);
    return PARTS[script] ?? [script];
  });
  return [...new Set(all)];
}

const PARTS: Readonly<Record<string, readonly string[]>> = {
  Jpan: ['Hira', 'Kana', 'Hani'],
  Kore: ['Hang', 'Hani'],
  Hans: ['Hani'],
  Hant: ['Hani'],
};

/** Whether the first of the languages is written from right to left. */
export function isRightToLeft(tags: readonly string[]): boolean {
  return tags[0] !== undefined && RIGHT_TO_LEFT.has(scriptOf(tags[0]));
}

const RIGHT_TO_LEFT: ReadonlySet<string> = new Set([
  'Arab',
  'Hebr',
  'Thaa',
  'Syrc',
  'Nkoo',
  'Adlm',
  'Rohg',
  'Mand',
  'Samr',
]);

/** Whether words of the first of the languages stand side by side without spaces. */
export function isUnspaced(tags: readonly string[]): boolean {
  return tags[0] !== undefined && UNSPACED.has(scriptOf(tags[0]));
}

const UNSPACED: ReadonlySet<string> = new Set([
  'Jpan',
  'Hans',
  'Hant',
  'Hani',
  'Hira',
  'Kana',
  'Thai',
  'Laoo',
  'Khmr',
  'Mymr',
]);

/** A file's name for a language: `feed.json` in German is `feed.de.json`. */
export function localizedPath(path: string, tag: string): string {
  return path.replace(/(\.[^./]+)?$/, `.${tag}$1`);
}
