import { posix } from 'node:path';
import type { Plugins } from '../detectors/plugins/load.ts';
import { messageOf, type Issue } from '../errors.ts';
import { languageName, toLanguageTags } from '../language/tags.ts';
import type { Pack } from '../profile/pack.ts';
import { checkSchema } from '../schema/check.ts';
import type { Schema } from '../schema/from-schema.ts';
import { inspectGame } from './game.ts';
import { tryScriptOnSamples } from './sample-cues.ts';

/** Options of `checkProfile`. */
export interface ProfileCheckOptions {
  readonly plugins: Plugins;
  readonly language?: string | undefined;
  readonly highlightSettings: Schema;
}

/** What a check of a profile found. */
export interface ProfileCheck {
  /** Where the profile is stored. */
  readonly location: string;
  /** The mistakes for which `openGame`, and so `detect`, refuses the profile. */
  readonly issues: readonly Issue[];
  /**
   * What `detect` does not refuse: rules without effect, words in the script that the dictionary does not have, failures of the script on sample cues, mistakes in files for
   * other languages and in the highlight settings.
   */
  readonly warnings: readonly Issue[];
  /** Number of sample cues on which the script ran; 0 without a script, or with mistakes. */
  readonly sampleCues: number;
}

/**
 * Checks a profile with everything that belongs to it, by opening it as a run does.
 *
 * @param name - The name of a game, or a path.
 * @param options - `language`: opens the profile for this language; `highlightSettings`: the schema of highlights.json,
 *   which belongs to a higher layer.
 * @throws PlaybyplayError `unknown-game`, `profile-missing`.
 */
export async function checkProfile(
  name: string,
  { plugins, language, highlightSettings }: ProfileCheckOptions,
): Promise<ProfileCheck> {
  const { location, game, error, warnings } = await inspectGame(name, plugins, language);
  const { pack, path } = location;
  const trial = game && (await tryScriptOnSamples(game));
  const found = [...warnings, ...(trial?.issues ?? [])];
  for (const tag of game && language === undefined ? toLanguageTags(game.profile.languages) : []) {
    const other = await inspectGame(name, plugins, tag);
    const own = other.error?.issues.filter(({ code }) => code !== 'no-language-data') ?? [];
    found.push(...own.map((issue) => ({ ...issue, message: `in ${languageName(tag)}: ${issue.message}` })));
  }
  const settings = posix.join(posix.dirname(path), 'highlights.json');
  found.push(...(await checkHighlightSettings(pack, settings, highlightSettings)));
  return { location: pack.locate(path), issues: error?.issues ?? [], warnings: found, sampleCues: trial?.cues ?? 0 };
}

/** Checks the highlight settings next to a profile, if there are any. */
async function checkHighlightSettings(pack: Pack, path: string, schema: Schema): Promise<readonly Issue[]> {
  if (!(await pack.has(path))) return [];
  const place = pack.locate(path);
  let data: unknown;
  try {
    data = JSON.parse(Buffer.from(await pack.read(path)).toString('utf8'));
  } catch (error) {
    return [{ code: 'settings-invalid', path: place, message: `is not JSON: ${messageOf(error)}` }];
  }
  return checkSchema(schema, data, { source: place });
}
