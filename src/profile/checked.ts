import type { Hash } from 'node:crypto';
import { posix } from 'node:path';
import { findProfile, MAX_PROFILE_BYTES, parseJson } from './find.ts';
import { localizeProfile, type LocalizedProfile } from './languages.ts';
import type { Pack } from './pack.ts';
import type { Profile } from './profile.ts';
import { withFractionalRegions } from './units.ts';

/**
 * Opens a profile that `loadProfile` has checked before, in another thread: without checking it again, which would load and
 * run all schemas.
 *
 * @param path Path of the profile, as `loadProfile` found it.
 * @param language Language tags of the text on screen, instead of the profile's.
 */
export async function openCheckedProfile(
  path: string,
  language?: readonly string[],
): Promise<{ readonly profile: Profile; readonly assets: AssetReader }> {
  const { pack, path: inside } = await findProfile(path);
  const value = parseJson(await pack.read(inside, MAX_PROFILE_BYTES), path) as Profile;
  const localized = localizeProfile(withFractionalRegions(value), language);
  return { profile: localized.profile, assets: new AssetReader(pack, posix.dirname(inside), localized) };
}

/** Limits of the assets that are cached from hashing until detectors open. */
const MAX_CACHED_BYTES = 64 << 10;
const MAX_CACHED_ASSETS = 256;

/** Reads the assets of a profile in its language. */
export class AssetReader {
  readonly #pack: Pack;
  readonly #folder: string;
  readonly #localizedPaths: LocalizedProfile['localizedPaths'];
  readonly #cache = new Map<string, Uint8Array>();

  constructor(pack: Pack, folder: string, { localizedPaths }: LocalizedProfile) {
    this.#pack = pack;
    this.#folder = folder;
    this.#localizedPaths = localizedPaths;
  }

  /** Adds the path and content of assets to a hash. Small ones are cached. */
  async addToHash(hash: Hash, assets: Iterable<string>): Promise<void> {
    for (const asset of assets) {
      const path = await this.#locate(asset);
      const content = await this.#pack.read(posix.join(this.#folder, path));
      hash.update(`\0${path}\0`).update(content);
      if (content.length <= MAX_CACHED_BYTES && this.#cache.size < MAX_CACHED_ASSETS) this.#cache.set(asset, content);
    }
  }

  /** Reads an asset, by its path relative to the profile. */
  async read(asset: string): Promise<Uint8Array> {
    return this.#cache.get(asset) ?? this.#pack.read(posix.join(this.#folder, await this.#locate(asset)));
  }

  async #locate(asset: string): Promise<string> {
    for (const path of this.#localizedPaths(asset))
      if (await this.#pack.has(posix.join(this.#folder, path))) return path;
    return asset;
  }
}
