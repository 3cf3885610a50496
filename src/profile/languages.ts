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

/** A profile as it reads some languages. */
interface Localized {
  readonly profile: Profile;
  readonly languages: readonly string[];
  /** Where a file of it may lie in the first of the languages, the most exact place first. */
  readonly paths: (asset: string) => readonly string[];
}

/**
 * The profile as it reads its own languages, or those `wanted`. Throws PlaybyplayError `unknown-language` where that is no language
 * or none that the profile can read.
 */
export function inLanguage(profile: Profile, wanted: string | readonly string[] | undefined): Localized {
  const own = toLanguageTags(profile.language);
  const known = [...(own.length === 0 ? [DEFAULT_LANGUAGE] : own), ...toLanguageTags(profile.languages)];
  const asked = wanted === undefined ? undefined : typeof wanted === 'string' ? wanted.split(',') : wanted;
  const languages = asked === undefined ? own : asked.map((text) => readable(text, profile.game, known));
  if (languages.length === 0) return { profile, languages, paths: () => [] };
  const detectors = Object.fromEntries(
    Object.entries(profile.detectors).map(([name, spec]) => [name, { ...spec, language: spec.language ?? languages }]),
  );
  const first = languages[0]!;
  const tags = new Set([...lookupRange(first), matchLanguage(first, known) ?? first]);
  return {
    profile: { ...profile, language: languages, detectors },
    languages,
    paths: (asset) => [...tags].map((tag) => localizedPath(asset, tag)),
  };
}

function readable(text: string, game: string, known: readonly string[]): string {
  const tag = canonicalLanguageTag(text);
  const list = known.map((one) => `${one} (${languageName(one)})`).join(', ');
  if (tag === undefined) {
    throw new PlaybyplayError('unknown-language', `“${text}” is no language`, {
      hint: suggestSpelling(text.trim(), known) ?? `Write a BCP 47 tag. This profile reads ${list}.`,
    });
  }
  if (matchLanguage(tag, known) === undefined)
    throw new PlaybyplayError(
      'unknown-language',
      `the profile of ${game} does not read ${languageName(tag)} (${tag})`,
      {
        hint: `It reads ${list}. To teach it: write its texts beside those it has (feed.json as feed.${tag}.json) and add “${tag}” to its “languages”.`,
      },
    );
  return tag;
}
