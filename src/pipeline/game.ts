import { createHash } from 'node:crypto';
import type { Dictionary } from '../dictionary/dictionary.ts';
import { loadPlugins } from '../detectors/plugins/load.ts';
import type { Requirement } from '../detectors/kind.ts';
import { kindNames } from '../detectors/registry.ts';
import { type Issue, PlaybyplayError } from '../errors.ts';
import type { Fingerprint } from '../events/log.ts';
import { type LoadedProfile, loadProfile } from '../profile/load.ts';
import { type CompiledProfile, compileProfile } from './compile-profile.ts';
import { loadKindCatalog } from './schemas.ts';
import { readWords, findRuleIssues } from './words.ts';

/** Everything that a game brings, checked and compiled: profile, detectors, script and dictionary. */
export interface Game extends LoadedProfile, CompiledProfile {
  readonly assets: LoadedProfile['assets'];
  readonly profile: LoadedProfile['profile'];
  readonly dictionary: Dictionary;
  readonly dictionaries: readonly Fingerprint[];
}

/**
 * Opens a game: loads and checks its profile, script and dictionary, loads its detector kinds and compiles its rules.
 *
 * @param nameOrPath Name of the game, or path of its profile or pack.
 * @param plugins Plug-ins that the user named, as for `loadPlugins`.
 * @param language Languages of the screen (BCP 47), if not the profile's own.
 * @throws PlaybyplayError `unknown-game`, `profile-broken`, `dictionary-broken`, with every issue at once.
 *
 * @example
 * const game = await openGame('openarena');
 * console.log(game.detectors.map(({ name, kind }) => `${name}: ${kind.name}`));
 */
export async function openGame(
  nameOrPath: string,
  plugins: readonly string[] = [],
  language?: string | readonly string[],
): Promise<Game> {
  const loadedPlugins = await loadPlugins(plugins, plugins.length > 0 ? kindNames() : []);
  const kinds = (used: ReadonlySet<string>, steps: boolean) => loadKindCatalog(used, steps, loadedPlugins);
  const loaded = await meetRequirements(
    await compileProfile(await loadProfile(nameOrPath, { kinds, language }), loadedPlugins),
  );
  const { dictionary, dictionaries, issues } = await readWords(loaded.profile, loaded.pack);
  if (issues.length > 0)
    throw new PlaybyplayError(
      'dictionary-broken',
      `the dictionary of ${loaded.profile.game} has ${issues.length} faults`,
      { issues },
    );
  const unknown = findRuleIssues(loaded.profile, loaded.path, dictionary);
  if (unknown.length > 0)
    throw new PlaybyplayError('profile-broken', `the profile of ${loaded.profile.game} names unknown words`, {
      issues: unknown,
    });
  const { script, ...rest } = loaded;
  // A network takes the script's place.
  const own = script === undefined || loaded.profile.interpreter ? {} : { script };
  return { ...rest, ...own, dictionary, dictionaries };
}

/**
 * Adds what the detectors need besides the pack to the profile's fingerprint.
 * @throws PlaybyplayError `profile-broken` if something is missing.
 */
export async function meetRequirements<Loaded extends LoadedProfile & CompiledProfile>(
  loaded: Loaded,
): Promise<Loaded> {
  const { found, issues } = await findRequirements(loaded);
  if (issues.length > 0)
    throw new PlaybyplayError(
      'profile-broken',
      `the profile of ${loaded.profile.game} needs something that is missing`,
      {
        issues,
      },
    );
  if (found.length === 0) return loaded;
  const hash = createHash('sha256').update(loaded.fingerprint.hash);
  for (const one of found) hash.update(`\0${one.name}\0${one.hash}`);
  return { ...loaded, fingerprint: { ...loaded.fingerprint, hash: hash.digest('hex').slice(0, 32) } };
}

/** Lists what the detectors need besides the pack, each thing once, and what of it is missing. */
export async function findRequirements({ detectors, assets, path, pack }: LoadedProfile & CompiledProfile): Promise<{
  readonly found: readonly Requirement[];
  readonly issues: readonly Issue[];
}> {
  const found = new Map<string, Requirement>();
  const issues = new Map<string, Issue>();
  for (const { name, spec, kind } of detectors) {
    try {
      for (const one of (await kind.requires?.(spec, assets)) ?? []) found.set(`${one.name} ${one.hash}`, one);
    } catch (error) {
      if (!(error instanceof PlaybyplayError)) throw error;
      const { code, message, hint } = error;
      if (issues.has(message)) continue;
      const place = `${pack.locate(path)}#/detectors/${name}`;
      issues.set(message, { code, path: place, message, ...(hint === undefined ? {} : { hint }) });
    }
  }
  return { found: [...found.values()], issues: [...issues.values()] };
}
