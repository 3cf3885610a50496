import { createHash } from 'node:crypto';
import type { Dictionary } from '../dictionary/dictionary.ts';
import { loadPlugins, type Plugins } from '../detectors/plugins/load.ts';
import type { Requirement } from '../detectors/kind.ts';
import { kindNames, loadKind } from '../detectors/registry.ts';
import { type Issue, PlaybyplayError } from '../errors.ts';
import type { Fingerprint } from '../events/log.ts';
import { type LoadedProfile, loadProfile } from '../profile/load.ts';
import { loadKindCatalog } from './schemas.ts';
import { readWords, ruleIssues } from './words.ts';

/** Everything a game brings: checked profile, script, and the words both may use. */
export interface Game extends LoadedProfile {
  readonly dictionary: Dictionary;
  readonly dictionaries: readonly Fingerprint[];
  readonly plugins: Plugins;
}

/**
 * Opens a game by name, or by the path of its profile or pack. Throws PlaybyplayError `unknown-game`, `profile-broken`,
 * `dictionary-broken` with every issue at once. `plugins` are what its user named, as for `loadPlugins`; `language` is the screen's, if
 * not the profile's own.
 */
export async function openGame(
  nameOrPath: string,
  plugins: readonly string[] = [],
  language?: string | readonly string[],
): Promise<Game> {
  const brought = await loadPlugins(plugins, plugins.length > 0 ? kindNames() : []);
  const loaded = await meetRequirements(
    await loadProfile(nameOrPath, { kinds: (used, steps) => loadKindCatalog(used, steps, brought), language }),
    brought,
  );
  const { dictionary, dictionaries, issues } = await readWords(loaded.profile, loaded.pack);
  if (issues.length > 0)
    throw new PlaybyplayError(
      'dictionary-broken',
      `the dictionary of ${loaded.profile.game} has ${issues.length} faults`,
      { issues },
    );
  const unknown = ruleIssues(loaded.profile, loaded.path, dictionary);
  if (unknown.length > 0)
    throw new PlaybyplayError('profile-broken', `the profile of ${loaded.profile.game} names unknown words`, {
      issues: unknown,
    });
  const { script, ...rest } = loaded;
  // A network takes the script's place.
  const own = script === undefined || loaded.profile.interpreter ? {} : { script };
  return { ...rest, ...own, dictionary, dictionaries, plugins: brought };
}

/**
 * The profile with what its detectors need besides the pack as part of its fingerprint. Throws PlaybyplayError `profile-broken` where
 * something is missing.
 */
export async function meetRequirements<Loaded extends LoadedProfile>(
  loaded: Loaded,
  plugins: Plugins,
): Promise<Loaded> {
  const { found, issues } = await requirements(loaded, plugins);
  if (issues.length > 0)
    throw new PlaybyplayError(
      'profile-broken',
      `something that the profile of ${loaded.profile.game} needs is missing`,
      {
        issues,
      },
    );
  if (found.length === 0) return loaded;
  const hash = createHash('sha256').update(loaded.fingerprint.hash);
  for (const one of found) hash.update(`\0${one.name}\0${one.hash}`);
  return { ...loaded, fingerprint: { ...loaded.fingerprint, hash: hash.digest('hex').slice(0, 32) } };
}

/** What the detectors need besides the pack, each thing once, and what of it is missing. */
export async function requirements(
  { profile, assets, path, pack }: LoadedProfile,
  plugins: Plugins,
): Promise<{ readonly found: readonly Requirement[]; readonly issues: readonly Issue[] }> {
  const found = new Map<string, Requirement>();
  const issues = new Map<string, Issue>();
  for (const [name, spec] of Object.entries(profile.detectors)) {
    const kind = await loadKind(spec.kind, plugins);
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
