import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, posix, resolve } from 'node:path';
import { messageOf, PlaybyplayError, type Issue } from '../errors.ts';
import { suggestSpelling } from '../spelling.ts';
import type { Fingerprint } from '../events/log.ts';
import { ROOT } from '../version.ts';
import { checkProfile } from './check.ts';
import { inLanguage } from './languages.ts';
import { folderPack, type Pack } from './pack.ts';
import type { Profile } from './profile.ts';
import type { KindCatalog } from './schema.ts';
import { readScript, type Script } from './script.ts';
import { withFractionalRegions } from './units.ts';
import { zipPack } from './zip.ts';

const LARGEST_PROFILE = 2 << 20;

export interface LoadOptions {
  /** Packs in which games are looked for by name; default: the built-in one. */
  readonly packs?: readonly Pack[];
  /** Schemas of the kinds of detectors (those named, and the names of all others), and of preprocessing if there are any `steps`. */
  readonly kinds?: (used: ReadonlySet<string>, steps: boolean) => Promise<KindCatalog>;
  /** Languages of the screen, if not the profile's own. */
  readonly language?: string | readonly string[] | undefined;
  /** A profile in the making: files of detectors that are not there yet are told in `lacking` instead of thrown. */
  readonly unfinished?: boolean;
}

/** A profile, checked, with what belongs to it. */
export interface LoadedProfile {
  /** Its detectors have the languages that they are to read. */
  readonly profile: Profile;
  /** The languages of the screen: those asked for, else the profile's; none where neither says. */
  readonly languages: readonly string[];
  /** Name, version and hash of the profile and of every file in its folder that it names. */
  readonly fingerprint: Fingerprint;
  readonly pack: Pack;
  /** Path of profile.json within the pack. */
  readonly path: string;
  /** Reads files relative to the profile's folder; what detectors are given. */
  readonly assets: { read(path: string): Promise<Uint8Array> };
  /** Files that detectors name and that are not there; only of an unfinished profile. */
  readonly lacking: readonly Issue[];
  /** The game script, if there is one. */
  readonly script?: Script;
}

/** Where a profile lies. */
export interface FoundProfile {
  readonly pack: Pack;
  readonly path: string;
}

/** The games of a pack, sorted. */
export async function listGames(pack: Pack): Promise<readonly string[]> {
  const names = await pack.list('configs');
  const found = await Promise.all(names.map((name) => pack.has(`configs/${name}/profile.json`)));
  return names.filter((_, index) => found[index]);
}

/** The pack of the games that come with the program. */
export function builtInPack(): Pack {
  return folderPack(ROOT);
}

/**
 * Finds a profile by the name of its game, or by the path of a profile.json, of its folder, or of a pack (a folder or a zip;
 * `pack.zip#configs/<game>/profile.json` names one of several).
 * Throws PlaybyplayError `unknown-game` with the nearest name, `profile-missing`.
 */
export async function findProfile(nameOrPath: string, packs: readonly Pack[] = [builtInPack()]): Promise<FoundProfile> {
  if (/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(nameOrPath)) {
    for (const pack of packs) {
      const path = `configs/${nameOrPath}/profile.json`;
      if (await pack.has(path)) return { pack, path };
    }
  }
  const [, archive, inside] = /^(.+\.zip)(?:#(.+))?$/is.exec(nameOrPath) ?? [];
  const info = await stat(archive ?? nameOrPath).catch(() => undefined);
  if (archive !== undefined && info?.isFile()) {
    const pack = await zipPack(resolve(archive));
    return inside === undefined ? onlyGame(pack, nameOrPath) : { pack, path: inside };
  }
  if (info?.isFile()) return inItsPack(resolve(nameOrPath));
  if (info?.isDirectory()) {
    const file = join(resolve(nameOrPath), 'profile.json');
    if ((await stat(file).catch(() => undefined))?.isFile()) return inItsPack(file);
    return onlyGame(folderPack(resolve(nameOrPath)), nameOrPath);
  }
  throw await unknownGame(nameOrPath, packs);
}

/** The game of a pack that has just one. */
async function onlyGame(pack: Pack, name: string): Promise<FoundProfile> {
  const games = await listGames(pack);
  if (games.length === 1) return { pack, path: `configs/${games[0]!}/profile.json` };
  const [none, choices] = [games.length === 0, games.map((game) => pack.locate(`configs/${game}/profile.json`))];
  throw new PlaybyplayError('profile-missing', `there is ${none ? 'no profile' : 'more than one profile'} in ${name}`, {
    hint: none ? 'A pack holds configs/<game>/profile.json.' : `Name one: ${choices.join(', ')}`,
  });
}

async function unknownGame(name: string, packs: readonly Pack[]): Promise<PlaybyplayError> {
  const games = [...new Set((await Promise.all(packs.map(listGames))).flat())].toSorted();
  const looksLikePath = /[/\\]|\.json$/.test(name);
  const hint = suggestSpelling(name, games) ?? (games.length > 0 ? `The games are ${games.join(', ')}.` : undefined);
  return looksLikePath
    ? new PlaybyplayError('profile-missing', `there is no profile at ${name}`)
    : new PlaybyplayError('unknown-game', `there is no game “${name}”`, { hint });
}

/** A profile in `configs/<game>/` belongs to the pack around it; any other is the pack of its own folder. */
function inItsPack(file: string): FoundProfile {
  const folder = dirname(file);
  const configs = dirname(folder);
  if (basename(configs) !== 'configs') return { pack: folderPack(folder), path: basename(file) };
  return { pack: folderPack(dirname(configs)), path: posix.join('configs', basename(folder), basename(file)) };
}

/** Bytes of an asset that is kept once it was read, and how many are. */
const SMALL_ASSET = 64 << 10;
const MOST_KEPT = 256;

/**
 * Finds, reads and checks a profile. Throws PlaybyplayError `unknown-game`, `profile-missing`, or `profile-broken` with
 * every issue at once.
 */
export async function loadProfile(nameOrPath: string, options: LoadOptions = {}): Promise<LoadedProfile> {
  const found = await findProfile(nameOrPath, options.packs);
  const { pack, path } = found;
  const place = pack.locate(path);
  const bytes = await pack.read(path, LARGEST_PROFILE);
  const value = parseJson(bytes, place);
  const kinds = await options.kinds?.(kindsIn(value), hasSteps(value));
  const { issues, assets } = checkProfile(value, place, kinds);
  const folder = posix.dirname(path);
  const missing = await lackingAssets(pack, folder, assets, place);
  const lacking = options.unfinished ? missing.filter(({ code, path: at }) => isAwaited(code, at)) : [];
  const all = [...issues, ...missing.filter((issue) => !lacking.includes(issue))];
  if (all.length > 0) {
    throw new PlaybyplayError(
      'profile-broken',
      `the profile ${place} has ${all.length === 1 ? 'a mistake' : `${all.length} mistakes`}`,
      { issues: all },
    );
  }
  const { profile, languages, paths } = inLanguage(withFractionalRegions(value as Profile), options.language);
  const hash = createHash('sha256').update(bytes);
  if (options.language !== undefined) hash.update(`\0language ${languages.join(' ')}\0`);
  const locate = async (asset: string): Promise<string> => {
    for (const one of paths(asset)) if (await pack.has(posix.join(folder, one))) return one;
    return asset;
  };
  // Small ones are wanted again as soon as detectors open.
  const kept = new Map<string, Uint8Array>();
  const there = assets.filter(({ pointer }) => !lacking.some(({ path: at }) => at === `${place}#${pointer}`));
  for (const asset of new Set(there.map((one) => one.path).toSorted())) {
    const taken = await locate(asset);
    const content = await pack.read(posix.join(folder, taken));
    hash.update(`\0${taken}\0`).update(content);
    if (content.length <= SMALL_ASSET && kept.size < MOST_KEPT) kept.set(asset, content);
  }
  const script = await readScript(pack, profile.game);
  return {
    profile,
    languages,
    fingerprint: { name: profile.game, version: profile.version, hash: hash.digest('hex').slice(0, 32) },
    pack,
    path,
    lacking,
    assets: { read: async (asset) => kept.get(asset) ?? pack.read(posix.join(folder, await locate(asset))) },
    ...(script === undefined ? {} : { script }),
  };
}

/** A detector's file that is still to be made. */
function isAwaited(code: string, path: string | undefined): boolean {
  return code === 'asset-missing' && /#\/detectors\//.test(path ?? '');
}

/** What is wrong with a profile, without throwing for it. Throws only where there is no profile to be read. */
export async function inspectProfile(nameOrPath: string, options: LoadOptions = {}): Promise<readonly Issue[]> {
  try {
    await loadProfile(nameOrPath, options);
    return [];
  } catch (error) {
    if (error instanceof PlaybyplayError && error.code === 'profile-broken') return error.issues;
    throw error;
  }
}

async function lackingAssets(
  pack: Pack,
  folder: string,
  assets: readonly { readonly path: string; readonly pointer: string }[],
  place: string,
): Promise<readonly Issue[]> {
  const checked = await Promise.all(
    assets.map(async ({ path, pointer }): Promise<Issue | undefined> => {
      try {
        await pack.read(posix.join(folder, path));
        return undefined;
      } catch (error) {
        const code = error instanceof PlaybyplayError ? error.code : 'asset-missing';
        const hint = (error instanceof PlaybyplayError ? error.hint : undefined) ?? makingOf(code, pointer);
        return {
          code,
          path: `${place}#${pointer}`,
          message: messageOf(error),
          ...(hint === undefined ? {} : { hint }),
        };
      }
    }),
  );
  return checked.filter((issue) => issue !== undefined);
}

/** How a file that is missing comes about. */
function makingOf(code: string, pointer: string): string | undefined {
  if (code !== 'asset-missing') return undefined;
  const option = /^\/detectors\/[^/]+\/([^/]+)/.exec(pointer)?.[1] ?? '';
  return MAKING[option];
}

const MAKING: Readonly<Record<string, string>> = {
  atlas: 'Learn the font: playbyplay profile glyphs.',
  light: 'Learn it: playbyplay profile glyphs --light.',
  clips: 'Learn the sound: playbyplay profile sound.',
  icons: 'Cut the picture out of a frame and save it there (playbyplay profile try --out writes regions as PNG).',
};

function kindsIn(value: unknown): ReadonlySet<string> {
  const detectors = typeof value === 'object' && value !== null && 'detectors' in value ? value.detectors : undefined;
  const specs = typeof detectors === 'object' && detectors !== null ? Object.values(detectors) : [];
  return new Set(specs.map((spec: unknown) => String((spec as { kind?: unknown } | null)?.kind)));
}

/** Whether any region has steps of preprocessing. */
function hasSteps(value: unknown): boolean {
  const regions = typeof value === 'object' && value !== null && 'regions' in value ? value.regions : undefined;
  const specs: unknown[] = typeof regions === 'object' && regions !== null ? Object.values(regions) : [];
  return specs.some((spec) => typeof spec === 'object' && spec !== null && 'preprocess' in spec);
}

/** The JSON of a profile as it is, right or not; undefined where it is no JSON. */
export async function rawProfile({ pack, path }: FoundProfile): Promise<unknown> {
  try {
    return parseJson(await pack.read(path, LARGEST_PROFILE), path);
  } catch {
    return undefined;
  }
}

function parseJson(bytes: Uint8Array, place: string): unknown {
  const text = Buffer.from(bytes)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = messageOf(error);
    const position = /position (\d+)/.exec(message)?.[1];
    const line = position === undefined ? undefined : text.slice(0, Number(position)).split('\n').length;
    const path = line === undefined ? place : `${place}:${line}`;
    throw new PlaybyplayError('profile-broken', `the profile ${place} is not JSON`, {
      issues: [{ code: 'not-json', path, message }],
    });
  }
}
