import { PlaybyplayError } from '../errors.ts';
import { suggestSpelling } from '../spelling.ts';
import {
  DEFAULT_LANGUAGE,
  languageName,
  toLanguageTags,
  canonicalLanguageTag,
  localizedPath,
  lookupRange,
  matchLanguage,
} from '../language/tags.ts';
import type { Profile } from './profile.ts';

/** A profile set up for some languages. */
export interface LocalizedProfile {
  /** With the languages set in every detector. */
  readonly profile: Profile;
  /** Language tags (BCP 47); none if the profile does not depend on a language. */
  readonly languages: readonly string[];
  /** Candidate paths of an asset localized to the first language, the most specific first. */
  readonly localizedPaths: (asset: string) => readonly string[];
}

/**
 * Sets up a profile to read the requested languages.
 *
 * @param requested Language tags, or a comma-separated list; default: the languages of the profile.
 * @throws PlaybyplayError `unknown-language` if a tag is invalid or the profile cannot read the language.
 */
export function localizeProfile(profile: Profile, requested: string | readonly string[] | undefined): LocalizedProfile {
  const own = toLanguageTags(profile.language);
  const known = [...(own.length === 0 ? [DEFAULT_LANGUAGE] : own), ...toLanguageTags(profile.languages)];
  const texts = typeof requested === 'string' ? requested.split(',') : requested;
  const languages = texts === undefined ? own : texts.map((text) => parseLanguage(text, profile.game, known));
  if (languages.length === 0) return { profile, languages, localizedPaths: () => [] };
  const detectors = Object.fromEntries(
    Object.entries(profile.detectors).map(([name, spec]) => [name, { ...spec, language: spec.language ?? languages }]),
  );
  const first = languages[0]!;
  const tags = new Set([...lookupRange(first), matchLanguage(first, known) ?? first]);
  return {
    profile: { ...profile, language: languages, detectors },
    languages,
    localizedPaths: (asset) => [...tags].map((tag) => localizedPath(asset, tag)),
  };
}

/** Parses a language tag; throws if none of the known languages matches it. */
function parseLanguage(text: string, game: string, known: readonly string[]): string {
  const tag = canonicalLanguageTag(text);
  const list = known.map((one) => `${one} (${languageName(one)})`).join(', ');
  if (tag === undefined) {
    throw new PlaybyplayError('unknown-language', `“${text}” is not a language`, {
      hint: suggestSpelling(text.trim(), known) ?? `Write a BCP 47 tag. This profile reads ${list}.`,
    });
  }
  if (matchLanguage(tag, known) === undefined)
    throw new PlaybyplayError(
      'unknown-language',
      `the profile of ${game} does not read ${languageName(tag)} (${tag})`,
      {
        hint: `It reads ${list}. To add a language, save its texts next to the existing files (feed.json as feed.${tag}.json) and add “${tag}” to “languages”.`,
      },
    );
  return tag;
}
