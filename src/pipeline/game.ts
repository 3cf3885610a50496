import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { Requirement } from '../detectors/kind.ts';
import { loadPlugins, type Plugins } from '../detectors/plugins/load.ts';
import { kindNames } from '../detectors/registry.ts';
import type { Dictionary } from '../dictionary/dictionary.ts';
import { type Issue, PlaybyplayError } from '../errors.ts';
import type { Fingerprint } from '../events/log.ts';
import { appendPointer, isObject } from '../json.ts';
import { resolveReferenceSize } from '../profile/defaults.ts';
import { type FoundProfile, findProfile, rawProfile } from '../profile/find.ts';
import { type LoadedProfile, loadFoundProfile } from '../profile/load.ts';
import { PROFILE_SCHEMA, type Profile } from '../profile/profile.ts';
import { readScript, type Script } from '../profile/script.ts';
import { compileMappings } from '../script/mapping.ts';
import { openScript } from '../script/script.ts';
import { SequenceNetwork } from '../script/sequence-network.ts';
import { type CompiledProfile, compileProfile } from './compile-profile.ts';
import { loadKindCatalog } from './schemas.ts';
import { findRuleIssues, findScriptWordIssues, findStatementIssues, readWords } from './words.ts';

/** Everything that a game brings, checked and compiled: profile, detectors, script and dictionary. */
export interface Game extends LoadedProfile, CompiledProfile {
  readonly assets: LoadedProfile['assets'];
  readonly profile: LoadedProfile['profile'];
  readonly dictionary: Dictionary;
  readonly dictionaries: readonly Fingerprint[];
}

/**
 * Opens a game: loads its profile, script and dictionary, opens its detectors, and checks all of it, so that nothing but a
 * recording can stop a run.
 *
 * @param nameOrPath Name of the game, or path of its profile or pack.
 * @param plugins Plug-ins that the user named, as for `loadPlugins`.
 * @param language Languages of the screen (BCP 47), if not the profile's own.
 * @throws PlaybyplayError `unknown-game`; `profile-broken`, `dictionary-broken` or `script-broken` with every mistake at once.
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
  const loaded = await loadPlugins(plugins, plugins.length > 0 ? kindNames() : []);
  const { game, error } = await inspectGame(nameOrPath, loaded, language);
  if (error) throw error;
  return game;
}

/** A game, or all mistakes in its files. */
export type GameInspection = {
  readonly location: FoundProfile;
  /** What does not stop a run, but has another effect than its author expects. */
  readonly warnings: readonly Issue[];
} & (
  | { readonly game: Game; readonly error?: undefined }
  | { readonly game?: undefined; readonly error: PlaybyplayError }
);

/**
 * Opens a game as `openGame` does, but returns its mistakes.
 *
 * @param opensParts Whether detectors and script are opened, too; without, only files and rules are checked.
 * @throws PlaybyplayError `unknown-game`, `profile-missing`.
 */
export async function inspectGame(
  nameOrPath: string,
  plugins: Plugins,
  language?: string | readonly string[],
  opensParts = true,
): Promise<GameInspection> {
  const location = await findProfile(nameOrPath);
  const mistakes = new MistakeCollector(location.pack.locate(location.path));
  const kinds = (used: ReadonlySet<string>, steps: boolean) => loadKindCatalog(used, steps, plugins);
  const loaded = await mistakes.attempt('profile', '', async () =>
    compileProfile(await loadFoundProfile(location, { kinds, language }), plugins),
  );
  const raw = loaded === undefined ? await uncheckedProfile(location) : loaded.profile;
  const met = loaded && (await mistakes.attempt('profile', '', () => meetRequirements(loaded)));
  if (loaded && opensParts) await openParts(loaded, mistakes);
  const words = await mistakes.attempt('dictionary', '', () => readWords(raw, location.pack));
  mistakes.add('dictionary', words?.issues ?? []);
  if (words) {
    mistakes.add('profile', findStatementIssues(raw, mistakes.place, words.dictionary));
    mistakes.add('profile', findRuleIssues(raw, mistakes.place, words.dictionary));
  }
  const script =
    loaded === undefined
      ? await mistakes.attempt('script', '', () => readScript(location.pack, raw.game))
      : loaded.script;
  // A network takes the script's place.
  const own = script === undefined || raw.interpreter ? {} : { script };
  if (own.script && opensParts) await mistakes.attempt('script', '', () => tryScript(own.script, raw));
  const warnings = [
    ...(own.script && words ? findScriptWordIssues(own.script, words.dictionary) : []),
    ...(loaded ? findUnusedSteps(loaded.profile, mistakes.place) : []),
    ...(script || raw.interpreter || raw.events?.length ? [] : [lackOfEvents(location, raw.game)]),
  ];
  const error = mistakes.toError();
  if (error) return { location, warnings, error };
  const { script: _, ...rest } = met!;
  const { dictionary, dictionaries } = words!;
  return { location, warnings, game: { ...rest, ...own, dictionary, dictionaries } };
}

/** Finds preprocessing of regions that only glyph readers use: these read the unprocessed crop. */
function findUnusedSteps({ detectors, regions }: Profile, place: string): Issue[] {
  const byRegion = Map.groupBy(Object.entries(detectors), ([, { region }]) => region ?? '');
  return [...byRegion].flatMap(([region, users]) => {
    const steps = regions[region]?.preprocess ?? [];
    const isUnused = users.every(
      ([, { kind, ...more }]) => (kind === 'text' || kind === 'feed') && 'atlas' in more && !('fallback' in more),
    );
    if (steps.length === 0 || !isUnused) return [];
    const message = `has no effect: ${users.map(([name]) => `“${name}”`).join(', ')} reads the unprocessed crop`;
    const hint = 'Remove it. Set the colors of the font with “profile glyphs --inks” or --channel.';
    return [{ code: 'unused-steps', path: `${place}#/regions/${region}/preprocess`, message, hint }];
  });
}

function lackOfEvents({ pack }: FoundProfile, game: string): Issue {
  const message = 'no events can be detected: there is no script, and the profile has no “events”';
  return { code: 'no-events', message, hint: `Write ${pack.locate(`scripts/${game}.js`)}, or “events”.` };
}

type Part = 'profile' | 'dictionary' | 'script';

/** Collects the mistakes in the files of a game by the part that they are in. */
class MistakeCollector {
  /** Path of the profile. */
  readonly place: string;
  readonly #found: Record<Part, Issue[]> = { profile: [], dictionary: [], script: [] };

  constructor(place: string) {
    this.place = place;
  }

  add(part: Part, issues: readonly Issue[]): void {
    this.#found[part].push(...issues);
  }

  /** Collects what `work` throws about the files of the game, at a JSON pointer of the profile where it names no place itself. */
  async attempt<T>(part: Part, pointer: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PlaybyplayError)) throw error;
      const { code, message, hint, issues } = error;
      const own = { code, path: `${this.place}#${pointer}`, message, ...(hint === undefined ? {} : { hint }) };
      // The message of an error with issues only says how many there are, except where a file of a detector is wrong.
      this.add(part, issues.length === 0 ? [own] : pointer === '' ? issues : [own, ...issues]);
      return undefined;
    }
  }

  toError(): PlaybyplayError | undefined {
    const { profile, dictionary, script } = this.#found;
    const issues = [
      ...new Map([...profile, ...dictionary, ...script].map((one) => [JSON.stringify(one), one])).values(),
    ];
    if (issues.length === 0) return undefined;
    const part = (['profile', 'dictionary', 'script'] as const).find((one) => this.#found[one].length > 0)!;
    const count = issues.length === 1 ? 'a mistake' : `${issues.length} mistakes`;
    const what = issues.length > this.#found[part].length ? 'game' : part;
    const message = `the ${what} ${what === 'profile' || what === 'game' ? '' : 'of '}${this.place} has ${count}`;
    return new PlaybyplayError(`${part}-broken`, message, { issues });
  }
}

/** What is needed of a profile with mistakes to look for more in the files that belong to it. */
async function uncheckedProfile(
  location: FoundProfile,
): Promise<Pick<Profile, 'game' | 'dictionaries'> & Partial<Profile>> {
  const raw = await rawProfile(location);
  const value = isObject(raw) ? raw : {};
  const { game, dictionaries, fusion } = value;
  const names = Array.isArray(dictionaries) ? dictionaries.filter((name) => typeof name === 'string') : undefined;
  const isRules = isObject(fusion) && Array.isArray(fusion['rules']) && fusion['rules'].every(isObject);
  return {
    ...value,
    game: typeof game === 'string' && GAME_NAME.test(game) ? game : posix.basename(posix.dirname(location.path)),
    dictionaries: names,
    fusion: isRules ? fusion : false,
  } as Pick<Profile, 'game' | 'dictionaries'> & Partial<Profile>;
}

const GAME_NAME = new RegExp(PROFILE_SCHEMA.properties.game.pattern);

/** Opens everything that a run opens before it reads its first sample, and closes it again. */
async function openParts(
  { profile, assets, detectors, placeFor }: LoadedProfile & CompiledProfile,
  mistakes: MistakeCollector,
): Promise<void> {
  // Open until all are checked, because detectors share networks.
  using opened = new DisposableStack();
  for (const { name, kind, spec, createTracker } of detectors)
    await mistakes.attempt('profile', appendPointer('/detectors', name), async () => {
      if (kind.input === 'frame') opened.use(await kind.open(spec, assets));
      else if (kind.input === 'frame-pair') kind.compare(spec);
      else if (kind.input === 'audio') await kind.listen(spec, assets);
      await createTracker();
    });
  await mistakes.attempt('profile', '/events', async () => compileMappings(profile.events, profile.sequences));
  for (const media of [undefined, ...Object.keys(profile.media ?? {})])
    await mistakes.attempt('profile', '/regions', () =>
      placeFor(resolveReferenceSize(profile, media), undefined, media),
    );
  const { interpreter } = profile;
  if (interpreter)
    await mistakes.attempt('profile', '/interpreter', async () =>
      (await SequenceNetwork.open(interpreter, assets))[Symbol.dispose](),
    );
}

/** Loads a script as a run does. */
async function tryScript(script: Script, { detectors }: Partial<Profile>): Promise<void> {
  const running = await openScript({ ...script, detectors: Object.keys(detectors ?? {}) });
  running.dispose();
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
async function findRequirements({ detectors, assets, path, pack }: LoadedProfile & CompiledProfile): Promise<{
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
