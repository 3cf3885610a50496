import type { WordId } from '../../events/statement.ts';

/** The languages in which sentences can be written besides English. */
export const languageCodes = ['de', 'es', 'zh'] as const;
/** A language besides English, by its ISO 639-1 code; Chinese is written in simplified characters. */
export type LanguageCode = (typeof languageCodes)[number];

/** A file `dictionary/languages/<code>.json`: words by id. `docs/reference/languages.md` describes their notation. */
export interface LanguageFile {
  readonly format: 'playbyplay/language/1';
  readonly language: LanguageCode;
  /** Nouns, with gender, plural or measure word. */
  readonly objects: Readonly<Record<WordId, string>>;
  /** Verbs, with the forms that sentences use. */
  readonly actions: Readonly<Record<WordId, string>>;
  /** Nouns, and adverbs for manners. */
  readonly properties: Readonly<Record<WordId, string>>;
}

/** A word of a language: its forms and what else is said of it. */
export interface Entry {
  readonly forms: readonly string[];
  readonly options: ReadonlyMap<string, string>;
}
