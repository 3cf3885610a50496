import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, posix, resolve } from 'node:path';
import { messageOf, PlaybyplayError } from '../errors.ts';
import { suggestSpelling } from '../spelling.ts';
import { ROOT } from '../version.ts';
import { folderPack, type Pack } from './pack.ts';
import { zipPack } from './zip.ts';

/** Limit of the size of profile.json. */
export const MAX_PROFILE_BYTES = 2 << 20;

/** The location of a profile. */
export interface FoundProfile {
  readonly pack: Pack;
  readonly path: string;
}

/** Lists the games of a pack, sorted. */
export async function listGames(pack: Pack): Promise<readonly string[]> {
  const names = await pack.list('configs');
  const found = await Promise.all(names.map((name) => pack.has(`configs/${name}/profile.json`)));
  return names.filter((_, index) => found[index]);
}

/** Returns the pack of the built-in games. */
export function builtInPack(): Pack {
  return folderPack(ROOT);
}

/**
 * Finds a profile by the name of its game, or by the path of a profile.json, of its folder, or of a pack: a folder or ZIP file
 * with one game, or `pack.zip#configs/<game>/profile.json`.
 *
 * @param packs Packs in which games are looked up by name.
 * @throws PlaybyplayError `unknown-game` with the nearest name, `profile-missing`.
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
  if (info?.isFile()) return findPack(resolve(nameOrPath));
  if (info?.isDirectory()) {
    const file = join(resolve(nameOrPath), 'profile.json');
    if ((await stat(file).catch(() => undefined))?.isFile()) return findPack(file);
    return onlyGame(folderPack(resolve(nameOrPath)), nameOrPath);
  }
  throw await unknownGame(nameOrPath, packs);
}

/** Returns the only game of a pack. */
async function onlyGame(pack: Pack, name: string): Promise<FoundProfile> {
  const games = await listGames(pack);
  if (games.length === 1) return { pack, path: `configs/${games[0]!}/profile.json` };
  const [none, choices] = [games.length === 0, games.map((game) => pack.locate(`configs/${game}/profile.json`))];
  throw new PlaybyplayError('profile-missing', `there is ${none ? 'no profile' : 'more than one profile'} in ${name}`, {
    hint: none ? 'A pack contains configs/<game>/profile.json.' : `Name one: ${choices.join(', ')}`,
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

/** Finds the pack of a profile: the one around `configs/<game>/`, else the folder of the profile. */
function findPack(file: string): FoundProfile {
  const folder = dirname(file);
  const configs = dirname(folder);
  if (basename(configs) !== 'configs') return { pack: folderPack(folder), path: basename(file) };
  return { pack: folderPack(dirname(configs)), path: posix.join('configs', basename(folder), basename(file)) };
}

/** Reads the JSON of a profile without checking it; `undefined` if it is not JSON. */
export async function rawProfile({ pack, path }: FoundProfile): Promise<unknown> {
  try {
    return parseJson(await pack.read(path, MAX_PROFILE_BYTES), path);
  } catch {
    return undefined;
  }
}

/**
 * Parses profile.json.
 *
 * @throws PlaybyplayError `profile-broken` with the line of a syntax error.
 */
export function parseJson(bytes: Uint8Array, place: string): unknown {
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

/** A profile that can be selected by the name of its game. */
export interface KnownProfile {
  /** The game: the name of the profile's folder. */
  readonly game: string;
  /** Opens the profile: the name of a built-in game, else a path. */
  readonly path: string;
}

/** Levels of subfolders in which packs are searched. */
const MAX_SEARCH_DEPTH = 2;

/**
 * Lists the built-in profiles and those at `places`: profiles, packs (folders or ZIP files), or folders that contain them. Of
 * several profiles for one game the first counts; built-in ones come last.
 *
 * @throws PlaybyplayError `profile-missing` for a place without a profile.
 */
export async function knownProfiles(places: readonly string[] = []): Promise<readonly KnownProfile[]> {
  const known = new Map<string, KnownProfile>();
  const add = (one: KnownProfile): void => {
    if (!known.has(one.game)) known.set(one.game, one);
  };
  for (const place of places) {
    const found = await profilesAt(resolve(place), MAX_SEARCH_DEPTH);
    if (found.length === 0)
      throw new PlaybyplayError('profile-missing', `there is no profile at ${place}`, {
        hint: 'A pack contains configs/<game>/profile.json.',
      });
    for (const one of found) add(one);
  }
  for (const game of await listGames(builtInPack())) add({ game, path: game });
  return [...known.values()];
}

async function profilesAt(place: string, deep: number): Promise<readonly KnownProfile[]> {
  const info = await stat(place).catch(() => undefined);
  if (!info) return [];
  if (info.isFile())
    return /\.zip$/i.test(place)
      ? gamesOf(await zipPack(place), (game) => `${place}#configs/${game}/profile.json`)
      : await standaloneProfile(place);
  const own = await gamesOf(folderPack(place), (game) => join(place, 'configs', game, 'profile.json'));
  if (own.length > 0) return own;
  if ((await stat(join(place, 'profile.json')).catch(() => undefined))?.isFile()) return await standaloneProfile(place);
  if (deep === 0) return [];
  const inside = (await readdir(place, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory() || /\.zip$/i.test(entry.name))
    .map(({ name }) => name)
    .toSorted();
  const found: KnownProfile[] = [];
  for (const name of inside) found.push(...(await profilesAt(join(place, name), deep - 1)));
  return found;
}

async function gamesOf(pack: Pack, pathOf: (game: string) => string): Promise<readonly KnownProfile[]> {
  return (await listGames(pack)).map((game) => ({ game, path: pathOf(game) }));
}

/** A profile outside a pack: it names its game itself. */
async function standaloneProfile(path: string): Promise<readonly KnownProfile[]> {
  const { pack, path: inside } = await findProfile(path);
  const game = gameIn(Buffer.from(await pack.read(inside)).toString('utf8'));
  return game === undefined ? [] : [{ game, path }];
}

function gameIn(text: string): string | undefined {
  let profile: unknown;
  try {
    profile = JSON.parse(text);
  } catch {
    return undefined;
  }
  const game = typeof profile === 'object' && profile !== null && 'game' in profile ? profile.game : undefined;
  return typeof game === 'string' && game !== '' ? game : undefined;
}
