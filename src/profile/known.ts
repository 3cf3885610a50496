import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { PlaybyplayError } from '../errors.ts';
import { builtInPack, findProfile, listGames } from './load.ts';
import { folderPack, type Pack } from './pack.ts';
import { zipPack } from './zip.ts';

/** A profile that can be chosen by the name of its game. */
export interface KnownProfile {
  /** The game, by the name of the profile's folder. */
  readonly game: string;
  /** What opens it: its name where it is built in, else a path. */
  readonly path: string;
}

/** How deep packs are looked for below a folder. */
const DEEPEST = 2;

/**
 * The built-in profiles and those at `places`: packs (folders or zips) with any number of games, profiles, or folders with several
 * of these. A game that is at several places is known by the first; built-in ones come last. Throws PlaybyplayError
 * `profile-missing` for a place at which there is none.
 */
export async function knownProfiles(places: readonly string[] = []): Promise<readonly KnownProfile[]> {
  const known = new Map<string, KnownProfile>();
  const add = (one: KnownProfile): void => {
    if (!known.has(one.game)) known.set(one.game, one);
  };
  for (const place of places) {
    const found = await profilesAt(resolve(place), DEEPEST);
    if (found.length === 0)
      throw new PlaybyplayError('profile-missing', `there is no profile at ${place}`, {
        hint: 'A pack holds configs/<game>/profile.json; a folder of packs is one, too.',
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
      : await alone(place);
  const own = await gamesOf(folderPack(place), (game) => join(place, 'configs', game, 'profile.json'));
  if (own.length > 0) return own;
  if ((await stat(join(place, 'profile.json')).catch(() => undefined))?.isFile()) return await alone(place);
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

/** A profile that lies alone: its game is what it says. */
async function alone(path: string): Promise<readonly KnownProfile[]> {
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
