import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { messageOf, PlaybyplayError, type Issue } from '../errors.ts';
import type { Fingerprint } from '../events/log.ts';
import { checkProfile } from './check.ts';
import { inLanguage } from './languages.ts';
import { findProfile, MAX_PROFILE_BYTES, parseJson } from './find.ts';
import type { Pack } from './pack.ts';
import type { Profile } from './profile.ts';
import type { KindCatalog } from './schema.ts';
import { readScript, type Script } from './script.ts';
import { withFractionalRegions } from './units.ts';

/** Options of `loadProfile`. */
export interface LoadOptions {
  /** Packs in which games are looked up by name; default: the built-in one. */
  readonly packs?: readonly Pack[];
  /** Schemas of the kinds of detectors (those named, and the names of all others), and of preprocessing if there are any `steps`. */
  readonly kinds?: (used: ReadonlySet<string>, steps: boolean) => Promise<KindCatalog>;
  /** Languages of the text on screen, instead of the profile's. */
  readonly language?: string | readonly string[] | undefined;
  /** For a profile being written: missing files of detectors are listed in `missing` instead of thrown. */
  readonly unfinished?: boolean;
}

/** A valid profile with its files. */
export interface LoadedProfile {
  /** With the languages to read set in every detector, and regions in fractions. */
  readonly profile: Profile;
  /** The languages of the text on screen: those requested, else the profile's; may be empty. */
  readonly languages: readonly string[];
  /** Name and version of the profile, and a hash of it and of every file it names. */
  readonly fingerprint: Fingerprint;
  readonly pack: Pack;
  /** Path of profile.json within the pack. */
  readonly path: string;
  /** Reads files relative to the profile's folder, for detectors. */
  readonly assets: { read(path: string): Promise<Uint8Array> };
  /** Missing files that detectors name; only of an unfinished profile. */
  readonly missing: readonly Issue[];
  /** The game script, if there is one. */
  readonly script?: Script;
}

/** Limits of the assets that are cached from hashing until detectors open. */
const MAX_CACHED_BYTES = 64 << 10;
const MAX_CACHED_ASSETS = 256;

/**
 * Finds, reads and checks a profile. Throws PlaybyplayError `unknown-game`, `profile-missing`, or `profile-broken` with
 * every issue at once.
 */
export async function loadProfile(nameOrPath: string, options: LoadOptions = {}): Promise<LoadedProfile> {
  const found = await findProfile(nameOrPath, options.packs);
  const { pack, path } = found;
  const place = pack.locate(path);
  const bytes = await pack.read(path, MAX_PROFILE_BYTES);
  const value = parseJson(bytes, place);
  const kinds = await options.kinds?.(kindsIn(value), hasSteps(value));
  const { issues, assets } = checkProfile(value, place, kinds);
  const folder = posix.dirname(path);
  const absent = await missingAssets(pack, folder, assets, place);
  const missing = options.unfinished ? absent.filter(({ code, path: at }) => isAwaited(code, at)) : [];
  const all = [...issues, ...absent.filter((issue) => !missing.includes(issue))];
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
  const cached = new Map<string, Uint8Array>();
  const there = assets.filter(({ pointer }) => !missing.some(({ path: at }) => at === `${place}#${pointer}`));
  for (const asset of new Set(there.map((one) => one.path).toSorted())) {
    const taken = await locate(asset);
    const content = await pack.read(posix.join(folder, taken));
    hash.update(`\0${taken}\0`).update(content);
    if (content.length <= MAX_CACHED_BYTES && cached.size < MAX_CACHED_ASSETS) cached.set(asset, content);
  }
  const script = await readScript(pack, profile.game);
  return {
    profile,
    languages,
    fingerprint: { name: profile.game, version: profile.version, hash: hash.digest('hex').slice(0, 32) },
    pack,
    path,
    missing,
    assets: { read: async (asset) => cached.get(asset) ?? pack.read(posix.join(folder, await locate(asset))) },
    ...(script === undefined ? {} : { script }),
  };
}

/** Whether an issue is about a detector's file that is still to be created. */
function isAwaited(code: string, path: string | undefined): boolean {
  return code === 'asset-missing' && /#\/detectors\//.test(path ?? '');
}

/** Returns the issues of a profile. Throws only if there is no profile to read. */
export async function inspectProfile(nameOrPath: string, options: LoadOptions = {}): Promise<readonly Issue[]> {
  try {
    await loadProfile(nameOrPath, options);
    return [];
  } catch (error) {
    if (error instanceof PlaybyplayError && error.code === 'profile-broken') return error.issues;
    throw error;
  }
}

async function missingAssets(
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
        const hint = (error instanceof PlaybyplayError ? error.hint : undefined) ?? creationHint(code, pointer);
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

/** Says how to create a missing file. */
function creationHint(code: string, pointer: string): string | undefined {
  if (code !== 'asset-missing') return undefined;
  const option = /^\/detectors\/[^/]+\/([^/]+)/.exec(pointer)?.[1] ?? '';
  return CREATION_HINTS[option];
}

const CREATION_HINTS: Readonly<Record<string, string>> = {
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

/** Whether any region has preprocessing steps. */
function hasSteps(value: unknown): boolean {
  const regions = typeof value === 'object' && value !== null && 'regions' in value ? value.regions : undefined;
  const specs: unknown[] = typeof regions === 'object' && regions !== null ? Object.values(regions) : [];
  return specs.some((spec) => typeof spec === 'object' && spec !== null && 'preprocess' in spec);
}
